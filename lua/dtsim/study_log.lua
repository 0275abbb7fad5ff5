-- study_log: a study's points on disk while it runs, as JSON Lines, and back after an interruption.
--
-- The first line holds the study without answers, each other one a point or the end of a
-- configuration's sweep; docs/schema.md has the fields. A line that an interruption cut off is
-- dropped.

local core = require "dtsim.core"
local file = require "dtsim.file"
local json = require "dtsim.json"
local record = require "dtsim.record"
local stored = require "dtsim.stored"

local study_log = {}

local Log = {}
Log.__index = Log

local function head_of(study)
    local rows = {}
    for i = 1, #study do rows[i] = stored.configuration(study[i], true) end
    return json.encode{format = "dtsim study log", version = stored.format_version,
                       study = {title = study.title, configurations = json.array(rows)}}
end

-- The whole lines of a file; nil if there is none.
local function read_lines(path)
    local input = io.open(path, "rb")
    if not input then return nil end
    local lines = {}
    for line in input:read("a"):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
    input:close()
    return lines
end

-- Files what one line says of a configuration.
local function take(study, found, line, path, number)
    local entry, reason = json.try_decode(line)
    if type(entry) ~= "table" or not entry.configuration then
        core.raise(("study:run: line %d of the log %s: %s"):format(number, path,
            reason or "no point of a study"))
    end
    local one = found[entry.configuration] or {points = {}}
    found[entry.configuration] = one
    if entry.result then
        local row = study:only(entry.configuration)[1]
        one.points[entry.point] = stored.read_point(row, entry.result)
    else
        one.ending = {end_reason = entry["end"].end_reason}
    end
end

local function write_line(self, value)
    local done, message = self.output:write(json.encode(value), "\n")
    if done then done, message = self.output:flush() end
    if not done then core.raise(("study:run: %s: %s"):format(self.path, message)) end
end

-- Opens a log for a study. resume: keep what it holds, which must be of the same study.
function study_log.open(study, path, resume)
    local head, found = head_of(study), {}
    local lines = resume and read_lines(path) or {}
    if #lines > 0 and lines[1] ~= head then
        core.raise(("study:run: the log %s is of another study (or of other settings); "
            .. "resume with the study that wrote it, or give another log"):format(path))
    end
    for i = 2, #lines do take(study, found, lines[i], path, i) end
    lines[1] = head
    local done, message = file.write_whole(path, table.concat(lines, "\n") .. "\n")
    if not done then core.raise(message) end
    local output
    output, message = io.open(path, "ab")
    if not output then core.raise(message) end
    return setmetatable({path = path, output = output, found = found}, Log)
end

-- How a sweep ended, in the words of a sweep that had a point before.
local function words(reason) return reason and reason:gsub("^%w+ must ", "no cluster can ") end

-- Runs what the log lacks of a configuration, a few widths at a time, and writes each point.
-- Returns the configuration's sweep.
function Log.run(self, row)
    local one = self.found[row.name] or {points = {}}
    local points, ending = one.points, one.ending
    while not ending and #points < #row.d_model do
        local some = {}
        for i = #points + 1, math.min(#points + row.threads, #row.d_model) do
            some[#some + 1] = row.d_model[i]
        end
        local part = row:run(some)
        for i = 1, #part do
            points[#points + 1] = part[i]
            write_line(self, {configuration = row.name, point = #points,
                              result = record.plain(part[i])})
        end
        if part.settings.interrupted then core.raise "interrupted!" end
        if #part < #some or part[#part].utilization < row.stop_utilization then
            ending = {end_reason = words(part.settings.end_reason)}
        end
    end
    if not one.ending then
        ending = ending or {}
        write_line(self, {configuration = row.name, ["end"] = json.object(ending)})
    end
    return stored.new_sweep(row, points, ending or {})
end

function Log.close(self) self.output:close() end

return study_log
