/* Every request of Lua's for memory refused in turn, while the library is loaded and while it
 * works: an error that says so and nothing else, no leak, and a state that is as good as before.
 * Then a thousand sweeps in one state, which leave its memory where it was. */
#include "../core/check.h"
#include "core/memory.h"
#include "host.h"

static const char *const preparation =
    "gpu = dtsim.gpus.h100 "
    "network = dtsim.networks.h100 "
    "model = dtsim.model{d_model = 1024, layers = 24, batch = 256, sparsity = 2} "
    "optimizer = dtsim.optimizer{gpu = gpu, network = network} "
    "paper = optimizer:with{search = 'paper'} "
    "result = optimizer:plan(model, 64) "
    "sweep = paper:sweep{d_model = {1024, 2048}} "
    "path = os.tmpname()";

/* What is done; each gives one value, the same every time. */
static const char *const jobs[] = {
    "return dtsim.gpu{sms = 100, registers_per_block = '64 KiB', l2_size = '40 MB', "
    "l2_bandwidth = '5 TB/s', memory = '80 GB', memory_bandwidth = '2 TB/s', clock = '1 GHz', "
    "utilization = 0.9, matmul_latency = '1 us', flop_per_clock_per_thread = {[16] = 8}}.peak",
    "return tostring(gpu)",
    "local n = 0 for _ in pairs(gpu) do n = n + 1 end return n",
    "return gpu:matmul(4096, 4096, 512, 'weight_grad').bound",
    "return dtsim.network{{size = 8, bandwidth = 1e9, latency = 1e-6}, "
    "{bandwidth = '1 GB/s', latency = 0}}:scaled{bandwidth = 2}[1].bandwidth",
    "return network:allreduce{level = 1, participants = 8, bytes = '1 MB', gpus = 8}.bandwidth",
    "return dtsim.model{d_model = 1024, layers = '1 k', batch = 64}:with{d_ff = 3000}.params",
    "return optimizer:evaluate(model, {dp = 8, tp_ff = 8, microbatches = 4}).time",
    "return optimizer:plan(model, 64).plan.dp",
    "return #optimizer:plans(model, 64, {top = 3})",
    "return paper:cluster(model, {duration = '1 day', gpus_in = {64, 128, 256}}).n_gpus",
    "return #optimizer:frontier(model, {min_gpus = 64, max_gpus = 512})",
    "return select(2, optimizer:plan(model, 7))",
    "return tostring(paper:sweep{d_model = {1024, 2048}, duration = '1 month'})",
    "return tostring(result:explain())",
    "local t = dtsim.laws.paper_sparse:model(2048).sparsity return t",
    "return dtsim.laws{batch = '1e5 + compute^0.1'}:model(2048).batch",
    /* Decoding is lua-cjson's, which loses its buffer when Lua has no memory: not tried here. */
    "return require 'dtsim.json'.encode{a = {1, 2, {b = 0.1}}}",
    "return dtsim.units.format(dtsim.units.parse('3.5 GB/s', 'bandwidth'), 'bandwidth')",
    "sweep:save(path .. '.json') sweep:save(path .. '.csv') sweep:save(path .. '.md') return 1",
    "local ok, message = pcall(dtsim.gpu, {memry = 3}) return message",
    "local ok, message = pcall(dtsim.units.parse, '3 GBB', 'bytes') return message",
};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { NUM_LOADS = 30 };
#else
enum { NUM_LOADS = 100 };
#endif
enum { NUM_JOBS = sizeof jobs / sizeof jobs[0] };

/* Pushes one value: what the function compiled from a job gives, or why it failed. */
static bool run_job(lua_State *L, int number)
{
    lua_rawgeti(L, 1, number + 1);
    return lua_pcall(L, 0, 1, 0) == LUA_OK;
}

/* Weak tables keep empty places, more or less by when they were last collected. */
enum { SLACK_BYTES = 32 << 10 };

static size_t bytes_at_rest(lua_State *L, const HostMemory *memory)
{
    lua_settop(L, 1);
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCCOLLECT);
    return memory->bytes;
}

/* The job ended as it does with all memory (`expected` on the stack), or said that there was not
 * enough. A job that catches errors gives that message as its value. */
static void check_end(lua_State *L, bool passed, int expected)
{
    const char *text = luaL_tolstring(L, -1, NULL);
    bool same = passed && lua_compare(L, -2, expected, LUA_OPEQ);
    if (!CHECK(same || strstr(text, "not enough memory")))
        printf("    it said: %s\n", text);
    lua_pop(L, 2);
}

/* A job with its requests refused from each on; with more than a few hundred, from some. */
static void refuse_lua(lua_State *L, HostMemory *memory, int number)
{
    bool passed = run_job(L, number) && (lua_pop(L, 1), run_job(L, number));
    int expected = lua_gettop(L);
    CHECK_CASE("job %d", number);
    if (!CHECK(passed))
        printf("    %s\n    %s\n", jobs[number], luaL_tolstring(L, -1, NULL));
    host_refuse(memory, -1);
    run_job(L, number);
    long num_requests = memory->num_requests, step = 1 + num_requests / 300;
    lua_settop(L, expected);
    for (long refused = 0; refused < num_requests; refused += step) {
        CHECK_CASE("job %d: request %ld of %ld refused", number, refused, num_requests);
        host_refuse(memory, refused);
        passed = run_job(L, number);
        host_refuse(memory, -1);
        check_end(L, passed, expected);
        lua_settop(L, expected);
    }
    CHECK_CASE("job %d afterwards", number);
    CHECK(run_job(L, number) && lua_compare(L, -1, expected, LUA_OPEQ));
}

/* The same for the core's requests. */
static void refuse_core(lua_State *L, int number)
{
    lua_settop(L, 1);
    lua_gc(L, LUA_GCCOLLECT); /* gives back what is not watched */
    dt_memory_watch(-1, 0);
    run_job(L, number); /* stays: what is expected */
    long num_requests = dt_memory_num_requests();
    lua_settop(L, 2);
    lua_gc(L, LUA_GCCOLLECT);
    for (long refused = 0; refused < num_requests; refused++) {
        CHECK_CASE("job %d: request %ld of %ld of the core refused", number, refused, num_requests);
        dt_memory_watch(refused, 1);
        bool passed = run_job(L, number);
        check_end(L, passed, 2);
        lua_settop(L, 2);
        lua_gc(L, LUA_GCCOLLECT);
        CHECK_INT(dt_memory_num_live(), 0);
    }
    dt_memory_unwatch();
}

static void work(void)
{
    HostMemory memory = {0, 0, -1};
    lua_State *L = host_open(&memory);
    if (!CHECK(L != NULL))
        return;
    lua_createtable(L, NUM_JOBS, 0);
    for (int i = 0; i < NUM_JOBS; i++) {
        CHECK_INT(luaL_loadstring(L, jobs[i]), LUA_OK);
        lua_rawseti(L, 1, i + 1);
    }
    if (!CHECK(host_run(L, preparation)))
        printf("    %s\n", lua_tostring(L, -1));
    for (int i = 0; i < NUM_JOBS; i++) {
        lua_settop(L, 1);
        refuse_lua(L, &memory, i);
        refuse_core(L, i);
    }
    size_t before = 0, after = 0;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < NUM_JOBS; i++) {
            run_job(L, i);
            lua_settop(L, 1);
        }
        after = bytes_at_rest(L, &memory);
        before = round == 0 ? after : before;
    }
    CHECK_CASE("bytes at rest");
    CHECK(after <= before + 1024);
    CHECK(
        host_run(L, "for _, e in ipairs{'', '.json', '.csv', '.md'} do os.remove(path .. e) end"));
    lua_close(L);
    CHECK_CASE("closed");
    CHECK_INT(memory.bytes, 0);
}

/* Loading the library: requests refused from a sample of places on. */
static void loading(void)
{
    HostMemory memory = {0, 0, -1};
    lua_State *L = host_open(&memory);
    long num_requests = memory.num_requests, step = num_requests / NUM_LOADS + 1;
    CHECK_CASE("loading");
    if (CHECK(L != NULL))
        lua_close(L);
    CHECK_INT(memory.bytes, 0);
    for (long refused = 0; refused < num_requests; refused += refused < 200 ? 1 : step) {
        CHECK_CASE("loading: request %ld of %ld refused", refused, num_requests);
        host_refuse(&memory, refused);
        L = host_open(&memory);
        if (L) /* the last requests are for what can be done without */
            lua_close(L);
        CHECK_INT(memory.bytes, 0);
    }
}

/* Memory after many sweeps is what it was after a few. */
static void thousand_sweeps(void)
{
    HostMemory memory = {0, 0, -1};
    lua_State *L = host_open(&memory);
    const char *text = "for i = 1, 100 do assert(#paper:sweep{d_model = {1024}, "
                       "seq_len = 1024} == 1) end";
    CHECK_CASE("a thousand sweeps");
    if (!CHECK(L && host_run(L, preparation)))
        return;
    lua_pushnil(L);
    lua_replace(L, 1);
    for (int i = 0; i < 5; i++) {
        CHECK(host_run(L, text));
        bytes_at_rest(L, &memory);
    }
    size_t before = bytes_at_rest(L, &memory);
    dt_memory_watch(-1, 0);
    for (int i = 0; i < 10; i++) {
        CHECK(host_run(L, text));
        bytes_at_rest(L, &memory);
    }
    if (!CHECK(bytes_at_rest(L, &memory) <= before + SLACK_BYTES))
        printf("    %zu bytes before, %zu after\n", before, memory.bytes);
    CHECK_INT(dt_memory_num_live(), 0);
    dt_memory_unwatch();
    CHECK(host_run(L, "os.remove(path)"));
    lua_close(L);
    CHECK_INT(memory.bytes, 0);
}

int main(void)
{
    loading();
    work();
    thousand_sweeps();
    return check_finish("lua_memory");
}
