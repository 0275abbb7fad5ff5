-- What an optimizer answers: one plan, the best plan, clusters, the frontier, sweeps.
local dtsim = require "dtsim"
local reference = require "spec.reference"

local h100 = dtsim.systems.h100
local optimizer = dtsim.optimizer{gpu = h100.gpu, network = h100.network}
local paper = optimizer:with{search = "paper"}
local model = dtsim.model{d_model = 2048, layers = 24, batch = 256}

describe("an optimizer", function()
    it("has defaults", function()
        assert.same({tp = true, pp = true, dp = false}, optimizer.overlap)
        assert.same({"interleaved", "zero_bubble"}, optimizer.schedules)
        assert.equal("wide", optimizer.search)
        assert.equal("exposed", optimizer.zero_bubble_latency)
        assert.equal("hidden", paper.zero_bubble_latency) -- as in the paper's program
        assert.equal(h100.gpu, optimizer.gpu)
        assert.equal(h100.network, optimizer.network)
    end)

    it("keeps what was said of zero bubble's latency", function()
        assert.equal("exposed", paper:with{zero_bubble_latency = "exposed"}.zero_bubble_latency)
        local said = optimizer:with{zero_bubble_latency = "exposed"}
        assert.equal("exposed", said:with{search = "paper"}.zero_bubble_latency)
    end)

    it("is changed in a copy alone", function()
        local copy = optimizer:with{overlap = {dp = true}, schedules = {"zero_bubble"}}
        assert.same({tp = true, pp = true, dp = true}, copy.overlap)
        assert.same({"zero_bubble"}, copy.schedules)
        assert.are_not.equal(optimizer, copy)
        assert.equal(optimizer,
            copy:with{overlap = {dp = false}, schedules = {"zero_bubble", "interleaved"}})
        local overlap = optimizer.overlap
        overlap.dp = true
        assert.is_false(optimizer.overlap.dp)
    end)

    it("lists its fields in their declared order, and is one line as a text", function()
        local names = {}
        for name in pairs(optimizer) do names[#names + 1] = name end
        assert.same({"gpu", "network", "overlap", "search", "schedules", "zero_bubble_latency",
            "threads"}, names)
        assert.equal("optimizer: paper search for H100 SXM on "
            .. "network: 8 x (900 GB/s, 1.13 us), then 100 GB/s, 1.13 us", tostring(paper))
    end)
end)

describe("evaluate", function()
    it("tells GPUs, time, utilization, memory and parts of the time", function()
        local plan = {dp = 2, tp_model = 2, tp_ff = 2, pp = 2, microbatches = 8, interleave = 3,
                      levels = {dp = {1, 2}, tp_model = {2, 1}, tp_ff = {2, 1}, pp = {2, 1}}}
        local result = optimizer:evaluate(model, plan)
        assert.equal(16, result.n_gpus)
        local peak_s = model.training_flop / (16 * h100.gpu.peak)
        assert.is_true(math.abs(result.utilization * result.time / peak_s - 1) < 1e-12)
        assert.equal(2 * model.params * (2 + 4) / 16, result.memory) -- 2 bytes, DP + optimizer's 4
        assert.is_true(result.fits)
        assert.is_nil(result.cost)
        assert.equal(model, result.model)
        assert.is_true(optimizer:evaluate(model, result.plan) == result)
    end)

    it("cuts the time into parts that add up", function()
        for _, overlap in ipairs{{dp = true}, {tp = false}, {pp = false}, {}} do
            local o = optimizer:with{overlap = overlap}
            for _, zero_bubble in ipairs{false, true} do
                local result = o:evaluate(model, {dp = 4, tp_ff = 2, pp = 4, microbatches = 16,
                                                  zero_bubble = zero_bubble})
                local sum = 0
                for _, seconds in pairs(result.exposed) do sum = sum + seconds end
                assert.is_true(math.abs(sum / result.time - 1) < 1e-12)
            end
        end
    end)

    it("knows cost and energy where price and power are given", function()
        local gpu = h100.gpu:with{price = "$30 k", power = "700 W", idle_power = "100 W"}
        local result = optimizer:with{gpu = gpu}:evaluate(model, {dp = 8})
        assert.equal(8 * 30000, result.cost)
        local compute = result.breakdown.compute
        local joules = 8 * (700 * compute + 100 * (result.time - compute))
        assert.is_true(math.abs(result.energy / joules - 1) < 1e-12)
        result = optimizer:with{gpu = h100.gpu:with{power = 700}}:evaluate(model, {dp = 8})
        assert.is_true(math.abs(result.energy / (8 * 700 * result.time) - 1) < 1e-12)
    end)

    it("chooses the best layout where none is given", function()
        local plan = {dp = 4, tp_model = 2, tp_ff = 2, pp = 2, microbatches = 8}
        local best = optimizer:evaluate(model, plan)
        local again = optimizer:evaluate(model, best.plan)
        assert.equal(best.time, again.time)
        for _, dp in ipairs{1, 2, 4} do
            for _, tp_model in ipairs{1, 2} do
                for _, tp_ff in ipairs{1, 2} do
                    local pp = 8 // (dp * tp_model * tp_ff)
                    if pp == 1 or pp == 2 then
                        plan.levels = {
                            dp = {dp, 4 // dp}, tp_model = {tp_model, 2 // tp_model},
                            tp_ff = {tp_ff, 2 // tp_ff}, pp = {pp, 2 // pp}, ep = {1, 1},
                        }
                        assert.is_true(best.time <= optimizer:evaluate(model, plan).time)
                    end
                end
            end
        end
    end)

    it("lets levels be filled in part if asked for", function()
        local plan = {dp = 16, levels = {dp = {4, 4}}}
        assert.has_error(function() optimizer:evaluate(model, plan) end)
        local partly = optimizer:evaluate(model, plan, {partial_levels = true})
        assert.equal(partly, optimizer:evaluate(model, plan, {check_levels = false}))
        plan.levels.dp = {16, 1}
        assert.has_error(function() optimizer:evaluate(model, plan, {partial_levels = true}) end)
        assert.equal(16, optimizer:evaluate(model, plan, {check_levels = false}).n_gpus)
    end)
end)

describe("plan", function()
    it("finds the fastest plan, which evaluates to the same", function()
        local result = optimizer:plan(model, 64)
        assert.equal(64, result.n_gpus)
        assert.equal(result, optimizer:evaluate(model, result.plan))
        assert.is_true(result.search.proved)
        assert.is_true(result.search.considered >= 1)
    end)

    it("answers nil and the reason where there is none", function()
        local result, reason = optimizer:plan(model, 7 * 8)
        assert.is_nil(result)
        assert.equal("n_gpus must split into legal degrees that fill the network levels", reason)
        result, reason = optimizer:with{gpu = h100.gpu:with{memory = "1 MB"}}:plan(model, 8)
        assert.is_nil(result)
        assert.truthy(reason:find "must fit the GPUs' memory$")
        result, reason = optimizer:plan(model, 8, {duration = "1 s"})
        assert.is_nil(result)
        assert.truthy(reason:find "must finish before the deadline$")
    end)

    it("gives the best few in order", function()
        local plans = optimizer:plans(model, 64, {top = 5})
        assert.equal(5, #plans)
        assert.equal(optimizer:plan(model, 64), plans[1])
        for i = 2, 5 do
            assert.is_true(plans[i - 1].time <= plans[i].time)
            assert.are_not.equal(plans[i - 1].plan, plans[i].plan)
        end
    end)

    it("does not depend on threads or pruning", function()
        local result = optimizer:plan(model, 64)
        assert.equal(result, optimizer:with{threads = 2}:plan(model, 64))
        assert.equal(result, optimizer:plan(model, 64, {prune = false}))
    end)

    it("keeps within limits", function()
        local result = optimizer:plan(model, 64, {max_degree = {pp = 1}, inside_level = {tp = 1}})
        assert.equal(1, result.plan.pp)
        assert.equal(1, result.plan.levels.tp_ff[2] * result.plan.levels.tp_model[2])
        assert.equal(8, optimizer:plan(model, 64, {degree = {dp = 8}}).plan.dp)
    end)
end)

describe("cluster", function()
    it("of the paper is the least sparsity * 2^i in time", function()
        local result = paper:cluster(model, {duration = "1 day"})
        assert.is_true(result.time < 86400)
        local half = paper:plan(model, result.n_gpus // 2)
        assert.is_true(not half or half.time >= 86400)
    end)

    it("is in time and within limits", function()
        for _, objective in ipairs{"utilization", "time", "gpus"} do
            local result = optimizer:cluster(model, {duration = "1 day", objective = objective,
                                                     min_gpus = 8, max_gpus = 256})
            assert.is_true(result.time < 86400)
            assert.is_true(result.n_gpus >= 8 and result.n_gpus <= 256)
        end
    end)

    it("answers nil and the reason where there is none", function()
        local result, reason = paper:cluster(model, {duration = "1 us"})
        assert.is_nil(result)
        assert.truthy(reason:find "must finish before the deadline$")
    end)
end)

describe("frontier", function()
    it("is a list in which more GPUs take less time", function()
        local list = optimizer:frontier(model, {max_gpus = 64})
        assert.is_true(#list >= 2)
        for i = 2, #list do
            assert.is_true(list[i].n_gpus > list[i - 1].n_gpus)
            assert.is_true(list[i].time < list[i - 1].time)
        end
    end)
end)

describe("sweep", function()
    it("is the cluster for each width", function()
        local widths = {12288, 24576}
        local sweep = paper:sweep{d_model = widths, duration = "2 months"}
        assert.equal(2, #sweep)
        for i, width in ipairs(widths) do
            local one = dtsim.laws.paper_dense:model(width)
            assert.equal(one, sweep[i].model)
            assert.equal(paper:cluster(one, {duration = "2 months"}), sweep[i])
        end
    end)

    it("has the paper's widths, laws and three months where nothing is said", function()
        local sweep = paper:sweep()
        assert.equal(12288, sweep[1].model.d_model)
        assert.equal(dtsim.laws.paper_dense, sweep.settings.laws)
        assert.equal(3 * 365.25 * 86400 / 12, sweep.settings.duration_s)
        assert.equal(paper, sweep.settings.optimizer)
    end)

    it("takes a width of the feed-forward part, as a number or a function", function()
        local sweep = paper:sweep{d_model = 12288, d_ff = 12288}
        assert.equal(12288, sweep[1].model.d_ff)
        sweep = paper:sweep{d_model = {12288, 16384}, d_ff = function(d) return 2 * d end}
        assert.equal(32768, sweep[2].model.d_ff)
    end)

    it("ends after a point below the utilization to stop at", function()
        local sweep = paper:sweep{stop_utilization = 0.3}
        assert.is_true(#sweep > 1 and sweep[#sweep].utilization < 0.3)
        for i = 1, #sweep - 1 do assert.is_true(sweep[i].utilization >= 0.3) end
    end)

    it("ends where no cluster serves, and says why", function()
        local set = dtsim.laws{batch = function() return 1 end}
        local sweep = paper:sweep{laws = set, d_model = {12288, 24576}, stop_utilization = 0}
        assert.is_true(#sweep < 2)
        assert.equal("string", type(sweep.settings.end_reason))
    end)

    it("can be empty", function()
        local sweep = paper:sweep{duration = "1 s"}
        assert.equal(0, #sweep)
        assert.is_nil(sweep:largest())
        assert.is_nil(sweep:linear_scaling_end())
        assert.is_nil(sweep:nearest(1e26))
        assert.truthy(sweep.settings.end_reason:find "must finish before the deadline$")
        assert.equal("empty sweep: " .. sweep.settings.end_reason, tostring(sweep))
    end)

    it("does not depend on the number of threads", function()
        local expected = reference.sweep "h100_dense"
        local options = reference.sweep_options(expected)
        local one, three = paper:with{threads = 1}:sweep(options), paper:with{threads = 3}
        three = three:sweep(options)
        assert.equal(#expected.points, #one)
        assert.equal(#one, #three)
        for i = 1, #one do assert.equal(one[i], three[i]) end
    end)
end)
