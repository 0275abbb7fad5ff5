-- stored_shape: what the plain tables of a saved study must look like before they are read, so that
-- a file that was cut, changed or made up by hand is refused with the place of what is wrong.
--
-- docs/schema.md says what the fields mean. The values of GPUs, networks, laws and settings are
-- checked where these are made.

local core = require "dtsim.core"

local shape = {}

-- A shape is the name of a type of Lua, with "?" if the value may be absent; { list = shape }; or a
-- table of shapes by field. Fields that it does not name are not looked at.
local NUMBERS = {list = "number"}

local function numbers_of(...)
    local fields = {}
    for _, name in ipairs{...} do fields[name] = "number" end
    return fields
end

local TIMES = numbers_of("compute", "tp", "dp", "pp_ep", "bubble", "latency")

local PLAN = numbers_of("dp", "tp_model", "tp_ff", "pp", "ep", "microbatches", "interleave")
PLAN.zero_bubble, PLAN.recompute = "boolean", "boolean"
PLAN.levels = {dp = NUMBERS, tp_model = NUMBERS, tp_ff = NUMBERS, pp = NUMBERS, ep = NUMBERS}

shape.point = {
    n_gpus = "number", time = "number", utilization = "number", memory = "number",
    fits = "boolean?", cost = "number?", energy = "number?", model = "table", plan = PLAN,
    breakdown = TIMES, exposed = TIMES,
    level_times = {tp = NUMBERS, dp = NUMBERS, pp_ep = NUMBERS},
    matmul_times = numbers_of("compute", "memory", "l2", "shared", "latency"),
    search = "table?",
}

shape.results = {points = {list = shape.point}, end_reason = "string?", interrupted = "boolean?"}

shape.configuration = {name = "string", gpu = "table", network = "table", laws = "table",
                       overlap = "table?", schedules = "table?", options = "table?",
                       results = "table?"}

shape.study = {title = "string?", configurations = {list = "table"}}

local WORDS = {number = "a number", string = "a text", boolean = "true or false",
               table = "an object or a list", list = "a list", object = "an object"}

-- What is wrong with a value: a sentence that starts with the place; nil if it has the shape.
-- where: the place of the value, "" at the top.
function shape.fault(value, wanted, where)
    local function refuse(what)
        return ("%s%s%s is due, %s"):format(where, where == "" and "" or ": ", WORDS[what],
            core.got(value))
    end
    if type(wanted) == "string" then
        local kind, optional = wanted:match "^(%a+)(%??)$"
        if type(value) == kind or (value == nil and optional == "?") then return nil end
        return refuse(kind)
    end
    if type(value) ~= "table" then return refuse(wanted.list and "list" or "object") end
    if wanted.list then
        for key in pairs(value) do
            if math.type(key) ~= "integer" then return refuse "list" end
        end
        for i, item in ipairs(value) do
            local fault = shape.fault(item, wanted.list, ("%s[%d]"):format(where, i))
            if fault then return fault end
        end
        return nil
    end
    local names = {}
    for name in pairs(wanted) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
        local fault = shape.fault(value[name], wanted[name],
            where == "" and name or where .. "." .. name)
        if fault then return fault end
    end
end

return shape
