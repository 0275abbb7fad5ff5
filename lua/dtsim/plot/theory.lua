-- theory: the closed forms over alpha, with the simulation's answers beside them.

local core = require "dtsim.core"
local catalog = require "dtsim.catalog"
local closed_forms = require "dtsim.closed_forms"
local colors = require "dtsim.plot.colors"
local laws = require "dtsim.laws"
local plot = require "dtsim.plot"
require "dtsim.optimizer" -- whose methods it uses

local theory = {}

local FIRST, LAST, STEPS = -0.2, 0.2, 80

-- Depth grows as (d_model d_ff)^0.3751 = (d_model^2)^0.3751, compute as the square of depth times
-- d_model^2; so depth grows as the compute to this power.
local DEPTH = 0.3751 / (2 * (1 + 0.3751))

-- Batch laws with the power of the compute that they grow with.
local BATCH_LAWS = {{laws = laws.constant_batch, power = 0},
                    {laws = laws.paper_dense, power = 1 / 6},
                    {laws = laws.deepseek_batch, power = 0.3271}}

-- Points of a limit over alpha.
local function curve(limit)
    local points = {}
    for i = 0, STEPS do
        local alpha = FIRST + (LAST - FIRST) * i / STEPS
        points[#points + 1] = {alpha, limit(alpha)}
    end
    return points
end

-- Where linear scaling ends in the simulation, for each batch law, at that law's alpha.
local function simulated(system, duration, search)
    local points = {}
    local optimizer = core.optimizer{gpu = system.gpu, network = system.network, search = search}
    for _, row in ipairs(BATCH_LAWS) do
        local sweep = optimizer:sweep{laws = row.laws, duration = duration}
        local last = sweep:linear_scaling_end()
        if last then
            local flop = last.model.training_flop
            points[#points + 1] = {row.power - DEPTH, flop,
                ("%s, %s: %.2e FLOP"):format(system.name, row.laws.name, flop)}
        end
    end
    return points
end

-- The figure: options as in theory.draw.
function theory.figure(options)
    local duration = options.duration or "3 months"
    local marks = {}
    for i, name in ipairs(options.systems or {"v100", "a100", "h100"}) do
        local system = type(name) == "string" and catalog.systems[name] or name
        marks[#marks + 1] = {kind = "line", name = system.name, color = colors.of(i), width = 1.8,
            points = curve(function(alpha)
                return closed_forms.critical_compute{system = system, duration = duration,
                                                     alpha = alpha}
            end)}
        if options.simulation ~= false then
            marks[#marks + 1] = {kind = "dots", shape = colors.shape(i), size = 1.4,
                name = system.name .. ", simulated", color = colors.of(i),
                points = simulated(system, duration, options.search or "paper")}
        end
    end
    marks[#marks + 1] = {kind = "line", dash = true, name = "latency limit, 9 us a layer",
        color = "#000000", width = 1.5, points = curve(function(alpha)
            return closed_forms.latency_limit{duration = duration, alpha = alpha}
        end)}
    return {
        title = "Closed forms: the largest run, against how the batch grows",
        panels = {{marks = marks,
                   x = {label = "alpha: exponent of the batch less that of the depth",
                        from = FIRST, to = LAST},
                   y = {label = "training compute, FLOP", log = true}}},
    }
end

-- Draws the critical compute of systems and the latency limit over alpha from -0.2 to 0.2.
-- path: as in dtsim.plot. options: systems (names or systems; V100, A100 and H100 where absent),
-- duration ("3 months"), simulation (false: none), search of the simulation ("paper"), and title,
-- width and height as in dtsim.plot.
function theory.draw(path, options)
    options = options or {}
    local rest, own = {}, {systems = true, duration = true, simulation = true, search = true}
    for key, value in pairs(options) do if not own[key] then rest[key] = value end end
    return plot.draw(theory.figure(options), path, rest)
end

return theory
