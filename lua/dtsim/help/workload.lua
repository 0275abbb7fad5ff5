-- Help for workloads: models, laws, widths. How a topic is written: dtsim.help.topics.

local PAPER = 'Erdil and Schneider-Joseph, "Data movement limits to frontier model training" '
    .. "(arXiv 2411.01137)"

return {
    {
        name = "dtsim.model",
        summary = "a model and its training run",
        usage = "dtsim.model{ d_model, layers, batch, ... }",
        text = "A stack of residual blocks of two matrices, d_model x d_ff and d_ff x d_model. "
            .. "Attention is not modelled apart: its matrices count among the two.",
        object = "model",
        defaults = {tokens = "20 params", d_ff = "4 d_model"},
        returns = "a model, which cannot be changed; model:with{ ... } makes a changed copy",
        example = [[
> model = dtsim.model{ d_model = 12288, layers = 96, batch = 1536 }
> model
model
  tokens         2.32 T
  d_model        12288
  d_ff           49152
  layers         96
  sparsity       1
  seq_len        2048
  batch          1536
  params         116 G
  active_params  116 G
  training_flop  1.61e24 FLOP
  batch_tokens   3.15 M
]],
        source = PAPER .. ", section on the model",
        see = {"laws:model", "dtsim.laws"},
    },
    {
        name = "dtsim.laws",
        summary = "a set of laws: how depth, sparsity, batch and data grow with the model",
        usage = "dtsim.laws{ layers = f, sparsity = f, batch = f, dataset = f }",
        text = "Each law is a function, a formula, the name of a known law, or a number; where one "
            .. "is absent the paper's dense one stands. dtsim.laws.NAME is a set or a single law "
            .. "that is known. A formula of a count that is no whole number by its form is rounded "
            .. "as the paper's laws are: near(x), and E * near(x / E) for a batch.",
        rows = {
            {name = "name", default = '"custom"', help = "what to call the set"},
            {name = "layers", default = "paper_layers",
             help = "residual blocks: f(d_model, d_ff), a formula of these"},
            {name = "sparsity", default = "dense", help = "experts, of which one is active: "
                .. "f(d_model, d_ff), a formula of these"},
            {name = "batch", default = "paper_batch", help = "sequences in a batch: f(compute, "
                .. "seq_len, sparsity), a formula of C or compute (FLOP), seq or seq_len, E or "
                .. "sparsity, D or tokens, N or params"},
            {name = "dataset", default = "chinchilla", help = "tokens of the run: f(params), a "
                .. "formula of N or params, E or sparsity"},
        },
        returns = "a set of laws",
        example = [[
> small = dtsim.laws{ name = "small batch", batch = function() return 256 end }
> small:model(12288).batch
256
]],
        see = {"laws:model", "formulas", "dtsim.laws.catalog", "set of laws"},
    },
    {
        name = "set of laws",
        summary = "laws that belong together",
        usage = "dtsim.laws.paper_dense",
        rows = {
            {name = "name", help = "what it is called"},
            {name = "layers", help = "f(d_model, d_ff)"},
            {name = "sparsity", help = "f(d_model, d_ff)"},
            {name = "batch", help = "f(compute, seq_len, sparsity)"},
            {name = "dataset", help = "f(params)"},
            {name = "names", help = "name of each law, for saved results"},
        },
        example = [[
> dtsim.laws.paper_sparse.names.sparsity
paper_sparsity
]],
        see = {"dtsim.laws"},
    },
    {
        name = "laws:model",
        summary = "the model of a width by a set of laws",
        usage = "laws:model(d_model [, d_ff [, seq_len]])",
        rows = {
            {name = "d_model", kind = "count", required = true, help = "model width"},
            {name = "d_ff", kind = "count", default = "4 d_model", help = "feed-forward width"},
            {name = "seq_len", kind = "count", default = "2048", help = "tokens in a sequence"},
        },
        returns = "a model",
        example = [[
> dtsim.laws.paper_dense:model(20480)
model
  tokens         19.3 T
  d_model        20480
  d_ff           81920
  layers         288
  sparsity       1
  seq_len        2048
  batch          5120
  params         966 G
  active_params  966 G
  training_flop  1.12e26 FLOP
  batch_tokens   10.5 M
]],
        see = {"dtsim.model", "dtsim.laws"},
    },
    {
        name = "dtsim.laws.new",
        summary = "makes a set of laws; dtsim.laws{ ... } does the same",
        usage = "dtsim.laws.new{ ... }",
        example = [[
> dtsim.laws.new{ sparsity = dtsim.laws.paper_sparsity }
set of laws
  name      custom
  names     { batch = paper_batch, dataset = chinchilla, layers = paper_layers,
            sparsity = paper_sparsity }
]],
        see = {"dtsim.laws"},
    },
    {
        name = "dtsim.laws.is_set",
        summary = "whether a value is a set of laws",
        usage = "dtsim.laws.is_set(value)",
        example = [[
> dtsim.laws.is_set(dtsim.laws.paper_dense), dtsim.laws.is_set(dtsim.laws.dense)
true	false
]],
    },
    {
        name = "dtsim.laws.make_model",
        summary = "as laws:model, for a call that goes by another name in messages",
        usage = "dtsim.laws.make_model(laws, d_model, d_ff, seq_len, name)",
        example = [[
> dtsim.laws.make_model(dtsim.laws.paper_dense, 12288, nil, nil, "my call").layers
192
]],
        see = {"laws:model"},
    },
    {
        name = "dtsim.laws.paper_dense",
        summary = "the paper's laws for dense models; the default",
        usage = "dtsim.laws.paper_dense",
        example = [[
> dtsim.laws.paper_dense:model(12288).layers
192
]],
        source = PAPER,
    },
    {
        name = "dtsim.laws.paper_sparse",
        summary = "the paper's laws for sparse models",
        usage = "dtsim.laws.paper_sparse",
        example = [[
> dtsim.laws.paper_sparse:model(12288).sparsity
8
]],
        source = PAPER,
    },
    {
        name = "dtsim.laws.deepseek_batch",
        summary = "the paper's dense laws with DeepSeek's batch",
        usage = "dtsim.laws.deepseek_batch",
        example = [[
> dtsim.laws.deepseek_batch.names.batch
deepseek_batch_law
]],
        source = "DeepSeek LLM (arXiv 2401.02954), section 3.1",
    },
    {
        name = "dtsim.laws.constant_batch",
        summary = "the paper's dense laws with a batch of 4 Mi tokens",
        usage = "dtsim.laws.constant_batch",
        example = [[
> dtsim.laws.constant_batch:model(12288).batch_tokens == 4 * 1024^2
true
]],
    },
    {
        name = "dtsim.laws.sqrt_data_batch",
        summary = "the paper's dense laws with a batch that grows as the square root of the data",
        usage = "dtsim.laws.sqrt_data_batch",
        example = [[
> dtsim.laws.sqrt_data_batch.names.batch
sqrt_data_batch_law
]],
    },
    {
        name = "dtsim.laws.hoffmann_depth",
        summary = "the paper's dense laws with the depth of the Chinchilla study",
        usage = "dtsim.laws.hoffmann_depth",
        example = [[
> dtsim.laws.hoffmann_depth:model(8192).layers
80
]],
        source = "Hoffmann et al. (2022), arXiv 2203.15556: Chinchilla has 80 layers of width 8192",
    },
    {
        name = "dtsim.laws.halved_depth",
        summary = "the paper's dense laws with half of their depth",
        usage = "dtsim.laws.halved_depth",
        example = [[
> dtsim.laws.paper_dense:model(12288).layers, dtsim.laws.halved_depth:model(12288).layers
192	96
]],
    },
    {
        name = "dtsim.laws.catalog",
        summary = "the known laws, in order",
        usage = "dtsim.laws.catalog[i]",
        returns = "a list of records, each a law",
        example = [[
> dtsim.laws.catalog[1].name, dtsim.laws.catalog[1].formula
paper_layers	near(0.10056 * (d_model * d_ff)^0.3751)
]],
        see = {"law"},
    },
    {
        name = "law",
        summary = "a known law",
        usage = "dtsim.laws.catalog[i]",
        rows = {
            {name = "name", help = "dtsim.laws.NAME is its function, or makes one"},
            {name = "law", help = "which of a set's laws it may be"},
            {name = "help", help = "what it says"},
            {name = "source", help = "where it comes from"},
            {name = "formula", help = "its text; nil for one that is made with parameters"},
            {name = "parameters", help = "what it is made with: a text; nil for a formula"},
        },
        see = {"dtsim.laws.catalog"},
    },
    {
        name = "dtsim.formula",
        summary = "a formula as a Lua function",
        usage = "dtsim.formula(text, variables)",
        rows = {
            {name = "text", required = true, help = "the formula"},
            {name = "variables", required = true, help = "the names that it may use, a list"},
        },
        returns = "a function of as many numbers as there are names; a mistake is an error that "
            .. "points at its column",
        example = [[
> dtsim.formula("2 * x^2 + 4 Ki", { "x" })(3)
4114.0
> dtsim.formula("2 * y", { "x" })
formula: column 5: unknown name 'y'; there are x, L_0, T_0, b_0, e, pi
    2 * y
        ^
]],
        see = {"formulas"},
    },
    {
        name = "dtsim.laws.near",
        summary = "the nearest number with few prime factors",
        usage = "dtsim.laws.near(x)",
        text = "Of all f 2^i with f one of 1, 3, 5, 7, 9 and i from 0 to 59; the smaller on a "
            .. "tie. Sizes of models are rounded so, to be divisible in many ways.",
        returns = "a float with a whole value",
        example = [[
> dtsim.laws.near(100), dtsim.laws.near(26)
96.0	24.0
]],
        source = "the simulator published with arXiv 2411.01137",
    },
    {
        name = "dtsim.widths",
        summary = "lists of model widths to sweep over",
        usage = "dtsim.widths.NAME(...)",
        see = {"dtsim.widths.between", "dtsim.widths.paper", "optimizer:sweep"},
    },
    {
        name = "dtsim.widths.between",
        summary = "widths from one to another, up to eight per doubling",
        usage = "dtsim.widths.between(from, to)",
        rows = {
            {name = "from", kind = "count", required = true, help = "least width"},
            {name = "to", kind = "count", required = true, help = "largest width"},
        },
        returns = "a list of all f 2^i with odd f below 16 in that range, ascending",
        example = [[
> dtsim.widths.between(1024, 2048)
{ 1024, 1152, 1280, 1408, 1536, 1664, 1792, 1920, 2048 }
]],
        source = "the simulator published with arXiv 2411.01137",
    },
    {
        name = "dtsim.widths.paper",
        summary = "the widths of the paper's figures, from 12288 to 128 times that",
        usage = "dtsim.widths.paper()",
        returns = "a list of widths",
        example = [[
> #dtsim.widths.paper(), dtsim.widths.paper()[1]
55	12288
]],
        source = PAPER,
    },
}
