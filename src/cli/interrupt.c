#define _XOPEN_SOURCE 700 /* setitimer */

#include "interrupt.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "bind/bind.h"

enum {
    WATCH_COUNT = 1000, /* instructions between two looks at the clock's flag */
    TIME_GRACE_S = 1,
    SIGNAL_GRACE_S = 2
};

static const struct {
    int signal;
    int status; /* 128 + signal, as shells say it; the time limit is an error of the script */
    const char *message;
} stops[] = {
    [DT_STOP_INTERRUPT] = {SIGINT, 130, "interrupted"},
    [DT_STOP_TERMINATE] = {SIGTERM, 143, "terminated"},
    [DT_STOP_HANG_UP] = {SIGHUP, 129, "the terminal went away"},
    [DT_STOP_TIME] = {SIGALRM, 1, NULL},
};

static lua_State *armed_state;
static volatile sig_atomic_t reason;
static volatile sig_atomic_t child;
static bool is_limited;        /* in time */
static char time_message[100]; /* for DT_STOP_TIME */

static void raise_interrupted(lua_State *L, lua_Debug *event)
{
    (void)event;
    if (!dt_interrupted)
        return;
    lua_sethook(L, raise_interrupted, LUA_MASKCOUNT, 1);
    luaL_error(L, "interrupted!");
}

/* Takes the hook back to what it is while nothing asks to stop. */
static void reset_hook(lua_State *L)
{
    if (is_limited)
        lua_sethook(L, raise_interrupted, LUA_MASKCOUNT, WATCH_COUNT);
    else
        lua_sethook(L, NULL, 0, 0);
}

static void ask_to_stop(DtStop stop)
{
    reason = (sig_atomic_t)stop;
    dt_interrupted = 1;
    if (armed_state)
        lua_sethook(armed_state, raise_interrupted, LUA_MASKCOUNT, 1);
}

/* From a signal's handler: the run did not stop in time. */
static void end_now(void)
{
    const char *message = dt_interrupt_message();
    if (child > 0)
        (void)kill((pid_t)child, SIGKILL);
    ssize_t ignored = write(STDERR_FILENO, "dtsim: ", strlen("dtsim: "));
    ignored = write(STDERR_FILENO, message, strlen(message));
    ignored = write(STDERR_FILENO, "\n", 1);
    (void)ignored;
    _exit(dt_interrupt_status());
}

static void on_signal(int number)
{
    for (int i = DT_STOP_INTERRUPT; i < DT_STOP_TIME; i++)
        if (stops[i].signal == number && !dt_interrupt_is_final())
            ask_to_stop((DtStop)i);
    if (number != SIGINT)
        (void)alarm(SIGNAL_GRACE_S); /* on_alarm ends the program */
}

static void on_alarm(int number)
{
    (void)number;
    if (dt_interrupt_is_final())
        end_now();
    ask_to_stop(DT_STOP_TIME);
}

/* Without SA_RESTART, so that a read from a terminal or a pipe ends too. */
static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {0};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void dt_interrupt_limit_time(double seconds)
{
    struct itimerval timer = {.it_interval = {.tv_sec = TIME_GRACE_S}};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    (void)snprintf(time_message, sizeof time_message,
                   "time is up: the run took longer than %.6g s (--max-time)", seconds);
    is_limited = true;
    handle(SIGALRM, on_alarm, 0);
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void dt_interrupt_unlimit_time(void)
{
    static const struct itimerval none;
    (void)setitimer(ITIMER_REAL, &none, NULL);
}

void dt_interrupt_watch(lua_State *L)
{
    reset_hook(L);
}

void dt_interrupt_arm(lua_State *L)
{
    armed_state = L;
    if (dt_interrupt_is_final()) {
        ask_to_stop(dt_interrupt_reason()); /* it came between two calls, or was not obeyed */
    } else {
        reason = DT_STOP_NONE;
        dt_interrupted = 0;
    }
    handle(SIGALRM, on_alarm, 0);
    handle(SIGINT, on_signal, (int)SA_RESETHAND);
    handle(SIGTERM, on_signal, 0);
    if (!is_ignored(SIGHUP))
        handle(SIGHUP, on_signal, 0);
}

void dt_interrupt_disarm(lua_State *L)
{
    armed_state = NULL;
    handle(SIGINT, SIG_DFL, 0);
    handle(SIGTERM, SIG_DFL, 0);
    if (!is_ignored(SIGHUP))
        handle(SIGHUP, SIG_DFL, 0);
    reset_hook(L);
}

DtStop dt_interrupt_reason(void)
{
    return (DtStop)reason;
}

bool dt_interrupt_seen(void)
{
    return reason != DT_STOP_NONE;
}

bool dt_interrupt_is_final(void)
{
    return reason > DT_STOP_INTERRUPT;
}

const char *dt_interrupt_message(void)
{
    return reason == DT_STOP_TIME ? time_message : stops[reason].message;
}

int dt_interrupt_status(void)
{
    return stops[reason].status;
}

void dt_interrupt_set_child(long process)
{
    child = (sig_atomic_t)process;
}
