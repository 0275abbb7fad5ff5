-- cluster: the machine of a measured row: GPU, node, links, network cards.

local core = require "dtsim.core"
local guess = require "dtsim.measured.guess"
local values = require "dtsim.measured.values"

local number, copy, take = values.number, values.copy, values.take

-- Bytes per second and GPU of the network cards that a text tells of.
local function network_rate(text, node, usual)
    text = text:lower():gsub(",", "")
    local count, rate = text:match("(%d+) ?[x×]%D-([%d.]+) ?gb/?i?t?p?s?")
    if count and tonumber(count) > 0 and tonumber(rate) >= 25 then
        return tonumber(count) * tonumber(rate) * 1e9 / 8 / node, "row"
    end
    local tera = text:match("([%d.]+) ?tb/?i?t?p?s")
    if tera then return tonumber(tera) * 1e12 / 8 / node, "row, per node" end
    local bytes = text:match("([%d.]+) ?gb/s per gpu")
    if bytes and text:find("gb/s") and not text:find("gbit") then
        return tonumber(bytes) * 1e9, "row"
    end
    local bits = text:match("([%d.]+) ?gb/?i?t?p?/?s?")
    if not bits then return nil end
    bits = tonumber(bits) * 1e9 / 8
    if text:find("per gpu") or math.abs(bits / usual - 1) < 0.01 then return bits, "row" end
    if text:find("per node") then return bits / node, "row" end
    return bits / node, "row; taken per node"
end

-- The fields of a dtsim.machine that a row speaks of, with base values from the catalog; nil, why
-- not. Notes defaults in the case.
local function read_machine(row, case)
    local id, nearest = guess.machine(row)
    if not id then return nil, "unknown GPU: " .. tostring(row.gpu) end
    if nearest then take(case, "gpu", id, "nearest family") end
    local fields = copy(guess.machines[id], {sources = true})
    local base = core.machine(fields)
    local node = number(row.gpus_per_node)
    if not node then node = take(case, "gpus_per_node", base.node, "usual node") end
    fields.node = node
    if base.domain <= 8 then fields.domain = math.min(node, 8) end
    local usual = base.network_bandwidth
    local notes = row.notes or ""
    if row.inter_node_network then
        local rate, origin = network_rate(row.inter_node_network, node, usual)
        if rate and rate >= 0.1e9 then
            fields.network_bandwidth = rate
            if origin ~= "row" then take(case, "network_bandwidth", rate, origin) end
        else
            take(case, "network_bandwidth", usual, "usual: one card per GPU")
        end
    elseif (number(row.n_gpu) or 1) > base.domain then
        take(case, "network_bandwidth", usual, "usual: one card per GPU")
    end
    local intra = (row.intra_node_network or ""):lower()
    if intra:find("pcie") and not id:find("gtx") then
        fields.domain_bandwidth = math.min(base.domain_bandwidth, 12e9)
        take(case, "domain_bandwidth", fields.domain_bandwidth, "guess: through PCIe")
    end
    local world = tonumber(notes:match("AR world/intra ([%d.]+)/"))
    if world and number(row.n_gpu) > fields.domain then fields.allreduce = world * 1e9 end
    local watts = tonumber(((row.gpu or "") .. notes):match("(%d%d%d) ?W%f[%A]"))
    if watts and watts < 0.8 * base.power and (row.gpu or ""):find("W") then
        fields.clock_fraction = (watts / base.power) ^ 0.65
        take(case, "clock_fraction", fields.clock_fraction, "guess from the power cap")
    end
    case.machine_id = id
    return fields
end

return read_machine
