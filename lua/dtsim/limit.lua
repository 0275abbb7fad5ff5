-- limit: how large a run a configuration can hold, as one number. What sensitivities move.

local core = require "dtsim.core"
local messages = require "dtsim.messages"

local limit = {}

local function flop(point) return point and point.model.training_flop or 0 end

-- How many widths beyond the last above the line are looked at, as utilization is not monotonic.
local AHEAD = 3

-- A function of a position among the configuration's widths that gives its result, or nil; each
-- is searched once.
local function searcher(configuration)
    local widths, known = configuration.d_model, {}
    return function(i)
        if known[i] == nil then known[i] = configuration:run({widths[i]})[1] or false end
        return known[i] or nil
    end
end

-- Halves the widths between a position that is above the line and one that is not.
local function bisect(low, high, above)
    while high - low > 1 do
        local middle = (low + high) // 2
        if above(middle) then low = middle else high = middle end
    end
    return low
end

-- The position of the last width above the line: by bisection, and again as long as one of the
-- next few widths is above it too. 0: none was found.
local function last_above(count, above)
    local low = 0
    repeat
        low = bisect(low, count + 1, above)
        local start = low
        for i = low + 1, math.min(low + AHEAD, count) do
            if above(i) then low = i end
        end
    until low == start
    return low
end

-- The compute at which utilization falls through the line for good: between the last width above
-- it and the next, where the straight line in log compute crosses it.
local function crossing(configuration, share)
    local find, count = searcher(configuration), #configuration.d_model
    local line = share * configuration.gpu.utilization
    local function above(i)
        local point = find(i)
        return point ~= nil and point.utilization > line
    end
    local position = last_above(count, above)
    if position == 0 then return 0 end
    local last, below = find(position), position < count and find(position + 1)
    if not below then return flop(last) end
    local part = (last.utilization - line) / (last.utilization - below.utilization)
    return flop(last) * (flop(below) / flop(last)) ^ part
end

-- What optimizer:limits finds between the widths, which takes several times as long as a sweep.
local function bisected(field)
    return function(configuration, share)
        local options = {share = share, laws = configuration.laws, d_model = {},
                         seq_len = configuration.seq_len, duration = configuration.duration}
        for i = 1, #configuration.d_model do options.d_model[i] = configuration.d_model[i] end
        for key, value in pairs(configuration.options) do options[key] = value end
        local d_ff = configuration.d_ff
        options.d_ff = type(d_ff) == "number" and function() return d_ff end or d_ff
        local found = configuration.optimizer:limits(options)[field]
        return found and found.training_flop or 0
    end
end

-- A metric of the sweep alone.
local function swept(measure)
    return function(configuration, share) return measure(configuration:run(), share) end
end

-- What can be asked, each a function of configuration and share: FLOP of a run, 0 where there is
-- none; with what to call it beside an axis.
local METRICS = {
    limit = {crossing, "largest run at 80 % of the sustained maximum, FLOP"},
    largest = {swept(function(sweep, share) return flop((sweep:largest(share))) end),
               "last point above 80 % of the sustained maximum, FLOP"},
    linear_scaling_end = {
        swept(function(sweep, share) return flop((sweep:linear_scaling_end(share))) end),
        "first point at or below 80 % of the sustained maximum, FLOP"},
    last_feasible = {swept(function(sweep) return flop(sweep[#sweep]) end),
                     "last feasible point, FLOP"},
    last_above = {bisected "last_above", "largest run above 80 % of the sustained maximum, FLOP"},
    first_below = {bisected "first_below",
                   "smallest run at or below 80 % of the sustained maximum, FLOP"},
    largest_feasible = {bisected "largest_feasible", "largest feasible run, FLOP"},
}

local NAMES = {"limit", "largest", "linear_scaling_end", "last_feasible", "last_above",
               "first_below", "largest_feasible"}

-- A function that gives the metric of a configuration. metric: a name, or a function of a sweep
-- that returns a number. The names: limit (the default and the quickest: of the configuration's
-- widths the last above the share is bisected; where the straight line from it to the next crosses
-- the share); of the points of the sweep largest (the last above it), linear_scaling_end (the first
-- at or below), last_feasible; of optimizer:limits, between widths and slowest, last_above,
-- first_below, largest_feasible.
-- share: of the sustained maximum (0.8). what: the call, for messages. Errors, at the user's line:
-- an unknown name, a share out of range.
function limit.of(metric, share, what)
    metric, share = metric or "limit", share or 0.8
    if type(share) ~= "number" or not (share > 0 and share < 1) then
        core.raise(("%s: share must be above 0 and below 1, %s"):format(what, core.got(share)))
    end
    local measure = type(metric) == "function" and swept(metric)
    if not measure then
        if not METRICS[metric] then
            core.raise(messages.unknown(what, "metric", metric, NAMES))
        end
        measure = METRICS[metric][1]
    end
    return function(configuration)
        local value = measure(configuration, share)
        if type(value) ~= "number" then
            core.raise(("%s: the metric must return a number, %s"):format(what, core.got(value)))
        end
        return value
    end
end

-- What to call a metric beside an axis.
function limit.title(metric, share)
    if type(metric) == "function" then return "metric" end
    local percent = ("%.6g %%%%"):format(100 * (share or 0.8))
    return (METRICS[metric or "limit"][2]:gsub("80 %%", percent))
end

return limit
