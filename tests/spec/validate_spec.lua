-- dtsim.validate on rows as sources write them: what is predicted, judged, set apart or refused.
local json = require "dtsim.json"
local read_csv = require "dtsim.format.read_csv"
local row_of = require "dtsim.measured.row"

local MEASURED = "tests/reference/measured/"

-- A row that says little; changes: columns over it, false: not given.
local function row_with(changes)
    local row = {id = "x", model = "Llama 2 7B", gpu = "H100", n_gpu = "64",
                 global_batch_seqs = "256", seq_len = "4096", step_time_s = "5"}
    for key, value in pairs(changes) do row[key] = value or nil end
    return row
end

local function case_with(changes)
    local case, reason = row_of.case(row_with(changes))
    assert(case, reason)
    return case
end

local function refusal_of(changes)
    local case, reason = row_of.case(row_with(changes))
    assert.is_nil(case)
    return reason
end

local function origin_of(case, field)
    for _, default in ipairs(case.defaults) do
        if default.field == field then return default.origin, default.value end
    end
end

describe("a measured row's GPU", function()
    local names = {
        a100 = {"A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB", "a100_80gb_sxm", "Tesla A100", "8xA100",
            "DGX A100 640GB", "A100"},
        a100_40 = {"A100-SXM4-40GB", "A100 40GB", "A100-40G", "nvidia-a100-sxm4-40gb"},
        a100_pcie = {"A100 PCIe 80GB", "A100-PCIE-40GB"},
        h100 = {"H100-80GB SXM5", "H100 80GB HBM3"},
        h100_nvl = {"H100 NVL 94GB"}, h20 = {"H20", "NVIDIA H20-96GB"}, gh200 = {"GH200 480GB",
            "Grace Hopper"}, l40s = {"L40S-48GB"}, l40 = {"NVIDIA L40"}, l4 = {"NVIDIA L4"},
        a30 = {"NVIDIA A30-PCIE-24GB"}, p100 = {"P100"}, mi300x = {"MI300X-192GB"},
        b300 = {"B300-SXM-270GB"}, gb300 = {"GB300 (288GB)"}, tpu_v5p = {"TPU v5p-256"},
        tpu_v4 = {"TPU v4", "TPUv4"}, v100_16 = {"V100-SXM2-16GB"}, v100 = {"V100 32GB"},
    }
    for id, list in pairs(names) do
        it(id .. " is known by its names", function()
            for _, name in ipairs(list) do
                assert.equal(dtsim.machines[id].name, case_with{gpu = name}.machine.name, name)
            end
        end)
    end

    it("that is not known is said", function()
        assert.equal("unknown GPU: Ascend 910B", refusal_of{gpu = "Ascend 910B"})
        assert.equal("missing: gpu", refusal_of{gpu = false})
    end)

    it("is on a card where its links are PCI Express alone", function()
        assert.equal(dtsim.machines.a100_pcie.name,
            case_with{gpu = "A100", intra_node_network = "PCIe 4.0"}.machine.name)
        assert.equal(dtsim.machines.h100.name,
            case_with{intra_node_network = "NVLink4/NVSwitch, PCIe 5 to the host"}.machine.name)
    end)
end)

describe("a measured row's network cards", function()
    -- Gbit/s over eight bits; per node over eight GPUs.
    local texts = {["8x200Gbps"] = 25e9, ["4x HDR200"] = 12.5e9, ["HDR 200"] = 25e9,
        ["400 Gb/s"] = 50e9, ["3.2 Tbps per node"] = 50e9, ["100 GbE"] = 12.5e9 / 8,
        ["50 GB/s per GPU"] = 50e9, ["1600 Gb/s per node RoCE"] = 25e9}
    for text, rate in pairs(texts) do
        it("are read from " .. text, function()
            assert.equal(rate, case_with{inter_node_network = text}.machine.network_bandwidth)
        end)
    end

    it("are usual ones where nothing is told, and said so", function()
        for _, text in ipairs{"RoCE", "0 Gb/s", false} do
            local case = case_with{inter_node_network = text}
            assert.equal(dtsim.machines.h100.network_bandwidth, case.machine.network_bandwidth)
            assert.matches("usual", (origin_of(case, "network_bandwidth")))
        end
    end)
end)

describe("a measured row's plan", function()
    it("has its sharding in many spellings", function()
        local stages = {["0"] = 0, ["1"] = 1, ["2"] = 2, ["3"] = 3, ["ZeRO-1"] = 1, zero_3 = 3,
            ["ZeRO stage 2"] = 2, ZeRO3 = 3, FSDP2 = 3, FULL_SHARD = 3, SHARD_GRAD_OP = 3, DDP = 0,
            none = 0, ["distributed optimizer"] = 1, ["ZeRO++"] = 3}
        for text, stage in pairs(stages) do
            assert.equal(stage, case_with{zero_stage_or_fsdp = text}.plan.zero, text)
        end
        assert.is_false(case_with{zero_stage_or_fsdp = "SHARD_GRAD_OP"}.plan.reshard)
        assert.equal(8, case_with{zero_stage_or_fsdp = "HSDP"}.plan.shard_group)
        local offload = case_with{zero_stage_or_fsdp = "ZeRO-Offload"}
        assert.is_true(offload.plan.offload)
        assert.equal("states in the host's memory", offload.aside)
    end)

    it("has its batch in sequences, in tokens or by accumulation", function()
        local none = false
        local batches = {
            {{}, 256}, {{global_batch_seqs = "4194304"}, 1024},
            {{global_batch_seqs = none, notes = "global batch 4M tokens"}, 1024},
            {{global_batch_seqs = none, notes = "batch size of 1,048,576 tokens"}, 256},
            {{global_batch_seqs = none, micro_batch_seqs = "2",
              notes = "gradient accumulation steps: 8"}, 1024},
            {{global_batch_seqs = none, micro_batch_seqs = "2", notes = "GA=4"}, 512},
            {{global_batch_seqs = none, micro_batch_seqs = "2"}, 128},
            {{global_batch_seqs = "100"}, 128},
        }
        for _, pair in ipairs(batches) do assert.equal(pair[2], case_with(pair[1]).batch) end
        assert.equal("missing: global_batch_seqs", refusal_of{global_batch_seqs = none})
    end)

    it("has its GPUs by its degrees", function()
        assert.equal(64, case_with{n_gpu = false, dp = "8", tp = "4", pp = "2"}.plan.gpus)
        assert.matches("does not divide", refusal_of{tp = "7"})
        assert.matches("whole number", refusal_of{n_gpu = "7.5"})
    end)

    it("takes context and expert parallelism, 8 bits and long contexts", function()
        assert.equal(4, case_with{cp = "4", seq_len = "65536", global_batch_seqs = "64"}.plan.cp)
        local experts = case_with{model = "Foo-MoE 8x13B", ep = "8"}
        assert.equal(8, experts.model.experts)
        assert.equal(8, experts.plan.ep)
        assert.equal(1, case_with{ep = "8"}.plan.ep) -- a dense model has none
        for _, text in ipairs{"fp8", "FP8 (E4M3)", "MXFP8", "NVFP4"} do
            assert.equal("fp8", case_with{precision = text}.plan.compute)
        end
    end)

    it("is refused with all that is missing", function()
        local case, reason = row_of.case{id = "y", model = "unheard-of"}
        assert.is_nil(case)
        assert.equal("missing: d_model, layers, n_heads, n_gpu, gpu, global_batch_seqs, "
            .. "step_time_s", reason)
    end)
end)

describe("a measured row's model", function()
    it("is guessed from its size", function()
        for _, changes in ipairs{{model = "Foo", params = "13e9"}, {model = "Foo 13B"}} do
            local case = case_with(changes)
            assert.is_true(math.abs(case.model.params / 13e9 - 1) < 0.1)
            assert.matches("guess", (origin_of(case, "layers")))
        end
    end)

    it("is found in the catalog by the ways it is written", function()
        local names = {llama3_8b = {"Meta-Llama-3-8B", "Llama 3.1 8B", "meta-llama/Llama-3-8b"},
            llama2_70b = {"Llama-2-70b-hf", "LLaMA2 70B", "llama70b"}, gpt3_175b = {"GPT-3 175B"},
            deepseek_v3 = {"DeepSeek-V3 671B"}, qwen3_235b = {"Qwen3-235B-A22B"},
            palm_540b = {"PaLM 540B"}, bloom_176b = {"BLOOM-176B"}}
        for id, list in pairs(names) do
            for _, name in ipairs(list) do
                local case = case_with{model = name, seq_len = false, n_gpu = "256"}
                assert.equal(dtsim.models[id].params, case.model.params, name)
            end
        end
    end)

    it("that is no transformer and not in the catalog is set aside", function()
        for _, name in ipairs{"3D U-Net", "ResNet-152", "DLRM-dcnv2", "Stable Diffusion v2"} do
            assert.equal("no transformer, and no network of the catalog", refusal_of{model = name})
        end
    end)
end)

describe("rows that are not judged", function()
    local names = {"mlperf_resnet50", "early_vision_runs", "mlperf_llama2_70b_lora",
        "full_run_gpu_hours", "rapidllm_uci_a100"}
    local paths = {}
    for i, name in ipairs(names) do paths[i] = MEASURED .. name .. ".csv" end
    local report = dtsim.validate.run(paths)

    it("are predicted outside the pooled figures", function()
        assert.equal(6, report.pooled.rows) -- of rapidllm alone
        assert.equal(report.groups[5].summary.median, report.mean_of_medians)
        local reasons = {}
        for _, group in ipairs(report.groups) do
            for _, part in ipairs(group.asides) do reasons[part.reason] = part.summary end
        end
        assert.is_table(reasons["LoRA"])
        assert.is_table(reasons["average of a whole run, restarts and tests inside"])
        -- Constants of transformers, none fitted on convolutions.
        local vision = reasons["convolutions, by dtsim.layers"]
        assert.is_true(vision.median < 0.25, vision.median)
        local text = dtsim.validate.text(report)
        assert.matches("Predicted but not judged", text, 1, true)
        assert.matches("not judged: LoRA", text, 1, true)
    end)

    it("are marked in JSON", function()
        local plain = json.decode(json.encode(dtsim.validate.plain(report)))
        assert.is_false(plain.groups[1].rows[1].judged)
        assert.is_true(plain.groups[5].rows[1].judged)
        assert.equal("convolutions, by dtsim.layers", plain.groups[1].not_judged[1].reason)
    end)

    it("have no part in a fit or in what is left out", function()
        local left_out, mean = dtsim.validate.leave_one_out({report.groups[1]}, {iterations = 1})
        assert.same({}, left_out)
        assert.equal(0, mean)
    end)
end)

describe("a file", function()
    it("may end its lines in any way", function()
        for _, ending in ipairs{"\n", "\r\n", "\r\r\n", "\r"} do
            local rows, header = read_csv.text("a,b" .. ending .. '1,"x' .. "\n" .. 'y"' .. ending)
            assert.same({"a", "b"}, header)
            assert.same({{a = "1", b = "x\ny"}}, rows)
        end
    end)
end)

-- The cases of a file of runs; complete(row): fills what its rows leave out.
local function ended(name, complete)
    local cases = {}
    for _, row in ipairs(read_csv.file(MEASURED .. name .. ".csv")) do
        complete(row)
        local case = row_of.case(row, {need_time = false})
        if case then cases[#cases + 1] = case end
    end
    return cases
end

local NANOTRON_WIDTHS = {["2048"] = "8192", ["3072"] = "8192", ["4096"] = "14336",
                         ["8192"] = "28672", ["16384"] = "53248"}
-- Widths of a framework that nothing is known of.
local GENERIC = {second_gradient_bytes = 0, gathered_bytes = 0, mlp_bytes = 8, logit_bytes = 10,
    norm_bytes = 0, gather_buffer_bytes = 0, base_bytes = 0, logits_sharded = true,
    stage_gradients = false}

-- Shares of the cases of which it is said rightly whether they fit: by the framework's own profile,
-- by the generic one.
local function right_shares(cases, fits)
    local own, generic = 0, 0
    for _, case in ipairs(cases) do
        local function says(software)
            local m = require "dtsim.core".train.memory(case.model, case.plan, software,
                case.machine)
            return (m.reserved <= m.usable) == fits and 1 or 0
        end
        own = own + says(case.software)
        generic = generic + says(case.software:with(GENERIC))
    end
    return own / #cases, generic / #cases
end

describe("memory", function()
    it("knows runs that ended for want of it", function()
        local nanotron = ended("nanotron_out_of_memory", function(row)
            row.n_kv_heads = row.n_heads
            row.d_ff = row.d_ff or NANOTRON_WIDTHS[row.d_model]
        end)
        local aleph = ended("aleph_alpha_out_of_memory", function() end)
        assert.is_true(#nanotron >= 35 and #aleph >= 35)
        -- Of all runs 97 % is the aim; these are the harder half, near the limit.
        local own, generic = right_shares(nanotron, false)
        assert.is_true(own >= 0.94 and generic >= 0.90, own .. " " .. generic)
        own, generic = right_shares(aleph, false)
        assert.is_true(own >= 0.94 and generic >= 0.75, own .. " " .. generic)
    end)

    it("knows runs that fitted", function()
        for _, name in ipairs{"nanotron_groups", "aleph_alpha_layouts_a100"} do
            local own = right_shares(ended(name, function() end), true)
            assert.is_true(own >= 0.94, name .. " " .. own)
        end
    end)
end)

describe("ranking", function()
    it("has the plan measured best among the three predicted best", function()
        local report = dtsim.validate.run{MEASURED .. "nanotron_groups.csv"}
        assert.equal(2, report.ranking.healthy.groups)
        assert.equal(2, report.ranking.healthy.top_three)
        assert.matches("best plan among the three predicted best: 2 of 2 groups",
            dtsim.validate.text(report), 1, true)
    end)
end)
