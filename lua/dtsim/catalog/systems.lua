--- Systems that dtsim knows, each a GPU with its network: plain data.
-- May use: nothing. dtsim.systems.NAME is made from it.
--
-- `gpu` and `network` are keys of the catalogs of GPUs and of networks, where the numbers and
-- their sources stand; `name` is what the paper's simulator (arXiv 2411.01137) calls the system.
-- To add a system, add an entry and its key to `order`.

return {
    order = {
        "gtx580", "v100", "a100", "h100", "h100_pcie", "h100_superpod", "h100_low_latency",
        "h100_global_nvlink", "h100_global_nvlink_ll", "h100_infinite_ll", "h100_scaled",
        "h100_four_levels",
        "k40", "p100", "v100_dgx2", "a100_80gb", "a800", "h800", "h20", "h200", "b200",
        "gb200_nvl72",
        "rtx4090", "h100_sites", "mi250x", "mi300x", "tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p",
        "trainium2", "trainium2_ultra", "gaudi3",
    },

    gtx580 = { name = "GTX 580", gpu = "gtx580", network = "gtx580" },
    v100 = { name = "V100 SXM", gpu = "v100", network = "v100" },
    a100 = { name = "A100 SXM", gpu = "a100", network = "a100" },
    h100 = { name = "H100 SXM", gpu = "h100", network = "h100" },

    -- There is no standard system of it; the simulator takes the network of the DGX H100.
    h100_pcie = { name = "H100 PCIe", gpu = "h100_pcie", network = "h100" },

    h100_superpod = { name = "H100 SXM Superpod", gpu = "h100", network = "h100_superpod" },
    h100_low_latency = {
        name = "H100 SXM Low Latency", gpu = "h100_low_latency", network = "h100_low_latency",
    },
    h100_global_nvlink = {
        name = "H100 SXM Global NVLink", gpu = "h100", network = "h100_global_nvlink",
    },
    h100_global_nvlink_ll = {
        name = "H100 SXM Global NVLink and LL",
        gpu = "h100_low_latency", network = "h100_global_nvlink_ll",
    },
    h100_infinite_ll = {
        name = "H100 SXM Infinite Network and LL",
        gpu = "h100_low_latency", network = "h100_infinite_ll",
    },
    h100_scaled = { name = "H100 SXM Scaled", gpu = "h100_scaled", network = "h100_scaled" },

    -- Not one of the simulator's: for trying out a hierarchy deeper than three levels.
    h100_four_levels = {
        name = "H100 SXM four levels", gpu = "h100", network = "h100_four_levels",
    },

    -- The common accelerators in the machines that they are sold in.
    k40 = { name = "Tesla K40 servers", gpu = "k40", network = "pcie3_node" },
    p100 = { name = "DGX-1 with P100", gpu = "p100", network = "dgx1_p100" },
    v100_dgx2 = { name = "DGX-2", gpu = "v100", network = "dgx2" },
    a100_80gb = { name = "DGX A100 80 GB", gpu = "a100_80gb", network = "dgx_a100" },
    a800 = { name = "HGX A800", gpu = "a800", network = "hgx_a800" },
    h800 = { name = "HGX H800", gpu = "h800", network = "hgx_h800" },
    h20 = { name = "HGX H20", gpu = "h20", network = "hgx_h20" },
    h200 = { name = "DGX H200", gpu = "h200", network = "dgx_h200" },
    b200 = { name = "DGX B200", gpu = "b200", network = "dgx_b200" },
    gb200_nvl72 = { name = "GB200 NVL72", gpu = "gb200", network = "gb200_nvl72" },
    rtx4090 = { name = "RTX 4090 servers", gpu = "rtx4090", network = "rtx4090_node" },
    h100_sites = { name = "H100 SXM in sites apart", gpu = "h100", network = "sites_h100" },
    mi250x = { name = "Frontier (MI250X)", gpu = "mi250x", network = "frontier" },
    mi300x = { name = "MI300X servers", gpu = "mi300x", network = "mi300x_node" },
    tpu_v3 = { name = "TPU v3 pods", gpu = "tpu_v3", network = "tpu_v3_pod" },
    tpu_v4 = { name = "TPU v4 pods", gpu = "tpu_v4", network = "tpu_v4_pod" },
    tpu_v5e = { name = "TPU v5e pods", gpu = "tpu_v5e", network = "tpu_v5e_pod" },
    tpu_v5p = { name = "TPU v5p pods", gpu = "tpu_v5p", network = "tpu_v5p_pod" },
    trainium2 = { name = "Trn2 instances", gpu = "trainium2", network = "trn2" },
    trainium2_ultra = { name = "Trn2 UltraServers", gpu = "trainium2", network = "trn2_ultra" },
    gaudi3 = { name = "Gaudi 3 servers", gpu = "gaudi3", network = "gaudi3_node" },
}
