-- formula: an expression over named numbers, as text: "sqrt(E) * 4 Mi * (C / 3e23)^(1/6) / seq".
-- May use: LPeg, dtsim.units, dtsim.suggest, dtsim.laws.near.
--
-- A formula is read into a tree, the tree is checked, and the tree is turned into closures. No
-- text is ever loaded as code: a formula can reach numbers and the functions below, nothing else.
--
--   numbers       4, 0.5, 3e23, and with a unit of dtsim.units behind: 4 Mi, 3e23 FLOP, 3 months
--                 (the value is in SI base units). A unit needs a number; write 2 * E, not 2 E.
--   operators     + - * / ^ as in Lua: ^ goes to the right and binds tighter than a minus before
--                 it, so -2^2 is -4
--   conditions    < <= > >= == ~= between numbers, joined by `and` and `or`
--   choice        if CONDITION then NUMBER elseif CONDITION then NUMBER else NUMBER
--   functions     min max (of one number or more), sqrt exp floor ceil, log(x) natural or
--                 log(x, base), round (halves go up), near (the nearest of 1, 3, 5, 7, 9 times a
--                 power of two)
--   constants     pi, e; T_0 = 3e23 FLOP, b_0 = 4e6 tokens and L_0 = 100 layers, the point that
--                 the closed forms of arXiv 2411.01137 start from
--
-- All arithmetic is in doubles, in the order in which it is written: a formula gives the same bits
-- as the Lua function of that text whose numbers are floats (4.0, and math.floor(x) + 0.0).

local lpeg = require "lpeg"
local near = require "dtsim.laws.near"
local suggest = require "dtsim.suggest"
local units = require "dtsim.units"

local formula = {}

local MAX_LENGTH = 1000 -- bytes of a formula's text
local MAX_DEPTH = 50 -- of brackets and choices in one another

-- A number's fractional part of a half and more goes up: 2.5 -> 3, -2.5 -> -2.
local function round(x)
    local whole = math.floor(x) + 0.0
    return x - whole >= 0.5 and whole + 1 or whole
end

-- Functions: least and most arguments; whether the result is a whole number: always, never (nil)
-- or if the arguments are. math.floor and math.ceil give integers, hence the + 0.0.
local FUNCTIONS = {
    min = {call = math.min, least = 1, most = 100, whole = "arguments"},
    max = {call = math.max, least = 1, most = 100, whole = "arguments"},
    sqrt = {call = math.sqrt, least = 1, most = 1},
    exp = {call = math.exp, least = 1, most = 1},
    log = {call = math.log, least = 1, most = 2},
    floor = {call = function(x) return math.floor(x) + 0.0 end, least = 1, most = 1,
             whole = "always"},
    ceil = {call = function(x) return math.ceil(x) + 0.0 end, least = 1, most = 1,
            whole = "always"},
    round = {call = round, least = 1, most = 1, whole = "always"},
    near = {call = near, least = 1, most = 1, whole = "always"},
}
local CONSTANTS = {pi = math.pi, e = math.exp(1), T_0 = 3e23, b_0 = 4e6, L_0 = 100.0}
local KEYWORDS = {["if"] = true, ["then"] = true, ["else"] = true, ["elseif"] = true,
                  ["and"] = true, ["or"] = true}

-- ---- from text to tree; every node has `at`, its position in the text ----

-- Errors of a formula are tables inside and become texts at the end.
local function fail(at, message, ...)
    error({at = at, message = select("#", ...) > 0 and message:format(...) or message}, 0)
end

local P, R, S, V, C, Cp, Ct = lpeg.P, lpeg.R, lpeg.S, lpeg.V, lpeg.C, lpeg.Cp, lpeg.Ct
local space = S" \t\r\n"^0
local letter, digit = R("az", "AZ") + "_", R"09"
local word = letter * (letter + digit)^0

-- What stands at a position, to be named in an error.
local function found(text, at)
    local name = (C(word) + C(digit^1 * (letter + digit + ".")^0)):match(text, at)
    return at > #text and "the end" or ("'%s'"):format(name or text:match(utf8.charpattern, at))
end

-- Matches `pattern`, or fails with what was due there.
local function due(pattern, what)
    return pattern + lpeg.Cmt(Cp(), function(text, at)
        fail(at, "%s is due here, not %s", what, found(text, at))
    end)
end

-- The node of a number with the word behind it, which must be a unit.
local function number_node(at, text, unit_at, unit)
    local value, message = tonumber(text), nil
    if unit ~= "" then value, message = units.try(text .. " " .. unit) end
    if not value then
        fail(unit_at, "%s; between a number and a name stands an operator", message)
    end
    return {kind = "number", at = at, value = value + 0.0, unit = unit, unit_at = unit_at}
end

-- { operand, at, operator, operand, at, operator, operand ... }, from the left.
local function fold_left(parts)
    local node = parts[1]
    for i = 2, #parts, 3 do
        node = {kind = parts[i + 1], at = parts[i], node, parts[i + 2]}
    end
    return node
end

-- A node behind minus signs at the positions of a list.
local function negated(signs, node)
    for i = #signs, 1, -1 do node = {kind = "minus", at = signs[i], node} end
    return node
end

-- { base, at, signs, base, at, signs, exponent }, from the right: signs belong to all behind them.
local function fold_power(parts)
    local node = parts[#parts]
    for i = #parts - 3, 1, -3 do
        node = {kind = "^", at = parts[i + 1], parts[i], negated(parts[i + 2], node)}
    end
    return node
end

-- { at, condition, number, condition, number, ..., number }: one choice in another.
local function fold_choice(parts)
    local node = parts[#parts]
    for i = #parts - 2, 2, -2 do
        node = {kind = "if", at = parts[1], parts[i], parts[i + 1], node}
    end
    return node
end

local ends_word = -(letter + digit)
local reserved = P(false)
for name in pairs(KEYWORDS) do reserved = reserved + P(name) * ends_word end

local function keyword(name) return P(name) * ends_word * space end

local function operators(operand, pattern)
    return Ct(operand * (Cp() * C(pattern) * space * due(operand, "a number"))^0) / fold_left
end

local NUMBER = due(V"expression", "a number")
local signs = Ct((Cp() * "-" * space)^0)
local name = C(word - reserved) * space
local numeral = (digit^1 * (P"." * digit^0)^-1 + P"." * digit^1) * (S"eE" * S"+-"^-1 * digit^1)^-1
local unit = (letter^1 - reserved) * (P"/s" * ends_word)^-1 * ends_word

local function refuse_rest(text, at)
    local what = found(text, at)
    if what == "')'" then fail(at, "this ')' closes nothing") end
    fail(at, "an operator is due here, not %s", what)
end

local grammar = P{
    "formula",
    formula = space * due(V"expression", "a formula") * (P(-1) + lpeg.Cmt(true, refuse_rest)),
    -- Made at once, for LPeg can hold few captures in one another.
    expression = lpeg.Cmt(operators(V"both", P"or" * ends_word),
        function(_, at, node) return at, node end),
    both = operators(V"comparison", P"and" * ends_word),
    comparison = operators(V"sum", P"<=" + ">=" + "==" + "~=" + "<" + ">"),
    sum = operators(V"product", S"+-"),
    product = operators(V"signed", S"*/"),
    signed = signs * V"power" / negated,
    power = Ct(V"operand" * (Cp() * "^" * space * signs * due(V"operand", "a number"))^0)
        / fold_power,
    operand = V"number" + V"choice" + V"call" + V"name"
        + P"(" * space * NUMBER * due(P")" * space, "')' or an operator"),
    number = Cp() * C(numeral) * space * Cp() * C(unit^-1) * space / number_node,
    choice = Ct(Cp() * keyword"if" * V"branch" * (keyword"elseif" * V"branch")^0
        * due(keyword"else", "'else', 'elseif' or an operator") * NUMBER) / fold_choice,
    branch = due(V"expression", "a condition")
        * due(keyword"then", "'then' or an operator") * NUMBER,
    call = Ct(Cp() * name * "(" * space * NUMBER * (P"," * space * NUMBER)^0
        * due(P")" * space, "',', ')' or an operator")) / function(parts)
            return {kind = "call", at = parts[1], name = parts[2], table.unpack(parts, 3)}
        end,
    name = Cp() * name / function(at, text) return {kind = "name", at = at, name = text} end,
}

-- Raises where brackets and choices stand deeper in one another than LPeg's stack is sure to hold.
local function check_depth(text)
    local depth = 0
    local function deeper(at)
        depth = depth + 1
        if depth > MAX_DEPTH then
            fail(at, "more than %d brackets and choices in one another", MAX_DEPTH)
        end
    end
    for at in text:gmatch"()%f[%w_]if%f[^%w_]" do deeper(at) end
    for at, bracket in text:gmatch"()([()])" do
        if bracket == "(" then deeper(at) else depth = depth - 1 end
    end
end

-- ---- checks ----

local COMPARES = {["<"] = true, ["<="] = true, [">"] = true, [">="] = true, ["=="] = true,
                  ["~="] = true}
local JOINS = {["and"] = true, ["or"] = true}

-- All names that a formula over the variables may use, in order.
local function known_names(variables, with_functions)
    local names = {}
    for _, variable in ipairs(variables) do
        for _, spelling in ipairs(variable) do names[#names + 1] = spelling end
    end
    local sorted = {}
    for constant in pairs(CONSTANTS) do sorted[#sorted + 1] = constant end
    for known in pairs(with_functions and FUNCTIONS or {}) do sorted[#sorted + 1] = known end
    table.sort(sorted)
    return table.move(sorted, 1, #sorted, #names + 1, names)
end

local function refuse_name(node, variables)
    if FUNCTIONS[node.name] then
        fail(node.at, "%s is a function: write %s(...)", node.name, node.name)
    end
    local names = known_names(variables)
    local close = suggest.nearest(node.name, known_names(variables, true))
    fail(node.at, "unknown name '%s'; %s", node.name, close and ("did you mean '%s'?"):format(close)
        or "there are " .. table.concat(names, ", "))
end

local function check_name(node, variables)
    for i, variable in ipairs(variables) do
        for _, spelling in ipairs(variable) do
            if spelling == node.name then
                node.kind, node.index, node.whole = "variable", i, variable.whole
                return "number"
            end
        end
    end
    if not CONSTANTS[node.name] then refuse_name(node, variables) end
    node.kind, node.value = "number", CONSTANTS[node.name]
    node.whole = node.value % 1 == 0
    return "number"
end

local check -- defined below

local function check_all(node, first, due_type, variables)
    local whole = true
    for i = first, #node do
        local got = check(node[i], variables)
        if got ~= due_type then
            fail(node[i].at, "a %s is due here, not a %s", due_type, got)
        end
        whole = whole and node[i].whole
    end
    return whole
end

local function check_call(node, variables)
    local row = FUNCTIONS[node.name]
    if not row then
        local names = {}
        for known in pairs(FUNCTIONS) do names[#names + 1] = known end
        table.sort(names)
        local close = suggest.nearest(node.name, names)
        fail(node.at, "unknown function '%s'; %s", node.name,
            close and ("did you mean '%s'?"):format(close)
            or "there are " .. table.concat(names, ", "))
    end
    if #node < row.least or #node > row.most then
        local due_count = row.least == row.most and tostring(row.least)
            or ("%d to %d"):format(row.least, row.most)
        fail(node.at, "%s takes %s number%s, not %d", node.name, due_count,
            due_count == "1" and "" or "s", #node)
    end
    local whole = check_all(node, 1, "number", variables)
    node.whole = row.whole == "always" or row.whole == "arguments" and whole
    return "number"
end

local function check_number(node, variables)
    for _, variable in ipairs(variables) do
        for _, spelling in ipairs(variable) do
            if spelling == node.unit then
                fail(node.unit_at, "%s is a name here; write '* %s' for the product", node.unit,
                    node.unit)
            end
        end
    end
    if node.value == math.huge then fail(node.at, "the number is too large for a double") end
    node.whole = node.value % 1 == 0
    return "number"
end

-- The type of a node, "number" or "condition". Marks nodes whose form makes them whole numbers:
-- sums, products and choices of what is whole, whole numbers, counts, and what was rounded.
function check(node, variables)
    local kind = node.kind
    if kind == "number" then return check_number(node, variables) end
    if kind == "name" then return check_name(node, variables) end
    if kind == "call" then return check_call(node, variables) end
    if kind == "if" then
        local got = check(node[1], variables)
        if got ~= "condition" then
            fail(node[1].at, "a condition such as E > 1 is due here, not a number")
        end
        node.whole = check_all(node, 2, "number", variables)
        return "number"
    end
    if JOINS[kind] then
        check_all(node, 1, "condition", variables)
        return "condition"
    end
    local whole = check_all(node, 1, "number", variables)
    if COMPARES[kind] then return "condition" end
    node.whole = whole and kind ~= "/"
        and (kind ~= "^" or node[2].kind == "number")
    return "number"
end

-- ---- from tree to closures, each a function of the list of the variables' values ----

local compile

local MAKE = {
    ["+"] = function(a, b) return function(v) return a(v) + b(v) end end,
    ["-"] = function(a, b) return function(v) return a(v) - b(v) end end,
    ["*"] = function(a, b) return function(v) return a(v) * b(v) end end,
    ["/"] = function(a, b) return function(v) return a(v) / b(v) end end,
    ["^"] = function(a, b) return function(v) return a(v) ^ b(v) end end,
    ["minus"] = function(a) return function(v) return -a(v) end end,
    ["<"] = function(a, b) return function(v) return a(v) < b(v) end end,
    ["<="] = function(a, b) return function(v) return a(v) <= b(v) end end,
    [">"] = function(a, b) return function(v) return a(v) > b(v) end end,
    [">="] = function(a, b) return function(v) return a(v) >= b(v) end end,
    ["=="] = function(a, b) return function(v) return a(v) == b(v) end end,
    ["~="] = function(a, b) return function(v) return a(v) ~= b(v) end end,
    ["and"] = function(a, b) return function(v) return a(v) and b(v) end end,
    ["or"] = function(a, b) return function(v) return a(v) or b(v) end end,
    ["if"] = function(a, b, c)
        return function(v) if a(v) then return b(v) end return c(v) end
    end,
}

local function compile_call(node, parts)
    local call, a, b = FUNCTIONS[node.name].call, parts[1], parts[2]
    if #parts == 1 then return function(v) return call(a(v)) end end
    if #parts == 2 then return function(v) return call(a(v), b(v)) end end
    return function(v)
        local values = {}
        for i = 1, #parts do values[i] = parts[i](v) end
        return call(table.unpack(values))
    end
end

function compile(node)
    if node.kind == "number" then
        local value = node.value
        return function() return value end
    elseif node.kind == "variable" then
        local index = node.index
        return function(v) return v[index] end
    end
    local parts = {}
    for i = 1, #node do parts[i] = compile(node[i]) end
    if node.kind == "call" then return compile_call(node, parts) end
    return MAKE[node.kind](table.unpack(parts))
end

-- ---- the public face ----

-- A message with its column, and below it the line of the formula with a caret.
local function describe(text, failure)
    local before = text:sub(1, failure.at - 1)
    local line_start = (before:find("[^\n]*$"))
    local line = text:match("[^\n]*", line_start):gsub("%s", " ")
    local column = utf8.len(before:sub(line_start)) + 1
    return ("column %d: %s\n    %s\n    %s^"):format(column, failure.message, line,
        (" "):rep(column - 1))
end

local function parse(text, variables)
    check_depth(text)
    lpeg.setmaxstack(40 * MAX_DEPTH)
    local tree = grammar:match(text)
    if check(tree, variables) ~= "number" then
        fail(tree.at, "a formula gives a number; choose one by if ... then ... else ...")
    end
    return tree
end

-- The positions of variables that a tree uses, as a set.
local function used_variables(node, used)
    if node.index then used[node.index] = true end
    for i = 1, #node do used_variables(node[i], used) end
    return used
end

-- Reads a formula; a wrong one is no error but an answer.
-- text: the formula, at most 1000 bytes of UTF-8. variables: a list of the names that it may use,
-- each a name or a list of spellings such as { "C", "compute" }, with whole = true for a count.
-- Returns a function of as many numbers, in the list's order, and whether the formula's form makes
-- every value a whole number; or nil and a message with the column and a caret below it.
function formula.try(text, variables)
    if type(text) ~= "string" then
        return nil, "a formula must be a text, got a " .. type(text)
    elseif #text > MAX_LENGTH then
        return nil, ("a formula may have %d bytes, this one has %d"):format(MAX_LENGTH, #text)
    elseif not utf8.len(text) then
        return nil, "a formula must be valid UTF-8"
    end
    local spellings = {}
    for i, variable in ipairs(variables) do
        spellings[i] = type(variable) == "table" and variable or {variable}
    end
    local fine, tree = pcall(parse, text, spellings)
    if not fine then
        if type(tree) ~= "table" then error(tree, 0) end
        return nil, describe(text, tree)
    end
    local evaluate, used = compile(tree), used_variables(tree, {})
    local function call(...)
        local values = {...}
        for i in pairs(used) do
            if type(values[i]) ~= "number" then
                require "dtsim.core".raise(("formula \"%s\": %s must be a number, got %s"):format(
                    text, spellings[i][1], tostring(values[i])))
            end
            if math.type(values[i]) == "integer" then values[i] = values[i] + 0.0 end
        end
        return evaluate(values)
    end
    return call, tree.whole or false
end

-- A formula as a Lua function of numbers: dtsim.formula("2 * x^2", { "x" })(3) is 18.
-- text, variables: as in formula.try. Errors: what is wrong, with the column.
function formula.new(text, variables)
    if variables ~= nil and type(variables) ~= "table" then
        require "dtsim.core".raise("formula: the variables must be a list of names, got a "
            .. type(variables))
    end
    local call, message = formula.try(text, variables or {})
    if not call then require "dtsim.core".raise("formula: " .. message) end
    return call
end

-- The functions and constants that every formula has, as sorted lists of names.
function formula.names()
    local functions = {}
    for known in pairs(FUNCTIONS) do functions[#functions + 1] = known end
    table.sort(functions)
    return functions, known_names({})
end

return formula
