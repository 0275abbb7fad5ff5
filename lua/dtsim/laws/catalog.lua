-- catalog: the laws of depth, sparsity, batch and data that dtsim knows, each with its source.
--
-- A row: name; law (which of a set's four it may be); help; source; formula, its text; and call,
-- the function of that text. Rows with `parameters` are makers: functions of these parameters
-- that return a formula's text. To add a law, add a row; dtsim.laws.NAME is made from it.

local json = require "dtsim.json"
local near = require "dtsim.laws.near"

local PAPER = "Erdil and Schneider-Joseph 2024, Data movement limits to frontier model training "
    .. "(arXiv 2411.01137), and the simulator published with it"
local DEEPSEEK = "DeepSeek-AI 2024, DeepSeek LLM (arXiv 2401.02954), section 3.1"
local HOFFMANN = "Hoffmann et al. 2022, Training compute-optimal large language models "
    .. "(arXiv 2203.15556)"
local ZHANG = "Zhang et al. 2024, How does critical batch size scale in pre-training? (arXiv "
    .. "2410.21676), and Bergsma et al. 2025, Power lines (arXiv 2505.13738): the critical batch "
    .. "is a power of the data alone, with an exponent of about a half; anchored here where the "
    .. "paper's law is, at 4 Mi tokens and 3e23 FLOP, which by 20 tokens per parameter are 1e12 "
    .. "tokens of data"

local function text_of(x) return json.encode(x) end

return {
    -- ---- depth: layers = f(d_model, d_ff) ----
    {
        name = "paper_layers", law = "layers", source = PAPER,
        help = "depth fitted on published models",
        formula = "near(0.10056 * (d_model * d_ff)^0.3751)",
        call = function(d_model, d_ff) return near(0.10056 * (d_model * d_ff) ^ 0.3751) end,
    },
    {
        name = "hoffmann_layers", law = "layers",
        source = HOFFMANN .. ", tables 4 and A9: a power law through the smallest model (width "
            .. "512, 8 layers) and Chinchilla (width 8192, 80 layers), d_ff = 4 d_model in both",
        help = "depth of the models of the Chinchilla study",
        formula = "near(80 * (d_model * d_ff / (4 * 8192^2))^(log(10) / log(256)))",
        call = function(d_model, d_ff)
            return near(80 * (d_model * d_ff / (4 * 8192 ^ 2)) ^ (math.log(10) / math.log(256)))
        end,
    },
    {
        name = "halved_layers", law = "layers",
        source = "hypothetical, after " .. PAPER .. ": half of the paper's depth at the same "
            .. "width, hence half of the parameters; compare at equal compute",
        help = "half of the paper's depth at the same width",
        formula = "near(0.10056 * (d_model * d_ff)^0.3751 / 2)",
        call = function(d_model, d_ff) return near(0.10056 * (d_model * d_ff) ^ 0.3751 / 2) end,
    },
    {
        name = "fixed_layers", law = "layers", parameters = {"layers"},
        source = "a depth of one's own choice", help = "the same depth at every width",
        make = function(layers) return text_of(layers) end,
    },

    -- ---- sparsity = f(d_model, d_ff) ----
    {
        name = "dense", law = "sparsity", source = "a dense model: every parameter is active",
        help = "no sparsity", formula = "1", call = function() return 1 end,
    },
    {
        name = "paper_sparsity", law = "sparsity", source = PAPER,
        help = "sparsity that grows with the model: 8 at the width of GPT-3",
        formula = "near(8 * sqrt(d_model * d_ff / (4 * 12288^2)))",
        call = function(d_model, d_ff)
            return near(8 * math.sqrt(d_model * d_ff / (4 * 12288 ^ 2)))
        end,
    },
    {
        name = "fixed_sparsity", law = "sparsity", parameters = {"sparsity"},
        source = "a sparsity of one's own choice", help = "the same sparsity at every width",
        make = function(sparsity) return text_of(sparsity) end,
    },
    {
        name = "top_k_sparsity", law = "sparsity", parameters = {"experts", "k"},
        source = "k of a layer's experts are active (Shazeer et al. 2017, Outrageously large "
            .. "neural networks, arXiv 1701.06538): a share k / experts of the parameters. The "
            .. "model of a sparse network has one active expert of many, so k active ones count "
            .. "as one of k times the size; that a token visits k GPUs is left out",
        help = "sparsity of a mixture of experts of which k are active: experts / k",
        make = function(experts, k) return text_of(experts / k) end,
        check = function(experts, k) return experts % k == 0, "experts must be a multiple of k" end,
    },

    -- ---- critical batch, in sequences = f(compute, seq_len, sparsity) ----
    {
        name = "paper_batch", law = "batch", source = PAPER,
        help = "4 Mi tokens at 3e23 FLOP, growing as the sixth root of the training compute and "
            .. "the square root of the sparsity",
        formula = "E * near(sqrt(E) * (C / 3e23)^(1/6) * 2048^2 / seq / E)",
        call = function(compute, seq_len, sparsity)
            return sparsity * near(math.sqrt(sparsity) * (compute / 3e23) ^ (1 / 6) * 2048 ^ 2
                / seq_len / sparsity)
        end,
    },
    {
        name = "deepseek_batch_law", law = "batch", source = DEEPSEEK,
        help = "DeepSeek's fit: 0.2920 C^0.3271 tokens, times the square root of the sparsity",
        formula = "E * near(sqrt(E) * 0.2920 * C^0.3271 / seq / E)",
        call = function(compute, seq_len, sparsity)
            return sparsity
                * near(math.sqrt(sparsity) * 0.2920 * compute ^ 0.3271 / seq_len / sparsity)
        end,
    },
    {
        name = "sqrt_data_batch_law", law = "batch", source = ZHANG,
        help = "4 Mi tokens at 1e12 tokens of data, growing as the square root of the data",
        formula = "E * near(4 Mi * sqrt(D / 1e12) / seq / E)",
        call = function(_, seq_len, sparsity, tokens)
            return sparsity * near(2 ^ 22 * math.sqrt(tokens / 1e12) / seq_len / sparsity)
        end,
    },
    {
        name = "constant_batch_law", law = "batch", source = PAPER,
        help = "4 Mi tokens, whatever the model",
        formula = "floor(4 Mi / seq)",
        call = function(_, seq_len) return (2 ^ 22) // seq_len end,
    },
    {
        name = "fixed_batch", law = "batch", parameters = {"tokens"},
        source = "a batch of one's own choice",
        help = "the same number of tokens in a batch, whatever the model",
        make = function(tokens) return ("floor(%s / seq)"):format(text_of(tokens)) end,
    },

    -- ---- data, in tokens = f(params) ----
    {
        name = "chinchilla", law = "dataset", source = HOFFMANN,
        help = "20 tokens per parameter", formula = "20 * N",
        call = function(params) return 20 * params end,
    },
    {
        name = "tokens_per_parameter", law = "dataset", parameters = {"ratio"},
        source = "a ratio of one's own choice", help = "a fixed number of tokens per parameter",
        make = function(ratio) return text_of(ratio) .. " * N" end, fraction = true,
    },
    {
        name = "overtrained", law = "dataset", parameters = {"factor"},
        source = "a factor of one's own choice; 1 is compute-optimal by " .. HOFFMANN,
        help = "a fixed over-training: so many times 20 tokens per parameter",
        make = function(factor) return ("20 * %s * N"):format(text_of(factor)) end,
        fraction = true,
    },
}
