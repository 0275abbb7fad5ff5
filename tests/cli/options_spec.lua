-- The command line: what each option does, and what wrong usage is answered with.
local program = require "cli.program"
local run = program.run

local function out_of(arguments)
    local result = run(arguments)
    assert.equal("", result.err)
    assert.equal(0, result.code)
    return result.out
end

describe("the command line", function()
    it("runs the string of -e, attached or not, in order", function()
        assert.equal("1\n2\n", out_of{"-e", "print(1)", "-eprint(2)"})
    end)

    it("requires with -l into a global of that name or of another", function()
        local folder = program.folder()
        program.write(folder .. "/mine.lua", "return {answer = 42}")
        local code = "print(mine and mine.answer, other and other.answer)"
        assert.equal("42\tnil\n", out_of{"-l", "mine", "-e", code, dir = folder})
        assert.equal("nil\t42\n", out_of{"-lother=mine", "-e", code, dir = folder})
        program.remove(folder)
    end)

    it("runs a script with its arguments", function()
        local folder = program.folder()
        program.write(folder .. "/s.lua", "print(#arg, arg[0], arg[1], arg[2], ...)")
        assert.equal("2\ts.lua\ta\t-b c\ta\t-b c\n", out_of{"s.lua", "a", "-b c", dir = folder})
        program.remove(folder)
    end)

    it("has the program and its options at negative indices of arg", function()
        local folder = program.folder()
        program.write(folder .. "/s.lua", "print(arg[-2], arg[-1], arg[-3], arg[-4])")
        assert.equal("-e\t\t" .. program.path .. "\tnil\n", out_of{"-e", "", "s.lua", dir = folder})
        program.remove(folder)
        local path = out_of{"-e", "print(arg[0], arg[1], arg[2])"}
        assert.equal(program.path .. "\t-e\tprint(arg[0], arg[1], arg[2])\n", path)
    end)

    it("takes a script's name that looks like an option after --", function()
        local folder = program.folder()
        program.write(folder .. "/-e", "print('odd', ...)")
        program.write(folder .. "/-", "print('dash')")
        assert.equal("odd\tx\n", out_of{"--", "-e", "x", dir = folder})
        assert.equal("dash\n", out_of{"--", "-", dir = folder})
        program.remove(folder)
    end)

    it("skips a script's first line that starts with #", function()
        local folder = program.folder()
        program.write(folder .. "/s.lua", "#!/usr/bin/env dtsim\nprint('fine')")
        assert.equal("fine\n", out_of{"s.lua", dir = folder})
        program.remove(folder)
    end)

    it("runs the standard input, if there is no script and with -", function()
        assert.equal("hello\n", out_of{stdin = "print('hello', ...)"})
        assert.equal("hello\ta\tb\n", out_of{"-", "a", "b", stdin = "print('hello', ...)"})
        assert.equal("3\n", out_of{"-l", "string", stdin = "print(#'abc')"})
    end)

    it("does not read the standard input after -e or -v", function()
        assert.equal("1\n", out_of{"-e", "print(1)", stdin = "print('no')"})
        assert.falsy(out_of{"-v", stdin = "print('no')"}:find("no"))
    end)

    it("says the versions of itself and of Lua", function()
        assert.truthy(out_of{"-v"}:find("^dtsim %d+%.%d+%.%d+ %(Lua 5%.4%.%d+%)\n$"))
        assert.truthy(out_of{"-v", "-e", "print(1)"}:find("^dtsim .*\n1\n$"))
        assert.equal(out_of{"-v"}, out_of{"--version", "-e", "print(1)"})
    end)

    it("tells all its options", function()
        local help = out_of{"--help"}
        assert.equal(help, out_of{"-h"})
        local options = "-e -l -i -j --set -q -v -E -W --sandbox --out --max-memory --max-time "
            .. "--max-output --traceback -h --help --version -- -"
        for option in options:gmatch("%S+") do
            assert.truthy(help:find("\n  [^\n]*" .. option:gsub("%-", "%%-")), option)
        end
    end)

    it("has no option that help does not tell", function()
        local source = program.read("src/cli/options.c")
        local help = out_of{"--help"}
        local num_options = 0
        for option in source:gmatch '"(%-%-?%w*)"' do
            num_options = num_options + 1
            assert.truthy(help:find("[ \n]" .. option:gsub("%-", "%%-") .. "[ ,\n]"), option)
        end
        for letter in source:gmatch "case '(%a)':" do
            num_options = num_options + 1
            assert.truthy(help:find("\n  %-" .. letter .. " "), letter)
        end
        assert.truthy(num_options >= 12)
    end)

    it("ignores the environment with -E", function()
        local env = {LUA_INIT = "print('init')", LUA_PATH = "./elsewhere.lua",
                     DTSIM_LUA = "/nonexistent"}
        local code = "print(package.path == './elsewhere.lua')"
        assert.equal("init\ntrue\n", out_of{"-e", code, env = env})
        assert.equal("false\n", out_of{"-E", "-e", code, env = env})
    end)

    it("runs LUA_INIT_5_4, else LUA_INIT, as text or as a file", function()
        local env = {LUA_INIT = "print('general')", LUA_INIT_5_4 = "print('special')"}
        assert.equal("special\n", out_of{"-e", "", env = env})
        local folder = program.folder()
        program.write(folder .. "/init.lua", "print('file')")
        env = {LUA_INIT = "@" .. folder .. "/init.lua"}
        assert.equal("file\n1\n", out_of{"-e", "print(1)", env = env})
        program.remove(folder)
    end)

    it("turns warnings on with -W", function()
        assert.equal("", run{"-e", "warn('careful')"}.err)
        assert.equal("Lua warning: careful\n", run{"-W", "-e", "warn('careful')"}.err)
    end)

    it("accepts a number of threads and silence", function()
        assert.equal("1\n", out_of{"-j", "4", "-e", "print(1)"})
        assert.equal("1\n", out_of{"-j1", "-q", "-e", "print(1)"})
    end)

    it("answers wrong usage with status 2, what is wrong, and where help is", function()
        local threads = "'-j' needs a number of threads from 1 to 1024"
        local cases = {
            {{"-x"}, "unrecognized option '-x'"},
            {{"--nonsense"}, "unrecognized option '--nonsense'"},
            {{"-ix"}, "unrecognized option '-ix'"},
            {{"--e"}, "unrecognized option '--e'"},
            {{"-e"}, "'-e' needs an argument"},
            {{"-e", "-v"}, "'-e' needs an argument"},
            {{"-l"}, "'-l' needs an argument"},
            {{"-j"}, threads},
            {{"-j", "0"}, threads},
            {{"-j", "1025"}, threads},
            {{"-j", "1.5"}, threads},
            {{"-j", "99999999999999999999"}, threads},
            {{"-j", ""}, threads},
            {{"-jx"}, threads},
        }
        for _, case in ipairs(cases) do
            local result = run(case[1])
            assert.equal("dtsim: " .. case[2] .. "\ntry 'dtsim --help'\n", result.err)
            assert.equal("", result.out)
            assert.equal(2, result.code)
        end
    end)

    it("runs nothing if any option is wrong", function()
        assert.equal("", run{"-e", "print(1)", "-x"}.out)
    end)
end)
