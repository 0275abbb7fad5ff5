-- workload: the model of a measured row, by its shape, its name or its size.

local core = require "dtsim.core"
local guess = require "dtsim.measured.guess"
local values = require "dtsim.measured.values"

local number, copy, take = values.number, values.copy, values.take

local function attach_experts(known, fields, case)
    if known and known.experts and not fields.experts then
        for _, key in ipairs{"experts", "top_k", "shared_experts", "expert_d_ff", "dense_layers",
            "expert_interval", "head_dim", "q_lora", "kv_lora", "rope_dim", "v_head_dim",
            "router_bias"} do
            if known[key] then fields[key] = known[key] end
        end
        take(case, "experts", known.experts, "catalog: " .. known.name)
    end
    for _, key in ipairs{"head_dim", "positions", "extra_norms", "norms", "norm_bias"} do
        if known[key] ~= nil then fields[key] = known[key] end
    end
end

-- Parameters that a row tells of: its column, or "7B" in the model's name.
local function size_of(row)
    local params = number(row.params)
    if params then return params end
    local text = (row.model or ""):lower()
    local billions = text:match("%f[%d.]([%d.]+) ?b%f[%A]")
    local millions = text:match("%f[%d.]([%d.]+) ?m%f[%A]")
    return billions and number(billions) and tonumber(billions) * 1e9
        or millions and number(millions) and tonumber(millions) * 1e6
end

-- What follows from the size where the shape is not given: usual proportions. dense: parameters
-- of a model with experts as if it had one.
local function guess_shape(row, fields, case, dense)
    local size = dense or size_of(row)
    local matrices = 12 -- times width squared: 4 of attention, 8 of the MLP
    if not fields.layers and not fields.d_model and size then
        local layers = (size / (matrices * 128 ^ 2)) ^ (1 / 3)
        fields.layers = take(case, "layers", math.max(1, math.floor(layers + 0.5)),
            "guess from the size: width 128 times depth")
    end
    if not fields.d_model and fields.layers and size then
        local width = math.sqrt(size / (matrices * fields.layers))
        fields.d_model = take(case, "d_model", math.max(128, 128 * math.floor(width / 128 + 0.5)),
            "guess from size and layers")
    end
    if not fields.layers and fields.d_model and size then
        local tables = (fields.tied and 1 or 2) * (fields.vocab or 32000) * fields.d_model
        local layers = (size - tables) / (matrices * fields.d_model ^ 2)
        fields.layers = take(case, "layers", math.max(1, math.floor(layers + 0.5)),
            "guess from size and width")
    end
    if not fields.heads and fields.d_model then
        local tp = number(row.tp) or 1
        local heads = math.max(1, math.floor(fields.d_model / 128 / tp + 0.5)) * tp
        fields.heads = take(case, "n_heads", heads, "guess: heads of 128")
    end
end

local COLUMNS = {{"layers", "layers"}, {"d_model", "d_model"}, {"d_ff", "d_ff"},
    {"heads", "n_heads"}, {"kv_heads", "n_kv_heads"}, {"vocab", "vocab"}, {"seq_len", "seq_len"}}

-- Fields from the row's columns, else from the catalog's entry.
local function read_columns(row, known, same_width, fields, case)
    for _, pair in ipairs(COLUMNS) do
        local field, column = pair[1], pair[2]
        fields[field] = number(row[column])
        if not fields[field] and same_width and known[field] then
            fields[field] = take(case, field, known[field], "catalog: " .. known.name)
        end
    end
end

-- The dtsim.transformer that a row speaks of; nil, the columns that are missing. Notes defaults in
-- the case.
local function read_model(row, case)
    local known = guess.model(row.model)
    local shape, named = guess.family(row.model)
    local fields = copy(shape)
    if known then
        for _, key in ipairs{"gated", "rms_norm", "rotary", "tied", "bias", "parallel_block",
            "qkv_bias"} do
            fields[key] = known[key]
        end
    end
    local same_width = known and (not number(row.d_model) or number(row.d_model) == known.d_model)
    read_columns(row, known, same_width, fields, case)
    local experts, top, each = guess.experts(row)
    guess_shape(row, fields, case, experts and each)
    local missing = {}
    for _, pair in ipairs{{"d_model", "d_model"}, {"layers", "layers"}, {"heads", "n_heads"}} do
        if not fields[pair[1]] then missing[#missing + 1] = pair[2] end
    end
    if #missing > 0 then return nil, missing end
    if not fields.vocab then
        fields.vocab = take(case, "vocab", fields.gated and 32000 or 51200, "guess by family")
    end
    if not fields.seq_len then fields.seq_len = take(case, "seq_len", 2048, "guess") end
    if fields.kv_heads and fields.heads % fields.kv_heads ~= 0 then
        fields.kv_heads = take(case, "n_kv_heads", fields.heads,
            "the row's does not divide n_heads")
    end
    if not named and not known then take(case, "gated", false, "guess: family not known") end
    local notes = (row.notes or ""):lower()
    if notes:find("untied") then fields.tied = false
    elseif notes:find("tied embeddings") then fields.tied = true end
    if same_width then attach_experts(known, fields, case) end
    if experts and not fields.experts then
        fields.experts, fields.top_k = experts, math.min(top, experts)
        take(case, "experts", experts, "model's name or notes; each as wide as d_ff")
    end
    fields.dense_layers = fields.dense_layers and math.min(fields.dense_layers,
        fields.layers < (known.layers or 0) and 1 or fields.dense_layers)
    if fields.expert_interval and fields.layers < fields.expert_interval then
        fields.expert_interval = nil
    end
    if row.model then fields.name = row.model:sub(1, 63) end
    return core.transformer(fields)
end

return read_model
