-- What do two or three data centers lose by being 1 to 50 ms apart?
--
-- Source: dtsim's own question. Assumed: each site has 98,304 H100s; 1 GB/s a GPU, reads plus
-- writes, leads out of it (390 Tbit/s each way for a site), or a tenth of that. The model has 384
-- layers, so that a pipeline can run through two sites or three.

local dtsim = require "dtsim"

dtsim.arguments(arg, [[
usage: dtsim sites.lua [--out DIR]
Prints the answer; writes no file.]],
    {out = "."})

local SITE_NODES = 12288
local gpu = dtsim.gpus.h100
local shape = {d_model = 36864, layers = 384, batch = 1}
shape.batch = dtsim.laws.paper_batch(dtsim.model(shape).training_flop, 2048, 1)
local model = dtsim.model(shape)

-- The share of the sustained maximum that the model reaches.
local function reached(sites, apart, bandwidth, options)
    local network = dtsim.network{
        {name = "node", size = 8, bandwidth = "900 GB/s", latency = "1.125 us"},
        {name = "site", size = SITE_NODES, bandwidth = "100 GB/s", latency = "1.125 us"},
        {name = "wide area", bandwidth = bandwidth, latency = apart},
    }
    local optimizer = dtsim.optimizer{gpu = gpu, network = network}
    local found = optimizer:plan(model, sites * SITE_NODES * 8, options)
    return ("%.1f %%"):format(100 * found.utilization / gpu.utilization)
end

-- Between the sites data parallelism alone: tensors and pipelines end at the second level.
local data_only = {inside_level = {pp = 2, tp = 2}}

print(tostring(model))
for _, bandwidth in ipairs{"1 GB/s", "100 MB/s"} do
    local rows = {{"apart", "2 sites, any plan", "data parallel between",
                   "3 sites, any plan", "data parallel between"}}
    for _, apart in ipairs{"1 ms", "5 ms", "10 ms", "20 ms", "50 ms"} do
        rows[#rows + 1] = {
            apart, reached(2, apart, bandwidth), reached(2, apart, bandwidth, data_only),
            reached(3, apart, bandwidth), reached(3, apart, bandwidth, data_only),
        }
    end
    print(("\nShare of the sustained maximum with %s a GPU between sites:\n"):format(bandwidth))
    print(dtsim.align(rows))
end
