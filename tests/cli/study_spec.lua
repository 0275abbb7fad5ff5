-- Studies from outside: other readers of the files, and interruptions.
local program = require "cli.program"

describe("a study's JSON", function()
    local folder
    setup(function()
        folder = program.folder()
        local result = program.run{"-e", [[
            dtsim.presets.network_comparison:run():save "x.json"
            dtsim.presets.base_comparison:run{log = "log.jsonl"}]], dir = folder}
        assert.equal("", result.err)
    end)
    teardown(function() program.remove(folder) end)

    local function first_fields(command)
        return program.output_of(("cd %s && %s 2>&1"):format(folder, command))
    end

    it("is read by Python", function()
        assert.equal("dtsim study 1 5 31 900000000000 inf 0.052", first_fields([[python3 -c '
import json
study = json.load(open("x.json"))
rows = study["configurations"]
last = rows[0]["results"]["points"][-1]
print(study["format"], study["version"], len(rows), len(rows[0]["results"]["points"]),
      rows[0]["network"][0]["bandwidth"], rows[4]["network"][0]["bandwidth"],
      round(last["utilization"], 3))
']]))
    end)

    it("is read by jq", function()
        assert.equal("[\"dtsim study\",1,5,31]", first_fields("jq -c '[.format, .version, "
            .. "(.configurations | length), (.configurations[0].results.points | length)]' x.json"))
        assert.equal("3", first_fields("jq -s '[.[] | select(.end)] | length' log.jsonl"))
        assert.equal("\"dtsim study log\"", first_fields("head -n 1 log.jsonl | jq .format"))
    end)
end)

describe("an interrupted study", function()
    local script = [[
        local study = dtsim.study{{name = "A", system = "v100"}, {name = "B", system = "a100"},
                                  {name = "C", system = "h100"}}
        study:run{log = arg[1], resume = true}
        study:save(arg[1] .. ".txt")]]

    it("keeps every finished point, and goes on from there", function()
        local folder = program.folder()
        program.write(folder .. "/study.lua", script)
        -- The log's third line is the sign to interrupt.
        local log = folder .. "/log"
        local watch = ("sh -c 'while [ $(cat %s 2>/dev/null | wc -l) -lt 3 ]; do sleep 0.01; "
            .. "done; touch ready' & "):format(log)
        local result = program.interrupt{folder .. "/study.lua", log,
                                         prefix = "sh -c '" .. watch:gsub("'", "'\\''")
            .. "exec \"$@\"' -"}
        assert.equal(130, result.code, result.err)
        local text = program.read(log)
        local _, kept = text:gsub("\n", "")
        assert.is_true(kept >= 3)
        assert.equal("\n", text:sub(-1))
        assert.is_nil(program.read(log .. ".txt"))

        result = program.run{folder .. "/study.lua", log}
        assert.equal("", result.err)
        assert.equal(text, program.read(log):sub(1, #text))
        result = program.run{folder .. "/study.lua", folder .. "/whole"}
        assert.equal("", result.err)
        assert.equal(program.read(folder .. "/whole.txt"), program.read(log .. ".txt"))
        program.remove(folder)
    end)
end)
