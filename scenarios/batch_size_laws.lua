-- How much does the size of the largest run depend on how the critical batch grows?
--
-- Source: "Data movement limits to frontier model training" (arXiv 2411.01137) and its simulator.
-- Published answer: linear scaling on H100s ends at 2.85e27 FLOP with a constant batch, 2.05e28
-- with the default law, 3.21e33 with DeepSeek's.

local dtsim = require "dtsim"
local format = dtsim.units.format

local options = dtsim.arguments(arg, [[
usage: dtsim batch_size_laws.lua [--out DIR]
Runs the study of the figure; saves batch_size_laws.json, .html and .svg in DIR (.).]],
    {out = "."})

local study = dtsim.presets.batch_size_laws:run()
print(study)

-- Published: the first point at or below 80 % of the sustained maximum, FLOP.
local published = {
    {"constant batch", 2.85e27},
    {"default batch law", 2.05e28},
    {"DeepSeek's batch law", 3.21e33},
}
local rows = {{"linear scaling ends at", "published", "dtsim"}}
for i, row in ipairs(published) do
    local found = study:sweep(row[1]):linear_scaling_end().model.training_flop
    rows[i + 1] = {row[1], format(row[2], "flop"), format(found, "flop")}
end
print("\n" .. dtsim.align(rows))

study:save(options.out .. "/batch_size_laws.json")
study:plot(options.out .. "/batch_size_laws.svg")
study:report(options.out .. "/batch_size_laws.html")
