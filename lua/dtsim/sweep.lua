-- sweep: the results of opt:sweep in order, with what people ask of them.

local core = require "dtsim.core"
local file = require "dtsim.file"
local messages = require "dtsim.messages"
local record = require "dtsim.record"
local units = require "dtsim.units"

local sweep = {}

local contents = setmetatable({}, {__mode = "k"})
local methods = {}

local function sustained(self, fraction)
    local share = fraction == nil and 0.8 or fraction
    if type(share) ~= "number" or not (share > 0 and share <= 1) then
        core.raise("sweep: the share of the sustained maximum must be above 0 and at most 1, "
            .. core.got(share))
    end
    return share * self.settings.optimizer.gpu.utilization
end

-- Where linear scaling ends: the first point whose utilization is at or below `fraction` (0.8) of
-- the sustained maximum. Returns result, position; nil if there is none.
function methods.linear_scaling_end(self, fraction)
    local line = sustained(self, fraction)
    for i = 1, #self do
        if self[i].utilization <= line then return self[i], i end
    end
end

-- The largest run that still holds the line: the last point above it. Utilization is not monotonic,
-- so that need not be the point before linear_scaling_end. Returns result, position; or nil.
function methods.largest(self, fraction)
    local line = sustained(self, fraction)
    for i = #self, 1, -1 do
        if self[i].utilization > line then return self[i], i end
    end
end

-- The point whose training compute is nearest to `flop` (FLOP, or a text such as "1e26 FLOP"), by
-- ratio. Returns result, position; nil where the sweep is empty.
function methods.nearest(self, flop)
    local wanted = flop
    if type(flop) == "string" then
        local message
        wanted, message = units.try(flop, "flop")
        if not wanted then core.raise("sweep:nearest: " .. message) end
    end
    if type(wanted) ~= "number" or not (wanted > 0 and wanted < math.huge) then
        core.raise("sweep:nearest: the compute must be a finite number of FLOP above 0, "
            .. core.got(flop))
    end
    local best, least
    for i = 1, #self do
        local distance = math.abs(math.log(self[i].model.training_flop / wanted))
        if not least or distance < least then best, least = i, distance end
    end
    if best then return self[best], best end
end

-- All of the sweep as plain tables: settings, hardware, laws' names, every point with layout
-- and breakdown. Units are SI.
function methods.plain(self)
    local settings = self.settings
    local optimizer = settings.optimizer
    local levels, points = {}, {}
    for i = 1, #optimizer.network do levels[i] = record.plain(optimizer.network[i]) end
    for i = 1, #self do points[i] = record.plain(self[i]) end
    local gpu = record.plain(optimizer.gpu)
    local rates = gpu.flop_per_clock_per_thread
    if type(rates) == "table" then -- JSON's keys are texts
        gpu.flop_per_clock_per_thread = {}
        for bits, rate in pairs(rates) do gpu.flop_per_clock_per_thread[tostring(bits)] = rate end
    end
    local last_above, first_below = self:largest(), self:linear_scaling_end()
    return {
        format = "dtsim sweep", version = 1,
        settings = {
            d_model = record.plain(settings.d_model), seq_len = settings.seq_len,
            duration = settings.duration_s, stop_utilization = settings.stop_utilization,
            search = optimizer.search, overlap = record.plain(optimizer.overlap),
            schedules = optimizer.schedules, zero_bubble_latency = optimizer.zero_bubble_latency,
            options = record.plain(settings.options),
        },
        laws = {name = settings.laws.name, layers = settings.laws.names.layers,
                sparsity = settings.laws.names.sparsity, batch = settings.laws.names.batch,
                dataset = settings.laws.names.dataset},
        hardware = {gpu = gpu, network = levels},
        points = points,
        linear_scaling_end = first_below and first_below.model.training_flop,
        largest_above_80_percent = last_above and last_above.model.training_flop,
        end_reason = settings.end_reason,
        interrupted = settings.interrupted,
    }
end

local FORMATS = {json = "dtsim.format.json", csv = "dtsim.format.csv", md = "dtsim.format.markdown"}

-- Writes the sweep to a file whose name ends in .json, .csv or .md, whole or not at all.
-- Returns true. Errors: another ending, a file that cannot be written.
function methods.save(self, path)
    if type(path) ~= "string" then
        core.raise("sweep:save: the path must be a text, " .. core.got(path))
    end
    local ending = path:match "%.(%w+)$"
    local format = ending and FORMATS[ending:lower()]
    if not format then
        core.raise(("sweep:save: the file's name must end in .json, .csv or .md, got \"%s\"")
            :format(path))
    end
    local done, message = file.write_whole(path, require(format).sweep(self))
    if not done then core.raise(message) end
    return true
end

-- Draws the sweep to a file or the terminal; see dtsim.plot.
function methods.plot(self, path, options)
    return require "dtsim.plot".sweep(self, path, options)
end

local metatable = {__name = "sweep", __metatable = false}
record.adopt(metatable, {name = "sweep", fields = {"settings"}, methods = methods})

function metatable.__index(self, key)
    local values = contents[self]
    if math.type(key) == "integer" then return values.points[key] end
    if methods[key] then return methods[key] end
    if key == "settings" then return values.settings end
    local names = {"settings"}
    for name in pairs(methods) do names[#names + 1] = name end
    core.raise(messages.unknown("sweep", "field", key, names))
end

function metatable.__newindex() core.raise "a sweep cannot be changed" end
function metatable.__len(self) return #contents[self].points end
function metatable.__pairs(self) return ipairs(contents[self].points) end
function metatable.__tostring(self) return require("dtsim.format.table").sweep(self) end


-- By value: the same question and the same answers.
function metatable.__eq(a, b)
    local x, y = contents[a], contents[b]
    if not x or not y or x.settings ~= y.settings or #x.points ~= #y.points then return false end
    for i, point in ipairs(x.points) do if point ~= y.points[i] then return false end end
    return true
end

local make_settings = record.type{
    name = "sweep's settings",
    fields = {"optimizer", "laws", "d_model", "seq_len", "duration", "duration_s",
              "stop_utilization", "options", "end_reason", "interrupted", "search_seconds"},
    ignored = {"search_seconds"},
}

-- Makes a sweep of a list of results and what led to them.
function sweep.new(points, settings)
    local duration = settings.duration
    settings.duration_s = type(duration) == "string" and units.parse(duration, "time") or duration
    settings.d_model = record.frozen(settings.d_model)
    settings.options = record.frozen(settings.options)
    local made = setmetatable({}, metatable)
    contents[made] = {points = points, settings = make_settings(settings)}
    return made
end

return sweep
