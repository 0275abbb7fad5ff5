-- row: one measured row of a CSV file as a question to the model: workload, plan, software,
-- machine, and every default that it took, with where that comes from.

local core = require "dtsim.core"
local guess = require "dtsim.measured.guess"

local row_of = {}

local function number(text)
    local value = tonumber(text)
    return value and value > 0 and value or nil
end

local function copy(entry, skip)
    local fields = {}
    for key, value in pairs(entry) do
        if not (skip and skip[key]) then fields[key] = value end
    end
    return fields
end

-- Notes a default: what was not given, what was taken, and where from.
local function take(case, field, value, origin)
    case.defaults[#case.defaults + 1] = {field = field, value = value, origin = origin}
    return value
end

-- ---- workload ----

local function attach_experts(row, known, fields, case)
    if known and known.experts and not fields.experts then
        for _, key in ipairs{"experts", "top_k", "shared_experts", "expert_d_ff", "dense_layers",
            "expert_interval", "head_dim", "q_lora", "kv_lora", "rope_dim", "v_head_dim",
            "norms"} do
            if known[key] then fields[key] = known[key] end
        end
        take(case, "experts", known.experts, "catalog: " .. known.name)
    end
    if known and known.head_dim and number(row.d_model) == known.d_model then
        fields.head_dim = known.head_dim
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

-- What follows from the size where the shape is not given: usual proportions.
local function guess_shape(row, fields, case)
    local size = size_of(row)
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

local function read_model(row, case)
    local known = guess.model(row.model)
    local shape, named = guess.family(row.model)
    local fields = copy(shape)
    if known then
        for _, key in ipairs{"gated", "rms_norm", "rotary", "tied", "bias", "parallel_block"} do
            fields[key] = known[key]
        end
    end
    local columns = {layers = "layers", d_model = "d_model", d_ff = "d_ff", heads = "n_heads",
        kv_heads = "n_kv_heads", vocab = "vocab", seq_len = "seq_len"}
    local missing = {}
    local same_width = known and (not number(row.d_model) or number(row.d_model) == known.d_model)
    for field, column in pairs(columns) do
        fields[field] = number(row[column])
        if not fields[field] and same_width and known[field] then
            fields[field] = take(case, field, known[field], "catalog: " .. known.name)
        end
    end
    guess_shape(row, fields, case)
    for _, field in ipairs{"d_model", "layers", "heads"} do
        if not fields[field] then missing[#missing + 1] = columns[field] end
    end
    if not fields.vocab then
        fields.vocab = take(case, "vocab", fields.gated and 32000 or 51200, "guess by family")
    end
    if not fields.seq_len then fields.seq_len = take(case, "seq_len", 2048, "guess") end
    if #missing > 0 then return nil, "missing: " .. table.concat(missing, ", ") end
    if fields.kv_heads and fields.heads % fields.kv_heads ~= 0 then fields.kv_heads = nil end
    if not named and not known then take(case, "gated", false, "guess: family not known") end
    local notes = (row.notes or ""):lower()
    if notes:find("untied") then fields.tied = false
    elseif notes:find("tied embeddings") then fields.tied = true end
    if same_width then attach_experts(row, known, fields, case) end
    fields.dense_layers = fields.dense_layers and math.min(fields.dense_layers,
        fields.layers < (known.layers or 0) and 1 or fields.dense_layers)
    if fields.expert_interval and fields.layers < fields.expert_interval then
        fields.expert_interval = nil
    end
    if row.model then fields.name = row.model:sub(1, 63) end
    return core.transformer(fields)
end

-- ---- machine ----

-- Bytes per second and GPU of the network cards that a text tells of.
local function network_rate(text, node, usual)
    text = text:lower():gsub(",", "")
    local count, rate = text:match("(%d+) ?[x×]%D-([%d.]+) ?gb/?i?t?p?s?")
    if count and tonumber(count) > 0 and tonumber(rate) >= 25 then
        return tonumber(count) * tonumber(rate) * 1e9 / 8 / node, "row"
    end
    local tera = text:match("([%d.]+) ?tb/?i?t?p?s")
    if tera then return tonumber(tera) * 1e12 / 8 / node, "row, per node" end
    local bytes = text:match("([%d.]+) ?gb/s per gpu")
    if bytes and text:find("gb/s") and not text:find("gbit") then
        return tonumber(bytes) * 1e9, "row"
    end
    local bits = text:match("([%d.]+) ?gb/?i?t?p?/?s?")
    if not bits then return nil end
    bits = tonumber(bits) * 1e9 / 8
    if text:find("per gpu") or math.abs(bits / usual - 1) < 0.01 then return bits, "row" end
    if text:find("per node") then return bits / node, "row" end
    return bits / node, "row; taken per node"
end

local function read_machine(row, case)
    local id, nearest = guess.machine(row)
    if not id then return nil, "unknown GPU: " .. tostring(row.gpu) end
    if nearest then take(case, "gpu", id, "nearest family") end
    local fields = copy(guess.machines[id], {sources = true})
    local base = core.machine(fields)
    local node = number(row.gpus_per_node)
    if not node then node = take(case, "gpus_per_node", base.node, "usual node") end
    fields.node = node
    if base.domain <= 8 then fields.domain = math.min(node, 8) end
    local usual = base.network_bandwidth
    local notes = row.notes or ""
    if row.inter_node_network then
        local rate, origin = network_rate(row.inter_node_network, node, usual)
        if rate and rate >= 0.1e9 then
            fields.network_bandwidth = rate
            if origin ~= "row" then take(case, "network_bandwidth", rate, origin) end
        else
            take(case, "network_bandwidth", usual, "usual: one card per GPU")
        end
    elseif (number(row.n_gpu) or 1) > base.domain then
        take(case, "network_bandwidth", usual, "usual: one card per GPU")
    end
    local intra = (row.intra_node_network or ""):lower()
    if intra:find("pcie") and not id:find("gtx") then
        fields.domain_bandwidth = math.min(base.domain_bandwidth, 12e9)
        take(case, "domain_bandwidth", fields.domain_bandwidth, "guess: through PCIe")
    end
    local world = tonumber(notes:match("AR world/intra ([%d.]+)/"))
    if world and number(row.n_gpu) > fields.domain then fields.allreduce = world * 1e9 end
    local watts = tonumber(((row.gpu or "") .. notes):match("(%d%d%d) ?W%f[%A]"))
    if watts and watts < 0.8 * base.power and (row.gpu or ""):find("W") then
        fields.clock_fraction = (watts / base.power) ^ 0.65
        take(case, "clock_fraction", fields.clock_fraction, "guess from the power cap")
    end
    case.machine_id = id
    return fields
end

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

-- A row as a case { id, source, model, plan, software, machine, measured, defaults }.
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
        case.suspect = "network of the cluster was ill"
    end
    if case.choose_microbatch then case.plan = choose_microbatch(case) end
    case.measured = measured_time(row, case)
    if not case.measured and timed then
        return nil, "missing: step_time_s"
    end
    return case
end

return row_of
