-- Completion, without a terminal.
local complete = require "dtsim.complete"

-- What may follow a text, as one line; and the word that it replaces.
local function completions(text)
    local names, from = complete.at(text)
    local line = type(names) == "table" and table.concat(names, " ") or names
    line = line:gsub("=  ", "= "):gsub("= $", "=")
    return line, text:sub(from)
end

describe("completion", function()
    local saved = {}
    before_each(function()
        for name, value in pairs(_G) do saved[name] = value end
        _G.card = dtsim.gpus.v100
        _G.opt = dtsim.optimizer{gpu = dtsim.gpus.v100, network = dtsim.networks.v100}
        _G.mine = {alpha = 1, beta = {gamma = print}, ["no name"] = 2, [1] = 3}
    end)
    after_each(function() _G.card, _G.opt, _G.mine = saved.card, saved.opt, saved.mine end)

    it("offers globals and keywords", function()
        assert.equal("dtsim", (completions "dts"))
        assert.equal("while", (completions "x = 1 whi"))
        assert.same({"card", "car"}, {completions "print(car"})
        assert.equal("", (completions "nothing_of_that_name"))
    end)

    it("offers the parts of the library and what is in them", function()
        assert.equal("gpu gpus", (completions "dtsim.gp"))
        assert.same({"parse", "pa"}, {completions "x = dtsim.units.pa"})
        assert.equal("paper_batch paper_dense paper_layers paper_sparse paper_sparsity",
                     (completions "dtsim.laws.paper"))
    end)

    it("offers the names of catalogs", function()
        local names, word = completions "dtsim.gpus."
        assert.equal("", word)
        for name in pairs(dtsim.gpus) do assert.truthy((" " .. names .. " "):find(name)) end
        assert.equal("v100", (completions "dtsim.networks.v"))
        assert.equal("gpu name network", (completions "dtsim.systems.h100."))
    end)

    it("offers fields behind a point and methods behind a colon", function()
        assert.equal("memory memory_bandwidth", (completions "card.mem"))
        assert.equal("assumed matmul matmul_time with", (completions "card:"))
        assert.equal("", (completions "card.matmul_t"))
        assert.equal("clock", (completions "opt.gpu.cl"))
        assert.equal("model plot with", (completions "dtsim.laws.paper_dense:"))
        assert.equal("rep reverse", (completions "_VERSION:re"))
    end)

    it("offers what is in tables of one's own, without calling anything", function()
        assert.equal("alpha beta", (completions "mine."))
        assert.equal("gamma", (completions "mine.beta:"))
        local touched = false
        _G.mine = setmetatable({}, {__index = function() touched = true end})
        assert.equal("", (completions "mine.x."))
        assert.equal("", (completions "mine."))
        assert.falsy(touched)
        _G.mine = setmetatable({}, {__index = {lent = 1}})
        assert.equal("lent", (completions "mine."))
    end)

    it("offers fields inside the braces of a constructor, not twice", function()
        assert.equal("memory = memory_bandwidth =", (completions "dtsim.gpu{ mem"))
        assert.equal("memory_bandwidth =",
                     (completions "x = dtsim.gpu{ memory = '5 GB', mem"))
        assert.equal("memory_bandwidth =", (completions "dtsim.gpu {\n  memory = 5,\n  mem"))
        assert.falsy((completions "dtsim.gpu{ "):find "sustained")
        assert.equal("d_ff = d_model =", (completions "dtsim.model{ d_"))
        assert.equal("search =", (completions "dtsim.optimizer{ gpu = card, se"))
        assert.equal("bandwidth = latency = name = size =", (completions "dtsim.network{ { "))
        assert.equal("batch =", (completions "dtsim.laws{ ba"))
        assert.equal("system =", (completions "dtsim.study{ title = 'x', { sy"))
    end)

    it("offers a value behind an equals sign", function()
        assert.same({"card", "car"}, {completions "dtsim.optimizer{ gpu = car"})
    end)

    it("offers what methods take", function()
        assert.equal("clock =", (completions "card:with{ cl"))
        assert.equal("d_ff = d_model = degree = duration =", (completions "opt:sweep{ d"))
        assert.equal("max_degree = max_gpus =", (completions "opt:cluster(model, { max"))
        assert.equal("max_degree = max_gpus =", (completions "opt:plan(model, 8, { max"))
        assert.equal("tp_ff = tp_model =", (completions "opt:evaluate(model, { tp"))
    end)

    it("says where a file's name is due", function()
        assert.same({"file", "scen"}, {completions 'io.open("scen'})
        assert.same({"file", "it\\'s/"}, {completions "open 'it\\'s/"})
        assert.equal("dtsim", (completions 'print("text", dts'))
    end)

    it("offers nothing in comments, long texts and numbers, nor behind an unknown value",
       function()
        for _, text in ipairs{"-- dts", "--[[ dts", "x = [[ dts", "3.", "unknown.x", "f().x",
                              "('x'):re", "x = [==[ ]] dts"} do
            assert.equal("", (completions(text)), text)
        end
        assert.equal("dtsim", (completions "-- one\ndts"))
        assert.equal("dtsim", (completions "x = [==[ ]==] .. dts"))
    end)
end)
