-- Published answers: "Data movement limits to frontier model training" (arXiv 2411.01137), its
-- figures and the simulator's.
local function near(expected, got)
    assert.is_true(math.abs(got / expected - 1) < 0.005,
        ("expected %.3g, got %.6g"):format(expected, got))
end

local function scaling_ends(preset, name, expected)
    local point = dtsim.presets[preset]:sweep(name):linear_scaling_end()
    near(expected, point.model.training_flop)
end

describe("the presets", function()
    it("end linear scaling where the paper does, by GPU", function()
        scaling_ends("base_comparison", "V100 SXM", 2.85e27)
        scaling_ends("base_comparison", "A100 SXM", 3.40e28)
        scaling_ends("base_comparison", "H100 SXM", 2.05e28)
    end)

    it("end feasibility of the H100 where the paper does", function()
        local sweep = dtsim.presets.base_comparison:sweep("H100 SXM")
        local last = sweep[#sweep]
        near(2.71e31, last.model.training_flop)
        assert.equal("5.2", ("%.1f"):format(100 * last.utilization))
        assert.equal("no cluster can finish before the deadline", sweep.settings.end_reason)
    end)

    it("end linear scaling where the paper does, by batch law", function()
        scaling_ends("batch_size_laws", "constant batch", 2.85e27)
        scaling_ends("batch_size_laws", "default batch law", 2.05e28)
        scaling_ends("batch_size_laws", "DeepSeek's batch law", 3.21e33)
    end)

    it("end linear scaling where the paper does, by network", function()
        scaling_ends("network_comparison", "H100", 2.05e28)
        scaling_ends("network_comparison", "H100, latency / 10", 1.34e29)
        scaling_ends("network_comparison", "H100, NVLink everywhere", 4.07e29)
        scaling_ends("network_comparison", "H100, NVLink everywhere, latency / 10", 5.08e31)
        scaling_ends("network_comparison", "H100, infinite bandwidth, latency / 10", 9.00e31)
    end)

    it("describe superpods and data centers", function()
        local superpod = dtsim.presets.superpod[2].network
        assert.same({8, 32}, {superpod[1].size, superpod[2].size})
        local far = dtsim.presets.datacenters[2].network
        assert.same({8, 4096}, {far[1].size, far[2].size})
        assert.same({1e9, 1e-3}, {far[3].bandwidth, far[3].latency})
    end)

    it("have sparse twins and an order", function()
        local names = {}
        for name in pairs(dtsim.presets) do names[#names + 1] = name end
        assert.same({"base_comparison", "base_comparison_sparse", "network_comparison",
                     "network_comparison_sparse", "batch_size_laws", "superpod", "datacenters"},
            names)
        assert.equal("paper_sparse", dtsim.presets.base_comparison_sparse[1].laws.name)
    end)

    it("suggest a name", function()
        local ok, message = pcall(function() return dtsim.presets.base_comparision end)
        assert.is_false(ok)
        assert.truthy(message:find("did you mean 'base_comparison'?", 1, true))
    end)
end)
