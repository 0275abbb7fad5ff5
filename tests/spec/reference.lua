-- reference.lua: the figures in tests/reference, and the same questions put to dtsim.
--
-- The figures were computed with the program of the authors of arXiv 2411.01137. Years there have
-- 3.154e7 s and months are twelfths of them.

local dtsim = require "dtsim"

local reference = {}

reference.YEAR = 3.154e7 -- s
reference.TOLERANCE = 1e-9 -- relative

local function read(name)
    local file = assert(io.open("tests/reference/" .. name, "rb"))
    local text = file:read("a")
    file:close()
    return text
end

-- The records of NAME.jsonl, in order.
function reference.records(name)
    local records = {}
    for line in read(name .. ".jsonl"):gmatch("[^\n]+") do
        records[#records + 1] = dtsim.json.decode(line)
    end
    return records
end

-- The names of the sweeps, without "sweep_" and ".json".
reference.sweeps = {
    "a100_dense", "a100_sparse", "gtx580_dense", "gtx580_dense_dp_overlap", "h100_deepseek",
    "h100_dense", "h100_global_nvlink_dense", "h100_global_nvlink_ll_dense",
    "h100_infinite_ll_dense", "h100_low_latency_dense", "h100_no_zb_dense", "h100_nobatchscaling",
    "h100_sparse", "h100_superpod_dense", "v100_dense",
}

-- The settings and points of a sweep.
function reference.sweep(name) return dtsim.json.decode(read("sweep_" .. name .. ".json")) end

-- The optimizer that a record asks, with the paper's search.
function reference.optimizer(record)
    local system = dtsim.systems[record.gpu]
    local overlap = record.overlap
    return dtsim.optimizer{
        gpu = system.gpu, network = system.network, search = "paper",
        overlap = {tp = overlap.tp == 1, pp = overlap.pp == 1, dp = overlap.dp == 1},
        schedules = record.zero_bubble == false and record.points and {"interleaved"}
            or {"interleaved", "zero_bubble"},
    }
end

local LAWS = {
    ["dense default"] = dtsim.laws.paper_dense,
    ["scaled default"] = dtsim.laws.paper_sparse,
    ["dense deepseek"] = dtsim.laws.deepseek_batch,
    ["dense none"] = dtsim.laws.constant_batch,
}

-- What opt:sweep takes to answer a reference sweep.
function reference.sweep_options(sweep)
    return {
        d_model = sweep.d_model_list, duration = sweep.years * reference.YEAR,
        seq_len = sweep.seq_len, stop_utilization = sweep.stop_utilization,
        laws = assert(LAWS[sweep.sparsity_law .. " " .. sweep.batch_law]),
    }
end

-- The model of a record.
function reference.model(record)
    return dtsim.model{
        d_model = record.d_model, d_ff = record.d_ff, layers = record.layers,
        sparsity = record.sparsity, seq_len = record.seq_len, batch = record.batch_seqs,
    }
end

local KINDS = {"dp", "tp_model", "tp_ff", "pp", "ep"}

-- A plan as optimizers take it. levels: degrees' parts by kind. schedule: microbatches,
-- interleave and so on.
function reference.plan(levels, schedule)
    local plan = {microbatches = schedule.microbatches, interleave = schedule.interleave,
                  zero_bubble = schedule.zero_bubble, recompute = schedule.recompute, levels = {}}
    for _, kind in ipairs(KINDS) do
        local degree = 1
        for _, part in ipairs(levels[kind]) do degree = degree * part end
        plan[kind], plan.levels[kind] = degree, levels[kind]
    end
    return plan
end

-- Whether two numbers are the same to TOLERANCE.
function reference.same(expected, got)
    return type(got) == "number" and (expected == got
        or math.abs(got - expected) <= reference.TOLERANCE * math.abs(expected))
end

-- Collects differences, so that a test tells all of them at once.
function reference.checker()
    local checker = {count = 0, wrong = {}}
    -- what, ...: a format and its values that say which figure it is
    function checker.same(expected, got, what, ...)
        checker.count = checker.count + 1
        if not reference.same(expected, got) then
            checker.wrong[#checker.wrong + 1] = ("%s: %.17g is due, got %s"):format(
                what:format(...), expected, got and ("%.17g"):format(got) or "nothing")
        end
    end
    function checker.finish(least)
        assert(checker.count >= least, ("only %d figures were compared"):format(checker.count))
        if #checker.wrong > 0 then
            error(("%d of %d figures differ:\n%s"):format(#checker.wrong, checker.count,
                table.concat(checker.wrong, "\n", 1, math.min(#checker.wrong, 10))), 2)
        end
    end
    return checker
end

return reference
