-- Sweeps as files: JSON to the bit, CSV, Markdown.
local dtsim = require "dtsim"

local json = dtsim.json

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "a"
    file:close()
    return text
end

-- A sweep saved in a temporary file of some ending, and read back.
local function saved(sweep, ending)
    local name = os.tmpname()
    local path = name .. ending
    assert.is_true(sweep:save(path))
    local text = read(path)
    os.remove(path)
    os.remove(name)
    return text
end

local system = dtsim.systems.gtx580
local gpu = system.gpu:with{name = 'GTX "580", 3 GB', price = "$300"}
local optimizer = dtsim.optimizer{gpu = gpu, network = system.network, search = "paper"}
local sweep = optimizer:sweep{d_model = {2048, 8192, 20480}, max_gpus = 2 ^ 30}

local function same_bits(expected, got, path)
    if type(expected) == "table" then
        assert.equal("table", type(got), path)
        for key, value in pairs(expected) do same_bits(value, got[key], path .. "." .. key) end
        for key in pairs(got) do assert.are_not.equal(nil, expected[key], path .. "." .. key) end
    elseif type(expected) == "number" and expected ~= math.huge then
        assert.equal(string.pack("<d", expected), string.pack("<d", got), path)
    elseif expected == math.huge then
        assert.equal("inf", got, path)
    else
        assert.equal(expected, got, path)
    end
end

describe("a sweep in JSON", function()
    local text = saved(sweep, ".json")
    local data = json.decode(text)

    it("reads back to the same bits", function()
        same_bits(sweep:plain(), data, "sweep")
        assert.equal(text, saved(sweep, ".JSON"))
    end)

    it("holds every point's layout and breakdown", function()
        assert.equal(3, #data.points)
        for i, point in ipairs(data.points) do
            local result = sweep[i]
            assert.equal(result.time, point.time)
            assert.equal(result.model.training_flop, point.model.training_flop)
            for kind, levels in pairs(point.plan.levels) do
                assert.equal(2, #levels)
                assert.equal(result.plan[kind], levels[1] * levels[2])
            end
            for part, seconds in pairs(point.breakdown) do
                assert.equal(result.breakdown[part], seconds)
            end
        end
    end)

    it("holds what is needed to ask again", function()
        local settings = data.settings
        local fields = {}
        for name, value in pairs(data.hardware.gpu) do fields[name] = value end
        fields.peak, fields.sustained, fields.shared_bandwidth = nil, nil, nil
        local rates = fields.flop_per_clock_per_thread
        fields.flop_per_clock_per_thread = {}
        for bits, rate in pairs(rates) do
            fields.flop_per_clock_per_thread[math.tointeger(bits)] = rate
        end
        local again = dtsim.optimizer{
            gpu = dtsim.gpu(fields), network = dtsim.network(data.hardware.network),
            overlap = settings.overlap, search = settings.search, schedules = settings.schedules,
            zero_bubble_latency = settings.zero_bubble_latency,
        }
        assert.equal(optimizer.gpu, again.gpu)
        assert.equal(optimizer.network, again.network)
        assert.equal(sweep, again:sweep{
            d_model = settings.d_model, duration = "3 months", seq_len = settings.seq_len,
            laws = dtsim.laws[data.laws.name], stop_utilization = settings.stop_utilization,
            max_gpus = settings.options.max_gpus,
        })
        assert.equal(sweep.settings.duration_s, settings.duration)
    end)

    it("writes infinity as a text", function()
        local infinite = dtsim.systems.h100_infinite_ll
        local points = dtsim.optimizer{gpu = infinite.gpu, network = infinite.network,
                                       search = "paper"}:sweep{d_model = 12288}
        assert.equal("inf", json.decode(saved(points, ".json")).hardware.network[1].bandwidth)
    end)

    it("may have no point", function()
        local empty = optimizer:sweep{d_model = 2048, duration = 1}
        local plain = json.decode(saved(empty, ".json"))
        assert.same({}, plain.points)
        assert.equal(empty.settings.end_reason, plain.end_reason)
    end)
end)

describe("a sweep in CSV", function()
    local lines = {}
    for line in saved(sweep, ".csv"):gmatch "(.-)\r\n" do lines[#lines + 1] = line end

    local function cells(line)
        local list = {}
        for cell in (line .. ","):gmatch "([^,]*)," do list[#list + 1] = cell end
        return list
    end

    it("has a line of names and one for each point", function()
        assert.equal(4, #lines)
        assert.equal("training_flop,d_model,d_ff,layers,sparsity,params,tokens,seq_len,batch,"
            .. "n_gpus,time_s,utilization,cost_usd,energy_J,memory_bytes,dp,tp_model,tp_ff,pp,ep,"
            .. "microbatches,interleave,zero_bubble,recompute,dp_levels,tp_model_levels,"
            .. "tp_ff_levels,pp_levels,ep_levels,compute_s,tp_s,dp_s,pp_ep_s,bubble_s,latency_s,"
            .. "exposed_compute_s,exposed_tp_s,exposed_dp_s,exposed_pp_ep_s,exposed_bubble_s,"
            .. "exposed_latency_s", lines[1])
    end)

    it("has numbers that read back to the same bits", function()
        local names = cells(lines[1])
        for i = 1, 3 do
            local row = {}
            for j, cell in ipairs(cells(lines[i + 1])) do row[names[j]] = cell end
            assert.equal(sweep[i].time, tonumber(row.time_s))
            assert.equal(sweep[i].model.training_flop, tonumber(row.training_flop))
            assert.equal(sweep[i].breakdown.pp_ep, tonumber(row.pp_ep_s))
            assert.equal(tostring(sweep[i].plan.zero_bubble), row.zero_bubble)
            local levels = sweep[i].plan.levels.tp_ff
            assert.equal(levels[1] .. "x" .. levels[2], row.tp_ff_levels)
        end
    end)

    it("leaves cells empty for what is not known", function()
        local v100 = dtsim.systems.v100
        local points = dtsim.optimizer{gpu = v100.gpu, network = v100.network, search = "paper"}
            :sweep{d_model = 12288}
        local names, row = saved(points, ".csv"):match "^(.-)\r\n(.-)\r\n$"
        assert.equal("cost_usd", cells(names)[13])
        assert.equal("", cells(row)[13])
    end)
end)

describe("a sweep in Markdown", function()
    it("is a table", function()
        local lines = {}
        for line in saved(sweep, ".md"):gmatch "[^\n]+" do lines[#lines + 1] = line end
        assert.equal(5, #lines)
        assert.equal("| training FLOP | d_model | GPUs | utilization | of sustained | time | cost "
            .. "| plan |", lines[1])
        assert.equal("|" .. ("---|"):rep(8), lines[2])
        assert.equal("| 3.113e20 | 2048 | 32 | 0.8500 | 100.0 % | 2.75 months | $9600 | "
            .. "TP 1x2 x PP 16, 32 microbatches, zero bubble |", lines[3])
    end)
end)
