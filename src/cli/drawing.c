#include "drawing.h"

#include <lauxlib.h>
#include <stdbool.h>

#include "bind/bind.h"
#include "interrupt.h"
#include "sandbox.h"

enum { MAX_ARGS = 3, MAX_DEPTH = 12 /* of tables in tables; a figure has 7 */ };

/* What crosses from one state to the other. */
typedef struct {
    lua_State *from;
    const char *function; /* of dtsim.plot.gnuplot */
    int num_args;         /* the first values on the stack of `from` */
} Call;

/* Copies the value at `index` of `from` onto the stack of L. Errors are raised in L alone. */
static void copy_value(lua_State *L, lua_State *from, int index, int depth)
{
    size_t length;
    const char *text;
    luaL_checkstack(L, 4, "plot");
    if (depth > MAX_DEPTH || !lua_checkstack(from, 4))
        luaL_error(L, "plot: a figure holds tables in one another, more than %d", MAX_DEPTH);
    switch (lua_type(from, index)) {
    case LUA_TNIL:
    case LUA_TNONE:
        lua_pushnil(L);
        break;
    case LUA_TBOOLEAN:
        lua_pushboolean(L, lua_toboolean(from, index));
        break;
    case LUA_TNUMBER:
        if (lua_isinteger(from, index))
            lua_pushinteger(L, lua_tointeger(from, index));
        else
            lua_pushnumber(L, lua_tonumber(from, index));
        break;
    case LUA_TSTRING:
        text = lua_tolstring(from, index, &length);
        lua_pushlstring(L, text, length);
        break;
    case LUA_TTABLE:
        if (dt_interrupted)
            luaL_error(L, "interrupted!");
        lua_newtable(L);
        lua_pushnil(from);
        while (lua_next(from, index)) {
            if (lua_type(from, -2) == LUA_TTABLE)
                luaL_error(L, "plot: a figure has a table as a key");
            copy_value(L, from, lua_gettop(from) - 1, depth + 1);
            copy_value(L, from, lua_gettop(from), depth + 1);
            lua_rawset(L, -3);
            lua_pop(from, 1);
        }
        break;
    default:
        luaL_error(L, "plot: a figure holds a %s", lua_typename(from, lua_type(from, index)));
    }
}

/* In the state of its own: (Call *) -> picture. */
static int draw(lua_State *L)
{
    const Call *call = lua_touserdata(L, 1);
    int num_args = call->num_args < MAX_ARGS ? call->num_args : MAX_ARGS;
    dt_sandbox_open_trusted(L);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim.plot.gnuplot");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, call->function);
    for (int i = 1; i <= num_args; i++)
        copy_value(L, call->from, i, 0);
    lua_call(L, num_args, 1);
    luaL_checktype(L, -1, LUA_TSTRING);
    return 1;
}

static int close_state(lua_State *L)
{
    lua_State **own = lua_touserdata(L, 1);
    if (*own)
        lua_close(*own);
    *own = NULL;
    return 0;
}

/* Pushes a userdata that owns a new state. */
static lua_State **push_state(lua_State *L)
{
    lua_State **own = lua_newuserdatauv(L, sizeof(lua_State *), 0);
    *own = NULL;
    if (luaL_newmetatable(L, "dtsim state for drawing")) {
        lua_pushcfunction(L, close_state);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    *own = lua_newstate(dt_bind_allocate, NULL);
    if (!*own)
        luaL_error(L, "not enough memory");
    dt_interrupt_watch(*own);
    return own;
}

/* Raises a message at the line of the script, as the library does. */
static int raise_at_script(lua_State *L, const char *message)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim.core");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "raise");
    lua_pushstring(L, message);
    lua_call(L, 1, 0);
    return luaL_error(L, "%s", message); /* if the script put its own there */
}

/* draw(figure, format) and text(figure, columns, rows); upvalue 1 is the name. */
static int draw_apart(lua_State *L)
{
    Call call = {.from = L, .function = lua_tostring(L, lua_upvalueindex(1))};
    call.num_args = lua_gettop(L);
    lua_State **own = push_state(L);
    int top = lua_gettop(L);
    size_t length;
    lua_pushcfunction(*own, draw);
    lua_pushlightuserdata(*own, &call);
    bool done = lua_pcall(*own, 1, 1, 0) == LUA_OK;
    lua_settop(L, top);
    const char *result = lua_tolstring(*own, -1, &length);
    lua_pushlstring(L, result ? result : "plot: failed", result ? length : 12);
    lua_close(*own);
    *own = NULL;
    return done ? 1 : raise_at_script(L, lua_tostring(L, -1));
}

void dt_drawing_push(lua_State *L)
{
    static const char *const names[] = {"draw", "text", NULL};
    lua_newtable(L);
    for (int i = 0; names[i]; i++) {
        lua_pushstring(L, names[i]);
        lua_pushcclosure(L, draw_apart, 1);
        lua_setfield(L, -2, names[i]);
    }
}
