-- Times of the paper's sweeps beside those of the authors' program (tests/reference).
--
-- usage: build/dtsim tests/bench/sweeps.lua [--repeat N] [--only NAME]      from the project's top
-- A line per sweep, tab-separated; each time is the least of N runs on one thread:
--   sweep        name of the reference sweep
--   points       points found
--   search_ms    the sweep in C, wall clock: all searches, also the last that finds nothing
--   total_ms     all of opt:sweep, CPU time: laws in Lua, the sweep in C, results as Lua objects
--   ref_s        CPU time of the authors' program for the whole sweep
--   ratio        ref_s over search_ms
--   total_ratio  ref_s over total_ms

package.path = "tests/?.lua;" .. package.path
local dtsim = require "dtsim"
local reference = require "spec.reference"

local options = dtsim.arguments(arg,
    "usage: dtsim tests/bench/sweeps.lua [--repeat N] [--only NAME]",
    {["repeat"] = "20", only = ""})

-- The least search and total times of one sweep, in s.
local function measure(sweep, repeats)
    local optimizer, question = reference.optimizer(sweep), reference.sweep_options(sweep)
    optimizer = optimizer:with{threads = 1}
    local search, total = math.huge, math.huge
    for _ = 1, repeats do
        local start = os.clock()
        local answer = optimizer:sweep(question)
        total = math.min(total, os.clock() - start)
        search = math.min(search, answer.settings.search_seconds)
        assert(#answer == #sweep.points)
    end
    return search, total
end

print "sweep\tpoints\tsearch_ms\ttotal_ms\tref_s\tratio\ttotal_ratio"
for _, name in ipairs(reference.sweeps) do
    if options.only == "" or options.only == name then
        local sweep = reference.sweep(name)
        local search, total = measure(sweep, assert(tonumber(options["repeat"])))
        local ref = sweep.reference_cpu_s
        print(("%s\t%d\t%.3f\t%.3f\t%.3f\t%.0f\t%.0f"):format(name, #sweep.points,
            search * 1e3, total * 1e3, ref, ref / search, ref / total))
    end
end
