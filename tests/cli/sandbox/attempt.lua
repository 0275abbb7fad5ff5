-- attempt: runs attempts to get out of a sandbox, several at a time, and says what came of each.
--
-- An attempt is { name, code, ... }. Its script lies in in/ and may write in out/; the template
-- below is what else is there. Fields, all optional:
--   out      what it must print; "*" for anything; "" where absent, if there is no err
--   err      what its message must have in it; "*" for anything; none where absent
--   says     what must be somewhere in its output
--   status   the exit status; 1 where absent, if there is an err, and 0 if there is none
--   options  a list of options for the program; or { out = false } for no --out
--   time     its --max-time in seconds; 10 where absent
--   files    files that it may make
-- Whatever it says: it must end in time and by itself, leave all but out/ as it was, make no file
-- that is not allowed, and show nothing of secret.txt or of the environment.

local program = require "cli.program"
local quote = program.quote

local attempt = {}

-- A --max-time that is soon over, but not before the library is loaded.
attempt.short_s = program.sanitized and 0.5 or 0.15

local TIME_S = 10 -- for what does not try to take longer
local PATIENCE_S = 25 -- with a busy machine and sanitizers
local AT_ONCE = 4
local MARKER = "marked-secret"

local TEMPLATE = [[
mkdir -p in/sub in/.config out/outsub bin
echo %s >secret.txt
printf 'first\nsecond\n' >in/data.txt
printf inner >in/sub/inner.txt
echo 'return 42' >in/beside.lua
printf '\033LuaT' >in/evil.luac
echo %s >in/.hidden
echo %s >in/.config/key
echo old >out/old.txt
ln -s ../secret.txt in/link
ln -s .. in/linked
ln -s ../secret.txt out/outlink
ln -s .. out/outlinked
mkfifo in/pipe out/outpipe
printf '#!/bin/sh\ntouch escaped\n' >bin/gnuplot
chmod +x bin/gnuplot
]]

-- What is where, to compare before and after: names, and the content of all that is not in out/.
local STATE = [[find . ! -name script.lua ! -path ./out/'*' -type f -exec cksum {} + | sort
find . ! -name script.lua | sort]]

local RUN = [[
ulimit -n 256
export MARK=%s PATH=$PWD/$1/bin:$PATH
cd %s/$1 || exit
sh ../$1.command </dev/null >../$1.out 2>../$1.err
echo $? >../$1.code
{ %s; } >../$1.state
grep -rl %s out ../$1.out ../$1.err >../$1.leak
]]

local function command_of(one)
    local words = {"timeout", "-s", "KILL", tostring(PATIENCE_S), quote(program.path), "--sandbox"}
    local options = one.options or {}
    if options.out ~= false then
        words[#words + 1] = "--out"
        words[#words + 1] = "out"
    end
    words[#words + 1] = "--max-time"
    words[#words + 1] = tostring(one.time or TIME_S)
    for _, word in ipairs(options) do words[#words + 1] = quote(word) end
    words[#words + 1] = "in/script.lua"
    return table.concat(words, " ")
end

-- Runs a list of attempts in folders of their own below a new one. Returns a list of results:
-- { code, out, err, changed = what a diff of the folder says, leak = files that show a secret }.
function attempt.run(list)
    local root = program.folder()
    os.execute("mkdir " .. root .. "/template")
    os.execute(("cd %s/template && %s"):format(root, TEMPLATE:format(MARKER, MARKER, MARKER)))
    os.execute(("cd %s/template && { %s; } >../before"):format(root, STATE))
    program.write(root .. "/run", RUN:format(MARKER, root, STATE, MARKER))
    local numbers = {}
    for i, one in ipairs(list) do
        program.write(("%s/%d.lua"):format(root, i), one[2])
        program.write(("%s/%d.command"):format(root, i), command_of(one))
        numbers[i] = tostring(i)
    end
    program.write(root .. "/numbers", table.concat(numbers, "\n"))
    os.execute(("cd %s && for i in $(cat numbers); do cp -a template $i; "
        .. "mv $i.lua $i/in/script.lua; done; xargs -P %d -n 1 sh run <numbers 2>/dev/null")
        :format(root, AT_ONCE))
    local results = {}
    for i in ipairs(list) do
        local function text(ending) return program.read(("%s/%d.%s"):format(root, i, ending)) end
        results[i] = {
            code = tonumber(text "code"), out = text "out", err = text "err", leak = text "leak",
            changed = program.output_of(("diff %s/before %s/%d.state"):format(root, root, i)),
        }
    end
    program.remove(root)
    return results
end

return attempt
