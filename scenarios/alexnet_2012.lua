-- How big a training run was possible on the GPUs that trained AlexNet?
--
-- AlexNet was trained in 2012 on two GTX 580 cards. Had somebody bought as many of them as can
-- work together for three months: how much compute could one training run have had?
--
-- Source: Epoch AI, "Introducing the distributed training interactive simulator", its example and
-- its Table 1; the model and the search: arXiv 2411.01137.
-- Published answer: about 1e26 FLOP, on 16 million GPUs with 1024-way data, 32-way pipeline and
-- 512-way tensor parallelism, for about $5 billion at $300 a GPU.

local dtsim = require "dtsim"
local units = dtsim.units

local published = {flop = 1e26, gpus = 16e6, dp = 1024, pp = 32, tp = 512, cost = 5e9}

local options = dtsim.arguments(arg, [[
usage: dtsim alexnet_2012.lua [--out DIR]
Sweeps training runs on GTX 580s; saves alexnet_2012.json and alexnet_2012.csv in DIR (.).]],
    {out = "."})

local gtx580 = dtsim.gpu{
    name = "GTX 580",
    bits = 32,
    flop_per_clock_per_thread = {[32] = 1 / 2, [64] = 1 / 16},
    sms = 16,
    registers_per_block = "128 KiB",
    l2_size = "768 KiB",
    l2_bandwidth = "384.8 GB/s",
    memory = "3 GB",
    memory_bandwidth = "192.4 GB/s",
    clock = "1.544 GHz",
    utilization = 0.85,
    matmul_latency = "22.5 us",
    price = "$300",
}
local network = dtsim.network{
    {name = "machine", size = 8, bandwidth = "8 GB/s", latency = "5 us"},
    {name = "cluster", bandwidth = "1 GB/s", latency = "5 us"},
}
local duration = 0.25 * 3.154e7 -- s; the source's year has 3.154e7 s

-- The best cluster for each width. search: "paper", as the source's, or "wide": of any size.
local function sweep(gpu, net, d_model, search)
    local optimizer = dtsim.optimizer{gpu = gpu, network = net, search = search or "paper"}
    return optimizer:sweep{d_model = d_model, duration = duration}
end

local function months(seconds) return ("%.2f"):format(seconds / units.parse "1 month") end
local function flop(x) return units.format(x, "flop") end

-- "1.21e25 FLOP on 2097152 GPUs: utilization 0.674, 79.3 % of the sustained maximum".
local function describe(point, gpu)
    if not point then return "none" end
    return ("%s on %d GPUs: utilization %.3f, %.1f %% of the sustained maximum"):format(
        flop(point.model.training_flop), point.n_gpus, point.utilization,
        100 * point.utilization / gpu.utilization)
end

local all_widths = dtsim.widths.between(2048, 16 * 12288)
local runs = sweep(gtx580, network, all_widths)
local wide_runs = sweep(gtx580, network, all_widths, "wide")
print(tostring(gtx580))
print(tostring(network))
print(("At most %s months for a run; the paper's search: clusters of 2^i GPUs."):format(
    months(duration)))
print(("A month is a twelfth of 365.25 days; \"of sustained\" compares with utilization %g.\n")
    :format(gtx580.utilization))
print(tostring(runs))

local ours, wide = runs:nearest(published.flop), wide_runs:nearest(published.flop)
local function row(name, point)
    return {name, flop(point.model.training_flop), units.format(point.n_gpus, "count"),
            point.plan.dp, point.plan.pp, point.plan.tp_model * point.plan.tp_ff,
            units.format(point.cost, "money"), months(point.time),
            ("%.3f"):format(point.utilization)}
end
print "\nThe published answer, the nearest point of this sweep, and the same run by a wider search"
print "that takes clusters of any size and every split of tensor parallelism:\n"
print(dtsim.align{
    {"", "compute", "GPUs", "data", "pipeline", "tensor", "cost", "months", "utilization"},
    {"published", flop(published.flop), units.format(published.gpus, "count"), published.dp,
     published.pp, published.tp, units.format(published.cost, "money"), "3", ""},
    row("paper's search", ours),
    row("wide search", wide),
})

print "\nHow far does linear scaling go, with 80 % of the sustained maximum as the line?\n"
print("the first point that fails the line   " .. describe(runs:linear_scaling_end(), gtx580))
print("the last point that holds the line    " .. describe(runs:largest(), gtx580))
print("the published point                   " .. describe(ours, gtx580))
print("the same by the wide search           " .. describe(wide, gtx580))
print("the last that holds it, wide search   " .. describe(wide_runs:largest(), gtx580))

local holds = wide.utilization > 0.8 * gtx580.utilization
print(("\nThe published claim %s: %s was possible %s 80 %% of the sustained maximum, with %d GPUs")
    :format(holds and "holds" or "fails", flop(published.flop), holds and "above" or "only below",
    wide.n_gpus))
print(("(%s) instead of %d. What limits the wide search's run:"):format(
    units.format(wide.cost, "money"), ours.n_gpus))
print(tostring(wide:explain()))

print "\nThe same question for later GPUs:\n"
local rows = {{"GPU", "sustained", "last above 80 %", "on GPUs", "first below 80 %", "on GPUs"}}
local function compare(gpu, points)
    local last, first = points:largest(), points:linear_scaling_end()
    rows[#rows + 1] = {
        gpu.name, units.format(gpu.sustained, "flop_rate"), flop(last.model.training_flop),
        last.n_gpus, flop(first.model.training_flop), first.n_gpus,
    }
end
compare(gtx580, runs)
for _, name in ipairs{"v100", "a100", "h100"} do
    local system = dtsim.systems[name]
    compare(system.gpu, sweep(system.gpu, system.network, dtsim.widths.paper()))
end
print(dtsim.align(rows))

local path = options.out .. "/alexnet_2012"
runs:save(path .. ".json")
runs:save(path .. ".csv")
print(("\nAll points are in %s.json and %s.csv."):format(path, path))
