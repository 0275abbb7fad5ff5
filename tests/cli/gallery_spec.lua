-- The gallery shows what the scenarios print: every block of docs/gallery.md behind the line
-- "<!-- NAME -->" is tests/golden/NAME.txt. `make golden` writes the blocks anew.
local program = require "cli.program"

local PATH = "docs/gallery.md"
local BLOCK = "(<!%-%- ([%w_]+) %-%->\n```text\n)(.-)(```\n)"

describe("the gallery", function()
    local function golden(name)
        local text = program.read("tests/golden/" .. name .. ".txt")
        return assert(text, "the gallery shows " .. name .. ", which has no golden output")
    end

    it("shows the true output of its scenarios", function()
        local text = program.read(PATH)
        if os.getenv("DTSIM_UPDATE_GOLDEN") == "1" then
            text = text:gsub(BLOCK, function(head, name, _, tail)
                return head .. golden(name) .. tail
            end)
            program.write(program.top .. "/" .. PATH, text)
        end
        local shown = 0
        for _, name, block in text:gmatch(BLOCK) do
            assert.equal(golden(name), block, name)
            shown = shown + 1
        end
        local _, marks = text:gsub("\n<!%-%- ", "")
        assert.equal(marks, shown, "every mark has its block")
    end)

    it("shows every scenario", function()
        local text = program.read(PATH)
        for name in program.output_of("ls scenarios"):gmatch "([^\n]+)%.lua" do
            assert.truthy(text:find("<!-- " .. name .. " -->", 1, true), name)
            assert.truthy(text:find("scenarios/" .. name .. ".lua", 1, true), name)
        end
    end)

    it("has its pictures", function()
        for path in program.read(PATH):gmatch "%]%((gallery/[^)]+)%)" do
            assert.truthy(program.read("docs/" .. path), path)
        end
    end)
end)
