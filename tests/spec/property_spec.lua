-- No plan that a search admits beats its winner: random plans against the answer.
local dtsim = require "dtsim"

local known = {}

-- The divisors of n, ascending.
local function divisors(n)
    if not known[n] then
        local list = {}
        for d = 1, n do if n % d == 0 then list[#list + 1] = d end end
        known[n] = list
    end
    return known[n]
end

local function pick(list) return list[math.random(#list)] end

local function gcd(a, b) return b == 0 and a or gcd(b, a % b) end

-- A random split of a degree into two parts.
local function split(degree)
    local first = pick(divisors(degree))
    return {first, degree // first}
end

local TRIES = 300 -- random plans for each question

local KINDS = {"dp", "tp_model", "tp_ff", "pp", "ep"}

-- Random degrees of a model whose product is n_gpus, or nil.
local function random_degrees(model, n_gpus)
    local plan = {ep = pick(divisors(gcd(n_gpus, model.sparsity)))}
    local left = n_gpus // plan.ep
    plan.pp = pick(divisors(gcd(left, model.layers)))
    left = left // plan.pp
    plan.tp_model = pick(divisors(gcd(left, model.d_model)))
    left = left // plan.tp_model
    plan.tp_ff = pick(divisors(gcd(left, model.d_ff)))
    plan.dp = left // plan.tp_ff
    if model.batch_tokens % (plan.dp * model.sparsity) == 0 then return plan end
end

-- Adds a random schedule of any kind.
local function any_schedule(plan, model)
    plan.microbatches = pick(divisors(model.batch_tokens // (plan.dp * model.sparsity)))
    plan.zero_bubble = math.random(2) == 1
    plan.interleave = plan.zero_bubble and 1 or pick(divisors(model.layers // plan.pp))
    return true
end

-- Adds a random schedule of those that the paper's search looks at; false if the degrees are none
-- of its own.
local function paper_schedule(plan, model, n_gpus)
    local tp = plan.tp_model * plan.tp_ff
    local root = math.floor(math.sqrt(tp))
    if plan.ep ~= gcd(n_gpus, model.sparsity) or plan.tp_ff < root or plan.tp_ff > 4 * root then
        return false
    end
    plan.zero_bubble = math.random(2) == 1
    local least, counts = plan.zero_bubble and 2 * plan.pp or plan.pp, {}
    for _, m in ipairs(divisors(model.batch_tokens // (plan.dp * model.sparsity))) do
        if m >= least and #counts < (plan.zero_bubble and 1 or 4) then counts[#counts + 1] = m end
    end
    if #counts == 0 then return false end
    plan.microbatches = pick(counts)
    plan.interleave = plan.pp > 1 and not plan.zero_bubble and model.layers // plan.pp or 1
    return true
end

local SCHEDULES = {exhaustive = any_schedule, paper = paper_schedule}

local MODELS = {
    dtsim.model{d_model = 768, layers = 12, batch = 48, seq_len = 64},
    dtsim.model{d_model = 1024, d_ff = 3072, layers = 16, batch = 64, seq_len = 48, sparsity = 4},
    dtsim.model{d_model = 4096, layers = 24, batch = 96, seq_len = 16, sparsity = 2},
}
local network = dtsim.network{
    {size = 8, bandwidth = "300 GB/s", latency = "1 us"},
    {bandwidth = "25 GB/s", latency = "5 us"},
}

-- Tries random plans; returns how many were legal and fit the memory.
local function try(optimizer, model, n_gpus)
    local winner = optimizer:plan(model, n_gpus)
    local schedule, tried = SCHEDULES[optimizer.search], 0
    for _ = 1, TRIES do
        local plan = random_degrees(model, n_gpus)
        if plan and schedule(plan, model, n_gpus) then
            plan.levels = {}
            for _, kind in ipairs(KINDS) do plan.levels[kind] = split(plan[kind]) end
            local ok, result = pcall(optimizer.evaluate, optimizer, model, plan)
            if ok and result.fits then
                tried = tried + 1
                assert(winner, "the search found nothing, but there is " .. tostring(result))
                assert(result.time >= winner.time * (1 - 1e-12),
                    ("%s beats %s"):format(tostring(result), tostring(winner)))
            end
        end
    end
    return tried
end

describe("no random plan", function()
    math.randomseed(20)
    local cases = {
        {"default overlap", {}}, {"DP overlaps", {dp = true}},
        {"nothing overlaps", {tp = false, pp = false}},
    }
    for _, search in ipairs{"exhaustive", "paper"} do
        for _, case in ipairs(cases) do
            it(("beats the %s search (%s)"):format(search, case[1]), function()
                local optimizer = dtsim.optimizer{gpu = dtsim.gpus.v100, network = network,
                                                  overlap = case[2], search = search}
                local tried = 0
                for _, model in ipairs(MODELS) do
                    for _, n_gpus in ipairs{1, 4, 8, 16, 64, 128} do
                        tried = tried + try(optimizer, model, n_gpus)
                    end
                end
                assert.is_true(tried > 500, tried .. " plans")
            end)
        end
    end
end)
