/* run.h: running Lua under protection, and what the program's exit status says.
 *
 * An error that ends a script is one line on stderr, "dtsim: script.lua:12: message". Where the
 * library raised it on its own behalf, the line shown is the script's that called the library.
 * The calls that led there are shown only if asked for (--traceback).
 * May include: Lua, bind, file, the rest of cli.
 */
#ifndef DT_CLI_RUN_H
#define DT_CLI_RUN_H

#include <lua.h>
#include <stdbool.h>

typedef enum {
    DT_EXIT_OK = 0,
    DT_EXIT_SCRIPT = 1,        /* the script, or code of the command line, raised an error, or
                                  met a limit of memory, time or output */
    DT_EXIT_USAGE = 2,         /* the command line is wrong; nothing was run */
    DT_EXIT_IO = 3,            /* the script cannot be read, stdout cannot be written, or the
                                  error that ended the script ends with the last message of
                                  dtsim.file: a file could not be written */
    DT_EXIT_HANG_UP = 129,     /* the terminal went away (128 + SIGHUP, as shells say it) */
    DT_EXIT_INTERRUPTED = 130, /* Ctrl-C ended the script (128 + SIGINT) */
    DT_EXIT_TERMINATED = 143,  /* 128 + SIGTERM */
} DtExit;

/* What stands before each message ("dtsim: " at first), and whether calls are shown. The prefix
 * must outlive its use. */
void dt_run_set_prefix(const char *prefix);
void dt_run_set_traceback(bool shown);

/* What is said where the memory does not suffice; NULL, at first: what Lua says. The text must
 * outlive its use. */
void dt_run_set_memory_message(const char *message);

/* Takes scripts as text alone: no precompiled ones. */
void dt_run_set_text_only(void);

/* Calls the function that lies below num_args arguments on the stack, as lua_pcall does, with
 * Ctrl-C armed. On success the results replace them. On an error nothing is left of them, the
 * error has been reported, and the status that the program should end with is returned. */
DtExit dt_run_call(lua_State *L, int num_args, int num_results);

/* Loads and calls a text; name is its chunk name ("=(command line)"). Reports as dt_run_call. */
DtExit dt_run_string(lua_State *L, const char *text, const char *name);

/* Loads the file path, or stdin if NULL, and leaves the function on the stack. On failure
 * nothing is left; reports as dt_run_call. */
DtExit dt_run_load(lua_State *L, const char *path);

/* Reports the value on top of the stack, an error, and pops it. */
void dt_run_report(lua_State *L);

/* Reports the error on top of the stack, or what stopped the run and led to it, and pops it.
 * Returns the status that the program should end with. */
DtExit dt_run_fail(lua_State *L);

#endif
