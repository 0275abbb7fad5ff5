-- exhaust: attempts to take memory, time, output or the stack beyond the limits, and to swallow
-- what ends them. See cli.sandbox.attempt for the fields.

local attempt = require "cli.sandbox.attempt"

local TIME = ("dtsim: time is up: the run took longer than %g s (--max-time)\n"):format(
    attempt.short_s)
local MEMORY = "not enough memory"
local OUTPUT = "too much output (--max-output)"

-- Runs longer than allowed, whatever it does.
local function endless(name, code) return {name, code, err = TIME, time = attempt.short_s} end

-- Takes more memory than allowed.
local function hungry(name, code, err)
    return {name, code, err = err or MEMORY, options = {"--max-memory", "32 MiB"}}
end

-- Writes more than allowed.
local function talkative(name, code, fields)
    local one = {name, code, err = OUTPUT, options = {"--max-output", "1 MB"}}
    for key, value in pairs(fields or {}) do one[key] = value end
    return one
end

return {
    endless("a loop", "while true do end"),
    endless("a loop of numbers", "for _ = 1, math.huge do end"),
    endless("a loop of jumps", "::again:: goto again"),
    endless("endless tail calls", "local function f() return f() end f()"),
    endless("a loop in pcall", "while true do pcall(function() while true do end end) end"),
    endless("a last call that swallows", "return pcall(function() while true do end end)"),
    endless("a loop in pcalls in one another", [[
        local function f() pcall(f) while true do end end
        f()
    ]]),
    endless("a message handler that loops", [[
        xpcall(error, function() while true do end end)
        xpcall(function() while true do end end, function() while true do end end)
    ]]),
    endless("a coroutine", "coroutine.wrap(function() while true do end end)()"),
    endless("coroutines without end", [[
        while true do pcall(coroutine.wrap(function() while true do end end)) end
    ]]),
    endless("short coroutines without end", [[
        while true do coroutine.wrap(function() for _ = 1, 100 do end end)() end
    ]]),
    endless("coroutines in one another", [[
        local function f() coroutine.wrap(f)() end
        while true do pcall(f) end
    ]]),
    endless("__close", [[
        local x <close> = setmetatable({}, {__close = function() while true do end end})
        while true do end
    ]]),
    endless("__close of a coroutine that was ended", [[
        pcall(coroutine.wrap(function()
            local x <close> = setmetatable({}, {__close = function() while true do end end})
            while true do end
        end))
    ]]),
    endless("metamethods", [[
        local function loop() while true do end end
        local t = setmetatable({}, {__index = loop, __eq = loop, __lt = loop, __concat = loop,
            __call = loop, __len = loop, __add = loop})
        pcall(function() return t.x end)
        pcall(function() return t .. t end)
        pcall(function() return #t + t() end)
        while true do pcall(t) end
    ]]),
    endless("an error that is never told", [[
        error(setmetatable({}, {__tostring = function() while true do end end}))
    ]]),
    endless("a text that is never told", [[
        print(setmetatable({}, {__tostring = function() while true do end end}))
    ]]),
    endless("a comparison of table.sort", [[
        table.sort({3, 1, 2}, function() while true do end end)
    ]]),
    endless("a replacement of string.gsub", [[
        while true do pcall(string.gsub, "x", "x", function() while true do end end) end
    ]]),
    endless("a pattern that tries without end", [[
        pcall(string.find, ("a"):rep(2^16), (".-"):rep(30) .. "b")
    ]]),
    endless("a sort without Lua", [[
        local t = {}
        for i = 1, 2e5 do t[i] = (i * 7919) % 200003 end
        while true do table.sort(t, math.ult) end
    ]]),
    endless("a pattern per call in a coroutine", [[
        coroutine.wrap(function()
            local s = ("a"):rep(20000)
            while true do pcall(string.find, s, ".-.-.-b") end
        end)()
    ]]),
    endless("a law that loops", [[
        local laws = dtsim.laws{batch = function() while true do end end}
        while true do pcall(laws.model, laws, 12288) end
    ]]),
    endless("an exhaustive search without end", [[
        local s = dtsim.systems.h100_four_levels
        local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "exhaustive"}
        local m = dtsim.laws.paper_sparse:model(122880)
        while true do pcall(o.cluster, o, m, {duration = "3 months"}) end
    ]]),
    endless("an exhaustive sweep without end in a coroutine", [[
        local s = dtsim.systems.h100_four_levels
        local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "exhaustive",
                                  threads = 256}
        coroutine.wrap(function()
            while true do pcall(o.sweep, o, {d_model = dtsim.widths.between(12288, 2^20)}) end
        end)()
    ]]),
    endless("a library that loops", [[
        dtsim.units.try = function() while true do end end
        while true do pcall(dtsim.gpu, {sms = "1"}) end
    ]]),
    endless("nothing, repeated without end", '(""):rep(1 << 62)'),
    endless("a move of nothing without end", "table.move({}, 1, 1 << 62, 2)"),
    endless("a chunk without end", [[
        load(function() return " " end)
    ]]),

    {"a finalizer", "setmetatable({}, {__gc = function() while true do end end})",
     err = "the sandbox has no finalizers (__gc)"},
    {"a finalizer that is false", "setmetatable({}, {__gc = false})",
     err = "the sandbox has no finalizers (__gc)"},
    {"a finalizer that comes later", [[
        local mt = {}
        local t = setmetatable({}, mt)
        mt.__gc = function() print "escaped" while true do end end
        t = nil
        collectgarbage()
        collectgarbage()
    ]], out = ""},
    {"a finalizer behind __index", [[
        setmetatable({}, setmetatable({}, {__index = {__gc = function() print "escaped" end}}))
        collectgarbage()
    ]], out = ""},

    hungry("string.rep", 'print(#("x"):rep(1e9))'),
    hungry("string.rep beyond all numbers", '("x"):rep(1 << 62, ("y"):rep(1 << 20))',
           "resulting string too large"),
    hungry("a text that doubles", 'local s = "x" while true do s = s .. s end'),
    hungry("string.format", 'local s = ("%s"):rep(200) while true do s = s:format(s, s) end',
           "bad argument"),
    hungry("string.gsub", 'local s = "xxxxxxxx" while true do s = s:gsub(".", s) end'),
    hungry("table.concat", [[
        local t = {}
        for i = 1, 1e4 do t[i] = ("x"):rep(1e5) end
        print(#table.concat(t))
    ]]),
    hungry("a table", "local t = {} while true do t[#t + 1] = t end"),
    hungry("a table of texts", 'local t = {} while true do t[#t + 1] = ("x"):rep(1000) .. #t end'),
    hungry("closures", "local f while true do local g = f f = function() return g end end"),
    hungry("coroutines", [[
        local t = {}
        while true do t[#t + 1] = coroutine.create(print) end
    ]]),
    hungry("coroutines that sleep", [[
        local t = {}
        while true do
            t[#t + 1] = coroutine.wrap(function() coroutine.yield(table.unpack({}, 1, 200)) end)
            t[#t]()
        end
    ]]),
    hungry("table.unpack", "table.unpack({}, 1, 1e7)", "too many results to unpack"),
    hungry("memory that is asked for again and again", [[
        local kept = {}
        for _ = 1, 200 do
            pcall(function() while true do kept[#kept + 1] = ("x"):rep(1e6) .. #kept end end)
        end
        kept[#kept + 1] = ("x"):rep(1e8)
    ]]),
    hungry("memory without garbage collection", [[
        pcall(collectgarbage, "stop")
        local t = {}
        while true do t[#t + 1] = {} end
    ]]),
    hungry("JSON of control characters", [[
        local text = ("\1"):rep(6e6)
        dtsim.json.encode(text)
    ]]),
    hungry("a chunk that is long", 'assert(load(("x = {} "):rep(1e6)))()'),
    hungry("a search's frontier and tables", [[
        local s = dtsim.systems.h100_four_levels
        local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "exhaustive"}
        local t = {}
        pcall(function() while true do t[#t + 1] = ("x"):rep(10000) .. #t end end)
        print(o:frontier(dtsim.laws.paper_dense:model(12288), {max_gpus = 1e6}))
    ]]),
    {"the garbage collector's modes", [[
        for _, what in ipairs{"stop", "restart", "generational", "incremental", "setpause"} do
            print(pcall(collectgarbage, what))
        end
        print(collectgarbage(), collectgarbage "step", collectgarbage "count" > 100,
            collectgarbage "isrunning")
    ]], out = "*", says = "bad argument #1 to 'collectgarbage' (invalid option 'generational')"},

    talkative("print", "while true do print(('x'):rep(1000)) end", {out = "*"}),
    talkative("io.write", "while true do io.write('xxxxxxxxxxxxxxx') end", {out = "*"}),
    talkative("one large text", "io.write(('x'):rep(2e6))"),
    talkative("standard error", "while true do io.stderr:write('xxxxxxxx\\n') end"),
    talkative("output in pcall", [[
        while true do
            if not pcall(print, ("x"):rep(1000)) then break end
        end
        for _ = 1, 100 do pcall(print, ("x"):rep(1000)) end
        error "too much output (--max-output) and held"
    ]], {out = "*"}),
    talkative("a file", [[
        local f = io.open("big", "w")
        while true do f:write(("x"):rep(1000)) end
    ]], {files = {"out/big"}}),
    talkative("many files", "for i = 1, 1e6 do assert(io.open('f' .. i % 10, 'w')):close() end",
        {files = {"out/f"}}),
    talkative("many whole files", [[
        for i = 1, 1e6 do assert(require "dtsim.file".write_whole("f" .. i % 10, "")) end
    ]], {files = {"out/f"}, status = 3}),
    talkative("an error's message", "error(('x'):rep(1e7))", {err = "xxx...\n"}),
    talkative("an error's calls", "local t = {[('x'):rep(1e7)] = error} t[('x'):rep(1e7)] 'y'",
        {err = "y", options = {"--traceback"}}),
    talkative("warnings", "warn '@on' while true do warn(('x'):rep(1000)) print 'x' end",
        {out = "*"}),

    {"recursion", "local function f() return 1 + f() end f()", err = "stack overflow"},
    {"recursion in the handler of its error", [[
        local function f() return 1 + f() end
        print(xpcall(f, f))
    ]], out = "*"},
    {"recursion through pcall", "local function f() return pcall(f) end print(f())", out = "*"},
    {"recursion through string.gsub", [[
        local function f() return ("x"):gsub("x", f) end
        f()
    ]], err = "stack overflow"},
    {"recursion through metamethods", [[
        local t = setmetatable({}, {__index = function(t, k) return t[k] end})
        print(t.x)
    ]], err = "stack overflow"},
    {"recursion through coroutines", [[
        local function f()
            local done, message = pcall(coroutine.wrap(f))
            return message:match "C stack overflow"
        end
        print(f())
    ]], out = "C stack overflow\n"},
    {"recursion through load", [[
        local function f() return load("return ...")(f, f()) end
        f()
    ]], err = "stack overflow"},
    {"recursion through table.sort", [[
        local function f() table.sort({1, 2, 3}, f) return true end
        f()
    ]], err = "stack overflow"},
    {"recursion through tostring", [[
        local t
        t = setmetatable({}, {__tostring = function() return tostring(t) end})
        print(t)
    ]], err = "stack overflow"},
    {"a chain of __index", [[
        local t = {}
        for _ = 1, 1e5 do t = setmetatable({}, {__index = t}) end
        print(t.x)
    ]], err = "'__index' chain too long"},
    {"brackets for the compiler", 'print(load("return " .. ("("):rep(1e6)))', out = "*",
     says = "C stack overflow"},
    {"blocks for the compiler", 'print(load(("do "):rep(1e6)))', out = "*", says = "overflow"},
    {"operators for the compiler", 'print(load("return " .. ("- "):rep(1e6) .. "1"))', out = "*",
     says = "overflow"},
    {"names for the compiler", [[
        print(load("local a <const> = 1; local _ENV <const> = {}; x = a; return x"))
        print(load(("local a = 1 "):rep(300)))
        print(load("goto x; local a <close> = nil; ::x:: print(a)"))
    ]], out = "*", says = "too many local variables"},
    {"brackets for formulas", [[
        print(pcall(dtsim.formula, ("("):rep(5e5) .. "1" .. (")"):rep(5e5)))
        print(pcall(dtsim.formula, ("("):rep(400) .. "E" .. (")"):rep(400)))
        print(pcall(dtsim.formula, ("-"):rep(999)))
        print(pcall(dtsim.formula, ("2^"):rep(450) .. "2"))
        print(pcall(dtsim.formula, ("if E > 1 then 1 else "):rep(45) .. "1"))
    ]], out = "*", says = "more than 50 brackets"},
    {"brackets for JSON", [[
        print(dtsim.json.try_decode(("["):rep(1e6)))
        print(dtsim.json.try_decode(("["):rep(1e5) .. ("]"):rep(1e5)))
        print(dtsim.json.try_decode(('{"a":'):rep(1e5)))
        local t = {}
        for _ = 1, 1e5 do t = {t} end
        print(pcall(dtsim.json.encode, t))
        t[1] = t
        print(pcall(dtsim.json.encode, t))
    ]], out = "*", says = "nested more than 200 tables deep"},
    {"captures of a pattern", [[
        print(pcall(string.find, "x", ("("):rep(100)))
        print(pcall(string.find, ("("):rep(1e3), ("%b()"):rep(1e3)))
        print(pcall(string.match, ("a"):rep(300), ("a?"):rep(300)))
    ]], out = "*", says = "pattern too complex"},
    {"formats of string.format", [[
        print(pcall(string.format, "%99999999d", 1))
        print(pcall(string.format, "%.99999999f", 1))
        print(#string.format("%99.99f", 1e308), pcall(string.format, "%n", 1))
        print(pcall(string.format, ("%d"):rep(1e5)))
    ]], out = "*", says = "invalid conversion"},
    {"formats of string.pack", [[
        print(pcall(string.pack, "i99999999999", 1))
        print(pcall(string.unpack, "z", "x"))
        print(pcall(string.unpack, "s8", ("\255"):rep(8)))
        print(pcall(string.unpack, "c2147483647", "x"))
        print(pcall(string.pack, "!16" .. ("Xi16"):rep(1e4)))
        print(pcall(string.unpack, "i4", "abcd", -1 << 63))
    ]], out = "*", says = "out of limits [1,16]"},
    {"arguments without end", [[
        print(pcall(select, -1 << 63), pcall(string.char, table.unpack({}, 1, 100)))
        print(pcall(table.concat, setmetatable({}, {__len = function() return 1 << 62 end})))
        print(pcall(table.insert, {}, 1 << 62, 1))
        print(pcall(math.random, 0), pcall(utf8.char, 1 << 31), pcall(os.date, "%Ez", 1 << 62))
    ]], out = "*"},
    {"a sort that lies", [[
        local t = {}
        for i = 1, 1e4 do t[i] = i end
        print(pcall(table.sort, t, function() return true end))
        print(pcall(table.sort, t, function() return math.random() < 0.5 end))
        print(pcall(table.sort, setmetatable({}, {__len = function() return 1 << 40 end,
            __index = function() error "stop" end})))
    ]], out = "*", says = "invalid order function"},

    {"errors of every kind", [[
        for _, e in ipairs{1, true, {}, print, coroutine.create(print), io.stdout, 0/0} do
            print(pcall(error, e))
        end
        print(pcall(error), pcall(error, nil))
        error(setmetatable({}, {__tostring = function() return {} end}))
    ]], out = "*", err = "*"},
    {"an error that is a table", "error({})", err = "dtsim: (error object is a table value)\n"},
    {"an error that is nothing", "error()", err = "dtsim: (error object is a nil value)\n"},
    {"an error in the telling of an error", [[
        error(setmetatable({}, {__tostring = function() error "again" end}))
    ]], err = "*"},
    {"an error in __close of an error", [[
        local x <close> = setmetatable({}, {__close = function() error "second" end})
        error "first"
    ]], err = "second"},
    {"an error named as a file's failure", [[
        require "dtsim.file".write_whole("../x", "y")
        error "cannot write '../x': '..' leads out of the sandbox"
    ]], err = "leads out", status = 3},

    {"os.exit inside pcall", "pcall(os.exit, 7) print 'no'", out = "", status = 7},
    {"os.exit that closes the state", "pcall(os.exit, true, true) print 'no'", out = ""},
    {"os.exit inside a coroutine", "coroutine.wrap(function() os.exit(false, true) end)()",
     out = "", status = 1},
    {"os.exit inside __close", [[
        do local x <close> = setmetatable({}, {__close = function() os.exit(5, true) end}) end
    ]], out = "", status = 5},
    {"os.exit inside a comparison", "table.sort({2, 1}, function() os.exit(6) end)", out = "",
     status = 6},
    {"os.exit with odd arguments", "print(pcall(os.exit, {}), pcall(os.exit, 'x'))", out = "*",
     says = "bad argument"},
    {"os.exit with output before it", "io.write 'all of it' os.exit(0)", out = "all of it"},
    {"a yield across everything", [[
        print(pcall(coroutine.yield))
        local co = coroutine.wrap(function()
            local laws = dtsim.laws{batch = function() coroutine.yield(1) return 1 end}
            print(pcall(laws.model, laws, 12288))
            table.sort({2, 1}, coroutine.yield)
        end)
        print(pcall(co))
        print(pcall(co))
    ]], out = "*", says = "attempt to yield"},
    {"coroutines that end each other", [[
        local co
        co = coroutine.create(function() print(pcall(coroutine.close, co)) end)
        print(coroutine.resume(co))
        print(pcall(coroutine.resume, coroutine.running()))
        print(pcall(coroutine.wrap(function() return pcall(pcall, error, "x") end)))
    ]], out = "*", says = "cannot close a running coroutine"},
}
