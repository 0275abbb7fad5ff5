-- topics: all that help tells, once, for the terminal, the man page, docs/api.md and completion.
--
-- A topic is a table:
--   name      how scripts write it: "dtsim.gpu", "gpu:matmul", or a word for a concept
--   summary   one line
--   usage     how it is written
--   text      more, paragraphs with an empty line between them; optional
--   object    a type of dtsim.core.fields: its fields are the topic's
--   items     the topic of what a list in the braces holds
--   options   a list of dtsim.core.fields whose rows come behind the topic's own
--   rows      arguments or fields that are not in dtsim.core.fields: { name, help, kind (of
--             quantity), unit (for printing), required, default (text), positional (is no field
--             of a table), fields (topic that tells what is in the table) }
--   defaults, required   by name, for fields with rules of their own; texts
--   returns, source, see (list of names); optional
--   example   lines at the prompt ("> " and ">> ") with what is printed below them, or what an
--             error says. The tests run them all.
-- The tests fail for a public name without a topic: add it to the file below that fits. Only laws
-- bring their own (dtsim.laws.catalog).

local core = require "dtsim.core"
local record = require "dtsim.record"

local FILES = {"concepts", "hardware", "workload", "optimizer", "answers", "studies",
               "closed_forms", "training", "library"}

local topics = {list = {}, by_name = {}}

-- How help writes the methods of records whose name is none for a variable: laws:model.
topics.method_prefix = {["set of laws"] = "laws", grid = "sensitivity",
                        monte_carlo = "sensitivity", tornado = "sensitivity"}

-- The topic of a method of a kind of object.
function topics.of_method(kind, method)
    if method == "with" then return topics.by_name["x:with"] end
    return topics.by_name[("%s:%s"):format(topics.method_prefix[kind] or kind, method)]
end

-- What a value of the library is ("gpu", "result", "sweep"; nil for any other), with its methods
-- by name and a list of its fields.
function topics.kind_of(value)
    local kind = type(value) == "userdata" and core.type(value)
    local fields = {}
    if kind then
        for i, row in ipairs(core.fields[kind]) do fields[i] = row.name end
        return kind, core.methods(kind), fields
    end
    local definition = record.type_of(value)
    if definition then return definition.name, definition.methods, definition.fields end
end

-- A row of dtsim.core.fields as a row of help; the topic knows what the core does not.
local function complete(row, topic)
    local default = topic.defaults and topic.defaults[row.name]
    if default == nil and row.default ~= nil then
        local number = math.type(row.default) and math.tointeger(row.default)
        default = tostring(number or row.default)
    end
    local required = row.presence == "required" or topic.required and topic.required[row.name]
    return {
        name = row.name, help = row.help, kind = row.kind, allowed = row.allowed,
        default = default, required = required or false, computed = row.presence == "derived",
    }
end

local function fill(topic)
    local rows = {}
    topic.text = topic.text and topic.text:gsub("([^\n])\n([^\n])", "%1 %2")
    if topic.object then
        for i, row in ipairs(core.fields[topic.object]) do rows[i] = complete(row, topic) end
    end
    for _, row in ipairs(topic.rows or {}) do rows[#rows + 1] = row end
    if topic.options then
        for _, row in ipairs(core.fields[topic.options]) do
            local known = false
            for _, other in ipairs(rows) do known = known or other.name == row.name end
            if not known then rows[#rows + 1] = complete(row, {}) end
        end
    end
    topic.rows = rows
end

local function add(topic)
    fill(topic)
    topics.list[#topics.list + 1] = topic
    topics.by_name[topic.name] = topic
end

-- The laws of the catalog bring their texts with them.
local function add_laws()
    for _, law in ipairs(require "dtsim.laws.catalog") do
        local parameters = law.parameters and ("(%s)"):format(table.concat(law.parameters, ", "))
        local name = "dtsim.laws." .. law.name
        add{
            name = name, summary = ("a law of %s: %s"):format(law.law, law.help),
            usage = name .. (parameters or ""), source = law.source, from_catalog = true,
            text = law.formula and "Its formula: " .. law.formula,
        }
    end
end

for _, file in ipairs(FILES) do
    for _, topic in ipairs(require("dtsim.help." .. file)) do add(topic) end
    if file == "workload" then add_laws() end
end

-- The topic that tells about the fields of a kind of object, by core.type or name of a record.
local OF_KIND = {}
for _, topic in ipairs(topics.list) do
    if topic.object then OF_KIND[topic.object] = topic end
end
function topics.of_kind(kind) return OF_KIND[kind] or topics.by_name[kind] end

-- The methods of a kind of object by what help writes before their colon; nil where none is known.
function topics.methods_by_prefix(prefix)
    for _, kind in ipairs{"gpu", "network", "model", "optimizer", "transformer"} do
        if kind == prefix then return core.methods(kind) end
    end
    for name, definition in pairs(record.types) do
        if (topics.method_prefix[name] or name) == prefix then return definition.methods end
    end
end

-- The rows of a kind's fields by name; empty for an unknown kind.
function topics.rows(kind)
    local rows, topic = {}, topics.of_kind(kind)
    for _, row in ipairs(topic and topic.rows or {}) do rows[row.name] = row end
    return rows
end

-- The base unit of each kind of quantity that has one.
local UNITS = {bytes = "bytes", bandwidth = "B/s", flop = "FLOP", flop_rate = "FLOP/s",
               frequency = "Hz", time = "s", power = "W", energy = "J", money = "USD"}

-- What stands behind a row's text: its unit, whether it must be given, its default.
function topics.row_note(row)
    local notes = {UNITS[row.kind]}
    if row.required then notes[#notes + 1] = "required" end
    if row.default then notes[#notes + 1] = "default " .. row.default end
    if row.computed then notes[#notes + 1] = "computed" end
    return table.concat(notes, "; ")
end

-- The names of the methods of a topic's object, in order.
function topics.methods_of(topic)
    local prefix, names = topic.name:match "([%w_]+)$", {}
    for _, other in ipairs(topics.list) do
        if other.name:sub(1, #prefix + 1) == prefix .. ":" then names[#names + 1] = other.name end
    end
    return names
end

-- The value of a name such as "dtsim.units.parse"; nil for a name that is none of the library's.
function topics.value_of(name)
    local value = require "dtsim"
    if not name:find "^dtsim%.[%w_.]+$" then return nil end
    for part in name:sub(#"dtsim." + 1):gmatch "[^.]+" do
        if type(value) ~= "table" then return nil end
        value = value[part]
    end
    return value
end

return topics
