-- Files of studies and configurations in which one value was replaced, whatever it was: each is
-- read, or refused by a sentence about the file, never by a mistake of the reader's own.
local json = require "dtsim.json"
local config = require "dtsim.config"

local WRONG = {json.null, true, -1, 1.5, 1e300, "", "x", "3 GB", json.array{}, json.array{3}, {},
               {x = 3}, json.array{{x = 3}}}

local STEP = 4

local path, other

-- Writes a value as JSON.
local function write(value)
    local output = assert(io.open(path, "wb"))
    output:write(json.encode(value))
    output:close()
end

-- Calls visit(container, key) for every value below a table, deepest last.
local function each(t, visit)
    local keys = {}
    for key in pairs(t) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
        visit(t, key)
        if type(t[key]) == "table" then each(t[key], visit) end
    end
end

-- What a reader's own mistakes look like.
local OURS = {"attempt to", "bad argument", "lua/dtsim/", "stack overflow",
    "invalid order function",
              "table index is"}

-- Replaces each value of a file in turn and reads it. Returns how many were tried, and refused.
local function try_all(plain, read, prefix)
    local tried, refused, place = 0, 0, 0
    each(plain, function(t, key)
        local before = t[key]
        place = place + 1
        for i = place % STEP + 1, #WRONG, STEP do -- each place gets some of the values
            t[key] = WRONG[i]
            write(plain)
            local ok, message = pcall(read, path)
            tried = tried + 1
            if not ok then
                refused = refused + 1
                local where = ("%s = wrong %d: %s"):format(key, i, tostring(message))
                assert.truthy(message:find(prefix .. path, 1, true), where)
                for _, text in ipairs(OURS) do
                    assert.falsy(message:find(text, 1, true), where)
                end
            end
        end
        t[key] = before
    end)
    return tried, refused
end

-- A study that has been run, as its file has it.
local function saved_study()
    local study = dtsim.study{
        title = "Small", search = "paper", d_model = {12288},
        {name = "A", system = "h100", laws = "paper_sparse", note = "sparse",
         options = {max_degree = {pp = 64}}},
    }
    study:run()
    other = other or os.tmpname()
    study:save(other .. ".json")
    local input = assert(io.open(other .. ".json", "rb"))
    local text = input:read "a"
    input:close()
    os.remove(other .. ".json")
    return json.decode(text)
end

local CONFIGURATION = [[{
  "format": "dtsim study", "version": 1, "title": "Two", "search": "paper",
  "d_model": {"from": 12288, "to": 16384}, "duration": "1 month", "seq_len": 2048,
  "options": {"max_degree": {"pp": 8}, "min_gpus": 8},
  "configurations": [
    {"name": "A", "note": "x", "enabled": true, "overlap": {"tp": true}, "threads": 1,
     "schedules": ["interleaved"], "zero_bubble_latency": "exposed", "stop_utilization": 0.001,
     "gpu": {"peak": "989 TFLOP/s", "memory": "80 GB", "memory_bandwidth": "3.35 TB/s"},
     "network": [{"name": "a", "size": 8, "bandwidth": 1e11, "latency": "1 us"},
                 {"bandwidth": "10 GB/s", "latency": 1e-6}],
     "laws": {"batch": "4 Mi / seq", "layers": "paper_layers"}, "d_ff": "4 * d_model"},
    {"name": "B", "system": "a100"}]
}]]

describe("a file with one wrong value", function()
    setup(function() path = os.tmpname() end)
    teardown(function()
        os.remove(path)
        if other then os.remove(other) end
    end)

    it("as study:save writes it", function()
        local tried, refused = try_all(saved_study(), dtsim.study.load, "study.load: ")
        assert.is_true(tried > 300 and refused > tried / 3, tried .. " " .. refused)
    end)

    it("as people write it", function()
        local tried, refused = try_all(json.decode(CONFIGURATION), config.read, "")
        assert.is_true(tried > 100 and refused > tried / 3, tried .. " " .. refused)
    end)

    it("cut off anywhere", function()
        for length = 0, #CONFIGURATION - 1 do
            local output = assert(io.open(path, "wb"))
            output:write(CONFIGURATION:sub(1, length))
            output:close()
            local ok, message = pcall(config.read, path)
            assert.is_false(ok)
            assert.truthy(message:find(path .. ": ", 1, true), message)
            ok, message = pcall(dtsim.study.load, path)
            assert.is_false(ok)
            assert.truthy(message:find("study.load: " .. path .. ": ", 1, true), message)
        end
    end)
end)
