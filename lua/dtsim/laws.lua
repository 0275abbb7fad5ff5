-- laws: how depth, sparsity, batch and data grow with the model, each replaceable.
--
-- Source of the paper's laws: "Data movement limits to frontier model training" (arXiv
-- 2411.01137), section on scaling laws, and the authors' simulator.

local core = require "dtsim.core"
local messages = require "dtsim.messages"
local record = require "dtsim.record"

local laws = {}

-- The element of { f * 2^i : f in {1, 3, 5, 7, 9}, i = 0 .. 59 } nearest to x (the smaller on a
-- tie). x: a number above 0. Source: the authors' simulator.
function laws.near(x)
    local best, distance
    for factor = 1, 9, 2 do
        -- The largest of factor * 2^i at or below x (or the factor itself), and the next one.
        local i = math.max(math.floor(math.log(x / factor, 2)), 0)
        local low = factor * 2.0 ^ math.min(i, 58)
        for candidate = low, 2 * low, low do
            local d = math.abs(candidate - x)
            if not best or d < distance or (d == distance and candidate < best) then
                best, distance = candidate, d
            end
        end
    end
    return best
end

local near = laws.near

-- Depth. Source: arXiv 2411.01137, fitted on published models.
function laws.paper_layers(d_model, d_ff)
    return near(0.10056 * (d_model * d_ff) ^ 0.3751)
end

-- Sparsity of a dense model.
function laws.dense() return 1 end

-- Sparsity that grows with the model: 8 at the width of GPT-3. Source: arXiv 2411.01137.
function laws.paper_sparsity(d_model, d_ff)
    return near(8 * math.sqrt(d_model * d_ff / (4 * 12288 ^ 2)))
end

-- Critical batch in sequences: 4 Mi tokens at 3e23 FLOP, growing as the sixth root of the training
-- compute and the square root of the sparsity. Source: arXiv 2411.01137.
function laws.paper_batch(compute, seq_len, sparsity)
    return sparsity
        * near(math.sqrt(sparsity) * (compute / 3e23) ^ (1 / 6) * 2048 ^ 2 / seq_len / sparsity)
end

-- Critical batch in sequences by DeepSeek's fit. Source: DeepSeek LLM (arXiv 2401.02954),
-- section 3.1: batch of 0.2920 C^0.3271 tokens.
function laws.deepseek_batch_law(compute, seq_len, sparsity)
    return sparsity
        * near(math.sqrt(sparsity) * 0.2920 * compute ^ 0.3271 / seq_len / sparsity)
end

-- A batch of 4 Mi tokens, whatever the model.
function laws.constant_batch_law(_, seq_len) return (2 ^ 22) // seq_len end

-- Tokens: 20 per parameter. Source: Hoffmann et al. 2022 (arXiv 2203.15556).
function laws.chinchilla(params) return 20 * params end

-- Each law of a set: its arguments' names, whether its result is a count, and what of.
local KINDS = {
    layers = {arguments = {"d_model", "d_ff"}, count = true},
    sparsity = {arguments = {"d_model", "d_ff"}, count = true},
    batch = {arguments = {"compute", "seq_len", "sparsity"}, count = true},
    dataset = {arguments = {"params"}, count = false},
}
local ORDER = {"layers", "sparsity", "batch", "dataset"}

local function describe_call(name, values)
    local texts = {}
    for i, argument in ipairs(KINDS[name].arguments) do
        texts[i] = ("%s = %s"):format(argument, ("%.14g"):format(values[i]))
    end
    return ("law %s(%s)"):format(name, table.concat(texts, ", "))
end

-- Calls a law once and checks what comes back.
local function call(set, name, ...)
    local value = set[name](...)
    local count = KINDS[name].count
    local fine = type(value) == "number" and value == value and value > 0 and value < math.huge
        and (not count or (value % 1 == 0 and value <= 2 ^ 62))
    if not fine then
        core.raise(("%s must return %s, %s"):format(describe_call(name, {...}),
            count and "a whole number from 1 to 2^62" or "a finite number above 0",
            core.got(value)))
    end
    return count and math.tointeger(value) or value
end

-- A width or length as an integer; `what` names it in messages.
local function whole(value, what)
    local integer = math.type(value) and math.tointeger(value)
    if not integer or integer < 1 then
        core.raise(("%s must be a whole number above 0, %s"):format(what, core.got(value)))
    end
    return integer
end

-- The model of a width; see methods.model. what: the call, for messages.
function laws.make_model(self, d_model, d_ff, seq_len, what)
    d_model = whole(d_model, what .. ": d_model")
    d_ff = d_ff == nil and 4 * d_model or whole(d_ff, what .. ": d_ff")
    seq_len = seq_len == nil and 2048 or whole(seq_len, what .. ": seq_len")
    local fields = {d_model = d_model, d_ff = d_ff, seq_len = seq_len, batch = 1}
    fields.layers = call(self, "layers", d_model, d_ff)
    fields.sparsity = call(self, "sparsity", d_model, d_ff)
    local draft = core.model(fields)
    fields.tokens = call(self, "dataset", draft.params)
    draft = core.model(fields)
    fields.batch = call(self, "batch", draft.training_flop, seq_len, fields.sparsity)
    return core.model(fields)
end

local methods = {}

-- The model of a width. d_model, d_ff: widths (d_ff: 4 d_model if nil); seq_len: tokens in a
-- sequence (2048 if nil). Each law is called once. Returns a dtsim.model.
function methods.model(self, d_model, d_ff, seq_len)
    return laws.make_model(self, d_model, d_ff, seq_len, "laws:model")
end

local make = record.type{
    name = "set of laws",
    fields = {"name", "layers", "sparsity", "batch", "dataset", "names"},
    methods = methods,
    show = function(self) return "laws " .. self.name end,
}

-- Names of the library's own law functions, for saved results.
local function function_name(value)
    for name, known in pairs(laws) do
        if known == value then return name end
    end
    return "custom"
end

-- A set of laws. given: { name =, layers =, sparsity =, batch =, dataset = }, each law a function
-- as in KINDS; where one is absent the paper's dense one. Errors: unknown names, laws that are no
-- functions.
function laws.new(given)
    if type(given) ~= "table" then
        core.raise("laws must be given as a table such as { batch = f }, " .. core.got(given))
    end
    for key, value in pairs(given) do
        if key ~= "name" and not KINDS[key] then
            core.raise(messages.unknown("laws", "law", key, ORDER))
        elseif KINDS[key] and type(value) ~= "function" then
            core.raise(("laws: %s must be a function of (%s), %s"):format(key,
                table.concat(KINDS[key].arguments, ", "), core.got(value)))
        elseif key == "name" and type(value) ~= "string" then
            core.raise("laws: name must be a text, " .. core.got(value))
        end
    end
    local set = {
        name = given.name or "custom",
        layers = given.layers or laws.paper_layers,
        sparsity = given.sparsity or laws.dense,
        batch = given.batch or laws.paper_batch,
        dataset = given.dataset or laws.chinchilla,
    }
    local names = {}
    for _, kind in ipairs(ORDER) do names[kind] = function_name(set[kind]) end
    set.names = record.frozen(names)
    return make(set)
end

-- A changed copy; its name is "custom" unless a new one is given.
function methods.with(self, changes)
    local copy = {}
    for _, kind in ipairs(ORDER) do copy[kind] = self[kind] end
    for key, value in pairs(record.changes(changes, "laws")) do copy[key] = value end
    return laws.new(copy)
end

-- Whether a value is a set of laws.
function laws.is_set(value) return record.name_of(value) == "set of laws" end

laws.paper_dense = laws.new{name = "paper_dense"}
laws.paper_sparse = laws.new{name = "paper_sparse", sparsity = laws.paper_sparsity}
laws.deepseek_batch = laws.new{name = "deepseek_batch", batch = laws.deepseek_batch_law}
laws.constant_batch = laws.new{name = "constant_batch", batch = laws.constant_batch_law}

-- dtsim.laws{ ... } makes a set. A misspelt name is an error, not nil.
return setmetatable(laws, {
    __call = function(_, given) return laws.new(given) end,
    __index = function(_, name)
        local names = {}
        for known in pairs(laws) do names[#names + 1] = known end
        table.sort(names)
        core.raise(messages.unknown("dtsim.laws", "field", name, names))
    end,
})
