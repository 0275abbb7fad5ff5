-- A stranger's script: attempts to get out of the sandbox, and what the sandbox still allows.
local attempt = require "cli.sandbox.attempt"

-- The files of a diff's lines that are new; nil and the line for any other change.
local function new_files(changed)
    local files = {}
    for line in changed:gmatch "[^\n]+" do
        local file = line:match "^> %./(.+)$"
        if file then
            files[#files + 1] = file
        elseif not line:find "^%d" then
            return nil, line
        end
    end
    return files
end

-- Whether a new file is one that the attempt may make; "out/f" allows out/f1 too.
local function is_allowed(file, allowed)
    for _, start in ipairs(allowed or {}) do
        if file:sub(1, #start) == start then return true end
    end
    return false
end

local function check_untouched(one, result)
    local files, line = new_files(result.changed)
    assert(files, "changed: " .. tostring(line))
    for _, file in ipairs(files) do
        assert(is_allowed(file, one.files), "made " .. file)
    end
    assert.equal("", result.leak)
end

local function check_said(one, result)
    local status = one.status or (one.err and one.err ~= "*" and 1) or nil
    local said = result.out .. result.err
    local start = said:sub(1, 300)
    assert(result.code and result.code < 128, ("ended with %s: %s"):format(result.code, start))
    if status or not one.err then assert.equal(status or 0, result.code, start) end
    if one.out ~= "*" then assert.equal(one.out or "", result.out) end
    if not one.err then assert.equal("", result.err) end
    if one.err and one.err ~= "*" then
        assert(result.err:find(one.err, 1, true), "said: " .. result.err:sub(1, 300))
        assert.truthy(result.err:find "dtsim: [^\n]*\n", start)
    end
    assert(not one.says or said:find(one.says, 1, true), "said: " .. start)
    assert.falsy(said:find("escaped", 1, true) and not one[2]:find("escaped", 1, true))
    assert.falsy(result.err:find "Sanitizer" or result.err:find "runtime error")
end

local total = 0
for _, kind in ipairs{"reach", "files", "exhaust"} do
    local attempts, results = require("cli.sandbox." .. kind), nil
    total = total + #attempts
    describe("a sandbox (" .. kind .. ") is not left by", function()
        for i, one in ipairs(attempts) do
            it(one[1], function()
                results = results or attempt.run(attempts)
                check_said(one, results[i])
                check_untouched(one, results[i])
            end)
        end
    end)
end

describe("the attempts", function()
    it("are sixty at least", function() assert(total >= 60, total) end)
end)
