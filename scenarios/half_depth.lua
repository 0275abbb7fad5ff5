-- What does a model of half the depth gain, at equal parameters?
--
-- Source: dtsim's own question, with the laws of arXiv 2411.01137. The halved depth goes into the
-- feed-forward width, which is then eight times d_model.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim half_depth.lua [--out DIR]
Compares both on H100s; draws half_depth.svg in DIR (.).]],
    {out = "."})

local halved = dtsim.laws{
    name = "half depth",
    layers = function(d_model) return dtsim.laws.paper_layers(d_model, 4 * d_model) // 2 end,
}
local study = dtsim.study{
    title = "Depth",
    {name = "depth of the paper", system = "h100"},
    {name = "half of it, twice the d_ff", system = "h100", laws = halved,
     d_ff = function(d_model) return 8 * d_model end},
}
print(study:run())
study:plot(options.out .. "/half_depth.svg")
