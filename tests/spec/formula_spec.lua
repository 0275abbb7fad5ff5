-- Formulas: what they compute, the bits of the Lua functions they stand for, and every error.
local formula = require "dtsim.formula"
local near = require "dtsim.laws.near"

local VARIABLES = {{"C", "compute"}, {"seq", "seq_len", whole = true}, {"E", whole = true}, "x"}

local function value(text, ...)
    local call, message = formula.try(text, VARIABLES)
    assert.is_function(call, message)
    return call(...)
end

local function is_whole(text)
    local call, whole = formula.try(text, VARIABLES)
    assert.is_function(call, whole)
    return whole
end

local function message_of(text, variables)
    local call, message = formula.try(text, variables or VARIABLES)
    assert.is_nil(call, text)
    return message
end

describe("a formula", function()
    it("calculates as Lua does", function()
        local cases = {
            ["1 + 2 * 3 - 4 / 2"] = 5, ["2 - 3 - 4"] = -5, ["16 / 4 / 2"] = 2,
            ["-2^2"] = -4, ["2^3^2"] = 512, ["2^-1"] = 0.5, ["2^-2^2"] = 0.0625,
            ["- - 3"] = 3, ["2 * -3"] = -6, ["(1 + 2) * 3"] = 9, [".5 + 5."] = 5.5,
            ["1.5e3 + 2E-1"] = 1500.2,
        }
        for text, due in pairs(cases) do assert.equal(due, value(text), text) end
    end)

    it("knows functions and constants", function()
        local cases = {
            ["min(3, 1, 2)"] = 1, ["max(3, 1, 2)"] = 3, ["min(7)"] = 7, ["sqrt(9)"] = 3,
            ["exp(0)"] = 1, ["log(e)"] = 1, ["log(8, 2)"] = 3, ["log(1000, 10)"] = 3,
            ["floor(-1.5)"] = -2, ["ceil(1.2)"] = 2, ["round(2.5)"] = 3, ["round(-2.5)"] = -2,
            ["round(2.4)"] = 2, ["round(0.49999999999999994)"] = 0,
            ["near(100)"] = 96, ["near(0.2)"] = 1, ["pi"] = math.pi,
            ["T_0"] = 3e23, ["b_0"] = 4e6, ["L_0"] = 100,
        }
        for text, due in pairs(cases) do assert.equal(due, value(text), text) end
        local functions, constants = formula.names()
        assert.same({"ceil", "exp", "floor", "log", "max", "min", "near", "round", "sqrt"},
            functions)
        assert.same({"L_0", "T_0", "b_0", "e", "pi"}, constants)
    end)

    it("reads numbers with units, in SI base units", function()
        local cases = {
            ["4 Mi"] = 2.0 ^ 22, ["4Mi"] = 2.0 ^ 22, ["3e23 FLOP"] = 3e23, ["16 M"] = 16e6,
            ["900 GB/s"] = 9e11, ["64 KiB / 2"] = 32768, ["3 months"] = 3 * 365.25 * 86400 / 12,
            ["2 k + 1"] = 2001, ["312 TFLOP/s / 1 TFLOP/s"] = 312,
        }
        for text, due in pairs(cases) do assert.equal(due, value(text), text) end
        assert.equal(2.0 ^ 22 / 2048, value("4 Mi/seq", 0, 2048))
    end)

    it("chooses", function()
        local text = "if E > 1 and C < 10 or seq == 7 then 1 elseif E ~= 1 then 2 else 3"
        assert.equal(1, value(text, 5, 0, 2))
        assert.equal(1, value(text, 50, 7, 1))
        assert.equal(2, value(text, 50, 0, 2))
        assert.equal(3, value(text, 50, 0, 1))
        assert.equal(7, value("1 + (if (E >= 2) then 6 else 0)", 0, 0, 2))
        assert.equal(3, value("if E <= 1 then 2 else 2 + 1", 0, 0, 2))
    end)

    it("takes all spellings of a variable", function()
        assert.equal(6, value("C * seq_len", 2, 3))
        assert.equal(6, value("compute * seq", 2, 3))
        assert.equal(18.0, formula.new("2 * x^2", {"x"})(3))
        assert.equal(2.0, formula.new("1 + 1")())
    end)

    it("is a float whatever it is given", function()
        assert.equal("float", math.type(value("x", 0, 0, 0, 3)))
        assert.equal("float", math.type(value("floor(x)", 0, 0, 0, 3)))
        assert.equal("float", math.type(value("3")))
    end)

    it("is whole by its form", function()
        for _, text in ipairs{"3", "4 Mi", "E", "E * near(x)", "floor(x)", "ceil(x) + 1", "seq - 1",
                              "round(x)", "min(seq, 3)", "if x > 1 then E else 2", "2^10", "-E",
                              "seq^2", "L_0"} do
            assert.is_true(is_whole(text), text)
        end
        for _, text in ipairs{"x", "C", "E / 2", "sqrt(4)", "2.5", "2^-1", "seq^0.5", "E * x",
                              "min(seq, x)", "if x > 1 then E else x", "2^seq", "pi"} do
            assert.is_false(is_whole(text), text)
        end
    end)
end)

describe("a random formula", function()
    local pick = function(list) return list[math.random(#list)] end

    -- Operators without brackets, so that precedence is tried too; the same text is Lua.
    local expression
    local function operand(depth)
        local kind = math.random(depth > 0 and 7 or 4)
        if kind <= 2 then return pick{"C", "seq", "E", "x"} end
        if kind == 3 then return ("%.3f"):format(math.random() * 10) end
        if kind == 4 then return pick{"4.0", "0.5", "1e3", "pi", "3e23"} end
        if kind == 5 then return "(" .. expression(depth - 1) .. ")" end
        if kind == 6 then
            return ("%s(%s)"):format(pick{"sqrt", "exp", "log", "floor", "ceil", "near", "round"},
                expression(depth - 1))
        end
        return ("%s(%s, %s)"):format(pick{"min", "max"}, expression(depth - 1),
            expression(depth - 1))
    end

    function expression(depth)
        local parts = {}
        for _ = 1, math.random(4) do
            parts[#parts + 1] = pick{"", "", "", "- "} .. operand(depth)
            parts[#parts + 1] = pick{"+", "-", "*", "/", "^"}
        end
        parts[#parts] = nil
        return table.concat(parts, " ")
    end

    local function round(x)
        local whole = math.floor(x) + 0.0
        return x - whole >= 0.5 and whole + 1 or whole
    end

    local environment = {
        sqrt = math.sqrt, exp = math.exp, log = math.log, min = math.min, max = math.max,
        floor = function(x) return math.floor(x) + 0.0 end,
        ceil = function(x) return math.ceil(x) + 0.0 end,
        near = near, round = round, pi = math.pi,
    }

    local function as_lua(text)
        return assert(load("local C, seq, E, x = ... return " .. text, "=formula", "t",
            environment))
    end

    -- NaNs are all the same here; every other value to its bits.
    local function same(a, b)
        return a ~= a and b ~= b or string.pack("<d", a) == string.pack("<d", b)
    end

    it("gives the bits of the Lua function", function()
        math.randomseed(5)
        for _ = 1, 3000 do
            local text = expression(2)
            if #text <= 1000 then
                local call, message = formula.try(text, VARIABLES)
                assert.is_function(call, message)
                local arguments = {10.0 ^ math.random(20, 30), 2048.0,
                                   2.0 ^ math.random(0, 5), math.random() * 100}
                local ok, due = pcall(as_lua(text), table.unpack(arguments))
                assert.is_true(ok, tostring(due))
                local got = call(table.unpack(arguments))
                assert.is_true(same(due, got), ("%s: %s, %s"):format(text, due, got))
            end
        end
    end)

    it("chooses as Lua does", function()
        math.randomseed(6)
        for _ = 1, 500 do
            local a, b = expression(1), expression(1)
            local condition = ("%s %s %s %s %s < %s"):format(expression(1),
                pick{"<", "<=", ">", ">=", "==", "~="}, expression(1), pick{"and", "or"},
                expression(1), expression(1))
            local text = ("if %s then %s else %s"):format(condition, a, b)
            local due = as_lua(("(function() if %s then return %s else return %s end end)()")
                :format(condition, a, b))
            if #text <= 1000 then
                local arguments = {1e24, 2048.0, 4.0, math.random()}
                assert.is_true(same(due(table.unpack(arguments)),
                    value(text, table.unpack(arguments))), text)
            end
        end
    end)

    it("never runs code and never fails otherwise than by a message", function()
        math.randomseed(7)
        local tokens = {"(", ")", "if", "then", "else", "C", "x", "4", "Mi", "+", "*", "^", "-",
                        ",", "min", "sqrt", "<", "and", "os", ".", "exit", '"', "é", "\n", "="}
        for _ = 1, 3000 do
            local parts = {}
            for i = 1, math.random(12) do parts[i] = pick(tokens) end
            local text = table.concat(parts, pick{" ", ""})
            local call, message = formula.try(text, VARIABLES)
            assert.equal(call and "boolean" or "string", type(message), text)
            if not call then assert.matches("^column %d+: .*\n    .*\n +%^$", message) end
        end
    end)
end)

describe("a wrong formula", function()
    it("is told with its column and a caret", function()
        assert.equal("column 11: unknown name 'sq'; did you mean 'seq'?\n"
            .. "    sqrt(E) * sq\n"
            .. "              ^", message_of("sqrt(E) * sq"))
        assert.equal("column 3: a number is due here, not ')'\n    * )\n      ^",
            message_of("1 +\n2\n* )\n+ 4"))
        assert.equal("column 5: a number is due here, not '\u{e9}'\n    1 + \u{e9}\n        ^",
            message_of("1 + \u{e9}"))
    end)

    it("has a message for each mistake", function()
        local cases = {
            {"", 1, "a formula is due here, not the end"},
            {"1 +", 4, "a number is due here, not the end"},
            {"1 2", 3, "an operator is due here, not '2'"},
            {"x C", 3, "an operator is due here, not 'C'"},
            {"2 E", 3, "E is a name here; write '* E' for the product"},
            {"2 Q", 3, "between a number and a name stands an operator"},
            {"4 min(2)", 6, "an operator is due here, not '('"},
            {"1 + 2)", 6, "this ')' closes nothing"},
            {"(1 + 2", 7, "')' or an operator is due here, not the end"},
            {"sqrt(1", 7, "',', ')' or an operator is due here, not the end"},
            {"sqrt()", 6, "a number is due here, not ')'"},
            {"sqrt(1, 2)", 1, "sqrt takes 1 number, not 2"},
            {"log(1, 2, 3)", 1, "log takes 1 to 2 numbers, not 3"},
            {"sqr(1)", 1, "unknown function 'sqr'; did you mean 'sqrt'?"},
            {"foobar(1)", 1, "unknown function 'foobar'; there are ceil, exp, floor"},
            {"min", 1, "min is a function: write min(...)"},
            {"pie", 1, "unknown name 'pie'; did you mean 'pi'?"},
            {"zzzz", 1, "unknown name 'zzzz'; there are C, compute, seq, seq_len, E, x, L_0"},
            {"os.exit()", 3, "an operator is due here, not '.'"},
            {"x = 1", 3, "an operator is due here, not '='"},
            {"E % 2", 3, "an operator is due here, not '%'"},
            {"x[1]", 2, "an operator is due here, not '['"},
            {"x < 1", 3, "a formula gives a number; choose one by if ... then ... else ..."},
            {"1 + (x < 1)", 8, "a number is due here, not a condition"},
            {"x < 1 < 2", 3, "a number is due here, not a condition"},
            {"if x then 1 else 2", 4, "a condition such as E > 1 is due here, not a number"},
            {"if x < 1 and 2 then 1 else 2", 14, "a condition is due here, not a number"},
            {"if x < 1 2", 10, "'then' or an operator is due here, not '2'"},
            {"if x < 1 then 2", 16, "'else', 'elseif' or an operator is due here, not the end"},
            {"if then", 4, "a condition is due here, not 'then'"},
            {"1e999", 1, "the number is too large for a double"},
            {("("):rep(51) .. "1" .. (")"):rep(51), 51,
             "more than 50 brackets and choices in one another"},
            {("if x < 1 then 1 else "):rep(48) .. "1", nil, nil},
        }
        for _, case in ipairs(cases) do
            if case[2] then
                local message = message_of(case[1])
                assert.truthy(message:find(("column %d: "):format(case[2]), 1, true), message)
                assert.truthy(message:find(case[3], 1, true), message)
            end
        end
        assert.equal(1.0, value(("("):rep(50) .. "1" .. (")"):rep(50)))
        assert.equal(1.0, value(("if x < 1 then 1 else "):rep(45) .. "1", 0, 0, 0, 2))
        assert.equal(500.0, value(("1+"):rep(499) .. "1"))
    end)

    it("may not be long, or no text", function()
        assert.equal("a formula may have 1000 bytes, this one has 1001",
            message_of(("1"):rep(1001)))
        assert.equal("a formula must be valid UTF-8", message_of("\xff"))
        assert.equal("a formula must be a text, got a table", message_of({}))
    end)

    it("raises where the function is asked for", function()
        assert.has_error(function() formula.new("1 +") end,
            "formula: column 4: a number is due here, not the end\n    1 +\n       ^")
        assert.error_matches(function() formula.new("x", "x") end,
            "formula: the variables must be a list of names, got a string")
        assert.error_matches(function() formula.new("x + 1", {"x"})() end,
            'formula "x %+ 1": x must be a number, got nil')
        assert.error_matches(function() dtsim.formula("x + ", {"x"}) end, "formula: column 5: ")
    end)
end)
