local suggest = require "dtsim.suggest"

describe("suggest.distance", function()
    local function check(a, b, edits)
        it(("is %d from %q to %q"):format(edits, a, b), function()
            assert.equal(edits, suggest.distance(a, b))
            assert.equal(edits, suggest.distance(b, a))
        end)
    end

    check("", "", 0)
    check("clock", "clock", 0)
    check("", "clock", 5)
    check("kitten", "sitting", 3) -- the textbook's
    check("Saturday", "Sunday", 3)
    check("memroy", "memory", 1) -- two neighbours swapped
    check("ca", "abc", 3) -- no part is edited twice; unrestricted it would be 2
    check("clokc", "clock", 1)
end)

describe("suggest.nearest", function()
    local fields = {
        "name", "bits", "sms", "memory", "memory_bandwidth", "l2_bandwidth", "clock", "utilization",
    }

    it("finds a misspelt name", function()
        assert.equal("utilization", suggest.nearest("utilisation", fields))
        assert.equal("memory", suggest.nearest("memroy", fields))
        assert.equal("memory_bandwidth", suggest.nearest("memory_bandwith", fields))
        assert.equal("sms", suggest.nearest("sm", fields))
        assert.equal("clock", suggest.nearest("clocks", fields))
    end)

    it("looks beyond case, but minds it between equals", function()
        assert.equal("memory", suggest.nearest("MEMORY", fields))
        assert.equal("Gb", suggest.nearest("gb", { "GB", "Gb" }))
        assert.equal("GB", suggest.nearest("gB", { "Gb", "GB" }))
    end)

    it("takes the first of names equally near", function()
        assert.equal("dp", suggest.nearest("xp", { "dp", "pp", "ep" }))
        assert.equal("pp", suggest.nearest("xp", { "pp", "dp", "ep" }))
    end)

    it("takes the shortest name that an abbreviation begins", function()
        assert.equal("memory", suggest.nearest("mem", fields))
        assert.equal("utilization", suggest.nearest("util", fields))
        assert.is_nil(suggest.nearest("me", fields))
    end)

    it("names nothing where nothing is near", function()
        assert.is_nil(suggest.nearest("temperature", fields))
        assert.is_nil(suggest.nearest("x", fields))
        assert.is_nil(suggest.nearest("x", { "y" }))
        assert.is_nil(suggest.nearest("", fields))
        assert.is_nil(suggest.nearest("clock", {}))
        assert.is_nil(suggest.nearest(("clock"):rep(100), fields))
    end)

    it("names nothing for what is no string", function()
        assert.is_nil(suggest.nearest(5, fields))
        assert.is_nil(suggest.nearest(nil, fields))
        assert.is_nil(suggest.nearest({}, fields))
    end)
end)
