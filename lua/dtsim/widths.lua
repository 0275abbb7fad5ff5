-- widths: lists of model widths to sweep over.

local core = require "dtsim.core"

local widths = {}

local MAX_WIDTH = 2 ^ 40

-- All f * 2^i with odd f below 16 from `from` to `to`, ascending: eight widths per doubling at
-- most. Source: the grid of the authors' simulator (arXiv 2411.01137).
function widths.between(from, to)
    local list = {}
    local first, last = math.tointeger(from), math.tointeger(to)
    if not first or not last or first < 1 or last < first or last > MAX_WIDTH then
        core.raise(("widths.between takes two whole numbers, 1 <= from <= to <= 2^40, "
            .. "got %s and %s"):format(tostring(from), tostring(to)))
    end
    for factor = 1, 15, 2 do
        local width = factor
        while width <= last do
            if width >= first then list[#list + 1] = width end
            width = width * 2
        end
    end
    table.sort(list)
    return list
end

-- The widths of the paper's figures: from GPT-3's 12288 to 128 times that; each at least a multiple
-- of 2048.
function widths.paper()
    local list = {}
    for _, width in ipairs(widths.between(12288, 128 * 12288)) do
        if width % 2048 == 0 then list[#list + 1] = width end
    end
    return list
end

return widths
