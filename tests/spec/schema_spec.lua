-- docs/schema.md names every field of the files.
local program = require "cli.program"

local documented = {}
for name in program.read("docs/schema.md"):gmatch "`\"?([%w_ ]+)\"?`" do documented[name] = true end

-- Raises for a key that is not documented. free: keys of this table are the user's.
local function check(value, path, free)
    if type(value) ~= "table" then return end
    for key, item in pairs(value) do
        if type(key) == "string" and not free then
            assert.is_true(documented[key] == true, path .. "." .. key)
        end
        local names = key == "flop_per_clock_per_thread"
            or key == "options" or path == "samples" and key == "values"
        check(item, type(key) == "string" and key or path, names)
    end
end

describe("the schema", function()
    local folder, study
    setup(function()
        folder = program.folder()
        local gpu = dtsim.gpus.h100:with{price = "$30 k", idle_power = "100 W"}
        study = dtsim.study{title = "All", search = "paper", {name = "A", note = "n",
            system = "h100", gpu = gpu, options = {max_gpus = 1e9}, d_ff = 98304,
            d_model = {24576, 12288 * 128}}}:run()
    end)
    teardown(function() program.remove(folder) end)

    local function read(name) return dtsim.json.decode(program.read(folder .. "/" .. name)) end

    it("names every field of a study", function()
        study:save(folder .. "/x.json")
        local plain = read "x.json"
        check(plain, "study")
        assert.same({"dtsim study", 1}, {plain.format, plain.version})
        assert.truthy(plain.configurations[1].results.points[1].cost)
    end)

    it("names every field of a log", function()
        study:run{log = folder .. "/x.jsonl"}
        for line in io.lines(folder .. "/x.jsonl") do check(dtsim.json.decode(line), "log") end
    end)

    it("names every field of a sweep and of sensitivities", function()
        study:sweep(1):save(folder .. "/x.json")
        check(read "x.json", "sweep")
        for _, answer in ipairs{
            study:tornado{factors = {"memory"}},
            study:grid{x = {"memory", "80 GB"}, y = {"2.bandwidth", "1 GB/s"}},
            study:monte_carlo{n = 2, parameters = {memory = {"40 GB", "80 GB"}}},
        } do
            answer:save(folder .. "/y.json")
            local plain = read "y.json"
            check(plain, "answer")
            assert.is_true(documented[plain.format], plain.format)
        end
    end)
end)
