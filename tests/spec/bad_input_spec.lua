-- Bad input of every kind: one error each, on one line, with the user's line, the field, the value
-- and what is allowed. Most cases are generated from the library's own rows of fields and options;
-- what must be said is written here.
local core = require "dtsim.core"
local json = require "dtsim.json"
local mistakes = require "spec.mistakes"

local num_cases = 0

-- The message of some code must begin with the user's line, be one line, and hold each text.
local function check(code, ...)
    num_cases = num_cases + 1
    local message = mistakes.message_of(code)
    local function expect(condition, what)
        if not condition then
            error(("%s\n    %s\n    said: %s"):format(code, what, message), 0)
        end
    end
    expect(message ~= "no error", "no error")
    expect(message:sub(1, 12) == "user.lua:3: ", "not at the user's line")
    local words = message:gsub("\n[^\n]*\n *%^$", "") -- a formula, with a mark below its mistake
    expect(not words:find "\n", "more than one line")
    for _, text in ipairs{...} do
        expect(message:find(text, 1, true), ("does not say: %s"):format(text))
    end
end

-- What a row's range refuses (code, as shown) and the words for what it allows.
local RANGES = {
    ["be a finite number above 0"] = {
        {"0", "0"}, {"-1", "-1"}, {"1/0", "inf"}, {"-1/0", "-inf"}},
    ["be a number above 0 (infinity is allowed)"] = {{"0", "0"}, {"-1", "-1"}, {"-1/0", "-inf"}},
    ["be a finite number, 0 or above"] = {{"-1", "-1"}, {"1/0", "inf"}, {"-1/0", "-inf"}},
    ["be above 0 and at most 1"] = {
        {"0", "0"}, {"-1", "-1"}, {"1.001", "1.001"}, {"1/0", "inf"}, {"-1/0", "-inf"}},
    ["be a whole number from 1 to 2^62"] = {
        {"0", "0"}, {"-1", "-1"}, {"1.5", "1.5"}, {"2^63", "9.2"}, {"1/0", "inf"},
        {"-1/0", "-inf"}},
}

-- Texts with a unit of each kind, to give where another kind is due.
local OF_KIND = {bytes = "3 GB", bandwidth = "3 GB/s", time = "5 us", frequency = "1 GHz",
                 power = "300 W", money = "$300", flop = "3 PFLOP", flop_rate = "3 TFLOP/s"}

local function number_cases(make, what, field)
    for _, value in ipairs{"true", "{}", "print", "gpu"} do
        check(make(field.name, value), what .. field.name .. " must be ",
            "got " .. (value == "{}" and "a table" or value == "print" and "a function"
                or value == "gpu" and "a gpu" or value))
    end
    check(make(field.name, "0/0"), what .. field.name .. " must be a number", "got nan")
    for _, case in ipairs(RANGES[field.allowed]) do
        check(make(field.name, case[1]), what .. field.name .. " must " .. field.allowed,
            "got " .. case[2])
    end
    if field.allowed:find "finite" or field.allowed:find "infinity" then
        check(make(field.name, "1e31"), what .. field.name .. " must be from 1e-30 to 1e30",
            "got 1e+31")
        check(make(field.name, "1e-31"), what .. field.name .. " must be from 1e-30 to 1e30",
            "got 1e-31")
    end
    if field.kind == "" then
        check(make(field.name, '"1"'), what .. field.name .. " must be a number", 'got "1"')
        return
    end
    for _, text in ipairs{"", "many", "3 furlongs", "1.2.3", "1e999", "0x"} do
        check(make(field.name, ("%q"):format(text)), what .. field.name .. ": ",
            ('"%s"'):format(text))
    end
    for kind, text in pairs(OF_KIND) do
        if kind ~= field.kind then
            check(make(field.name, ("%q"):format(text)), what .. field.name .. ": ",
                ("%q is %s, but %s is due"):format(text, kind, field.kind))
        end
    end
end

local function flag_cases(make, what, name)
    for _, case in ipairs{{"1", "1"}, {'"yes"', '"yes"'}, {"{}", "a table"}, {"0/0", "nan"}} do
        check(make(name, case[1]), what .. name .. " must be true or false", "got " .. case[2])
    end
end

-- What a GPU cannot do without; the rest is taken from the catalog.
local NEEDED = {sms = true, memory = true, memory_bandwidth = true, clock = true}

-- All cases of the rows of a type. make(name, value) -> code that gives the value to the field.
local function rows_cases(type_name, make, what)
    for _, field in ipairs(core.fields[type_name]) do
        local needed = not type_name:find "gpu" or NEEDED[field.name]
        if field.presence == "required" and needed then
            check(make(field.name, "X"), what .. field.name .. " is missing (" .. field.help)
        end
        if field.name == "distributed_shared_memory" then
            flag_cases(make, what, field.name)
        elseif field.presence ~= "special" and field.presence ~= "derived" then
            number_cases(make, what, field)
        elseif field.presence == "derived" then
            check(make(field.name, "3"), "has no field '" .. field.name .. "'")
        end
    end
end

describe("bad input", function()
    it("of a GPU's fields", function()
        rows_cases("gpu", function(name, value)
            return ("dtsim.gpu(G{%s = %s})"):format(name, value)
        end, "gpu: ")
    end)

    it("of a GPU's fields, changed", function()
        for _, field in ipairs(core.fields.gpu) do
            if RANGES[field.allowed or ""] and field.name ~= "distributed_shared_memory" then
                check(("gpu:with{%s = -1}"):format(field.name),
                    "gpu: " .. field.name .. " must " .. field.allowed, "got -1")
            end
        end
    end)

    it("of a GPU's rates and widths", function()
        for _, value in ipairs{"0", "-1", "1/0"} do
            check(("dtsim.gpu(G{flop_per_clock_per_thread = %s})"):format(value),
                "gpu: flop_per_clock_per_thread must be a finite number above 0", "got ")
            check(("dtsim.gpu(G{flop_per_clock_per_thread = X, peak = %s})"):format(value),
                "gpu: peak must be a finite number of FLOP/s above 0", "got ")
        end
        check("dtsim.gpu(G{flop_per_clock_per_thread = X, peak = 1e31})",
            "gpu: peak must be from 1e-30 to 1e30", "got 1e+31")
        check("dtsim.gpu(G{flop_per_clock_per_thread = 1e-31})",
            "gpu: flop_per_clock_per_thread must be from 1e-30 to 1e30", "got 1e-31")
        check("dtsim.gpu(G{flop_per_clock_per_thread = 0/0})",
            "gpu: flop_per_clock_per_thread must be a number", "got nan")
        for _, bits in ipairs{"0", "-16", "12", "128", "16.5", "1/0", "2^40"} do
            check(("dtsim.gpu(G{bits = %s})"):format(bits), "gpu: bits must be 64, 32, 16, 8 or 4",
                "got ")
        end
        check("dtsim.gpu(G{bits = 0/0})", "gpu: bits must be a number", "got nan")
        for _, name in ipairs{"3", "true", "{}", '""', '"a\\0b"'} do
            check(("dtsim.gpu(G{name = %s})"):format(name),
                "gpu: name must be a text of 1 to 63 bytes", "got ")
        end
    end)

    it("of a network level's fields", function()
        local function make(name, value)
            local others = {bandwidth = "1", latency = "0"}
            others[name] = value
            if value == "X" then others[name] = "nil" end
            return ("dtsim.network{{size = 8, bandwidth = %s, latency = %s%s}, W}"):format(
                others.bandwidth, others.latency,
                others[name] and (name == "bandwidth" or name == "latency") and ""
                    or (", %s = %s"):format(name, value))
        end
        rows_cases("network level", make, "network: level 1: ")
        for _, case in ipairs{{"0", "0"}, {"1", "1"}, {"-8", "-8"}, {"1.5", "1.5"}, {"1/0", "inf"},
                              {"2^63", "9.2"}} do
            check(make("size", case[1]), "network: level 1: size must be a whole number from 2 to "
                .. "2^62", "got " .. case[2])
        end
        check(make("size", "0/0"), "network: level 1: size must be a number", "got nan")
        check(make("size", '"8 GB"'), 'network: level 1: size: "8 GB" is bytes, but count is due')
        check(make("name", "7"), "network: level 1: name must be a text", "got 7")
    end)

    it("of networks as a whole", function()
        check("dtsim.network{}", "network: must have 1 to 8 levels", "got 0")
        check("dtsim.network{L, L, L, L, L, L, L, L, W}", "network: must have 1 to 8 levels",
            "got 9")
        check("dtsim.network{L, L, L, L, L, L, L, L, L, W}", "1 to 8 levels", "got 10")
        check("dtsim.network(3)", "network: levels must be given as a list", "got 3")
        check("dtsim.network{W, W}", "network: level 1: size is missing")
        check("dtsim.network{L, L}", "network: level 2: size must be left out", "got 8")
        check("dtsim.network{B, B, W}", "level 2: size must be such that all sizes together")
        check("dtsim.network{L, nil, W}", "network: level 2: fields must be given as a table",
            "got nil")
        check("dtsim.network{L, gpu}", "network: level 2: fields must be given as a table",
            "got a gpu")
        check("network:scaled{bandwidth = 1e30}", "network: level 1: bandwidth must be from 1e-30",
            "got 9e+41")
        check("network:scaled{latency = 1e-30}", "network: level 1: latency must be from 1e-30",
            "got 1e-36")
        for _, factor in ipairs{"0", "-1", "1/0"} do
            check(("network:scaled{bandwidth = %s}"):format(factor),
                "network:scaled: bandwidth must be a finite factor above 0", "got ")
        end
    end)

    it("of transfers", function()
        local good = {level = "1", participants = "2", bytes = "1", gpus = "8", sequential = "1",
                      parallel = "1"}
        local least = {participants = 1, bytes = 0, gpus = 1, sequential = 0, parallel = 0}
        for _, call in ipairs{"allreduce", "p2p"} do
            for name in pairs(good) do
                local function make(value)
                    local parts = {}
                    for key, other in pairs(good) do
                        parts[#parts + 1] = key .. " = " .. (key == name and value or other)
                    end
                    table.sort(parts)
                    return ("network:%s{%s}"):format(call, table.concat(parts, ", "))
                end
                local what = ("network:%s: %s must be "):format(call, name)
                check(make "true", what, "got true")
                check(make "0/0", what .. "a number", "got nan")
                for _, value in ipairs{"-1", "1/0", "1e61"} do
                    check(make(value), what, least[name] and ("a number from %d to 1e60"):format(
                        least[name]) or "a whole number from 1 to 2", "got ")
                end
            end
        end
    end)

    it("of a model's fields", function()
        local function make(name, value)
            local fields = {d_model = "1024", layers = "12", batch = "64"}
            fields[name] = value ~= "X" and value or nil
            local parts = {}
            for key, other in pairs(fields) do parts[#parts + 1] = key .. " = " .. other end
            table.sort(parts)
            return ("dtsim.model{%s}"):format(table.concat(parts, ", "))
        end
        rows_cases("model", make, "model: ")
        for _, tokens in ipairs{"0", "-1", "1/0"} do
            check(make("tokens", tokens), "model: tokens must be a finite number above 0", "got ")
        end
        check(make("tokens", "1e81"), "model: tokens must be from 1e-30 to 1e80", "got 1e+81")
        check(make("tokens", "1e-31"), "model: tokens must be from 1e-30 to 1e80", "got 1e-31")
        check(make("d_model", "2^61"), "model: d_model must keep d_ff = 4 d_model within 2^62")
        check(make("batch", "2^60"), "model: batch must keep a batch within 2^62 tokens, with "
            .. "seq_len = 2048")
    end)

    it("of an optimizer's fields", function()
        for _, field in ipairs{"gpu", "network"} do
            for _, value in ipairs{"3", '"h100"', "{}", "model", "true"} do
                check(("optimizer:with{%s = %s}"):format(field, value),
                    ("optimizer: %s must be a dtsim.%s"):format(field, field), "got ")
            end
        end
        check("dtsim.optimizer{gpu = gpu}", "optimizer: network is missing")
        check("dtsim.optimizer{network = network}", "optimizer: gpu is missing")
        for _, value in ipairs{"3", "true", '"tp"'} do
            check(("optimizer:with{overlap = %s}"):format(value),
                "optimizer: overlap must be a table such as", "got ")
            check(("optimizer:with{overlap = {tp = %s}}"):format(value == "true" and "{}" or value),
                "optimizer: overlap.tp must be true or false", "got ")
            check(("optimizer:with{schedules = {%s}}"):format(value),
                'optimizer: each of schedules must be "interleaved" or "zero_bubble"', "got ")
            check(("optimizer:with{search = %s}"):format(value),
                'optimizer: search must be "paper", "wide" or "exhaustive"', "got ")
            check(("optimizer:with{zero_bubble_latency = %s}"):format(value),
                'optimizer: zero_bubble_latency must be "exposed" or "hidden"', "got ")
        end
        check("optimizer:with{overlap = {ep = true}}", "optimizer: overlap has no field 'ep'")
        for _, value in ipairs{"0", "-1", "1.5", "257", "1/0"} do
            check(("optimizer:with{threads = %s}"):format(value),
                "optimizer: threads must be a whole number from 1 to 256", "got ")
        end
    end)

    it("of plans", function()
        local what = "optimizer:evaluate: "
        for _, field in ipairs{"dp", "tp_model", "tp_ff", "pp", "ep", "microbatches",
                               "interleave"} do
            local function make(value)
                return ("optimizer:evaluate(model, {%s = %s})"):format(field, value)
            end
            for _, case in ipairs{{"0", "0"}, {"-1", "-1"}, {"1.5", "1.5"}, {"1/0", "inf"},
                                  {"2^63", "9.2"}} do
                check(make(case[1]), "plan: " .. field .. " must be a whole number from 1 to 2^62",
                    "got " .. case[2])
            end
            for _, value in ipairs{"true", "{}", "gpu"} do
                check(make(value), "plan: " .. field .. " must be a number", "got ")
            end
            check(make "0/0", "plan: " .. field .. " must be a number", "got nan")
            check(make '"8 GB"', "plan: " .. field .. ': "8 GB" is bytes, but count is due')
            check(make "2^40", what .. field, "got 1099511627776")
        end
        flag_cases(function(name, value)
            return ("optimizer:evaluate(model, {%s = %s})"):format(name, value)
        end, "plan: ", "zero_bubble")
        flag_cases(function(name, value)
            return ("optimizer:evaluate(model, {%s = %s})"):format(name, value)
        end, "plan: ", "recompute")
        for _, kind in ipairs{"dp", "tp_model", "tp_ff", "pp", "ep"} do
            local function make(value)
                return ("optimizer:evaluate(model, {levels = {%s = %s}})"):format(kind, value)
            end
            check(make "3", "plan: levels." .. kind .. " must be a list", "got 3")
            check(make "{1}", "plan: levels." .. kind .. " must have 2 numbers", "got 1")
            check(make "{1, 1, 1}", "plan: levels." .. kind .. " must have 2 numbers", "got 3")
            check(make "{1, 0}", "plan: levels." .. kind .. " must be a whole number", "got 0")
            check(make "{1, true}", "plan: levels." .. kind .. " must be a number", "got true")
            check(make "{2, 1}", what .. kind .. " must be the product of its levels = 2", "got 1")
        end
        check("optimizer:evaluate(model, 3)", "plan must be a table such as", "got 3")
        check("optimizer:evaluate(3, {})", what .. "model must be a dtsim.model", "got 3")
    end)

    it("of the questions' options", function()
        local what = "optimizer:cluster: "
        local function make(name, value)
            return ("optimizer:cluster(model, {%s = %s})"):format(name, value)
        end
        for _, name in ipairs{"n_gpus", "min_gpus", "max_gpus", "multiple_of"} do
            for _, value in ipairs{"0", "-1", "1.5", "1/0", "2^63"} do
                check(make(name, value), what .. name .. " must be a whole number from 1 to 2^62",
                    "got ")
            end
            check(make(name, "true"), what .. name .. " must be a number", "got true")
            check(make(name, "0/0"), what .. name .. " must be a number", "got nan")
            check(make(name, '"8 s"'), what .. name .. ': "8 s" is time, but count is due')
        end
        for _, name in ipairs{"power_of_two", "recompute", "partial_levels", "whole_sequences",
                              "prune", "frontier"} do
            flag_cases(make, what, name)
        end
        for _, name in ipairs{"duration", "time_budget", "plan_budget"} do
            check(make(name, "0"), what .. name .. " must be above 0", "got 0")
            check(make(name, "-1"), what .. name .. " must be above 0", "got -1")
            check(make(name, "0/0"), what .. name .. " must be a number", "got nan")
            check(make(name, "{}"), what .. name .. " must be a number", "got a table")
            check(make(name, '"3 GB"'), what .. name .. ': "3 GB" is bytes, but ')
        end
        for _, name in ipairs{"min_degree", "max_degree", "degree", "inside_level"} do
            check(make(name, "3"), what .. name .. " must be a table such as { pp = 8 }", "got 3")
            check(make(name, "{pp = 0}"), what .. name .. ": pp must be a whole number", "got 0")
            check(make(name, "{pp = true}"), what .. name .. ": pp must be a number", "got true")
            check(make(name, "{3}"), what .. name .. " has no kind of parallelism [1]")
        end
        for _, value in ipairs{"1", "-0.1", "1/0"} do
            check(make("memory_headroom", value),
                what .. "memory_headroom must be a share from 0 to below 1", "got ")
        end
        for _, value in ipairs{"0", "1.5", "1001", "1/0"} do
            check(make("top", value), what .. "top must be a whole number from 1 to 1000", "got ")
        end
        check(make("objective", "3"), what .. "objective must be ", "got 3")
        check(make("objective", '"energy"'), what .. "objective must be other than energy")
        check(make("gpus_in", "{}"), what .. "gpus_in must have 1 to 1000000", "got 0")
        check(make("gpus_in", '{"x"}'), what .. 'each of gpus_in: "x"')
        check(make("gpus_in", "{8, 0}"), what .. "each of gpus_in must be a whole number", "got 0")
    end)

    it("of networks too large to list the clusters of", function()
        local wide = "dtsim.optimizer{gpu = gpu, network = dtsim.network{B, W}}"
        check(wide .. ":cluster(model, {duration = '1 day'})", "optimizer:cluster: level 1: size "
            .. "must be at most 4194304 where the number of GPUs is open", "got 1099511627776")
        check(wide .. ":cluster(model, {partial_levels = true})", "optimizer:cluster: level 1: "
            .. "size must be small enough for partial_levels", "got 1099511627776")
    end)

    it("of matmuls", function()
        for _, call in ipairs{"matmul", "matmul_time"} do
            for i, name in ipairs{"d1", "d2", "batch"} do
                for _, value in ipairs{"0", "-1", "1.5", "1/0", "2^63"} do
                    local arguments = {"8", "8", "8"}
                    arguments[i] = value
                    check(("gpu:%s(%s)"):format(call, table.concat(arguments, ", ")),
                        ("gpu:%s: %s must be a whole number from 1 to 2^62"):format(call, name),
                        "got ")
                end
            end
        end
    end)

    it("of sweeps", function()
        local what = "optimizer:sweep: "
        local function make(name, value)
            return ("optimizer:sweep{d_model = 12288, %s = %s}"):format(name, value)
        end
        for _, value in ipairs{'"x"', "true", "{}", "{0}", "{1.5}", "{-1}", "{1/0}", '{"a"}'} do
            check(("optimizer:sweep{d_model = %s}"):format(value), what .. "d_model")
        end
        for _, name in ipairs{"seq_len", "d_ff"} do
            for _, value in ipairs{"0", "-1", "1.5", "1/0", "{}"} do
                check(make(name, value), what .. name .. " must be a whole number above 0", "got ")
            end
        end
        for _, value in ipairs{"-1", "2", "0/0", "1/0", '"x"', "{}"} do
            check(make("stop_utilization", value),
                what .. "stop_utilization must be a number from 0 to 1", "got ")
        end
        for _, value in ipairs{"0", "-1", "0/0", "{}", "true", '"3 GB"', '"soon"'} do
            check(make("duration", value), what .. "duration")
        end
    end)

    it("of laws", function()
        local laws = {layers = true, sparsity = true, batch = true, dataset = false}
        for law, count in pairs(laws) do
            local function make(value)
                return ("dtsim.laws{%s = %s}:model(1024)"):format(law, value)
            end
            for _, value in ipairs{"true", "{}", "gpu", "0/0"} do
                check(make(value), "laws: " .. law .. " must be a function of (", "got ")
            end
            for _, value in ipairs{"0", "-3", "1/0", "0/0"} do
                check(make("function() return " .. value .. " end"), "law " .. law .. "(",
                    count and "must return a whole number from 1 to 2^62"
                        or "must return a finite number above 0", "got ")
            end
            for _, value in ipairs{"", "nil", '"many"', "{}", "print", "true"} do
                check(make("function() return " .. value .. " end"), "law " .. law .. "(",
                    "must return", "got ")
            end
            if count then
                check(make "function() return 1.5 end", "must return a whole number", "got 1.5")
                check(make "function() return 2^63 end", "must return a whole number", "got 9.2")
            end
            check(make 'function() error("no such law") end', "no such law")
            check(make "one + 1", "attempt to perform arithmetic") -- the user's own mistake
            for _, text in ipairs{"", "1 +", "d_modl", "f(", "1 2", "sqrt()", "os.exit()",
                                  "((((("} do
                check(make(("%q"):format(text)), "laws: " .. law .. ": ")
            end
        end
        check("dtsim.laws{bacth = one}", "laws has no law 'bacth'; did you mean 'batch'?")
        check("dtsim.laws{name = 3}", "laws: name must be a text", "got 3")
        for _, value in ipairs{"0", "1.5", "true", "{}"} do
            check(("dtsim.laws.paper_dense:model(%s)"):format(value),
                "laws:model: d_model must be a whole number above 0", "got ")
        end
    end)

    it("of studies", function()
        local function make(fields) return ("dtsim.study{{system = 'h100', %s}}"):format(fields) end
        check("dtsim.study(3)", "study: a list of configurations is due", "got 3")
        check("dtsim.study{3}", "study: configuration 1 must be a table", "got 3")
        check("dtsim.study{title = 3}", "study: title must be a text", "got 3")
        check("dtsim.study{titel = 'x'}", "study has no setting for all configurations 'titel'")
        check("dtsim.study{{system = 'h1000'}}", "study: configuration 1: ", "'h1000'")
        check("dtsim.study{{system = 3}}", "study: configuration 1: system must be the name", "3")
        check("dtsim.study{{gpu = gpu}}", "study: configuration 1: network is missing")
        check("dtsim.study{{network = network}}", "study: configuration 1: gpu is missing")
        check("dtsim.study{{system = 'h100'}, {system = 'h100'}}", "both named 'H100 SXM'")
        for field, values in pairs{
            name = {"3", "true", "{}"}, note = {"3"}, enabled = {"3", "'yes'"}, gpu = {"3", "{}"},
            network = {"3", "{}"}, laws = {"3", "'paper_dens'", "{bacth = one}"},
            overlap = {"3", "{tp = 1}"}, schedules = {"3", "{}", "{'x'}"},
            zero_bubble_latency = {"3", "'x'"}, search = {"3", "'x'"}, threads = {"0", "'x'"},
            duration = {"0", "-1", "0/0", "1/0", "true", "'3 GB'"}, d_model = {"true", "'x'", "{}"},
            options = {"3", "true"},
        } do
            for _, value in ipairs(values) do
                check(make(field .. " = " .. value), "study: configuration ", field == "laws"
                    and "law" or field)
            end
        end
        for field, values in pairs{d_model = {"{0}", "{1.5}", "{'x'}"}, d_ff = {"0", "{}"},
                                   seq_len = {"0", "1.5", "true"}, stop_utilization = {"2", "{}"},
                                   options = {"{foo = 3}", "{top = 0}"}} do
            for _, value in ipairs(values) do
                check(make("d_model = 12288, " .. field .. " = " .. value) .. ":run()", field ==
                    "options" and (value:match "%a+") or field)
            end
        end
        local study = "dtsim.study{{system = 'h100', d_model = 12288}}"
        check(study .. ":run(3)", "study:run: options must be a table", "got 3")
        check(study .. ":run{onyl = {}}", "study:run has no option 'onyl'; did you mean 'only'?")
        check(study .. ":run{only = 3}", "study:run: only must be a list", "got 3")
        check(study .. ":run{only = {'B'}}", "study has no configuration 'B'")
        check(study .. ":run{log = 3}", "study:run: log must be a path", "got 3")
        check(study .. ":run{resume = true}", "study:run: resume goes on from a log")
        check(study .. ":run{log = 'none/x'}", "none/x")
        check(study .. ":sweep('B')", "study has no configuration 'B'")
        check(study .. ":change('B', {})", "study has no configuration 'B'")
        check(study .. ":change(1, 3)", "configuration: changes must be a table", "got 3")
        check(study .. ":add(3)", "study: configuration 2 must be a table", "got 3")
        check(study .. ":save()", "study:save: the file's name must end in", "nil")
        check(study .. ":save('x.doc')", "study:save: the file's name must end in", "x.doc")
        check(study .. ".titel", "study has no field 'titel'; did you mean 'title'?")
        check("dtsim.study.load('none')", "none: No such file or directory")
        check("dtsim.study.load(3)", "study.load: the path must be a text", "got 3")
        check("dtsim.study.load('/dev/null')", "study.load: /dev/null: ")
    end)

    it("of texts with units", function()
        for _, text in ipairs{"", " ", "GB", "-", "+", "1..2 GB", "1e GB", "0x10 GB", "1,000 GB",
                              "nan GB", "5 GBB", "5 xyz", "5 m", "5 FLOPs", "1e999 GB",
                              "5 GB GB"} do
            check(("dtsim.units.parse(%q, 'bytes')"):format(text), ('"%s"'):format(text))
        end
        check("dtsim.units.parse(3, 'bytes')", "a string like", "not a number")
        check("dtsim.units.parse('3 GB', 'weight')", "weight")
        check("dtsim.units.format('x', 'bytes')", "a number is expected, not a string")
        check("dtsim.units.format(3, 'weight')", "weight")
    end)

    it("counts some hundreds of cases", function() assert.is_true(num_cases > 900, num_cases) end)
end)

describe("a text of JSON", function()
    local text = json.encode{format = "dtsim study", version = 1, title = "a \u{e9} \"b\"\n",
                             list = json.array{1, 2.5, -1e-300, true, json.null, {x = {}}}}

    it("cut off at any byte is refused with the place", function()
        assert.truthy(json.decode(text))
        for length = 0, #text - 1 do
            local value, message = json.try_decode(text:sub(1, length))
            assert.is_nil(value, length)
            assert.truthy(message:find "^%S.*", length)
            assert.falsy(message:find "\n", length)
        end
    end)

    it("with any byte changed never breaks the reader", function()
        for place = 1, #text do
            for _, byte in ipairs{"\0", "\"", "{", "]", "\xff", "9"} do
                local value, message = json.try_decode(
                    text:sub(1, place - 1) .. byte .. text:sub(place + 1))
                assert.truthy(value ~= nil or type(message) == "string")
            end
        end
    end)
end)
