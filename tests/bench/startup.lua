-- How long the program takes to its first result, beside a stock lua5.4 doing the same.
--
-- The two run in turn, many times; the fastest round of each counts, as all else that happens on
-- the machine only adds. The measure is a ratio, which does not depend on the machine: a stock
-- lua5.4 starts in about 2 ms, so 10 ms more are six times as much.

local ALLOWED_RATIO = 6
local ROUNDS, RUNS = 8, 10

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- Seconds of one run of the command, as the mean of RUNS.
local function seconds(command)
    local script = ([[
start=$(date +%%s%%N)
i=0
while [ $i -lt %d ]; do %s -e 'print(1)' >/dev/null || exit 1; i=$((i + 1)); done
echo $(($(date +%%s%%N) - start))]]):format(RUNS, command)
    local pipe <close> = assert(io.popen(script))
    return tonumber(pipe:read "a") / RUNS / 1e9
end

local stock, ours = math.huge, math.huge
for _ = 1, ROUNDS do
    stock = math.min(stock, seconds "lua5.4")
    ours = math.min(ours, seconds(quote(arg[-1])))
end
print(("start-up: lua5.4 %.2f ms, dtsim %.2f ms: ratio %.2f (at most %d)"):format(1e3 * stock,
    1e3 * ours, ours / stock, ALLOWED_RATIO))
if ours / stock > ALLOWED_RATIO then error "dtsim takes too long to start" end
