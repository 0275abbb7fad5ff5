-- markdown: a sweep as a Markdown table.

local cells = require "dtsim.format.table".cells

local format = {}

local function line(row)
    local texts = {}
    for i, text in ipairs(row) do texts[i] = text:gsub("|", "\\|") end
    return "| " .. table.concat(texts, " | ") .. " |"
end

-- A sweep as the lines of a table.
function format.sweep(sweep)
    local lines = {}
    for i, row in ipairs(cells(sweep)) do
        lines[#lines + 1] = line(row)
        if i == 1 then lines[2] = "|" .. ("---|"):rep(#row) end
    end
    return table.concat(lines, "\n") .. "\n"
end

return format
