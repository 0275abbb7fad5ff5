/* Plans and results as tables: what goes in and out of an optimizer's methods. */
#include <string.h>

#include "types.h"
#include "values.h"

/* plan.levels.KIND: a list of the degree's parts, innermost first. */
static void read_parts(lua_State *L, const DtOptimizer *optimizer, DtKind kind, DtPlan *plan)
{
    int num_levels = optimizer->network.num_levels;
    for (int i = 0; i < num_levels; i++)
        plan->part[kind][i] = 1;
    if (lua_getfield(L, -1, dt_kind_names[kind]) == LUA_TNIL) {
        if (plan->degree[kind] != 1)
            dt_raise(L, "plan: levels.%s is missing, for %s = %I", dt_kind_names[kind],
                     dt_kind_names[kind], (lua_Integer)plan->degree[kind]);
        lua_pop(L, 1);
        return;
    }
    const char *field = lua_pushfstring(L, "levels.%s", dt_kind_names[kind]);
    lua_insert(L, -2);
    if (!lua_istable(L, -1))
        dt_raise_got(L, -1, "plan: %s must be a list, one number per network level", field);
    if (luaL_len(L, -1) != num_levels)
        dt_raise(L, "plan: %s must have %d numbers, one per network level, got %I", field,
                 num_levels, luaL_len(L, -1));
    for (int i = 0; i < num_levels; i++) {
        lua_geti(L, -1, i + 1);
        plan->part[kind][i] = dt_count(L, -1, 1, "plan", field);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

static const char *const level_names[] = {"dp", "tp_model", "tp_ff", "pp", "ep", NULL};
static const char *const plan_names[] = {"dp",        "tp_model",     "tp_ff",      "pp",
                                         "ep",        "microbatches", "interleave", "zero_bubble",
                                         "recompute", "levels",       NULL};

/* Raises if the table at `index` has a key that is not one of `names`. */
static void check_keys(lua_State *L, int index, const char *const names[], const char *what)
{
    index = lua_absindex(L, index);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (dt_key_find(L, -2, names) < 0) {
            dt_push_names(L, names);
            dt_raise_unknown(L, -3, what, "field");
        }
        lua_pop(L, 1);
    }
}

/* A count of the plan at `index`; 1 where it is absent. */
static uint64_t plan_count(lua_State *L, int index, const char *name)
{
    uint64_t count = 1;
    if (lua_getfield(L, index, name) != LUA_TNIL)
        count = dt_count(L, -1, 1, "plan", name);
    lua_pop(L, 1);
    return count;
}

static bool plan_flag(lua_State *L, int index, const char *name)
{
    bool flag = false;
    if (lua_getfield(L, index, name) != LUA_TNIL)
        flag = dt_flag(L, -1, "plan", name);
    lua_pop(L, 1);
    return flag;
}

void dt_read_plan(lua_State *L, int index, const DtOptimizer *optimizer, DtPlan *plan,
                  bool *has_levels)
{
    memset(plan, 0, sizeof *plan);
    if (!lua_istable(L, index))
        dt_raise_got(L, index, "plan must be a table such as { dp = 8, pp = 4, microbatches = 8 }");
    check_keys(L, index, plan_names, "plan");
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        plan->degree[kind] = plan_count(L, index, dt_kind_names[kind]);
    plan->microbatches = plan_count(L, index, "microbatches");
    plan->interleave = plan_count(L, index, "interleave");
    plan->zero_bubble = plan_flag(L, index, "zero_bubble");
    plan->recompute = plan_flag(L, index, "recompute");
    *has_levels = lua_getfield(L, index, "levels") != LUA_TNIL;
    if (*has_levels) {
        if (!lua_istable(L, -1))
            dt_raise_got(L, -1, "plan: levels must be a table such as { dp = { 8, 4 } }");
        check_keys(L, -1, level_names, "plan: levels");
        for (int kind = 0; kind < DT_NUM_KINDS; kind++)
            read_parts(L, optimizer, (DtKind)kind, plan);
    }
    lua_pop(L, 1);
}

static void push_plan(lua_State *L, const DtPlan *plan, int num_levels)
{
    lua_newtable(L);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        dt_set_count(L, dt_kind_names[kind], plan->degree[kind]);
    dt_set_count(L, "microbatches", plan->microbatches);
    dt_set_count(L, "interleave", plan->interleave);
    dt_set_flag(L, "zero_bubble", plan->zero_bubble);
    dt_set_flag(L, "recompute", plan->recompute);
    lua_newtable(L);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        lua_newtable(L);
        for (int i = 0; i < num_levels; i++) {
            dt_push_count(L, plan->part[kind][i]);
            lua_rawseti(L, -2, i + 1);
        }
        lua_setfield(L, -2, dt_kind_names[kind]);
    }
    lua_setfield(L, -2, "levels");
}

/* t[name] = a list of numbers. */
static void set_list(lua_State *L, const char *name, const double values[], int count)
{
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushnumber(L, values[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, name);
}

/* What the communication of each network level and the bound of the matmuls take. */
static void push_details(lua_State *L, const DtCost *cost, int num_levels)
{
    lua_newtable(L);
    set_list(L, "tp", cost->tp_level_s, num_levels);
    set_list(L, "dp", cost->dp_level_s, num_levels);
    set_list(L, "pp_ep", cost->pp_ep_level_s, num_levels);
    lua_setfield(L, -2, "level_times");
    lua_newtable(L);
    for (int bound = 0; bound < DT_NUM_BOUNDS; bound++)
        dt_set_number(L, dt_bound_names[bound], cost->bound_s[bound]);
    lua_setfield(L, -2, "matmul_times");
}

void dt_push_stats(lua_State *L, const DtSearchStats *stats)
{
    lua_newtable(L);
    dt_set_number(L, "considered", stats->considered);
    dt_set_number(L, "pruned", stats->pruned);
    dt_set_number(L, "cut", stats->cut);
    dt_set_number(L, "seconds", stats->seconds);
    dt_set_flag(L, "proved", stats->proved);
}

void dt_push_result(lua_State *L, const DtOptimizer *optimizer, const DtModel *model,
                    const DtPlan *plan, const DtCost *cost)
{
    luaL_checkstack(L, 12, "result");
    lua_newtable(L);
    dt_set_count(L, "n_gpus", cost->num_gpus);
    dt_set_number(L, "time", cost->time_s);
    dt_set_number(L, "utilization", cost->utilization_frac);
    dt_set_number(L, "memory", cost->memory_bytes);
    dt_set_flag(L, "fits", cost->fits);
    dt_set_known(L, "cost", cost->cost_usd);
    dt_set_known(L, "energy", cost->energy_J);
    DtModel *copy = dt_object_push(L, &dt_type_model);
    memcpy(copy, model, sizeof *copy);
    lua_setfield(L, -2, "model");
    push_plan(L, plan, optimizer->network.num_levels);
    lua_setfield(L, -2, "plan");
    lua_newtable(L);
    dt_set_number(L, "compute", cost->compute_s);
    dt_set_number(L, "tp", cost->tp_s);
    dt_set_number(L, "dp", cost->dp_s);
    dt_set_number(L, "pp_ep", cost->pp_ep_s);
    dt_set_number(L, "bubble", cost->bubble_s);
    dt_set_number(L, "latency", cost->latency_s);
    lua_setfield(L, -2, "breakdown");
    lua_newtable(L);
    dt_set_number(L, "compute", cost->exposed_compute_s);
    dt_set_number(L, "tp", cost->exposed_tp_s);
    dt_set_number(L, "dp", cost->exposed_dp_s);
    dt_set_number(L, "pp_ep", cost->exposed_pp_ep_s);
    dt_set_number(L, "bubble", cost->exposed_bubble_s);
    dt_set_number(L, "latency", cost->exposed_latency_s);
    lua_setfield(L, -2, "exposed");
    push_details(L, cost, optimizer->network.num_levels);
}
