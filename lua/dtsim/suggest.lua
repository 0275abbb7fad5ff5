--- Nearest-name suggestions, for errors that say "did you mean ...?".
-- May use: the Lua standard library only.

local suggest = {}

-- Longer names are not compared: nobody mistypes one, and the cost grows with the square.
local MAX_LENGTH = 64

-- A name may differ from its suggestion by one edit in this many characters, at least one
-- edit and at most MAX_EDITS.
local CHARACTERS_PER_EDIT = 3
local MAX_EDITS = 3

-- From this length on, a name that no candidate is near to may abbreviate one.
local MIN_PREFIX = 3

--- The number of edits that turn one string into another.
-- Damerau-Levenshtein distance in its "optimal string alignment" form: inserting, deleting,
-- replacing a byte and swapping two neighbours each cost 1, and no part is edited twice.
-- @param a, b  strings
-- @return a whole number >= 0; 0 only for equal strings
function suggest.distance(a, b)
    local before_last, last = nil, {}
    for j = 0, #b do last[j] = j end
    for i = 1, #a do
        local row = { [0] = i }
        for j = 1, #b do
            local same = a:byte(i) == b:byte(j)
            local cost = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same and 0 or 1))
            if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
                cost = math.min(cost, before_last[j - 2] + 1)
            end
            row[j] = cost
        end
        before_last, last = last, row
    end
    return last[#b]
end

-- How many edits a misspelling of `length` bytes may be away.
local function edits_allowed(length)
    local edits = math.min(MAX_EDITS, math.max(1, length // CHARACTERS_PER_EDIT))
    return math.min(edits, length - 1)
end

-- The shortest candidate that begins with `lower` (a lower-case name), or nil.
local function abbreviated(lower, list)
    if #lower < MIN_PREFIX then return nil end
    local best
    for _, candidate in ipairs(list) do
        if candidate:lower():sub(1, #lower) == lower and (not best or #candidate < #best) then
            best = candidate
        end
    end
    return best
end

--- The name of a list that a misspelt name most probably means.
-- Compares without regard to case; of candidates equally far away the one whose case agrees
-- better wins, then the one that stands first. Where none is near, a candidate that `name`
-- abbreviates ("mem" for "memory") is taken. Anything but a string has no neighbour.
-- @param name  what was written
-- @param list  array of the names that are known
-- @return one of the list, or nil where none is near enough to be worth naming
function suggest.nearest(name, list)
    if type(name) ~= "string" or #name == 0 or #name > MAX_LENGTH then return nil end
    local lower = name:lower()
    local best, best_edits, best_exact = nil, edits_allowed(#name) + 1, nil
    for _, candidate in ipairs(list) do
        if math.abs(#candidate - #name) <= best_edits then
            local edits = suggest.distance(lower, candidate:lower())
            local exact = suggest.distance(name, candidate)
            if edits < best_edits or (best and edits == best_edits and exact < best_exact) then
                best, best_edits, best_exact = candidate, edits, exact
            end
        end
    end
    return best or abbreviated(lower, list)
end

return suggest
