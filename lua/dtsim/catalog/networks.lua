--- Networks that dtsim knows: plain data, a source beside each number.
-- May use: the files below catalog/networks. dtsim.networks.NAME is made from it.
--
-- An entry holds `levels`, what dtsim.network takes: innermost first; how many units of the
-- level below one unit joins (`size`, but for the outermost), the bandwidth per GPU, reads plus
-- writes (so twice what a link sends in one direction), and the latency of one transfer.
-- `sources[i]` says where the numbers of level i come from; a source that begins with "guess:" is
-- none. To add a network, add an entry and its key to `order` in one of the files.

return require "dtsim.catalog.merge" {
    "dtsim.catalog.networks.paper", "dtsim.catalog.networks.links",
    "dtsim.catalog.networks.machines",
}
