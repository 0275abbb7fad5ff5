-- losses: where the time of a run goes beyond what its arithmetic needs, and what limits it.

local losses = {}

-- What can cost time, in the words of a report.
local PARTS = {
    {key = "tp", name = "tensor communication"},
    {key = "dp", name = "data communication"},
    {key = "pp_ep", name = "pipeline and expert communication"},
    {key = "bubble", name = "the pipeline's bubble"},
    {key = "latency", name = "network latency"},
}

-- The shares of a run's time that are lost, largest first: a list of { name, share }.
-- point: a result; gpu: its dtsim.gpu. "matmul efficiency" is computing beyond what the GPUs'
-- sustained rate needs.
function losses.of(point, gpu)
    local arithmetic = point.model.training_flop / (point.n_gpus * gpu.sustained)
    local list = {{name = "matmul efficiency",
                   share = math.max(0, point.exposed.compute - arithmetic) / point.time}}
    for _, part in ipairs(PARTS) do
        list[#list + 1] = {name = part.name, share = point.exposed[part.key] / point.time}
    end
    table.sort(list, function(a, b)
        if a.share ~= b.share then return a.share > b.share end
        return a.name < b.name
    end)
    return list
end

-- What limits a run, in a few words: the largest loss and its share, or that there is none to
-- speak of (below 2 % of the time).
function losses.limit(point, gpu)
    local largest = losses.of(point, gpu)[1]
    if largest.share < 0.02 then return "arithmetic" end
    return ("%s (%.0f %% of the time)"):format(largest.name, 100 * largest.share)
end

return losses
