-- timeline: a pipeline's passes as a chart, in text, SVG or the trace format that Chrome's
-- chrome://tracing and Perfetto open.

local core = require "dtsim.core"
local json = require "dtsim.json"
local record = require "dtsim.record"
local units = require "dtsim.units"

local timeline = {}

local LETTERS = {forward = "F", backward = "B", weight = "W"}
local COLORS = {forward = "#7fb2e5", backward = "#f0a860", weight = "#9ccc8a"}

local methods = {}

local make = record.type{
    name = "timeline",
    fields = {"events", "makespan", "stages", "busy"},
    methods = methods,
    show = function(self)
        return ("timeline: %d stages, %d passes in %s, busy %.1f %%"):format(self.stages,
            #self.events, units.format(self.makespan, "time"), 100 * self.busy)
    end,
}

function timeline.new(events, makespan, stages)
    local busy = 0
    for _, e in ipairs(events) do busy = busy + e.stop - e.start end
    return make{events = events, makespan = makespan, stages = stages // 1 | 0,
                busy = busy / (makespan * stages)}
end

-- The chart as text, one line a stage. width: characters across (100).
function methods.text(self, width)
    width = width or 100
    local rows = {}
    for stage = 1, self.stages do
        rows[stage] = {}
        for column = 1, width do rows[stage][column] = "." end
    end
    for _, e in ipairs(self.events) do
        local first = math.floor(e.start / self.makespan * width) + 1
        local last = math.max(first, math.ceil(e.stop / self.makespan * width))
        for column = first, math.min(width, last) do rows[e.stage][column] = LETTERS[e.kind] end
    end
    for stage = 1, self.stages do
        rows[stage] = ("%3d %s"):format(stage, table.concat(rows[stage]))
    end
    return table.concat(rows, "\n") .. "\n"
end

-- The chart as SVG text.
function methods.svg(self)
    local width, height = 1000, 18
    local out = {('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
        .. 'font-family="sans-serif" font-size="10">'):format(width + 60,
        self.stages * height + 30)}
    for _, e in ipairs(self.events) do
        out[#out + 1] = ('<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s" stroke="#fff" '
            .. 'stroke-width="0.3"><title>%s of microbatch %d, chunk %d</title></rect>'):format(
            50 + width * e.start / self.makespan, (e.stage - 1) * height + 4,
            width * (e.stop - e.start) / self.makespan, height - 2, COLORS[e.kind], e.kind,
            e.microbatch, e.chunk)
    end
    for stage = 1, self.stages do
        out[#out + 1] = ('<text x="4" y="%d">stage %d</text>'):format(stage * height - 2, stage)
    end
    out[#out + 1] = ('<text x="50" y="%d">0 to %s</text>'):format(self.stages * height + 20,
        units.format(self.makespan, "time"))
    out[#out + 1] = "</svg>"
    return table.concat(out, "\n") .. "\n"
end

-- The passes as a Chrome trace: microseconds, one process, a thread a stage.
function methods.trace(self)
    local list = {}
    for i, e in ipairs(self.events) do
        list[i] = {name = ("%s %d.%d"):format(LETTERS[e.kind], e.microbatch, e.chunk), ph = "X",
            ts = e.start * 1e6, dur = (e.stop - e.start) * 1e6, pid = 1, tid = e.stage,
            cat = e.kind}
    end
    return json.encode{traceEvents = list, displayTimeUnit = "ms"}
end

-- Writes the chart: "x.svg", "x.json" (a trace) or "x.txt". Returns true; nil, message.
function methods.save(self, path)
    local ending = path:match("%.(%w+)$")
    local text = ending == "svg" and self:svg() or ending == "json" and self:trace()
        or ending == "txt" and self:text()
    if not text then
        core.raise(("timeline:save: the name must end in .svg, .json or .txt, got '%s'")
            :format(path))
    end
    return require "dtsim.file".write_whole(path, text)
end

return timeline
