-- What is the biggest training run that a budget buys, or a power line feeds?
--
-- Source: dtsim's own question. Assumed: an H100 with its share of the servers, the network and the
-- building costs $40,000 and draws 1.4 kW; the hardware serves this one run of three months.

local dtsim = require "dtsim"
local format = dtsim.units.format
local units = dtsim.units

dtsim.arguments(arg, [[
usage: dtsim budget.lua [--out DIR]
Prints the answer; writes no file.]],
    {out = "."})

local h100 = dtsim.systems.h100
local optimizer = dtsim.optimizer{gpu = h100.gpu:with{price = "$40 k", power = "1.4 kW"},
                                  network = h100.network}
local widths = dtsim.widths.between(4096, 16 * 12288)

local rows = {{"limit", "compute", "GPUs", "of sustained", "months", "plan"}}
local function ask(label, question)
    question.d_model = widths
    local point = optimizer:largest_run(question).result
    rows[#rows + 1] = {
        label, format(point.model.training_flop, "flop"), format(point.n_gpus, "count"),
        ("%.0f %%"):format(100 * point.utilization / h100.gpu.utilization),
        ("%.2f"):format(point.time / units.parse "1 month"), tostring(point.plan),
    }
end
for _, budget in ipairs{"$100 M", "$1 B", "$10 B", "$100 B"} do ask(budget, {budget = budget}) end
for _, power in ipairs{"30 MW", "100 MW", "1 GW", "5 GW"} do ask(power, {power = power}) end
print(dtsim.align(rows))
