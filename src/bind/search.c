/* The optimizer's methods: evaluate a plan, search for plans, sweep over models. */
#include <string.h>
#include <time.h>

#include "core/sweep.h"
#include "types.h"
#include "values.h"

enum { MAX_MODELS = 1000000 }; /* of a sweep */

static DtOptimizer *check_optimizer(lua_State *L, const char *what)
{
    return dt_object_check(L, 1, &dt_type_optimizer, what);
}

static DtModel *check_model(lua_State *L, int index, const char *what)
{
    return dt_object_check(L, index, &dt_type_model, what);
}

/* options.check_levels and partial_levels of evaluate. */
static void read_checks(lua_State *L, int index, bool *check_levels, bool *partial)
{
    static const char *const names[] = {"check_levels", "partial_levels", NULL};
    static const char *const what = "optimizer:evaluate";
    *check_levels = true;
    *partial = false;
    if (lua_isnoneornil(L, index))
        return;
    if (!lua_istable(L, index))
        dt_raise_got(L, index, "%s: options must be a table such as { check_levels = false }",
                     what);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        int i = dt_key_find(L, -2, names);
        if (i < 0) {
            dt_push_names(L, names);
            dt_raise_unknown(L, -3, what, "option");
        }
        *(i == 0 ? check_levels : partial) = dt_flag(L, -1, what, i == 0 ? names[0] : names[1]);
        lua_pop(L, 1);
    }
}

/* opt:evaluate(model, plan [, options]): the time of one plan. */
int dt_optimizer_evaluate(lua_State *L)
{
    static const char *const what = "optimizer:evaluate";
    lua_settop(L, 4);
    DtOptimizer *optimizer = check_optimizer(L, "optimizer:evaluate: self");
    DtModel *model = check_model(L, 2, "optimizer:evaluate: model");
    DtPlan plan;
    DtRun run;
    DtWork work;
    DtCost cost;
    DtError error;
    bool has_levels, check_levels, partial;
    dt_read_plan(L, 3, optimizer, &plan, &has_levels);
    read_checks(L, 4, &check_levels, &partial);
    dt_optimizer_run(optimizer, model, &run);
    dt_work_prepare(&work, &run);
    if (dt_plan_check(&plan, model, &error))
        dt_raise_error(L, what, &error);
    DtStatus status = !has_levels    ? dt_search_layout(&work, &plan, &error)
                      : check_levels ? dt_plan_check_levels(&plan, run.network, partial, &error)
                                     : dt_plan_check_parts(&plan, run.network->num_levels, &error);
    if (status)
        dt_raise_error(L, what, &error);
    dt_cost_evaluate(&work, &plan, &cost);
    dt_push_result(L, optimizer, model, &plan, &cost);
    return 1;
}

/* Owns what a search found, so that an error while it is turned into tables frees it. */
static int found_gc(lua_State *L)
{
    dt_found_free(lua_touserdata(L, 1));
    return 0;
}

static DtFound *push_found(lua_State *L)
{
    DtFound *found = lua_newuserdatauv(L, sizeof *found, 0);
    memset(found, 0, sizeof *found);
    if (luaL_newmetatable(L, "dtsim found plans")) {
        lua_pushcfunction(L, found_gc);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return found;
}

/* nil, reason for a question without an answer; raises for all else. */
static int no_answer(lua_State *L, const char *what, const DtError *error)
{
    bool odd_cluster = error->status == DT_ILLEGAL && strcmp(error->field, "n_gpus") == 0;
    if (error->status != DT_INFEASIBLE && !odd_cluster)
        return dt_raise_error(L, what, error);
    lua_pushnil(L);
    dt_push_error(L, error);
    return 2;
}

static void report_search(void *context, double fraction)
{
    (void)context;
    dt_report_progress(fraction, "search");
}

/* opt:search_plans(model, options, what) -> list of results, stats; or nil, reason. */
int dt_optimizer_search(lua_State *L)
{
    DtOptimizer *optimizer = check_optimizer(L, "optimizer: self");
    const char *what = luaL_optstring(L, 4, "optimizer:search_plans");
    DtModel *model = check_model(L, 2, lua_pushfstring(L, "%s: model", what));
    DtSearchOptions options;
    DtRun run;
    DtWork work;
    DtError error;
    dt_read_search_options(L, 3, optimizer, &options, what);
    options.progress = report_search;
    dt_optimizer_run(optimizer, model, &run);
    dt_work_prepare(&work, &run);
    DtFound *found = push_found(L);
    DtStatus status = dt_search(&work, &options, found, &error);
    dt_report_progress(1, "search");
    if (status)
        return no_answer(L, what, &error);
    lua_newtable(L);
    for (int i = 0; i < found->count; i++) {
        DtCost cost;
        dt_cost_evaluate(&work, &found->plan[i], &cost);
        dt_push_result(L, optimizer, model, &found->plan[i], &cost);
        lua_rawseti(L, -2, i + 1);
    }
    dt_push_stats(L, &found->stats);
    return 2;
}

static void report(void *context, double done, int total)
{
    (void)context;
    dt_report_progress(total > 0 ? done / total : 1, "sweep");
}

static double clock_s(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* opt:search_sweep(models, options, stop_utilization) -> list of results, how it ended; or nil,
 * reason. how: { reason, interrupted, seconds }. */
int dt_optimizer_sweep(lua_State *L)
{
    static const char *const what = "optimizer:sweep";
    DtOptimizer *optimizer = check_optimizer(L, "optimizer:sweep: self");
    luaL_checktype(L, 2, LUA_TTABLE);
    DtSweep sweep = {.stop_utilization = luaL_checknumber(L, 4), .progress = report};
    DtError error;
    const char *reason;
    lua_Integer length = luaL_len(L, 2);
    luaL_argcheck(L, length >= 0 && length <= MAX_MODELS, 2, "too many models");
    int count = (int)length, num_points;
    dt_read_search_options(L, 3, optimizer, &sweep.options, what);
    DtModel *models = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *models, 0);
    DtPoint *points = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *points, 0);
    for (int i = 0; i < count; i++) {
        lua_geti(L, 2, i + 1);
        memcpy(&models[i], check_model(L, -1, "optimizer:sweep: each model"), sizeof models[i]);
        lua_pop(L, 1);
    }
    dt_optimizer_run(optimizer, models, &sweep.run);
    sweep.models = models;
    sweep.num_models = count;
    double start_s = clock_s();
    DtStatus status = dt_sweep(&sweep, points, &num_points, &reason, &error);
    double seconds = clock_s() - start_s;
    dt_report_progress(1, "sweep");
    if (status && !(status == DT_INTERRUPTED && dt_take_interrupt(L)))
        return no_answer(L, what, &error);
    lua_createtable(L, num_points, 0);
    for (int i = 0; i < num_points; i++) {
        dt_push_result(L, optimizer, points[i].model, &points[i].plan, &points[i].cost);
        dt_push_stats(L, &points[i].stats);
        lua_setfield(L, -2, "search");
        lua_rawseti(L, -2, i + 1);
    }
    lua_newtable(L);
    dt_set_number(L, "seconds", seconds);
    dt_set_flag(L, "interrupted", status == DT_INTERRUPTED);
    if (reason) {
        lua_pushfstring(L, "no cluster can %s", reason);
        lua_setfield(L, -2, "reason");
    }
    return 2;
}
