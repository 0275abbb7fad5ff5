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
        text = "Each law is a function; where one is absent the paper's dense one stands. "
            .. "dtsim.laws.NAME is a set or a single law that is known.",
        rows = {
            {name = "name", default = '"custom"', help = "what to call the set"},
            {name = "layers", default = "paper_layers", help = "f(d_model, d_ff): residual blocks"},
            {name = "sparsity", default = "dense",
             help = "f(d_model, d_ff): experts, of which one is active"},
            {name = "batch", default = "paper_batch",
             help = "f(compute, seq_len, sparsity): sequences in a batch; compute is in FLOP"},
            {name = "dataset", default = "chinchilla", help = "f(params): tokens of the run"},
        },
        returns = "a set of laws",
        example = [[
> small = dtsim.laws{ name = "small batch", batch = function() return 256 end }
> small:model(12288).batch
256
]],
        see = {"laws:model", "optimizer:sweep", "set of laws"},
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
        name = "dtsim.laws.paper_layers",
        summary = "law of depth: near(0.10056 (d_model d_ff)^0.3751)",
        usage = "dtsim.laws.paper_layers(d_model, d_ff)",
        example = [[
> dtsim.laws.paper_layers(12288, 4 * 12288)
192.0
]],
        source = PAPER .. ", fitted on published models",
    },
    {
        name = "dtsim.laws.dense",
        summary = "law of sparsity: 1, every parameter meets every token",
        usage = "dtsim.laws.dense()",
        example = [[
> dtsim.laws.dense()
1
]],
    },
    {
        name = "dtsim.laws.paper_sparsity",
        summary = "law of sparsity: near(8 sqrt(d_model d_ff / (4 12288^2)))",
        usage = "dtsim.laws.paper_sparsity(d_model, d_ff)",
        example = [[
> dtsim.laws.paper_sparsity(12288, 4 * 12288)
8.0
]],
        source = PAPER,
    },
    {
        name = "dtsim.laws.paper_batch",
        summary = "law of batch: 4 Mi tokens at 3e23 FLOP, growing as its sixth root",
        usage = "dtsim.laws.paper_batch(compute, seq_len, sparsity)",
        example = [[
> dtsim.laws.paper_batch(3e23, 2048, 1)
2048.0
]],
        source = PAPER .. ", section on the critical batch size",
    },
    {
        name = "dtsim.laws.deepseek_batch_law",
        summary = "law of batch: 0.2920 compute^0.3271 tokens",
        usage = "dtsim.laws.deepseek_batch_law(compute, seq_len, sparsity)",
        example = [[
> dtsim.laws.deepseek_batch_law(3e23, 2048, 1)
7168.0
]],
        source = "DeepSeek LLM (arXiv 2401.02954), section 3.1",
    },
    {
        name = "dtsim.laws.constant_batch_law",
        summary = "law of batch: 4 Mi tokens whatever the model",
        usage = "dtsim.laws.constant_batch_law(compute, seq_len)",
        example = [[
> dtsim.laws.constant_batch_law(1e26, 2048)
2048.0
]],
    },
    {
        name = "dtsim.laws.chinchilla",
        summary = "law of data: 20 tokens per parameter",
        usage = "dtsim.laws.chinchilla(params)",
        example = [[
> dtsim.laws.chinchilla(70e9)
1400000000000.0
]],
        source = "Hoffmann et al. (2022), arXiv 2203.15556",
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
