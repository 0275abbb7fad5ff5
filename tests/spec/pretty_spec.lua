-- Values as the prompt prints them.
local fit = require "dtsim.fit"
local pretty = require "dtsim.pretty"

local function lines_of(text)
    local lines = {}
    for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
    return lines
end

local function widest(text)
    local width = 0
    for _, line in ipairs(lines_of(text)) do width = math.max(width, utf8.len(line)) end
    return width
end

local opt = dtsim.optimizer{gpu = dtsim.gpus.gtx580, network = dtsim.networks.gtx580,
                            search = "paper"}

describe("values of Lua", function()
    it("print as print does, and tables show what is in them", function()
        local cases = {
            {5, "5"}, {0.1, "0.1"}, {1e300, "1e+300"}, {"text", "text"}, {true, "true"},
            {{}, "{}"}, {{1, 2, 3}, "{ 1, 2, 3 }"}, {{a = 1, b = "x"}, '{ a = 1, b = "x" }'},
            {{1, x = {y = 2}}, "{ 1, x = { y = 2 } }"},
            {{["odd key"] = 1, [2.5] = 2}, '{ [2.5] = 2, ["odd key"] = 1 }'},
            {{"line\nbreak"}, '{ "line\\nbreak" }'},
        }
        for _, case in ipairs(cases) do assert.equal(case[2], pretty.text(case[1])) end
        assert.equal("nil", pretty.text(nil))
    end)

    it("may hold themselves and may be deep", function()
        local t = {}
        t.t = t
        assert.equal("{ t = { ... } }", pretty.text(t))
        local deep = {}
        for _ = 1, 50 do deep = {deep} end
        assert.equal("{ { { { { ... } } } } }", pretty.text(deep))
    end)

    it("take lines of their own where one is too short, and say what is cut", function()
        local t = {}
        for i = 1, 100 do t[i] = "number " .. i end
        local lines = lines_of(pretty.text(t, {width = 80, height = 12}))
        assert.equal(13, #lines)
        assert.equal("{", lines[1])
        assert.equal('  "number 1",', lines[2])
        assert.equal("  ... 90 more", lines[12])
    end)

    it("with a __tostring print by it", function()
        local t = setmetatable({}, {__tostring = function() return "told" end})
        assert.equal("told", pretty.text(t))
        assert.equal("{ told }", pretty.text{t})
    end)

    it("stand on one line with tabs between, or below each other", function()
        assert.equal("1\tnil\ta", pretty.values(nil, 1, nil, "a"))
        assert.equal("1\ngpu: V100 SXM", pretty.values(nil, 1, dtsim.gpus.v100):sub(1, 15))
        assert.equal("", pretty.values(nil))
    end)
end)

describe("objects and records", function()
    it("are small tables with units", function()
        local text = pretty.text(dtsim.gpus.gtx580)
        assert.truthy(text:find "^gpu: GTX 580\n")
        assert.truthy(text:find "\n  memory_bandwidth +192 GB/s\n")
        assert.truthy(text:find "\n  matmul_latency +22.5 us\n")
        assert.truthy(text:find "\n  price +%$300\n")
        local level = pretty.text(dtsim.networks.gtx580[1])
        assert.truthy(level:find "^network level: [^\n]+\n  name +[^\n]+\n  size +8\n")
        assert.same({"network", "  level  name        size  bandwidth  latency"},
                    {table.unpack(lines_of(pretty.text(dtsim.network{
                        {name = "a long one", size = 8, bandwidth = "8 GB/s", latency = "5 us"},
                        {bandwidth = "1 GB/s", latency = "5 us"},
                    })), 1, 2)})
    end)

    it("have the numbers of the published example in a reader's units", function()
        -- Epoch AI's simulator: 16 million GPUs, three months, about $5 billion, 1e26 FLOP.
        local found = opt:cluster(dtsim.laws.paper_dense:model(20480), {duration = "3 months"})
        local text = pretty.text(found)
        for _, words in ipairs{"16.8 M GPUs", "2.90 months", "$5.03 B", "1.12e26 FLOP"} do
            assert.truthy(text:find(words, 1, true), words)
        end
        assert.truthy(text:find "\n  plan +DP 1024 x TP 16x32 x PP 32,")
    end)

    it("wrap what is too wide", function()
        local found = opt:cluster(dtsim.laws.paper_dense:model(4096), {duration = "3 months"})
        assert.truthy(widest(pretty.text(found, {width = 60, height = 40})) <= 60)
        assert.truthy(widest(pretty.text(found)) <= 80)
    end)

    it("lists tell one a line, and are cut with a hint", function()
        local plans = opt:plans(dtsim.laws.paper_dense:model(4096), 2048, {top = 20})
        local lines = lines_of(pretty.text(plans, {width = 70, height = 8}))
        assert.equal("list of " .. #plans, lines[1])
        assert.equal(8, #lines)
        assert.equal(("  ... %d more; _[7] is the next"):format(#plans - 6), lines[8])
        assert.truthy(lines[2]:find "^  1   " and utf8.len(lines[2]) <= 70)
    end)

    it("catalogs tell one entry a line", function()
        local lines = lines_of(pretty.text(dtsim.gpus, {width = 60, height = 5}))
        assert.equal("GPU catalog", lines[1])
        assert.equal(#dtsim.gpus + 1, #lines)
        assert.truthy(lines[2]:find "^  gtx580 +GTX 580: 32%-bit")
    end)

    it("the library and sets of laws tell what they are", function()
        assert.equal(("dtsim %s; help() tells more"):format(dtsim.version), pretty.text(dtsim))
        local laws = pretty.text(dtsim.laws.paper_dense)
        assert.truthy(laws:find "^set of laws\n  name +paper_dense\n")
    end)
end)

describe("sweeps", function()
    local sweep = opt:sweep{d_model = dtsim.widths.between(2048, 65536)}

    it("fit the terminal, and say what is left out", function()
        local text = pretty.text(sweep, {width = 80, height = 20})
        local lines = lines_of(text)
        assert.truthy(widest(text) <= 80)
        assert.truthy(#lines <= 20)
        assert.truthy(lines[#lines]:find(("^%%(%%d+ of %d rows, without .*plan; print%%(_%%) ")
            :format(#sweep)))
        assert.truthy(text:find "\n%.%.%.\n")
        assert.truthy(text:find "^training FLOP")
    end)

    it("are whole where there is room", function()
        local text = pretty.text(sweep, {width = 300, height = 500})
        assert.equal(#sweep + 1, #lines_of(text))
        assert.truthy(text:find "DP 2 x TP")
        assert.truthy(text:find "k  ", 1, true)
    end)

    it("without a point say why", function()
        local empty = opt:sweep{d_model = {2048}, duration = "1 ms"}
        assert.truthy(pretty.text(empty):find "^empty sweep: ")
    end)
end)

describe("fitting", function()
    it("cuts at the width, in characters", function()
        assert.equal("abcdef", fit.cut("abcdef", 6))
        assert.equal("ab...", fit.cut("abcdef", 5))
        assert.equal("äö...", fit.cut("äöüßäö", 5))
        assert.equal("\xff\xff...", fit.cut("\xff\xff\xff\xff\xff\xff", 5))
    end)

    it("wraps at blanks, and keeps line ends and long words", function()
        assert.equal("one two\n  three", fit.wrap("one two three", 9, "  "))
        assert.equal("a\nb", fit.wrap("a\nb", 9))
        assert.equal("incomprehensible\nx", fit.wrap("incomprehensible x", 5))
        assert.equal("", fit.wrap("", 5))
    end)

    it("shortens the last column before it leaves columns out", function()
        local rows = {{"a", "words"}, {"1", "many words that go on"}}
        assert.same({"a  words\n1  many words tha...", 0, {}},
                    {fit.table(rows, {width = 20, height = 40})})
        assert.same({"a\n1", 0, {"words"}}, {fit.table(rows, {width = 12, height = 40})})
        assert.equal("many words that go on", rows[2][2])
    end)

    it("leaves out rows in the middle", function()
        local rows = {{"n"}}
        for i = 1, 30 do rows[i + 1] = {tostring(i)} end
        local text, hidden = fit.table(rows, {width = 80, height = 13})
        assert.equal(21, hidden)
        assert.equal(" n\n 1\n 2\n 3\n 4\n 5\n...\n27\n28\n29\n30", text)
    end)
end)
