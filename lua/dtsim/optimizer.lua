-- optimizer: the methods of dtsim.optimizer that take laws, or several answers.

local core = require "dtsim.core"
local laws = require "dtsim.laws"
local limits = require "dtsim.limits"
local options_of = require "dtsim.options"
local record = require "dtsim.record"
local result = require "dtsim.result"
local sweep = require "dtsim.sweep"
local widths = require "dtsim.widths"

local methods = core.methods "optimizer"
local evaluate, search_plans, search_sweep =
    methods.evaluate, methods.search_plans, methods.search_sweep
methods.search_plans, methods.search_sweep = nil, nil

local with = options_of.with

-- The results of a search as records; nil, reason if there is none.
local function search(self, model, options, what)
    local found, stats = search_plans(self, model, options, what)
    if not found then return nil, stats end
    local question = {optimizer = self,
                      options = with(options, {top = 1, frontier = false}, what)}
    for i, plain in ipairs(found) do
        plain.search = with(stats, {}, what)
        found[i] = result.wrap(plain, question, i > 1 and found[1] or nil)
    end
    return found
end

-- The option for a cluster of n_gpus, which must be given.
local function exactly(n_gpus, what)
    if n_gpus == nil then core.raise(what .. ": n_gpus, the number of GPUs, is missing") end
    return {n_gpus = n_gpus}
end

-- The time of one plan. model: a dtsim.model; plan: a table as a result's plan, its levels chosen
-- in the best way where it has none; options: { check_levels = false } lets parts leave levels
-- unfilled, { partial_levels = true } lets them be filled in part. Returns a result. Errors: a plan
-- that is not legal, with the reason.
function methods.evaluate(self, model, plan, options)
    local plain = evaluate(self, model, plan, options)
    return result.wrap(plain, {optimizer = self, options = {n_gpus = plain.n_gpus}})
end

-- The fastest plan on exactly n_gpus GPUs. Returns a result; nil, reason if no plan is possible.
function methods.plan(self, model, n_gpus, options)
    local what = "optimizer:plan"
    local found, reason = search(self, model, with(options, exactly(n_gpus, what), what), what)
    return found and found[1], reason
end

-- The best plans on exactly n_gpus GPUs, best first: options.top of them (10). Returns a list of
-- results; nil, reason.
-- Each but the first says how far it is `behind`: { ratio = its time over the best's, part = the
-- part of the time that grew most }.
function methods.plans(self, model, n_gpus, options)
    local what = "optimizer:plans"
    options = with(options, exactly(n_gpus, what), what)
    options.top = options.top == nil and 10 or options.top
    local found, reason = search(self, model, options, what)
    return found and record.list(found), reason
end

-- The cluster that finishes in time. options: duration (s or "3 months"), objective and limits.
-- With search = "paper" the least sparsity * 2^i GPUs; otherwise by objective, the highest
-- utilization where none is said. Returns a result; nil, reason.
function methods.cluster(self, model, options)
    local what = "optimizer:cluster"
    local found, reason = search(self, model, with(options, {}, what), what)
    return found and found[1], reason
end

-- All plans that no other one beats in both GPUs and time, fewest GPUs first. options as in
-- cluster. Returns a list of results; nil, reason.
function methods.frontier(self, model, options)
    local what = "optimizer:frontier"
    options = with(options, {frontier = true, objective = "time"}, what)
    local found, reason = search(self, model, options, what)
    return found and record.list(found), reason
end

-- What a sweep takes beside search options.
local SWEEP_OPTIONS = {"d_model", "d_ff", "laws", "duration", "seq_len", "stop_utilization"}
local DEFAULT_DURATION = "3 months"

-- The sweep's own options, checked, with defaults.
local function complete(own)
    local what = "optimizer:sweep"
    own.laws = options_of.laws(own.laws, what)
    if own.d_model == nil then own.d_model = widths.paper() end
    if math.type(own.d_model) then own.d_model = {own.d_model} end
    options_of.check_widths(own.d_model, false, what)
    own.seq_len = own.seq_len == nil and 2048 or own.seq_len
    own.duration = own.duration == nil and DEFAULT_DURATION or own.duration
    own.stop_utilization = own.stop_utilization == nil and 0.001 or own.stop_utilization
    local stop = own.stop_utilization
    if type(stop) ~= "number" or not (stop >= 0 and stop <= 1) then
        core.raise("optimizer:sweep: stop_utilization must be a number from 0 to 1, "
            .. core.got(stop))
    end
end

-- The models of a sweep: the laws run here, once per width, before any search.
local function sweep_models(own)
    local models = {}
    for i = 1, #own.d_model do
        local d_ff = own.d_ff
        if type(d_ff) == "function" then d_ff = d_ff(own.d_model[i]) end
        models[i] = laws.make_model(own.laws, own.d_model[i], d_ff, own.seq_len, "optimizer:sweep")
    end
    return models
end

-- The best cluster for each of a list of model widths.
-- options: d_model = list of widths (the paper's where absent); d_ff = 4 d_model, or a number or a
-- function of d_model; laws (paper_dense); duration ("3 months"); seq_len (2048 tokens);
-- stop_utilization (0.001: the sweep ends after a point below it); search options as in cluster.
-- Returns a sweep. It ends before the first width that no cluster serves.
function methods.sweep(self, options)
    if core.type(self) ~= "optimizer" then
        core.raise("optimizer:sweep: self must be a dtsim.optimizer, " .. core.got(self))
    end
    local own, rest = options_of.split(options, SWEEP_OPTIONS, "optimizer:sweep")
    complete(own)
    local models = sweep_models(own)
    rest.duration = own.duration
    local points, ending = search_sweep(self, models, rest, own.stop_utilization)
    if not points then points, ending = {}, {reason = ending, interrupted = false} end
    local question = {optimizer = self, options = with(rest, {}, "optimizer:sweep")}
    rest.duration = nil
    for i, plain in ipairs(points) do points[i] = result.wrap(plain, question) end
    return sweep.new(points, {
        optimizer = self, laws = own.laws, d_model = own.d_model, seq_len = own.seq_len,
        duration = own.duration, stop_utilization = own.stop_utilization, options = rest,
        end_reason = ending.reason, interrupted = ending.interrupted,
        search_seconds = ending.seconds,
    })
end

-- How large a run the hardware allows; see dtsim.limits.
methods.limits = limits.limits
methods.largest_run = limits.largest_run

return methods
