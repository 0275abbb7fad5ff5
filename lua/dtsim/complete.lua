-- complete: what Tab may put at the end of a text, for the prompt.
--
-- Looks at values without calling anything of the user's: tables are read raw, and only what is
-- dtsim's own is indexed as scripts do.

local record = require "dtsim.record"
local topics = require "dtsim.help.topics"

local complete = {}

local KEYWORDS = {
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
}

-- ---- where the text ends ----

-- The end of the long bracket that opens at `from` ("[[", "[=[", ...): the position of its last
-- byte, or nil if it is open at the end of the text; false if there is none.
local function long_bracket_end(text, from)
    local equals = text:match("^%[(=*)%[", from)
    if not equals then return false end
    local _, last = text:find("]" .. equals .. "]", from, true)
    return last
end

-- The position of the closing quote of the string that opens at `from`; nil if there is none.
local function string_end(text, from)
    local quote, position = text:sub(from, from), from + 1
    while position <= #text do
        local byte = text:sub(position, position)
        if byte == quote then return position end
        position = position + (byte == "\\" and 2 or 1)
    end
end

local CLOSES = {[")"] = "(", ["}"] = "{", ["]"] = "["}

-- Notes an opening bracket: what it belongs to (the name before it) and, later, its keys.
local function open_bracket(stack, text, position)
    stack[#stack + 1] = {
        bracket = text:sub(position, position),
        owner = text:sub(1, position - 1):match "([%a_][%w_.:]*)%s*$",
        keys = {},
    }
end

-- Reads one item of Lua at a position. Returns the position behind it; or nil and where the text
-- ends: "string" and its start, "comment".
local function step(text, position, stack)
    local byte = text:sub(position, position)
    local last
    if byte == '"' or byte == "'" then
        last = string_end(text, position)
        if not last then return nil, "string", position + 1 end
    elseif text:find("^%-%-", position) then
        last = long_bracket_end(text, position + 2)
        if last == false then last = text:find("\n", position, true) end
        if not last then return nil, "comment" end
    elseif long_bracket_end(text, position) ~= false then
        last = long_bracket_end(text, position)
        if not last then return nil, "comment" end
    elseif byte:find "[({%[]" then
        open_bracket(stack, text, position)
    elseif CLOSES[byte] then
        if #stack > 0 and stack[#stack].bracket == CLOSES[byte] then stack[#stack] = nil end
    else
        local name, behind = text:match("^([%a_][%w_]*)()", position)
        if name and #stack > 0 and text:find("^%s*=[^=]", behind) then
            stack[#stack].keys[name] = true
        end
        last = name and behind - 1
    end
    return (last or position) + 1
end

-- What the text ends in: "code", "string" (and where the string starts) or "comment", and the
-- brackets that are open there, outermost first.
local function scan(text)
    local stack, position = {}, 1
    while position <= #text do
        local behind, place, start = step(text, position, stack)
        if not behind then return place, stack, start end
        position = behind
    end
    return "code", stack
end

-- ---- values and their names ----

local function is_catalog(value)
    local dtsim = require "dtsim"
    return rawequal(value, dtsim.gpus) or rawequal(value, dtsim.networks)
        or rawequal(value, dtsim.systems) or rawequal(value, dtsim.presets)
end

local function is_ours(value)
    return rawequal(value, require "dtsim") or topics.kind_of(value) or record.is_list(value)
        or is_catalog(value)
end

-- value[name], or nil where finding out would run code of the user's.
local function member(value, name)
    if type(value) == "string" then return string[name] end
    if is_ours(value) then
        local found, item = pcall(function() return value[name] end)
        return found and item or nil
    end
    return type(value) == "table" and rawget(value, name) or nil
end

-- The value of a path such as "dtsim.gpus.a100", or nil.
local function resolve(path)
    local value = _G
    for name in path:gmatch "[%a_][%w_]*" do
        value = member(value, name)
        if value == nil then return nil end
    end
    return value
end

local function add_keys(names, t, functions_only)
    for key, item in next, t do
        local fits = not functions_only or type(item) == "function"
        if type(key) == "string" and key:find "^[%a_][%w_]*$" and fits then
            names[#names + 1] = key
        end
    end
end

-- Fields and methods of a Lua table of the user's, with those that its metatable lends it.
local function table_names(value, methods)
    local names, seen = {}, {}
    while type(value) == "table" and not seen[value] do
        seen[value] = true
        add_keys(names, value, methods)
        local metatable = debug.getmetatable(value)
        value = type(metatable) == "table" and rawget(metatable, "__index")
    end
    return names
end

-- The names that may follow a value: its methods behind a colon, else its fields.
local function names_of(value, methods)
    local names = {}
    local kind, own_methods, fields = topics.kind_of(value)
    if type(value) == "string" then return methods and table_names(string, true) or names end
    if kind then
        if methods then add_keys(names, own_methods) else names = fields end
    elseif is_ours(value) then
        for name in pairs(value) do
            if type(name) == "string" then names[#names + 1] = name end
        end
    else
        return table_names(value, methods)
    end
    return names
end

-- ---- fields inside braces ----

local function add_rows(names, topic)
    for _, row in ipairs(topic and topic.rows or {}) do
        if not row.positional and not row.computed and row.name:find "^[%a_]" then
            names[#names + 1] = row.name
        end
        if row.fields then add_rows(names, topics.by_name[row.fields]) end
    end
end

-- The topic about a function by its path in the text: "dtsim.gpu", "opt:sweep", "x:with".
local function topic_of_call(path)
    local object, method = path:match "^(.*):([%a_][%w_]*)$"
    if not object then
        local value = resolve(path)
        if value == nil then return nil end
        for _, topic in ipairs(topics.list) do
            if rawequal(topics.value_of(topic.name), value) then return topic end
        end
        return nil
    end
    local value = resolve(object)
    local kind = topics.kind_of(value)
    if not kind then return nil end
    return method == "with" and topics.of_kind(kind) or topics.of_method(kind, method)
end

-- The fields that the innermost open brace takes; nil if the text ends in none that is known.
local function brace_fields(stack)
    local brace, outer = stack[#stack], stack[#stack - 1]
    if not brace or brace.bracket ~= "{" then return nil end
    local owner, topic = brace.owner, nil
    if owner then
        topic = topic_of_call(owner)
    elseif outer and outer.owner then
        topic = topic_of_call(outer.owner)
        if outer.bracket == "{" then topic = topic and topics.by_name[topic.items] end
    end
    if not topic then return nil end
    local names = {}
    add_rows(names, topic)
    for i = #names, 1, -1 do
        if brace.keys[names[i]] then table.remove(names, i) else names[i] = names[i] .. " = " end
    end
    return names
end

-- ---- putting it together ----

-- Those of the names that start with a word, sorted, each once.
local function starting_with(word, names)
    local found, seen = {}, {}
    for _, name in ipairs(names) do
        if name:sub(1, #word) == word and not seen[name] then
            seen[name] = true
            found[#found + 1] = name
        end
    end
    table.sort(found)
    return found
end

-- What may stand at the end of a text: all lines of the unfinished input up to the cursor.
-- Returns a sorted list of names and the position in the text where the word starts that they
-- would replace. Inside a text in quotes it is "file" and the position where the text starts: a
-- file's name is due. Nothing fits: an empty list.
function complete.at(text)
    local place, stack, start = scan(text)
    if place == "string" then return "file", start end
    local from, path = text:match "()([%a_][%w_.:]*)$"
    from, path = from or #text + 1, path or ""
    if place == "comment" or text:sub(from - 1, from - 1):find "[%w.:]" then return {}, from end
    local object, mark, word = path:match "^(.*)([.:])([%w_]*)$"
    if object then
        local value = resolve(object)
        local names = value ~= nil and names_of(value, mark == ":") or {}
        return starting_with(word, names), #text - #word + 1
    end
    if text:sub(1, from - 1):find "[{,;]%s*$" then
        local names = starting_with(path, brace_fields(stack) or {})
        if #names > 0 then return names, from end
    end
    local names = {table.unpack(KEYWORDS)}
    add_keys(names, _G)
    return starting_with(path, names), from
end

return complete
