-- pretty: values as text that a person reads, as the prompt prints them.
--
-- What dtsim makes is a small table with units; a sweep is a table that fits the screen; a Lua
-- table shows what is in it. Numbers and texts of one's own stay as print shows them.

local core = require "dtsim.core"
local fit = require "dtsim.fit"
local record = require "dtsim.record"
local topics = require "dtsim.help.topics"
local units = require "dtsim.units"

local pretty = {}

-- Whole numbers below it are counts that people know by their digits, as a width of 20480.
local FULL_DIGITS_BELOW = 1000000
local MAX_DEPTH = 4 -- of tables in tables
local NO_TERMINAL = {width = 80, height = math.huge}
local ONE_LINE = {width = math.huge, height = 20, flat = true} -- for what is inside a record

-- A number with the unit of its row, a row of help: "2.90 months", "16.8 M GPUs".
local function quantity(x, row)
    local text
    if x ~= x then return "nan" end
    if row.kind == "count" and math.type(x) == "integer" and math.abs(x) < FULL_DIGITS_BELOW then
        text = tostring(x)
    elseif row.kind and row.kind ~= "" then
        text = units.format(x, row.kind)
    else
        text = math.type(x) == "integer" and tostring(x) or ("%.4g"):format(x)
    end
    return row.unit and text .. " " .. row.unit or text
end

-- The names of a table's fields, sorted; numbers before texts.
local function sorted_keys(t)
    local keys = {}
    for key in next, t do keys[#keys + 1] = key end
    table.sort(keys, function(a, b)
        if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
        if type(a) ~= type(b) then return type(a) < type(b) end
        return tostring(a) < tostring(b)
    end)
    return keys
end

local function has_own_text(value)
    local metatable = debug.getmetatable(value)
    return type(metatable) == "table" and rawget(metatable, "__tostring") ~= nil
end

local function key_text(key)
    if type(key) ~= "string" then return "[" .. tostring(key) .. "]" end
    return key:find "^[%a_][%w_]*$" and key or ("[%q]"):format(key)
end

local plain_table

-- A value inside a Lua table, on one line; or on more, for a table that is too wide for one.
local function inner(value, screen, indent, seen)
    if type(value) == "string" then return (("%q"):format(value):gsub("\\\n", "\\n")) end
    if type(value) == "table" and not has_own_text(value) then
        return plain_table(value, screen, indent, seen)
    end
    return (tostring(value):gsub("\n.*", " ..."))
end

-- A Lua table as Lua would write it.
function plain_table(t, screen, indent, seen)
    if seen[t] then return "{ ... }" end
    if next(t) == nil then return "{}" end
    if #indent >= 2 * MAX_DEPTH then return "{ ... }" end
    seen[t] = true
    local deeper, items, shown = indent .. "  ", {}, 0
    local limit = screen.height - 2
    local total = #t
    for i = 1, math.min(total, limit) do
        items[i] = inner(rawget(t, i), screen, deeper, seen)
        shown = i
    end
    local left_out = total - shown
    for _, key in ipairs(sorted_keys(t)) do
        local in_list = math.type(key) == "integer" and key >= 1 and key <= total
        if not in_list then
            if #items < limit then
                local text = inner(rawget(t, key), screen, deeper, seen)
                items[#items + 1] = ("%s = %s"):format(key_text(key), text)
            else
                left_out = left_out + 1
            end
        end
    end
    seen[t] = nil
    if left_out > 0 then items[#items + 1] = ("... %d more"):format(left_out) end
    local line = "{ " .. table.concat(items, ", ") .. " }"
    local fits = #line + #indent <= math.min(screen.width, 100) and not line:find "\n"
    if fits or screen.flat then return line end
    return ("{\n%s%s\n%s}"):format(deeper, table.concat(items, ",\n" .. deeper), indent)
end

-- A list of numbers or texts on one line; nil for any other.
local function short_list(value, row)
    local texts = {}
    if not record.is_list(value) then return nil end
    for i = 1, #value do
        local item = value[i]
        if type(item) ~= "number" and type(item) ~= "string" then return nil end
        texts[i] = math.type(item) and quantity(item, row) or item
    end
    return "{ " .. table.concat(texts, ", ") .. " }"
end

-- The field of a record in a few words: a record in a record is one line.
local function field_text(value, row)
    if math.type(value) then return quantity(value, row) end
    local definition, list_text = record.type_of(value), short_list(value, row)
    if list_text then return list_text end
    if definition and not definition.show then
        local texts, kinds = {}, topics.rows(definition.name)
        for name, item in pairs(value) do
            texts[#texts + 1] = name .. " " .. field_text(item, kinds[name] or {})
        end
        return table.concat(texts, ", ")
    end
    if type(value) == "table" and not has_own_text(value) then
        return plain_table(value, ONE_LINE, "", {})
    end
    return tostring(value)
end

-- Names and values in two columns below a title. fields: an iterator's triple, as of pairs.
local function two_columns(title, rows, screen, fields)
    local lines, width = {title}, 0
    for name in pairs(fields) do width = math.max(width, #name) end
    for name, value in pairs(fields) do
        if type(value) ~= "function" then
            local text = field_text(value, rows[name] or {})
            if text:sub(1, #name + 2) == name .. ": " then text = text:sub(#name + 3) end
            local space = (" "):rep(width + 4)
            lines[#lines + 1] = "  " .. name .. (" "):rep(width - #name + 2)
                .. fit.wrap(text, screen.width - width - 4, space)
        end
    end
    return table.concat(lines, "\n")
end

local function object(value, kind, screen)
    local rows = topics.rows(kind)
    local title = kind
    if rows.name and value.name then title = ("%s: %s"):format(kind, value.name) end
    if kind ~= "network" then return two_columns(title, rows, screen, value) end
    local cells = {{"level", "name", "size", "bandwidth", "latency"}}
    for i = 1, #value do
        local level = value[i]
        cells[i + 1] = {tostring(i), level.name, level.size and tostring(level.size) or "any",
                        units.format(level.bandwidth, "bandwidth"),
                        units.format(level.latency, "time")}
    end
    return "network\n  " .. fit.table(cells, screen):gsub("\n", "\n  ")
end

-- The items of a list, each one line behind its name.
local function lines_of(title, names, get, screen)
    local lines, width, shown = {title}, 0, math.min(#names, screen.height - 2)
    for _, name in ipairs(names) do width = math.max(width, #name) end
    for i = 1, shown do
        local name = names[i]
        local text = tostring(get(i)):gsub("\n.*", " ...")
        lines[#lines + 1] = fit.cut(("  %s%s  %s"):format(name, (" "):rep(width - #name), text),
                                    screen.width)
    end
    if shown < #names then
        lines[#lines + 1] = ("  ... %d more; _[%d] is the next"):format(#names - shown, shown + 1)
    end
    return table.concat(lines, "\n")
end

local function list(value, screen)
    local names = {}
    for i = 1, #value do names[i] = tostring(i) end
    return lines_of(("list of %d"):format(#value), names, function(i) return value[i] end, screen)
end

local function catalog(value, title, screen)
    local names = {}
    for name in pairs(value) do names[#names + 1] = name end
    local whole = {width = screen.width, height = math.huge}
    return lines_of(title, names, function(i) return value[names[i]] end, whole)
end

local function sweep(value, screen)
    if #value == 0 then return tostring(value) end
    local text, hidden, columns = fit.table(require "dtsim.format.table".cells(value, true), screen)
    local hints = {}
    if hidden > 0 then hints[1] = ("%d of %d rows"):format(#value - hidden, #value) end
    if #columns > 0 then hints[#hints + 1] = "without " .. table.concat(columns, ", ") end
    if #hints == 0 then return text end
    return ("%s\n(%s; print(_) shows all)"):format(text, table.concat(hints, ", "))
end

-- A value as text of one or more lines, without a newline at the end.
-- screen: { width, height } in characters, to fit tables to; nil: 80 wide, of any height.
function pretty.text(value, screen)
    screen = screen or NO_TERMINAL
    local kind = type(value) == "userdata" and core.type(value)
    if kind then return object(value, kind, screen) end
    if type(value) ~= "table" then return tostring(value) end
    local definition = record.type_of(value)
    if definition and definition.name == "sweep" then return sweep(value, screen) end
    if definition and not definition.adopted then
        local text = definition.show and tostring(value) or ""
        if text:find "\n" then return fit.wrap(text, screen.width, "  ") end
        return two_columns(definition.name, topics.rows(definition.name), screen, value)
    end
    if record.is_list(value) then return short_list(value, {}) or list(value, screen) end
    local name = (debug.getmetatable(value) or {}).__name
    if type(name) == "string" and name:find " catalog$" and value ~= nil then
        return catalog(value, name, screen)
    end
    if has_own_text(value) then return tostring(value) end
    return plain_table(value, screen, "", {})
end

-- The values of an expression as the prompt prints them: on one line with tabs between them, or
-- one below the other where one of them takes more than a line.
function pretty.values(screen, ...)
    local texts, several = {}, false
    for i = 1, select("#", ...) do
        local value = select(i, ...)
        texts[i] = pretty.text(value, screen)
        several = several or texts[i]:find "\n" and type(value) ~= "string"
    end
    return table.concat(texts, several and "\n" or "\t")
end

return pretty
