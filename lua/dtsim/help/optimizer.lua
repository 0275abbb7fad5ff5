-- Help for the optimizer: its questions, its options, its answers. How a topic is written:
-- dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137)"

local MODEL = {name = "model", required = true, positional = true, help = "a dtsim.model"}
local N_GPUS = {name = "n_gpus", kind = "count", required = true, positional = true,
                help = "GPUs of the cluster"}
local OPTIONS = {name = "options", positional = true, fields = "search options",
                 help = 'a table of "search options"'}

return {
    {
        name = "dtsim.optimizer",
        summary = "hardware, and how plans for it are searched",
        usage = "dtsim.optimizer{ gpu, network, overlap, search, ... }",
        object = "optimizer",
        required = {gpu = true, network = true},
        defaults = {
            overlap = "{ tp = true, pp = true, dp = false }",
            search = '"wide"',
            schedules = '{ "interleaved", "zero_bubble" }',
            zero_bubble_latency = '"exposed"; "hidden" with search = "paper"',
            threads = "what -j of the program says, or 1",
        },
        returns = "an optimizer, which cannot be changed; optimizer:with{ ... } makes a changed "
            .. "copy",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> model = dtsim.laws.paper_dense:model(20480)
> opt:cluster(model, { duration = "3 months" }).plan
]],
        see = {"optimizer:cluster", "optimizer:plan", "optimizer:sweep", "overlap", "search"},
    },
    {
        name = "optimizer:evaluate",
        summary = "the time of one plan",
        usage = "opt:evaluate(model, plan [, { check_levels = false }])",
        rows = {
            MODEL,
            {name = "plan", required = true, positional = true, fields = "plan",
             help = "a table of the fields of a plan; without levels the best ones are taken"},
            {name = "check_levels", default = "true",
             help = "false: parts need not fill the levels of the network"},
            {name = "partial_levels", default = "false",
             help = "true: parts may fill a level in part"},
        },
        returns = "a result; a plan that cannot be raises an error that says why",
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> opt:evaluate(model, { dp = 24, tp_ff = 8, pp = 8, microbatches = 16 }).n_gpus
]],
        source = PAPER .. ", section on the time of a training run",
        see = {"plan", "result"},
    },
    {
        name = "optimizer:plan",
        summary = "the fastest plan on so many GPUs",
        usage = "opt:plan(model, n_gpus [, options])",
        rows = {MODEL, N_GPUS, OPTIONS},
        returns = "a result; or nil and the reason, where no plan is possible",
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> opt:plan(model, 1024).plan
> opt:plan(model, 8)
]],
        see = {"search options", "optimizer:plans", "optimizer:cluster"},
    },
    {
        name = "optimizer:plans",
        summary = "the best plans on so many GPUs, best first",
        usage = "opt:plans(model, n_gpus [, options])",
        rows = {MODEL, N_GPUS, OPTIONS},
        returns = "a list of options.top (10) results; or nil and the reason",
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> #opt:plans(model, 1024, { top = 3 })
]],
        see = {"search options", "optimizer:plan"},
    },
    {
        name = "optimizer:cluster",
        summary = "the cluster that finishes in time",
        usage = "opt:cluster(model, { duration, objective, ... })",
        text = 'With search = "paper" it is the least number of GPUs that is the sparsity times a '
            .. "power of two. Otherwise the objective says which of all clusters is best, the "
            .. "highest utilization where none is said.",
        rows = {MODEL},
        options = "search options",
        returns = "a result; or nil and the reason, where no cluster is fast enough",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> model = dtsim.laws.paper_dense:model(20480)
> found = opt:cluster(model, { duration = "3 months" })
> dtsim.units.format(found.n_gpus, "count"), dtsim.units.format(found.cost, "money")
]],
        source = PAPER .. ", and the simulator published with it: the example with the GTX 580",
        see = {"search options", "result", "optimizer:sweep"},
    },
    {
        name = "optimizer:frontier",
        summary = "all plans that no other one beats in both GPUs and time",
        usage = "opt:frontier(model, { duration, max_gpus, ... })",
        rows = {MODEL},
        options = "search options",
        returns = "a list of results, fewest GPUs first; or nil and the reason",
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> few = opt:frontier(model, { max_gpus = 4096, power_of_two = true })
> few[1].n_gpus, few[#few].n_gpus
]],
        see = {"search options", "optimizer:cluster"},
    },
    {
        name = "optimizer:sweep",
        summary = "the best cluster for each of a list of model widths",
        usage = "opt:sweep{ d_model = { ... }, laws, duration, ... }",
        rows = {
            {name = "d_model", default = "dtsim.widths.paper()", help = "a list of widths"},
            {name = "d_ff", default = "4 d_model", help = "a number, or a function of d_model"},
            {name = "laws", default = "dtsim.laws.paper_dense", help = "a set of laws"},
            {name = "duration", kind = "time", default = '"3 months"',
             help = "each run ends within it"},
            {name = "seq_len", kind = "count", default = "2048", help = "tokens in a sequence"},
            {name = "stop_utilization", default = "0.001",
             help = "the sweep ends after a point with less"},
        },
        options = "search options",
        returns = "a sweep; it ends before the first width that no cluster serves in time",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> opt:sweep{ d_model = { 2048, 4096, 8192 } }
]],
        source = PAPER .. ", figures of utilization over training compute",
        see = {"sweep", "dtsim.laws", "dtsim.widths", "search options"},
    },
    {
        name = "search options",
        summary = "limits and wishes that a search takes beside its model",
        usage = "{ duration = \"3 months\", max_gpus = \"64 Ki\", max_degree = { pp = 8 }, ... }",
        options = "search options",
        text = "The kinds of parallelism are dp, tp_model, tp_ff, pp and ep; a level is counted "
            .. "from the innermost, 1.",
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> opt:cluster(model, { duration = "3 months", objective = "gpus", max_degree = { pp = 1 } }).n_gpus
]],
        see = {"optimizer:cluster", "optimizer:plan", "parallelism"},
    },
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
            {name = "search", help = "how the search went; nil after opt:evaluate"},
        },
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> opt:evaluate(model, { dp = 24, tp_ff = 8, pp = 8, microbatches = 16 })
]],
        see = {"plan", "breakdown", "search statistics"},
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
        name = "search statistics",
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
            {name = "settings", help = "what led to it: optimizer, laws, duration, options"},
        },
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> sweep = opt:sweep{ d_model = { 2048, 4096 } }
> #sweep, sweep[1].model.d_model, sweep.settings.seq_len
]],
        see = {"optimizer:sweep", "sweep:linear_scaling_end", "sweep:largest", "sweep:save"},
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
]],
        see = {"sweep:plain"},
    },
}
