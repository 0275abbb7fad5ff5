#include "values.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Whether a function's source is dtsim's own library, embedded or in a folder. */
static bool is_library(const char *source)
{
    return strstr(source, "lua/dtsim/") || strstr(source, "5.4/dtsim/") ||
           strncmp(source, "@dtsim/", 7) == 0;
}

/* Pushes "script.lua:12: " of the innermost function that is the user's, or "". */
static void push_position(lua_State *L)
{
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline > 0 && !is_library(frame.source)) {
            lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
            return;
        }
    }
    lua_pushliteral(L, "");
}

int dt_raise(lua_State *L, const char *format, ...)
{
    va_list arguments;
    push_position(L);
    va_start(arguments, format);
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    return lua_error(L);
}

int dt_raise_got(lua_State *L, int index, const char *format, ...)
{
    va_list arguments;
    if (lua_isnone(L, index))
        lua_settop(L, index);
    index = lua_absindex(L, index);
    va_start(arguments, format);
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    dt_push_got(L, index);
    return dt_raise(L, "%s, %s", lua_tostring(L, -2), lua_tostring(L, -1));
}

/* Pushes a number as people write it: whole ones without a point. */
static void push_number(lua_State *L, double value)
{
    if (value == floor(value) && fabs(value) < 9007199254740992.0)
        lua_pushinteger(L, (lua_Integer)value);
    else
        lua_pushnumber(L, value);
    lua_tostring(L, -1);
}

void dt_push_error(lua_State *L, const DtError *error)
{
    int start = lua_gettop(L);
    if (error->index >= 0)
        lua_pushfstring(L, "level %d: ", error->index + 1);
    else
        lua_pushliteral(L, "");
    lua_pushfstring(L, "%s must %s", error->field, error->rule);
    if (error->other) {
        lua_pushfstring(L, " %s = ", error->other);
        push_number(L, error->other_value);
    }
    if (error->status == DT_INVALID || error->status == DT_ILLEGAL) {
        lua_pushliteral(L, ", got ");
        push_number(L, error->value);
    }
    lua_concat(L, lua_gettop(L) - start);
}

int dt_raise_error(lua_State *L, const char *what, const DtError *error)
{
    if (error->status == DT_INTERRUPTED)
        return dt_raise(L, "interrupted!");
    if (error->status == DT_NO_MEMORY)
        return dt_raise(L, "%s: not enough memory", what);
    dt_push_error(L, error);
    return dt_raise(L, "%s: %s", what, lua_tostring(L, -1));
}

/* Pushes "got a NAME" or "got an NAME". */
static void push_got_a(lua_State *L, const char *name)
{
    lua_pushfstring(L, "got %s %s", strchr("aeio", name[0]) ? "an" : "a", name);
}

void dt_push_got(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TNONE:
        lua_pushliteral(L, "got nothing");
        return;
    case LUA_TNIL:
        lua_pushliteral(L, "got nil");
        return;
    case LUA_TSTRING:
        lua_pushfstring(L, "got \"%s\"", lua_tostring(L, index));
        return;
    case LUA_TNUMBER:
        if (isnan(lua_tonumber(L, index))) { /* its sign depends on the machine */
            lua_pushliteral(L, "got nan");
            return;
        }
        /* fallthrough */
    case LUA_TBOOLEAN:
        luaL_tolstring(L, index, NULL);
        lua_pushfstring(L, "got %s", lua_tostring(L, -1));
        lua_remove(L, -2);
        return;
    default:
        if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
            push_got_a(L, lua_tostring(L, -1));
            lua_remove(L, -2);
        } else {
            push_got_a(L, luaL_typename(L, index));
        }
    }
}

/* Calls require(module).name with the `count` values on top of the stack; one result. */
static void call_library(lua_State *L, const char *module, const char *name, int count, int results)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    lua_insert(L, -count - 1);
    lua_call(L, count, results);
}

/* The number in the string at `index`, by dtsim.units. */
static double parse_quantity(lua_State *L, int index, const char *kind, const char *what,
                             const char *field)
{
    lua_pushvalue(L, index);
    lua_pushstring(L, kind);
    call_library(L, "dtsim.units", "try", 2, 2);
    if (lua_isnil(L, -2))
        dt_raise(L, "%s: %s: %s", what, field, lua_tostring(L, -1));
    double value = lua_tonumber(L, -2);
    if (isnan(value)) /* of a script's own dtsim.units */
        dt_raise(L, "%s: %s must be a number, got nan", what, field);
    lua_pop(L, 2);
    return value;
}

/* Pushes what a quantity may be: `a number (SI base units), or a string such as "3 months"`. */
static void push_allowed(lua_State *L, const char *kind)
{
    if (kind[0] == '\0') {
        lua_pushliteral(L, "a number");
        return;
    }
    lua_pushstring(L, kind);
    call_library(L, "dtsim.units", "example", 1, 1);
    lua_pushfstring(L, "a number or a string such as \"%s\"", lua_tostring(L, -1));
    lua_remove(L, -2);
}

double dt_quantity(lua_State *L, int index, const char *kind, const char *what, const char *field)
{
    index = lua_absindex(L, index);
    if (lua_type(L, index) == LUA_TNUMBER) {
        double value = lua_tonumber(L, index);
        if (isnan(value))
            dt_raise(L, "%s: %s must be a number, got nan", what, field);
        return value;
    }
    if (lua_type(L, index) == LUA_TSTRING && kind[0] != '\0')
        return parse_quantity(L, index, kind, what, field);
    push_allowed(L, kind);
    return dt_raise_got(L, index, "%s: %s must be %s", what, field, lua_tostring(L, -1));
}

uint64_t dt_count(lua_State *L, int index, double least, const char *what, const char *field)
{
    index = lua_absindex(L, index);
    double value = dt_quantity(L, index, "count", what, field);
    if (!(value >= least && value <= DT_COUNT_MAX && value == floor(value)))
        dt_raise_got(L, index, "%s: %s must be a whole number from %d to 2^62", what, field,
                     (int)least);
    return lua_isinteger(L, index) ? (uint64_t)lua_tointeger(L, index) : (uint64_t)value;
}

bool dt_flag(lua_State *L, int index, const char *what, const char *field)
{
    if (lua_type(L, index) != LUA_TBOOLEAN)
        dt_raise_got(L, index, "%s: %s must be true or false", what, field);
    return lua_toboolean(L, index);
}

void dt_name(lua_State *L, int index, char name[DT_NAME_SIZE], const char *what, const char *field)
{
    size_t length = 0;
    const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
    if (!text || length == 0 || length >= DT_NAME_SIZE || strlen(text) != length)
        dt_raise_got(L, index, "%s: %s must be a text of 1 to %d bytes", what, field,
                     DT_NAME_SIZE - 1);
    memset(name, 0, DT_NAME_SIZE);
    memcpy(name, text ? text : "", length);
}

int dt_choice(lua_State *L, int index, const char *const names[], const char *what,
              const char *field)
{
    const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    int count = 0;
    luaL_Buffer buffer;
    index = lua_absindex(L, index);
    for (; names[count]; count++)
        if (strcmp(names[count], text) == 0)
            return count;
    luaL_buffinit(L, &buffer);
    for (int i = 0; i < count; i++) {
        luaL_addstring(&buffer, i == 0 ? "\"" : i < count - 1 ? "\", \"" : "\" or \"");
        luaL_addstring(&buffer, names[i]);
    }
    luaL_addstring(&buffer, "\"");
    luaL_pushresult(&buffer);
    return dt_raise_got(L, index, "%s: %s must be %s", what, field, lua_tostring(L, -1));
}

int dt_key_find(lua_State *L, int index, const char *const names[])
{
    const char *key = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
    for (int i = 0; key && names[i]; i++)
        if (strcmp(names[i], key) == 0)
            return i;
    return -1;
}

void dt_push_names(lua_State *L, const char *const names[])
{
    lua_newtable(L);
    for (int i = 0; names[i]; i++) {
        lua_pushstring(L, names[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

int dt_raise_unknown(lua_State *L, int index, const char *what, const char *noun)
{
    int names = lua_gettop(L);
    index = lua_absindex(L, index);
    lua_pushstring(L, what);
    lua_pushstring(L, noun);
    lua_pushvalue(L, index);
    lua_pushvalue(L, names);
    call_library(L, "dtsim.messages", "unknown", 4, 1);
    return dt_raise(L, "%s", lua_tostring(L, -1));
}

void dt_push_whole(lua_State *L, double value)
{
    if (fabs(value) < 9007199254740992.0 && value == floor(value))
        lua_pushinteger(L, (lua_Integer)value);
    else
        lua_pushnumber(L, value);
}

void dt_push_count(lua_State *L, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
}

void dt_set_number(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

void dt_set_whole(lua_State *L, const char *name, double value)
{
    dt_push_whole(L, value);
    lua_setfield(L, -2, name);
}

void dt_set_count(lua_State *L, const char *name, uint64_t value)
{
    dt_push_count(L, value);
    lua_setfield(L, -2, name);
}

void dt_set_flag(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

void dt_set_text(lua_State *L, const char *name, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, name);
}

void dt_set_known(lua_State *L, const char *name, double value)
{
    if (value != DT_ABSENT)
        dt_set_number(L, name, value);
}
