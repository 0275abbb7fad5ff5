-- Real transformers on real clusters: workloads, plans, predictions, searches, validation.
-- Right values: published parameter counts, measured runs in tests/reference/measured (its README).
local json = require "dtsim.json"
local read_csv = require "dtsim.format.read_csv"

local MEASURED = "tests/reference/measured/"
local SOURCES = {"simumax_b200", "mosaicml_mpt_a100_40gb", "mosaicml_mpt_a100_80gb",
    "mosaicml_mpt_h100_bf16", "megatron_korthikanti2022", "megatron_narayanan2021_table1",
    "aleph_alpha_layouts_a100", "nanotron_hf_sweep_h100", "nvidia_dgxc_benchmarking",
    "ibm_pytorch_fsdp_llama2"}

local function files()
    local paths = {}
    for i, name in ipairs(SOURCES) do paths[i] = MEASURED .. name .. ".csv" end
    return paths
end

local function close(expected, value, relative)
    assert.is_true(math.abs(value - expected) <= relative * math.abs(expected),
        ("%.6g is not %.6g"):format(value, expected))
end

local function message_of(...)
    local fine, message = pcall(...)
    assert.is_false(fine)
    return message
end

local nemo = dtsim.trainer{machine = dtsim.machines.h100, framework = "nemo"}

describe("the catalog of models", function()
    local entries = require "dtsim.catalog.models"
    for _, id in ipairs(entries.order) do
        it(id .. " has its published parameters", function()
            -- Sources round to two or three digits.
            close(entries[id].published, dtsim.models[id].params, 0.03)
            assert.is_string(entries[id].source)
            if entries[id].published_active then
                close(entries[id].published_active, dtsim.models[id].active_params, 0.03)
            end
        end)
    end

    it("counts exactly", function()
        assert.equal(6738415616, dtsim.models.llama2_7b.params)
        assert.equal(8030261248, dtsim.models.llama3_8b.params)
        assert.equal(46702792704, dtsim.models.mixtral_8x7b.params)
        assert.equal(176247271424, dtsim.models.bloom_176b.params)
    end)

    it("suggests names", function()
        assert.matches("did you mean 'llama2_7b'",
            message_of(function() return dtsim.models.lama2_7b end), 1, true)
    end)
end)

describe("the catalog of machines", function()
    local entries = require "dtsim.catalog.machines"
    it("has a source for every rate", function()
        for _, id in ipairs(entries.order) do
            for _, field in ipairs{"peak", "sms", "memory", "memory_bandwidth",
                "domain_bandwidth"} do
                assert.is_string(entries[id].sources[field], id .. "." .. field)
            end
            assert.equal("machine", require "dtsim.core".type(dtsim.machines[id]))
        end
    end)
end)

describe("a prediction", function()
    it("lists constants with their origin", function()
        local r = nemo:evaluate(dtsim.models.llama3_8b, {gpus = 8, tp = 2, batch = 64})
        assert.is_true(#r.constants > 10)
        for _, c in ipairs(r.constants) do
            assert.is_true(c.origin == "measured" or c.origin == "fitted" or c.origin == "guessed")
        end
        local named = {}
        for _, default in ipairs(r.defaults) do named[default.field] = default.origin end
        assert.equal("habit of the framework", named.zero)
        assert.equal("default", named.pp)
        assert.is_nil(named.tp)
        local sum = 0
        for _, seconds in pairs(r.breakdown) do sum = sum + seconds end
        close(r.step_time, sum, 1e-9)
    end)

    it("refuses illegal plans with the reason", function()
        assert.matches("tp must divide heads = 32, got 3", message_of(nemo.evaluate, nemo,
            dtsim.models.llama3_8b, {gpus = 12, tp = 3, batch = 64}), 1, true)
        assert.matches("batch must be a multiple of microbatch times dp = 8, got 12",
            message_of(nemo.evaluate, nemo, dtsim.models.llama3_8b, {gpus = 8, batch = 12}), 1,
            true)
        assert.matches("train_plan has no field 'ttp'; did you mean 'tp'?",
            message_of(dtsim.train_plan, {ttp = 2}), 1, true)
        assert.matches("recompute must be",
            message_of(dtsim.train_plan, {recompute = "some"}), 1, true)
    end)

    it("says what is too big and what would fit", function()
        local r = nemo:evaluate(dtsim.models.llama3_70b, {gpus = 64, tp = 8, batch = 64})
        assert.equal("out of memory", r.memory.verdict)
        local remedies = r:remedies()
        assert.is_true(#remedies > 0)
        for _, remedy in ipairs(remedies) do
            assert.equal("fits", remedy.result.memory.verdict)
        end
    end)

    -- Whole nodes of eight H100 drew 856 to 895 W per GPU in MLPerf training 4.0.
    it("draws what nodes were measured to draw", function()
        local r = nemo:evaluate(dtsim.models.llama2_70b, {gpus = 8, tp = 4, cp = 2, batch = 8})
        close(875, r.power.node_per_gpu, 0.05)
    end)

    it("is a run with duration, energy and cost", function()
        local r = nemo:evaluate(dtsim.models.llama3_8b, {gpus = 64, tp = 2, batch = 128})
        local run = r:run("1 T")
        close(1e12 / r.tokens_per_s, run.duration, 1e-9)
        close(run.duration * r.power.total, run.energy, 1e-9)
        close(run.gpu_hours * 2.5, run.rent, 1e-9)
    end)
end)

describe("the search", function()
    it("finds plans that fit, fastest first", function()
        local found = nemo:plans(dtsim.models.llama3_70b, {gpus = 256, batch = 512, top = 5})
        assert.equal(5, #found)
        for i = 2, 5 do assert.is_true(found[i].step_time >= found[i - 1].step_time) end
        local same = nemo:plans(dtsim.models.llama3_70b,
            {gpus = 256, batch = 512, top = 5, exhaustive = true})
        for i = 1, 5 do assert.equal(found[i].plan, same[i].plan) end
    end)

    it("says why there is none", function()
        local r, reason = nemo:plan(dtsim.models.llama3_405b, {gpus = 8, batch = 64})
        assert.is_nil(r)
        assert.matches("no legal plan fits in memory", reason)
    end)

    it("finds the smallest cluster in time", function()
        local r = nemo:cluster(dtsim.models.llama2_7b,
            {tokens = "1 T", duration = "1 month", batch = 1024})
        assert.is_true(r:run("1 T").duration <= dtsim.units.parse "1 month")
        local smaller = nemo:plan(dtsim.models.llama2_7b, {gpus = r.gpus / 2, batch = 1024})
        assert.is_true(smaller:run("1 T").duration > dtsim.units.parse "1 month")
    end)
end)

describe("the two modes", function()
    it("answer side by side", function()
        local system = dtsim.systems.h100
        local both = dtsim.compare_modes{model = dtsim.models.llama3_70b, gpus = 1024, batch = 1024,
            optimizer = dtsim.optimizer{gpu = system.gpu, network = system.network},
            trainer = nemo}
        -- The paper's GPU reaches 70 % of its peak in every matmul; real runs reach less.
        assert.is_true(both.ratio > 1 and both.ratio < 3)
        close(both.real_step_time / both.paper_step_time, both.ratio, 1e-12)
    end)
end)

describe("the timeline", function()
    it("is a chart, a trace and text", function()
        local r = nemo:evaluate(dtsim.models.llama3_8b,
            {gpus = 4, pp = 4, interleave = 2, batch = 8})
        local t = r:timeline()
        assert.equal(2 * 4 * 2 * 8, #t.events)
        local trace = json.decode(t:trace())
        assert.equal(#t.events, #trace.traceEvents)
        local ends = {} -- by stage: passes follow one another
        for _, e in ipairs(trace.traceEvents) do
            assert.equal("X", e.ph)
            assert.is_true(e.dur > 0 and e.ts + 1e-3 >= (ends[e.tid] or 0))
            ends[e.tid] = e.ts + e.dur
        end
        assert.matches("^<svg", t:svg())
        local _, lines = t:text(80):gsub("\n", "")
        assert.equal(4, lines)
        assert.is_true(t.busy > 0.5 and t.busy < 1)
    end)
end)

describe("the closed form of a step", function()
    -- The pipeline's own events are the measure: uneven stages, chunks, any microbatches.
    it("is the pipeline run event by event", function()
        local model = dtsim.models.llama3_8b:with{layers = 64}
        for _, pp in ipairs{2, 4, 8} do
            for _, interleave in ipairs{1, 2, 4} do
                for _, batch in ipairs{1, 3, 7, 8, 13, 32, 50} do
                    local r = nemo:evaluate(model,
                        {gpus = pp, pp = pp, interleave = interleave, batch = batch})
                    local b = r.breakdown
                    close(r:timeline().makespan,
                        r.step_time - b.dp - b.optimizer - b.host - b.jitter, 0.02)
                end
            end
        end
    end)
end)

describe("a plan", function()
    it("has whole numbers as integers", function()
        local plan = nemo:evaluate(dtsim.models.llama3_8b, {gpus = 8, tp = 2, batch = 64}).plan
        for _, name in ipairs{"gpus", "tp", "pp", "cp", "ep", "dp", "microbatch", "batch"} do
            assert.equal("integer", math.type(plan[name]), name)
        end
        assert.equal("integer", math.type(dtsim.models.llama3_8b.params))
    end)
end)

describe("collectives", function()
    -- Digitized to +-4 GB/s; the fit's own median was 2 %.
    it("meet the measured all-reduce curve", function()
        local errors = {}
        for _, row in ipairs(read_csv.file(MEASURED .. "nccl_allreduce_busbw.csv")) do
            local r = dtsim.collective(dtsim.machines.h100, {operation = "all_reduce",
                ranks = 8 * tonumber(row.nodes), bytes = tonumber(row.message_bytes)})
            errors[#errors + 1] = r.bus_bandwidth / (tonumber(row.busbw_GBps) * 1e9) - 1
        end
        local e = require "dtsim.measured.statistics".errors(errors)
        assert.is_true(e.median <= 0.04, e.median)
        assert.is_true(e.within_20 >= 0.9, e.within_20)
    end)
end)

describe("an algorithm", function()
    it("can be named, and an unknown one is answered with the known ones", function()
        local question = {operation = "all_reduce", ranks = 64, bytes = "1 GiB"}
        local times = {}
        for _, name in ipairs{"ring", "tree", "recursive_doubling", "hierarchical", "in_network"} do
            question.algorithm = name
            local r = dtsim.collective(dtsim.machines.h100, question)
            assert.equal(name, r.algorithm)
            times[name] = r.time
        end
        assert.is_true(times.in_network < times.ring)
        question.algorithm = "bush"
        assert.matches('must be "ring", "tree", "recursive_doubling", "hierarchical" or',
            message_of(dtsim.collective, dtsim.machines.h100, question), 1, true)
    end)
end)

describe("import_hf", function()
    -- Field names and values of released config.json files; counts of the released weights.
    local configs = {
        {"llama2_7b", {model_type = "llama", hidden_size = 4096, intermediate_size = 11008,
            max_position_embeddings = 4096, num_attention_heads = 32, num_hidden_layers = 32,
            num_key_value_heads = 32, tie_word_embeddings = false, vocab_size = 32000}},
        {"llama3_2_1b", {model_type = "llama", hidden_size = 2048, intermediate_size = 8192,
            num_attention_heads = 32, num_hidden_layers = 16, num_key_value_heads = 8,
            head_dim = 64, vocab_size = 128256, tie_word_embeddings = true}},
        {"mixtral_8x7b", {model_type = "mixtral", hidden_size = 4096, intermediate_size = 14336,
            max_position_embeddings = 32768, num_attention_heads = 32, num_experts_per_tok = 2,
            num_hidden_layers = 32, num_key_value_heads = 8, num_local_experts = 8,
            tie_word_embeddings = false, vocab_size = 32000}},
        {"deepseek_v3", {model_type = "deepseek_v3", first_k_dense_replace = 3,
            hidden_size = 7168, intermediate_size = 18432, kv_lora_rank = 512,
            max_position_embeddings = 163840, moe_intermediate_size = 2048,
            n_routed_experts = 256, n_shared_experts = 1, num_attention_heads = 128,
            num_experts_per_tok = 8, num_hidden_layers = 61, num_key_value_heads = 128,
            q_lora_rank = 1536, qk_nope_head_dim = 128, qk_rope_head_dim = 64, v_head_dim = 128,
            vocab_size = 129280, tie_word_embeddings = false, num_nextn_predict_layers = 1}},
        {"falcon_7b", {model_type = "falcon", hidden_size = 4544, num_attention_heads = 71,
            num_hidden_layers = 32, multi_query = true, new_decoder_architecture = false,
            parallel_attn = true, vocab_size = 65024, bias = false}},
        {"falcon_7b", {model_type = "RefinedWebModel", hidden_size = 4544, n_head = 71,
            n_layer = 32, multi_query = true, parallel_attn = true, vocab_size = 65024}},
        {"falcon_40b", {model_type = "falcon", hidden_size = 8192, num_attention_heads = 128,
            num_hidden_layers = 60, num_kv_heads = 8, multi_query = true,
            new_decoder_architecture = true, vocab_size = 65024}},
        {"falcon_40b", {model_type = "RefinedWeb", hidden_size = 8192, n_head = 128,
            n_layer = 60, n_head_kv = 8, vocab_size = 65024}},
        {"gpt2_xl", {model_type = "gpt2", n_ctx = 1024, n_embd = 1600, n_head = 25, n_layer = 48,
            n_positions = 1024, vocab_size = 50257}},
        {"opt_30b", {model_type = "opt", hidden_size = 7168, ffn_dim = 28672,
            num_attention_heads = 56, num_hidden_layers = 48, max_position_embeddings = 2048,
            vocab_size = 50272}},
        {"bloom_176b", {model_type = "bloom", n_embed = 14336, n_layer = 70,
            num_attention_heads = 112, vocab_size = 250880, seq_length = 2048}},
        {"gpt_neox_20b", {model_type = "gpt_neox", hidden_size = 6144, intermediate_size = 24576,
            num_attention_heads = 64, num_hidden_layers = 44, vocab_size = 50432}},
        {"gpt_j_6b", {model_type = "gptj", n_embd = 4096, n_head = 16, n_layer = 28,
            n_positions = 2048, vocab_size = 50400, tie_word_embeddings = false}},
        {"qwen2_5_7b", {model_type = "qwen2", hidden_size = 3584, intermediate_size = 18944,
            num_attention_heads = 28, num_hidden_layers = 28, num_key_value_heads = 4,
            vocab_size = 152064, tie_word_embeddings = false}},
        {"qwen3_30b", {model_type = "qwen3_moe", hidden_size = 2048, head_dim = 128,
            intermediate_size = 6144, moe_intermediate_size = 768, num_attention_heads = 32,
            num_experts = 128, num_experts_per_tok = 8, num_hidden_layers = 48,
            num_key_value_heads = 4, vocab_size = 151936, tie_word_embeddings = false}},
        {"gemma_7b", {model_type = "gemma", head_dim = 256, hidden_size = 3072,
            intermediate_size = 24576, num_attention_heads = 16, num_hidden_layers = 28,
            num_key_value_heads = 16, vocab_size = 256000}},
    }
    for _, pair in ipairs(configs) do
        it("reads a " .. pair[2].model_type .. ": " .. pair[1], function()
            assert.equal(dtsim.models[pair[1]].params, dtsim.import_hf(pair[2]).params)
            assert.equal(dtsim.models[pair[1]].active_params,
                dtsim.import_hf(pair[2]).active_params)
        end)
    end

    it("counts MPT 7B, whose positions are biases of attention", function()
        assert.equal(6649286656, dtsim.import_hf{model_type = "mpt", d_model = 4096, n_heads = 32,
            n_layers = 32, expansion_ratio = 4, max_seq_len = 2048, vocab_size = 50432,
            attn_config = {alibi = true}}.params)
    end)

    it("refuses families that it does not know", function()
        assert.matches("known ones: RefinedWeb",
            message_of(dtsim.import_hf, {model_type = "mamba"}), 1, true)
    end)
end)

describe("layers", function()
    it("count AlexNet and ResNet-50", function()
        assert.equal(60965224, dtsim.layers(dtsim.vision.alexnet).params)
        assert.equal(25557032, dtsim.layers(dtsim.vision.resnet50).params
            + dtsim.vision.resnet50.norm_params)
        -- 0.72 and 4.09 billion multiply-adds an image.
        close(1.43e9, dtsim.layers(dtsim.vision.alexnet).flop, 0.02)
        close(8.18e9, dtsim.layers(dtsim.vision.resnet50).flop, 0.01)
    end)
end)

describe("validation", function()
    local report = dtsim.validate.run(files())

    it("predicts measured steps", function()
        assert.is_true(report.pooled.median <= 0.06, report.pooled.median)
        assert.is_true(report.pooled.within_10 >= 0.70, report.pooled.within_10)
        assert.is_true(report.pooled.within_20 >= 0.85, report.pooled.within_20)
        assert.is_true(report.pooled.rank_correlation > 0.97)
        -- First principles alone are far off, and always too fast.
        assert.is_true(report.pooled.ideal_median > 0.3)
    end)

    it("is text, JSON and a plot", function()
        local text = dtsim.validate.text(report)
        for _, name in ipairs(SOURCES) do assert.matches(name, text, 1, true) end
        local plain = json.decode(json.encode(dtsim.validate.plain(report)))
        assert.equal(#SOURCES, #plain.groups)
        assert.is_true(#plain.groups[1].rows[1].defaults > 0)
        assert.matches("^<svg", dtsim.validate.scatter(report))
    end)

    it("fits on named sources alone", function()
        local fitted = dtsim.validate.run(files(),
            {fit = {"mosaicml_mpt_a100_40gb", "mosaicml_mpt_a100_80gb"}})
        assert.is_true(fitted.groups[2].summary.median < 0.06)
        assert.is_table(fitted.calibration)
    end)

    it("lists rows that say too little", function()
        local row_of = require "dtsim.measured.row"
        local case, reason = row_of.case{id = "x", model = "unheard-of", gpu = "H100", n_gpu = "8"}
        assert.is_nil(case)
        assert.matches("missing: d_model, layers, n_heads", reason, 1, true)
        case, reason = row_of.case{model = "Llama 2 7B", gpu = "abacus", n_gpu = "8"}
        assert.is_nil(case)
        assert.matches("unknown GPU: abacus", reason, 1, true)
    end)

    it("predicts a row with model, GPU, count and batch alone", function()
        local row_of = require "dtsim.measured.row"
        local case = row_of.case({id = "y", model = "Llama 2 7B", gpu = "A100", n_gpu = "64",
            global_batch_seqs = "256", zero_stage_or_fsdp = "FSDP"}, {need_time = false})
        assert.equal(32, case.model.layers)
        assert.is_true(#case.defaults >= 5)
        for _, default in ipairs(case.defaults) do assert.is_string(default.origin) end
    end)
end)
