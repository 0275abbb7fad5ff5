-- table: a sweep as a table that a person reads.

local columns = require "dtsim.format.columns"

local format = {}

-- Text cells of a sweep: a list of rows, the first of titles. Columns without any value are out.
-- short: whether large numbers are rounded, for a screen.
function format.cells(sweep, short)
    local rows, kept = {{}}, {}
    for _, column in ipairs(columns) do
        for i = 1, #sweep do
            if column.value(sweep[i], sweep) ~= nil then
                kept[#kept + 1] = column
                rows[1][#kept] = column.title
                break
            end
        end
    end
    for i = 1, #sweep do
        local row = {}
        for j, column in ipairs(kept) do
            local text = short and column.short or column.text
                or function(...) return tostring(column.value(...)) end
            row[j] = column.value(sweep[i], sweep) == nil and "" or text(sweep[i], sweep)
        end
        rows[#rows + 1] = row
    end
    return rows
end

-- Whether a cell stands to the right: a number, or nothing.
local function is_number(text) return text == "" or text:match "^[-+$]?%d" ~= nil end

-- Rows of cells (texts or numbers, each row as long as the first) as lines with aligned columns:
-- a column of numbers, with or without a unit, to the right, any other to the left.
function format.align(rows)
    local width, right, lines = {}, {}, {}
    for _, row in ipairs(rows) do
        for j, cell in ipairs(row) do
            width[j] = math.max(width[j] or 0, utf8.len(tostring(cell)))
        end
    end
    for j in ipairs(rows[1] or {}) do
        right[j] = #rows > 1
        for i = 2, #rows do right[j] = right[j] and is_number(tostring(rows[i][j])) end
    end
    for i, row in ipairs(rows) do
        local cells = {}
        for j, cell in ipairs(row) do
            local text = tostring(cell)
            local space = (" "):rep(width[j] - utf8.len(text))
            cells[j] = right[j] and space .. text or text .. space
        end
        lines[i] = (table.concat(cells, "  "):gsub("%s+$", ""))
    end
    return table.concat(lines, "\n")
end

-- A sweep as text, no newline at its end.
function format.sweep(sweep)
    if #sweep == 0 then
        local reason = sweep.settings.end_reason
        return reason and "empty sweep: " .. reason or "empty sweep"
    end
    return format.align(format.cells(sweep))
end

-- The summary of a study as text: a row per configuration.
function format.study_summary(study)
    local title, rows = study.title, require "dtsim.format.summary".rows(study)
    return #rows > 1 and title .. "\n" .. format.align(rows) or title .. ": no configuration"
end

-- A study as text: the summary, then each configuration's points.
function format.study(study)
    local parts = {format.study_summary(study)}
    for _, row in ipairs(study:results()) do
        parts[#parts + 1] = row.configuration.name .. "\n" .. format.sweep(row.sweep)
    end
    return table.concat(parts, "\n\n") .. "\n"
end

return format
