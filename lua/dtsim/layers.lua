-- layers: any list of matrix multiplications and convolutions as a workload, on a dtsim.gpu.
--
-- A convolution is the matmul that it amounts to: each output position is a row, the window's
-- inputs are the inner dimension, the output channels are columns. Pooling, activations and norms
-- are left to `bytes`: what they move through memory.

local core = require "dtsim.core"
local record = require "dtsim.record"
local units = require "dtsim.units"

local methods = {}

local make = record.type{
    name = "layers",
    fields = {"name", "list", "params", "flop", "source"},
    methods = methods,
    show = function(self)
        return ("layers %s: %d layers, %s parameters, %s forward"):format(self.name, #self.list,
            units.format(self.params, "count"), units.format(self.flop, "flop"))
    end,
}

local function check(layer, names, index)
    for _, name in ipairs(names) do
        local value = layer[name]
        if math.type(value) ~= "integer" or value < 1 then
            core.raise(("layers: layer %d: %s must be a whole number from 1, got %s"):format(index,
                name, tostring(value)))
        end
    end
end

-- Rows per sample, inner dimension, columns, groups and parameters of one layer.
local function shape(layer, index)
    local groups = layer.groups or 1
    if layer.conv then
        check(layer, {"inputs", "outputs", "conv", "size"}, index)
        local stride, pad = layer.stride or 1, layer.pad or (layer.conv - 1) // 2
        local out = (layer.size + 2 * pad - layer.conv) // stride + 1
        if out < 1 then
            core.raise(("layers: layer %d: the window is larger than its input"):format(index))
        end
        local inner = layer.inputs // groups * layer.conv ^ 2 // 1 | 0
        return {name = layer.name or ("conv" .. index), rows = out * out, inner = inner,
                columns = layer.outputs // groups, groups = groups,
                params = inner * layer.outputs + (layer.bias == false and 0 or layer.outputs),
                outputs = out * out * layer.outputs}
    end
    check(layer, {"inputs", "outputs"}, index)
    return {name = layer.name or ("matmul" .. index), rows = layer.rows or 1, inner = layer.inputs,
            columns = layer.outputs, groups = 1,
            params = layer.inputs * layer.outputs + (layer.bias == false and 0 or layer.outputs),
            outputs = (layer.rows or 1) * layer.outputs}
end

-- Seconds of one step on one GPU with `batch` samples: forward, input gradients (not for the first
-- layer) and weight gradients, each on the GPU's own matmul; activations pass through memory six
-- times (written and read forward, read and written with their gradients backward); weights are
-- updated with momentum. split: GPUs that share the output channels.
-- Returns { time, matmul, memory, flop, layers = list of seconds }.
function methods.time(self, gpu, batch, split)
    split = split or 1
    local matmul, bytes, flop, each = 0, 0, 0, {}
    local word = gpu.bits // 8
    for i, layer in ipairs(self.list) do
        local columns = math.max(1, layer.columns // (layer.groups > 1 and 1 or split))
        local groups = layer.groups > 1 and math.max(1, layer.groups // split) or 1
        local rows = batch * layer.rows
        local one = gpu:matmul_time(layer.inner, columns, rows)
            + gpu:matmul_time(layer.inner, columns, rows, "weight_grad")
        if i > 1 then one = one + gpu:matmul_time(columns, layer.inner, rows) end
        each[i] = groups * one
        matmul = matmul + each[i]
        bytes = bytes + 6 * word * batch * layer.outputs / split + 5 * word * layer.params / split
        flop = flop + groups * 2 * rows * layer.inner * columns * (i > 1 and 3 or 2)
    end
    local memory = bytes / gpu.memory_bandwidth
    return {time = matmul + memory, matmul = matmul, memory = memory, flop = flop, layers = each}
end

-- A workload of a list: { name = "...", { inputs, outputs, conv = 3, size = 224, stride = 1, pad,
-- groups = 1 }, { inputs, outputs, rows = 1 }, ... }. `size` is the input's side. Sums: params,
-- flop (of one sample, forward).
return function(definition)
    if type(definition) ~= "table" or #definition == 0 then
        core.raise("layers: a list of layers is needed, as in layers{ { inputs = 3, ... }, ... }")
    end
    local list, params, flop = {}, 0, 0
    for i, layer in ipairs(definition) do
        local s = shape(layer, i)
        list[i] = s
        params = params + s.params
        flop = flop + 2 * s.rows * s.inner * s.columns * s.groups
    end
    return make{name = definition.name or "layers", list = list, params = params, flop = flop,
                source = definition.source}
end
