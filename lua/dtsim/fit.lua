-- fit: text that fits a screen: wrapped, cut, tables with fewer columns and rows.

local align = require "dtsim.format.table".align

local fit = {}

local MARK = "..." -- in place of what was cut
local MIN_LAST_COLUMN = 16 -- a last column that would become narrower is left out instead
local GAP = 2 -- between columns, as align puts it

-- Characters of a text; bytes, where it is no UTF-8.
local function length(text) return utf8.len(text) or #text end

-- A text cut to `width` characters, with a mark at its end if something is missing.
function fit.cut(text, width)
    if length(text) <= width then return text end
    local room = math.max(width - #MARK, 0)
    local last = utf8.len(text) and utf8.offset(text, room + 1) - 1 or room
    return text:sub(1, last):gsub("%s+$", "") .. MARK
end

-- A text broken at blanks into lines of at most `width` characters, where its words allow that;
-- all but the first start with `indent`, which does not count. Line ends of its own stay.
function fit.wrap(text, width, indent)
    local lines = {}
    for paragraph in (text .. "\n"):gmatch "(.-)\n" do
        local line
        for word in paragraph:gmatch "%S+" do
            if line and length(line) + 1 + length(word) <= width then
                line = line .. " " .. word
            else
                lines[#lines + 1] = line
                line = word
            end
        end
        lines[#lines + 1] = line or ""
    end
    return table.concat(lines, "\n" .. (indent or ""))
end

local function column_widths(rows)
    local widths, total = {}, 0
    for j in ipairs(rows[1]) do
        widths[j] = 0
        for _, row in ipairs(rows) do widths[j] = math.max(widths[j], length(row[j])) end
        total = total + widths[j] + (j > 1 and GAP or 0)
    end
    return widths, total
end

-- Makes rows narrower in place: the last column is cut while enough of it stays, then left out.
-- Returns the titles of those that were left out.
local function narrow(rows, width)
    local dropped = {}
    while true do
        local widths, total = column_widths(rows)
        local last = #widths
        local room = widths[last] - (total - width)
        if total <= width or last == 1 then return dropped end
        if room >= MIN_LAST_COLUMN then
            for _, row in ipairs(rows) do row[last] = fit.cut(row[last], room) end
            return dropped
        end
        table.insert(dropped, 1, rows[1][last])
        for _, row in ipairs(rows) do row[last] = nil end
    end
end

-- A list of rows of text, the first of titles, as lines with aligned columns.
-- screen: { width, height }. Returns the text, how many rows are left out (those in the middle)
-- and the titles of the columns that are.
function fit.table(rows, screen)
    local kept, hidden = {}, math.max(0, #rows - math.max(screen.height - 3, 7))
    local head = hidden > 0 and (#rows - hidden) // 2 + 1 or #rows
    if hidden == 1 then hidden, head = 0, #rows end
    for i, row in ipairs(rows) do
        if i <= head or i > head + hidden then kept[#kept + 1] = table.move(row, 1, #row, 1, {}) end
    end
    local dropped = narrow(kept, screen.width)
    local text = align(kept)
    if hidden == 0 then return text, 0, dropped end
    local lines = {}
    for line in text:gmatch "[^\n]+" do
        lines[#lines + 1] = line
        if #lines == head then lines[#lines + 1] = MARK end
    end
    return table.concat(lines, "\n"), math.tointeger(hidden), dropped
end

return fit
