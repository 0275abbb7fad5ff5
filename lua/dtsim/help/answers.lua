-- Help for what an optimizer answers: results, plans, sweeps. How a topic is written:
-- dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137)"

return {
    {
        name = "result",
        summary = "what a search or an evaluation answers",
        usage = "opt:plan(...), opt:cluster(...), opt:evaluate(...), sweep[i]",
        rows = {
            {name = "n_gpus", kind = "count", unit = "GPUs", help = "GPUs of the cluster"},
            {name = "time", kind = "time", help = "seconds of the whole run"},
            {name = "utilization", help = "share of the GPUs' peak that the run uses, 0 to 1"},
            {name = "cost", kind = "money", help = "USD for the GPUs; nil without their price"},
            {name = "energy", kind = "energy",
             help = "joules of the run; nil without the GPU's power"},
            {name = "memory", kind = "bytes", help = "bytes that each GPU holds"},
            {name = "fits", help = "whether they fit into its memory"},
            {name = "model", help = "the model"},
            {name = "plan", help = "the plan"},
            {name = "breakdown", help = "time of each part of the work, whether hidden or not"},
            {name = "exposed", help = "where the time of the run goes; the parts add up to it"},
            {name = "level_times", help = "time of communication at each network level"},
            {name = "matmul_times", help = "time of the matmuls by what bounds them"},
            {name = "search", help = "how the search went; nil after opt:evaluate"},
            {name = "behind", help = "distance to the best plan; nil for the best one"},
        },
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> opt:evaluate(model, { dp = 24, tp_ff = 8, pp = 8, microbatches = 16 })
result
  n_gpus        1536 GPUs
  time          25.6 days
  utilization   0.4807
  energy        660 MWh
  memory        4.23 GB
  fits          true
  model         d_model 12288, d_ff 49152, 96 layers, sparsity 1, 116 G
                parameters, 1.61e24 FLOP
  plan          DP 24 x TP 1x8 x PP 8, 16 microbatches
  breakdown     compute 17.6 days, tp 9.90 days, dp 6.18 h, pp_ep 2.89 h, bubble
                7.70 days, latency 10.9 min
  exposed       compute 17.6 days, tp 0 s, dp 6.18 h, pp_ep 0 s, bubble 7.70
                days, latency 10.9 min
  level_times   tp { 1.47 days, 9.90 days }, dp { 2.47 h, 6.18 h }, pp_ep { 0 s,
                2.89 h }
  matmul_times  compute 17.6 days, memory 0 s, l2 0 s, shared 0 s, latency 1.06
                h
]],
        see = {"plan", "breakdown", "search report"},
    },
    {
        name = "plan",
        summary = "how a run is split over a cluster",
        usage = "{ dp = 8, pp = 4, microbatches = 8 }, result.plan",
        rows = {
            {name = "dp", kind = "count", default = "1", help = "data-parallel replicas"},
            {name = "tp_model", kind = "count", default = "1",
             help = "tensor-parallel parts of d_model"},
            {name = "tp_ff", kind = "count", default = "1", help = "tensor-parallel parts of d_ff"},
            {name = "pp", kind = "count", default = "1", help = "pipeline stages"},
            {name = "ep", kind = "count", default = "1", help = "expert-parallel parts"},
            {name = "microbatches", kind = "count", default = "1",
             help = "microbatches of a replica in one batch"},
            {name = "interleave", kind = "count", default = "1",
             help = "chunks of layers of a pipeline stage"},
            {name = "zero_bubble", default = "false", help = "whether its schedule is zero bubble"},
            {name = "recompute", default = "false", help = "whether activations are recomputed"},
            {name = "levels", default = "the best ones",
             help = "a layout: the parts of each degree by network level"},
        },
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> opt:evaluate(model, { dp = 24, tp_ff = 8, pp = 8, microbatches = 16 }).plan.levels.tp_ff
{ 2, 4 }
]],
        see = {"parallelism", "layout", "optimizer:evaluate"},
    },
    {
        name = "layout",
        summary = "the parts of each degree of a plan, by network level, innermost first",
        usage = "plan.levels",
        rows = {
            {name = "dp", help = "parts of data parallelism"},
            {name = "tp_model", help = "parts of tensor parallelism over d_model"},
            {name = "tp_ff", help = "parts of tensor parallelism over d_ff"},
            {name = "pp", help = "parts of pipeline parallelism"},
            {name = "ep", help = "parts of expert parallelism"},
        },
        see = {"plan"},
    },
    {
        name = "breakdown",
        summary = "a run's time by what it is spent on",
        usage = "result.breakdown, result.exposed",
        rows = {
            {name = "compute", kind = "time", help = "matmuls"},
            {name = "tp", kind = "time", help = "communication of tensor parallelism"},
            {name = "dp", kind = "time", help = "communication of data parallelism"},
            {name = "pp_ep", kind = "time",
             help = "communication of pipeline and expert parallelism"},
            {name = "bubble", kind = "time", help = "waiting for a pipeline to fill and to drain"},
            {name = "latency", kind = "time", help = "latency of the network"},
        },
        see = {"result", "overlap"},
    },
    {
        name = "times by level",
        summary = "time of communication, a list by network level, innermost first",
        usage = "result.level_times",
        rows = {
            {name = "tp", kind = "time", help = "of tensor parallelism"},
            {name = "dp", kind = "time", help = "of data parallelism"},
            {name = "pp_ep", kind = "time", help = "of pipeline and expert parallelism"},
        },
        see = {"result", "breakdown"},
    },
    {
        name = "matmul times",
        summary = "time of the matmuls by what bounds them",
        usage = "result.matmul_times",
        rows = {
            {name = "compute", kind = "time", help = "arithmetic"},
            {name = "memory", kind = "time", help = "bandwidth of global memory"},
            {name = "l2", kind = "time", help = "bandwidth of the L2 cache"},
            {name = "shared", kind = "time", help = "bandwidth of shared memory"},
            {name = "latency", kind = "time", help = "fixed latency of each matmul"},
        },
        see = {"result", "gpu:matmul"},
    },
    {
        name = "distance to the best plan",
        summary = "how far one of several plans is behind the best",
        usage = "result.behind",
        rows = {
            {name = "ratio", help = "its time over that of the best"},
            {name = "part", help = "the part of the breakdown that grew most"},
        },
        see = {"optimizer:plans"},
    },
    {
        name = "result:explain",
        summary = "why a plan is limited, and what would help most",
        usage = "result:explain()",
        text = "Asks the question of the result again with each number of the hardware twice as "
            .. "good, which takes as long as that many searches.",
        returns = "an explanation; printed, it is a text",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> found = opt:cluster(dtsim.laws.paper_dense:model(20480), { duration = "3 months" })
> found:explain()
1.12e26 FLOP on 16.8 M GPUs in 2.90 months: utilization 0.5544, DP 1024 x TP
  16x32 x PP 32, 64 microbatches, zero bubble.
  It reaches 65.2 % of the sustained maximum of 0.85.
  Where the time goes: matmuls 67.1 %, data-parallel communication 22.8 %,
  tensor-parallel communication 10.1 %.
  The matmuls are bound by arithmetic (97.2 % of their time).
  What keeps it from the maximum: data parallelism on the bandwidth of cluster
  (22.8 %), tensor parallelism on the bandwidth of cluster (10.1 %), matmuls
  padded or waiting for memory (1.9 %).
  Memory: 237 MB of 3 GB a GPU (7.9 %).
  Doubling one number helps most with bandwidth of cluster: 1.37 times fewer
  GPU-hours.
]],
        see = {"explanation"},
    },
    {
        name = "explanation",
        summary = "why a plan is limited",
        usage = "result:explain()",
        rows = {
            {name = "result", help = "what is explained"},
            {name = "optimizer", help = "that it is from"},
            {name = "share_of_sustained", help = "its utilization over the GPU's, 0 to 1"},
            {name = "shares", help = "list of { part, name, share } of the time, largest first"},
            {name = "limits",
             help = "list of { limit, share, words }: what keeps it from the maximum"},
            {name = "upgrades", help = "list of { name, gain, result }: what doubling each number "
                .. "of the hardware would give, best first"},
        },
        see = {"result:explain"},
    },
    {
        name = "search report",
        summary = "how a search went",
        usage = "result.search",
        rows = {
            {name = "considered", kind = "count", help = "plans that were looked at"},
            {name = "pruned", kind = "count", help = "of these, dismissed by a bound"},
            {name = "cut", kind = "count", help = "branches of the search dismissed as a whole"},
            {name = "seconds", kind = "time", help = "time that it took"},
            {name = "proved", help = "whether nothing better is left in the space of plans"},
        },
        see = {"search", "result"},
    },
    {
        name = "sweep",
        summary = "the results of opt:sweep, in order",
        usage = "sweep[i], #sweep, sweep.settings, tostring(sweep)",
        text = "tostring(sweep) and print(sweep) give a table with all points; the prompt shows "
            .. "as much of it as fits the terminal.",
        rows = {
            {name = "settings", help = "what led to it, see sweep's settings"},
        },
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> sweep = opt:sweep{ d_model = { 2048, 4096 } }
> #sweep, sweep[1].model.d_model, sweep.settings.seq_len
2	2048	2048
]],
        see = {"optimizer:sweep", "sweep:linear_scaling_end", "sweep:largest", "sweep:save"},
    },
    {
        name = "sweep's settings",
        summary = "what led to a sweep",
        usage = "sweep.settings",
        rows = {
            {name = "optimizer", help = "whose sweep it is"},
            {name = "laws", help = "the set of laws"},
            {name = "d_model", help = "the list of widths"},
            {name = "seq_len", kind = "count", help = "tokens in a sequence"},
            {name = "duration", help = "each run ended within it, as it was given"},
            {name = "duration_s", kind = "time", help = "the same in seconds"},
            {name = "stop_utilization", help = "the sweep ended after a point with less"},
            {name = "options", help = "the search options that were given"},
            {name = "end_reason", help = "why it ended before its last width; nil if it did not"},
            {name = "interrupted", help = "whether Ctrl-C ended it"},
            {name = "search_seconds", kind = "time", help = "how long it took"},
        },
        see = {"sweep", "optimizer:sweep"},
    },
    {
        name = "sweep:nearest",
        summary = "the point whose training compute is nearest",
        usage = "sweep:nearest(flop)",
        rows = {
            {name = "flop", kind = "flop", required = true, help = 'a number, or "1e26 FLOP"'},
        },
        returns = "the result and its position; nil where the sweep is empty",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> opt:sweep{ d_model = { 8192, 20480, 32768 } }:nearest("1e26 FLOP").model.d_model
20480
]],
    },
    {
        name = "sweep:linear_scaling_end",
        summary = "where linear scaling ends: the first point at or below a utilization",
        usage = "sweep:linear_scaling_end([share])",
        rows = {
            {name = "share", default = "0.8", help = "of the GPU's sustained utilization, 0 to 1"},
        },
        returns = "the result and its position; nil if there is none",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> sweep = opt:sweep{ d_model = { 2048, 8192, 20480 } }
> sweep:linear_scaling_end(0.8).model.d_model
20480
]],
        source = PAPER,
        see = {"sweep:largest"},
    },
    {
        name = "sweep:largest",
        summary = "the last point above a utilization",
        usage = "sweep:largest([share])",
        text = "Utilization does not only fall with size, so this need not be the point before "
            .. "sweep:linear_scaling_end.",
        rows = {
            {name = "share", default = "0.8", help = "of the GPU's sustained utilization, 0 to 1"},
        },
        returns = "the result and its position; nil if there is none",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> sweep = opt:sweep{ d_model = { 2048, 8192, 20480 } }
> sweep:largest(0.8).model.d_model
8192
]],
        see = {"sweep:linear_scaling_end"},
    },
    {
        name = "sweep:plain",
        summary = "all of a sweep as plain tables, in SI units",
        usage = "sweep:plain()",
        returns = "a table: settings, laws, hardware, points and what ended it",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> opt:sweep{ d_model = { 2048, 4096 } }:plain().points[2].model.d_model
4096
]],
        see = {"sweep:save"},
    },
    {
        name = "sweep:save",
        summary = "writes a sweep to a file, whole or not at all",
        usage = 'sweep:save("sweep.json")',
        rows = {
            {name = "path", required = true, help = "its ending says how: .json, .csv or .md"},
        },
        returns = "true; an error if the file cannot be written",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> opt:sweep{ d_model = { 2048, 4096 } }:save("/dev/null.txt")
sweep:save: the file's name must end in .json, .csv or .md, got "/dev/null.txt"
]],
        see = {"sweep:plain"},
    },
}
