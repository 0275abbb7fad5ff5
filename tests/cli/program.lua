-- program.lua: runs the program from outside, for the specs beside this file.
--
-- local program = require "cli.program"
-- local result = program.run{"-e", "print(1)", env = {DTSIM_LUA = "x"}, stdin = "text"}
-- result.code, result.out, result.err
--
-- The program is the one that the environment variable DTSIM names, build/dtsim by default.

local program = {}

-- A word of the shell.
function program.quote(word)
    return "'" .. word:gsub("'", "'\\''") .. "'"
end
local quote = program.quote

-- The standard output of a shell command, without its last newline.
function program.output_of(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read("a"):gsub("\n$", "")
    pipe:close()
    return text
end

local function absolute(path)
    return path:sub(1, 1) == "/" and path or program.output_of("pwd") .. "/" .. path
end

program.path = absolute(os.getenv("DTSIM") or "build/dtsim")
program.build = absolute(os.getenv("DTSIM_BUILD") or "build")
program.top = program.output_of("pwd")
-- Sanitizers make the program slower and unfit to be loaded by a lua5.4 without them.
program.sanitized = (os.getenv("SANITIZE") or "") ~= ""

-- A new empty folder, which anybody may enter. The caller removes it with program.remove.
function program.folder()
    local path = program.output_of("mktemp -d")
    assert(path:find("^/"), "mktemp gave no folder")
    os.execute("chmod 755 " .. quote(path))
    return path
end

function program.remove(path)
    os.execute("rm -rf " .. quote(path))
end

function program.read(path)
    local file = io.open(path, "rb")
    if not file then
        return nil
    end
    local text = file:read("a")
    file:close()
    return text
end

-- Writes a file; folders of its path are made.
function program.write(path, text)
    os.execute("mkdir -p " .. quote(path:match("^(.*)/")))
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
end

local function assignments(env)
    local words = {}
    for name, value in pairs(env or {}) do
        table.insert(words, name .. "=" .. quote(value))
    end
    return table.concat(words, " ")
end

-- The shell command of a run: its words quoted, its environment before them.
local function command_of(run)
    local words = {"env", assignments(run.env), run.prefix or ""}
    table.insert(words, quote(run.program or program.path))
    for _, word in ipairs(run) do
        table.insert(words, quote(word))
    end
    return table.concat(words, " ")
end

-- Runs the program with the words of the list. Fields of run, all optional:
--   stdin (text; none by default), env (table), dir (to run in), stdout (a path instead of
--   result.out), before (shell commands), prefix (words before the program), program (its path).
function program.run(run)
    local folder = program.folder()
    program.write(folder .. "/in", run.stdin or "")
    local script = ("cd %s\n%s\n%s <%s/in >%s 2>%s/err\necho $? >%s/code"):format(
        quote(run.dir or folder), run.before or "", command_of(run), folder,
        quote(run.stdout or folder .. "/out"), folder, folder)
    program.write(folder .. "/script", script)
    os.execute("sh " .. folder .. "/script 2>/dev/null")
    local result = {
        code = tonumber(program.read(folder .. "/code")),
        out = program.read(folder .. "/out"),
        err = program.read(folder .. "/err"),
    }
    program.remove(folder)
    return result
end

-- Runs the program until its script has made the file "ready" in its folder, sends it SIGINT,
-- and waits for its end. As program.run; result.seconds is from the signal to the end.
function program.interrupt(run)
    local folder = program.folder()
    program.write(folder .. "/script", ([[
cd %s
%s </dev/null >out 2>err &
pid=$!
tries=0
while [ ! -e ready ] && [ $tries -lt 1000 ]; do sleep 0.02; tries=$((tries + 1)); done
sleep 0.1
start=$(date +%%s%%N)
kill -INT $pid
wait $pid
code=$?
end=$(date +%%s%%N)
echo $code $((end - start)) >code
]]):format(folder, command_of(run)))
    os.execute("sh " .. folder .. "/script 2>/dev/null")
    local code, nanoseconds = program.read(folder .. "/code"):match("(%d+) (%d+)")
    local result = {
        code = tonumber(code),
        seconds = tonumber(nanoseconds) / 1e9,
        out = program.read(folder .. "/out"),
        err = program.read(folder .. "/err"),
    }
    program.remove(folder)
    return result
end

-- Words to put before a program so that permissions hold for it though we are root; nil where
-- that cannot be. Empty if we are not root.
function program.unprivileged()
    if program.output_of("id -u") ~= "0" then
        return ""
    end
    local prefix = "setpriv --reuid=65534 --regid=65534 --clear-groups "
    return os.execute(prefix .. "true 2>/dev/null") and prefix or nil
end

return program
