-- catalog: known hardware by name. An entry's object is made when it is first asked for.

local core = require "dtsim.core"
local messages = require "dtsim.messages"

-- A table that makes its values on demand from a list of entries in order.
local function lazy(what, module, make)
    local entries, made = nil, {}
    local function load()
        entries = entries or require(module)
        return entries
    end
    local function get(_, name)
        local entry = load()[name]
        if entry == nil or name == "order" then
            core.raise(messages.unknown("the catalog", what, name, entries.order))
        end
        if made[name] == nil then made[name] = make(entry) end
        return made[name]
    end
    return setmetatable({}, {
        __name = what .. " catalog",
        __metatable = false,
        __index = get,
        __newindex = function() core.raise(("the %s catalog cannot be changed"):format(what)) end,
        __len = function() return #load().order end,
        __pairs = function(self)
            local i = 0
            return function()
                i = i + 1
                local name = load().order[i]
                if name then return name, get(self, name) end
            end
        end,
        __tostring = function()
            return ("%s catalog: %s"):format(what, table.concat(load().order, ", "))
        end,
    })
end

local function without_sources(entry)
    local fields = {}
    for key, value in pairs(entry) do
        if key ~= "sources" and key ~= "hypothetical" then fields[key] = value end
    end
    return fields
end

local catalog = {}

catalog.gpus = lazy("GPU", "dtsim.catalog.gpus", function(entry)
    require "dtsim.gpu" -- for the methods that it adds; it needs this module itself
    return core.gpu(without_sources(entry))
end)

catalog.networks = lazy("network", "dtsim.catalog.networks", function(entry)
    return core.network(entry.levels)
end)

local make_system = require "dtsim.record".type{
    name = "system",
    fields = {"name", "gpu", "network"},
    show = function(self)
        return ("system %s: %s; %s"):format(self.name, tostring(self.gpu), tostring(self.network))
    end,
}

catalog.systems = lazy("system", "dtsim.catalog.systems", function(entry)
    return make_system{name = entry.name, gpu = catalog.gpus[entry.gpu],
                       network = catalog.networks[entry.network]}
end)

return catalog
