-- dtsim: limits of distributed training, from a script. This module gathers the library.
--
-- A part is loaded when it is first asked for, so that a script pays for what it uses alone.
-- To add one, add its name and how to get it to `parts`, and its help to dtsim.help.topics.

local core = require "dtsim.core"

local order = {}
local parts = {}
local function part(name, get)
    order[#order + 1] = name
    parts[name] = get
end
local function library(name) return function() return require("dtsim." .. name) end end
local function catalog(name) return function() return require "dtsim.catalog"[name] end end

part("gpu", function() return require "dtsim.gpu".new end)
part("network", function() return core.network end)
part("model", function() return core.model end)
part("optimizer", function()
    require "dtsim.optimizer"
    return core.optimizer
end)
part("laws", library "laws")
part("formula", function() return require "dtsim.formula".new end)
part("widths", library "widths")
part("gpus", catalog "gpus")
part("networks", catalog "networks")
part("systems", catalog "systems")
part("study", library "study")
part("presets", library "presets")
part("plot", library "plot")
part("transformer", function() return core.transformer end)
part("machine", function() return core.machine end)
part("software", function() return core.software end)
part("train_plan", function() return core.train_plan end)
local function training(name) return function() return require "dtsim.train"[name] end end
part("trainer", training "trainer")
part("collective", training "collective")
part("compare_modes", training "compare_modes")
part("models", training "models")
part("machines", training "machines")
part("frameworks", training "frameworks")
part("vision", training "vision")
part("layers", library "layers")
part("import_hf", library "import_hf")
part("validate", library "validate")
part("closed_forms", library "closed_forms")
part("units", library "units")
part("json", library "json")
part("arguments", library "arguments")
part("align", function() return require "dtsim.format.table".align end)
part("help", library "help")
part("version", function() return require "dtsim.help.program".version end)

local dtsim = {}
local metatable = {}

function metatable.__index(_, name)
    local get = parts[name]
    if not get then
        core.raise(require "dtsim.messages".unknown("dtsim", "field", name, order))
    end
    local value = get()
    rawset(dtsim, name, value)
    return value
end

function metatable.__pairs()
    local position = 0
    return function()
        position = position + 1
        local name = order[position]
        if name then return name, dtsim[name] end
    end
end

function metatable.__tostring() return ("dtsim %s; help() tells more"):format(dtsim.version) end

return setmetatable(dtsim, metatable)
