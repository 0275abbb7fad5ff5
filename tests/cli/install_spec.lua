-- make install and make uninstall.
local program = require "cli.program"

local function make(goal, folder)
    local command = ("make %s BUILD=%s PREFIX=/opt/dt DESTDIR=%s >%s/log 2>&1"):format(
        goal, program.quote(program.build), folder, folder)
    assert(os.execute(command), program.read(folder .. "/log"))
    os.remove(folder .. "/log")
end

describe("make install", function()
    if program.sanitized then
        pending("is for programs without sanitizers")
        return
    end

    it("puts everything below the prefix, and uninstall takes exactly that back", function()
        local folder = program.folder()
        local prefix = folder .. "/opt/dt"
        program.write(prefix .. "/share/lua/5.4/dtsim/others.lua", "return 'kept'")
        make("install", folder)
        for _, path in ipairs{"bin/dtsim", "lib/lua/5.4/dtsim/core.so", "lib/lua/5.4/dtsim/file.so",
                              "share/lua/5.4/dtsim/init.lua", "share/doc/dtsim/README.md"} do
            assert.truthy(program.read(prefix .. "/" .. path), path)
        end
        assert.truthy(os.execute("ls " .. prefix .. "/share/dtsim/scenarios/*.lua >/dev/null"))

        local result = program.run{"-e", "print(type(dtsim))", program = prefix .. "/bin/dtsim"}
        assert.equal("table\n", result.out)
        local lua = prefix .. "/share/lua/5.4/"
        result = program.run{"-e", "print(type(require 'dtsim'))", program = "lua5.4", env = {
            LUA_PATH = lua .. "?.lua;" .. lua .. "?/init.lua;;",
            LUA_CPATH = prefix .. "/lib/lua/5.4/?.so;;",
        }}
        assert.equal("", result.err)
        assert.equal("table\n", result.out)

        make("uninstall", folder)
        assert.equal(prefix .. "/share/lua/5.4/dtsim/others.lua",
                     program.output_of("find " .. prefix .. " -type f"))
        program.remove(folder)
    end)
end)
