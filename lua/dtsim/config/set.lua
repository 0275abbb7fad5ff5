-- set: changes one value of a configuration file from outside: network[2].bandwidth=200 GB/s.

local core = require "dtsim.core"
local json = require "dtsim.json"
local lpeg = require "lpeg"
local record = require "dtsim.record"

local MAX_INDEX = 10000

-- "a.b[2].c" -> { "a", "b", 2, "c" }; in brackets a number, or the name of a list's element.
local path_pattern = (function()
    local P, R, C, Ct = lpeg.P, lpeg.R, lpeg.C, lpeg.Ct
    local letter, word = R("az", "AZ") + "_", C((R("az", "AZ", "09") + "_")^1)
    local number = C(R"09"^1) / math.tointeger * #P"]"
    local index = "[" * (number + C((1 - P"]")^1)) * "]"
    return Ct(#letter * word * ("." * word + index)^0) * -1
end)()

local function refuse(setting, message, ...)
    core.raise(("--set %s: %s"):format(setting, message:format(...)))
end

-- The path so far, for messages.
local function path_text(keys, last)
    local text = ""
    for i = 1, last do
        local key = keys[i]
        local is_name = type(key) == "string" and key:find "^[%a_][%w_]*$"
        text = text .. (is_name and (i > 1 and "." or "") .. key or ("[%s]"):format(key))
    end
    return text
end

local function copy(value)
    if type(value) ~= "table" then return value end
    local new = {}
    for key, item in pairs(value) do new[key] = copy(item) end
    return new
end

-- What stands in the catalogs under a name, as a file would give it in full.
local expand = {
    gpu = function(name)
        local entry = copy(require "dtsim.catalog.gpus"[name])
        if entry then entry.sources, entry.hypothetical = nil, nil end
        return entry
    end,
    network = function(name)
        local entry = require "dtsim.catalog.networks"[name]
        return entry and copy(entry.levels)
    end,
    laws = function(name)
        local laws = require "dtsim.laws"
        local set = rawget(laws, name)
        return laws.is_set(set) and record.plain(set.names) or nil
    end,
}

-- Gives a configuration its own GPU or network where it has a system's.
local function take_from_system(owner, key)
    local system = owner.system and require "dtsim.catalog.systems"[owner.system]
    if owner[key] == nil and system then owner[key] = system[key] end
end

-- The table below owner[key], made in full where only a name stands.
local function descend(owner, keys, i, setting)
    local key = keys[i]
    if key == "gpu" or key == "network" then take_from_system(owner, key) end
    if type(owner[key]) == "string" and expand[key] and key ~= "order" then
        owner[key] = expand[key](owner[key]) or owner[key]
    end
    if owner[key] == nil and (key == #owner + 1 or #owner == 0) then owner[key] = {} end
    if type(owner[key]) ~= "table" then
        refuse(setting, "%s is %s", path_text(keys, i),
            owner[key] == nil and "not there" or "a value without fields")
    end
    return owner[key]
end

-- A key of a list: a number within it or one behind it, or the `name` of one of its elements.
local function list_key(list, keys, i, setting)
    local key = keys[i]
    if math.type(key) == "integer" then
        if key < 1 or key > math.min(#list + 1, MAX_INDEX) then
            refuse(setting, "%s has %d elements", path_text(keys, i - 1), #list)
        end
        return key
    end
    for j, element in ipairs(list) do
        if type(element) == "table" and element.name == key then return j end
    end
    if #list > 0 then
        refuse(setting, "%s has no element named '%s'", path_text(keys, i - 1), key)
    end
    return key
end

-- A peak and the rates that give one exclude each other: the new one takes the old one's place.
local function settle_peak(keys, owners)
    for i, owner in ipairs(owners) do
        if keys[i - 1] == "gpu" and keys[i] == "peak" then
            owner.flop_per_clock_per_thread = nil
        elseif keys[i - 1] == "gpu" and keys[i] == "flop_per_clock_per_thread" then
            owner.peak = nil
        end
    end
end

local set = {}

-- Splits "network[2].bandwidth=200 GB/s" into its keys and its value. The value is read as JSON
-- where it is JSON (numbers, true, lists, "texts") and is a text otherwise; null takes the field
-- away. Errors: no "=", a path that is none.
function set.parse(setting)
    local path, text = setting:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
    local keys = path and path_pattern:match(path)
    if not keys then
        core.raise(("--set takes a path and a value such as network[2].bandwidth=\"200 GB/s\", "
            .. "got \"%s\""):format(setting))
    end
    local value = json.try_decode(text)
    if value == nil then value = text end
    return keys, value
end

-- Changes the value at a path in a table. What a catalog's name stands for on the way is written
-- out. setting: the text, for messages. Errors: a path that leads through what is no table.
function set.assign(root, keys, value, setting)
    local owner, owners = root, {}
    for i = 1, #keys do
        local key = #owner > 0 and list_key(owner, keys, i, setting) or keys[i]
        if math.type(key) == "integer" and #owner == 0 and key ~= 1 then
            refuse(setting, "%s has 0 elements", path_text(keys, i - 1))
        end
        owners[i] = owner
        if i == #keys then
            if value == json.null then value = nil end
            owner[key] = copy(value)
        else
            keys = {table.unpack(keys)}
            keys[i] = key
            owner = descend(owner, keys, i, setting)
        end
    end
    settle_peak(keys, owners)
end

return set
