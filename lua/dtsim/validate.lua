-- validate: predictions of measured training runs, and how far off they are.
--
-- validate.run{ "a.csv", ... } predicts every usable row; validate.main(arg) is the program's
-- command `dtsim validate`.

local core = require "dtsim.core"
local json = require "dtsim.json"
local read_csv = require "dtsim.format.read_csv"
local row_of = require "dtsim.measured.row"
local statistics = require "dtsim.measured.statistics"

local validate = {}

local function base_name(path) return (path:match("([^/]+)$"):gsub("%.csv$", "")) end

-- ---- reading ----

-- Cases of one file, and how many rows were left out for which reason.
local function read_group(path)
    local group = {name = base_name(path), cases = {}, suspects = {}, skipped = {}}
    for _, row in ipairs((read_csv.file(path))) do
        local fine, case, reason = pcall(row_of.case, row)
        if not fine then case, reason = nil, tostring(case):gsub("^[^:]+:%d+: ", "") end
        if case then
            local legal, message = pcall(core.train.memory, case.model, case.plan, case.software,
                case.machine)
            if not legal then case, reason = nil, tostring(message):gsub("^[^:]+:%d+: ", "") end
        end
        if case then
            local list = case.suspect and group.suspects or group.cases
            list[#list + 1] = case
        else
            group.skipped[reason] = (group.skipped[reason] or 0) + 1
        end
    end
    return group
end

-- ---- predicting ----

-- Defaults that are known to move a result by more than a few per cent.
local WEIGHTY = {interleave = true, micro_batch_seqs = true, recompute = true, attention = true,
    recompute_frac = true, network_bandwidth = true, gpu = true, ep = true, experts = true}

-- A guess at why a case is far off.
local function likely_reason(case)
    local p, b = case.prediction, case.prediction.breakdown
    local step, reasons = p.step_time, {}
    if case.suspect then reasons[#reasons + 1] = case.suspect end
    if case.model.experts > 0 then reasons[#reasons + 1] = "experts: load and kernels vary" end
    if case.machine.family == "other" or case.machine.family == "volta" then
        reasons[#reasons + 1] = "no measurements set this GPU's constants"
    end
    if p.memory.verdict ~= "fits" then reasons[#reasons + 1] = "at the memory limit" end
    if b.host > 0.2 * step then reasons[#reasons + 1] = "bound by host launches" end
    if b.dp > 0.25 * step then reasons[#reasons + 1] = "bound by data-parallel traffic" end
    if b.tp > 0.3 * step then reasons[#reasons + 1] = "bound by tensor-parallel traffic" end
    if b.bubble > 0.25 * step then reasons[#reasons + 1] = "few microbatches for its stages" end
    for _, default in ipairs(case.defaults) do
        if WEIGHTY[default.field] and default.origin ~= "row" then
            reasons[#reasons + 1] = "default: " .. default.field
        end
    end
    return reasons[1] and table.concat(reasons, "; ", 1, math.min(3, #reasons)) or "none known"
end

local function predict_case(case, calibration)
    local p = core.train.predict(case.model, case.plan, case.software, case.machine, calibration)
    local ideal = core.train.predict(case.model, case.plan, case.software, case.machine,
        {first_principles = true})
    case.prediction, case.predicted = p, p.step_time
    case.error = p.step_time / case.measured - 1
    case.ideal_error = ideal.step_time / case.measured - 1
end

local function summarize(cases)
    local errors, ideal, predicted, measured = {}, {}, {}, {}
    for i, case in ipairs(cases) do
        errors[i], ideal[i] = case.error, case.ideal_error
        predicted[i], measured[i] = case.predicted, case.measured
    end
    local summary = statistics.errors(errors)
    summary.ideal_median = statistics.errors(ideal).median
    summary.rank_correlation = statistics.rank_correlation(predicted, measured)
    return summary
end

local function worst_of(cases, count)
    local order = table.move(cases, 1, #cases, 1, {})
    table.sort(order, function(a, b)
        local x, y = math.abs(a.error), math.abs(b.error)
        if x ~= y then return x > y end
        return tostring(a.id) < tostring(b.id)
    end)
    local worst = {}
    for i = 1, math.min(count, #order) do
        local case = order[i]
        worst[i] = {id = case.id, measured = case.measured, predicted = case.predicted,
                    error = case.error, reason = likely_reason(case)}
    end
    return worst
end

-- ---- fitting ----

-- Rows as a fit takes them: every source counts as much as 50 rows, one row at most thrice.
local function fit_rows(groups)
    local rows = {}
    for _, group in ipairs(groups) do
        local weight = math.min(3, 50 / math.max(1, #group.cases))
        for _, case in ipairs(group.cases) do
            if case.machine.family ~= "other" and case.machine.family ~= "volta" then
                rows[#rows + 1] = {case.model, case.plan, case.software, case.machine,
                    case.measured, weight}
            end
        end
    end
    return rows
end

-- Constants fitted on groups alone, from the start values: { name = value }, report.
function validate.fit(groups, options)
    return core.train.fit(fit_rows(groups), options or {})
end

-- Each group predicted by constants fitted on all the others: { name = errors }.
function validate.leave_one_out(groups, options)
    local result, medians = {}, {}
    for i, group in ipairs(groups) do
        local others = {}
        for j, other in ipairs(groups) do
            if j ~= i then others[#others + 1] = other end
        end
        local calibration = validate.fit(others, options)
        local errors = {}
        for k, case in ipairs(group.cases) do
            errors[k] = core.train.predict(case.model, case.plan, case.software, case.machine,
                calibration).step_time / case.measured - 1
        end
        result[group.name] = statistics.errors(errors)
        medians[#medians + 1] = result[group.name].median
    end
    return result, statistics.mean(medians)
end

-- ---- the whole ----

-- Predicts the rows of CSV files.
--   paths    list of file names
--   options  fit: list of group names to calibrate on (instead of the built-in constants);
--            leave_one_out: true; calibration: { name = value } over the built-in ones
-- Returns { groups = { name, cases, suspects, skipped, summary, worst }, pooled, mean_of_medians,
-- calibration, left_out, mean_left_out }.
function validate.run(paths, options)
    options = options or {}
    local report = {groups = {}}
    for i, path in ipairs(paths) do report.groups[i] = read_group(path) end
    local calibration = options.calibration
    if options.fit then
        local chosen = {}
        for _, group in ipairs(report.groups) do
            for _, name in ipairs(options.fit) do
                if name == group.name then chosen[#chosen + 1] = group end
            end
        end
        if #chosen == 0 then core.raise("validate: no file has the name of a source to fit on") end
        calibration = validate.fit(chosen)
        report.fitted_on = options.fit
    end
    report.calibration = calibration
    local pooled, medians = {}, {}
    for _, group in ipairs(report.groups) do
        for _, case in ipairs(group.cases) do
            predict_case(case, calibration)
            pooled[#pooled + 1] = case
        end
        for _, case in ipairs(group.suspects) do predict_case(case, calibration) end
        group.summary = summarize(group.cases)
        group.suspect_summary = summarize(group.suspects)
        group.worst = worst_of(group.cases, 5)
        if #group.cases > 0 then medians[#medians + 1] = group.summary.median end
    end
    report.pooled = summarize(pooled)
    report.mean_of_medians = statistics.mean(medians)
    if options.leave_one_out then
        report.left_out, report.mean_left_out = validate.leave_one_out(report.groups)
    end
    return report
end

-- ---- showing ----

local function percent(x) return ("%.1f %%"):format(100 * x) end

local WORST = "  %-44s measured %9.4g s, predicted %9.4g s (%+.0f %%): %s"
local LINE = "%-32s %5s %8s %8s %8s %7s %7s %6s %9s"

local function summary_line(name, s)
    return LINE:format(name, s.rows, percent(s.median), percent(s.mean),
        ("%+.1f %%"):format(100 * s.bias), ("%.0f %%"):format(100 * s.within_10),
        ("%.0f %%"):format(100 * s.within_20), ("%.3f"):format(s.rank_correlation),
        percent(s.ideal_median))
end

local function skipped_lines(lines, group)
    local reasons = {}
    for reason in pairs(group.skipped) do reasons[#reasons + 1] = reason end
    table.sort(reasons)
    for _, reason in ipairs(reasons) do
        lines[#lines + 1] = ("  %s: %d not used: %s"):format(group.name,
            group.skipped[reason], reason)
    end
end

-- The report as text for people.
function validate.text(report)
    local lines = {"Step time, predicted against measured", "",
        LINE:format("source", "rows", "median", "mean", "bias", "<=10 %", "<=20 %", "rank",
            "ideal")}
    for _, group in ipairs(report.groups) do
        if #group.cases > 0 then lines[#lines + 1] = summary_line(group.name, group.summary) end
        if #group.suspects > 0 then
            lines[#lines + 1] = summary_line("  suspect: " .. group.suspects[1].suspect,
                group.suspect_summary)
        end
    end
    lines[#lines + 1] = summary_line("all rows", report.pooled)
    lines[#lines + 1] = "mean of the sources' medians: " .. percent(report.mean_of_medians)
    if report.left_out then
        lines[#lines + 1] = ""
        lines[#lines + 1] = "Each source predicted by constants fitted on the others:"
        for _, group in ipairs(report.groups) do
            local s = report.left_out[group.name]
            lines[#lines + 1] = ("%-32s median %s, bias %+.1f %%"):format(group.name,
                percent(s.median), 100 * s.bias)
        end
        lines[#lines + 1] = "mean of medians, left out: " .. percent(report.mean_left_out)
    end
    lines[#lines + 1] = ""
    lines[#lines + 1] = "The worst five of each source:"
    for _, group in ipairs(report.groups) do
        for _, w in ipairs(group.worst) do
            lines[#lines + 1] = WORST:format(tostring(w.id):sub(1, 44), w.measured, w.predicted,
                100 * w.error, w.reason)
        end
    end
    lines[#lines + 1] = ""
    for _, group in ipairs(report.groups) do skipped_lines(lines, group) end
    return table.concat(lines, "\n") .. "\n"
end

local function plain_case(case)
    local used = {}
    for i, c in ipairs(case.prediction.constants) do used[i] = c end
    return {id = case.id, measured = case.measured, predicted = case.predicted,
            error = case.error, first_principles_error = case.ideal_error,
            framework = case.framework, defaults = case.defaults, constants = used,
            breakdown = case.prediction.breakdown, verdict = case.prediction.memory.verdict,
            suspect = case.suspect}
end

-- The report as plain tables, for JSON.
function validate.plain(report)
    local plain = {pooled = report.pooled, mean_of_medians = report.mean_of_medians,
                   left_out = report.left_out, mean_left_out = report.mean_left_out,
                   calibration = report.calibration, groups = {}}
    for i, group in ipairs(report.groups) do
        local rows = {}
        for k, case in ipairs(group.cases) do rows[k] = plain_case(case) end
        for _, case in ipairs(group.suspects) do rows[#rows + 1] = plain_case(case) end
        plain.groups[i] = {name = group.name, summary = group.summary, worst = group.worst,
                           skipped = group.skipped, rows = rows}
    end
    return plain
end

local COLORS = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2",
    "#7f7f7f", "#bcbd22", "#17becf"}

-- A scatter plot, measured across and predicted up, both logarithmic, as SVG text.
function validate.scatter(report)
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

local USAGE = [[
usage: dtsim validate [options] FILE.csv...
  --json             the report as JSON
  --plot FILE.svg    a scatter plot
  --fit NAME,...     fits the constants on these files' rows alone (names without .csv)
  --leave-one-out    predicts each file by constants fitted on the others
  --constants        lists the constants: value, origin, meaning
]]

local function constants_text(calibration)
    local lines = {}
    for _, row in ipairs(core.train.constants()) do
        lines[#lines + 1] = ("%-14s %10.4g %-9s %-8s %s (%s)"):format(row.name,
            calibration and calibration[row.name] or row.value, row.unit, row.origin, row.meaning,
            row.set_by)
    end
    return table.concat(lines, "\n") .. "\n"
end

-- The command `dtsim validate`. arguments: list of texts. Returns the exit code: 0 fine, 2 wrong
-- usage, 3 a file cannot be read or written.
function validate.main(arguments)
    local paths, options, json_wanted, plot, constants = {}, {}, false, nil, false
    local i = 1
    while i <= #arguments do
        local a = arguments[i]
        if a == "--json" then json_wanted = true
        elseif a == "--leave-one-out" then options.leave_one_out = true
        elseif a == "--constants" then constants = true
        elseif (a == "--fit" or a == "--plot") and arguments[i + 1] then
            i = i + 1
            if a == "--plot" then
                plot = arguments[i]
            else
                options.fit = {}
                for name in arguments[i]:gmatch("[^,]+") do
                    options.fit[#options.fit + 1] = (name:gsub("%.csv$", ""))
                end
            end
        elseif a:sub(1, 1) == "-" then
            io.stderr:write("dtsim validate: unknown option or missing value: ", a, "\n", USAGE)
            return 2
        else
            paths[#paths + 1] = a
        end
        i = i + 1
    end
    if #paths == 0 and not constants then
        io.stderr:write(USAGE)
        return 2
    end
    for _, path in ipairs(paths) do
        local file, message = io.open(path, "rb")
        if not file then
            io.stderr:write("dtsim validate: cannot read ", message, "\n")
            return 3
        end
        file:close()
    end
    local report = #paths > 0 and validate.run(paths, options)
    if constants then io.write(constants_text(report and report.calibration)) end
    if not report then return 0 end
    if json_wanted then
        io.write(json.encode(validate.plain(report), {indent = 1}), "\n")
    else
        io.write(validate.text(report))
    end
    if plot then
        local fine, message = require "dtsim.file".write_whole(plot, validate.scatter(report))
        if not fine then
            io.stderr:write("dtsim validate: ", tostring(message), "\n")
            return 3
        end
    end
    return 0
end

return validate
