-- laws: a set of laws drawn over training compute, as a figure for dtsim.plot.draw.

local widths = require "dtsim.widths"

local laws = {}

local BLUE = "#1f77b4"

-- A panel each: title of its axis, and its value of a model.
local PANELS = {
    {"layers", function(m) return m.layers end},
    {"sparsity", function(m) return m.sparsity end},
    {"batch, tokens", function(m) return m.batch * m.seq_len end},
    {"data, tokens", function(m) return m.tokens end},
}

-- The figure of a set of laws. d_model: a list of widths (GPT-3's 12288 to 128 times that where
-- absent), each of which is a point; seq_len: tokens in a sequence (2048).
function laws.figure(set, d_model, seq_len)
    local models, panels = {}, {}
    for i, width in ipairs(d_model or widths.paper()) do
        models[i] = set:model(width, nil, seq_len)
    end
    for i, panel in ipairs(PANELS) do
        local points = {}
        for j, model in ipairs(models) do
            local y = panel[2](model)
            points[j] = {model.training_flop, y,
                         ("d_model %d\n%.3e FLOP\n%s: %.4g"):format(model.d_model,
                             model.training_flop, panel[1], y)}
        end
        panels[i] = {
            x = {label = "training compute, FLOP", log = true}, y = {label = panel[1], log = true},
            marks = {{kind = "line", points = points, color = BLUE, width = 1.6},
                     {kind = "dots", points = points, color = BLUE, shape = "disc", size = 0.7}},
        }
    end
    return {title = "Laws " .. set.name, panels = panels, columns = 2}
end

return laws
