-- What an optimizer hands out: results, plans, sweeps and what is in them cannot be changed,
-- compare by value and show themselves.
local dtsim = require "dtsim"

local system = dtsim.systems.gtx580
local optimizer = dtsim.optimizer{gpu = system.gpu, network = system.network, search = "paper"}
local sweep = optimizer:sweep{d_model = {2048, 4096, 8192}}
local result = sweep[1]

local function names_of(value)
    local names = {}
    for name in pairs(value) do names[#names + 1] = name end
    return names
end

describe("a result", function()
    it("lists its fields in their declared order", function()
        assert.same({"n_gpus", "time", "utilization", "cost", "energy", "memory", "fits", "model",
            "plan", "breakdown", "exposed", "level_times", "matmul_times", "search"},
            names_of(result))
        assert.same({"dp", "tp_model", "tp_ff", "pp", "ep", "microbatches", "interleave",
            "zero_bubble", "recompute", "levels"}, names_of(result.plan))
        assert.same({"dp", "tp_model", "tp_ff", "pp", "ep"}, names_of(result.plan.levels))
        assert.same({"compute", "tp", "dp", "pp_ep", "bubble", "latency"},
            names_of(result.breakdown))
        assert.same({"considered", "pruned", "cut", "seconds", "proved"}, names_of(result.search))
    end)

    it("leaves out what is not known", function()
        local bare = dtsim.optimizer{gpu = dtsim.gpus.h100:with{}, network = system.network}
        assert.is_nil(bare:evaluate(result.model, {}).cost)
        for name in pairs(bare:evaluate(result.model, {})) do assert.are_not.equal("cost", name) end
    end)

    it("compares by value, whatever the search took", function()
        local again = optimizer:cluster(result.model, {duration = "3 months"})
        assert.equal(result, again)
        assert.equal(result.plan, again.plan)
        assert.equal(result.plan.levels.dp, again.plan.levels.dp)
        assert.are_not.equal(result, sweep[2])
        assert.are_not.equal(result.plan, result.breakdown)
    end)

    it("is changed in a copy alone", function()
        local copy = result:with{n_gpus = 7}
        assert.equal(7, copy.n_gpus)
        assert.equal(32, result.n_gpus)
        assert.are_not.equal(result, copy)
    end)

    it("keeps its metatable to itself", function()
        for _, value in ipairs{result, result.plan, result.plan.levels.dp, sweep, sweep.settings} do
            assert.is_false(getmetatable(value))
        end
    end)

    it("is one line as a text, its plan too", function()
        assert.equal("TP 1x2 x PP 16, 32 microbatches, zero bubble", tostring(result.plan))
        assert.equal("311 EFLOP on 32 GPUs in 2.75 months: utilization 0.8500, "
            .. tostring(result.plan), tostring(result))
        local plan = optimizer:evaluate(result.model, {}).plan
        assert.equal("one GPU", tostring(plan))
        assert.equal("DP 2 x TP 2x1 x PP 2 x EP 2, 4 microbatches, interleaved 3, recomputing",
            tostring(plan:with{dp = 2, tp_model = 2, pp = 2, ep = 2, microbatches = 4,
                               interleave = 3, recompute = true}))
        assert.equal("{ 1, 1 }", tostring(plan.levels.dp))
    end)
end)

describe("a plan", function()
    it("keeps its layout in a copy with the same degrees", function()
        local copy = result.plan:with{microbatches = 64}
        assert.equal(result.plan.levels, copy.levels)
        assert.equal(64, optimizer:evaluate(result.model, copy).plan.microbatches)
    end)

    it("loses its layout in a copy with others, and gets the best one", function()
        local copy = result.plan:with{pp = 8}
        assert.is_nil(copy.levels)
        assert.equal(16, optimizer:evaluate(result.model, copy).n_gpus)
    end)
end)

describe("a sweep", function()
    it("is a list of results", function()
        assert.equal(3, #sweep)
        assert.is_nil(sweep[4])
        local widths = {}
        for i, point in pairs(sweep) do widths[i] = point.model.d_model end
        assert.same({2048, 4096, 8192}, widths)
    end)

    it("keeps the settings that it was asked with", function()
        local list, options = {2048, 4096}, {gpus_in = {32, 2048}}
        local asked = optimizer:sweep{d_model = list, gpus_in = options.gpus_in}
        list[1], options.gpus_in[1] = 7, 7
        assert.equal(2048, asked.settings.d_model[1])
        assert.equal(32, asked.settings.options.gpus_in[1])
        assert.equal("{ gpus_in = { 32, 2048 } }", tostring(asked.settings.options))
    end)

    it("compares by value", function()
        assert.equal(sweep, optimizer:sweep{d_model = {2048, 4096, 8192}})
        assert.are_not.equal(sweep, optimizer:sweep{d_model = {2048, 4096}})
        assert.are_not.equal(sweep, optimizer:sweep{d_model = {2048, 4096, 8192}, duration = 7e6})
    end)

    it("finds points by utilization and by compute", function()
        local all = optimizer:sweep{d_model = dtsim.widths.between(2048, 196608),
                                    duration = 0.25 * 3.154e7}
        local first, i = all:linear_scaling_end()
        local last, j = all:largest()
        -- right values: tests/reference/sweep_gtx580_dense.json, 0.8 of 0.85
        assert.equal(13312, first.model.d_model)
        assert.equal(18432, last.model.d_model)
        assert.equal(first, all[i])
        assert.equal(last, all[j])
        assert.equal(20480, all:nearest(1e26).model.d_model)
        assert.equal(20480, all:nearest("100 YFLOP").model.d_model)
        local all_hold, at = all:largest(0.0001)
        assert.equal(#all, at)
        assert.equal(all[#all], all_hold)
        assert.is_nil(all:linear_scaling_end(0.0001))
        assert.equal(1, select(2, all:linear_scaling_end(1)))
    end)

    it("is a table as a text", function()
        local lines = {
            "training FLOP  d_model  GPUs  utilization  of sustained         time   cost  plan",
            "     3.113e20     2048    32       0.8500       100.0 %  2.75 months  $9600  "
                .. "TP 1x2 x PP 16, 32 microbatches, zero bubble",
        }
        assert.equal(table.concat(lines, "\n"), tostring(optimizer:sweep{d_model = 2048}))
    end)
end)

describe("a catalog", function()
    it("lists its names in order", function()
        assert.equal("gtx580", (next(names_of(dtsim.systems)) and names_of(dtsim.systems)[1]))
        assert.equal(#names_of(dtsim.gpus), #dtsim.gpus)
        assert.equal("GPU catalog: " .. table.concat(names_of(dtsim.gpus), ", "),
            tostring(dtsim.gpus))
    end)

    it("gives the same object each time", function()
        assert.is_true(rawequal(dtsim.gpus.h100, dtsim.gpus.h100))
        assert.equal(dtsim.gpus.h100, dtsim.systems.h100.gpu)
        assert.equal("system H100 SXM: H100 SXM: 16-bit, peak 989 TFLOP/s, memory 80 GB at "
            .. "3.35 TB/s; network: 8 x (900 GB/s, 1.13 us), then 100 GB/s, 1.13 us",
            tostring(dtsim.systems.h100))
    end)
end)

describe("widths", function()
    it("are odd numbers below 16 times powers of two", function()
        assert.same({8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20}, dtsim.widths.between(8, 20))
        assert.same({5}, dtsim.widths.between(5.0, 5))
    end)

    it("of the paper are its sweeps'", function()
        local paper = dtsim.widths.paper()
        assert.equal(12288, paper[1])
        assert.equal(128 * 12288, paper[#paper])
    end)
end)

describe("align", function()
    it("puts numbers to the right and other cells to the left", function()
        assert.equal("name   n\na      1\nbb    10",
            dtsim.align{{"name", "n"}, {"a", 1}, {"bb", "10"}})
        assert.equal("", dtsim.align{})
        assert.equal("     x\n1 s\n2 s  y", dtsim.align{{"", "x"}, {"1 s", ""}, {"2 s", "y"}})
    end)
end)
