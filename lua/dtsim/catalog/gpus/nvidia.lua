--- NVIDIA's accelerators from 2013 to 2025, beside the paper's. May use: dtsim.catalog.derive and
-- the paper's entries, whose chips some of these share.

local derive = require "dtsim.catalog.derive"
local paper = require "dtsim.catalog.gpus.paper"

local SIMULATOR = "parameter set of the simulator published with arXiv 2411.01137"
local NO_DSMEM = "NVIDIA, H100 Tensor Core GPU architecture white paper: new with Hopper"
local KEPLER = "NVIDIA, Kepler GK110 architecture white paper"
local K40 = "NVIDIA, Tesla K40 GPU active accelerator board specification BD-06902-001"
local P100 = "NVIDIA, Tesla P100 architecture white paper"
local A100_SHEET = "NVIDIA, A100 Tensor Core GPU data sheet (SXM, 80 GB)"
local A800 = "NVIDIA, A800 Tensor Core GPU data sheet"
local H200_SHEET = "NVIDIA, H200 Tensor Core GPU data sheet (SXM)"
local H20 = "figures of the H20 that sellers and the press gave; NVIDIA publishes no data sheet"
local DGX_B200 = "NVIDIA, DGX B200 data sheet, an eighth of the system"
local NVL72 = "NVIDIA, GB200 NVL72 data sheet, a 72nd of the system"
local B200_CHIPS = "Chips and Cheese (2025), Nvidia's B200: keeping the CUDA juggernaut rolling"
local BLACKWELL = "NVIDIA, Blackwell architecture technical brief"
local ADA = "NVIDIA, Ada GPU architecture white paper: GeForce RTX 4090"
local LIKE_HOPPER = "guess: as for the H100 SXM in the simulator of arXiv 2411.01137"
local LIKE_AMPERE = "guess: as for the A100 in the simulator of arXiv 2411.01137"

local gpus = {
    order = {
        "k40", "p100", "a100_80gb", "a800", "h800", "h200", "h20", "b200", "gb200", "rtx4090",
    },

    k40 = {
        name = "Tesla K40",
        bits = 32,
        flop_per_clock_per_thread = { [32] = 3, [64] = 1 },
        sms = 15,
        registers_per_block = "64 KiB",
        l2_size = "1536 KiB",
        l2_bandwidth = "743 GB/s",
        memory = "12 GB",
        memory_bandwidth = "288 GB/s",
        clock = "745 MHz",
        utilization = 0.85,
        distributed_shared_memory = false,
        matmul_latency = "22.5 us",
        power = "235 W",
        sources = {
            bits = "single precision: the widest use of its time, and the narrowest it is fast in",
            flop_per_clock_per_thread = KEPLER
                .. ": 192 cores an SMX at 2 FLOP a clock, counted over "
                .. "128 threads; double precision at a third of that",
            sms = K40,
            registers_per_block = KEPLER .. ": 256 KiB an SMX",
            l2_size = KEPLER,
            l2_bandwidth = "guess: twice the bytes a clock of the GTX 580's (384.8 GB/s at "
                .. "772 MHz), which the Kepler white paper claims, at 745 MHz",
            memory = K40,
            memory_bandwidth = K40,
            clock = K40 .. ": base clock, that of the 4.29 TFLOP/s there",
            utilization = "guess: as for the GTX 580 in the simulator's published example",
            distributed_shared_memory = NO_DSMEM,
            matmul_latency = "guess: as for the GTX 580 in the simulator's published example",
            power = K40,
        },
    },

    p100 = {
        name = "P100 SXM2",
        bits = 16,
        flop_per_clock_per_thread = { [16] = 2, [32] = 1, [64] = 1 / 2 },
        sms = 56,
        registers_per_block = "64 KiB",
        l2_size = "4 MiB",
        l2_bandwidth = "1456 GB/s",
        memory = "16 GB",
        memory_bandwidth = "732 GB/s",
        clock = "1.48 GHz",
        utilization = 0.9,
        distributed_shared_memory = false,
        matmul_latency = "4.5 us",
        power = "300 W",
        sources = {
            bits = "half precision, which the P100 was the first to be twice as fast in",
            flop_per_clock_per_thread = P100
                .. ": 64 cores an SM at 2 FLOP a clock, twice that in half "
                .. "and half in double precision, counted over 128 threads",
            sms = P100,
            registers_per_block = P100 .. ": 256 KiB an SM",
            l2_size = P100,
            l2_bandwidth = "guess: the V100's 2155 GB/s, times 56/80 for the SMs and 1.48/1.533 "
                .. "for the clock",
            memory = P100,
            memory_bandwidth = P100,
            clock = P100 .. ": boost clock",
            utilization = "guess: as for the V100 in the simulator of arXiv 2411.01137",
            distributed_shared_memory = NO_DSMEM,
            matmul_latency = "guess: as for the V100 in the simulator of arXiv 2411.01137",
            power = P100,
        },
    },

    -- An SM has twice the tensor cores' rate of Hopper's, and the model's shared memory, 32 banks
    -- of 4 bytes a clock, holds large matmuls to 0.56 of the peak. The chip lets pairs of SMs
    -- share operands, which the model leaves out.
    b200 = {
        name = "B200 SXM",
        bits = 16,
        peak = "2250 TFLOP/s",
        sms = 148,
        registers_per_block = "128 KiB",
        l2_size = "126 MiB",
        l2_bandwidth = "7222 GB/s",
        memory = "180 GB",
        memory_bandwidth = "8 TB/s",
        clock = "1.965 GHz",
        utilization = 0.7,
        distributed_shared_memory = true,
        matmul_latency = "4.5 us",
        power = "1000 W",
        sources = {
            bits = "BF16, as the other GPUs of the catalog",
            peak = DGX_B200 .. ": half of its BF16 rate with sparsity",
            sms = B200_CHIPS,
            registers_per_block = "Cornell University, Cornell virtual workshop, GPU architecture: "
                .. "64 KiB of registers and 64 KiB of tensor memory a block",
            l2_size = B200_CHIPS .. ": 126 MB",
            l2_bandwidth = "guess: the H100 SXM's 6441 GB/s, times 148/132 for the SMs",
            memory = DGX_B200 .. " (1,440 GB)",
            memory_bandwidth = DGX_B200 .. " (64 TB/s)",
            clock = "guess: the highest clock that drivers tell of; tensor cores run below it",
            utilization = LIKE_HOPPER,
            distributed_shared_memory = BLACKWELL .. ": as Hopper",
            matmul_latency = LIKE_HOPPER,
            power = BLACKWELL .. ": HGX B200",
        },
    },

    rtx4090 = {
        name = "GeForce RTX 4090",
        bits = 16,
        flop_per_clock_per_thread = { [8] = 8, [16] = 4, [32] = 2 },
        sms = 128,
        registers_per_block = "64 KiB",
        l2_size = "72 MiB",
        l2_bandwidth = "5603 GB/s",
        memory = "24 GB",
        memory_bandwidth = "1008 GB/s",
        clock = "2.52 GHz",
        utilization = 0.85,
        distributed_shared_memory = false,
        matmul_latency = "4.5 us",
        price = "$1599",
        power = "450 W",
        sources = {
            bits = "half precision with sums in single precision",
            flop_per_clock_per_thread = ADA
                .. ": 165.2 TFLOP/s in FP16 with FP32 sums, twice that in "
                .. "FP8, 82.6 in FP32, over 128 SMs of 128 threads at 2.52 GHz",
            sms = ADA,
            registers_per_block = ADA .. ": 256 KiB an SM",
            l2_size = ADA,
            l2_bandwidth = LIKE_AMPERE,
            memory = ADA,
            memory_bandwidth = ADA,
            clock = ADA .. ": boost clock",
            utilization = LIKE_AMPERE,
            distributed_shared_memory = NO_DSMEM .. ", and not part of Ada",
            matmul_latency = LIKE_AMPERE,
            price = "NVIDIA's price at its launch, October 2022",
            power = ADA,
        },
    },
}

gpus.a100_80gb = derive(paper.a100, {
    name = "A100 SXM 80 GB",
    memory = "80 GB",
    memory_bandwidth = "2039 GB/s",
}, {
    memory = A100_SHEET,
    memory_bandwidth = A100_SHEET,
    power = A100_SHEET,
})

-- The A100 with slower NVLink (in dtsim.networks).
gpus.a800 = derive(gpus.a100_80gb, { name = "A800 SXM 80 GB" }, {
    memory = A800, memory_bandwidth = A800, power = A800,
})

-- The H100 with slower NVLink (in dtsim.networks), and slow in double precision, which is none of
-- the widths here.
gpus.h800 = derive(paper.h100, { name = "H800 SXM" }, {})

gpus.h200 = derive(paper.h100, {
    name = "H200 SXM",
    memory = "141 GB",
    memory_bandwidth = "4.8 TB/s",
}, {
    memory = H200_SHEET,
    memory_bandwidth = H200_SHEET,
    clock = "guess: as for the H100 SXM, whose rates its data sheet repeats",
    utilization = LIKE_HOPPER,
    power = H200_SHEET,
})

-- Its tensor cores are slowed down, not its clock: the peak is given for itself.
gpus.h20 = derive(paper.h100, {
    name = "H20 SXM",
    peak = "148 TFLOP/s",
    sms = 78,
    l2_size = "60 MiB",
    l2_bandwidth = "3806 GB/s",
    memory = "96 GB",
    memory_bandwidth = "4 TB/s",
    clock = "1.83 GHz",
    power = "400 W",
}, {
    peak = H20 .. ": BF16 without sparsity",
    sms = H20,
    l2_size = H20,
    l2_bandwidth = "guess: the H100 SXM's 6441 GB/s, times 78/132 for the SMs",
    memory = H20,
    memory_bandwidth = H20,
    clock = LIKE_HOPPER,
    utilization = LIKE_HOPPER .. ": slow tensor cores may well hold a larger share",
    power = H20,
})
gpus.h20.flop_per_clock_per_thread, gpus.h20.sources.flop_per_clock_per_thread = nil, nil

-- One of the 72 GPUs of a GB200 NVL72: the chip of the B200 at more power.
gpus.gb200 = derive(gpus.b200, {
    name = "GB200 NVL72 (one GPU)",
    peak = "2500 TFLOP/s",
    memory = "186 GB",
    power = "1200 W",
}, {
    peak = NVL72 .. ": half of its BF16 rate with sparsity",
    memory = NVL72 .. " (13.4 TB)",
    memory_bandwidth = NVL72 .. " (576 TB/s)",
    power = BLACKWELL .. ": GB200, a GPU without its share of the CPU",
})

for _, id in ipairs { "h800", "h20", "h200" } do
    gpus[id].sources.matmul_latency = SIMULATOR .. ", for the same chip in the H100"
end

return gpus
