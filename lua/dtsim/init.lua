-- dtsim: limits of distributed training, from a script. This module gathers the library.

local core = require "dtsim.core"
local catalog = require "dtsim.catalog"
local messages = require "dtsim.messages"
require "dtsim.optimizer"

local dtsim = {
    version = "0.1.0",
    units = require "dtsim.units",
    json = require "dtsim.json",
    gpu = require "dtsim.gpu".new,
    network = core.network,
    model = core.model,
    optimizer = core.optimizer,
    laws = require "dtsim.laws",
    formula = function(...) return require "dtsim.formula".new(...) end,
    widths = require "dtsim.widths",
    arguments = require "dtsim.arguments",
    align = require "dtsim.format.table".align,
    gpus = catalog.gpus,
    networks = catalog.networks,
    systems = catalog.systems,
    study = require "dtsim.study",
    presets = require "dtsim.presets",
    closed_forms = require "dtsim.closed_forms",
    plot = require "dtsim.plot",
}

-- A misspelt name is an error, not nil.
return setmetatable(dtsim, {__index = function(_, name)
    local names = {}
    for known in pairs(dtsim) do names[#names + 1] = known end
    table.sort(names)
    core.raise(messages.unknown("dtsim", "field", name, names))
end})
