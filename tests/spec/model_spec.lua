-- Models: sizes, tokens, FLOP, immutability.
local dtsim = require "dtsim"

local model = dtsim.model{d_model = 1000, layers = 10, batch = 8}

describe("a model", function()
    it("counts parameters, tokens and FLOP", function()
        assert.equal(4000, model.d_ff)
        assert.equal(2 * 1000 * 4000 * 10, model.params)
        assert.equal(model.params, model.active_params)
        assert.equal(20 * model.params, model.tokens)
        assert.equal(6 * model.params * model.tokens, model.training_flop)
        assert.equal(8 * 2048, model.batch_tokens)
    end)

    it("trains one expert in `sparsity` per token", function()
        local sparse = model:with{sparsity = 4}
        assert.equal(4 * model.params, sparse.params)
        assert.equal(model.params, sparse.active_params)
        assert.equal(6 * model.params * 20 * sparse.params, sparse.training_flop)
    end)

    it("takes other tokens, widths and lengths", function()
        local other = model:with{tokens = "300 G", d_ff = 1000, seq_len = 1}
        assert.equal(300e9, other.tokens)
        assert.equal(2e7, other.params)
        assert.equal(6 * 2e7 * 300e9, other.training_flop)
        assert.equal(8, other.batch_tokens)
    end)

    it("goes on with its default of tokens when it grows", function()
        assert.equal(20 * 2 * model.params, model:with{layers = 20}.tokens)
    end)

    it("may have more parameters than an integer holds", function()
        local huge = dtsim.model{d_model = 2 ^ 31, layers = 2 ^ 20, batch = 1}
        assert.equal(2.0 * 2.0 ^ 31 * 2.0 ^ 33 * 2.0 ^ 20, huge.params)
    end)

    it("is changed in a copy alone", function()
        local copy = model:with{layers = "20"}
        assert.equal(20, copy.layers)
        assert.equal(10, model.layers)
        assert.are_not.equal(model, copy)
        assert.equal(model, copy:with{layers = 10})
    end)

    it("has counts that are integers", function()
        local floats = dtsim.model{d_model = 8.0, layers = 1, batch = 1}
        assert.equal("integer", math.type(floats.d_model))
    end)

    it("lists its fields in their declared order", function()
        local names = {}
        for name in pairs(model) do names[#names + 1] = name end
        assert.same({"tokens", "d_model", "d_ff", "layers", "sparsity", "seq_len", "batch",
            "params", "active_params", "training_flop", "batch_tokens"}, names)
    end)

    it("is one line as a text", function()
        assert.equal("model: d_model 1000, d_ff 4000, 10 layers, sparsity 1, 80 M parameters, "
            .. "768 PFLOP", tostring(model))
    end)
end)
