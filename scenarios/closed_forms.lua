-- How large can a training run be by the paper's closed forms, and what would 1e30 FLOP need?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137), its closed forms.
-- Published answer: with alpha = 0 and three months, data movement limits a run to 1.30e27 FLOP
-- (V100), 2.62e28 (A100) and 1.92e28 (H100).

local dtsim = require "dtsim"
local format = dtsim.units.format
local closed_forms = dtsim.closed_forms

local options = dtsim.arguments(arg, [[
usage: dtsim closed_forms.lua [--out DIR]
Prints the closed forms and their inverses; draws closed_forms.svg in DIR (.).]],
    {out = "."})

local rows = {{"critical compute", "published", "dtsim"}}
for i, row in ipairs{{"v100", 1.30e27}, {"a100", 2.62e28}, {"h100", 1.92e28}} do
    rows[i + 1] = {dtsim.systems[row[1]].name, format(row[2], "flop"),
                   format(closed_forms.critical_compute{system = row[1]}, "flop")}
end
print(dtsim.align(rows))
print(("\nLatency alone, at 9 us a step through a layer, limits a run to %s."):format(
    format(closed_forms.latency_limit{}, "flop")))

print "\nWhat 1e30 FLOP in three months need on H100s, each alone, all else as it is:\n"
local now = dtsim.systems.h100
local need = closed_forms.needed{training_flop = "1e30 FLOP", system = "h100"}
print(dtsim.align{
    {"", "now", "needed"},
    {"bandwidth between nodes", format(now.network[2].bandwidth, "bandwidth"),
     format(need.bandwidth, "bandwidth")},
    {"or memory bandwidth", format(now.gpu.memory_bandwidth, "bandwidth"),
     format(need.memory_bandwidth, "bandwidth")},
    {"or time", "3 months", format(need.movement_duration, "time")},
    {"or alpha, for data movement", "0", ("%.3f"):format(need.movement_alpha)},
    {"latency of a step", "9 us", format(need.latency, "time") .. " suffice"},
})

closed_forms.plot(options.out .. "/closed_forms.svg")
