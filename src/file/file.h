/* file.h: the Lua module "dtsim.file": all of the library's own access to files and programs.
 *
 * local file = require "dtsim.file"
 * file.write_whole(path, text) -> true | nil, message
 *     Makes text (a string) the content of the file at path, whole or not at all: it is written
 *     to a new file in the same folder, which takes the place of the old one when it is safe on
 *     the disk. The old file's permissions and, where allowed, its owner are kept; a new file
 *     gets those that the umask leaves. Symbolic links are followed and stay; of a file with
 *     several hard links only this name changes. What exists and is no regular file (a device,
 *     a pipe) is written to as it is. The message is "cannot write 'PATH': REASON"; on failure
 *     the old content is as it was and nothing else is left behind.
 *
 * file.gnuplot(script [, seconds]) -> picture | nil, message: see process.h.
 *
 * Where confine.h confines the process, write_whole writes below its folder alone, makes or
 * replaces regular files alone, and tells why not.
 *
 * Leaves out: reading (io.open does), anything about formats.
 * May include: Lua, POSIX. Nothing else of the project.
 */
#ifndef DT_FILE_H
#define DT_FILE_H

#include <lua.h>
#include <stddef.h>

/* Registry field that holds the message of the last failed write_whole, for a host that wants
 * to tell a script ended by it (exit status 3 of the program). */
#define DT_FILE_FAILURE "dtsim.file.failure"

/* (module name) -> the module. */
int luaopen_dtsim_file(lua_State *L);

/* What write_whole does, with no Lua: returns 0 or an errno value. */
int dt_file_write_whole(const char *path, const char *text, size_t num_bytes);

#endif
