-- What does it buy to overlap the communication of data parallelism with compute?
--
-- Source: dtsim's own question; arXiv 2411.01137 takes it as not overlapped.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim data_overlap.lua [--out DIR]
Compares both on H100s; draws data_overlap.svg in DIR (.).]],
    {out = "."})

local study = dtsim.study{
    title = "Overlap of data parallelism",
    {name = "not overlapped", system = "h100"},
    {name = "overlapped", system = "h100", overlap = {dp = true}},
}
print(study:run())
study:plot(options.out .. "/data_overlap.svg")
