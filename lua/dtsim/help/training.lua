-- Help for real training runs: transformers, machines, frameworks, trainers. How a topic is
-- written: dtsim.help.topics.

local PLANS = {"dtsim.train_plan", "dtsim.trainer"}

return {
    {
        name = "dtsim.transformer",
        summary = "a transformer as it is trained: shapes, exact parameters and FLOP",
        usage = "dtsim.transformer{ layers, d_model, heads, vocab, ... }",
        text = "Multi-head, grouped-query (kv_heads) and latent attention (kv_lora), plain and "
            .. "gated MLPs, experts. dtsim.models holds known ones.",
        object = "transformer",
        defaults = {name = "none"},
        returns = "a transformer, which cannot be changed; x:with{ ... } makes a changed copy",
        example = [[
> small = dtsim.transformer{ layers = 12, d_model = 768, heads = 12, vocab = 50257 }
> small.params
162167808
]],
        see = {"dtsim.models", "dtsim.import_hf", "transformer:flop"},
    },
    {
        name = "transformer:flop",
        summary = "FLOP of one token, forward and backward, by a definition",
        usage = "transformer:flop([definition [, parameters]])",
        rows = {
            {name = "definition", positional = true, default = '"exact"',
             help = '"exact", "palm", "palm_causal", "megatron_model" or "megatron_hardware"'},
            {name = "parameters", kind = "count", positional = true,
             help = "N of the palm definitions; the active parameters if not given"},
        },
        returns = "FLOP",
        source = "arXiv 2104.04473, equation 3; arXiv 2205.05198, appendix A; arXiv 2204.02311, "
            .. "appendix B",
        example = [[
> dtsim.models.llama3_8b:flop "palm" / 1e9
61.066469376
]],
    },
    {
        name = "transformer:parts",
        summary = "parameters by part",
        usage = "transformer:parts()",
        returns = "a table: attention, mlp, norms of a layer; embedding, head, matmul, total, ...",
        example = [[
> dtsim.models.llama3_8b:parts().embedding
525336576
]],
    },
    {
        name = "dtsim.machine",
        summary = "a GPU and its cluster as a training run meets them",
        usage = "dtsim.machine{ name, family, peak, sms, memory, ... }",
        text = "Rates as data sheets give them; what kernels and collectives reach of them is in "
            .. "the calibration. dtsim.machines holds known ones.",
        object = "machine",
        returns = "a machine, which cannot be changed; x:with{ ... } makes a changed copy",
        example = [[
> fast = dtsim.machines.h100:with{ network_bandwidth = "100 GB/s" }
> fast.network_bandwidth
100000000000.0
]],
        see = {"dtsim.machines"},
    },
    {
        name = "dtsim.software",
        summary = "what a training framework does: kernels, launches, overlaps, memory",
        usage = "dtsim.software{ attention, kernels, ... }",
        text = "dtsim.frameworks holds known ones.",
        object = "software",
        returns = "software, which cannot be changed; x:with{ ... } makes a changed copy",
        example = [[
> dtsim.frameworks.fsdp:with{ kernels = "native" }.attention
flash2
]],
        see = {"dtsim.frameworks"},
    },
    {
        name = "dtsim.train_plan",
        summary = "how a real training run is laid out over GPUs",
        usage = "dtsim.train_plan{ gpus, tp, pp, batch, ... }",
        text = "Degrees that are not given are 1, dp what they leave of the GPUs. Whether it is "
            .. "legal is checked when it meets a model.",
        object = "train_plan",
        returns = "a train_plan, which cannot be changed; x:with{ ... } makes a changed copy",
        example = [[
> dtsim.train_plan{ gpus = 64, tp = 8, batch = 512, recompute = "full" }.tp
8
]],
        see = {"dtsim.trainer", "trainer:evaluate"},
    },
    {
        name = "dtsim.trainer",
        summary = "a machine with a framework: predicts and plans real training runs",
        usage = 'dtsim.trainer{ machine, framework = "megatron", ... }',
        rows = {
            {name = "machine", required = true, help = "a dtsim.machine"},
            {name = "framework", default = '"megatron"', help = "a name of dtsim.frameworks"},
            {name = "software", help = "a dtsim.software, instead of framework"},
            {name = "calibration", help = "constants over the built-in ones, by name; or "
                .. "{ first_principles = true }"},
            {name = "site", help = "pue, energy_price, carbon, life, matmul_share, ..."},
        },
        returns = "a trainer",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.a100, framework = "fsdp" }
> trainer.machine.name
A100 80GB SXM
]],
        see = {"trainer", "trainer:evaluate", "trainer:plan", "prediction"},
    },
    {
        name = "trainer",
        summary = "what dtsim.trainer makes",
        usage = "dtsim.trainer{ ... }",
        rows = {
            {name = "machine", help = "the machine"},
            {name = "software", help = "the framework's software"},
            {name = "habits", help = "what the framework does where a plan says nothing"},
            {name = "calibration", help = "constants over the built-in ones; nil for none"},
            {name = "site", help = "the site; nil for the default one"},
        },
        see = {"dtsim.trainer"},
    },
    {
        name = "trainer:evaluate",
        summary = "time, memory, power and cost of one plan",
        usage = "trainer:evaluate(model, plan)",
        rows = {
            {name = "model", positional = true, required = true, help = "a dtsim.transformer"},
            {name = "plan", positional = true, required = true, fields = "dtsim.train_plan",
             help = "a dtsim.train_plan, or a table of its fields"},
        },
        returns = "a prediction; an illegal plan raises with the reason",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> result = trainer:evaluate(dtsim.models.llama3_8b, { gpus = 8, tp = 2, batch = 128 })
> result.memory.verdict
fits
]],
        see = {"prediction"},
    },
    {
        name = "trainer:plan",
        summary = "the fastest plan on a number of GPUs that fits in memory",
        usage = "trainer:plan(model, { gpus, batch, ... })",
        rows = {
            {name = "gpus", kind = "count", required = true, help = "GPUs"},
            {name = "batch", help = "sequences of a step"},
            {name = "batch_per_gpu", help = "the same per GPU, instead of batch"},
            {name = "doubtful", default = "false", help = "takes plans that may not fit too"},
            {name = "exhaustive", default = "false", help = "times every plan: no pruning"},
            {name = "plan", help = "what all plans share"},
        },
        returns = "a prediction; nil and the reason if there is none",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> best = trainer:plan(dtsim.models.llama3_70b, { gpus = 256, batch = 512 })
> best.memory.verdict
fits
]],
        see = {"trainer:plans", "trainer:cluster"},
    },
    {
        name = "trainer:plans",
        summary = "the best plans, fastest first",
        usage = "trainer:plans(model, { gpus, batch, top, ... })",
        rows = {{name = "top", default = "1", help = "how many, at most 32; the rest as plan"}},
        returns = "a list of predictions; nil and the reason if there is none",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> #trainer:plans(dtsim.models.llama3_8b, { gpus = 64, batch = 128, top = 3 })
3
]],
        see = {"trainer:plan"},
    },
    {
        name = "trainer:cluster",
        summary = "the best cluster for a run",
        usage = "trainer:cluster(model, { tokens, duration, objective, batch, ... })",
        rows = {
            {name = "tokens", kind = "count", help = "of the whole run"},
            {name = "duration", kind = "time", help = "at most"},
            {name = "objective", default = '"gpus"', help = '"gpus", "time", "cost" or "energy"'},
            {name = "counts", help = "list of GPUs to try; 1, 2, 3, 4, 6, 8, 12, ... nodes"},
            {name = "max_gpus", default = "16384", help = "most GPUs to try"},
        },
        returns = "a prediction; nil and the reason if there is none",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> run = { tokens = "1 T", duration = "1 month", batch = 1024 }
> trainer:cluster(dtsim.models.llama2_7b, run).gpus
32
]],
        see = {"trainer:plan"},
    },
    {
        name = "prediction",
        summary = "what a trainer answers; SI units",
        usage = "trainer:evaluate(...), trainer:plan(...)",
        rows = {
            {name = "gpus", help = "GPUs"},
            {name = "step_time", kind = "time", help = "of one step"},
            {name = "tokens", help = "of one step, all GPUs"},
            {name = "tokens_per_s", help = "tokens a second, all GPUs"},
            {name = "tokens_per_s_per_gpu", help = "tokens a second and GPU"},
            {name = "flop_per_s_per_gpu", kind = "flop_rate", help = "of the model, as masked"},
            {name = "mfu", help = "the same over the 16-bit peak"},
            {name = "microbatches", help = "of a step on one pipeline"},
            {name = "exposed", kind = "time", help = "traffic that compute does not hide"},
            {name = "hidden", kind = "time", help = "traffic under compute"},
            {name = "matmul", kind = "time", help = "in matmuls"},
            {name = "attention", kind = "time", help = "in attention kernels"},
            {name = "element_wise", kind = "time", help = "in memory-bound kernels"},
            {name = "breakdown", help = "where the step goes; the parts add up to it"},
            {name = "memory", help = "of the fullest stage: weights, ..., reserved, verdict"},
            {name = "power", help = "gpu, node_per_gpu, total, token_energy, rent_per_step, ..."},
            {name = "plan", help = "the train_plan, completed"},
            {name = "constants", help = "those used, each with value and origin"},
            {name = "search", help = "candidates, evaluated, too_big; nil after evaluate"},
            {name = "model", help = "the transformer"},
            {name = "trainer", help = "the trainer"},
            {name = "defaults", help = "fields that the plan did not say, with value and origin"},
        },
        see = PLANS,
    },
    {
        name = "prediction:run",
        summary = "what a run of so many tokens takes",
        usage = "prediction:run(tokens)",
        rows = {{name = "tokens", kind = "count", positional = true, required = true,
                 help = "of the whole run"}},
        returns = "a table: steps, duration, gpu_hours, energy, rent, energy_cost, hardware_cost, "
            .. "carbon (grams)",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> result = trainer:evaluate(dtsim.models.llama3_8b, { gpus = 8, tp = 2, batch = 128 })
> result:run("1 T").steps // 1
953674.0
]],
    },
    {
        name = "prediction:remedies",
        summary = "single changes that would make a plan fit",
        usage = "prediction:remedies()",
        returns = "a list of { change, result }, fastest first",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> big = trainer:evaluate(dtsim.models.llama3_70b, { gpus = 64, tp = 8, batch = 64 })
> big:remedies()[1].change
pp = 2
]],
    },
    {
        name = "prediction:timeline",
        summary = "the pipeline's passes as a chart",
        usage = "prediction:timeline()",
        returns = "a timeline",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> result = trainer:evaluate(dtsim.models.llama3_8b, { gpus = 4, pp = 4, batch = 8 })
> #result:timeline().events
64
]],
        see = {"timeline"},
    },
    {
        name = "timeline",
        summary = "every pass of a pipeline's schedule",
        usage = "prediction:timeline()",
        rows = {
            {name = "events", help = "list of { stage, kind, chunk, microbatch, start, stop }"},
            {name = "makespan", kind = "time", help = "until the last pass ends"},
            {name = "stages", help = "stages"},
            {name = "busy", help = "share of the stages' time that passes fill"},
        },
        see = {"timeline:text", "timeline:save"},
    },
    {
        name = "timeline:text",
        summary = "the chart as text, one line a stage",
        usage = "timeline:text([width])",
        rows = {{name = "width", positional = true, default = "100", help = "characters across"}},
        returns = "text: F forward, B backward, W weight gradients",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> result = trainer:evaluate(dtsim.models.llama3_8b, { gpus = 2, pp = 2, batch = 2 })
> #result:timeline():text(40)
90
]],
    },
    {
        name = "timeline:svg",
        summary = "the chart as SVG",
        usage = "timeline:svg()",
        returns = "text",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> result = trainer:evaluate(dtsim.models.llama3_8b, { gpus = 2, pp = 2, batch = 2 })
> result:timeline():svg():sub(1, 4)
<svg
]],
    },
    {
        name = "timeline:trace",
        summary = "the passes as a Chrome trace, which Perfetto opens",
        usage = "timeline:trace()",
        returns = "JSON text",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> result = trainer:evaluate(dtsim.models.llama3_8b, { gpus = 2, pp = 2, batch = 2 })
> #dtsim.json.decode(result:timeline():trace()).traceEvents
8
]],
    },
    {
        name = "timeline:save",
        summary = "writes the chart into a file",
        usage = "timeline:save(path)",
        rows = {{name = "path", positional = true, required = true,
                 help = '"x.svg", "x.json" (a trace) or "x.txt"'}},
        returns = "true; nil and a message where the file cannot be written",
        example = [[
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> result = trainer:evaluate(dtsim.models.llama3_8b, { gpus = 2, pp = 2, batch = 2 })
> result:timeline():save "chart.svg"
true
]],
    },
    {
        name = "dtsim.compare_modes",
        summary = "the same question by the paper's model and by that of real runs",
        usage = "dtsim.compare_modes{ model, gpus, batch, optimizer, trainer }",
        rows = {
            {name = "model", required = true, help = "a dtsim.transformer"},
            {name = "gpus", required = true, help = "GPUs"},
            {name = "batch", required = true, help = "sequences of a step"},
            {name = "optimizer", required = true, help = "a dtsim.optimizer"},
            {name = "trainer", required = true, help = "a dtsim.trainer"},
        },
        returns = "a comparison; nil and the reason where one of them has no plan",
        example = [[
> h100 = dtsim.systems.h100
> opt = dtsim.optimizer{ gpu = h100.gpu, network = h100.network }
> trainer = dtsim.trainer{ machine = dtsim.machines.h100, framework = "nemo" }
> ask = { model = dtsim.models.llama3_8b, gpus = 64, batch = 128 }
> ask.optimizer, ask.trainer = opt, trainer
> dtsim.compare_modes(ask).ratio > 1
true
]],
        see = {"comparison"},
    },
    {
        name = "comparison",
        summary = "what dtsim.compare_modes answers",
        usage = "dtsim.compare_modes{ ... }",
        rows = {
            {name = "paper", help = "the optimizer's result"},
            {name = "real", help = "the trainer's prediction"},
            {name = "paper_step_time", kind = "time", help = "of a step by the paper's model"},
            {name = "real_step_time", kind = "time", help = "of a step as people train"},
            {name = "ratio", help = "the second over the first"},
        },
    },
    {
        name = "dtsim.collective",
        summary = "the time of a collective on real GPUs",
        usage = "dtsim.collective(machine, { operation, ranks, bytes, ... })",
        rows = {
            {name = "machine", positional = true, required = true, help = "a dtsim.machine"},
            {name = "operation", required = true, help = '"all_reduce", "all_gather", '
                .. '"reduce_scatter", "all_to_all", "broadcast" or "point_to_point"'},
            {name = "ranks", required = true, help = "GPUs that take part"},
            {name = "bytes", kind = "bytes", required = true, help = "of the whole vector"},
            {name = "inner", default = "1", help = "GPUs from one rank to the next"},
            {name = "calls", default = "1", help = "collectives that it is divided into"},
            {name = "algorithm", help = '"ring", "tree", ...; the usual one'},
        },
        returns = "a table: time (s), bus_bandwidth (B/s), algorithm, formula, source",
        example = [[
> ask = { operation = "all_reduce", ranks = 64, bytes = "1 GiB" }
> dtsim.collective(dtsim.machines.h100, ask).algorithm
tree
]],
    },
    {
        name = "dtsim.models",
        summary = "models as they were trained",
        usage = "dtsim.models.NAME",
        returns = "a transformer",
        see = {"dtsim.transformer"},
    },
    {
        name = "dtsim.machines",
        summary = "GPUs with their clusters",
        usage = "dtsim.machines.NAME",
        returns = "a machine",
        see = {"dtsim.machine"},
    },
    {
        name = "dtsim.frameworks",
        summary = "what frameworks do",
        usage = "dtsim.frameworks.NAME",
        returns = "software",
        see = {"dtsim.software"},
    },
    {
        name = "dtsim.vision",
        summary = "convolutional networks as lists of layers",
        usage = "dtsim.vision.NAME",
        text = "alexnet and resnet50, for dtsim.layers.",
        returns = "a table for dtsim.layers",
        see = {"dtsim.layers"},
    },
    {
        name = "dtsim.layers",
        summary = "a workload of any matmuls and convolutions",
        usage = "dtsim.layers{ { inputs, outputs, conv, size, ... }, ... }",
        rows = {
            {name = "inputs", required = true, help = "channels in"},
            {name = "outputs", required = true, help = "channels out"},
            {name = "conv", help = "side of the window; without it the layer is a matmul"},
            {name = "size", help = "side of a convolution's input"},
            {name = "stride", default = "1", help = "step of the window"},
            {name = "pad", help = "zeros around the input; half of the window"},
            {name = "groups", default = "1", help = "groups of channels"},
            {name = "rows", default = "1", help = "rows of a matmul per sample"},
            {name = "bias", default = "true", help = "whether outputs have biases"},
        },
        returns = "layers",
        example = [[
> dtsim.layers(dtsim.vision.alexnet).params
60965224
]],
        see = {"layers", "layers:time"},
    },
    {
        name = "layers",
        summary = "what dtsim.layers makes",
        usage = "dtsim.layers{ ... }",
        rows = {
            {name = "name", help = "what to call it"},
            {name = "list", help = "each layer as the matmul that it amounts to"},
            {name = "params", help = "parameters"},
            {name = "flop", kind = "flop", help = "of one sample, forward"},
            {name = "source", help = "where the shape comes from"},
        },
    },
    {
        name = "layers:time",
        summary = "a training step of layers on one GPU",
        usage = "layers:time(gpu, batch [, split])",
        rows = {
            {name = "gpu", positional = true, required = true, help = "a dtsim.gpu"},
            {name = "batch", positional = true, required = true, help = "samples"},
            {name = "split", positional = true, default = "1",
             help = "GPUs that share the output channels"},
        },
        returns = "a table: time, matmul, memory (s), flop, layers (list of s)",
        example = [[
> alexnet = dtsim.layers(dtsim.vision.alexnet)
> #alexnet:time(dtsim.gpus.gtx580, 128, 2).layers
8
]],
    },
    {
        name = "dtsim.import_hf",
        summary = "a transformer from a Hugging Face configuration",
        usage = "dtsim.import_hf(path_or_table [, options])",
        rows = {
            {name = "path_or_table", positional = true, required = true,
             help = "name of a config.json, or what it decodes to"},
            {name = "options", positional = true, help = "fields that override"},
        },
        returns = "a transformer; unknown model_types raise with the known ones",
        example = [[
> config = { model_type = "gpt2", n_embd = 768, n_layer = 12, n_head = 12 }
> config.vocab_size, config.n_positions = 50257, 1024
> dtsim.import_hf(config).params
124439808
]],
    },
    {
        name = "dtsim.validate",
        summary = "predictions of measured runs, and how far off they are",
        usage = "dtsim validate FILE.csv..., dtsim.validate.run{ ... }",
        text = "A row needs a model (shape, catalog name or size), a GPU, their number, a batch "
            .. "and a measured time; what else it does not say is taken by habit or guess and "
            .. "listed. LoRA, TPU, V100, offload, whole-run averages, sick networks and "
            .. "convolutional networks are predicted but not judged. docs/training.md has the errors.",
        see = {"dtsim.validate.run"},
    },
    {
        name = "dtsim.validate.run",
        summary = "predicts the rows of CSV files",
        usage = "dtsim.validate.run(paths [, { fit, leave_one_out, calibration }])",
        rows = {
            {name = "paths", positional = true, required = true, help = "list of file names"},
            {name = "fit", help = "names of files (without .csv) to set the constants on"},
            {name = "leave_one_out", default = "false", help = "also each file by the others"},
            {name = "calibration", help = "constants over the built-in ones"},
        },
        returns = "a table: groups (cases, asides, skipped, summary, worst), pooled, "
            .. "mean_of_medians, left_out, ...",
        example = [[
> #dtsim.validate.run({}).groups
0
]],
        see = {"dtsim.validate.text"},
    },
    {
        name = "dtsim.validate.fit",
        summary = "constants that meet the rows of groups",
        usage = "dtsim.validate.fit(groups [, options])",
        returns = "a table of constants, and a report",
        example = [[
> pcall(dtsim.validate.fit, {})
false	stdin:1: fit: rows must hold something to fit
]],
    },
    {
        name = "dtsim.validate.leave_one_out",
        summary = "each group by constants fitted on the others",
        usage = "dtsim.validate.leave_one_out(groups [, options])",
        returns = "errors by group's name, and the mean of their medians",
        example = [[
> dtsim.validate.leave_one_out{}
{}	0
]],
    },
    {
        name = "dtsim.validate.text",
        summary = "a report as text",
        usage = "dtsim.validate.text(report)",
        returns = "text",
        example = [[
> type(dtsim.validate.text(dtsim.validate.run{}))
string
]],
    },
    {
        name = "dtsim.validate.plain",
        summary = "a report as plain tables",
        usage = "dtsim.validate.plain(report)",
        returns = "a table for dtsim.json",
        example = [[
> dtsim.validate.plain(dtsim.validate.run{}).mean_of_medians
0
]],
    },
    {
        name = "dtsim.validate.scatter",
        summary = "a scatter plot of a report, measured against predicted",
        usage = "dtsim.validate.scatter(report)",
        returns = "SVG text",
        example = [[
> dtsim.validate.scatter(dtsim.validate.run{}):sub(1, 4)
<svg
]],
    },
    {
        name = "dtsim.validate.main",
        summary = "the command dtsim validate",
        usage = "dtsim.validate.main(arguments)",
        returns = "the exit status: 0, 2 or 3",
        example = [[
> type(dtsim.validate.main)
function
]],
    },
}
