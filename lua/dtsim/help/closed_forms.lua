-- Help for the paper's closed forms. How a topic is written: dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137), section on closed forms"

local ALPHA = {name = "alpha", default = "0",
               help = "exponent of the batch law less that of the depth law, below 0.5"}
local DURATION = {name = "duration", kind = "time", default = '"3 months"', help = "of the run"}
local LATENCY = {name = "latency", kind = "time", default = '"9 us"',
                 help = "of a step through a layer"}
local HARDWARE = {
    {name = "system", help = "a system or its name; or give a gpu and a network"},
    {name = "gpu", help = "a gpu"},
    {name = "network", help = "a network"},
}

return {
    {
        name = "dtsim.closed_forms",
        summary = "the paper's formulas for the largest run, without any search",
        usage = "dtsim.closed_forms.NAME{ ... }",
        text = "They leave out the pipeline's bubble, caches and shared memory, whole numbers, and "
            .. "all but one level of the network.",
        source = PAPER,
        see = {"dtsim.closed_forms.critical_compute", "dtsim.closed_forms.latency_limit",
               "dtsim.closed_forms.needed", "optimizer:limits"},
    },
    {
        name = "dtsim.closed_forms.critical_compute",
        summary = "FLOP of the largest run that data movement allows",
        usage = "dtsim.closed_forms.critical_compute{ system, duration, alpha }",
        rows = {HARDWARE[1], HARDWARE[2], HARDWARE[3], DURATION, ALPHA},
        returns = "FLOP; infinite on a network of infinite bandwidth",
        example = [[
> limit = dtsim.closed_forms.critical_compute{ system = "a100" }
> dtsim.units.format(limit, "flop")
2.62e28 FLOP
]],
        source = PAPER,
        see = {"dtsim.closed_forms.needed"},
    },
    {
        name = "dtsim.closed_forms.latency_limit",
        summary = "FLOP of the largest run that latency allows, on any hardware",
        usage = "dtsim.closed_forms.latency_limit{ duration, alpha, latency }",
        rows = {DURATION, ALPHA, LATENCY},
        returns = "FLOP",
        example = [[
> dtsim.units.format(dtsim.closed_forms.latency_limit{ duration = "3 months" }, "flop")
2.31e31 FLOP
]],
        source = PAPER,
        see = {"dtsim.closed_forms.needed"},
    },
    {
        name = "dtsim.closed_forms.needed",
        summary = "what a run needs, each alone, all else being as it is",
        usage = "dtsim.closed_forms.needed{ training_flop, system, duration, ... }",
        rows = {
            {name = "training_flop", kind = "flop", required = true, help = "FLOP of the run"},
            HARDWARE[1], HARDWARE[2], HARDWARE[3], DURATION, ALPHA, LATENCY,
        },
        returns = "needs, a record",
        example = [[
> needs = dtsim.closed_forms.needed{ training_flop = "1e29 FLOP", system = "h100" }
> needs.bandwidth > dtsim.systems.h100.network[2].bandwidth
true
]],
        source = PAPER,
        see = {"needs"},
    },
    {
        name = "needs",
        summary = "what lifts the limits of data movement and of latency",
        usage = "dtsim.closed_forms.needed{ ... }",
        rows = {
            {name = "training_flop", kind = "flop", help = "FLOP of the run"},
            {name = "duration", kind = "time", help = "of the run"},
            {name = "alpha", help = "as it was asked"},
            {name = "bandwidth", kind = "bandwidth", help = "between nodes, for each GPU"},
            {name = "memory_bandwidth", kind = "bandwidth", help = "of each GPU; or this"},
            {name = "movement_duration", kind = "time", help = "or this, for data movement"},
            {name = "movement_alpha", help = "or this, for data movement"},
            {name = "latency", kind = "time", help = "of a step through a layer"},
            {name = "latency_duration", kind = "time", help = "or this, for latency"},
            {name = "latency_alpha", help = "or this, for latency"},
        },
        see = {"dtsim.closed_forms.needed"},
    },
    {
        name = "dtsim.closed_forms.plot",
        summary = "draws both limits over alpha, beside the simulation",
        usage = 'dtsim.closed_forms.plot(["limits.svg" [, { systems, duration, ... }]])',
        rows = {
            {name = "systems", default = '{ "v100", "a100", "h100" }', help = "names or systems"},
            {name = "duration", kind = "time", default = '"3 months"', help = "of the runs"},
            {name = "simulation", default = "true", help = "false: the formulas alone"},
            {name = "search", default = '"paper"', help = "of the simulation"},
        },
        returns = "true",
        example = [[
> dtsim.closed_forms.plot("limits.gif", { simulation = false })
plot: the file's name must end in .svg, .png or .pdf, got "limits.gif"
]],
        source = PAPER,
        see = {"study:plot"},
    },
}
