-- The sandbox's options, what it still allows, limits without it, and how a run ends from outside.
local program = require "cli.program"
local run = program.run

-- A folder with in/s.lua, to run as `dtsim --sandbox in/s.lua`, and out/.
local function folder_with(script)
    local folder = program.folder()
    program.write(folder .. "/in/s.lua", script)
    program.write(folder .. "/out/old.txt", "old")
    return folder
end

-- Runs a script in a sandbox. given: as program.run, with words for before the script.
local function sandbox(script, given)
    local folder = folder_with(script)
    local call = {"--sandbox", table.unpack(given or {})}
    for key, value in pairs(given or {}) do
        if type(key) == "string" then call[key] = value end
    end
    call[#call + 1], call.dir = "in/s.lua", folder
    local result = run(call)
    result.files = program.output_of("cd " .. folder .. " && find . -type f | sort")
    result.folder = folder
    return result
end

local function check(result, code, out, err)
    program.remove(result.folder)
    assert.equal(err or "", result.err)
    assert.equal(out, result.out)
    assert.equal(code, result.code)
end

describe("the options of a sandbox", function()
    it("are answered with status 2 where they are wrong", function()
        local memory = "'--max-memory' needs a size from 8 MiB on, such as '512 MiB'"
        local output = "'--max-output' needs a size from 1 B on, such as '10 MiB'"
        local time = "'--max-time' needs a time from 1 ms to 1000 h, such as '90 s'"
        local alone = "'--sandbox' runs a script alone: without '-e', '-l' and '-i'"
        local cases = {
            {{"--sandbox", "--out"}, "'--out' needs a folder"},
            {{"--sandbox", "--out=", "s.lua"}, "'--out' needs a folder"},
            {{"--out", "x", "s.lua"}, "'--out' before the script goes with '--sandbox'"},
            {{"--max-output", "1 MB", "s.lua"}, "'--max-output' goes with '--sandbox'"},
            {{"--sandbox", "-e", "x"}, alone}, {{"--sandbox", "-l", "x", "s.lua"}, alone},
            {{"--sandbox", "-i", "s.lua"}, alone},
            {{"--sandbox"}, "'--sandbox' needs a script's file"},
            {{"--sandbox", "-"}, "'--sandbox' needs a script's file"},
            {{"--sandbox", "x.json"}, "a configuration holds no code: run it without '--sandbox'"},
            {{"--sandboxes", "x"}, "unrecognized option '--sandboxes'"},
            {{"--outer", "x"}, "unrecognized option '--outer'"},
        }
        for _, text in ipairs{"", "x", "1", "7 MiB", "-1 GiB", "1 gib", "1e3 GiB", "nan", "inf",
                              " 1 GiB", "2000 TiB", "1 GiB x", "0x10 GiB", "1 GiBs"} do
            cases[#cases + 1] = {{"--max-memory", text, "s.lua"}, memory}
        end
        for _, text in ipairs{"", "0", "0.0001 s", "1001 h", "1 day", "-1", "1 s s", "inf"} do
            cases[#cases + 1] = {{"--max-time", text, "s.lua"}, time}
        end
        for _, text in ipairs{"", "0", "x", "1 byte"} do
            cases[#cases + 1] = {{"--sandbox", "--max-output=" .. text, "s.lua"}, output}
        end
        cases[#cases + 1] = {{"--max-memory"}, memory}
        for _, case in ipairs(cases) do
            local result = run(case[1])
            assert.equal("dtsim: " .. case[2] .. "\ntry 'dtsim --help'\n", result.err)
            assert.equal("", result.out)
            assert.equal(2, result.code)
        end
    end)

    it("take sizes and times in their units", function()
        for _, text in ipairs{"64MiB", "64 MiB", "0.5 GiB", "100 MB", "1GB", "1 TB", "1 TiB",
                              "99999999", "99999999 B", "99999 kB", "99999 KiB"} do
            assert.equal("1\n", run{"--max-memory", text, "-e", "print(1)"}.out, text)
        end
        for _, text in ipairs{"100", "10 s", "10s", "60000 ms", "1.5 min", "1 h"} do
            assert.equal("1\n", run{"--max-time=" .. text, "-e", "print(1)"}.out, text)
        end
    end)

    it("name a folder or script that cannot be opened, with status 3", function()
        check(sandbox("print 'no'", {"--out", "missing"}), 3, "",
              "dtsim: cannot open missing: No such file or directory\n")
        check(sandbox("print 'no'", {"--out", "in/s.lua"}), 3, "",
              "dtsim: cannot open in/s.lua: Not a directory\n")
        local result = run{"--sandbox", "missing.lua"}
        assert.equal("dtsim: cannot open missing.lua: No such file or directory\n", result.err)
        assert.equal(3, result.code)
        assert.equal("dtsim: cannot open missing/x.lua: No such file or directory\n",
                     run{"--sandbox", "missing/x.lua"}.err)
    end)
end)

describe("a sandbox", function()
    it("takes no bytecode as its script", function()
        local result = sandbox(string.dump(load("print 'escaped'")))
        check(result, 1, "", "dtsim: attempt to load a binary chunk (mode is 't')\n")
    end)

    it("gives the script its arguments", function()
        local folder = folder_with("print(arg[0], arg[1], #arg, ...)")
        local result = run{"--sandbox", "in/s.lua", "--out", "x", dir = folder}
        result.folder = folder
        check(result, 0, "in/s.lua\t--out\t2\t--out\tx\n")
    end)

    it("takes nothing from the environment and the folder that it is run in", function()
        local code = "print(init, dtsim.version ~= 'mine', require 'dtsim'.version ~= 'mine')"
        local result = sandbox(code, {
            env = {LUA_INIT = "init = 1 print 'no'", LUA_PATH = "./?.lua", LUA_CPATH = "./?.so",
                   DTSIM_LUA = "."},
            before = "mkdir dtsim; echo 'return {version = \"mine\"}' >dtsim/init.lua;"
                .. "echo 'os.exit(9)' >lpeg.lua; touch lpeg.so cjson.so",
        })
        check(result, 0, "nil\ttrue\ttrue\n")
    end)

    it("saves, plots and reports below --out alone", function()
        local result = sandbox([[
            local s = dtsim.study{search = "paper", d_model = {12288}, {system = "v100"}}
            s:run{log = "log.jsonl"}
            s:run{log = "log.jsonl", resume = true}
            for _, name in ipairs{"s.json", "s.csv", "s.md", "s.jsonl", "s.txt"} do s:save(name) end
            for _, name in ipairs{"p.svg", "p.png", "p.pdf"} do s:plot(name) end
            s:report "r.html"
            print(#dtsim.study.load "s.json", dtsim.formula("e + 1") ~= nil)
        ]], {"--out", "out"})
        local names = {}
        for name in ("log.jsonl old.txt p.pdf p.png p.svg r.html s.csv s.json s.jsonl s.md s.txt")
            :gmatch "%S+" do names[#names + 1] = "./out/" .. name end
        assert.equal("./in/s.lua\n" .. table.concat(names, "\n"), result.files)
        check(result, 0, "1\ttrue\n")
    end)

    it("draws the same pictures as outside", function()
        local code = [[
            dtsim.study{search = "paper", d_model = {12288, 24576}, {system = "v100"}}:plot "p.svg"
        ]]
        local folder = folder_with(code)
        run{"--sandbox", "--out", "out", "in/s.lua", dir = folder}
        run{"in/s.lua", dir = folder}
        local picture = program.read(folder .. "/p.svg")
        assert.equal(picture, program.read(folder .. "/out/p.svg"))
        assert.truthy(picture:find "</svg>")
        program.remove(folder)
    end)

    it("keeps the permissions of files that it replaces, but not those to run as their owner",
       function()
        local result = sandbox("require 'dtsim.file'.write_whole('old.txt', 'new')", {
            "--out", "out", before = "chmod 6750 out/old.txt"})
        assert.equal("750", program.output_of("stat -c %a " .. result.folder .. "/out/old.txt"))
        assert.equal("new", program.read(result.folder .. "/out/old.txt"))
        check(result, 0, "")
    end)

    it("gives scenarios the answers that they have outside", function()
        local folder = program.folder()
        for _, name in ipairs{"closed_forms", "dense_or_sparse", "superpod"} do
            local path = ("%s/scenarios/%s.lua"):format(program.top, name)
            local result = run{"--sandbox", "--out", folder, path}
            local golden = program.read(("%s/tests/golden/%s.txt"):format(program.top, name))
            assert.equal(golden, result.out)
            assert.equal(0, result.code)
        end
        program.remove(folder)
    end)

    it("shows a terminal no control characters, and a file every byte", function()
        local script = [[
            local evil = "\27]0;title\7\27[2Jx\r\8\127\u{9b}31m\xc2"
            print(evil) io.write("\x9b", evil, "\n") io.stderr:write(evil, "\n")
            print "größer – ✓ “quoted” 日本\tx"
            error(evil)
        ]]
        local folder = folder_with(script)
        program.write(folder .. "/terminal.py", [[
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "--sandbox", "in/s.lua"])
out = b""
while True:
    try:
        piece = os.read(fd, 4096)
    except OSError:
        break
    if not piece:
        break
    out += piece
os.waitpid(pid, 0)
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
]])
        local shown = program.output_of(("cd %s && python3 terminal.py %s"):format(folder,
            program.path))
        assert.falsy(shown:find "[\0-\8\11-\31\127]", shown)
        assert.falsy(shown:find "\xc2[\x80-\x9f]", shown)
        assert.truthy(shown:find("größer – ✓ “quoted” 日本\tx", 1, true) or
                      shown:find("größer – ✓ “quoted” 日本", 1, true), shown)
        assert.truthy(shown:find("?]0;title??[2Jx???\xc2?31m", 1, true), shown)
        local result = run{"--sandbox", "in/s.lua", dir = folder}
        assert.truthy(result.out:find("\27]0;title\7\27[2Jx\r\8\127", 1, true))
        program.remove(folder)
    end)

    it("holds its memory where C modules of the library work", function()
        if program.sanitized then return end
        local folder = folder_with([[
            print(pcall(dtsim.json.encode, ("\1"):rep(8e6)))
            print(pcall(dtsim.json.decode, '"' .. ("\\u0041"):rep(1e6) .. '"'))
        ]])
        program.write(folder .. "/run.py", [[
import resource, subprocess, sys
subprocess.run([sys.argv[1], "--sandbox", "--max-memory", "48 MiB", "in/s.lua"],
               stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
]])
        local kib = tonumber(program.output_of(("cd %s && python3 run.py %s"):format(folder,
            program.path)))
        assert(kib < 2.5 * 48 * 1024, kib)
        program.remove(folder)
    end)

    it("searches with as many threads as -j says, at most", function()
        local code = [[
            local s = dtsim.systems.h100
            local o = dtsim.optimizer{gpu = s.gpu, network = s.network, threads = 256}
            print(o.threads, o:plan(dtsim.laws.paper_dense:model(12288), 1024).n_gpus)
        ]]
        check(sandbox(code), 0, "256\t1024\n")
        check(sandbox(code, {"-j", "2"}), 0, "256\t1024\n")
    end)

    it("names its output limit, and its caller's line", function()
        check(sandbox("print(('x'):rep(100))", {"--max-output", "100"}), 1, "",
              "dtsim: in/s.lua:1: too much output (--max-output)\n")
    end)

    it("prints warnings with -W", function()
        check(sandbox("warn('careful: ', 'hot') warn '@off' warn 'no'", {"-W"}), 0, "",
              "Lua warning: careful: hot\n")
        check(sandbox("warn 'no'"), 0, "")
    end)
end)

describe("limits without a sandbox", function()
    it("hold memory", function()
        local result = run{"--max-memory", "32 MiB", "-e", "local s = ('x'):rep(1e9)"}
        assert.equal("dtsim: not enough memory (--max-memory 32 MiB)\n", result.err)
        assert.equal(1, result.code)
        assert.equal("true\n", run{"--max-memory", "32 MiB", "-e",
            "pcall(string.rep, 'x', 1e9) print(#('x'):rep(1e6) == 1e6)"}.out)
    end)

    it("hold memory of searches", function()
        local result = run{"--max-memory", "16 MiB", "-e", [[
            local s = dtsim.systems.h100_four_levels
            local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "exhaustive"}
            local kept = {}
            pcall(function() while true do kept[#kept + 1] = ("x"):rep(4000) .. #kept end end)
            kept[1], kept[2], kept[3] = nil, nil, nil
            print(pcall(o.cluster, o, dtsim.laws.paper_dense:model(122880), {duration = "1 month"}))
        ]]}
        assert.truthy((result.out .. result.err):find "not enough memory")
    end)

    it("hold time, finalizers and searches too", function()
        local line = "dtsim: time is up: the run took longer than 0.2 s (--max-time)\n"
        for _, code in ipairs{
            "while true do pcall(function() while true do end end) end",
            "setmetatable({}, {__gc = function() while true do end end}) collectgarbage()",
            "setmetatable({}, {__gc = function() while true do end end})",
            "coroutine.wrap(function() while true do end end)()",
        } do
            local result = run{"--max-time", "0.2 s", "-e", "print 'before' " .. code}
            assert.equal(line, result.err)
            assert.equal("before\n", result.out)
            assert.equal(1, result.code)
        end
    end)

    it("end a gnuplot that hangs", function()
        local folder = folder_with("")
        program.write(folder .. "/bin/gnuplot", "#!/bin/sh\necho $$ >pid\nexec sleep 100\n")
        local result = run{"--max-time", "0.5", "-e", "require 'dtsim.file'.gnuplot 'x'",
            dir = folder, before = "chmod +x bin/gnuplot; PATH=$PWD/bin:$PATH"}
        assert.equal("dtsim: time is up: the run took longer than 0.5 s (--max-time)\n", result.err)
        assert.equal("gone", program.output_of(("kill -0 $(cat %s/pid) 2>/dev/null || echo gone")
            :format(folder)))
        program.remove(folder)
    end)
end)

describe("gnuplot", function()
    -- A program in gnuplot's place; returns what file.gnuplot says, as printed.
    local function with(text, code)
        local folder = folder_with("")
        program.write(folder .. "/bin/gnuplot", text)
        local result = run{"-e", code or "print(require 'dtsim.file'.gnuplot('x'))", dir = folder,
            before = "chmod +x bin/gnuplot; export PATH=$PWD/bin:$PATH"}
        program.remove(folder)
        return result.out .. result.err
    end

    it("that fails is told of", function()
        assert.equal("nil\tgnuplot failed: broken\n", with "#!/bin/sh\necho broken >&2\nexit 3\n")
        assert.equal("nil\tgnuplot failed: it drew nothing\n", with "#!/bin/sh\nexit 0\n")
        assert.equal("nil\tgnuplot failed: killed by signal 9 (Killed)\n",
            with "#!/bin/sh\nkill -9 $$\n")
        assert.equal("nil\tgnuplot failed: it took too long and was ended\n",
            with("#!/bin/sh\nexec sleep 50\n", "print(require 'dtsim.file'.gnuplot('x', 1))"))
    end)

    it("gets its script and no more of the environment than PATH, HOME and LC_ALL", function()
        local out = with("#!/bin/sh\necho \"$@\"\ncat\nenv | cut -d= -f1 | grep -v '^_$' | sort\n",
            "io.write(require 'dtsim.file'.gnuplot('the script\\n'))")
        assert.equal("-d -\nthe script\nHOME\nLC_ALL\nPATH\nPWD\n",
            (out:gsub("OLDPWD\n", ""):gsub("SHLVL\n", "")))
    end)
end)

-- Runs code in the background until it has made the file "ready", then a shell command with $pid,
-- and waits. Returns the exit status, what it said and how long it took from the command on.
local function signalled(code, command, words)
    local folder = program.folder()
    program.write(folder .. "/script", ([[
cd %s
%s %s -e %s </dev/null >out 2>err &
pid=$!
tries=0
while [ ! -e ready ] && [ $tries -lt 1000 ]; do sleep 0.02; tries=$((tries + 1)); done
sleep 0.1
start=$(date +%%s%%N)
%s
wait $pid
echo $? >code
echo $(($(date +%%s%%N) - start)) >time
files=$(ls -A | sort | tr '\n' ' ')
echo "$files" >files
]]):format(folder, program.quote(program.path), words or "", program.quote(code), command))
    os.execute("sh " .. folder .. "/script 2>/dev/null")
    local result = {code = tonumber(program.read(folder .. "/code")),
        err = program.read(folder .. "/err"), out = program.read(folder .. "/out"),
        seconds = tonumber(program.read(folder .. "/time")) / 1e9,
        files = program.read(folder .. "/files"):gsub("\n", "")}
    program.remove(folder)
    return result
end

local READY = "io.open('ready', 'w'):close() "

describe("a run that is ended from outside", function()
    local function check_end(result, code, message)
        assert.equal(message, result.err)
        assert.equal(code, result.code)
        assert.equal("code err out ready script time ", result.files)
    end

    it("by SIGTERM says so, with status 143", function()
        local loop = READY .. "print 'before' "
            .. "while true do pcall(function() while true do end end) end"
        local result = signalled(loop, "kill -TERM $pid")
        check_end(result, 143, "dtsim: terminated\n")
        assert.equal("before\n", result.out)
        assert(result.seconds < 2, result.seconds)
    end)

    it("by SIGTERM in a search", function()
        check_end(signalled(READY .. [[
            local s = dtsim.systems.h100_four_levels
            local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "exhaustive"}
            while true do pcall(o.sweep, o, {d_model = dtsim.widths.between(12288, 2^20)}) end
        ]], "kill -TERM $pid"), 143, "dtsim: terminated\n")
    end)

    it("by SIGTERM in what no hook reaches, after two seconds", function()
        local result = signalled(READY .. "coroutine.wrap(function() while true do end end)()",
            "kill -TERM $pid")
        check_end(result, 143, "dtsim: terminated\n")
        assert(result.seconds > 1 and result.seconds < 8, result.seconds)
    end)

    it("by SIGTERM while gnuplot runs, which ends too", function()
        check_end(signalled("require 'dtsim.file'.gnuplot [[system('touch ready'); pause 100]]",
            "kill -TERM $pid"), 143, "dtsim: terminated\n")
    end)

    it("by SIGTERM while it writes a file leaves the file whole and no other", function()
        local result = signalled(READY .. [[
            local write, n = require "dtsim.file".write_whole, 0
            while true do
                n = 1 - n
                pcall(write, "data", tostring(n):rep(1e6))
            end
        ]], "kill -TERM $pid")
        assert.equal("code data err out ready script time ", result.files)
        assert.equal(143, result.code)
    end)

    it("by a terminal that goes away, with status 129", function()
        check_end(signalled(READY .. "while true do end", "kill -HUP $pid"), 129,
            "dtsim: the terminal went away\n")
    end)

    it("not by a hang-up that nohup has it ignore", function()
        local folder = program.folder()
        program.write(folder .. "/s", ("cd %s; trap '' HUP; %s -e %s >out & pid=$!; sleep 0.3; "
            .. "kill -HUP $pid; wait $pid; echo $? >code"):format(folder,
            program.quote(program.path),
            program.quote("local t = os.clock() while os.clock() < t + 0.6 do end print 'done'")))
        os.execute("sh " .. folder .. "/s 2>/dev/null")
        assert.equal("done\n", program.read(folder .. "/out"))
        assert.equal("0\n", program.read(folder .. "/code"))
        program.remove(folder)
    end)

    it("at a prompt whose terminal goes away", function()
        local folder = program.folder()
        program.write(folder .. "/terminal.py", [=[
import os, pty, sys, time, select
pid, fd = pty.fork()
if pid == 0:
    os.environ["HOME"] = os.getcwd()
    os.execv(sys.argv[1], [sys.argv[1]])
out = b""
while b"> " not in out and select.select([fd], [], [], 20)[0]:
    out += os.read(fd, 4096)
if sys.argv[2] == "busy":
    os.write(fd, b"while true do end\n")
    time.sleep(0.3)
os.close(fd)
start = time.time()
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status), time.time() - start < 4)
]=])
        for _, how in ipairs{"idle", "busy"} do
            local said = program.output_of(("cd %s && python3 terminal.py %s %s"):format(folder,
                program.quote(program.path), how))
            assert.equal("129 True", said)
        end
        program.remove(folder)
    end)

    it("by a pipe that nobody reads any more, in silence", function()
        local folder = program.folder()
        program.write(folder .. "/s", ("cd %s; { %s -e %s 2>err; echo $? >code; } | head -n 1 >out")
            :format(folder, program.quote(program.path), program.quote(
                "require 'dtsim.file'.write_whole('saved', 'whole') "
                .. "for i = 1, 1e7 do print(i) end")))
        os.execute("sh " .. folder .. "/s")
        assert.equal("1\n", program.read(folder .. "/out"))
        assert.equal("", program.read(folder .. "/err"))
        assert.equal("141\n", program.read(folder .. "/code"))
        assert.equal("whole", program.read(folder .. "/saved"))
        program.remove(folder)
    end)

    it("by a pipe that nobody reads, where SIGPIPE is ignored: status 3", function()
        local folder = program.folder()
        program.write(folder .. "/s", ("cd %s; trap '' PIPE; { %s -e %s 2>err; echo $? >code; } "
            .. "| true"):format(folder, program.quote(program.path), program.quote(
                "for i = 1, 1e5 do print(i) end")))
        os.execute("sh " .. folder .. "/s")
        assert.truthy(program.read(folder .. "/err"):find "^dtsim: cannot write standard output: ")
        assert.equal("3\n", program.read(folder .. "/code"))
        program.remove(folder)
    end)
end)
