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

local function read_sharding(row, habits, plan, case)
    local zero = (row.zero_stage_or_fsdp or ""):lower()
    local stage = tonumber(zero:match("zero[%- ]?(%d)") or zero:match("stage[%- ]?(%d)"))
    if zero == "" then
        plan.zero = take(case, "zero", habits.zero or 0, "habit of " .. case.framework)
    elseif stage then
        plan.zero = stage
    elseif zero:find("fsdp") or zero:find("hsdp") or zero:find("full_shard") then
        plan.zero = 3
        plan.reshard = not (zero:find("shard_grad") or zero:find("grad_op"))
    elseif zero:find("distributed opt") then
        plan.zero = 1
    else
        plan.zero = 0
    end
    local group = tonumber(zero:match("shard group (%d+)"))
    if zero:find("hsdp") or zero:find("hybrid") then group = group or plan.node end
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

local function read_degrees(row, model, plan, case)
    local n = number(row.n_gpu)
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
    if n % ways ~= 0 then return nil, "tp pp cp does not divide the GPUs" end
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

local function read_batch(row, plan, case)
    plan.batch = number(row.global_batch_seqs)
    local notes = row.notes or ""
    local steps = tonumber(notes:match("GA=(%d+)") or notes:match("grad_accum=(%d+)")
        or notes:match("mbc=(%d+)"))
    plan.microbatch = number(row.micro_batch_seqs)
    if not plan.batch then
        if not plan.microbatch then return nil, "missing: global_batch_seqs" end
        plan.batch = take(case, "global_batch_seqs", plan.microbatch * plan.dp * (steps or 1),
            "microbatch times dp times accumulation")
    end
    local per_rank = plan.batch / plan.dp
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
    ok, reason = read_batch(row, plan, case)
    if not ok then return nil, reason end
    read_sharding(row, habits, plan, case)
    read_recompute(row, habits, plan, case)
    read_precision(row, habits, plan, case)
    local sequence = (row.sequence_parallel or ""):lower()
    if sequence == "" then
        plan.sequence_parallel = habits.sequence_parallel and plan.tp > 1 or false
        if plan.tp > 1 then
            take(case, "sequence_parallel", plan.sequence_parallel, "habit of " .. case.framework)
        end
    else
        plan.sequence_parallel = (sequence:find("yes") or sequence:find("true")) and plan.tp > 1
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
    local rate, n = number(row.tokens_per_s_per_gpu), number(row.n_gpu)
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
local function network_case(row, network, case, timed)
    local machine, reason = read_machine(row, case)
    if not machine then return nil, reason end
    case, reason = vision.case(row, network, core.machine(machine), case)
    if not case then return nil, reason end
    case.aside = "convolutions, by dtsim.layers"
    case.measured = number(row.step_time_s)
    if not case.measured and timed then return nil, "missing: step_time_s" end
    return case
end

-- A row as a case { id, source, model, plan, software, machine, measured, defaults, aside (why it is
-- not judged) }; of a convolutional network { network, layers, ... } as vision.predict takes.
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
    if not number(row.n_gpu) then return nil, "missing: n_gpu" end
    local case = {id = row.id, defaults = {}, row = row}
    local machine, model, plan, reason
    local network, foreign = vision.find(row.model)
    if foreign then return nil, "no transformer, and no network of the catalog" end
    if network then return network_case(row, network, case, timed) end
    model, reason = read_model(row, case)
    if not model then return nil, reason end
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
    if not case.measured and timed then
        return nil, "missing: step_time_s"
    end
    return case
end

return row_of
