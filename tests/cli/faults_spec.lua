-- What the program does when the world around it fails: disks that are full, a gnuplot that is not
-- there, dies, hangs or talks nonsense. A clear error, the right exit status, whole files.
local program = require "cli.program"

local SWEEP = [[
local s = dtsim.systems.h100
local sweep = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "paper"}
    :sweep{d_model = {1024, 2048, 3072, 4096, 6144, 8192}}
]]

describe("the program", function()
    local folder
    before_each(function() folder = program.folder() end)
    after_each(function() program.remove(folder) end)

    local function files()
        return program.output_of("ls -A " .. program.quote(folder) .. " | sort | tr '\n' ' '")
    end

    -- Runs a script in the folder; it is kept beside it.
    local function run(text, more)
        program.write(folder .. "/s.lua", SWEEP .. text)
        local words = {"s.lua", dir = folder}
        for key, value in pairs(more or {}) do words[key] = value end
        return program.run(words)
    end

    -- A limit of the size of files stands for a full disk: 512 bytes, enough for the message.
    local FULL = [[sh -c 'trap "" XFSZ; ulimit -f 1; exec "$@"' sh ]]

    it("keeps the old file when there is no room for the new one", function()
        for _, name in ipairs{"x.json", "x.csv", "x.md", "x.svg"} do
            for _, before in ipairs{"old", false} do
                if before then program.write(folder .. "/" .. name, before) end
                local call = name == "x.svg" and "plot" or "save"
                local result = run(("sweep:%s '%s'"):format(call, name), {prefix = FULL})
                assert.equal(before or nil, program.read(folder .. "/" .. name))
                assert.equal(before and "s.lua " .. name or "s.lua", (files():gsub(" $", "")))
                assert.truthy(result.err:find "^dtsim: s.lua:4: cannot write '[%w/_.]+': File too "
                    , result.err)
                assert.equal(name == "x.svg" and 1 or 3, result.code)
                os.remove(folder .. "/" .. name)
            end
        end
    end)

    -- A gnuplot of one's own: a shell script first in PATH.
    local function plot_with(script, seconds)
        program.write(folder .. "/bin/gnuplot", "#!/bin/sh\n" .. script .. "\n")
        os.execute("chmod 755 " .. program.quote(folder .. "/bin/gnuplot"))
        program.write(folder .. "/x.svg", "old")
        local result = run("sweep:plot 'x.svg'", {env = {
            PATH = folder .. "/bin:" .. os.getenv "PATH", DTSIM_GNUPLOT_SECONDS = seconds}})
        assert.equal("old", program.read(folder .. "/x.svg"))
        assert.equal("bin s.lua x.svg", (files():gsub(" $", "")))
        assert.equal(1, result.code)
        return result.err
    end

    it("says why a plot could not be drawn", function()
        assert.equal("dtsim: s.lua:4: gnuplot failed: no fonts\n",
            plot_with "echo no fonts >&2; exit 1")
        assert.equal("dtsim: s.lua:4: gnuplot failed: it ended with status 7\n",
            plot_with "exit 7")
        assert.equal("dtsim: s.lua:4: gnuplot failed: it drew nothing\n", plot_with "exit 0")
        assert.equal("dtsim: s.lua:4: gnuplot failed: it drew nothing: what now?\n",
            plot_with "echo 'what now?' >&2")
        assert.truthy(plot_with("kill -SEGV $$"):find("s.lua:4: gnuplot failed: ", 1, true))
        assert.truthy(plot_with("kill -KILL $$"):find("s.lua:4: gnuplot failed: ", 1, true))
    end)

    it("does not wait for a gnuplot that hangs", function()
        assert.equal("dtsim: s.lua:4: gnuplot failed: it took too long and was ended\n",
            plot_with("exec sleep 100", "1"))
    end)

    it("leaves nothing of a plot in the temporary folder", function()
        program.write(folder .. "/bin/gnuplot", "#!/bin/sh\nexit 1\n")
        os.execute("chmod 755 " .. program.quote(folder .. "/bin/gnuplot"))
        local function count() return program.output_of "ls /tmp | grep -c '^lua_'" end
        local before = count()
        run("sweep:plot 'x.svg'", {env = {PATH = folder .. "/bin:" .. os.getenv "PATH"}})
        assert.equal(before, count())
    end)
end)
