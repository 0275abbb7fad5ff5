-- statistics: how far predictions are from measurements.

local statistics = {}

local function sorted(values)
    local copy = table.move(values, 1, #values, 1, {})
    table.sort(copy)
    return copy
end

-- The middle value; NaN never: 0 for an empty list.
function statistics.median(values)
    local v, n = sorted(values), #values
    if n == 0 then return 0 end
    return n % 2 == 1 and v[(n + 1) // 2] or (v[n // 2] + v[n // 2 + 1]) / 2
end

function statistics.mean(values)
    local sum = 0
    for _, value in ipairs(values) do sum = sum + value end
    return #values > 0 and sum / #values or 0
end

-- Ranks of values, equal ones sharing their mean rank.
local function ranks(values)
    local order, rank = {}, {}
    for i = 1, #values do order[i] = i end
    table.sort(order, function(a, b) return values[a] < values[b] end)
    local i = 1
    while i <= #order do
        local j = i
        while j < #order and values[order[j + 1]] == values[order[i]] do j = j + 1 end
        for k = i, j do rank[order[k]] = (i + j) / 2 end
        i = j + 1
    end
    return rank
end

-- Spearman's rank correlation of two lists; 0 where it is not defined.
function statistics.rank_correlation(a, b)
    local x, y = ranks(a), ranks(b)
    local mx, my = statistics.mean(x), statistics.mean(y)
    local xy, xx, yy = 0, 0, 0
    for i = 1, #x do
        xy = xy + (x[i] - mx) * (y[i] - my)
        xx = xx + (x[i] - mx) ^ 2
        yy = yy + (y[i] - my) ^ 2
    end
    return xx > 0 and yy > 0 and xy / math.sqrt(xx * yy) or 0
end

-- Of errors predicted / measured - 1: { rows, median, mean, bias, within_10, within_20 }.
function statistics.errors(errors)
    local absolute, within_10, within_20 = {}, 0, 0
    for i, e in ipairs(errors) do
        absolute[i] = math.abs(e)
        if absolute[i] <= 0.10 then within_10 = within_10 + 1 end
        if absolute[i] <= 0.20 then within_20 = within_20 + 1 end
    end
    local n = math.max(1, #errors)
    return {rows = #errors, median = statistics.median(absolute),
            mean = statistics.mean(absolute), bias = statistics.median(errors),
            within_10 = within_10 / n, within_20 = within_20 / n}
end

return statistics
