-- transcript.lua: lines at the prompt with what is printed below them, as help and docs show them:
--
--     > 6 * 7
--     42
--     > for i = 1, 2 do
--     >> print(i)
--     >> end
--     1
--     2
--
-- In Markdown they stand in fences of the language "dtsim".

local program = require "cli.program"

local transcript = {}

-- What must be typed to get it.
function transcript.input(text)
    local lines = {}
    for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line:match "^>>? (.*)$" end
    return table.concat(lines, "\n") .. "\n"
end

-- What the program prints for it when its input is a pipe, which does not show what is typed.
local function expected_output(text)
    local out = {}
    for line in (text:gsub("\n*$", "\n")):gmatch "([^\n]*)\n" do
        local prompt = line:match "^(>>? )"
        out[#out + 1] = prompt or line .. "\n"
    end
    return table.concat(out) .. "> \n"
end

-- Types a transcript at a new prompt. Returns what should come and what does, without the version.
function transcript.run(text)
    local result = program.run{"-c", 'exec "$0" -E -i -q 2>&1', program.path, program = "sh",
                               stdin = transcript.input(text)}
    return expected_output(text), (result.out:gsub("^dtsim [^\n]*\n", ""))
end

-- The transcripts of a page of Markdown, in order.
function transcript.of_page(page)
    local list = {}
    for text in page:gmatch "\n```dtsim\n(.-\n)```" do list[#list + 1] = text end
    return list
end

-- The scripts of a page that have their output beside them: a list of { script, output }.
function transcript.scripts_of_page(page)
    local list, at = {}, 1
    while true do
        local _, last, script = page:find("\n```lua\n(.-)```\n", at)
        if not last then return list end
        local output = page:match("^[^`]*```output\n(.-)```\n", last)
        if output then list[#list + 1] = {script = script, output = output} end
        at = last
    end
end

return transcript
