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
plan
  dp            1024
  tp_model      16
  tp_ff         32
  pp            32
  ep            1
  microbatches  64
  interleave    1
  zero_bubble   true
  recompute     false
  levels        dp { 1, 1024 }, tp_model { 4, 4 }, tp_ff { 2, 16 }, pp { 1, 32
                }, ep { 1, 1 }
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
1536
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
plan
  dp            1
  tp_model      4
  tp_ff         8
  pp            32
  ep            1
  microbatches  64
  interleave    1
  zero_bubble   true
  recompute     false
  levels        dp { 1, 1 }, tp_model { 4, 1 }, tp_ff { 2, 4 }, pp { 1, 32 }, ep
                { 1, 1 }
> opt:plan(model, 8)
nil	n_gpus must fit the GPUs' memory
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
3
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
16.8 M	$5.03 B
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
16	4096
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
training FLOP  d_model   GPUs  utilization  of sustained         time     cost
     3.113e20     2048     32       0.8500       100.0 %  2.75 months    $9600
     1.384e22     4096   2048       0.8462        99.6 %  1.92 months   $614 k
     7.172e23     8192  131 k       0.7730        90.9 %  1.70 months  $39.3 M
(without plan; print(_) shows all)
]],
        source = PAPER .. ", figures of utilization over training compute",
        see = {"sweep", "dtsim.laws", "dtsim.widths", "search options"},
    },
    {
        name = "optimizer:limits",
        summary = "how large a run can be on a kind of hardware",
        usage = "opt:limits{ share, duration, ... }",
        text = "Looks on the widths first and then between two of them, to 1 % of the compute.",
        rows = {
            {name = "share", default = "0.8", help = "of the GPU's sustained utilization, 0 to 1"},
            {name = "laws", default = "dtsim.laws.paper_dense", help = "a set of laws"},
            {name = "d_model", default = "dtsim.widths.paper()",
             help = "a list of widths to start from, ascending"},
            {name = "d_ff", default = "4 d_model", help = "a function of d_model"},
            {name = "seq_len", kind = "count", default = "2048", help = "tokens in a sequence"},
            {name = "duration", kind = "time", default = '"3 months"',
             help = "the run ends within it"},
        },
        options = "search options",
        returns = "limits, a record",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> found = opt:limits{ d_model = { 4096, 8192, 16384, 32768 } }
> found.last_above.d_model >= 8192, found.first_below.d_model <= 32768
true	true
]],
        see = {"limits", "optimizer:largest_run", "sweep:linear_scaling_end"},
    },
    {
        name = "limits",
        summary = "how large a run can be",
        usage = "opt:limits{ ... }",
        rows = {
            {name = "share", help = "of the sustained utilization that was asked for"},
            {name = "last_above", help = "a limit: the largest run above it"},
            {name = "first_below", help = "a limit: the smallest run at or below it"},
            {name = "largest_feasible", help = "a limit: the largest run that finishes at all"},
        },
        see = {"optimizer:limits", "limit"},
    },
    {
        name = "limit",
        summary = "a largest run",
        usage = "opt:largest_run{ ... }, opt:limits{ ... }.last_above",
        rows = {
            {name = "training_flop", kind = "flop", help = "FLOP of the run"},
            {name = "d_model", kind = "count", help = "width of its model"},
            {name = "result", help = "its result"},
            {name = "next_flop", kind = "flop",
             help = "FLOP of the next larger run, which is beyond the limit"},
            {name = "next_d_model", kind = "count", help = "width of the next larger run"},
        },
        see = {"optimizer:limits", "optimizer:largest_run"},
    },
    {
        name = "optimizer:largest_run",
        summary = "the largest run on a cluster, a budget or a supply of power",
        usage = 'opt:largest_run{ n_gpus | max_gpus | budget | power, duration, ... }',
        rows = {
            {name = "budget", kind = "money", help = "buys the GPUs"},
            {name = "power", kind = "power", help = "feeds the GPUs"},
            {name = "laws", default = "dtsim.laws.paper_dense", help = "a set of laws"},
            {name = "d_model", default = "dtsim.widths.paper()",
             help = "a list of widths to start from, ascending"},
            {name = "d_ff", default = "4 d_model", help = "a function of d_model"},
            {name = "seq_len", kind = "count", default = "2048", help = "tokens in a sequence"},
            {name = "duration", kind = "time", default = '"3 months"',
             help = "the run ends within it"},
        },
        options = "search options",
        returns = "a limit; or nil and the reason, where not even the smallest width is possible",
        example = [[
> system = dtsim.systems.gtx580
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network, search = "paper" }
> found = opt:largest_run{ budget = "$1 M", d_model = { 2048, 4096, 8192 } }
> found.result.n_gpus, found.result.cost <= 1e6
2048	true
]],
        see = {"limit", "optimizer:limits"},
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
384
]],
        see = {"optimizer:cluster", "optimizer:plan", "parallelism"},
    },
}
