--- The networks of machines: a node or a pod, and what joins them. May use: nothing.
--
-- Bandwidths are per GPU and both directions together. Latencies are hardly ever published; where
-- none is, the simulator's is taken, and marked as a guess.

local NVLINK_LATENCY = "guess: as for NVLink in the simulator of arXiv 2411.01137"
local FABRIC_LATENCY = "guess: as for InfiniBand in the simulator of arXiv 2411.01137"
local LINK_LATENCY = "guess: as for NVLink in the simulator of arXiv 2411.01137; hops are left out"
local BUS_LATENCY = "guess: as for the GTX 580's machine in the simulator's published example"
local ETHERNET_LATENCY = "guess: as for the GTX 580's network in the simulator's published example"
local PCIE_3 = "PCI-SIG, PCI Express base specification 3.0: "
local DGX_1 = "NVIDIA, DGX-1 system architecture white paper"
local DGX_1V = "NVIDIA, DGX-1 with Tesla V100 system architecture white paper"
local DGX_A100 = "NVIDIA, DGX A100 system architecture white paper"
local DEEPSEEK_V3 = "DeepSeek-AI 2025, Insights into DeepSeek-V3 (arXiv 2505.09343)"
local NVL72 = "NVIDIA, GB200 NVL72 data sheet: 72 GPUs, 130 TB/s"
local ADA = "NVIDIA, Ada GPU architecture white paper: "
local FRONTIER = "Oak Ridge National Laboratory, Frontier user guide: "
local MI300X = "AMD, Instinct MI300X platform data sheet: "
local TPU_V3 = "Google, Cloud TPU documentation, TPU v3: "
local TPU_V4 = "Google, Cloud TPU documentation, TPU v4: "
local TPU_V5E = "Google, Cloud TPU documentation, TPU v5e: "
local TPU_V5P = "Google, Cloud TPU documentation, TPU v5p: "
local TRN2 = "AWS, Neuron documentation, Trainium2 architecture: "
local EC2 = "AWS, EC2 Trn2 instances and UltraServers: "
local GAUDI_3 = "Intel, Gaudi 3 AI accelerator white paper: "
local NDR_OF_8 = ": eight 400 Gb/s adapters for eight GPUs, both directions"

-- A level, and the sources of its size (none on the outermost), bandwidth and latency.
local function level(name, size, bandwidth, latency, sources)
    return { name = name, size = size, bandwidth = bandwidth, latency = latency },
        { size = sources[1], bandwidth = sources[2], latency = sources[3] }
end

-- An entry of two levels.
local function network(inner, inner_sources, outer, outer_sources)
    return { levels = { inner, outer }, sources = { inner_sources, outer_sources } }
end

-- GPUs joined by NVLink, and such nodes by one InfiniBand adapter or more.
local function nvidia(name, size, bandwidth, source, outer_bandwidth, outer_source)
    local inner, inner_sources = level(name, size, bandwidth, "1.125 us",
        { source, source .. ": NVLink", NVLINK_LATENCY })
    return network(inner, inner_sources, level("cluster", nil, outer_bandwidth, "1.125 us",
        { nil, outer_source, FABRIC_LATENCY }))
end

local networks = { order = {} }

-- Adds an entry of an inner and an outer level, each { name, size, bandwidth, latency, sources }.
local function add(id, inner, outer)
    local first, first_sources = level(table.unpack(inner, 1, 5))
    networks[id] = network(first, first_sources, level(table.unpack(outer, 1, 5)))
end

networks.dgx1_p100 = nvidia("node", 8, "160 GB/s", DGX_1,
    "12.5 GB/s", DGX_1 .. ": four 100 Gb/s adapters for eight GPUs, both directions")
networks.dgx1_v100 = nvidia("node", 8, "300 GB/s", DGX_1V,
    "12.5 GB/s", DGX_1V .. ": four 100 Gb/s adapters for eight GPUs, both directions")
networks.dgx2 = nvidia("node", 16, "300 GB/s", "NVIDIA, DGX-2 data sheet", "12.5 GB/s",
    "NVIDIA, DGX-2 data sheet: eight 100 Gb/s adapters for sixteen GPUs, both directions")
networks.dgx_a100 = nvidia("node", 8, "600 GB/s", DGX_A100,
    "50 GB/s", DGX_A100 .. ": eight 200 Gb/s adapters for eight GPUs, both directions")
networks.hgx_a800 = nvidia("node", 8, "400 GB/s", "NVIDIA, A800 Tensor Core GPU data sheet",
    "50 GB/s", "guess: the adapters of the DGX A100")
networks.dgx_h100 = nvidia("node", 8, "900 GB/s", "NVIDIA, DGX H100 data sheet",
    "100 GB/s", "NVIDIA, DGX H100 data sheet" .. NDR_OF_8)
networks.hgx_h800 = nvidia("node", 8, "400 GB/s", DEEPSEEK_V3,
    "100 GB/s", DEEPSEEK_V3 .. NDR_OF_8)
networks.hgx_h20 = nvidia("node", 8, "900 GB/s",
    "figures of the H20 that sellers and the press gave; NVIDIA publishes no data sheet",
    "100 GB/s", "guess: the adapters of the DGX H100")
networks.dgx_h200 = nvidia("node", 8, "900 GB/s", "NVIDIA, DGX H200 data sheet",
    "100 GB/s", "NVIDIA, DGX H200 data sheet" .. NDR_OF_8)
networks.dgx_b200 = nvidia("node", 8, "1800 GB/s", "NVIDIA, DGX B200 data sheet",
    "100 GB/s", "NVIDIA, DGX B200 data sheet" .. NDR_OF_8)
networks.gb200_nvl72 = nvidia("rack", 72, "1800 GB/s", NVL72,
    "100 GB/s", "NVIDIA, DGX GB200 data sheet: a 400 Gb/s adapter for each GPU, both directions")

add("pcie3_node",
    { "node", 8, "31.508 GB/s", "5 us", {
        "guess: a common number of cards in a server",
        PCIE_3 .. "16 lanes of 8 GT/s, 128b/130b code",
        BUS_LATENCY } },
    { "cluster", nil, "1.7045 GB/s", "1.125 us", { nil,
        "guess: one FDR InfiniBand adapter (54.5 Gb/s) for eight cards",
        FABRIC_LATENCY } })

add("rtx4090_node",
    { "node", 8, "63.015 GB/s", "5 us", {
        "guess: a common number of cards in a server",
        ADA .. "PCI Express 4.0, 16 lanes",
        BUS_LATENCY } },
    { "cluster", nil, "3.125 GB/s", "5 us", { nil,
        "guess: one 100 Gb/s Ethernet adapter for eight cards",
        ETHERNET_LATENCY } })

add("frontier",
    { "node", 4, "300 GB/s", "1.125 us", {
        FRONTIER .. "four MI250X a node",
        "guess: 50 GB/s in each direction to each of the three others, after the links of 50 to "
            .. "100 GB/s between dies in the guide",
        LINK_LATENCY } },
    { "cluster", nil, "50 GB/s", "1.125 us", { nil,
        FRONTIER .. "a 200 Gb/s Slingshot adapter for each MI250X, both directions",
        FABRIC_LATENCY } })

add("mi300x_node",
    { "node", 8, "896 GB/s", "1.125 us", {
        MI300X .. "eight GPUs",
        MI300X .. "seven Infinity Fabric links of 128 GB/s, both directions",
        LINK_LATENCY } },
    { "cluster", nil, "100 GB/s", "1.125 us", { nil,
        "guess: a 400 Gb/s adapter for each GPU, as such servers are sold",
        FABRIC_LATENCY } })

add("tpu_v3_pod",
    { "pod", 1024, "664 GB/s", "1.125 us", {
        TPU_V3 .. "1024 chips",
        TPU_V3 .. "340 TB/s of all-reduce in a pod, taken as one direction's",
        LINK_LATENCY } },
    { "data center", nil, "6.25 GB/s", "5 us", { nil,
        "guess: as the TPU v5e's",
        ETHERNET_LATENCY } })

add("tpu_v4_pod",
    { "pod", 4096, "537 GB/s", "1.125 us", {
        TPU_V4 .. "4096 chips",
        TPU_V4 .. "1.1 PB/s of all-reduce in a pod, taken as one direction's",
        LINK_LATENCY } },
    { "data center", nil, "12.5 GB/s", "5 us", { nil,
        "guess: as the TPU v5p's",
        ETHERNET_LATENCY } })

add("tpu_v5e_pod",
    { "pod", 256, "400 GB/s", "1.125 us", {
        TPU_V5E .. "256 chips",
        TPU_V5E .. "400 GB/s, bidirectional",
        LINK_LATENCY } },
    { "data center", nil, "6.25 GB/s", "5 us", { nil,
        TPU_V5E .. "6.4 Tb/s for a pod of 256, both directions",
        ETHERNET_LATENCY } })

add("tpu_v5p_pod",
    { "pod", 8960, "1200 GB/s", "1.125 us", {
        TPU_V5P .. "8960 chips",
        TPU_V5P .. "1200 GB/s, bidirectional",
        LINK_LATENCY } },
    { "data center", nil, "12.5 GB/s", "5 us", { nil,
        TPU_V5P .. "50 Gb/s a chip, both directions",
        ETHERNET_LATENCY } })

add("trn2",
    { "node", 16, "1.28 TB/s", "1.125 us", {
        EC2 .. "16 chips",
        TRN2 .. "NeuronLink, taken as both directions",
        LINK_LATENCY } },
    { "cluster", nil, "50 GB/s", "5 us", { nil,
        EC2 .. "3.2 Tb/s for 16 chips, both directions",
        ETHERNET_LATENCY } })

add("trn2_ultra",
    { "ultraserver", 64, "1.28 TB/s", "1.125 us", {
        EC2 .. "64 chips",
        TRN2 .. "NeuronLink, taken as both directions",
        LINK_LATENCY } },
    { "cluster", nil, "50 GB/s", "5 us", { nil,
        EC2 .. "12.8 Tb/s for 64 chips, both directions",
        ETHERNET_LATENCY } })

add("gaudi3_node",
    { "node", 8, "1050 GB/s", "5 us", {
        GAUDI_3 .. "eight accelerators",
        GAUDI_3 .. "21 of 24 ports of 200 Gb/s, both directions",
        ETHERNET_LATENCY } },
    { "cluster", nil, "150 GB/s", "5 us", { nil,
        GAUDI_3 .. "three ports of 200 Gb/s, both directions",
        ETHERNET_LATENCY } })

-- H100 nodes in sites of 16384 GPUs with a wide-area network between them.
networks.sites_h100 = nvidia("node", 8, "900 GB/s", "NVIDIA, DGX H100 data sheet",
    "100 GB/s", "NVIDIA, DGX H100 data sheet" .. NDR_OF_8)
networks.sites_h100.levels[2].name = "site"
networks.sites_h100.levels[2].size = 2048
networks.sites_h100.sources[2].size = "made up: sites of 16384 GPUs"
networks.sites_h100.levels[3], networks.sites_h100.sources[3] =
    level("world", nil, "1 GB/s", "10 ms", { nil,
        "guess: 4 Gb/s in each direction for a GPU, 65 Tb/s for a site",
        "guess: 2000 km of fibre at 200 km a millisecond" })

networks.order = {
    "pcie3_node", "dgx1_p100", "dgx1_v100", "dgx2", "dgx_a100", "hgx_a800", "dgx_h100",
    "hgx_h800", "hgx_h20", "dgx_h200", "dgx_b200", "gb200_nvl72", "rtx4090_node", "frontier",
    "mi300x_node", "tpu_v3_pod", "tpu_v4_pod", "tpu_v5e_pod", "tpu_v5p_pod", "trn2",
    "trn2_ultra", "gaudi3_node", "sites_h100",
}

return networks
