/* Tables of GPUs, networks, models, optimizers and plans, made of the input's bytes: a value or an
 * error, and no result of a plan that is not a finite number. */
#include <math.h>

#include "fuzz.h"

typedef struct {
    const uint8_t *bytes;
    size_t left;
} Input;

static unsigned take(Input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->bytes++;
}

static const char *const words[] = {
    "900 GB/s", "1 us",   "64 KiB", "1.5 GHz", "300 TFLOP/s", "$300",        "700 W",
    "16 M",     "inf",    "paper",  "wide",    "exhaustive",  "interleaved", "zero_bubble",
    "exposed",  "hidden", "x",      "",        "time",        "energy",      "3 months"};

/* Names of fields, of all tables alike, so that wrong ones are met too. */
static const char *const names[] = {"name",
                                    "bits",
                                    "flop_per_clock_per_thread",
                                    "peak",
                                    "sms",
                                    "registers_per_block",
                                    "l2_size",
                                    "l2_bandwidth",
                                    "memory",
                                    "memory_bandwidth",
                                    "clock",
                                    "utilization",
                                    "distributed_shared_memory",
                                    "matmul_latency",
                                    "price",
                                    "power",
                                    "idle_power",
                                    "size",
                                    "bandwidth",
                                    "latency",
                                    "d_model",
                                    "d_ff",
                                    "layers",
                                    "sparsity",
                                    "seq_len",
                                    "batch",
                                    "tokens",
                                    "dp",
                                    "tp_model",
                                    "tp_ff",
                                    "pp",
                                    "ep",
                                    "microbatches",
                                    "interleave",
                                    "zero_bubble",
                                    "recompute",
                                    "levels",
                                    "search",
                                    "schedules",
                                    "overlap",
                                    "threads",
                                    "tp",
                                    "check_levels",
                                    "partial_levels",
                                    "n_gpus",
                                    "gpus_in",
                                    "max_degree",
                                    "inside_level",
                                    "objective",
                                    "duration",
                                    "top",
                                    "min_gpus",
                                    "max_gpus",
                                    "frontier",
                                    "plan_budget",
                                    "whole_sequences",
                                    "memory_headroom"};
enum { NUM_NAMES = sizeof names / sizeof names[0], NUM_WORDS = sizeof words / sizeof words[0] };

static void push_table(lua_State *L, Input *input, int depth);

/* Pushes a value that two or more bytes say. */
static void push_value(lua_State *L, Input *input, int depth)
{
    static const double odd[] = {0.0, -1.0, 0.5, 1.5, 1e30, 1e-30, 1e300, 4611686018427387904.0};
    unsigned what = take(input), value = take(input);
    switch (what % 10) {
    case 0:
    case 1:
    case 2:
        lua_pushinteger(L, value);
        break;
    case 3:
        lua_pushinteger(L, (lua_Integer)1 << value % 63);
        break;
    case 4:
        lua_pushnumber(L, value % 9 == 8 ? (double)NAN : odd[value % 9 % 8]);
        break;
    case 5:
        lua_pushnumber(L, ldexp(1 + value / 256.0, (int)(take(input) % 200) - 100));
        break;
    case 6:
        lua_pushstring(L, words[value % NUM_WORDS]);
        break;
    case 7:
        lua_pushboolean(L, value & 1);
        break;
    case 8:
        lua_pushnumber(L, value & 1 ? HUGE_VAL : -HUGE_VAL);
        break;
    default:
        push_table(L, input, depth + 1);
    }
}

/* Pushes a table of fields and list items. */
static void push_table(lua_State *L, Input *input, int depth)
{
    unsigned count = depth > 3 ? 0 : take(input) % 20;
    lua_newtable(L);
    for (unsigned i = 0; i < count && input->left > 0; i++) {
        unsigned name = take(input);
        if (name >= 200)
            lua_pushinteger(L, (lua_Integer)luaL_len(L, -1) + 1);
        else
            lua_pushstring(L, names[name % NUM_NAMES]);
        push_value(L, input, depth);
        lua_settable(L, -3);
    }
}

/* function(which, changes, plan, options): changes are put into a sound table first, so that more
 * of them are accepted. */
static const char setup[] =
    "local G = {sms = 100, registers_per_block = 65536, l2_size = 4e7, l2_bandwidth = 5e12, "
    "    memory = 8e10, memory_bandwidth = 2e12, clock = 1e9, utilization = 0.9, "
    "    matmul_latency = 1e-6, flop_per_clock_per_thread = 8, power = 300, idle_power = 100} "
    "local M = {d_model = 64, d_ff = 128, layers = 12, sparsity = 2, seq_len = 8, batch = 64} "
    "local gpu, model = dtsim.gpu(G), dtsim.model(M) "
    "local network = dtsim.network{{size = 8, bandwidth = 9e11, latency = 1e-6}, "
    "    {bandwidth = 1e11, latency = 1e-6}} "
    "local function merged(base, changes) "
    "    local copy = {} "
    "    for k, v in pairs(base) do copy[k] = v end "
    "    for k, v in pairs(changes) do copy[k] = v end "
    "    return copy "
    "end "
    "local function finite(t, where) "
    "    for k, v in pairs(t) do "
    "        local place = where .. '.' .. tostring(k) "
    "        if type(v) == 'number' and (v ~= v or v == 1/0 or v == -1/0) then "
    "            error('not finite: ' .. place, 0) "
    "        elseif type(v) == 'table' and k ~= 'plan' then "
    "            finite(v, place) "
    "        end "
    "    end "
    "end "
    "return function(which, a, b, c) "
    "    which = which % 7 "
    "    if which == 0 then "
    "        local g = dtsim.gpu(merged(G, a)) "
    "        tostring(g) "
    "        finite(g:matmul(100, 1000, 64), 'matmul') "
    "        finite(dtsim.optimizer{gpu = g, network = network}:evaluate(model, {}), 'gpu') "
    "    elseif which == 1 then "
    "        local n = dtsim.network(a) "
    "        tostring(n) "
    "        finite(dtsim.optimizer{gpu = gpu, network = n}:evaluate(model, {}), 'network') "
    "    elseif which == 2 then "
    "        local m = dtsim.model(merged(M, a)) "
    "        tostring(m) "
    "        finite(dtsim.optimizer{gpu = gpu, network = network}:evaluate(m, {}), 'model') "
    "    elseif which == 3 then "
    "        local o = dtsim.optimizer(merged({gpu = gpu, network = network}, a)) "
    "        tostring(o) "
    "        finite(o:evaluate(model, b, c), 'plan') "
    "    elseif which == 4 then "
    "        local o = dtsim.optimizer{gpu = gpu, network = network} "
    "        local r = o:evaluate(model, a, c) "
    "        tostring(r) "
    "        finite(r, 'plan') "
    "    elseif which == 5 then "
    "        local o = dtsim.optimizer{gpu = gpu, network = network} "
    "        local r, reason = o:cluster(model, merged({max_gpus = 4096}, a)) "
    "        if r then finite(r, 'cluster') else assert(type(reason) == 'string') end "
    "    else "
    "        local n = dtsim.network(a) "
    "        local o = dtsim.optimizer{gpu = gpu:with(b), network = n, search = 'exhaustive'} "
    "        local r, reason = o:cluster(model, merged({max_gpus = 1024}, c)) "
    "        if r then finite(r, 'cluster') else assert(type(reason) == 'string') end "
    "    end "
    "end";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    Input input = {bytes, size};
    lua_State *L = fuzz_state(setup);
    lua_pushinteger(L, take(&input));
    for (int i = 0; i < 3; i++)
        push_table(L, &input, 0);
    if (!fuzz_call(L, 4)) {
        const char *message = luaL_tolstring(L, -1, NULL);
        fuzz_expect(!strstr(message, "not finite"), "numbers are finite", message);
        fuzz_expect(!strstr(message, "assertion"), "a reason is a text", message);
    }
    return 0;
}
