-- colors: colours that people with any kind of colour vision tell apart, and shapes beside them.
--
-- Source of the eight: Okabe and Ito (2008), Color Universal Design. The scale of heat maps goes
-- from dark to light as viridis does (Smith and van der Walt, 2015), so its order shows in grey.

local colors = {}

colors.list = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000",
               "#B3A600"}
colors.shapes = {"disc", "square", "triangle", "diamond", "down", "disc", "square", "triangle"}

-- The colour of the i-th of a list; they repeat.
function colors.of(i) return colors.list[(i - 1) % #colors.list + 1] end

-- The shape of the i-th of a list.
function colors.shape(i) return colors.shapes[(i - 1) % #colors.shapes + 1] end

local VIRIDIS = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}

-- A colour of the heat scale. share: 0 (dark) to 1 (light). Returns it, and that of text upon it.
function colors.heat(share)
    local place = math.max(0, math.min(1, share)) * (#VIRIDIS - 1)
    local i = math.min(math.floor(place), #VIRIDIS - 2)
    local mix, parts = place - i, {}
    for c = 1, 3 do
        parts[c] = math.floor(VIRIDIS[i + 1][c] * (1 - mix) + VIRIDIS[i + 2][c] * mix + 0.5)
    end
    return ("#%02X%02X%02X"):format(table.unpack(parts)), share > 0.55 and "#000000" or "#FFFFFF"
end

return colors
