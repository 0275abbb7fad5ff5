-- The time of a whole study: five configurations with the wide search, saved as JSON and plotted.
--
-- usage: build/dtsim tests/bench/study.lua [--repeat N]      from the project's top
-- One line, tab-separated; the time is the least of N runs on one core, wall clock, each a program
-- of its own from its start to its end, gnuplot included:
--   study         name
--   points        points found
--   wall_s        time
--   limit_s       what it may take

local options = dtsim.arguments(arg, "usage: dtsim tests/bench/study.lua [--repeat N]",
    {["repeat"] = "5"})

local LIMIT_S = 2

local SCRIPT = [[
local study = dtsim.presets.network_comparison:change_all{search = "wide"}
study:run():save(arg[1] .. "/x.json")
study:plot(arg[1] .. "/x.svg")
local points = 0
for _, row in ipairs(study:results()) do points = points + #row.sweep end
print(points)
]]

local function output_of(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read "a"
    assert(pipe:close(), command)
    return text
end

local folder = output_of("mktemp -d"):gsub("\n", "")
local script = assert(io.open(folder .. "/study.lua", "w"))
script:write(SCRIPT)
script:close()

local command = ("start=$(date +%%s%%N); taskset -c 0 '%s' %s/study.lua %s; "
    .. "echo $(($(date +%%s%%N) - start))"):format(arg[-1] or "build/dtsim", folder, folder)
local least, points = math.huge, nil
for _ = 1, assert(tonumber(options["repeat"])) do
    local found, nanoseconds = output_of(command):match "^(%d+)\n(%d+)\n$"
    least, points = math.min(least, tonumber(nanoseconds) / 1e9), found
end
os.execute("rm -rf " .. folder)

print "study\tpoints\twall_s\tlimit_s"
print(("network_comparison, wide\t%s\t%.2f\t%d"):format(points, least, LIMIT_S))
