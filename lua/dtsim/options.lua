-- options: the tables of options that calls take, split and checked.

local core = require "dtsim.core"
local laws = require "dtsim.laws"
local messages = require "dtsim.messages"
local units = require "dtsim.units"

local options = {}

-- A shallow copy of options with more set; nil stands for no options. what: the call, for messages.
function options.with(given, more, what)
    if given ~= nil and type(given) ~= "table" then
        core.raise(("%s: options must be a table, %s"):format(what, core.got(given)))
    end
    local copy = {}
    for key, value in pairs(given or {}) do copy[key] = value end
    for key, value in pairs(more) do copy[key] = value end
    return copy
end

-- Splits options into those of a call itself and those of each of its searches; any other raises.
-- own_names: list of the call's own.
function options.split(given, own_names, what)
    local is_own, is_known, all, own, rest = {}, {}, {}, {}, {}
    for _, name in ipairs(own_names) do
        is_own[name], is_known[name] = true, true
        all[#all + 1] = name
    end
    for _, name in ipairs(core.search_options) do
        is_known[name] = true
        all[#all + 1] = name
    end
    for key, value in pairs(options.with(given, {}, what)) do
        if not is_known[key] then core.raise(messages.unknown(what, "option", key, all)) end
        (is_own[key] and own or rest)[key] = value
    end
    return own, rest
end

-- The set of laws that an option gives; the paper's for nil.
function options.laws(value, what)
    if value == nil then return laws.paper_dense end
    if not laws.is_set(value) then
        core.raise(("%s: laws must be a dtsim.laws{ ... }, %s"):format(what, core.got(value)))
    end
    return value
end

-- A number above 0 that an option gives, also as a text with a unit of `kind`.
function options.positive(value, kind, name, what)
    local number = value
    if type(value) == "string" then
        local message
        number, message = units.try(value, kind)
        if not number then core.raise(("%s: %s: %s"):format(what, name, message)) end
    end
    if type(number) ~= "number" or number ~= number or number <= 0 then
        core.raise(("%s: %s must be a number above 0 or a text such as \"%s\", %s"):format(what,
            name, units.example(kind), core.got(value)))
    end
    return number
end

-- Checks that an option is a list of widths; ascending: each above the one before.
function options.check_widths(list, ascending, what)
    if type(list) ~= "table" then
        core.raise(("%s: d_model must be a list of widths, %s"):format(what, core.got(list)))
    end
    if #list == 0 then core.raise(what .. ": d_model must have one width at least") end
    for i = 1, #list do
        local width = list[i]
        if not math.type(width) or not math.tointeger(width) or width < 1 then
            core.raise(("%s: d_model[%d] must be a whole number above 0, %s")
                :format(what, i, core.got(width)))
        end
        if ascending and i > 1 and width <= list[i - 1] then
            core.raise(("%s: d_model must ascend: d_model[%d] must be above %s, %s")
                :format(what, i, list[i - 1], core.got(width)))
        end
    end
end

return options
