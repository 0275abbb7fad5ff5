-- The prompt. With -i it also reads from a pipe.
local program = require "cli.program"

-- What the prompt prints for lines of input: output without the version and the prompts, errors.
local function prompt(lines)
    local result = program.run{"-i", stdin = lines}
    assert.equal(0, result.code)
    local out = result.out:gsub("^dtsim [^\n]*\n", "")
    return out, result.err
end

describe("the prompt", function()
    it("says the version and leaves at the end of input", function()
        local result = program.run{"-i", stdin = ""}
        assert.truthy(result.out:find("^dtsim %d[^\n]*\n> \n$"))
        assert.equal(0, result.code)
    end)

    it("prints the values of an expression, nothing for a statement", function()
        assert.equal("> 2\n> \n", prompt("1 + 1\n"))
        assert.equal("> 1\tnil\ta\n> \n", prompt("1, nil, 'a'\n"))
        assert.equal("> > 5\n> \n", prompt("x = 5\nx\n"))
        assert.equal("> > \n", prompt("(function() end)()\n"))
    end)

    it("prints by __tostring", function()
        assert.equal("> told\n> \n",
                     prompt("setmetatable({}, {__tostring = function() return 'told' end})\n"))
    end)

    it("keeps the last value in _", function()
        assert.equal("> 42\t7\n> > 43\n> \n", prompt("42, 7\ny = 1\n_ + 1\n"))
    end)

    it("goes on with unfinished input", function()
        assert.equal("> >> >> > 6\n> \n", prompt("function f(x)\nreturn 2 * x\nend\nf(3)\n"))
        assert.equal("> >> >> > \n", prompt("while false do\n\nend\n"))
        assert.equal("> >> 3\n> \n", prompt("1 +\n2\n"))
        assert.equal("> >> a\nb\n> \n", prompt("[[a\nb]]\n"))
    end)

    it("reads lines of any length and a last one without a newline", function()
        local long = ("x"):rep(3000)
        assert.equal("> " .. long .. "\n> \n", prompt("'" .. long .. "'\n"))
        assert.equal("> 1\n> \n", prompt("1"))
    end)

    it("says what is wrong and goes on", function()
        local out, err = prompt("x = = 1\nerror('no')\nlocal t = nil; t.x = 1\n'fine'\n")
        assert.equal("> > > > fine\n> \n", out)
        assert.equal("stdin:1: unexpected symbol near '='\nstdin:1: no\n" ..
                     "stdin:1: attempt to index a nil value (local 't')\n", err)
        local untold = "setmetatable({}, {__tostring = function() error('untold') end})\n"
        assert.equal("stdin:1: untold\n", select(2, prompt(untold)))
    end)

    it("comes after the script, with its globals", function()
        local result = program.run{"-i", "-e", "x = 7", stdin = "x\n"}
        assert.truthy(result.out:find("> 7\n", 1, true))
    end)

    it("comes by itself on a terminal", function()
        if not os.execute("script -qec true /dev/null >/dev/null 2>&1") then
            pending("needs the command script and a pseudo-terminal")
            return
        end
        local command = "script -qec " .. program.quote(program.quote(program.path)) .. " /dev/null"
        local out = program.output_of("printf '6 * 7\\n' | TERM=dumb " .. command)
        assert.truthy(out:find("dtsim %d.*\n> .*42"), out)
    end)

    it("survives Ctrl-C, at the prompt and in a computation", function()
        local folder = program.folder()
        program.write(folder .. "/script", ([[
cd %s
mkfifo in
%s -i <in >out 2>err &
pid=$!
exec 7>in
wait_for() { n=0; while [ ! -e $1 ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n + 1)); done; }
echo "io.open('a', 'w'):close() dropped =" >&7
sleep 0.3
kill -INT $pid
sleep 0.1
echo "io.open('b', 'w'):close() while true do end" >&7
wait_for b
sleep 0.1
kill -INT $pid
sleep 0.1
echo "io.open('c', 'w'):close() print('still here')" >&7
wait_for c
exec 7>&-
wait $pid
echo $? >code
]]):format(folder, program.quote(program.path)))
        os.execute("sh " .. folder .. "/script 2>/dev/null")
        assert.equal("interrupted\n", program.read(folder .. "/err"))
        assert.truthy(program.read(folder .. "/out"):find("> still here\n", 1, true))
        assert.equal(nil, program.read(folder .. "/a"))
        assert.equal("0\n", program.read(folder .. "/code"))
        program.remove(folder)
    end)
end)
