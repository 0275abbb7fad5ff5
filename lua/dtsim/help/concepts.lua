-- Help for what has no name of its own in scripts. How a topic is written: dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137)"

return {
    {
        name = "quantities",
        summary = "numbers with units",
        usage = '"900 GB/s", "64 KiB", "1.544 GHz", "22.5 us", "3 months", "$300", "16 M"',
        text = [[
Wherever a quantity is taken, a number is in SI base units (bytes, seconds, FLOP, FLOP/s, Hz, W,
J, USD) and a text carries its unit. Decimal and binary prefixes differ: a GB is 1e9 bytes, a
GiB 2^30. A b or bit is an eighth of a B. A year has 365.25 days, a month is a twelfth of it. A
unit of the wrong kind is an error.]],
        example = [[
> dtsim.units.parse "64 KiB", dtsim.units.parse "400 Gbit/s"
65536.0	50000000000.0	bandwidth
]],
        see = {"dtsim.units.parse", "dtsim.units.kinds"},
    },
    {
        name = "parallelism",
        summary = "the five ways to split a run",
        usage = "dp, tp_model, tp_ff, pp, ep",
        text = [[
Data parallelism (dp) gives each replica a part of the batch. Tensor parallelism splits each
matrix, over d_model (tp_model) and over d_ff (tp_ff). Pipeline parallelism (pp) gives each
stage some of the layers. Expert parallelism (ep) spreads the experts of a sparse model.

The product of the five degrees is the number of GPUs. Each degree is split again over the
levels of the network, so that the parts at each inner level fill it.]],
        source = PAPER .. ", section on parallelism",
        see = {"plan", "layout", "search options"},
    },
    {
        name = "overlap",
        summary = "communication that runs while the GPUs compute",
        usage = "dtsim.optimizer{ overlap = { tp = true, pp = true, dp = false }, ... }",
        text = [[
Communication that overlaps costs time only where it takes longer than the matmuls that hide it;
other communication is added to them. pp stands for pipeline and expert parallelism together.]],
        example = [[
> system = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = system.gpu, network = system.network }
> opt.overlap
{ dp = false, pp = true, tp = true }
> bare = opt:with{ overlap = { tp = false, pp = false } }
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> plan = { dp = 24, tp_ff = 8, pp = 8, microbatches = 16 }
> opt:evaluate(model, plan).utilization > bare:evaluate(model, plan).utilization
true
]],
        source = PAPER .. ", section on the time of a training run",
        see = {"dtsim.optimizer", "breakdown"},
    },
    {
        name = "search",
        summary = "spaces of plans",
        usage = 'dtsim.optimizer{ search = "paper" | "wide" | "exhaustive", ... }',
        text = [[
"paper" is the search of the paper's authors: GPUs in powers of two, few microbatches, one
degree of interleaving. It reproduces their figures. "wide", the default, tries any number of
GPUs that is a product of degrees. "exhaustive" tries every plan as well; it takes longer.]],
        source = PAPER .. ", and the simulator published with it",
        see = {"dtsim.optimizer", "search report"},
    },
    {
        name = "formulas",
        summary = "laws as text",
        usage = '"sqrt(E) * 4 Mi * (C / 3e23)^(1/6) / seq"',
        text = [[
A formula has numbers, with units behind them where one likes (4 Mi, 3e23 FLOP); + - * / ^ and
brackets; if CONDITION then X else Y, with < <= > >= == ~= and or; the functions min max sqrt exp
log floor ceil round near; the constants pi and e, and T_0 = 3e23 FLOP, b_0 = 4e6 tokens,
L_0 = 100 layers. It cannot run code, is saved with a sweep, and gives the same bits as the Lua
function of that text.]],
        example = [[
> mine = dtsim.laws{ batch = "sqrt(E) * 4 Mi * (C / 3e23)^(1/6) / seq" }
> mine:model(12288).batch == dtsim.laws.paper_dense:model(12288).batch
true
> dtsim.laws{ batch = "4 Mi / sek" }
laws: batch: column 8: unknown name 'sek'; did you mean 'seq'?
    4 Mi / sek
           ^
]],
        see = {"dtsim.laws", "dtsim.formula"},
    },
    {
        name = "configuration files",
        summary = "systems, sweeps and studies as JSON files",
        usage = "dtsim [--set PATH=VALUE] FILE.json [--out ANSWER]",
        text = [[
A file is an object with "version": 1 and a "format": "dtsim system" is a GPU with its network,
"dtsim sweep settings" one sweep, "dtsim study" several in "configurations", and "dtsim sweep" is
what sweep:save writes. The fields are those of dtsim.optimizer and optimizer:sweep, and options,
an object of search options; system, gpu, network and laws are names of a catalog or objects.
Unknown fields are errors. --set changes one value from outside.]],
        see = {"dtsim.optimizer", "optimizer:sweep", "dtsim.study", "program"},
    },
    {
        name = "prompt",
        summary = "working at the prompt",
        usage = "dtsim",
        text = [[
A line is tried as an expression first, and its values are printed: a GPU as a small table, a
sweep as a table that fits the terminal. Input that is not finished goes on at the next line. _
is the last value; print(_) shows all of it.

Tab completes names, fields, methods, the fields inside dtsim.gpu{, and file names inside texts.
Ctrl-C drops the line or stops what runs, and keeps all variables. Ctrl-D leaves.

Lines are kept in $XDG_STATE_HOME/dtsim/history (~/.local/state/dtsim/history). The file
$XDG_CONFIG_HOME/dtsim/init.lua (~/.config/dtsim/init.lua) runs before the first prompt, unless
-E is given.]],
        example = [[
> 6 * 7
42
> _ + 1
43
> for i = 1, 2 do
>> print(i)
>> end
1
2
]],
        see = {"program"},
    },
    {
        name = "program",
        summary = "the command line",
        usage = "dtsim [options] [script [args]]",
        text = "The options are those of lua and some more; dtsim --help lists them, and "
            .. "man dtsim tells about environment, files and exit status.",
        program = true,
        see = {"prompt"},
    },
}
