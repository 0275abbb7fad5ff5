-- validate: predictions of measured training runs, and how far off they are.
--
-- validate.run{ "a.csv", ... } predicts every usable row; validate.main(arg) is the program's
-- command `dtsim validate`.

local core = require "dtsim.core"
local json = require "dtsim.json"
local ranking = require "dtsim.measured.ranking"
local read_csv = require "dtsim.format.read_csv"
local row_of = require "dtsim.measured.row"
local show = require "dtsim.measured.show"
local statistics = require "dtsim.measured.statistics"
local vision = require "dtsim.measured.vision"

local validate = {text = show.text, plain = show.plain, scatter = show.scatter}

local function base_name(path) return (path:match("([^/]+)$"):gsub("%.csv$", "")) end

-- ---- reading ----

-- A row's case; nil, the reason why there is none.
local function case_of(row)
    local function plainly(message) return (tostring(message):gsub("^[^:]+:%d+: ", "")) end
    local fine, case, reason = pcall(row_of.case, row)
    if not fine then return nil, plainly(case) end
    if not case or case.network then return case, reason end
    local legal, message = pcall(core.train.memory, case.model, case.plan, case.software,
        case.machine)
    if not legal then return nil, plainly(message) end
    return case
end

-- Cases of one file, those that are not judged by reason, and rows left out with the reason.
local function read_group(path)
    local group = {name = base_name(path), cases = {}, asides = {}, skipped = {}}
    local parts = {}
    local rows, header = read_csv.file(path)
    local columns = {}
    for _, name in ipairs(header) do columns[name] = true end
    for _, name in ipairs{"model", "gpu"} do
        if not columns[name] then
            core.raise(("%s: no table of measured runs: its first line names no column '%s'")
                :format(path, name))
        end
    end
    for i, row in ipairs(rows) do
        row.id = row.id or ("row " .. i)
        local case, reason = case_of(row)
        if not case then
            group.skipped[#group.skipped + 1] = {id = row.id, reason = reason}
        elseif not case.aside then
            group.cases[#group.cases + 1] = case
        else
            local part = parts[case.aside]
            if not part then
                part = {reason = case.aside, cases = {}}
                parts[case.aside] = part
                group.asides[#group.asides + 1] = part
            end
            part.cases[#part.cases + 1] = case
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
    if case.network then return "constants of transformers" end
    local p, b = case.prediction, case.prediction.breakdown
    local step, reasons = p.step_time, {}
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

local function step_of(case, calibration)
    if case.network then return vision.predict(case, calibration) end
    return core.train.predict(case.model, case.plan, case.software, case.machine, calibration)
end

local function predict_case(case, calibration)
    local p, ideal = step_of(case, calibration), step_of(case, {first_principles = true})
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
    local result, medians, judged = {}, {}, {}
    for _, group in ipairs(groups) do
        if #group.cases > 0 then judged[#judged + 1] = group end
    end
    for i, group in ipairs(judged) do
        local others = {}
        for j, other in ipairs(judged) do
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
-- Returns { groups = { name, cases, asides = { reason, cases, summary }, skipped = { id, reason },
-- summary, worst }, pooled, mean_of_medians, ranking,
-- calibration, fitted_on, left_out, mean_left_out }.
function validate.run(paths, options)
    options = options or {}
    local report = {groups = {}}
    local names = {}
    for i, path in ipairs(paths) do
        local group = read_group(path)
        -- Files of one name in two folders stay apart.
        names[group.name] = (names[group.name] or 0) + 1
        if names[group.name] > 1 then
            group.name = ("%s (%d)"):format(group.name, names[group.name])
        end
        report.groups[i] = group
    end
    local calibration = options.calibration
    if options.fit then
        local chosen, by_name = {}, {}
        for _, group in ipairs(report.groups) do by_name[group.name] = group end
        for i, name in ipairs(options.fit) do
            if not by_name[name] then
                core.raise(("validate: no file has the name '%s' of a source to fit on")
                    :format(name))
            end
            chosen[i] = by_name[name]
        end
        if #chosen == 0 then core.raise("validate: no source to fit on is named") end
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
        for _, part in ipairs(group.asides) do
            for _, case in ipairs(part.cases) do predict_case(case, calibration) end
            part.summary = summarize(part.cases)
        end
        group.summary = summarize(group.cases)
        group.worst = worst_of(group.cases, 5)
        if #group.cases > 0 then medians[#medians + 1] = group.summary.median end
    end
    report.pooled = summarize(pooled)
    report.mean_of_medians = statistics.mean(medians)
    report.ranking = ranking.count(pooled)
    if options.leave_one_out then
        report.left_out, report.mean_left_out = validate.leave_one_out(report.groups)
    end
    return report
end

-- ---- the command ----

local USAGE = [[
usage: dtsim validate [options] FILE.csv...
Predicts the step time of each row of measured training runs and prints by file and in all: rows,
median and mean absolute error, bias, share within 10 and 20 %, rank correlation, the median error
by first principles alone, the worst five with a likely reason, and rows that say too little.
Rows whose error says little of the model are predicted apart.
  --json             the report as JSON: each row with its defaults and constants
  --plot FILE.svg    a scatter plot
  --fit NAME,...     fits the constants on these files' rows alone (names without .csv)
  --leave-one-out    predicts each file by constants fitted on the others
  --constants        lists the constants: value, origin, a fit's start, meaning
  -h, --help         shows this and leaves
exit status: 0 fine, 1 a file is no table of such rows, 2 wrong usage, 3 input or output failed
]]

local function constants_text(calibration)
    local lines = {}
    for _, row in ipairs(core.train.constants()) do
        lines[#lines + 1] = ("%-14s %10.4g %-9s %-8s from %-8.3g %s (%s)"):format(row.name,
            calibration and calibration[row.name] or row.value, row.unit, row.origin, row.start,
            row.meaning, row.set_by)
    end
    return table.concat(lines, "\n") .. "\n"
end

-- What the arguments ask for: { paths, options, json, plot, constants, help }; nil, the one that is
-- not understood.
local function read_arguments(arguments)
    local asked, i = {paths = {}, options = {}}, 1
    while i <= #arguments do
        local a = arguments[i]
        if a == "-h" or a == "--help" then asked.help = true
        elseif a == "--json" then asked.json = true
        elseif a == "--leave-one-out" then asked.options.leave_one_out = true
        elseif a == "--constants" then asked.constants = true
        elseif a == "--plot" and arguments[i + 1] then
            i = i + 1
            asked.plot = arguments[i]
        elseif a == "--fit" and arguments[i + 1] then
            i = i + 1
            asked.options.fit = {}
            for name in arguments[i]:gmatch("[^,]+") do
                table.insert(asked.options.fit, (name:gsub("%.csv$", "")))
            end
        elseif a:sub(1, 1) == "-" then return nil, a
        else asked.paths[#asked.paths + 1] = a
        end
        i = i + 1
    end
    return asked
end

-- The first of the paths that cannot be opened: its message; nil where all can.
local function unreadable(paths)
    for _, path in ipairs(paths) do
        local file, message = io.open(path, "rb")
        if not file then return message end
        file:close()
    end
end

local function complain(...)
    io.stderr:write("dtsim validate: ", ...)
    io.stderr:write("\n")
end

-- validate.run, errors of the files told without a place in the library. An interrupt goes on up.
local function run_plainly(paths, options)
    local fine, report = pcall(validate.run, paths, options)
    if fine then return report end
    local message = tostring(report):gsub("^[^:]+:%d+: ", "")
    if message:find("interrupted!", 1, true) then error(report, 0) end
    complain((message:gsub("^validate: ", "")))
end

-- The command `dtsim validate`. arguments: list of texts. Returns the exit code: 0 fine, 1 a file
-- is no table of measured runs, 2 wrong usage, 3 a file cannot be read or written.
function validate.main(arguments)
    local asked, stranger = read_arguments(arguments)
    if asked and asked.help then
        io.write(USAGE)
        return 0
    end
    if not asked or #asked.paths == 0 and not asked.constants then
        if stranger then complain("unknown option or missing value: ", stranger) end
        io.stderr:write(USAGE)
        return 2
    end
    local message = unreadable(asked.paths)
    if message then
        complain("cannot read ", message)
        return 3
    end
    local report = run_plainly(asked.paths, asked.options)
    if not report then return 1 end
    if asked.constants then io.write(constants_text(report.calibration)) end
    if #asked.paths == 0 then return 0 end
    io.write(asked.json and json.encode(show.plain(report), {indent = 1}) .. "\n"
        or show.text(report))
    if asked.plot then
        local fine, reason = require "dtsim.file".write_whole(asked.plot, show.scatter(report))
        if not fine then
            complain(tostring(reason))
            return 3
        end
    end
    return 0
end

return validate
