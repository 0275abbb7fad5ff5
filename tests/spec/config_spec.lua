-- Configuration files: what they may say, what --set changes, and where every error points.
local config = require "dtsim.config"
local json = require "dtsim.json"

local folder, count = nil, 0

-- Writes a file of a value or a text and gives its path.
local function file_of(value)
    count = count + 1
    local path = ("%s/%d.json"):format(folder, count)
    local file = assert(io.open(path, "wb"))
    file:write(type(value) == "string" and value or json.encode(value))
    file:close()
    return path
end

local function sweep_of(fields)
    local value = {format = "dtsim sweep settings", version = 1, system = "h100",
                   d_model = {12288}}
    for key, item in pairs(fields or {}) do value[key] = item end
    for key, item in pairs(value) do if item == json.null then value[key] = nil end end
    return value
end

local function read(value, ...)
    return config.read(file_of(value), {...}).configurations[1]
end

-- The message of a file that is refused, with "F" for its path.
local function message_of(value, ...)
    local path = file_of(value)
    local ok, message = pcall(config.read, path, {...})
    assert.is_false(ok)
    return (message:gsub("^[^\n]-:%d+: ", ""):gsub(path:gsub("%p", "%%%0"), "F"))
end

-- A sweep's points as text, without the time of the search.
local function points_of(sweep)
    return (json.encode(sweep:plain().points):gsub('"seconds":[^,}]*', ""))
end

describe("configurations:", function()
    setup(function()
        local pipe = io.popen "mktemp -d"
        folder = pipe:read "l"
        pipe:close()
    end)
    teardown(function() os.execute("rm -rf '" .. folder .. "'") end)

    describe("a configuration file", function()
        it("names hardware of the catalogs", function()
            local row = read(sweep_of())
            assert.equal(dtsim.gpus.h100, row.gpu)
            assert.equal("H100 SXM", row.name)
            assert.equal(#dtsim.networks.h100, #row.network)
            row = read(sweep_of{system = "h100", gpu = "h200", network = "dgx_b200", name = "mine"})
            assert.equal(dtsim.gpus.h200, row.gpu)
            assert.equal(1.8e12, row.network[1].bandwidth)
            assert.equal("mine", row.name)
        end)

        it("gives hardware in full or in a few figures", function()
            local row = read(sweep_of{
                system = json.null,
                gpu = {name = "X", peak = "989 TFLOP/s", memory = "80 GB",
                       memory_bandwidth = "3.35 TB/s"},
                network = {{name = "node", size = 8, bandwidth = "900 GB/s", latency = "1 us"},
                           {name = "cluster", bandwidth = "inf", latency = 1e-6}},
            })
            assert.equal("X", row.name)
            assert.equal("h100", row.gpu:assumed().from)
            assert.equal(8, row.network[1].size)
            assert.equal(math.huge, row.network[2].bandwidth)
            row = read(sweep_of{gpu = {
                name = "Y", bits = 16, flop_per_clock_per_thread = {["16"] = 8, ["32"] = 1},
                sms = 80, registers_per_block = "64 KiB", l2_size = "6 MiB",
                l2_bandwidth = "2155 GB/s",
                memory = "32 GB", memory_bandwidth = "900 GB/s", clock = "1.533 GHz",
                utilization = 0.9, matmul_latency = "4.5 us", power = "300 W"}})
            assert.equal(dtsim.gpus.v100:with{name = "Y"}, row.gpu)
            assert.is_nil(row.gpu:assumed())
        end)

        it("gives laws by name, formula and number", function()
            assert.equal(dtsim.laws.paper_sparse, read(sweep_of{laws = "paper_sparse"}).laws)
            local set = read(sweep_of{laws = {name = "L", layers = 100, batch = "floor(4 Mi / seq)",
                                              sparsity = "paper_sparsity"}}).laws
            local model = set:model(12288)
            assert.equal(100, model.layers)
            assert.equal(2048, model.batch)
            assert.equal(8, model.sparsity)
            assert.equal("L", set.name)
        end)

        it("gives widths as a list, one number or a range, and d_ff as a formula", function()
            assert.same({12288}, read(sweep_of()).d_model)
            assert.equal(4096, read(sweep_of{d_model = 4096}).d_model)
            assert.same(dtsim.widths.between(4096, 8192),
                read(sweep_of{d_model = {from = 4096, to = 8192}}).d_model)
            assert.equal(3 * 4096 // 2 * 2, read(sweep_of{d_ff = "3 * d_model"}).d_ff(4096))
            assert.equal(10923, read(sweep_of{d_ff = "8 * d_model / 3"}).d_ff(4096))
            assert.equal(5000, read(sweep_of{d_ff = 5000}).d_ff)
        end)

        it("is the sweep that a script would run", function()
            local row = read(sweep_of{
                d_model = {12288, 20480}, laws = "paper_sparse", search = "paper",
                overlap = {dp = true}, schedules = {"interleaved"}, duration = "2 months",
                seq_len = 4096, stop_utilization = 0.01, options = {max_gpus = 1e6}, d_ff = 65536,
                threads = 1, zero_bubble_latency = "hidden",
            })
            local system = dtsim.systems.h100
            local by_hand = dtsim.optimizer{
                gpu = system.gpu, network = system.network, search = "paper", overlap = {dp = true},
                schedules = {"interleaved"}, threads = 1, zero_bubble_latency = "hidden",
            }:sweep{d_model = {12288, 20480}, laws = dtsim.laws.paper_sparse, duration = "2 months",
                    seq_len = 4096, stop_utilization = 0.01, max_gpus = 1e6, d_ff = 65536}
            local from_file = config.sweep(row)
            assert.equal(points_of(by_hand), points_of(from_file))
            assert.equal(json.encode(by_hand:plain().settings),
                json.encode(from_file:plain().settings))
        end)

        it("may be a system", function()
            local result = config.read(file_of{format = "dtsim system", version = 1, gpu = "a100",
                                               network = "dgx_a100", note = "as sold"})
            assert.equal("system", result.kind)
            assert.equal(dtsim.gpus.a100, result.configurations[1].gpu)
        end)

        it("may be a saved sweep, which runs again to the same answers", function()
            local system = dtsim.systems.h100
            local sweep = dtsim.optimizer{gpu = system.gpu, network = system.network,
                                          search = "paper"}
                :sweep{d_model = {12288, 16384},
                       laws = dtsim.laws{batch = "sqrt(E) * 4 Mi * (C / 3e23)^(1/6) / seq"}}
            local path = file_of(sweep:plain())
            local row = config.read(path).configurations[1]
            assert.equal(system.gpu, row.gpu)
            assert.equal(points_of(sweep), points_of(config.sweep(row)))
        end)

        it("may be a study, whose own settings hold for all that say nothing else", function()
            local result = config.read(file_of{
                format = "dtsim study", version = 1, title = "T", duration = "2 months",
                overlap = {dp = true},
                configurations = {
                    {name = "A", system = "h100"},
                    {name = "B", system = "a100", duration = "1 month", overlap = {pp = false},
                     enabled = false},
                },
            }, {"overlap.tp=false", "configurations[B].duration=5 months"})
            local a, b = table.unpack(result.configurations)
            assert.equal("study", result.kind)
            assert.equal("T", result.title)
            assert.equal("2 months", a.duration)
            assert.equal("5 months", b.duration)
            assert.same({dp = true, tp = false}, a.overlap)
            assert.same({pp = false, tp = false}, b.overlap)
            assert.equal(false, b.enabled)
        end)

        it("takes null for nothing", function()
            local row = read('{"format": "dtsim system", "version": 1, "system": "h100", '
                .. '"note": null}')
            assert.is_nil(row.note)
        end)

        it("points at unknown fields and suggests", function()
            assert.equal("F: duratoin: unknown field; did you mean 'duration'?",
                message_of(sweep_of{duratoin = 1}))
            assert.equal("F: gpu.memry: unknown field; did you mean 'memory'?",
                message_of(sweep_of{gpu = {memry = 1}}))
            assert.equal("F: network[2].bandwith: unknown field; did you mean 'bandwidth'?",
                message_of(sweep_of{network = {{size = 8}, {bandwith = 1}}}))
            assert.equal("F: laws.bach: unknown field; did you mean 'batch'?",
                message_of(sweep_of{laws = {bach = 1}}))
            assert.equal("F: overlap.ep: unknown field; did you mean 'tp'?",
                message_of(sweep_of{overlap = {ep = true}}))
            assert.equal("F: options.max_gpu: unknown field; did you mean 'max_gpus'?",
                message_of(sweep_of{options = {max_gpu = 1}}))
            assert.equal("F: d_model.form: unknown field; did you mean 'from'?",
                message_of(sweep_of{d_model = {form = 1}}))
            assert.matches("^F: zzz: unknown field; there are format, version, name",
                message_of(sweep_of{zzz = 1}))
            assert.equal("F: systm: unknown field; did you mean 'system'?",
                message_of{format = "dtsim system", version = 1, systm = "h100"})
            local study = {format = "dtsim study", version = 1, configurations = {
                {system = "h100"}, {system = "h100", network = {{bandwith = 1}}}}}
            assert.equal("F: configurations[2].network[1].bandwith: unknown field; did you mean "
                .. "'bandwidth'?", message_of(study))
            study.configurations[1].sytem = "h100"
            assert.equal("F: configurations[1].sytem: unknown field; did you mean 'system'?",
                message_of(study))
        end)

        it("points at wrong values", function()
            local cases = {
                {{system = "h1000"}, "F: system: .*did you mean 'h100'%?"},
                {{gpu = "h1000"}, "F: gpu: .*did you mean 'h100'%?"},
                {{network = "dgx_h10"}, "F: network: .*did you mean 'dgx_h100'%?"},
                {{laws = "paper_dence"}, "F: laws: .*did you mean 'paper_dense'%?"},
                {{laws = "chinchilla"}, "F: laws: chinchilla is no set of laws"},
                {{laws = {batch = "sqr(E)"}},
                 "F: laws: laws: batch: column 1: unknown function 'sqr'; did you mean 'sqrt'%?\n"},
                {{gpu = {peak = "3 s", memory = 1, memory_bandwidth = 1}}, "F: gpu: gpu: .*"},
                {{gpu = 5}, "F: gpu: an object is due, got 5"},
                {{gpu = {1, 2}}, "F: gpu: an object is due, got a list"},
                {{gpu = {peak = 1, flop_per_clock_per_thread = 1}},
                 "F: gpu: give peak or flop_per_clock_per_thread, not both"},
                {{network = {}}, "F: network: a name or a list of levels is due, got an object"},
                {{network = 5}, "F: network: a name or a list of levels is due, got 5"},
                {{network = {{bandwidth = "3 GB", latency = 0}}}, "F: network: .*bandwidth.*bytes"},
                {{overlap = 3}, "F: overlap: an object is due, got 3"},
                {{d_model = {from = 5}}, "F: d_model: widths.between takes"},
                {{d_ff = "4 * dmodel"},
                 "F: d_ff: column 5: unknown name 'dmodel'; did you mean 'd_model'%?"},
                {{name = 5}, "F: name: must be a text, got 5"},
                {{system = json.null}, "F: gpu: is missing %(or give a system%)"},
                {{system = json.null, gpu = "h100"}, "F: network: is missing %(or give a system%)"},
                {{format = "dtsim sistem"}, "F: format: must be .*did you mean \"dtsim system\"%?"},
                {{format = 3}, "F: format: must be \"dtsim system\", .* got 3"},
                {{version = 2}, "F: version: must be 1, got 2"},
            }
            for _, case in ipairs(cases) do
                assert.matches(case[2], message_of(sweep_of(case[1])))
            end
            assert.matches("^F: cannot read JSON: ", message_of "{")
            assert.matches("^F: an object is due, got 3", message_of "3")
            assert.matches("^F: d_model%[2%]: a list has no place for null", message_of(
                '{"format": "dtsim sweep settings", "version": 1, "d_model": [1, null, 3]}'))
            assert.equal("F: configurations: a list of configurations is due",
                message_of{format = "dtsim study", version = 1})
            assert.error_matches(function() config.read(folder .. "/none.json") end,
                "none.json: No such file or directory")
        end)
    end)

    describe("--set", function()
        it("changes a value, writing out what names stand for", function()
            local row = read(sweep_of(), 'network[2].bandwidth="200 GB/s"', "gpu.memory=1 TB",
                "seq_len=4096", "overlap.dp=true", "d_model=[12288, 16384]", "d_model[2] = 20480",
                "laws.batch=constant_batch_law", "search=paper")
            assert.equal(200e9, row.network[2].bandwidth)
            assert.equal(900e9, row.network[1].bandwidth)
            assert.equal(dtsim.gpus.h100:with{memory = "1 TB"}, row.gpu)
            assert.equal(4096, row.seq_len)
            assert.same({dp = true}, row.overlap)
            assert.same({12288, 20480}, row.d_model)
            assert.equal("constant_batch_law", row.laws.names.batch)
            assert.equal("paper", row.search)
        end)

        it("finds elements by their name and adds one at the end", function()
            local row = read(sweep_of(), "network[node].latency=2 us", "network[2].size=4",
                "network[3].bandwidth=1 GB/s", "network[3].latency=1 ms", "network[3].name=world")
            assert.equal(2e-6, row.network[1].latency)
            assert.equal(3, #row.network)
            assert.equal("world", row.network[3].name)
        end)

        it("takes a field away with null, and a whole value in its place", function()
            assert.is_nil(read(sweep_of{seq_len = 4096}, "seq_len=null").seq_len)
            assert.equal(dtsim.gpus.b200, read(sweep_of(), "gpu=b200").gpu)
            assert.equal(1, #read(sweep_of(), "network=nvlink4").network)
            assert.equal("3=4", read(sweep_of(), "note=3=4").note)
        end)

        it("gives a peak in place of rates, and rates in place of a peak", function()
            local gpu = read(sweep_of(), "gpu.peak=5e14").gpu
            assert.equal(5e14, gpu.peak)
            gpu = read(sweep_of{gpu = "b200"}, "gpu.flop_per_clock_per_thread.16=32").gpu
            assert.equal(32, gpu.flop_per_clock_per_thread)
            gpu = read(sweep_of{gpu = "b200"}, "gpu.flop_per_clock_per_thread=32").gpu
            assert.equal(32 * 128 * 148 * 1.965e9, gpu.peak)
        end)

        it("keeps laws of a named set beside the changed one", function()
            local set = read(sweep_of{laws = "paper_sparse"}, "laws.dataset=40 * N").laws
            assert.equal("paper_sparsity", set.names.sparsity)
            assert.equal("40 * N", set.names.dataset)
        end)

        it("says what is wrong with a path", function()
            local cases = {
                {"network", "--set takes a path and a value such as network[2].bandwidth="
                    .. "\"200 GB/s\", got \"network\""},
                {"=3", "--set takes a path and a value"},
                {"a..b=3", "--set takes a path and a value"},
                {"network[5].bandwidth=3", "--set network[5].bandwidth=3: network has 2 elements"},
                {"network[0].bandwidth=3", "network has 2 elements"},
                {"network[nod].bandwidth=3", "network has no element named 'nod'"},
                {"netwrok[2].bandwidth=3", "netwrok has 0 elements"},
                {"netwrok=3", "F: netwrok: unknown field; did you mean 'network'?"},
                {"gpu.memry=3", "F: gpu.memry: unknown field; did you mean 'memory'?"},
                {"gpu.memory.x=3", "--set gpu.memory.x=3: gpu.memory is a value without fields"},
                {"gpu.sustained=3", "F: gpu.sustained: unknown field"},
                {"seq_len[1]=3", "--set seq_len[1]=3: seq_len is a value without fields"},
            }
            for _, case in ipairs(cases) do
                local message = message_of(sweep_of{seq_len = 2048}, case[1])
                assert.truthy(message:find(case[2], 1, true), message)
            end
        end)
    end)
end)
