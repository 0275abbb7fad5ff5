-- What is lost when H100s stand in data centers of 4096 nodes, joined by 1 GB/s a GPU and 1 ms?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137) and its simulator.
-- Published answer: a figure, without numbers in the text.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim datacenters.lua [--out DIR]
Runs the study of the figure; saves datacenters.json, .html and .svg in DIR (.).]],
    {out = "."})

local study = dtsim.presets.datacenters:run()
print(study)

study:save(options.out .. "/datacenters.json")
study:plot(options.out .. "/datacenters.svg")
study:report(options.out .. "/datacenters.html")
