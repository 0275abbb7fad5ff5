-- config: systems, sweeps and studies as JSON files, which `dtsim file.json` runs.
--
-- A file is an object with "format" and "version" (1):
--   "dtsim system"          a GPU with its network, which runs the paper's sweep
--   "dtsim sweep settings"  one sweep; the same fields
--   "dtsim study"           several, in "configurations"; what it says outside of them holds for
--                           each that does not say otherwise. Files of study:save are read too
--   "dtsim sweep"           a file of sweep:save, whose sweep is run again
-- A configuration has the fields below; quantities are numbers in SI units or texts with units:
--   name, note       texts
--   system           a name of dtsim.systems; gpu and network take the place of the system's
--   gpu              a name of dtsim.gpus, or an object of the fields of dtsim.gpu
--   network          a name of dtsim.networks, or a list of levels, innermost first
--   laws             a name of dtsim.laws, or an object of laws: names, formulas or numbers
--   d_model          a list of widths, one width, or { "from": 12288, "to": 98304 }
--   d_ff             a number, or a formula of d_model
--   overlap, schedules, zero_bubble_latency, search, threads    as in dtsim.optimizer
--   duration, seq_len, stop_utilization                         as in optimizer:sweep
--   options          an object of search options, as in optimizer:cluster
--   enabled          false leaves a configuration of a study out

local core = require "dtsim.core"
local catalog = require "dtsim.catalog"
local json = require "dtsim.json"
local laws = require "dtsim.laws"
local new_gpu = require "dtsim.gpu".new
local set = require "dtsim.config.set"
local suggest = require "dtsim.suggest"
local widths = require "dtsim.widths"
require "dtsim.optimizer"

local config = {}

local VERSION = 1
local KINDS = {["dtsim system"] = "system", ["dtsim sweep settings"] = "sweep",
               ["dtsim study"] = "study", ["dtsim sweep"] = "saved sweep"}
local FORMATS = {"dtsim system", "dtsim sweep settings", "dtsim study", "dtsim sweep"}

local SYSTEM = {"name", "note", "system", "gpu", "network"}
local COMMON = {"laws", "overlap", "schedules", "zero_bubble_latency", "search", "threads",
                "duration", "d_model", "d_ff", "seq_len", "stop_utilization", "options"}
local CONFIGURATION = {"enabled", "results"}
table.move(SYSTEM, 1, #SYSTEM, #CONFIGURATION + 1, CONFIGURATION)
table.move(COMMON, 1, #COMMON, #CONFIGURATION + 1, CONFIGURATION)
local OPTIMIZER = {"overlap", "schedules", "zero_bubble_latency", "search", "threads"}
local HEAD = {"format", "version"}

-- ---- errors, each with the file and the path in it ----

local function refuse(file, where, message, ...)
    core.raise(("%s: %s%s"):format(file, where == "" and "" or where .. ": ",
        select("#", ...) > 0 and message:format(...) or message))
end

-- Calls f and says its error as one of that place in the file.
local function at(file, where, f, ...)
    local answer = table.pack(pcall(f, ...))
    if answer[1] then return table.unpack(answer, 2, answer.n) end
    refuse(file, where, "%s", (tostring(answer[2]):gsub("^[^\n]-:%d+: ", "")))
end

local function below(where, key)
    if math.type(key) == "integer" then return ("%s[%d]"):format(where, key) end
    return where == "" and tostring(key) or where .. "." .. tostring(key)
end

local function sorted_keys(t)
    local keys = {}
    for key in pairs(t) do keys[#keys + 1] = tostring(key) end
    table.sort(keys)
    return keys
end

-- That a table is an object of no other fields than the lists'.
local function check_fields(file, where, t, ...)
    if type(t) ~= "table" or #t > 0 then
        refuse(file, where, "an object is due, %s", #(type(t) == "table" and t or {}) > 0
            and "got a list" or core.got(t))
    end
    local known, names = {}, {}
    for _, list in ipairs{...} do
        for _, name in ipairs(list) do
            known[name], names[#names + 1] = true, name
        end
    end
    for _, key in ipairs(sorted_keys(t)) do
        if not known[key] then
            local near = suggest.nearest(key, names)
            refuse(file, below(where, key), "unknown field; %s",
                near and ("did you mean '%s'?"):format(near)
                or "there are " .. table.concat(names, ", "))
        end
    end
end

-- ---- reading ----

-- The value without fields that are null.
local function without_nulls(file, where, value)
    if type(value) ~= "table" then return value end
    local copy = {}
    for key, item in pairs(value) do
        if item ~= json.null then
            copy[key] = without_nulls(file, below(where, key), item)
        elseif math.type(key) == "integer" then
            refuse(file, below(where, key), "a list has no place for null")
        end
    end
    return copy
end

-- Takes from a saved GPU the fields that follow from others.
local function remove_derived(gpu)
    if type(gpu) ~= "table" then return end
    for _, row in ipairs(core.fields.gpu) do
        if row.presence == "derived" then gpu[row.name] = nil end
    end
    local rate = gpu.flop_per_clock_per_thread
    if type(rate) == "table" then rate = rate[tostring(gpu.bits)] end
    local numbers = {rate, gpu.sms, gpu.clock, gpu.peak}
    for i = 1, 4 do if type(numbers[i]) ~= "number" then return end end
    if rate * 128 * gpu.sms * gpu.clock == gpu.peak then gpu.peak = nil end
end

-- The settings of a file of sweep:save as those of a new sweep.
local function unpack_saved(file, plain)
    check_fields(file, "", plain, HEAD, {"settings", "laws", "hardware", "points", "end_reason",
        "linear_scaling_end", "largest_above_80_percent", "interrupted"})
    check_fields(file, "hardware", plain.hardware, {"gpu", "network"})
    local settings = plain.settings
    check_fields(file, "settings", settings, COMMON)
    settings.format, settings.version = plain.format, plain.version
    remove_derived(plain.hardware.gpu)
    settings.gpu, settings.network = plain.hardware.gpu, plain.hardware.network
    settings.laws = plain.laws
    return settings
end

-- Every configuration of a study with what the study says for all of them.
local function spread_common(file, plain)
    check_fields(file, "", plain, HEAD, {"title", "configurations"}, COMMON)
    if type(plain.configurations) ~= "table" or #plain.configurations == 0 then
        refuse(file, "configurations", "a list of configurations is due")
    end
    for i, row in ipairs(plain.configurations) do
        check_fields(file, below("configurations", i), row, CONFIGURATION)
        remove_derived(row.gpu)
        for _, name in ipairs(COMMON) do
            if row[name] == nil then
                row[name] = without_nulls(file, name, plain[name])
            end
        end
    end
end

-- The file's value, checked to be one of dtsim's, and its kind.
local function decode(file, text)
    local plain, message = json.try_decode(text)
    if plain == nil then refuse(file, "", "%s", message) end
    if type(plain) ~= "table" then refuse(file, "", "an object is due, %s", core.got(plain)) end
    plain = without_nulls(file, "", plain)
    local kind = KINDS[plain.format]
    if not kind then
        local near = suggest.nearest(plain.format, FORMATS)
        refuse(file, "format", "must be \"%s\", %s%s", table.concat(FORMATS, "\", \""),
            core.got(plain.format), near and ("; did you mean \"%s\"?"):format(near) or "")
    end
    if plain.version ~= VERSION then
        refuse(file, "version", "must be %d, %s", VERSION, core.got(plain.version))
    end
    if kind == "saved sweep" then plain, kind = unpack_saved(file, plain), "sweep" end
    if kind == "study" then spread_common(file, plain) end
    return plain, kind
end

-- Changes values as --set does. In a study a field of configurations is changed in all of them.
local function apply(plain, kind, settings)
    local top = {format = true, version = true, title = true, configurations = true}
    for _, setting in ipairs(settings or {}) do
        local keys, value = set.parse(setting)
        if kind ~= "study" or top[keys[1]] then
            set.assign(plain, keys, value, setting)
        else
            for _, row in ipairs(plain.configurations) do
                set.assign(row, keys, value, setting)
            end
        end
    end
end

-- ---- from plain tables to objects ----

local GPU, LEVEL = {}, {"name", "size", "bandwidth", "latency"}
for _, row in ipairs(core.fields.gpu) do
    if row.presence ~= "derived" then GPU[#GPU + 1] = row.name end
end

local function read_gpu(file, where, value)
    if type(value) == "string" then
        return at(file, where, function() return catalog.gpus[value] end)
    end
    check_fields(file, where, value, GPU)
    local rates = value.flop_per_clock_per_thread
    if rates ~= nil and value.peak ~= nil then
        refuse(file, where, "give peak or flop_per_clock_per_thread, not both")
    end
    local fields = {}
    for key, item in pairs(value) do fields[key] = item end
    if type(rates) == "table" then -- JSON's keys are texts
        fields.flop_per_clock_per_thread = {}
        for bits, rate in pairs(rates) do
            fields.flop_per_clock_per_thread[math.tointeger(tonumber(bits)) or bits] = rate
        end
    end
    return at(file, where, new_gpu, fields)
end

local function read_network(file, where, value)
    if type(value) == "string" then
        return at(file, where, function() return catalog.networks[value] end)
    elseif type(value) ~= "table" or #value == 0 then
        refuse(file, where, "a name or a list of levels is due, %s",
            type(value) == "table" and "got an object" or core.got(value))
    end
    for i, level in ipairs(value) do check_fields(file, below(where, i), level, LEVEL) end
    return at(file, where, core.network, value)
end

local function read_laws(file, where, value)
    if type(value) == "string" then
        local known = at(file, where, function() return laws[value] end)
        if not laws.is_set(known) then
            refuse(file, where, "%s is no set of laws; those are laws.NAME of an object", value)
        end
        return known
    end
    check_fields(file, where, value, {"name", "layers", "sparsity", "batch", "dataset"})
    return at(file, where, laws.new, value)
end

local function read_widths(file, where, value)
    if type(value) ~= "table" or #value > 0 then return value end
    check_fields(file, where, value, {"from", "to"})
    return at(file, where, widths.between, value.from, value.to)
end

-- d_ff as optimizer:sweep takes it; a formula is a function whose values are rounded.
local function read_d_ff(file, where, value)
    if type(value) ~= "string" then return value end
    local call, message = require "dtsim.formula".try(value, {{"d_model", whole = true}})
    if not call then refuse(file, where, "%s", message) end
    return function(d_model) return math.floor(call(d_model) + 0.5) end
end

local READ = {gpu = read_gpu, network = read_network, laws = read_laws, d_model = read_widths,
              d_ff = read_d_ff}

-- One configuration as the table that dtsim.study takes.
local function read_configuration(file, where, plain)
    check_fields(file, where, plain, CONFIGURATION)
    local row = {}
    for _, name in ipairs(CONFIGURATION) do row[name] = plain[name] end
    row.results = nil
    if row.system ~= nil then
        local system = at(file, below(where, "system"),
            function() return catalog.systems[row.system] end)
        row.name, row.system = row.name or system.name, nil
        row.gpu, row.network = row.gpu or system.gpu, row.network or system.network
    end
    for _, name in ipairs{"gpu", "network"} do
        if row[name] == nil then
            refuse(file, below(where, name), "is missing (or give a system)")
        end
    end
    for name, read in pairs(READ) do
        if row[name] ~= nil and not core.type(row[name]) then
            row[name] = read(file, below(where, name), row[name])
        end
    end
    if row.options ~= nil then
        check_fields(file, below(where, "options"), row.options, core.search_options)
    end
    if row.overlap ~= nil then
        check_fields(file, below(where, "overlap"), row.overlap, {"tp", "pp", "dp"})
    end
    row.name = row.name or row.gpu.name
    if type(row.name) ~= "string" then
        refuse(file, below(where, "name"), "must be a text, %s", core.got(row.name))
    end
    return row
end

-- Reads a configuration file.
-- path: of the file; settings: a list of texts such as "network[2].bandwidth=200 GB/s", each of
-- which changes one value first (see dtsim.config.set). Returns { kind = "system", "sweep" or
-- "study", title, configurations = a list of tables as dtsim.study takes them }, with GPUs,
-- networks and laws made. Errors: a file that cannot be read; unknown fields, with a suggestion and
-- the path in the file; wrong values.
function config.read(path, settings)
    local input, message = io.open(path, "rb")
    if not input then core.raise(message) end
    local text = input:read "a"
    input:close()
    local plain, kind = decode(path, text or "")
    apply(plain, kind, settings)
    local rows = {}
    if kind == "study" then
        check_fields(path, "", plain, HEAD, {"title", "configurations"}, COMMON)
        for i, row in ipairs(plain.configurations) do
            rows[i] = read_configuration(path, below("configurations", i), row)
        end
    else
        check_fields(path, "", plain, HEAD, SYSTEM, COMMON)
        plain.format, plain.version = nil, nil
        rows[1] = read_configuration(path, "", plain)
    end
    return {kind = kind, title = plain.title, configurations = rows}
end

-- ---- running ----

-- Runs the sweep of one configuration of config.read. Returns a dtsim sweep.
function config.sweep(row)
    local fields = {gpu = row.gpu, network = row.network}
    for _, name in ipairs(OPTIMIZER) do fields[name] = row[name] end
    local options = {}
    for name, value in pairs(row.options or {}) do options[name] = value end
    for _, name in ipairs{"laws", "duration", "d_model", "d_ff", "seq_len", "stop_utilization"} do
        options[name] = row[name]
    end
    return core.optimizer(fields):sweep(options)
end

-- What is run, what was assumed, and what came of it, as text.
local function describe(row, sweep)
    local lines = {row.name, "  " .. tostring(row.gpu), "  " .. tostring(row.network)}
    local assumed = row.gpu:assumed()
    if assumed then lines[#lines + 1] = "  assumed " .. tostring(assumed) end
    lines[#lines + 1] = tostring(sweep)
    local first, last = sweep:linear_scaling_end(), sweep:largest()
    if last then
        lines[#lines + 1] = ("largest run above 80 %% of the sustained maximum: %.3e FLOP"):format(
            last.model.training_flop)
    end
    if first then
        lines[#lines + 1] = ("first run at or below it: %.3e FLOP"):format(
            first.model.training_flop)
    end
    return table.concat(lines, "\n")
end

-- Saves a study's answers by the ending of the file's name: a page, a picture, or as study:save.
local function save_study(study, out)
    local ending = out:lower():match "%.(%w+)$"
    if ending == "html" then return study:report(out) end
    if ending == "svg" or ending == "png" or ending == "pdf" then return study:plot(out) end
    return study:save(out)
end

local function run_study(file, read, out)
    local given = {title = read.title}
    for i, row in ipairs(read.configurations) do given[i] = row end
    local study = at(file, "", require "dtsim.study".new, given)
    study:run()
    for i, row in ipairs(read.configurations) do
        if row.enabled ~= false then print(describe(row, study:sweep(i)) .. "\n") end
    end
    print(study)
    if out then save_study(study, out) end
end

-- Runs a configuration file and prints what comes of it.
-- path, settings: as in config.read; out: where to save the answers (nil: nowhere), as sweep:save
-- or study:save does; of a study also a report (.html) or a plot (.svg, .png, .pdf). Errors: as
-- config.read, and what the search says.
function config.run(path, settings, out)
    local read = config.read(path, settings)
    if read.kind == "study" then return run_study(path, read, out) end
    local row = read.configurations[1]
    local sweep = at(path, "", config.sweep, row)
    print(describe(row, sweep))
    if out then sweep:save(out) end
end

local USAGE = [[
usage: dtsim [options] FILE.json [--set PATH=VALUE]... [--out FILE]
Runs the system, sweep or study of a configuration file.
  --set PATH=VALUE  change one value first, as in --set network[2].bandwidth="200 GB/s"
  --out FILE        save the answers too: .json, .csv or .md; of a study a report (.html) or a
                    plot (.svg, .png, .pdf) as well]]

local function wrong_usage(message)
    io.stderr:write("dtsim: ", message, "\n", USAGE, "\n")
    os.exit(2, true)
end

-- What the program does with a script whose name ends in .json.
-- path: of the file; settings: a list of the texts of --set before it; ...: the words behind it.
function config.main(path, settings, ...)
    local words, out, i = {...}, nil, 1
    while words[i] do
        local word = words[i]
        local name, value = word:match "^%-%-(%a+)=(.*)$"
        if not name then
            name, value = word:match "^%-%-(%a+)$", words[i + 1]
            i = i + 1
        end
        if name == "help" then
            print(USAGE)
            return
        elseif name ~= "set" and name ~= "out" then
            wrong_usage(("unexpected argument '%s'"):format(word))
        elseif not value then
            wrong_usage(("'--%s' needs an argument"):format(name))
        end
        if name == "set" then settings[#settings + 1] = value else out = value end
        i = i + 1
    end
    local input, message = io.open(path, "rb")
    if not input then
        io.stderr:write("dtsim: cannot open ", message, "\n")
        os.exit(3, true)
    end
    input:close()
    config.run(path, settings, out)
end

return config
