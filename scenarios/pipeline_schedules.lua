-- Zero bubble or interleaved: which pipeline schedule carries a run further?
--
-- Source: dtsim's own question. Zero bubble here is the ideal of no bubble at all, with latency
-- exposed where compute does not hide it.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim pipeline_schedules.lua [--out DIR]
Compares the schedules on H100s; draws pipeline_schedules.svg in DIR (.).]],
    {out = "."})

local study = dtsim.study{
    title = "Pipeline schedules",
    {name = "interleaved", system = "h100", schedules = {"interleaved"}},
    {name = "zero bubble", system = "h100", schedules = {"zero_bubble"}},
    {name = "the better of both", system = "h100"},
}
print(study:run())
study:plot(options.out .. "/pipeline_schedules.svg")
