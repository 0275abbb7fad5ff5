local program = require "cli.program"

local function study()
    return dtsim.study{search = "paper", {name = "H", system = "h100"},
                       {name = "V", system = "v100"}}
end

local function fails(message, f, ...)
    local ok, got = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(got:find(message, 1, true), got)
end

-- The metric "largest" of a changed H100, by hand.
local function largest(changes, laws)
    local h100 = dtsim.systems.h100
    local optimizer = dtsim.optimizer{gpu = changes.gpu or h100.gpu, search = "paper",
                                      network = changes.network or h100.network}
    local point = optimizer:sweep{laws = laws, duration = changes.duration}:largest()
    return point and point.model.training_flop or 0
end

describe("a tornado", function()
    it("has each parameter divided and multiplied", function()
        local gpu, network = dtsim.gpus.h100, dtsim.networks.h100
        local answer = study():tornado{metric = "largest", by = 4, factors = {
            "flop_rate", "memory_bandwidth", "cluster.bandwidth", "2.latency", "node.size",
            "duration", "batch_law"}}
        local rows = {}
        for _, row in ipairs(answer.factors) do rows[row.name] = row end
        assert.equal(largest{}, answer.base)
        assert.equal(largest{gpu = gpu:with{flop_per_clock_per_thread = {[16] = 8}}},
            rows.flop_rate.less)
        assert.equal(largest{gpu = gpu:with{memory_bandwidth = 4 * 3352e9}},
            rows.memory_bandwidth.more)
        assert.equal(largest{network = network:with{[2] = {bandwidth = 25e9}}},
            rows["cluster.bandwidth"].less)
        assert.equal(largest{network = network:with{[2] = {latency = 4.5e-6}}},
            rows["2.latency"].more)
        assert.equal(largest{network = network:with{[1] = {size = 32}}}, rows["node.size"].more)
        assert.equal(largest{duration = "12 months"}, rows.duration.more)
        local laws = dtsim.laws
        assert.equal(largest({}, laws{batch = function(...) return 4 * laws.paper_batch(...) end}),
            rows.batch_law.more)
        assert.equal("100 GB/s", rows["cluster.bandwidth"].text)
    end)

    it("has the largest effect first", function()
        local answer, last = study():tornado{metric = "largest"}, math.huge
        for _, row in ipairs(answer.factors) do
            local low, high = math.min(row.less, row.more), math.max(row.less, row.more)
            local swing = low == high and 1 or low > 0 and high / low or math.huge
            assert.is_true(swing <= last)
            last = swing
        end
        assert.equal(11, #answer.factors)
    end)

    it("takes a configuration, a share and any metric", function()
        local answer = study():tornado{configuration = "V", share = 0.5, factors = {"memory"},
                                       metric = "linear_scaling_end"}
        local expected = study():sweep("V"):linear_scaling_end(0.5).model.training_flop
        assert.equal(expected, answer.base)
        assert.equal("first point at or below 50 % of the sustained maximum, FLOP", answer.metric)
        answer = study():tornado{metric = function(sweep) return #sweep end, factors = {"memory"}}
        assert.equal(31, answer.base)
        local limits = dtsim.optimizer{gpu = dtsim.gpus.h100, network = dtsim.networks.h100,
                                       search = "paper"}:limits{}
        answer = study():tornado{metric = "last_above", factors = {"memory"}}
        assert.equal(limits.last_above.training_flop, answer.base)
    end)

    it("says what is wrong", function()
        local some = study()
        fails("study:tornado has no option 'factor'; did you mean 'factors'?", some.tornado, some,
            {factor = {}})
        fails("no parameter 'memry'; did you mean 'memory'? (there are flop_rate, sms",
            some.tornado, some, {factors = {"memry"}})
        fails("no parameter 'cluster.size'", some.tornado, some,
            {factors = {"cluster.size"}})
        fails("by must be a number above 1, got 1", some.tornado, some, {by = 1})
        fails("no metric 'larges'; did you mean 'largest'?", some.tornado, some,
            {metric = "larges"})
        fails("no configuration 'X'", some.tornado, some, {configuration = "X"})
        fails("share must be above 0 and below 1", some.tornado, some, {share = 2})
    end)
end)

describe("a grid", function()
    it("has the limit of each pair", function()
        local answer = study():grid{metric = "largest", x = {"node.size", 8, 16},
                                    y = {"cluster.bandwidth", "50 GB/s", 100e9}}
        local network = dtsim.networks.h100
        for j, bandwidth in ipairs{50e9, 100e9} do
            for i, size in ipairs{8, 16} do
                assert.equal(largest{network = network:with{[1] = {size = size},
                                                            [2] = {bandwidth = bandwidth}}},
                    answer.values[j][i])
            end
        end
        assert.same({"50 GB/s", "100 GB/s"}, answer.y.texts)
    end)

    it("says what is wrong", function()
        local some = study()
        fails("y must be a parameter with its values", some.grid, some, {x = {"memory", 1e9}})
        fails("cluster.bandwidth: \"5 us\" is time, but bandwidth", some.grid, some,
            {x = {"cluster.bandwidth", "5 us"}, y = {"memory", "80 GB"}})
    end)
end)

describe("a Monte Carlo study", function()
    local ask = {metric = "largest", n = 12, seed = 3, parameters = {
        ["cluster.bandwidth"] = {"50 GB/s", "200 GB/s"},
        matmul_latency = {distribution = "triangular", from = "3 us", mode = "4.5 us", to = "9 us"},
        memory_bandwidth = {distribution = "uniform", from = "2 TB/s", to = "4 TB/s"},
        batch_law = {distribution = "log_normal", median = 1, factor = 1.5},
    }}

    it("is the same for the same seed at any number of threads", function()
        local one = study():change_all{threads = 1}:monte_carlo(ask)
        local three = study():change_all{threads = 3}:monte_carlo(ask)
        assert.equal(12, #one.samples)
        for i = 1, 12 do assert.same(one.samples[i], three.samples[i]) end
        local other = {seed = 4}
        for key, value in pairs(ask) do other[key] = other[key] or value end
        assert.not_same(one.samples[1].values, study():monte_carlo(other).samples[1].values)
    end)

    it("draws from the ranges", function()
        for _, sample in ipairs(study():monte_carlo(ask).samples) do
            local values = sample.values
            assert.is_true(values["cluster.bandwidth"] >= 50e9
                and values["cluster.bandwidth"] <= 200e9)
            assert.is_true(values.matmul_latency >= 3e-6 and values.matmul_latency <= 9e-6)
            assert.is_true(values.memory_bandwidth >= 2e12 and values.memory_bandwidth <= 4e12)
        end
    end)

    -- Moments of the distributions, by their textbook formulas.
    it("draws with the right means", function()
        local few = dtsim.study{search = "paper", d_model = {12288}, {name = "H", system = "h100"}}
        local function mean_of(distribution, n)
            local sum = 0
            local answer = few:monte_carlo{n = n, metric = function() return 1 end,
                                           parameters = {memory = distribution}}
            for _, sample in ipairs(answer.samples) do
                sum = sum + math.log(sample.values.memory)
            end
            return sum / n
        end
        assert.is_true(math.abs(mean_of({1, math.exp(2)}, 2000) - 1) < 0.05)
        assert.is_true(math.abs(mean_of({distribution = "log_normal", median = math.exp(3),
                                         factor = 2}, 2000) - 3) < 0.06)
    end)

    it("gives percentiles and the mean", function()
        -- A metric that is each sample's duration in years: uniform from 1 to 3.
        local answer = study():only(1):change(1, {d_model = {12288}}):monte_carlo{
            n = 400, parameters = {duration = {distribution = "uniform", "1 year", "3 years"}},
            metric = function(sweep)
                return sweep.settings.duration_s / dtsim.units.parse "1 year"
            end}
        for i, expected in ipairs{1.1, 1.5, 2, 2.5, 2.9} do
            assert.is_true(math.abs(answer.percentiles[i].value - expected) < 0.12)
        end
        assert.is_true(math.abs(answer.mean - 2) < 0.1)
    end)

    it("says what is wrong", function()
        local some = study()
        local function ask_for(parameters) some:monte_carlo{parameters = parameters, n = 1} end
        fails("parameters must be a table", some.monte_carlo, some, {})
        fails("n must be a whole number from 1", some.monte_carlo, some, {n = 0, parameters = {}})
        fails("from must be below to", ask_for, {memory = {2, 1}})
        fails("no distribution 'nrmal'", ask_for, {memory = {distribution = "nrmal"}})
        fails("a triangular distribution needs from, mode, to", ask_for,
            {memory = {distribution = "triangular", from = 1, to = 2}})
        fails("mode must lie between from and to", ask_for,
            {memory = {distribution = "triangular", from = 1, to = 2, mode = 3}})
        fails("memory must be a range", ask_for, {memory = 1})
    end)
end)

describe("an answer about sensitivity", function()
    it("is a table, a picture and a file", function()
        local folder, some = program.folder(), study()
        local answers = {
            some:tornado{factors = {"memory", "matmul_latency"}},
            some:grid{x = {"memory", "40 GB", "80 GB"}, y = {"matmul_latency", "1 us"}},
            some:monte_carlo{n = 3, parameters = {memory = {"1 GB", "80 GB"}}},
        }
        for _, answer in ipairs(answers) do
            assert.truthy(tostring(answer):find("^H: "))
            for _, ending in ipairs{"json", "csv", "md"} do
                assert.is_true(answer:save(folder .. "/x." .. ending))
            end
            assert.equal(1, dtsim.json.decode(program.read(folder .. "/x.json")).version)
            assert.is_true(answer:plot(folder .. "/x.svg"))
        end
        fails("must end in .json, .csv or .md", answers[1].save, answers[1], "x.txt")
        program.remove(folder)
    end)
end)
