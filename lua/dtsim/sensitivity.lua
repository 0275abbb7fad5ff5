-- sensitivity: how a configuration's limit moves with what it is made of.

local core = require "dtsim.core"
local file = require "dtsim.file"
local json = require "dtsim.json"
local limit = require "dtsim.limit"
local messages = require "dtsim.messages"
local parameters = require "dtsim.parameters"
local random = require "dtsim.random"
local record = require "dtsim.record"

local sensitivity = {}

-- ---- options ----

local function check_options(what, options, known)
    if type(options) ~= "table" then
        core.raise(("%s: options must be a table, %s"):format(what, core.got(options)))
    end
    for key in pairs(options) do
        local fine = false
        for _, name in ipairs(known) do fine = fine or name == key end
        if not fine then
            core.raise(messages.unknown(what, "option", key, known))
        end
    end
end

-- The configuration by name or number; the study's first where none is said.
local function configuration_of(study, which)
    local some = study:only(which or 1)
    return some[1]
end

-- ---- what all answers have ----

local function flop_text(x)
    return x > 0 and require "dtsim.format.summary".flop(x) or "none"
end

-- Writes rows of texts or the plain table to a file by its ending.
local function save(self, path)
    local ending = type(path) == "string" and path:lower():match "%.(%w+)$"
    local text
    if ending == "json" then
        text = json.encode(self:plain(), {indent = 1}) .. "\n"
    elseif ending == "md" then
        text = require "dtsim.format.markdown".rows(self:rows())
    elseif ending == "csv" then
        text = require "dtsim.format.csv".rows(self:rows(true))
    else
        core.raise(("save: the file's name must end in .json, .csv or .md, got \"%s\"")
            :format(tostring(path)))
    end
    local done, message = file.write_whole(path, text)
    if not done then core.raise(message) end
    return true
end

-- A type of answer. rows(self, exact): texts, the first row of titles; figure: its picture's name.
local function answer_type(name, fields, rows)
    return record.type{
        name = name, fields = fields,
        show = function(self)
            return self.title .. "\n" .. require "dtsim.format.table".align(rows(self))
        end,
        methods = {
            rows = rows, save = save,
            plain = function(self)
                local plain = record.plain(self)
                plain.format, plain.version = "dtsim " .. name, 1
                return plain
            end,
            plot = function(self, path, options)
                local figure = require "dtsim.plot.sensitivities"[name](self)
                return require "dtsim.plot".draw(figure, path, options)
            end,
        },
    }
end

local function number_text(x, exact) return exact and json.encode(x) or flop_text(x) end

-- ---- tornado ----

local make_tornado = answer_type("tornado",
    {"title", "configuration", "metric", "by", "base", "factors"},
    function(self, exact)
        local rows = {{"factor", "as it is", ("/ %g"):format(self.by), ("x %g"):format(self.by),
                       "from", "to"}}
        for _, row in ipairs(self.factors) do
            rows[#rows + 1] = {row.name, row.text, row.less_text, row.more_text,
                               number_text(row.less, exact), number_text(row.more, exact)}
        end
        return rows
    end)

-- What is varied where nothing is said: FLOP/s, memory, latencies, all links, both laws.
local function default_factors(configuration)
    local names = {"flop_rate", "memory", "memory_bandwidth", "l2_bandwidth", "matmul_latency"}
    for i = 1, #configuration.network do
        local name = configuration.network[i].name
        names[#names + 1] = name .. ".bandwidth"
        names[#names + 1] = name .. ".latency"
    end
    names[#names + 1], names[#names + 2] = "batch_law", "depth_law"
    return names
end

-- How far a limit moves: the quotient of its values, also where one is 0.
local function swing(row)
    local low, high = math.min(row.less, row.more), math.max(row.less, row.more)
    if low == high then return 1 end
    return low > 0 and high / low or math.huge
end

-- Which of a configuration's parameters moves a limit most, each multiplied and divided on its own.
-- options: configuration (name or number; the first), metric ("limit"; see dtsim.limit), share
-- (0.8), factors (names of parameters; see dtsim.parameters), by (2).
-- Returns a record: base (the limit as things are), factors (a list of { name, value, less, more },
-- the limits with the parameter divided and multiplied, largest effect first); methods plot, save,
-- plain, rows; tostring is a table. Errors: unknown names, a `by` not above 1.
function sensitivity.tornado(study, options)
    local what = "study:tornado"
    options = options or {}
    check_options(what, options, {"configuration", "metric", "share", "factors", "by"})
    local by = options.by or 2
    if type(by) ~= "number" or not (by > 1 and by < 1e6) then
        core.raise(("%s: by must be a number above 1, %s"):format(what, core.got(by)))
    end
    local configuration = configuration_of(study, options.configuration)
    local measure = limit.of(options.metric, options.share, what)
    local rows = {}
    for i, name in ipairs(options.factors or default_factors(configuration)) do
        local parameter = parameters.get(configuration, name, what)
        local value = parameter.value
        rows[i] = {
            name = name, value = value, order = i,
            less = measure(parameter.set(value / by)), more = measure(parameter.set(value * by)),
            text = parameters.text(parameter, value),
            less_text = parameters.text(parameter, value / by),
            more_text = parameters.text(parameter, value * by),
        }
    end
    table.sort(rows, function(a, b)
        local x, y = swing(a), swing(b)
        if x ~= y then return x > y end
        return a.order < b.order
    end)
    for _, row in ipairs(rows) do row.order = nil end
    return make_tornado{
        title = ("%s: what moves the limit"):format(configuration.name),
        configuration = configuration.name, metric = limit.title(options.metric, options.share),
        by = by, base = measure(configuration), factors = rows,
    }
end

-- ---- grid ----

local make_grid = answer_type("grid", {"title", "configuration", "metric", "x", "y", "values"},
    function(self, exact)
        local rows = {{self.y.name .. " \\ " .. self.x.name}}
        for i, text in ipairs(self.x.texts) do rows[1][i + 1] = text end
        for j, text in ipairs(self.y.texts) do
            rows[j + 1] = {text}
            for i, value in ipairs(self.values[j]) do
                rows[j + 1][i + 1] = number_text(value, exact)
            end
        end
        return rows
    end)

-- One axis of a grid: { "node.size", 8, 72, "576" } with its values read.
local function axis_of(configuration, given, what, name)
    if type(given) ~= "table" or type(given[1]) ~= "string" or #given < 2 then
        core.raise(("%s: %s must be a parameter with its values, as in { \"memory\", \"80 GB\", "
            .. "\"160 GB\" }"):format(what, name))
    end
    local parameter = parameters.get(configuration, given[1], what)
    local axis = {name = given[1], values = {}, texts = {}}
    for i = 2, #given do
        axis.values[i - 1] = parameters.value(parameter, given[i], what)
        axis.texts[i - 1] = parameters.text(parameter, axis.values[i - 1])
    end
    return axis
end

-- A limit over two parameters. options: configuration, metric, share as in tornado; x and y: each
-- a list of a parameter's name and its values. Returns a record: x, y (name, values), values
-- (rows by y of columns by x: FLOP, 0 where nothing holds the line); methods as in tornado, plot a
-- heat map. Errors: unknown names, values of a wrong kind.
function sensitivity.grid(study, options)
    local what = "study:grid"
    check_options(what, options, {"configuration", "metric", "share", "x", "y"})
    local configuration = configuration_of(study, options.configuration)
    local measure = limit.of(options.metric, options.share, what)
    local x = axis_of(configuration, options.x, what, "x")
    local y = axis_of(configuration, options.y, what, "y")
    local values = {}
    for j, y_value in ipairs(y.values) do
        local row = parameters.get(configuration, y.name, what).set(y_value)
        values[j] = {}
        for i, x_value in ipairs(x.values) do
            values[j][i] = measure(parameters.get(row, x.name, what).set(x_value))
        end
    end
    return make_grid{
        title = ("%s: %s and %s"):format(configuration.name, x.name, y.name),
        configuration = configuration.name, metric = limit.title(options.metric, options.share),
        x = x, y = y, values = values,
    }
end

-- ---- Monte Carlo ----

local PERCENTILES = {5, 25, 50, 75, 95}

local make_monte_carlo = answer_type("monte_carlo",
    {"title", "configuration", "metric", "n", "seed", "percentiles", "mean", "samples"},
    function(self, exact)
        local rows = {{"percentile", "limit"}}
        for _, row in ipairs(self.percentiles) do
            rows[#rows + 1] = {tostring(row.percent), number_text(row.value, exact)}
        end
        rows[#rows + 1] = {"mean", number_text(self.mean, exact)}
        return rows
    end)

-- Ways to draw a value, by name: what each needs, and the value for random numbers u (two of them,
-- from 0 to below 1).
local DISTRIBUTIONS = {
    uniform = {needs = {"from", "to"},
               draw = function(d, u) return d.from + (d.to - d.from) * u end},
    log_uniform = {needs = {"from", "to"},
                   draw = function(d, u) return d.from * (d.to / d.from) ^ u end},
    triangular = {needs = {"from", "mode", "to"}, draw = function(d, u)
        local at_mode = (d.mode - d.from) / (d.to - d.from)
        if u < at_mode then return d.from + math.sqrt(u * (d.to - d.from) * (d.mode - d.from)) end
        return d.to - math.sqrt((1 - u) * (d.to - d.from) * (d.to - d.mode))
    end},
    -- Box and Muller (1958).
    log_normal = {needs = {"median", "factor"}, draw = function(d, u, v)
        local normal = math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * v)
        return d.median * d.factor ^ normal
    end},
}

-- A distribution as given: { from, to } is log-uniform.
local function distribution_of(parameter, given, what)
    if type(given) ~= "table" then
        core.raise(("%s: %s must be a range such as { from, to }, or { distribution = ... }, %s")
            :format(what, parameter.name, core.got(given)))
    end
    local name = given.distribution or "log_uniform"
    local kind = DISTRIBUTIONS[name]
    if not kind then
        core.raise(messages.unknown(what .. ": " .. parameter.name, "distribution", name,
            {"log_uniform", "uniform", "triangular", "log_normal"}))
    end
    local numbers = {}
    for i, field in ipairs(kind.needs) do
        local value = given[field]
        if value == nil then value = given[i] end
        if value == nil then
            core.raise(("%s: %s: a %s distribution needs %s"):format(what, parameter.name, name,
                table.concat(kind.needs, ", ")))
        end
        numbers[field] = field == "factor" and value or parameters.value(parameter, value, what)
    end
    if numbers.to and numbers.from >= numbers.to then
        core.raise(("%s: %s: from must be below to"):format(what, parameter.name))
    end
    if numbers.mode and not (numbers.from <= numbers.mode and numbers.mode <= numbers.to) then
        core.raise(("%s: %s: mode must lie between from and to"):format(what, parameter.name))
    end
    if numbers.factor and not (type(numbers.factor) == "number" and numbers.factor >= 1) then
        core.raise(("%s: %s: factor must be a number of at least 1"):format(what, parameter.name))
    end
    return function(u, v) return kind.draw(numbers, u, v) end
end

-- The p-th percentile of sorted values, by linear interpolation (type 7 of Hyndman and Fan, 1996).
local function percentile(sorted, percent)
    local place = 1 + (#sorted - 1) * percent / 100
    local i = math.min(math.floor(place), #sorted - 1)
    if #sorted == 1 then return sorted[1] end
    return sorted[i] + (place - i) * (sorted[i + 1] - sorted[i])
end

-- Draws one configuration: parameters by name in order, random numbers of a stream of its own.
local function draw(configuration, names, given, next_random, what)
    local values = {}
    for _, name in ipairs(names) do
        local parameter = parameters.get(configuration, name, what)
        values[name] = distribution_of(parameter, given[name], what)(next_random(), next_random())
        configuration = parameter.set(values[name])
    end
    return configuration, values
end

local function summarize(samples)
    local sorted, sum = {}, 0
    for i, sample in ipairs(samples) do
        sorted[i], sum = sample.limit, sum + sample.limit
    end
    table.sort(sorted)
    local percentiles = {}
    for i, percent in ipairs(PERCENTILES) do
        percentiles[i] = {percent = percent, value = percentile(sorted, percent)}
    end
    return percentiles, sum / #samples
end

local function whole(what, name, value, least, most)
    if math.type(value) ~= "integer" or value < least or value > most then
        core.raise(("%s: %s must be a whole number from %d to %d, %s"):format(what, name,
            least, most, core.got(value)))
    end
    return value
end

-- The spread of a limit when parameters are uncertain. options: configuration, metric, share as in
-- tornado; parameters = { NAME = { from, to } (log-uniform), or { distribution = "uniform" |
-- "log_uniform" | "triangular" | "log_normal", from, mode, to, median, factor } }; n (100), seed
-- (1). Every sample has random numbers of its own, so the same seed gives the same answer at any
-- number of threads. Returns a record: samples (a list of { values, limit }), percentiles (5, 25,
-- 50, 75, 95), mean; methods as in tornado, plot the cumulative distribution. A sample that never
-- holds the line counts as 0.
function sensitivity.monte_carlo(study, options)
    local what = "study:monte_carlo"
    check_options(what, options,
        {"configuration", "metric", "share", "parameters", "n", "seed"})
    local configuration = configuration_of(study, options.configuration)
    local measure = limit.of(options.metric, options.share, what)
    local n = whole(what, "n", options.n or 100, 1, 1000000)
    local seed = whole(what, "seed", options.seed or 1, math.mininteger, math.maxinteger)
    local names = {}
    if type(options.parameters) ~= "table" or next(options.parameters) == nil then
        core.raise(what .. ": parameters must be a table such as "
            .. "{ memory = { \"40 GB\", \"80 GB\" } }")
    end
    for name in pairs(options.parameters) do names[#names + 1] = name end
    table.sort(names)
    local samples = {}
    for i = 1, n do
        local next_random = random.uniform(random.stream(seed, i))
        local drawn, values = draw(configuration, names, options.parameters, next_random, what)
        samples[i] = {values = values, limit = measure(drawn)}
    end
    local percentiles, mean = summarize(samples)
    return make_monte_carlo{
        title = ("%s: limit under uncertainty, %d samples"):format(configuration.name, n),
        configuration = configuration.name, metric = limit.title(options.metric, options.share),
        n = n, seed = seed, percentiles = percentiles, mean = mean, samples = samples,
    }
end

return sensitivity
