-- How large a run can exactly 24,576 or exactly 100,000 H100s finish in three months?
--
-- Source: dtsim's own question. 24,576 GPUs is the size of Meta's two clusters of 2024 (Engineering
-- at Meta, "Building Meta's GenAI infrastructure", March 2024); 100,000 that of xAI's first. As
-- 100,000 = 2^5 * 5^5, no model of the paper's rounded laws splits over all of them; a model made
-- for them has layers in multiples of 125 and batches in multiples of 800 sequences.

local dtsim = require "dtsim"
local format = dtsim.units.format

dtsim.arguments(arg, [[
usage: dtsim exact_clusters.lua [--out DIR]
Prints the answer; writes no file.]], {out = "."})

local h100 = dtsim.systems.h100
local optimizer = dtsim.optimizer{gpu = h100.gpu, network = h100.network}

-- The multiple of `step` nearest to x, one of it at least.
local function multiple(x, step)
    return math.tointeger(step * math.max(1, math.floor(x / step + 0.5)))
end
local laws = dtsim.laws{
    name = "made for 100,000 GPUs",
    layers = function(d_model, d_ff) return multiple(0.10056 * (d_model * d_ff) ^ 0.3751, 125) end,
    batch = function(compute, seq_len)
        return multiple((compute / 3e23) ^ (1 / 6) * 2048 ^ 2 / seq_len, 800)
    end,
}

local rows = {{"question", "GPUs", "compute", "parameters", "utilization", "months", "plan"}}
local function ask(label, question)
    question.d_model = dtsim.widths.between(12288, 65536)
    local point = optimizer:largest_run(question).result
    rows[#rows + 1] = {
        label, ("%d"):format(point.n_gpus), format(point.model.training_flop, "flop"),
        format(point.model.params, "count"), ("%.3f"):format(point.utilization),
        ("%.2f"):format(point.time / dtsim.units.parse "1 month"), tostring(point.plan),
    }
end
ask("exactly 24,576", {n_gpus = 24576})
ask("at most 100,000, the paper's laws", {max_gpus = 100000})
ask("exactly 100,000, a model made for them", {n_gpus = 100000, laws = laws})
print(dtsim.align(rows))
