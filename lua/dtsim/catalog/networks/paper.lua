--- The networks of the paper and its simulator. May use: nothing.

local SIMULATOR = "parameter set of the simulator published with arXiv 2411.01137"
local EXAMPLE = "Epoch AI, Introducing the distributed training interactive simulator"
local DGX_1 = "NVIDIA, DGX-1 with Tesla V100 system architecture white paper"
local DGX_A100 = "NVIDIA, DGX A100 system architecture white paper"
local H100 = "NVIDIA, H100 Tensor Core GPU architecture white paper"
local WHAT_IF = "hypothetical, after " .. SIMULATOR
local MADE_UP = "made up, for a hierarchy of four levels"

local NODE_OF_8 = { size = SIMULATOR .. ": 8 GPUs a node", latency = SIMULATOR }
local TENTH = WHAT_IF .. ": a tenth of the H100's"

-- Sources of a level: those given over those of another.
local function also(sources, more)
    local all = {}
    for field, source in pairs(sources) do all[field] = source end
    for field, source in pairs(more) do all[field] = source end
    return all
end

local NVLINK_H100 = also(NODE_OF_8, { bandwidth = H100 .. ": NVLink" })
local INFINIBAND_H100 = {
    bandwidth = H100 .. ": DGX H100, eight 400 Gb/s ConnectX-7 for eight GPUs, both directions",
    latency = SIMULATOR,
}
local SUPERPOD_H100 = {
    size = H100 .. ": an NVLink network of 256 GPUs",
    bandwidth = SIMULATOR .. ": half of NVLink within the node",
    latency = SIMULATOR,
}

-- A tenth of a latency is written as the product, whose last bit is the simulator's.
return {
    order = {
        "gtx580", "v100", "a100", "h100", "h100_superpod", "h100_low_latency",
        "h100_global_nvlink", "h100_global_nvlink_ll", "h100_infinite_ll", "h100_scaled",
        "h100_four_levels",
    },

    gtx580 = {
        levels = {
            { name = "node", size = 8, bandwidth = "8 GB/s", latency = "5 us" },
            { name = "cluster", bandwidth = "1 GB/s", latency = "5 us" },
        },
        sources = {
            { size = EXAMPLE, bandwidth = EXAMPLE, latency = EXAMPLE },
            { bandwidth = EXAMPLE, latency = EXAMPLE },
        },
    },

    v100 = {
        levels = {
            { name = "node", size = 8, bandwidth = "300 GB/s", latency = "1.125 us" },
            { name = "cluster", bandwidth = "12.5 GB/s", latency = "1.125 us" },
        },
        sources = {
            also(NODE_OF_8, { bandwidth = DGX_1 .. ": NVLink" }),
            {
                bandwidth = DGX_1
                    .. ": four 100 Gb/s InfiniBand cards for eight GPUs, both directions",
                latency = SIMULATOR,
            },
        },
    },

    a100 = {
        levels = {
            { name = "node", size = 8, bandwidth = "600 GB/s", latency = "1.125 us" },
            { name = "cluster", bandwidth = "50 GB/s", latency = "1.125 us" },
        },
        sources = {
            also(NODE_OF_8, { bandwidth = DGX_A100 .. ": NVLink" }),
            { bandwidth = DGX_A100 .. ": eight 200 Gb/s ConnectX-6 for eight GPUs, both directions",
                latency = SIMULATOR },
        },
    },

    h100 = {
        levels = {
            { name = "node", size = 8, bandwidth = "900 GB/s", latency = "1.125 us" },
            { name = "cluster", bandwidth = "100 GB/s", latency = "1.125 us" },
        },
        sources = { NVLINK_H100, INFINIBAND_H100 },
    },

    h100_superpod = {
        levels = {
            { name = "node", size = 8, bandwidth = "900 GB/s", latency = "1.125 us" },
            { name = "superpod", size = 32, bandwidth = "450 GB/s", latency = "1.125 us" },
            { name = "cluster", bandwidth = "100 GB/s", latency = "1.125 us" },
        },
        sources = { NVLINK_H100, SUPERPOD_H100, INFINIBAND_H100 },
    },

    h100_low_latency = {
        levels = {
            { name = "node", size = 8, bandwidth = "900 GB/s", latency = 1.125e-6 * 0.1 },
            { name = "cluster", bandwidth = "100 GB/s", latency = 1.125e-6 * 0.1 },
        },
        sources = {
            also(NVLINK_H100, { latency = TENTH }),
            also(INFINIBAND_H100, { latency = TENTH }),
        },
    },

    h100_global_nvlink = {
        levels = { { name = "cluster", bandwidth = "900 GB/s", latency = "1.125 us" } },
        sources = { { bandwidth = WHAT_IF .. ": NVLink everywhere", latency = SIMULATOR } },
    },

    h100_global_nvlink_ll = {
        levels = { { name = "cluster", bandwidth = "900 GB/s", latency = 1.125e-6 * 0.1 } },
        sources = { { bandwidth = WHAT_IF .. ": NVLink everywhere", latency = TENTH } },
    },

    h100_infinite_ll = {
        levels = { { name = "cluster", bandwidth = "infinite", latency = 1.125e-6 * 0.1 } },
        sources = { { bandwidth = WHAT_IF, latency = TENTH } },
    },

    h100_scaled = {
        levels = {
            { name = "node", size = 8, bandwidth = "9 TB/s", latency = 5e-6 * 0.1 },
            { name = "cluster", bandwidth = "1 TB/s", latency = 5e-6 * 0.1 },
        },
        sources = {
            { size = SIMULATOR .. ": 8 GPUs a node",
                bandwidth = WHAT_IF .. ": ten times the H100's",
                latency = WHAT_IF .. ": a tenth of 5 us" },
            { bandwidth = WHAT_IF .. ": ten times the H100's",
                latency = WHAT_IF .. ": a tenth of 5 us" },
        },
    },

    h100_four_levels = {
        levels = {
            { name = "node", size = 8, bandwidth = "900 GB/s", latency = "1.125 us" },
            { name = "superpod", size = 32, bandwidth = "450 GB/s", latency = "1.125 us" },
            { name = "data centre", size = 16, bandwidth = "100 GB/s", latency = "2 us" },
            { name = "world", bandwidth = "1 GB/s", latency = "1 ms" },
        },
        sources = {
            NVLINK_H100,
            SUPERPOD_H100,
            { size = MADE_UP, bandwidth = INFINIBAND_H100.bandwidth, latency = MADE_UP },
            { bandwidth = MADE_UP, latency = MADE_UP },
        },
    },
}
