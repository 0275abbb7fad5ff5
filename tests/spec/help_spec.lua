-- Help knows every public name, and nothing that is none.
local core = require "dtsim.core"
local help = require "dtsim.help"
local record = require "dtsim.record"
local topics = require "dtsim.help.topics"

-- All of the library, so that every type of record is known.
for _, part in pairs(require "dtsim") do assert(part ~= nil) end
require "dtsim.explain"

local OBJECTS = {"gpu", "network", "network level", "model", "optimizer", "transformer", "machine",
    "software", "train_plan"}
local function names_of_rows(topic)
    local names = {}
    for _, row in ipairs(topic.rows) do names[row.name] = row end
    return names
end

local function assert_topic(name) assert.truthy(topics.by_name[name], "no help for " .. name) end

describe("help", function()
    it("has a topic for every part of dtsim and every member of its modules", function()
        for name, part in pairs(require "dtsim") do
            assert_topic("dtsim." .. name)
            local is_module = type(part) == "table" and #part == 0 -- and no catalog
            if is_module then
                for member in next, part do assert_topic(("dtsim.%s.%s"):format(name, member)) end
            end
        end
    end)

    it("has a topic for every kind of object and each of its methods", function()
        for _, kind in ipairs(OBJECTS) do
            assert.truthy(topics.of_kind(kind), kind)
            for method in pairs(core.methods(kind)) do
                assert_topic(method == "with" and "x:with" or kind .. ":" .. method)
            end
        end
    end)

    it("tells about each field of every object", function()
        for _, kind in ipairs(OBJECTS) do
            local rows = names_of_rows(topics.of_kind(kind))
            for _, row in ipairs(core.fields[kind]) do
                assert.truthy(rows[row.name], kind .. "." .. row.name)
                assert.truthy(#rows[row.name].help > 0, kind .. "." .. row.name)
            end
        end
    end)

    it("has a topic for every record, with all its fields and methods and no others", function()
        for kind, definition in pairs(record.types) do
            assert_topic(kind)
            local rows, known = names_of_rows(topics.by_name[kind]), {}
            for _, field in ipairs(definition.fields) do
                known[field] = true
                assert.truthy(rows[field], ("no help for the field %s of %s"):format(field, kind))
            end
            for field in pairs(rows) do assert.truthy(known[field], kind .. "." .. field) end
            for method in pairs(definition.methods or {}) do
                assert.truthy(topics.of_method(kind, method), kind .. ":" .. method)
            end
        end
    end)

    it("has a topic for nothing that does not exist", function()
        for _, topic in ipairs(topics.list) do
            if topic.name:find "^dtsim%." then
                assert.not_nil(topics.value_of(topic.name), topic.name)
            end
            local kind, method = topic.name:match "^([%w_]+):([%w_]+)$"
            if kind and kind ~= "x" then
                local methods = topics.methods_by_prefix(kind)
                assert.equal("function", type(methods[method]), topic.name)
            end
        end
    end)

    it("has each topic once", function()
        local seen = {}
        for _, topic in ipairs(topics.list) do
            assert.falsy(seen[topic.name], topic.name)
            seen[topic.name] = true
        end
    end)

    it("says in every topic what it is and how it is written", function()
        for _, topic in ipairs(topics.list) do
            assert.truthy(#topic.summary > 0 and #topic.usage > 0, topic.name)
            for _, row in ipairs(topic.rows) do
                assert.truthy(row.name and #row.help > 0, topic.name)
            end
            for _, name in ipairs(topic.see or {}) do
                assert.truthy(topics.by_name[name], ("%s: see %s"):format(topic.name, name))
            end
        end
    end)

    it("shows an example of every function and method", function()
        for _, topic in ipairs(topics.list) do
            local is_method = topic.name:find ":"
            if is_method or type(topics.value_of(topic.name)) == "function" then
                assert.truthy(topic.example or topic.from_catalog, topic.name)
            end
        end
    end)

    it("tells true defaults", function()
        local gpu, network = dtsim.gpus.v100, dtsim.networks.v100
        local objects = {
            model = dtsim.model{d_model = 1024, layers = 24, batch = 512},
            optimizer = dtsim.optimizer{gpu = gpu, network = network},
        }
        local pretty = require "dtsim.pretty"
        for kind, object in pairs(objects) do
            for _, row in ipairs(topics.of_kind(kind).rows) do
                local value = row.default and object[row.name]
                if type(value) == "number" and tonumber(row.default) then
                    assert.equal(tonumber(row.default), value, row.name)
                elseif type(value) == "string" then
                    assert.equal(("%q"):format(value), row.default:match "^[^;]+", row.name)
                elseif type(value) == "table" then
                    local written = load("return " .. row.default)()
                    assert.equal(pretty.text(written), pretty.text(value), row.name)
                end
            end
        end
        assert.equal(16, tonumber(names_of_rows(topics.by_name["dtsim.gpu"]).bits.default))
        local fields = {}
        for name, value in pairs(gpu) do fields[name] = value end
        fields.bits, fields.name, fields.sustained, fields.shared_bandwidth = nil, nil, nil, nil
        fields.flop_per_clock_per_thread = nil
        assert.equal(16, dtsim.gpu(fields).bits)
        assert.equal("GPU", dtsim.gpu(fields).name)
    end)
end)

describe("help(x)", function()
    local function first_line(x) return (help.text(x):match "^[^\n]*") end

    it("knows functions, methods and values", function()
        assert.truthy(first_line(dtsim.gpu):find "^dtsim.gpu: ")
        assert.truthy(first_line(dtsim.units.parse):find "^dtsim.units.parse: ")
        assert.truthy(first_line(dtsim.laws):find "^dtsim.laws: ")
        assert.truthy(first_line(dtsim.gpus.v100):find "^dtsim.gpu: ")
        assert.truthy(first_line(dtsim.gpus.v100.matmul):find "^gpu:matmul: ")
        assert.truthy(first_line(dtsim.networks.v100[1]):find "^network level: ")
        assert.truthy(first_line(dtsim.systems.v100):find "^system: ")
        assert.truthy(first_line(record.types.sweep.methods.largest):find "^sweep:largest: ")
    end)

    it("knows names in full, without dtsim, and their last part", function()
        for _, name in ipairs{"dtsim.units.format", "units.format", "format"} do
            assert.truthy(first_line(name):find "^dtsim.units.format: ", name)
        end
    end)

    it("finds fields and arguments, with unit and default", function()
        local text = help.text "memory_bandwidth"
        assert.truthy(text:find "dtsim.gpu +bytes per second of global memory %(B/s; required%)")
        assert.truthy(help.text "overlap":find "default { tp = true, pp = true, dp = false }")
    end)

    it("gives an overview for nothing and for the library", function()
        local overview = help.text()
        assert.equal(overview, help.text(dtsim))
        for _, name in ipairs{"dtsim.gpu", "dtsim.optimizer", "overlap", "quantities"} do
            assert.truthy(overview:find("\n  " .. name .. " ", 1, true), name)
        end
    end)

    it("says where there is no help", function()
        assert.equal('there is no help for "overlop"; did you mean "overlap"?',
                     help.text "overlop")
        assert.equal('there is no help for "qqqqqq"; help() lists what there is',
                     help.text "qqqqqq")
        assert.equal("there is no help for this number; help() lists what there is",
                     help.text(5))
        assert.equal("there is no help for this table; help() lists what there is",
                     help.text{})
    end)

    it("keeps to the width, examples apart", function()
        for _, topic in ipairs(topics.list) do
            local text = help.text(topic.name, 60):gsub("\nExample:.*", "")
            local first = topic.name .. ": " .. topic.summary
            for line in text:gmatch "[^\n]+" do
                local whole = line == first or line == "  " .. topic.usage
                assert.truthy(whole or utf8.len(line) <= 60, line)
            end
        end
    end)

    it("says at the prompt what it is, where it is not called", function()
        assert.equal('help() gives an overview, help "NAME" tells about a name', tostring(help))
    end)
end)
