-- arguments: the options of a scenario, "--name value" on its command line.
--
-- local options = dtsim.arguments(arg, "usage: dtsim x.lua [--out DIR]", {out = "."})

local core = require "dtsim.core"
local suggest = require "dtsim.suggest"

local USAGE_ERROR = 2 -- the exit status

local function fail(message, usage)
    io.stderr:write("dtsim: ", message, "\n", usage, "\n")
    os.exit(USAGE_ERROR, true)
end

local function names_of(defaults)
    local names = {}
    for name in pairs(defaults) do names[#names + 1] = name end
    table.sort(names)
    return names
end

-- Name and value of the option at list[i], and how many words they are.
local function take(list, i, defaults, usage)
    local name, value = list[i]:match "^%-%-([^=]+)=(.*)$"
    local words = value and 1 or 2
    name = name or list[i]:match "^%-%-(.+)$"
    if not name then fail(("unexpected argument '%s'"):format(list[i]), usage) end
    if defaults[name] == nil then
        local near = suggest.nearest(name, names_of(defaults))
        fail(("unknown option '--%s'%s"):format(name,
            near and ("; did you mean '--%s'?"):format(near) or ""), usage)
    end
    value = value or list[i + 1]
    if not value then fail(("option '--%s' takes a value"):format(name), usage) end
    return name, value, words
end

-- Reads "--name value" and "--name=value"; the last of a name counts.
--   list      the words: a script's `arg`, or nil for none
--   usage     what --help prints, and what follows a message about wrong words
--   defaults  the options that there are, each with its value where it is not given (texts)
-- Returns a table of texts by name. Ends the program for --help (status 0) and for wrong words
-- (status 2). Errors: wrong types.
return function(list, usage, defaults)
    if type(usage) ~= "string" or type(defaults) ~= "table" then
        core.raise "arguments takes a list of words, a usage text and a table of defaults"
    end
    local options, i = {}, 1
    for name, value in pairs(defaults) do options[name] = value end
    while list and list[i] do
        if list[i] == "--help" then
            print(usage)
            os.exit(0, true)
        end
        local name, value, words = take(list, i, defaults, usage)
        options[name] = value
        i = i + words
    end
    return options
end
