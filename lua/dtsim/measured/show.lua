-- show: the report of validate as text, as plain tables and as a plot.

local show = {}

local function percent(x) return ("%.1f %%"):format(100 * x) end

local WORST = "  %-44s measured %9.4g s, predicted %9.4g s (%+.0f %%): %s"
local LINE = "%-32s %5s %8s %8s %8s %7s %7s %6s %9s"

local function summary_line(name, s)
    return LINE:format(name:sub(1, 32), s.rows, percent(s.median), percent(s.mean),
        ("%+.1f %%"):format(100 * s.bias), ("%.0f %%"):format(100 * s.within_10),
        ("%.0f %%"):format(100 * s.within_20), ("%.3f"):format(s.rank_correlation),
        percent(s.ideal_median))
end

local function heading(what)
    return LINE:format(what, "rows", "median", "mean", "bias", "<=10 %", "<=20 %", "rank", "ideal")
end

-- Rows that say too little or are not to be used: how many of each file for which reason, and
-- the first of them by name.
local function skipped_lines(lines, group)
    local order, ids = {}, {}
    for _, one in ipairs(group.skipped) do
        if not ids[one.reason] then
            ids[one.reason] = {}
            order[#order + 1] = one.reason
        end
        table.insert(ids[one.reason], one.id)
    end
    table.sort(order)
    for _, reason in ipairs(order) do
        local list = ids[reason]
        local names = table.concat(list, ", ", 1, math.min(3, #list))
        lines[#lines + 1] = ("  %s: %d not predicted: %s (%s%s)"):format(group.name, #list, reason,
            names, #list > 3 and ", ..." or "")
    end
end

-- Rows that are predicted, but whose error says little of the model: by file and reason.
local function aside_lines(lines, report)
    local any = false
    for _, group in ipairs(report.groups) do
        for _, part in ipairs(group.asides) do
            if not any then
                lines[#lines + 1] = ""
                lines[#lines + 1] = "Predicted but not judged (not in the figures above)"
                lines[#lines + 1] = heading "source"
                any = true
            end
            lines[#lines + 1] = summary_line(group.name, part.summary)
            lines[#lines + 1] = "  not judged: " .. part.reason
        end
    end
end

local function left_out_lines(lines, report)
    lines[#lines + 1] = ""
    lines[#lines + 1] = "Each source predicted by constants fitted on the others:"
    for _, group in ipairs(report.groups) do
        local s = report.left_out[group.name]
        if s then
            lines[#lines + 1] = ("%-32s median %s, mean %s, bias %+.1f %%"):format(group.name,
                percent(s.median), percent(s.mean), 100 * s.bias)
        end
    end
    lines[#lines + 1] = "mean of medians, left out: " .. percent(report.mean_left_out)
end

-- How often the plan measured best is among the three predicted best.
local function ranking_lines(lines, report)
    for _, kind in ipairs{"healthy", "degraded"} do
        local count = report.ranking[kind]
        if count.groups > 0 then
            local hosts = kind == "degraded" and ", degraded hosts" or ""
            lines[#lines + 1] = ("best plan among the three predicted best: %d of %d groups of "
                .. "plans%s"):format(count.top_three, count.groups, hosts)
        end
    end
end

local function worst_lines(lines, report)
    if report.pooled.rows == 0 then return end
    lines[#lines + 1] = ""
    lines[#lines + 1] = "The worst five of each source:"
    for _, group in ipairs(report.groups) do
        for _, w in ipairs(group.worst) do
            lines[#lines + 1] = WORST:format(tostring(w.id):sub(1, 44), w.measured, w.predicted,
                100 * w.error, w.reason)
        end
    end
end

-- The report as text for people.
function show.text(report)
    local lines = {"Step time, predicted against measured", "", heading "source"}
    if report.fitted_on then
        lines[1] = lines[1] .. "; constants fitted on " .. table.concat(report.fitted_on, ", ")
            .. " alone"
    end
    for _, group in ipairs(report.groups) do
        if #group.cases > 0 then lines[#lines + 1] = summary_line(group.name, group.summary) end
    end
    if report.pooled.rows > 0 then
        lines[#lines + 1] = summary_line("all rows", report.pooled)
        lines[#lines + 1] = "mean of the sources' medians: " .. percent(report.mean_of_medians)
        ranking_lines(lines, report)
    else
        lines[#lines + 1] = "no row is judged"
    end
    aside_lines(lines, report)
    if report.left_out then left_out_lines(lines, report) end
    worst_lines(lines, report)
    local skipped = {}
    for _, group in ipairs(report.groups) do skipped_lines(skipped, group) end
    if #skipped > 0 then
        lines[#lines + 1] = ""
        table.move(skipped, 1, #skipped, #lines + 1, lines)
    end
    return table.concat(lines, "\n") .. "\n"
end

local function plain_case(case)
    local used = {}
    for i, c in ipairs(case.prediction.constants) do used[i] = c end
    return {id = case.id, measured = case.measured, predicted = case.predicted,
            error = case.error, first_principles_error = case.ideal_error,
            framework = case.framework, defaults = case.defaults, constants = used,
            breakdown = case.prediction.breakdown, verdict = case.prediction.memory.verdict,
            judged = case.aside == nil, aside = case.aside}
end

-- The report as plain tables, for JSON.
function show.plain(report)
    local plain = {pooled = report.pooled, mean_of_medians = report.mean_of_medians,
                   ranking = report.ranking,
                   left_out = report.left_out, mean_left_out = report.mean_left_out,
                   calibration = report.calibration, fitted_on = report.fitted_on, groups = {}}
    for i, group in ipairs(report.groups) do
        local rows, asides = {}, {}
        for k, case in ipairs(group.cases) do rows[k] = plain_case(case) end
        for k, part in ipairs(group.asides) do
            asides[k] = {reason = part.reason, summary = part.summary}
            for _, case in ipairs(part.cases) do rows[#rows + 1] = plain_case(case) end
        end
        plain.groups[i] = {name = group.name, summary = group.summary, worst = group.worst,
                           not_judged = asides, skipped = group.skipped, rows = rows}
    end
    return plain
end

local COLORS = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2",
    "#7f7f7f", "#bcbd22", "#17becf"}

-- A scatter plot, measured across and predicted up, both logarithmic, as SVG text.
function show.scatter(report)
    local low, high = math.huge, 0
    for _, group in ipairs(report.groups) do
        for _, case in ipairs(group.cases) do
            low = math.min(low, case.measured, case.predicted)
            high = math.max(high, case.measured, case.predicted)
        end
    end
    if high == 0 then low, high = 1, 10 end
    low, high = 10 ^ math.floor(math.log(low, 10)), 10 ^ math.ceil(math.log(high, 10))
    local size, margin = 480, 56
    local function place(x) return size * math.log(x / low) / math.log(high / low) end
    local out = {('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
        .. 'font-family="sans-serif" font-size="11">'):format(size + 2 * margin + 160,
        size + 2 * margin)}
    local function add(format, ...) out[#out + 1] = format:format(...) end
    add('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>', margin, margin,
        size, size)
    add('<path d="M%d %dL%d %d" stroke="#888"/>', margin, margin + size, margin + size, margin)
    local tick = low
    while tick <= high * 1.001 do
        add('<text x="%.1f" y="%d" text-anchor="middle">%g s</text>', margin + place(tick),
            margin + size + 16, tick)
        add('<text x="%d" y="%.1f" text-anchor="end">%g s</text>', margin - 6,
            margin + size - place(tick) + 4, tick)
        tick = tick * 10
    end
    for i, group in ipairs(report.groups) do
        local color = COLORS[(i - 1) % #COLORS + 1]
        for _, case in ipairs(group.cases) do
            add('<circle cx="%.1f" cy="%.1f" r="2" fill="%s" fill-opacity="0.6"/>',
                margin + place(case.measured), margin + size - place(case.predicted), color)
        end
        add('<text x="%d" y="%d" fill="%s">%s</text>', margin + size + 10, margin + 14 * i, color,
            group.name:sub(1, 26))
    end
    add('<text x="%d" y="%d" text-anchor="middle">measured step time</text>', margin + size // 2,
        margin + size + 40)
    add('<text x="14" y="%d" transform="rotate(-90 14 %d)" text-anchor="middle">predicted</text>',
        margin + size // 2, margin + size // 2)
    out[#out + 1] = "</svg>"
    return table.concat(out, "\n") .. "\n"
end

return show
