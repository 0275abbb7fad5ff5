-- files: attempts to read and write where a sandbox does not. See cli.sandbox.attempt for the
-- fields.

-- Attempts to read a path; all end without what it holds.
local function read(name, path, reason)
    return {name, ([[
        print(io.open(%q))
        print(pcall(io.lines, %q))
        print(pcall(dofile, %q))
        print(pcall(dtsim.study.load, %q))
        print((pcall(require "dtsim.config".read, %q, {})))
    ]]):format(path, path, path, path, path), out = "*", says = reason}
end

-- Attempts to write a path, in every way that the library and Lua have.
local function write(name, path, reason, options)
    return {name, ([[
        local file = require "dtsim.file"
        print(io.open(%q, "w"))
        print(io.open(%q, "a"))
        print(file.write_whole(%q, "mine"))
        local s = dtsim.study{search = "paper", d_model = {12288}, {system = "v100"}}
        print(pcall(s.run, s, {log = %q}))
        print(pcall(s.save, s, %q .. ".json"))
        print(pcall(s.plot, s, %q .. ".svg"))
        print(pcall(s.report, s, %q .. ".html"))
        print(pcall(s:sweep(1).save, s:sweep(1), %q .. ".csv"))
    ]]):format(path, path, path, path, path, path, path, path), out = "*", says = reason,
        options = options, files = {"out/" .. path .. "."}}
end

local UP, DOT = "'..' leads out of the sandbox", "takes no names that start with a dot"
local LINK, ABSOLUTE = "follows no symbolic links", "takes names relative to its folders"

return {
    read("reading above the script", "../secret.txt", UP),
    read("reading by a way down and up", "sub/../../secret.txt", UP),
    read("reading above by two dots at the end", "sub/..", UP),
    read("reading by an absolute path", "/etc/passwd", ABSOLUTE),
    read("reading the environment", "/proc/self/environ", ABSOLUTE),
    read("reading a link", "link", LINK),
    read("reading by a linked folder", "linked/secret.txt", "Not a directory"),
    read("reading a link of the output folder", "outlink", LINK),
    read("reading a hidden file", ".hidden", DOT),
    read("reading in a hidden folder", ".config/key", DOT),
    read("reading a pipe that nobody writes", "pipe", "Operation not permitted"),
    read("reading a folder", "sub", "Is a directory"),
    read("reading a folder by its slash", "sub/", "Is a directory"),
    read("reading the script's own folder", ".", "Is a directory"),
    read("reading a long name", ("x"):rep(300) .. "/x", "File name too long"),
    read("reading no name", "", "a name is due"),
    {"reading a name with a zero byte", [[
        print(pcall(io.open, "data.txt\0/../../secret.txt"))
        print(pcall(io.lines, "data.txt\0"))
        print(pcall(loadfile, "data.txt\0"))
        print(pcall(require "dtsim.file".write_whole, "x\0y", "z"))
    ]], out = "*", says = "a path holds no zero byte"},
    {"reading beside the script and below", [[
        for line in io.lines "data.txt" do print(line) end
        print(io.open("sub/inner.txt"):read "a", dofile "beside.lua", io.open("./data.txt"):read(3))
        print(io.open("nothing.txt"))
    ]], out = "first\nsecond\ninner\t42\tfir\nnil\tnothing.txt: No such file or directory\n"},

    write("writing above", "../escaped", UP),
    write("writing by a way down and up", "sub/../../escaped", UP),
    write("writing by an absolute path", "/tmp/dtsim-escaped", ABSOLUTE),
    write("writing by a link", "outlink", LINK),
    write("writing by a linked folder", "outlinked/escaped", "Not a directory"),
    write("writing a hidden file", ".profile", DOT),
    write("writing into a pipe", "outpipe", "Operation not permitted"),
    write("writing a folder", "outsub", "Is a directory"),
    write("writing into no folder", "missing/x", "No such file or directory"),
    write("writing without --out", "x", "the sandbox writes nothing without '--out DIR'",
          {out = false}),
    {"writing beside the script", [[
        io.open("data.txt", "w"):write("mine"):close()
        print(io.open("data.txt"):read "a")
        require "dtsim.file".write_whole("beside.lua", "return 43")
        print(dofile "beside.lua")
    ]], out = "mine\n43\n", files = {"out/data.txt", "out/beside.lua"}},
    {"a file that is read and written at once", [[
        for _, mode in ipairs{"r+", "w+", "a+", "r+b", "w+b", "rw", "x", "", "wbx", "r\0+"} do
            print(pcall(io.open, "old.txt", mode))
        end
    ]], out = "*", says = "the sandbox opens files with the modes r, w and a"},
    {"a hole of a terabyte", [[
        local f = io.open("big", "w")
        print(pcall(f.seek, f, "set", 2^40))
        f:write "x"
    ]], out = "*", says = "the sandbox seeks in files that are read alone", files = {"out/big"}},
    {"files kept open", [[
        local files, message = {}, nil
        for i = 1, 100000 do
            files[i], message = io.open "data.txt"
            if not files[i] then break end
        end
        print(message)
    ]], out = "data.txt: Too many open files\n"},
    {"a file after its end", [[
        local f = io.open "data.txt"
        f:close()
        for _, name in ipairs{"read", "write", "seek", "lines", "flush", "setvbuf", "close"} do
            print(pcall(f[name], f, "a"))
        end
        print(pcall(io.stdout.write, {}, "x"), pcall(io.stdout.seek, 1))
    ]], out = "*", says = "attempt to use a closed file"},
    {"the end of standard output", [[
        print(pcall(io.stdout.close, io.stdout))
        print(pcall(io.close))
        print "held"
    ]], out = "*", says = "held"},
}
