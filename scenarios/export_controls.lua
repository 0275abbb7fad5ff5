-- What do export controls take from an H100: slower links, or half the arithmetic?
--
-- Source: dtsim's own question. The H800 has NVLink of 400 GB/s, the H20 much less arithmetic (the
-- catalog has their sources); half the FLOP/s at unchanged memory and links is hypothetical.

local dtsim = require "dtsim"
local format = dtsim.units.format

local options = dtsim.arguments(arg, [[
usage: dtsim export_controls.lua [--out DIR]
Compares H100s with three cut versions; draws export_controls.svg in DIR (.).]],
    {out = "."})

local h100 = dtsim.systems.h100
local study = dtsim.study{
    title = "Export controls",
    {name = "H100", system = h100},
    {name = "H800: NVLink of 400 GB/s", system = "h800"},
    {name = "H100, half the FLOP/s", system = h100,
     gpu = h100.gpu:with{peak = h100.gpu.peak / 2, name = "H100, half the FLOP/s"}},
    {name = "H20", system = "h20"},
}
print(study:run())

print "\nThe same run on each:\n"
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
study:plot(options.out .. "/export_controls.svg")
