-- columns: what the tables of a sweep show, once for all formats.

local result = require "dtsim.result"
local units = require "dtsim.units"

-- Each column: title, value(result, sweep) -> number or text for files, text(result, sweep) for
-- people, short(result) where a screen shows it in another way. A column whose value is nil on
-- every row is left out.
local columns = {}

local function share(point, sweep)
    return point.utilization / sweep.settings.optimizer.gpu.utilization
end

local function column(name, title, value, text, short)
    columns[#columns + 1] = {name = name, title = title, value = value, text = text, short = short}
end

column("training_flop", "training FLOP", function(r) return r.model.training_flop end,
    function(r) return (("%.3e"):format(r.model.training_flop):gsub("e%+", "e")) end)
column("d_model", "d_model", function(r) return r.model.d_model end)
column("n_gpus", "GPUs", function(r) return r.n_gpus end, nil,
    function(r) return units.format(r.n_gpus, "count") end)
column("utilization", "utilization", function(r) return r.utilization end,
    function(r) return ("%.4f"):format(r.utilization) end)
column("share_of_sustained", "of sustained", share,
    function(r, s) return ("%.1f %%"):format(100 * share(r, s)) end)
column("time", "time", function(r) return r.time end,
    function(r) return ("%.2f months"):format(r.time / units.parse "1 month") end)
column("cost", "cost", function(r) return r.cost end,
    function(r) return units.format(r.cost, "money") end)
column("plan", "plan", function(r) return result.describe_plan(r.plan) end)

return columns
