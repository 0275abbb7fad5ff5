-- markdown: a sweep as a Markdown table.

local cells = require "dtsim.format.table".cells

local format = {}

local function line(row)
    local texts = {}
    for i, text in ipairs(row) do texts[i] = text:gsub("|", "\\|") end
    return "| " .. table.concat(texts, " | ") .. " |"
end

-- Rows of texts, the first of titles, as the lines of a table.
function format.rows(rows)
    local lines = {}
    for i, row in ipairs(rows) do
        lines[#lines + 1] = line(row)
        if i == 1 then lines[2] = "|" .. ("---|"):rep(#row) end
    end
    return table.concat(lines, "\n") .. "\n"
end

-- A sweep as the lines of a table.
function format.sweep(sweep) return format.rows(cells(sweep)) end

-- A study as headings and tables: the summary, then each configuration's points.
function format.study(study)
    local parts = {"# " .. study.title,
                   format.rows(require "dtsim.format.summary".rows(study))}
    for _, row in ipairs(study:results()) do
        parts[#parts + 1] = "## " .. row.configuration.name
        parts[#parts + 1] = format.rows(cells(row.sweep))
    end
    return table.concat(parts, "\n\n")
end

return format
