-- random: numbers that depend on a seed alone, the same on every machine and in every Lua.
--
-- Source: SplitMix64, Steele, Lea and Flood (2014), "Fast splittable pseudorandom number
-- generators", section 5; with the constants of its published code.

local random = {}

local GOLDEN = 0x9E3779B97F4A7C15 -- wraps as 64-bit integers do

local function mix(z)
    z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27)) * 0x94D049BB133111EB
    return z ~ (z >> 31)
end

-- A generator: a function that returns the next 64 random bits as an integer.
-- seed: an integer.
function random.bits(seed)
    local state = seed
    return function()
        state = state + GOLDEN
        return mix(state)
    end
end

-- A generator of numbers from 0 to below 1, evenly spread, each a multiple of 2^-53.
function random.uniform(seed)
    local bits = random.bits(seed)
    return function() return (bits() >> 11) * 2.0 ^ -53 end
end

-- The seed of a stream of its own: the `index`-th of a seed's.
function random.stream(seed, index) return mix(seed + GOLDEN * (2 * index + 1)) end

return random
