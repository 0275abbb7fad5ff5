-- svg: a figure (see dtsim.plot.layout) as SVG to stand inside a page, without gnuplot.
--
-- Dots, boxes and areas carry their tip in data-tip, which the page shows on hover, and in a title
-- element, which any browser shows.

local layout = require "dtsim.plot.layout"
local scale = require "dtsim.plot.scale"

local svg = {}

local ESCAPES = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;",
                 ["'"] = "&#39;"}

-- Any text as text of XML or HTML: the five characters of markup are escaped, control characters
-- blank, and bytes that are no UTF-8 question marks.
function svg.escape(text)
    text = tostring(text)
    if not utf8.len(text) then text = text:gsub("[\128-\255]", "?") end
    return (text:gsub("[\0-\8\11-\31\127]", " "):gsub("[&<>\"']", ESCAPES))
end
local escape = svg.escape

local function new_page() return {lines = {}} end

local function add(page, format, ...) table.insert(page.lines, format:format(...)) end

local function text(page, x, y, words, options)
    options = options or {}
    add(page, '<text x="%.1f" y="%.1f" text-anchor="%s" dominant-baseline="central"'
        .. "%s%s%s>%s</text>", x, y, options.anchor or "start",
        options.size and (' font-size="%.1f"'):format(12 * options.size) or "",
        options.color and (' fill="%s"'):format(options.color) or "",
        options.rotate and (' transform="rotate(-90 %.1f %.1f)"'):format(x, y) or "",
        escape(words))
end

-- What a mark of a shape looks like around 0, 0: elements with a place for the paint.
local SHAPES = {
    disc = '<circle r="3.2"', ring = '<circle r="3.2"', square = '<path d="M-3-3H3V3H-3Z"',
    box = '<path d="M-3-3H3V3H-3Z"', triangle = '<path d="M0-4L3.6 2.6H-3.6Z"',
    down = '<path d="M0 4L3.6-2.6H-3.6Z"', diamond = '<path d="M0-4.2L4.2 0L0 4.2L-4.2 0Z"',
    cross = '<path d="M-3-3L3 3M-3 3L3-3"', plus = '<path d="M-4 0H4M0-4V4"',
}
local HOLLOW = {ring = true, box = true, cross = true, plus = true}

local function tip_of(tip)
    return tip and (' data-tip="%s"'):format(escape(tip)) or "",
        tip and ("<title>%s</title>"):format(escape(tip)) or ""
end

local function dot(page, x, y, mark, tip)
    local size = mark.size or 1
    local paint = HOLLOW[mark.shape]
        and ('fill="none" stroke="%s" stroke-width="%.2f"'):format(mark.color, 1.5 / size)
        or ('fill="%s"'):format(mark.color)
    local data, title = tip_of(tip)
    -- The hollow ones lie around a dot, whose tip they must not hide.
    local through = HOLLOW[mark.shape] and ' pointer-events="none"' or ""
    add(page, '<g transform="translate(%.2f %.2f) scale(%.2f)"%s%s>%s %s/>%s</g>', x, y, size,
        data, through, SHAPES[mark.shape], paint, title)
end

-- Places of a panel: functions from its coordinates to pixels.
local function places(panel)
    local frame = panel.frame
    return function(x)
        return frame.left + scale.place(panel.x, x) * (frame.right - frame.left)
    end, function(y)
        return frame.bottom - scale.place(panel.y, y) * (frame.bottom - frame.top)
    end
end

local function path_of(points, to_x, to_y)
    local parts = {}
    for _, point in ipairs(points) do
        local x, y = to_x(point[1]), to_y(point[2])
        if x == x and y == y and math.abs(x) < 1e6 and math.abs(y) < 1e6 then
            parts[#parts + 1] = ("%s%.2f %.2f"):format(#parts == 0 and "M" or "L", x, y)
        end
    end
    return table.concat(parts)
end

local function stroke(mark)
    return ('stroke="%s" stroke-width="%.1f"%s'):format(mark.color, mark.width or 1.5,
        mark.dash and ' stroke-dasharray="5 4"' or "")
end

local draw = {}

function draw.line(page, mark, to_x, to_y)
    add(page, '<path d="%s" fill="none" stroke-linejoin="round" pointer-events="none" %s/>',
        path_of(mark.points, to_x, to_y), stroke(mark))
end

function draw.dots(page, mark, to_x, to_y)
    for _, point in ipairs(mark.points) do
        dot(page, to_x(point[1]), to_y(point[2]), mark, point[3])
    end
end

function draw.area(page, mark, to_x, to_y)
    add(page, '<path d="%s" fill="%s"/>', path_of(mark.points, to_x, to_y), mark.color)
    for _, point in ipairs(mark.points) do -- values on hover along the upper edge
        if point[3] then
            local data, title = tip_of(point[3])
            add(page, '<circle cx="%.2f" cy="%.2f" r="5" fill="transparent"%s>%s</circle>',
                to_x(point[1]), to_y(point[2]), data, title)
        end
    end
end

function draw.boxes(page, mark, to_x, to_y)
    for _, box in ipairs(mark.boxes) do
        local x1, x2 = to_x(math.min(box[1], box[3])), to_x(math.max(box[1], box[3]))
        local y1, y2 = to_y(math.max(box[2], box[4])), to_y(math.min(box[2], box[4]))
        local data, title = tip_of(box.tip)
        add(page, '<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"%s>%s</rect>', x1,
            y1, math.max(x2 - x1, 0.5), math.max(y2 - y1, 0.5), box.color or mark.color, data,
            title)
    end
end

function draw.texts(page, mark, to_x, to_y)
    local anchors = {left = "start", center = "middle", right = "end"}
    for _, item in ipairs(mark.texts) do
        text(page, to_x(item[1]) + (item.shift or 0), to_y(item[2]), item[3],
            {anchor = anchors[item.align or "center"], color = item.color})
    end
end

local function draw_axes(page, panel, to_x, to_y)
    local frame = panel.frame
    for _, tick in ipairs(panel.x.ticks) do
        local x = to_x(tick.at)
        add(page, '<path d="M%.1f %.1fV%.1f" class="grid"/>', x, frame.bottom, frame.top)
        text(page, x, frame.bottom + 13, tick.text, {anchor = "middle"})
    end
    for _, tick in ipairs(panel.y.ticks) do
        local y = to_y(tick.at)
        add(page, '<path d="M%.1f %.1fH%.1f" class="grid"/>', frame.left, y, frame.right)
        text(page, frame.left - 7, y, tick.text, {anchor = "end"})
    end
    local middle = (frame.left + frame.right) / 2
    if panel.x.label then
        text(page, middle, frame.bottom + 33, panel.x.label, {anchor = "middle"})
    end
    if panel.y.label then
        text(page, panel.label_x, (frame.top + frame.bottom) / 2, panel.y.label,
            {anchor = "middle", rotate = true})
    end
    if panel.title then
        text(page, middle, frame.top - 12, panel.title,
            {anchor = "middle", size = layout.PANEL_TITLE})
    end
end

local function draw_panel(page, panel)
    local to_x, to_y = places(panel)
    local frame = panel.frame
    draw_axes(page, panel, to_x, to_y)
    for _, mark in ipairs(panel.marks) do draw[mark.kind](page, mark, to_x, to_y) end
    add(page, '<path d="M%.1f %.1fV%.1fH%.1f" fill="none" stroke="#777777"/>', frame.left,
        frame.top, frame.bottom, frame.right)
end

local function draw_legend(page, placed)
    for _, entry in ipairs(placed.legend) do
        local mark, x, y = entry.mark, entry.x, entry.y
        if mark.kind == "line" then
            add(page, '<path d="M%.1f %.1fH%.1f" %s/>', x, y, x + 24, stroke(mark))
        elseif mark.kind ~= "dots" then
            add(page, '<rect x="%.1f" y="%.1f" width="24" height="10" fill="%s"/>', x, y - 5,
                mark.color)
        end
        if mark.shape then dot(page, x + 12, y, mark) end
        text(page, entry.text_x, y, entry.text)
    end
end

-- A figure as an svg element. label: what a screen reader says; the title where absent.
function svg.draw(figure, label)
    local placed, page = layout.place(figure), new_page()
    add(page, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
        .. 'role="img" aria-label="%s" font-family="Helvetica, Arial, sans-serif" font-size="12" '
        .. 'fill="#222222">', placed.width, placed.height, placed.width, placed.height,
        escape(label or placed.title or "plot"))
    add(page, '<style>.grid { stroke: #d8d8d8; stroke-width: 0.6; fill: none; }</style>')
    if placed.title then
        text(page, placed.width / 2, 20, placed.title,
            {anchor = "middle", size = layout.FIGURE_TITLE})
    end
    for _, panel in ipairs(placed.panels) do draw_panel(page, panel) end
    draw_legend(page, placed)
    add(page, "</svg>")
    return table.concat(page.lines, "\n")
end

return svg
