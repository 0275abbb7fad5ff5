-- The README's examples print what the README says.
local program = require "cli.program"

-- The fenced blocks of the README: a list of { kind, text }.
local function blocks()
    local list = {}
    local text = program.read("README.md")
    for kind, body in text:gmatch("\n```(%l+)\n(.-)```\n") do
        list[#list + 1] = {kind = kind, text = body}
    end
    return list
end

describe("README.md", function()
    local list = blocks()

    it("shows lines of the scenario's golden output, in their order", function()
        local golden = program.read("tests/golden/alexnet_2012.txt")
        assert.equal("output", list[1].kind)
        local at = 1
        for line in list[1].text:gmatch("[^\n]+") do
            if line ~= "..." then
                local first, last = golden:find(line .. "\n", at, true)
                assert(first, "not in the golden output, or not in this order: " .. line)
                at = last + 1
            end
        end
    end)

    it("shows what its scripts print", function()
        local scripts = 0
        for i, block in ipairs(list) do
            if block.kind == "lua" then
                scripts = scripts + 1
                local folder = program.folder()
                program.write(folder .. "/first.lua", block.text)
                local result = program.run{"first.lua", dir = folder}
                program.remove(folder)
                assert.equal("", result.err)
                assert.equal("output", list[i + 1].kind)
                assert.equal(list[i + 1].text, result.out)
            end
        end
        assert.equal(4, scripts)
    end)

    it("tells the exit statuses of --help", function()
        local help = program.run{"--help"}.out:gsub("%s+", " ")
        for status, meaning in program.read("README.md"):gmatch("\n| (%d+) | ([^|]+) |") do
            assert.truthy(help:find(status .. " " .. meaning, 1, true), meaning)
        end
    end)
end)
