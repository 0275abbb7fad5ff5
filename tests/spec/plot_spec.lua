local program = require "cli.program"
local gnuplot = require "dtsim.plot.gnuplot"
local layout = require "dtsim.plot.layout"
local scale = require "dtsim.plot.scale"
local colors = require "dtsim.plot.colors"
local svg = require "dtsim.plot.svg"

local HOSTILE = 'a"; system("touch x"); # `touch y` \'q\' %s @z {/Bold b}_2 <b>&amp; \\'

local function study(name)
    return dtsim.study{
        title = "T", search = "paper", d_model = {12288, 24576, 49152, 98304, 196608, 393216},
        {name = name or "V", system = "v100"},
        {name = "H", system = "h100", gpu = dtsim.gpus.h100:with{price = "$30 k"}},
    }
end

local function fails(message, f, ...)
    local ok, got = pcall(f, ...)
    assert.is_false(ok)
    assert.truthy(got:find(message, 1, true), got)
end

local function texts(axis)
    local list = {}
    for i, tick in ipairs(axis.ticks) do list[i] = tick.text end
    return table.concat(list, " ")
end

describe("an axis", function()
    it("has powers of ten where it is logarithmic", function()
        assert.equal("1e24 1e25 1e26", texts(scale.complete({log = true}, {9e23, 2e26}, 9)))
        assert.equal("1e24 1e27 1e30", texts(scale.complete({log = true}, {1e24, 9e31}, 4)))
        assert.equal("2 5 10 20", texts(scale.complete({log = true}, {2, 30}, 9)))
        assert.equal("3.061e26", texts(scale.complete({log = true}, {2.9e26, 3.23e26}, 9)))
        assert.equal("$1e9 $1e10", texts(scale.complete({log = true, unit = "money", from = 1e9,
                                                         to = 6e10}, {}, 9)))
    end)

    it("has round steps where it is linear", function()
        assert.equal("0 % 20 % 40 % 60 %",
            texts(scale.complete({unit = "percent", from = 0, to = 0.7}, {}, 5)))
        assert.equal("-0.2 -0.1 0 0.1 0.2", texts(scale.complete({from = -0.2, to = 0.2}, {}, 5)))
    end)

    it("places values", function()
        local axis = scale.complete({log = true, from = 1, to = 100}, {}, 5)
        assert.equal(0.5, scale.place(axis, 10))
        assert.equal(0.25, scale.place(scale.complete({from = 0, to = 8}, {}, 5), 2))
    end)

    it("stands values that cannot be drawn", function()
        local axis = scale.complete({log = true}, {0, -1, math.huge, 0 / 0}, 5)
        assert.is_true(axis.from > 0 and axis.to < math.huge)
    end)
end)

describe("colors", function()
    -- Brightness by Rec. 709; the order of the scale must show without colour.
    it("of heat go from dark to light", function()
        local last = -1
        for i = 0, 20 do
            local r, g, b = colors.heat(i / 20):match "^#(%x%x)(%x%x)(%x%x)$"
            local light = 0.2126 * tonumber(r, 16) + 0.7152 * tonumber(g, 16)
                + 0.0722 * tonumber(b, 16)
            assert.is_true(light > last)
            last = light
        end
    end)
end)

describe("a text in a picture", function()
    it("is cut to its room on a character's border", function()
        assert.equal("abc", layout.fit("abc", 100))
        assert.equal("éé…", layout.fit(("é"):rep(50), 3 * layout.CHARACTER):sub(-7))
        assert.equal("a b c", layout.fit("a\nb\0c", 100))
        assert.equal("??", layout.fit("\xff\xfe", 100))
    end)
end)

describe("a plot", function()
    local folder
    before_each(function() folder = program.folder() end)
    after_each(function() program.remove(folder) end)

    it("is an SVG, PNG or PDF file of each kind", function()
        local some = study()
        local starts = {svg = "^<%?xml", png = "^\137PNG\r\n\26\n", pdf = "^%%PDF%-"}
        for _, kind in ipairs{"utilization", "parallelism", "time", "resources"} do
            for ending, start in pairs(starts) do
                local path = ("%s/%s.%s"):format(folder, kind, ending)
                assert.is_true(some:plot(path, {kind = kind}))
                assert.truthy(program.read(path):find(start), path)
            end
        end
    end)

    it("has the size that was asked for", function()
        study():sweep(1):plot(folder .. "/x.png", {width = 640, height = 480})
        local width, height = (">I4I4"):unpack(program.read(folder .. "/x.png"), 17)
        assert.same({640, 480}, {width, height})
    end)

    it("draws text of users as it is written and does nothing with it", function()
        local some = study(HOSTILE)
        for _, kind in ipairs{"utilization", "parallelism", "time", "resources"} do
            for _, title in ipairs{HOSTILE, "DTSIM_END", "a\nset output 'x'\nDTSIM_END\nq"} do
                some:plot(folder .. "/x.svg", {kind = kind, title = title})
            end
        end
        some:plot(folder .. "/x.svg", {title = HOSTILE, width = 1600})
        local text = program.read(folder .. "/x.svg"):gsub("&lt;", "<"):gsub("&gt;", ">")
            :gsub("&amp;", "&")
        local _, times = text:gsub(HOSTILE:gsub("%p", "%%%0"), "")
        assert.equal(2, times, "the title and the legend")
        -- Neither here nor in the folder of the tests.
        for _, name in ipairs{"x", "y"} do assert.is_nil(program.read(name)) end
        assert.equal("x.svg", program.output_of("ls " .. folder))
    end)

    it("keeps text of users away from gnuplot's commands", function()
        local script = gnuplot.script(require "dtsim.plot.figures".utilization(
            study(HOSTILE):results()), "svg")
        local commands = script:match "\nDTSIM_END\n(.*)$"
        assert.is_nil(commands:find("touch", 1, true))
        assert.truthy(script:find('\n|a"; system("touch x"); # `touch y`', 1, true))
    end)

    it("is text for a terminal", function()
        local result = program.run{"-e", [[
            dtsim.study{title = "T", search = "paper", d_model = {12288, 49152, 98304},
                {name = "V\27[31m", system = "v100"}}:plot()]]}
        assert.equal("", result.err)
        assert.truthy(result.out:find("T: utilization of the largest training runs", 1, true))
        assert.truthy(result.out:find("  *  V [31m\n", 1, true))
        assert.is_nil(result.out:find("[\27\f]"))
        for line in result.out:gmatch "[^\n]+" do assert.is_true(#line <= 79) end
    end)

    it("says what is wrong", function()
        local some = study()
        fails('the file\'s name must end in .svg, .png or .pdf, got "x.gif"', some.plot, some,
            "x.gif")
        fails("plot has no kind 'tme'; did you mean 'time'?", some.plot, some, "x.svg",
            {kind = "tme"})
        fails("plot has no option 'widht'; did you mean 'width'?", some.plot, some, "x.svg",
            {widht = 1})
        fails("width must be from 200 to 10000 pixels, got 3", some.plot, some, "x.svg",
            {width = 3})
        fails("title must be a string, got 1", some.plot, some, "x.svg", {title = 1})
        fails("there is no point to draw", function()
            dtsim.study{d_model = {12288 * 128}, search = "paper", {system = "v100"}}:plot "x.svg"
        end)
    end)

    it("says that gnuplot is missing, and writes nothing", function()
        local result = program.run{"-e", "dtsim.study{search = 'paper', d_model = {12288}, "
            .. "{system = 'v100'}}:plot 'x.svg'", env = {PATH = folder}, before = "ls >before"}
        assert.equal(1, result.code)
        assert.truthy(result.err:find("plots need gnuplot, which is not installed; on Debian: "
            .. "apt install gnuplot-nox", 1, true), result.err)
    end)
end)

describe("an inline picture", function()
    it("is well-formed XML with every value as a tip", function()
        local figures, folder = require "dtsim.plot.figures", program.folder()
        local rows = study(HOSTILE):results()
        for _, kind in ipairs(figures.order) do
            program.write(folder .. "/x.svg", svg.draw(figures[kind](rows)))
            assert.equal("", program.output_of("python3 -c 'import sys, xml.dom.minidom as m; "
                .. "m.parse(sys.argv[1])' " .. folder .. "/x.svg 2>&1"))
        end
        local text = svg.draw(figures.utilization(rows))
        for _, row in ipairs(rows) do
            for i = 1, #row.sweep do
                local flop = ("%.3e FLOP on"):format(row.sweep[i].model.training_flop)
                assert.truthy(text:find(flop, 1, true))
            end
        end
        program.remove(folder)
    end)
end)
