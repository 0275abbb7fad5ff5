-- Help for what is not hardware, model or optimizer. How a topic is written: dtsim.help.topics.

return {
    {
        name = "x:with",
        summary = "a changed copy",
        usage = "x:with{ field = value, ... }",
        text = "GPUs, networks, models, optimizers and all that they answer cannot be changed. "
            .. "Every one of them has this method. A network takes levels by number.",
        returns = "a value of the same kind; an unknown field is an error",
        example = [[
> fast = dtsim.gpus.v100:with{ memory_bandwidth = "3.35 TB/s" }
> fast.memory_bandwidth, dtsim.gpus.v100.memory_bandwidth
3350000000000.0	900000000000.0
> dtsim.gpus.v100:with{ memori = "80 GB" }
gpu has no field 'memori'; did you mean 'memory'?
]],
    },
    {
        name = "dtsim.units",
        summary = "quantities as text, and back",
        usage = "dtsim.units.NAME(...)",
        see = {"quantities", "dtsim.units.parse", "dtsim.units.format"},
    },
    {
        name = "dtsim.units.parse",
        summary = "reads a quantity",
        usage = "dtsim.units.parse(text [, kind])",
        rows = {
            {name = "text", required = true, help = 'such as "900 GB/s"'},
            {name = "kind", default = "any", help = "one of dtsim.units.kinds"},
        },
        returns = "the value in base units, and its kind; wrong text is an error",
        example = [[
> dtsim.units.parse "900 GB/s"
900000000000.0	bandwidth
> dtsim.units.parse("5 us", "bandwidth")
"5 us" is time, but bandwidth is due, as in "900 GB/s"
]],
        see = {"dtsim.units.try", "dtsim.units.format", "quantities"},
    },
    {
        name = "dtsim.units.try",
        summary = "reads a quantity; wrong text is no error",
        usage = "dtsim.units.try(text [, kind])",
        returns = "as dtsim.units.parse; or nil and what is wrong with the text",
        example = [[
> dtsim.units.try "12 parsecs"
nil	"12 parsecs" has the unknown unit "parsecs"
]],
        see = {"dtsim.units.parse"},
    },
    {
        name = "dtsim.units.format",
        summary = "writes a quantity",
        usage = "dtsim.units.format(x, kind [, digits])",
        rows = {
            {name = "x", required = true, help = "the value in base units"},
            {name = "kind", required = true, help = "one of dtsim.units.kinds"},
            {name = "digits", default = "3", help = "significant digits, 1 to 17"},
        },
        returns = "a text that dtsim.units.parse reads too",
        example = [[
> dtsim.units.format(16777216, "count"), dtsim.units.format(1.121e26, "flop")
16.8 M	1.12e26 FLOP
]],
        see = {"dtsim.units.parse"},
    },
    {
        name = "dtsim.units.example",
        summary = "how a kind of quantity is written",
        usage = "dtsim.units.example(kind)",
        returns = "a text such as \"3 months\"",
        example = [[
> dtsim.units.example "time"
3 months
]],
    },
    {
        name = "dtsim.units.kinds",
        summary = "the kinds of quantities",
        usage = "dtsim.units.kinds",
        example = [[
> table.concat(dtsim.units.kinds, " ")
bytes bandwidth flop flop_rate frequency time power energy money count
]],
    },
    {
        name = "dtsim.json",
        summary = "JSON, the same text for the same value everywhere",
        usage = "dtsim.json.NAME(...)",
        see = {"dtsim.json.encode", "dtsim.json.decode"},
    },
    {
        name = "dtsim.json.encode",
        summary = "a value as JSON",
        usage = "dtsim.json.encode(value [, { indent = n }])",
        text = "Keys are sorted, numbers read back to the same bits, infinity is the text "
            .. '"inf". What JSON cannot hold is an error that tells where it is.',
        rows = {
            {name = "value", required = true, help = "anything that JSON has"},
            {name = "indent", default = "all on one line",
             help = "blanks for each level, 0 to 16: each item has a line"},
        },
        returns = "the text, without a line end",
        example = [[
> dtsim.json.encode{ gpus = { 8, 16 }, bandwidth = 9e11 }
{"bandwidth":900000000000,"gpus":[8,16]}
]],
        see = {"dtsim.json.decode"},
    },
    {
        name = "dtsim.json.decode",
        summary = "reads JSON",
        usage = "dtsim.json.decode(text)",
        returns = "the value; wrong text is an error",
        example = [[
> dtsim.json.decode '{ "gpus": [8, 16] }'
{ gpus = { 8, 16 } }
]],
        see = {"dtsim.json.try_decode"},
    },
    {
        name = "dtsim.json.try_decode",
        summary = "reads JSON; wrong text is no error",
        usage = "dtsim.json.try_decode(text)",
        returns = "the value; or nil and what is wrong with the text",
        example = [[
> (dtsim.json.try_decode "[1, 2")
nil
]],
        see = {"dtsim.json.decode"},
    },
    {
        name = "dtsim.json.null",
        summary = "what stands for JSON's null",
        usage = "dtsim.json.null",
        example = [[
> dtsim.json.decode "[null]"[1] == dtsim.json.null
true
]],
    },
    {
        name = "dtsim.json.array",
        summary = "marks a table as an array, which matters when it is empty",
        usage = "dtsim.json.array(t)",
        returns = "the table",
        example = [[
> dtsim.json.encode(dtsim.json.array{})
[]
]],
        see = {"dtsim.json.object"},
    },
    {
        name = "dtsim.json.object",
        summary = "marks a table as an object, which matters when it is empty",
        usage = "dtsim.json.object(t)",
        returns = "the table",
        example = [[
> dtsim.json.encode(dtsim.json.object{})
{}
]],
        see = {"dtsim.json.array"},
    },
    {
        name = "dtsim.arguments",
        summary = "the options of a script on its command line",
        usage = "dtsim.arguments(arg, usage, { name = default, ... })",
        text = "Reads --name value and --name=value. For --help it prints the usage and ends the "
            .. "program, for wrong words it does so with status 2.",
        rows = {
            {name = "arg", required = true, help = "the script's words, the global arg; or nil"},
            {name = "usage", required = true, help = "what --help prints"},
            {name = "defaults", required = true,
             help = "the options that there are, each with its value where it is not given"},
        },
        returns = "a table of texts by name",
        example = [[
> dtsim.arguments({ "--out", "results" }, "usage: x [--out DIR]", { out = "." }).out
results
]],
    },
    {
        name = "dtsim.align",
        summary = "rows of cells as a table",
        usage = "dtsim.align{ { \"title\", ... }, { cell, ... }, ... }",
        returns = "a text; columns of numbers stand to the right",
        example = [[
> print(dtsim.align{ { "GPU", "SMs" }, { "V100", 80 }, { "H100", 132 } })
GPU   SMs
V100   80
H100  132
]],
    },
    {
        name = "dtsim.help",
        summary = "tells about a name, a function or a value",
        usage = 'help(), help "overlap", help(dtsim.gpu), help(x)',
        text = "At the prompt it is the global help; a script finds it as dtsim.help. "
            .. "dtsim.help.text(x) returns what dtsim.help(x) prints.",
        example = [[
> help "dtsim.version"
dtsim.version: the version of dtsim, as a text
  dtsim.version

Example:
  > type(dtsim.version)
  string
> help "overlop"
there is no help for "overlop"; did you mean "overlap"?
]],
    },
    {
        name = "dtsim.help.text",
        summary = "the help about something, as a text",
        usage = "dtsim.help.text([x [, width]])",
        rows = {
            {name = "x", help = "a name, a function or a value; nothing for an overview"},
            {name = "width", default = "79", help = "characters of a line"},
        },
        returns = "a text of several lines",
        example = [[
> #dtsim.help.text("overlap") > 0
true
]],
        see = {"dtsim.help"},
    },
    {
        name = "dtsim.version",
        summary = "the version of dtsim, as a text",
        usage = "dtsim.version",
        example = [[
> type(dtsim.version)
string
]],
    },
}
