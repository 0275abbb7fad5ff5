#include <string.h>

#include "core/pipeline.h"
#include "core/trainsearch.h"
#include "train.h"
#include "types.h"
#include "values.h"

/* The number t[name] of the table at `index`; fallback where absent. */
static double number(lua_State *L, int index, const char *name, const char *kind, double fallback,
                     const char *what)
{
    double value = fallback;
    if (lua_getfield(L, index, name) != LUA_TNIL)
        value = dt_quantity(L, -1, kind, what, name);
    lua_pop(L, 1);
    return value;
}

static bool flag(lua_State *L, int index, const char *name)
{
    lua_getfield(L, index, name);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

static void check_question(lua_State *L, const DtTrainQuestion *q, const char *what)
{
    if (!(q->gpus >= 1) || q->gpus > 1e9)
        dt_raise(L, "%s: gpus must be a whole number from 1, got %f", what, q->gpus);
    if (!(q->batch > 0) && !(q->batch_per_gpu > 0))
        dt_raise(L, "%s: batch or batch_per_gpu is missing (sequences)", what);
    if (q->top < 1 || q->top > DT_MAX_TOP)
        dt_raise(L, "%s: top must be from 1 to %d, got %d", what, (int)DT_MAX_TOP, q->top);
}

/* search(model, base, software, machine, calibration, site, { gpus, batch, batch_per_gpu, top,
 * doubtful, exhaustive }) -> list of results, statistics; nil, reason, statistics */
static int search(lua_State *L)
{
    static const char what[] = "search";
    DtRunCase run;
    DtCalibration calibration;
    DtSite site;
    DtTrainAnswer answers[DT_MAX_TOP];
    DtTrainSearchStats stats;
    DtError error;
    lua_settop(L, 7);
    luaL_checktype(L, 7, LUA_TTABLE);
    run.model = *(DtTransformer *)dt_object_check(L, 1, &dt_type_transformer, what);
    run.plan = *(DtTrainPlan *)dt_object_check(L, 2, &dt_type_trainplan, what);
    run.software = *(DtSoftware *)dt_object_check(L, 3, &dt_type_software, what);
    run.machine = *(DtMachine *)dt_object_check(L, 4, &dt_type_machine, what);
    dt_read_calibration(L, 5, &calibration, what);
    dt_read_site(L, 6, &site, what);
    DtTrainQuestion q = {.gpus = number(L, 7, "gpus", "count", 0, what),
                         .batch = number(L, 7, "batch", "count", 0, what),
                         .batch_per_gpu = number(L, 7, "batch_per_gpu", "count", 0, what),
                         .top = (int)number(L, 7, "top", "count", 1, what),
                         .doubtful = flag(L, 7, "doubtful"),
                         .all = flag(L, 7, "exhaustive"),
                         .stop = dt_should_stop,
                         .context = L};
    check_question(L, &q, what);
    DtStatus status = dt_train_search(&run.model, &run.plan, &run.software, &run.machine,
                                      &calibration, &q, answers, &stats, &error);
    if (status == DT_OK) {
        lua_newtable(L);
        for (int i = 0; i < stats.found; i++) {
            run.plan = answers[i].plan;
            dt_push_train_result(L, &run, &answers[i].time, &answers[i].memory, &site);
            lua_rawseti(L, -2, i + 1);
        }
    } else if (status == DT_INFEASIBLE) {
        lua_pushnil(L);
        dt_push_error(L, &error);
    } else {
        dt_raise_error(L, what, &error);
    }
    lua_newtable(L);
    dt_set_whole(L, "candidates", stats.candidates);
    dt_set_whole(L, "evaluated", stats.evaluated);
    dt_set_whole(L, "too_big", stats.too_big);
    return status == DT_OK ? 2 : 3;
}

/* timeline(model, plan, software, machine, calibration) -> events, makespan. The whole step's
 * pipeline; events: lists { stage, kind, chunk, microbatch, start, end }. */
static int timeline(lua_State *L)
{
    static const char what[] = "timeline";
    DtRunCase run;
    DtCalibration calibration;
    DtStepTime time;
    DtError error;
    double forward_s[DT_MAX_STAGES], backward_s[DT_MAX_STAGES];
    double makespan_s = 0;
    lua_settop(L, 5);
    dt_read_case(L, 1, &run, what);
    dt_read_calibration(L, 5, &calibration, what);
    dt_step_time(&run.model, &run.plan, &run.software, &run.machine, &calibration, &time, forward_s,
                 backward_s);
    double microbatches = dt_trainplan_microbatches(&run.plan);
    double hops = 2 * (run.plan.pp - 1);
    DtPipeline pipeline = {.stages = (int)run.plan.pp,
                           .chunks = (int)run.plan.interleave,
                           .microbatches = (int)microbatches,
                           .schedule = (DtSchedule)run.plan.schedule,
                           .forward_s = forward_s,
                           .backward_s = backward_s,
                           .weight_frac = 0.5,
                           .hop_s = hops > 0 ? time.pp_s / (hops + microbatches) : 0};
    size_t count = dt_pipeline_num_events(&pipeline);
    if (count > 2000000)
        dt_raise(L, "%s: %f passes are too many to draw", what, (double)count);
    DtPipelineEvent *events = lua_newuserdatauv(L, count * sizeof *events, 0);
    if (dt_pipeline_run(&pipeline, &makespan_s, events, &error))
        dt_raise_error(L, what, &error);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(L, 0, 6);
        dt_set_whole(L, "stage", events[i].stage + 1);
        dt_set_whole(L, "chunk", events[i].chunk + 1);
        dt_set_whole(L, "microbatch", events[i].microbatch + 1);
        lua_pushstring(L, dt_pass_names[events[i].kind]);
        lua_setfield(L, -2, "kind");
        dt_set_number(L, "start", events[i].start_s);
        dt_set_number(L, "stop", events[i].end_s);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_pushnumber(L, makespan_s);
    return 2;
}

static int operation_of(lua_State *L, int index)
{
    const char *names[DT_NUM_OPERATIONS + 1] = {NULL};
    for (int i = 0; i < DT_NUM_OPERATIONS; i++)
        names[i] = dt_operation_names[i];
    return dt_choice(L, index, names, "collective", "operation");
}

/* The algorithm that the question at 2 names, -1 for none. Raises with the known ones. */
static int wanted_algorithm(lua_State *L, DtOperation operation)
{
    if (lua_getfield(L, 2, "algorithm") == LUA_TNIL) {
        lua_pop(L, 1);
        return -1;
    }
    const char *names[16] = {NULL};
    int count = 0;
    for (int i = 0; i < dt_num_algorithms && count < 15; i++)
        if (dt_algorithms[i].operation == operation)
            names[count++] = dt_algorithms[i].name;
    int choice = dt_choice(L, -1, names, "collective", "algorithm");
    lua_pop(L, 1);
    return dt_algorithm_find(operation, names[choice]);
}

/* collective(machine, { operation, ranks, inner, bytes, calls, algorithm }) -> { time,
 * bus_bandwidth,
 * algorithm, formula, source } */
static int collective(lua_State *L)
{
    static const char what[] = "collective";
    DtMachine machine = *(DtMachine *)dt_object_check(L, 1, &dt_type_machine, what);
    DtSoftware software = {0};
    DtTrainPlan plan = {.gpus = 1};
    DtCalibration calibration;
    DtRates rates;
    int chosen;
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    dt_read_calibration(L, 3, &calibration, what);
    dt_rates_resolve(&calibration, &machine, &software, &plan, &rates);
    lua_getfield(L, 2, "operation");
    int operation = operation_of(L, -1);
    double ranks = number(L, 2, "ranks", "count", 0, what);
    double bytes = number(L, 2, "bytes", "bytes", 0, what);
    if (!(ranks >= 2))
        dt_raise(L, "%s: ranks must be at least 2, got %f", what, ranks);
    DtGroup group = dt_rates_group(&rates, ranks, number(L, 2, "inner", "count", 1, what));
    double calls = number(L, 2, "calls", "count", 1, what);
    chosen = wanted_algorithm(L, (DtOperation)operation);
    double time_s = chosen >= 0
                        ? dt_algorithms[chosen].time_s(&group, bytes, calls)
                        : dt_collective_s(&group, (DtOperation)operation, bytes, calls, &chosen);
    lua_newtable(L);
    dt_set_number(L, "time", time_s);
    dt_set_number(L, "bus_bandwidth",
                  dt_collective_bus_Bps(&group, (DtOperation)operation, bytes, time_s));
    lua_pushstring(L, dt_algorithms[chosen].name);
    lua_setfield(L, -2, "algorithm");
    lua_pushstring(L, dt_algorithms[chosen].formula);
    lua_setfield(L, -2, "formula");
    lua_pushstring(L, dt_algorithms[chosen].source);
    lua_setfield(L, -2, "source");
    return 1;
}

/* algorithms() -> the table of algorithms: { name, operation, usual, formula, source } */
static int algorithms(lua_State *L)
{
    lua_newtable(L);
    for (int i = 0; i < dt_num_algorithms; i++) {
        const DtAlgorithm *a = &dt_algorithms[i];
        lua_newtable(L);
        lua_pushstring(L, a->name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, dt_operation_names[a->operation]);
        lua_setfield(L, -2, "operation");
        dt_set_flag(L, "usual", a->usual);
        lua_pushstring(L, a->formula);
        lua_setfield(L, -2, "formula");
        lua_pushstring(L, a->source);
        lua_setfield(L, -2, "source");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

const luaL_Reg dt_train_search_functions[] = {
    {"search", search},         {"timeline", timeline}, {"collective", collective},
    {"algorithms", algorithms}, {NULL, NULL},
};
