-- help: what the prompt tells about names, functions and values. The texts are dtsim.help.topics.

local core = require "dtsim.core"
local fit = require "dtsim.fit"
local program = require "dtsim.help.program"
local suggest = require "dtsim.suggest"
local topics = require "dtsim.help.topics"

local help = {}

local DEFAULT_WIDTH = 79

-- Names and texts in two columns, the texts wrapped.
local function two_columns(lines, pairs_of_text, width)
    local names = 0
    for _, pair in ipairs(pairs_of_text) do names = math.max(names, #pair[1]) end
    names = math.min(names, 30)
    for _, pair in ipairs(pairs_of_text) do
        local space = (" "):rep(math.max(names - #pair[1], 0) + 2)
        local text = fit.wrap(pair[2], width - names - 4, (" "):rep(names + 4))
        lines[#lines + 1] = "  " .. pair[1] .. space .. text
    end
end

local function row_pairs(rows)
    local list = {}
    for i, row in ipairs(rows) do
        local note = topics.row_note(row)
        list[i] = {row.name, note == "" and row.help or ("%s (%s)"):format(row.help, note)}
    end
    return list
end

local function paragraph(lines, title, text, width)
    if not text then return end
    lines[#lines + 1] = ""
    local indent = title ~= "" and "  " or ""
    lines[#lines + 1] = fit.wrap(title .. text, width - #indent, indent)
end

local function topic_text(topic, width)
    local lines = {("%s: %s"):format(topic.name, topic.summary), "  " .. topic.usage}
    paragraph(lines, "", topic.text, width)
    local list = topic.program and program.options or row_pairs(topic.rows)
    if #list > 0 then
        lines[#lines + 1] = ""
        two_columns(lines, list, width)
    end
    local methods = topics.methods_of(topic)
    if #methods > 0 then paragraph(lines, "Methods: ", table.concat(methods, ", "), width) end
    paragraph(lines, "Returns ", topic.returns, width)
    if topic.example then
        lines[#lines + 1] = "\nExample:"
        lines[#lines + 1] = "  " .. topic.example:gsub("\n$", ""):gsub("\n", "\n  ")
    end
    paragraph(lines, "Source: ", topic.source, width)
    paragraph(lines, "See also: ", topic.see and table.concat(topic.see, ", "), width)
    return table.concat(lines, "\n")
end

local function overview(width)
    local lines = {
        'help "NAME" tells more about a name, help(x) about a value; Tab completes names.', "",
    }
    local list = {}
    for _, topic in ipairs(topics.list) do
        local sub = topic.name:find "^dtsim%.%w+%." or topic.name:find ":"
        if not sub then list[#list + 1] = {topic.name, topic.summary} end
    end
    two_columns(lines, list, width)
    return table.concat(lines, "\n")
end

-- The rows of all topics that have a field or an argument of that name.
local function rows_named(name, width)
    local list = {}
    for _, topic in ipairs(topics.list) do
        for _, row in ipairs(topic.rows) do
            if row.name == name and not topic.options then
                local note = topics.row_note(row)
                list[#list + 1] = {topic.name,
                                   note == "" and row.help or ("%s (%s)"):format(row.help, note)}
            end
        end
    end
    for _, row in ipairs(core.fields["search options"]) do
        if row.name == name then list[#list + 1] = {"search options", row.help} end
    end
    if #list == 0 then return nil end
    local lines = {name .. " is a field or an argument of"}
    two_columns(lines, list, width)
    return table.concat(lines, "\n")
end

-- The topic of a name: written in full, without "dtsim.", or its last part alone.
local function find_topic(name)
    local found = topics.by_name[name] or topics.by_name["dtsim." .. name]
    if found then return found end
    for _, topic in ipairs(topics.list) do
        if topic.name:match "[%w_]+$" == name then return topic end
    end
end

local function nearest(name)
    local names = {}
    for _, topic in ipairs(topics.list) do
        names[#names + 1] = topic.name
        names[#names + 1] = topic.name:match "[%w_]+$"
        for _, row in ipairs(topic.rows) do names[#names + 1] = row.name end
    end
    return suggest.nearest(name, names)
end

local function about_name(name, width)
    local topic, rows = find_topic(name), rows_named(name, width)
    if rows and not topic then return rows end
    if topic then
        local both = rows and topic.name == name
        return topic_text(topic, width) .. (both and "\n\n" .. rows or "")
    end
    local near = nearest(name)
    local hint = near and ('; did you mean "%s"?'):format(near) or "; help() lists what there is"
    return ('there is no help for "%s"%s'):format(name, hint)
end

-- The method that a function is, as a topic.
local function topic_of_method(value)
    for _, topic in ipairs(topics.list) do
        local kind, method = topic.name:match "^([%w_]+):([%w_]+)$"
        local methods = kind and topics.methods_by_prefix(kind)
        if methods and rawequal(methods[method], value) then return topic end
    end
end

-- The topic about a value that is no text.
local function topic_of_value(value)
    for _, topic in ipairs(topics.list) do
        if rawequal(topics.value_of(topic.name), value) then return topic end
    end
    local kind = topics.kind_of(value)
    if kind then return topics.of_kind(kind) end
    return type(value) == "function" and topic_of_method(value)
end

-- The help about a name, a function or a value, as a text; an overview if there is no argument or
-- the library itself is given. width: characters of a line (79).
function help.text(value, width)
    width = width or DEFAULT_WIDTH
    if value == nil or rawequal(value, require "dtsim") or rawequal(value, help) then
        return overview(width)
    end
    if type(value) == "string" then return about_name(value, width) end
    local topic = topic_of_value(value)
    if topic then return topic_text(topic, width) end
    return ("there is no help for this %s; help() lists what there is"):format(type(value))
end

-- help(x) prints help.text(x).
return setmetatable(help, {
    __call = function(_, value) io.write(help.text(value), "\n") end,
    __tostring = function() return "help() gives an overview, help \"NAME\" tells about a name" end,
})
