#include "repl.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "interrupt.h"
#include "run.h"

enum { CHUNK_BYTES = 512 };

typedef enum { LINE_READ, LINE_DROPPED, INPUT_ENDED } Reading;
typedef enum { READY, UNFINISHED, WRONG } Statement;

/* Reads one line of any length; on LINE_READ pushes it, without its newline. */
static Reading read_line(lua_State *L, const char *prompt)
{
    char chunk[CHUNK_BYTES];
    bool any = false;
    bool whole = false;
    bool dropped;
    luaL_Buffer line;
    (void)fputs(prompt, stdout);
    (void)fflush(stdout);
    luaL_buffinit(L, &line);
    dt_interrupt_arm(L);
    while (!whole && fgets(chunk, sizeof chunk, stdin)) {
        size_t length = strlen(chunk);
        any = true;
        whole = length > 0 && chunk[length - 1] == '\n';
        luaL_addlstring(&line, chunk, whole ? length - 1 : length);
    }
    dt_interrupt_disarm(L);
    luaL_pushresult(&line);
    dropped = dt_interrupt_seen();
    if (dropped)
        clearerr(stdin);
    if (any && !dropped)
        return LINE_READ;
    lua_pop(L, 1);
    (void)fputs("\n", stdout);
    return dropped ? LINE_DROPPED : INPUT_ENDED;
}

/* Whether the message on top of the stack says that the text ended too early. */
static bool says_unfinished(lua_State *L)
{
    static const char mark[] = "<eof>";
    size_t mark_length = sizeof mark - 1;
    size_t length;
    const char *message = lua_tolstring(L, -1, &length);
    return length >= mark_length && strcmp(message + length - mark_length, mark) == 0;
}

/* Compiles the text on top of the stack as an expression, else as statements. Pushes the function,
 * or the message if it is WRONG; nothing if it is UNFINISHED either way. */
static Statement compile(lua_State *L)
{
    const char *text = lua_tostring(L, -1);
    const char *expression = lua_pushfstring(L, "return %s", text);
    bool loaded = luaL_loadbuffer(L, expression, strlen(expression), "=stdin") == LUA_OK;
    bool unfinished = !loaded && says_unfinished(L);
    lua_remove(L, -2);
    if (loaded)
        return READY;
    lua_pop(L, 1);
    if (luaL_loadbuffer(L, text, strlen(text), "=stdin") == LUA_OK)
        return READY;
    if (!unfinished && !says_unfinished(L))
        return WRONG;
    lua_pop(L, 1);
    return UNFINISHED;
}

/* Reads lines until they make a statement. On LINE_READ a function is on the stack, or a message
 * if *statement is WRONG. */
static Reading read_statement(lua_State *L, Statement *statement)
{
    Reading reading = read_line(L, "> ");
    while (reading == LINE_READ) {
        *statement = compile(L);
        if (*statement != UNFINISHED) {
            lua_remove(L, -2);
            return LINE_READ;
        }
        lua_pushliteral(L, "\n");
        reading = read_line(L, ">> ");
        if (reading == LINE_READ)
            lua_concat(L, 3);
    }
    return reading;
}

/* Prints its arguments as print does. In Lua's hands, as __tostring may raise. */
static int print_values(lua_State *L)
{
    int num_values = lua_gettop(L);
    for (int i = 1; i <= num_values; i++) {
        size_t length;
        const char *text = luaL_tolstring(L, i, &length);
        if (i > 1)
            (void)fputc('\t', stdout);
        (void)fwrite(text, 1, length, stdout);
        lua_pop(L, 1);
    }
    (void)fputc('\n', stdout);
    return 0;
}

/* Runs the function on the stack, which is all there is, and shows what it gives. */
static void run_statement(lua_State *L)
{
    int num_values;
    if (dt_run_call(L, 0, LUA_MULTRET) != DT_EXIT_OK)
        return;
    num_values = lua_gettop(L);
    if (num_values == 0)
        return;
    lua_pushvalue(L, 1);
    lua_setglobal(L, "_");
    lua_pushcfunction(L, print_values);
    lua_insert(L, 1);
    (void)dt_run_call(L, num_values, 0);
}

void dt_repl(lua_State *L)
{
    Reading reading;
    Statement statement = WRONG;
    dt_run_set_prefix("");
    dt_bind_set_interactive(true);
    do {
        lua_settop(L, 0);
        reading = read_statement(L, &statement);
        if (reading != LINE_READ)
            continue;
        if (statement == READY)
            run_statement(L);
        else
            dt_run_report(L);
    } while (reading != INPUT_ENDED);
    lua_settop(L, 0);
}
