-- How large can a training run of a sparse model be on V100, A100 and H100 GPUs, in three months?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137) and its simulator.
-- Published answer: a figure, without numbers in the text.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim base_comparison_sparse.lua [--out DIR]
Runs the study of the figure; saves base_comparison_sparse.json, .html and .svg in DIR (.).]],
    {out = "."})

local study = dtsim.presets.base_comparison_sparse:run()
print(study)

study:save(options.out .. "/base_comparison_sparse.json")
study:plot(options.out .. "/base_comparison_sparse.svg")
study:report(options.out .. "/base_comparison_sparse.html")
