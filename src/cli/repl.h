/* repl.h: the prompt.
 *
 * A line is tried as an expression first, whose values are printed by dtsim.pretty; input that is
 * not finished yet goes on at a second prompt. Ctrl-C drops the line, or stops what runs; Ctrl-D
 * leaves. The global _ is the last expression's first value.
 * May include: Lua, the rest of cli.
 */
#ifndef DT_CLI_REPL_H
#define DT_CLI_REPL_H

#include <lua.h>
#include <stdbool.h>

/* What a prompt has beside a script: the global help, and, if asked for, the user's start-up file
 * (init.lua in the folder of xdg.h). An error in it is reported, and that is all. */
void dt_repl_prepare(lua_State *L, bool run_startup);

/* Reads statements from stdin and runs them until the input ends. */
void dt_repl(lua_State *L);

#endif
