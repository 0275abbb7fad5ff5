-- study: configurations side by side, each with its sweep, in order.

local core = require "dtsim.core"
local configuration = require "dtsim.configuration"
local file = require "dtsim.file"
local json = require "dtsim.json"
local messages = require "dtsim.messages"
local record = require "dtsim.record"
local shape = require "dtsim.stored_shape"
local stored = require "dtsim.stored"
local study_log = require "dtsim.study_log"

local study = {}

-- Each study's title and configurations.
local contents = setmetatable({}, {__mode = "k"})

-- The sweep of each configuration that was run. A configuration that goes from one study into
-- another takes its answers along.
local answers = setmetatable({}, {__mode = "k"})

local methods = {}
local make

-- The position of a configuration given by name or number.
local function position(self, which)
    local list, names = contents[self].configurations, {}
    for i, row in ipairs(list) do
        if i == which or row.name == which then return i end
        names[i] = row.name
    end
    core.raise(messages.unknown("study", "configuration", which, names))
end

local function copy_list(self)
    return {table.unpack(contents[self].configurations)}
end

-- A copy with one configuration more, at the end. fields: as in dtsim.study.
function methods.add(self, fields)
    local list = copy_list(self)
    list[#list + 1] = configuration.new(fields, "configuration " .. #list + 1)
    return make(contents[self].title, list)
end

-- A copy in which one configuration, given by name or number, has changed fields.
function methods.change(self, which, changes)
    local list, i = copy_list(self), position(self, which)
    list[i] = list[i]:with(changes)
    return make(contents[self].title, list)
end

-- A copy in which every configuration has changed fields.
function methods.change_all(self, changes)
    local list = copy_list(self)
    for i in ipairs(list) do list[i] = list[i]:with(changes) end
    return make(contents[self].title, list)
end

-- A copy without the configurations of the given names or numbers.
function methods.without(self, ...)
    local out, list = {}, {}
    for _, which in ipairs{...} do out[position(self, which)] = true end
    for i, row in ipairs(contents[self].configurations) do
        if not out[i] then list[#list + 1] = row end
    end
    return make(contents[self].title, list)
end

-- A copy with the configurations of the given names or numbers alone, in the study's order.
function methods.only(self, ...)
    local kept, list = {}, {}
    for _, which in ipairs{...} do kept[position(self, which)] = true end
    for i, row in ipairs(contents[self].configurations) do
        if kept[i] then list[#list + 1] = row end
    end
    return make(contents[self].title, list)
end

-- Whether a configuration's sweep was run to its end. (At the prompt an interrupted sweep gives the
-- points that it has.)
local function is_done(row) return answers[row] ~= nil and not answers[row].settings.interrupted end

local RUN_OPTIONS = {"only", "log", "resume", "again"}
local is_run_option = {}
for _, name in ipairs(RUN_OPTIONS) do is_run_option[name] = true end

local function check_run_options(options)
    if type(options) ~= "table" then
        core.raise("study:run: options must be a table, " .. core.got(options))
    end
    for key in pairs(options) do
        if not is_run_option[key] then
            core.raise(messages.unknown("study:run", "option", key, RUN_OPTIONS))
        end
    end
    if options.only ~= nil and type(options.only) ~= "table" then
        core.raise("study:run: only must be a list of names or numbers, " .. core.got(options.only))
    end
    if options.log ~= nil and type(options.log) ~= "string" then
        core.raise("study:run: log must be a path, " .. core.got(options.log))
    end
    if options.resume and not options.log then
        core.raise "study:run: resume goes on from a log: give its path as log"
    end
end

-- Runs the sweeps that are not known yet. options, all optional:
--   only     list of names or numbers of the configurations to run, also of disabled ones; all
--            enabled ones where absent
--   log      path of a JSON Lines file that gets every point as soon as it is found
--   resume   true: go on from what the log of an interrupted run of this study holds
--   again    true: run what was run before too
-- Interrupted at the prompt, it keeps the points found so far and runs no further.
-- Returns the study. Errors: unknown options and configurations, a log that cannot be written or
-- belongs to another study.
function methods.run(self, options)
    options = options or {}
    check_run_options(options)
    local list, wanted = contents[self].configurations, {}
    for _, which in ipairs(options.only or {}) do wanted[position(self, which)] = true end
    local log = options.log and study_log.open(self, options.log, options.resume)
    for i, row in ipairs(list) do
        local is_due = options.only and wanted[i] or not options.only and row.enabled
        if is_due and (options.again or log or not is_done(row)) then
            answers[row] = log and log:run(row) or row:run()
            if not is_done(row) then break end
        end
    end
    if log then log:close() end
    return self
end

-- The sweep of a configuration, given by name or number; it is run if it was not.
function methods.sweep(self, which)
    local row = contents[self].configurations[position(self, which)]
    if not is_done(row) then answers[row] = row:run() end
    return answers[row]
end

-- Configurations with their sweeps, in order: a list of { configuration, sweep } of all that were
-- run; if none was, the enabled ones are run first.
function methods.results(self)
    local list = {}
    for pass = 1, 2 do
        for _, row in ipairs(contents[self].configurations) do
            if answers[row] then
                list[#list + 1] = {configuration = row, sweep = answers[row]}
            end
        end
        if #list > 0 or pass == 2 then return list end
        methods.run(self)
    end
end

-- The study as plain tables for JSON. quiet: no warnings.
function methods.plain(self, quiet)
    local rows = {}
    for i, row in ipairs(contents[self].configurations) do
        rows[i] = stored.configuration(row, quiet)
        rows[i].results = answers[row] and stored.sweep(answers[row]) or nil
    end
    return {format = "dtsim study", version = stored.format_version, title = self.title,
            configurations = json.array(rows)}
end

local FORMATS = {json = "json", jsonl = "jsonl", csv = "csv", md = "markdown", txt = "table"}

-- Writes the study, with the answers it has, to a file whose name ends in .json, .jsonl, .csv,
-- .md or .txt: whole or not at all. Returns true.
function methods.save(self, path)
    local ending = type(path) == "string" and path:match "%.(%w+)$"
    local format = ending and FORMATS[ending:lower()]
    if not format then
        core.raise(("study:save: the file's name must end in .json, .jsonl, .csv, .md or .txt, "
            .. "got \"%s\""):format(tostring(path)))
    end
    local text = require("dtsim.format." .. format).study(self)
    local done, message = file.write_whole(path, text)
    if not done then core.raise(message) end
    return true
end

-- Draws the study; see dtsim.plot.
function methods.plot(self, path, options)
    return require "dtsim.plot".study(self, path, options)
end

-- Writes a page of HTML; see dtsim.report.
function methods.report(self, path) return require "dtsim.report".write(self, path) end

-- What moves a configuration's limit most; see dtsim.sensitivity.
function methods.tornado(self, options)
    return require "dtsim.sensitivity".tornado(self, options)
end
function methods.grid(self, options)
    return require "dtsim.sensitivity".grid(self, options)
end
function methods.monte_carlo(self, options)
    return require "dtsim.sensitivity".monte_carlo(self, options)
end

local metatable = {__name = "study", __metatable = false}
record.adopt(metatable, {name = "study", fields = {"title"}, methods = methods})

function metatable.__index(self, key)
    local values = contents[self]
    if math.type(key) == "integer" then return values.configurations[key] end
    if methods[key] then return methods[key] end
    if key == "title" then return values.title end
    local names = {"title"}
    for name in pairs(methods) do names[#names + 1] = name end
    core.raise(messages.unknown("study", "field", key, names))
end

-- Help knows a study as it knows records.
if record.types then
    record.types.study = {name = "study", fields = {"title"}, methods = methods}
end

function metatable.__newindex()
    core.raise "a study cannot be changed; make a changed copy: study:change(name, { ... })"
end
function metatable.__len(self) return #contents[self].configurations end
function metatable.__pairs(self) return ipairs(contents[self].configurations) end
function metatable.__tostring(self) return require "dtsim.format.table".study_summary(self) end

function make(title, list)
    local seen = {}
    for i, row in ipairs(list) do
        if seen[row.name] then
            core.raise(("study: configurations %d and %d are both named '%s'"):format(
                seen[row.name], i, row.name))
        end
        seen[row.name] = i
    end
    local made = setmetatable({}, metatable)
    contents[made] = {title = title, configurations = list}
    return made
end

-- A study. given: a list of configurations (see dtsim.configuration), with `title` (text) and, for
-- all that do not say otherwise, any of laws, overlap, schedules, zero_bubble_latency, search,
-- threads, duration, d_model, d_ff, seq_len, stop_utilization and options. Errors: what is wrong
-- with which configuration.
function study.new(given)
    if type(given) ~= "table" then
        core.raise("study: a list of configurations is due, " .. core.got(given))
    end
    local common, known, list = {}, {"title"}, {}
    for _, name in ipairs(configuration.common) do
        common[name], known[#known + 1] = given[name], name
    end
    for key in pairs(given) do
        if math.type(key) ~= "integer" and key ~= "title" and common[key] == nil then
            core.raise(messages.unknown("study", "setting for all configurations", key, known))
        end
    end
    if given.title ~= nil and type(given.title) ~= "string" then
        core.raise("study: title must be a text, " .. core.got(given.title))
    end
    for i, row in ipairs(given) do
        local fields = {}
        for key, value in pairs(common) do fields[key] = value end
        for key, value in pairs(type(row) == "table" and row or {}) do fields[key] = value end
        list[i] = configuration.new(type(row) == "table" and fields or row, "configuration " .. i)
    end
    return make(given.title or "Study", list)
end

-- A study of its plain tables.
local function read(plain, path)
    if type(plain) ~= "table" or plain.format ~= "dtsim study" then
        core.raise(("study.load: %s holds no dtsim study"):format(path))
    end
    if plain.version ~= stored.format_version then
        core.raise(("study.load: %s has version %s of the format; this dtsim reads version %d")
            :format(path, tostring(plain.version), stored.format_version))
    end
    local function check(value, wanted, where)
        local fault = shape.fault(value, wanted, where)
        if fault then core.raise(("study.load: %s: %s"):format(path, fault)) end
    end
    -- Calls a reader and says its error as one of that place in the file.
    local function at(where, f, ...)
        local done, answer = pcall(f, ...)
        if done then return answer end
        core.raise(("study.load: %s: %s: %s"):format(path, where,
            (tostring(answer):gsub("^[^\n]-:%d+: ", ""))))
    end
    check(plain, shape.study, "")
    local list, found = {}, {}
    for i, row in ipairs(plain.configurations) do
        local where = ("configurations[%d]"):format(i)
        check(row, shape.configuration, where)
        list[i] = at(where, stored.read_configuration, row)
        if row.results then
            check(row.results, shape.results, where .. ".results")
            found[list[i]] = at(where .. ".results", stored.read_sweep, list[i], row.results)
        end
    end
    local made = at("configurations", make, plain.title or "Study", list)
    for row, sweep in pairs(found) do answers[row] = sweep end
    return made
end

-- Reads a study that study:save("x.json") has written, with its answers. Errors: a file that
-- cannot be read or that holds something else, said with its path.
function study.load(path)
    if type(path) ~= "string" then
        core.raise("study.load: the path must be a text, " .. core.got(path))
    end
    local input, message = io.open(path, "rb")
    if not input then core.raise(message) end
    local text = input:read "a"
    input:close()
    local plain, reason = json.try_decode(text)
    if not plain then core.raise(("study.load: %s: %s"):format(path, reason)) end
    return read(plain, path)
end

-- dtsim.study{ ... } makes one.
return setmetatable(study, {__call = function(_, given) return study.new(given) end})
