-- Help for studies, plots, sensitivities and closed forms. How a topic is written:
-- dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137)"

local WHICH = {name = "which", required = true, positional = true,
               help = "the name or the number of a configuration"}
local PATH = {name = "path", positional = true, help = "of a file that ends in .svg, .png or .pdf; "
    .. "without one the picture is text on the terminal"}
local PLOT_OPTIONS = {
    {name = "title", default = "what it shows", help = "above the picture"},
    {name = "width", help = "pixels, 200 to 10000"},
    {name = "height", help = "pixels, 200 to 10000"},
    {name = "columns", help = "characters of a panel, as text on the terminal"},
    {name = "rows", help = "lines of a panel, as text on the terminal"},
}
local KIND = {name = "kind", default = '"utilization"',
              help = '"utilization", "parallelism", "time" or "resources"'}
local SENSITIVITY = {
    {name = "configuration", default = "the first", help = "a name or a number"},
    {name = "metric", default = '"limit"', help = "which limit moves"},
    {name = "share", default = "0.8", help = "of the GPU's sustained utilization, 0 to 1"},
}

-- A list of lists of rows as one list.
local function rows(...)
    local all = {}
    for _, list in ipairs{...} do table.move(list, 1, #list, #all + 1, all) end
    return all
end

local SMALL = [[
> study = dtsim.study{ search = "paper", d_model = { 2048, 4096 },
>> { name = "GTX 580", system = "gtx580" }, { name = "V100", system = "v100" } }
]]

return {
    {
        name = "dtsim.study",
        summary = "configurations side by side, each with its sweep",
        usage = "dtsim.study{ title, laws, duration, ..., { name, system, ... }, ... }",
        text = "What is said outside of the configurations holds for each that does not say "
            .. "otherwise. A sweep is run when its answers are asked for.",
        rows = {
            {name = "title", default = '"Study"', help = "what it is called"},
            {name = "laws", help = "for all configurations, see configuration"},
            {name = "duration", kind = "time", help = "for all configurations"},
            {name = "d_model", help = "for all configurations"},
            {name = "d_ff", help = "for all configurations"},
            {name = "seq_len", kind = "count", help = "for all configurations"},
            {name = "stop_utilization", help = "for all configurations"},
            {name = "overlap", help = "for all configurations"},
            {name = "schedules", help = "for all configurations"},
            {name = "zero_bubble_latency", help = "for all configurations"},
            {name = "search", help = "for all configurations"},
            {name = "threads", kind = "count", help = "for all configurations"},
            {name = "options", help = "search options for all configurations"},
        },
        items = "configuration",
        returns = "a study, which cannot be changed; study:change makes a changed copy",
        example = SMALL .. [[
> #study, study[2].name, study:sweep("V100")[1].model.d_model
2	V100	2048
]],
        see = {"study", "configuration", "dtsim.presets"},
    },
    {
        name = "study",
        summary = "configurations side by side",
        usage = "study[i], #study, study.title, tostring(study)",
        rows = {{name = "title", help = "what it is called"}},
        example = SMALL .. [[
> study
Study
configuration  largest above 80 %  GPUs there  first at or below  last feasible  utilization there
GTX 580                   1.38e22        2048  none                     1.38e22             84.6 %
V100                      1.38e22          16  none                     1.38e22             90.0 %
]],
        see = {"dtsim.study", "study:results"},
    },
    {
        name = "dtsim.study.new",
        summary = "makes a study; dtsim.study{ ... } does the same",
        usage = "dtsim.study.new{ ... }",
        example = [[
> dtsim.study.new{ title = "empty" }.title
empty
]],
        see = {"dtsim.study"},
    },
    {
        name = "dtsim.study.load",
        summary = "reads a study that study:save has written, with its answers",
        usage = 'dtsim.study.load("study.json")',
        returns = "a study",
        example = [[
> dtsim.study.load "/dev/null"
study.load: /dev/null: cannot read JSON: Expected value but found T_END at character 1
]],
        see = {"study:save"},
    },
    {
        name = "configuration",
        summary = "hardware, laws and settings of one sweep, under a name",
        usage = "study[i]",
        rows = {
            {name = "name", help = "what it is called"},
            {name = "note", help = "a text of one's own"},
            {name = "system", help = "a system, or a name of dtsim.systems"},
            {name = "gpu", help = "a gpu, in place of the system's"},
            {name = "network", help = "a network, in place of the system's"},
            {name = "laws", help = "a set of laws, or a name of dtsim.laws"},
            {name = "overlap", help = "as in dtsim.optimizer"},
            {name = "schedules", help = "as in dtsim.optimizer"},
            {name = "zero_bubble_latency", help = "as in dtsim.optimizer"},
            {name = "search", help = "as in dtsim.optimizer"},
            {name = "threads", kind = "count", help = "as in dtsim.optimizer"},
            {name = "duration", kind = "time", help = "as in optimizer:sweep"},
            {name = "d_model", help = "as in optimizer:sweep"},
            {name = "d_ff", help = "as in optimizer:sweep"},
            {name = "seq_len", kind = "count", help = "as in optimizer:sweep"},
            {name = "stop_utilization", help = "as in optimizer:sweep"},
            {name = "options", help = "search options"},
            {name = "enabled", default = "true", help = "false: study:run leaves it out"},
            {name = "optimizer", computed = true, help = "what its hardware and settings make"},
            {name = "given", computed = true, help = "the fields that were given"},
        },
        see = {"dtsim.study", "configuration:run"},
    },
    {
        name = "configuration:run",
        summary = "the sweep of a configuration",
        usage = "configuration:run()",
        returns = "a sweep",
        example = SMALL .. [[
> #study[1]:run()
2
]],
        see = {"study:sweep"},
    },
    {
        name = "study:add",
        summary = "a copy with one configuration more",
        usage = "study:add{ name, system, ... }",
        example = SMALL .. [[
> #study:add{ name = "A100", system = "a100" }
3
]],
        see = {"configuration"},
    },
    {
        name = "study:change",
        summary = "a copy in which one configuration has changed fields",
        usage = "study:change(which, { field = value, ... })",
        rows = {WHICH},
        example = SMALL .. [[
> study:change("V100", { search = "wide" })[2].search
wide
]],
        see = {"study:change_all"},
    },
    {
        name = "study:change_all",
        summary = "a copy in which all configurations have changed fields",
        usage = "study:change_all{ field = value, ... }",
        example = SMALL .. [[
> study:change_all{ duration = "1 month" }[1].duration
2629800.0
]],
        see = {"study:change"},
    },
    {
        name = "study:without",
        summary = "a copy without some configurations",
        usage = "study:without(which, ...)",
        rows = {WHICH},
        example = SMALL .. [[
> study:without("V100")[1].name
GTX 580
]],
        see = {"study:only"},
    },
    {
        name = "study:only",
        summary = "a copy with some of the configurations alone",
        usage = "study:only(which, ...)",
        rows = {WHICH},
        example = SMALL .. [[
> study:only(2)[1].name
V100
]],
        see = {"study:without"},
    },
    {
        name = "study:run",
        summary = "runs the sweeps that are not known yet",
        usage = "study:run{ only, log, resume, again }",
        rows = {
            {name = "only", default = "all enabled ones", help = "a list of names or numbers"},
            {name = "log", help = "path of a JSON Lines file that gets each point at once"},
            {name = "resume", default = "false", help = "true: go on from what the log holds"},
            {name = "again", default = "false", help = "true: run what was run before too"},
        },
        returns = "the study",
        example = SMALL .. [[
> #study:run{ only = { "V100" } }:results()
1
]],
        see = {"study:results"},
    },
    {
        name = "study:sweep",
        summary = "the sweep of a configuration, which is run if it was not",
        usage = "study:sweep(which)",
        rows = {WHICH},
        returns = "a sweep",
        example = SMALL .. [[
> #study:sweep(1)
2
]],
        see = {"study:results"},
    },
    {
        name = "study:results",
        summary = "configurations with their sweeps",
        usage = "study:results()",
        returns = "a list of { configuration, sweep } of all that were run; if none was, the "
            .. "enabled ones are run first",
        example = SMALL .. [[
> study:results()[2].configuration.name
V100
]],
        see = {"study:run"},
    },
    {
        name = "study:plain",
        summary = "a study as plain tables",
        usage = "study:plain()",
        example = SMALL .. [[
> study:plain().format
dtsim study
]],
        see = {"study:save"},
    },
    {
        name = "study:save",
        summary = "writes a study and the answers it has to a file, whole or not at all",
        usage = 'study:save("study.json")',
        rows = {{name = "path", required = true, positional = true,
                 help = "its ending says how: .json, .jsonl, .csv, .md or .txt"}},
        returns = "true; an error if the file cannot be written",
        example = SMALL .. [[
> study:save "study.doc"
study:save: the file's name must end in .json, .jsonl, .csv, .md or .txt, got "study.doc"
]],
        see = {"dtsim.study.load"},
    },
    {
        name = "study:plot",
        summary = "draws a study, with gnuplot",
        usage = 'study:plot(["study.svg" [, { kind, title, ... }]])',
        rows = rows({PATH, KIND}, PLOT_OPTIONS),
        returns = "true",
        example = SMALL .. [[
> study:plot "study.gif"
plot: the file's name must end in .svg, .png or .pdf, got "study.gif"
]],
        see = {"sweep:plot"},
    },
    {
        name = "study:report",
        summary = "writes a study as one page of HTML",
        usage = 'study:report("study.html")',
        text = "The page needs no network and no other file: the summary, plots with values, "
            .. "hardware and settings, and every point with what limits it.",
        rows = {{name = "path", required = true, positional = true, help = "ends in .html"}},
        returns = "true; an error if the file cannot be written",
        example = SMALL .. [[
> study:report "study.txt"
study:report: the file's name must end in .html, got "study.txt"
]],
    },
    {
        name = "study:tornado",
        summary = "what moves a configuration's limit most",
        usage = "study:tornado{ configuration, metric, share, factors, by }",
        text = "Each parameter is multiplied and divided on its own. Parameters are fields of the "
            .. "GPU, flop_rate, LEVEL.bandwidth, LEVEL.latency and LEVEL.size of a level of the "
            .. "network by name or number, batch_law, depth_law and duration.",
        rows = rows(SENSITIVITY, {
            {name = "factors", help = "a list of parameters"},
            {name = "by", default = "2", help = "what each is multiplied with and divided by"},
        }),
        returns = "a tornado",
        example = SMALL .. [[
> swings = study:tornado{ factors = { "flop_rate", "node.latency" } }
> #swings.factors, swings.by
2	2
]],
        see = {"tornado", "study:grid", "study:monte_carlo"},
    },
    {
        name = "study:grid",
        summary = "a configuration's limit over two parameters",
        usage = "study:grid{ x = { NAME, value, ... }, y = { NAME, value, ... } }",
        text = "Parameters as in study:tornado.",
        rows = rows(SENSITIVITY, {
            {name = "x", required = true, help = "a list of a parameter and its values"},
            {name = "y", required = true, help = "a list of a parameter and its values"},
        }),
        returns = "a grid",
        example = SMALL .. [[
> map = study:grid{ x = { "node.size", 4, 8 }, y = { "duration", "1 month", "3 months" } }
> #map.values, #map.values[1]
2	2
]],
        see = {"grid", "study:tornado"},
    },
    {
        name = "study:monte_carlo",
        summary = "the spread of a configuration's limit when parameters are uncertain",
        usage = "study:monte_carlo{ parameters = { NAME = { from, to }, ... }, n, seed }",
        text = "{ from, to } is log-uniform; others say distribution = uniform, log_uniform, "
            .. "triangular (from, mode, to) or log_normal (median, factor). The same seed gives "
            .. "the same answer. Parameters as in study:tornado.",
        rows = rows(SENSITIVITY, {
            {name = "parameters", required = true, help = "distributions by name"},
            {name = "n", kind = "count", default = "100", help = "how many samples"},
            {name = "seed", default = "1", help = "of the random numbers"},
        }),
        returns = "a monte_carlo",
        example = SMALL .. [[
> spread = study:monte_carlo{ parameters = { duration = { "1 month", "6 months" } }, n = 5 }
> #spread.samples, spread.seed
5	1
]],
        see = {"monte_carlo", "study:tornado"},
    },
    {
        name = "tornado",
        summary = "how far each parameter moves a limit",
        usage = "study:tornado{ ... }",
        rows = {
            {name = "title", help = "what it shows"},
            {name = "configuration", help = "whose limit it is"},
            {name = "metric", help = "which limit it is"},
            {name = "by", help = "what each was multiplied with and divided by"},
            {name = "base", kind = "flop", help = "the limit as things are"},
            {name = "factors",
             help = "a list of { name, value, less, more }, the largest effect first"},
        },
        see = {"study:tornado", "sensitivity:plot", "sensitivity:save"},
    },
    {
        name = "grid",
        summary = "a limit over two parameters",
        usage = "study:grid{ ... }",
        rows = {
            {name = "title", help = "what it shows"},
            {name = "configuration", help = "whose limit it is"},
            {name = "metric", help = "which limit it is"},
            {name = "x", help = "name and values"},
            {name = "y", help = "name and values"},
            {name = "values", help = "FLOP, rows by y of columns by x; 0 where nothing holds"},
        },
        see = {"study:grid", "sensitivity:plot", "sensitivity:save"},
    },
    {
        name = "monte_carlo",
        summary = "the spread of a limit",
        usage = "study:monte_carlo{ ... }",
        rows = {
            {name = "title", help = "what it shows"},
            {name = "configuration", help = "whose limit it is"},
            {name = "metric", help = "which limit it is"},
            {name = "n", kind = "count", help = "how many samples"},
            {name = "seed", help = "of the random numbers"},
            {name = "percentiles", help = "5, 25, 50, 75 and 95, FLOP"},
            {name = "mean", kind = "flop", help = "of all samples"},
            {name = "samples", help = "a list of { values, limit }"},
        },
        see = {"study:monte_carlo", "sensitivity:plot", "sensitivity:save"},
    },
    {
        name = "sensitivity:rows",
        summary = "a tornado, grid or monte_carlo as rows of texts, the first of titles",
        usage = "answer:rows()",
        example = SMALL .. [[
> #study:tornado{ factors = { "flop_rate", "node.latency" } }:rows()
3
]],
        see = {"study:tornado", "study:grid", "study:monte_carlo"},
    },
    {
        name = "sensitivity:plain",
        summary = "a tornado, grid or monte_carlo as plain tables",
        usage = "answer:plain()",
        example = SMALL .. [[
> study:tornado{ factors = { "flop_rate" } }:plain().format
dtsim tornado
]],
        see = {"sensitivity:save"},
    },
    {
        name = "sensitivity:save",
        summary = "writes a tornado, grid or monte_carlo to a file",
        usage = 'answer:save("tornado.csv")',
        returns = "true; an error if the file cannot be written",
        example = SMALL .. [[
> study:tornado{ factors = { "flop_rate" } }:save "tornado.doc"
save: the file's name must end in .json, .csv or .md, got "tornado.doc"
]],
        see = {"sensitivity:plain"},
    },
    {
        name = "sensitivity:plot",
        summary = "draws a tornado, a grid as a heat map, or the distribution of a monte_carlo",
        usage = 'answer:plot(["tornado.svg" [, { title, ... }]])',
        rows = rows({PATH}, PLOT_OPTIONS),
        returns = "true",
        example = SMALL .. [[
> study:tornado{ factors = { "flop_rate" } }:plot "tornado.gif"
plot: the file's name must end in .svg, .png or .pdf, got "tornado.gif"
]],
        see = {"sensitivity:save"},
    },
    {
        name = "dtsim.presets",
        summary = "the studies of the paper's figures, by name",
        usage = "dtsim.presets.NAME",
        text = "They search as the paper did; study:change_all{ search = \"wide\" } lifts the "
            .. "limits that this puts on plans.",
        returns = "a study",
        example = [[
> dtsim.presets.base_comparison[3].name
H100 SXM
]],
        source = PAPER .. ", and the simulator published with it",
        see = {"dtsim.study"},
    },
    {
        name = "dtsim.plot",
        summary = "pictures, by gnuplot",
        usage = "dtsim.plot.NAME(...)",
        see = {"sweep:plot", "study:plot", "laws:plot", "dtsim.plot.draw"},
    },
    {
        name = "dtsim.plot.sweep",
        summary = "draws a sweep; sweep:plot does the same",
        usage = "dtsim.plot.sweep(sweep [, path [, options]])",
        example = [[
> dtsim.plot.sweep(dtsim.presets.base_comparison:sweep(1), "x.gif")
plot: the file's name must end in .svg, .png or .pdf, got "x.gif"
]],
        see = {"sweep:plot"},
    },
    {
        name = "dtsim.plot.study",
        summary = "draws a study; study:plot does the same",
        usage = "dtsim.plot.study(study [, path [, options]])",
        example = [[
> dtsim.plot.study(dtsim.presets.base_comparison:only(1), "x.gif")
plot: the file's name must end in .svg, .png or .pdf, got "x.gif"
]],
        see = {"study:plot"},
    },
    {
        name = "dtsim.plot.draw",
        summary = "draws a figure of one's own",
        usage = "dtsim.plot.draw(figure [, path [, options]])",
        text = "lua/dtsim/plot/layout.lua says what a figure is.",
        rows = rows({{name = "figure", required = true, positional = true,
                      help = "a table: panels with axes and marks"}, PATH}, PLOT_OPTIONS),
        returns = "true",
        example = [[
> dtsim.plot.draw({}, "x.gif")
plot: the file's name must end in .svg, .png or .pdf, got "x.gif"
]],
        see = {"study:plot"},
    },
    {
        name = "sweep:plot",
        summary = "draws a sweep, with gnuplot",
        usage = 'sweep:plot(["sweep.svg" [, { kind, title, ... }]])',
        rows = rows({PATH, KIND}, PLOT_OPTIONS),
        returns = "true",
        example = [[
> dtsim.presets.base_comparison:sweep(1):plot "sweep.gif"
plot: the file's name must end in .svg, .png or .pdf, got "sweep.gif"
]],
        see = {"study:plot", "sweep"},
    },
    {
        name = "laws:plot",
        summary = "draws each law over training compute, with gnuplot",
        usage = 'laws:plot(["laws.svg" [, { d_model, seq_len, title, ... }]])',
        rows = rows({PATH}, {
            {name = "d_model", default = "dtsim.widths.paper()", help = "a list of widths"},
            {name = "seq_len", kind = "count", default = "2048", help = "tokens in a sequence"},
        }, PLOT_OPTIONS),
        returns = "true",
        example = [[
> dtsim.laws.paper_dense:plot "laws.gif"
plot: the file's name must end in .svg, .png or .pdf, got "laws.gif"
]],
        see = {"dtsim.laws"},
    },
}
