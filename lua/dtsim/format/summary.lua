-- summary: a study's configurations in a row each: where linear scaling ends, and how far it goes.

local units = require "dtsim.units"

local summary = {}

-- Training compute as tables show it: 2.05e28.
function summary.flop(x) return (("%.2e"):format(x):gsub("e%+", "e")) end

local function flop(point) return point and summary.flop(point.model.training_flop) or "none" end

local function percent(x) return ("%.1f %%"):format(100 * x) end

-- The rows of the summary as texts, the first of titles. A configuration that was not run says so.
function summary.rows(study)
    local rows = {{"configuration", "largest above 80 %", "GPUs there",
                   "first at or below", "last feasible", "utilization there"}}
    local found = {}
    for _, answer in ipairs(study:results()) do found[answer.configuration] = answer.sweep end
    for _, row in ipairs(study) do
        local sweep = found[row]
        local line = {row.name, "not run", "", "", "", ""}
        if sweep then
            local largest, last = sweep:largest(), sweep[#sweep]
            line = {row.name, flop(largest),
                    largest and units.format(largest.n_gpus, "count") or "",
                    flop((sweep:linear_scaling_end())), flop(last),
                    last and percent(last.utilization) or ""}
        end
        rows[#rows + 1] = line
    end
    return rows
end

return summary
