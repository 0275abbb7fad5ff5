#include "run.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "embed.h"
#include "file/file.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"

/* Registry field: the calls that led to the error being reported. */
#define CALLS "dtsim.traceback"

static const char *message_prefix = "dtsim: ";
static bool traceback_shown;
static const char *memory_message;
static const char *chunk_modes = "bt";

void dt_run_set_prefix(const char *prefix)
{
    message_prefix = prefix;
}

void dt_run_set_traceback(bool shown)
{
    traceback_shown = shown;
}

void dt_run_set_memory_message(const char *message)
{
    memory_message = message;
}

void dt_run_set_text_only(void)
{
    chunk_modes = "t";
}

/* Turns the error value at index 1 into a string in its place. */
static void stringify(lua_State *L)
{
    if (lua_isstring(L, 1))
        lua_tostring(L, 1);
    else if (luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL) {
        lua_pop(L, 1);
        luaL_tolstring(L, 1, NULL);
        lua_replace(L, 1);
    } else {
        lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
        lua_replace(L, 1);
    }
}

/* If the message at index 1 starts with a line of the library, puts the line of the innermost
 * caller outside the library in its stead; nothing, if a tail call has forgotten that caller. */
static void blame_caller(lua_State *L)
{
    const char *message = lua_tostring(L, 1);
    size_t num_skip = 0;
    bool found = false;
    lua_Debug frame;
    for (int level = 1; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline <= 0)
            continue;
        lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
        found = !dt_embed_is_library(L, frame.source);
        if (found)
            break;
        if (num_skip == 0 && strncmp(message, lua_tostring(L, -1), lua_rawlen(L, -1)) == 0)
            num_skip = lua_rawlen(L, -1);
        lua_pop(L, 1);
    }
    if (!found)
        lua_pushliteral(L, "");
    if (num_skip > 0) {
        lua_pushstring(L, message + num_skip);
        lua_concat(L, 2);
        lua_replace(L, 1);
    }
    lua_settop(L, 1);
}

/* Message handler: error value -> string; keeps the calls aside if they are wanted. */
static int handle_message(lua_State *L)
{
    lua_settop(L, 1);
    stringify(L);
    blame_caller(L);
    if (traceback_shown) {
        luaL_traceback(L, L, NULL, 1);
        lua_setfield(L, LUA_REGISTRYINDEX, CALLS);
    }
    return 1;
}

/* Reports an error by its message; needs no memory. */
static void report_text(const char *message)
{
    (void)fflush(stdout);
    dt_progress_clear();
    (void)fputs(message_prefix, stderr);
    dt_output_message(message);
}

/* Whether the message on top of the stack is Lua's own of an allocation that failed. */
static bool is_memory_error(lua_State *L)
{
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    return strcmp(message, "not enough memory") == 0;
}

void dt_run_report(lua_State *L)
{
    const char *message = lua_tostring(L, -1);
    if (memory_message && is_memory_error(L)) {
        report_text(memory_message);
        lua_pop(L, 1);
        return;
    }
    report_text(message ? message : "(unknown error)");
    if (lua_getfield(L, LUA_REGISTRYINDEX, CALLS) == LUA_TSTRING)
        dt_output_message(lua_tostring(L, -1));
    lua_pop(L, 2);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, CALLS);
}

/* Whether the message on top of the stack ends with the last failure that dtsim.file told. */
static bool is_file_failure(lua_State *L)
{
    size_t length = 0;
    size_t told_length = 0;
    const char *message = lua_tolstring(L, -1, &length);
    bool is = false;
    if (message && lua_getfield(L, LUA_REGISTRYINDEX, DT_FILE_FAILURE) == LUA_TSTRING) {
        const char *told = lua_tolstring(L, -1, &told_length);
        is = length >= told_length && strcmp(message + length - told_length, told) == 0;
    }
    if (message)
        lua_pop(L, 1);
    return is;
}

DtExit dt_run_fail(lua_State *L)
{
    DtExit result = is_file_failure(L) ? DT_EXIT_IO : DT_EXIT_SCRIPT;
    if (dt_interrupt_reason() != DT_STOP_NONE) {
        lua_pop(L, 1);
        report_text(dt_interrupt_message());
        return (DtExit)dt_interrupt_status();
    }
    dt_run_report(L);
    return result;
}

/* After a call that raised nothing and left results from `base` on: a script that swallowed what
 * asked it to stop has failed all the same. */
static DtExit conclude(lua_State *L, int base)
{
    if (!dt_interrupt_is_final())
        return DT_EXIT_OK;
    lua_settop(L, base - 1);
    report_text(dt_interrupt_message());
    return (DtExit)dt_interrupt_status();
}

DtExit dt_run_call(lua_State *L, int num_args, int num_results)
{
    int base = lua_gettop(L) - num_args;
    int status;
    lua_pushcfunction(L, handle_message);
    lua_insert(L, base);
    dt_interrupt_arm(L);
    status = lua_pcall(L, num_args, num_results, base);
    dt_interrupt_disarm(L);
    lua_remove(L, base);
    return status == LUA_OK ? conclude(L, base) : dt_run_fail(L);
}

DtExit dt_run_string(lua_State *L, const char *text, const char *name)
{
    if (luaL_loadbuffer(L, text, strlen(text), name) == LUA_OK)
        return dt_run_call(L, 0, 0);
    dt_run_report(L);
    return DT_EXIT_SCRIPT;
}

DtExit dt_run_load(lua_State *L, const char *path)
{
    int status = luaL_loadfilex(L, path, chunk_modes);
    if (status == LUA_OK)
        return DT_EXIT_OK;
    dt_run_report(L);
    return status == LUA_ERRFILE ? DT_EXIT_IO : DT_EXIT_SCRIPT;
}
