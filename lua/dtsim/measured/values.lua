-- values: what the readers of a measured row share.

local values = {}

-- A text as a number above 0; nil where it is none.
function values.number(text)
    local value = tonumber(text)
    return value and value > 0 and value < math.huge and value or nil
end

function values.copy(entry, skip)
    local fields = {}
    for key, value in pairs(entry) do
        if not (skip and skip[key]) then fields[key] = value end
    end
    return fields
end

-- Notes a default: what was not given, what was taken, and where from.
function values.take(case, field, value, origin)
    case.defaults[#case.defaults + 1] = {field = field, value = value, origin = origin}
    return value
end

return values
