-- report: a study as one page of HTML that needs no network and no other file.

local columns = require "dtsim.format.columns"
local core = require "dtsim.core"
local explain = require "dtsim.explain"
local figures = require "dtsim.plot.figures"
local file = require "dtsim.file"
local json = require "dtsim.json"
local page = require "dtsim.report.page"
local svg = require "dtsim.plot.svg"
local units = require "dtsim.units"

local report = {}

local function flop_cell(point)
    if not point then return "none" end
    local flop = point.model.training_flop
    return {text = (("%.3e"):format(flop):gsub("e%+", "e")), value = flop}
end

-- The summary: what a reader looks for first.
local function summary_table(results)
    local rows = {{"configuration", "largest run above 80 %, FLOP", "its GPUs",
                   "first at or below 80 %, FLOP", "last feasible, FLOP", "its utilization",
                   "what ends it"}}
    for _, row in ipairs(results) do
        local sweep = row.sweep
        local largest, last = sweep:largest(), sweep[#sweep]
        rows[#rows + 1] = {
            row.configuration.name, flop_cell(largest),
            largest and {text = units.format(largest.n_gpus, "count"), value = largest.n_gpus}
                or "", flop_cell((sweep:linear_scaling_end())), flop_cell(last),
            last and {text = ("%.1f %%"):format(100 * last.utilization), value = last.utilization}
                or "", sweep.settings.end_reason or "the last width of the sweep",
        }
    end
    return page.table(rows, "summary")
end

-- The value of a field as people read it.
local function field_text(object, row)
    local value = object[row.name]
    if value == nil then return nil end
    if type(value) == "table" then
        local parts = {}
        for bits, rate in pairs(value) do
            parts[#parts + 1] = {bits, ("%s bits: %.6g"):format(bits, rate)}
        end
        table.sort(parts, function(a, b) return a[1] > b[1] end)
        for i, part in ipairs(parts) do parts[i] = part[2] end
        return table.concat(parts, ", ")
    end
    if type(value) == "number" and row.kind and row.kind ~= "" then
        return units.format(value, row.kind)
    end
    if type(value) == "number" then return ("%.6g"):format(value) end
    return tostring(value)
end

-- Adds a row with each configuration's text, if any has one.
local function add_row(rows, results, title, text_of)
    local line, some = {title}, false
    for i, row in ipairs(results) do
        local text = text_of(row.configuration)
        some = some or text ~= nil
        line[i + 1] = text or ""
    end
    if some then rows[#rows + 1] = line end
end

local function overlap_text(overlap)
    local kinds = {}
    for _, kind in ipairs{"tp", "pp", "dp"} do
        if overlap[kind] then kinds[#kinds + 1] = kind end
    end
    return #kinds > 0 and table.concat(kinds, ", ") or "none"
end

local SETTINGS = {
    {"search", function(c) return c.search end},
    {"overlapped communication", function(c) return overlap_text(c.overlap) end},
    {"pipeline schedules", function(c) return (table.concat(c.schedules, ", "):gsub("_", " ")) end},
    {"latency of zero-bubble pipelines", function(c) return c.zero_bubble_latency end},
    {"duration", function(c) return units.format(c.duration, "time") end},
    {"sequence length", function(c) return tostring(c.seq_len) end},
    {"widths", function(c)
        return ("%d, from %d to %d"):format(#c.d_model, c.d_model[1], c.d_model[#c.d_model])
    end},
    {"laws", function(c) return c.laws.name end},
    {"law of layers", function(c) return c.laws.names.layers end},
    {"law of sparsity", function(c) return c.laws.names.sparsity end},
    {"law of batch", function(c) return c.laws.names.batch end},
    {"law of dataset", function(c) return c.laws.names.dataset end},
    {"note", function(c) return c.note end},
}

-- Hardware and settings: a row per field, a column per configuration.
local function settings_table(results)
    local rows, levels = {{"field"}}, 0
    for i, row in ipairs(results) do
        rows[1][i + 1] = row.configuration.name
        levels = math.max(levels, #row.configuration.network)
    end
    for _, field in ipairs(core.fields.gpu) do
        add_row(rows, results, "GPU: " .. field.name:gsub("_", " "), function(c)
            return field_text(c.gpu, field)
        end)
    end
    for i = 1, levels do
        for _, field in ipairs(core.fields["network level"]) do
            local title = ("network level %d: %s"):format(i, field.name)
            add_row(rows, results, title, function(c)
                return i <= #c.network and field_text(c.network[i], field) or nil
            end)
        end
    end
    for _, setting in ipairs(SETTINGS) do add_row(rows, results, setting[1], setting[2]) end
    return page.table(rows, "settings")
end

-- A cell of a column of dtsim.format.columns.
local function point_cell(column, point, sweep)
    local value = column.value(point, sweep)
    if value == nil then return "" end
    local text = column.text and column.text(point, sweep) or tostring(value)
    return type(value) == "number" and {text = text, value = value} or text
end

-- What limits a point most, with its share of the time; below 2 % nothing does.
local function limit_text(point, optimizer)
    local largest = explain.losses(point, optimizer)[1]
    if not largest or largest.share < 0.02 then return "arithmetic" end
    return ("%s (%.0f %% of the time)"):format(largest.words, 100 * largest.share)
end

-- All points of a configuration, and what limits each.
local function points_table(row, number)
    local sweep, kept, rows = row.sweep, {}, {{}}
    for _, column in ipairs(columns) do
        local some = false
        for i = 1, #sweep do some = some or column.value(sweep[i], sweep) ~= nil end
        if some then
            kept[#kept + 1] = column
            rows[1][#kept] = column.title
        end
    end
    rows[1][#kept + 1] = "what limits it"
    for i = 1, #sweep do
        local line = {}
        for j, column in ipairs(kept) do line[j] = point_cell(column, sweep[i], sweep) end
        line[#kept + 1] = limit_text(sweep[i], row.configuration.optimizer)
        rows[i + 1] = line
    end
    return page.table(rows, "points-" .. number)
end

-- The page of a study as text.
function report.html(study)
    local results = study:results()
    local parts = {"<h2>Where scaling ends</h2>", summary_table(results), "<h2>Plots</h2>"}
    for _, kind in ipairs(figures.order) do
        local figure = figures[kind](results)
        figure.width = 900
        if #figure.panels > 0 then parts[#parts + 1] = svg.draw(figure) end
    end
    parts[#parts + 1] = "<h2>Hardware and settings</h2>"
    parts[#parts + 1] = settings_table(results)
    parts[#parts + 1] = "<h2>All points</h2>"
    for i, row in ipairs(results) do
        parts[#parts + 1] = "<h3>" .. page.escape(row.configuration.name) .. "</h3>"
        parts[#parts + 1] = points_table(row, i)
    end
    local text = json.encode(study:plain(true))
    return page.make(study.title, parts, text, "dtsim-study.json")
end

-- Writes a study as a page of HTML: the summary, the plots with values on hover, hardware and
-- settings, every point with what limits it, and a button that downloads the study as
-- study:save("x.json") writes it. path: ends in .html. Returns true. Errors: another ending, a
-- study without configurations, a file that cannot be written.
function report.write(study, path)
    if type(path) ~= "string" or not path:lower():match "%.html?$" then
        core.raise(("study:report: the file's name must end in .html, got \"%s\"")
            :format(tostring(path)))
    end
    if #study == 0 then core.raise "study:report: the study has no configuration" end
    local done, message = file.write_whole(path, report.html(study))
    if not done then core.raise(message) end
    return true
end

return report
