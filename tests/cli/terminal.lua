-- terminal.lua: the program on a pseudo-terminal, for specs, by the command script of util-linux.

local program = require "cli.program"

local terminal = {}

-- Why a prompt cannot be tried here; nil if it can.
function terminal.missing()
    if not os.execute "script -qec true /dev/null >/dev/null 2>&1 </dev/null" then
        return "needs the command script and a pseudo-terminal"
    end
end

-- Whether the program edits lines with libedit.
function terminal.has_libedit()
    return program.output_of("ldd " .. program.quote(program.path)):find "libedit" ~= nil
end

-- What a shell's printf makes of a text.
local function keys_of(text)
    return program.quote((text:gsub("[%%\\]", "%0%0"):gsub("%c", function(c)
        return ("\\%03o"):format(c:byte())
    end)))
end

-- A screen without what moves the cursor or colours.
local function plain(text)
    return (text:gsub("\27%[[%d;?]*%a", ""):gsub("[^\n\32-\255]", ""))
end

-- Types at the program's prompt. steps: a list of { keys, text }: the keys are typed, then the
-- text is waited for (some seconds at most) below all that was there before. Options: columns and
-- rows of the terminal (80 x 40), env (table), dir. The last step ends the program: "\4" is
-- Ctrl-D, "\3" Ctrl-C, "\t" Tab. Returns all that was on the screen, and the exit status.
function terminal.session(options)
    local folder = program.folder()
    local words = {}
    for name, value in pairs(options.env or {}) do
        words[#words + 1] = name .. "=" .. program.quote(value)
    end
    local command = ("stty cols %d rows %d; exec env TERM=xterm LC_ALL=C.UTF-8 %s %s -q"):format(
        options.columns or 80, options.rows or 40, table.concat(words, " "),
        program.quote(program.path))
    local script = {([[
cd %s
mkfifo %s/keys
script -qfec %s %s/screen <%s/keys >/dev/null 2>&1 &
pid=$!
exec 7>%s/keys
shown=0
wait_for() {
    n=0
    while ! tail -c +$((shown + 1)) %s/screen 2>/dev/null |
        sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | tr -d '\r\a\b' | grep -qF -- "$1"; do
        sleep 0.02
        n=$((n + 1))
        [ $n -lt 250 ] || { echo "waited in vain for: $1" >>%s/screen; return; }
    done
    shown=$(wc -c <%s/screen)
}
wait_for '> ']]):format(program.quote(options.dir or folder), folder, program.quote(command),
        folder, folder, folder, folder, folder, folder)}
    for _, step in ipairs(options) do
        script[#script + 1] = ("printf %s >&7"):format(keys_of(step[1]))
        if step[2] then script[#script + 1] = "wait_for " .. program.quote(step[2]) end
    end
    script[#script + 1] = ("wait $pid\necho $? >%s/code\n"):format(folder)
    program.write(folder .. "/script", table.concat(script, "\n"))
    os.execute("sh " .. folder .. "/script 2>/dev/null")
    local screen, code = plain(program.read(folder .. "/screen")), program.read(folder .. "/code")
    program.remove(folder)
    return screen, tonumber(code)
end

return terminal
