-- stored: configurations and results as plain tables for files, and back.
--
-- docs/schema.md says what the tables hold; format_version is theirs.

local core = require "dtsim.core"
local configuration = require "dtsim.configuration"
local laws = require "dtsim.laws"
local record = require "dtsim.record"
local result = require "dtsim.result"
local sweep = require "dtsim.sweep"

local stored = {}

stored.format_version = 1

local LAWS = {"layers", "sparsity", "batch", "dataset"}

local function warn_of(text) io.stderr:write("dtsim: warning: ", text, "\n") end

-- ---- to plain tables ----

-- A GPU: its fields in SI units; FLOP per clock and thread by bits, which are texts in JSON.
function stored.gpu(gpu)
    local plain = record.plain(gpu)
    local rates = plain.flop_per_clock_per_thread
    if type(rates) == "table" then
        plain.flop_per_clock_per_thread = {}
        for bits, rate in pairs(rates) do plain.flop_per_clock_per_thread[tostring(bits)] = rate end
    end
    return plain
end

-- A network: a list of its levels, innermost first.
function stored.network(network)
    local levels = {}
    for i = 1, #network do levels[i] = record.plain(network[i]) end
    return levels
end

-- Laws by their names or formulas. A Lua function has neither: it is "custom", with a warning.
-- label: what they are the laws of, for the warning; none where absent.
function stored.laws(set, label)
    local plain = {name = set.name}
    for _, law in ipairs(LAWS) do
        plain[law] = set.names[law]
        if plain[law] == "custom" and label then
            warn_of(("%s: the law of %s is a Lua function, which is saved by name alone")
                :format(label, law))
        end
    end
    return plain
end

-- A sweep's answers.
function stored.sweep(answers)
    local points = {}
    for i = 1, #answers do points[i] = record.plain(answers[i]) end
    local largest, first_below = answers:largest(), answers:linear_scaling_end()
    return {
        points = require "dtsim.json".array(points),
        linear_scaling_end = first_below and first_below.model.training_flop,
        largest_above_80_percent = largest and largest.model.training_flop,
        last_feasible = #points > 0 and points[#points].model.training_flop or nil,
        end_reason = answers.settings.end_reason,
        interrupted = answers.settings.interrupted,
    }
end

-- A configuration: hardware, laws and settings. quiet: no warning for a law that is a function.
function stored.configuration(self, quiet)
    local label = not quiet and ("configuration '%s'"):format(self.name) or nil
    local d_ff = self.d_ff
    if type(d_ff) == "function" then
        d_ff = "custom"
        if label then warn_of(label .. ": d_ff is a Lua function, which is saved by name alone") end
    end
    return {
        name = self.name, note = self.note, enabled = self.enabled,
        gpu = stored.gpu(self.gpu), network = stored.network(self.network),
        laws = stored.laws(self.laws, label),
        overlap = record.plain(self.overlap), schedules = record.plain(self.schedules),
        zero_bubble_latency = self.zero_bubble_latency, search = self.search,
        duration = self.duration, d_model = record.plain(self.d_model), d_ff = d_ff,
        seq_len = self.seq_len, stop_utilization = self.stop_utilization,
        options = next(record.plain(self.options)) and record.plain(self.options) or nil,
    }
end

-- ---- and back ----

-- Only what a constructor of that type takes.
local function given_fields(plain, type_name)
    local fields = {}
    for _, row in ipairs(core.fields[type_name]) do
        if row.presence ~= "derived" then fields[row.name] = plain[row.name] end
    end
    return fields
end

local function read_gpu(plain)
    local fields = given_fields(plain, "gpu")
    local rates = fields.flop_per_clock_per_thread
    if rates ~= nil then fields.peak = nil end -- it follows from the rates
    if type(rates) == "table" then
        fields.flop_per_clock_per_thread = {}
        for bits, rate in pairs(rates) do
            fields.flop_per_clock_per_thread[math.tointeger(tonumber(bits)) or bits] = rate
        end
    end
    return require "dtsim.gpu".new(fields)
end

-- What stands for a function that was not saved: it raises when it is called.
local function missing(label, what)
    return function()
        core.raise(("%s: %s was a Lua function when it was saved; give it again: "
            .. "study:change(name, { %s = ... })"):format(label, what,
            what == "d_ff" and "d_ff" or "laws"))
    end
end

local function read_laws(plain, label)
    local given = {name = plain.name}
    for _, law in ipairs(LAWS) do
        given[law] = plain[law] -- a name or a formula
        if plain[law] == "custom" then given[law] = missing(label, "the law of " .. law) end
    end
    return laws.new(given)
end

-- A configuration of its plain table.
function stored.read_configuration(plain)
    local label = ("configuration '%s'"):format(tostring(plain.name))
    local fields = {}
    for key, value in pairs(plain) do
        if key ~= "results" then fields[key] = value end
    end
    fields.gpu, fields.network = read_gpu(plain.gpu), core.network(plain.network)
    fields.laws = read_laws(plain.laws, label)
    if plain.d_ff == "custom" then fields.d_ff = missing(label, "d_ff") end
    return configuration.new(fields, label)
end

-- The search options of a configuration's points, as optimizer:cluster takes them.
local function cluster_options(self)
    local options = {}
    for key, value in pairs(self.options) do options[key] = value end
    options.duration = self.duration
    return options
end

-- A result of a configuration, of its plain table.
function stored.read_point(self, plain)
    plain.model = core.model(given_fields(plain.model, "model"))
    return result.wrap(plain, {optimizer = self.optimizer, options = cluster_options(self)})
end

-- The settings that a sweep of a configuration carries.
local function sweep_settings(self, ending)
    return {
        optimizer = self.optimizer, laws = self.laws, d_model = self.d_model,
        seq_len = self.seq_len, duration = self.duration,
        stop_utilization = self.stop_utilization, options = self.options,
        end_reason = ending.end_reason, interrupted = ending.interrupted or false,
    }
end

-- A sweep of a configuration, of results that were found before.
-- ending: { end_reason, interrupted }.
function stored.new_sweep(self, points, ending)
    return sweep.new(points, sweep_settings(self, ending))
end

-- A sweep of the plain table of a configuration's answers.
function stored.read_sweep(self, plain)
    local points = {}
    for i, point in ipairs(plain.points) do points[i] = stored.read_point(self, point) end
    return stored.new_sweep(self, points, plain)
end

return stored
