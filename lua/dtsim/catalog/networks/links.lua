--- Links, each as a network of its own: one level without end, one port for a GPU. Levels of one's
-- own are made of them: dtsim.networks.nvlink4[1].bandwidth. May use: nothing.
--
-- Rates are what carries data: after the line code, before packets' headers. Standards give one
-- direction; a level's bandwidth is both.

local NVLINK_LATENCY = "guess: as for NVLink in the simulator of arXiv 2411.01137"
local FABRIC_LATENCY = "guess: as for InfiniBand in the simulator of arXiv 2411.01137"
local BUS_LATENCY = "guess: as for the GTX 580's machine in the simulator's published example"
local ETHERNET_LATENCY = "guess: as for the GTX 580's network in the simulator's published example"
local PCIE = "PCI-SIG, PCI Express base specification "
local IBTA = "InfiniBand Trade Association, InfiniBand roadmap: "
local IEEE = "IEEE 802.3, "

-- id, bandwidth in both directions, latency, source of the bandwidth, source of the latency
local ROWS = {
    { "pcie2", "16 GB/s", "5 us", PCIE .. "2.0: 16 lanes of 5 GT/s, 8b/10b code", BUS_LATENCY },
    { "pcie3", "31.508 GB/s", "5 us", PCIE .. "3.0: 16 lanes of 8 GT/s, 128b/130b code",
        BUS_LATENCY },
    { "pcie4", "63.015 GB/s", "5 us", PCIE .. "4.0: 16 lanes of 16 GT/s, 128b/130b code",
        BUS_LATENCY },
    { "pcie5", "126.031 GB/s", "5 us", PCIE .. "5.0: 16 lanes of 32 GT/s, 128b/130b code",
        BUS_LATENCY },
    { "pcie6", "242 GB/s", "5 us",
        PCIE .. "6.0: 16 lanes of 64 GT/s, 242 bytes of data in a flit of 256", BUS_LATENCY },

    { "nvlink1", "160 GB/s", "1.125 us",
        "NVIDIA, Tesla P100 architecture white paper: 4 links of 40 GB/s", NVLINK_LATENCY },
    { "nvlink2", "300 GB/s", "1.125 us",
        "NVIDIA, Tesla V100 GPU architecture white paper: 6 links of 50 GB/s", NVLINK_LATENCY },
    { "nvlink3", "600 GB/s", "1.125 us",
        "NVIDIA, A100 Tensor Core GPU architecture white paper: 12 links of 50 GB/s",
        NVLINK_LATENCY },
    { "nvlink4", "900 GB/s", "1.125 us",
        "NVIDIA, H100 Tensor Core GPU architecture white paper: 18 links of 50 GB/s",
        NVLINK_LATENCY },
    { "nvlink5", "1800 GB/s", "1.125 us",
        "NVIDIA, Blackwell architecture technical brief: 18 links of 100 GB/s", NVLINK_LATENCY },

    { "infiniband_qdr", "8 GB/s", "1.125 us", IBTA .. "QDR, 4 lanes of 10 Gb/s, 8b/10b code",
        FABRIC_LATENCY },
    { "infiniband_fdr", "13.636 GB/s", "1.125 us",
        IBTA .. "FDR, 4 lanes of 14.0625 Gb/s, 64b/66b code", FABRIC_LATENCY },
    { "infiniband_edr", "25 GB/s", "1.125 us", IBTA .. "EDR, 100 Gb/s", FABRIC_LATENCY },
    { "infiniband_hdr", "50 GB/s", "1.125 us", IBTA .. "HDR, 200 Gb/s", FABRIC_LATENCY },
    { "infiniband_ndr", "100 GB/s", "1.125 us", IBTA .. "NDR, 400 Gb/s", FABRIC_LATENCY },
    { "infiniband_xdr", "200 GB/s", "1.125 us", IBTA .. "XDR, 800 Gb/s", FABRIC_LATENCY },

    { "ethernet_10g", "2.5 GB/s", "5 us", IEEE .. "10 Gb/s Ethernet (802.3ae)", ETHERNET_LATENCY },
    { "ethernet_25g", "6.25 GB/s", "5 us", IEEE .. "25 Gb/s Ethernet (802.3by)",
        ETHERNET_LATENCY },
    { "ethernet_40g", "10 GB/s", "5 us", IEEE .. "40 Gb/s Ethernet (802.3ba)", ETHERNET_LATENCY },
    { "ethernet_50g", "12.5 GB/s", "5 us", IEEE .. "50 Gb/s Ethernet (802.3cd)",
        ETHERNET_LATENCY },
    { "ethernet_100g", "25 GB/s", "5 us", IEEE .. "100 Gb/s Ethernet (802.3ba)",
        ETHERNET_LATENCY },
    { "ethernet_200g", "50 GB/s", "5 us", IEEE .. "200 Gb/s Ethernet (802.3bs)",
        ETHERNET_LATENCY },
    { "ethernet_400g", "100 GB/s", "5 us", IEEE .. "400 Gb/s Ethernet (802.3bs)",
        ETHERNET_LATENCY },
    { "ethernet_800g", "200 GB/s", "5 us", IEEE .. "800 Gb/s Ethernet (802.3df)",
        ETHERNET_LATENCY },

    { "wan", "1 GB/s", "10 ms",
        "guess: 4 Gb/s in each direction for a GPU, 40 Tb/s for a site of ten thousand",
        "guess: 2000 km of fibre at 200 km a millisecond" },
}

local networks = { order = {} }
for _, row in ipairs(ROWS) do
    local id, bandwidth, latency, bandwidth_source, latency_source = table.unpack(row)
    table.insert(networks.order, id)
    networks[id] = {
        levels = { { name = id, bandwidth = bandwidth, latency = latency } },
        sources = { { bandwidth = bandwidth_source, latency = latency_source } },
    }
end

return networks
