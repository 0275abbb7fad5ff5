#include "embed.h"

#include <lauxlib.h>
#include <string.h>
#include <unistd.h>

/* Registry field: the directory that comes before the embedded files; nil if none. */
#define DIRECTORY "dtsim.directory"

static bool is_ours(const char *module)
{
    return strcmp(module, "dtsim") == 0 || strncmp(module, "dtsim.", 6) == 0;
}

/* Raises the error for a library file that was found and does not load; its message is on top. */
static int raise_broken(lua_State *L, const char *module, const char *path)
{
    return luaL_error(L, "error loading module '%s' from '%s':\n\t%s", module, path,
                      lua_tostring(L, -1));
}

/* Looks for directory/dtsim/x.lua and directory/dtsim/x/init.lua. If one is there, pushes its
 * loader and its path. */
static bool find_on_disk(lua_State *L, const char *directory, const char *module)
{
    static const char *const endings[] = {".lua", "/init.lua"};
    const char *relative = luaL_gsub(L, module, ".", "/");
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const char *path = lua_pushfstring(L, "%s/%s%s", directory, relative, endings[i]);
        if (access(path, F_OK) == 0) {
            if (luaL_loadfilex(L, path, "t") != LUA_OK)
                raise_broken(L, module, path);
            lua_insert(L, -2);
            return true;
        }
    }
    return false;
}

/* The library's file that is a module, or NULL. */
static const DtEmbedded *find(const char *module)
{
    for (size_t i = 0; i < dt_num_embedded; i++)
        if (strcmp(dt_embedded[i].module, module) == 0)
            return &dt_embedded[i];
    return NULL;
}

bool dt_embed_load(lua_State *L, const char *module)
{
    const DtEmbedded *file = find(module);
    if (file && luaL_loadbufferx(L, (const char *)file->bytes, file->num_bytes, file->chunk_name,
                                 "t") != LUA_OK)
        raise_broken(L, module, file->chunk_name + 1);
    return file != NULL;
}

/* Searcher: (module) -> loader, file | why not. */
static int search_library(lua_State *L)
{
    const char *module = luaL_checkstring(L, 1);
    if (!is_ours(module))
        return 0;
    if (lua_getfield(L, LUA_REGISTRYINDEX, DIRECTORY) == LUA_TSTRING &&
        find_on_disk(L, lua_tostring(L, -1), module))
        return 2;
    if (dt_embed_load(L, module)) {
        lua_pushstring(L, find(module)->chunk_name + 1);
        return 2;
    }
    lua_pushfstring(L, "no module '%s' in the program", module);
    return 1;
}

void dt_embed_open(lua_State *L, const char *directory)
{
    lua_pushstring(L, directory);
    lua_setfield(L, LUA_REGISTRYINDEX, DIRECTORY);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchers");
    for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) {
        lua_geti(L, -1, i);
        lua_seti(L, -2, i + 1);
    }
    lua_pushcfunction(L, search_library);
    lua_seti(L, -2, 2);
    lua_pop(L, 2);
}

bool dt_embed_is_library(lua_State *L, const char *source)
{
    static const char embedded[] = "@lua/dtsim/";
    bool is = strncmp(source, embedded, sizeof embedded - 1) == 0;
    if (lua_getfield(L, LUA_REGISTRYINDEX, DIRECTORY) == LUA_TSTRING) {
        const char *start = lua_pushfstring(L, "@%s/dtsim/", lua_tostring(L, -1));
        is = is || strncmp(source, start, strlen(start)) == 0;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return is;
}
