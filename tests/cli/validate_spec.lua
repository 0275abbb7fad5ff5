-- The command `dtsim validate` from outside.
local json = require "dtsim.json"
local program = require "cli.program"

local MEASURED = program.top .. "/tests/reference/measured/"
local SIMUMAX, LORA = MEASURED .. "simumax_b200.csv", MEASURED .. "mlperf_llama2_70b_lora.csv"

local function validate(...) return program.run{"validate", ...} end

describe("dtsim validate", function()
    it("prints its figures, what is not judged, and the worst rows", function()
        local result = validate(SIMUMAX, LORA)
        assert.equal("", result.err)
        assert.equal(0, result.code)
        for _, text in ipairs{"\nsimumax_b200  +8 ", "\nall rows  +8 ",
            "\nmean of the sources' medians: ", "\n  not judged: LoRA\n",
            "\nThe worst five of each source:\n"} do
            assert.matches(text, result.out)
        end
        assert.equal(result.out, validate(SIMUMAX, LORA).out)
    end)

    it("prints JSON, the same each time", function()
        local result = validate("--json", SIMUMAX, LORA)
        assert.equal(0, result.code)
        local report = json.decode(result.out)
        assert.equal(8, report.pooled.rows)
        local row = report.groups[1].rows[1]
        assert.is_true(row.judged and row.predicted > 0 and row.first_principles_error < 0)
        for _, constant in ipairs(row.constants) do
            assert.is_true(({measured = true, fitted = true, guessed = true})[constant.origin])
        end
        assert.equal(result.out, validate("--json", SIMUMAX, LORA).out)
    end)

    it("draws a plot", function()
        local folder = program.folder()
        assert.equal(0, validate("--plot", folder .. "/x.svg", SIMUMAX).code)
        assert.matches("^<svg.*</svg>\n$", program.read(folder .. "/x.svg"))
        program.remove(folder)
    end)

    it("tells its options and constants", function()
        local help = validate("--help")
        assert.equal(0, help.code)
        assert.matches("^usage: dtsim validate", help.out)
        assert.matches("\ne_h100 .* fitted ", validate("--constants").out)
    end)

    it("says in a line what is wrong", function()
        local folder = program.folder()
        program.write(folder .. "/x.csv", "a,b\n1,2\n")
        local cases = {
            {1, "x.csv: no table of measured runs", folder .. "/x.csv"},
            {1, "no file has the name 'nobody'", "--fit", "nobody", SIMUMAX},
            {3, "cannot read /nowhere.csv: No such file", "/nowhere.csv"},
            {3, "cannot write '/nowhere/x.svg'", "--plot", "/nowhere/x.svg", SIMUMAX},
        }
        for _, case in ipairs(cases) do
            local result = validate(table.unpack(case, 3))
            assert.equal(case[1], result.code)
            assert.matches("^dtsim validate: [^\n]+\n$", result.err)
            assert.matches(case[2], result.err, 1, true)
        end
        program.remove(folder)
        for _, arguments in ipairs{{}, {"--bogus", SIMUMAX}, {"--fit"}} do
            local result = validate(table.unpack(arguments))
            assert.equal(2, result.code)
            assert.matches("usage: dtsim validate", result.err)
        end
    end)
end)
