-- The program with a configuration file: dtsim file.json, --set and --out.
local program = require "cli.program"

local SWEEP = [[{
  "format": "dtsim sweep settings", "version": 1,
  "system": "h100", "search": "paper", "d_model": [12288, 16384]
}]]
local SYSTEM = [[{
  "format": "dtsim system", "version": 1, "name": "Mine",
  "gpu": {"peak": "989 TFLOP/s", "memory": "80 GB", "memory_bandwidth": "3.35 TB/s"},
  "network": "dgx_h100"
}]]
local STUDY = [[{
  "format": "dtsim study", "version": 1, "title": "Two", "search": "paper", "d_model": [12288],
  "configurations": [{"name": "A", "system": "h100"}, {"name": "B", "system": "a100"},
                     {"name": "C", "system": "v100", "enabled": false}]
}]]

describe("a configuration file", function()
    local folder

    before_each(function()
        folder = program.folder()
        program.write(folder .. "/sweep.json", SWEEP)
        program.write(folder .. "/system.json", SYSTEM)
        program.write(folder .. "/study.json", STUDY)
    end)
    after_each(function() program.remove(folder) end)

    local function run(...) return program.run{dir = folder, ...} end

    it("runs as a script would", function()
        local result = run("sweep.json")
        assert.equal("", result.err)
        assert.equal(0, result.code)
        local script = [[
            local s = dtsim.systems.h100
            print(dtsim.optimizer{gpu = s.gpu, network = s.network, search = "paper"}
                :sweep{d_model = {12288, 16384}})]]
        local by_hand = run("-e", script).out
        assert.truthy(#by_hand > 100 and result.out:find(by_hand, 1, true))
        assert.truthy(result.out:find("^H100 SXM\n  H100 SXM: 16%-bit"))
        assert.truthy(result.out:find("largest run above 80 %% of the sustained maximum: 3.627e"))
    end)

    it("says what it assumed of a GPU of a few figures", function()
        local result = run("system.json", "--set", "gpu.name=X")
        assert.equal("", result.err)
        assert.truthy(result.out:find("^Mine\n  X: 16%-bit, peak 989 TFLOP/s"))
        assert.truthy(result.out:find("\n  assumed from dtsim.gpus.h100: sms = 132, ", 1, true))
    end)

    it("is changed by --set, before and behind its name", function()
        local result = run("--set", 'network[2].bandwidth="200 GB/s"', "--set=d_model=12288",
            "sweep.json", "--set", "gpu.name=Y", "--set=duration=6 months")
        assert.equal("", result.err)
        assert.truthy(result.out:find("^H100 SXM\n  Y: .*then 200 GB/s, 1.13 us\n"))
        assert.falsy(result.out:find("16384"))
    end)

    it("saves its answers", function()
        assert.equal(0, run("sweep.json", "--out", "answers.json").code)
        local again = run("answers.json", "--out=again.csv")
        assert.equal("", again.err)
        assert.equal(run("sweep.json").out, again.out)
        assert.truthy(program.read(folder .. "/again.csv"):find("^training_flop,d_model,"))
    end)

    it("may be a study", function()
        local result = run("study.json", "--out", "answers.json", "--set", "seq_len=4096")
        if result.err:find("module 'dtsim.study' not found", 1, true) then
            pending "this library has no studies"
            return
        end
        assert.equal("", result.err)
        assert.equal(0, result.code)
        assert.truthy(result.out:find("^A\n  H100 SXM: .*\nB\n  A100 SXM: "))
        assert.falsy(result.out:find("\nC\n"))
        local again = run("answers.json", "--set", "configurations[B].enabled=false")
        assert.equal("", again.err)
        assert.truthy(again.out:find("^A\n"))
        assert.falsy(again.out:find("\nB\n"))
    end)

    it("makes a report or a plot of a study, by the file's name", function()
        for name, start in pairs{["x.html"] = "^<!DOCTYPE html>", ["x.svg"] = "^<%?xml",
                                 ["x.png"] = "^\137PNG", ["x.pdf"] = "^%%PDF"} do
            local result = run("study.json", "--out", name)
            assert.equal("", result.err)
            assert.truthy(program.read(folder .. "/" .. name):find(start), name)
        end
    end)

    it("works as the document on configurations writes it", function()
        local text, count = program.read(program.top .. "/docs/configuration.md"), 0
        for block in text:gmatch "```json\n(.-)```" do
            program.write(folder .. "/doc.json", block)
            local result = run("doc.json", "--set", "d_model=12288")
            if not result.err:find("module 'dtsim.study' not found", 1, true) then
                assert.equal("", result.err)
                assert.equal(0, result.code)
            end
            count = count + 1
        end
        assert.equal(3, count)
    end)

    it("is refused with the path to what is wrong", function()
        local function refused(message, ...)
            local result = run(...)
            assert.equal("dtsim: " .. message .. "\n", result.err)
            assert.equal(1, result.code)
            assert.equal("", result.out)
        end
        refused("sweep.json: duratoin: unknown field; did you mean 'duration'?",
            "--set", "duratoin=3", "sweep.json")
        refused("sweep.json: network[2].bandwith: unknown field; did you mean 'bandwidth'?",
            "sweep.json", "--set", "network[2].bandwith=3")
        refused("sweep.json: optimizer: search must be \"paper\", \"wide\" or \"exhaustive\", "
            .. 'got "papr"', "sweep.json", "--set", "search=papr")
        program.write(folder .. "/broken.json", "{")
        assert.truthy(run("broken.json").err:find("^dtsim: broken.json: cannot read JSON: "))
        assert.equal(1, run("broken.json").code)
    end)

    it("ends with status 3 if it cannot be read, or its answers not be written", function()
        local result = run("none.json")
        assert.equal("dtsim: cannot open none.json: No such file or directory\n", result.err)
        assert.equal(3, result.code)
        result = run("sweep.json", "--out", "nowhere/x.json")
        assert.equal(3, result.code)
    end)

    it("is wrong usage with status 2", function()
        local function wrong(message, ...)
            local result = run(...)
            assert.equal(message, result.err:match("^dtsim: ([^\n]*)\n"))
            assert.equal(2, result.code)
        end
        wrong("'--set' needs an argument", "--set")
        wrong("'--set' needs a configuration to run (FILE.json)", "--set", "a=1")
        wrong("'--set' needs a configuration to run (FILE.json)", "--set=a=1", "-e", "print(1)")
        wrong("unrecognized option '--sets'", "--sets", "a=1")
        wrong("unexpected argument 'x'", "sweep.json", "x")
        wrong("unexpected argument '--nonsense'", "sweep.json", "--nonsense", "x")
        wrong("'--out' needs an argument", "sweep.json", "--out")
        local help = run("sweep.json", "--help")
        assert.equal(0, help.code)
        assert.truthy(help.out:find("^usage: dtsim %[options%] FILE.json"))
    end)
end)
