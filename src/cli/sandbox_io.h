/* sandbox_io.h: what a sandbox has of Lua's functions for files and output. See confine.h for which
 * files, output.h for what a terminal gets.
 *
 *   io.open(path [, mode])   "r", "w" and "a", with or without "b"; nil and why not as ever
 *   io.lines(path, ...), io.write(...), io.type(x), io.close(file), io.stdout, io.stderr
 *   files                    read, lines, write, seek (if it is read), flush, setvbuf, close
 *   print, warn, loadfile, dofile
 *
 * There is no standard input. What is written counts; too much is an error.
 * May include: Lua, file, output.h.
 */
#ifndef DT_CLI_SANDBOX_IO_H
#define DT_CLI_SANDBOX_IO_H

#include <lua.h>

/* Takes Lua's own io library, at `index`, down to the above and sets the globals. */
void dt_sandbox_io_open(lua_State *L, int index);

#endif
