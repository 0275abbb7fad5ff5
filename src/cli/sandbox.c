#define _XOPEN_SOURCE 700

#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bind/bind.h"
#include "drawing.h"
#include "embed.h"
#include "file/confine.h"
#include "file/file.h"
#include "output.h"
#include "sandbox_io.h"

/* ---- folders ---- */

/* The folder that a path's last name is in. */
static int open_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int error = errno;
    free(folder);
    errno = error;
    return fd;
}

const char *dt_sandbox_enter(const char *script, const char *out, size_t max_output_bytes)
{
    static const struct rlimit none;
    int read_folder = open_folder_of(script);
    int write_folder;
    if (read_folder < 0)
        return script;
    write_folder = out ? open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (out && write_folder < 0) {
        int error = errno;
        (void)close(read_folder);
        errno = error;
        return out;
    }
    dt_confine(read_folder, write_folder, max_output_bytes);
    dt_output_confine();
    (void)setrlimit(RLIMIT_CORE, &none);
    return NULL;
}

/* ---- Lua's functions that a sandbox has in a form of its own ---- */

/* load(chunk [, name [, mode [, env]]]) as text, whatever the mode; upvalue 1 is Lua's own. */
static int load_text(lua_State *L)
{
    if (lua_gettop(L) < 3)
        lua_settop(L, 3);
    lua_pushliteral(L, "t");
    lua_replace(L, 3);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* setmetatable without __gc: no instruction of a finalizer is counted, so it could outlive the
 * time limit. Lua heeds a __gc that is there when the metatable is set alone. */
static int set_metatable(lua_State *L)
{
    int type = lua_type(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    lua_settop(L, 2);
    if (type == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "the sandbox has no finalizers (__gc)");
        lua_pop(L, 1);
    }
    lua_setmetatable(L, 1);
    return 1;
}

static int collect_garbage(lua_State *L)
{
    static const char *const names[] = {"collect", "count", "step", "isrunning", NULL};
    switch (luaL_checkoption(L, 1, "collect", names)) {
    case 0:
        lua_pushinteger(L, lua_gc(L, LUA_GCCOLLECT));
        break;
    case 1:
        lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0);
        break;
    case 2:
        lua_pushboolean(L, lua_gc(L, LUA_GCSTEP, (int)luaL_optinteger(L, 2, 0)));
        break;
    default:
        lua_pushboolean(L, lua_gc(L, LUA_GCISRUNNING));
    }
    return 1;
}

/* os.exit([status]): the state is not closed first. */
static int os_exit(lua_State *L)
{
    if (lua_isboolean(L, 1))
        exit(lua_toboolean(L, 1) ? EXIT_SUCCESS : EXIT_FAILURE);
    exit((int)luaL_optinteger(L, 1, EXIT_SUCCESS));
}

/* require(name): what is loaded, or a module of the library. */
static int require(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    lua_settop(L, 1);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, 2, name) != LUA_TNIL)
        return 1;
    lua_pop(L, 1);
    if (!dt_embed_load(L, name))
        return luaL_error(L, "module '%s' not found: a sandbox has the library's own modules",
                          name);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    if (lua_isnil(L, -1)) {
        lua_pushboolean(L, 1);
        lua_replace(L, -2);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, name);
    return 1;
}

/* ---- opening ---- */

/* Takes the table on top of the stack down to the names, in a new table. */
static void keep_fields(lua_State *L, const char *const names[])
{
    lua_newtable(L);
    for (int i = 0; names[i]; i++) {
        lua_getfield(L, -2, names[i]);
        lua_setfield(L, -2, names[i]);
    }
    lua_replace(L, -2);
}

/* The C modules that the library uses, from the system's folders alone: the usual path of them
 * ends with the current folder. Leaves them loaded. */
static void load_c_modules(lua_State *L)
{
    static const char *const names[] = {"lpeg", "cjson"};
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "cpath");
    luaL_gsub(L, lua_tostring(L, -1), "./?.so", "");
    lua_setfield(L, -3, "cpath");
    lua_pushliteral(L, "");
    lua_setfield(L, -3, "path");
    lua_pop(L, 2);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        lua_getglobal(L, "require");
        lua_pushstring(L, names[i]);
        lua_call(L, 1, 0);
    }
}

/* Removes a module for good. */
static void unload(lua_State *L, const char *name)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushnil(L);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_setglobal(L, name);
}

/* Puts the table or function on top of the stack in the place of a module. */
static void put_module(lua_State *L, const char *name)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

static void open_standard(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},          {LUA_LOADLIBNAME, luaopen_package},
        {LUA_COLIBNAME, luaopen_coroutine}, {LUA_TABLIBNAME, luaopen_table},
        {LUA_IOLIBNAME, luaopen_io},        {LUA_OSLIBNAME, luaopen_os},
        {LUA_STRLIBNAME, luaopen_string},   {LUA_MATHLIBNAME, luaopen_math},
        {LUA_UTF8LIBNAME, luaopen_utf8},    {NULL, NULL}};
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    for (const luaL_Reg *library = libraries; library->func; library++) {
        luaL_requiref(L, library->name, library->func, 1);
        lua_pop(L, 1);
    }
}

/* Replaces what a script must not have. */
static void restrict_standard(lua_State *L)
{
    static const char *const os_names[] = {"clock", "date", "difftime", "time", NULL};
    static const luaL_Reg globals[] = {{"setmetatable", set_metatable},
                                       {"collectgarbage", collect_garbage},
                                       {"require", require},
                                       {NULL, NULL}};
    lua_pushglobaltable(L);
    luaL_setfuncs(L, globals, 0);
    lua_getfield(L, -1, "load");
    lua_pushcclosure(L, load_text, 1);
    lua_setfield(L, -2, "load");
    lua_getfield(L, -1, "os");
    keep_fields(L, os_names);
    lua_pushcfunction(L, os_exit);
    lua_setfield(L, -2, "exit");
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "os");
    put_module(L, "os");
    lua_getfield(L, -1, "io");
    dt_sandbox_io_open(L, -1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "io");
    put_module(L, "io");
    lua_getfield(L, -1, "string");
    lua_pushnil(L);
    lua_setfield(L, -2, "dump");
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 4);
}

/* Opens everything but the library's Lua modules. */
static void open_base(lua_State *L)
{
    open_standard(L);
    load_c_modules(L);
    unload(L, "package");
    restrict_standard(L);
    luaL_requiref(L, "dtsim.core", luaopen_dtsim_core, 0);
    luaL_requiref(L, "dtsim.file", luaopen_dtsim_file, 0);
    lua_pop(L, 2);
}

void dt_sandbox_open_trusted(lua_State *L)
{
    open_base(L);
}

void dt_sandbox_open(lua_State *L)
{
    open_base(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "dtsim.file");
    lua_pushnil(L);
    lua_setfield(L, -2, "gnuplot");
    lua_pop(L, 2);
    dt_drawing_push(L);
    put_module(L, "dtsim.plot.gnuplot");
    for (size_t i = 0; i < dt_num_embedded; i++) {
        lua_getglobal(L, "require");
        lua_pushstring(L, dt_embedded[i].module);
        lua_call(L, 1, 0);
    }
    unload(L, "lpeg");
    unload(L, "cjson");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim");
    lua_call(L, 1, 1);
    lua_setglobal(L, "dtsim");
}
