local units = require "dtsim.units"

local YEAR = 365.25 * 86400

-- Values are literals: the same double that the compiler makes of the decimal number.
local RIGHT = {
    bytes = {
        ["1 B"] = 1.0, ["16 bytes"] = 16.0, ["1 byte"] = 1.0, ["3 kB"] = 3e3, ["3 KB"] = 3e3,
        ["1 MB"] = 1e6, ["1 MiB"] = 1048576.0, ["64 KiB"] = 65536.0, ["768 KiB"] = 786432.0,
        ["80 GB"] = 80e9, ["80 GiB"] = 85899345920.0, ["1.1 TB"] = 1.1e12, ["2 PB"] = 2e15,
        ["2 EB"] = 2e18, ["2 ZB"] = 2e21, ["2 YB"] = 2e24, ["1 TiB"] = 2.0 ^ 40,
        ["1 PiB"] = 2.0 ^ 50, ["1 EiB"] = 2.0 ^ 60, ["8 b"] = 1.0, ["8 bit"] = 1.0,
        ["8 bits"] = 1.0, ["1 Gb"] = 125e6, ["1 Gbit"] = 125e6, ["8 Kib"] = 1024.0,
        ["1.5e3 Gbyte"] = 1.5e12,
    },
    bandwidth = {
        ["900 GB/s"] = 900e9, ["900GB/s"] = 900e9, ["900 GBps"] = 900e9, ["384.8 GB/s"] = 384.8e9,
        ["3.35 TB/s"] = 3.35e12, ["400 Gbit/s"] = 50e9, ["400 Gb/s"] = 50e9, ["400 Gbps"] = 50e9,
        ["1 B/s"] = 1.0, ["1 GiB/s"] = 1073741824.0, ["8 bps"] = 1.0, ["100 Mb/s"] = 12.5e6,
        ["inf GB/s"] = math.huge, ["infinite B/s"] = math.huge,
    },
    flop = {
        ["1e26 FLOP"] = 1e26, ["1.5e26 FLOP"] = 1.5e26, ["1.5e+26 FLOP"] = 1.5e26,
        ["300 ZFLOP"] = 300e21, ["1 YFLOP"] = 1e24, ["2.5 TFlop"] = 2.5e12, ["1 flop"] = 1.0,
        ["1 TMAC"] = 2e12,
    },
    flop_rate = {
        ["312 TFLOP/s"] = 312e12, ["312 TFLOPS"] = 312e12, ["1.979 PFLOP/s"] = 1.979e15,
        ["1 EFLOP/s"] = 1e18, ["5 Gflop/s"] = 5e9, ["156 TMAC/s"] = 312e12,
    },
    frequency = {
        ["1.544 GHz"] = 1544000000.0, ["1544 MHz"] = 1544000000.0, ["32 kHz"] = 32e3,
        ["50 Hz"] = 50.0, ["1 THz"] = 1e12,
    },
    time = {
        ["22.5 us"] = 2.25e-05, ["1.125 us"] = 1.125e-06, ["0.1125 us"] = 1.125e-07,
        ["0.45 us"] = 4.5e-07, ["0.45000000000000003 us"] = 4.5000000000000003e-07,
        ["5 \u{B5}s"] = 5e-6, ["5 \u{3BC}s"] = 5e-6, ["5 ns"] = 5e-9, ["5 ps"] = 5e-12,
        ["1.5 ms"] = 1.5e-3, ["1 s"] = 1.0, ["1 second"] = 1.0, ["2 seconds"] = 2.0,
        ["5 min"] = 300.0, ["1 minute"] = 60.0, ["2 minutes"] = 120.0, ["2 h"] = 7200.0,
        ["1 hour"] = 3600.0, ["36 hours"] = 129600.0, ["1 d"] = 86400.0, ["1 day"] = 86400.0,
        ["90 days"] = 7776000.0, ["1 week"] = 604800.0, ["2 weeks"] = 1209600.0,
        ["1 month"] = 2629800.0, ["3 months"] = YEAR / 4, ["1 year"] = 31557600.0,
        ["0.25 years"] = YEAR / 4,
    },
    power = {
        ["700 W"] = 700.0, ["1.2 kW"] = 1200.0, ["150 MW"] = 150e6, ["1.21 GW"] = 1.21e9,
    },
    energy = {
        ["1 J"] = 1.0, ["3 kJ"] = 3e3, ["3 MJ"] = 3e6, ["1 Wh"] = 3600.0, ["1 kWh"] = 3.6e6,
        ["1 MWh"] = 3.6e9, ["2 GWh"] = 7.2e12, ["1 TWh"] = 3.6e15,
    },
    money = {
        ["$300"] = 300.0, ["$ 300"] = 300.0, ["$0.05"] = 0.05, ["$1.2M"] = 1.2e6,
        ["$5.03 B"] = 5.03e9, ["$5.03 billion"] = 5.03e9, ["$25k"] = 25e3, ["$25 K"] = 25e3,
        ["$1 T"] = 1e12, ["$1 trillion"] = 1e12, ["$2 thousand"] = 2e3, ["$2 million"] = 2e6,
        ["300 USD"] = 300.0, ["5 billion USD"] = 5e9, ["5  billion  USD"] = 5e9,
        ["5.03 B USD"] = 5.03e9, ["-$5"] = -5.0, ["+$5"] = 5.0,
    },
    count = {
        ["16 M"] = 16e6, ["4 Mi"] = 4194304.0, ["16 million"] = 16e6, ["16777216"] = 16777216.0,
        ["3e26"] = 3e26, ["70 G"] = 70e9, ["70 billion"] = 70e9, ["15 T"] = 15e12,
        ["15 trillion"] = 15e12, ["2 k"] = 2e3, ["2 thousand"] = 2e3, ["5 E"] = 5e18,
        ["5E3"] = 5e3, ["-7"] = -7.0, ["0"] = 0.0,
    },
}

describe("units.parse", function()
    for kind, cases in pairs(RIGHT) do
        it("reads " .. kind, function()
            for text, value in pairs(cases) do
                local x, found = units.parse(text)
                assert.equal(kind, found, text)
                assert.equal(value, x, text)
                assert.equal("float", math.type(x), text)
                assert.equal(value, (units.parse(text, kind)), text)
            end
        end)
    end

    it("reads numbers in all their forms", function()
        for text, value in pairs {
            [".5 s"] = 0.5, ["5. s"] = 5.0, ["+5 s"] = 5.0, ["-5 s"] = -5.0, ["5e0s"] = 5.0,
            ["50E-1 s"] = 5.0, ["0.000001e6 s"] = 1.0, ["1000000e-6 s"] = 1.0,
            ["0 s"] = 0.0, ["0e999 s"] = 0.0,
        } do
            assert.equal(value, (units.parse(text)), text)
        end
        assert.equal(-math.huge, 1 / units.parse("-0 s"))
    end)

    it("passes over blanks, no-break ones too", function()
        local texts = { "  5 us ", "5us", "5\tus", "5\u{A0}us", "5\u{202F}us\n", "5   us" }
        for _, text in ipairs(texts) do
            assert.equal(5e-6, (units.parse(text, "time")), text)
        end
    end)

    it("takes infinity for a bandwidth", function()
        for _, text in ipairs { "inf", "Inf", "infinite", "infinity", "+inf", " inf " } do
            assert.equal(math.huge, (units.parse(text, "bandwidth")), text)
        end
    end)

    it("rounds a decimal prefix only once", function()
        math.randomseed(42)
        local prefixes = { p = -12, n = -9, u = -6, m = -3, [""] = 0 }
        for _ = 1, 2000 do
            local mantissa = ("%.17g"):format(math.random() * 1000)
            for prefix, ten in pairs(prefixes) do
                local text = ("%s %ss"):format(mantissa, prefix)
                assert.equal(tonumber(mantissa .. "e" .. ten), (units.parse(text)), text)
            end
        end
    end)

    it("raises at the caller's line", function()
        local ok, message = pcall(function() units.parse("5 us", "bandwidth") end)
        assert.is_false(ok)
        assert.matches("units_spec.lua:%d+: \"5 us\"", message)
    end)
end)

describe("units.try answers with a message for", function()
    local function refused(what, text, kind, message)
        it(what .. ": " .. tostring(text):sub(1, 30) .. (kind and " as " .. kind or ""), function()
            local x, answer = units.try(text, kind)
            assert.is_nil(x)
            assert.equal(message, answer)
            local ok, raised = pcall(units.parse, text, kind)
            assert.is_false(ok)
            assert.equal(message, (raised:gsub("^[^ ]+_spec.lua:%d+: ", "")))
        end)
    end

    refused("the wrong kind", "5 us", "bandwidth",
        '"5 us" is time, but bandwidth is due, as in "900 GB/s"')
    refused("the wrong kind", "312 TFLOP/s", "flop",
        '"312 TFLOP/s" is flop_rate, but flop is due, as in "1e26 FLOP"')
    refused("the wrong kind", "70 B", "count", '"70 B" is bytes, but count is due, as in "16 M"')
    refused("the wrong kind", "$300", "power", '"$300" is money, but power is due, as in "700 W"')
    refused("the wrong kind", "inf s", "bandwidth",
        '"inf s" is time, but bandwidth is due, as in "900 GB/s"')
    refused("a missing unit", "3e26", "flop",
        '"3e26" has no unit, but flop is due, as in "1e26 FLOP"')
    refused("a missing unit", "900", "bandwidth",
        '"900" has no unit, but bandwidth is due, as in "900 GB/s"')
    refused("a missing unit", "300", "money",
        '"300" has no unit, but money is due, as in "$300"')
    refused("a missing unit", "inf", nil, '"inf" needs a unit, as in "inf GB/s"')

    refused("two readings", "5 TFLOPs", nil, '"5 TFLOPs" has the ambiguous unit "TFLOPs": '
        .. 'an amount or a rate? Write "TFLOP" or "TFLOP/s"')
    refused("two readings", "5 flops", "flop_rate", '"5 flops" has the ambiguous unit "flops": '
        .. 'an amount or a rate? Write "FLOP" or "FLOP/s"')
    refused("two readings", "5 m", "time",
        '"5 m" has the ambiguous unit "m": write "min", "month" or "ms"')

    refused("an unknown unit", "5 gb/s", nil,
        '"5 gb/s" has the unknown unit "gb/s"; did you mean "GB/s" or "Gb/s"?')
    refused("an unknown unit", "5 kwh", nil,
        '"5 kwh" has the unknown unit "kwh"; did you mean "kWh"?')
    refused("an unknown unit", "5 mw", "power",
        '"5 mw" has the unknown unit "mw"; did you mean "MW"?')
    refused("an unknown unit", "3 mnths", "time",
        '"3 mnths" has the unknown unit "mnths"; did you mean "months"?')
    refused("an unknown unit", "5 GBs", "bandwidth",
        '"5 GBs" has the unknown unit "GBs"; did you mean "GB/s"?')
    refused("an unknown unit", "5 fortnights", "time",
        '"5 fortnights" has the unknown unit "fortnights"; time is written like "3 months"')
    refused("an unknown unit", "5 fortnights", nil,
        '"5 fortnights" has the unknown unit "fortnights"')
    refused("an unknown unit", "$5 Q", "money",
        '"$5 Q" has the unknown unit "$Q"; after "$5" may stand k, M, B or T')
    refused("an unknown unit", "0x10 B", nil, '"0x10 B" has the unknown unit "x10 B"')
    refused("an unknown unit", "5 m s", nil,
        '"5 m s" has the unknown unit "m s"; did you mean "ms"?')

    local odd = 'has an odd number: write it like 1234.5 or 1.5e26, with no "," "_" or blanks in it'
    for _, text in ipairs { "1,000 B", "1_000 B", "1 000 B", "1'000 B", "1.2.3 B", "$5,000" } do
        refused("an odd number", text, nil, ('"%s" %s'):format(text, odd))
    end

    for _, text in ipairs { "", "   ", "GB/s", "nan", "- 5 B", "-inf", "USD 300", "$", "e5 B" } do
        refused("no number", text, "bytes",
            ('"%s" does not begin with a number, as in "64 KiB"'):format(text))
    end

    refused("infinity", "inf", "time", '"inf" is infinite, but time must be finite')
    refused("infinity", "infinite", "count", '"infinite" is infinite, but count must be finite')
    refused("infinity", "inf s", nil, '"inf s" is infinite, but time must be finite')
    refused("too large a number", "1e999 B", nil, '"1e999 B" is too large for a double')
    refused("too large a number", "1e300 YB", nil, '"1e300 YB" is too large for a double')
    refused("too large a number", "1e308 h", nil, '"1e308 h" is too large for a double')
    refused("too large a number", "1e99999999999999999999 B", nil,
        '"1e99999999999999999999 B" is too large for a double')
    refused("too small a number", "1e-999 s", nil, '"1e-999 s" is too small for a double')
    refused("too small a number", "1e-320 us", nil, '"1e-320 us" is too small for a double')

    refused("no string", 5, "time", 'a string like "3 months" is expected, not a number')
    refused("no string", nil, nil, 'a string like "900 GB/s" is expected, not a nil')
    refused("a long text", ("9"):rep(201), "count",
        '"99999999999999999999..." is too long for a quantity')
end)

describe("an unknown kind raises in", function()
    local known = "known are bytes, bandwidth, flop, flop_rate, frequency, time, power, energy, "
        .. "money, count"
    local near = 'unknown kind of quantity "bandwith" (did you mean "bandwidth"?); ' .. known
    local far = 'unknown kind of quantity "colour"; ' .. known

    local function check(name, call)
        it("units." .. name, function()
            for kind, message in pairs { bandwith = near, colour = far } do
                local ok, raised = pcall(function() return (call(kind)) end)
                assert.is_false(ok)
                assert.matches("units_spec.lua:%d+: ", raised)
                assert.equal(message, (raised:gsub("^[^ ]+_spec.lua:%d+: ", "")))
            end
        end)
    end

    check("try", function(kind) return (units.try("5 s", kind)) end)
    check("parse", function(kind) return (units.parse("5 s", kind)) end)
    check("format", function(kind) return (units.format(5, kind)) end)
    check("example", function(kind) return (units.example(kind)) end)
end)

describe("units.kinds and units.example", function()
    it("know every kind, whose example is one of it", function()
        assert.same({ "bytes", "bandwidth", "flop", "flop_rate", "frequency", "time", "power",
            "energy", "money", "count" }, units.kinds)
        for _, kind in ipairs(units.kinds) do
            local _, found = units.parse(units.example(kind))
            assert.equal(kind, found)
        end
        assert.equal("3 months", units.example("time"))
    end)
end)

describe("units.format", function()
    local function shows(expected, ...)
        assert.equal(expected, units.format(...))
    end

    it("chooses a decimal prefix", function()
        shows("900 GB/s", 900e9, "bandwidth")
        shows("3.35 TB/s", 3.35e12, "bandwidth")
        shows("65.5 kB", 65536, "bytes")
        shows("80 GB", 80e9, "bytes")
        shows("312 TFLOP/s", 312e12, "flop_rate")
        shows("1.54 GHz", 1.544e9, "frequency")
        shows("700 W", 700, "power")
        shows("1.21 GW", 1.21e9, "power")
        shows("0.5 B", 0.5, "bytes")
    end)

    it("goes to the next prefix when rounding does", function()
        shows("1.00 GB", 999.9e6, "bytes")
        shows("1.00 min", 59.99, "time")
        shows("59.9 s", 59.9, "time")
    end)

    it("writes amounts of compute from 1e24 on, and what no prefix reaches, with an exponent",
        function()
            shows("1.12e26 FLOP", 1.121e26, "flop")
            shows("1e24 FLOP", 1e24, "flop")
            shows("1.00e24 FLOP", 999.9e21, "flop")
            shows("999 ZFLOP", 999e21, "flop")
            shows("3e25 FLOP/s", 3e25, "flop_rate")
            shows("1e30 B", 1e30, "bytes")
            shows("1e-9 B", 1e-9, "bytes")
            shows("4.94e-324 s", 5e-324, "time")
            shows("3.17e12 years", 1e20, "time")
            shows("$1e15", 1e15, "money")
        end)

    it("chooses the unit of a time", function()
        shows("5 ps", 5e-12, "time")
        shows("450 ns", 4.5e-7, "time")
        shows("22.5 us", 2.25e-5, "time")
        shows("1.5 ms", 1.5e-3, "time")
        shows("0 s", 0, "time")
        shows("12 s", 12, "time")
        shows("1.5 min", 90, "time")
        shows("36 min", 2160, "time")
        shows("2.5 h", 9000, "time")
        shows("1 day", 86400, "time")
        shows("3 days", 3 * 86400, "time")
        shows("1 month", YEAR / 12, "time")
        shows("2.90 months", 2.9012 * YEAR / 12, "time")
        shows("3.00 months", 0.25 * 3.154e7, "time")
        shows("1 year", YEAR, "time")
        shows("5000 years", 5000 * YEAR, "time")
    end)

    it("keeps zeros at the end only of what was rounded", function()
        shows("2.9 months", 2.9 * YEAR / 12, "time")
        shows("2.90 months", 2.9001 * YEAR / 12, "time")
        shows("5 us", 5e-6, "time")
        shows("5.00 us", 5.0001e-6, "time")
        shows("$5.03 B", 5.03e9, "money")
        shows("$5.00 B", 5.0001e9, "money")
    end)

    it("writes energy in J, and in Wh from a kWh on", function()
        shows("500 J", 500, "energy")
        shows("3.5 MJ", 3.5e6, "energy")
        shows("1 kWh", 3.6e6, "energy")
        shows("1.39 MWh", 5e9, "energy")
    end)

    it("writes counts and money, small whole ones in full", function()
        shows("16.8 M", 16777216, "count")
        shows("16.777216 M", 16777216, "count", 8)
        shows("1024", 1024, "count")
        shows("12.3 k", 12345, "count")
        shows("1.5", 1.5, "count")
        shows("0", 0, "count")
        shows("-3", -3, "count")
        shows("$300", 300, "money")
        shows("$9999", 9999, "money")
        shows("$0.05", 0.05, "money")
        shows("$5.03 B", 5033164800, "money")
        shows("-$5", -5, "money")
        shows("-$1.2 M", -1.2e6, "money")
        shows("$2 T", 2e12, "money")
    end)

    it("writes infinity in words", function()
        shows("infinite", math.huge, "bandwidth")
        shows("infinite", math.huge, "time")
        shows("-infinite", -math.huge, "time")
    end)

    it("writes as many digits as asked", function()
        shows("12 MW", 12345678, "power", 2)
        shows("12.345678 MW", 12345678, "power", 8)
        shows("12.345678 MW", 12345678, "power", 17)
        shows("20 us", 2.25e-5, "time", 1)
    end)

    it("raises for what it cannot write", function()
        local function raises(message, ...)
            local arguments = table.pack(...)
            local ok, raised = pcall(function()
                return (units.format(table.unpack(arguments, 1, arguments.n)))
            end)
            assert.is_false(ok)
            assert.matches("units_spec.lua:%d+: ", raised)
            assert.equal(message, (raised:gsub("^[^ ]+_spec.lua:%d+: ", "")))
        end
        raises("NaN cannot be written as bytes", 0 / 0, "bytes")
        raises("a number is expected, not a string", "5", "bytes")
        raises("a number is expected, not a nil", nil, "bytes")
        for digits, text in pairs { [0] = "0", [18] = "18", [2.5] = "2.5" } do
            raises("digits must be a whole number from 1 to 17, not " .. text, 5, "bytes", digits)
        end
        raises("digits must be a whole number from 1 to 17, not 3", 5, "bytes", "3")
    end)
end)

describe("units.parse of units.format", function()
    local function random_value()
        return (0.1 + math.random()) * 10.0 ^ math.random(-15, 40)
    end

    it("gives the value back within rounding", function()
        math.randomseed(7)
        for _ = 1, 5000 do
            local kind = units.kinds[math.random(#units.kinds)]
            local digits = math.random(1, 15)
            local x = random_value() * (math.random(2) == 1 and 1 or -1)
            local text = units.format(x, kind, digits)
            local back, found = units.parse(text, kind)
            assert.equal(kind, found)
            -- half a unit of the last digit shown, and one rounding more for units that are no
            -- power of ten
            assert.is_true(math.abs(back - x) <= math.abs(x) * (0.51 * 10.0 ^ (1 - digits) + 1e-15),
                ("%.17g as %s"):format(x, text))
        end
    end)

    it("gives every bit back with 17 digits and decimal prefixes", function()
        math.randomseed(8)
        for _ = 1, 2000 do
            local x = random_value()
            for _, kind in ipairs { "bytes", "bandwidth", "flop", "flop_rate", "power", "money",
                "count" } do
                assert.equal(x, (units.parse(units.format(x, kind, 17), kind)))
            end
        end
    end)

    it("gives whole units back exactly", function()
        for _, unit in ipairs { "ns", "us", "ms", "s", "min", "h", "days", "months", "years" } do
            for _, n in ipairs { 1, 2, 3, 5 } do
                local x = units.parse(n .. " " .. unit)
                assert.equal(x, (units.parse(units.format(x, "time"), "time")))
            end
        end
    end)
end)
