-- vision: measured rows of convolutional networks, by dtsim.vision's lists of layers:
-- data-parallel, gradients reduced under backward.
--
-- A pass of a convolution is the larger of its matmul at the GPU's sustained rate and its traffic;
-- a norm with its activation reads and writes the layer's output three times forward (statistics,
-- read, write) and five times backward. No constant was fitted on networks of this kind: they are
-- those of transformers (share of peak, half-rate inner dimension, share of memory bandwidth).
-- Leaves out: pooling, the input's way from the disk, tests between epochs.

local core = require "dtsim.core"
local layers_of = require "dtsim.layers"
local networks = require "dtsim.catalog.vision"
local values = require "dtsim.measured.values"

local number, take = values.number, values.take

local vision = {}

local known = {{"resnet%-?_? ?50", "resnet50"}, {"alexnet", "alexnet"}}

-- Networks that are neither transformers nor in the catalog.
local unknown = {"resnet", "vgg", "inception", "googlenet", "mobilenet", "densenet", "efficientnet",
    "%f[%a]ssd%f[%A]", "retinanet", "mask r%-?cnn", "maskrcnn", "u%-?net", "dlrm", "rnn%-?t",
    "stable diffusion", "diffusion", "gnmt", "minigo", "%f[%a]lstm", "%f[%a]gnn%f[%A]", "r%-gat",
    "swin"}

-- Of a row's model: id of a network in the catalog; nil, true for one that is not predicted.
function vision.find(name)
    local text = (name or ""):lower()
    for _, pair in ipairs(known) do
        if text:find(pair[1]) then return pair[2] end
    end
    for _, pattern in ipairs(unknown) do
        if text:find(pattern) then return nil, true end
    end
end

-- Completes a case of a row of the network `id` on a dtsim.machine. nil, what is missing.
function vision.case(row, id, machine, case)
    local gpus, batch = number(row.n_gpu), number(row.global_batch_seqs)
    if not batch then
        local micro = number(row.micro_batch_seqs)
        if not micro then return nil, "missing: global_batch_seqs" end
        batch = take(case, "global_batch_seqs", micro * gpus, "microbatch times GPUs")
    end
    local split = number(row.tp) or 1
    if gpus % split ~= 0 then return nil, "tp does not divide the GPUs" end
    case.network, case.machine = id, machine
    case.layers = layers_of(networks[id])
    case.per_rank, case.split = batch / (gpus / split), split
    case.gpus, case.batch = gpus, batch
    case.norms = networks[id].norm_params ~= nil
    case.single = (row.precision or ""):lower():find("^fp32") ~= nil
    if not row.precision or row.precision == "" then
        take(case, "precision", "16 bits", "guess")
    end
    take(case, "norms", case.norms and 8 or 0, "passes through memory per output, counted")
    take(case, "dp overlap", true, "guess: gradients are reduced under backward")
    case.framework = "convolutions"
    return case
end

local SHARE = {volta = "e_v100", ampere = "e_a100", hopper = "e_h100", blackwell = "e_b200",
               other = "e_other"}

-- The constants of a prediction: calibration over the built-in ones, or the ideal ones; noted.
local function constants_of(calibration)
    local ideal = calibration and calibration.first_principles
    local all, used = {}, {}
    for _, row in ipairs(core.train.constants()) do
        all[row.name] = {name = row.name, origin = row.origin,
            value = calibration and calibration[row.name] or ideal and row.ideal or row.value}
    end
    return function(name)
        if not used[name] then
            used[name] = true
            used[#used + 1] = all[name]
        end
        return all[name].value
    end, used
end

-- Seconds of forward and backward on one rank: arithmetic and traffic as above.
local function passes_of(case, constant)
    local machine = case.machine
    local slow = case.single and machine.family ~= "other" and 16 or 1
    local word = case.single and 4 or 2
    local peak = machine.peak * machine.clock_fraction * constant(SHARE[machine.family]) / slow
    local bandwidth = machine.memory_bandwidth * constant "memory"
    local k0, gap = constant "k0", constant "kernel"
    local forward, backward, first, before = 0, 0, true, nil
    for _, layer in ipairs(case.layers.list) do
        local rows, inner = case.per_rank * layer.rows, layer.inner
        local columns = layer.columns * layer.groups / case.split
        local flop = 2 * rows * inner * columns
        local outputs = word * case.per_rank * layer.outputs / case.split
        before = before or outputs
        local traffic = (before + outputs) / bandwidth
        local function pass(depth)
            return math.max(flop * (depth + k0) / depth / peak, traffic) + gap
        end
        forward = forward + pass(inner)
        backward = backward + pass(rows) + (first and 0 or pass(layer.columns))
        if case.norms then
            forward = forward + 3 * outputs / bandwidth + gap
            backward = backward + 5 * outputs / bandwidth + gap
        end
        first, before = false, outputs
    end
    return forward, backward, word
end

-- The prediction of a case: { step_time (s), breakdown, constants, memory.verdict }.
function vision.predict(case, calibration)
    local constant, used = constants_of(calibration)
    local forward, backward, word = passes_of(case, constant)
    local ranks, reduce = case.gpus / case.split, 0
    if ranks > 1 then
        reduce = core.train.collective(case.machine, {operation = "all_reduce", ranks = ranks,
            bytes = word * case.layers.params / case.split, inner = case.split, calls = 4},
            calibration).time
    end
    local exposed = math.max(constant "x_dp" * reduce, reduce - (1 - constant "x_dp") * backward)
    return {step_time = forward + backward + exposed, constants = used,
            breakdown = {compute = forward + backward, dp = exposed},
            memory = {verdict = "not told"}}
end

return vision
