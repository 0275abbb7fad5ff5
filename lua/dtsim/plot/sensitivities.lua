-- sensitivities: pictures of what dtsim.sensitivity answers.

local colors = require "dtsim.plot.colors"

local sensitivities = {}

local function flop_text(x) return x > 0 and ("%.1e"):format(x):gsub("e%+", "e") or "none" end

-- Limits of an axis over positive values.
local function bounds(values)
    local least, most = math.huge, 0
    for _, x in ipairs(values) do
        if x > 0 then least, most = math.min(least, x), math.max(most, x) end
    end
    if most == 0 then return 1, 10 end
    return least / 1.6, most * 1.6
end

-- Bars to both sides of the limit as it is, the largest effect on top.
function sensitivities.tornado(answer)
    local values, ticks = {answer.base}, {}
    for _, row in ipairs(answer.factors) do
        values[#values + 1], values[#values + 2] = row.less, row.more
    end
    local from, to = bounds(values)
    local less = {kind = "boxes", name = ("divided by %g"):format(answer.by),
                  color = colors.of(2), boxes = {}}
    local more = {kind = "boxes", name = ("multiplied by %g"):format(answer.by),
                  color = colors.of(1), boxes = {}}
    local count = #answer.factors
    for i, row in ipairs(answer.factors) do
        local y = count - i + 1
        ticks[i] = {at = y, text = row.name}
        for mark, value in pairs{[less] = row.less, [more] = row.more} do
            local top, bottom = y + 0.02, y - 0.34 -- the two bars lie below each other
            if mark == more then top, bottom = y + 0.34, y - 0.02 end
            mark.boxes[#mark.boxes + 1] = {
                answer.base, bottom, math.max(value, from), top,
                tip = ("%s %s: %s FLOP"):format(row.name, mark.name, flop_text(value)),
            }
        end
    end
    local none = {kind = "texts", texts = {}}
    for i, row in ipairs(answer.factors) do
        for value, y in pairs{[row.less] = count - i + 0.84, [row.more] = count - i + 1.16} do
            if value == 0 then
                none.texts[#none.texts + 1] = {from, y, "none", align = "left", shift = 6,
                                               color = "#FFFFFF"}
            end
        end
    end
    local base = {kind = "line", color = "#222222", width = 1.5, name = "as it is",
                  points = {{answer.base, 0.4}, {answer.base, count + 0.6}}}
    return {
        title = answer.title, height = 130 + 34 * count,
        panels = {{marks = {less, more, base, none},
                   x = {label = answer.metric, log = true, from = from, to = to},
                   y = {ticks = ticks, from = 0.4, to = count + 0.6}}},
    }
end

local function index_ticks(texts)
    local ticks = {}
    for i, text in ipairs(texts) do ticks[i] = {at = i, text = text} end
    return ticks
end

-- A heat map, each cell with its value.
function sensitivities.grid(answer)
    local all = {}
    for _, row in ipairs(answer.values) do for _, x in ipairs(row) do all[#all + 1] = x end end
    local from, to = bounds(all)
    local boxes, texts = {}, {}
    for j, row in ipairs(answer.values) do
        for i, x in ipairs(row) do
            local share = x > 0 and math.log(x / from) / math.log(to / from) or 0
            local color, ink = colors.heat(share)
            boxes[#boxes + 1] = {i - 0.5, j - 0.5, i + 0.5, j + 0.5, color = color,
                tip = ("%s %s, %s %s: %s FLOP"):format(answer.x.name, answer.x.texts[i],
                    answer.y.name, answer.y.texts[j], flop_text(x))}
            texts[#texts + 1] = {i, j, flop_text(x), color = ink}
        end
    end
    return {
        title = answer.title, height = 150 + 44 * #answer.y.values,
        panels = {{title = answer.metric,
                   marks = {{kind = "boxes", boxes = boxes, color = "#000000"},
                            {kind = "texts", texts = texts}},
                   x = {label = answer.x.name, ticks = index_ticks(answer.x.texts), from = 0.5,
                        to = #answer.x.values + 0.5},
                   y = {label = answer.y.name, ticks = index_ticks(answer.y.texts), from = 0.5,
                        to = #answer.y.values + 0.5}}},
    }
end

-- The share of samples at or below each limit.
function sensitivities.monte_carlo(answer)
    local values, points = {}, {}
    for i, sample in ipairs(answer.samples) do values[i] = sample.limit end
    table.sort(values)
    local from, to = bounds(values)
    for i, x in ipairs(values) do
        points[#points + 1] = {math.max(x, from), (i - 1) / #values}
        points[#points + 1] = {math.max(x, from), i / #values}
    end
    local marks = {{kind = "line", points = points, color = colors.of(1), width = 2,
                    name = ("%d samples"):format(#values)}}
    local dots = {}
    for i, row in ipairs(answer.percentiles) do
        dots[i] = {math.max(row.value, from), row.percent / 100,
                   ("%g th percentile: %s FLOP"):format(row.percent, flop_text(row.value))}
    end
    marks[2] = {kind = "dots", points = dots, color = colors.of(2), shape = "disc", size = 1.4,
                name = "5th, 25th, 50th, 75th and 95th percentile"}
    return {
        title = answer.title,
        panels = {{marks = marks, x = {label = answer.metric, log = true, from = from, to = to},
                   y = {label = "share of samples at or below", unit = "percent", from = 0,
                        to = 1}}},
    }
end

return sensitivities
