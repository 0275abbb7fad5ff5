-- What happens to training when GPUs are added: faster, but for how much longer?
--
-- Llama 2 models on nodes of eight GPUs, sharded data parallelism (FSDP) as the base, tensor and
-- pipeline parallelism on top: weak and strong scaling, generations, sizes, context, networks.
--
-- Source: Fernandez et al. (2024), "Hardware scaling trends and diminishing returns in large-scale
-- distributed training", arXiv 2411.13055.
-- Published answer: ten findings, each printed below beside what this model says. The source gives
-- no batch sizes; one and two sequences of 4,096 tokens per GPU are shown, between which it lies.

local dtsim = require "dtsim"

dtsim.arguments(arg, [[
usage: dtsim hardware_scaling.lua [--out DIR]
Prints the ten findings of arXiv 2411.13055 beside this model's.]], {out = "."})

local models, machines = dtsim.models, dtsim.machines
local llama = models.llama2_7b
-- FSDP as it was: FlashAttention 2, native norms, eager Python.
local fsdp = dtsim.frameworks.fsdp:with{kernels = "native"}

local function trainer_of(machine, software)
    return dtsim.trainer{machine = machine, software = software or fsdp}
end

local h100, a100, v100 =
    trainer_of(machines.h100), trainer_of(machines.a100), trainer_of(machines.v100)

-- FSDP over all GPUs, `per_gpu` sequences each; tp and pp on top keep the global batch.
local function weak(trainer, model, gpus, per_gpu, more)
    local plan = {gpus = gpus, batch = per_gpu * gpus, microbatch = per_gpu, zero = 3,
                  reduce_bytes = 2}
    for key, value in pairs(more or {}) do plan[key] = value end
    if plan.tp and plan.tp > 1 then
        plan.microbatch, plan.sequence_parallel = per_gpu * plan.tp, true
    end
    if plan.pp and plan.pp > 1 then plan.zero = 1 end
    return trainer:evaluate(model, plan)
end

local function percent(x) return ("%+.1f %%"):format(100 * x) end
local function change(after, before) return percent(after / before - 1) end

-- agrees: true, false, or a text where it does in part.
local function finding(number, text, published, ours, agrees)
    print(("%2d. %s"):format(number, text))
    print("    published: " .. published)
    print("    here:      " .. ours)
    print("    " .. (agrees == true and "agrees" or agrees or "DOES NOT AGREE"))
    print ""
end

-- ---- weak scaling ----

print "Llama 2 7B, FSDP, 4,096 tokens a sequence, H100 in nodes of eight\n"
local rows = {{"GPUs", "seqs/GPU", "tokens/s/GPU", "exposed", "hidden", "W/GPU", "tokens/J"}}
local runs = {}
for _, per_gpu in ipairs{1, 2} do
    runs[per_gpu] = {}
    for _, gpus in ipairs{8, 32, 128, 256, 512, 1024, 2048} do
        local r = weak(h100, llama, gpus, per_gpu)
        runs[per_gpu][gpus] = r
        rows[#rows + 1] = {gpus, per_gpu, ("%.0f"):format(r.tokens_per_s_per_gpu),
            ("%.1f %%"):format(100 * r.exposed / r.step_time),
            ("%.1f %%"):format(100 * r.hidden / r.step_time), ("%.0f"):format(r.power.gpu),
            ("%.2f"):format(r.tokens_per_s_per_gpu / r.power.gpu)}
    end
end
print(dtsim.align(rows))
print ""

local function ratio(per_gpu, what)
    local from, to = runs[per_gpu][128], runs[per_gpu][2048]
    return what(to) / what(from) - 1
end
local function rate(r) return r.tokens_per_s_per_gpu end
local function watts(r) return r.power.gpu end
local r1, r2 = ratio(1, rate), ratio(2, rate)
finding(1, "Fixed work per GPU, 128 to 2,048 H100: throughput falls, power hardly",
    "throughput -37.2 %, power -5.9 %, tokens per joule to 0.667",
    ("throughput %s (1 sequence), %s (2); power %s, %s; tokens per joule to %.3f, %.3f"):format(
        percent(r1), percent(r2), percent(ratio(1, watts)), percent(ratio(2, watts)),
        (1 + r1) / (1 + ratio(1, watts)), (1 + r2) / (1 + ratio(2, watts))),
    r1 < -0.372 and r2 > -0.372 and ratio(1, watts) > -0.10)

local a = weak(a100, llama, 128, 2)
local h = runs[2][128]
local function mfu(r, peak) return r.tokens_per_s_per_gpu * llama:flop("palm") / peak end
local mfu_h, mfu_a = mfu(h, machines.h100.peak), mfu(a, machines.a100.peak)
finding(2, "Newer GPUs are used worse: compute grew more than links",
    "MFU 59.7 % on A100, 40.8 % on H100 (ratio 0.683)",
    ("MFU %.1f %% on A100, %.1f %% on H100 (ratio %.3f), 128 GPUs, 2 sequences"):format(
        100 * mfu_a, 100 * mfu_h, mfu_h / mfu_a), math.abs(mfu_h / mfu_a - 0.683) < 0.05)

-- ---- tensor and pipeline parallelism on top ----

local megatron = dtsim.frameworks.megatron_plain:with{attention = "flash2", kernels = "native"}
local pipe = trainer_of(machines.h100, megatron)
print "Tensor (TP) and pipeline (PP) parallelism on top, one sequence per GPU, tokens/s per GPU\n"
rows = {{"GPUs", "plain", "TP 2", "TP 4", "TP 8", "TP 16", "PP 2", "PP 4", "PP 8", "PP 16"}}
local best = {}
for _, gpus in ipairs{64, 128, 256, 512, 1024, 2048} do
    local line, top, plain = {gpus}, nil, nil
    for _, degree in ipairs{1, 2, 4, 8, 16} do
        local r = rate(weak(h100, llama, gpus, 1, {tp = degree}))
        line[#line + 1] = ("%.0f"):format(r)
        if degree == 1 then plain = r end
        if not top or r > top.rate then top = {rate = r, name = "TP " .. degree} end
    end
    for _, degree in ipairs{2, 4, 8, 16} do
        local r = rate(weak(pipe, llama, gpus, 1, {pp = degree}))
        line[#line + 1] = ("%.0f"):format(r)
        if r > top.rate then top = {rate = r, name = "PP " .. degree} end
    end
    best[gpus] = {name = top.name, gain = top.rate / plain - 1}
    rows[#rows + 1] = line
end
print(dtsim.align(rows))
print ""
local turn
for _, gpus in ipairs{64, 128, 256, 512, 1024, 2048} do
    if not turn and best[gpus].gain > 0 then turn = gpus end
end
-- The first count at which TP 2, 4 or 8 beats plain FSDP, with so many tokens on each GPU.
local function turn_at(tokens)
    local model = llama:with{seq_len = tokens}
    for _, gpus in ipairs{64, 128, 256, 512, 1024, 2048} do
        local plain = rate(weak(h100, model, gpus, 1))
        for _, tp in ipairs{2, 4, 8} do
            if rate(weak(h100, model, gpus, 1, {tp = tp})) > plain then return gpus end
        end
    end
end
finding(3, "Plain FSDP is best at moderate scale; beyond, small degrees of TP or PP win",
    "degrees of 2 to 4 win from about 128 H100 on (other readings: a few hundred)",
    ("first win at %s GPUs with 4,096 tokens a GPU, %s with 2,048, %s with 1,024;\n"
        .. "               at 2,048 GPUs: %s, %s over plain"):format(turn or "none",
        turn_at(2048) or "none", turn_at(1024) or "none", best[2048].name,
        percent(best[2048].gain)),
    turn ~= nil and best[2048].gain > 0
        and (turn <= 512 or "agrees in kind; the turn comes near 128 only with less work per GPU "
            .. "than 1,024 tokens"))

-- ---- collectives ----

print "16 MiB through one collective over all GPUs of so many nodes, ms\n"
rows = {{"nodes", "all-gather (ring)", "all-reduce (tree)"}}
local gather, reduce = {}, {}
for _, nodes in ipairs{4, 16, 64, 128, 256, 512} do
    local function time(operation)
        return dtsim.collective(machines.h100, {operation = operation, ranks = 8 * nodes,
            bytes = "16 MiB"}).time
    end
    gather[nodes], reduce[nodes] = time "all_gather", time "all_reduce"
    rows[#rows + 1] = {nodes, ("%.2f"):format(1e3 * gather[nodes]),
        ("%.2f"):format(1e3 * reduce[nodes])}
end
print(dtsim.align(rows))
print ""
finding(4, "Rings of all-gather and reduce-scatter become the bottleneck, not all-reduce's trees",
    "latency grows with nodes; a jump between 128 and 256 nodes",
    ("128 to 256 nodes: all-gather x %.2f, all-reduce x %.2f"):format(gather[256] / gather[128],
        reduce[256] / reduce[128]),
    gather[256] / gather[128] > 1.5 and reduce[256] / reduce[128] < 1.3)

local total = {}
for _, gpus in ipairs{128, 2048} do
    local r = runs[1][gpus]
    total[gpus] = {power = r.power.total, rate = r.tokens_per_s}
end
finding(5, "Power grows with the number of GPUs, throughput does not",
    "16 times the GPUs: power nearly 16 times (15.1)",
    ("16 times the GPUs: power x %.1f, throughput x %.1f (1 sequence)"):format(
        total[2048].power / total[128].power, total[2048].rate / total[128].rate),
    total[2048].power / total[128].power > 14 and total[2048].rate / total[128].rate < 12)

-- ---- sizes ----

print "Model size, 256 H100, one sequence per GPU, full recomputation, FSDP\n"
rows = {{"model", "compute, s", "traffic, s", "exposed, s", "MFU"}}
local sizes = {}
for _, id in ipairs{"llama2_1b", "llama2_7b", "llama2_13b", "llama2_70b"} do
    local model = models[id]:with{seq_len = 4096}
    local r = weak(h100, model, 256, 1, {recompute = "full"})
    sizes[id] = r
    rows[#rows + 1] = {model.name, ("%.3f"):format(r.breakdown.compute),
        ("%.3f"):format(r.exposed + r.hidden), ("%.3f"):format(r.exposed),
        ("%.1f %%"):format(100 * r.mfu)}
end
print(dtsim.align(rows))
print ""
local small, large = sizes.llama2_7b, sizes.llama2_70b
-- The same with two sequences and recomputation only where memory asks for it.
local free = weak(h100, llama, 256, 2)
local forced = weak(h100, models.llama2_70b, 256, 2, {recompute = "full"})
assert(free.memory.verdict == "fits" and forced.memory.verdict == "fits")
assert(weak(h100, models.llama2_70b, 256, 1).memory.verdict == "out of memory")
local both_rise = large.exposed + large.hidden > small.exposed + small.hidden
finding(6, "From 7B to 70B compute and communication grow, utilization falls under a fixed plan",
    "both rise, utilization falls",
    ("compute x %.1f, traffic x %.1f; MFU %.1f %% to %.1f %% with the same recomputation,\n"
        .. "               %.1f %% to %.1f %% if only 70B recomputes, which does not fit otherwise")
        :format(large.breakdown.compute / small.breakdown.compute,
        (large.exposed + large.hidden) / (small.exposed + small.hidden), 100 * small.mfu,
        100 * large.mfu, 100 * free.mfu, 100 * forced.mfu),
    both_rise and large.mfu < small.mfu or both_rise and forced.mfu < free.mfu
        and "agrees on both rising; on utilization only if the larger model alone recomputes: at "
            .. "one plan\n    traffic and compute grow alike and larger matmuls run better, so it "
            .. "rises here")

-- ---- strong scaling ----

print "Strong scaling: a global batch of 512 sequences of Llama 2 7B\n"
rows = {{"GPUs", "step, s", "tokens/s/GPU", "tokens/J"}}
local strong = {}
for _, gpus in ipairs{64, 128, 256, 512} do
    local r = weak(h100, llama, gpus, 512 / gpus, {microbatch = math.min(2, 512 // gpus)})
    strong[gpus] = r
    rows[#rows + 1] = {gpus, ("%.3f"):format(r.step_time), ("%.0f"):format(rate(r)),
        ("%.2f"):format(rate(r) / r.power.gpu)}
end
print(dtsim.align(rows))
print ""
local function per_joule(r) return rate(r) / r.power.gpu end
finding(7, "Strong scaling saturates and its power efficiency drops", "both",
    ("64 to 512 GPUs: throughput per GPU %s, tokens per joule %s"):format(
        change(rate(strong[512]), rate(strong[64])),
        change(per_joule(strong[512]), per_joule(strong[64]))),
    rate(strong[512]) < rate(strong[64]) and per_joule(strong[512]) < per_joule(strong[64]))

local one, eight = runs[1][2048], runs[1][256]
finding(8, "One large job needs more energy per token than several smaller ones",
    "eight jobs of an eighth are more efficient",
    ("one on 2,048: %.3f J/token; eight on 256 each: %.3f J/token"):format(one.power.token_energy,
        eight.power.token_energy), one.power.token_energy > eight.power.token_energy)

-- ---- networks ----

local fast_node = trainer_of(machines.h100:with{
    domain_bandwidth = 2 * machines.h100.domain_bandwidth})
local fast_net = trainer_of(machines.h100:with{
    network_bandwidth = 2 * machines.h100.network_bandwidth})
local wide_node = trainer_of(machines.h100:with{domain = 32})
local function tp4(trainer) return rate(weak(trainer, llama, 2048, 1, {tp = 4})) end
local function tp16(trainer) return rate(weak(trainer, llama, 2048, 1, {tp = 16})) end
finding(9, "A faster network inside the node helps scale-out through larger TP groups",
    "yes, more than a faster network between nodes",
    ("2,048 GPUs, TP 4: NVLink x 2 %s, InfiniBand x 2 %s; TP 16 with domains of 32: %s"):format(
        change(tp4(fast_node), tp4(h100)), change(tp4(fast_net), tp4(h100)),
        change(tp16(wide_node), tp16(h100))),
    tp4(fast_node) > tp4(fast_net) and tp16(wide_node) > tp16(h100))

-- ---- generations and context ----

print "Generations: FSDP, 1 sequence per GPU, Llama 2 1B\n"
rows = {{"GPU", "8 GPUs", "128 GPUs", "512 GPUs", "8 to 512"}}
local falls = {}
for _, pair in ipairs{{"V100", v100}, {"A100", a100}, {"H100", h100}} do
    local line, r = {pair[1]}, {}
    for _, gpus in ipairs{8, 128, 512} do
        r[gpus] = rate(weak(pair[2], models.llama2_1b, gpus, 1))
        line[#line + 1] = ("%.0f"):format(r[gpus])
    end
    falls[pair[1]] = r[512] / r[8] - 1
    line[#line + 1] = percent(falls[pair[1]])
    rows[#rows + 1] = line
end
print(dtsim.align(rows))
print "\nContext: 256 H100, one sequence per GPU, Llama 2 7B, full recomputation\n"
rows = {{"tokens", "tokens/s/GPU", "exposed"}}
for _, tokens in ipairs{2048, 4096, 8192, 16384} do
    local r = weak(h100, llama:with{seq_len = tokens}, 256, 1, {recompute = "full"})
    rows[#rows + 1] = {tokens, ("%.0f"):format(rate(r)),
        ("%.1f %%"):format(100 * r.exposed / r.step_time)}
end
print(dtsim.align(rows))
print ""
finding(10, "A measurement at one scale or generation does not extrapolate to another",
    "it does not",
    ("8 to 512 GPUs: A100 %s, H100 %s; H100 256 to 2,048: %s"):format(percent(falls.A100),
        percent(falls.H100), change(rate(runs[1][2048]), rate(runs[1][256]))),
    math.abs(falls.A100 - falls.H100) > 0.02)
