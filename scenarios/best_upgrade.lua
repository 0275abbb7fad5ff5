-- Which single upgrade moves the largest efficient training run on H100s most?
--
-- Source: dtsim's own question; arXiv 2411.01137 varies latency and bandwidth alone.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim best_upgrade.lua [--out DIR]
Doubles and halves each number of an H100 cluster; draws best_upgrade.svg in DIR (.).]],
    {out = "."})

local study = dtsim.study{d_model = dtsim.widths.between(32768, 196608),
                          {name = "H100", system = "h100"}}
local answer = study:tornado{by = 2}
print(answer)
print(("\nAs it is: %s. \"from\" and \"to\" are the limit with the factor halved and doubled.")
    :format(dtsim.units.format(answer.base, "flop")))
answer:plot(options.out .. "/best_upgrade.svg")
