-- The scripts of docs/studies.md print what stands below them. `make golden` writes that anew.
local program = require "cli.program"

local PATH = "docs/studies.md"
local PAIR = "(\n```lua\n(.-)```\n\n```output\n)(.-)(```\n)"

local function output_of(script)
    local folder = program.folder()
    program.write(folder .. "/x.lua", script)
    local result = program.run{"x.lua", dir = folder}
    program.remove(folder)
    assert.equal("", result.err)
    return result.out
end

describe(PATH, function()
    it("shows what its scripts print", function()
        local text, count = program.read(PATH), 0
        if os.getenv("DTSIM_UPDATE_GOLDEN") == "1" then
            text = text:gsub(PAIR, function(head, script, _, tail)
                return head .. output_of(script) .. tail
            end)
            program.write(program.top .. "/" .. PATH, text)
        end
        for _, script, output in text:gmatch(PAIR) do
            assert.equal(output_of(script), output)
            count = count + 1
        end
        local _, scripts = text:gsub("\n```lua\n", "")
        assert.equal(scripts, count, "every script has its output")
    end)
end)
