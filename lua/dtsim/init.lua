-- dtsim: limits of distributed training, from a script. This module gathers the library.

local core = require "dtsim.core"
local catalog = require "dtsim.catalog"
require "dtsim.optimizer"

return {
    version = "0.1.0",
    units = require "dtsim.units",
    json = require "dtsim.json",
    gpu = core.gpu,
    network = core.network,
    model = core.model,
    optimizer = core.optimizer,
    laws = require "dtsim.laws",
    widths = require "dtsim.widths",
    arguments = require "dtsim.arguments",
    align = require "dtsim.format.table".align,
    gpus = catalog.gpus,
    networks = catalog.networks,
    systems = catalog.systems,
}
