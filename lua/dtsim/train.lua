-- train: real transformers on real clusters: trainers, results and catalogs.
--
-- A trainer is a machine with a framework; it evaluates plans of a dtsim.transformer and finds the
-- best ones. Everything it gives is a record in SI units.

local core = require "dtsim.core"
local record = require "dtsim.record"
local suggest = require "dtsim.suggest"
local timeline = require "dtsim.timeline"
local units = require "dtsim.units"

local train = {}

-- A quantity as a number: numbers are in SI units already.
local function quantity(value, kind)
    return type(value) == "number" and value or (units.parse(value, kind))
end

-- ---- catalogs ----

local NOT_FIELDS = {sources = true, source = true, match = true, published = true,
    published_active = true, plan = true}

local function fields_of(entry, skip_name)
    local fields = {}
    for key, value in pairs(entry) do
        if not NOT_FIELDS[key] and not (skip_name and key == "name") then fields[key] = value end
    end
    return fields
end

-- A read-only table that makes objects of a catalog file's entries when they are asked for.
local function catalog(what, module, make)
    local made = {}
    local function entries() return require(module) end
    local function get(_, name)
        local entry = name ~= "order" and entries()[name]
        if not entry then
            local near = type(name) == "string" and suggest.nearest(name, entries().order)
            core.raise(("there is no %s '%s' in the catalog%s"):format(what, tostring(name),
                near and ("; did you mean '%s'?"):format(near) or ""))
        end
        if made[name] == nil then made[name] = make(entry) end
        return made[name]
    end
    return setmetatable({}, {
        __metatable = false, __name = what .. " catalog", __index = get,
        __len = function() return #entries().order end,
        __newindex = function() core.raise(("the %s catalog cannot be changed"):format(what)) end,
        __tostring = function()
            return ("%s catalog: %s"):format(what, table.concat(entries().order, ", "))
        end,
        __pairs = function(self)
            local i = 0
            return function()
                i = i + 1
                local name = entries().order[i]
                if name then return name, get(self, name) end
            end
        end,
    })
end

train.models = catalog("model", "dtsim.catalog.models", function(entry)
    return core.transformer(fields_of(entry))
end)
train.machines = catalog("machine", "dtsim.catalog.machines", function(entry)
    return core.machine(fields_of(entry))
end)
train.frameworks = catalog("framework", "dtsim.catalog.frameworks", function(entry)
    return core.software(fields_of(entry, true))
end)

train.vision = setmetatable({}, {__metatable = false, __index = function(_, name)
    local entry = name ~= "order" and require "dtsim.catalog.vision"[name]
    if not entry then
        core.raise(("there is no network '%s' in the catalog"):format(tostring(name)))
    end
    return entry
end})

-- A collective on a machine's GPUs: { operation = "all_reduce" | "all_gather" | "reduce_scatter" |
-- "all_to_all" | "broadcast" | "point_to_point", ranks, bytes, inner = 1 (GPUs between two ranks),
-- calls = 1, algorithm (the usual one) }. Returns { time (s), bus_bandwidth, algorithm, formula,
-- source }.
function train.collective(machine, question, calibration)
    return core.train.collective(machine, question, calibration)
end

-- ---- results ----

local GIB = 2 ^ 30

local function show_result(self)
    return ("step %s on %d GPUs: %s tokens/s per GPU, MFU %.1f %%, %s traffic exposed, %.1f GiB "
        .. "(%s)"):format(units.format(self.step_time, "time"), self.gpus,
            units.format(self.tokens_per_s_per_gpu, "count", 4), 100 * self.mfu,
            units.format(self.exposed, "time"), self.memory.reserved / GIB, self.memory.verdict)
end

local result_methods = {}

local make_result = record.type{
    name = "prediction",
    fields = {"gpus", "step_time", "tokens", "tokens_per_s", "tokens_per_s_per_gpu",
        "flop_per_s_per_gpu", "mfu", "microbatches", "exposed", "hidden", "matmul", "attention",
        "element_wise", "breakdown", "memory", "power", "plan", "constants", "search", "model",
        "trainer", "defaults"},
    methods = result_methods,
    show = show_result,
}

-- What a run of so many tokens takes: { steps, duration, gpu_hours, energy, rent, energy_cost,
-- hardware_cost, carbon }; SI units, carbon in grams.
function result_methods.run(self, tokens)
    tokens = quantity(tokens, "count")
    local steps = tokens / self.tokens
    local duration = steps * self.step_time
    return {steps = steps, duration = duration, gpu_hours = duration * self.gpus / 3600,
            energy = steps * self.power.step_energy, rent = steps * self.power.rent_per_step,
            energy_cost = steps * self.power.energy_cost_per_step,
            hardware_cost = steps * self.power.hardware_cost_per_step,
            carbon = steps * self.power.carbon_per_step}
end

-- The pipeline's passes as a chart: see dtsim.timeline.
function result_methods.timeline(self)
    local t = self.trainer
    local events, makespan =
        core.train.timeline(self.model, self.plan, t.software, t.machine, t.calibration)
    return timeline.new(events, makespan, self.plan.pp)
end

-- Single changes of the plan that would make it fit: a list of { change, result }, fastest first.
function result_methods.remedies(self)
    local p, t, found = self.plan, self.trainer, {}
    local changes = {
        {("zero = %d"):format(p.zero + 1), {zero = p.zero + 1}},
        {"recompute = \"full\"", {recompute = "full", recompute_frac = 1}},
        {("microbatch = %g"):format(p.microbatch / 2), {microbatch = p.microbatch / 2}},
        {("tp = %d"):format(p.tp * 2), {tp = p.tp * 2, dp = p.dp / 2, expert_tp = 0}},
        {("pp = %d"):format(p.pp * 2), {pp = p.pp * 2, dp = p.dp / 2}},
        {("cp = %d"):format(p.cp * 2), {cp = p.cp * 2, dp = p.dp / 2}},
        {"offload = true", {offload = true}},
    }
    for _, change in ipairs(changes) do
        local fine, changed = pcall(function()
            return t:evaluate(self.model, p:with(change[2]))
        end)
        if fine and changed.memory.verdict == "fits" then
            found[#found + 1] = {change = change[1], result = changed}
        end
    end
    table.sort(found, function(a, b) return a.result.step_time < b.result.step_time end)
    return found
end

-- What a plan did not say: { field, value, origin }, in the order of the plan's fields.
local function defaults_of(self, given, plan)
    local list = {}
    if core.type(given) == "train_plan" then return list end
    for _, row in ipairs(core.fields.train_plan) do
        local name = row.name
        if (given or {})[name] == nil then
            list[#list + 1] = {field = name, value = plan[name],
                origin = self.habits[name] ~= nil and "habit of the framework" or "default"}
        end
    end
    return list
end

local function wrap(plain, self, model, given, search)
    plain.model, plain.trainer, plain.search = model, self, search
    plain.defaults = search and {} or defaults_of(self, given, plain.plan)
    return make_result(plain)
end

-- ---- trainers ----

local trainer_methods = {}

local make_trainer = record.type{
    name = "trainer",
    fields = {"machine", "software", "habits", "calibration", "site"},
    methods = trainer_methods,
    show = function(self) return "trainer on " .. self.machine.name end,
}

local function check_fields(given, allowed, what)
    if type(given) ~= "table" then
        core.raise(("%s: fields must be given as a table, got a %s"):format(what, type(given)))
    end
    for key in pairs(given) do
        local known = false
        for _, name in ipairs(allowed) do known = known or name == key end
        if not known then
            local near = type(key) == "string" and suggest.nearest(key, allowed)
            core.raise(("%s has no field '%s'%s"):format(what, tostring(key),
                near and ("; did you mean '%s'?"):format(near) or ""))
        end
    end
end

-- A trainer: { machine = dtsim.machines.h100, framework = "megatron" } or, instead of framework,
-- software = a dtsim.software; calibration = { constant = value } over the built-in constants, or
-- { first_principles = true }; site = { pue, energy_price, carbon, life, ..._share }.
function train.trainer(options)
    check_fields(options, {"machine", "framework", "software", "calibration", "site"}, "trainer")
    if core.type(options.machine) ~= "machine" then
        core.raise("trainer: machine must be a dtsim.machine, such as dtsim.machines.h100")
    end
    local name = options.framework or (not options.software and "megatron") or nil
    local software = options.software or train.frameworks[name]
    local habits = name and require "dtsim.catalog.frameworks"[name].plan or {}
    return make_trainer{machine = options.machine, software = software, habits = habits,
                        calibration = options.calibration, site = options.site}
end

-- A plan of a table, with the framework's habits where it says nothing.
local function plan_of(self, plan)
    if core.type(plan) == "train_plan" then return plan end
    local fields = {}
    for key, value in pairs(self.habits) do fields[key] = value end
    for key, value in pairs(plan or {}) do fields[key] = value end
    if fields.sequence_parallel and (fields.tp or 1) == 1 then fields.sequence_parallel = false end
    if fields.zero == 3 and (fields.pp or 1) > 1 and not (plan and plan.zero) then
        fields.zero = 1
    end
    return core.train_plan(fields)
end

-- The time, memory, power and cost of one plan: { gpus, tp, pp, batch, ... }, as
-- dtsim.train_plan takes. Returns a result. Errors: a plan that is not legal, with the reason.
function trainer_methods.evaluate(self, model, plan)
    local plain = core.train.predict(model, plan_of(self, plan), self.software, self.machine,
        self.calibration, self.site)
    return wrap(plain, self, model, plan)
end

local QUESTION = {"gpus", "batch", "batch_per_gpu", "top", "doubtful", "exhaustive", "plan"}

-- The best plans on question.gpus GPUs, fastest first: { gpus, batch or batch_per_gpu (sequences),
-- top (1), doubtful (false: only plans that surely fit), exhaustive (false: prune), plan (what all
-- plans share) }. Returns a list of results; nil, reason.
function trainer_methods.plans(self, model, question)
    check_fields(question, QUESTION, "trainer:plans")
    local base = plan_of(self, question.plan)
    local asked = {gpus = quantity(question.gpus, "count"), batch = question.batch,
                   batch_per_gpu = question.batch_per_gpu, top = question.top or 1,
                   doubtful = question.doubtful, exhaustive = question.exhaustive}
    local found, reason, stats = core.train.search(model, base, self.software, self.machine,
        self.calibration, self.site, asked)
    if not found then return nil, reason, stats end
    for i, plain in ipairs(found) do found[i] = wrap(plain, self, model, nil, reason) end
    return record.list(found)
end

-- The fastest plan: as plans. Returns a result; nil, reason.
function trainer_methods.plan(self, model, question)
    local found, reason = self:plans(model, question)
    return found and found[1], reason
end

local OBJECTIVES = {
    gpus = function(result) return result.gpus end,
    time = function(result) return result.step_time / result.tokens end,
    cost = function(result) return result.power.rent_per_step / result.tokens end,
    energy = function(result) return result.power.token_energy end,
}

-- Node counts 1, 2, 3, 4, 6, 8, 12, ... of the machine up to `most` GPUs.
local function usual_counts(node, most)
    local counts, n = {}, 1
    while n * node <= most do
        counts[#counts + 1] = n * node
        if n >= 2 and n * 3 // 2 * node <= most then counts[#counts + 1] = n * 3 // 2 * node end
        n = n * 2
    end
    return counts
end

-- The best cluster for a run: { tokens, duration (at most), objective = "gpus" | "time" | "cost" |
-- "energy", counts (list; usual ones up to max_gpus), batch or batch_per_gpu, ... }. Returns a
-- result; nil, reason.
function trainer_methods.cluster(self, model, question)
    check_fields(question, {"tokens", "duration", "objective", "counts", "max_gpus", "batch",
        "batch_per_gpu", "doubtful", "plan"}, "trainer:cluster")
    local value = OBJECTIVES[question.objective or "gpus"]
    if not value then
        core.raise("trainer:cluster: objective must be gpus, time, cost or energy")
    end
    local tokens = question.tokens and quantity(question.tokens, "count")
    local limit = question.duration and quantity(question.duration, "time") or math.huge
    if limit < math.huge and not tokens then
        core.raise("trainer:cluster: tokens is missing: a duration needs it")
    end
    local counts = question.counts or usual_counts(self.machine.node, question.max_gpus or 16384)
    local best
    for _, gpus in ipairs(counts) do
        local result = self:plan(model, {gpus = gpus, batch = question.batch,
            batch_per_gpu = question.batch_per_gpu, doubtful = question.doubtful,
            plan = question.plan})
        local in_time = result and (limit == math.huge or result:run(tokens).duration <= limit)
        if in_time and (not best or value(result) < value(best)) then best = result end
        if best and (question.objective or "gpus") == "gpus" then break end
    end
    if not best then return nil, "no cluster among the counts fits the run and ends in time" end
    return best
end

-- ---- the two modes side by side ----

local make_comparison = record.type{
    name = "comparison",
    fields = {"paper", "real", "paper_step_time", "real_step_time", "ratio"},
    show = function(self)
        return ("paper's model: step %s, utilization %.1f %%; this one: step %s, MFU %.1f %%")
            :format(units.format(self.paper_step_time, "time"), 100 * self.paper.utilization,
                units.format(self.real_step_time, "time"), 100 * self.real.mfu)
    end,
}

-- The same question by the paper's model and by this one.
--   options.model      a dtsim.transformer
--   options.gpus       GPUs; options.batch: sequences of a step
--   options.optimizer  a dtsim.optimizer (the paper's hardware)
--   options.trainer    a trainer
-- Returns a record { paper (a result of opt:plan), real (of trainer:plan), paper_step_time,
-- real_step_time, ratio }; nil, reason where one has no plan.
function train.compare_modes(options)
    check_fields(options, {"model", "gpus", "batch", "optimizer", "trainer"}, "compare_modes")
    local m = options.model
    local width = m.experts > 0 and m.expert_d_ff * (m.top_k + m.shared_experts) or m.d_ff
    -- The paper's layer is two matrices: they take the parameters that a token passes in a layer.
    local per_layer = (m.active_params - 2 * m.vocab * m.d_model) / m.layers
    local paper_model = core.model{
        d_model = m.d_model // 1 | 0, layers = m.layers // 1 | 0,
        d_ff = math.max(width, per_layer / (2 * m.d_model)) // 1 | 0,
        seq_len = m.seq_len // 1 | 0, batch = options.batch,
    }
    local paper, reason = options.optimizer:plan(paper_model, options.gpus)
    if not paper then return nil, reason end
    local real
    real, reason = options.trainer:plan(m, {gpus = options.gpus, batch = options.batch})
    if not real then return nil, reason end
    local steps = paper_model.tokens / paper_model.batch_tokens
    local paper_step = paper.time / steps
    return make_comparison{paper = paper, real = real, paper_step_time = paper_step,
        real_step_time = real.step_time, ratio = real.step_time / paper_step}
end

return train
