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
}
