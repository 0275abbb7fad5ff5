-- presets: the studies of the paper's figures, by name. Each is made when it is first asked for.
--
-- Source of all: "Data movement limits to frontier model training" (arXiv 2411.01137) and its
-- simulator. A quarter of a year there is 0.25 * 3.154e7 s. With search = "paper", the setting
-- here, they give the published answers; study:change_all{ search = "wide" } lifts the limits
-- that the search of the paper puts on plans.

local core = require "dtsim.core"
local messages = require "dtsim.messages"
local study = require "dtsim.study"

local QUARTER_S = 0.25 * 3.154e7

local function gpus(title, laws)
    return {
        title = title, laws = laws,
        {name = "V100 SXM", system = "v100"},
        {name = "A100 SXM", system = "a100"},
        {name = "H100 SXM", system = "h100"},
    }
end

local function networks(title, laws)
    return {
        title = title, laws = laws,
        {name = "H100", system = "h100"},
        {name = "H100, latency / 10", system = "h100_low_latency"},
        {name = "H100, NVLink everywhere", system = "h100_global_nvlink"},
        {name = "H100, NVLink everywhere, latency / 10",
         system = "h100_global_nvlink_ll"},
        {name = "H100, infinite bandwidth, latency / 10",
         system = "h100_infinite_ll"},
    }
end

local definitions = {
    base_comparison = function() return gpus("GPUs, dense models", "paper_dense") end,
    base_comparison_sparse = function() return gpus("GPUs, sparse models", "paper_sparse") end,
    network_comparison = function() return networks("Networks, dense models", "paper_dense") end,
    network_comparison_sparse = function()
        return networks("Networks, sparse models", "paper_sparse")
    end,
    batch_size_laws = function()
        return {
            title = "Laws of the critical batch, H100",
            {name = "constant batch", system = "h100", laws = "constant_batch"},
            {name = "default batch law", system = "h100", laws = "paper_dense"},
            {name = "DeepSeek's batch law", system = "h100", laws = "deepseek_batch"},
        }
    end,
    superpod = function()
        return {
            title = "Superpods of 32 nodes",
            {name = "H100, nodes of 8", system = "h100"},
            {name = "H100, superpods of 32 nodes", system = "h100_superpod"},
        }
    end,
    datacenters = function()
        local inside = {name = "data center", bandwidth = "100 GB/s", latency = "1.125 us"}
        local node = {name = "node", size = 8, bandwidth = "900 GB/s", latency = "1.125 us"}
        local sized = {name = "data center", size = 4096, bandwidth = "100 GB/s",
                       latency = "1.125 us"}
        return {
            title = "Data centers of 4096 nodes, 1 GB/s and 1 ms apart",
            {name = "one data center", system = "h100", network = core.network{node, inside}},
            {name = "data centers of 4096 nodes", system = "h100",
             network = core.network{node, sized,
                                    {name = "wide area", bandwidth = "1 GB/s", latency = "1 ms"}}},
        }
    end,
}

local ORDER = {"base_comparison", "base_comparison_sparse", "network_comparison",
               "network_comparison_sparse", "batch_size_laws", "superpod", "datacenters"}

local made = {}

local function get(_, name)
    if not definitions[name] then
        core.raise(messages.unknown("presets", "preset", name, ORDER))
    end
    if not made[name] then
        local given = definitions[name]()
        given.search, given.duration = "paper", QUARTER_S
        made[name] = study.new(given)
    end
    return made[name]
end

return setmetatable({}, {
    __name = "presets",
    __metatable = false,
    __index = get,
    __newindex = function() core.raise "the presets cannot be changed" end,
    __len = function() return #ORDER end,
    __pairs = function(self)
        local i = 0
        return function()
            i = i + 1
            if ORDER[i] then return ORDER[i], get(self, ORDER[i]) end
        end
    end,
    __tostring = function() return "presets: " .. table.concat(ORDER, ", ") end,
})
