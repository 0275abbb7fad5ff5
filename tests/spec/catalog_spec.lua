local gpus = require "dtsim.catalog.gpus"
local json = require "dtsim.json"
local networks = require "dtsim.catalog.networks"
local systems = require "dtsim.catalog.systems"
local units = require "dtsim.units"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")

local function read_json(path)
    local file = assert(io.open(here .. "/" .. path))
    local text = file:read("a")
    file:close()
    return json.decode(text)
end

local reference = read_json("../reference/hardware.json")

-- Fields of dtsim.gpu that are quantities, with their kind; `name` is text, the rest numbers.
local GPU_KINDS = {
    registers_per_block = "bytes", l2_size = "bytes", l2_bandwidth = "bandwidth",
    memory = "bytes", memory_bandwidth = "bandwidth", clock = "frequency",
    matmul_latency = "time", price = "money", power = "power", idle_power = "power",
}
local GPU_FIELDS = {
    "name", "bits", "flop_per_clock_per_thread", "sms", "registers_per_block", "l2_size",
    "l2_bandwidth", "memory", "memory_bandwidth", "clock", "utilization",
    "distributed_shared_memory", "matmul_latency",
}
local GPU_OPTIONAL = { "price", "power", "idle_power" }
local LEVEL_KINDS = { bandwidth = "bandwidth", latency = "time" }

-- A catalog's value in base units.
local function value_of(x, kind)
    if type(x) == "string" then return (units.parse(x, kind)) end
    return x
end

local function same_bits(expected, x, what)
    if expected == "inf" then expected = math.huge end
    assert.equal("number", type(x), what)
    assert.equal(string.pack("<d", expected), string.pack("<d", x),
        ("%s: %.17g is due, not %.17g"):format(what, expected, x))
end

local function keys_of(t)
    local keys = {}
    for key in pairs(t) do table.insert(keys, key) end
    table.sort(keys)
    return keys
end

local function set_of(...)
    local set = {}
    for _, list in ipairs { ... } do
        for _, item in ipairs(list) do set[item] = true end
    end
    return set
end

for name, catalog in pairs { gpus = gpus, networks = networks, systems = systems } do
    describe("the catalog of " .. name, function()
        it("orders exactly the entries it has", function()
            local keys = keys_of(catalog)
            local ordered = { "order", table.unpack(catalog.order) }
            table.sort(ordered)
            assert.same(keys, ordered)
        end)

        it("has keys that are Lua names", function()
            for _, key in ipairs(catalog.order) do assert.matches("^[a-z][a-z0-9_]*$", key) end
        end)
    end)
end

describe("a GPU of the catalog", function()
    for _, id in ipairs(gpus.order) do
        local gpu = gpus[id]

        it(id .. " has every field and no other", function()
            for _, field in ipairs(GPU_FIELDS) do assert.is_not_nil(gpu[field], field) end
            local known = set_of(GPU_FIELDS, GPU_OPTIONAL, { "sources" })
            for field in pairs(gpu) do assert.is_true(known[field], field) end
            assert.equal("boolean", type(gpu.distributed_shared_memory))
            assert.is_not_nil(gpu.flop_per_clock_per_thread[gpu.bits])
        end)

        it(id .. " has a source for every field, and none for what it lacks", function()
            for field in pairs(gpu) do
                if field ~= "name" and field ~= "sources" then
                    assert.matches("%a%a%a", gpu.sources[field] or "", field)
                end
            end
            for field in pairs(gpu.sources) do assert.is_not_nil(gpu[field], field) end
        end)

        it(id .. " has quantities of the right kind, above zero", function()
            for field, kind in pairs(GPU_KINDS) do
                if gpu[field] ~= nil then assert.is_true(value_of(gpu[field], kind) > 0, field) end
            end
        end)
    end

    it("has a name of its own", function()
        local seen = {}
        for _, id in ipairs(gpus.order) do
            assert.is_nil(seen[gpus[id].name], id)
            seen[gpus[id].name] = true
        end
    end)

    -- GTX 580: the published example's price; the others: NVIDIA's data sheets
    it("has the published price and power", function()
        assert.equal(300.0, (units.parse(gpus.gtx580.price, "money")))
        local power = {
            gtx580 = 244.0, v100 = 300.0, a100 = 400.0, h100 = 700.0, h100_pcie = 350.0,
        }
        for id, watts in pairs(power) do
            assert.equal(watts, (units.parse(gpus[id].power, "power")), id)
        end
        for _, id in ipairs(gpus.order) do
            if id ~= "gtx580" then assert.is_nil(gpus[id].price, id) end
            assert.is_nil(gpus[id].idle_power, id)
        end
    end)

    it("shares no table with another that derives from it", function()
        assert.are_not.equal(gpus.h100.sources, gpus.h100_pcie.sources)
        assert.are_not.equal(gpus.h100.sources, gpus.h100_low_latency.sources)
        assert.matches("hypothetical", gpus.h100_low_latency.sources.matmul_latency)
        assert.not_matches("hypothetical", gpus.h100.sources.matmul_latency)
    end)
end)

describe("a network of the catalog", function()
    for _, id in ipairs(networks.order) do
        local network = networks[id]

        it(id .. " has levels, all but the last with a size", function()
            assert.same({ "levels", "sources" }, keys_of(network))
            assert.is_true(#network.levels >= 1)
            for i, level in ipairs(network.levels) do
                local last = i == #network.levels
                local fields = last and { "bandwidth", "latency", "name" }
                    or { "bandwidth", "latency", "name", "size" }
                assert.same(fields, keys_of(level))
                for field, kind in pairs(LEVEL_KINDS) do
                    assert.is_true(value_of(level[field], kind) > 0, field)
                end
                assert.is_true(last or math.type(level.size) == "integer" and level.size > 1)
            end
        end)

        it(id .. " has a source for every number", function()
            assert.equal(#network.levels, #network.sources)
            for i, level in ipairs(network.levels) do
                for field in pairs(level) do
                    if field ~= "name" then
                        assert.matches("%a%a%a", network.sources[i][field] or "", field)
                    end
                end
                for field in pairs(network.sources[i]) do assert.is_not_nil(level[field], field) end
            end
        end)
    end
end)

describe("a system of the catalog", function()
    it("is one of the reference, and each of the reference is one", function()
        assert.same(keys_of(reference), (function()
            local ids = { table.unpack(systems.order) }
            table.sort(ids)
            return ids
        end)())
    end)

    it("joins a GPU and a network of the catalogs", function()
        for _, id in ipairs(systems.order) do
            assert.same({ "gpu", "name", "network" }, keys_of(systems[id]))
            assert.is_table(gpus[systems[id].gpu], id)
            assert.is_table(networks[systems[id].network], id)
        end
    end)

    local function check_gpu(gpu, due)
        local fields = {
            registers_per_block = due.register_bytes_per_processing_block,
            l2_size = due.l2_bytes, l2_bandwidth = due.l2_Bps,
            memory = due.memory_bytes, memory_bandwidth = due.global_Bps,
            clock = due.max_clock_Hz, matmul_latency = due.matmul_latency_s,
        }
        for field, value in pairs(fields) do
            same_bits(value, value_of(gpu[field], GPU_KINDS[field]), field)
        end
        assert.equal(due.bits, gpu.bits)
        assert.equal(due.sm_count, gpu.sms)
        same_bits(due.effective_utilization, gpu.utilization, "utilization")
        assert.equal(due.distributed_shared_memory, gpu.distributed_shared_memory)
        local widths = {}
        for bits, flop in pairs(due.flop_per_clock_per_thread) do
            widths[math.tointeger(tonumber(bits))] = flop
        end
        assert.same(widths, gpu.flop_per_clock_per_thread)
    end

    local function check_network(network, due)
        assert.equal(#due.network_Bps, #network.levels)
        for i, level in ipairs(network.levels) do
            same_bits(due.network_Bps[i], value_of(level.bandwidth, "bandwidth"), "bandwidth " .. i)
            same_bits(due.network_latency_s[i], value_of(level.latency, "time"), "latency " .. i)
            assert.equal(due.level_sizes[i], level.size)
        end
    end

    -- The reference computed these; here they check how the fields fit together.
    local function check_rates(gpu, due)
        local clock = value_of(gpu.clock, "frequency")
        local peak = gpu.flop_per_clock_per_thread[gpu.bits] * 128 * gpu.sms * clock
        local sustained = clock * gpu.utilization
        local function near(expected, x) assert.is_true(math.abs(x / expected - 1) < 1e-12) end
        near(due.max_flop_per_s, peak)
        near(due.flop_per_s, peak * gpu.utilization)
        near(due.shared_Bps, 32 * 4 * gpu.sms * sustained)
    end

    for _, id in ipairs(systems.order) do
        it(id .. " is the reference's, to the bit", function()
            local due = reference[id]
            assert.equal(due.name, systems[id].name)
            check_gpu(gpus[systems[id].gpu], due)
            check_network(networks[systems[id].network], due)
            check_rates(gpus[systems[id].gpu], due.expect)
        end)
    end
end)
