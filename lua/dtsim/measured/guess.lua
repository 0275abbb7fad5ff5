-- guess: what a measured row's texts say about its GPU, its model and its framework.

local frameworks = require "dtsim.catalog.frameworks"
local machines = require "dtsim.catalog.machines"
local models = require "dtsim.catalog.models"

local guess = {}

-- First match wins.
local gpu_patterns = {
    {"gb300", "gb300"}, {"gb200", "gb200"}, {"b300", "b300"}, {"b200", "b200"},
    {"%f[%w]b100", "b100"}, {"gh200", "gh200"}, {"grace.?hopper", "gh200"}, {"h200", "h200"},
    {"h800", "h800"}, {"%f[%w]h20%f[^%w]", "h20"}, {"%f[%w]h20%f[_-]", "h20"},
    {"h100.*pci", "h100_pcie"}, {"h100.*nvl%f[%A]", "h100_nvl"}, {"h100", "h100"},
    {"a800", "a800"}, {"a100.*pci", "a100_pcie"}, {"a100.*%f[%d]40 ?_?-?g", "a100_40"},
    {"a100", "a100"}, {"v100.*%f[%d]16 ?_?-?g", "v100_16"}, {"v100", "v100"}, {"p100", "p100"},
    {"mi355", "mi355x"}, {"mi350", "mi355x"}, {"mi325", "mi325x"}, {"mi308", "mi300x"},
    {"mi300", "mi300x"}, {"mi250", "mi250x"}, {"l40s", "l40s"}, {"l40", "l40"},
    {"%f[%w]l4%f[^%w]", "l4"}, {"%f[%w]t4%f[^%w]", "t4"}, {"a6000", "a6000"}, {"%f[%w]a40", "a40"},
    {"%f[%w]a30", "a30"}, {"%f[%w]a10g?%f[^%w]", "a10"}, {"4090", "rtx4090"}, {"3090", "rtx3090"},
    {"gaudi.?3", "gaudi3"}, {"gaudi", "gaudi2"}, {"trainium.?2", "trn2"}, {"trn2", "trn2"},
    {"tpu.?v2", "tpu_v2"}, {"tpu.?v3", "tpu_v3"}, {"tpu.?v5p", "tpu_v5p"}, {"tpu.?v5", "tpu_v5e"},
    {"tpu.?v6", "tpu_v6e"}, {"trillium", "tpu_v6e"}, {"tpu", "tpu_v4"}, {"gtx ?580", "gtx580"},
}

-- The same chip on a card, where a row's links are PCI Express alone.
local cards = {a100 = "a100_pcie", a100_40 = "a100_pcie", h100 = "h100_pcie"}

-- Whether a text of links inside the node speaks of PCI Express alone, or of pairs that it joins.
function guess.through_pcie(text)
    text = (text or ""):lower()
    if not text:find("pci") or text:find("nvswitch") or text:find("xgmi") then return false end
    return not text:find("nvlink") or text:find("pair") ~= nil or text:find("bridge") ~= nil
end

-- The catalog id of a GPU's name; second: whether it is only the nearest one.
function guess.machine(row)
    local text = (row.gpu or ""):lower()
    local memory = tonumber(row.gpu_mem_gb)
    for _, pair in ipairs(gpu_patterns) do
        if text:find(pair[1]) then
            local id = pair[2]
            if id == "a100" and memory == 40 then id = "a100_40" end
            if id == "v100" and memory == 16 then id = "v100_16" end
            local paired = (row.intra_node_network or ""):lower():find("nvlink")
            if guess.through_pcie(row.intra_node_network) and not paired
                and not text:find("sxm") then
                id = cards[id] or id
            end
            return id, false
        end
    end
    if text:find("hopper") then return "h100", true end
    if text:find("blackwell") then return "b200", true end
    if text:find("ampere") then return "a100", true end
    if text:find("volta") then return "v100", true end
    return nil
end

-- The catalog's entry for a model's name, or nil.
function guess.model(name)
    local text = (name or ""):lower()
    for _, id in ipairs(models.order) do
        for _, pattern in ipairs(models[id].match or {}) do
            if text:find(pattern) then return models[id], id end
        end
    end
end

-- The shape that a family of models shares, by its name; second: whether the name said so.
function guess.family(name)
    local text = (name or ""):lower()
    local gated = {"llama", "mistral", "mixtral", "qwen", "gemma", "%f[%a]yi%f[%A]", "deepseek",
        "olmo", "smol", "internlm", "baichuan", "vicuna", "dbrx", "phi%-3", "grok"}
    for _, word in ipairs(gated) do
        if text:find(word) then
            return {gated = true, rms_norm = true, rotary = true, tied = false}, true
        end
    end
    if text:find("nemotron") then return {rotary = true, tied = false}, true end
    local plain = {"gpt", "opt", "bloom", "mpt", "pythia", "neox", "falcon", "megatron", "turing",
        "mt%-nlg", "cerebras", "bert", "t5"}
    for _, word in ipairs(plain) do
        if text:find(word) then
            return {tied = true, bias = true, causal = word ~= "bert"}, true
        end
    end
    return {tied = true}, false
end

-- Experts of a model that is not in the catalog, by "8x13B" in its name or "64 experts" in the
-- notes: count, experts per token, parameters with one expert (nil unless the name says). Nil: none
-- told.
function guess.experts(row)
    local name, notes = (row.model or ""):lower(), (row.notes or ""):lower()
    local count, size = name:match("%f[%d](%d+)x([%d.]+) ?b%f[%A]")
    local top = tonumber(notes:match("top%-?_?k? ?=? ?(%d+)")) or 2
    if count and tonumber(count) > 1 and tonumber(size) then
        return tonumber(count), top, tonumber(size) * 1e9
    end
    count = tonumber(notes:match("%f[%d](%d+) experts"))
    if count and count > 1 then return count, top end
end

-- The year in which a source's software was current: of its arXiv number, or the first named.
local function year_of(text)
    local number = text:match("%f[%d](%d%d)%d%d%.%d%d%d%d%d%f[%D]")
    if number then return 2000 + tonumber(number) end
    local year = text:match("%f[%d](20[12]%d)%f[%D]")
    return year and tonumber(year)
end

-- First match over source, section, sharding and notes wins.
local framework_patterns = {
    {"nanotron", "nanotron"}, {"aleph%-alpha", "aleph_alpha"},
    {"llm%-foundry", "composer"}, {"mosaicml", "composer"}, {"composer", "composer"},
    {"maxtext", "xla"}, {"paxml", "xla"}, {"axlearn", "xla"}, {"%f[%a]jax%f[%A]", "xla"},
    {"torchtitan", "torchtitan"}, {"neox", "gpt_neox"},
    {"overlap off", "megatron_plain"}, {"dgxc", "nemo"}, {"nemo", "nemo"},
    {"training_results", "nemo"}, {"megascale", "nemo"}, {"transformer engine", "megatron"},
}

-- The id of the framework that ran a row, and from what that follows.
function guess.framework(row, machine)
    local zero = (row.zero_stage_or_fsdp or ""):lower()
    local text = table.concat({row.source or "", row.table_or_section or "", row.id or "", zero,
        row.model or "", row.notes or ""}, " "):lower()
    local year = year_of((row.source or "") .. " " .. (row.table_or_section or ""))
    for _, pair in ipairs(framework_patterns) do
        if text:find(pair[1]) then return pair[2], "named in the row", year end
    end
    local old = year and year < 2023 or (not year and machine == "v100")
    if zero:find("fsdp") and (tonumber(row.pp) or 1) > 1 then
        return "megatron", "sharding with pipeline stages", year
    end
    if zero:find("fsdp") or zero:find("hsdp") or text:find("fsdp") then
        local compiled = text:find("torch.compile") and not text:find("no compile")
        return compiled and "fsdp_compiled" or "fsdp", "named in the row", year
    end
    if zero:find("zero%-?3") or zero:find("stage 3") then
        return old and "deepspeed_2021" or "deepspeed", "sharding of the row", year
    end
    if text:find("megatron") or text:find("deepspeed") then
        return old and "megatron_2021" or "megatron", "named in the row, by year", year
    end
    return old and "megatron_2021" or "megatron", "default", year
end

guess.frameworks, guess.machines = frameworks, machines
return guess
