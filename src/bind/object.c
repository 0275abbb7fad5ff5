#include "object.h"

#include <math.h>
#include <string.h>

#include "values.h"

static void *at(void *object, const DtField *field)
{
    return (char *)object + field->offset;
}

static const void *at_const(const void *object, const DtField *field)
{
    return (const char *)object + field->offset;
}

void *dt_object_push(lua_State *L, const DtType *type)
{
    void *object = lua_newuserdatauv(L, type->size, 0);
    memset(object, 0, type->size);
    lua_rawgetp(L, LUA_REGISTRYINDEX, type);
    lua_setmetatable(L, -2);
    return object;
}

void *dt_object_test(lua_State *L, int index, const DtType *type)
{
    void *object = lua_touserdata(L, index);
    if (!object || !lua_getmetatable(L, index))
        return NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, type);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same ? object : NULL;
}

void *dt_object_check(lua_State *L, int index, const DtType *type, const char *what)
{
    void *object = dt_object_test(L, index, type);
    if (!object)
        dt_raise_got(L, index, "%s must be %s", what, type->a);
    return object;
}

/* ---- reading fields ---- */

static void push_field(lua_State *L, const DtType *type, const DtField *field, const void *object)
{
    const void *value = at_const(object, field);
    switch (field->type) {
    case DT_NUMBER: {
        double number = *(const double *)value;
        if (field->presence == DT_OPTIONAL && number == DT_ABSENT)
            lua_pushnil(L);
        else if (type->whole_counts && strcmp(field->kind, "count") == 0)
            dt_push_whole(L, number);
        else
            lua_pushnumber(L, number);
        break;
    }
    case DT_COUNT:
        dt_push_count(L, *(const uint64_t *)value);
        break;
    case DT_FLAG:
        lua_pushboolean(L, *(const bool *)value);
        break;
    case DT_NAME:
        lua_pushstring(L, value);
        break;
    }
}

static bool push_derived(lua_State *L, const DtDerived *list, const void *object, const char *name)
{
    for (; list && list->name; list++) {
        if (strcmp(list->name, name) == 0) {
            list->push(L, object);
            return true;
        }
    }
    return false;
}

bool dt_object_get(lua_State *L, const DtType *type, const void *object, const char *name)
{
    for (int i = 0; i < type->num_fields; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            push_field(L, type, &type->fields[i], object);
            return true;
        }
    }
    return push_derived(L, type->special, object, name) ||
           push_derived(L, type->derived, object, name);
}

/* ---- writing fields ---- */

static void add_name(lua_State *L, int *count, const char *name)
{
    lua_pushstring(L, name);
    lua_rawseti(L, -2, ++*count);
}

/* Pushes an array of the names of a type's fields: those that can be given, or all that can be
 * read. */
static void push_names(lua_State *L, const DtType *type, bool readable)
{
    int count = 0;
    lua_newtable(L);
    for (const DtDerived *s = type->special; s && s->name; s++)
        add_name(L, &count, s->name);
    for (int i = 0; i < type->num_fields; i++)
        add_name(L, &count, type->fields[i].name);
    for (const DtDerived *d = type->derived; readable && d && d->name; d++)
        add_name(L, &count, d->name);
}

/* Adds the names of the methods, C's and the library's, to the array on top of the stack. */
static void add_methods(lua_State *L, const DtType *type)
{
    int count = (int)lua_rawlen(L, -1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, type);
    lua_getfield(L, -1, "methods");
    lua_remove(L, -2);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -4, ++count);
    }
    lua_pop(L, 1);
}

/* Takes the value on top of the stack for a row. */
static void set_field(lua_State *L, const DtField *field, void *object, const char *what)
{
    void *value = at(object, field);
    DtError error;
    switch (field->type) {
    case DT_NUMBER: {
        double number = dt_quantity(L, -1, field->kind, what, field->name);
        if (dt_field_check(field, number, &error))
            dt_raise_got(L, -1, "%s: %s must %s", what, field->name, error.rule);
        *(double *)value = number;
        break;
    }
    case DT_COUNT:
        *(uint64_t *)value = dt_count(L, -1, 1, what, field->name);
        break;
    case DT_FLAG:
        *(bool *)value = dt_flag(L, -1, what, field->name);
        break;
    case DT_NAME:
        dt_name(L, -1, value, what, field->name);
        break;
    }
}

static void set_default(const DtField *field, void *object)
{
    void *value = at(object, field);
    double number = field->presence == DT_OPTIONAL ? DT_ABSENT : field->fallback;
    if (field->type == DT_NUMBER)
        *(double *)value = number;
    else if (field->type == DT_COUNT)
        *(uint64_t *)value = (uint64_t)field->fallback;
    else if (field->type == DT_FLAG)
        *(bool *)value = field->fallback != 0;
}

/* Raises if a name in the table at `index` is no field of the type. */
static void check_names(lua_State *L, int index, const DtType *type, const char *what)
{
    lua_pushnil(L);
    while (lua_next(L, index)) {
        bool known = false;
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        for (int i = 0; i < type->num_fields && !known; i++)
            known = strcmp(type->fields[i].name, name) == 0;
        for (const DtDerived *s = type->special; s && s->name && !known; s++)
            known = strcmp(s->name, name) == 0;
        if (!known) {
            push_names(L, type, false);
            dt_raise_unknown(L, -3, what, "field");
        }
        lua_pop(L, 1);
    }
}

void dt_object_read(lua_State *L, int index, const DtType *type, void *object, bool is_new,
                    const char *what)
{
    index = lua_absindex(L, index);
    if (!lua_istable(L, index))
        dt_raise_got(L, index, "%s: fields must be given as a table", what);
    check_names(L, index, type, what);
    if (is_new && type->init)
        type->init(object);
    for (const DtDerived *s = type->special; s && s->name; s++) {
        if (lua_getfield(L, index, s->name) != LUA_TNIL)
            type->set_special(L, object, s->name, index, what);
        lua_pop(L, 1);
    }
    for (int i = 0; i < type->num_fields; i++) {
        const DtField *field = &type->fields[i];
        if (lua_getfield(L, index, field->name) != LUA_TNIL) {
            set_field(L, field, object, what);
        } else if (is_new) {
            if (field->presence == DT_REQUIRED)
                dt_raise(L, "%s: %s is missing (%s)", what, field->name, field->help);
            set_default(field, object);
        }
        lua_pop(L, 1);
    }
    if (type->finish)
        type->finish(L, object, is_new);
}

/* ---- metamethods; upvalue 1 is the type ---- */

static const DtType *type_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static int object_index(lua_State *L)
{
    const DtType *type = type_of(L);
    const void *object = dt_object_check(L, 1, type, type->name);
    if (lua_type(L, 2) == LUA_TSTRING) {
        const char *name = lua_tostring(L, 2);
        lua_getmetatable(L, 1);
        lua_getfield(L, -1, "methods");
        if (lua_getfield(L, -1, name) != LUA_TNIL || dt_object_get(L, type, object, name))
            return 1;
    }
    push_names(L, type, true);
    add_methods(L, type);
    return dt_raise_unknown(L, 2, type->name, "field");
}

static int object_newindex(lua_State *L)
{
    const DtType *type = type_of(L);
    luaL_tolstring(L, 2, NULL);
    const char *name = lua_tostring(L, -1);
    return dt_raise(L, "%s cannot be changed; make a changed copy: x:with{ %s = ... }", type->a,
                    name);
}

static int object_with(lua_State *L)
{
    const DtType *type = type_of(L);
    lua_settop(L, 2);
    const void *object =
        dt_object_check(L, 1, type, lua_pushfstring(L, "%s:with: self", type->name));
    void *copy = dt_object_push(L, type);
    memcpy(copy, object, type->size);
    dt_object_read(L, 2, type, copy, false, type->name);
    return 1;
}

static int object_equal(lua_State *L)
{
    const DtType *type = type_of(L);
    const void *a = dt_object_test(L, 1, type), *b = dt_object_test(L, 2, type);
    bool same = a && b;
    if (same)
        same = type->equal ? type->equal(a, b) : memcmp(a, b, type->size) == 0;
    lua_pushboolean(L, same);
    return 1;
}

/* Iterator of pairs: names in order are upvalue 2, the position upvalue 3. */
static int object_next(lua_State *L)
{
    const DtType *type = type_of(L);
    const void *object = dt_object_check(L, 1, type, type->name);
    for (;;) {
        lua_Integer position = lua_tointeger(L, lua_upvalueindex(3)) + 1;
        lua_pushinteger(L, position);
        lua_replace(L, lua_upvalueindex(3));
        if (lua_rawgeti(L, lua_upvalueindex(2), position) == LUA_TNIL)
            return 1;
        if (dt_object_get(L, type, object, lua_tostring(L, -1)) && !lua_isnil(L, -1))
            return 2;
        lua_settop(L, 1); /* not given */
    }
}

static int object_pairs(lua_State *L)
{
    const DtType *type = type_of(L);
    dt_object_check(L, 1, type, type->name);
    lua_pushlightuserdata(L, (void *)type);
    push_names(L, type, true);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, object_next, 3);
    lua_pushvalue(L, 1);
    return 2;
}

/* tostring is written in Lua, where units are formatted: dtsim.show. */
static int object_tostring(lua_State *L)
{
    const DtType *type = type_of(L);
    dt_object_check(L, 1, type, type->name);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "dtsim.show");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "object");
    lua_pushvalue(L, 1);
    lua_pushstring(L, type->name);
    lua_call(L, 2, 1);
    return 1;
}

void dt_object_register(lua_State *L, const DtType *type)
{
    static const luaL_Reg metamethods[] = {
        {"__index", object_index}, {"__newindex", object_newindex}, {"__eq", object_equal},
        {"__pairs", object_pairs}, {"__tostring", object_tostring}, {NULL, NULL}};
    lua_newtable(L);
    lua_pushlightuserdata(L, (void *)type);
    luaL_setfuncs(L, metamethods, 1);
    lua_pushstring(L, type->name);
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable"); /* scripts cannot reach or replace it */
    lua_newtable(L);
    if (type->methods)
        luaL_setfuncs(L, type->methods, 0);
    lua_pushlightuserdata(L, (void *)type);
    lua_pushcclosure(L, object_with, 1);
    lua_setfield(L, -2, "with");
    lua_setfield(L, -2, "methods");
    lua_rawsetp(L, LUA_REGISTRYINDEX, type);
}
