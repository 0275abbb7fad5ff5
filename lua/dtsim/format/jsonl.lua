-- jsonl: a study as JSON Lines: one point a line.

local json = require "dtsim.json"
local record = require "dtsim.record"

local format = {}

-- A study's points, one JSON object a line: { configuration, point (its number), result }.
function format.study(study)
    local lines = {}
    for _, answer in ipairs(study:results()) do
        for i = 1, #answer.sweep do
            lines[#lines + 1] = json.encode{configuration = answer.configuration.name, point = i,
                                            result = record.plain(answer.sweep[i])}
        end
    end
    lines[#lines + 1] = ""
    return table.concat(lines, "\n")
end

return format
