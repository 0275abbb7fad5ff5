--- Entries of a catalog that are made from others. May use: nothing.

-- A copy of an entry with some fields, and their sources, changed.
local function derive(base, fields, sources)
    local copy = { sources = {} }
    for field, value in pairs(base) do
        if field ~= "sources" then copy[field] = value end
    end
    for field, source in pairs(base.sources) do copy.sources[field] = source end
    for field, value in pairs(fields) do copy[field] = value end
    for field, source in pairs(sources) do copy.sources[field] = source end
    return copy
end

return derive
