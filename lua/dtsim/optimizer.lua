-- optimizer: the methods of dtsim.optimizer that take laws, or several answers.

local core = require "dtsim.core"
local laws = require "dtsim.laws"
local record = require "dtsim.record"
local result = require "dtsim.result"
local sweep = require "dtsim.sweep"
local widths = require "dtsim.widths"

local methods = core.methods "optimizer"
local evaluate, search_plans, search_sweep =
    methods.evaluate, methods.search_plans, methods.search_sweep
methods.search_plans, methods.search_sweep = nil, nil

-- A shallow copy of options with more set; nil stands for no options.
local function with(options, more)
    if options ~= nil and type(options) ~= "table" then
        core.raise(("optimizer: options must be a table, got a %s"):format(type(options)))
    end
    local copy = {}
    for key, value in pairs(options or {}) do copy[key] = value end
    for key, value in pairs(more) do copy[key] = value end
    return copy
end

-- The results of a search as records; nil, reason if there is none.
local function search(self, model, options, what)
    local found, stats = search_plans(self, model, options, what)
    if not found then return nil, stats end
    for i, plain in ipairs(found) do
        plain.search = with(stats, {})
        found[i] = result.wrap(plain)
    end
    return found
end

-- The time of one plan. model: a dtsim.model; plan: a table as a result's plan, its levels chosen
-- in the best way where it has none; options: { check_levels = false } lets parts leave levels
-- unfilled, { partial_levels = true } lets them be filled in part. Returns a result. Errors: a plan
-- that is not legal, with the reason.
function methods.evaluate(self, model, plan, options)
    return result.wrap(evaluate(self, model, plan, options))
end

-- The fastest plan on exactly n_gpus GPUs. Returns a result; nil, reason if no plan is possible.
function methods.plan(self, model, n_gpus, options)
    local found, reason =
        search(self, model, with(options, {n_gpus = n_gpus}), "optimizer:plan")
    return found and found[1], reason
end

-- The best plans on exactly n_gpus GPUs, best first: options.top of them (10). Returns a list of
-- results; nil, reason.
function methods.plans(self, model, n_gpus, options)
    options = with(options, {n_gpus = n_gpus})
    options.top = options.top or 10
    local found, reason = search(self, model, options, "optimizer:plans")
    return found and record.list(found), reason
end

-- The cluster that finishes in time. options: duration (s or "3 months"), objective and limits.
-- With search = "paper" the least sparsity * 2^i GPUs; otherwise by objective, the highest
-- utilization where none is said. Returns a result; nil, reason.
function methods.cluster(self, model, options)
    local found, reason = search(self, model, with(options, {}), "optimizer:cluster")
    return found and found[1], reason
end

-- All plans that no other one beats in both GPUs and time, fewest GPUs first. options as in
-- cluster. Returns a list of results; nil, reason.
function methods.frontier(self, model, options)
    options = with(options, {frontier = true, objective = "time"})
    local found, reason = search(self, model, options, "optimizer:frontier")
    return found and record.list(found), reason
end

-- What a sweep takes beside search options.
local SWEEP_OPTIONS = {d_model = true, d_ff = true, laws = true, duration = true,
                       seq_len = true, stop_utilization = true}
local DEFAULT_DURATION = "3 months"

-- A list of whole widths from a list or a single number.
local function check_widths(list)
    if math.type(list) then list = {list} end
    if type(list) ~= "table" or #list == 0 then
        core.raise(("optimizer:sweep: d_model must be a list of widths, got %s")
            :format(tostring(list)))
    end
    for i, width in ipairs(list) do
        if not math.tointeger(width) or width < 1 then
            core.raise(("optimizer:sweep: d_model[%d] must be a whole number above 0, got %s")
                :format(i, tostring(width)))
        end
    end
    return list
end

-- The models of a sweep: the laws run here, once per width, before any search.
local function sweep_models(options)
    local set, models = options.laws, {}
    for i, width in ipairs(options.d_model) do
        local d_ff = options.d_ff
        if type(d_ff) == "function" then d_ff = d_ff(width) end
        models[i] = set:model(math.tointeger(width), d_ff, options.seq_len)
    end
    return models
end

-- The best cluster for each of a list of model widths.
-- options: d_model = list of widths (the paper's where absent); d_ff = 4 d_model, or a number or a
-- function of d_model; laws (paper_dense); duration ("3 months"); seq_len (2048 tokens);
-- stop_utilization (0.001: the sweep ends after a point below it); search options as in cluster.
-- Returns a sweep. It ends before the first width that no cluster serves.
function methods.sweep(self, options)
    local own, rest = {}, {}
    for key, value in pairs(with(options, {})) do
        (SWEEP_OPTIONS[key] and own or rest)[key] = value
    end
    own.laws = own.laws or laws.paper_dense
    own.d_model = check_widths(own.d_model or widths.paper())
    own.seq_len = own.seq_len or 2048
    own.duration = own.duration or DEFAULT_DURATION
    own.stop_utilization = own.stop_utilization or 0.001
    if not pcall(function() return own.laws.model end) then
        core.raise("optimizer:sweep: laws must be a dtsim.laws, got a " .. type(own.laws))
    end
    if type(own.stop_utilization) ~= "number" then
        core.raise(("optimizer:sweep: stop_utilization must be a number, got %s")
            :format(tostring(own.stop_utilization)))
    end
    local models = sweep_models(own)
    rest.duration = own.duration
    local points, ending = search_sweep(self, models, rest, own.stop_utilization)
    if not points then points, ending = {}, {reason = ending, interrupted = false} end
    for i, plain in ipairs(points) do points[i] = result.wrap(plain) end
    return sweep.new(points, {
        optimizer = self, laws = own.laws, d_model = own.d_model, seq_len = own.seq_len,
        duration = own.duration, stop_utilization = own.stop_utilization, options = rest,
        end_reason = ending.reason, interrupted = ending.interrupted,
        search_seconds = ending.seconds,
    })
end

return methods
