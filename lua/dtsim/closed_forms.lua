-- closed_forms: the paper's formulas for the largest run, without any search, and their inverses.
--
-- Source of all: "Data movement limits to frontier model training" (arXiv 2411.01137). Batch and
-- depth are taken as b0 (C / T0)^alpha_batch tokens and L0 (C / T0)^alpha_depth layers; only
-- alpha = alpha_batch - alpha_depth matters. What the formulas leave out: the pipeline's bubble,
-- caches and shared memory, whole numbers, and all but one level of the network.

local core = require "dtsim.core"
local catalog = require "dtsim.catalog"
local messages = require "dtsim.messages"
local record = require "dtsim.record"
local units = require "dtsim.units"

local closed_forms = {}

-- The reference point: a run of 3e23 FLOP with 4e6 tokens a batch and 100 layers.
local REFERENCE_FLOP, REFERENCE_TOKENS, REFERENCE_LAYERS = 3e23, 4e6, 100
local LATENCY_S = 9e-6 -- of one step through a layer

-- What a call may say, with kinds and defaults.
local OPTIONS = {
    system = {}, gpu = {}, network = {},
    duration = {kind = "time", default = "3 months"},
    alpha = {kind = nil, default = 0},
    latency = {kind = "time", default = LATENCY_S},
    training_flop = {kind = "flop"},
}

local function quantity(what, name, value)
    local row = OPTIONS[name]
    if value == nil then value = row.default end
    if type(value) == "string" and row.kind then
        local x, message = units.try(value, row.kind)
        if not x then core.raise(("%s: %s: %s"):format(what, name, message)) end
        value = x
    end
    if value == nil then core.raise(("%s: %s is missing"):format(what, name)) end
    local least = name == "alpha" and -math.huge or 0
    if type(value) ~= "number" or not (value > least and value < math.huge) then
        core.raise(("%s: %s must be a finite number%s, %s"):format(what, name,
            least == 0 and " above 0" or "", core.got(value)))
    end
    if name == "alpha" and value >= 0.5 then
        core.raise(("%s: alpha must be below 0.5 (there is no limit from there on), got %s")
            :format(what, tostring(value)))
    end
    return value
end

local function check_options(what, options)
    if type(options) ~= "table" then
        core.raise(("%s: options must be a table, %s"):format(what, core.got(options)))
    end
    local names = {}
    for name in pairs(OPTIONS) do names[#names + 1] = name end
    table.sort(names)
    for key in pairs(options) do
        if not OPTIONS[key] then
            core.raise(messages.unknown(what, "option", key, names))
        end
    end
end

-- Rates of one node: multiply-adds, words of the network and words of memory, each a second.
-- The node is the innermost level; in a network of one level it is one GPU.
local function node_of(what, options)
    local system = options.system
    if type(system) == "string" then system = catalog.systems[system] end
    local gpu = options.gpu or system and system.gpu
    local network = options.network or system and system.network
    if core.type(gpu) ~= "gpu" or core.type(network) ~= "network" then
        core.raise(what .. ": give a system, or a gpu and a network")
    end
    local size = #network > 1 and network[1].size or 1
    local bandwidth = network[math.min(2, #network)].bandwidth
    local bytes = gpu.bits / 8
    return {
        size = size, bytes = bytes, mac = gpu.peak * size / 2,
        network = size * bandwidth / (2 * bytes),
        memory = size * gpu.memory_bandwidth / (2 * bytes),
    }
end

-- b0 / L0 / T0^alpha.
local function reference(alpha)
    return REFERENCE_TOKENS / REFERENCE_LAYERS * REFERENCE_FLOP ^ -alpha
end

-- The smallest nanobatch that keeps the arithmetic busy, and the least shard of activations.
local function nanobatch(node) return node.mac / node.memory end
local function shard(node) return 4 * node.mac / (3 * node.network) end

-- The largest run that data movement allows, FLOP; infinite on a network of infinite bandwidth.
-- options: system (or gpu and network); duration (s, "3 months"); alpha (0; below 0.5).
-- Source: arXiv 2411.01137, critical compute of data movement.
function closed_forms.critical_compute(options)
    local what = "closed_forms.critical_compute"
    check_options(what, options)
    local node, alpha = node_of(what, options), quantity(what, "alpha", options.alpha)
    local duration = quantity(what, "duration", options.duration)
    local product = reference(alpha) * node.mac * duration / (shard(node) ^ 2 * nanobatch(node))
    return 2 * (product ^ 2 / 960) ^ (1 / (1 - 2 * alpha))
end

-- The largest run that latency allows, FLOP, on any hardware.
-- options: duration (s, "3 months"); alpha (0; below 0.5); latency of a step through a layer
-- (s, 9 us). Source: arXiv 2411.01137, latency wall.
function closed_forms.latency_limit(options)
    local what = "closed_forms.latency_limit"
    options = options or {}
    check_options(what, options)
    local alpha = quantity(what, "alpha", options.alpha)
    local steps = reference(alpha) * quantity(what, "duration", options.duration)
        / quantity(what, "latency", options.latency)
    return 2 * (3 / 320 * steps ^ 2) ^ (1 / (1 - 2 * alpha))
end

-- The alpha at which limit(alpha) = 2 (x^2)^(1 / (1 - 2 alpha)) / T0^... is a given compute:
-- value is that limit at alpha = 0.
local function alpha_for(training_flop, value)
    local wanted, have = math.log(training_flop / 2), math.log(value / 2)
    return (wanted - have) / (2 * (wanted - math.log(REFERENCE_FLOP)))
end

local make_needs = record.type{
    name = "needs",
    fields = {"training_flop", "duration", "alpha", "bandwidth", "memory_bandwidth",
              "movement_duration", "movement_alpha", "latency", "latency_duration",
              "latency_alpha"},
    show = function(self)
        return ("%s in %s needs %s between nodes (or memory of %s, or alpha %.3f), and %s a step "
            .. "through a layer (or alpha %.3f)"):format(
            units.format(self.training_flop, "flop"), units.format(self.duration, "time"),
            units.format(self.bandwidth, "bandwidth"),
            units.format(self.memory_bandwidth, "bandwidth"), self.movement_alpha,
            units.format(self.latency, "time"), self.latency_alpha)
    end,
}

-- What a run needs, each alone, all else being as it is: the inverse of both limits.
-- options: training_flop; system (or gpu and network); duration, alpha and latency as above.
-- Returns a record:
--   bandwidth          between nodes, B/s and GPU   } any one of these lifts the limit of
--   memory_bandwidth   B/s and GPU                  } data movement
--   movement_duration  s                            }
--   movement_alpha     batch law over depth law     }
--   latency            of a step through a layer, s } any one of these lifts the limit of
--   latency_duration   s                            } latency
--   latency_alpha                                   }
function closed_forms.needed(options)
    local what = "closed_forms.needed"
    check_options(what, options)
    local flop = quantity(what, "training_flop", options.training_flop)
    local node, alpha = node_of(what, options), quantity(what, "alpha", options.alpha)
    local duration = quantity(what, "duration", options.duration)
    local latency = quantity(what, "latency", options.latency)
    local power, sigma, nu = (flop / 2) ^ (1 - 2 * alpha), shard(node), nanobatch(node)
    local product = math.sqrt(960 * power)
    local steps = math.sqrt(320 / 3 * power)
    local work = reference(alpha) * node.mac
    local words = 4 * node.mac / (3 * math.sqrt(work * duration / (product * nu)))
    local memory = node.mac * product * sigma ^ 2 / (work * duration)
    local at_zero = {system = options.system, gpu = options.gpu, network = options.network,
                     duration = duration}
    return make_needs{
        training_flop = flop, duration = duration, alpha = alpha,
        bandwidth = 2 * node.bytes * words / node.size,
        memory_bandwidth = 2 * node.bytes * memory / node.size,
        movement_duration = product * sigma ^ 2 * nu / work,
        movement_alpha = alpha_for(flop, closed_forms.critical_compute(at_zero)),
        latency = reference(alpha) * duration / steps,
        latency_duration = steps * latency / reference(alpha),
        latency_alpha = alpha_for(flop,
            closed_forms.latency_limit{duration = duration, latency = latency}),
    }
end

-- Draws both limits over alpha from -0.2 to 0.2, beside the simulation; see dtsim.plot.theory.
function closed_forms.plot(path, options)
    return require "dtsim.plot.theory".draw(path, options)
end

return closed_forms
