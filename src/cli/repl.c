#include "repl.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bind/bind.h"
#include "edit.h"
#include "interrupt.h"
#include "run.h"
#include "xdg.h"

typedef enum { READY, UNFINISHED, WRONG } Statement;

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

/* Reads lines until they make a statement. On DT_LINE_READ a function is on the stack, or a message
 * if *statement is WRONG. */
static DtReading read_statement(lua_State *L, Statement *statement)
{
    DtReading reading = dt_edit_line(L, "> ", "");
    while (reading == DT_LINE_READ) {
        *statement = compile(L);
        if (*statement != UNFINISHED) {
            lua_remove(L, -2);
            return DT_LINE_READ;
        }
        lua_pushliteral(L, "\n");
        lua_concat(L, 2);
        reading = dt_edit_line(L, ">> ", lua_tostring(L, -1));
        if (reading == DT_LINE_READ)
            lua_concat(L, 2);
    }
    return reading;
}

/* Pushes the table { width, height } of the terminal that stdout is; nil if it is none. */
static void push_screen(lua_State *L)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, 2);
    lua_pushinteger(L, size.ws_col);
    lua_setfield(L, -2, "width");
    lua_pushinteger(L, size.ws_row);
    lua_setfield(L, -2, "height");
}

/* Prints its arguments as dtsim.pretty writes them. In Lua's hands, as __tostring may raise. */
static int print_values(lua_State *L)
{
    size_t length;
    const char *text;
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim.pretty");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "values");
    lua_replace(L, -2);
    lua_insert(L, 1);
    push_screen(L);
    lua_insert(L, 2);
    lua_call(L, lua_gettop(L) - 1, 1);
    text = luaL_checklstring(L, -1, &length);
    (void)fwrite(text, 1, length, stdout);
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

void dt_repl_prepare(lua_State *L, bool run_startup)
{
    char path[4096];
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim.help");
    if (dt_run_call(L, 1, 1) == DT_EXIT_OK)
        lua_setglobal(L, "help");
    if (run_startup && dt_xdg_path(path, sizeof path, "XDG_CONFIG_HOME", ".config", "init.lua") &&
        access(path, F_OK) == 0 && dt_run_load(L, path) == DT_EXIT_OK)
        (void)dt_run_call(L, 0, 0);
}

void dt_repl(lua_State *L)
{
    DtReading reading;
    Statement statement = WRONG;
    dt_run_set_prefix("");
    dt_bind_set_interactive(true);
    dt_edit_start(L);
    do {
        lua_settop(L, 0);
        reading = read_statement(L, &statement);
        if (reading != DT_LINE_READ)
            continue;
        if (statement == READY)
            run_statement(L);
        else
            dt_run_report(L);
    } while (reading != DT_INPUT_ENDED && !dt_interrupt_is_final());
    lua_settop(L, 0);
    dt_edit_stop();
}
