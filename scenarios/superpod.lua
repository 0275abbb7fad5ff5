-- Does an NVLink network of 256 GPUs, half as fast as within the node, carry H100s further?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137) and its simulator.
-- Published answer: a figure, without numbers in the text.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim superpod.lua [--out DIR]
Runs the study of the figure; saves superpod.json, .html and .svg in DIR (.).]],
    {out = "."})

local study = dtsim.presets.superpod:run()
print(study)

study:save(options.out .. "/superpod.json")
study:plot(options.out .. "/superpod.svg")
study:report(options.out .. "/superpod.html")
