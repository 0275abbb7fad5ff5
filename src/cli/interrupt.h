/* interrupt.h: what ends a run from outside: Ctrl-C, SIGTERM, a terminal that goes away, and the
 * time limit.
 *
 * While armed, a signal asks whatever runs to stop: it sets dt_interrupted, which long searches in
 * C poll, and a hook that raises "interrupted!" at every further step of Lua, so that no pcall of
 * the script can swallow it. A second SIGINT kills the program. SIGTERM and SIGHUP give the run
 * two seconds to stop; then the program ends itself, saying so. While not armed, signals kill.
 *
 * The time limit is a signal of its own that holds whether armed or not. The run gets one second
 * to stop. Every coroutine has its hook, which counts instructions; what no hook reaches (a long
 * match of a pattern, a finalizer) meets the end of that second.
 *
 * Without a time limit, Lua has no way to hook another coroutine from a signal: a loop inside
 * a coroutine stops when control comes back to the main one, at the second SIGINT, or when the two
 * seconds are over.
 * May include: Lua, bind.
 */
#ifndef DT_CLI_INTERRUPT_H
#define DT_CLI_INTERRUPT_H

#include <lua.h>
#include <stdbool.h>

/* What asked the run to stop. */
typedef enum {
    DT_STOP_NONE,
    DT_STOP_INTERRUPT, /* SIGINT */
    DT_STOP_TERMINATE, /* SIGTERM */
    DT_STOP_HANG_UP,   /* SIGHUP; a host that ignores it goes on doing so */
    DT_STOP_TIME,      /* the time limit */
} DtStop;

/* Starts the clock. After `seconds` the run is asked to stop. */
void dt_interrupt_limit_time(double seconds);

/* Stops the clock, when there is nothing left to stop. */
void dt_interrupt_unlimit_time(void);

/* Lets the time limit, if there is one, reach L and the coroutines that are made of it from now
 * on. */
void dt_interrupt_watch(lua_State *L);

/* Forgets an earlier SIGINT and arms for calls in L, the main state. */
void dt_interrupt_arm(lua_State *L);

/* Back to the signals' default action; takes the hook away. */
void dt_interrupt_disarm(lua_State *L);

/* What asked the run to stop, since the last arming or, but for SIGINT, ever. */
DtStop dt_interrupt_reason(void);

/* Whether anything asked the run to stop since the last arming. */
bool dt_interrupt_seen(void);

/* Whether the program must end, at a prompt too: the reason is another than SIGINT. */
bool dt_interrupt_is_final(void);

/* A line that says why the run ended, without its newline; and the exit status that says so. */
const char *dt_interrupt_message(void);
int dt_interrupt_status(void);

/* A child process to kill if the program ends itself; 0: none. */
void dt_interrupt_set_child(long process);

#endif
