-- The prompt on a terminal: editing, completion, history, start-up file, Ctrl-C and Ctrl-D.
local program = require "cli.program"
local terminal = require "cli.terminal"

describe("the prompt on a terminal", function()
    local reason = terminal.missing()
    if reason or not terminal.has_libedit() then
        pending(reason or "the program is built without libedit")
        return
    end

    local home
    before_each(function() home = program.folder() end)
    after_each(function() program.remove(home) end)

    -- A session with a home of its own.
    local function session(steps)
        steps.env = steps.env or {}
        steps.env.HOME = home
        steps.env.XDG_STATE_HOME = steps.env.XDG_STATE_HOME or home .. "/state"
        steps.env.XDG_CONFIG_HOME = steps.env.XDG_CONFIG_HOME or home .. "/config"
        return terminal.session(steps)
    end

    local function has(screen, text)
        assert.truthy(screen:find(text, 1, true), ("%q is not in:\n%s"):format(text, screen))
        assert.falsy(screen:find("waited in vain", 1, true), screen)
    end

    it("greets, computes and leaves at Ctrl-D", function()
        local screen, code = session{{"6 * 7\n", "\n42"}, {"\4"}}
        has(screen, "help() tells more")
        assert.equal(0, code)
    end)

    it("edits lines, characters beyond ASCII too", function()
        -- Two steps left, one deletion: of "aäb" the middle goes.
        local screen = session{{'("a\u{e4}b")\27[D\27[D\27[D\127\n', "\nab"}, {"\4"}}
        has(screen, "\nab\n")
    end)

    it("completes names, and lists them where there are several", function()
        local screen = session{
            {"dts\t", "dtsim"}, {".gpu\t\t", "gpus"}, {"s.v1\t", "v100"},
            {".name\n", "V100 SXM"}, {"\4"},
        }
        has(screen, "gpu  gpus")
    end)

    it("completes methods, fields of constructors and over several lines", function()
        local screen = session{
            {"card = dtsim.gpus.v100\n", "> "}, {"card:matmul_t\t(1024, 1024, 1024) > 0\n", "true"},
            {"card:with{\n", ">> "}, {'memory_b\t"1 TB/s" }.memory_bandwidth\n', "00.0"},
            {"\4"},
        }
        has(screen, "memory_bandwidth = ")
        has(screen, "1000000000000.0")
    end)

    it("completes files' names inside texts", function()
        program.write(home .. "/files/a folder/measured.txt", "found it")
        local screen = session{
            dir = home .. "/files",
            {'io.open("a f\t', "a folder/"}, {'mea\t"):read "a"\n', "found it"}, {"\4"},
        }
        has(screen, "a folder/measured.txt")
    end)

    it("drops the line at Ctrl-C, and keeps all variables", function()
        local screen, code = session{
            {"kept = 41\n", "> "}, {"nonsense + + +", "+ + +"}, {"\3", "> "},
            {"for i = 1, 3 do\n", ">> "}, {"\3", "> "}, {"kept + 1\n", "\n42"}, {"\4"},
        }
        assert.falsy(screen:find("unexpected symbol", 1, true))
        assert.equal(0, code)
    end)

    it("ends a computation at Ctrl-C, and keeps all variables", function()
        local screen, code = session{
            {"kept = 41\n", "> "}, {"print 'going' while true do end\n", "\ngoing"},
            {"\3", "interrupted"}, {"kept + 1\n", "\n42"}, {"\4"},
        }
        has(screen, "interrupted")
        assert.equal(0, code)
    end)

    it("fits tables to the terminal", function()
        local screen = session{
            columns = 60, rows = 24,
            {"s = dtsim.systems.gtx580\n", "> "},
            {"opt = dtsim.optimizer{ gpu = s.gpu, network = s.network, search = 'paper' }\n", "> "},
            {"opt:sweep{ d_model = dtsim.widths.between(2048, 65536) }\n", "shows all)"},
            {"\4"},
        }
        has(screen, "print(_) shows all)")
        local rows = screen:match("(training FLOP.-)%(")
        for line in rows:gmatch "[^\n]+" do assert.truthy(#line <= 60, line) end
        has(rows, "\n...\n")
    end)

    it("keeps its history from one session to the next, each line once in a row", function()
        session{{"first = 1\n", "> "}, {"first = 1\n", "> "}, {"\n", "> "},
                {"'s\u{e4}cond'\n", "\ns\u{e4}cond"}, {"\4"}}
        assert.equal("first = 1\n's\u{e4}cond'\n", program.read(home .. "/state/dtsim/history"))
        local screen = session{{"\27[A\27[A", "first = 1"}, {"0\n", "> "}, {"first\n", "\n10"},
                               {"\4"}}
        has(screen, "\n10\n")
    end)

    it("shortens a history that has grown long", function()
        local lines = {}
        for i = 1, 2500 do lines[i] = "line" .. i end
        program.write(home .. "/state/dtsim/history", table.concat(lines, "\n") .. "\n")
        session{{"'new'\n", "\nnew"}, {"\4"}}
        local text = program.read(home .. "/state/dtsim/history")
        assert.equal(1001, select(2, text:gsub("\n", "")))
        assert.truthy(text:find "^line1501\n" and text:find "\nline2500\n'new'\n$")
    end)

    it("goes on without a history where none can be kept", function()
        program.write(home .. "/state", "a file in the way")
        local screen, code = session{{"1 + 1\n", "\n2"}, {"\4"}}
        has(screen, "dtsim: no history is kept: " .. home .. "/state/dtsim/history: ")
        assert.equal(0, code)
    end)

    it("keeps the history below the home without XDG_STATE_HOME", function()
        for _, value in ipairs{"", "relative"} do
            session{env = {XDG_STATE_HOME = value}, {"x = 1\n", "> "}, {"\4"}}
        end
        assert.equal("x = 1\nx = 1\n", program.read(home .. "/.local/state/dtsim/history"))
    end)
end)

describe("the start-up file", function()
    local folder
    before_each(function()
        folder = program.folder()
        program.write(folder .. "/dtsim/init.lua", "print 'started'; mine = 7")
    end)
    after_each(function() program.remove(folder) end)

    local function run(arguments)
        arguments.env = {XDG_CONFIG_HOME = folder}
        local result = program.run(arguments)
        assert.equal(0, result.code)
        return result
    end

    it("runs before the prompt and what comes before it", function()
        local out = run{"-i", "-e", "print(mine)", stdin = "mine\n"}.out
        assert.truthy(out:find "\nstarted\n7\n> 7\n> \n$")
    end)

    it("does not run for scripts, nor with -E", function()
        assert.equal("nil\n", run{"-e", "print(mine)"}.out)
        assert.equal("nil\n", run{stdin = "print(mine)"}.out)
        assert.truthy(run{"-E", "-i", stdin = "mine\n"}.out:find "\n> nil\n> \n$")
    end)

    it("that is wrong is reported, and the prompt comes all the same", function()
        program.write(folder .. "/dtsim/init.lua", "error 'no'")
        local result = run{"-i", stdin = "1\n"}
        assert.equal(("dtsim: %s/dtsim/init.lua:1: no\n"):format(folder), result.err)
        assert.truthy(result.out:find "> 1\n> \n$")
        program.write(folder .. "/dtsim/init.lua", "= 1")
        assert.truthy(run{"-i"}.err:find "init.lua:1: unexpected symbol near '='\n$")
    end)
end)
