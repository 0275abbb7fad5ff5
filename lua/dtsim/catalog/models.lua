--- Models as they are trained: plain data, with where it comes from.
-- May use: nothing. dtsim.models.NAME is made from it.
--
-- An entry holds the fields of dtsim.transformer, `published` parameters as its source prints
-- them, `source`, and `match`: lower-case patterns that name the model in measured rows.

local models = { order = {} }

local function add(id, entry)
  models[id] = entry
  models.order[#models.order + 1] = id
end

-- LLaMA's shape: RMS norms, rotary positions, gated MLP, untied head, no biases.
local function llama(id, name, sizes, published, source, match, more)
  local entry = {
    name = name, layers = sizes[1], d_model = sizes[2], d_ff = sizes[3], heads = sizes[4],
    kv_heads = sizes[5], vocab = sizes[6], seq_len = sizes[7],
    gated = true, rms_norm = true, rotary = true,
    published = published, source = source, match = match,
  }
  for key, value in pairs(more or {}) do entry[key] = value end
  add(id, entry)
end

local LLAMA = "Touvron et al. (2023), LLaMA, table 2, and the released configurations"
local LLAMA2 = "Touvron et al. (2023), Llama 2, and the released configurations"
local LLAMA3 = "Llama team (2024), The Llama 3 herd of models, table 3"
local TINY = "Zhang et al. (2024), TinyLlama: the 1.1B member of the Llama 2 shape"
llama("llama3_2_1b", "Llama 3.2 1B", { 16, 2048, 8192, 32, 8, 128256, 8192 }, 1.236e9,
  "Meta (2024), Llama 3.2, released configuration", { "llama[%- ]?3%.2[%- ]1b" }, { tied = true })
llama("llama3_2_3b", "Llama 3.2 3B", { 28, 3072, 8192, 24, 8, 128256, 8192 }, 3.21e9,
  "Meta (2024), Llama 3.2, released configuration", { "llama[%- ]?3%.2[%- ]3b" }, { tied = true })
llama("llama2_1b", "Llama 2 1B", { 22, 2048, 5632, 32, 4, 32000, 2048 }, 1.1e9, TINY,
  { "llama%-?2 ?1b", "tinyllama" })
llama("llama_7b", "LLaMA 7B", { 32, 4096, 11008, 32, 32, 32000, 2048 }, 6.7e9, LLAMA,
  { "^llama[%- ]?7b" })
llama("llama_13b", "LLaMA 13B", { 40, 5120, 13824, 40, 40, 32000, 2048 }, 13.0e9, LLAMA,
  { "^llama[%- ]?13b" })
llama("llama_33b", "LLaMA 33B", { 60, 6656, 17920, 52, 52, 32000, 2048 }, 32.5e9, LLAMA,
  { "^llama[%- ]?3[03]b" })
llama("llama_65b", "LLaMA 65B", { 80, 8192, 22016, 64, 64, 32000, 2048 }, 65.2e9, LLAMA,
  { "^llama[%- ]?65b" })
llama("llama2_7b", "Llama 2 7B", { 32, 4096, 11008, 32, 32, 32000, 4096 }, 6.74e9, LLAMA2,
  { "llama[%- ]?2[%- ]7b" })
llama("llama2_13b", "Llama 2 13B", { 40, 5120, 13824, 40, 40, 32000, 4096 }, 13.02e9, LLAMA2,
  { "llama[%- ]?2[%- ]13b" })
llama("llama2_34b", "Llama 2 34B", { 48, 8192, 22016, 64, 8, 32000, 4096 }, 33.7e9,
  LLAMA2 .. "; shape as released for Code Llama 34B", { "llama[%- ]?2[%- ]34b", "codellama.34b" })
llama("llama2_70b", "Llama 2 70B", { 80, 8192, 28672, 64, 8, 32000, 4096 }, 68.98e9, LLAMA2,
  { "llama[%- ]?2[%- ]70b", "^llama[%- ]?70b" })
llama("llama3_8b", "Llama 3 8B", { 32, 4096, 14336, 32, 8, 128256, 8192 }, 8.03e9, LLAMA3,
  { "llama[%- ]?3%.?%d?[%- ]8b", "^llama[%- ]?8b" })
llama("llama3_70b", "Llama 3 70B", { 80, 8192, 28672, 64, 8, 128256, 8192 }, 70.55e9, LLAMA3,
  { "llama[%- ]?3%.?%d?[%- ]70b" })
llama("llama3_405b", "Llama 3 405B", { 126, 16384, 53248, 128, 8, 128256, 8192 }, 405.85e9,
  LLAMA3, { "llama[%- ]?3%.?%d?[%- ]405b", "^llama[%- ]?405b" })
llama("mistral_7b", "Mistral 7B", { 32, 4096, 14336, 32, 8, 32000, 8192 }, 7.24e9,
  "Jiang et al. (2023), Mistral 7B", { "mistral[%- ]?7b" })
llama("mixtral_8x7b", "Mixtral 8x7B", { 32, 4096, 14336, 32, 8, 32000, 4096 }, 46.7e9,
  "Jiang et al. (2024), Mixtral of experts", { "mixtral[%- ]?8x7b" },
  { experts = 8, top_k = 2, expert_d_ff = 14336, published_active = 12.9e9 })
llama("mixtral_8x22b", "Mixtral 8x22B", { 56, 6144, 16384, 48, 8, 32768, 4096 }, 140.6e9,
  "Mistral AI (2024), released configuration", { "mixtral[%- ]?8x22b" },
  { experts = 8, top_k = 2, expert_d_ff = 16384, published_active = 39e9 })
llama("qwen2_72b", "Qwen2 72B", { 80, 8192, 29568, 64, 8, 152064, 4096 }, 72.7e9,
  "Qwen team (2024), released configuration", { "qwen.*72b" }, { qkv_bias = true })

local QWEN = "Qwen team (2024), Qwen2.5, released configurations"
llama("qwen2_5_7b", "Qwen2.5 7B", { 28, 3584, 18944, 28, 4, 152064, 4096 }, 7.61e9, QWEN,
  { "qwen2%.?5?[%- ]7b" }, { qkv_bias = true })
llama("qwen2_5_14b", "Qwen2.5 14B", { 48, 5120, 13824, 40, 8, 152064, 4096 }, 14.7e9, QWEN,
  { "qwen2%.5[%- ]14b" }, { qkv_bias = true })
llama("qwen2_5_32b", "Qwen2.5 32B", { 64, 5120, 27648, 40, 8, 152064, 4096 }, 32.5e9, QWEN,
  { "qwen2%.5[%- ]32b" }, { qkv_bias = true })
local QWEN3 = "Qwen team (2025), Qwen3, released configurations"
llama("qwen3_30b", "Qwen3 30B-A3B", { 48, 2048, 6144, 32, 4, 151936, 4096 }, 30.5e9, QWEN3,
  { "qwen3[%- ]30b" }, { head_dim = 128, experts = 128, top_k = 8, expert_d_ff = 768,
  published_active = 3.3e9 })
llama("qwen3_235b", "Qwen3 235B-A22B", { 94, 4096, 12288, 64, 4, 151936, 4096 }, 235e9, QWEN3,
  { "qwen3[%- ]235b" }, { head_dim = 128, experts = 128, top_k = 8, expert_d_ff = 1536,
  published_active = 22e9 })
llama("dbrx", "DBRX", { 40, 6144, 10752, 48, 8, 100352, 4096 }, 132e9,
  "Databricks (2024), DBRX, released configuration", { "dbrx" },
  { experts = 16, top_k = 4, expert_d_ff = 10752, published_active = 36e9 })
llama("gemma_7b", "Gemma 7B", { 28, 3072, 24576, 16, 16, 256000, 8192 }, 8.54e9,
  "Gemma team (2024), Gemma, table 1 and 2", { "gemma[%- ]7b" }, { head_dim = 256, tied = true })
llama("olmo_7b", "OLMo 7B", { 32, 4096, 11008, 32, 32, 50304, 2048 }, 6.89e9,
  "Groeneveld et al. (2024), OLMo, table 1", { "olmo[%- ]7b" }, { norms = 0, tied = false })

-- GPT-2's shape: layer norms, learned positions, plain MLP of four widths, biases, tied head.
local function gpt(id, name, layers, width, heads, published, source, match, more)
  local entry = {
    name = name, layers = layers, d_model = width, d_ff = 4 * width, heads = heads,
    kv_heads = heads, vocab = 51200, seq_len = 2048, bias = true, tied = true,
    positions = 2048, published = published, source = source, match = match,
  }
  for key, value in pairs(more or {}) do entry[key] = value end
  add(id, entry)
end

local GPT3 = "Brown et al. (2020), Language models are few-shot learners, table 2.1"
local MEGATRON = "Narayanan et al. (2021), Efficient large-scale language model training, table 1"
gpt("gpt3_125m", "GPT-3 Small", 12, 768, 12, 125e6, GPT3, { "gpt%-?3 125m" },
  { vocab = 50257 })
gpt("gpt3_6_7b", "GPT-3 6.7B", 32, 4096, 32, 6.7e9, GPT3, { "gpt%-?3 6%.7b" },
  { vocab = 50257 })
gpt("gpt3_13b", "GPT-3 13B", 40, 5140, 40, 13.0e9, GPT3, { "gpt%-?3 13b" },
  { vocab = 50257, head_dim = 128, d_ff = 4 * 5140 })
gpt("gpt3_5b", "GPT-3 5B", 24, 4096, 32, 5.1e9, "NVIDIA, NeMo's gpt3/5b configuration",
  { "gpt%-?3[%- ]?5b" })
gpt("gpt3_175b", "GPT-3 175B", 96, 12288, 96, 174.6e9, GPT3, { "gpt%-?3.*175b", "175b" },
  { vocab = 50257 })
gpt("megatron_1_7b", "GPT 1.7B", 24, 2304, 24, 1.7e9, MEGATRON, { "^gpt 1%.7b" })
gpt("megatron_3_6b", "GPT 3.6B", 30, 3072, 32, 3.6e9, MEGATRON, { "^gpt 3%.6b" })
gpt("megatron_7_5b", "GPT 7.5B", 36, 4096, 32, 7.5e9, MEGATRON, { "^gpt 7%.5b" })
gpt("megatron_18b", "GPT 18.4B", 40, 6144, 48, 18.4e9, MEGATRON, { "^gpt 18%.4b" })
gpt("megatron_22b", "GPT 22B", 48, 6144, 64, 22e9, "Korthikanti et al. (2022), table 3",
  { "^gpt 22b" })
gpt("megatron_39b", "GPT 39.1B", 48, 8192, 64, 39.1e9, MEGATRON, { "^gpt 39" })
gpt("megatron_76b", "GPT 76.1B", 60, 10240, 80, 76.1e9, MEGATRON, { "^gpt 76" })
gpt("megatron_145b", "GPT 145.6B", 80, 12288, 96, 145.6e9, MEGATRON, { "^gpt 145" })
gpt("megatron_310b", "GPT 310.1B", 96, 16384, 128, 310.1e9, MEGATRON, { "^gpt 310" })
gpt("megatron_530b", "GPT 529.6B", 105, 20480, 128, 529.6e9, MEGATRON,
  { "^gpt 529", "^gpt 530b", "mt%-nlg" })
gpt("megatron_1t", "GPT 1008B", 128, 25600, 160, 1008e9, MEGATRON, { "^gpt 1008", "^gpt 1t" })

gpt("gpt2_xl", "GPT-2 XL", 48, 1600, 25, 1.558e9, "Radford et al. (2019), GPT-2, table 2",
  { "gpt%-?2[%- ]xl", "gpt%-?2 1%.5b" }, { vocab = 50257, seq_len = 1024, positions = 1024 })
gpt("gpt_j_6b", "GPT-J 6B", 28, 4096, 16, 6.05e9, "EleutherAI (2021), GPT-J 6B",
  { "gpt%-?j" }, { vocab = 50400, tied = false, positions = 0, rotary = true,
  parallel_block = true, norms = 1 })
gpt("gpt_neox_20b", "GPT-NeoX 20B", 44, 6144, 64, 20.55e9,
  "Black et al. (2022), GPT-NeoX-20B, table 1", { "neox[%- ]?20b" },
  { vocab = 50432, tied = false, positions = 0, rotary = true, parallel_block = true })
local PYTHIA = "Biderman et al. (2023), Pythia, table 1"
local function pythia(id, size, layers, width, heads, published)
  gpt("pythia_" .. id, "Pythia " .. size, layers, width, heads, published, PYTHIA,
    { "pythia[%- ]" .. size:lower():gsub("%.", "%%.") },
    { vocab = 50304, tied = false, positions = 0, rotary = true, parallel_block = true })
end
pythia("410m", "410M", 24, 1024, 16, 405.3e6)
pythia("1_4b", "1.4B", 24, 2048, 16, 1.4146e9)
pythia("2_8b", "2.8B", 32, 2560, 32, 2.7752e9)
pythia("6_9b", "6.9B", 32, 4096, 32, 6.8573e9)
pythia("12b", "12B", 36, 5120, 40, 11.8461e9)

local MPT = "MosaicML, LLM Foundry, pretraining configurations"
local function mpt(id, name, layers, width, heads, published, match)
  gpt(id, name, layers, width, heads, published, MPT, match,
    { vocab = 50368, bias = false, norm_bias = false })
end
mpt("mpt_125m", "MPT 125M", 12, 768, 12, 125e6, { "mpt%-125m" })
mpt("mpt_350m", "MPT 350M", 24, 1024, 16, 356e6, { "mpt%-350m" })
mpt("mpt_760m", "MPT 760M", 24, 1536, 12, 760e6, { "mpt%-760m" })
mpt("mpt_1b", "MPT 1B", 24, 2048, 16, 1.31e9, { "mpt%-1b" })
mpt("mpt_3b", "MPT 3B", 32, 2560, 20, 2.65e9, { "mpt%-3b" })
mpt("mpt_7b", "MPT 7B", 32, 4096, 32, 6.66e9, { "mpt%-7b" })
mpt("mpt_13b", "MPT 13B", 40, 5120, 40, 12.85e9, { "mpt%-13b" })
mpt("mpt_30b", "MPT 30B", 48, 7168, 56, 29.98e9, { "mpt%-30b" })
mpt("mpt_70b", "MPT 70B", 80, 8192, 64, 64.86e9, { "mpt%-70b" })

gpt("bloom_176b", "BLOOM 176B", 70, 14336, 112, 176.25e9,
  "BigScience (2022), BLOOM, table 3", { "bloom" },
  { vocab = 250880, positions = 0, extra_norms = 2 })
gpt("opt_175b", "OPT 175B", 96, 12288, 96, 174.6e9,
  "Zhang et al. (2022), OPT, table 1", { "opt%-?.?175b" },
  { vocab = 50272, positions = 2050 })
gpt("opt_30b", "OPT 30B", 48, 7168, 56, 30e9, "Zhang et al. (2022), OPT, table 1",
  { "opt%-?.?30b" }, { vocab = 50272, positions = 2050 })
add("palm_540b", {
  name = "PaLM 540B", layers = 118, d_model = 18432, d_ff = 73728, heads = 48, kv_heads = 1,
  head_dim = 256, vocab = 256000, seq_len = 2048, gated = true, rotary = true, tied = true,
  parallel_block = true, norm_bias = false, norms = 1, published = 540.35e9,
  source = "Chowdhery et al. (2022), PaLM, table 1", match = { "palm" },
})
add("falcon_7b", {
  name = "Falcon 7B", layers = 32, d_model = 4544, d_ff = 4 * 4544, heads = 71, kv_heads = 1,
  vocab = 65024, seq_len = 2048, rotary = true, tied = true, parallel_block = true, norms = 1,
  published = 6.92e9, source = "Almazrouei et al. (2023), Falcon, released configuration",
  match = { "falcon[%- ]?7b" },
})
add("falcon_40b", {
  name = "Falcon 40B", layers = 60, d_model = 8192, d_ff = 4 * 8192, heads = 128, kv_heads = 8,
  vocab = 65024, seq_len = 2048, rotary = true, tied = true, parallel_block = true,
  published = 41.3e9, source = "Almazrouei et al. (2023), Falcon, released configuration",
  match = { "falcon[%- ]?40b" },
})
add("falcon_180b", {
  name = "Falcon 180B", layers = 80, d_model = 14848, d_ff = 4 * 14848, heads = 232,
  kv_heads = 8, vocab = 65024, seq_len = 2048, rotary = true, tied = true,
  parallel_block = true, published = 179.5e9,
  source = "Almazrouei et al. (2023), Falcon, released configuration",
  match = { "falcon[%- ]?180b" },
})
add("nemotron4_15b", {
  name = "Nemotron-4 15B", layers = 32, d_model = 6144, d_ff = 24576, heads = 48, kv_heads = 8,
  vocab = 256000, seq_len = 4096, rotary = true, published = 15.6e9,
  source = "NVIDIA (2024), Nemotron-4 15B", match = { "nemotron%-?4.15b" },
})
add("nemotron4_340b", {
  name = "Nemotron-4 340B", layers = 96, d_model = 18432, d_ff = 73728, heads = 96,
  kv_heads = 8, vocab = 256000, seq_len = 4096, rotary = true, published = 341e9,
  source = "NVIDIA (2024), Nemotron-4 340B", match = { "nemotron%-?4.340b" },
})
add("deepseek_v3", {
  name = "DeepSeek-V3", layers = 61, d_model = 7168, d_ff = 18432, heads = 128, kv_heads = 128,
  head_dim = 128, v_head_dim = 128, q_lora = 1536, kv_lora = 512, rope_dim = 64, vocab = 129280,
  seq_len = 4096, gated = true, rms_norm = true, rotary = true, experts = 256, top_k = 8,
  shared_experts = 1, expert_d_ff = 2048, dense_layers = 3, router_bias = 256,
  published = 671.03e9, published_active = 37.5e9,
  source = "DeepSeek-AI (2024), DeepSeek-V3, section 4.2", match = { "deepseek%-?_?v3" },
})
add("deepseek_v2", {
  name = "DeepSeek-V2", layers = 60, d_model = 5120, d_ff = 12288, heads = 128, kv_heads = 128,
  head_dim = 128, v_head_dim = 128, q_lora = 1536, kv_lora = 512, rope_dim = 64, vocab = 102400,
  seq_len = 4096, gated = true, rms_norm = true, rotary = true, experts = 160, top_k = 6,
  shared_experts = 2, expert_d_ff = 1536, dense_layers = 1,
  published = 235.7e9, published_active = 21.4e9,
  source = "DeepSeek-AI (2024), DeepSeek-V2, section 3.1.2", match = { "deepseek%-?_?v2" },
})
add("grok_1", {
  name = "Grok-1", layers = 64, d_model = 6144, d_ff = 32768, heads = 48, kv_heads = 8,
  head_dim = 128, vocab = 131072, seq_len = 8192, gated = true, rms_norm = true, rotary = true,
  tied = true, norms = 4, experts = 8, top_k = 2, expert_d_ff = 32768, published = 314e9,
  source = "xAI (2024), Grok-1 open release", match = { "grok" },
})
add("llama4_maverick", {
  name = "Llama 4 Maverick", layers = 48, d_model = 5120, d_ff = 16384, heads = 40, kv_heads = 8,
  vocab = 202048, seq_len = 8192, gated = true, rms_norm = true, rotary = true, experts = 128,
  top_k = 1, shared_experts = 1, expert_d_ff = 8192, expert_interval = 2, published = 400.7e9,
  published_active = 17e9, source = "Meta (2025), Llama 4, released configuration",
  match = { "llama4 maverick" },
})

return models
