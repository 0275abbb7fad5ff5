-- dtsim.gpu of a few figures: what is filled in, from where, and what is not.
local core = require "dtsim.core"

local FEW = {peak = "989 TFLOP/s", memory = "80 GB", memory_bandwidth = "3.35 TB/s"}

local function gpu_of(changes)
    local fields = {}
    for name, value in pairs(FEW) do fields[name] = value end
    for name, value in pairs(changes or {}) do fields[name] = value end
    return dtsim.gpu(fields)
end

describe("a GPU of a few figures", function()
    it("takes the rest from the nearest GPU of the catalog", function()
        local gpu, h100 = gpu_of(), dtsim.gpus.h100
        for _, field in ipairs{"sms", "registers_per_block", "l2_size", "l2_bandwidth", "clock",
                               "utilization", "distributed_shared_memory", "matmul_latency"} do
            assert.equal(h100[field], gpu[field], field)
        end
        assert.equal(989e12, gpu.peak)
        assert.equal(80e9, gpu.memory)
        assert.equal(3.35e12, gpu.memory_bandwidth)
        assert.equal(16, gpu.bits)
        assert.equal("GPU", gpu.name)
        assert.is_nil(gpu.price)
        assert.is_nil(gpu.power)
    end)

    it("says what it took, and from where", function()
        local assumed = gpu_of():assumed()
        assert.equal("h100", assumed.from)
        assert.equal(132, assumed.sms)
        assert.equal(true, assumed.distributed_shared_memory)
        local names = {}
        for name in pairs(assumed) do names[#names + 1] = name end
        assert.same({"from", "sms", "registers_per_block", "l2_size", "l2_bandwidth", "clock",
                     "utilization", "distributed_shared_memory", "matmul_latency"}, names)
        assert.equal("from dtsim.gpus.h100: sms = 132, registers_per_block = 65.54 kB, "
            .. "l2_size = 52.43 MB, l2_bandwidth = 6.441 TB/s, clock = 1.83 GHz, "
            .. "utilization = 0.7, distributed_shared_memory = true, matmul_latency = 4.5 us",
            tostring(assumed))
        assert.error_matches(function() return assumed.smss end, "did you mean 'sms'?")
    end)

    it("takes only what is not given", function()
        local assumed = gpu_of{sms = 100, clock = "2 GHz",
                               distributed_shared_memory = false}:assumed()
        assert.is_nil(assumed.sms)
        assert.is_nil(assumed.clock)
        assert.is_nil(assumed.distributed_shared_memory)
        assert.equal(0.7, assumed.utilization)
    end)

    it("finds itself among the catalog's", function()
        -- those that share all three figures with an earlier one are found as that one
        local same = {a800 = "a100_80gb", h800 = "h100"}
        local entries = require "dtsim.catalog.gpus"
        for id, known in pairs(dtsim.gpus) do
            if not entries[id].hypothetical then
                local gpu = dtsim.gpu{bits = known.bits, peak = known.peak, memory = known.memory,
                                      memory_bandwidth = known.memory_bandwidth}
                assert.equal(same[id] or id, gpu:assumed().from)
            end
        end
    end)

    it("compares peaks at the width of its numbers", function()
        local gpu = dtsim.gpu{bits = 32, peak = "10.6 TFLOP/s", memory = "16 GB",
                              memory_bandwidth = "732 GB/s"}
        assert.equal("p100", gpu:assumed().from)
        assert.equal(32, gpu.bits)
        gpu = dtsim.gpu{bits = 8, peak = "1979 TFLOP/s", memory = "80 GB",
                        memory_bandwidth = "3.35 TB/s"}
        assert.equal("h100", gpu:assumed().from)
        -- no GPU of the catalog has a rate for 4 bits: four times that of 16
        gpu = dtsim.gpu{bits = 4, peak = "9000 TFLOP/s", memory = "180 GB",
                        memory_bandwidth = "8 TB/s"}
        assert.equal("b200", gpu:assumed().from)
    end)

    it("may give the rate, SMs and clock in place of the peak", function()
        local gpu = dtsim.gpu{flop_per_clock_per_thread = {[16] = 32}, sms = 132,
                              clock = "1.83 GHz", memory = "80 GB",
                              memory_bandwidth = "infinite"}
        assert.equal("h100", gpu:assumed().from)
        assert.is_nil(gpu:assumed().clock)
        assert.equal(math.huge, gpu.memory_bandwidth)
        gpu = dtsim.gpu{flop_per_clock_per_thread = 32, sms = 132, clock = 1.83e9, memory = 80e9,
                        memory_bandwidth = 3.35e12}
        assert.equal("h100", gpu:assumed().from)
    end)

    it("keeps what it assumed through changes and optimizers", function()
        local gpu = gpu_of()
        assert.equal(gpu:assumed(), gpu:with{price = 3}:assumed())
        local changed = gpu:with{sms = 100, utilization = 0.5}:assumed()
        assert.is_nil(changed.sms)
        assert.is_nil(changed.utilization)
        assert.equal(1.83e9, changed.clock)
        local all = {}
        for name, value in pairs(gpu:assumed()) do
            if name ~= "from" then all[name] = value end
        end
        assert.is_nil(gpu:with(all):assumed())
        local o = dtsim.optimizer{gpu = gpu, network = dtsim.networks.dgx_h100}
        assert.equal(gpu:assumed(), o.gpu:assumed())
    end)

    it("is equal to one of the same values that was given in full", function()
        local gpu, full = gpu_of(), {}
        for name, value in pairs(gpu) do
            if name ~= "sustained" and name ~= "shared_bandwidth" then full[name] = value end
        end
        local given = dtsim.gpu(full)
        assert.is_nil(given:assumed())
        assert.is_true(gpu == given)
        assert.is_true(gpu == gpu_of())
        local network = dtsim.networks.dgx_h100
        assert.is_true(dtsim.optimizer{gpu = gpu, network = network}
            == dtsim.optimizer{gpu = given, network = network})
        assert.is_false(gpu == gpu_of{memory = "81 GB"})
        assert.is_false(gpu == gpu:with{matmul_latency = 0})
    end)

    it("assumes nothing of the catalog's own or of one given in full", function()
        assert.is_nil(dtsim.gpus.h100:assumed())
        assert.is_nil(dtsim.gpus.h100:with{memory = "1 TB"}:assumed())
    end)

    it("needs peak, memory and memory bandwidth", function()
        local missing = "gpu: sms is missing"
        local cases = {
            {{memory = "80 GB", memory_bandwidth = "3.35 TB/s"}, missing},
            {{peak = "989 TFLOP/s", memory = "80 GB"}, missing},
            {{peak = "989 TFLOP/s", memory_bandwidth = "3.35 TB/s"}, missing},
            {{flop_per_clock_per_thread = 32, sms = 132, memory = 80e9, memory_bandwidth = 3e12},
             "gpu: registers_per_block is missing"},
            {{}, "missing"},
            {{peek = "989 TFLOP/s", memory = "80 GB", memory_bandwidth = "3.35 TB/s"},
             "gpu has no field 'peek'; did you mean 'peak'?"},
            {{peak = "989 s", memory = "80 GB", memory_bandwidth = "3.35 TB/s"},
             'gpu: peak: "989 s" is time, but flop_rate is due, as in "312 TFLOP/s"'},
            {{peak = 1e15, memory = -1, memory_bandwidth = 1e12}, "missing"},
            {{bits = 12, peak = 1e15, memory = 80e9, memory_bandwidth = 1e12},
             "gpu: bits must be 64, 32, 16, 8 or 4, got 12"},
            {{bits = "x", peak = 1e15, memory = 80e9, memory_bandwidth = 1e12},
             "gpu: bits must be"},
            {5, "gpu: fields must be given as a table"},
        }
        for i, case in ipairs(cases) do
            local ok, message = pcall(dtsim.gpu, case[1])
            assert.is_false(ok, i)
            assert.truthy(message:find(case[2], 1, true), message)
        end
        local ok, message = pcall(gpu_of, {nam = "x"})
        assert.is_false(ok)
        assert.truthy(message:find("gpu has no field 'nam'; did you mean 'name'?", 1, true))
        assert.error_matches(function() core.methods "gpu".assumed(5) end,
            "gpu:assumed: self must be a dtsim.gpu, got 5")
    end)
end)
