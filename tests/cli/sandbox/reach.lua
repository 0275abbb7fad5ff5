-- reach: attempts to get at what a sandbox does not have. See cli.sandbox.attempt for the fields.

local PLOT = [[
local plot = require "dtsim.plot"
local function figure(changes)
    local mark = {kind = "dots", shape = "disc", color = "#ff0000", name = "m",
                  points = {{1, 1}, {2, 2}}}
    local panel = {title = "t", x = {label = "x"}, y = {label = "y"}, marks = {mark}}
    local texts = {kind = "texts", texts = {{1, 1, "word"}}}
    if changes then changes(mark, panel, texts) end
    panel.marks[2] = texts.texts[1][3] ~= "word" and texts or texts.texts[1].align and texts or nil
    return {title = "f", width = 400, height = 300, panels = {panel}}
end
]]

return {
    -- functions that are not there
    {"os.execute", 'os.execute("touch ../escaped")', err = "nil value (field 'execute')"},
    {"os.remove", 'os.remove("../secret.txt")', err = "nil value (field 'remove')"},
    {"os.rename", 'os.rename("../secret.txt", "../escaped")', err = "nil value (field 'rename')"},
    {"os.tmpname", "os.tmpname()", err = "nil value (field 'tmpname')"},
    {"os.getenv", 'print(os.getenv("MARK"))', err = "nil value (field 'getenv')"},
    {"os.setlocale", 'os.setlocale("C")', err = "nil value (field 'setlocale')"},
    {"io.popen", 'io.popen("touch ../escaped")', err = "nil value (field 'popen')"},
    {"io.tmpfile", "io.tmpfile()", err = "nil value (field 'tmpfile')"},
    {"io.input", 'io.input("../secret.txt")', err = "nil value (field 'input')"},
    {"io.output", 'io.output("../escaped")', err = "nil value (field 'output')"},
    {"io.read", "print(io.read())", err = "nil value (field 'read')"},
    {"io.stdin", "print(io.stdin:read())", err = "nil value (field 'stdin')"},
    {"the debug library", "debug.getregistry()", err = "nil value (global 'debug')"},
    {"the package library", 'package.loadlib("libc.so.6", "*")',
     err = "nil value (global 'package')"},
    {"string.dump", "string.dump(print)", err = "nil value (field 'dump')"},
    {"every function of the globals", [[
        local names = {}
        local function walk(t, where)
            for k, v in pairs(t) do
                if type(v) == "function" then names[#names + 1] = where .. k
                elseif type(v) == "table" and v ~= _G and where == "" and k ~= "dtsim" then
                    walk(v, k .. ".") end
            end
        end
        for _, name in ipairs{"atan2", "cosh", "frexp", "ldexp", "log10", "pow", "sinh", "tanh"} do
            math[name] = nil -- of older versions, in some builds of Lua
        end
        walk(_G, "")
        table.sort(names)
        print(table.concat(names, " "))
    ]], out = [[
assert collectgarbage coroutine.close coroutine.create coroutine.isyieldable coroutine.resume ]]
    .. [[coroutine.running coroutine.status coroutine.wrap coroutine.yield dofile error ]]
    .. [[getmetatable io.close io.lines io.open io.type io.write ipairs load loadfile math.abs ]]
    .. [[math.acos math.asin math.atan math.ceil math.cos math.deg math.exp math.floor math.fmod ]]
    .. [[math.log math.max math.min math.modf math.rad math.random math.randomseed math.sin ]]
    .. [[math.sqrt math.tan math.tointeger math.type math.ult next os.clock os.date os.difftime ]]
    .. [[os.exit os.time pairs pcall print rawequal rawget rawlen rawset require select ]]
    .. [[setmetatable string.byte string.char string.find string.format string.gmatch ]]
    .. [[string.gsub string.len string.lower string.match string.pack string.packsize ]]
    .. [[string.rep string.reverse string.sub string.unpack string.upper table.concat ]]
    .. [[table.insert table.move table.pack table.remove table.sort table.unpack tonumber ]]
    .. [[tostring type utf8.char utf8.codepoint utf8.codes utf8.len utf8.offset warn xpcall
]]},

    -- modules
    {"require of debug", 'require "debug"', err = "module 'debug' not found: a sandbox has"},
    {"require of package", 'require "package"', err = "module 'package' not found"},
    {"require of LPeg", 'require "lpeg"', err = "module 'lpeg' not found"},
    {"require of cjson", 'require "cjson"', err = "module 'cjson' not found"},
    {"require of a script beside", 'require "beside"', err = "module 'beside' not found"},
    {"require of a path", 'require "../secret"', err = "module '../secret' not found"},
    {"require of the standard io", 'print(require "io" == io, io.popen)', out = "true\tnil\n"},
    {"require of the globals", 'print(require "_G" == _G)', out = "true\n"},
    {"what the library's modules hold", [[
        local seen, found = {}, {}
        local function walk(t)
            if type(t) ~= "table" or seen[t] then return end
            seen[t] = true
            for k, v in next, t do
                if k == "popen" or k == "execute" or k == "gnuplot" and type(v) == "function"
                    or k == "loadlib" or k == "getregistry" or k == "remove" and t ~= table then
                    found[#found + 1] = k
                end
                if type(v) == "userdata" and type(getmetatable(v)) == "table" then
                    found[#found + 1] = "userdata " .. tostring(k) -- such as a pattern of LPeg's
                end
                walk(k) walk(v) walk(getmetatable(t))
            end
        end
        walk(_G)
        for _, name in ipairs{"core", "file", "plot", "plot.gnuplot", "json", "formula", "study",
                              "config", "catalog", "gpu", "units", "report"} do
            walk(require("dtsim." .. name))
        end
        print(table.concat(found, " "))
    ]], out = "\n"},
    {"dtsim.file's gnuplot", 'print(require "dtsim.file".gnuplot)', out = "nil\n"},
    {"gnuplot with a script of one's own", [[
        local gnuplot = require "dtsim.plot.gnuplot"
        print(gnuplot.run, gnuplot.script)
    ]], out = "nil\tnil\n"},

    -- bytecode
    {"load of bytecode", 'print(load("\\27Lua"))',
     out = "nil\tattempt to load a binary chunk (mode is 't')\n"},
    {"load of bytecode by its mode", 'print(load("\\27Lua", "x", "b"))',
     out = "nil\tattempt to load a binary chunk (mode is 't')\n"},
    {"load of bytecode in pieces", [[
        local parts = {"\27", "Lua", "T"}
        print(load(function() return table.remove(parts, 1) end, "x", "bt"))
    ]], out = "nil\tattempt to load a binary chunk (mode is 't')\n"},
    {"loadfile of bytecode", 'print(loadfile("evil.luac", "b"))',
     out = "nil\tattempt to load a binary chunk (mode is 't')\n"},
    {"dofile of bytecode", 'dofile "evil.luac"', err = "attempt to load a binary chunk"},
    {"loadfile from outside", 'print(loadfile("../secret.txt"))',
     out = "nil\t../secret.txt: '..' leads out of the sandbox\n"},
    {"dofile from outside", 'dofile "../secret.txt"', err = "'..' leads out of the sandbox"},
    {"load with an environment of its own", [[
        local f = load("return os, io, require, _G", "x", "t", {})
        print(f())
        print(load("return os.execute, io.popen")())
    ]], out = "nil\tnil\tnil\tnil\nnil\tnil\n"},
    {"load with upvalues of the library's", [[
        local f = load("local a = ... return function() return a end")
        print(f(require)() == require, load("return debug")())
    ]], out = "true\tnil\n"},
    {"load named as a file of the library", [[
        load("return require 'lpeg'", "@lua/dtsim/formula.lua")()
    ]], err = "module 'lpeg' not found"},

    -- metatables and shared tables
    {"the strings' metatable", 'print(getmetatable(""))', out = "false\n"},
    {"the files' metatable", "print(getmetatable(io.stdout))", out = "false\n"},
    {"the objects' metatables", [[
        print(getmetatable(dtsim.gpus.h100), getmetatable(dtsim.gpus),
            pcall(setmetatable, dtsim.gpus, {}))
    ]], out = "false\tfalse\tfalse\tcannot change a protected metatable\n"},
    {"a metatable for an object", "setmetatable(dtsim.gpus.h100, {})",
     err = "table expected, got gpu"},
    {"package.loaded", "print(package and package.loaded)", out = "nil\n"},
    {"a require of the script's own", [[
        require = function() return setmetatable({}, {__index = function() return print end}) end
        print(pcall(function() return tostring(dtsim.gpus.h100) end))
        print(pcall(tostring, dtsim.model{d_model = 1024, layers = 2, batch = 4}))
        print(pcall(dtsim.gpu, {sms = "many"}))
        print(pcall(dtsim.gpu, {memry = 1}))
    ]], out = "*"},
    {"dtsim.units of the script's own", [[
        local gpu = dtsim.gpus.h100
        for _, answer in ipairs{{}, 0/0, -1, "x", print, math.huge} do
            dtsim.units.try = function() return answer end
            print(pcall(dtsim.gpu, {name = "x", sms = "4", clock = "1 GHz"}))
            print(pcall(dtsim.network, {{bandwidth = "1 GB/s", latency = "1 us"}}))
            print(pcall(gpu.with, gpu, {memory = "1 GB"}))
        end
        dtsim.units.example = function() end
        print(pcall(dtsim.gpu, {sms = {}}))
    ]], out = "*"},
    {"dtsim.messages of the script's own", [[
        local messages = require "dtsim.messages"
        for _, answer in ipairs{{}, 1, print, false} do
            messages.unknown = function() return answer end
            print(pcall(dtsim.gpu, {memry = 1}))
        end
        messages.unknown = nil
        print(pcall(dtsim.gpu, {memry = 1}))
    ]], out = "*"},
    {"methods of the script's own", [[
        local methods = require "dtsim.core".methods
        for _, name in ipairs{"gpu", "network", "model", "optimizer"} do
            for key in pairs(methods(name)) do methods(name)[key] = nil end
            methods(name).__gc = print
        end
        print(pcall(tostring, dtsim.gpus.h100))
        print(pcall(function() return dtsim.gpus.h100.nothing end))
    ]], out = "*"},
    {"methods on objects of other kinds", [[
        local methods = require "dtsim.core".methods
        local things = {dtsim.gpus.h100, dtsim.networks.h100, io.stdout, {}, 1, "x", print}
        for _, name in ipairs{"gpu", "network", "model", "optimizer"} do
            for _, method in pairs(methods(name)) do
                for _, thing in ipairs(things) do
                    for _, other in ipairs(things) do pcall(method, thing, other, other, other) end
                end
            end
        end
        print "held"
    ]], out = "held\n"},
    {"every function of the library with odd arguments", [[
        local odd = {{}, -1, 2^53, 0/0, math.huge, "x", "../escaped", print, io.stdout,
                     dtsim.gpus.h100, setmetatable({}, {__len = function() return 4 end,
                         __index = function(_, k) return k == 1 and "x" or nil end}),
                     setmetatable({}, {__len = function() return -5 end})}
        local skip = {main = true, arguments = true}
        for _, name in ipairs{"core", "file", "gpu", "units", "json", "formula", "laws", "suggest",
                              "messages", "show", "record", "plot.gnuplot", "plot.layout"} do
            for key, f in pairs(require("dtsim." .. name)) do
                if type(f) == "function" and not skip[key] then
                    for _, a in ipairs(odd) do
                        pcall(f, a)
                        for _, b in ipairs(odd) do pcall(f, a, b) end
                    end
                end
            end
        end
        print "held"
    ]], out = "held\n", files = {"out/"}},
    {"catalogs by rawset", [[
        rawset(dtsim.gpus, "h100", {name = "mine"})
        print(dtsim.gpus.h100.name, dtsim.systems.h100.gpu.name)
    ]], out = "mine\tmine\n"},
    {"globals taken away", [[
        local globals = _G
        for key in pairs(globals) do
            if not ("pcall io tostring error"):find(key, 1, true) then globals[key] = nil end
        end
        io.write(tostring(pcall(tostring, 1)), "\n")
        error "x"
    ]], out = "true\n", err = "x"},
    {"standard functions taken away from the library", [[
        local gpu = dtsim.gpus.h100
        for key in pairs(string) do string[key] = nil end
        for key in pairs(table) do table[key] = nil end
        for key in pairs(math) do math[key] = nil end
        print(pcall(dtsim.units.parse, "1 GB"))
        print(pcall(gpu.with, gpu, {memory = "1 GB"}))
        print((pcall(tostring, gpu)))
    ]], out = "*"},

    -- gnuplot
    {"gnuplot by a string.format of the script's own", PLOT .. [[
        local s = dtsim.study{search = "paper", d_model = {12288}, {system = "v100"}}
        s:run()
        string.format = function() return "'\nsystem('touch ../escaped')\n'" end
        string.gsub = function(text) return text end
        table.concat = function() return "system('touch ../escaped; touch escaped')" end
        print(pcall(plot.draw, figure(), "x.svg"))
        print(pcall(s.plot, s, "y.svg"))
    ]], out = "*", files = {"out/x.svg"}},
    {"gnuplot by a color", PLOT .. [[
        plot.draw(figure(function(mark) mark.color = "#ff0000'; system('touch escaped') #" end),
            "x.svg")
    ]], err = 'a color must be like "#1f77b4", got "#ff0000\''},
    {"gnuplot by a color of a label", PLOT .. [[
        plot.draw(figure(function(_, _, texts)
            texts.texts[1] = {1, 1, "w", color = "#ff0000'; system('touch escaped') #"}
        end), "x.svg")
    ]], err = "a color must be like"},
    {"gnuplot by an alignment", PLOT .. [[
        plot.draw(figure(function(_, _, texts)
            texts.texts[1].align = "left; system('touch escaped')" end), "x.svg")
    ]], err = "align must be left, center or right"},
    {"gnuplot by lines in a label", PLOT .. [[
        plot.draw(figure(function(mark, panel, texts)
            local evil = "\nDTSIM_END\nsystem('touch escaped')\n`touch escaped`\n"
            panel.x.label, panel.y.label, panel.title, mark.name = evil, evil, evil, evil
            texts.texts[1][3] = evil
        end), "x.svg")
        print "held"
    ]], out = "held\n", files = {"out/x.svg"}},
    {"gnuplot by a letter of a plot of text", PLOT .. [[
        plot.draw(figure(function(mark) mark.letter = "'; system('touch escaped') #" end))
    ]], err = "a letter must be one letter or digit"},
    {"gnuplot by numbers that are texts", PLOT .. [[
        print(pcall(plot.draw, figure(function(mark)
            mark.size = "1; system('touch escaped')"
            mark.points[1][1] = "1\nsystem('touch escaped')" end), "x.svg"))
    ]], out = "*"},
    {"gnuplot by sizes of the page", PLOT .. [[
        local f = figure()
        f.width, f.height = "400; system('touch escaped')", "300"
        print(pcall(plot.draw, f, "x.svg"))
    ]], out = "*"},
    {"gnuplot by a format", PLOT .. [[
        local gnuplot = require "dtsim.plot.gnuplot"
        print(pcall(gnuplot.draw, figure(), "x; system('touch escaped')"))
        print(pcall(gnuplot.text, figure(), "80; system('touch escaped')", 20))
    ]], out = "*"},
    {"gnuplot that reads a file", PLOT .. [[
        plot.draw(figure(function(_, _, texts)
            texts.texts[1][3] = "@ENV $MARK `cat ../secret.txt` <../secret.txt"
        end), "x.svg")
        print "held"
    ]], out = "held\n", files = {"out/x.svg"}},
    {"a figure that holds itself", PLOT .. [[
        local f = figure()
        f.panels[1].self = f
        plot.draw(f, "x.svg")
    ]], err = "tables in one another, more than 12"},
    {"a figure that holds a function", PLOT .. [[
        plot.draw(figure(function(mark) mark.name = print end), "x.svg")
    ]], err = "*"},
    {"a figure of tables that share tables", PLOT .. [[
        local t = {}
        for _ = 1, 10 do
            local wide = {}
            for i = 1, 100 do wide[i] = t end
            t = wide
        end
        local f = figure()
        f.panels[1].wide = t
        plot.draw(f, "x.svg")
    ]], err = "*", options = {"--max-memory", "64 MiB"}},
    {"a figure with metamethods", PLOT .. [[
        local f = setmetatable({panels = setmetatable({}, {__index = print})}, {
            __index = function() while true do end end, __pairs = print, __len = print})
        print(pcall(require "dtsim.plot.gnuplot".draw, f, "svg"))
    ]], out = "*"},
    {"a core.raise of the script's own", PLOT .. [[
        require "dtsim.core".raise = function() return "back" end
        print(pcall(require "dtsim.plot.gnuplot".draw, {}, "svg"))
    ]], out = "*"},
}
