-- dtsim.file: files are written whole or not at all.
local file = require "dtsim.file"
local program = require "cli.program"

local quote = program.quote

local function mode_of(path)
    return program.output_of("stat -c %a " .. quote(path))
end

describe("file.write_whole", function()
    local folder

    before_each(function()
        folder = program.folder()
    end)

    after_each(function()
        program.remove(folder)
    end)

    -- Writing to path fails for this reason; afterwards the folder holds exactly these names.
    local function check_failure(path, reason, names)
        local done, message = file.write_whole(path, "new")
        assert.equal(nil, done)
        assert.equal(("cannot write '%s': %s"):format(path, reason), message)
        assert.equal(names, program.output_of("ls -A " .. quote(folder)))
    end

    it("makes a new file", function()
        assert.equal(true, file.write_whole(folder .. "/a", "text\n"))
        assert.equal("text\n", program.read(folder .. "/a"))
        assert.equal("a", program.output_of("ls -A " .. quote(folder)))
    end)

    it("keeps every byte, none and many", function()
        for _, text in ipairs{"", "\0\255\r\n\0", ("0123456789abcdef"):rep(2 ^ 18)} do
            assert.equal(true, file.write_whole(folder .. "/a", text))
            assert.equal(true, program.read(folder .. "/a") == text)
        end
    end)

    it("gives a new file what the umask leaves", function()
        local code = ("require 'dtsim.file'.write_whole(%q, '')"):format(folder .. "/a")
        program.run{"-e", code, before = "umask 027"}
        assert.equal("640", mode_of(folder .. "/a"))
    end)

    it("keeps the permissions of the file that it replaces", function()
        for _, mode in ipairs{"600", "755", "664"} do
            program.write(folder .. "/a", "old, and longer")
            os.execute("chmod " .. mode .. " " .. quote(folder .. "/a"))
            assert.equal(true, file.write_whole(folder .. "/a", "new"))
            assert.equal("new", program.read(folder .. "/a"))
            assert.equal(mode, mode_of(folder .. "/a"))
        end
    end)

    it("writes to where a symbolic link points", function()
        program.write(folder .. "/sub/target", "old")
        os.execute(("cd %s && ln -s sub/target link && ln -s link again"):format(quote(folder)))
        assert.equal(true, file.write_whole(folder .. "/again", "new"))
        assert.equal("new", program.read(folder .. "/sub/target"))
        assert.equal("sub/target", program.output_of("readlink " .. quote(folder .. "/link")))
        assert.equal("link", program.output_of("readlink " .. quote(folder .. "/again")))
        assert.equal("target", program.output_of("ls -A " .. quote(folder .. "/sub")))
    end)

    it("makes the file that a symbolic link to nothing points to", function()
        os.execute(("cd %s && mkdir sub && ln -s sub/new link"):format(quote(folder)))
        assert.equal(true, file.write_whole(folder .. "/link", "new"))
        assert.equal("new", program.read(folder .. "/sub/new"))
        os.execute(("cd %s && rm link && ln -s none/new link"):format(quote(folder)))
        check_failure(folder .. "/link", "No such file or directory", "link\nsub")
    end)

    it("takes a path relative to the current folder", function()
        local code = "assert(require 'dtsim.file'.write_whole('a', 'text'))"
        assert.equal(0, program.run{"-e", code, dir = folder}.code)
        assert.equal("text", program.read(folder .. "/a"))
    end)

    it("writes into what is no regular file", function()
        assert.equal(true, file.write_whole("/dev/null", "text"))
        os.execute(("cd %s && mkfifo pipe && (cat pipe >copy &)"):format(quote(folder)))
        assert.equal(true, file.write_whole(folder .. "/pipe", "through"))
        os.execute("sleep 0.2")
        assert.equal("through", program.read(folder .. "/copy"))
        assert.equal("fifo", program.output_of("stat -c %F " .. quote(folder .. "/pipe")))
    end)

    it("says that a device is full", function()
        local done, message = file.write_whole("/dev/full", "text")
        assert.equal(nil, done)
        assert.equal("cannot write '/dev/full': No space left on device", message)
    end)

    it("fails on what is no place for a file", function()
        program.write(folder .. "/a", "old")
        check_failure(folder, "Is a directory", "a")
        check_failure(folder .. "/a/b", "Not a directory", "a")
        check_failure(folder .. "/none/b", "No such file or directory", "a")
        check_failure(folder .. "/none/", "No such file or directory", "a")
        check_failure("", "No such file or directory", "a")
        check_failure(folder .. "/" .. ("x"):rep(300), "File name too long", "a")
        check_failure(folder .. "/" .. ("x/"):rep(4000), "File name too long", "a")
    end)

    it("leaves the old content and nothing else where the new does not fit", function()
        program.write(folder .. "/a", "old")
        for _, path in ipairs{"a", "b"} do
            -- A limit on the size of files, in place of a full disk.
            local result = program.run{
                "-e", ("print(require 'dtsim.file'.write_whole(%q, ('x'):rep(1e5)))"):format(path),
                dir = folder, before = "trap '' XFSZ\nulimit -f 8",
            }
            assert.equal(("nil\tcannot write '%s': File too large\n"):format(path), result.out)
            assert.equal("old", program.read(folder .. "/a"))
            assert.equal("a", program.output_of("ls -A " .. quote(folder)))
        end
    end)

    it("respects permissions", function()
        local prefix = program.unprivileged()
        if not prefix then
            pending("needs setpriv to give up root's rights")
            return
        end
        program.write(folder .. "/locked/a", "old")
        program.write(folder .. "/open/a", "old")
        os.execute(("cd %s && cp %s program && chmod 555 locked && chmod 444 open/a"):format(
            quote(folder), quote(program.path)))
        os.execute("[ $(id -u) != 0 ] || chown -R 65534 " .. quote(folder))
        for _, path in ipairs{"locked/a", "locked/b", "open/a"} do
            local result = program.run{
                "-e", ("assert(require 'dtsim.file'.write_whole(%q, 'new'))"):format(path),
                dir = folder, prefix = prefix, program = folder .. "/program",
            }
            assert.equal(("dtsim: (command line):1: cannot write '%s': Permission denied\n")
                         :format(path), result.err)
            assert.equal(3, result.code)
        end
        assert.equal("old", program.read(folder .. "/locked/a"))
        assert.equal("old", program.read(folder .. "/open/a"))
        assert.equal("a\na", program.output_of(("cd %s && ls -A locked && ls -A open | cat")
                                               :format(quote(folder))):gsub("[^\n]*:\n", ""))
        os.execute("chmod 755 " .. quote(folder .. "/locked"))
    end)

    it("takes strings only, and no zero byte in a path", function()
        assert.error_matches(function() file.write_whole() end, "bad argument #1 to 'write_whole'")
        assert.error_matches(function() file.write_whole("a") end,
                             "bad argument #2 to 'write_whole'")
        assert.error_matches(function() file.write_whole("a\0b", "") end,
                             "bad argument #1 to 'write_whole' %(a path holds no zero byte%)")
    end)
end)
