-- explain: why a plan is limited, in words, and what would help most.

local core = require "dtsim.core"
local record = require "dtsim.record"
local units = require "dtsim.units"

local explain = {}

local PARTS = {
    {"compute", "matmuls"}, {"tp", "tensor-parallel communication"},
    {"dp", "data-parallel communication"},
    {"pp_ep", "pipeline and expert communication"}, {"bubble", "pipeline bubbles"},
    {"latency", "network latency"},
}

local BOUNDS = {
    {"compute", "arithmetic"}, {"memory", "global memory bandwidth"},
    {"l2", "L2 cache bandwidth"}, {"shared", "shared memory bandwidth"},
    {"latency", "the latency of matmuls"},
}

local function percent(share) return ("%.1f %%"):format(100 * share) end

-- The largest entry of a list of numbers: value, position.
local function largest(list)
    local best, position = 0, nil
    for i = 1, #list do
        if list[i] > best then best, position = list[i], i end
    end
    return best, position
end

-- Shares of the run's time that are not hidden behind another, largest first.
local function time_shares(result)
    local shares = {}
    for _, part in ipairs(PARTS) do
        local share = result.exposed[part[1]] / result.time
        if share > 0.0005 then
            shares[#shares + 1] = {part = part[1], name = part[2], share = share}
        end
    end
    table.sort(shares, function(a, b)
        return a.share > b.share or (a.share == b.share and a.part < b.part)
    end)
    return shares
end

-- What binds the matmuls, by its share of their time.
local function matmul_bound(result)
    local total, best = 0, nil
    for _, bound in ipairs(BOUNDS) do
        local seconds = result.matmul_times[bound[1]]
        total = total + seconds
        if not best or seconds > best.seconds then
            best = {seconds = seconds, bound = bound[1], name = bound[2]}
        end
    end
    best.share = best.seconds / total
    return best
end

-- What each loss takes from the sustained maximum, as a share of the run's time: a list of
-- { limit, share, words }, largest first. Matmul time beyond the bare arithmetic counts as the
-- bound that causes it.
local function losses(result, optimizer)
    local list = {}
    local function add(limit, seconds, words)
        if seconds > 0 then
            list[#list + 1] = {limit = limit, share = seconds / result.time, words = words}
        end
    end
    local function level_name(times)
        local _, level = largest(times)
        return level and optimizer.network[level].name or "no level"
    end
    local arithmetic = result.utilization / optimizer.gpu.utilization * result.time
    local bound = matmul_bound(result)
    add(bound.bound == "compute" and "padding" or bound.bound,
        result.exposed.compute - arithmetic,
        bound.bound == "compute" and "matmuls padded or waiting for memory"
            or "matmuls bound by " .. bound.name)
    for _, kind in ipairs{"tp", "dp", "pp_ep"} do
        local name = level_name(result.level_times[kind])
        local words = {tp = "tensor", dp = "data", pp_ep = "pipeline and expert"}
        add(kind, result.exposed[kind], ("%s parallelism on the bandwidth of %s"):format(
            words[kind], name))
    end
    add("bubble", result.exposed.bubble, "pipeline bubbles")
    add("latency", result.exposed.latency, "network latency")
    table.sort(list, function(a, b)
        return a.share > b.share or (a.share == b.share and a.limit < b.limit)
    end)
    return list
end

-- The losses of a result alone, without asking again.
explain.losses = losses

-- Every hardware number, with the optimizer in which it is twice as good.
local function upgrades(optimizer)
    local gpu, network, list = optimizer.gpu, optimizer.network, {}
    local function add(name, changes) list[#list + 1] = {name = name, changes = changes} end
    add("FLOP/s", {gpu = gpu:with{peak = 2 * gpu.peak}})
    add("global memory bandwidth", {gpu = gpu:with{memory_bandwidth = 2 * gpu.memory_bandwidth}})
    add("L2 cache bandwidth", {gpu = gpu:with{l2_bandwidth = 2 * gpu.l2_bandwidth}})
    add("memory size", {gpu = gpu:with{memory = 2 * gpu.memory}})
    add("matmul latency (halved)", {gpu = gpu:with{matmul_latency = gpu.matmul_latency / 2}})
    for i = 1, #network do
        local level = network[i]
        add("bandwidth of " .. level.name,
            {network = network:with{[i] = {bandwidth = 2 * level.bandwidth}}})
        add(("latency of %s (halved)"):format(level.name),
            {network = network:with{[i] = {latency = level.latency / 2}}})
    end
    for _, upgrade in ipairs(list) do
        upgrade.optimizer = optimizer:with(upgrade.changes)
        upgrade.changes = nil
    end
    return list
end

-- Asks the result's question again with each number doubled: a list of { name, gain, result },
-- best first. gain: how many times fewer GPU-seconds the run then takes.
local function ask_again(result, question)
    local list = {}
    for _, upgrade in ipairs(upgrades(question.optimizer)) do
        local better = upgrade.optimizer:cluster(result.model, question.options)
        list[#list + 1] = {
            name = upgrade.name, result = better,
            gain = better and result.n_gpus * result.time / (better.n_gpus * better.time) or 1,
        }
    end
    table.sort(list, function(a, b)
        return a.gain > b.gain or (a.gain == b.gain and a.name < b.name)
    end)
    return list
end

local function write(self)
    local result, gpu = self.result, self.optimizer.gpu
    local lines = {tostring(result) .. "."}
    local function say(...) lines[#lines + 1] = (...):format(select(2, ...)) end
    say("It reaches %s of the sustained maximum of %.2f.", percent(self.share_of_sustained),
        gpu.utilization)
    local texts = {}
    for i, share in ipairs(self.shares) do
        texts[i] = ("%s %s"):format(share.name, percent(share.share))
    end
    say("Where the time goes: %s.", table.concat(texts, ", "))
    local bound = matmul_bound(result)
    say("The matmuls are bound by %s (%s of their time).", bound.name, percent(bound.share))
    if self.limits[1] and self.limits[1].share > 0.01 then
        texts = {}
        for _, loss in ipairs(self.limits) do
            if loss.share > 0.01 then
                texts[#texts + 1] = ("%s (%s)"):format(loss.words, percent(loss.share))
            end
        end
        say("What keeps it from the maximum: %s.", table.concat(texts, ", "))
    else
        say("Nothing but the GPUs' arithmetic limits it.")
    end
    say("Memory: %s of %s a GPU (%s).", units.format(result.memory, "bytes"),
        units.format(gpu.memory, "bytes"), percent(result.memory / gpu.memory))
    local best = self.upgrades[1]
    if best.gain > 1.0005 then
        say("Doubling one number helps most with %s: %.2f times fewer GPU-hours.", best.name,
            best.gain)
    else
        say("Doubling no single number of the hardware would help.")
    end
    return table.concat(lines, "\n")
end

local make = record.type{
    name = "explanation",
    fields = {"result", "optimizer", "share_of_sustained", "shares", "limits", "upgrades"},
    show = write,
}

-- Why a result is limited. result: of an optimizer; question: { optimizer, options of
-- optimizer:cluster }. Returns a record: share_of_sustained; shares of the time (list of { part,
-- name, share }); limits (list of { limit, share, words }); upgrades (list of { name, gain,
-- result }, by asking again with each hardware number doubled, latencies halved). Its tostring
-- says it in words.
function explain.result(result, question)
    if not question then
        core.raise "result:explain: only a result of an optimizer in this session can be explained"
    end
    local optimizer = question.optimizer
    return make{
        result = result, optimizer = optimizer,
        share_of_sustained = result.utilization / optimizer.gpu.utilization,
        shares = time_shares(result), limits = losses(result, optimizer),
        upgrades = ask_again(result, question),
    }
end

return explain
