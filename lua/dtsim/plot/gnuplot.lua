-- gnuplot: draws a figure (see dtsim.plot.layout) as SVG, PNG, PDF or as text.
--
-- Text reaches gnuplot as lines of a data block, each behind a "|", and is drawn by labels without
-- enhanced text. So nothing that a user writes is ever part of a command. Colours, alignments and
-- letters stand in commands and are checked: a figure may come from a script that is not trusted.

local core = require "dtsim.core"
local file = require "dtsim.file"
local layout = require "dtsim.plot.layout"

local gnuplot = {}

-- gnuplot's point types, solid ones first; see dtsim.plot.colors for the order.
local SHAPES = {disc = 7, square = 5, triangle = 9, diamond = 13, down = 11, ring = 6, cross = 2,
                box = 4, plus = 1}

local ALIGNMENTS = {left = "left", center = "center", right = "right"}

local function color_of(color)
    if type(color) ~= "string" or not color:find "^#%x%x%x%x%x%x$" then
        core.raise("plot: a color must be like \"#1f77b4\", " .. core.got(color))
    end
    return color
end

local function alignment_of(name)
    if not ALIGNMENTS[name] then
        core.raise("plot: align must be left, center or right, " .. core.got(name))
    end
    return ALIGNMENTS[name]
end

local function letter_of(letter)
    if type(letter) ~= "string" or not letter:find "^[%w*#$%%@&=+]$" then
        core.raise("plot: a letter must be one letter or digit, " .. core.got(letter))
    end
    return letter
end

local Script = {}
Script.__index = Script

local function new_script()
    return setmetatable({head = {}, lines = {}, texts = {}, labels = 0, blocks = 0}, Script)
end

function Script.add(self, format, ...) table.insert(self.lines, format:format(...)) end

-- The expression of a text: a line of the data block $text.
function Script.said(self, text)
    table.insert(self.texts, "|" .. tostring(text):gsub("[\0-\31\127]", " "))
    return ("said(%d)"):format(#self.texts)
end

-- A data block of rows of numbers; returns its name.
function Script.data(self, rows)
    self.blocks = self.blocks + 1
    local name = "$d" .. self.blocks
    table.insert(self.head, name .. " <<DTSIM_END")
    for _, row in ipairs(rows) do
        local texts = {}
        for i, x in ipairs(row) do texts[i] = ("%.17g"):format(x) end
        table.insert(self.head, table.concat(texts, " "))
    end
    table.insert(self.head, "DTSIM_END")
    return name
end

function Script.text(self)
    local parts = {"$text <<DTSIM_END", table.concat(self.texts, "\n"), "DTSIM_END",
                   "said(i) = $text[i][2:*]", table.concat(self.head, "\n"),
                   table.concat(self.lines, "\n"), ""}
    return table.concat(parts, "\n")
end

local function color_number(color) return tonumber(color_of(color):sub(2), 16) end

-- Draws on the page: places in pixels from the top left.
local function drawer(script, placed)
    local draw = {}
    local function at(x, y)
        return ("screen %.6f, screen %.6f"):format(x / placed.width, 1 - y / placed.height)
    end
    function draw.label(text, x, y, options)
        options = options or {}
        script.labels = script.labels + 1
        script:add("set label %d %s at %s %s front tc rgb '%s'%s%s", script.labels,
            script:said(text), at(x, y), alignment_of(options.align or "left"),
            color_of(options.color or "#222222"),
            options.rotate and " rotate by 90" or "",
            options.size and (" font ',%.4g'"):format(script.font * options.size) or "")
    end
    function draw.point(x, y, mark)
        script.labels = script.labels + 1
        script:add("set label %d '' at %s point pt %d ps %.2f lc rgb '%s' lw 1.5 front",
            script.labels, at(x, y), SHAPES[mark.shape], 0.6 * (mark.size or 1),
            color_of(mark.color))
    end
    function draw.line(x1, x2, y, mark)
        script:add("set arrow nohead from %s to %s lc rgb '%s' lw %.1f dt %d front", at(x1, y),
            at(x2, y), color_of(mark.color), mark.width or 1.5, mark.dash and 2 or 1)
    end
    function draw.box(x, y, mark)
        script:add("set object rectangle from %s to %s fc rgb '%s' fs solid noborder front",
            at(x, y - 5), at(x + 24, y + 5), color_of(mark.color))
    end
    return draw
end

local function draw_legend(draw, placed)
    for _, entry in ipairs(placed.legend) do
        local mark = entry.mark
        draw.label(entry.text, entry.text_x, entry.y)
        if mark.kind == "line" then
            draw.line(entry.x, entry.x + 24, entry.y, mark)
            if mark.shape then draw.point(entry.x + 12, entry.y, mark) end
        elseif mark.kind == "dots" then
            draw.point(entry.x + 12, entry.y, mark)
        else
            draw.box(entry.x, entry.y, mark)
        end
    end
end

-- Texts around a panel.
local function draw_axes(draw, panel)
    local scale, frame = require "dtsim.plot.scale", panel.frame
    for _, tick in ipairs(panel.x.ticks) do
        local x = frame.left + scale.place(panel.x, tick.at) * (frame.right - frame.left)
        draw.label(tick.text, x, frame.bottom + 13, {align = "center"})
    end
    for _, tick in ipairs(panel.y.ticks) do
        local y = frame.bottom - scale.place(panel.y, tick.at) * (frame.bottom - frame.top)
        draw.label(tick.text, frame.left - 7, y, {align = "right"})
    end
    local middle = (frame.left + frame.right) / 2
    if panel.x.label then
        draw.label(panel.x.label, middle, frame.bottom + 33, {align = "center"})
    end
    if panel.y.label then
        draw.label(panel.y.label, panel.label_x, (frame.top + frame.bottom) / 2,
            {align = "center", rotate = true})
    end
    if panel.title then
        draw.label(panel.title, middle, frame.top - 12,
            {align = "center", size = layout.PANEL_TITLE})
    end
end

local function rows_of(list, width)
    local rows = {}
    for _, point in ipairs(list) do
        local row, fine = {}, true
        for i = 1, width do
            row[i] = point[i]
            fine = fine and row[i] == row[i] and math.abs(row[i]) < math.huge
        end
        if fine then rows[#rows + 1] = row end
    end
    return rows
end

-- What the plot command says of each kind of mark; nil if there is nothing to draw.
local elements = {}

function elements.line(script, mark)
    local rows = rows_of(mark.points, 2)
    if #rows == 0 then return nil end
    return ("%s using 1:2 with lines lc rgb '%s' lw %.1f dt %d notitle"):format(script:data(rows),
        color_of(mark.color), mark.width or 1.5, mark.dash and 2 or 1)
end

function elements.dots(script, mark)
    local rows = rows_of(mark.points, 2)
    if #rows == 0 then return nil end
    return ("%s using 1:2 with points pt %d ps %.2f lw 1.5 lc rgb '%s' notitle"):format(
        script:data(rows), SHAPES[mark.shape], 0.6 * (mark.size or 1), color_of(mark.color))
end

function elements.area(script, mark)
    local rows = rows_of(mark.points, 2)
    if #rows < 3 then return nil end
    return ("%s using 1:2 with filledcurves closed fc rgb '%s' fs solid noborder notitle"):format(
        script:data(rows), color_of(mark.color))
end

function elements.boxes(script, mark)
    local rows = {}
    for _, box in ipairs(mark.boxes) do
        local row = rows_of({box}, 4)[1]
        if row then
            rows[#rows + 1] = {(row[1] + row[3]) / 2, (row[2] + row[4]) / 2, row[1], row[3], row[2],
                               row[4], color_number(box.color or mark.color)}
        end
    end
    if #rows == 0 then return nil end
    return ("%s using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable fs solid noborder notitle")
        :format(script:data(rows))
end

-- Texts inside a panel are labels too, by their place on the page.
local function draw_texts(draw, panel, mark)
    local scale, frame = require "dtsim.plot.scale", panel.frame
    for _, text in ipairs(mark.texts) do
        local x = frame.left + scale.place(panel.x, text[1]) * (frame.right - frame.left)
        local y = frame.bottom - scale.place(panel.y, text[2]) * (frame.bottom - frame.top)
        draw.label(text[3], x + (text.shift or 0), y,
            {align = text.align or "center", color = text.color})
    end
end

local function positions(ticks)
    local list = {}
    for i, tick in ipairs(ticks) do list[i] = ("%.17g"):format(tick.at) end
    return table.concat(list, ", ")
end

local function set_axis(script, name, axis)
    script:add("%s logscale %s", axis.log and "set" or "unset", name)
    script:add("set %srange [%.17g:%.17g]", name, axis.from, axis.to)
    script:add("set %stics scale 0.5 nomirror (%s)", name, positions(axis.ticks))
end

local function draw_panel(script, draw, panel, placed)
    local frame = panel.frame
    script:add("set lmargin at screen %.6f", frame.left / placed.width)
    script:add("set rmargin at screen %.6f", frame.right / placed.width)
    script:add("set tmargin at screen %.6f", 1 - frame.top / placed.height)
    script:add("set bmargin at screen %.6f", 1 - frame.bottom / placed.height)
    set_axis(script, "x", panel.x)
    set_axis(script, "y", panel.y)
    draw_axes(draw, panel)
    local plots = {"NaN notitle"}
    for _, mark in ipairs(panel.marks) do
        if mark.kind == "texts" then
            draw_texts(draw, panel, mark)
        else
            plots[#plots + 1] = elements[mark.kind](script, mark)
        end
    end
    script:add("plot %s", table.concat(plots, ", "))
    script:add "unset label; unset arrow; unset object"
    script.labels = 0
end

local TERMINALS = {
    svg = "svg size %d,%d dynamic font 'DejaVu Sans,Helvetica,Arial,sans-serif' fontscale 1"
        .. " background rgb 'white' noenhanced",
    png = "pngcairo size %d,%d font 'DejaVu Sans,9' background rgb 'white' noenhanced",
    pdf = "pdfcairo size %.3fin,%.3fin font 'DejaVu Sans,12' background rgb 'white' noenhanced",
}
gnuplot.formats = {"svg", "png", "pdf"}

-- The commands that draw a figure. format: svg, png or pdf.
function gnuplot.script(figure, format)
    local placed, script = layout.place(figure), new_script()
    local unit = format == "pdf" and 96 or 1
    script.font = format == "png" and 9 or 12 -- what gives 12 pixels in each
    script:add("set terminal " .. TERMINALS[format], placed.width / unit, placed.height / unit)
    script:add "set encoding utf8"
    script:add "unset key; set samples 2; set border 3 lc rgb '#777777'"
    script:add "set grid xtics ytics back lt 1 lw 0.6 lc rgb '#d8d8d8'"
    script:add "set format x ''; set format y ''"
    script:add "set multiplot"
    local draw = drawer(script, placed)
    if placed.title then
        draw.label(placed.title, placed.width / 2, 20,
            {align = "center", size = layout.FIGURE_TITLE})
    end
    draw_legend(draw, placed)
    for _, panel in ipairs(placed.panels) do draw_panel(script, draw, panel, placed) end
    script:add "unset multiplot"
    return script:text()
end

-- Runs gnuplot on a script; returns what it writes. Errors: no gnuplot, or a failure of it, or one
-- that hangs (see dtsim.file).
function gnuplot.run(script)
    local picture, message = file.gnuplot(script)
    if not picture then core.raise(message) end
    return picture
end

-- Draws a figure. format: "svg", "png" or "pdf". Returns the file's content.
function gnuplot.draw(figure, format) return gnuplot.run(gnuplot.script(figure, format)) end

local LETTERS = {"*", "#", "$", "%", "@", "&", "="}

-- One panel as text of a terminal: dots are letters, explained below.
local function text_panel(panel, columns, rows)
    local script, keys, plots = new_script(), {}, {"NaN notitle"}
    script:add("set terminal dumb noenhanced size %d,%d", columns, rows)
    script:add "set encoding utf8"
    script:add "unset key; set samples 2"
    for _, name in ipairs{"x", "y"} do
        local axis = panel[name]
        script:add("%s logscale %s", axis.log and "set" or "unset", name)
        script:add("set %srange [%.17g:%.17g]", name, axis.from, axis.to)
        script:add("set format %s '%s'", name, axis.log and "%.0e" or "%g")
        if axis.log then script:add("set %stics (%s)", name, positions(axis.ticks)) end
    end
    script:add("set xlabel %s", script:said(panel.x.label or ""))
    for _, mark in ipairs(panel.marks) do
        if mark.points and not mark.dash and (mark.kind ~= "line" or not mark.shape) then
            local rows_ = rows_of(mark.points, 2)
            local letter = letter_of(mark.letter or LETTERS[#keys % #LETTERS + 1])
            if #rows_ > 0 then
                plots[#plots + 1] = ("%s using 1:2 with points pt '%s' notitle"):format(
                    script:data(rows_), letter)
            end
            if mark.name or mark.explain then
                keys[#keys + 1] = ("  %s  %s"):format(letter,
                    layout.fit(mark.name or mark.explain, (columns - 6) * layout.CHARACTER))
            end
        end
    end
    script:add("plot %s", table.concat(plots, ", "))
    local picture = gnuplot.run(script:text()):gsub("\f", "")
    local title = panel.title or ""
    local label = panel.y.label and panel.y.label .. "\n" or ""
    return ("%s\n%s%s\n%s\n"):format(title, label, picture, table.concat(keys, "\n"))
end

-- A figure as text for a terminal. columns, rows: size of a panel in characters (79, 24).
function gnuplot.text(figure, columns, rows)
    local placed, parts = layout.place(figure), {figure.title or ""}
    for _, panel in ipairs(placed.panels) do
        parts[#parts + 1] = text_panel(panel, columns or 79, rows or 24)
    end
    return table.concat(parts, "\n")
end

return gnuplot
