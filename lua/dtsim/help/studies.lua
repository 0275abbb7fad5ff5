-- Help for studies, presets, plots, closed forms and sensitivities. How a topic is written:
-- dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137)"

-- Lines at the prompt that make a small study.
local SMALL = [[
> study = dtsim.study{ search = "paper", d_model = { 12288, 24576 }, { system = "h100" } }
]]

local function method(name, summary, usage, returns, example, more)
    local topic = {name = name, summary = summary, usage = usage, returns = returns,
                   example = SMALL .. example}
    for key, value in pairs(more or {}) do topic[key] = value end
    return topic
end

-- The methods that answers about sensitivity share.
local function answer_methods(kind, ask)
    return {
        method(kind .. ":rows", "the answer as rows of a table", "answer:rows()",
            "a list of rows, the first of titles", ("> #%s:rows() > 1\ntrue\n"):format(ask)),
        method(kind .. ":plain", "the answer as plain tables", "answer:plain()",
            "a table for JSON; docs/schema.md says what is in it",
            ("> %s:plain().format\ndtsim %s\n"):format(ask, kind)),
        method(kind .. ":save", "writes the answer to a file", 'answer:save "x.json"',
            "true; the name's ending says how: .json, .csv or .md",
            ('> %s:save "x.pdf"\n'):format(ask)
            .. "save: the file's name must end in .json, .csv or .md, got \"x.pdf\"\n"),
        method(kind .. ":plot", "draws the answer", 'answer:plot "x.svg"',
            "true; paths and options are those of dtsim.plot.draw",
            ('> %s:plot "x.bmp"\n'):format(ask)
            .. "plot: the file's name must end in .svg, .png or .pdf, got \"x.bmp\"\n"),
    }
end

local ANSWER_ROWS = {
    {name = "title", help = "what it is about"},
    {name = "configuration", help = "the name of the configuration"},
    {name = "metric", help = "what was measured"},
}

local function answer_rows(more)
    local rows = {table.unpack(ANSWER_ROWS)}
    for _, row in ipairs(more) do rows[#rows + 1] = row end
    return rows
end

local topics = {
    {
        name = "dtsim.study",
        summary = "configurations side by side, each with its sweep",
        usage = "dtsim.study{ { name = ..., system = ... }, ... }",
        text = "What configurations have in common stands beside them, and in each what differs.",
        rows = {
            {name = "title", help = "of the study", default = '"Study"'},
            {name = "laws", help = "and overlap, schedules, zero_bubble_latency, search, threads, "
                .. "duration, d_model, d_ff, seq_len, stop_utilization, options: as in a "
                .. "configuration, for all"},
        },
        returns = "a study",
        example = SMALL .. "> #study:sweep(1)\n2\n",
        see = {"study", "configuration", "dtsim.presets", "dtsim.study.load"},
    },
    {
        name = "dtsim.study.new", summary = "the same as dtsim.study",
        usage = "dtsim.study.new{ ... }", returns = "a study",
        example = "> #dtsim.study.new{ { system = \"h100\" } }\n1\n", see = {"dtsim.study"},
    },
    {
        name = "dtsim.study.load",
        summary = "reads a study that study:save has written",
        usage = 'dtsim.study.load "x.json"',
        returns = "a study with its answers; a file that is none is an error",
        example = [[
> dtsim.study.load "/dev/null"
study.load: /dev/null: cannot read JSON: Expected value but found T_END at character 1
]],
        see = {"study:save"},
    },
    {
        name = "study", summary = "what dtsim.study makes", usage = "study[i], #study",
        text = "A study is a list of configurations, which cannot be changed; its methods give "
            .. "changed copies.",
        rows = {{name = "title", help = "of the study"}},
        see = {"dtsim.study", "configuration"},
    },
    {
        name = "configuration", summary = "one row of a study",
        usage = "study[i]", text = "As an argument, only name, note, system, gpu, network and what "
            .. "differs from the defaults are given.",
        rows = {
            {name = "name", help = "what to call it", default = "the system's"},
            {name = "note", help = "a sentence about it"},
            {name = "system", help = "a system, by its catalog name or itself"},
            {name = "gpu", help = "a GPU; takes the place of the system's"},
            {name = "network", help = "a network; takes the place of the system's"},
            {name = "laws", help = "a set of laws, its name, or a table of laws",
             default = "dtsim.laws.paper_dense"},
            {name = "overlap", help = "as in dtsim.optimizer"},
            {name = "schedules", help = "as in dtsim.optimizer"},
            {name = "zero_bubble_latency", help = "as in dtsim.optimizer"},
            {name = "search", help = "as in dtsim.optimizer"},
            {name = "threads", help = "as in dtsim.optimizer"},
            {name = "duration", kind = "time", help = "the deadline", default = '"3 months"'},
            {name = "d_model", help = "the widths", default = "the paper's"},
            {name = "d_ff", help = "a number, or a function of d_model", default = "4 d_model"},
            {name = "seq_len", help = "tokens in a sequence", default = "2048"},
            {name = "stop_utilization", help = "the sweep ends after a point below it",
             default = "0.001"},
            {name = "options", help = "others of the search, as in optimizer:cluster"},
            {name = "enabled", help = "false leaves it out of runs", default = "true"},
            {name = "optimizer", help = "the optimizer made of it"},
            {name = "given", help = "the fields that it was made of"},
        },
        see = {"dtsim.study"},
    },
    method("configuration:run", "the sweep of a configuration", "configuration:run([widths])",
        "a sweep over its own widths, or those given", "> #study[1]:run()\n2\n"),
    method("study:add", "a copy with one configuration more", "study:add{ system = ... }",
        "a study", '> #study:add{ system = "v100" }\n2\n'),
    method("study:change", "a copy with one configuration changed",
        'study:change("NAME", { duration = "1 month" })', "a study; answers that hold are kept",
        '> study:change(1, { duration = "10 days" })[1].duration\n864000.0\n'),
    method("study:change_all", "a copy with every configuration changed",
        'study:change_all{ search = "wide" }', "a study",
        '> study:change_all{ search = "wide" }[1].search\nwide\n'),
    method("study:without", "a copy without some configurations", 'study:without("NAME", ...)',
        "a study", "> #study:without(1)\n0\n"),
    method("study:only", "a copy with some configurations alone", 'study:only("NAME", ...)',
        "a study, in the order of the old one", "> #study:only(1)\n1\n"),
    method("study:run", "runs what was not run before", "study:run{ ... }", "the study",
        "> #study:run():results()\n1\n", {rows = {
            {name = "only", help = "names or numbers of the configurations to run",
             default = "all that are enabled"},
            {name = "log",
             help = "path of a JSON Lines file that gets every point when it is found"},
            {name = "resume", help = "go on from what the log has", default = "false"},
            {name = "again", help = "run what was run before too", default = "false"},
        }}),
    method("study:sweep", "the sweep of a configuration", 'study:sweep("NAME")',
        "a sweep; it is run if it was not", "> #study:sweep(1)\n2\n"),
    method("study:results", "all configurations that were run, with their sweeps",
        "study:results()", "a list of { configuration, sweep }; if none was run, all are",
        "> study:results()[1].configuration.name\nH100 SXM\n"),
    method("study:plain", "the study as plain tables", "study:plain([quiet])",
        "a table for JSON; docs/schema.md says what is in it",
        "> study:plain().format\ndtsim study\n"),
    method("study:save", "writes the study to a file", 'study:save "x.json"',
        "true; the name's ending says how: .json, .jsonl, .csv, .md or .txt", '> study:save "x"\n'
        .. "study:save: the file's name must end in .json, .jsonl, .csv, .md or .txt, "
        .. 'got "x"\n', {see = {"dtsim.study.load"}}),
    method("study:plot", "draws the study", 'study:plot("x.svg", { kind = "time" })',
        "true; without a path it is text on the terminal", '> study:plot("x.svg", { kind = "x" })\n'
        .. "plot has no kind 'x'; there are parallelism, resources, time and "
        .. "utilization\n", {see = {"dtsim.plot.study"}}),
    method("study:report", "writes a page of HTML", 'study:report "x.html"',
        "true; the page has plots with values on hover, sortable tables, what limits each point "
        .. "and all data for download", '> study:report "x.txt"\n'
        .. "study:report: the file's name must end in .html, got \"x.txt\"\n"),
    method("study:tornado", "which parameter moves the limit most", "study:tornado{ ... }",
        "a tornado", '> study:tornado{ factors = { "memory" } }.by\n2\n', {rows = {
            {name = "configuration", help = "name or number", default = "1"},
            {name = "metric", help = "limit, largest, linear_scaling_end, last_feasible, "
                .. "last_above, first_below, largest_feasible, or a function of a sweep",
             default = '"limit"'},
            {name = "share", help = "of the sustained maximum", default = "0.8"},
            {name = "factors", help = "fields of the GPU, flop_rate, LEVEL.bandwidth, "
                .. "LEVEL.latency, LEVEL.size, batch_law, depth_law, duration"},
            {name = "by", help = "by how much each is multiplied and divided", default = "2"},
        }}),
    method("study:grid", "the limit over two parameters", "study:grid{ x = { ... }, y = { ... } }",
        "a grid",
        '> study:grid{ x = { "memory", "80 GB" }, y = { "sms", 132 } }.x.texts[1]\n80 GB\n',
        {rows = {
            {name = "x", required = true, help = "a parameter's name and its values"},
            {name = "y", required = true, help = "the same"},
            {name = "configuration", help = "and metric, share: as in study:tornado"},
        }}),
    method("study:monte_carlo", "the spread of the limit when parameters are uncertain",
        "study:monte_carlo{ parameters = { ... } }", "a monte_carlo",
        '> #study:monte_carlo{ n = 3, parameters = { memory = { 40e9, 80e9 } } }.samples\n3\n',
        {rows = {
            {name = "parameters", required = true,
             help = "by name: { from, to }, or "
             .. '{ distribution = "uniform", "log_uniform", "triangular" or "log_normal", ... }'},
            {name = "n", help = "how many samples", default = "100"},
            {name = "seed", help = "the same seed gives the same answer", default = "1"},
            {name = "configuration", help = "and metric, share: as in study:tornado"},
        }}),
    {
        name = "tornado", summary = "what study:tornado answers", usage = "study:tornado{ ... }",
        rows = answer_rows{
            {name = "by", help = "by how much each factor was multiplied and divided"},
            {name = "base", kind = "flop", help = "the limit as things are"},
            {name = "factors",
             help = "a list of { name, value, less, more }, largest effect first"},
        },
    },
    {
        name = "grid", summary = "what study:grid answers", usage = "study:grid{ ... }",
        rows = answer_rows{
            {name = "x", help = "{ name, values, texts }"},
            {name = "y", help = "{ name, values, texts }"},
            {name = "values", help = "a list of rows by y, of limits by x; 0 where there is none"},
        },
    },
    {
        name = "monte_carlo", summary = "what study:monte_carlo answers",
        usage = "study:monte_carlo{ ... }",
        rows = answer_rows{
            {name = "n", help = "how many samples"},
            {name = "seed", help = "of the random numbers"},
            {name = "percentiles", help = "a list of { percent, value }: 5, 25, 50, 75, 95"},
            {name = "mean", help = "of the samples"},
            {name = "samples", help = "a list of { values, limit }"},
        },
    },
    {
        name = "dtsim.presets", summary = "the studies of the paper's figures",
        usage = "dtsim.presets.NAME",
        text = "base_comparison, base_comparison_sparse, network_comparison, "
            .. "network_comparison_sparse, batch_size_laws, superpod and datacenters. They use the "
            .. "paper's search, as its figures do.",
        example = "> dtsim.presets.superpod[2].name\nH100, superpods of 32 nodes\n",
        source = PAPER, see = {"dtsim.study"},
    },
    {
        name = "dtsim.plot", summary = "pictures, by gnuplot", usage = "dtsim.plot.NAME(...)",
        see = {"dtsim.plot.study", "dtsim.plot.sweep", "dtsim.plot.draw"},
    },
    {
        name = "dtsim.plot.study", summary = "draws a study",
        usage = "dtsim.plot.study(study [, path [, options]])",
        rows = {
            {name = "kind", help = "utilization, parallelism, time or resources",
             default = '"utilization"'},
            {name = "title", help = "of the picture"},
            {name = "width", help = "pixels; 96 an inch in a PDF", default = "800"},
            {name = "height", help = "pixels", default = "as needed"},
            {name = "columns", help = "characters of a panel of text", default = "79"},
            {name = "rows", help = "lines of a panel of text", default = "24"},
        },
        returns = "true; a file .svg, .png or .pdf, or text on the terminal without a path",
        example = SMALL .. "> dtsim.plot.study(study, \"x\")\nplot: the file's name must "
            .. "end in .svg, .png or .pdf, got \"x\"\n",
        see = {"study:plot"},
    },
    {
        name = "dtsim.plot.sweep", summary = "draws a sweep",
        usage = "dtsim.plot.sweep(sweep [, path [, options]])",
        returns = "as dtsim.plot.study",
        example = SMALL .. "> dtsim.plot.sweep(study:sweep(1), \"x\")\nplot: the file's "
            .. "name must end in .svg, .png or .pdf, got \"x\"\n",
        see = {"sweep:plot", "dtsim.plot.study"},
    },
    {
        name = "dtsim.plot.draw", summary = "draws a figure of one's own",
        usage = "dtsim.plot.draw(figure [, path [, options]])",
        text = "The head of lua/dtsim/plot/layout.lua says what a figure is.",
        returns = "as dtsim.plot.study",
        example = "> dtsim.plot.draw({ panels = {} }, \"x\")\nplot: the file's name must "
            .. "end in .svg, .png or .pdf, got \"x\"\n",
        see = {"dtsim.plot.study"},
    },
    method("sweep:plot", "draws a sweep", 'sweep:plot "x.svg"', "as dtsim.plot.study",
        '> study:sweep(1):plot "x"\n'
        .. "plot: the file's name must end in .svg, .png or .pdf, got \"x\"\n",
        {see = {"dtsim.plot.study"}}),
    {
        name = "dtsim.closed_forms", summary = "the paper's formulas, without any search",
        usage = "dtsim.closed_forms.NAME{ ... }", source = PAPER,
        rows = {
            {name = "system", help = "a system or its name; or gpu and network"},
            {name = "gpu", help = "a GPU"},
            {name = "network", help = "a network"},
            {name = "duration", kind = "time", help = "the deadline", default = '"3 months"'},
            {name = "alpha", help = "exponent of the batch less that of the depth", default = "0"},
            {name = "latency", kind = "time", help = "of a step through a layer",
             default = '"9 us"'},
            {name = "training_flop", kind = "flop", help = "of the run; for needed alone"},
        },
        see = {"dtsim.closed_forms.critical_compute", "dtsim.closed_forms.latency_limit",
               "dtsim.closed_forms.needed", "dtsim.closed_forms.plot"},
    },
    {
        name = "dtsim.closed_forms.critical_compute",
        summary = "the largest run that data movement allows",
        usage = 'dtsim.closed_forms.critical_compute{ system = "h100" }', returns = "FLOP",
        example = '> ("%.3g"):format(dtsim.closed_forms.critical_compute{ system = "h100" })\n'
            .. "1.92e+28\n",
        source = PAPER,
    },
    {
        name = "dtsim.closed_forms.latency_limit", summary = "the largest run that latency allows",
        usage = "dtsim.closed_forms.latency_limit{ alpha = 0 }", returns = "FLOP",
        example = '> ("%.3g"):format(dtsim.closed_forms.latency_limit{})\n2.31e+31\n',
        source = PAPER,
    },
    {
        name = "dtsim.closed_forms.needed", summary = "what a run needs by the closed forms",
        usage = 'dtsim.closed_forms.needed{ system = "h100", training_flop = "1e30 FLOP" }',
        returns = "needs",
        example = '> need = dtsim.closed_forms.needed{ system = "h100", training_flop = 1e30 }\n'
            .. '> dtsim.units.format(need.bandwidth, "bandwidth")\n269 GB/s\n',
        source = PAPER, see = {"needs"},
    },
    {
        name = "dtsim.closed_forms.plot", summary = "draws the closed forms over alpha",
        usage = 'dtsim.closed_forms.plot("x.svg", { systems = { "h100" } })',
        rows = {
            {name = "systems", help = "systems or names", default = '{ "v100", "a100", "h100" }'},
            {name = "duration", help = "the deadline", default = '"3 months"'},
            {name = "simulation", help = "false leaves the simulated points out",
             default = "true"},
            {name = "search", help = "of the simulation", default = '"paper"'},
        },
        returns = "true",
        example = "> dtsim.closed_forms.plot(\"x\", { simulation = false })\nplot: the "
            .. "file's name must end in .svg, .png or .pdf, got \"x\"\n",
        source = PAPER, see = {"dtsim.plot.draw"},
    },
    {
        name = "needs", summary = "what a run needs, each alone, all else as it is",
        usage = "dtsim.closed_forms.needed{ ... }",
        rows = {
            {name = "training_flop", kind = "flop", help = "of the run"},
            {name = "duration", kind = "time", help = "the deadline"},
            {name = "alpha", help = "exponent of the batch less that of the depth"},
            {name = "bandwidth", kind = "bandwidth", help = "between nodes, for data movement"},
            {name = "memory_bandwidth", kind = "bandwidth", help = "or of memory"},
            {name = "movement_duration", kind = "time", help = "or a deadline"},
            {name = "movement_alpha", help = "or an alpha"},
            {name = "latency", kind = "time", help = "of a step through a layer, for latency"},
            {name = "latency_duration", kind = "time", help = "or a deadline"},
            {name = "latency_alpha", help = "or an alpha"},
        },
        source = PAPER,
    },
}

for _, kind in ipairs{"tornado", "grid", "monte_carlo"} do
    local asks = {tornado = 'study:tornado{ factors = { "memory" } }',
                  grid = 'study:grid{ x = { "memory", 80e9 }, y = { "sms", 132 } }',
                  monte_carlo = "study:monte_carlo{ n = 1, parameters = { sms = { 8, 9 } } }"}
    for _, topic in ipairs(answer_methods(kind, asks[kind])) do topics[#topics + 1] = topic end
end

return topics
