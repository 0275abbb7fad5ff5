/* fuzz.h: what the fuzzing targets of this folder share. Each is a program of its own, linked with
 * libFuzzer, that gives its input to one part of the library: make fuzz.
 *
 * A state is used for many inputs and made anew now and then. What an input may take is limited:
 * memory by the allocator, time by a timer that interrupts Lua and the core's searches.
 */
#ifndef DT_TESTS_FUZZ_H
#define DT_TESTS_FUZZ_H

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "../host/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    FUZZ_MEMORY = 256 << 20,  /* bytes that Lua may use */
    FUZZ_INPUTS = 500,        /* that one state serves */
    FUZZ_INPUT_MS = 500,      /* after which an input is interrupted */
    FUZZ_HOOK_COUNT = 100000, /* instructions between two looks at the time */
};

/* An allocator that refuses what would pass FUZZ_MEMORY. */
static inline void *fuzz_alloc(void *context, void *block, size_t old_size, size_t size)
{
    HostMemory *memory = context;
    size_t before = block ? old_size : 0;
    bool refuse = size > before && memory->bytes - before + size > FUZZ_MEMORY;
    host_refuse(memory, refuse ? 0 : -1);
    return host_alloc(context, block, old_size, size);
}

static inline void fuzz_on_timer(int number)
{
    (void)number;
    dt_interrupted = 1;
}

/* Count hook: raises when the time is over, at every instruction from then on, so that no pcall of
 * the input's can go on for long. */
static inline void fuzz_hook(lua_State *L, lua_Debug *frame)
{
    (void)frame;
    if (!dt_interrupted)
        return;
    lua_sethook(L, fuzz_hook, LUA_MASKCOUNT, 1);
    luaL_error(L, "interrupted!");
}

/* Starts the time of an input; 0 ms ends it. Virtual time: libFuzzer has the real one's signal. */
static inline void fuzz_timer(lua_State *L, int ms)
{
    struct itimerval timer = {{0, 0}, {ms / 1000, (ms % 1000) * 1000}};
    dt_interrupted = 0;
    lua_sethook(L, fuzz_hook, ms ? LUA_MASKCOUNT : 0, ms ? FUZZ_HOOK_COUNT : 0);
    (void)setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

/* What no input may reach: other programs, files, bytecode, the end of the process. */
static const char fuzz_prelude[] =
    "require 'lpeg' require 'cjson' require 'dtsim.json' require 'dtsim.units' "
    "os.execute, os.exit, os.remove, os.rename, os.tmpname, os.getenv = nil "
    "io.open, io.popen, io.lines, io.tmpfile, io.input, io.output, io.read = nil "
    "io.stdout, io.stdin = nil "
    "debug, package.loadlib, package.cpath, package.path, string.dump = nil, nil, '', '', nil "
    "dofile, loadfile, print = nil, nil, function(...) for i = 1, select('#', ...) do "
    "    tostring((select(i, ...))) end end "
    "local load_text = load "
    "function load(chunk, name, _, ...) return load_text(chunk, name, 't', ...) end "
    "require 'dtsim.file'.write_whole = function() return true end "
    "local set = setmetatable " /* no hook ends a finalizer */
    "function setmetatable(t, meta) "
    "    assert(type(meta) ~= 'table' or rawget(meta, '__gc') == nil, 'no finalizers') "
    "    return set(t, meta) "
    "end ";

/* A check that a target makes of what it finds: a violation ends the program. */
static inline void fuzz_expect(bool holds, const char *what, const char *detail)
{
    if (holds)
        return;
    (void)fprintf(stderr, "violated: %s: %s\n", what, detail ? detail : "");
    abort();
}

/* The state for the next input, with the value that `setup` (a text of Lua) gives at index 1. */
static inline lua_State *fuzz_state(const char *setup)
{
    static HostMemory memory = {0, 0, -1};
    static lua_State *L;
    static int inputs;
    if (L && ++inputs < FUZZ_INPUTS) {
        lua_settop(L, 1);
        return L;
    }
    if (L)
        lua_close(L);
    inputs = 0;
    struct sigaction action = {0}; /* not signal(), whose handler may serve but once */
    action.sa_handler = fuzz_on_timer;
    (void)sigaction(SIGVTALRM, &action, NULL);
    L = lua_newstate(fuzz_alloc, &memory);
    lua_pushcfunction(L, host_setup);
    fuzz_expect(lua_pcall(L, 0, 0, 0) == LUA_OK, "the library loads", lua_tostring(L, -1));
    fuzz_expect(host_run(L, fuzz_prelude), "the prelude runs", lua_tostring(L, -1));
    lua_settop(L, 0);
    fuzz_expect(host_run(L, setup), "the setup runs", lua_tostring(L, -1));
    return L;
}

/* What a mistake in the library itself looks like, in the message of an error. */
static inline void fuzz_check_message(const char *message)
{
    static const char *const ours[] = {".lua:", "attempt to ", "bad argument #"};
    bool is_limit = strstr(message, "interrupted!") || strstr(message, "not enough memory") ||
                    strstr(message, "stack overflow");
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        fuzz_expect(is_limit || !strstr(message, ours[i]), "errors are about the input", message);
}

/* Calls the function at index 1 with the `count` values on top of the stack, within the limits. A
 * message that blames the library itself is a find. Pushes one value; false: it is a message. */
static inline bool fuzz_call(lua_State *L, int count)
{
    lua_pushvalue(L, 1);
    lua_insert(L, -count - 1);
    fuzz_timer(L, FUZZ_INPUT_MS);
    bool passed = lua_pcall(L, count, 1, 0) == LUA_OK;
    fuzz_timer(L, 0);
    if (!passed && lua_isstring(L, -1))
        fuzz_check_message(lua_tostring(L, -1));
    return passed;
}

#endif
