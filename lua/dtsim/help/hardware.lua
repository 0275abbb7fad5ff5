-- Help for hardware: GPUs, networks, catalogs. How a topic is written: dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137)"

local core = require "dtsim.core"

-- What dtsim.gpu may fill in, as rows.
local assumed = {{name = "from", help = "the GPU of the catalog: a name of dtsim.gpus"}}
for _, row in ipairs(core.fields.gpu) do
    if row.presence == "required" or row.name == "distributed_shared_memory" then
        assumed[#assumed + 1] = {name = row.name, kind = row.kind, help = row.help}
    end
end

return {
    {
        name = "dtsim.gpu",
        summary = "a GPU: its arithmetic, its memories, what it costs",
        usage = "dtsim.gpu{ name, bits, peak, memory, ... }",
        text = "A GPU is a hierarchy of memories below its arithmetic: global memory, L2 cache, "
            .. "shared memory, registers. Each moves bytes at its own rate, and a matmul takes as "
            .. "long as the slowest of them needs.\n\nOf the required fields, peak (or what it is "
            .. "computed from), memory and memory_bandwidth are enough: the others are then taken "
            .. "from the nearest GPU of the catalog, and gpu:assumed() tells which.",
        object = "gpu",
        defaults = {name = '"GPU"', bits = "16"},
        returns = "a gpu, which cannot be changed; gpu:with{ ... } makes a changed copy",
        example = [[
> card = dtsim.gpus.gtx580:with{ price = "$250" }
> card.price, card.peak, card.sustained
250.0	1581056000000.0	1343897600000.0
> card
gpu: GTX 580
  name                       GTX 580
  bits                       32
  flop_per_clock_per_thread  { [32] = 0.5, [64] = 0.0625 }
  peak                       1.58 TFLOP/s
  sms                        16
  registers_per_block        131 kB
  l2_size                    786 kB
  l2_bandwidth               385 GB/s
  memory                     3 GB
  memory_bandwidth           192 GB/s
  clock                      1.54 GHz
  utilization                0.85
  distributed_shared_memory  false
  matmul_latency             22.5 us
  price                      $250
  power                      244 W
  sustained                  1.34 TFLOP/s
  shared_bandwidth           2.69 TB/s
]],
        source = PAPER .. ", section on the time of a matmul",
        see = {"gpu:matmul", "dtsim.gpus", "quantities"},
    },
    {
        name = "gpu:matmul_time",
        summary = "seconds of one matmul",
        usage = 'gpu:matmul_time(d1, d2, batch [, "weight_grad"])',
        rows = {
            {name = "d1", kind = "count", required = true, help = "rows of the weight matrix"},
            {name = "d2", kind = "count", required = true, help = "columns of the weight matrix"},
            {name = "batch", kind = "count", required = true,
             help = "vectors that it is multiplied with at once"},
            {name = '"weight_grad"', help = "for the product that makes the weight's gradient"},
        },
        returns = "the time in seconds",
        example = [[
> dtsim.units.format(dtsim.gpus.h100:matmul_time(16384, 16384, 4096), "time")
3.18 ms
]],
        source = PAPER .. ", section on the time of a matmul",
        see = {"gpu:matmul"},
    },
    {
        name = "gpu:matmul",
        summary = "what one matmul takes, and what bounds it",
        usage = 'gpu:matmul(d1, d2, batch [, "weight_grad"])',
        text = "The arguments are those of gpu:matmul_time.",
        returns = "a table: time (s); bound, which is compute, memory, l2, shared or latency; "
            .. "flop, with the padding to tensor-core chunks; useful_flop, without; "
            .. "memory_bytes, l2_bytes and shared_bytes, what each level of memory moves; "
            .. "efficiency, useful FLOP/s as a share of the peak",
        example = [[
> gpu = dtsim.gpus.h100
> gpu:matmul(16384, 16384, 4096).bound, gpu:matmul(16384, 16384, 64).bound
compute	l2
]],
        source = PAPER .. ", section on the time of a matmul",
        see = {"gpu:matmul_time"},
    },
    {
        name = "gpu:assumed",
        summary = "what dtsim.gpu filled in",
        usage = "gpu:assumed()",
        returns = "assumed values, a record; nil if all was given",
        example = [[
> card = dtsim.gpu{ peak = "989 TFLOP/s", memory = "80 GB", memory_bandwidth = "3.35 TB/s" }
> card:assumed().from, card:assumed().clock
h100	1830000000.0
]],
        see = {"assumed values", "dtsim.gpu"},
    },
    {
        name = "assumed values",
        summary = "what dtsim.gpu filled in, and from where",
        usage = "gpu:assumed()",
        rows = assumed,
        see = {"gpu:assumed"},
    },
    {
        name = "dtsim.network",
        summary = "a network: a hierarchy of levels, innermost first",
        usage = "dtsim.network{ { name, size, bandwidth, latency }, ..., { bandwidth, latency } }",
        text = "A level joins `size` units of the level below it: 8 GPUs make a node, 32 nodes a "
            .. "pod. The outermost level has no size and joins as many as there are. net[i] is a "
            .. "level, #net their number. The fields of a level are those of the topic "
            .. "\"network level\".",
        object = "network",
        items = "network level",
        returns = "a network, which cannot be changed; "
            .. "net:with{ [2] = { latency = \"2 us\" } } makes a changed copy",
        example = [[
> net = dtsim.network{
>> { name = "NVLink", size = 8, bandwidth = "900 GB/s", latency = "1 us" },
>> { name = "InfiniBand", bandwidth = "100 GB/s", latency = "5 us" } }
> net
network
  level  name        size  bandwidth  latency
      1  NVLink      8      900 GB/s     1 us
      2  InfiniBand  any    100 GB/s     5 us
> #net, net[2].name, net[2].bandwidth
2	InfiniBand	100000000000.0
]],
        source = PAPER .. ", section on the network",
        see = {"network level", "network:scaled", "dtsim.networks"},
    },
    {
        name = "network level",
        summary = "one level of a network",
        usage = "net[i]",
        object = "network level",
        defaults = {name = '"level" and its number'},
        text = "The bandwidth of a GPU counts reads and writes, as figures of NVLink do: half of "
            .. "it is available in each direction. It may be \"infinite\".",
        example = [[
> dtsim.networks.h100[1].size, dtsim.networks.h100[1].bandwidth
8	900000000000.0
]],
        source = PAPER .. ", section on the network",
    },
    {
        name = "network:scaled",
        summary = "a copy with all levels faster or slower",
        usage = "net:scaled{ bandwidth = 10, latency = 0.1 }",
        rows = {
            {name = "bandwidth", default = "1", help = "factor for the bandwidth of each level"},
            {name = "latency", default = "1", help = "factor for the latency of each level"},
        },
        returns = "a network",
        example = [[
> dtsim.networks.h100[1].bandwidth
900000000000.0
> dtsim.networks.h100:scaled{ bandwidth = 10 }[1].bandwidth
9000000000000.0
]],
    },
    {
        name = "network:allreduce",
        summary = "time of an all-reduce at one level",
        usage = "net:allreduce{ level, participants, bytes, gpus }",
        text = "Latency is paid by each of the steps that follow each other, bandwidth by all "
            .. "bytes. They are apart, because plans overlap them in different ways.",
        rows = {
            {name = "level", kind = "count", required = true, help = "1 is the innermost"},
            {name = "participants", kind = "count", required = true,
             help = "units that reduce together"},
            {name = "bytes", kind = "bytes", required = true, help = "bytes of one reduction"},
            {name = "gpus", kind = "count", required = true, help = "GPUs of the whole cluster"},
            {name = "sequential", kind = "count", default = "1",
             help = "reductions one after another"},
            {name = "parallel", kind = "count", default = "1", help = "reductions at once"},
        },
        returns = "a table { latency, bandwidth }, in seconds",
        example = [[
> net = dtsim.networks.h100
> net:allreduce{ level = 1, participants = 8, bytes = "9 GB", gpus = 8 }
{ bandwidth = 0.035, latency = 2.25e-06 }
]],
        source = PAPER .. ", section on the network: 2 (P - 1) bytes of each of P participants "
            .. "over half the bandwidth of all GPUs",
        see = {"network:p2p"},
    },
    {
        name = "network:p2p",
        summary = "time of sending from one GPU to another at one level",
        usage = "net:p2p{ level, bytes, gpus }",
        text = "The fields are those of network:allreduce, without participants.",
        rows = {
            {name = "level", kind = "count", required = true, help = "1 is the innermost"},
            {name = "bytes", kind = "bytes", required = true, help = "bytes of one message"},
            {name = "gpus", kind = "count", required = true, help = "GPUs of the whole cluster"},
            {name = "participants", kind = "count", default = "2", help = "is of no effect here"},
            {name = "sequential", kind = "count", default = "1",
             help = "messages one after another"},
            {name = "parallel", kind = "count", default = "1", help = "messages at once"},
        },
        returns = "a table { latency, bandwidth }, in seconds",
        example = [[
> dtsim.networks.h100:p2p{ level = 1, bytes = "4.5 GB", gpus = 1 }
{ bandwidth = 0.01, latency = 1.125e-06 }
]],
        source = PAPER .. ", section on the network",
        see = {"network:allreduce"},
    },
    {
        name = "dtsim.gpus",
        summary = "known GPUs by name",
        usage = "dtsim.gpus.NAME",
        text = "A number's source stands beside it in the catalog's file, "
            .. "lua/dtsim/catalog/gpus.lua. pairs(dtsim.gpus) walks over all.",
        returns = "a gpu",
        example = [[
> dtsim.gpus.v100.name, dtsim.gpus.v100.sms
V100 SXM	80.0
]],
        see = {"dtsim.gpu", "dtsim.systems"},
    },
    {
        name = "dtsim.networks",
        summary = "known networks by name",
        usage = "dtsim.networks.NAME",
        text = "A number's source stands beside it in the catalog's file, "
            .. "lua/dtsim/catalog/networks.lua. pairs(dtsim.networks) walks over all.",
        returns = "a network",
        example = [[
> dtsim.networks.gtx580
network
  level  name     size  bandwidth  latency
      1  node     8        8 GB/s     5 us
      2  cluster  any      1 GB/s     5 us
]],
        see = {"dtsim.network", "dtsim.systems"},
    },
    {
        name = "dtsim.systems",
        summary = "known systems by name, each a GPU with its network",
        usage = "dtsim.systems.NAME",
        returns = "a system, with the fields name, gpu and network",
        example = [[
> system = dtsim.systems.gtx580
> system.gpu.name, #system.network
GTX 580	2
]],
        see = {"system", "dtsim.optimizer"},
    },
    {
        name = "system",
        summary = "a GPU with its network",
        usage = "dtsim.systems.NAME",
        rows = {
            {name = "name", help = "what it is called"},
            {name = "gpu", help = "a gpu"},
            {name = "network", help = "a network"},
        },
        example = [[
> dtsim.systems.h100.name
H100 SXM
]],
        see = {"dtsim.systems"},
    },
}
