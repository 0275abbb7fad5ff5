-- scale: the range of an axis and its ticks.
--
-- An axis is a table: label (text), log (true: logarithmic), unit ("percent", "money" or nil),
-- from, to (the range; of the data where absent), ticks (a list of { at, text }; made where
-- absent).

local scale = {}

-- A number as a tick shows it.
local function tick_text(x, unit)
    if unit == "percent" then return ("%.6g %%"):format(100 * x) end
    local text
    if x == 0 or math.abs(x) >= 0.001 and math.abs(x) < 10000 then
        text = ("%.6g"):format(x)
    else
        text = ("%.6g"):format(x):find "e" and ("%.3e"):format(x) or ("%.3e"):format(x)
        text = text:gsub("%.?0*e", "e"):gsub("e([-+])0*", "e%1"):gsub("e%+", "e")
    end
    return unit == "money" and "$" .. text or text
end

-- Powers of ten in a range, at most `most` of them; 1, 2 and 5 times them in a short range.
local function log_ticks(axis, most)
    local first, last = math.log(axis.from, 10), math.log(axis.to, 10)
    local ticks = {}
    if last - first < 1.7 then
        for power = math.floor(first), math.ceil(last) do
            for _, factor in ipairs{1, 2, 5} do
                local at = factor * 10.0 ^ power
                if at >= axis.from and at <= axis.to then
                    ticks[#ticks + 1] = {at = at, text = tick_text(at, axis.unit)}
                end
            end
        end
        if #ticks == 0 then -- a range within one of these steps
            local middle = math.sqrt(axis.from * axis.to)
            ticks[1] = {at = middle, text = tick_text(middle, axis.unit)}
        end
        return ticks
    end
    local step = math.max(1, math.ceil((last - first) / most))
    for power = math.ceil(first - 1e-9), math.floor(last + 1e-9) do
        if power % step == 0 then
            local at = 10.0 ^ power
            ticks[#ticks + 1] = {at = at, text = tick_text(at, axis.unit)}
        end
    end
    return ticks
end

-- Steps of 1, 2 or 5 times a power of ten.
local function linear_step(span, most)
    local rough = span / most
    local power = 10.0 ^ math.floor(math.log(rough, 10))
    for _, factor in ipairs{1, 2, 5, 10} do
        if factor * power >= rough * (1 - 1e-9) then return factor * power end
    end
end

local function linear_ticks(axis, most)
    local step, ticks = linear_step(axis.to - axis.from, most), {}
    for i = math.ceil(axis.from / step - 1e-9), math.floor(axis.to / step + 1e-9) do
        ticks[#ticks + 1] = {at = i * step, text = tick_text(i * step, axis.unit)}
    end
    return ticks
end

-- The range of values, wide enough for something to be seen.
local function data_range(axis, values)
    local least, most = math.huge, -math.huge
    for _, x in ipairs(values) do
        if x == x and math.abs(x) < math.huge and (x > 0 or not axis.log) then
            least, most = math.min(least, x), math.max(most, x)
        end
    end
    if least > most then least, most = 1, 10 end
    if axis.log then return least / 1.3, most * 1.3 end
    local room = most > least and 0.05 * (most - least) or math.max(math.abs(most), 1) * 0.5
    return least - room, most + room
end

-- A complete axis: range and ticks. values: the data along it; most: how many ticks at most.
function scale.complete(axis, values, most)
    local full = {}
    for key, value in pairs(axis) do full[key] = value end
    local least, greatest = data_range(axis, values)
    full.from, full.to = axis.from or least, axis.to or greatest
    full.ticks = axis.ticks or (axis.log and log_ticks or linear_ticks)(full, most)
    return full
end

-- Where a value lies along a complete axis: 0 at its start, 1 at its end.
function scale.place(axis, x)
    if axis.log then
        return (math.log(x) - math.log(axis.from)) / (math.log(axis.to) - math.log(axis.from))
    end
    return (x - axis.from) / (axis.to - axis.from)
end

return scale
