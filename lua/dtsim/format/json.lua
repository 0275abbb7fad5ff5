-- json: a sweep as JSON, complete.

local json = require "dtsim.json"

local format = {}

-- A sweep as JSON text, indented.
function format.sweep(sweep) return json.encode(sweep:plain(), {indent = 1}) .. "\n" end

-- A study as JSON text, indented: what dtsim.study.load reads.
function format.study(study) return json.encode(study:plain(), {indent = 1}) .. "\n" end

return format
