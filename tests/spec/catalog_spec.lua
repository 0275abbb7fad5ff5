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
    "name", "bits", "sms", "registers_per_block", "l2_size",
    "l2_bandwidth", "memory", "memory_bandwidth", "clock", "utilization",
    "distributed_shared_memory", "matmul_latency",
}
local GPU_OPTIONAL = { "price", "power", "idle_power", "peak", "flop_per_clock_per_thread" }
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
            local known = set_of(GPU_FIELDS, GPU_OPTIONAL, { "sources", "hypothetical" })
            for field in pairs(gpu) do assert.is_true(known[field], field) end
            assert.equal("boolean", type(gpu.distributed_shared_memory))
            assert.is_true((gpu.peak == nil) ~= (gpu.flop_per_clock_per_thread == nil))
            if not gpu.peak then assert.is_not_nil(gpu.flop_per_clock_per_thread[gpu.bits]) end
            assert.is_true(gpu.hypothetical == nil or gpu.hypothetical == true)
        end)

        it(id .. " has a source for every field, and none for what it lacks", function()
            for field in pairs(gpu) do
                if field ~= "name" and field ~= "sources" and field ~= "hypothetical" then
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
        assert.equal(1599.0, (units.parse(gpus.rtx4090.price, "money")))
        local power = {
            gtx580 = 244.0, v100 = 300.0, a100 = 400.0, h100 = 700.0, h100_pcie = 350.0,
        }
        for id, watts in pairs(power) do
            assert.equal(watts, (units.parse(gpus[id].power, "power")), id)
        end
        for _, id in ipairs(gpus.order) do
            if id ~= "gtx580" and id ~= "rtx4090" then assert.is_nil(gpus[id].price, id) end
        end
    end)

    -- peak in TFLOP/s without sparsity, memory in GB (GiB where so marked), memory bandwidth in
    -- GB/s, power in W: data sheets of the makers; TPUs: Cloud TPU documentation
    it("has the published figures", function()
        local GiB = 2 ^ 30 / 1e9
        local figures = {
            k40 = { 4.29, 12, 288, 235 }, p100 = { 21.2, 16, 732, 300 },
            a100_80gb = { 312, 80, 2039, 400 }, a800 = { 312, 80, 2039, 400 },
            h800 = { 989, 80, 3352, 700 }, h200 = { 989, 141, 4800, 700 },
            h20 = { 148, 96, 4000, 400 },
            b200 = { 2250, 180, 8000, 1000 }, gb200 = { 2500, 186, 8000, 1200 },
            rtx4090 = { 165.2, 24, 1008, 450 }, mi250x = { 383, 128, 3200, 560 },
            mi300x = { 1307.4, 192, 5300, 750 }, tpu_v3 = { 123, 32 * GiB, 900, 262 },
            tpu_v4 = { 275, 32 * GiB, 1200, 192 }, tpu_v5e = { 197, 16, 819 },
            tpu_v5p = { 459, 95, 2765 }, trainium2 = { 667, 96 * GiB, 2900 },
            gaudi3 = { 1835, 128, 3700, 900 },
        }
        local count = 0
        for id, due in pairs(figures) do
            local gpu = dtsim.gpus[id]
            local function near(expected, x, what)
                assert.is_true(math.abs(x / expected - 1) < 3e-3, ("%s %s: %g"):format(id, what, x))
            end
            near(due[1], gpu.peak / 1e12, "peak")
            near(due[2], gpu.memory / 1e9, "memory")
            near(due[3], gpu.memory_bandwidth / 1e9, "memory_bandwidth")
            assert.equal(due[4], gpu.power, id)
            count = count + 1
        end
        assert.equal(#gpus.order - 7, count) -- the paper's seven are checked to the bit below
    end)

    it("marks what nobody makes, and guesses", function()
        local hypothetical, guesses = {}, 0
        for _, id in ipairs(gpus.order) do
            if gpus[id].hypothetical then table.insert(hypothetical, id) end
            for field, source in pairs(gpus[id].sources) do
                if source:find "guess" then
                    assert.matches("^guess: ", source, id .. " " .. field)
                    guesses = guesses + 1
                end
            end
            -- what every seller tells is never a guess
            for _, field in ipairs { "memory", "memory_bandwidth" } do
                assert.not_matches("guess", gpus[id].sources[field], id)
            end
        end
        assert.same({ "h100_low_latency", "h100_scaled" }, hypothetical)
        assert.is_true(guesses > 20)
    end)

    it("is hardware of 2010 to 2026, all of it", function()
        for _, id in ipairs { "gtx580", "k40", "p100", "v100", "a100", "a100_80gb", "h100_pcie",
                    "h100", "h200", "h20", "h800", "a800", "b200", "gb200", "mi250x",
                    "mi300x", "tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p", "trainium2",
                    "gaudi3", "rtx4090" } do
            assert.equal("gpu", require "dtsim.core".type(dtsim.gpus[id]))
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

describe("the links of the catalog", function()
    local function both_directions(id, Gbps, payload)
        local level = dtsim.networks[id][1]
        local due = 2 * Gbps / 8 * (payload or 1) * 1e9
        assert.is_true(math.abs(level.bandwidth / due - 1) < 1e-4, id)
        assert.equal(1, #dtsim.networks[id])
        assert.is_nil(level.size)
    end

    it("have twice the rate of one direction", function()
        for lane, id in pairs { [8] = "pcie3", [16] = "pcie4", [32] = "pcie5" } do
            both_directions(id, 16 * lane, 128 / 130)
        end
        both_directions("pcie2", 16 * 5, 8 / 10)
        both_directions("pcie6", 16 * 64, 242 / 256)
        both_directions("infiniband_qdr", 4 * 10, 8 / 10)
        both_directions("infiniband_fdr", 4 * 14.0625, 64 / 66)
        for Gbps, id in pairs { [100] = "infiniband_edr", [200] = "infiniband_hdr",
                    [400] = "infiniband_ndr", [800] = "infiniband_xdr" } do
            both_directions(id, Gbps)
        end
        for _, Gbps in ipairs { 10, 25, 40, 50, 100, 200, 400, 800 } do
            both_directions(("ethernet_%dg"):format(Gbps), Gbps)
        end
    end)

    it("have NVLink as NVIDIA quotes it, both directions", function()
        for i, due in ipairs { 160e9, 300e9, 600e9, 900e9, 1800e9 } do
            assert.equal(due, dtsim.networks["nvlink" .. i][1].bandwidth)
        end
        assert.equal(400e9, dtsim.networks.hgx_a800[1].bandwidth)
        assert.equal(400e9, dtsim.networks.hgx_h800[1].bandwidth)
    end)

    it("have a wide-area network and the machines people buy", function()
        assert.is_true(dtsim.networks.wan[1].latency >= 1e-3)
        assert.equal(72, dtsim.networks.gb200_nvl72[1].size)
        assert.equal(16, dtsim.networks.dgx2[1].size)
        assert.equal(256, dtsim.networks.tpu_v5e_pod[1].size)
        assert.equal(3, #dtsim.networks.sites_h100)
        for _, id in ipairs { "v100", "a100", "h100" } do -- the simulator's are these machines
            local machine = dtsim.networks[({ v100 = "dgx1_v100", a100 = "dgx_a100",
                    h100 = "dgx_h100" })[id]]
            assert.equal(tostring(dtsim.networks[id]), tostring(machine))
        end
    end)
end)

describe("a system of the catalog", function()
    it("is there for each of the reference", function()
        for id in pairs(reference) do assert.is_table(systems[id], id) end
    end)

    it("makes an optimizer that finds a plan", function()
        for id, system in pairs(dtsim.systems) do
            if id ~= "tpu_v5p" then -- its pod of 8960 has too many divisors for a quick test
                local o = dtsim.optimizer { gpu = system.gpu, network = system.network }
                local s = o:sweep { d_model = { 4096 } }
                assert.equal(1, #s, id)
                assert.is_true(s[1].utilization <= system.gpu.utilization, id)
            end
        end
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

    for _, id in ipairs(keys_of(reference)) do
        it(id .. " is the reference's, to the bit", function()
            local due = reference[id]
            assert.equal(due.name, systems[id].name)
            check_gpu(gpus[systems[id].gpu], due)
            check_network(networks[systems[id].network], due)
            check_rates(gpus[systems[id].gpu], due.expect)
        end)
    end
end)
