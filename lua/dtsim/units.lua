--- Quantities with units: "900 GB/s" <-> 9e11.
-- May use: LPeg, dtsim.suggest.
--
-- A quantity is a number and a unit of one of the kinds below; its value is in the kind's SI
-- base unit (bytes, B/s, FLOP, FLOP/s, Hz, s, W, J, USD, or a plain number for a count).
-- What could be read in two ways is settled so:
--   * decimal prefixes (k or K, M, G, ...) are powers of 1000 and binary ones (Ki, Mi, Gi, ...)
--     powers of 1024: "MB" is 1e6 bytes, "MiB" 2^20;
--   * "B" is a byte and "b", "bit" a bit, an eighth of it: "8 Gb/s" = "8 Gbps" = "1 GB/s";
--   * "FLOPS" is FLOP/s; "FLOPs" could be either, and is refused;
--   * "m" alone (minute, month, metre?) is refused; "min" is 60 s, "M" a million;
--   * a year has 365.25 days, a month is a twelfth of it;
--   * in money "B" is a billion ("$5 B"); in a count write "5 G" or "5 billion";
--   * a number without a unit is a count and nothing else.
-- To add a unit or a kind, add a row to KINDS: parsing, suggestions and format read it there.

local lpeg = require "lpeg"
local suggest = require "dtsim.suggest"

local units = {}

local YEAR = 365.25 * 86400 -- seconds
local MONTH = YEAR / 12

-- Prefixes: what is written, and the power of ten or of two it stands for.
local LARGE = {
    { "k", ten = 3 }, { "K", ten = 3 }, { "M", ten = 6 }, { "G", ten = 9 }, { "T", ten = 12 },
    { "P", ten = 15 }, { "E", ten = 18 }, { "Z", ten = 21 }, { "Y", ten = 24 },
}
local BINARY = {
    { "Ki", two = 10 }, { "Mi", two = 20 }, { "Gi", two = 30 }, { "Ti", two = 40 },
    { "Pi", two = 50 }, { "Ei", two = 60 },
}
local SMALL = { -- micro is "u", the micro sign U+00B5 or the Greek mu U+03BC
    { "m", ten = -3 }, { "u", ten = -6 }, { "\u{B5}", ten = -6 }, { "\u{3BC}", ten = -6 },
    { "n", ten = -9 }, { "p", ten = -12 },
}
local WORDS = {
    { "thousand", ten = 3 }, { "million", ten = 6 }, { "billion", ten = 9 },
    { "trillion", ten = 12 },
}
local FINANCE = {
    { "k", ten = 3 }, { "K", ten = 3 }, { "M", ten = 6 }, { "B", ten = 9 }, { "T", ten = 12 },
}

-- Prefixes for format, from the power of ten `first` on, in steps of 1000.
local SHOW_LARGE = { first = 0, "", "k", "M", "G", "T", "P", "E", "Z", "Y" }
local SHOW_TO_ZETTA = { first = 0, "", "k", "M", "G", "T", "P", "E", "Z" }
local SHOW_SMALL = { first = -12, "p", "n", "u", "m", "" }
local SHOW_FINANCE = { first = 0, "", "k", "M", "B", "T" }

-- Each kind: its name; an example, quoted in errors; whether it may be infinite; its units and
-- how format shows it. A unit row: spellings, prefixes it takes, value in base units (1 where
-- absent), `suffix` where the prefix comes after the name, `gap` what stands between the two.
-- A show row: from which value on it serves, the unit (and its plural) and value, the prefixes;
-- `sign` stands before the number. `whole`: whole numbers below 10000 are written in full.
local KINDS = {
    { name = "bytes", example = "64 KiB",
        units = {
            { { "B", "byte", "bytes" }, prefixes = { LARGE, BINARY } },
            { { "b", "bit", "bits" }, prefixes = { LARGE, BINARY }, value = 1 / 8 },
        },
        show = { { unit = "B", prefixes = SHOW_LARGE } } },
    { name = "bandwidth", example = "900 GB/s", infinite = true,
        units = {
            { { "B/s", "Bps", "byte/s", "bytes/s" }, prefixes = { LARGE, BINARY } },
            { { "b/s", "bps", "bit/s", "bits/s" }, prefixes = { LARGE, BINARY }, value = 1 / 8 },
        },
        show = { { unit = "B/s", prefixes = SHOW_LARGE } } },
    { name = "flop", example = "1e26 FLOP",
        units = {
            { { "FLOP", "flop", "Flop" }, prefixes = { LARGE } },
            { { "MAC" }, prefixes = { LARGE }, value = 2 },
        },
        show = { { unit = "FLOP", prefixes = SHOW_TO_ZETTA } } },
    { name = "flop_rate", example = "312 TFLOP/s",
        units = {
            { { "FLOP/s", "flop/s", "Flop/s", "FLOPS" }, prefixes = { LARGE } },
            { { "MAC/s" }, prefixes = { LARGE }, value = 2 },
        },
        show = { { unit = "FLOP/s", prefixes = SHOW_TO_ZETTA } } },
    { name = "frequency", example = "1.544 GHz",
        units = { { { "Hz" }, prefixes = { LARGE } } },
        show = { { unit = "Hz", prefixes = SHOW_LARGE } } },
    { name = "time", example = "3 months",
        units = {
            { { "s" }, prefixes = { SMALL } },
            { { "second", "seconds" } },
            { { "min", "minute", "minutes" }, value = 60 },
            { { "h", "hour", "hours" }, value = 3600 },
            { { "d", "day", "days" }, value = 86400 },
            { { "week", "weeks" }, value = 7 * 86400 },
            { { "month", "months" }, value = MONTH },
            { { "year", "years" }, value = YEAR },
        },
        show = {
            { unit = "s", prefixes = SHOW_SMALL },
            { from = 60, unit = "min", value = 60 },
            { from = 3600, unit = "h", value = 3600 },
            { from = 86400, unit = "day", plural = "days", value = 86400 },
            { from = MONTH, unit = "month", plural = "months", value = MONTH },
            { from = YEAR, unit = "year", plural = "years", value = YEAR },
        } },
    { name = "power", example = "700 W",
        units = { { { "W" }, prefixes = { LARGE } } },
        show = { { unit = "W", prefixes = SHOW_LARGE } } },
    { name = "energy", example = "1.5 MWh",
        units = {
            { { "J" }, prefixes = { LARGE } },
            { { "Wh" }, prefixes = { LARGE }, value = 3600 },
        },
        show = {
            { unit = "J", prefixes = SHOW_LARGE },
            { from = 3.6e6, unit = "Wh", prefixes = SHOW_LARGE, value = 3600 },
        } },
    { name = "money", example = "$300", whole = true,
        units = {
            { { "$" }, prefixes = { FINANCE, WORDS }, suffix = true },
            { { "USD" }, prefixes = { FINANCE, WORDS }, gap = " " },
        },
        show = { { sign = "$", unit = "", prefixes = SHOW_FINANCE } } },
    { name = "count", example = "16 M", whole = true,
        units = { { { "" }, prefixes = { LARGE, BINARY, WORDS } } },
        show = { { unit = "", prefixes = SHOW_TO_ZETTA } } },
}

-- Spellings refused because they have two meanings; %s is the prefix.
local AMBIGUOUS = {
    { { "FLOPs", "flops", "Flops" }, prefixes = { LARGE },
        why = 'an amount or a rate? Write "%sFLOP" or "%sFLOP/s"' },
    { { "m" }, prefixes = {}, why = 'write "min", "month" or "ms"' },
}

local MAX_LENGTH = 200 -- of a quantity's text, in bytes
local MAX_EXPONENT = 100000 -- beyond it every number of that length is 0 or infinite
local DEFAULT_DIGITS = 3
local MAX_DIGITS = 17 -- enough to tell any two doubles apart
local MAX_WHOLE = 10000 -- whole counts and sums below it are written in full
local PLAIN_DIGITS = 6 -- of a number before its unit, at either side of the point

--- The names of all kinds, in the order in which they are documented.
units.kinds = {}

local kind_of_name = {}   -- "time" -> its row of KINDS
local unit_of_spelling = {}   -- "GB/s" -> { kind, ten (power of ten), value }
local reason_of_spelling = {} -- "TFLOPs" -> why it is refused
local spellings = {}      -- every spelling; and spellings[kind], those of the kind
local spellings_of_lower = {} -- "gb/s" -> { "GB/s", "Gb/s" }

-- Calls visit(spelling, prefix) for each way to write a unit row, first without a prefix.
local function each_spelling(row, visit)
    for _, name in ipairs(row[1]) do
        visit(name, { "" })
        for _, prefixes in ipairs(row.prefixes or {}) do
            for _, prefix in ipairs(prefixes) do
                local gap = row.gap or ""
                visit(row.suffix and name .. gap .. prefix[1] or prefix[1] .. gap .. name, prefix)
            end
        end
    end
end

local function add_spelling(kind, row, spelling, prefix)
    assert(not unit_of_spelling[spelling], spelling)
    unit_of_spelling[spelling] = {
        kind = kind.name,
        ten = prefix.ten or 0,
        value = (row.value or 1) * 2.0 ^ (prefix.two or 0),
    }
    local lower = spelling:lower()
    spellings_of_lower[lower] = spellings_of_lower[lower] or {}
    table.insert(spellings_of_lower[lower], spelling)
    table.insert(spellings, spelling)
    table.insert(spellings[kind.name], spelling)
end

for _, kind in ipairs(KINDS) do
    table.insert(units.kinds, kind.name)
    kind_of_name[kind.name], spellings[kind.name] = kind, {}
    for _, row in ipairs(kind.units) do
        each_spelling(row, function(spelling, prefix) add_spelling(kind, row, spelling, prefix) end)
    end
end

for _, row in ipairs(AMBIGUOUS) do
    each_spelling(row, function(spelling, prefix)
        assert(not unit_of_spelling[spelling], spelling)
        reason_of_spelling[spelling] = row.why:gsub("%%s", prefix[1])
    end)
end

-- The text of a quantity -> { sign, dollar, infinite | mantissa, exponent, unit }.
local quantity = (function()
    local P, R, S, C, Cg, Ct = lpeg.P, lpeg.R, lpeg.S, lpeg.C, lpeg.Cg, lpeg.Ct
    -- no-break, thin and narrow no-break spaces are common in copied text
    local space = S" \t\r\n" + P"\u{A0}" + P"\u{2009}" + P"\u{202F}"
    local gap, digit = space^0, R"09"
    local mantissa = digit^1 * (P"." * digit^0)^-1 + P"." * digit^1
    local exponent = S"eE" * Cg(S"+-"^-1 * digit^1, "exponent")
    local number = Cg(S"+-"^-1, "sign") * (Cg(P"$", "dollar") * gap)^-1
        * Cg(mantissa, "mantissa") * exponent^-1
    local infinite = P"+"^-1 * Cg(P"infinite" + P"infinity" + P"inf" + P"Inf", "infinite")
    local unit = Cg(C((1 - gap * -1)^0), "unit")
    return Ct(gap * (number + infinite) * gap * unit)
end)()

-- mantissa * 10^(exponent + ten) * value, rounded once for all decimal prefixes: the exponent
-- is shifted in the text. A value that is a power of two adds no rounding either.
-- Returns nil and a message where the result is no finite double, or is lost in zero.
local function number_of(parts, unit)
    local exponent = tonumber(parts.exponent or "0")
    exponent = math.max(-MAX_EXPONENT, math.min(MAX_EXPONENT, exponent)) + unit.ten
    local x = tonumber(("%se%d"):format(parts.mantissa, exponent)) * unit.value
    if x == math.huge then return nil, "is too large for a double" end
    if x == 0 and parts.mantissa:find("[1-9]") then return nil, "is too small for a double" end
    return parts.sign == "-" and -x or x
end

-- Units that differ from an unknown one in case only, quoted; one spelling for each value.
local function same_but_case(text, kind)
    local quoted, seen = {}, {}
    for _, spelling in ipairs(spellings_of_lower[text:lower()] or {}) do
        local unit = unit_of_spelling[spelling]
        local value = ("%s %d %g"):format(unit.kind, unit.ten, unit.value)
        if not seen[value] and (not kind or unit.kind == kind) then
            seen[value] = true
            table.insert(quoted, '"' .. spelling .. '"')
        end
    end
    return quoted
end

-- "; did you mean ...?" for an unknown unit, or what would be right.
local function unit_hint(text, kind)
    local same = same_but_case(text, kind)
    if #same > 0 then return ("; did you mean %s?"):format(table.concat(same, " or ")) end
    if text:find("^%$") then return '; after "$5" may stand k, M, B or T' end
    local near = suggest.nearest(text, kind and spellings[kind] or spellings)
    if near then return ('; did you mean "%s"?'):format(near) end
    if kind then return ('; %s is written like "%s"'):format(kind, kind_of_name[kind].example) end
    return ""
end

-- Why a unit is not known.
local function unknown_unit(parts, unit, kind)
    if parts.unit:find("^[.,_']?%d") then
        return 'has an odd number: write it like 1234.5 or 1.5e26, with no "," "_" or blanks in it'
    end
    if reason_of_spelling[unit] then
        return ('has the ambiguous unit "%s": %s'):format(unit, reason_of_spelling[unit])
    end
    return ('has the unknown unit "%s"%s'):format(unit, unit_hint(unit, kind))
end

-- The value of an infinite quantity, or nil and what is wrong.
local function infinite_value(unit, kind)
    local row = kind_of_name[kind or unit.kind]
    if row.infinite then return math.huge, row.name end
    if not kind and unit.kind == "count" then
        return nil, 'needs a unit, as in "inf GB/s"'
    end
    return nil, ("is infinite, but %s must be finite"):format(row.name)
end

-- The value and kind of a parsed text, or nil and what is wrong, to follow the quoted text.
local function evaluate(parts, kind)
    local text = (parts.dollar or "") .. parts.unit:gsub("%s+", " ")
    local unit = unit_of_spelling[text]
    if not unit then return nil, unknown_unit(parts, text, kind) end
    if parts.infinite and text == "" then return infinite_value(unit, kind) end
    if kind and unit.kind ~= kind then
        local due = ('%s is due, as in "%s"'):format(kind, kind_of_name[kind].example)
        if text == "" then return nil, "has no unit, but " .. due end
        return nil, ("is %s, but %s"):format(unit.kind, due)
    end
    if parts.infinite then return infinite_value(unit, kind) end
    local x, message = number_of(parts, unit)
    if not x then return nil, message end
    return x, unit.kind
end

-- The row of a kind by its name; an unknown one is the caller's mistake, raised at `level`.
local function kind_row(kind, level)
    local row = kind_of_name[kind]
    if row then return row end
    local near = suggest.nearest(kind, units.kinds)
    error(("unknown kind of quantity %q%s; known are %s"):format(tostring(kind),
        near and (" (did you mean %q?)"):format(near) or "", table.concat(units.kinds, ", ")),
        level + 1)
end

-- The value and kind of a text, or nil and a message; `kind` is known or nil.
local function read(s, kind)
    local example = kind and kind_of_name[kind].example or "900 GB/s"
    if type(s) ~= "string" then
        return nil, ('a string like "%s" is expected, not a %s'):format(example, type(s))
    end
    if #s > MAX_LENGTH then
        return nil, ('"%s..." is too long for a quantity'):format(s:sub(1, 20))
    end
    local parts = quantity:match(s)
    if not parts then
        return nil, ('"%s" does not begin with a number, as in "%s"'):format(s, example)
    end
    local x, kind_or_message = evaluate(parts, kind)
    if x then return x, kind_or_message end
    return nil, ('"%s" %s'):format(s, kind_or_message)
end

--- Reads a quantity; wrong text is no error but an answer.
-- @param s     text such as "900 GB/s", "3 months", "$5.03 B", "1e26 FLOP", "16 M"
-- @param kind  the kind that is due (one of units.kinds), or nil for any
-- @return the value in base units (a float) and its kind; or nil and a message that quotes `s`
--   and says what is wrong and what is right. Only a bandwidth may be "inf" or "infinite".
-- Raises for an unknown kind only.
function units.try(s, kind)
    if kind ~= nil then kind_row(kind, 2) end
    return read(s, kind)
end

--- Reads a quantity as units.try does, but raises its message.
-- @param s, kind  as in units.try
-- @return the value in base units (a float) and its kind
function units.parse(s, kind)
    if kind ~= nil then kind_row(kind, 2) end
    local x, kind_or_message = read(s, kind)
    if not x then error(kind_or_message, 2) end
    return x, kind_or_message
end

--- A quantity of a kind as it may be written, for messages: units.example("time") is "3 months".
-- @param kind  one of units.kinds; another raises
function units.example(kind)
    return kind_row(kind, 2).example
end

-- The decimal digits of x >= 0, rounded to `digits` of them, and the power of ten of the first:
-- 2.25e-5 -> "225", -5. (A locale may put a comma for the point.)
local function decimal(x, digits)
    local text = ("%." .. digits - 1 .. "e"):format(x)
    local first, rest, exponent = text:match("^(%d)[.,]?(%d*)e([+-]%d+)$")
    return first .. rest, math.tointeger(tonumber(exponent))
end

-- Digits with the point after the first (1 + exponent) of them: "225", 1 -> "22.5".
local function place_point(digits, exponent)
    local before = exponent + 1
    if before <= 0 then return "0." .. ("0"):rep(-before) .. digits end
    if before >= #digits then return digits .. ("0"):rep(before - #digits) end
    return digits:sub(1, before) .. "." .. digits:sub(before + 1)
end

-- "2.900e5" -> "2.9e5"; "300" stays.
local function without_zeros(text)
    local mantissa, exponent = text:match("^([^e]*)(.*)$")
    if mantissa:find(".", 1, true) then mantissa = mantissa:gsub("%.?0+$", "") end
    return mantissa .. exponent
end

-- The show row that serves for a value, which is rounded first: 59.99 s is shown as 1 min.
local function show_row(kind, x, digits)
    local significand, exponent = decimal(x, digits)
    local rounded = tonumber(significand .. "e" .. exponent - #significand + 1)
    local chosen
    for _, row in ipairs(kind.show) do
        if not row.from or rounded >= row.from then chosen = row end
    end
    return chosen
end

-- The number of a quantity x >= 0 and the prefix of its unit.
local function number_and_prefix(row, x, digits)
    local significand, exponent = decimal(x / (row.value or 1), digits)
    if x == 0 then return "0", "" end
    local list = row.prefixes or { first = 0, "" }
    local last = list.first + 3 * (#list - 1)
    local room = #list > 1 and 3 or PLAIN_DIGITS
    if exponent >= last + room or exponent < list.first - 3 then
        return place_point(significand, 0) .. "e" .. exponent, ""
    end
    local ten = math.max(list.first, math.min(last, exponent // 3 * 3))
    return place_point(significand, exponent - ten), list[(ten - list.first) // 3 + 1]
end

--- Writes a quantity so that a person can read it, and units.parse too.
-- The unit and its prefix are chosen by size ("900 GB/s", "22.5 us", "2.90 months", "16.8 M",
-- "$5.03 B"; "1.12e26 FLOP" from 1e24 on). Zeros at the end tell that the number was rounded:
-- exactly 2.9 months are "2.9 months". Whole counts and sums below 10000 are written in full.
-- @param x       the value in base units; infinity is "infinite", NaN raises
-- @param kind    one of units.kinds; another raises
-- @param digits  significant digits, 1 to 17 (3 where absent)
-- @return the text
function units.format(x, kind, digits)
    local row = kind_row(kind, 2)
    if type(x) ~= "number" then error("a number is expected, not a " .. type(x), 2) end
    if x ~= x then error(("NaN cannot be written as %s"):format(kind), 2) end
    digits = digits or DEFAULT_DIGITS
    if math.type(digits) ~= "integer" or digits < 1 or digits > MAX_DIGITS then
        error(("digits must be a whole number from 1 to %d, not %s"):format(MAX_DIGITS,
            tostring(digits)), 2)
    end
    local minus, size = x < 0 and "-" or "", math.abs(x + 0.0)
    if size == math.huge then return minus .. "infinite" end
    if row.whole and size < MAX_WHOLE and size % 1 == 0 then
        return ("%s%s%d"):format(minus, row.show[1].sign or "", size)
    end
    local shown = show_row(row, size, digits)
    local number, prefix = number_and_prefix(shown, size, digits)
    local function compose(text)
        local unit = prefix .. (text ~= "1" and shown.plural or shown.unit)
        local gap = unit == "" and "" or " "
        return minus .. (shown.sign or "") .. text .. gap .. unit
    end
    local short = compose(without_zeros(number))
    return read(short, kind) == x and short or compose(number)
end

return units
