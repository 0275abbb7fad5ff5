/* embed.h: the Lua library that the program carries.
 *
 * Every lua/dtsim/x.lua is in the program as the module "dtsim.x" (init.lua as its folder's),
 * so that the one file runs from anywhere. With a directory given (DTSIM_LUA), its files
 * dtsim/x.lua and dtsim/x/init.lua come first.
 * May include: Lua.
 */
#ifndef DT_CLI_EMBED_H
#define DT_CLI_EMBED_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* One file of lua/; the build makes the list with embed.lua. */
typedef struct {
    const char *module;         /* "dtsim.x" */
    const char *chunk_name;     /* "@lua/dtsim/x.lua" */
    const unsigned char *bytes; /* the text, not terminated */
    size_t num_bytes;
} DtEmbedded;

extern const DtEmbedded dt_embedded[];
extern const size_t dt_num_embedded;

/* Puts the searcher of the library into package.searchers, after package.preload and before
 * the searchers of files. directory may be NULL; it is copied. */
void dt_embed_open(lua_State *L, const char *directory);

/* Pushes the loader of a module of the library that is in the program; false, with nothing pushed,
 * if there is none of that name. */
bool dt_embed_load(lua_State *L, const char *module);

/* Whether a chunk of this source (lua_Debug.source) is a file of the library. */
bool dt_embed_is_library(lua_State *L, const char *source);

#endif
