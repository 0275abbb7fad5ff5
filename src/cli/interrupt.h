/* interrupt.h: Ctrl-C.
 *
 * While armed, the first SIGINT asks whatever runs to stop: it sets dt_interrupted, which long
 * searches in C poll, and a hook that raises "interrupted!" at every further step of Lua, so
 * that no pcall of the script can swallow it. The second SIGINT kills the program. While not
 * armed, SIGINT kills.
 * Lua has no way to hook another coroutine from a signal: a loop inside a coroutine stops when
 * control comes back to the main one, or at the second SIGINT.
 * May include: Lua, bind.
 */
#ifndef DT_CLI_INTERRUPT_H
#define DT_CLI_INTERRUPT_H

#include <lua.h>
#include <stdbool.h>

/* Forgets earlier interrupts and arms for calls in L, the main state. */
void dt_interrupt_arm(lua_State *L);

/* Back to SIGINT's default action; takes the hook away. */
void dt_interrupt_disarm(lua_State *L);

/* Whether a SIGINT came since the last arming. */
bool dt_interrupt_seen(void);

#endif
