--- The GPUs of the paper and its simulator. May use: dtsim.catalog.derive.
--
-- Where the simulator of the paper ("Data movement limits to frontier model training") and a
-- data sheet differ, the simulator's value stands, so that its results can be reproduced.

local derive = require "dtsim.catalog.derive"

local SIMULATOR = "parameter set of the simulator published with arXiv 2411.01137"
local MEASURED = SIMULATOR .. "; the share of peak observed in a long run of large matmuls"
local FERMI = "NVIDIA, Fermi compute architecture white paper"
local GTX_580 = "NVIDIA, GeForce GTX 580 specifications"
local ALEXNET = "Krizhevsky, Sutskever and Hinton (2012), "
    .. "ImageNet classification with deep convolutional neural networks"
local EXAMPLE = "Epoch AI, Introducing the distributed training interactive simulator"
local V100 = "NVIDIA, Tesla V100 GPU architecture white paper"
local V100_SHEET = "NVIDIA, V100 Tensor Core GPU data sheet (SXM2, 32 GB)"
local A100 = "NVIDIA, A100 Tensor Core GPU architecture white paper"
local L2_A100 = SIMULATOR .. ", after the measurement in Chips and Cheese (2023), "
    .. "Nvidia's H100: Funny L2, and Tons of Bandwidth"
local H100 = "NVIDIA, H100 Tensor Core GPU architecture white paper"
local H100_SHEET = "NVIDIA, H100 Tensor Core GPU data sheet"
local H100_PCIE = "NVIDIA, H100 PCIe GPU product brief PB-11133-001"

local gpus = {
    order = { "gtx580", "v100", "a100", "h100", "h100_pcie", "h100_low_latency", "h100_scaled" },

    gtx580 = {
        name = "GTX 580",
        bits = 32,
        flop_per_clock_per_thread = { [32] = 1 / 2, [64] = 1 / 16 },
        sms = 16,
        registers_per_block = "128 KiB",
        l2_size = "768 KiB",
        l2_bandwidth = "384.8 GB/s",
        memory = "3 GB",
        memory_bandwidth = "192.4 GB/s",
        clock = "1.544 GHz",
        utilization = 0.85,
        distributed_shared_memory = false,
        matmul_latency = "22.5 us",
        price = "$300",
        power = "244 W",
        sources = {
            bits = EXAMPLE .. ": single precision, as in AlexNet",
            flop_per_clock_per_thread = EXAMPLE
                .. ": 512 cores at 2 FLOP a clock, counted over 128 "
                .. "threads an SM; double precision at an eighth of that",
            sms = FERMI,
            registers_per_block = EXAMPLE .. " (the white paper gives 128 KiB for a whole SM)",
            l2_size = FERMI,
            l2_bandwidth = EXAMPLE .. ": twice the memory's",
            memory = ALEXNET .. ": the 3 GB version of the card",
            memory_bandwidth = GTX_580,
            clock = GTX_580 .. ": processor clock",
            utilization = EXAMPLE,
            distributed_shared_memory = H100 .. ": new with Hopper",
            matmul_latency = EXAMPLE,
            price = EXAMPLE .. ": about $5 billion for 16 million GPUs",
            power = GTX_580 .. ": graphics card power",
        },
    },

    v100 = {
        name = "V100 SXM",
        bits = 16,
        flop_per_clock_per_thread = { [16] = 8, [32] = 1 },
        sms = 80,
        registers_per_block = "64 KiB",
        l2_size = "6 MiB",
        l2_bandwidth = "2155 GB/s",
        memory = "32 GB",
        memory_bandwidth = "900 GB/s",
        clock = "1.533 GHz",
        utilization = 0.9,
        distributed_shared_memory = false,
        matmul_latency = "4.5 us",
        power = "300 W",
        sources = {
            bits = SIMULATOR,
            flop_per_clock_per_thread = V100
                .. ": 1024 FLOP a clock and SM in the tensor cores, 128 in "
                .. "the FP32 units, over 128 threads",
            sms = V100,
            registers_per_block = V100 .. ": 256 KiB an SM",
            l2_size = V100,
            l2_bandwidth = SIMULATOR,
            memory = V100_SHEET,
            memory_bandwidth = V100_SHEET,
            clock = SIMULATOR .. " (the white paper gives 1.53 GHz)",
            utilization = MEASURED,
            distributed_shared_memory = H100 .. ": new with Hopper",
            matmul_latency = SIMULATOR,
            power = V100_SHEET,
        },
    },

    a100 = {
        name = "A100 SXM",
        bits = 16,
        flop_per_clock_per_thread = { [8] = 32, [16] = 16, [32] = 1 },
        sms = 108,
        registers_per_block = "64 KiB",
        l2_size = "40 MiB",
        l2_bandwidth = "5603 GB/s",
        memory = "40 GB",
        memory_bandwidth = "1555 GB/s",
        clock = "1.41 GHz",
        utilization = 0.85,
        distributed_shared_memory = false,
        matmul_latency = "4.5 us",
        power = "400 W",
        sources = {
            bits = SIMULATOR,
            flop_per_clock_per_thread = A100
                .. ": 2048 FLOP a clock and SM in 16 bits, twice that in 8, "
                .. "128 in the FP32 units, over 128 threads",
            sms = A100,
            registers_per_block = A100 .. ": 256 KiB an SM",
            l2_size = A100,
            l2_bandwidth = L2_A100,
            memory = A100 .. ": the 40 GB version",
            memory_bandwidth = A100,
            clock = A100 .. ": boost clock",
            utilization = MEASURED,
            distributed_shared_memory = H100 .. ": new with Hopper",
            matmul_latency = SIMULATOR,
            power = A100,
        },
    },

    h100 = {
        name = "H100 SXM",
        bits = 16,
        flop_per_clock_per_thread = { [8] = 64, [16] = 32, [32] = 2 },
        sms = 132,
        registers_per_block = "64 KiB",
        l2_size = "50 MiB",
        l2_bandwidth = "6441 GB/s",
        memory = "80 GB",
        memory_bandwidth = "3352 GB/s",
        clock = "1.83 GHz",
        utilization = 0.7,
        distributed_shared_memory = true,
        matmul_latency = "4.5 us",
        power = "700 W",
        sources = {
            bits = SIMULATOR,
            flop_per_clock_per_thread = H100
                .. ": 4096 FLOP a clock and SM in 16 bits, twice that in 8, "
                .. "256 in the FP32 units, over 128 threads",
            sms = H100,
            registers_per_block = H100 .. ": 256 KiB an SM",
            l2_size = H100,
            l2_bandwidth = SIMULATOR .. ": the H100 PCIe's, times 132/114 for the SMs",
            memory = H100_SHEET,
            memory_bandwidth = SIMULATOR .. " (the data sheet gives 3.35 TB/s)",
            clock = SIMULATOR .. ": gives the data sheet's 989 TFLOP/s in 16 bits",
            utilization = MEASURED,
            distributed_shared_memory = H100,
            matmul_latency = SIMULATOR,
            power = H100_SHEET,
        },
    },
}

gpus.h100_pcie = derive(gpus.h100, {
    name = "H100 PCIe",
    sms = 114,
    l2_bandwidth = "5563 GB/s",
    memory_bandwidth = "2039 GB/s",
    clock = "1.62 GHz",
    utilization = 0.55,
    power = "350 W",
}, {
    l2_bandwidth = SIMULATOR,
    memory_bandwidth = SIMULATOR .. " (the product brief: more than 2000 GB/s)",
    clock = SIMULATOR .. ": gives the white paper's 756 TFLOP/s in 16 bits",
    power = H100_PCIE,
})

-- What if: a tenth of the latency. The product, not "0.45 us", is the simulator's value to the
-- last bit.
gpus.h100_low_latency = derive(gpus.h100, {
    name = "H100 SXM Low Latency",
    hypothetical = true,
    matmul_latency = 4.5e-6 * 0.1, -- s
}, {
    matmul_latency = "hypothetical, after " .. SIMULATOR .. ": a tenth of the H100's",
})

-- What if: memory ten times as fast as well.
gpus.h100_scaled = derive(gpus.h100_low_latency, {
    name = "H100 SXM Scaled",
    l2_bandwidth = "64.41 TB/s",
    memory_bandwidth = "33.52 TB/s",
}, {
    l2_bandwidth = "hypothetical, after " .. SIMULATOR .. ": ten times the H100's",
    memory_bandwidth = "hypothetical, after " .. SIMULATOR .. ": ten times the H100's",
})

return gpus
