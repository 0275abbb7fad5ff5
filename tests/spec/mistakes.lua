-- mistakes.lua: wrong code and the message that it must get, for specs.

local dtsim = require "dtsim"

local mistakes = {}

-- Names that the wrong code may use. G{...} is the table of a sound GPU with some fields changed;
-- X stands for a field that is left out.
local names = setmetatable({dtsim = dtsim, X = {}}, {__index = _G})

local FIELDS = {
    sms = 100, registers_per_block = "64 KiB", l2_size = "40 MB", l2_bandwidth = "5 TB/s",
    memory = "80 GB", memory_bandwidth = "2 TB/s", clock = "1.4 GHz", utilization = 0.9,
    matmul_latency = 0, flop_per_clock_per_thread = 8,
}

function names.G(changes)
    local fields = {}
    for name, value in pairs(FIELDS) do fields[name] = value end
    for name, value in pairs(changes) do
        if value == names.X then value = nil end
        fields[name] = value
    end
    return fields
end

names.L = {size = 8, bandwidth = 1, latency = 0} -- an inner level
names.W = {bandwidth = 1, latency = 0} -- an outermost one
names.B = {size = 2^40, bandwidth = 1, latency = 0} -- a huge inner one
names.gpu = dtsim.gpu(names.G{})
names.network = dtsim.network{
    {size = 8, bandwidth = "900 GB/s", latency = "1 us"},
    {bandwidth = "100 GB/s", latency = "1 us"},
}
names.model = dtsim.model{d_model = 1024, layers = 12, batch = 64}
names.experts = dtsim.model{d_model = 1024, layers = 12, batch = 3, seq_len = 3, sparsity = 9}
names.optimizer = dtsim.optimizer{gpu = names.gpu, network = names.network, search = "paper"}
names.priced = names.optimizer:with{gpu = names.gpu:with{price = 300, power = 250}}
names.result = names.optimizer:plan(names.model, 8)
names.sweep = names.optimizer:sweep{d_model = 12288}
function names.one() return 1 end

-- The error of some code, run as the third line of the script "user.lua".
function mistakes.message_of(code)
    local chunk = load("\n\nlocal _ = " .. code, "=user.lua", "t", names)
        or assert(load("\n\n" .. code, "=user.lua", "t", names))
    local ok, message = pcall(chunk)
    return not ok and message or "no error"
end

-- Calls check(code, message) for each piece of code in a text: a line of code, then lines with the
-- message, which are indented and joined by blanks.
function mistakes.each(text, check)
    local code, words
    for line in (text .. "\nend"):gmatch "[^\n]+" do
        local indented = line:match "^ +(.*)$"
        if indented then
            words[#words + 1] = indented
        else
            if code then check(code, "user.lua:3: " .. table.concat(words, " ")) end
            code, words = line, {}
        end
    end
end

return mistakes
