-- layout: where everything of a figure goes, in pixels from the top left.
--
-- A figure is plain data:
--   title, width, height (pixels; optional), columns (of panels)
--   panels   a list of { title, x = axis, y = axis, marks = { ... } }; see dtsim.plot.scale
--   legend   a list of marks to explain; made of the marks that have a name where absent
-- A mark is one of
--   { kind = "line", points = { { x, y }, ... }, color, width, dash }
--   { kind = "dots", points = { { x, y, tip }, ... }, color, shape, size }
--   { kind = "area", points = { { x, y }, ... }, color }          -- a closed outline
--   { kind = "boxes", boxes = { { x1, y1, x2, y2, color = , tip = }, ... }, color }
--   { kind = "texts", texts = { { x, y, text, color = , align = , shift = }, ... } }
-- each with a `name` if the legend shows it. Tips are what a page shows on hover.

local scale = require "dtsim.plot.scale"

local layout = {}

layout.CHARACTER = 7.1 -- width of an average character of the 12-pixel font
layout.PANEL_TITLE = 13 / 12 -- sizes of the titles, in that of other text
layout.FIGURE_TITLE = 15 / 12
local ROW = 19 -- of the legend
local TITLE = 38
local SAMPLE = 34 -- what a legend's sample takes

-- A text cut to a width in pixels, on a character's border.
function layout.fit(text, width)
    local most = math.max(4, math.floor(width / layout.CHARACTER))
    -- What cannot be drawn on one line is shown as a blank.
    text = text:gsub("[\0-\31\127]", " ")
    local length = utf8.len(text)
    if not length then -- no UTF-8: keep what is ASCII
        text = text:gsub("[\128-\255]", "?")
        length = #text
    end
    if length <= most then return text end
    return text:sub(1, utf8.offset(text, most) - 1) .. "…"
end

local function text_width(text) return (utf8.len(text) or #text) * layout.CHARACTER end

-- Marks with names, each name once.
local function legend_of(figure)
    if figure.legend then return figure.legend end
    local list, seen = {}, {}
    for _, panel in ipairs(figure.panels) do
        for _, mark in ipairs(panel.marks) do
            if mark.name and not seen[mark.name] then
                seen[mark.name] = true
                list[#list + 1] = mark
            end
        end
    end
    return list
end

-- Legend entries with their places below `top`; returns them and their height.
local function place_legend(figure, width)
    local entries, widest = {}, 0
    for i, mark in ipairs(legend_of(figure)) do
        local text = layout.fit(mark.name, width - 80)
        entries[i] = {mark = mark, text = text}
        widest = math.max(widest, text_width(text))
    end
    local columns = math.max(1, math.floor((width - 30) / (widest + SAMPLE + 22)))
    columns = math.min(columns, #entries)
    for i, entry in ipairs(entries) do
        local column = (i - 1) % columns
        entry.x = 25 + column * (width - 30) / columns
        entry.y = (i - 1) // columns * ROW + ROW / 2
        entry.text_x = entry.x + SAMPLE
    end
    return entries, #entries > 0 and math.ceil(#entries / columns) * ROW + 12 or 4
end

local function values_of(panel, index)
    local list = {}
    for _, mark in ipairs(panel.marks) do
        for _, point in ipairs(mark.points or {}) do list[#list + 1] = point[index] end
        for _, box in ipairs(mark.boxes or {}) do
            list[#list + 1], list[#list + 2] = box[index], box[index + 2]
        end
    end
    return list
end

-- A panel with complete axes and its frame in pixels, of its cell.
local function place_panel(panel, cell)
    local y = scale.complete(panel.y, values_of(panel, 2), math.max(3, cell.height // 55))
    local widest = 0
    for _, tick in ipairs(y.ticks) do
        tick.text = layout.fit(tick.text, 0.4 * cell.width)
        widest = math.max(widest, text_width(tick.text))
    end
    local left = 16 + widest + (y.label and 20 or 0)
    local frame = {
        left = cell.left + left, right = cell.left + cell.width - 24,
        top = cell.top + (panel.title and 30 or 12),
        bottom = cell.top + cell.height - (panel.x.label and 50 or 32),
    }
    local room = frame.right - frame.left
    local x = scale.complete(panel.x, values_of(panel, 1), math.max(2, room // 75))
    for _, tick in ipairs(x.ticks) do tick.text = layout.fit(tick.text, room / #x.ticks) end
    local middle = (frame.left + frame.right) / 2
    local beside = math.min(middle - cell.left, cell.left + cell.width - middle)
    return {
        marks = panel.marks, x = x, y = y, frame = frame, cell = cell,
        label_x = cell.left + 14,
        title = panel.title and layout.fit(panel.title, (2 * beside - 10) / layout.PANEL_TITLE),
    }
end

-- The whole figure: { width, height, title, panels, legend }, all with their places.
function layout.place(figure)
    local count = #figure.panels
    local columns = figure.columns or (count == 1 and 1 or 2)
    local rows = math.ceil(count / columns)
    local width = figure.width or 800
    local entries, legend_height = place_legend(figure, width)
    local top = figure.title and TITLE or 6
    local height = figure.height or (top + legend_height + rows * (count == 1 and 420 or 265))
    local cell_height = (height - top - legend_height) / rows
    local panels = {}
    for i, panel in ipairs(figure.panels) do
        panels[i] = place_panel(panel, {
            left = (i - 1) % columns * width / columns, width = width / columns,
            top = top + (i - 1) // columns * cell_height, height = cell_height,
        })
    end
    for _, entry in ipairs(entries) do entry.y = entry.y + height - legend_height + 2 end
    return {
        width = width, height = height, panels = panels, legend = entries,
        title = figure.title and layout.fit(figure.title, (width - 20) / layout.FIGURE_TITLE),
    }
end

return layout
