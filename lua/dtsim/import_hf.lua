-- import_hf: a transformer from a Hugging Face configuration (config.json).

local core = require "dtsim.core"
local json = require "dtsim.json"

-- What a family of models has that its configuration does not say.
local families = {
    llama = {gated = true, rms_norm = true, rotary = true},
    mistral = {gated = true, rms_norm = true, rotary = true},
    mixtral = {gated = true, rms_norm = true, rotary = true},
    qwen2 = {gated = true, rms_norm = true, rotary = true, qkv_bias = true},
    qwen3 = {gated = true, rms_norm = true, rotary = true},
    qwen2_moe = {gated = true, rms_norm = true, rotary = true, qkv_bias = true},
    qwen3_moe = {gated = true, rms_norm = true, rotary = true},
    phi3 = {gated = true, rms_norm = true, rotary = true},
    gptj = {bias = true, rotary = true, parallel_block = true, norms = 1},
    gemma = {gated = true, rms_norm = true, rotary = true, tied = true},
    deepseek_v2 = {gated = true, rms_norm = true, rotary = true},
    deepseek_v3 = {gated = true, rms_norm = true, rotary = true},
    gpt2 = {bias = true, tied = true},
    gpt_neox = {bias = true, rotary = true},
    opt = {bias = true, tied = true},
    bloom = {bias = true, tied = true, extra_norms = 2},
    mpt = {tied = true, norm_bias = false},
    falcon = {rotary = true, tied = true, parallel_block = true},
}
-- Falcon before it had its name.
families.RefinedWeb, families.RefinedWebModel = families.falcon, families.falcon

local function first(config, ...)
    for _, name in ipairs{...} do
        local value = config[name]
        if value ~= nil and type(value) ~= "userdata" then return value end
    end
end

local function read_experts(config, fields)
    local experts = first(config, "num_local_experts", "n_routed_experts", "num_experts")
    if not experts or experts < 2 then return end
    fields.experts = experts
    fields.top_k = first(config, "num_experts_per_tok", "num_experts_per_token") or 2
    fields.shared_experts = first(config, "n_shared_experts")
    fields.expert_d_ff = first(config, "moe_intermediate_size", "intermediate_size")
    fields.dense_layers = first(config, "first_k_dense_replace")
    if config.model_type == "deepseek_v3" then fields.router_bias = experts end
end

local function read_latent(config, fields)
    if not first(config, "kv_lora_rank") then return end
    fields.kv_lora = config.kv_lora_rank
    fields.q_lora = first(config, "q_lora_rank")
    fields.rope_dim = config.qk_rope_head_dim
    fields.head_dim = config.qk_nope_head_dim
    fields.v_head_dim = config.v_head_dim
end

-- The fields of dtsim.transformer that a configuration (a decoded table) gives.
local function fields_of(config)
    local kind = config.model_type or ""
    local family = families[kind]
    if not family then
        local known = {}
        for name in pairs(families) do known[#known + 1] = name end
        table.sort(known)
        core.raise(("import_hf: model_type '%s' is not known; known ones: %s"):format(
            tostring(kind), table.concat(known, ", ")))
    end
    local fields = {name = (first(config, "_name_or_path") or kind):sub(1, 63)}
    for key, value in pairs(family) do fields[key] = value end
    fields.layers = first(config, "num_hidden_layers", "n_layer", "n_layers")
    fields.d_model = first(config, "hidden_size", "n_embd", "n_embed", "d_model")
    fields.heads = first(config, "num_attention_heads", "n_head", "n_heads")
    fields.kv_heads = first(config, "num_key_value_heads", "num_kv_heads")
    if config.multi_query and not config.new_decoder_architecture then fields.kv_heads = 1 end
    fields.kv_heads = fields.kv_heads or first(config, "n_head_kv")
    fields.head_dim = first(config, "head_dim")
    fields.d_ff = first(config, "intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size")
    if not fields.d_ff and config.expansion_ratio then
        fields.d_ff = config.expansion_ratio * fields.d_model
    end
    fields.vocab = config.vocab_size
    fields.seq_len = first(config, "max_position_embeddings", "n_positions", "max_seq_len",
        "seq_length")
    if kind == "gpt2" then fields.positions = fields.seq_len end
    local alibi = type(config.attn_config) == "table" and config.attn_config.alibi
    if kind == "mpt" and not alibi then fields.positions = fields.seq_len end
    if kind == "opt" then fields.positions = fields.seq_len + 2 end
    local wide = config.new_decoder_architecture or kind == "RefinedWeb"
    if family == families.falcon and not wide then fields.norms = 1 end
    if config.tie_word_embeddings ~= nil then fields.tied = config.tie_word_embeddings end
    if config.attention_bias and kind ~= "llama" then fields.qkv_bias = true end
    read_experts(config, fields)
    read_latent(config, fields)
    for key, value in pairs(fields) do
        if type(value) == "number" then fields[key] = value // 1 | 0 end
    end
    return fields
end

-- A dtsim.transformer of a configuration: the name of a config.json, or its decoded table.
-- options: fields that override, such as { seq_len = 4096 }. Raises where the file cannot be read,
-- is no JSON, or names a family that is not known.
return function(source, options)
    local config = source
    if type(source) == "string" then
        local file, message = io.open(source, "rb")
        if not file then core.raise("import_hf: cannot read " .. message) end
        local text = file:read("a")
        file:close()
        config = json.decode(text)
    end
    if type(config) ~= "table" then core.raise("import_hf: a file name or a table is needed") end
    local fields = fields_of(config)
    for key, value in pairs(options or {}) do fields[key] = value end
    return core.transformer(fields)
end
