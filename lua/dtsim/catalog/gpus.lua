--- GPUs and other accelerators that dtsim knows: plain data, a source beside each number.
-- May use: the files below catalog/gpus. dtsim.gpus.NAME is made from it.
--
-- An entry holds the fields of dtsim.gpu, quantities as text with their unit (or plain numbers
-- in SI units), and in `sources` where each of them comes from. A source that begins with
-- "guess:" is none: it says what the number was put together from. `hypothetical = true` marks
-- hardware that nobody makes; nothing is ever filled in from it. To add a GPU, add an entry and
-- its key to `order` in one of the files.

return require "dtsim.catalog.merge" {
    "dtsim.catalog.gpus.paper", "dtsim.catalog.gpus.nvidia", "dtsim.catalog.gpus.others",
}
