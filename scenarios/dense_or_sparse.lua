-- At equal training compute, is a sparse model harder to train than a dense one?
--
-- Source: dtsim's own question, with the batch law of arXiv 2411.01137. With 20 tokens a parameter,
-- E experts on 1/sqrt(E) times the active parameters take the same compute: half the width
-- with 16 experts, a quarter of it with 256.

local dtsim = require "dtsim"
local format = dtsim.units.format

dtsim.arguments(arg, [[
usage: dtsim dense_or_sparse.lua [--out DIR]
Prints the answer; writes no file.]],
    {out = "."})

local h100 = dtsim.systems.h100
local optimizer = dtsim.optimizer{gpu = h100.gpu, network = h100.network}

local rows = {{"compute", "experts", "d_model", "parameters", "GPUs", "of sustained", "plan"}}
for _, width in ipairs{24576, 49152, 73728} do
    local layers = dtsim.laws.paper_layers(width, 4 * width)
    for _, experts in ipairs{1, 16, 256} do
        local shape = {d_model = math.tointeger(width / experts ^ 0.25), layers = layers,
                       sparsity = experts, batch = 1}
        local flop = dtsim.model(shape).training_flop
        shape.batch = dtsim.laws.paper_batch(flop, 2048, experts)
        local point = optimizer:cluster(dtsim.model(shape), {duration = "3 months"})
        rows[#rows + 1] = {
            format(flop, "flop"), tostring(experts), tostring(shape.d_model),
            format(point.model.params, "count"),
            format(point.n_gpus, "count"),
            ("%.1f %%"):format(100 * point.utilization / h100.gpu.utilization),
            tostring(point.plan),
        }
    end
end
print(dtsim.align(rows))
