-- How far do H100s scale in 8 bits?
--
-- Source: dtsim's own question. In 8 bits an H100 computes twice as fast (NVIDIA, H100 white paper)
-- and moves half the bytes; that training works as well in them is assumed.

local dtsim = require "dtsim"
local format = dtsim.units.format

local options = dtsim.arguments(arg, [[
usage: dtsim fp8.lua [--out DIR]
Compares 16 and 8 bits on H100s; draws fp8.svg in DIR (.).]],
    {out = "."})

local h100 = dtsim.systems.h100
local study = dtsim.study{
    title = "Widths of numbers",
    {name = "16 bits", system = h100},
    {name = "8 bits", system = h100, gpu = h100.gpu:with{bits = 8}},
}
print(study:run())

print "\nThe same run in both:\n"
local rows = {{"configuration", "compute", "GPUs", "utilization", "GPU-years"}}
for _, row in ipairs(study:results()) do
    local point = row.sweep:nearest(1e28)
    rows[#rows + 1] = {
        row.configuration.name, format(point.model.training_flop, "flop"),
        format(point.n_gpus, "count"), ("%.3f"):format(point.utilization),
        format(point.n_gpus * point.time / dtsim.units.parse "1 year", "count"),
    }
end
print(dtsim.align(rows))
study:plot(options.out .. "/fp8.svg")
