-- What would better networks do for the largest dense training run on H100s?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137) and its simulator.
-- Published answer: linear scaling ends at 2.05e28 FLOP as it is; 1.34e29 with a tenth of all
-- latencies, 4.07e29 with NVLink everywhere, 5.08e31 with both, 9.00e31 with infinite bandwidth
-- too.

local dtsim = require "dtsim"
local format = dtsim.units.format

local options = dtsim.arguments(arg, [[
usage: dtsim network_comparison.lua [--out DIR]
Runs the study of the figure; saves network_comparison.json, .html and .svg in DIR (.).]],
    {out = "."})

local study = dtsim.presets.network_comparison:run()
print(study)

-- Published: the first point at or below 80 % of the sustained maximum, FLOP.
local published = {
    {"H100", 2.05e28},
    {"H100, latency / 10", 1.34e29},
    {"H100, NVLink everywhere", 4.07e29},
    {"H100, NVLink everywhere, latency / 10", 5.08e31},
    {"H100, infinite bandwidth, latency / 10", 9.00e31},
}
local rows = {{"linear scaling ends at", "published", "dtsim"}}
for i, row in ipairs(published) do
    local found = study:sweep(row[1]):linear_scaling_end().model.training_flop
    rows[i + 1] = {row[1], format(row[2], "flop"), format(found, "flop")}
end
print("\n" .. dtsim.align(rows))

study:save(options.out .. "/network_comparison.json")
study:plot(options.out .. "/network_comparison.svg")
study:report(options.out .. "/network_comparison.html")
