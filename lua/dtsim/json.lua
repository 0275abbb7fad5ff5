--- JSON: exact and repeatable output, and input by lua-cjson.
-- May use: lua-cjson, the Lua standard library.
--
-- Output is the same for the same value everywhere: keys sorted, numbers written so that they
-- read back to the same bits, infinity (which JSON lacks) as the string "inf" or "-inf".
-- What cannot be written (NaN, functions, mixed keys, cycles, text that is no UTF-8) raises
-- with the path to it, such as "points[3].time".
--
-- Input: objects and arrays become tables, null becomes json.null, a whole number up to 2^53
-- becomes a Lua integer and any other number a float ("1e3" is 1000, "0.5" is 0.5; integers
-- beyond 2^53 become the nearest double). Strings stay strings, "inf" too. Empty arrays and
-- empty objects cannot be told apart after reading.

local cjson = require "cjson"

local json = {}

local MAX_DEPTH = 200 -- of tables in tables, in both directions
local PIECE = 65536 -- bytes of a long string that are written at once
local MAX_EXACT = 2.0 ^ 53 -- every whole number up to it is a double

local codec = cjson.new() -- an instance of our own: a script's settings of cjson are its own
codec.decode_invalid_numbers(false)
codec.decode_max_depth(MAX_DEPTH)

local ARRAY = { __jsontype = "array" }
local OBJECT = { __jsontype = "object" }

--- What stands for JSON's null: a value, where nil could not be in a table.
json.null = cjson.null

local function mark(t, metatable)
    if type(t) ~= "table" then error("a table is expected, not a " .. type(t), 3) end
    local old = getmetatable(t)
    if old ~= nil and old ~= ARRAY and old ~= OBJECT then
        error("the table has a metatable already", 3)
    end
    return setmetatable(t, metatable)
end

--- Marks a table as an array, which matters when it is empty, and returns it.
-- An empty table without a mark is written as an array too. A table with another metatable
-- raises; such a table can carry the mark as the field __jsontype = "array" of its metatable.
-- @param t  table; a new one where absent
function json.array(t) return mark(t == nil and {} or t, ARRAY) end

--- Marks a table as an object, so that it is written as {} when it is empty, and returns it.
-- @param t  table; a new one where absent
function json.object(t) return mark(t == nil and {} or t, OBJECT) end

-- Raised (as a table, to be told from any other error) with the path's parts, outermost first.
local function refuse(state, message)
    local path = {}
    for i = 1, state.depth do
        local key = state.path[i]
        if math.type(key) == "integer" then
            table.insert(path, ("[%d]"):format(key))
        elseif type(key) == "string" and key:find("^[%a_][%w_]*$") then
            table.insert(path, (#path > 0 and "." or "") .. key)
        else
            table.insert(path, ("[%q]"):format(tostring(key)))
        end
    end
    local where = #path > 0 and table.concat(path) or "the value"
    error({ refused = ("cannot write JSON: %s %s"):format(where, message) }, 0)
end

-- x as a Lua integer where it is a whole number that every JSON reader keeps, else nil.
-- (-0.0 would lose its sign.)
local function exact_integer(x)
    if math.abs(x) > MAX_EXACT or (x == 0 and 1 / x < 0) then return nil end
    return math.tointeger(x)
end

-- Whole numbers up to 2^53 in full; others in the fewest of 15, 16 and 17 digits that read back
-- to the same double.
local function number_text(x, state)
    if math.type(x) == "integer" then return ("%d"):format(x) end
    if x ~= x then refuse(state, "is NaN") end
    if x == math.huge then return '"inf"' end
    if x == -math.huge then return '"-inf"' end
    local whole = exact_integer(x)
    if whole then return ("%d"):format(whole) end
    for _, format in ipairs { "%.15g", "%.16g", "%.17g" } do
        local text = format:format(x)
        if tonumber(text) == x then return (text:gsub(",", ".")) end -- a locale may put a comma
    end
end

-- A string as lua-cjson writes it, but with "/" for its "\/". In pieces, for lua-cjson takes six
-- times a text's size from memory that Lua does not count.
local function string_text(s, state)
    if not utf8.len(s) then refuse(state, "is no valid UTF-8") end
    local pieces = {}
    for first = 1, #s, PIECE do
        local text = codec.encode(s:sub(first, first + PIECE - 1)):sub(2, -2)
        pieces[#pieces + 1] = text:gsub("\\(.)", function(c) return c == "/" and c or nil end)
    end
    return '"' .. table.concat(pieces) .. '"'
end

-- "array" or "object" for a table.
local function shape(t, state)
    local metatable = getmetatable(t)
    local marked = type(metatable) == "table" and rawget(metatable, "__jsontype") or nil
    if marked ~= nil and marked ~= "array" and marked ~= "object" then
        refuse(state, ("has the __jsontype %q; known are array, object"):format(tostring(marked)))
    end
    local integers, strings, largest = 0, 0, 0
    for key in next, t do
        if math.type(key) == "integer" and key >= 1 then
            integers, largest = integers + 1, math.max(largest, key)
        elseif type(key) == "string" then
            strings = strings + 1
        else
            refuse(state, ("has the key %s; keys must be strings, or 1 to n in an array"):format(
                tostring(key)))
        end
    end
    if integers > 0 and strings > 0 then refuse(state, "mixes string keys and numbered ones") end
    if integers ~= largest then
        refuse(state, ("is an array with holes: %d of %d are set"):format(integers, largest))
    end
    if strings > 0 and marked == "array" then
        refuse(state, "is marked an array but has string keys")
    end
    if integers > 0 and marked == "object" then
        refuse(state, "is marked an object but has numbered keys")
    end
    return (strings > 0 or marked == "object") and "object" or "array"
end

local write -- defined below; containers and values are written by turns

-- Writes what stands between the brackets: emit() once per item, by `each`.
local function write_items(state, open, close, each)
    local out, first = state.out, true
    table.insert(out, open)
    each(function(key, lead, value)
        if not first then table.insert(out, ",") end
        first = false
        if state.indent then
            table.insert(out, "\n" .. (" "):rep(state.indent * state.depth))
        end
        table.insert(out, lead)
        state.path[state.depth] = key
        write(value, state)
    end)
    if not first and state.indent then
        table.insert(out, "\n" .. (" "):rep(state.indent * (state.depth - 1)))
    end
    table.insert(out, close)
end

local function write_array(t, state)
    write_items(state, "[", "]", function(item)
        for i = 1, rawlen(t) do item(i, "", rawget(t, i)) end
    end)
end

local function write_object(t, state)
    local keys = {}
    for key in next, t do table.insert(keys, key) end
    table.sort(keys)
    local colon = state.indent and ": " or ":"
    write_items(state, "{", "}", function(item)
        for _, key in ipairs(keys) do
            state.path[state.depth] = key
            item(key, string_text(key, state) .. colon, rawget(t, key))
        end
    end)
end

local function write_table(t, state)
    if state.open[t] then refuse(state, "is a table that contains itself") end
    if state.depth >= MAX_DEPTH then
        refuse(state, ("is nested more than %d tables deep"):format(MAX_DEPTH))
    end
    local writer = shape(t, state) == "array" and write_array or write_object
    state.open[t] = true
    state.depth = state.depth + 1
    writer(t, state)
    state.path[state.depth] = nil
    state.depth = state.depth - 1
    state.open[t] = nil
end

function write(value, state)
    local kind = type(value)
    if kind == "table" then
        write_table(value, state)
    elseif kind == "string" then
        table.insert(state.out, string_text(value, state))
    elseif kind == "number" then
        table.insert(state.out, number_text(value, state))
    elseif kind == "boolean" then
        table.insert(state.out, tostring(value))
    elseif value == json.null then
        table.insert(state.out, "null")
    else
        refuse(state, ("is of type %s, which JSON does not have"):format(kind))
    end
end

-- The indentation that options ask for, or nil; wrong options raise at the caller of encode.
local function indent_of(options)
    if options == nil then return nil end
    if type(options) ~= "table" then
        error("options must be a table like { indent = 2 }, not a " .. type(options), 3)
    end
    for key in pairs(options) do
        if key ~= "indent" then
            error(("unknown option %q; the only one is indent"):format(tostring(key)), 3)
        end
    end
    local indent = options.indent
    if indent == nil or indent == 0 then return nil end
    if math.type(indent) ~= "integer" or indent < 0 or indent > 16 then
        error(("indent must be a whole number from 0 to 16, not %s"):format(tostring(indent)), 3)
    end
    return indent
end

--- Writes a value as JSON.
-- Tables with string keys are objects, tables with the keys 1 to n arrays; metamethods are not
-- called. Floats with a whole value look like integers ("16" for 16.0), and integers are written
-- in full, though readers that know doubles only, as json.decode, round them beyond 2^53.
-- @param value    nil excepted (use json.null), anything that JSON has
-- @param options  optional; { indent = n } puts each item on a line, n blanks a level (0 to 16)
-- @return the text, without a line end
-- Raises for what JSON cannot hold, naming the path to it.
function json.encode(value, options)
    local state = { out = {}, path = {}, depth = 0, open = {}, indent = indent_of(options) }
    local ok, failure = pcall(write, value, state)
    if not ok and type(failure) == "table" and failure.refused then error(failure.refused, 2) end
    if not ok then error(failure, 0) end
    return table.concat(state.out)
end

-- Whole numbers up to 2^53 as integers, throughout. Returns the value, or nil and what is wrong.
local function normalize(value)
    if type(value) == "number" then
        if value == math.huge or value == -math.huge then
            return nil, "a number is too large for a double"
        end
        return exact_integer(value) or value
    end
    if type(value) == "table" then
        for key, item in pairs(value) do
            local new, message = normalize(item)
            if new == nil then return nil, message end
            value[key] = new
        end
    end
    return value
end

--- Reads JSON; malformed text is no error but an answer.
-- @param text  string with one JSON value, in UTF-8
-- @return the value (false for "false", json.null for "null"); or nil and a message that says
--   what is wrong and at which character
function json.try_decode(text)
    if type(text) ~= "string" then
        return nil, "cannot read JSON: a string is expected, not a " .. type(text)
    end
    local valid, position = utf8.len(text)
    if not valid then
        return nil, ("cannot read JSON: byte %d is no valid UTF-8"):format(position)
    end
    local ok, value = pcall(codec.decode, text)
    if not ok then return nil, "cannot read JSON: " .. value end
    local result, message = normalize(value)
    if result == nil then return nil, "cannot read JSON: " .. message end
    return result
end

--- Reads JSON as json.try_decode does, but raises its message.
-- @param text  string with one JSON value, in UTF-8
-- @return the value
function json.decode(text)
    local value, message = json.try_decode(text)
    if value == nil then error(message, 2) end
    return value
end

return json
