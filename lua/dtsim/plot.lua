-- plot: sweeps and studies as pictures, by gnuplot.

local core = require "dtsim.core"
local figures = require "dtsim.plot.figures"
local file = require "dtsim.file"
local gnuplot = require "dtsim.plot.gnuplot"
local messages = require "dtsim.messages"

local plot = {}

local OPTIONS = {kind = "string", title = "string", width = "number", height = "number",
                 columns = "number", rows = "number"}

local function check_options(options)
    if options == nil then return {} end
    if type(options) ~= "table" then
        core.raise("plot: options must be a table, " .. core.got(options))
    end
    local names = {"kind", "title", "width", "height", "columns", "rows"}
    for key, value in pairs(options) do
        if not OPTIONS[key] then
            core.raise(messages.unknown("plot", "option", key, names))
        end
        if type(value) ~= OPTIONS[key] then
            core.raise(("plot: %s must be a %s, %s"):format(key, OPTIONS[key], core.got(value)))
        end
    end
    for _, key in ipairs{"width", "height"} do
        local pixels = options[key]
        if pixels and not (pixels >= 200 and pixels <= 10000) then
            core.raise(("plot: %s must be from 200 to 10000 pixels, got %s"):format(key,
                tostring(pixels)))
        end
    end
    return options
end

local function kind_of(options)
    local kind = options.kind or "utilization"
    if not figures[kind] or kind == "order" then
        core.raise(messages.unknown("plot", "kind", kind, figures.order))
    end
    return kind
end

-- Draws a figure (see dtsim.plot.layout) to a file whose name ends in .svg, .png or .pdf; with no
-- path to the standard output as text. options: title, width, height (pixels; 96 an inch in a PDF),
-- columns and rows (characters of a panel of text). Returns true. Errors: another ending,
-- no gnuplot, a file that cannot be written.
function plot.draw(figure, path, options)
    options = check_options(options)
    figure.title = options.title or figure.title
    figure.width, figure.height = options.width or figure.width, options.height or figure.height
    if path == nil then
        io.stdout:write(gnuplot.text(figure, options.columns, options.rows))
        return true
    end
    local ending = type(path) == "string" and path:lower():match "%.(%w+)$"
    local known = {svg = true, png = true, pdf = true}
    if not known[ending or ""] then
        core.raise(("plot: the file's name must end in .svg, .png or .pdf, got \"%s\"")
            :format(tostring(path)))
    end
    local done, message = file.write_whole(path, gnuplot.draw(figure, ending))
    if not done then core.raise(message) end
    return true
end

-- The figure of a list of { configuration, sweep }. options: as in plot.study.
local function figure_of(rows, options)
    local some = 0
    for _, row in ipairs(rows) do some = some + #row.sweep end
    if some == 0 then core.raise "plot: there is no point to draw" end
    return figures[kind_of(options)](rows)
end

-- Draws a study. path: as in plot.draw. options.kind: "utilization" (against training compute, the
-- default), "parallelism" (log N_kind / log N), "time" (where it goes) or "resources" (GPUs, cost,
-- energy, memory per GPU); others as in plot.draw.
function plot.study(study, path, options)
    options = check_options(options)
    local figure = figure_of(study:results(), options)
    figure.title = ("%s: %s"):format(study.title, figure.title:sub(1, 1):lower()
        .. figure.title:sub(2))
    return plot.draw(figure, path, options)
end

-- Draws one sweep, as plot.study.
function plot.sweep(sweep, path, options)
    options = check_options(options)
    local name = sweep.settings.optimizer.gpu.name
    local rows = {{configuration = {name = name}, sweep = sweep}}
    return plot.draw(figure_of(rows, options), path, options)
end

return plot
