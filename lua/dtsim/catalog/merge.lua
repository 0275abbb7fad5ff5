--- Joins the files of a catalog. May use: nothing.

-- One table of all entries of some modules, in their order. A name that two of them have is a bug.
local function merge(modules)
    local all = { order = {} }
    for _, module in ipairs(modules) do
        local part = require(module)
        for _, id in ipairs(part.order) do
            assert(not all[id], id)
            all[id] = part[id]
            table.insert(all.order, id)
        end
    end
    return all
end

return merge
