/* edit.h: lines that are typed at a terminal.
 *
 * With libedit (its readline interface): editing, history, completion by dtsim.complete. Without
 * it, or where input or output is no terminal that can be edited on, lines are read as they
 * come. The build says which: DT_LIBEDIT.
 * May include: Lua, the rest of cli.
 */
#ifndef DT_CLI_EDIT_H
#define DT_CLI_EDIT_H

#include <lua.h>

typedef enum { DT_LINE_READ, DT_LINE_DROPPED, DT_INPUT_ENDED } DtReading;

/* Prepares for a prompt: reads the history. */
void dt_edit_start(lua_State *L);

/* Reads one line of any length; on DT_LINE_READ pushes it, without its newline. `pending` is the
 * unfinished input before it, "" for none; it serves completion. Ctrl-C drops the line. */
DtReading dt_edit_line(lua_State *L, const char *prompt, const char *pending);

/* Frees what dt_edit_start took. */
void dt_edit_stop(void);

#endif
