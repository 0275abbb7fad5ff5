#include <string.h>

#include "types.h"
#include "values.h"

/* ---- a level ---- */

static void push_level_name(lua_State *L, const void *object)
{
    lua_pushstring(L, ((const DtLevel *)object)->name);
}

static void push_level_size(lua_State *L, const void *object)
{
    uint64_t size = ((const DtLevel *)object)->size;
    if (size == 0)
        lua_pushnil(L);
    else
        dt_push_count(L, size);
}

static const DtDerived level_special[] = {
    {"name", push_level_name, "", "what to call the level"},
    {"size", push_level_size, "count",
     "units of the level below that it joins; none on the outermost level"},
    {NULL, NULL, NULL, NULL},
};

static void init_level(void *object)
{
    memset(object, 0, sizeof(DtLevel));
}

static bool set_level_special(lua_State *L, void *object, const char *name)
{
    DtLevel *level = object;
    if (strcmp(name, "name") == 0)
        dt_name(L, -1, level->name, "network level", "name");
    else
        level->size = dt_count(L, -1, 2, "network level", "size");
    return true;
}

const DtType dt_type_level = {.name = "network level",
                              .size = sizeof(DtLevel),
                              .fields = dt_level_fields,
                              .num_fields = DT_LEVEL_NUM_FIELDS,
                              .special = level_special,
                              .set_special = set_level_special,
                              .init = init_level};

/* ---- the hierarchy ---- */

static void push_inner_size(lua_State *L, const void *object)
{
    dt_push_count(L, dt_network_inner_size(object));
}

static const DtDerived network_derived[] = {
    {"inner_size", push_inner_size, "count", "GPUs that the inner levels join together"},
    {NULL, NULL, NULL, NULL},
};

static DtNetwork *check_network(lua_State *L, const char *what)
{
    return dt_object_check(L, 1, &dt_type_network, what);
}

/* The level number at `index`, 1 the innermost; returned 0-based. */
static int check_level(lua_State *L, int index, const DtNetwork *network, const char *what)
{
    uint64_t level = dt_count(L, index, 1, what, "level");
    if (level > (uint64_t)network->num_levels)
        dt_raise(L, "%s: level must be from 1 to %d, got %I", what, network->num_levels,
                 (lua_Integer)level);
    return (int)level - 1;
}

/* A factor of a table of factors; 1 where it is absent. */
static double read_factor(lua_State *L, int index, const char *name)
{
    double factor = 1;
    if (lua_getfield(L, index, name) != LUA_TNIL) {
        factor = dt_quantity(L, -1, "", "network:scaled", name);
        if (!(factor > 0)) {
            dt_push_got(L, -1);
            dt_raise(L, "network:scaled: %s must be a factor above 0, %s", name,
                     lua_tostring(L, -1));
        }
    }
    lua_pop(L, 1);
    return factor;
}

/* net:scaled{ bandwidth = 10, latency = 0.1 }: every level's figures times a factor. */
static int network_scaled(lua_State *L)
{
    DtNetwork *network = check_network(L, "network:scaled: self");
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        if (strcmp(name, "bandwidth") != 0 && strcmp(name, "latency") != 0)
            dt_raise(L, "network:scaled has no field '%s'; it takes bandwidth and latency", name);
        lua_pop(L, 1);
    }
    double bandwidth = read_factor(L, 2, "bandwidth"), latency = read_factor(L, 2, "latency");
    DtNetwork *scaled = dt_object_push(L, &dt_type_network);
    *scaled = *network;
    for (int i = 0; i < scaled->num_levels; i++) {
        scaled->level[i].bandwidth_Bps *= bandwidth;
        scaled->level[i].latency_s *= latency;
    }
    return 1;
}

/* One number of the table of a transfer. */
static double transfer_field(lua_State *L, const char *what, const char *name, const char *kind,
                             double fallback)
{
    double value = fallback;
    if (lua_getfield(L, 2, name) != LUA_TNIL)
        value = dt_quantity(L, -1, kind, what, name);
    else if (fallback < 0)
        dt_raise(L, "%s: %s is missing", what, name);
    if (value < 0 || value != value || value > 1e300) {
        dt_push_got(L, -1);
        dt_raise(L, "%s: %s must be a finite number, 0 or above, %s", what, name,
                 lua_tostring(L, -1));
    }
    lua_pop(L, 1);
    return value;
}

static int transfer(lua_State *L, const char *what, bool allreduce)
{
    static const char *const names[] = {"level", "participants", "bytes",
                                        "gpus",  "sequential",   "parallel"};
    DtNetwork *network = check_network(L, what);
    DtTransfer t;
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        bool known = false;
        for (size_t i = 0; i < sizeof names / sizeof names[0] && lua_isstring(L, -2); i++)
            known |= strcmp(names[i], lua_tostring(L, -2)) == 0;
        if (!known) {
            luaL_tolstring(L, -2, NULL);
            dt_raise(L,
                     "%s has no field '%s'; it takes level, participants, bytes, gpus, "
                     "sequential and parallel",
                     what, lua_tostring(L, -1));
        }
        lua_pop(L, 1);
    }
    lua_getfield(L, 2, "level");
    t.level = check_level(L, -1, network, what);
    t.participants = transfer_field(L, what, "participants", "count", allreduce ? -1 : 2);
    t.bytes = transfer_field(L, what, "bytes", "bytes", -1);
    t.num_gpus = transfer_field(L, what, "gpus", "count", -1);
    t.sequential = transfer_field(L, what, "sequential", "count", 1);
    t.parallel = transfer_field(L, what, "parallel", "count", 1);
    if (t.num_gpus < 1 || t.participants < 1)
        dt_raise(L, "%s: gpus and participants must be at least 1", what);
    DtCollective time = allreduce ? dt_network_allreduce(network, &t) : dt_network_p2p(network, &t);
    lua_newtable(L);
    dt_set_number(L, "latency", time.latency_s);
    dt_set_number(L, "bandwidth", time.bandwidth_s);
    return 1;
}

static int network_allreduce(lua_State *L)
{
    return transfer(L, "network:allreduce", true);
}

static int network_p2p(lua_State *L)
{
    return transfer(L, "network:p2p", false);
}

/* net:with{ [2] = { bandwidth = ... } }: levels by number, each changed or replaced. */
static int network_with(lua_State *L)
{
    DtNetwork *network = check_network(L, "network:with: self");
    luaL_checktype(L, 2, LUA_TTABLE);
    DtNetwork *changed = dt_object_push(L, &dt_type_network);
    DtError error;
    *changed = *network;
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        if (!lua_isinteger(L, -2)) {
            luaL_tolstring(L, -2, NULL);
            dt_raise(L,
                     "network:with takes levels by number, as in net:with{ [2] = { bandwidth = "
                     "... } }, got the key %s",
                     lua_tostring(L, -1));
        }
        int level = check_level(L, -2, network, "network:with");
        dt_object_read(L, -1, &dt_type_level, &changed->level[level], false);
        lua_pop(L, 1);
    }
    if (dt_network_check(changed, &error))
        dt_raise_error(L, "network", &error);
    return 1;
}

static const luaL_Reg network_methods[] = {{"scaled", network_scaled},
                                           {"allreduce", network_allreduce},
                                           {"p2p", network_p2p},
                                           {NULL, NULL}};

const DtType dt_type_network = {.name = "network",
                                .size = sizeof(DtNetwork),
                                .derived = network_derived,
                                .methods = network_methods};

/* dtsim.network{ level, level, ... }. */
static int network_new(lua_State *L)
{
    DtError error;
    if (!lua_istable(L, 1)) {
        dt_push_got(L, 1);
        dt_raise(L, "network: levels must be given as a list, innermost first, %s",
                 lua_tostring(L, -1));
    }
    lua_Integer count = luaL_len(L, 1);
    if (count < 1 || count > DT_MAX_LEVELS)
        dt_raise(L, "network: must have 1 to %d levels, got %I", DT_MAX_LEVELS, count);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1 || lua_tointeger(L, -2) > count) {
            luaL_tolstring(L, -2, NULL);
            dt_raise(L, "network: takes a list of levels, got the key %s", lua_tostring(L, -1));
        }
        lua_pop(L, 1);
    }
    DtNetwork *network = dt_object_push(L, &dt_type_network);
    network->num_levels = (int)count;
    for (int i = 0; i < network->num_levels; i++) {
        DtLevel *level = &network->level[i];
        lua_rawgeti(L, 1, i + 1);
        const DtLevel *given = dt_object_test(L, -1, &dt_type_level);
        if (given)
            *level = *given;
        else
            dt_object_read(L, -1, &dt_type_level, level, true);
        if (level->name[0] == '\0') {
            lua_pushfstring(L, "level %d", i + 1);
            strcpy(level->name, lua_tostring(L, -1));
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    if (dt_network_check(network, &error))
        dt_raise_error(L, "network", &error);
    return 1;
}

static int network_length(lua_State *L)
{
    lua_pushinteger(L, check_network(L, "network")->num_levels);
    return 1;
}

/* net[i] is a level; other keys go to upvalue 1, the general __index. */
static int network_index(lua_State *L)
{
    if (lua_isinteger(L, 2)) {
        DtNetwork *network = check_network(L, "network");
        int level = check_level(L, 2, network, "network");
        DtLevel *copy = dt_object_push(L, &dt_type_level);
        *copy = network->level[level];
        return 1;
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

static int network_next(lua_State *L)
{
    DtNetwork *network = check_network(L, "network");
    lua_Integer i = luaL_optinteger(L, 2, 0) + 1;
    if (i > network->num_levels)
        return 0;
    lua_pushinteger(L, i);
    DtLevel *copy = dt_object_push(L, &dt_type_level);
    *copy = network->level[i - 1];
    return 2;
}

static int network_pairs(lua_State *L)
{
    lua_pushcfunction(L, network_next);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

/* Puts what a list of levels needs over the general metamethods. */
static int network_setup(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &dt_type_network);
    lua_getfield(L, -1, "__index");
    lua_pushcclosure(L, network_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, network_length);
    lua_setfield(L, -2, "__len");
    lua_pushcfunction(L, network_pairs);
    lua_setfield(L, -2, "__pairs");
    lua_getfield(L, -1, "methods");
    lua_pushcfunction(L, network_with);
    lua_setfield(L, -2, "with");
    return 0;
}

const luaL_Reg dt_network_functions[] = {
    {"network", network_new}, {"network_setup", network_setup}, {NULL, NULL}};
