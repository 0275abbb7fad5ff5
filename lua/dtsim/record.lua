-- record: immutable tables with declared fields, for what the library hands to scripts.
--
-- A record reads like a table. An unknown field raises and suggests, an assignment raises and
-- points to x:with{...}, pairs goes in declared order, == compares by value, tostring is one line.

local core = require "dtsim.core"
local messages = require "dtsim.messages"

local record = {}

-- The fields of each record; weak, so that a record and its fields go together.
local contents = setmetatable({}, {__mode = "k"})
local definition_of = {} -- by metatable

-- The definitions of all types of record by name, as record.type got them: for help.
record.types = {}

local type_names = setmetatable({}, {__mode = "k"})

-- What a record is ("result", "set of laws"); nil for any other value.
function record.name_of(value) return type_names[value] end

-- Defines a type of record.
--   name     what to call one in messages
--   fields   names in order; a record may lack some of them (they read as nil)
--   methods  functions that take the record first
--   show     function(record) -> one line of text
--   ignored  names of fields that == leaves out
-- Returns a function that makes a record of a table of fields. It takes over the table.
function record.type(definition)
    local known, methods, ignored = {}, definition.methods or {}, {}
    for _, field in ipairs(definition.fields) do known[field] = true end
    for _, field in ipairs(definition.ignored or {}) do ignored[field] = true end
    local metatable = {__name = definition.name, __metatable = false}
    local make
    definition_of[metatable] = definition
    record.types[definition.name] = definition

    function metatable.__index(self, key)
        if known[key] then return contents[self][key] end
        if methods[key] then return methods[key] end
        local names = {table.unpack(definition.fields)}
        for method in pairs(methods) do names[#names + 1] = method end
        core.raise(messages.unknown(definition.name, "field", key, names))
    end

    function metatable.__newindex(_, key)
        core.raise(("a %s cannot be changed; make a changed copy: x:with{ %s = ... }")
            :format(definition.name, tostring(key)))
    end

    function metatable.__pairs(self)
        local position, values = 0, contents[self]
        return function()
            local key
            repeat
                position = position + 1
                key = definition.fields[position]
            until key == nil or values[key] ~= nil
            if key ~= nil then return key, values[key] end
        end
    end

    function metatable.__eq(a, b)
        local x, y = contents[a], contents[b]
        if type_names[a] ~= type_names[b] or not x or not y then return false end
        for _, field in ipairs(definition.fields) do
            if not ignored[field] and x[field] ~= y[field] then return false end
        end
        return true
    end

    metatable.__tostring = definition.show or function() return definition.name end

    methods.with = methods.with or function(self, changes)
        local copy = {}
        for field, value in pairs(contents[self]) do copy[field] = value end
        for field, value in pairs(record.changes(changes, definition.name)) do
            if not known[field] then
                core.raise(messages.unknown(definition.name, "field", field, definition.fields))
            end
            copy[field] = value
        end
        return make(copy)
    end

    function make(fields)
        local made = setmetatable({}, metatable)
        contents[made] = fields
        type_names[made] = definition.name
        return made
    end
    return make
end

-- The argument of x:with{ ... }, checked to be a table.
function record.changes(changes, name)
    if type(changes) ~= "table" then
        core.raise(("%s:with takes a table of changes, %s"):format(name, core.got(changes)))
    end
    return changes
end

local list_metatable = {__name = "list", __metatable = false}
function list_metatable.__index(self, key) return contents[self][key] end
function list_metatable.__len(self) return #contents[self] end
function list_metatable.__newindex() core.raise("this list cannot be changed; copy it first") end
function list_metatable.__pairs(self) return ipairs(contents[self]) end
function list_metatable.__eq(a, b)
    local x, y = contents[a], contents[b]
    if not x or not y or #x ~= #y then return false end
    for i = 1, #x do if x[i] ~= y[i] then return false end end
    return true
end
function list_metatable.__tostring(self)
    local texts = {}
    for i, value in ipairs(contents[self]) do texts[i] = tostring(value) end
    return "{ " .. table.concat(texts, ", ") .. " }"
end

-- An immutable list of an array of values. It takes over the table.
function record.list(values)
    local made = setmetatable({}, list_metatable)
    contents[made] = values
    return made
end

-- Makes an object that is no record known to record.type_of, for help and printing, by its
-- metatable. definition: name, fields and methods as in record.type.
function record.adopt(metatable, definition)
    definition.adopted = true
    definition_of[metatable] = definition
    record.types[definition.name] = definition
end

-- The definition of a record's type, or of an adopted object's; nil for any other value.
function record.type_of(value) return definition_of[debug.getmetatable(value)] end

-- Whether a value is a list of record.list.
function record.is_list(value) return debug.getmetatable(value) == list_metatable end

local function sorted_keys(values)
    local keys = {}
    for key in pairs(values) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    return keys
end

local map_metatable = {__name = "table", __metatable = false}
function map_metatable.__index(self, key) return contents[self][key] end
function map_metatable.__newindex() core.raise("this table cannot be changed; copy it first") end
function map_metatable.__pairs(self)
    local keys, values, i = sorted_keys(contents[self]), contents[self], 0
    return function()
        i = i + 1
        if keys[i] ~= nil then return keys[i], values[keys[i]] end
    end
end
function map_metatable.__eq(a, b)
    local x, y = contents[a], contents[b]
    if not x or not y then return false end
    for key, value in pairs(x) do if y[key] ~= value then return false end end
    for key in pairs(y) do if x[key] == nil then return false end end
    return true
end
function map_metatable.__tostring(self)
    local texts = {}
    for key, value in pairs(self) do
        texts[#texts + 1] = ("%s = %s"):format(tostring(key), tostring(value))
    end
    return "{ " .. table.concat(texts, ", ") .. " }"
end

-- An immutable copy of a table of options: lists in it become immutable lists, tables immutable
-- tables; all else stays. pairs goes in the order of the keys.
function record.frozen(values)
    if type(values) ~= "table" or contents[values] then return values end
    local copy = {}
    for key, value in pairs(values) do copy[key] = record.frozen(value) end
    if #copy > 0 then return record.list(copy) end
    local made = setmetatable({}, map_metatable)
    contents[made] = copy
    return made
end

-- A plain copy of a record, list, object or table, all the way down: for JSON and for printing.
-- Functions are left out.
function record.plain(value)
    local object_type = type(value) == "userdata" and core.type(value)
    if type(value) ~= "table" and not object_type then return value end
    local copy = {}
    for key, item in pairs(value) do
        if type(item) ~= "function" then copy[key] = record.plain(item) end
    end
    return copy
end

return record
