-- show: objects as one line of text, with units.

local units = require "dtsim.units"

local show = {}

local function level(x)
    local bandwidth = units.format(x.bandwidth, "bandwidth")
    local text = ("%s, %s"):format(bandwidth, units.format(x.latency, "time"))
    return x.size and ("%d x (%s)"):format(x.size, text) or text
end

local lines = {
    gpu = function(x)
        return ("%s: %d-bit, peak %s, memory %s at %s"):format(x.name, x.bits,
            units.format(x.peak, "flop_rate"), units.format(x.memory, "bytes"),
            units.format(x.memory_bandwidth, "bandwidth"))
    end,
    ["network level"] = function(x) return ("%s: %s"):format(x.name, level(x)) end,
    network = function(x)
        local texts = {}
        for i = 1, #x do texts[i] = level(x[i]) end
        return "network: " .. table.concat(texts, ", then ")
    end,
    model = function(x)
        return ("model: d_model %d, d_ff %d, %d layers, sparsity %d, %s parameters, %s"):format(
            x.d_model, x.d_ff, x.layers, x.sparsity, units.format(x.params, "count"),
            units.format(x.training_flop, "flop"))
    end,
    transformer = function(x)
        return ("transformer %s: %d layers, d_model %d, %s parameters"):format(x.name, x.layers,
            x.d_model, units.format(x.params, "count", 4))
    end,
    train_plan = function(x)
        return ("train_plan: tp %d, cp %d, pp %d, ep %d, dp %d, microbatch %g, zero %d, %s")
            :format(x.tp, x.cp, x.pp, x.ep, x.dp, x.microbatch, x.zero, x.recompute)
    end,
    software = function(x)
        return ("software: %s attention, %s kernels"):format(x.attention, x.kernels)
    end,
    machine = function(x)
        return ("machine %s: peak %s, memory %s at %s, domain of %d at %s, network %s"):format(
            x.name, units.format(x.peak, "flop_rate"), units.format(x.memory, "bytes"),
            units.format(x.memory_bandwidth, "bandwidth"), x.domain,
            units.format(x.domain_bandwidth, "bandwidth"),
            units.format(x.network_bandwidth, "bandwidth"))
    end,
    optimizer = function(x)
        return ("optimizer: %s search for %s on %s"):format(x.search, x.gpu.name,
            tostring(x.network))
    end,
}

-- The one-line text of an object of a C type. kind: as dtsim.core.type says.
function show.object(object, kind) return lines[kind](object) end

return show
