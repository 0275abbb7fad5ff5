-- ranking: whether the plan that was measured best is among those predicted best.

local ranking = {}

local LEAST = 5 -- plans of a group that is worth ranking
local TOP = 3

-- What plans must share to be choices of one question.
local function key_of(case)
    local m, p = case.model, case.plan
    return ("%d %d %d %d %g %s %d %s %s"):format(m.layers, m.d_model, m.seq_len, p.gpus, p.batch,
        p.compute, m.experts, case.machine.name, tostring(case.machine.slow_hosts))
end

-- Counts of one kind of groups: { groups, top_three }.
local function count_of(groups, order, slow)
    local count = {groups = 0, top_three = 0}
    for _, key in ipairs(order) do
        local group = groups[key]
        if #group >= LEAST and group[1].machine.slow_hosts == slow then
            local best, better = group[1], 0
            for _, case in ipairs(group) do
                if case.measured < best.measured then best = case end
            end
            for _, case in ipairs(group) do
                if case.predicted < best.predicted then better = better + 1 end
            end
            count.groups = count.groups + 1
            if better < TOP then count.top_three = count.top_three + 1 end
        end
    end
    return count
end

-- Of predicted cases: groups of five plans and more of one model, cluster and batch, and how many
-- have the plan measured best among the three predicted best: { healthy, degraded } clusters, each
-- { groups, top_three }.
function ranking.count(cases)
    local groups, order = {}, {}
    for _, case in ipairs(cases) do
        local key = key_of(case)
        if not groups[key] then
            groups[key] = {}
            order[#order + 1] = key
        end
        table.insert(groups[key], case)
    end
    return {healthy = count_of(groups, order, false), degraded = count_of(groups, order, true)}
end

return ranking
