/* repl.h: the prompt.
 *
 * A line is tried as an expression first, whose values are printed; input that is not finished
 * yet goes on at a second prompt. Ctrl-C drops the line, or stops what runs; Ctrl-D leaves. The
 * global _ is the last expression's first value.
 * May include: Lua, the rest of cli.
 */
#ifndef DT_CLI_REPL_H
#define DT_CLI_REPL_H

#include <lua.h>

/* Reads statements from stdin and runs them until the input ends. */
void dt_repl(lua_State *L);

#endif
