-- How large can a training run of a dense model be on V100, A100 and H100 GPUs, in three months?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137) and its simulator.
-- Published answer: linear scaling ends at 2.85e27 FLOP (V100), 3.40e28 (A100) and 2.05e28 (H100);
-- the last run that finishes on H100s has 2.71e31 FLOP at a utilization of 5.2 %.

local dtsim = require "dtsim"
local format = dtsim.units.format

local options = dtsim.arguments(arg, [[
usage: dtsim base_comparison.lua [--out DIR]
Runs the study of the figure; saves base_comparison.json, .html and .svg in DIR (.).]],
    {out = "."})

local study = dtsim.presets.base_comparison:run()
print(study)

-- Published: the first point at or below 80 % of the sustained maximum, FLOP.
local published = {
    {"V100 SXM", 2.85e27},
    {"A100 SXM", 3.40e28},
    {"H100 SXM", 2.05e28},
}
local rows = {{"linear scaling ends at", "published", "dtsim"}}
for i, row in ipairs(published) do
    local found = study:sweep(row[1]):linear_scaling_end().model.training_flop
    rows[i + 1] = {row[1], format(row[2], "flop"), format(found, "flop")}
end
print("\n" .. dtsim.align(rows))

local h100 = study:sweep "H100 SXM"
print(("\nThe last feasible H100 point: published 2.71e31 FLOP at 5.2 %%, dtsim %s at %.1f %%")
    :format(format(h100[#h100].model.training_flop, "flop"), 100 * h100[#h100].utilization))

study:save(options.out .. "/base_comparison.json")
study:plot(options.out .. "/base_comparison.svg")
study:report(options.out .. "/base_comparison.html")
