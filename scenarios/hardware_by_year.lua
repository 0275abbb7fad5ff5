-- What did the hardware of 2012, 2016, 2020 and 2024 allow, each in three months?
--
-- Source: dtsim's own question. GTX 580s trained AlexNet; DGX-1 with P100, DGX A100 and DGX B200
-- are what a cluster of their year was made of. The numbers and their sources are in the catalog.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim hardware_by_year.lua [--out DIR]
Runs four clusters; draws hardware_by_year.svg and saves hardware_by_year.json in DIR (.).]],
    {out = "."})

local study = dtsim.study{
    title = "Hardware by year", d_model = dtsim.widths.between(4096, 262144),
    {name = "2012: GTX 580", system = "gtx580"},
    {name = "2016: P100", system = "p100"},
    {name = "2020: A100", system = "a100"},
    {name = "2024: B200", system = "b200"},
}
print(study:run())

print "\nWhat 1e26 FLOP take on each:\n"
local rows = {{"hardware", "compute", "GPUs", "of sustained", "months", "megawatts of GPUs"}}
for _, row in ipairs(study:results()) do
    local point, gpu = row.sweep:nearest(1e26), row.configuration.gpu
    rows[#rows + 1] = {
        row.configuration.name, dtsim.units.format(point.model.training_flop, "flop"),
        dtsim.units.format(point.n_gpus, "count"),
        ("%.0f %%"):format(100 * point.utilization / gpu.utilization),
        ("%.2f"):format(point.time / dtsim.units.parse "1 month"),
        ("%.0f"):format(point.n_gpus * gpu.power / 1e6),
    }
end
print(dtsim.align(rows))
study:save(options.out .. "/hardware_by_year.json")
study:plot(options.out .. "/hardware_by_year.svg")
