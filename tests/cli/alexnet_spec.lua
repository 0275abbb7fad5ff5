-- The files and the options of scenarios/alexnet_2012.lua.
local program = require "cli.program"
local dtsim = require "dtsim"
local reference = require "spec.reference"

local SCRIPT = program.top .. "/scenarios/alexnet_2012.lua"

describe("alexnet_2012", function()
    local folder, saved

    setup(function()
        folder = program.folder()
        local result = program.run{SCRIPT, "--out=" .. folder, dir = "/"}
        assert.equal(0, result.code)
        saved = dtsim.json.decode(program.read(folder .. "/alexnet_2012.json"))
    end)
    teardown(function() program.remove(folder) end)

    it("saves the reference's points", function()
        local check = reference.checker()
        local expected = reference.sweep "gtx580_dense"
        assert.equal(#expected.points, #saved.points)
        for i, point in ipairs(expected.points) do
            local got = saved.points[i]
            check.same(point.training_flop, got.model.training_flop, "point %d: FLOP", i)
            check.same(point.n_gpu, got.n_gpus, "point %d: GPUs", i)
            check.same(point.months / 12 * reference.YEAR, got.time, "point %d: time", i)
            check.same(point.utilization, got.utilization, "point %d: utilization", i)
        end
        check.finish(4 * #expected.points)
    end)

    it("has the published plan at the published compute", function()
        local point
        for _, p in ipairs(saved.points) do point = p.model.d_model == 20480 and p or point end
        assert.equal(16777216, point.n_gpus)
        assert.same({1024, 16, 32, 32},
            {point.plan.dp, point.plan.tp_model, point.plan.tp_ff, point.plan.pp})
        assert.equal(16777216 * 300, point.cost)
    end)

    it("saves settings, hardware, the laws' names, layouts and breakdowns", function()
        assert.same({name = "paper_dense", layers = "paper_layers", sparsity = "dense",
                     batch = "paper_batch", dataset = "chinchilla"}, saved.laws)
        assert.equal("paper", saved.settings.search)
        assert.equal(0.25 * reference.YEAR, saved.settings.duration)
        assert.same({tp = true, pp = true, dp = false}, saved.settings.overlap)
        assert.equal(786432, saved.hardware.gpu.l2_size)
        assert.equal(8, saved.hardware.network[1].size)
        for _, point in ipairs(saved.points) do
            local levels = point.plan.levels
            assert.equal(point.plan.dp, levels.dp[1] * levels.dp[2])
            assert.is_true(point.breakdown.compute > 0)
        end
    end)

    it("defines the GTX 580 of the catalog", function()
        local gpu = dtsim.gpus.gtx580
        for name, value in pairs(saved.hardware.gpu) do
            if type(value) ~= "table" then assert.equal(gpu[name], value, name) end
        end
    end)

    it("saves a line of CSV for each point", function()
        local lines = select(2, program.read(folder .. "/alexnet_2012.csv"):gsub("\r\n", ""))
        assert.equal(1 + #saved.points, lines)
    end)

    it("says how it is used", function()
        local usage = [[
usage: dtsim alexnet_2012.lua [--out DIR]
Sweeps training runs on GTX 580s; saves alexnet_2012.json and alexnet_2012.csv in DIR (.).
]]
        local result = program.run{SCRIPT, "--help"}
        assert.same({0, usage, ""}, {result.code, result.out, result.err})
        local wrong = {
            [{"--ou", "x"}] = "unknown option '--ou'; did you mean '--out'?",
            [{"--quiet"}] = "unknown option '--quiet'",
            [{"--out"}] = "option '--out' takes a value",
            [{"x"}] = "unexpected argument 'x'",
        }
        for words, message in pairs(wrong) do
            result = program.run{SCRIPT, table.unpack(words)}
            assert.equal("dtsim: " .. message .. "\n" .. usage, result.err)
            assert.same({2, ""}, {result.code, result.out})
        end
    end)

    it("ends with status 3 where the folder is missing", function()
        local result = program.run{SCRIPT, "--out", "none"}
        assert.equal("dtsim: " .. SCRIPT .. ":108: cannot write 'none/alexnet_2012.json': "
            .. "No such file or directory\n", (result.err:gsub(":%d+:", ":108:")))
        assert.equal(3, result.code)
    end)
end)
