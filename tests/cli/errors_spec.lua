-- What the program says and ends with when something goes wrong.
local program = require "cli.program"
local run = program.run

-- A folder with a script and, in lib/, a library that stands in for the real one.
local function folder_with(script)
    local folder = program.folder()
    program.write(folder .. "/s.lua", script)
    program.write(folder .. "/lib/dtsim/init.lua", [[
local dtsim = {}
function dtsim.blames_caller() error("wrong bandwidth", 2) end
function dtsim.blames_itself() error("wrong latency") end
function dtsim.deeper() local result = dtsim.blames_itself() return result end
function dtsim.argument() string.rep() return 1 end
return dtsim
]])
    return folder
end

-- Runs a script with the stand-in library; returns the result.
local function run_script(script, options)
    local folder = folder_with(script)
    local arguments = {table.unpack(options or {})}
    table.insert(arguments, "s.lua")
    arguments.dir = folder
    arguments.env = {DTSIM_LUA = "lib"}
    local result = run(arguments)
    program.remove(folder)
    return result
end

describe("an error of the script", function()
    it("is one line with the script's line, and status 1", function()
        local result = run_script("local x = 1\n\nerror('it broke')\nprint('no')")
        assert.equal("dtsim: s.lua:3: it broke\n", result.err)
        assert.equal("", result.out)
        assert.equal(1, result.code)
    end)

    it("shows the calls if asked for", function()
        local script = "local function f()\nerror('it broke')\nend\nf()"
        local result = run_script(script, {"--traceback"})
        assert.truthy(result.err:find("^dtsim: s.lua:2: it broke\nstack traceback:\n"))
        assert.truthy(result.err:find("s.lua:4: in main chunk", 1, true))
        assert.equal(1, result.code)
    end)

    it("comes after the output before it", function()
        assert.equal("before\n", run_script("io.write('before\\n') error('it broke')").out)
    end)

    it("may be a syntax error", function()
        local result = run_script("local x = 1\nlocal y = = 2")
        assert.equal("dtsim: s.lua:2: unexpected symbol near '='\n", result.err)
        assert.equal(1, result.code)
    end)

    it("names the string of -e and the standard input", function()
        assert.equal("dtsim: (command line):1: no\n", run{"-e", "error('no')"}.err)
        assert.equal("dtsim: stdin:2: no\n", run{stdin = "\nerror('no')"}.err)
        assert.equal("dtsim: LUA_INIT:1: no\n",
                     run{"-e", "", env = {LUA_INIT = "error('no')"}}.err)
    end)

    it("ends the run: later -e, the script and the prompt do not come", function()
        local result = run{"-i", "-e", "error('no')", "-e", "print(1)", stdin = "print(2)\n"}
        assert.equal("dtsim: (command line):1: no\n", result.err)
        assert.falsy(result.out:find("[12]\n"))
        assert.equal(1, result.code)
    end)

    it("may be any value", function()
        local cases = {
            {"error({})", "(error object is a table value)"},
            {"error(nil)", "(error object is a nil value)"},
            {"error(42)", "42"},
            {"error('bare', 0)", "bare"},
            {"error(setmetatable({}, {__tostring = function() return 'told' end}))", "told"},
        }
        for _, case in ipairs(cases) do
            local result = run{"-e", case[1]}
            assert.equal("dtsim: " .. case[2] .. "\n", result.err)
            assert.equal(1, result.code)
        end
    end)

    it("may be a module that is not there", function()
        local result = run{"-l", "no_such_module", "-e", "print(1)"}
        assert.truthy(result.err:find("^dtsim: module 'no_such_module' not found:"))
        assert.equal("", result.out)
        assert.equal(1, result.code)
    end)
end)

describe("an error of the library", function()
    it("has the line of the script that called it", function()
        local messages = {blames_caller = "wrong bandwidth", blames_itself = "wrong latency",
                          deeper = "wrong latency"}
        for name, message in pairs(messages) do
            local result = run_script("local x\nx = dtsim." .. name .. "()")
            assert.equal("dtsim: s.lua:2: " .. message .. "\n", result.err)
        end
    end)

    it("has that line too if a function in C raised it", function()
        local result = run_script("\nlocal x = dtsim.argument()")
        assert.equal("dtsim: s.lua:2: bad argument #1 to 'rep' (string expected, got no value)\n",
                     result.err)
    end)

    it("has no line of the library where a tail call has forgotten the script's", function()
        local result = run{"-i", env = {DTSIM_LUA = "lib"}, stdin = "dtsim.blames_itself()\n",
                           dir = folder_with("")}
        assert.equal("wrong latency\n", result.err)
    end)

    it("has the library's line in the calls", function()
        local result = run_script("local x = dtsim.deeper()", {"--traceback"})
        assert.truthy(result.err:find("^dtsim: s.lua:1: wrong latency\n"))
        assert.truthy(result.err:find("lib/dtsim/init.lua:3:", 1, true))
    end)
end)

describe("the exit status", function()
    it("is the script's own with os.exit", function()
        assert.equal(0, run{"-e", "os.exit(true)"}.code)
        assert.equal(1, run{"-e", "os.exit(false)"}.code)
        assert.equal(7, run{"-e", "os.exit(7)"}.code)
        assert.equal(8, run{"-e", "os.exit(8, true)"}.code)
    end)

    it("is 3 for a script that cannot be read", function()
        local result = run{"missing.lua"}
        assert.equal("dtsim: cannot open missing.lua: No such file or directory\n", result.err)
        assert.equal(3, result.code)
        result = run{"/"}
        assert.equal("dtsim: cannot read /: Is a directory\n", result.err)
        assert.equal(3, result.code)
    end)

    it("is 1 if the script itself cannot find a file", function()
        assert.equal(1, run{"-e", "dofile('missing.lua')"}.code)
        assert.equal(1, run{"-e", "assert(io.open('missing.txt'))"}.code)
    end)

    it("is 3 if a file that cannot be written ends the script", function()
        local save = "local file = require 'dtsim.file'\n"
        local cases = {
            {save .. "assert(file.write_whole('no/such/x.json', 'text'))",
             "s.lua:2: cannot write 'no/such/x.json': No such file or directory"},
            {save .. "assert(file.write_whole('/dev/full', 'text'))",
             "s.lua:2: cannot write '/dev/full': No space left on device"},
            {save .. "local _, message = file.write_whole('no/x', '')\nerror(message, 0)",
             "cannot write 'no/x': No such file or directory"},
        }
        for _, case in ipairs(cases) do
            local result = run_script(case[1])
            assert.equal("dtsim: " .. case[2] .. "\n", result.err)
            assert.equal(3, result.code)
        end
    end)

    it("is 3 if a sweep cannot be saved, and no part of a file is left", function()
        local folder = program.folder()
        local script = "local s = dtsim.systems.h100\n" ..
            "local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = 'paper'}\n" ..
            "local sweep = o:sweep{d_model = 12288}\nsweep:save(arg[1])\n"
        program.write(folder .. "/s.lua", script)
        os.execute(("cd %s && ln -s /dev/full full.json && mkdir full.csv"):format(folder))
        local before = program.output_of("ls -A " .. folder)
        local cases = {
            ["no/x.json"] = "No such file or directory",
            ["full.json"] = "No space left on device",
            ["full.csv"] = "Is a directory",
        }
        for path, reason in pairs(cases) do
            local result = run{"s.lua", path, dir = folder}
            assert.equal(("dtsim: s.lua:4: cannot write '%s': %s\n"):format(path, reason),
                         result.err)
            assert.equal(3, result.code)
        end
        assert.equal(before, program.output_of("ls -A " .. folder))
        program.remove(folder)
    end)

    it("is 3 if a sweep may not be saved there", function()
        local prefix = program.unprivileged()
        if not prefix then
            pending("needs a user who is not root")
            return
        end
        local folder = program.folder()
        local code = "local s = dtsim.systems.h100\n" ..
            "local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = 'paper'}\n" ..
            "o:sweep{d_model = 12288}:save('x.json')"
        local result = run{"-e", code, dir = folder, prefix = prefix}
        assert.equal("dtsim: (command line):3: cannot write 'x.json': Permission denied\n",
                     result.err)
        assert.equal(3, result.code)
        assert.equal("", program.output_of("ls -A " .. folder))
        program.remove(folder)
    end)

    it("is 1 for another error after such a failure was dealt with", function()
        local result = run_script("require 'dtsim.file'.write_whole('no/x', '')\nerror('else')")
        assert.equal("dtsim: s.lua:2: else\n", result.err)
        assert.equal(1, result.code)
    end)
end)

describe("the standard output", function()
    local function check_full(arguments, reason)
        arguments.stdout = "/dev/full"
        local result = run(arguments)
        assert.equal("dtsim: cannot write standard output: " .. reason .. "\n", result.err)
        assert.equal(3, result.code)
    end

    it("on a full disk is an error", function()
        check_full({"-e", "io.write('short')"}, "No space left on device")
        check_full({"-e", "print('flushed')"}, "an earlier write failed")
        check_full({"-e", "for i = 1, 1e4 do io.write(i) end"}, "No space left on device")
        check_full({"-e", "io.write('short') os.exit(0)"}, "No space left on device")
        check_full({"-e", "io.write('short') os.exit(0, true)"}, "No space left on device")
        check_full({"--help"}, "No space left on device")
        check_full({stdin = "io.write('short')"}, "No space left on device")
    end)

    it("on a full disk hides no error of the script", function()
        local result = run{"-e", "io.write('x') error('no')", stdout = "/dev/full"}
        assert.truthy(result.err:find("dtsim: (command line):1: no\n", 1, true))
        assert.truthy(result.err:find("cannot write standard output", 1, true))
        assert.equal(3, result.code)
    end)

    it("is no error if nothing was written", function()
        assert.equal(0, run{"-e", "", stdout = "/dev/full"}.code)
    end)

    it("may be a pipe that is closed early", function()
        local code = program.quote("for i = 1, 1e5 do print(i) end")
        local command = program.quote(program.path) .. " -e " .. code .. " 2>&1 | head -n 1"
        assert.equal("1", program.output_of(command))
    end)
end)
