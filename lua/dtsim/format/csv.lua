-- csv: a sweep as comma-separated values (RFC 4180), numbers in SI units.

local json = require "dtsim.json"

local format = {}

local PLAN = {"dp", "tp_model", "tp_ff", "pp", "ep", "microbatches", "interleave", "zero_bubble",
              "recompute"}
local PARTS = {"compute", "tp", "dp", "pp_ep", "bubble", "latency"}
local MODEL = {"training_flop", "d_model", "d_ff", "layers", "sparsity", "params", "tokens",
               "seq_len", "batch"}

local function quote(value)
    if value == nil then return "" end
    local text = type(value) == "number" and json.encode(value) or tostring(value)
    if text:find '[,"\r\n]' then return '"' .. text:gsub('"', '""') .. '"' end
    return text
end

local function levels_text(levels)
    local parts = {}
    for i = 1, #levels do parts[i] = levels[i] end
    return table.concat(parts, "x")
end

-- Names and values of one row, in order.
local function row_of(result)
    local names, values = {}, {}
    local function add(name, value)
        names[#names + 1] = name
        values[#names] = value == nil and "" or value
    end
    for _, name in ipairs(MODEL) do add(name, result.model[name]) end
    add("n_gpus", result.n_gpus)
    add("time_s", result.time)
    add("utilization", result.utilization)
    add("cost_usd", result.cost)
    add("energy_J", result.energy)
    add("memory_bytes", result.memory)
    for _, name in ipairs(PLAN) do add(name, result.plan[name]) end
    for _, kind in ipairs{"dp", "tp_model", "tp_ff", "pp", "ep"} do
        add(kind .. "_levels", levels_text(result.plan.levels[kind]))
    end
    for _, part in ipairs(PARTS) do add(part .. "_s", result.breakdown[part]) end
    for _, part in ipairs(PARTS) do add("exposed_" .. part .. "_s", result.exposed[part]) end
    return names, values
end

-- A sweep as CSV text with a header line.
function format.sweep(sweep)
    local lines = {}
    for i = 1, #sweep do
        local names, values = row_of(sweep[i])
        for j, value in ipairs(values) do values[j] = quote(value) end
        if i == 1 then lines[1] = table.concat(names, ",") end
        lines[#lines + 1] = table.concat(values, ",")
    end
    return table.concat(lines, "\r\n") .. "\r\n"
end

-- Rows of texts as CSV text, the first of titles.
function format.rows(rows)
    local lines = {}
    for i, row in ipairs(rows) do
        local values = {}
        for j, value in ipairs(row) do values[j] = quote(value) end
        lines[i] = table.concat(values, ",")
    end
    return table.concat(lines, "\r\n") .. "\r\n"
end

-- A study as CSV text: the points of all configurations, whose names are the first column.
function format.study(study)
    local lines = {}
    for _, answer in ipairs(study:results()) do
        for i = 1, #answer.sweep do
            local names, values = row_of(answer.sweep[i])
            for j, value in ipairs(values) do values[j] = quote(value) end
            if #lines == 0 then lines[1] = "configuration," .. table.concat(names, ",") end
            lines[#lines + 1] = quote(answer.configuration.name) .. ","
                .. table.concat(values, ",")
        end
    end
    return table.concat(lines, "\r\n") .. "\r\n"
end

return format
