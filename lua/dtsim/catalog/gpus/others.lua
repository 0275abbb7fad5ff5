--- Accelerators of AMD, Google, Amazon and Intel. May use: dtsim.catalog.derive.
--
-- The model of a chip is an NVIDIA GPU's: SMs of 128 threads and four register blocks each, below
-- an L2 cache that all share. Here is what stands for them elsewhere:
--   * AMD: a compute unit is an SM, a SIMD with its vector registers a block. The cache that all
--     compute units share is the L2 on the MI250X (of both dies together) and the Infinity Cache on
--     the MI300X, whose L2 is split over eight dies.
--   * Google's TPU has no SMs: a systolic array (MXU) of 128 x 128 does 32768 FLOP a clock, and
--     counts as eight SMs of an H100's 4096. The memory on the chip, which the program manages,
--     is the L2; what the arrays and vector registers hold is not told, and taken as the H100's
--     registers.
--   * Amazon's Trainium 2 and Intel's Gaudi 3 are taken in the same way: SMs of 4096 FLOP a clock
--     at the clock that gives the peak, the memory on the chip as the L2.

local derive = require "dtsim.catalog.derive"

local CDNA_2 = "AMD, CDNA 2 architecture white paper"
local MI250X = "AMD, Instinct MI250X data sheet"
local CDNA_3 = "AMD, CDNA 3 architecture white paper"
local MI300X = "AMD, Instinct MI300X data sheet"
local VGPR = "AMD, ROCm documentation, GPU specifications: 512 KiB of vector registers for the "
    .. "four SIMDs of a compute unit"
local NO_DSMEM = "compute units do not reach each other's local data share"
local LIKE_PCIE = "guess: as for the H100 PCIe in the simulator of arXiv 2411.01137, another chip "
    .. "whose power holds it below its peak"
local LIKE_H100 = "guess: as for the H100 SXM in the simulator of arXiv 2411.01137"
local LIKE_A100 = "guess: as for the A100 in the simulator of arXiv 2411.01137"
local TPU_V4 = "Jouppi et al. 2023, TPU v4: an optically reconfigurable supercomputer "
    .. "(arXiv 2304.01433), table 4"
local SCALING_BOOK = "Google DeepMind 2025, How to scale your model, chapter on TPUs"
local TPU_DOCS = "Google, Cloud TPU documentation, "
local MXU = ": an MXU of 128 x 128 multiplies and adds, 32768 FLOP a clock, counted as eight SMs "
    .. "of 128 threads"
local VMEM_RATE = "guess: 22 times the memory's, as How to scale your model says of VMEM"
local TRN2 = "AWS, Neuron documentation, Trainium2 architecture"
local GAUDI_3 = "Intel, Gaudi 3 AI accelerator white paper"

local gpus = {
    order = {
        "mi250x", "mi300x", "tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p", "trainium2", "gaudi3",
    },

    -- Both dies as one GPU, though programs see two.
    mi250x = {
        name = "Instinct MI250X",
        bits = 16,
        flop_per_clock_per_thread = { [16] = 8, [32] = 2 },
        sms = 220,
        registers_per_block = "128 KiB",
        l2_size = "16 MiB",
        l2_bandwidth = "13.93 TB/s",
        memory = "128 GB",
        memory_bandwidth = "3.2 TB/s",
        clock = "1.7 GHz",
        utilization = 0.55,
        distributed_shared_memory = false,
        matmul_latency = "4.5 us",
        power = "560 W",
        sources = {
            bits = "BF16, as the other GPUs of the catalog",
            flop_per_clock_per_thread = MI250X
                .. ": 383 TFLOP/s in 16 bits and 95.7 in 32, over 220 "
                .. "compute units of 128 threads at 1.7 GHz",
            sms = MI250X .. ": 220 compute units on two dies",
            registers_per_block = VGPR,
            l2_size = CDNA_2 .. ": 8 MB a die",
            l2_bandwidth = "guess: 32 channels a die (AMD, ROCm documentation, L2 cache) of 128 "
                .. "bytes a clock each",
            memory = MI250X,
            memory_bandwidth = MI250X,
            clock = MI250X .. ": peak engine clock",
            utilization = LIKE_PCIE,
            distributed_shared_memory = NO_DSMEM,
            matmul_latency = LIKE_A100,
            power = MI250X .. ": peak",
        },
    },

    mi300x = {
        name = "Instinct MI300X",
        bits = 16,
        flop_per_clock_per_thread = { [8] = 32, [16] = 16, [32] = 2 },
        sms = 304,
        registers_per_block = "128 KiB",
        l2_size = "256 MiB",
        l2_bandwidth = "17.2 TB/s",
        memory = "192 GB",
        memory_bandwidth = "5.3 TB/s",
        clock = "2.1 GHz",
        utilization = 0.55,
        distributed_shared_memory = false,
        matmul_latency = "4.5 us",
        power = "750 W",
        sources = {
            bits = "BF16, as the other GPUs of the catalog",
            flop_per_clock_per_thread = MI300X
                .. ": 1307.4 TFLOP/s in 16 bits, twice that in 8, 163.4 "
                .. "in 32, over 304 compute units of 128 threads at 2.1 GHz",
            sms = MI300X .. ": 304 compute units",
            registers_per_block = VGPR,
            l2_size = CDNA_3 .. ": Infinity Cache",
            l2_bandwidth = CDNA_3 .. ": peak of the Infinity Cache",
            memory = MI300X,
            memory_bandwidth = MI300X,
            clock = MI300X .. ": peak engine clock",
            utilization = LIKE_PCIE,
            distributed_shared_memory = NO_DSMEM,
            matmul_latency = LIKE_H100,
            power = MI300X .. ": board power",
        },
    },

    tpu_v4 = {
        name = "TPU v4",
        bits = 16,
        flop_per_clock_per_thread = { [8] = 32, [16] = 32 },
        sms = 64,
        registers_per_block = "64 KiB",
        l2_size = "160 MiB",
        l2_bandwidth = "26.4 TB/s",
        memory = "32 GiB",
        memory_bandwidth = "1200 GB/s",
        clock = "1.05 GHz",
        utilization = 0.85,
        distributed_shared_memory = false,
        matmul_latency = "4.5 us",
        power = "192 W",
        idle_power = "90 W",
        sources = {
            bits = "BF16, as the other accelerators of the catalog",
            flop_per_clock_per_thread = TPU_V4 .. MXU .. "; 8-bit integers at the same rate",
            sms = TPU_DOCS .. "TPU v4: two cores of four MXUs, each counted as eight",
            registers_per_block = LIKE_H100,
            l2_size = TPU_V4 .. ": 128 MiB of CMEM and 32 MiB of VMEM",
            l2_bandwidth = VMEM_RATE,
            memory = TPU_DOCS .. "TPU v4",
            memory_bandwidth = TPU_DOCS .. "TPU v4",
            clock = TPU_V4,
            utilization = LIKE_A100,
            distributed_shared_memory = "guess: none, all goes through the memory of the chip",
            matmul_latency = LIKE_A100,
            power = TPU_DOCS .. "TPU v4: the most that was measured",
            idle_power = TPU_DOCS .. "TPU v4: the least that was measured",
        },
    },
}

gpus.tpu_v3 = derive(gpus.tpu_v4, {
    name = "TPU v3",
    flop_per_clock_per_thread = { [16] = 32 },
    sms = 32,
    l2_size = "32 MiB",
    l2_bandwidth = "19.8 TB/s",
    memory_bandwidth = "900 GB/s",
    clock = "940 MHz",
    power = "262 W",
    idle_power = "123 W",
}, {
    flop_per_clock_per_thread = TPU_V4 .. MXU,
    sms = TPU_DOCS .. "TPU v3: two cores of two MXUs, each counted as eight",
    memory = TPU_DOCS .. "TPU v3",
    memory_bandwidth = TPU_DOCS .. "TPU v3",
    power = TPU_DOCS .. "TPU v3: the most that was measured",
    idle_power = TPU_DOCS .. "TPU v3: the least that was measured",
    l2_size = TPU_V4 .. ": VMEM",
})

gpus.tpu_v5e = derive(gpus.tpu_v4, {
    name = "TPU v5e",
    flop_per_clock_per_thread = { [8] = 64, [16] = 32 },
    sms = 32,
    l2_size = "128 MiB",
    l2_bandwidth = "18 TB/s",
    memory = "16 GB",
    memory_bandwidth = "819 GB/s",
    clock = "1.5 GHz",
}, {
    flop_per_clock_per_thread = TPU_DOCS .. "TPU v5e (197 TFLOP/s in BF16, twice that in 8 bits)"
        .. MXU,
    sms = TPU_DOCS .. "TPU v5e: one core of four MXUs, each counted as eight",
    l2_size = SCALING_BOOK .. ": VMEM",
    memory = TPU_DOCS .. "TPU v5e",
    memory_bandwidth = TPU_DOCS .. "TPU v5e",
    clock = SCALING_BOOK .. "; gives the 197 TFLOP/s of the documentation",
})

gpus.tpu_v5p = derive(gpus.tpu_v5e, {
    name = "TPU v5p",
    sms = 64,
    l2_bandwidth = "60.8 TB/s",
    memory = "95 GB",
    memory_bandwidth = "2765 GB/s",
    clock = "1.75 GHz",
}, {
    flop_per_clock_per_thread = TPU_DOCS .. "TPU v5p (459 TFLOP/s in BF16, twice that in 8 bits)"
        .. MXU,
    sms = TPU_DOCS .. "TPU v5p: two cores of four MXUs, each counted as eight",
    l2_size = "guess: as the TPU v5e's VMEM",
    memory = TPU_DOCS .. "TPU v5p",
    memory_bandwidth = TPU_DOCS .. "TPU v5p",
    clock = "guess: the clock that gives the 459 TFLOP/s of the documentation",
})

-- Google tells the power of neither.
for _, id in ipairs { "tpu_v5e", "tpu_v5p" } do
    for _, field in ipairs { "power", "idle_power" } do
        gpus[id][field], gpus[id].sources[field] = nil, nil
    end
end

gpus.trainium2 = derive(gpus.tpu_v5e, {
    name = "Trainium 2",
    peak = "667 TFLOP/s",
    sms = 64,
    l2_size = "224 MiB",
    l2_bandwidth = "63.8 TB/s",
    memory = "96 GiB",
    memory_bandwidth = "2.9 TB/s",
    clock = "2.544 GHz",
}, {
    peak = TRN2 .. ": dense BF16",
    sms = "guess: eight cores with a systolic array of 128 x 128 each, counted as eight SMs "
        .. "of 4096 FLOP a clock",
    l2_size = TRN2 .. ": 28 MiB of SBUF in each of eight cores",
    l2_bandwidth = "guess: 22 times the memory's, as for the TPUs",
    memory = TRN2,
    memory_bandwidth = TRN2,
    clock = "guess: the clock at which these SMs give the peak",
    utilization = LIKE_H100,
})
gpus.trainium2.utilization = 0.7
gpus.trainium2.flop_per_clock_per_thread = nil
gpus.trainium2.sources.flop_per_clock_per_thread = nil

gpus.gaudi3 = derive(gpus.tpu_v5e, {
    name = "Gaudi 3",
    flop_per_clock_per_thread = { [8] = 32, [16] = 32 },
    sms = 256,
    l2_size = "96 MB",
    l2_bandwidth = "12.8 TB/s",
    memory = "128 GB",
    memory_bandwidth = "3.7 TB/s",
    clock = "1.75 GHz",
    utilization = 0.7,
    power = "900 W",
}, {
    flop_per_clock_per_thread = GAUDI_3 .. ": eight engines of 256 x 256 multiply and add, 131072 "
        .. "FLOP a clock each, as fast in FP8 as in BF16, counted as 32 SMs of 128 threads each",
    sms = GAUDI_3 .. ": eight matrix engines, each counted as 32",
    l2_size = GAUDI_3,
    l2_bandwidth = GAUDI_3 .. " and Intel's talk at Hot Chips 2024: memory on the chip",
    memory = GAUDI_3,
    memory_bandwidth = GAUDI_3,
    clock = "guess: the clock at which the matrix engines give the 1835 TFLOP/s of the white paper",
    utilization = LIKE_H100,
    power = GAUDI_3 .. ": air-cooled",
})

return gpus
