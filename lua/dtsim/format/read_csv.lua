-- read_csv: comma-separated files as lists of rows.

local core = require "dtsim.core"

local read_csv = {}

-- The fields of one record that begins at `position`; returns them and where the next begins.
local function record_at(text, position)
    local fields = {}
    while true do
        local field
        if text:sub(position, position) == '"' then
            local parts, start = {}, position + 1
            while true do
                local quote = text:find('"', start, true)
                if not quote then return nil, "a quoted field does not end" end
                parts[#parts + 1] = text:sub(start, quote - 1)
                position = quote + 1
                if text:sub(position, position) ~= '"' then break end
                parts[#parts + 1] = '"'
                start = position + 1
            end
            field = table.concat(parts)
        else
            local stop = text:find("[,\r\n]", position) or #text + 1
            field = text:sub(position, stop - 1)
            position = stop
        end
        fields[#fields + 1] = field
        local separator = text:sub(position, position)
        if separator ~= "," then
            return fields, text:match("^\r*\n()", position) or text:match("^\r()", position)
                or position
        end
        position = position + 1
    end
end

-- The rows of a file as tables by the names of its header; empty fields are absent. Raises when
-- the file cannot be read or a record is broken.
function read_csv.file(path)
    local file, message = io.open(path, "rb")
    if not file then core.raise("cannot read " .. message) end
    local text, reason = file:read("a")
    file:close()
    if not text then core.raise(("cannot read %s: %s"):format(path, reason)) end
    return read_csv.text(text, path)
end

-- The same of a text; name: what to call it in messages.
function read_csv.text(text, name)
    local rows, position = {}, 1
    local header, after = record_at(text, position)
    if not header then core.raise(("%s: %s"):format(name, after)) end
    position = after
    while position <= #text do
        local fields, next_position = record_at(text, position)
        if not fields then
            core.raise(("%s, record %d: %s"):format(name, #rows + 1, next_position))
        end
        if #fields > 1 or fields[1] ~= "" then
            local row = {}
            for i, column in ipairs(header) do
                if fields[i] and fields[i] ~= "" then row[column] = fields[i] end
            end
            rows[#rows + 1] = row
        end
        if next_position == position then break end
        position = next_position
    end
    return rows, header
end

return read_csv
