-- What would better networks do for the largest sparse training run on H100s?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137) and its simulator.
-- Published answer: a figure, without numbers in the text.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim network_comparison_sparse.lua [--out DIR]
Runs the study of the figure; saves network_comparison_sparse.json, .html and .svg in DIR (.).]],
    {out = "."})

local study = dtsim.presets.network_comparison_sparse:run()
print(study)

study:save(options.out .. "/network_comparison_sparse.json")
study:plot(options.out .. "/network_comparison_sparse.svg")
study:report(options.out .. "/network_comparison_sparse.html")
