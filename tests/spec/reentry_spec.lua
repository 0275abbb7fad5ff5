-- The library called again while it is at work: by a global require of the user's, which the
-- library calls, and by metamethods. What the first call holds must not be lost.

local SYSTEM = dtsim.systems.h100
local optimizer = dtsim.optimizer{gpu = SYSTEM.gpu, network = SYSTEM.network}
local model = dtsim.model{d_model = 1024, layers = 24, batch = 256}

local function multiples_of_8(count)
    local list = {}
    for i = 1, count do list[i] = 8 * i end
    return list
end

-- A search of another list of clusters, and garbage.
local function disturb()
    optimizer:cluster(model, {gpus_in = {8}})
    collectgarbage()
    for _ = 1, 300 do assert(multiples_of_8(20)) end
end

describe("a search that is asked for while another reads its options", function()
    it("leaves the first one's list of clusters alone", function()
        local real, inside = require, false
        _G.require = function(name)
            if not inside then
                inside = true
                disturb()
                inside = false
            end
            return real(name)
        end
        local ok, fault = pcall(function()
            for _ = 1, 20 do
                local best = optimizer:cluster(model,
                    {duration = "3 months", gpus_in = multiples_of_8(500), min_gpus = "16"})
                assert.equal(16, best.n_gpus)
            end
        end)
        _G.require = real
        assert.is_true(ok, fault)
    end)

    it("by a list's own metamethods does no harm either", function()
        local list = multiples_of_8(100)
        local length = 100
        local strange = setmetatable({}, {
            __len = function()
                disturb()
                length = length + 1000000
                return length - 1000000
            end,
            __index = function(_, i)
                disturb()
                return list[i] or 8
            end,
        })
        assert.equal(8, optimizer:cluster(model, {duration = "3 months", gpus_in = strange}).n_gpus)
    end)
end)
