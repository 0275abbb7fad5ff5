-- result: what an optimizer answers, as immutable records.

local record = require "dtsim.record"
local units = require "dtsim.units"

local result = {}

local KINDS = {"dp", "tp_model", "tp_ff", "pp", "ep"}

-- A plan in a few words: "DP 1024 x TP 16x32 x PP 32, 64 microbatches, interleaved 2".
function result.describe_plan(plan)
    local parts = {}
    if plan.dp > 1 then parts[#parts + 1] = "DP " .. plan.dp end
    if plan.tp_model * plan.tp_ff > 1 then
        parts[#parts + 1] = ("TP %dx%d"):format(plan.tp_model, plan.tp_ff)
    end
    if plan.pp > 1 then parts[#parts + 1] = "PP " .. plan.pp end
    if plan.ep > 1 then parts[#parts + 1] = "EP " .. plan.ep end
    local text = #parts > 0 and table.concat(parts, " x ") or "one GPU"
    if plan.microbatches > 1 then
        text = ("%s, %d microbatches"):format(text, plan.microbatches)
    end
    if plan.zero_bubble then text = text .. ", zero bubble" end
    if plan.interleave > 1 then text = ("%s, interleaved %d"):format(text, plan.interleave) end
    return text .. (plan.recompute and ", recomputing" or "")
end

local make_levels = record.type{name = "layout", fields = KINDS}

local plan_methods = {}

local make_plan = record.type{
    name = "plan",
    methods = plan_methods,
    fields = {"dp", "tp_model", "tp_ff", "pp", "ep", "microbatches", "interleave", "zero_bubble",
              "recompute", "levels"},
    show = result.describe_plan,
}

-- A changed copy. Where degrees change and `levels` is not given too, the copy has no levels: the
-- optimizer then lays it out anew.
local with = plan_methods.with
function plan_methods.with(self, changes)
    local copy = with(self, changes)
    if changes.levels ~= nil then return copy end
    for _, kind in ipairs(KINDS) do
        if copy[kind] ~= self[kind] then
            local fields = {}
            for field, value in pairs(copy) do fields[field] = value end
            fields.levels = nil
            return make_plan(fields)
        end
    end
    return copy
end

local PARTS = {"compute", "tp", "dp", "pp_ep", "bubble", "latency"}
local make_breakdown = record.type{name = "breakdown", fields = PARTS}

local make_stats = record.type{
    name = "search report",
    fields = {"considered", "pruned", "cut", "seconds", "proved"},
}

local make_level_times = record.type{name = "times by level", fields = {"tp", "dp", "pp_ep"}}

local make_matmul_times = record.type{
    name = "matmul times", fields = {"compute", "memory", "l2", "shared", "latency"},
}

local make_behind = record.type{name = "distance to the best plan", fields = {"ratio", "part"}}

-- The question that each result answers: { optimizer, options }, for explain.
local questions = setmetatable({}, {__mode = "k"})

local methods = {}

-- Why the plan is limited, what share each has, and the hardware number whose doubling would
-- help most. Returns a record whose tostring says it in words; see dtsim.explain.
function methods.explain(self)
    return require "dtsim.explain".result(self, questions[self])
end

local make_result = record.type{
    name = "result",
    fields = {"n_gpus", "time", "utilization", "cost", "energy", "memory", "fits", "model",
              "plan", "breakdown", "exposed", "level_times", "matmul_times", "search", "behind"},
    methods = methods,
    ignored = {"search", "behind"}, -- how it was found is no part of the answer
    show = function(self)
        return ("%s on %s GPUs in %s: utilization %.4f, %s"):format(
            units.format(self.model.training_flop, "flop"), units.format(self.n_gpus, "count"),
            units.format(self.time, "time"), self.utilization, result.describe_plan(self.plan))
    end,
}

-- How far a result is behind the best one: its time over the best's, and the part of the time
-- that grew most.
local function behind(plain, best)
    local part, growth
    for _, name in ipairs(PARTS) do
        local more = plain.exposed[name] - best.exposed[name]
        if not growth or more > growth then part, growth = name, more end
    end
    local ratio = plain.time / best.time
    return make_behind{ratio = ratio, part = growth > 0 and part or nil}
end

-- Makes the record of a result from the plain table that the core gives. question: { optimizer,
-- options of optimizer:cluster } that it answers; best: the best of several, to compare with.
function result.wrap(plain, question, best)
    plain.behind = best and behind(plain, best)
    for kind, times in pairs(plain.level_times) do plain.level_times[kind] = record.list(times) end
    plain.level_times = make_level_times(plain.level_times)
    plain.matmul_times = make_matmul_times(plain.matmul_times)
    for kind, parts in pairs(plain.plan.levels) do plain.plan.levels[kind] = record.list(parts) end
    plain.plan.levels = make_levels(plain.plan.levels)
    plain.plan = make_plan(plain.plan)
    plain.breakdown = make_breakdown(plain.breakdown)
    plain.exposed = make_breakdown(plain.exposed)
    plain.search = plain.search and make_stats(plain.search)
    local made = make_result(plain)
    questions[made] = question
    return made
end

return result
