-- Help, the man page, the reference and the completion of shells come from one text, and what they
-- show is what happens.
local program = require "cli.program"
local transcript = require "cli.transcript"

-- The value of a Lua expression in the program, as text.
local function ask(code)
    local result = program.run{"-E", "-e", code}
    assert.equal("", result.err)
    return result.out
end

local function example_names()
    local names = {}
    local code = "for _, t in ipairs(require 'dtsim.help.topics'.list) do "
        .. "if t.example then print(t.name) end end"
    for name in ask(code):gmatch "[^\n]+" do names[#names + 1] = name end
    return names
end

local function example_of(name)
    return ask(("io.write(require 'dtsim.help.topics'.by_name[%q].example)"):format(name))
end

describe("examples", function()
    for _, name in ipairs(example_names()) do
        it("of help give what is printed beside them: " .. name, function()
            assert.same(transcript.run(example_of(name)))
        end)
    end

    it("of README and docs do too", function()
        local pages = program.output_of("ls README.md docs/*.md 2>/dev/null")
        for path in pages:gmatch "[^\n]+" do
            local page = program.read(path)
            local lines = path ~= "docs/api.md" and transcript.of_page(page) or {} -- as in help
            for _, text in ipairs(lines) do assert.same(transcript.run(text)) end
            for _, example in ipairs(transcript.scripts_of_page(page)) do
                local result = program.run{"-q", "-", stdin = example.script}
                assert.equal("", result.err)
                assert.equal(example.output, result.out)
            end
        end
    end)

    it("that are wrong are noticed", function()
        local expected, got = transcript.run("> 1 + 1\n3\n")
        assert.equal("> 3\n> \n", expected)
        assert.equal("> 2\n> \n", got)
    end)
end)

describe("the reference", function()
    it("is current (make docs writes it)", function()
        local result = program.run{"-E", program.top .. "/src/package/reference.lua"}
        assert.equal("", result.err)
        assert.equal(result.out, program.read("docs/api.md"))
    end)

    it("has a heading for each link", function()
        local page = program.read("docs/api.md")
        local anchors = {}
        for heading in page:gmatch "\n## ([^\n]+)" do
            local name = heading:gsub("\\", ""):lower()
            anchors[name:gsub("[^%w_ -]", ""):gsub(" ", "-")] = true
        end
        for target in page:gmatch "%]%(#([^)]+)%)" do assert.truthy(anchors[target], target) end
    end)
end)

-- The man page as plain text, with a line for each item: "name: text".
local function man_page()
    local text = program.read(program.build .. "/dtsim.1")
    text = text:gsub("%.TP\n%.B ([^\n]*)\n", "%1: ")
    return (text:gsub("\\%(dq", '"'):gsub("\\%(ha", "^"):gsub("\\&", ""):gsub("\\%-", "-")
        :gsub("\\e", "\\"))
end

local function section(page, title)
    return page:match("\n%.SH " .. title .. "\n(.-)\n%.SH ")
end

describe("the man page", function()
    it("tells the same options as --help, in the same words", function()
        local help = program.run{"--help"}.out
        local told = {}
        for name, text in help:gmatch "\n  (%-[^\n]-)  +([^\n]+)" do
            told[#told + 1] = name .. ": " .. text
        end
        assert.truthy(#told > 10)
        local lines = {}
        for line in section(man_page(), "OPTIONS"):gmatch "[^\n]+" do lines[#lines + 1] = line end
        assert.equal(#told, #lines)
        for i, line in ipairs(told) do assert.equal(line, lines[i]:sub(1, #line)) end
    end)

    it("tells the same exit status as --help", function()
        local told = program.run{"--help"}.out:match "exit status: (.*)$":gsub("\n", " ")
        local lines = {}
        for line in section(man_page(), "EXIT STATUS"):gmatch "[^\n]+" do
            lines[#lines + 1] = line:gsub(":", "", 1)
        end
        assert.equal(table.concat(lines, ", ") .. " ", told)
    end)

    it("has every topic of help", function()
        local page = man_page()
        local code = "for _, t in ipairs(require 'dtsim.help.topics'.list) do "
            .. "if t.name ~= 'prompt' and t.name ~= 'program' then print(t.name) end end"
        for name in ask(code):gmatch "[^\n]+" do
            assert.truthy(page:find("\n.SS " .. name .. ": ", 1, true), name)
        end
    end)

    it("is formatted without a complaint", function()
        if not os.execute("command -v groff >/dev/null") then
            pending("needs groff")
            return
        end
        local page = program.quote(program.build .. "/dtsim.1")
        assert.equal("", program.output_of("groff -man -ww -Tutf8 " .. page .. " 2>&1 >/dev/null"))
    end)
end)

describe("the completion of shells", function()
    -- What bash offers for the last of some words.
    local function offered(words)
        local script = ("source %s/completion/dtsim; COMP_WORDS=(%s); "
            .. "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dtsim; echo \"${COMPREPLY[*]}\""):format(
            program.build, words)
        return program.output_of("bash -c " .. program.quote(script))
    end

    it("offers every option of --help in bash", function()
        local all = " " .. offered("dtsim -") .. " "
        for option in program.run{"--help"}.out:gmatch "[\n,] +(%-%-?%w[%w-]*)" do
            assert.truthy(all:find(" " .. option .. " ", 1, true), option)
        end
        assert.equal("--traceback", offered("dtsim --tr"))
    end)

    it("offers files, but not where a text or a number is due", function()
        assert.equal("Makefile", offered("dtsim Makef"))
        assert.equal("", offered("dtsim -e Makef"))
        assert.equal("", offered("dtsim -j ''"))
    end)

    it("names every option of --help in zsh", function()
        local text = program.read(program.build .. "/completion/_dtsim")
        assert.truthy(text:find "^#compdef dtsim\n")
        for option in program.run{"--help"}.out:gmatch "[\n,] +(%-%-?%w[%w-]*)" do
            assert.truthy(text:find(option .. "[", 1, true), option)
        end
    end)

    it("is for bash and zsh", function()
        local result = program.run{program.top .. "/src/package/completion.lua", "fish"}
        assert.equal(1, result.code)
        assert.truthy(result.err:find "the shell must be bash or zsh, got fish")
    end)
end)

describe("the version", function()
    it("is the same everywhere", function()
        local version = ask("io.write(dtsim.version)")
        assert.truthy(version:find "^%d+%.%d+%.%d+$")
        assert.equal(version, program.run{"-v"}.out:match "^dtsim (%S+)")
        assert.truthy(program.read(program.build .. "/dtsim.1"):find("dtsim " .. version, 1, true))
    end)
end)
