#include <math.h>
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

static void set_level_special(lua_State *L, void *object, const char *name, int index,
                              const char *what)
{
    DtLevel *level = object;
    (void)index;
    if (strcmp(name, "name") == 0)
        dt_name(L, -1, level->name, what, "name");
    else
        level->size = dt_count(L, -1, 2, what, "size");
}

const DtType dt_type_level = {.name = "network level",
                              .a = "a network level",
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
    double level = dt_quantity(L, index, "count", what, "level");
    if (!(level >= 1 && level <= network->num_levels && level == floor(level)))
        dt_raise_got(L, index, "%s: level must be a whole number from 1 to %d", what,
                     network->num_levels);
    return (int)level - 1;
}

/* Checks the network as a whole: an inner level without a size, one that is too large, ... */
static void check_whole(lua_State *L, const DtNetwork *network)
{
    DtError error;
    for (int i = 0; i < network->num_levels - 1; i++)
        if (network->level[i].size == 0)
            dt_raise(L,
                     "network: level %d: size is missing (how many units of the level below it "
                     "joins; only the outermost level has none)",
                     i + 1);
    if (dt_network_check(network, &error))
        dt_raise_error(L, "network", &error);
}

/* Leaves two values on the stack; raises if the second is no table, or has a key that is none of
 * `names`. */
static void check_options(lua_State *L, const char *what, const char *const names[])
{
    lua_settop(L, 2);
    if (!lua_istable(L, 2)) {
        dt_push_names(L, names);
        lua_geti(L, -1, 1);
        dt_raise_got(L, 2, "%s takes a table such as { %s = ... }", what, lua_tostring(L, -1));
    }
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        if (dt_key_find(L, -2, names) < 0) {
            dt_push_names(L, names);
            dt_raise_unknown(L, -3, what, "option");
        }
        lua_pop(L, 1);
    }
}

/* A factor of the table at 2; 1 where it is absent. */
static double read_factor(lua_State *L, const char *name)
{
    double factor = 1;
    if (lua_getfield(L, 2, name) != LUA_TNIL) {
        factor = dt_quantity(L, -1, "", "network:scaled", name);
        if (!(factor > 0) || isinf(factor))
            dt_raise_got(L, -1, "network:scaled: %s must be a finite factor above 0", name);
    }
    lua_pop(L, 1);
    return factor;
}

/* net:scaled{ bandwidth = 10, latency = 0.1 }: every level's figures times a factor. */
static int network_scaled(lua_State *L)
{
    static const char *const names[] = {"bandwidth", "latency", NULL};
    DtNetwork *network = check_network(L, "network:scaled: self");
    check_options(L, "network:scaled", names);
    double bandwidth = read_factor(L, "bandwidth"), latency = read_factor(L, "latency");
    DtNetwork *scaled = dt_object_push(L, &dt_type_network);
    *scaled = *network;
    for (int i = 0; i < scaled->num_levels; i++) {
        scaled->level[i].bandwidth_Bps *= bandwidth;
        scaled->level[i].latency_s *= latency;
    }
    check_whole(L, scaled);
    return 1;
}

#define MOST 1e60 /* of a transfer's numbers: its time stays finite */

/* One number, at least `least`, of the table of a transfer at 2; `fallback` where it is absent. */
static double transfer_field(lua_State *L, const char *what, const char *name, double least,
                             double fallback)
{
    double value = fallback;
    const char *kind = strcmp(name, "bytes") == 0 ? "bytes" : "count";
    if (lua_getfield(L, 2, name) != LUA_TNIL)
        value = dt_quantity(L, -1, kind, what, name);
    else if (fallback < 0)
        dt_raise(L, "%s: %s is missing", what, name);
    if (!(value >= least && value <= MOST))
        dt_raise_got(L, -1, "%s: %s must be a number from %d to 1e60", what, name, (int)least);
    lua_pop(L, 1);
    return value;
}

static int transfer(lua_State *L, const char *what, bool allreduce)
{
    static const char *const names[] = {"level",      "participants", "bytes", "gpus",
                                        "sequential", "parallel",     NULL};
    DtNetwork *network =
        check_network(L, allreduce ? "network:allreduce: self" : "network:p2p: self");
    DtTransfer t;
    check_options(L, what, names);
    if (lua_getfield(L, 2, "level") == LUA_TNIL)
        dt_raise(L, "%s: level is missing", what);
    t.level = check_level(L, -1, network, what);
    t.participants = transfer_field(L, what, "participants", 1, allreduce ? -1 : 2);
    t.bytes = transfer_field(L, what, "bytes", 0, -1);
    t.num_gpus = transfer_field(L, what, "gpus", 1, -1);
    t.sequential = transfer_field(L, what, "sequential", 0, 1);
    t.parallel = transfer_field(L, what, "parallel", 0, 1);
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

/* net:with{ [2] = { bandwidth = ... } }: levels by number, each changed. */
static int network_with(lua_State *L)
{
    DtNetwork *network = check_network(L, "network:with: self");
    if (!lua_istable(L, 2))
        dt_raise_got(L, 2, "network:with takes levels by number, as in net:with{ [2] = { ... } }");
    DtNetwork *changed = dt_object_push(L, &dt_type_network);
    *changed = *network;
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        if (lua_type(L, -2) != LUA_TNUMBER) {
            luaL_tolstring(L, -2, NULL);
            dt_raise(L,
                     "network:with takes levels by number, as in net:with{ [2] = { ... } }, got "
                     "the key %s",
                     lua_tostring(L, -1));
        }
        int level = check_level(L, -2, network, "network:with");
        const char *what = lua_pushfstring(L, "network: level %d", level + 1);
        dt_object_read(L, -2, &dt_type_level, &changed->level[level], false, what);
        lua_pop(L, 2);
    }
    check_whole(L, changed);
    return 1;
}

static const luaL_Reg network_methods[] = {{"scaled", network_scaled},
                                           {"allreduce", network_allreduce},
                                           {"p2p", network_p2p},
                                           {NULL, NULL}};

const DtType dt_type_network = {.name = "network",
                                .a = "a dtsim.network",
                                .size = sizeof(DtNetwork),
                                .derived = network_derived,
                                .methods = network_methods};

/* Reads the level on top of the stack, the i-th of a new network. Leaves more on the stack. */
static void read_level(lua_State *L, DtLevel *level, int i)
{
    const DtLevel *given = dt_object_test(L, -1, &dt_type_level);
    const char *what = lua_pushfstring(L, "network: level %d", i + 1);
    if (given)
        memcpy(level, given, sizeof *level);
    else
        dt_object_read(L, -2, &dt_type_level, level, true, what);
    if (level->name[0] == '\0')
        strcpy(level->name, lua_pushfstring(L, "level %d", i + 1));
}

/* dtsim.network{ level, level, ... }. */
static int network_new(lua_State *L)
{
    if (!lua_istable(L, 1))
        dt_raise_got(L, 1, "network: levels must be given as a list, innermost first");
    lua_Integer count = luaL_len(L, 1);
    lua_settop(L, 1);
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
        lua_rawgeti(L, 1, i + 1);
        read_level(L, &network->level[i], i);
        lua_settop(L, 2);
    }
    check_whole(L, network);
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
