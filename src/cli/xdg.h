/* xdg.h: where a program keeps a user's files (the XDG base directory specification).
 * May include: the C library.
 */
#ifndef DT_CLI_XDG_H
#define DT_CLI_XDG_H

#include <stdbool.h>
#include <stddef.h>

/* The path of `name` below dtsim's folder in the directory that the environment variable names, or
 * in $HOME/fallback if it is unset, empty or no absolute path. False if there is no home either,
 * or the path is longer than size - 1 bytes. */
bool dt_xdg_path(char *path, size_t size, const char *variable, const char *fallback,
                 const char *name);

/* Makes the folders that lead to a path, for the user alone. False, with errno, if one cannot be
 * made. */
bool dt_xdg_make_folders(const char *path);

#endif
