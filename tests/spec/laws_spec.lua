-- Laws: the user's own, what may come back, and when they run.
local dtsim = require "dtsim"

local laws = dtsim.laws
local h100 = dtsim.systems.h100
local optimizer = dtsim.optimizer{gpu = h100.gpu, network = h100.network, search = "paper"}

-- The error of a call, with the line of this file.
local function error_of(f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    return message
end

describe("laws", function()
    it("make a model of a width", function()
        local model = laws.paper_dense:model(12288)
        -- arXiv 2411.01137: near(0.10056 * (4 * 12288^2)^0.3751) = 192 layers
        assert.same({12288, 49152, 192, 1, 2048},
            {model.d_model, model.d_ff, model.layers, model.sparsity, model.seq_len})
        assert.equal(model:with{tokens = 20 * model.params}, model)
        assert.equal(8, laws.paper_sparse:model(12288).sparsity)
    end)

    it("take another width of the feed-forward part and another length", function()
        local model = laws.paper_dense:model(4096, 4096, 1024)
        assert.same({4096, 4096, 1024}, {model.d_model, model.d_ff, model.seq_len})
        assert.equal(4096, laws.constant_batch:model(4096, nil, 1024).batch)
    end)

    it("may be the user's own", function()
        local seen = {}
        local set = laws{
            layers = function(d_model, d_ff)
                seen.layers = {d_model, d_ff}
                return 10
            end,
            sparsity = function(...)
                seen.sparsity = {...}
                return 2
            end,
            batch = function(...)
                seen.batch = {...}
                return 100.0
            end,
            dataset = function(...)
                seen.dataset = {...}
                return 0.5 * 1e9
            end,
        }
        local model = set:model(1000)
        assert.same({10, 2, 100, 5e8}, {model.layers, model.sparsity, model.batch, model.tokens})
        assert.same({1000, 4000}, seen.layers)
        assert.same({1000, 4000}, seen.sparsity)
        assert.same({2 * 1000 * 4000 * 10 * 2}, seen.dataset)
        assert.same({6 * 8e7 * 5e8, 2048, 2}, seen.batch)
    end)

    it("run once per width, before the search", function()
        local calls = {}
        local function counted(name, value)
            return function(width)
                calls[#calls + 1] = name
                return name == "dataset" and 20 * width or value
            end
        end
        local set = laws{layers = counted("layers", 96), sparsity = counted("sparsity", 1),
                         batch = counted("batch", 2048), dataset = counted "dataset"}
        local sweep = optimizer:sweep{d_model = {12288, 16384, 20480}, laws = set}
        assert.equal(3, #sweep)
        local one = {"layers", "sparsity", "dataset", "batch"}
        local expected = {}
        for _ = 1, 3 do table.move(one, 1, 4, #expected + 1, expected) end
        assert.same(expected, calls)
    end)
end)

describe("a law's result", function()
    local function check(law, value, got)
        local set = laws{[law] = function() return value end}
        local calls = {
            layers = "law layers(d_model = 12288, d_ff = 49152)",
            sparsity = "law sparsity(d_model = 12288, d_ff = 49152)",
            batch = "law batch(compute = 6.4548846862724e+24, seq_len = 2048, sparsity = 1)",
            dataset = "law dataset(params = 231928233984)",
        }
        local due = law == "dataset" and "a finite number above 0"
            or "a whole number from 1 to 2^62"
        local message = ("%s must return %s, got %s"):format(calls[law], due, got)
        local function ask() return (optimizer:sweep{d_model = 12288, laws = set}) end
        local line = debug.getinfo(ask, "S").linedefined
        local text = error_of(ask)
        assert.truthy(text:find(("laws_spec.lua:%d: "):format(line), 1, true), text)
        assert.equal(message, text:match ":%d+: (.*)$")
        text = error_of(function() return (set:model(12288)) end)
        assert.equal(message, text:match ":%d+: (.*)$")
    end

    for _, law in ipairs{"layers", "sparsity", "batch", "dataset"} do
        it("must be a number above 0: " .. law, function()
            check(law, nil, "nil")
            check(law, "many", '"many"')
            check(law, {}, "a table")
            check(law, true, "true")
            check(law, 0 / 0, "nan")
            check(law, math.huge, "inf")
            check(law, 0, "0")
            check(law, -3, "-3")
        end)
    end

    it("must be whole where a count is due", function()
        for _, law in ipairs{"layers", "sparsity", "batch"} do
            check(law, 1.5, "1.5")
            check(law, 2.0 ^ 63, "9.2233720368548e+18")
        end
        assert.equal(1.5, laws{dataset = function() return 1.5 end}:model(4096).tokens)
    end)

    it("may be an error, which comes through with its own line", function()
        local set = laws{batch = function(compute) error(("no batch for %g"):format(compute)) end}
        local line = debug.getinfo(set.batch, "S").linedefined
        local text = error_of(function() return optimizer:sweep{d_model = 12288, laws = set} end)
        assert.equal(("tests/spec/laws_spec.lua:%d: no batch for 6.45488e+24"):format(line),
            (text:gsub("^%./", "")))
        local object = {}
        set = laws{batch = function() error(object) end}
        assert.equal(object, error_of(optimizer.sweep, optimizer, {d_model = 12288, laws = set}))
    end)
end)

describe("a set of laws", function()
    it("is known by name, its laws too", function()
        assert.equal("laws paper_dense", tostring(laws.paper_dense))
        local set = laws{name = "mine", batch = function() return 1 end}
        assert.equal("mine", set.name)
        assert.equal("custom", set.names.batch)
        assert.equal("paper_layers", set.names.layers)
        assert.equal("deepseek_batch_law", laws.deepseek_batch.names.batch)
    end)

    it("is changed in a copy alone", function()
        local copy = laws.paper_dense:with{sparsity = laws.paper_sparsity}
        assert.equal("custom", copy.name)
        assert.equal(laws.paper_dense, copy:with{name = "paper_dense", sparsity = laws.dense})
        assert.equal(laws.paper_sparse, copy:with{name = "paper_sparse"})
        assert.are_not.equal(laws.paper_dense, laws.paper_sparse)
    end)
end)

describe("near", function()
    it("is the nearest of f * 2^i, f odd below 10", function()
        local right = {[0.1] = 1, [1] = 1, [1.5] = 1, [1.51] = 2, [6.5] = 6, [7.5] = 7, [11] = 10,
                       [11.1] = 12, [13] = 12, [13.1] = 14, [15] = 14, [17] = 16, [17.1] = 18,
                       [22] = 20, [26] = 24, [1e30] = 9 * 2.0 ^ 59}
        for x, expected in pairs(right) do assert.equal(expected, laws.near(x), tostring(x)) end
    end)

    it("is the same as a search of the whole set", function()
        math.randomseed(7)
        for _ = 1, 2000 do
            local x = 2 ^ (64 * math.random() - 2)
            local best, least = nil, math.huge
            for i = 0, 59 do
                for f = 1, 9, 2 do
                    local candidate = f * 2.0 ^ i
                    local distance = math.abs(candidate - x)
                    if distance < least or distance == least and candidate < best then
                        best, least = candidate, distance
                    end
                end
            end
            assert.equal(best, laws.near(x))
        end
    end)
end)
