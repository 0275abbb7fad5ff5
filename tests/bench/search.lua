-- Times of the wide and exhaustive searches over the paper's sweeps, and of two threads.
--
-- usage: build/dtsim tests/bench/search.lua [--repeat N] [--only NAME]      from the project's top
-- A line per sweep and search, tab-separated; times are wall clock in C, the least of N runs:
--   sweep         name of the reference sweep
--   search        wide or exhaustive
--   one_ms        one thread
--   two_ms        two threads
--   speedup       one_ms over two_ms
--   plans_per_s   plans considered a second, one thread

package.path = "tests/?.lua;" .. package.path
local dtsim = require "dtsim"
local reference = require "spec.reference"

local options = dtsim.arguments(arg,
    "usage: dtsim tests/bench/search.lua [--repeat N] [--only NAME]", {["repeat"] = "5", only = ""})
local repeats = assert(tonumber(options["repeat"]))

-- The least time of a sweep in s, and the plans that it considered.
local function measure(optimizer, question)
    local least, plans = math.huge, 0
    for _ = 1, repeats do
        local answer = optimizer:sweep(question)
        least = math.min(least, answer.settings.search_seconds)
        plans = 0
        for i = 1, #answer do
            plans = plans + answer[i].search.considered + answer[i].search.cut
        end
    end
    return least, plans
end

print "sweep\tsearch\tone_ms\ttwo_ms\tspeedup\tplans_per_s"
for _, name in ipairs(reference.sweeps) do
    if options.only == "" or options.only == name then
        local sweep = reference.sweep(name)
        local question = reference.sweep_options(sweep)
        for _, search in ipairs{"wide", "exhaustive"} do
            local optimizer = reference.optimizer(sweep):with{search = search}
            local one, plans = measure(optimizer:with{threads = 1}, question)
            local two = measure(optimizer:with{threads = 2}, question)
            print(("%s\t%s\t%.1f\t%.1f\t%.2f\t%.3g"):format(name, search, one * 1e3, two * 1e3,
                one / two, plans / one))
        end
    end
end
