-- Reports, opened in a real browser.
local dtsim = require "dtsim"
local json = require "dtsim.json"
local program = require "cli.program"

local HOSTILE = [[a"; </script><script>alert(1)</script> <b>&amp; 'q' %s]]

local SCRIPT = [[
    local study = dtsim.study{title = "Two <GPUs>", search = "paper",
        {name = %q, system = "v100"}, {name = "H100", system = "h100"}}
    study:report "x.html"
    study:save "x.json"]]

describe("a report", function()
    local folder, seen
    setup(function()
        folder = program.folder()
        local result = program.run{"-e", SCRIPT:format(HOSTILE), dir = folder}
        assert.equal("", result.err)
        local command = ("python3 tests/cli/browser.py %s/x.html %s 2>%s/err")
            :format(folder, folder, folder)
        local text = program.output_of(command)
        seen = json.try_decode(text)
        assert(seen, text .. program.read(folder .. "/err"))
    end)
    teardown(function() program.remove(folder) end)

    it("shows values on hover", function()
        assert.equal("none", seen.before_hover)
        assert.equal("block", seen.tip_display)
        assert.equal(seen.tip_expected, seen.tip)
        assert.truthy(seen.tip:find(HOSTILE .. "\n", 1, true))
        assert.truthy(seen.tip:find("\nutilization %d+%.%d %%, %d%.%d%d months\n"))
        assert.equal("none", seen.after_hover)
    end)

    it("sorts its tables by number and by text, both ways", function()
        local function numbers(list)
            local all = {}
            for i, text in ipairs(list) do all[i] = assert(tonumber(text), text) end
            return all
        end
        local up, down = numbers(seen.up), numbers(seen.down)
        assert.equal(31, #up)
        for i = 2, #up do
            assert.is_true(up[i] >= up[i - 1])
            assert.is_true(down[i] <= down[i - 1])
        end
        assert.is_true(up[1] < up[#up])
        assert.equal("descending", seen.sort)
        assert.same({HOSTILE, "H100"}, seen.names)
    end)

    it("gives the complete JSON, as save does", function()
        assert.same({"dtsim-study.json"}, seen.downloads)
        local study = dtsim.study.load(folder .. "/download/dtsim-study.json")
        assert.equal(31, #study:sweep("H100"))
        study:save(folder .. "/y.json")
        assert.equal(program.read(folder .. "/x.json"), program.read(folder .. "/y.json"))
    end)

    it("is one page without errors that asks for nothing else", function()
        assert.same({}, seen.log)
        assert.equal(0, seen.resources)
        assert.equal(2, seen.scripts)
        assert.is_false(seen.overflow)
        assert.equal("Two <GPUs>", seen.title)
        local text = program.read(folder .. "/x.html")
        for address in text:gmatch "https?://[^\"' ]+" do
            assert.equal("http://www.w3.org/2000/svg", address)
        end
    end)

    it("has hardware, settings and what limits each point", function()
        local text = program.read(folder .. "/x.html")
        for _, words in ipairs{"<td>GPU: memory bandwidth</td><td>900 GB/s</td><td>3.35 TB/s</td>",
                               "<td>network level 2: bandwidth</td>", "<td>law of batch</td>",
                               "<td>search</td><td>paper</td>",
                               "<th scope=\"col\">what limits it</th>",
                               "no cluster can finish before the deadline"} do
            assert.truthy(text:find(words, 1, true), words)
        end
    end)

    it("says what is wrong", function()
        local function fails(message, f, ...)
            local ok, got = pcall(f, ...)
            assert.is_false(ok)
            assert.truthy(got:find(message, 1, true), got)
        end
        local study = dtsim.study{{system = "h100"}}
        fails("must end in .html, got \"x.pdf\"", study.report, study, "x.pdf")
        fails("has no configuration", function() dtsim.study{}:report "x.html" end)
    end)
end)
