-- Networks: levels, collectives by hand, immutability.
local dtsim = require "dtsim"

local network = dtsim.network{
    {name = "node", size = 8, bandwidth = "900 GB/s", latency = "1 us"},
    {name = "pod", size = 4, bandwidth = "200 GB/s", latency = "2 us"},
    {bandwidth = "100 GB/s", latency = "3 us"},
}

describe("a network", function()
    it("is a list of levels", function()
        assert.equal(3, #network)
        assert.equal("node", network[1].name)
        assert.equal(8, network[1].size)
        assert.equal(900e9, network[1].bandwidth)
        assert.equal(1e-6, network[1].latency)
        assert.equal("level 3", network[3].name)
        assert.is_nil(network[3].size)
        assert.equal(32, network.inner_size)
    end)

    it("may have one level, up to eight, and infinite bandwidth", function()
        local flat = dtsim.network{{bandwidth = "infinite", latency = 0}}
        assert.equal(math.huge, flat[1].bandwidth)
        assert.equal(1, flat.inner_size)
        local levels = {}
        for i = 1, 7 do levels[i] = {size = 2, bandwidth = 1e9, latency = 0} end
        levels[8] = {bandwidth = 1e9, latency = 0}
        assert.equal(128, dtsim.network(levels).inner_size)
    end)

    it("can be made of another's levels", function()
        assert.equal(network, dtsim.network{network[1], network[2], network[3]})
    end)

    it("goes over its levels in order", function()
        local names = {}
        for i, level in pairs(network) do names[i] = level.name end
        assert.same({"node", "pod", "level 3"}, names)
        local fields = {}
        for name in pairs(network[1]) do fields[#fields + 1] = name end
        assert.same({"name", "size", "bandwidth", "latency"}, fields)
    end)

    it("is changed in a copy alone", function()
        local copy = network:with{[2] = {bandwidth = "400 GB/s"}}
        assert.equal(400e9, copy[2].bandwidth)
        assert.equal("pod", copy[2].name)
        assert.equal(200e9, network[2].bandwidth)
        assert.are_not.equal(network, copy)
        assert.equal(network, copy:with{[2] = {bandwidth = 200e9}})
        assert.equal(network, network:with{})
        assert.equal(network[1], network[1]:with{})
        assert.equal(4, network[1]:with{size = 4}.size)
    end)

    it("is scaled as a whole", function()
        local scaled = network:scaled{bandwidth = 10, latency = 0.5}
        for i = 1, 3 do
            assert.equal(10 * network[i].bandwidth, scaled[i].bandwidth)
            assert.equal(0.5 * network[i].latency, scaled[i].latency)
            assert.equal(network[i].size, scaled[i].size)
        end
        assert.equal(network, network:scaled{})
    end)

    it("is one line as a text", function()
        assert.equal("network: 8 x (900 GB/s, 1 us), then 4 x (200 GB/s, 2 us), "
            .. "then 100 GB/s, 3 us", tostring(network))
        assert.equal("node: 8 x (900 GB/s, 1 us)", tostring(network[1]))
        assert.equal("level 3: 100 GB/s, 3 us", tostring(network[3]))
    end)
end)

describe("an all-reduce", function()
    it("sends each byte twice, but for one's own share", function()
        -- 2 * (5 - 1) * 1000 * 3 * 2 bytes over 16 GPUs at 50 GB/s in one direction
        local time = network:allreduce{level = 3, participants = 5, bytes = 1000, gpus = 16,
                                       sequential = 3, parallel = 2}
        assert.is_true(math.abs(time.bandwidth / (48000 / (16 * 50e9)) - 1) < 1e-12)
        assert.is_true(math.abs(time.latency / (2 * 3 * 3e-6) - 1) < 1e-12)
    end)

    it("of one is nothing", function()
        assert.same({latency = 0.0, bandwidth = 0.0},
            network:allreduce{level = 1, participants = 1, bytes = "1 GB", gpus = 8})
    end)
end)

describe("a transfer", function()
    it("takes the bytes over the bandwidth in one direction", function()
        local time = network:p2p{level = 2, bytes = "1 kB", gpus = 4, sequential = 3}
        assert.is_true(math.abs(time.bandwidth / (3000 / (4 * 100e9)) - 1) < 1e-12)
        assert.is_true(math.abs(time.latency / 6e-6 - 1) < 1e-12)
    end)

    it("costs only latency where the bandwidth is infinite", function()
        local flat = dtsim.network{{bandwidth = "infinite", latency = "1 us"}}
        assert.same({latency = 1e-6, bandwidth = 0.0}, flat:p2p{level = 1, bytes = 1e9, gpus = 2})
    end)
end)
