-- make install, make uninstall and make deb.
local program = require "cli.program"

local function make(goal, folder, settings)
    local log = program.folder()
    local command = ("make %s BUILD=%s PREFIX=/opt/dt DESTDIR=%s %s >%s/log 2>&1"):format(
        goal, program.quote(program.build), folder, settings or "", log)
    local done = os.execute(command)
    local told = program.read(log .. "/log")
    program.remove(log)
    assert(done, told)
end

-- The files below a folder, sorted, one a line.
local function files(folder)
    return program.output_of("cd " .. folder .. " && find . ! -type d | sort")
end

local function environment_of(prefix)
    local lua = prefix .. "/share/lua/5.4/"
    return {
        LUA_PATH = lua .. "?.lua;" .. lua .. "?/init.lua;;",
        LUA_CPATH = prefix .. "/lib/lua/5.4/?.so;;",
    }
end

if program.sanitized then
    pending("installing is for programs without sanitizers")
    return
end

describe("make install", function()
    local folder, prefix
    before_each(function()
        folder = program.folder()
        prefix = folder .. "/opt/dt"
    end)
    after_each(function() program.remove(folder) end)

    it("puts everything below the prefix, and nothing else anywhere", function()
        make("install", folder)
        assert.equal("opt\n", program.output_of("ls " .. folder) .. "\n")
        for _, path in ipairs{
            "bin/dtsim", "lib/lua/5.4/dtsim/core.so", "lib/lua/5.4/dtsim/file.so",
            "share/lua/5.4/dtsim/init.lua", "share/man/man1/dtsim.1",
            "share/bash-completion/completions/dtsim", "share/zsh/site-functions/_dtsim",
            "share/doc/dtsim/dtsim-scm-1.rockspec", "share/doc/dtsim/api.md",
        } do
            assert.truthy(program.read(prefix .. "/" .. path), path)
        end
        for path in program.output_of("ls README.md scenarios/*.lua 2>/dev/null"):gmatch "[^\n]+" do
            local place = path:find "^scenarios" and "share/dtsim/" or "share/doc/dtsim/"
            assert.truthy(program.read(prefix .. "/" .. place .. path), path)
        end
        local library = program.output_of("cd lua && find . -name '*.lua' | sort")
        assert.equal(library, files(prefix .. "/share/lua/5.4"))
        local files_for_all = "find " .. prefix .. " -type f ! -perm -444"
        assert.equal("", program.output_of(files_for_all))
    end)

    it("gives a program and a module for a stock lua5.4", function()
        make("install", folder)
        local code = "print(require 'dtsim'.gpus.v100.sms)"
        local result = program.run{"-e", code, program = prefix .. "/bin/dtsim"}
        assert.equal("80.0\n", result.out)
        result = program.run{"-e", code, program = "lua5.4", env = environment_of(prefix)}
        assert.equal("", result.err)
        assert.equal("80.0\n", result.out)
    end)

    it("puts the module alone where LuaRocks says", function()
        make("install-module", folder, ("LUADIR=%s/l SODIR=%s/c/dtsim"):format(folder, folder))
        assert.equal("./core.so\n./file.so", files(folder .. "/c/dtsim"))
        local env = {
            LUA_PATH = ("%s/l/?.lua;%s/l/?/init.lua;;"):format(folder, folder),
            LUA_CPATH = folder .. "/c/?.so;;",
        }
        local code = "print(require 'dtsim'.version)"
        local result = program.run{"-e", code, program = "lua5.4", env = env}
        assert.equal("", result.err)
    end)

    it("is taken back by uninstall, which leaves what others have put there", function()
        local others = {"share/lua/5.4/dtsim/others.lua", "share/man/man1/other.1", "bin/other",
                        "share/doc/dtsim/notes.txt"}
        for _, path in ipairs(others) do program.write(prefix .. "/" .. path, "kept") end
        local before = files(folder)
        make("install", folder)
        assert.not_equal(before, files(folder))
        make("uninstall", folder)
        assert.equal(before, files(folder))
        make("uninstall", folder) -- again does no harm
        assert.equal(before, files(folder))
    end)

    it("leaves no folder of its own behind", function()
        make("install", folder)
        make("uninstall", folder)
        assert.equal("", program.output_of("find " .. folder .. " -name '*dtsim*'"))
    end)
end)

describe("the rockspec", function()
    it("is Lua that names what dtsim needs", function()
        local spec = {}
        assert(loadfile("src/package/dtsim-scm-1.rockspec", "t", spec))()
        assert.equal("dtsim", spec.package)
        local needs = table.concat(spec.dependencies, " ")
        for _, name in ipairs{"lua >= 5.4", "lpeg", "lua%-cjson"} do
            assert.truthy(needs:find(name), name)
        end
        for _, goal in ipairs{spec.build.build_target, spec.build.install_target} do
            assert.truthy(program.output_of("make -n " .. goal .. " 2>&1") ~= "", goal)
        end
    end)
end)

describe("make deb", function()
    if not os.execute "command -v dpkg-deb >/dev/null" then
        pending("needs dpkg-deb")
        return
    end

    it("builds a package that says what it needs, and runs", function()
        local folder = program.folder()
        local path = program.output_of("make -s deb BUILD=" .. program.quote(program.build))
        local package = program.quote(path)
        local function field(name)
            return program.output_of(("dpkg-deb -f %s %s"):format(package, name))
        end
        assert.equal("dtsim", field "Package")
        assert.equal(program.run{"-v"}.out:match "^dtsim (%S+)", field "Version")
        local needs = field "Depends"
        for _, name in ipairs{"libc6", "liblua5.4-0", "lua-lpeg", "lua-cjson"} do
            assert.truthy(needs:find(name, 1, true), name)
        end
        local libedit = program.output_of("ldd " .. program.quote(program.path)):find "libedit"
        assert.equal(libedit ~= nil, needs:find "libedit2" ~= nil)

        assert(os.execute(("dpkg-deb -x %s %s"):format(package, folder)))
        local list = "dpkg-deb -c " .. package
        local owners = program.output_of(list .. " | awk '{print $2}' | sort -u")
        assert.equal("root/root", owners)
        local result = program.run{"-e", "print(dtsim.gpus.v100.sms)",
                                   program = folder .. "/usr/bin/dtsim"}
        assert.equal("80.0\n", result.out)
        assert(os.execute(("dpkg-deb -e %s %s/control"):format(package, folder)))
        assert(os.execute(("cd %s && md5sum --quiet -c control/md5sums"):format(folder)))
        program.remove(folder)
    end)
end)
