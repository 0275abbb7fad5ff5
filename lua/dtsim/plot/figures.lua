-- figures: what the plots of sweeps and studies show, as plain data for dtsim.plot.layout.
--
-- Each kind takes a list of { configuration = { name }, sweep } and returns a figure.

local colors = require "dtsim.plot.colors"
local result = require "dtsim.result"
local units = require "dtsim.units"

local figures = {}

local LINE = 0.8 -- the share of the sustained maximum that counts as linear scaling

local function flop(point) return point.model.training_flop end

local function compute_axis() return {label = "training compute, FLOP", log = true} end

-- What a page shows when the pointer is on a point.
local function tip(name, point)
    return ("%s\n%.3e FLOP on %s GPUs\nutilization %.1f %%, %.2f months\n%s"):format(name,
        flop(point), units.format(point.n_gpus, "count"), 100 * point.utilization,
        point.time / units.parse "1 month", result.describe_plan(point.plan))
end

-- Points of a sweep by value(point), those without one left out.
local function points_of(row, value)
    local list = {}
    for i = 1, #row.sweep do
        local point = row.sweep[i]
        local y = value(point)
        if y then list[#list + 1] = {flop(point), y, tip(row.configuration.name, point)} end
    end
    return list
end

local function range_of(rows)
    local least, most = math.huge, 0
    for _, row in ipairs(rows) do
        for i = 1, #row.sweep do
            least, most = math.min(least, flop(row.sweep[i])), math.max(most, flop(row.sweep[i]))
        end
    end
    if most == 0 then least, most = 1e24, 1e30 end
    return least / 1.5, most * 1.5
end

local MARKERS = {
    below = {kind = "dots", shape = "ring", size = 2.6, color = "#222222", letter = "o",
             name = "first point at or below 80 %"},
    above = {kind = "dots", shape = "box", size = 2.6, color = "#222222", letter = "s",
             name = "last point above 80 %"},
    stop = {kind = "dots", shape = "cross", size = 2.4, color = "#222222", letter = "x",
            name = "last feasible point"},
}

-- A mark of the special points, in the style of MARKERS.
local function marker(kind, points)
    local mark = {points = points}
    for key, value in pairs(MARKERS[kind]) do mark[key] = value end
    return mark
end

-- The 80 % lines: one for each share that occurs, in the colour of the first that has it.
local function guides(rows, from, to)
    local marks, seen = {}, {}
    for i, row in ipairs(rows) do
        local y = LINE * row.sweep.settings.optimizer.gpu.utilization
        if not seen[y] then
            seen[y] = true
            marks[#marks + 1] = {kind = "line", dash = true, color = colors.of(i), width = 1,
                                 points = {{from, y}, {to, y}}}
        end
    end
    return marks
end

-- Utilization against training compute.
function figures.utilization(rows)
    local from, to = range_of(rows)
    local marks = guides(rows, from, to)
    local below, above, stop = {}, {}, {}
    for i, row in ipairs(rows) do
        local points = points_of(row, function(point) return point.utilization end)
        local color, shape = colors.of(i), colors.shape(i)
        marks[#marks + 1] = {kind = "line", points = points, color = color, width = 1.8,
                             shape = shape, name = row.configuration.name}
        marks[#marks + 1] = {kind = "dots", points = points, color = color, shape = shape,
                             explain = row.configuration.name}
        local _, first = row.sweep:linear_scaling_end(LINE)
        local _, last = row.sweep:largest(LINE)
        below[#below + 1] = first and points[first]
        above[#above + 1] = last and points[last]
        if row.sweep.settings.end_reason then stop[#stop + 1] = points[#points] end
    end
    marks[#marks + 1] = marker("below", below)
    marks[#marks + 1] = marker("above", above)
    if #stop > 0 then marks[#marks + 1] = marker("stop", stop) end
    marks[1].name = #rows > 0 and "80 % of the sustained maximum" or nil
    return {
        title = "Utilization of the largest training runs",
        panels = {{x = {label = "training compute, FLOP", log = true, from = from, to = to},
                   y = {label = "utilization (MFU)", unit = "percent", from = 0}, marks = marks}},
    }
end

-- The places of a sweep's points along the axis of compute, each with its point; a single point is
-- given a width.
local function places_of(sweep)
    local places = {}
    for i = 1, #sweep do places[i] = {x = flop(sweep[i]), point = sweep[i]} end
    if #places == 1 then
        local only = places[1]
        places = {{x = only.x / 1.2, point = only.point}, {x = only.x * 1.2, point = only.point}}
    end
    return places
end

-- Areas stacked on each other. parts: a list of { name, value(point) -> share, color }.
local function stack(row, places, parts)
    local marks, base = {}, {}
    for i = 1, #places do base[i] = 0 end
    for _, part in ipairs(parts) do
        local outline, used = {}, false
        for i, place in ipairs(places) do outline[i] = {place.x, base[i]} end
        for i = #places, 1, -1 do
            local point = places[i].point
            local share = part.value(point)
            used = used or share > 0
            base[i] = base[i] + share
            outline[#outline + 1] = {places[i].x, base[i], share > 0 and
                ("%s: %s %.1f %% at %.3e FLOP"):format(row.configuration.name, part.name,
                    100 * share, flop(point)) or nil}
        end
        if used then
            marks[#marks + 1] = {kind = "area", points = outline, name = part.name,
                                 color = part.color}
        end
    end
    return marks
end

-- A panel per configuration with stacked shares.
local function stacked(rows, title, label, parts)
    local panels = {}
    for _, row in ipairs(rows) do
        local places = places_of(row.sweep)
        if #places > 0 then
            panels[#panels + 1] = {
                title = row.configuration.name, marks = stack(row, places, parts),
                x = {label = "training compute, FLOP", log = true, from = places[1].x,
                     to = places[#places].x},
                y = {label = label, unit = "percent", from = 0, to = 1},
            }
        end
    end
    return {title = title, panels = panels}
end

-- The part of one kind of parallelism: log N_kind / log N.
local function degree(name, value, color)
    return {name = name, color = color, value = function(point)
        if point.n_gpus <= 1 then return 0 end
        return math.log(value(point.plan)) / math.log(point.n_gpus)
    end}
end

-- How the GPUs are split among the kinds of parallelism.
function figures.parallelism(rows)
    return stacked(rows, "Kinds of parallelism", "log N_kind / log N", {
        degree("data", function(p) return p.dp end, colors.of(1)),
        degree("tensor", function(p) return p.tp_model * p.tp_ff end, colors.of(2)),
        degree("pipeline", function(p) return p.pp end, colors.of(3)),
        degree("expert", function(p) return p.ep end, colors.of(4)),
    })
end

-- A part of the time of a run that nothing hides.
local function time_part(name, key, color)
    return {name = name, color = color,
            value = function(point) return point.exposed[key] / point.time end}
end

-- Where the time goes.
function figures.time(rows)
    return stacked(rows, "Where the time goes", "share of the run's time", {
        time_part("compute", "compute", colors.of(5)),
        time_part("tensor communication", "tp", colors.of(2)),
        time_part("data communication", "dp", colors.of(1)),
        time_part("pipeline and expert communication", "pp_ep", colors.of(3)),
        time_part("pipeline bubble", "bubble", colors.of(6)),
        time_part("network latency", "latency", colors.of(4)),
    })
end

local RESOURCES = {
    {label = "GPUs", value = function(point) return point.n_gpus end},
    {label = "cost, USD", unit = "money", value = function(point) return point.cost end},
    {label = "energy, J", value = function(point) return point.energy end},
    {label = "memory per GPU, bytes", value = function(point) return point.memory end},
}

-- GPUs, cost, energy and memory per GPU; a panel for each that is known.
function figures.resources(rows)
    local panels = {}
    for _, resource in ipairs(RESOURCES) do
        local marks = {}
        for i, row in ipairs(rows) do
            local points = points_of(row, resource.value)
            if #points > 0 then
                local color, shape = colors.of(i), colors.shape(i)
                marks[#marks + 1] = {kind = "line", points = points, color = color, shape = shape,
                                     name = row.configuration.name}
                marks[#marks + 1] = {kind = "dots", points = points, color = color, shape = shape,
                                     size = 0.7, explain = row.configuration.name}
            end
        end
        if #marks > 0 then
            panels[#panels + 1] = {x = compute_axis(), marks = marks,
                                   y = {label = resource.label, log = true, unit = resource.unit}}
        end
    end
    return {title = "What the runs take", panels = panels}
end

-- Names of the kinds, in the order of a report.
figures.order = {"utilization", "parallelism", "time", "resources"}

return figures
