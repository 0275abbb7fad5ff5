/* sandbox.h: a Lua state for a script that is not trusted.
 *
 * Nothing in such a state can run a program, load machine code or bytecode, look into other
 * functions, read the environment, or reach a file outside the sandbox's folders: the functions
 * that could are not there, for the library's own Lua either. So whatever a script does to the
 * tables that it shares with the library, it harms itself alone. What remains is bounded: memory by
 * the allocator, time by interrupt.h, output by confine.h.
 *
 * Pictures are drawn by gnuplot, which could do all of that: a figure goes, as plain data, to
 * a second state that no script ever ran in, and only a picture comes back (drawing.h).
 * May include: Lua, bind, file, the rest of cli.
 */
#ifndef DT_CLI_SANDBOX_H
#define DT_CLI_SANDBOX_H

#include <lua.h>
#include <stddef.h>

/* What a sandbox has where the command line does not say. */
enum { DT_SANDBOX_MEMORY_BYTES = 1 << 30, DT_SANDBOX_OUTPUT_BYTES = 64 << 20 };
static const double dt_sandbox_time_s = 600;

/* Confines the process to the folder of the script and to `out` (NULL: no writing). Returns NULL or
 * the path of the folder that cannot be opened, with errno. */
const char *dt_sandbox_enter(const char *script, const char *out, size_t max_output_bytes);

/* Opens what a script may use, with the whole library loaded; "dtsim" is a global. */
void dt_sandbox_open(lua_State *L);

/* Opens the same for the library's own code alone, which may run gnuplot. Modules are loaded when
 * they are asked for. */
void dt_sandbox_open_trusted(lua_State *L);

#endif
