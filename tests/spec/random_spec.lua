local random = require "dtsim.random"

describe("random", function()
    -- Published values for the seed 1234567: Rosetta Code, "Pseudo-random numbers/Splitmix64",
    -- computed with the authors' C program; unsigned there.
    it("is SplitMix64", function()
        local bits = random.bits(1234567)
        for _, expected in ipairs{"0x599ed017fb08fc85", "0x2c73f08458540fa5",
                                  "0x883ebce5a3f27c77", "0x3fbef740e9177b3f",
                                  "0xe3b8346708cb5ecd"} do
            assert.equal(expected, ("0x%016x"):format(bits()))
        end
    end)

    it("gives numbers from 0 to below 1 with the right mean and spread", function()
        local next_number, sum, squares, n = random.uniform(7), 0, 0, 20000
        for _ = 1, n do
            local u = next_number()
            assert.is_true(u >= 0 and u < 1)
            sum, squares = sum + u, squares + u * u
        end
        assert.is_true(math.abs(sum / n - 1 / 2) < 0.01)
        assert.is_true(math.abs(squares / n - 1 / 3) < 0.01)
    end)

    it("has streams that depend on seed and index alone", function()
        assert.equal(random.stream(1, 5), random.stream(1, 5))
        assert.not_equal(random.stream(1, 5), random.stream(1, 6))
        assert.not_equal(random.stream(1, 5), random.stream(2, 5))
    end)
end)
