-- How much larger can an efficient run be when it may take longer?
--
-- Source: dtsim's own question; arXiv 2411.01137 takes three months.

local dtsim = require "dtsim"

local options = dtsim.arguments(arg, [[
usage: dtsim deadlines.lua [--out DIR]
Runs H100 clusters against four deadlines; draws deadlines.svg in DIR (.).]],
    {out = "."})

local study = dtsim.study{
    title = "Deadlines",
    {name = "1 month", system = "h100", duration = "1 month"},
    {name = "3 months", system = "h100", duration = "3 months"},
    {name = "6 months", system = "h100", duration = "6 months"},
    {name = "12 months", system = "h100", duration = "12 months"},
}
print(study:run())
study:plot(options.out .. "/deadlines.svg")
