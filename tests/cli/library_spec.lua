-- Where the program and a stock Lua find the library.
local program = require "cli.program"
local run = program.run

describe("the library", function()
    it("is in the program, which runs alone in another folder", function()
        local folder = program.folder()
        os.execute(("cp %s %s/alone"):format(program.quote(program.path), folder))
        local code = "print(type(dtsim), dtsim == require 'dtsim', dtsim == package.loaded.dtsim)"
        local result = run{"-e", code, program = folder .. "/alone", dir = "/"}
        assert.equal("", result.err)
        assert.equal("table\ttrue\ttrue\n", result.out)
        program.remove(folder)
    end)

    it("holds every file of lua/, each a module by its path", function()
        local files = program.output_of("cd lua && find . -name '*.lua' | sort")
        for file in files:gmatch("%./([^\n]+)%.lua") do
            local name = file:gsub("/init$", ""):gsub("/", ".")
            local code = ("print(package.searchers[2](%q))"):format(name)
            local pattern = "^function: .*\tlua/" .. file .. ".lua\n$"
            assert.truthy(run{"-e", code}.out:find(pattern), name)
        end
    end)

    it("comes from the directory DTSIM_LUA first, file by file", function()
        local folder = program.folder()
        program.write(folder .. "/dtsim/mine.lua", "return 'mine ' .. select(2, ...)")
        program.write(folder .. "/dtsim/deep/init.lua", "return 'deep'")
        local code = "print(require 'dtsim.mine', require 'dtsim.deep', type(dtsim))"
        local result = run{"-e", code, env = {DTSIM_LUA = folder}}
        assert.equal(("mine %s/dtsim/mine.lua\tdeep\ttable\n"):format(folder), result.out)
        program.write(folder .. "/dtsim/init.lua", "return 'replaced'")
        assert.equal("replaced\n", run{"-e", "print(dtsim)", env = {DTSIM_LUA = folder}}.out)
        program.remove(folder)
    end)

    it("says which file does not load", function()
        local folder = program.folder()
        program.write(folder .. "/dtsim/init.lua", "return = 1")
        local result = run{"-e", "print(1)", env = {DTSIM_LUA = folder}}
        assert.equal(("dtsim: error loading module 'dtsim' from '%s/dtsim/init.lua':\n" ..
                      "\t%s/dtsim/init.lua:1: unexpected symbol near '='\n"):format(folder, folder),
                     result.err)
        assert.equal(1, result.code)
        program.remove(folder)
    end)

    it("leaves other modules of that name to the path", function()
        local folder = program.folder()
        program.write(folder .. "/dtsim/extra.lua", "return 'extra'")
        assert.equal("extra\n", run{"-e", "print((require 'dtsim.extra'))", dir = folder}.out)
        local err = run{"-e", "require 'dtsim.none'"}.err
        assert.truthy(err:find("\n\tno module 'dtsim.none' in the program\n", 1, true))
        program.remove(folder)
    end)

    it("loads in a stock lua5.4", function()
        if program.sanitized then
            pending("a lua5.4 without the sanitizers cannot load it")
            return
        end
        local env = {LUA_PATH = program.top .. "/lua/?.lua;" .. program.top .. "/lua/?/init.lua;;",
                     LUA_CPATH = program.build .. "/lib/?.so;;"}
        local code = "print(type(require 'dtsim'), type(require 'dtsim.file'.write_whole))"
        local result = run{"-e", code, env = env, program = "lua5.4"}
        assert.equal("", result.err)
        assert.equal("table\tfunction\n", result.out)
    end)

    it("gives the same numbers in a stock lua5.4", function()
        if program.sanitized then
            pending("a lua5.4 without the sanitizers cannot load it")
            return
        end
        local env = {LUA_PATH = program.top .. "/lua/?.lua;" .. program.top .. "/lua/?/init.lua;;",
                     LUA_CPATH = program.build .. "/lib/?.so;;"}
        local code = "local dtsim = require 'dtsim'\nlocal s = dtsim.systems.a100\n" ..
            "local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = 'paper'}\n" ..
            "local plain = o:sweep():plain()\n" ..
            "for _, point in ipairs(plain.points) do point.search = nil end\n" ..
            "print(dtsim.json.encode(plain))"
        local stock = run{"-e", code, env = env, program = "lua5.4"}
        assert.equal("", stock.err)
        assert.equal(0, stock.code)
        assert.is_true(#stock.out > 1000)
        assert.equal(run{"-e", code}.out, stock.out)
    end)

    it("runs a scenario in a stock lua5.4", function()
        if program.sanitized then
            pending("a lua5.4 without the sanitizers cannot load it")
            return
        end
        local env = {LUA_PATH = program.top .. "/lua/?.lua;" .. program.top .. "/lua/?/init.lua;;",
                     LUA_CPATH = program.build .. "/lib/?.so;;"}
        local script = program.top .. "/scenarios/alexnet_2012.lua"
        local stock = run{script, "--out", ".", env = env, program = "lua5.4"}
        assert.equal("", stock.err)
        assert.equal(run{script, "--out", "."}.out, stock.out)
    end)
end)
