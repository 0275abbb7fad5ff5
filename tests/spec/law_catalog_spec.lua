-- Laws: right values from their sources, formulas as laws, the catalog, and every error.
local json = require "dtsim.json"
local laws = require "dtsim.laws"
local near = require "dtsim.laws.near"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$")

describe("near", function()
    it("is the nearest of 1, 3, 5, 7, 9 times a power of two, the smaller on a tie", function()
        local set = {}
        for _, factor in ipairs{1, 3, 5, 7, 9} do
            for i = 0, 59 do set[#set + 1] = factor * 2.0 ^ i end
        end
        table.sort(set)
        local function slow(x)
            local best = set[1]
            for _, candidate in ipairs(set) do
                if math.abs(candidate - x) < math.abs(best - x) then best = candidate end
            end
            return best
        end
        math.randomseed(1)
        for _ = 1, 2000 do
            local x = 2.0 ^ (math.random() * 64 - 1)
            assert.equal(slow(x), near(x), tostring(x))
        end
        for x = 1, 200 do assert.equal(slow(x), near(x), tostring(x)) end
    end)

    it("ends at both ends of the set", function()
        assert.equal(1.0, near(0.3))
        assert.equal(1.0, near(-5))
        assert.equal(1.0, near(-math.huge))
        assert.equal(9 * 2.0 ^ 59, near(1e300))
        assert.equal(9 * 2.0 ^ 59, near(math.huge))
        assert.is_true(near(0 / 0) ~= near(0 / 0))
    end)
end)

describe("the paper's laws", function()
    local records = {}
    for line in io.lines(here .. "/../reference/scaling_laws.jsonl") do
        records[#records + 1] = json.decode(line)
    end

    it("are those of the authors' program", function()
        assert.is_true(#records > 50)
        for _, r in ipairs(records) do
            local c, seq, e = r.training_flop, r.seq_len, r.sparsity
            assert.equal(r.layers, laws.paper_layers(r.d_model, r.d_ff))
            assert.equal(e, laws.paper_sparsity(r.d_model, r.d_ff))
            assert.equal(r.batch_seqs_dense, laws.paper_batch(c, seq, 1))
            assert.equal(r.batch_seqs_sparse, laws.paper_batch(c, seq, e))
            assert.equal(r.batch_seqs_deepseek, laws.deepseek_batch_law(c, seq, 1))
        end
    end)

    it("are so as formulas too, to the bit", function()
        local sets = {}
        for _, name in ipairs{"paper_layers", "paper_sparsity", "paper_batch",
                              "deepseek_batch_law", "sqrt_data_batch_law", "constant_batch_law",
                              "hoffmann_layers", "halved_layers", "dense", "chinchilla"} do
            for i = 1, #laws.catalog do
                local row = laws.catalog[i]
                if row.name == name then sets[name] = laws{[row.law] = row.formula}[row.law] end
            end
        end
        for _, r in ipairs(records) do
            local c, seq, e = r.training_flop, r.seq_len, r.sparsity
            for name, formula in pairs(sets) do
                local arguments = name:find "batch" and {c, seq, e, 1e12 * r.layers, c}
                    or name == "chinchilla" and {c} or {r.d_model, r.d_ff}
                assert.equal(laws[name](table.unpack(arguments)) + 0.0,
                    formula(table.unpack(arguments)), name)
            end
        end
    end)
end)

describe("the catalog of laws", function()
    it("has a source, a help and a formula or parameters for each", function()
        assert.is_true(#laws.catalog >= 15)
        for i = 1, #laws.catalog do
            local row = laws.catalog[i]
            assert.is_function(laws[row.name], row.name)
            assert.is_true(#row.source > 10 and #row.help > 5, row.name)
            assert.is_true((row.formula == nil) ~= (row.parameters == nil), row.name)
        end
        assert.equal("dataset chinchilla: 20 * N", tostring(laws.catalog[14]))
        assert.equal("batch fixed_batch: fixed_batch(tokens)", tostring(laws.catalog[13]))
    end)

    it("has Hoffmann's depths", function() -- arXiv 2203.15556, tables 4 and A9
        assert.equal(80, laws.hoffmann_layers(8192, 32768))
        assert.equal(8, laws.hoffmann_layers(512, 2048))
        -- the study's 16 G model is 5120 wide and 47 deep; the line gives 54, rounded to 56
        assert.equal(56, laws.hoffmann_layers(5120, 20480))
    end)

    it("has a batch that grows with the square root of the data", function()
        assert.equal(2048, laws.sqrt_data_batch_law(0, 2048, 1, 1e12))
        assert.equal(4096, laws.sqrt_data_batch_law(0, 2048, 1, 4e12))
        assert.equal(8 * 256, laws.sqrt_data_batch_law(0, 2048, 8, 1e12))
        local one, four = laws.sqrt_data_batch:model(4096), laws.sqrt_data_batch:model(16384)
        local ratio = (four.tokens / one.tokens) ^ 0.5
        assert.is_true(math.abs(four.batch / one.batch / ratio - 1) < 0.2)
    end)

    it("has fixed batches of tokens", function()
        assert.equal(2048, laws.constant_batch_law(1e30, 2048))
        assert.equal(1000, laws.fixed_batch(4096000)(1e30, 4096, 1))
    end)

    it("has fixed and halved depths", function()
        assert.equal(100, laws{layers = laws.fixed_layers(100)}:model(12288).layers)
        assert.equal(192, laws.paper_dense:model(12288).layers)
        assert.equal(96, laws.halved_depth:model(12288).layers)
        assert.equal(112, laws.hoffmann_depth:model(12288).layers)
    end)

    it("has sparsities, also of top-k", function()
        assert.equal(8, laws.paper_sparse:model(12288).sparsity)
        assert.equal(16, laws{sparsity = laws.fixed_sparsity(16)}:model(12288).sparsity)
        local m = laws{sparsity = laws.top_k_sparsity(64, 8)}:model(12288)
        assert.equal(8, m.sparsity)
        assert.equal(m.params / 8, m.active_params)
        assert.equal(0, m.batch % 8)
    end)

    it("has data by the parameter", function()
        assert.equal(20e9, laws.chinchilla(1e9))
        local function ratio(set)
            local m = set:model(8192)
            return m.tokens / m.params
        end
        assert.equal(20, ratio(laws.paper_dense))
        assert.equal(100, ratio(laws{dataset = laws.overtrained(5)}))
        assert.equal(30, ratio(laws{dataset = laws.overtrained(1.5)}))
        assert.equal(7.5, ratio(laws{dataset = laws.tokens_per_parameter(7.5)}))
    end)

    it("refuses parameters that make no sense", function()
        local cases = {
            {"fixed_layers", {0}, "fixed_layers: layers must be a whole number above 0, got 0"},
            {"fixed_layers", {1.5}, "must be a whole number above 0, got 1.5"},
            {"fixed_layers", {}, "must be a whole number above 0, got nil"},
            {"fixed_sparsity", {"8"}, "laws.fixed_sparsity: sparsity must be a whole number"},
            {"top_k_sparsity", {64}, "laws.top_k_sparsity: k must be a whole number"},
            {"top_k_sparsity", {9, 2},
             "laws.top_k_sparsity: experts must be a multiple of k, got 9 and 2"},
            {"fixed_batch", {-1}, "laws.fixed_batch: tokens must be"},
            {"overtrained", {-1}, "laws.overtrained: factor must be a number above 0, got -1"},
            {"tokens_per_parameter", {0 / 0}, "ratio must be a number above 0, got"},
        }
        for _, case in ipairs(cases) do
            local ok, message = pcall(laws[case[1]], table.unpack(case[2]))
            assert.is_false(ok)
            assert.truthy(message:find(case[3], 1, true), message)
        end
    end)
end)

describe("a set of laws", function()
    local EXAMPLE = "sqrt(E) * 4 Mi * (C / 3e23)^(1/6) / seq"

    it("takes formulas", function()
        local set = laws{batch = EXAMPLE}
        -- rounded as the paper's law, it is the paper's law
        for _, width in ipairs(dtsim.widths.paper()) do
            assert.equal(laws.paper_dense:model(width).batch, set:model(width).batch)
            assert.equal(laws.paper_sparse:model(width).batch,
                laws.paper_sparse:with{batch = EXAMPLE}:model(width).batch)
        end
    end)

    it("leaves alone what is whole by its form", function()
        assert.equal(1000, laws{batch = "1000"}:model(4096).batch)
        assert.equal(101, laws{layers = "floor(101.5)"}:model(4096).layers)
        assert.equal(4096 // 41, laws{layers = "floor(d_model / 41)"}:model(4096).layers)
        assert.equal(96, laws{layers = "d_model / 41"}:model(4096).layers)
    end)

    it("takes names and numbers", function()
        local set = laws{layers = 33, batch = "constant_batch_law", dataset = "40 * N",
                         sparsity = "paper_sparsity"}
        local m = set:model(12288)
        assert.equal(33, m.layers)
        assert.equal(2048, m.batch)
        assert.equal(8, m.sparsity)
        assert.equal(40, m.tokens / m.params)
    end)

    it("gives the batch law the data, and the law of data the sparsity", function()
        local m = laws{batch = "D / N * 8"}:model(4096)
        assert.equal(160, m.batch)
        m = laws{sparsity = 4, dataset = "20 * N / E"}:model(4096)
        assert.equal(20 * m.active_params, m.tokens)
        m = laws{batch = function(...) return select("#", ...) end}:model(4096)
        assert.equal(3, m.batch)
    end)

    it("is saved by names and texts and comes back the same", function()
        local set = laws{name = "mine", batch = EXAMPLE, layers = laws.fixed_layers(64),
                         dataset = laws.overtrained(2.5), sparsity = laws.paper_sparsity}
        assert.same({layers = "64", sparsity = "paper_sparsity", batch = EXAMPLE,
                     dataset = "20 * 2.5 * N"}, set.names)
        local saved = {name = set.name}
        for kind, text in pairs(set.names) do saved[kind] = text end
        local back = laws(json.decode(json.encode(saved)))
        assert.same(set.names, back.names)
        assert.equal("mine", back.name)
        for _, width in ipairs{2048, 12288, 98304} do
            assert.equal(set:model(width), back:model(width))
        end
        assert.equal(EXAMPLE, set:with{layers = 2}.names.batch)
        assert.equal("custom", laws{batch = function() return 1 end}.names.batch)
    end)

    it("stands in a saved sweep by its formulas", function()
        local s = dtsim.systems.h100
        local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "paper"}
        local plain = o:sweep{d_model = {12288}, laws = laws{batch = EXAMPLE}}:plain()
        assert.equal(EXAMPLE, plain.laws.batch)
        assert.equal("paper_layers", plain.laws.layers)
    end)

    it("is a figure of its laws over compute", function()
        local figure = require "dtsim.plot.laws".figure(laws.paper_sparse, {12288, 24576}, 4096)
        assert.equal("Laws paper_sparse", figure.title)
        local labels = {}
        for i, panel in ipairs(figure.panels) do
            labels[i] = panel.y.label
            local points = panel.marks[1].points
            assert.equal(2, #points)
            local model = laws.paper_sparse:model(24576, nil, 4096)
            local due = ({model.layers, model.sparsity, model.batch_tokens, model.tokens})[i]
            assert.equal(model.training_flop, points[2][1])
            assert.equal(due, points[2][2])
        end
        assert.same({"layers", "sparsity", "batch, tokens", "data, tokens"}, labels)
        assert.error_matches(function() laws.paper_dense:plot("x.svg", 3) end,
            "laws:plot: options must be a table, got 3")
        assert.error_matches(function() laws.paper_dense:plot("x.svg", {d_model = {}}) end,
            "laws:plot: d_model must be a list of widths, got a table")
    end)

    it("is drawn where there is a plot", function()
        if not package.searchers[2]("dtsim.plot") or not pcall(require, "dtsim.plot") then
            pending "this library draws no plots"
            return
        end
        local path = os.tmpname() .. ".svg"
        assert.is_true(laws.paper_dense:plot(path, {d_model = {12288, 24576}, title = "T"}))
        local file = assert(io.open(path))
        assert.matches("<svg", file:read "a")
        file:close()
        os.remove(path)
    end)

    it("refuses what is no law", function()
        local function refused(given, message)
            local ok, got = pcall(laws.new, given)
            assert.is_false(ok)
            assert.truthy(got:find(message, 1, true), got)
        end
        refused(nil, "laws must be given as a table such as { batch = f }, got nil")
        refused({bath = 1}, "laws has no law 'bath'; did you mean 'batch'?")
        refused({name = 1}, "laws: name must be a text, got 1")
        refused({batch = {}}, "laws: batch must be a function of (compute, seq_len, sparsity), "
            .. "a formula or the name of a law, got a table")
        refused({batch = "chinchilla"}, "laws: batch: chinchilla is a law of dataset")
        refused({batch = "custom"}, "laws: batch: 'custom' stands for a Lua function that was not "
            .. "saved; give it again")
        refused({batch = "sqr(E)"}, "laws: batch: column 1: unknown function 'sqr'; did you mean "
            .. "'sqrt'?\n    sqr(E)\n    ^")
        refused({layers = "E"}, "laws: layers: column 1: unknown name 'E'")
        refused({layers = true}, "a formula or the name of a law, got true")
        refused({layers = 0 / 0}, "a formula or the name of a law, got ")
    end)

    it("refuses values that are no counts, naming the law", function()
        assert.error_matches(function() laws{batch = "0 - E"}:model(4096) end,
            "law batch%(compute = .*%) must return a whole number from 1 to 2%^62, got %-1")
        assert.error_matches(function() laws{layers = "log(0)"}:model(4096) end,
            "law layers%(d_model = 4096, d_ff = 16384%) must return .*, got %-inf")
        assert.error_matches(function() laws{dataset = "N / 0"}:model(4096) end,
            "law dataset%(params = .*%) must return a finite number above 0, got inf")
    end)
end)
