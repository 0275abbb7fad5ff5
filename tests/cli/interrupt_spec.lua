-- Ctrl-C, as the signal that a terminal makes of it.
local program = require "cli.program"

local READY = "io.open('ready', 'w'):close() "
-- What the user feels as at once. Sanitizers look through all memory at the end.
local LIMIT_S = program.sanitized and 2 or 0.2
local TRIES = 3

-- Interrupts a run of code. A busy machine may be late, but not every time.
local function check_interrupted(code, threads)
    local result
    for _ = 1, TRIES do
        result = program.interrupt{"-j", threads or "1", "-e", READY .. code}
        assert.equal("dtsim: interrupted\n", result.err)
        assert.equal(130, result.code)
        if result.seconds <= LIMIT_S then
            return result
        end
    end
    error(("took %.3f s"):format(result.seconds))
end

describe("Ctrl-C", function()
    it("ends a loop with status 130", function()
        check_interrupted("while true do end")
    end)

    it("ends a loop that catches errors", function()
        check_interrupted("while true do pcall(function() while true do end end) end")
        check_interrupted("local function loop() while true do end end\n" ..
                          "while true do xpcall(loop, function(m) return m end) end")
    end)

    it("ends a comparison that is called from C", function()
        check_interrupted("table.sort({3, 1, 2}, function() while true do end end)")
    end)

    it("lets the output before it through", function()
        assert.equal("before\n", check_interrupted("io.write('before\\n') while true do end").out)
    end)

    -- Searches in C of many seconds, during which nothing of Lua runs.
    local SYSTEM = "local s = dtsim.systems.h100_four_levels\n" ..
        "local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = 'exhaustive'}\n"
    local SWEEP = SYSTEM .. "while true do\n" ..
        "    o:sweep{d_model = dtsim.widths.between(12288, 2^20)}\nend"
    local CLUSTER = SYSTEM .. "local m = dtsim.laws.paper_sparse:model(122880)\n" ..
        "while true do o:cluster(m, {duration = '3 months'}) end"

    it("ends a running sweep, on one thread and on two", function()
        check_interrupted(SWEEP)
        check_interrupted(SWEEP, "2")
    end)

    it("ends a running search, on one thread and on two", function()
        check_interrupted(CLUSTER)
        check_interrupted(CLUSTER, "2")
    end)

    it("ends a sweep that the script catches errors of", function()
        check_interrupted("while true do pcall(function() " .. SWEEP .. " end) end")
    end)

    it("kills if it comes twice", function()
        local folder = program.folder()
        local code = "coroutine.wrap(function() " .. READY .. "while true do end end)()"
        program.write(folder .. "/script", ([[
cd %s
%s -e %s &
pid=$!
while [ ! -e ready ]; do sleep 0.02; done
kill -INT $pid
sleep 0.2
kill -INT $pid
wait $pid
echo $? >code
]]):format(folder, program.quote(program.path), program.quote(code)))
        os.execute("sh " .. folder .. "/script 2>/dev/null")
        assert.equal("130\n", program.read(folder .. "/code"))
        program.remove(folder)
    end)
end)
