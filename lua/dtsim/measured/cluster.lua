-- cluster: the machine of a measured row: GPU, node, links, network cards.

local core = require "dtsim.core"
local guess = require "dtsim.measured.guess"
local values = require "dtsim.measured.values"

local number, copy, take = values.number, values.copy, values.take

-- Gbit/s of a port of InfiniBand by its name.
local PORTS = {{"xdr", 800}, {"ndr", 400}, {"hdr", 200}, {"edr", 100}, {"fdr", 56}}

-- Bytes per second of one thing that a text tells of, and how many there are (nil: not told).
local function told_rate(text)
    local lower = text:lower()
    local count, rate = lower:match("(%d+) ?[x×]%D-([%d.]+) ?gb/?i?t?p?s?")
    if count and tonumber(count) > 0 and (tonumber(rate) or 0) >= 25 then
        return tonumber(rate) * 1e9 / 8, tonumber(count)
    end
    local tera = tonumber(lower:match("([%d.]+) ?tb/?i?t?p?s"))
    if tera then return tera * 1e12 / 8, 1 end
    local bytes = tonumber(text:match("([%d.]+) ?GB/s"))
    if bytes then return bytes * 1e9 end
    local bits = tonumber(lower:match("([%d.]+) ?gb/?i?t?p?/?s?"))
    if bits then return bits * 1e9 / 8 end
    for _, port in ipairs(PORTS) do
        if lower:find(port[1]) then
            return port[2] * 1e9 / 8, tonumber(lower:match("(%d+) ?[x×][^%d]-" .. port[1])), true
        end
    end
end

-- Bytes per second and GPU of the network cards that a text tells of.
local function network_rate(text, node, usual)
    text = text:gsub(",", "")
    local rate, count, port = told_rate(text)
    if not rate then return nil end
    if count then return rate * count / node, "row" end
    if port then return rate, "row; taken per GPU" end
    local lower = text:lower()
    if lower:find("per gpu") or math.abs(rate / usual - 1) < 0.01 then return rate, "row" end
    return rate / node, lower:find("per node") and "row" or "row; taken per node"
end

-- Bytes per second of 16 lanes, one way, by GPU family: of the third, fourth and fifth generation.
local PCIE = {volta = 12.5e9, ampere = 25e9, hopper = 50e9, blackwell = 50e9}

-- The fields of a dtsim.machine that a row speaks of, with base values from the catalog; nil, why
-- not. Notes defaults in the case.
local function read_machine(row, case)
    local id, nearest = guess.machine(row)
    if not row.gpu then return nil, "missing: gpu" end
    if not id then return nil, "unknown GPU: " .. row.gpu end
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
    elseif (number(row.n_gpu) or 2) > base.domain then
        take(case, "network_bandwidth", usual, "usual: one card per GPU")
    end
    if guess.through_pcie(row.intra_node_network) and base.family ~= "other" then
        fields.domain_bandwidth = math.min(base.domain_bandwidth, PCIE[base.family] or 25e9)
        take(case, "domain_bandwidth", fields.domain_bandwidth, "PCI Express of the GPU's years")
    end
    local world = tonumber(notes:match("AR world/intra ([%d.]+)/"))
    if world and (number(row.n_gpu) or 0) > fields.domain then fields.allreduce = world * 1e9 end
    local watts = tonumber(((row.gpu or "") .. notes):match("(%d%d%d) ?W%f[%A]"))
    if watts and watts < 0.8 * base.power and (row.gpu or ""):find("W") then
        fields.clock_fraction = (watts / base.power) ^ 0.65
        take(case, "clock_fraction", fields.clock_fraction, "guess from the power cap")
    end
    case.machine_id = id
    return fields
end

return read_machine
