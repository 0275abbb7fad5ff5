-- gpu: dtsim.gpu, which fills in what a user does not know about a GPU, and says so.

local core = require "dtsim.core"
local catalog = require "dtsim.catalog"
local record = require "dtsim.record"
local units = require "dtsim.units"

local gpu = {}

-- The fields that can be filled in, in order, and their kinds of quantity.
local FILLED, KINDS = {}, {}
for _, row in ipairs(core.fields.gpu) do
    if row.presence == "required" or row.name == "distributed_shared_memory" then
        FILLED[#FILLED + 1] = row.name
    end
    KINDS[row.name] = row.kind
end

-- What was filled in, by the number that a GPU carries: { from = name in the catalog, fields =
-- list of names }. Equal ones share a number.
local assumptions, number_of = {}, {}

local function number_for(from, fields)
    if #fields == 0 then return 0 end
    local key = from .. ":" .. table.concat(fields, ",")
    if not number_of[key] then
        assumptions[#assumptions + 1] = {from = from, fields = fields}
        number_of[key] = #assumptions
    end
    return number_of[key]
end

-- A field's number in base units; nil where it is absent or no such quantity.
local function number(fields, name)
    local value = fields[name]
    if type(value) == "string" then value = units.try(value, KINDS[name]) end
    return type(value) == "number" and value > 0 and value or nil
end

-- FLOP per clock and thread at a width, of the field as users write it.
local function rate_at(rates, bits)
    if type(rates) == "table" then rates = rates[bits] end
    return type(rates) == "number" and rates or nil
end

-- The peak that some fields give, at a width; nil where they do not give one.
local function peak_of(fields, bits)
    local peak = number(fields, "peak")
    if peak then return peak end
    local rate = rate_at(fields.flop_per_clock_per_thread, bits)
    local sms, clock = number(fields, "sms"), number(fields, "clock")
    return rate and sms and clock and rate * 128 * sms * clock
end

-- The peak of a GPU of the catalog at a width; where it has no rate for that width, its own peak
-- in proportion to the widths.
local function catalog_peak(known, bits)
    local rate = known.bits ~= bits and type(known.flop_per_clock_per_thread) == "table"
        and known.flop_per_clock_per_thread[bits]
    if rate then return rate * 128 * known.sms * known.clock end
    return known.peak * known.bits / bits
end

-- How far apart two numbers are: the square of the logarithm of their ratio.
local function distance(a, b)
    if a == math.huge or b == math.huge then return 0 end
    return math.log(a / b) ^ 2
end

-- The GPU of the catalog that is nearest in peak, memory and memory bandwidth, each by the
-- logarithm of the ratio; hypothetical ones are out. Returns its name in the catalog and itself.
local function nearest(bits, peak, memory, memory_bandwidth)
    local entries = require "dtsim.catalog.gpus"
    local best, best_distance
    for _, id in ipairs(entries.order) do
        if not entries[id].hypothetical then
            local known = catalog.gpus[id]
            local d = distance(peak, catalog_peak(known, bits)) + distance(memory, known.memory)
                + distance(memory_bandwidth, known.memory_bandwidth)
            if not best or d < best_distance then best, best_distance = id, d end
        end
    end
    return best, catalog.gpus[best]
end

-- Whether a required field is absent that could be filled in.
local function is_partial(fields)
    for _, name in ipairs(FILLED) do
        if fields[name] == nil and name ~= "distributed_shared_memory" then return true end
    end
    return false
end

-- A GPU. fields: as in README and core.fields.gpu; all required ones given, nothing is filled in.
-- Where peak (or flop_per_clock_per_thread, sms and clock), memory and memory_bandwidth are given
-- and others are not, these are taken from the nearest GPU of the catalog: the one with the least
-- sum of squared logarithms of the ratios of the three (peak at the width of the given bits).
-- gpu:assumed() tells what was taken and from where. Returns a dtsim.gpu. Errors: unknown fields,
-- wrong values, a missing field where too little is given to fill it in.
function gpu.new(fields)
    if type(fields) ~= "table" or not is_partial(fields) then return core.gpu(fields) end
    local bits = fields.bits or 16
    local peak = type(bits) == "number" and bits > 0 and peak_of(fields, bits)
    local memory, memory_bandwidth = number(fields, "memory"), number(fields, "memory_bandwidth")
    if not (peak and memory and memory_bandwidth) then return core.gpu(fields) end
    local from, known = nearest(bits, peak, memory, memory_bandwidth)
    local full, filled = {}, {}
    for name, value in pairs(fields) do full[name] = value end
    for _, name in ipairs(FILLED) do
        if full[name] == nil then
            full[name] = known[name]
            filled[#filled + 1] = name
        end
    end
    return core.gpu_assuming(core.gpu(full), number_for(from, filled))
end

local function format(name, value)
    if type(value) ~= "number" or KINDS[name] == "" then return tostring(value) end
    return units.format(value, KINDS[name], 4)
end

local names = {"from", table.unpack(FILLED)}
local make_assumed = record.type{
    name = "assumed values",
    fields = names,
    show = function(self)
        local parts = {}
        for name, value in pairs(self) do
            if name ~= "from" then parts[#parts + 1] = name .. " = " .. format(name, value) end
        end
        return ("from dtsim.gpus.%s: %s"):format(self.from, table.concat(parts, ", "))
    end,
}

local methods = core.methods "gpu"
local with = methods.with

-- What dtsim.gpu filled in: a record with `from`, a name of dtsim.gpus, and each field that was
-- taken from there with its value; nil if all was given.
function methods.assumed(self)
    local assumption = assumptions[core.gpu_assumption(self)]
    if not assumption then return nil end
    local fields = {from = assumption.from}
    for _, name in ipairs(assumption.fields) do fields[name] = self[name] end
    return make_assumed(fields)
end

-- A changed copy. What it changes is assumed no longer; nothing is filled in anew.
function methods.with(self, changes)
    local copy = with(self, changes)
    local assumption = assumptions[core.gpu_assumption(copy)]
    if not assumption then return copy end
    local left = {}
    for _, name in ipairs(assumption.fields) do
        if changes[name] == nil then left[#left + 1] = name end
    end
    return core.gpu_assuming(copy, number_for(assumption.from, left))
end

return gpu
