-- row: one measured row of a CSV file as a question to the model: workload, plan, software,
-- machine, and every default that it took, with where that comes from.

local core = require "dtsim.core"
local guess = require "dtsim.measured.guess"
local read_machine = require "dtsim.measured.cluster"
local read_model = require "dtsim.measured.workload"
local values = require "dtsim.measured.values"
local vision = require "dtsim.measured.vision"

local number, copy, take = values.number, values.copy, values.take

local row_of = {}

-- ---- software ----

local function read_attention(text, software, case)
    local flash = "flash[_ ]?%-?att[a-z]*[ _v]*"
    if text:find("attention/norm kernels: torch") then software.attention = "eager"
    elseif text:find("attention/norm kernels: fused") then software.attention = "fused"
    elseif text:find(flash .. "3") or text:find("cudnn") then software.attention = "flash3"
    elseif text:find(flash .. "2") then software.attention = "flash2"
    elseif text:find(flash .. "1") then software.attention = "flash1"
    elseif text:find("no flash") or text:find("without flash") then
        software.attention = case.framework == "megatron_2021" and "fused" or "eager"
    elseif text:find("flash") and (software.attention == "fused" or software.attention == "eager")
    then software.attention = "flash1"
    else
        take(case, "attention", software.attention, "habit of " .. software.name)
    end
end

local function read_software(row, case)
    local id, origin, year = guess.framework(row, case.machine_id)
    local software = copy(guess.frameworks[id])
    take(case, "framework", id, origin)
    local text = ((row.notes or "") .. " " .. (row.table_or_section or "") .. " "
        .. (row.source or "")):lower()
    if (id == "megatron" or id == "nemo") and year == 2023 then software.attention = "flash2" end
    case.framework = id
    read_attention(text, software, case)
    local release = tonumber((row.source or ""):match("release (2[45]%.%d%d)"))
    if (release and release < 25.04) or (not release and year and year < 2025) then
        software.grouped_experts = false
    end
    if text:find("rms kernel") then software.kernels, software.norm_bytes = "native", 0 end
    if text:find("torch.compile") and not text:find("no compile") and software.host_eager then
        software.kernels, software.host_eager = "compiled", false
    end
    if text:find("cross%-entropy fusion on") or text:find("fused cross") then
        software.fused_loss = true
    end
    if text:find("no dp overlap") then software.dp_overlap = false end
    if text:find("without overlap") then software.tp_overlap = "exposed" end
    local plan = software.plan or {}
    software.plan, software.name = nil, nil
    return core.software(software), plan
end

-- ---- plan ----

-- The stage that a text of sharding tells, 0 to 3; nil where it tells none. Second: whether weights
-- are freed after forward.
local function sharding_of(text)
    local stage = text:match("zero[%- _]?(%d)") or text:match("stage[%- _]?(%d)")
        or text:match("^%s*(%d)%s*$")
    if stage then return math.min(3, tonumber(stage)), true end
    if text:find("shard_grad") or text:find("grad_op") then return 3, false end
    if text:find("fsdp") or text:find("hsdp") or text:find("full_?%-?shard") then return 3, true end
    if text:find("infinity") or text:find("zero%+%+") then return 3, true end
    if text:find("zero%-?offload") then return 2, true end
    if text:find("distributed.?opt") then return 1, true end
end

local function read_sharding(row, habits, plan, case)
    local text = (row.zero_stage_or_fsdp or ""):lower()
    local stage, reshard = sharding_of(text)
    if text == "" then
        plan.zero = take(case, "zero", habits.zero or 0, "habit of " .. case.framework)
    else
        plan.zero = stage or 0
        plan.reshard = reshard
    end
    local notes = (row.notes or ""):lower()
    local told = notes:match("([^;,.]*cpu.?offload[^;,.]*)") or ""
    local denied = told:find("false") or told:find("%f[%a]no%f[%A]") or told:find("off$")
        or told:find("none") or told:find("act")
    plan.offload = text:find("offload") ~= nil or text:find("infinity") ~= nil
        or told ~= "" and not denied
    local group = tonumber(text:match("shard group (%d+)"))
    if text:find("hsdp") or text:find("hybrid") then group = group or plan.node end
    if group and plan.zero == 3 then plan.shard_group = group end
    if plan.zero == 3 and (plan.pp or 1) > 1 then
        plan.zero = take(case, "zero", 1, "weights are kept between stages' microbatches")
    end
end

local function read_recompute(row, habits, plan, case)
    local text = (row.recompute or ""):lower()
    local mfu, hfu = number(row.mfu), number(row.hfu)
    if text == "" then
        plan.recompute = take(case, "recompute", habits.recompute or "none",
            "habit of " .. case.framework)
    elseif text:find("^none") or text == "no" or text == "off" then
        plan.recompute = "none"
    elseif text:find("n%-th") or (text:find("selective") and mfu and hfu and hfu > mfu * 1.02
        and not text:find("attention")) then
        local share = mfu and hfu and 3 * (hfu / mfu - 1) or 0.5
        plan.recompute, plan.recompute_frac = "full", math.max(0, math.min(1, share))
        take(case, "recompute_frac", plan.recompute_frac,
            hfu and "3 (HFU / MFU - 1)" or "guess: every second layer")
    elseif text:find("op") and not text:find("option") then
        plan.recompute = "per_op"
    elseif text:find("selective") then
        plan.recompute = "selective"
    else
        plan.recompute = "full"
        if text:find("every 2") or text:find("half") then plan.recompute_frac = 0.5 end
    end
end

-- GPUs of a row: its column, or the product of its degrees.
local function gpus_of(row)
    local product = number(row.dp) and number(row.dp) * (number(row.tp) or 1)
        * (number(row.pp) or 1) * (number(row.cp) or 1)
    return number(row.n_gpu) or product
end

local function read_degrees(row, model, plan, case)
    local n = gpus_of(row)
    if n % 1 ~= 0 then return nil, "n_gpu must be a whole number, got " .. row.n_gpu end
    plan.gpus = n
    for _, key in ipairs{"tp", "pp", "cp", "ep"} do plan[key] = number(row[key]) or 1 end
    if model.experts == 0 then plan.ep = 1 end
    -- Fewer sequences than ranks, and no degrees given: some ranks must share a sequence.
    local batch = number(row.global_batch_seqs)
    if batch and not (number(row.tp) or number(row.cp)) and batch < n / plan.pp then
        local share = n / plan.pp / batch
        while plan.tp * 2 <= math.min(share, plan.node) and model.heads % (plan.tp * 2) == 0 do
            plan.tp = plan.tp * 2
        end
        take(case, "tp", plan.tp, "guess: fewer sequences than GPUs")
        if share > plan.tp and n % (plan.tp * plan.pp * 2) == 0 then
            plan.cp = take(case, "cp", math.ceil(share / plan.tp), "guess: as tp")
        end
    end
    local ways = plan.tp * plan.pp * plan.cp
    if n % ways ~= 0 then return nil, "tp pp cp does not divide n_gpu" end
    local given = number(row.dp)
    plan.dp = n / ways
    if given and given ~= plan.dp then
        take(case, "dp", plan.dp, ("GPUs / (tp pp cp); the row says %g"):format(given))
    end
    local notes = (row.notes or ""):lower()
    plan.expert_tp = tonumber(notes:match("expert tp=(%d+)"))
    if plan.ep > 1 and not plan.expert_tp and (plan.dp * plan.cp) % plan.ep ~= 0 then
        plan.expert_tp = 1
    end
    if plan.ep > 1 and (plan.dp * plan.cp * plan.tp) % (plan.ep * (plan.expert_tp or plan.tp)) ~= 0
    then
        plan.ep = take(case, "ep", 1, "the row's does not divide dp cp tp")
        plan.expert_tp = nil
    end
    plan.interleave = number(row.interleave)
    if plan.pp == 1 then
        plan.interleave = 1
    elseif not plan.interleave then
        local modern = case.framework == "nemo" or case.framework == "megatron"
        local layers = model.layers
        if layers % plan.pp ~= 0 and (layers + 2) % plan.pp == 0 then layers = layers + 2 end
        plan.interleave = take(case, "interleave", modern and math.floor(layers / plan.pp) or 1,
            "habit of " .. case.framework .. (modern and ": as many as layers" or ""))
    end
    local ends = model.layers % plan.pp ~= 0 and (model.layers + 2) % plan.pp == 0 and 2 or 0
    if plan.interleave > 1 and plan.pp * plan.interleave > model.layers + ends then
        plan.interleave = math.max(1, math.floor((model.layers + ends) / plan.pp))
    end
    return true
end

-- Microbatches that a row's notes tell, or nil.
local function accumulation_of(notes)
    for _, pattern in ipairs{"GA ?= ?(%d+)", "mbc=(%d+)",
        "[Gg]rad[a-z]*[_ ]accum[%a_ ]*[=: ]+(%d+)", "[Aa]ccumulation[%a_ ]*[=: ]+(%d+)"} do
        local steps = tonumber(notes:match(pattern))
        if steps and steps > 0 then return steps end
    end
end

-- Tokens of a step that a row's notes tell, as "batch size of 4M tokens", or nil.
local function tokens_of(notes)
    local count, unit = notes:lower():match("batch[%a_ =:]*([%d][%d.,]*) ?([mk]?) ?tok")
    local tokens = count and tonumber((count:gsub(",", "")))
    return tokens and tokens * (unit == "m" and 1e6 or unit == "k" and 1e3 or 1)
end

-- Sequences of a step: the column (sequences; tokens, where it is far too large), or the notes.
local function batch_of(row, seq_len, plan, steps, case)
    local batch = number(row.global_batch_seqs)
    if batch and batch >= 2 ^ 18 and batch >= 32 * seq_len then
        return take(case, "global_batch_seqs", math.max(1, math.floor(batch / seq_len + 0.5)),
            "the row's is in tokens")
    end
    if batch then return batch end
    local tokens = tokens_of(row.notes or "")
    if tokens then
        return take(case, "global_batch_seqs", math.max(1, math.floor(tokens / seq_len + 0.5)),
            "tokens of the notes")
    end
    local micro = number(row.micro_batch_seqs)
    if not micro then return nil, "missing: global_batch_seqs" end
    return take(case, "global_batch_seqs", micro * plan.dp * (steps or 1),
        "microbatch times dp times accumulation")
end

local function read_batch(row, seq_len, plan, case)
    local steps = accumulation_of(row.notes or "")
    plan.microbatch = number(row.micro_batch_seqs)
    local batch, reason = batch_of(row, seq_len, plan, steps, case)
    if not batch then return nil, reason end
    plan.batch = batch
    if plan.batch % plan.dp ~= 0 then
        plan.batch = take(case, "global_batch_seqs", plan.dp * math.ceil(plan.batch / plan.dp),
            "rounded up to a multiple of dp: the fullest rank sets the pace")
    end
    local per_rank = plan.batch / plan.dp
    if steps and per_rank % steps ~= 0 then steps = nil end
    if not plan.microbatch then
        plan.microbatch = take(case, "micro_batch_seqs",
            steps and per_rank / steps or math.min(1, per_rank),
            steps and "accumulation" or "the fastest that fits")
        case.choose_microbatch = not steps
    end
    if plan.microbatch > per_rank then
        plan.microbatch = take(case, "micro_batch_seqs", per_rank, "batch per rank")
    end
    if per_rank % plan.microbatch ~= 0 then
        local count = math.max(1, math.floor(per_rank / plan.microbatch + 0.5))
        plan.microbatch = take(case, "micro_batch_seqs", per_rank / count,
            "made to divide the batch")
    end
    return true
end

local function read_precision(row, habits, plan, case)
    local text = (row.precision or ""):lower()
    local contest = ((row.source or "") .. (row.table_or_section or "")):find("training_results")
    if text == "" and contest and guess.machines[case.machine_id].peak_fp8 then
        text = take(case, "precision", "fp8", "habit of MLPerf entries")
    end
    if text:find("fp8") or text:find("float8") or text:find("fp4") then
        plan.compute = "fp8"
    elseif text:find("tf32") then
        plan.compute = "tf32"
    elseif text:find("^fp32") then
        plan.compute = "fp32"
    end
    plan.reduce_bytes = habits.reduce_bytes
    plan.gather_bytes = habits.gather_bytes
    plan.gradient_bytes = habits.gradient_bytes
    if text:find("pure") then plan.reduce_bytes = 2 end
end

local function read_plan(row, model, habits, node, case)
    local plan = {node = node}
    local ok, reason = read_degrees(row, model, plan, case)
    if not ok then return nil, reason end
    ok, reason = read_batch(row, model.seq_len, plan, case)
    if not ok then return nil, reason end
    read_sharding(row, habits, plan, case)
    read_recompute(row, habits, plan, case)
    read_precision(row, habits, plan, case)
    local sequence = (row.sequence_parallel or ""):lower()
    if sequence == "" then
        plan.sequence_parallel = habits.sequence_parallel and plan.tp > 1
            and model.seq_len % (plan.tp * plan.cp) == 0 or false
        if plan.tp > 1 then
            take(case, "sequence_parallel", plan.sequence_parallel, "habit of " .. case.framework)
        end
    else
        plan.sequence_parallel = (sequence:find("yes") or sequence:find("true")
            or sequence:find("^1") or sequence:find("^on")) and plan.tp > 1
            or false
    end
    plan.split = habits.split
    if not plan.split and model.layers % plan.pp ~= 0 and (model.layers + 2) % plan.pp == 0 then
        plan.split = "ends"
    end
    local notes = (row.notes or ""):lower()
    plan.context_all_to_all = notes:find("all%-to%-all") ~= nil
    plan.frozen = (notes .. (row.model or ""):lower()):find("lora") ~= nil
    plan.node = nil
    return core.train_plan(plan)
end

-- ---- the whole row ----

-- Seconds of a step that a row gives, directly or by its throughput.
local function measured_time(row, case)
    local step = number(row.step_time_s)
    if step then return step end
    local rate, n = number(row.tokens_per_s_per_gpu), gpus_of(row)
    if not rate or not n then return nil end
    return case.batch * case.model.seq_len / (rate * n)
end

local function base_domain(machine) return machine.domain or 8 end

-- The fastest microbatch that fits, where the row gives none: what those who ran it looked for.
local function choose_microbatch(case)
    local best, best_time = case.plan, nil
    local size = 1
    while size <= case.plan.batch / case.plan.dp do
        if (case.plan.batch / case.plan.dp) % size == 0 then
            local plan = case.plan:with{microbatch = size}
            local result = core.train.predict(case.model, plan, case.software, case.machine)
            local fits = result.memory.verdict == "fits"
            if fits and (not best_time or result.step_time < best_time) then
                best, best_time = plan, result.step_time
            end
        end
        size = size * 2
    end
    for _, default in ipairs(case.defaults) do
        if default.field == "micro_batch_seqs" then default.value = best.microbatch end
    end
    return best
end

-- Why a row's error says nothing of the model, or nil.
local function aside_of(row, case)
    local notes = (row.notes or ""):lower()
    local text = notes .. (row.model or ""):lower()
    if notes:find("gpu%-hours") or notes:find("accelerator%-hours") or notes:find("whole run") then
        return "average of a whole run, restarts and tests inside"
    end
    if text:find("lora") then return "LoRA" end
    if case.machine_id:find("^tpu") then return "TPU" end
    if case.machine.family == "volta" then return "V100: published figures spread by 40 %" end
    if case.plan and case.plan.offload then return "states in the host's memory" end
end

-- The case of a row of a convolutional network.
local function network_case(row, network, case)
    local machine, reason = read_machine(row, case)
    if not machine then return nil, reason end
    case, reason = vision.case(row, network, core.machine(machine), case)
    if not case then return nil, reason end
    case.aside = "convolutions, by dtsim.layers"
    case.measured = number(row.step_time_s)
    return case
end

-- A GPU that is not known and columns without which there is no prediction, as one message; nil:
-- none is missing. shape: those of the model.
local function missing_of(row, shape, timed)
    local missing = type(shape) == "table" and shape or {}
    local function need(there, name) if not there then missing[#missing + 1] = name end end
    need(gpus_of(row), "n_gpu")
    need(row.gpu, "gpu")
    need(number(row.global_batch_seqs) or number(row.micro_batch_seqs)
        or tokens_of(row.notes or ""), "global_batch_seqs")
    need(not timed or number(row.step_time_s)
        or number(row.tokens_per_s_per_gpu) and not vision.find(row.model),
        "step_time_s")
    local reasons = {}
    if row.gpu and not guess.machine(row) then reasons[1] = "unknown GPU: " .. row.gpu end
    if #missing > 0 then reasons[#reasons + 1] = "missing: " .. table.concat(missing, ", ") end
    return reasons[1] and table.concat(reasons, "; ")
end

-- A row as a case { id, source, model, plan, software, machine, measured, defaults, aside (why it
-- is not judged) }; of a convolutional network { network, layers, ... } as vision.predict takes.
-- nil, reason where too little is given, or the row says that it is not to be used.
-- options: need_time = false takes rows without a measured time.
function row_of.case(row, options)
    local notes = row.notes or ""
    if notes:find("PATHOLOGICAL") then return nil, "marked PATHOLOGICAL" end
    if notes:find("CHECK") then return nil, "marked CHECK" end
    local timed = not (options and options.need_time == false)
    if timed and notes:find("after_pp_fix=False") and (number(row.pp) or 1) > 1 then
        return nil, "run before its source repaired its pipeline"
    end
    local case = {id = row.id, defaults = {}, row = row}
    local machine, model, plan, reason
    local network, foreign = vision.find(row.model)
    if foreign then return nil, "no transformer, and no network of the catalog" end
    if not network then
        model, reason = read_model(row, case)
        reason = missing_of(row, reason, timed)
    else
        reason = missing_of(row, nil, timed)
    end
    if reason then return nil, reason end
    if network then return network_case(row, network, case) end
    machine, reason = read_machine(row, case)
    if not machine then return nil, reason end
    case.model = model
    local software, habits = read_software(row, case)
    case.software = software
    plan, reason = read_plan(row, model, habits, machine.node, case)
    if not plan then return nil, reason end
    case.plan, case.batch = plan, plan.batch
    -- Two nodes reach some 400 GB/s when all is well, more of them about 200.
    local healthy = plan.gpus > 2 * machine.node and 180e9 or 370e9
    machine.slow_hosts = machine.allreduce ~= nil and machine.allreduce < healthy
        and not notes:find("after_pp_fix=False")
    case.machine = core.machine(machine)
    -- A run's own all-reduce rate shows a cluster whose network was ill.
    if machine.allreduce and (plan.tp > base_domain(machine)
        or (plan.gpus > 256 and machine.allreduce < healthy)) then
        case.aside = "network of the cluster was ill"
    end
    case.aside = aside_of(row, case) or case.aside
    if case.choose_microbatch then case.plan = choose_microbatch(case) end
    case.measured = measured_time(row, case)
    return case
end

return row_of
