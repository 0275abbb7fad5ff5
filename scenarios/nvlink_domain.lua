-- How large must the NVLink domain be, for which bandwidth between domains?
--
-- Source: dtsim's own question. H100s with 900 GB/s inside the domain, whatever its size; widths
-- are multiples of 9 * 1024, which every domain here divides.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim nvlink_domain.lua [--out DIR]
Varies the domain and the bandwidth beyond it; draws nvlink_domain.svg in DIR (.).]],
    {out = "."})

local widths = {}
for i = 3, 20 do widths[#widths + 1] = 9216 * i end
local study = dtsim.study{d_model = widths, {name = "H100", system = "h100"}}
local answer = study:grid{
    x = {"node.size", 8, 16, 32, 64, 72, 144, 288, 576},
    y = {"cluster.bandwidth", "25 GB/s", "50 GB/s", "100 GB/s", "200 GB/s"},
}
print(answer)
answer:plot(options.out .. "/nvlink_domain.svg")
