-- Messages about wrong GPUs, networks, models, laws and names.
local mistakes = require "spec.mistakes"

-- The message must come with the line of the code, which is the third.
local function check(code, message)
    it(code, function() assert.equal(message, mistakes.message_of(code)) end)
end

describe("a wrong GPU", function()
    mistakes.each([==[
dtsim.gpu()
    gpu: fields must be given as a table, got nil
dtsim.gpu "h100"
    gpu: fields must be given as a table, got "h100"
dtsim.gpu{}
    gpu: sms is missing (streaming multiprocessors (4 processing blocks and 128 threads each))
dtsim.gpu(G{sms = X})
    gpu: sms is missing (streaming multiprocessors (4 processing blocks and 128 threads each))
dtsim.gpu(G{sms = 0})
    gpu: sms must be a finite number above 0, got 0
dtsim.gpu(G{sms = "many"})
    gpu: sms: "many" does not begin with a number, as in "16 M"
dtsim.gpu(G{sms = true})
    gpu: sms must be a number or a string such as "16 M", got true
dtsim.gpu(G{sms = 0/0})
    gpu: sms must be a number, got nan
dtsim.gpu(G{memory = "-3 GB"})
    gpu: memory must be a finite number above 0, got "-3 GB"
dtsim.gpu(G{memory = "3 GB/s"})
    gpu: memory: "3 GB/s" is bandwidth, but bytes is due, as in "64 KiB"
dtsim.gpu(G{memory = "3 GBB"})
    gpu: memory: "3 GBB" has the unknown unit "GBB"; did you mean "GB"?
dtsim.gpu(G{memory = {}})
    gpu: memory must be a number or a string such as "64 KiB", got a table
dtsim.gpu(G{memory_bandwidth = -1})
    gpu: memory_bandwidth must be a number above 0 (infinity is allowed), got -1
dtsim.gpu(G{memory_bandwith = 1})
    gpu has no field 'memory_bandwith'; did you mean 'memory_bandwidth'?
dtsim.gpu(G{[3] = 1})
    gpu has no field [3]
dtsim.gpu(G{utilization = 1.5})
    gpu: utilization must be above 0 and at most 1, got 1.5
dtsim.gpu(G{clock = math.huge})
    gpu: clock must be a finite number above 0, got inf
dtsim.gpu(G{matmul_latency = -1})
    gpu: matmul_latency must be a finite number, 0 or above, got -1
dtsim.gpu(G{price = -300})
    gpu: price must be a finite number, 0 or above, got -300
dtsim.gpu(G{distributed_shared_memory = 1})
    gpu: distributed_shared_memory must be true or false, got 1
dtsim.gpu(G{name = ""})
    gpu: name must be a text of 1 to 63 bytes, got ""
dtsim.gpu(G{name = 5})
    gpu: name must be a text of 1 to 63 bytes, got 5
dtsim.gpu(G{name = ("x"):rep(64)})
    gpu: name must be a text of 1 to 63 bytes, got
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
dtsim.gpu(G{bits = 12})
    gpu: bits must be 64, 32, 16, 8 or 4, got 12
dtsim.gpu(G{flop_per_clock_per_thread = {[16] = 8}, bits = 8})
    gpu: bits must be a width that flop_per_clock_per_thread has a rate for, got 8
dtsim.gpu(G{bits = "8"})
    gpu: bits must be a number, got "8"
dtsim.gpu(G{flop_per_clock_per_thread = X})
    gpu: flop_per_clock_per_thread is missing (FLOP per clock of a thread; or give peak, as in
    peak = "312 TFLOP/s")
dtsim.gpu(G{flop_per_clock_per_thread = 0})
    gpu: flop_per_clock_per_thread must be a finite number above 0, got 0
dtsim.gpu(G{flop_per_clock_per_thread = "8"})
    gpu: flop_per_clock_per_thread must be a number, got "8"
dtsim.gpu(G{flop_per_clock_per_thread = {[12] = 1}})
    gpu: flop_per_clock_per_thread is by width, [64], [32], [16], [8] or [4], got [12]
dtsim.gpu(G{flop_per_clock_per_thread = {[16] = -1}})
    gpu: flop_per_clock_per_thread must be a finite number above 0, got -1
dtsim.gpu(G{flop_per_clock_per_thread = {fp16 = 1}})
    gpu: flop_per_clock_per_thread is by width, [64], [32], [16], [8] or [4], got [fp16]
dtsim.gpu(G{peak = "312 TFLOP/s"})
    gpu: give flop_per_clock_per_thread or peak, not both
dtsim.gpu(G{flop_per_clock_per_thread = X, peak = 0})
    gpu: peak must be a finite number of FLOP/s above 0, got 0
dtsim.gpu(G{flop_per_clock_per_thread = X, peak = "300 TFLOP"})
    gpu: peak: "300 TFLOP" is flop, but flop_rate is due, as in "312 TFLOP/s"
dtsim.gpu(G{power = 300, idle_power = 400})
    gpu: idle_power must be at most power = 300, got 400
dtsim.gpu(G{flop_per_clock_per_thread = X, peak = 1e12, power = 300, idle_power = 400})
    gpu: idle_power must be at most power = 300, got 400
gpu.memry
    gpu has no field 'memry'; did you mean 'memory'?
gpu[1]
    gpu has no field [1]
gpu.memory = 3
    a dtsim.gpu cannot be changed; make a changed copy: x:with{ memory = ... }
gpu[1] = 3
    a dtsim.gpu cannot be changed; make a changed copy: x:with{ 1 = ... }
gpu:with()
    gpu: fields must be given as a table, got nil
gpu:with{memry = 3}
    gpu has no field 'memry'; did you mean 'memory'?
gpu:with{memory = 0}
    gpu: memory must be a finite number above 0, got 0
gpu.with(3, {})
    gpu:with: self must be a dtsim.gpu, got 3
gpu:matmul_time(0, 1, 1)
    gpu:matmul_time: d1 must be a whole number from 1 to 2^62, got 0
gpu:matmul_time(1, 1.5, 1)
    gpu:matmul_time: d2 must be a whole number from 1 to 2^62, got 1.5
gpu:matmul(1, 1)
    gpu:matmul: batch must be a number or a string such as "16 M", got nil
gpu:matmul(1, 1, 1, "grad")
    gpu:matmul: the fourth argument must be "weight_grad", got "grad"
gpu.matmul(1, 1, 1)
    gpu:matmul: self must be a dtsim.gpu, got 1
]==], check)
end)

describe("a wrong network", function()
    mistakes.each([==[
dtsim.network()
    network: levels must be given as a list, innermost first, got nil
dtsim.network{}
    network: must have 1 to 8 levels, got 0
dtsim.network{L, L, L, L, L, L, L, L, L}
    network: must have 1 to 8 levels, got 9
dtsim.network{L}
    network: level 1: size must be left out on the outermost level, which is unbounded, got 8
dtsim.network{L, L}
    network: level 2: size must be left out on the outermost level, which is unbounded, got 8
dtsim.network{3}
    network: level 1: fields must be given as a table, got 3
dtsim.network{L, x = 3}
    network: takes a list of levels, got the key x
dtsim.network{{size = 8, bandwidth = 1, latency = 0}, {latency = 0}}
    network: level 2: bandwidth is missing (bytes per second of each GPU, reads plus writes)
dtsim.network{{size = 8, latency = 0}, W}
    network: level 1: bandwidth is missing (bytes per second of each GPU, reads plus writes)
dtsim.network{{bandwidth = 1, latency = 0}, W}
    network: level 1: size is missing (how many units of the level below it joins; only the
    outermost level has none)
dtsim.network{{size = 1, bandwidth = 1, latency = 0}, W}
    network: level 1: size must be a whole number from 2 to 2^62, got 1
dtsim.network{{size = 8, bandwidth = 0, latency = 0}, W}
    network: level 1: bandwidth must be a number above 0 (infinity is allowed), got 0
dtsim.network{{bandwidth = 1, latency = "inf s"}}
    network: level 1: latency: "inf s" is infinite, but time must be finite
dtsim.network{{bandwidth = 1, latency = 0, name = false}}
    network: level 1: name must be a text of 1 to 63 bytes, got false
dtsim.network{{bandwidth = 1, latency = 0, speed = 1}}
    network: level 1 has no field 'speed'; there are bandwidth, latency, name and size
dtsim.network{B, B, W}
    network: level 2: size must be such that all sizes together are at most 2^62 GPUs, got
    1099511627776
network[3]
    network: level must be a whole number from 1 to 2, got 3
network[0]
    network: level must be a whole number from 1 to 2, got 0
network.levels
    network has no field 'levels'; there are allreduce, inner_size, p2p, scaled and with
network.inner_siz
    network has no field 'inner_siz'; did you mean 'inner_size'?
network.x = 1
    a dtsim.network cannot be changed; make a changed copy: x:with{ x = ... }
network[1] = 1
    a dtsim.network cannot be changed; make a changed copy: x:with{ 1 = ... }
network[1].size = 4
    a network level cannot be changed; make a changed copy: x:with{ size = ... }
network[1].bandwith
    network level has no field 'bandwith'; did you mean 'bandwidth'?
network:scaled()
    network:scaled takes a table such as { bandwidth = ... }, got nil
network:scaled{bandwith = 2}
    network:scaled has no option 'bandwith'; did you mean 'bandwidth'?
network:scaled{speed = 2}
    network:scaled has no option 'speed'; there are bandwidth and latency
network:scaled{2}
    network:scaled has no option [1]; there are bandwidth and latency
network:scaled{latency = 0}
    network:scaled: latency must be a finite factor above 0, got 0
network:scaled{latency = "1 us"}
    network:scaled: latency must be a number, got "1 us"
network:with(3)
    network:with takes levels by number, as in net:with{ [2] = { ... } }, got 3
network:with{bandwidth = 3}
    network:with takes levels by number, as in net:with{ [2] = { ... } }, got the key bandwidth
network:with{[3] = {}}
    network:with: level must be a whole number from 1 to 2, got 3
network:with{[2] = 3}
    network: level 2: fields must be given as a table, got 3
network:with{[2] = {size = 8}}
    network: level 2: size must be left out on the outermost level, which is unbounded, got 8
network:with{[2] = {latncy = 8}}
    network: level 2 has no field 'latncy'; did you mean 'latency'?
network:allreduce()
    network:allreduce takes a table such as { level = ... }, got nil
network:allreduce{}
    network:allreduce: level is missing
network:allreduce{level = 1}
    network:allreduce: participants is missing
network:allreduce{level = 1, participants = 2}
    network:allreduce: bytes is missing
network:allreduce{level = 1, participants = 2, bytes = 1}
    network:allreduce: gpus is missing
network:allreduce{level = 3, participants = 2, bytes = 1, gpus = 2}
    network:allreduce: level must be a whole number from 1 to 2, got 3
network:allreduce{level = 1, participants = 0, bytes = 1, gpus = 2}
    network:allreduce: participants must be a number from 1 to 1e60, got 0
network:allreduce{level = 1, participants = 2, bytes = -1, gpus = 2}
    network:allreduce: bytes must be a number from 0 to 1e60, got -1
network:allreduce{level = 1, participants = 2, bytes = "1 us", gpus = 2}
    network:allreduce: bytes: "1 us" is time, but bytes is due, as in "64 KiB"
network:allreduce{level = 1, participants = 2, byte = 1, gpus = 2}
    network:allreduce has no option 'byte'; did you mean 'bytes'?
network.p2p(3, {})
    network:p2p: self must be a dtsim.network, got 3
]==], check)
end)

describe("a wrong model", function()
    mistakes.each([==[
dtsim.model()
    model: fields must be given as a table, got nil
dtsim.model{}
    model: d_model is missing (model width)
dtsim.model{d_model = 8}
    model: layers is missing (residual blocks of two matrices)
dtsim.model{d_model = 8, layers = 1}
    model: batch is missing (sequences in one optimizer step)
dtsim.model{d_model = 8.5, layers = 1, batch = 1}
    model: d_model must be a whole number from 1 to 2^62, got 8.5
dtsim.model{d_model = 0, layers = 1, batch = 1}
    model: d_model must be a whole number from 1 to 2^62, got 0
dtsim.model{d_model = 2^63, layers = 1, batch = 1}
    model: d_model must be a whole number from 1 to 2^62, got 9.2233720368548e+18
dtsim.model{d_model = 2^61, layers = 1, batch = 1}
    model: d_model must keep d_ff = 4 d_model within 2^62, got 2.3058430092137e+18
dtsim.model{d_model = 8, layers = "1 s", batch = 1}
    model: layers: "1 s" is time, but count is due, as in "16 M"
dtsim.model{d_model = 8, layer = 1, batch = 1}
    model has no field 'layer'; did you mean 'layers'?
dtsim.model{d_model = 8, layers = 1, batch = 1, tokens = 0}
    model: tokens must be a finite number above 0, got 0
dtsim.model{d_model = 8, layers = 1, batch = 1, tokens = "20 GB"}
    model: tokens: "20 GB" is bytes, but count is due, as in "16 M"
dtsim.model{d_model = 8, layers = 1, batch = 2^60}
    model: batch must keep a batch within 2^62 tokens, with seq_len = 2048, got
    1.1529215046068e+18
model.param
    model has no field 'param'; did you mean 'params'?
model.layers = 3
    a dtsim.model cannot be changed; make a changed copy: x:with{ layers = ... }
model:with{params = 3}
    model has no field 'params'; there are batch, d_ff, d_model, layers, seq_len, sparsity and
    tokens
]==], check)
end)

describe("a wrong name or law", function()
    mistakes.each([==[
dtsim.laws()
    laws must be given as a table such as { batch = f }, got nil
dtsim.laws{bacth = one}
    laws has no law 'bacth'; did you mean 'batch'?
dtsim.laws{batch = {}}
    laws: batch must be a function of (compute, seq_len, sparsity), a formula or the name of a law,
    got a table
dtsim.laws{name = 3}
    laws: name must be a text, got 3
dtsim.laws.paper
    dtsim.laws has no field 'paper'; did you mean 'paper_batch'?
dtsim.laws.paper_dense.layer
    set of laws has no field 'layer'; did you mean 'layers'?
dtsim.laws.paper_dense.layers = one
    a set of laws cannot be changed; make a changed copy: x:with{ layers = ... }
dtsim.laws.paper_dense.names.layers = "x"
    this table cannot be changed; copy it first
dtsim.laws.paper_dense:with()
    laws:with takes a table of changes, got nil
dtsim.laws.paper_dense:with{layer = one}
    laws has no law 'layer'; did you mean 'layers'?
dtsim.laws.paper_dense:model()
    laws:model: d_model must be a whole number above 0, got nil
dtsim.laws.paper_dense:model("wide")
    laws:model: d_model must be a whole number above 0, got "wide"
dtsim.laws.paper_dense:model(12288, 0)
    laws:model: d_ff must be a whole number above 0, got 0
dtsim.laws.paper_dense:model(12288, nil, 1.5)
    laws:model: seq_len must be a whole number above 0, got 1.5
dtsim.gpus.h10
    the catalog has no GPU 'h10'; did you mean 'h100'?
dtsim.gpus.nothing_like_it
    the catalog has no GPU 'nothing_like_it'
dtsim.gpus[1]
    the catalog has no GPU [1]
dtsim.gpus.h100 = 3
    the GPU catalog cannot be changed
dtsim.networks.h10
    the catalog has no network 'h10'; did you mean 'h100'?
dtsim.systems.h100_superpods
    the catalog has no system 'h100_superpods'; did you mean 'h100_superpod'?
dtsim.systems.h100.gpus
    system has no field 'gpus'; did you mean 'gpu'?
dtsim.systems.h100.gpu = 3
    a system cannot be changed; make a changed copy: x:with{ gpu = ... }
dtsim.gpuss
    dtsim has no field 'gpuss'; did you mean 'gpus'?
dtsim.nothing_like_it
    dtsim has no field 'nothing_like_it'
dtsim.widths.between()
    widths.between takes two whole numbers, 1 <= from <= to <= 2^40, got nil and nil
dtsim.widths.between(8, 4)
    widths.between takes two whole numbers, 1 <= from <= to <= 2^40, got 8 and 4
dtsim.widths.between(1, math.huge)
    widths.between takes two whole numbers, 1 <= from <= to <= 2^40, got 1 and inf
dtsim.arguments({})
    arguments takes a list of words, a usage text and a table of defaults
]==], check)
end)
