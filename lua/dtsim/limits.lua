-- limits: the largest training runs, over the widths of models and between them.

local core = require "dtsim.core"
local laws = require "dtsim.laws"
local options_of = require "dtsim.options"
local record = require "dtsim.record"
local units = require "dtsim.units"
local widths = require "dtsim.widths"

local limits = {}

-- A width is as fine as 1 % in training compute where it changes by this share: with the paper's
-- laws compute grows as width^5.5.
local FINE = 0.0018

-- The model of a width, by the question's laws.
local function model_at(ask, width, what)
    local d_ff = ask.d_ff and ask.d_ff(width)
    return laws.make_model(ask.laws, width, d_ff, ask.seq_len, what)
end

-- A function of width that gives the best cluster's result there, or nil, reason; each width is
-- searched once.
local function searcher(optimizer, ask, what)
    local known = {}
    return function(width)
        if known[width] == nil then
            local model = model_at(ask, width, what)
            local found, reason = optimizer:cluster(model, ask.options)
            known[width] = {found, reason}
        end
        return known[width][1], known[width][2]
    end
end

-- Between two widths of which the first holds and the second does not: the two neighbours on the
-- fine grid where that turns. holds: function(width) -> boolean.
local function bisect(low, high, holds)
    local step = 2 ^ math.floor(math.log(math.max(FINE * low, 1), 2))
    step = math.tointeger(step)
    while high - low > step do
        local middle = low + (high - low) // 2 // step * step
        if middle == low then middle = low + step end
        if middle >= high then break end
        if holds(middle) then low = middle else high = middle end
    end
    return low, high
end

local make_point = record.type{
    name = "limit",
    fields = {"training_flop", "d_model", "result", "next_flop", "next_d_model"},
    show = function(self)
        return ("%s (d_model %d)"):format(units.format(self.training_flop, "flop"), self.d_model)
    end,
}

-- The last width that holds, with the first beyond it that does not. all: widths ascending;
-- index: position of one that holds; find, holds: functions of width.
local function last_holding(all, index, find, holds, model_of)
    local width, beyond = all[index], all[index + 1]
    local next_width
    if beyond then width, next_width = bisect(width, beyond, holds) end
    local result = find(width)
    return make_point{
        training_flop = result.model.training_flop, d_model = width, result = result,
        next_d_model = next_width,
        next_flop = next_width and model_of(next_width).training_flop,
    }
end

local make_limits = record.type{
    name = "limits",
    fields = {"share", "last_above", "first_below", "largest_feasible"},
    show = function(self)
        local function text(point) return point and tostring(point) or "none" end
        return ("last above %.0f %% of the sustained maximum: %s\nfirst at or below it: %s\n"
            .. "largest feasible: %s"):format(100 * self.share, text(self.last_above),
            text(self.first_below), text(self.largest_feasible))
    end,
}

local OWN_OPTIONS = {"laws", "d_model", "d_ff", "seq_len", "share", "budget", "power"}

-- Options of a question about limits, apart from those of the cluster search.
local function split_options(optimizer, given, what)
    if core.type(optimizer) ~= "optimizer" then
        core.raise(("%s: self must be a dtsim.optimizer, %s"):format(what, core.got(optimizer)))
    end
    local ask, rest = options_of.split(given, OWN_OPTIONS, what)
    ask.laws = options_of.laws(ask.laws, what)
    if ask.d_model == nil then ask.d_model = widths.paper() end
    ask.seq_len = ask.seq_len == nil and 2048 or ask.seq_len
    options_of.check_widths(ask.d_model, true, what)
    if ask.d_ff ~= nil and type(ask.d_ff) ~= "function" then
        core.raise(("%s: d_ff must be a function of d_model, %s"):format(what, core.got(ask.d_ff)))
    end
    ask.options = rest
    return ask
end

-- The limits of a system: how large a run can be.
-- optimizer: a dtsim.optimizer. given: share = 0.8 (of the sustained maximum), laws, d_model =
-- widths to start from (ascending; the paper's where absent), d_ff = function of d_model,
-- seq_len, duration (needed for a limit to exist) and other options of optimizer:cluster.
-- Each limit is looked for on the given widths first, then bisected between two of them on widths
-- a fifth of a per cent apart, which is 1 % in compute where the laws are smooth (rounded laws
-- jump; next_flop says how far). Returns a record:
--   last_above        the largest run above the share
--   first_below       the smallest run at or below it
--   largest_feasible  the largest run that finishes at all
-- each { training_flop, d_model, result, next_flop, next_d_model } or nil. As laws and plans are
-- whole numbers, utilization is not monotonic: the two readings differ.
function limits.limits(optimizer, given)
    local what = "optimizer:limits"
    local ask = split_options(optimizer, given, what)
    local share = ask.share == nil and 0.8 or ask.share
    if type(share) ~= "number" or not (share > 0 and share <= 1) then
        core.raise(("%s: share must be above 0 and at most 1, %s"):format(what, core.got(share)))
    end
    ask.options.duration = ask.options.duration or "3 months"
    local find = searcher(optimizer, ask, what)
    local line = share * optimizer.gpu.utilization
    local function feasible(width) return find(width) ~= nil end
    local function above(width)
        local result = find(width)
        return result ~= nil and result.utilization > line
    end
    local function model_of(width)
        return model_at(ask, width, what)
    end
    local all, last_above, first_failing, last_feasible = ask.d_model, nil, nil, nil
    for i, width in ipairs(all) do
        if not feasible(width) then break end
        last_feasible = i
        if above(width) then last_above = i elseif not first_failing then first_failing = i end
    end
    local first_below
    if first_failing then
        local width = all[first_failing]
        if first_failing > 1 then
            local _
            _, width = bisect(all[first_failing - 1], width, above)
        end
        local result = find(width)
        first_below = result and make_point{
            training_flop = result.model.training_flop, d_model = width, result = result}
    end
    return make_limits{
        share = share,
        last_above = last_above and last_holding(all, last_above, find, above, model_of),
        first_below = first_below,
        largest_feasible = last_feasible
            and last_holding(all, last_feasible, find, feasible, model_of),
    }
end

-- How many GPUs a budget buys or a power feeds.
local function affordable(optimizer, ask, what)
    local most = math.huge
    local function per_gpu(field, kind, name, amount)
        local each = optimizer.gpu[field]
        if not each or each == 0 then
            core.raise(("%s: %s needs a GPU whose %s is known"):format(what, name, field))
        end
        return math.floor(options_of.positive(amount, kind, name, what) / each)
    end
    if ask.budget ~= nil then
        most = math.min(most, per_gpu("price", "money", "budget", ask.budget))
    end
    if ask.power ~= nil then
        most = math.min(most, per_gpu("power", "power", "power", ask.power))
    end
    return most
end

-- The largest training run on a given cluster or budget.
-- optimizer: a dtsim.optimizer. given: n_gpus or max_gpus, or budget ("$100 M", to buy the GPUs) or
-- power ("100 MW", of the GPUs); duration ("3 months"); laws, d_model, d_ff, seq_len as in limits;
-- other options of optimizer:cluster. Returns the limit { training_flop, d_model, result, ... } of
-- the largest model, between the given widths too; nil, reason if not even the smallest is
-- possible. Errors: a budget or power for a GPU without price or power.
function limits.largest_run(optimizer, given)
    local what = "optimizer:largest_run"
    local ask = split_options(optimizer, given, what)
    local options = ask.options
    options.duration = options.duration or "3 months"
    local most = affordable(optimizer, ask, what)
    if most < 1 then return nil, "the budget or power does not suffice for one GPU" end
    if most < math.huge and not options.n_gpus then
        local limit = options.max_gpus
        if limit then limit = options_of.positive(limit, "count", "max_gpus", what) end
        options.max_gpus = math.min(limit or most, most)
    end
    options.objective = options.objective or "time"
    local find = searcher(optimizer, ask, what)
    local function feasible(width) return find(width) ~= nil end
    local last
    for i = #ask.d_model, 1, -1 do
        if feasible(ask.d_model[i]) then
            last = i
            break
        end
    end
    if not last then
        local _, reason = find(ask.d_model[1])
        return nil, reason
    end
    return last_holding(ask.d_model, last, find, feasible, function(width)
        return model_at(ask, width, what)
    end)
end

return limits
