local program = require "cli.program"

local function small()
    return dtsim.study{
        title = "Small", search = "paper", duration = "3 months",
        d_model = {12288, 16384, 20480, 24576},
        {name = "A", system = "v100"},
        {name = "B", system = dtsim.systems.h100, laws = "paper_sparse", note = "sparse"},
        {name = "C", gpu = dtsim.gpus.a100, network = dtsim.networks.a100, enabled = false,
         overlap = {dp = true}, schedules = {"interleaved"}},
    }
end

local function names(study)
    local list = {}
    for i = 1, #study do list[i] = study[i].name end
    return table.concat(list, " ")
end

local function ran(study)
    local list = {}
    for _, row in ipairs(study:results()) do list[#list + 1] = row.configuration.name end
    return table.concat(list, " ")
end

local function fails(message, f, ...)
    local ok, got = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(got:find(message, 1, true), got)
end

describe("a study", function()
    it("holds configurations in order, with what is common to all", function()
        local study = small()
        assert.equal("A B C", names(study))
        assert.equal(3, #study)
        assert.equal("paper", study[1].search)
        local overlap = study[3].overlap
        assert.same({true, true, true}, {overlap.tp, overlap.pp, overlap.dp})
        assert.equal(7889400, study[1].duration)
        assert.equal("Small", study.title)
    end)

    it("is not changed by what it was made of, nor by what it gives out", function()
        local row = {name = "A", system = "v100", overlap = {dp = true}, options = {max_gpus = 9},
                     d_model = {12288}, schedules = {"interleaved"}}
        local study = dtsim.study{row}
        row.overlap.dp, row.options.max_gpus, row.d_model[1] = false, 10, 7
        row.schedules[1], row.name = "zero_bubble", "B"
        for _, some in ipairs{study, study:change("A", {note = "n"})} do
            assert.is_true(some[1].overlap.dp)
            assert.equal(9, some[1].options.max_gpus)
            assert.equal(12288, some[1].d_model[1])
            assert.equal("interleaved", some[1].schedules[1])
            assert.equal("A", some[1].name)
            for _, name in ipairs{"overlap", "options", "d_model", "schedules"} do
                fails("cannot be changed", function() some[1][name][1] = 0 end)
            end
        end
    end)

    it("runs what is enabled, or some", function()
        assert.equal("A B", ran(small()))
        assert.equal("B C", ran(small():run{only = {3, "B"}}))
        assert.equal(4, #small():sweep("C"))
    end)

    it("gives what the optimizer gives", function()
        local sweep = small():sweep("A")
        local optimizer = dtsim.optimizer{gpu = dtsim.gpus.v100, network = dtsim.networks.v100,
                                          search = "paper"}
        local expected = optimizer:sweep{d_model = {12288, 16384, 20480, 24576}}
        assert.equal(#expected, #sweep)
        for i = 1, #expected do
            assert.equal(expected[i].time, sweep[i].time)
            assert.equal(expected[i].n_gpus, sweep[i].n_gpus)
        end
    end)

    it("is changed by copies that keep the order and the answers", function()
        local study = small():run()
        assert.equal("A B C D", names(study:add{name = "D", system = "h100"}))
        assert.equal("A C", names(study:without("B")))
        assert.equal("A C", names(study:only("C", 1)))
        local changed = study:change("B", {search = "wide", laws = "paper_dense"})
        assert.equal("wide", changed[2].search)
        assert.equal("A", ran(changed), "B is another one now")
        assert.equal("exposed", changed[2].zero_bubble_latency)
        assert.equal("interleaved", study:change_all{schedules = {"interleaved"}}[1].schedules[1])
        assert.equal("A B C", names(study))
    end)

    it("takes a new system in place of the old GPU and network", function()
        local changed = small():change("C", {system = "h100"})
        assert.equal(dtsim.gpus.h100, changed[3].gpu)
        assert.equal(dtsim.networks.h100, changed[3].network)
    end)

    it("says which configuration is wrong", function()
        fails("configuration 'A': a configuration has no field 'sistem'; did you mean 'system'?",
            dtsim.study, {{name = "A", sistem = "h100"}})
        fails("configuration 2: gpu is missing", dtsim.study, {{system = "h100"}, {}})
        fails("no system 'h1000'; did you mean 'h100'?", dtsim.study,
            {{system = "h1000"}})
        fails("configuration 1: duration: \"5 GB\" is bytes", dtsim.study,
            {{system = "h100", duration = "5 GB"}})
        fails("dtsim.laws has no set 'paper'", dtsim.study, {{system = "h100", laws = "paper"}})
        fails("configurations 1 and 2 are both named 'X'", dtsim.study,
            {{name = "X", system = "h100"}, {name = "X", system = "v100"}})
        fails("no setting for all configurations 'serch'; did you mean 'search'?", dtsim.study,
            {serch = "paper", {system = "h100"}})
        fails("study has no configuration 'D'; there are A, B and C", small().sweep, small(), "D")
        fails("run has no option 'onyl'", small().run, small(), {onyl = {}})
        fails("resume goes on from a log", small().run, small(), {resume = true})
        fails("a study cannot be changed", function() small().title = "x" end)
        fails("did you mean 'save'?", function() return small().safe end)
    end)

    it("shows a summary", function()
        local text = tostring(small():run())
        assert.truthy(text:find("^Small\nconfiguration  largest above 80 %%"))
        assert.truthy(text:find("\nC +not run"))
    end)
end)

describe("a saved study", function()
    local folder
    before_each(function() folder = program.folder() end)
    after_each(function() program.remove(folder) end)

    -- What differs between two runs of the same search.
    local function without_times(text)
        return (text:gsub('"search": %b{}', ""):gsub('"search":%b{}', ""))
    end

    it("comes back with configurations and answers", function()
        local study, path = small():run{only = {"A", "C"}}, folder .. "/x.json"
        study:save(path)
        local back = dtsim.study.load(path)
        assert.equal("A C", ran(back))
        assert.is_false(back[3].enabled)
        assert.equal(study[1].gpu, back[1].gpu)
        assert.equal(study[2].network, back[2].network)
        assert.equal(study[2].laws.sparsity, back[2].laws.sparsity)
        assert.equal("sparse", back[2].note)
        back:save(folder .. "/y.json")
        assert.equal(program.read(path), program.read(folder .. "/y.json"))
        back:run{only = {"A", "C"}, again = true}:save(folder .. "/z.json")
        assert.equal(without_times(program.read(path)),
            without_times(program.read(folder .. "/z.json")))
    end)

    it("keeps infinite bandwidth, one-level networks and peaks", function()
        local gpu = dtsim.gpus.h100:with{peak = "500 TFLOP/s", name = "P", price = "$1 k"}
        local study = dtsim.study{d_model = 12288, {name = "I", gpu = gpu,
            network = dtsim.networks.h100_infinite_ll, options = {max_gpus = 100000}}}
        study:run():save(folder .. "/x.json")
        local back = dtsim.study.load(folder .. "/x.json")
        assert.equal(gpu, back[1].gpu)
        assert.equal(math.huge, back[1].network[1].bandwidth)
        assert.equal(100000, back[1].options.max_gpus)
        assert.equal(study:sweep(1)[1].time, back:run{again = true}:sweep(1)[1].time)
    end)

    it("keeps laws that are formulas or have a name", function()
        local batch = "sqrt(E) * 4 Mi * (C / 3e23)^(1/6) / seq"
        local study = dtsim.study{search = "paper", d_model = {12288, 24576},
            {name = "F", system = "h100", laws = {batch = batch}},
            {name = "H", system = "h100", laws = "halved_depth"}}:run()
        study:save(folder .. "/x.json")
        local back = dtsim.study.load(folder .. "/x.json")
        assert.equal(batch, back[1].laws.names.batch)
        assert.equal("halved_layers", back[2].laws.names.layers)
        back:run{again = true}
        for i = 1, 2 do assert.equal(study:sweep(i)[2].time, back:sweep(i)[2].time) end
    end)

    it("saves a Lua function by name with a warning, and asks for it", function()
        local code = [[
            local study = dtsim.study{d_model = {12288}, search = "paper", {name = "F",
                system = "h100", laws = {name = "mine", batch = function() return 2048 end}}}
            study:run():save "x.json"
            local back = dtsim.study.load "x.json"
            print(back:sweep(1)[1].model.batch)
            print(pcall(back.run, back, {again = true}))]]
        local result = program.run{"-e", code}
        assert.equal("dtsim: warning: configuration 'F': the law of batch is a Lua function, "
            .. "which is saved by name alone\n", result.err)
        assert.truthy(result.out:find("^2048"))
        assert.truthy(result.out:find("false\t.*configuration 'F': the law of batch was a Lua "
            .. "function when it was saved; give it again"))
    end)

    it("is CSV, Markdown, text and JSON Lines too", function()
        local study = small():run()
        for _, ending in ipairs{"csv", "md", "txt", "jsonl"} do
            study:save(folder .. "/x." .. ending)
        end
        local _, lines = program.read(folder .. "/x.csv"):gsub("\r\n", "")
        assert.equal(1 + 8, lines)
        assert.truthy(program.read(folder .. "/x.csv"):find("\r\nB,", 1, true))
        assert.truthy(program.read(folder .. "/x.md"):find("# Small\n\n| configuration |", 1, true))
        assert.truthy(program.read(folder .. "/x.txt"):find("\n\nB\ntraining FLOP", 1, true))
        _, lines = program.read(folder .. "/x.jsonl"):gsub("\n", "")
        assert.equal(8, lines)
    end)

    it("is refused where it is none", function()
        fails("must end in .json, .jsonl, .csv, .md or .txt", small().save, small(), "x.xml")
        fails("No such file", dtsim.study.load, folder .. "/none.json")
        program.write(folder .. "/a.json", "{")
        fails("a.json: cannot read JSON", dtsim.study.load, folder .. "/a.json")
        program.write(folder .. "/a.json", '{"format": "dtsim sweep", "version": 1}')
        fails("holds no dtsim study", dtsim.study.load, folder .. "/a.json")
        program.write(folder .. "/a.json", '{"format": "dtsim study", "version": 99}')
        fails("has version 99 of the format; this dtsim reads version 1", dtsim.study.load,
            folder .. "/a.json")
    end)
end)

describe("a study's log", function()
    local folder, path
    before_each(function()
        folder = program.folder()
        path = folder .. "/log.jsonl"
    end)
    after_each(function() program.remove(folder) end)

    local function lines_of(text)
        local list = {}
        for line in text:gmatch "[^\n]+" do list[#list + 1] = line end
        return list
    end

    it("has each point, and goes on from any line", function()
        local whole = small():run{log = path}
        local lines = lines_of(program.read(path))
        assert.equal(1 + 2 * (4 + 1), #lines)
        for _, kept in ipairs{0, 1, 2, 4, 5, 6, 7, 9, 11} do
            -- The line that was being written is cut off.
            local text = table.concat(lines, "\n", 1, kept) .. (kept > 0 and "\n" or "")
                .. (lines[kept + 1] or ""):sub(1, 25)
            program.write(path, text)
            local again = small():run{log = path, resume = true}
            for _, name in ipairs{"A", "B"} do
                assert.equal(#whole:sweep(name), #again:sweep(name))
                for i = 1, #whole:sweep(name) do
                    assert.equal(whole:sweep(name)[i].time, again:sweep(name)[i].time)
                    assert.equal(tostring(whole:sweep(name)[i]), tostring(again:sweep(name)[i]))
                end
            end
            assert.equal(#lines, #lines_of(program.read(path)))
        end
    end)

    it("does not search again what it has", function()
        small():run{log = path}
        -- An altered answer shows where it came from.
        local text = program.read(path):gsub('"n_gpus":%d+', '"n_gpus":4711')
        program.write(path, text)
        assert.equal(4711, small():run{log = path, resume = true}:sweep("A")[2].n_gpus)
    end)

    it("knows how sweeps ended", function()
        local function endless() return small():change("A", {d_model = {12288, 12288 * 128}}) end
        local expected = endless():sweep("A").settings.end_reason
        assert.equal("no cluster can finish before the deadline", expected)
        assert.equal(expected, endless():run{log = path}:sweep("A").settings.end_reason)
        assert.equal(expected,
            endless():run{log = path, resume = true}:sweep("A").settings.end_reason)
    end)

    it("of another study is refused", function()
        small():run{log = path}
        fails("is of another study", small().run, small():change("A", {system = "a100"}),
            {log = path, resume = true})
        program.write(path, program.read(path) .. "nonsense\n")
        fails("line 12 of the log", small().run, small(), {log = path, resume = true})
        fails("No such file", small().run, small(), {log = folder .. "/none/x.jsonl"})
    end)
end)
