local json = require "dtsim.json"
local cjson = require "cjson"

-- An error's text without the place that error() puts before it.
local function message_of(call, ...)
    local ok, raised = pcall(call, ...)
    assert.is_false(ok)
    return (raised:gsub("^[^ ]+_spec.lua:%d+: ", ""))
end

describe("json.encode", function()
    it("writes scalars", function()
        assert.equal("true", json.encode(true))
        assert.equal("false", json.encode(false))
        assert.equal("null", json.encode(json.null))
        assert.equal("42", json.encode(42))
        assert.equal("-7", json.encode(-7))
        assert.equal('"text"', json.encode("text"))
    end)

    it("writes floats in the fewest of 15, 16 and 17 digits that tell them apart", function()
        assert.equal("0.1", json.encode(0.1))
        assert.equal("0.3333333333333333", json.encode(1 / 3))
        assert.equal("0.30000000000000004", json.encode(0.1 + 0.2))
        assert.equal("4.5000000000000003e-07", json.encode(4.5000000000000003e-07))
        assert.equal("1e+22", json.encode(1e22))
        assert.equal("16", json.encode(16.0))
        assert.equal("1000000000000000", json.encode(1e15))
        assert.equal("-0", json.encode(-0.0))
    end)

    it("writes integers in full", function()
        assert.equal("9223372036854775807", json.encode(math.maxinteger))
        assert.equal("-9223372036854775808", json.encode(math.mininteger))
        assert.equal("9007199254740993", json.encode(9007199254740993))
    end)

    it("writes infinity as a string", function()
        assert.equal('["inf","-inf"]', json.encode { math.huge, -math.huge })
    end)

    it("escapes what must be escaped, and no slash", function()
        assert.equal([["900 GB/s"]], json.encode("900 GB/s"))
        assert.equal([["\"\\\n\t\u0000\u001f"]], json.encode("\"\\\n\t\0\31"))
        assert.equal([["\\/"]], json.encode("\\/"))
        assert.equal('"\u{B5}s \u{1F600}"', json.encode("\u{B5}s \u{1F600}"))
    end)

    it("sorts keys", function()
        local t = {}
        for i = 1, 100 do t[("k%03d"):format((i * 37) % 101)] = i end
        local last = ""
        for key in json.encode(t):gmatch('"(k%d+)"') do
            assert.is_true(last < key)
            last = key
        end
        assert.equal('{"B":2,"a":1,"a b":3}', json.encode { a = 1, B = 2, ["a b"] = 3 })
    end)

    it("tells arrays from objects, empty ones by their mark", function()
        assert.equal("[1,[2],{}]", json.encode { 1, { 2 }, json.object() })
        assert.equal("[]", json.encode {})
        assert.equal("[]", json.encode(json.array()))
        assert.equal("{}", json.encode(json.object {}))
        assert.equal('{"a":1}', json.encode(json.object { a = 1 }))
        assert.equal("[1]", json.encode(json.array { 1 }))
        assert.equal("{}", json.encode(setmetatable({}, { __jsontype = "object" })))
        assert.equal("[null]", json.encode { json.null })
    end)

    it("writes the same table twice, but not in itself", function()
        local shared = { 1 }
        assert.equal('{"a":[1],"b":[1]}', json.encode { a = shared, b = shared })
    end)

    it("calls no metamethods", function()
        local t = setmetatable({ 1 }, {
            __index = error, __len = error, __pairs = error, __name = "thing",
        })
        assert.equal("[1]", json.encode(t))
    end)

    it("indents", function()
        local text = table.concat({
            "{",
            '  "a": [',
            "    1,",
            "    {",
            '      "b": 2',
            "    }",
            "  ],",
            '  "c": [],',
            '  "d": {}',
            "}",
        }, "\n")
        local value = { a = { 1, { b = 2 } }, c = {}, d = json.object() }
        assert.equal(text, json.encode(value, { indent = 2 }))
        assert.equal('{"a":[1,{"b":2}],"c":[],"d":{}}', json.encode(value, { indent = 0 }))
        assert.equal('{"a":[1,{"b":2}],"c":[],"d":{}}', json.encode(value, {}))
        assert.equal("[\n    1\n]", json.encode({ 1 }, { indent = 4 }))
    end)

    it("raises at the caller's line", function()
        local ok, raised = pcall(function() return (json.encode(print)) end)
        assert.is_false(ok)
        assert.matches("json_spec.lua:%d+: cannot write JSON", raised)
    end)
end)

describe("json.encode names the path to", function()
    local function refused(what, value, message)
        it(what, function()
            assert.equal("cannot write JSON: " .. message, message_of(json.encode, value))
        end)
    end

    refused("NaN", { points = { 1, {}, { time = 0 / 0 } } }, "points[3].time is NaN")
    refused("NaN at the top", 0 / 0, "the value is NaN")
    refused("NaN below odd keys", { ["a b"] = { c = { 0 / 0 } } }, '["a b"].c[1] is NaN')
    refused("NaN in an array of arrays", { { 1 }, { 2, 0 / 0 } }, "[2][2] is NaN")
    refused("nil", nil, "the value is of type nil, which JSON does not have")
    refused("a function", { f = print }, "f is of type function, which JSON does not have")
    refused("a thread", { t = coroutine.create(print) },
        "t is of type thread, which JSON does not have")
    refused("userdata", { u = io.stdout }, "u is of type userdata, which JSON does not have")
    refused("holes", { a = { 1, 2, nil, 4 } }, "a is an array with holes: 3 of 4 are set")
    refused("sparse keys", { f = { [16] = 8, [32] = 1 } },
        "f is an array with holes: 2 of 32 are set")
    refused("mixed keys", { a = { 1, x = 2 } }, "a mixes string keys and numbered ones")
    refused("a fractional key", { a = { [1.5] = 1 } },
        "a has the key 1.5; keys must be strings, or 1 to n in an array")
    refused("a zeroth item", { a = { [0] = 1 } },
        "a has the key 0; keys must be strings, or 1 to n in an array")
    refused("a boolean key", { [true] = 1 },
        "the value has the key true; keys must be strings, or 1 to n in an array")
    refused("text that is no UTF-8", { s = "\xFF" }, "s is no valid UTF-8")
    refused("a key that is no UTF-8", { a = { ["\xFF"] = 1 } },
        'a["\xFF"] is no valid UTF-8')
    refused("an unknown mark", { a = setmetatable({}, { __jsontype = "list" }) },
        'a has the __jsontype "list"; known are array, object')
    refused("a wrong mark of an array", { a = json.array { b = 1 } },
        "a is marked an array but has string keys")
    refused("a wrong mark of an object", { a = json.object { 1 } },
        "a is marked an object but has numbered keys")

    local cycle = { a = { b = {} } }
    cycle.a.b.c = cycle.a
    refused("a cycle", cycle, "a.b.c is a table that contains itself")

    local function nested(depth)
        local t = {}
        for _ = 2, depth do t = { t } end
        return t
    end
    refused("what is nested too deep", nested(201),
        ("[1]"):rep(200) .. " is nested more than 200 tables deep")

    it("nothing where the depth is allowed", function()
        local text = json.encode(nested(200))
        assert.equal(("["):rep(200) .. ("]"):rep(200), text)
        assert.equal(text, json.encode(json.decode(text)))
    end)
end)

describe("json.encode's options", function()
    it("are checked", function()
        assert.equal('unknown option "indnt"; the only one is indent',
            message_of(json.encode, 1, { indnt = 1 }))
        for _, indent in ipairs { -1, 17, 1.5, "2" } do
            assert.equal("indent must be a whole number from 0 to 16, not " .. tostring(indent),
                message_of(json.encode, 1, { indent = indent }))
        end
        assert.equal("options must be a table like { indent = 2 }, not a number",
            message_of(json.encode, 1, 2))
    end)
end)

describe("json.array and json.object", function()
    it("return the table they mark", function()
        local t = {}
        assert.equal(t, json.array(t))
        assert.equal(t, json.object(t))
        assert.equal("{}", json.encode(t))
    end)

    it("raise for what they cannot mark", function()
        assert.equal("a table is expected, not a number", message_of(json.array, 5))
        assert.equal("a table is expected, not a string", message_of(json.object, "x"))
        assert.equal("the table has a metatable already",
            message_of(json.array, setmetatable({}, {})))
    end)
end)

describe("json.decode", function()
    it("reads values", function()
        assert.same({ a = { 1, 2.5, "x", true, false }, b = { c = {} } },
            json.decode('{ "a": [1, 2.5, "x", true, false], "b": {"c": {}} }'))
        assert.equal(json.null, json.decode("null"))
        assert.equal(json.null, json.decode("[null]")[1])
        assert.is_false(json.decode("false"))
        assert.equal("inf", json.decode('"inf"'))
        assert.equal("\u{E9}\u{1F600}", json.decode([["\u00e9\ud83d\ude00"]]))
    end)

    it("makes whole numbers up to 2^53 integers, and others floats", function()
        for text, value in pairs {
            ["1"] = 1, ["16.0"] = 16, ["1e3"] = 1000, ["9007199254740992"] = 9007199254740992,
            ["-9007199254740992"] = -9007199254740992, ["0"] = 0,
        } do
            assert.equal(value, json.decode(text))
            assert.equal("integer", math.type(json.decode(text)), text)
            assert.equal("integer", math.type(json.decode('{"a":[' .. text .. "]}").a[1]), text)
        end
        for text, value in pairs {
            ["0.5"] = 0.5, ["9007199254740994"] = 2.0 ^ 53 + 2, ["1e300"] = 1e300,
            ["9223372036854775807"] = 2.0 ^ 63,
        } do
            assert.equal(value, json.decode(text))
            assert.equal("float", math.type(json.decode(text)), text)
        end
        assert.equal(-math.huge, 1 / json.decode("-0"))
        assert.equal(-math.huge, 1 / json.decode("-0.0"))
    end)

    it("leaves a script's settings of cjson alone", function()
        cjson.decode_max_depth(3)
        finally(function() cjson.decode_max_depth(1000) end)
        assert.same({ { { { 1 } } } }, json.decode("[[[[1]]]]"))
        assert.has_error(function() cjson.decode("[[[[1]]]]") end)
    end)

    local function refused(what, text, message)
        it("refuses " .. what, function()
            local value, answer = json.try_decode(text)
            assert.is_nil(value)
            assert.equal("cannot read JSON: " .. message, answer)
            assert.equal("cannot read JSON: " .. message, message_of(json.decode, text))
        end)
    end

    refused("what is no string", 5, "a string is expected, not a number")
    refused("nothing", "", "Expected value but found T_END at character 1")
    refused("an open string", '"a',
        "Expected value but found unexpected end of string at character 3")
    refused("an open array", "[1,2",
        "Expected comma or array end but found T_END at character 5")
    refused("a comma too many", '{"a":1,}',
        "Expected object key string but found T_OBJ_END at character 8")
    refused("more than one value", "[1] 2", "Expected the end but found T_NUMBER at character 5")
    refused("NaN", "NaN", "Expected value but found invalid token at character 1")
    refused("Infinity", "[Infinity]", "Expected value but found invalid token at character 2")
    refused("a hexadecimal number", "0x10",
        "Expected value but found invalid number at character 1")
    refused("a leading zero", "01", "Expected value but found invalid number at character 1")
    refused("a number beyond doubles", '{"a":[1e999]}', "a number is too large for a double")
    refused("half a surrogate pair", [["\ud800"]],
        "Expected value but found invalid unicode escape code at character 2")
    refused("text that is no UTF-8", '"\xFF"', "byte 2 is no valid UTF-8")
    refused("what is nested too deep", ("["):rep(201) .. ("]"):rep(201),
        "Found too many nested data structures (201) at character 201")

    it("raises at the caller's line", function()
        local ok, raised = pcall(function() return (json.decode("?")) end)
        assert.is_false(ok)
        assert.matches("json_spec.lua:%d+: cannot read JSON", raised)
    end)
end)

describe("json.decode of json.encode", function()
    local function bits(x) return string.pack("<d", x) end

    local function check(x)
        local text = json.encode(x)
        local back = json.decode(text)
        assert.equal(bits(x), bits(back), text)
        assert.equal(text, json.encode(back))
    end

    it("gives doubles back to the last bit", function()
        math.randomseed(99)
        local checked = 0
        while checked < 20000 do
            local x = string.unpack("<d", string.pack("<i8", math.random(0)))
            if x == x and math.abs(x) ~= math.huge then
                check(x)
                checked = checked + 1
            end
        end
    end)

    it("gives subnormals, powers of two and their neighbours back", function()
        math.randomseed(100)
        for _ = 1, 2000 do check(string.unpack("<d", string.pack("<i8", math.random(0) >> 12))) end
        for exponent = -1074, 1023 do
            local pattern = string.unpack("<i8", bits(2.0 ^ exponent))
            for step = -1, 1 do check(string.unpack("<d", string.pack("<i8", pattern + step))) end
        end
        for _, x in ipairs { 0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
            2.0 ^ 53, 2.0 ^ 53 + 2, 2.0 ^ 63, -2.0 ^ 63, 1e15, 1e16, 123456789012345678.0 } do
            check(x)
        end
    end)

    it("gives exact integers back as integers", function()
        math.randomseed(101)
        for _ = 1, 5000 do
            local i = math.random(-2 ^ 53 // 1 | 0, 2 ^ 53 // 1 | 0) >> math.random(0, 52)
            i = i < 0 and -(-i & (1 << 53) - 1) or i & (1 << 53) - 1
            local back = json.decode(json.encode(i))
            assert.equal(i, back)
            assert.equal("integer", math.type(back))
        end
    end)

    it("gives structures back", function()
        local value = {
            name = "sweep \"x\" /\\ \u{B5}", points = { { time = 0.1, n = 3 }, { time = 1e-300 } },
            none = json.null, flags = { true, false },
        }
        assert.same(value, json.decode(json.encode(value)))
        assert.same(value, json.decode(json.encode(value, { indent = 3 })))
    end)
end)
