local closed_forms = dtsim.closed_forms

local function near(expected, got, tolerance)
    assert.is_true(math.abs(got / expected - 1) <= (tolerance or 1e-9),
        ("expected %.17g, got %.17g"):format(expected, got))
end

describe("closed_forms", function()
    -- Published in arXiv 2411.01137 for three months and alpha = 0.
    it("gives the published critical compute of three GPUs", function()
        near(1.30e27, closed_forms.critical_compute{system = "v100"}, 0.005)
        near(2.62e28, closed_forms.critical_compute{system = "a100"}, 0.005)
        near(1.92e28, closed_forms.critical_compute{system = "h100"}, 0.005)
    end)

    -- By hand: b0/L0 = 4e4 tokens; T = 7889400 s; 2 * 3/320 * (4e4 * 7889400 / 9e-6)^2.
    it("gives the latency limit", function()
        near(2 * 3 / 320 * (4e4 * 7889400 / 9e-6) ^ 2, closed_forms.latency_limit{})
        near(closed_forms.latency_limit{} / 4, closed_forms.latency_limit{latency = "18 us"})
    end)

    -- By hand for numbers that divide well: a node of 2 GPUs of 1e12 FLOP/s in 16 bits, 1e11 B/s
    -- between nodes, 1e12 B/s of memory: 1e12 multiply-adds a second, 5e10 and 5e11 words.
    it("follows its formula on made-up hardware", function()
        local gpu = dtsim.gpus.h100:with{peak = 1e12, memory_bandwidth = 1e12}
        local network = dtsim.network{{size = 2, bandwidth = 1e13, latency = 0},
                                      {bandwidth = 1e11, latency = 0}}
        local sigma, nu = 4e12 / (3 * 5e10), 2
        local product = 4e4 * 1e12 * 1000 / (sigma ^ 2 * nu)
        near(2 * product ^ 2 / 960,
            closed_forms.critical_compute{gpu = gpu, network = network, duration = 1000})
        local ref = 4e4 * 3e23 ^ -0.1
        product = ref * 1e12 * 1000 / (sigma ^ 2 * nu)
        near(2 * (product ^ 2 / 960) ^ (1 / 0.8),
            closed_forms.critical_compute{gpu = gpu, network = network, duration = 1000,
                                          alpha = 0.1})
    end)

    it("is infinite where bandwidth is", function()
        assert.equal(math.huge, closed_forms.critical_compute{system = "h100_infinite_ll"})
    end)

    it("is inverted by needed", function()
        local ask = {training_flop = "1e30 FLOP", system = "h100", alpha = 0.03,
                     duration = "100 days"}
        local need = closed_forms.needed(ask)
        local h100 = dtsim.systems.h100
        local function critical(changes)
            local given = {system = "h100", alpha = 0.03, duration = "100 days"}
            for key, value in pairs(changes) do given[key] = value end
            return closed_forms.critical_compute(given)
        end
        near(1e30, critical{network = h100.network:with{[2] = {bandwidth = need.bandwidth}}})
        near(1e30, critical{gpu = h100.gpu:with{memory_bandwidth = need.memory_bandwidth}})
        near(1e30, critical{duration = need.movement_duration})
        near(1e30, critical{alpha = need.movement_alpha})
        local function latency(changes)
            local given = {alpha = 0.03, duration = "100 days"}
            for key, value in pairs(changes) do given[key] = value end
            return closed_forms.latency_limit(given)
        end
        near(1e30, latency{latency = need.latency})
        near(1e30, latency{duration = need.latency_duration})
        near(1e30, latency{alpha = need.latency_alpha})
        assert.truthy(tostring(need):find("1.00e30 FLOP in 3.29 months needs", 1, true)
            or tostring(need):find("1e30 FLOP in 3.29 months needs", 1, true))
    end)

    it("says what is wrong with a question", function()
        local function fails(message, f, options)
            local ok, got = pcall(f, options)
            assert.is_false(ok)
            assert.truthy(got:find(message, 1, true), got)
        end
        fails("has no option 'sytem'; did you mean 'system'?", closed_forms.critical_compute,
            {sytem = "h100"})
        fails("give a system, or a gpu and a network", closed_forms.critical_compute, {})
        fails("alpha must be below 0.5", closed_forms.latency_limit, {alpha = 0.5})
        fails("duration must be a finite number above 0", closed_forms.latency_limit,
            {duration = 0})
        fails("latency: \"5 GB\" is bytes", closed_forms.latency_limit, {latency = "5 GB"})
        fails("training_flop is missing", closed_forms.needed, {system = "h100"})
        fails("no system 'h10'", closed_forms.critical_compute, {system = "h10"})
    end)
end)
