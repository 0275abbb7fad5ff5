-- laws: how depth, sparsity, batch and data grow with the model, each replaceable.
--
-- A law is a Lua function, a formula (dtsim.formula) or the name of a law of the catalog,
-- dtsim.laws.catalog, where the sources stand.

local core = require "dtsim.core"
local json = require "dtsim.json"
local messages = require "dtsim.messages"
local near = require "dtsim.laws.near"
local record = require "dtsim.record"

local laws = {near = near}

-- The text of each law that was given as a formula.
local texts = setmetatable({}, {__mode = "k"})

-- Each law of a set: the names of a function's arguments; the names that a formula may use, all
-- spellings of each; whether the result is a count.
local WIDTHS = {{"d_model", whole = true}, {"d_ff", whole = true}}
local KINDS = {
    layers = {arguments = {"d_model", "d_ff"}, variables = WIDTHS, count = true},
    sparsity = {arguments = {"d_model", "d_ff"}, variables = WIDTHS, count = true},
    batch = {arguments = {"compute", "seq_len", "sparsity"}, count = true,
             variables = {{"C", "compute"}, {"seq", "seq_len", whole = true},
                          {"E", "sparsity", whole = true}, {"D", "tokens"}, {"N", "params"}}},
    dataset = {arguments = {"params"}, count = false,
               variables = {{"N", "params"}, {"E", "sparsity", whole = true}}},
}
local ORDER = {"layers", "sparsity", "batch", "dataset"}

-- What a formula gives for a count becomes one as in the paper's laws: the nearest round number,
-- and a batch that many times the sparsity. What can be no count stays, to be refused.
local function to_count(kind, x, sparsity)
    if not (x > 0 and x < math.huge) then return x end
    if kind == "batch" then return sparsity * near(x / sparsity) end
    return near(x)
end

-- The law of a formula's text, as a function. A formula of a count whose form makes it no whole
-- number is rounded by near; floor(...), ceil(...), round(...), near(...), whole numbers, counts
-- and their sums and products stay as they are. Errors: what is wrong with the formula.
local function from_text(kind, text)
    local call, whole = require "dtsim.formula".try(text, KINDS[kind].variables)
    if not call then core.raise(("laws: %s: %s"):format(kind, whole)) end
    local law = call
    if KINDS[kind].count and not whole then
        law = function(...) return to_count(kind, call(...), (select(3, ...))) end
    end
    texts[law] = text
    return law
end

-- The functions that dtsim.laws has by name, and which law each is.
local law_of_name = {}

-- The value of a parameter of a maker: a number above 0, whole unless fractions make sense.
local function check_parameter(row, i, value)
    local fine = type(value) == "number" and value > 0 and value < math.huge
        and (row.fraction or value % 1 == 0)
    if not fine then
        core.raise(("laws.%s: %s must be a %snumber above 0, got %s"):format(row.name,
            row.parameters[i], row.fraction and "" or "whole ", tostring(value)))
    end
    return row.fraction and value or math.tointeger(value) or value
end

local function maker(row)
    return function(...)
        local values = {}
        for i in ipairs(row.parameters) do
            values[i] = check_parameter(row, i, (select(i, ...)))
        end
        local fine, rule = true, nil
        if row.check then fine, rule = row.check(table.unpack(values)) end
        if not fine then
            core.raise(("laws.%s: %s, got %s"):format(row.name, rule,
                table.concat(values, " and ")))
        end
        return from_text(row.law, row.make(table.unpack(values)))
    end
end

local make_row = record.type{
    name = "law",
    fields = {"name", "law", "help", "source", "formula", "parameters"},
    show = function(self)
        local what = self.formula or ("%s(%s)"):format(self.name, self.parameters)
        return ("%s %s: %s"):format(self.law, self.name, what)
    end,
}

-- dtsim.laws.catalog: records in order, each with name, law, help, source, and either formula or
-- parameters (of a function that makes the law).
local rows = {}
for i, row in ipairs(require "dtsim.laws.catalog") do
    laws[row.name] = row.call or maker(row)
    if row.call then law_of_name[row.name] = row.law end
    rows[i] = make_row{
        name = row.name, law = row.law, help = row.help, source = row.source,
        formula = row.formula,
        parameters = row.parameters and table.concat(row.parameters, ", "),
    }
end
laws.catalog = record.list(rows)

local function describe_call(name, values)
    local parts = {}
    for i, argument in ipairs(KINDS[name].arguments) do
        parts[i] = ("%s = %s"):format(argument, ("%.14g"):format(values[i]))
    end
    return ("law %s(%s)"):format(name, table.concat(parts, ", "))
end

-- Calls a law once and checks what comes back. A user's function gets the arguments of KINDS, a
-- formula and a law of the catalog what follows them too.
local function call(set, name, ...)
    local last = set.names[name] == "custom" and #KINDS[name].arguments or select("#", ...)
    local value = set[name](table.unpack({...}, 1, last))
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

-- The model of a width; see methods.model. what: the call, for messages. Behind the arguments of
-- KINDS the batch law is given the tokens and the parameters, and the law of data the sparsity.
function laws.make_model(self, d_model, d_ff, seq_len, what)
    d_model = whole(d_model, what .. ": d_model")
    d_ff = d_ff == nil and 4 * d_model or whole(d_ff, what .. ": d_ff")
    seq_len = seq_len == nil and 2048 or whole(seq_len, what .. ": seq_len")
    local fields = {d_model = d_model, d_ff = d_ff, seq_len = seq_len, batch = 1}
    fields.layers = call(self, "layers", d_model, d_ff)
    fields.sparsity = call(self, "sparsity", d_model, d_ff)
    local draft = core.model(fields)
    fields.tokens = call(self, "dataset", draft.params, fields.sparsity)
    draft = core.model(fields)
    fields.batch = call(self, "batch", draft.training_flop, seq_len, fields.sparsity,
        fields.tokens, draft.params)
    return core.model(fields)
end

local methods = {}

-- The model of a width. d_model, d_ff: widths (d_ff: 4 d_model if nil); seq_len: tokens in a
-- sequence (2048 if nil). Each law is called once. Returns a dtsim.model.
function methods.model(self, d_model, d_ff, seq_len)
    return laws.make_model(self, d_model, d_ff, seq_len, "laws:model")
end

-- Draws each law over training compute.
-- path: of a file that ends in .svg, .png or .pdf; nil for the terminal. options: d_model (a list
-- of widths), seq_len (2048 tokens), and title, width, height, columns and rows as in
-- dtsim.plot.draw. Returns true. Errors: as dtsim.plot.draw.
function methods.plot(self, path, options)
    if options ~= nil and type(options) ~= "table" then
        core.raise("laws:plot: options must be a table, " .. core.got(options))
    end
    local rest = {}
    for key, value in pairs(options or {}) do rest[key] = value end
    local d_model, seq_len = rest.d_model, rest.seq_len
    rest.d_model, rest.seq_len = nil, nil
    if d_model ~= nil and (type(d_model) ~= "table" or #d_model == 0) then
        core.raise("laws:plot: d_model must be a list of widths, " .. core.got(d_model))
    end
    local figure = require "dtsim.plot.laws".figure(self, d_model, seq_len)
    return require "dtsim.plot".draw(figure, path, rest)
end

local make = record.type{
    name = "set of laws",
    fields = {"name", "layers", "sparsity", "batch", "dataset", "names"},
    methods = methods,
    show = function(self) return "laws " .. self.name end,
}

-- What a law is saved as: a formula's text, or the name of one of the library's own; "custom" for
-- any other function, which cannot be saved.
local function text_of(law)
    if texts[law] then return texts[law] end
    for name in pairs(law_of_name) do
        if laws[name] == law then return name end
    end
    return "custom"
end

-- The function of a law that is given as text: a name of the catalog, or a formula.
local function read_text(kind, text)
    local owner = law_of_name[text]
    if owner == kind then return laws[text] end
    if owner then
        core.raise(("laws: %s: %s is a law of %s"):format(kind, text, owner))
    elseif text == "custom" then
        core.raise(("laws: %s: 'custom' stands for a Lua function that was not saved; give it "
            .. "again"):format(kind))
    end
    return from_text(kind, text)
end

local function read_law(kind, value)
    if type(value) == "function" then return value end
    if type(value) == "string" then return read_text(kind, value) end
    if type(value) == "number" and value == value then
        return from_text(kind, (json.encode(value):gsub('"', "")))
    end
    core.raise(("laws: %s must be a function of (%s), a formula or the name of a law, %s"):format(
        kind, table.concat(KINDS[kind].arguments, ", "), core.got(value)))
end

local DEFAULTS = {layers = "paper_layers", sparsity = "dense", batch = "paper_batch",
                  dataset = "chinchilla"}

-- A set of laws. given: { name =, layers =, sparsity =, batch =, dataset = }, each law
--   a Lua function of the arguments in KINDS,
--   a formula, such as batch = "sqrt(E) * 4 Mi * (C / 3e23)^(1/6) / seq", over
--     layers, sparsity: d_model, d_ff
--     batch (sequences): C or compute (FLOP), seq or seq_len (tokens), E or sparsity,
--                        D or tokens (of data), N or params
--     dataset (tokens): N or params, E or sparsity,
--   the name of a law of dtsim.laws.catalog, or a number;
-- where one is absent, the paper's dense one. Layers, sparsity and batch are counts: a formula that
-- is no whole number by its form is rounded as the paper's laws are, by near(x), or E * near(x / E)
-- for a batch. Errors: unknown names, values of another type, formulas with a mistake.
function laws.new(given)
    if type(given) ~= "table" then
        core.raise("laws must be given as a table such as { batch = f }, " .. core.got(given))
    end
    for key, value in pairs(given) do
        if key ~= "name" and not KINDS[key] then
            core.raise(messages.unknown("laws", "law", key, ORDER))
        elseif key == "name" and type(value) ~= "string" then
            core.raise("laws: name must be a text, " .. core.got(value))
        end
    end
    local set, names = {name = given.name or "custom"}, {}
    for _, kind in ipairs(ORDER) do
        set[kind] = given[kind] == nil and laws[DEFAULTS[kind]] or read_law(kind, given[kind])
        names[kind] = text_of(set[kind])
    end
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

-- The sets that have a name. To add one, add a row.
for _, row in ipairs{
    {"paper_dense"},
    {"paper_sparse", sparsity = "paper_sparsity"},
    {"deepseek_batch", batch = "deepseek_batch_law"},
    {"constant_batch", batch = "constant_batch_law"},
    {"sqrt_data_batch", batch = "sqrt_data_batch_law"},
    {"hoffmann_depth", layers = "hoffmann_layers"},
    {"halved_depth", layers = "halved_layers"},
} do
    local name = row[1]
    row[1], row.name = nil, name
    laws[name] = laws.new(row)
end

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
