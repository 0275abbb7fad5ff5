/* Lines at the prompt. */
#define _GNU_SOURCE /* fmemopen */
#include "fuzz.h"

#include "cli/repl.h"

enum { STATEMENT_MS = 50 }; /* after which a statement is interrupted */

/* A hook reaches one coroutine alone. */
static const char setup[] = "coroutine = nil return function() end";

static lua_State *prompt_state;

static void raise_interrupted(lua_State *L, lua_Debug *frame)
{
    (void)frame;
    luaL_error(L, "interrupted!");
}

/* What Ctrl-C does at a prompt, again and again, as the prompt forgets it for each statement. */
static void interrupt_statement(int number)
{
    (void)number;
    dt_interrupted = 1;
    lua_sethook(prompt_state, raise_interrupted, LUA_MASKCOUNT, 1);
}

static int run_prompt(lua_State *L)
{
    dt_repl(L);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool is_quiet;
    lua_State *L = fuzz_state(setup);
    FILE *lines, *before = stdin;
    if (size == 0)
        return 0;
    if (!is_quiet) {
        fuzz_expect(freopen("/dev/null", "w", stdout) != NULL, "no output", "");
        is_quiet = true;
    }
    lines = fmemopen((void *)(uintptr_t)bytes, size, "r");
    fuzz_expect(lines != NULL, "lines can be read", "");
    stdin = lines;
    struct itimerval timer = {{0, STATEMENT_MS * 1000}, {0, STATEMENT_MS * 1000}};
    struct itimerval off = {{0, 0}, {0, 0}};
    prompt_state = L;
    (void)signal(SIGVTALRM, interrupt_statement);
    (void)setitimer(ITIMER_VIRTUAL, &timer, NULL);
    lua_pushcfunction(L, run_prompt);
    (void)lua_pcall(L, 0, 0, 0);
    (void)setitimer(ITIMER_VIRTUAL, &off, NULL);
    stdin = before;
    (void)fclose(lines);
    return 0;
}
