-- near: the round numbers that models are made of.

local LARGEST = 9 * 2.0 ^ 59

-- The element of { f * 2^i : f in {1, 3, 5, 7, 9}, i = 0 .. 59 } nearest to x (the smaller on a
-- tie). x: a number; at or below 1 it gives 1, NaN gives NaN. Returns a float.
-- Source: the authors' simulator of "Data movement limits to frontier model training" (arXiv
-- 2411.01137).
local function near(x)
    if x ~= x or x >= LARGEST then return x ~= x and x or LARGEST end
    local best, distance
    for factor = 1, 9, 2 do
        -- The largest of factor * 2^i at or below x (or the factor itself), and the next one.
        local i = math.max(math.floor(math.log(math.max(x / factor, 1), 2)), 0)
        local low = factor * 2.0 ^ math.min(i, 58)
        for candidate = low, 2 * low, low do
            local d = math.abs(candidate - x)
            if not best or d < distance or (d == distance and candidate < best) then
                best, distance = candidate, d
            end
        end
    end
    return best
end

return near
