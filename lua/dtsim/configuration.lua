-- configuration: one row of a study: hardware, laws and settings of one sweep, under a name.

local core = require "dtsim.core"
local catalog = require "dtsim.catalog"
local laws = require "dtsim.laws"
local messages = require "dtsim.messages"
local record = require "dtsim.record"
local units = require "dtsim.units"
local widths = require "dtsim.widths"
require "dtsim.optimizer"

local configuration = {}

-- What a configuration is made of, in order; `optimizer` is made from the others.
local FIELDS = {"name", "note", "system", "gpu", "network", "laws", "overlap", "schedules",
                "zero_bubble_latency", "search", "threads", "duration", "d_model", "d_ff",
                "seq_len", "stop_utilization", "options", "enabled"}
local OPTIMIZER = {"overlap", "schedules", "zero_bubble_latency", "search", "threads"}
local TYPES = {name = "string", note = "string", enabled = "boolean", options = "table"}

-- The fields that a study may give once for all of its configurations.
configuration.common = {"laws", "overlap", "schedules", "zero_bubble_latency", "search", "threads",
                        "duration", "d_model", "d_ff", "seq_len", "stop_utilization", "options"}

-- Raises at the user's line, with what is wrong with which configuration.
local function refuse(label, message, ...)
    core.raise(("study: %s: %s"):format(label, message:format(...)))
end

-- Calls f and raises its error as one of this configuration.
local function checked(label, f, ...)
    local answer = table.pack(pcall(f, ...))
    if answer[1] then return table.unpack(answer, 2, answer.n) end
    local message = tostring(answer[2]):gsub("^[^\n]-:%d+: ", "")
    refuse(label, "%s", message)
end

local function check_names(label, given)
    for key, value in pairs(given) do
        local known = false
        for _, name in ipairs(FIELDS) do known = known or name == key end
        if not known then
            refuse(label, "%s", messages.unknown("a configuration", "field", key, FIELDS))
        elseif TYPES[key] and type(value) ~= TYPES[key] then
            refuse(label, "%s must be a %s, %s", key, TYPES[key], core.got(value))
        end
    end
end

-- The system by its catalog name, or one such as dtsim.systems.h100; nil where none is given.
local function system_of(label, given)
    local system = given.system
    if system == nil then return {} end
    if type(system) == "string" then
        return checked(label, function() return catalog.systems[system] end)
    end
    if type(system) ~= "table" or not (system.gpu and system.network) then
        refuse(label, "system must be the name of a system in the catalog or a system, %s",
            core.got(system))
    end
    return system
end

local function laws_of(label, given)
    local set = given.laws
    if set == nil then return laws.paper_dense end
    if type(set) == "string" then
        local known = rawget(laws, set)
        if laws.is_set(known) then return known end
        local names = {}
        for name, value in pairs(laws) do
            if laws.is_set(value) then names[#names + 1] = name end
        end
        refuse(label, "%s", messages.unknown("dtsim.laws", "set", set, names))
    end
    if laws.is_set(set) then return set end
    return checked(label, laws.new, set)
end

local function duration_of(label, value)
    if value == nil then value = "3 months" end
    if type(value) == "string" then
        local seconds, message = units.try(value, "time")
        if not seconds then refuse(label, "duration: %s", message) end
        value = seconds
    end
    if type(value) ~= "number" or not (value > 0 and value < math.huge) then
        refuse(label, "duration must be a time above 0, %s", core.got(value))
    end
    return value
end

-- A copy of a plain table with the plain tables in it, which the script may change later.
local function copy_of(value)
    if type(value) ~= "table" or getmetatable(value) ~= nil then return value end
    local copy = {}
    for key, item in pairs(value) do copy[key] = copy_of(item) end
    return copy
end

local function widths_of(label, list)
    if list == nil then list = widths.paper() end
    if math.type(list) then list = {list} end
    if type(list) ~= "table" or #list == 0 then
        refuse(label, "d_model must be a list of widths, %s", core.got(list))
    end
    local copy = {}
    for i = 1, #list do copy[i] = list[i] end
    return record.list(copy)
end

local function optimizer_of(label, given, gpu, network)
    if not gpu then refuse(label, "gpu is missing (or give a system)") end
    if not network then refuse(label, "network is missing (or give a system)") end
    local fields = {gpu = gpu, network = network}
    for _, name in ipairs(OPTIMIZER) do fields[name] = given[name] end
    return checked(label, core.optimizer, fields)
end

-- Runs part of a configuration's sweep, as optimizer:sweep. d_model: widths; all of the
-- configuration's where absent. Returns a dtsim sweep.
local function run(self, d_model)
    local options = {}
    for key, value in pairs(self.options) do options[key] = value end
    for _, name in ipairs{"laws", "duration", "d_ff", "seq_len", "stop_utilization"} do
        options[name] = self[name]
    end
    options.d_model = d_model or self.d_model
    return self.optimizer:sweep(options)
end

local function show(self)
    return ("configuration %s: %s; %s"):format(self.name, tostring(self.gpu),
        tostring(self.network))
end

local make

-- A changed copy. A new system takes the place of the old GPU and network.
local function with(self, changes)
    if type(changes) ~= "table" then
        core.raise("configuration: changes must be a table, " .. core.got(changes))
    end
    local given = {}
    for key, value in pairs(self.given) do given[key] = value end
    if changes.system ~= nil then given.gpu, given.network = nil, nil end
    for key, value in pairs(changes) do given[key] = value end
    return configuration.new(given, "configuration " .. self.name)
end

local all = {table.unpack(FIELDS)}
all[#all + 1], all[#all + 2] = "optimizer", "given"
make = record.type{name = "configuration", fields = all, show = show,
                   methods = {run = run, with = with}}

-- Makes a configuration of a table of fields:
--   name               what to call it; the system's or the GPU's name where absent
--   note               a sentence about it
--   system, gpu, network   a system, by its catalog name or itself; or a GPU and a network,
--                      either of which takes the place of the system's
--   laws               a set of laws, the name of one of dtsim.laws, or a table of laws
--   overlap, schedules, zero_bubble_latency, search, threads   as in dtsim.optimizer
--   duration           s, or text such as "3 months" (the default)
--   d_model, d_ff, seq_len, stop_utilization   as in optimizer:sweep
--   options            a table of search options, as in optimizer:cluster
--   enabled            false leaves it out of runs
-- label: what to call it in errors. Errors: unknown or missing fields, wrong values; each names
-- the configuration and the field.
function configuration.new(given, label)
    if type(given) ~= "table" then
        core.raise(("study: %s must be a table such as { name = \"A\", system = \"h100\" }, "
            .. "%s"):format(label, core.got(given)))
    end
    if type(given.name) == "string" then label = ("configuration '%s'"):format(given.name) end
    check_names(label, given)
    given = copy_of(given)
    local fields, system = {given = given}, system_of(label, given)
    for key, value in pairs(given) do fields[key] = value end
    fields.gpu, fields.network = given.gpu or system.gpu, given.network or system.network
    fields.optimizer = optimizer_of(label, given, fields.gpu, fields.network)
    for _, name in ipairs(OPTIMIZER) do
        fields[name] = record.frozen(fields.optimizer[name])
    end
    fields.name = given.name or system.name or fields.gpu.name
    fields.laws = laws_of(label, given)
    fields.duration = duration_of(label, given.duration)
    fields.d_model = widths_of(label, given.d_model)
    fields.seq_len = given.seq_len or 2048
    fields.stop_utilization = given.stop_utilization or 0.001
    fields.options = record.frozen(given.options or {})
    fields.enabled = given.enabled ~= false
    return make(fields)
end

return configuration
