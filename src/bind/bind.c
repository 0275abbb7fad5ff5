#include "bind.h"

#include <limits.h>
#include <stdlib.h>

#include "core/memory.h"
#include "train.h"
#include "types.h"
#include "values.h"

volatile sig_atomic_t dt_interrupted;

static DtProgress progress;
static void *progress_context;
static int default_threads = 1;
static int most_threads = INT_MAX;
static bool is_interactive;

void dt_bind_set_interactive(bool interactive)
{
    is_interactive = interactive;
}

bool dt_take_interrupt(lua_State *L)
{
    if (!is_interactive)
        return false;
    dt_interrupted = 0;
    lua_sethook(L, NULL, 0, 0);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    lua_sethook(lua_tothread(L, -1), NULL, 0, 0);
    lua_pop(L, 1);
    return true;
}

void dt_bind_set_progress(DtProgress report, void *context)
{
    progress = report;
    progress_context = context;
}

void dt_report_progress(double fraction, const char *what)
{
    if (progress)
        progress(fraction, what, progress_context);
}

void dt_bind_set_threads(int num_threads)
{
    default_threads = num_threads;
}

int dt_default_threads(void)
{
    return default_threads;
}

void dt_bind_limit_threads(int num_threads)
{
    most_threads = num_threads;
}

int dt_most_threads(void)
{
    return most_threads;
}

void dt_bind_limit_memory(size_t bytes)
{
    dt_memory_limit(bytes);
}

void *dt_bind_allocate(void *context, void *block, size_t old_size, size_t size)
{
    size_t before = block ? old_size : 0; /* without a block old_size says what it is for */
    size_t more = size > before ? size - before : 0;
    (void)context;
    if (size == 0) {
        free(block);
        dt_memory_give(before);
        return NULL;
    }
    if (!dt_memory_take(more))
        return NULL;
    void *resized = realloc(block, size);
    dt_memory_give(!resized ? more : size < before ? before - size : 0);
    return resized;
}

/* A hook that is no count hook of the user's was set by an interrupt handler, as lua.c's. */
bool dt_should_stop(void *context)
{
    int interrupt_mask = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
    return dt_interrupted || lua_gethookmask(context) == interrupt_mask;
}

/* dtsim.raise(message): an error at the user's line, for the library's Lua modules. */
static int raise_error(lua_State *L)
{
    return dt_raise(L, "%s", luaL_checkstring(L, 1));
}

/* dtsim.core.got(value): what a value is, for the end of a message: "got 3". */
static int got(lua_State *L)
{
    luaL_checkany(L, 1);
    dt_push_got(L, 1);
    return 1;
}

/* The kind of object at 1 ("gpu", ...), or nil. */
static int type(lua_State *L)
{
    static const DtType *const types[] = {
        &dt_type_gpu,     &dt_type_network,   &dt_type_level,
        &dt_type_model,   &dt_type_optimizer, &dt_type_transformer,
        &dt_type_machine, &dt_type_software,  &dt_type_trainplan};
    luaL_checkany(L, 1);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (dt_object_test(L, 1, types[i])) {
            lua_pushstring(L, types[i]->name);
            return 1;
        }
    }
    lua_pushnil(L);
    return 1;
}

/* Makes an object of the type in upvalue 1 from a table of fields. */
static int construct(lua_State *L)
{
    const DtType *object_type = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, 1);
    void *object = dt_object_push(L, object_type);
    dt_object_read(L, 1, object_type, object, true, object_type->name);
    return 1;
}

static void add_constructor(lua_State *L, const char *name, const DtType *object_type)
{
    lua_pushlightuserdata(L, (void *)object_type);
    lua_pushcclosure(L, construct, 1);
    lua_setfield(L, -2, name);
}

/* The table of an object type's methods, for the library to add its own to. */
static int methods(lua_State *L)
{
    static const struct {
        const char *name;
        const DtType *type;
    } rows[] = {{"gpu", &dt_type_gpu},
                {"network", &dt_type_network},
                {"network level", &dt_type_level},
                {"model", &dt_type_model},
                {"optimizer", &dt_type_optimizer},
                {"transformer", &dt_type_transformer},
                {"machine", &dt_type_machine},
                {"software", &dt_type_software},
                {"train_plan", &dt_type_trainplan}};
    const char *name = luaL_checkstring(L, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (lua_pushstring(L, rows[i].name) && lua_compare(L, 1, -1, LUA_OPEQ)) {
            lua_rawgetp(L, LUA_REGISTRYINDEX, rows[i].type);
            lua_getfield(L, -1, "methods");
            return 1;
        }
    }
    return luaL_error(L, "no object type '%s'", name);
}

/* row.default, for a row that has one other than the core's own rule (d_ff = 4 d_model). */
static void set_default(lua_State *L, const DtField *field)
{
    if (field->presence != DT_DEFAULT)
        return;
    if (field->type == DT_FLAG)
        dt_set_flag(L, "default", field->fallback != 0);
    else if (field->fallback > 0)
        dt_set_number(L, "default", field->fallback);
}

/* Appends the rows of computed or special fields to the list on top of the stack. */
static void push_derived_rows(lua_State *L, const DtDerived *list, const char *presence)
{
    for (const DtDerived *d = list; d && d->name; d++) {
        lua_newtable(L);
        dt_set_text(L, "name", d->name);
        dt_set_text(L, "kind", d->kind);
        dt_set_text(L, "help", d->help);
        dt_set_text(L, "presence", presence);
        lua_rawseti(L, -2, luaL_len(L, -2) + 1);
    }
}

/* The fields of an object type, in the order of pairs: a list of { name, kind, help, presence,
 * allowed, default }. */
static void push_rows(lua_State *L, const DtType *object_type)
{
    static const char *const presence[] = {"required", "optional", "default"};
    lua_newtable(L);
    push_derived_rows(L, object_type->special, "special");
    for (int i = 0; i < object_type->num_fields; i++) {
        const DtField *field = &object_type->fields[i];
        lua_newtable(L);
        dt_set_text(L, "name", field->name);
        dt_set_text(L, "kind", field->kind);
        dt_set_text(L, "help", field->help);
        dt_set_text(L, "presence", presence[field->presence]);
        dt_set_text(L, "allowed", dt_field_allowed(field));
        set_default(L, field);
        lua_rawseti(L, -2, luaL_len(L, -2) + 1);
    }
    push_derived_rows(L, object_type->derived, "derived");
}

/* The rows of all that has fields: by type of object, and "search options". */
static void push_fields(lua_State *L)
{
    static const DtType *const types[] = {
        &dt_type_gpu,     &dt_type_network,   &dt_type_level,
        &dt_type_model,   &dt_type_optimizer, &dt_type_transformer,
        &dt_type_machine, &dt_type_software,  &dt_type_trainplan};
    lua_newtable(L);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        push_rows(L, types[i]);
        lua_setfield(L, -2, types[i]->name);
    }
    dt_push_option_rows(L);
    lua_setfield(L, -2, "search options");
}

int luaopen_dtsim_core(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"raise", raise_error}, {"got", got}, {"type", type}, {"methods", methods}, {NULL, NULL}};
    dt_object_register(L, &dt_type_gpu);
    dt_object_register(L, &dt_type_level);
    dt_object_register(L, &dt_type_network);
    dt_object_register(L, &dt_type_model);
    dt_object_register(L, &dt_type_optimizer);
    luaL_newlib(L, functions);
    luaL_setfuncs(L, dt_network_functions, 0);
    luaL_setfuncs(L, dt_gpu_functions, 0);
    lua_getfield(L, -1, "network_setup");
    lua_call(L, 0, 0);
    lua_pushnil(L);
    lua_setfield(L, -2, "network_setup");
    add_constructor(L, "gpu", &dt_type_gpu);
    add_constructor(L, "model", &dt_type_model);
    add_constructor(L, "optimizer", &dt_type_optimizer);
    dt_train_open(L);
    push_fields(L);
    lua_setfield(L, -2, "fields");
    dt_push_search_options(L);
    lua_setfield(L, -2, "search_options");
    return 1;
}
