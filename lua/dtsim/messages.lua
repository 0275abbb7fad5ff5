-- messages: sentences that several modules, in Lua and in C, say in the same words.

local suggest = require "dtsim.suggest"

local messages = {}

local MOST_LISTED = 10 -- names; longer lists are not told in an error

-- "a, b and c" of a list.
local function join(names)
    if #names < 2 then return names[1] or "" end
    return table.concat(names, ", ", 1, #names - 1) .. " and " .. names[#names]
end

-- That a name is not known: "gpu has no field 'smss'; did you mean 'sms'?".
--   what   whose name it is: "gpu", "optimizer:plan"
--   noun   what the name is of: "field", "option"
--   key    the name, any value
--   names  the names that there are, in any order
function messages.unknown(what, noun, key, names)
    names = {table.unpack(names)}
    table.sort(names)
    local shown = type(key) == "string" and ("'%s'"):format(key) or ("[%s]"):format(tostring(key))
    local text = ("%s has no %s %s"):format(what, noun, shown)
    local near = suggest.nearest(key, names)
    if near then return ("%s; did you mean '%s'?"):format(text, near) end
    if #names == 0 or #names > MOST_LISTED then return text end
    return ("%s; there %s %s"):format(text, #names == 1 and "is" or "are", join(names))
end

return messages
