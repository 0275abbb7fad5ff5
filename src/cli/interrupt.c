#include "interrupt.h"

#include <lauxlib.h>
#include <signal.h>

#include "bind/bind.h"

static lua_State *armed_state;

static void raise_interrupted(lua_State *L, lua_Debug *event)
{
    (void)event;
    luaL_error(L, "interrupted!");
}

static void on_sigint(int signal_number)
{
    (void)signal_number;
    dt_interrupted = 1;
    lua_sethook(armed_state, raise_interrupted, LUA_MASKCOUNT, 1);
}

void dt_interrupt_arm(lua_State *L)
{
    struct sigaction action = {0};
    armed_state = L;
    dt_interrupted = 0;
    action.sa_handler = on_sigint;
    /* Without SA_RESTART, so that a read from a terminal or a pipe ends too. */
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void dt_interrupt_disarm(lua_State *L)
{
    struct sigaction action = {0};
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    lua_sethook(L, NULL, 0, 0);
}

bool dt_interrupt_seen(void)
{
    return dt_interrupted != 0;
}
