-- GPUs: fields, rates, matmuls by hand, immutability.
local dtsim = require "dtsim"

-- A GPU of round numbers, so that times can be calculated by hand.
local fields = {
    name = "round", bits = 16, flop_per_clock_per_thread = 8, sms = 2, registers_per_block = 4096,
    l2_size = 65536, l2_bandwidth = 2e9, memory = 1e9, memory_bandwidth = 1e9, clock = 1e9,
    utilization = 0.5, matmul_latency = 1e-6,
}
local gpu = dtsim.gpu(fields)

describe("a GPU's rates", function()
    it("follow from clock, threads and FLOP per clock", function()
        assert.equal(8 * 128 * 2 * 1e9, gpu.peak)
        assert.equal(gpu.peak / 2, gpu.sustained)
        assert.equal(32 * 4 * 2 * 1e9 * 0.5, gpu.shared_bandwidth)
    end)

    it("are those of the width in use", function()
        local both = gpu:with{flop_per_clock_per_thread = {[16] = 8, [32] = 1}}
        assert.equal(gpu.peak, both.peak)
        assert.equal(gpu.peak / 8, both:with{bits = 32}.peak)
        assert.same({[16] = 8, [32] = 1}, both.flop_per_clock_per_thread)
        assert.equal(8, gpu.flop_per_clock_per_thread)
    end)

    it("may be given as the peak", function()
        local peak = gpu:with{peak = "312 TFLOP/s"}
        assert.equal(312e12, peak.peak)
        assert.equal(156e12, peak.sustained)
        assert.is_nil(peak.flop_per_clock_per_thread)
        assert.equal(gpu, peak:with{flop_per_clock_per_thread = 8})
    end)
end)

describe("a matmul", function()
    -- By the formulas of arXiv 2411.01137, for a 64 x 64 weight of 8192 bytes and 64 tokens.
    -- 0.75 of L2 is 49152 bytes: one tile, and weight and gradient stay there; memory traffic is
    -- 8192 to the right and 8192 to the left: 16384 bytes.
    -- An SM has 4 * 0.75 * 4096 = 12288 bytes: one tile; the two SMs hold 24576, so weight and
    -- gradient, 16384, stay; traffic 16384.
    -- A block has 3072 bytes: 3 tiles of 64 * 64 / 3 words, whose root, 36.95, is their height and
    -- width: both counts are 64 / 36.95, the root of 3. 8 * 3072 = 24576 bytes hold the weight.
    local shared = 16384 + 8192 * (3 * math.sqrt(3) - 1)

    it("moves the bytes that its tiles demand", function()
        local report = gpu:matmul(64, 64, 64)
        assert.equal(16384, report.memory_bytes)
        assert.equal(32768, report.l2_bytes)
        assert.is_true(math.abs(report.shared_bytes / shared - 1) < 1e-12)
    end)

    it("is as slow as the slowest of them, plus the latency", function()
        local report = gpu:matmul(64, 64, 64)
        assert.equal(2 * 64 ^ 3, report.flop)
        assert.equal("memory", report.bound) -- 16.384 us; L2 too; arithmetic 0.512 us
        assert.is_true(math.abs(report.time / (16384 / 1e9 + 1e-6) - 1) < 1e-12)
        assert.equal(report.time, gpu:matmul_time(64, 64, 64))
        assert.is_true(math.abs(report.efficiency / (2 * 64 ^ 3 / gpu.peak / report.time) - 1)
            < 1e-12)
    end)

    it("says what binds it", function()
        local fast = gpu:with{memory_bandwidth = "infinite"}
        assert.equal("l2", fast:matmul(64, 64, 64).bound)
        fast = fast:with{l2_bandwidth = "infinite"}
        assert.equal("latency", fast:matmul(8, 8, 8).bound)
        assert.equal("shared", fast:with{matmul_latency = 0}:matmul(8, 8, 8).bound)
        local slow = gpu:with{flop_per_clock_per_thread = 1 / 64}
        assert.equal("compute", slow:matmul(64, 64, 64).bound)
    end)

    it("pads to chunks of 8", function()
        assert.equal(2 * 512, gpu:matmul(1, 1, 1).flop)
        assert.equal(2 * 512 * 2 * 3, gpu:matmul(9, 17, 8).flop)
    end)

    it("moves more for the weight's gradient", function()
        local gradient = gpu:matmul(256, 256, 8, "weight_grad")
        assert.is_true(gradient.memory_bytes > gpu:matmul(256, 256, 8).memory_bytes)
        assert.equal(gradient.time, gpu:matmul_time(256, 256, 8, "weight_grad"))
    end)

    it("takes counts as texts and whole floats", function()
        assert.equal(gpu:matmul_time(1024, 2048, 64), gpu:matmul_time("1 Ki", 2048.0, "64"))
    end)
end)

describe("a GPU", function()
    it("reads every field back", function()
        for name, value in pairs(fields) do assert.equal(value, gpu[name], name) end
        assert.is_false(gpu.distributed_shared_memory)
        assert.is_nil(gpu.price)
        assert.equal(300, gpu:with{price = "$300"}.price)
    end)

    it("takes quantities with units", function()
        local other = gpu:with{registers_per_block = "4 KiB", l2_size = "64 KiB", clock = "1 GHz",
            l2_bandwidth = "16 Gbit/s", memory = "1 GB", matmul_latency = "1 us"}
        assert.equal(gpu, other)
    end)

    it("has defaults for name and bits", function()
        local plain = {}
        for name, value in pairs(fields) do plain[name] = value end
        plain.name, plain.bits = nil, nil
        assert.equal("GPU", dtsim.gpu(plain).name)
        assert.equal(16, dtsim.gpu(plain).bits)
    end)

    it("is changed in a copy alone", function()
        local copy = gpu:with{sms = 4}
        assert.equal(4, copy.sms)
        assert.equal(2, gpu.sms)
        assert.are_not.equal(gpu, copy)
        assert.equal(gpu, copy:with{sms = 2})
        assert.equal(gpu, gpu:with{})
    end)

    it("gives copies of its tables", function()
        local both = gpu:with{flop_per_clock_per_thread = {[16] = 8, [32] = 1}}
        both.flop_per_clock_per_thread[16] = 1
        assert.equal(8, both.flop_per_clock_per_thread[16])
    end)

    it("keeps its metatable to itself", function()
        assert.is_false(getmetatable(gpu))
        assert.has_error(function() setmetatable(gpu, {}) end)
    end)

    it("lists its fields in their declared order", function()
        local names = {}
        for name, value in pairs(gpu) do
            names[#names + 1] = name
            assert.are_not.equal(nil, value)
        end
        assert.same({"name", "bits", "flop_per_clock_per_thread", "peak", "sms",
            "registers_per_block", "l2_size", "l2_bandwidth", "memory", "memory_bandwidth", "clock",
            "utilization", "distributed_shared_memory", "matmul_latency", "sustained",
            "shared_bandwidth"}, names)
    end)

    it("is one line as a text", function()
        assert.equal("round: 16-bit, peak 2.05 TFLOP/s, memory 1 GB at 1 GB/s", tostring(gpu))
    end)
end)
