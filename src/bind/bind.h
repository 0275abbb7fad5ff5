/* bind.h: the module "dtsim.core", Lua's view of the core.
 *
 * Converts and checks; holds no formula and opens no file. Objects are immutable userdata that own
 * plain core structs. Nothing that the core allocates lives across a Lua call that can raise,
 * other than in a userdata with __gc.
 * May include: core, Lua.
 */
#ifndef DT_BIND_BIND_H
#define DT_BIND_BIND_H

#include <lauxlib.h>
#include <lua.h>
#include <signal.h>
#include <stdbool.h>

/* Opens the module: pushes a table of constructors and helpers that lua/dtsim/init.lua builds
 * on. */
int luaopen_dtsim_core(lua_State *L);

/* Set by a host's interrupt handler; long searches poll it and raise "interrupted!". A host that
 * installs a Lua hook instead (as lua.c does) is noticed too. */
extern volatile sig_atomic_t dt_interrupted;

/* Shows how far a long computation is. fraction: 0 to 1; what: a few words. Called now and then by
 * the thread that runs Lua. */
typedef void (*DtProgress)(double fraction, const char *what, void *context);

/* Installs the host's progress display; NULL: none. */
void dt_bind_set_progress(DtProgress report, void *context);

/* Whether an interrupted sweep gives back its finished points and goes on (at a prompt), or ends
 * the script as any interrupted call does; at first the latter. */
void dt_bind_set_interactive(bool interactive);

/* Sets how many threads an optimizer uses where it does not say; at first 1. */
void dt_bind_set_threads(int num_threads);

/* No search uses more threads than this, whatever it says; at first any number that an optimizer
 * takes. Answers do not depend on it. */
void dt_bind_limit_threads(int num_threads);

/* Searches and the Lua states that use dt_bind_allocate have no more than `bytes` of memory at any
 * time, all together; what asks for more gets "not enough memory". To be called once, before
 * the first of them. */
void dt_bind_limit_memory(size_t bytes);

/* A lua_Alloc that counts for dt_bind_limit_memory; its context is not used. */
void *dt_bind_allocate(void *context, void *block, size_t old_size, size_t size);

#endif
