-- parameters: what of a configuration can be varied by name: hardware, laws and the duration.
--
-- Names: a field of the GPU (memory, memory_bandwidth, l2_bandwidth, matmul_latency, ...) or
-- flop_rate, its peak at the same clock; LEVEL.bandwidth, LEVEL.latency and LEVEL.size, where LEVEL
-- is a network level's name or number (innermost 1); batch_law and depth_law, which are factors of
-- what the configuration's laws give; duration.

local core = require "dtsim.core"
local laws = require "dtsim.laws"
local messages = require "dtsim.messages"
local units = require "dtsim.units"

local parameters = {}

local GPU_FIELDS = {"sms", "registers_per_block", "l2_size", "l2_bandwidth", "memory",
                    "memory_bandwidth", "clock", "utilization", "matmul_latency", "price", "power"}
local LEVEL_FIELDS = {bandwidth = "bandwidth", latency = "time", size = "count"}

local KINDS = {flop_rate = "flop_rate", duration = "time"}
for _, row in ipairs(core.fields.gpu) do KINDS[row.name] = KINDS[row.name] or row.kind end

-- A GPU whose peak is `factor` times as high at the same clock.
local function faster(gpu, factor)
    local rates = gpu.flop_per_clock_per_thread
    if rates == nil then return gpu:with{peak = gpu.peak * factor} end
    if type(rates) == "number" then return gpu:with{flop_per_clock_per_thread = rates * factor} end
    local scaled = {}
    for bits, rate in pairs(rates) do scaled[bits] = rate * factor end
    return gpu:with{flop_per_clock_per_thread = scaled}
end

-- A network with one field of one level changed.
local function with_level(network, i, field, value)
    local levels = {}
    for j = 1, #network do
        levels[j] = j == i and network[j]:with{[field] = value} or network[j]
    end
    return core.network(levels)
end

-- A law's value times a factor, rounded to what the paper's laws give (see laws.near).
local function scaled_laws(set, law, factor)
    local old = set[law]
    if law == "layers" then
        return set:with{layers = function(...) return laws.near(old(...) * factor) end}
    end
    return set:with{batch = function(compute, seq_len, sparsity)
        return sparsity * laws.near(old(compute, seq_len, sparsity) / sparsity * factor)
    end}
end

local function level_of(network, name)
    for i = 1, #network do
        if network[i].name == name or tostring(i) == name then return i end
    end
end

-- All names for a configuration.
function parameters.names(configuration)
    local names = {"flop_rate"}
    for _, field in ipairs(GPU_FIELDS) do
        if configuration.gpu[field] ~= nil then names[#names + 1] = field end
    end
    for i = 1, #configuration.network do
        local level = configuration.network[i]
        for _, field in ipairs{"bandwidth", "latency", "size"} do
            if level[field] ~= nil then names[#names + 1] = level.name .. "." .. field end
        end
    end
    for _, name in ipairs{"batch_law", "depth_law", "duration"} do names[#names + 1] = name end
    return names
end

local function level_parameter(configuration, i, field)
    local network = configuration.network
    return {
        kind = LEVEL_FIELDS[field], value = network[i][field],
        set = function(x)
            if field == "size" then x = math.max(2, math.floor(x + 0.5)) end
            return configuration:with{network = with_level(network, i, field, x)}
        end,
    }
end

local function law_parameter(configuration, law)
    return {value = 1, set = function(x)
        return configuration:with{laws = scaled_laws(configuration.laws, law, x)}
    end}
end

local function gpu_parameter(configuration, name)
    local gpu = configuration.gpu
    return {kind = KINDS[name], value = gpu[name], set = function(x)
        if name == "sms" then x = math.max(1, math.floor(x + 0.5)) end
        if name == "utilization" then x = math.min(1, x) end
        return configuration:with{gpu = gpu:with{[name] = x}}
    end}
end

-- A parameter of a configuration: { name, kind (of units; nil for a plain number), value,
-- set(x) -> a changed configuration }. Errors, at the user's line: an unknown name.
function parameters.get(configuration, name, what)
    local found
    local level, field = tostring(name):match "^(.+)%.(%a+)$"
    local i = level and LEVEL_FIELDS[field] and level_of(configuration.network, level)
    if i and configuration.network[i][field] ~= nil then
        found = level_parameter(configuration, i, field)
    elseif name == "flop_rate" then
        local gpu = configuration.gpu
        found = {kind = "flop_rate", value = gpu.peak,
                 set = function(x) return configuration:with{gpu = faster(gpu, x / gpu.peak)} end}
    elseif name == "batch_law" or name == "depth_law" then
        found = law_parameter(configuration, name == "batch_law" and "batch" or "layers")
    elseif name == "duration" then
        found = {kind = "time", value = configuration.duration,
                 set = function(x) return configuration:with{duration = x} end}
    end
    for _, gpu_field in ipairs(GPU_FIELDS) do
        if gpu_field == name and configuration.gpu[name] ~= nil then
            found = gpu_parameter(configuration, name)
        end
    end
    if not found then
        local names = parameters.names(configuration)
        core.raise(("%s (there are %s)"):format(messages.unknown(what, "parameter", name, names),
            table.concat(names, ", ")))
    end
    found.name = name
    return found
end

-- A value for a parameter: a number, or text with its unit. Errors, at the user's line.
function parameters.value(parameter, given, what)
    local x = given
    if type(given) == "string" then
        local message
        x, message = units.try(given, parameter.kind or "count")
        if not x then core.raise(("%s: %s: %s"):format(what, parameter.name, message)) end
    end
    if type(x) ~= "number" or x ~= x or x <= 0 then
        core.raise(("%s: %s must be above 0, %s"):format(what, parameter.name, core.got(given)))
    end
    return x
end

-- A parameter's value as people read it.
function parameters.text(parameter, x)
    if parameter.kind and parameter.kind ~= "" then return units.format(x, parameter.kind) end
    return ("%.4g"):format(x)
end

return parameters
