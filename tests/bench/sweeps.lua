-- Times of the paper's sweeps beside those of the authors' program (tests/reference).
--
-- usage: build/dtsim tests/bench/sweeps.lua [--repeat N] [--only NAME]      from the project's top
-- A line per sweep, tab-separated; each time is the least of N runs, CPU time of one thread:
--   sweep      name of the reference sweep
--   points     models searched
--   search_ms  the searches alone, in C; the laws have run before
--   total_ms   all of opt:sweep: laws in Lua, searches, results as Lua objects
--   ref_s      the authors' program, the whole sweep
--   ratio      ref_s over total_ms

package.path = "tests/?.lua;" .. package.path
local dtsim = require "dtsim"
local reference = require "spec.reference"

local options = dtsim.arguments(arg,
    "usage: dtsim tests/bench/sweeps.lua [--repeat N] [--only NAME]", {["repeat"] = "20", only = ""})

-- The least search and total times of one sweep, in s.
local function measure(sweep, repeats)
    local optimizer, question = reference.optimizer(sweep), reference.sweep_options(sweep)
    optimizer = optimizer:with{threads = 1}
    local search, total = math.huge, math.huge
    for _ = 1, repeats do
        local start, seconds = os.clock(), 0
        local answer = optimizer:sweep(question)
        total = math.min(total, os.clock() - start)
        for i = 1, #answer do seconds = seconds + answer[i].search.seconds end
        search = math.min(search, seconds)
        assert(#answer == #sweep.points)
    end
    return search, total
end

print "sweep\tpoints\tsearch_ms\ttotal_ms\tref_s\tratio"
for _, name in ipairs(reference.sweeps) do
    if options.only == "" or options.only == name then
        local sweep = reference.sweep(name)
        local search, total = measure(sweep, assert(tonumber(options["repeat"])))
        print(("%s\t%d\t%.3f\t%.3f\t%.3f\t%.0f"):format(name, #sweep.points, search * 1e3,
            total * 1e3, sweep.reference_cpu_s, sweep.reference_cpu_s / total))
    end
end
