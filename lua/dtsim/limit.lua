-- limit: how large a run a configuration can hold, as one number. What sensitivities move.

local core = require "dtsim.core"
local suggest = require "dtsim.suggest"

local limit = {}

local function flop(point) return point and point.model.training_flop or 0 end

-- The compute at which utilization falls through the line for good: between the last point above it
-- and the next, where the straight line in log compute crosses it.
local function crossing(sweep, share)
    local last, i = sweep:largest(share)
    if not last then return 0 end
    local below = sweep[i + 1]
    if not below then return flop(last) end
    local line = share * sweep.settings.optimizer.gpu.utilization
    local part = (last.utilization - line) / (last.utilization - below.utilization)
    return flop(last) * (flop(below) / flop(last)) ^ part
end

-- What can be asked of a sweep: FLOP of a run; 0 where there is none.
limit.metrics = {
    limit = crossing,
    largest = function(sweep, share) return flop((sweep:largest(share))) end,
    linear_scaling_end = function(sweep, share) return flop((sweep:linear_scaling_end(share))) end,
    last_feasible = function(sweep) return flop(sweep[#sweep]) end,
}

limit.titles = {
    limit = "largest run at 80 % of the sustained maximum, FLOP",
    largest = "last point above 80 % of the sustained maximum, FLOP",
    linear_scaling_end = "first point at or below 80 %, FLOP",
    last_feasible = "last feasible point, FLOP",
}

local NAMES = {"limit", "largest", "linear_scaling_end", "last_feasible"}

-- A function that gives the metric of a configuration. metric: one of the names above, or a
-- function of a sweep that returns a number; share: of the sustained maximum (0.8).
-- Errors, at the user's line: an unknown name, a share out of range.
function limit.of(metric, share, what)
    metric, share = metric or "limit", share or 0.8
    if type(share) ~= "number" or not (share > 0 and share < 1) then
        core.raise(("%s: share must be above 0 and below 1, got %s"):format(what, tostring(share)))
    end
    local measure = metric
    if type(metric) ~= "function" then
        measure = limit.metrics[metric]
        if not measure then
            local near = suggest.nearest(metric, NAMES)
            core.raise(("%s: there is no metric '%s'%s"):format(what, tostring(metric),
                near and ("; did you mean '%s'?"):format(near)
                or "; there are " .. table.concat(NAMES, ", ")))
        end
    end
    return function(configuration)
        local value = measure(configuration:run(), share)
        if type(value) ~= "number" then
            core.raise(("%s: the metric must return a number, got a %s"):format(what, type(value)))
        end
        return value
    end
end

-- What to call a metric beside an axis.
function limit.title(metric, share)
    if type(metric) == "function" then return "metric" end
    local title = limit.titles[metric or "limit"]
    local percent = ("%.6g %%%%"):format(100 * (share or 0.8))
    return (title:gsub("80 %%", percent))
end

return limit
