/* host.h: a Lua state with the library as the program has it, for tests that are hosts themselves:
 * they count memory, run threads, or give the library what no script could.
 */
#ifndef DT_TESTS_HOST_H
#define DT_TESTS_HOST_H

#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bind/bind.h"
#include "cli/embed.h"
#include "file/file.h"

/* An allocator that counts, and refuses when it is told to. */
typedef struct {
    size_t bytes;      /* in use */
    long num_requests; /* that may be refused: new blocks and growing ones */
    long refused;      /* refuse this request and all later ones; negative: none */
} HostMemory;

static inline void *host_alloc(void *context, void *block, size_t old_size, size_t size)
{
    HostMemory *memory = context;
    size_t before = block ? old_size : 0;
    if (size == 0) {
        free(block);
        memory->bytes -= before;
        return NULL;
    }
    if (size > before) { /* Lua relies on shrinking */
        long number = memory->num_requests++;
        if (memory->refused >= 0 && number >= memory->refused)
            return NULL;
    }
    void *grown = realloc(block, size);
    if (grown)
        memory->bytes += size - before;
    return grown;
}

/* Refuses request number `refused` from now on and all later ones; negative: none. */
static inline void host_refuse(HostMemory *memory, long refused)
{
    memory->num_requests = 0;
    memory->refused = refused;
}

/* Opens Lua's libraries and dtsim, which becomes the global of that name. */
static inline int host_setup(lua_State *L)
{
    luaL_openlibs(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_dtsim_core);
    lua_setfield(L, -2, "dtsim.core");
    lua_pushcfunction(L, luaopen_dtsim_file);
    lua_setfield(L, -2, "dtsim.file");
    lua_pop(L, 1);
    dt_embed_open(L, NULL);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim");
    lua_call(L, 1, 1);
    lua_setglobal(L, "dtsim");
    return 0;
}

/* Does what the text says. Pushes one value: what it gives, or why it failed. */
static inline bool host_run(lua_State *L, const char *text)
{
    return luaL_loadbufferx(L, text, strlen(text), "=test", "t") == LUA_OK &&
           lua_pcall(L, 0, 1, 0) == LUA_OK;
}

/* A state with the library; memory: NULL for the usual allocator. NULL: it could not be made. */
static inline lua_State *host_open(HostMemory *memory)
{
    lua_State *L = memory ? lua_newstate(host_alloc, memory) : luaL_newstate();
    if (!L)
        return NULL;
    lua_pushcfunction(L, host_setup);
    if (lua_pcall(L, 0, 0, 0) == LUA_OK)
        return L;
    if (!memory)
        (void)fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return NULL;
}

#endif
