/* process.h: gnuplot, the one program that the library runs.
 *
 * It gets its script and gives its picture through files without names, so that nothing is left
 * behind however this process or that one ends. Its environment is PATH, HOME and LC_ALL=C alone.
 * May include: Lua, POSIX, confine.h.
 */
#ifndef DT_FILE_PROCESS_H
#define DT_FILE_PROCESS_H

#include <lua.h>
#include <stdbool.h>

/* file.gnuplot(script [, seconds]) -> picture | nil, message
 *     Runs gnuplot on a script (a string). It is killed if it takes longer than `seconds`; where
 *     absent, than what the environment variable DTSIM_GNUPLOT_SECONDS says, or than 120. The
 *     message says that there is no gnuplot, or how it failed. */
int dt_process_gnuplot(lua_State *L);

/* A host's own: should_stop is asked now and then whether to end gnuplot and raise "interrupted!";
 * has_child tells which process runs (0: none any more). */
void dt_process_set_host(bool (*should_stop)(void), void (*has_child)(long process));

#endif
