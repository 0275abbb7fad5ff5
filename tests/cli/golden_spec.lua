-- Every scenario prints what tests/golden says. `make golden` writes those files anew.
local program = require "cli.program"

local update = os.getenv("DTSIM_UPDATE_GOLDEN") == "1"

local function names(folder, ending)
    local list = {}
    local command = ("ls %s | sed -n 's/\\.%s$//p'"):format(folder, ending)
    for name in program.output_of(command):gmatch("[^\n]+") do list[#list + 1] = name end
    return list
end

-- Runs a scenario with a folder for its files; returns the result and the folder.
local function run_scenario(name)
    local folder = program.folder()
    os.execute("mkdir " .. folder .. "/out")
    local script = program.top .. "/scenarios/" .. name .. ".lua"
    return program.run{script, "--out", "out", dir = folder}, folder
end

describe("the scenario", function()
    for _, name in ipairs(names("scenarios", "lua")) do
        it(name .. " prints its golden output", function()
            local result, folder = run_scenario(name)
            program.remove(folder)
            assert.equal("", result.err)
            assert.equal(0, result.code)
            local path = "tests/golden/" .. name .. ".txt"
            if update then program.write(path, result.out) end
            local golden = program.read(path)
            assert(golden, path .. " is missing; make golden writes it")
            assert.equal(golden, result.out)
        end)
    end

    it("is there for each golden output", function()
        assert.same(names("scenarios", "lua"), names("tests/golden", "txt"))
    end)
end)
