#include "train.h"

#include <string.h>

#include "core/fit.h"
#include "types.h"
#include "values.h"

void dt_read_case(lua_State *L, int index, DtRunCase *run, const char *what)
{
    DtError error;
    run->model = *(DtTransformer *)dt_object_check(L, index, &dt_type_transformer, what);
    run->plan = *(DtTrainPlan *)dt_object_check(L, index + 1, &dt_type_trainplan, what);
    run->software = *(DtSoftware *)dt_object_check(L, index + 2, &dt_type_software, what);
    run->machine = *(DtMachine *)dt_object_check(L, index + 3, &dt_type_machine, what);
    if (dt_trainplan_complete(&run->plan, &run->model, &error))
        dt_raise_error(L, what, &error);
}

void dt_read_calibration(lua_State *L, int index, DtCalibration *calibration, const char *what)
{
    bool ideal = false;
    index = lua_absindex(L, index);
    if (lua_istable(L, index)) {
        lua_getfield(L, index, "first_principles");
        ideal = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    dt_calibration_init(calibration, ideal);
    if (!lua_istable(L, index))
        return;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        if (strcmp(name, "first_principles") != 0) {
            int constant = dt_calibration_find(name);
            if (constant < 0) {
                dt_raise(L, "%s: there is no constant '%s'", what, name);
                return;
            }
            calibration->value[constant] =
                dt_quantity(L, -1, "", what, dt_calibration_rows[constant].name);
        }
        lua_pop(L, 1);
    }
}

static void push_times(lua_State *L, const DtStepTime *t)
{
    lua_newtable(L);
    dt_set_number(L, "compute", t->compute_s);
    dt_set_number(L, "recompute", t->recompute_s);
    dt_set_number(L, "tp", t->tp_s);
    dt_set_number(L, "cp", t->cp_s);
    dt_set_number(L, "ep", t->ep_s);
    dt_set_number(L, "pp", t->pp_s);
    dt_set_number(L, "dp", t->dp_s);
    dt_set_number(L, "bubble", t->bubble_s);
    dt_set_number(L, "optimizer", t->optimizer_s);
    dt_set_number(L, "host", t->host_s);
    dt_set_number(L, "jitter", t->jitter_s);
}

static void push_used(lua_State *L, const DtCalibration *calibration, const DtRates *rates)
{
    int count = 0;
    lua_newtable(L);
    for (int i = 0; i < DT_NUM_CONSTANTS; i++) {
        const DtCalibrationRow *row = &dt_calibration_rows[i];
        if (!rates->used[i])
            continue;
        lua_newtable(L);
        lua_pushstring(L, row->name);
        lua_setfield(L, -2, "name");
        dt_set_number(L, "value", calibration->value[i]);
        lua_pushstring(L, dt_origin_names[row->origin]);
        lua_setfield(L, -2, "origin");
        lua_rawseti(L, -2, ++count);
    }
}

static void push_memory(lua_State *L, const DtTrainMemory *m)
{
    const DtStageMemory *s = &m->worst;
    lua_newtable(L);
    dt_set_whole(L, "stage", m->stage + 1);
    dt_set_whole(L, "layers", s->layers);
    dt_set_whole(L, "in_flight", s->in_flight);
    dt_set_whole(L, "parameters", s->parameters);
    dt_set_number(L, "weights", s->weights_bytes);
    dt_set_number(L, "gradients", s->gradients_bytes);
    dt_set_number(L, "optimizer", s->optimizer_bytes);
    dt_set_number(L, "activations", s->activations_bytes);
    dt_set_number(L, "logits", s->logits_bytes);
    dt_set_number(L, "workspace", s->workspace_bytes);
    dt_set_number(L, "buffers", s->buffers_bytes);
    dt_set_number(L, "allocated", s->allocated_bytes);
    dt_set_number(L, "reserved", s->reserved_bytes);
    dt_set_number(L, "usable", m->usable_bytes);
    lua_pushstring(L, dt_moment_names[s->moment]);
    lua_setfield(L, -2, "moment");
    lua_pushstring(L, dt_verdict_names[m->verdict]);
    lua_setfield(L, -2, "verdict");
    lua_pushstring(L, m->largest);
    lua_setfield(L, -2, "largest");
}

/* memory(model, plan, software, machine) -> table */
static int memory(lua_State *L)
{
    DtRunCase run;
    dt_read_case(L, 1, &run, "memory");
    DtTrainMemory m = dt_train_memory(&run.model, &run.plan, &run.software, &run.machine);
    push_memory(L, &m);
    return 1;
}

static void push_power(lua_State *L, const DtTrainPower *p)
{
    lua_newtable(L);
    dt_set_number(L, "gpu", p->gpu_w);
    dt_set_number(L, "node_per_gpu", p->node_w);
    dt_set_number(L, "total", p->total_w);
    dt_set_number(L, "step_energy", p->step_J);
    dt_set_number(L, "token_energy", p->token_J);
    dt_set_number(L, "rent_per_step", p->rent_usd_per_step);
    dt_set_number(L, "energy_cost_per_step", p->energy_usd_per_step);
    dt_set_number(L, "hardware_cost_per_step", p->buy_usd_per_step);
    dt_set_number(L, "carbon_per_step", p->carbon_g_per_step);
}

void dt_read_site(lua_State *L, int index, DtSite *site, const char *what)
{
    *site = dt_site_default();
    if (!lua_istable(L, index))
        return;
    index = lua_absindex(L, index);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        const DtField *found = NULL;
        DtError error;
        for (int i = 0; i < DT_SITE_NUM_FIELDS; i++)
            if (strcmp(dt_site_fields[i].name, name) == 0)
                found = &dt_site_fields[i];
        if (!found) {
            dt_raise(L, "%s: a site has no field '%s'", what, name);
            return;
        }
        double value = dt_quantity(L, -1, found->kind, what, found->name);
        if (dt_field_check(found, value, &error))
            dt_raise_error(L, what, &error);
        void *place = (char *)site + found->offset;
        *(double *)place = value;
        lua_pop(L, 1);
    }
}

void dt_push_train_result(lua_State *L, const DtRunCase *run, const DtStepTime *t,
                          const DtTrainMemory *m, const DtSite *site)
{
    DtTrainPower power = dt_train_power(&run->machine, &run->plan, t, site);
    double exact = dt_transformer_flop_per_token(&run->model, DT_FLOP_EXACT, 0);
    double rate = t->tokens / t->step_s / run->plan.gpus;
    lua_newtable(L);
    dt_set_number(L, "step_time", t->step_s);
    dt_set_count(L, "gpus", (uint64_t)run->plan.gpus);
    dt_set_whole(L, "tokens", t->tokens);
    dt_set_number(L, "tokens_per_s", t->tokens / t->step_s);
    dt_set_number(L, "tokens_per_s_per_gpu", rate);
    dt_set_number(L, "flop_per_s_per_gpu", exact * rate);
    dt_set_number(L, "mfu", exact * rate / run->machine.peak16_flop_per_s);
    dt_set_count(L, "microbatches", (uint64_t)dt_trainplan_microbatches(&run->plan));
    dt_set_number(L, "hidden", t->hidden_s);
    dt_set_number(L, "exposed", t->tp_s + t->cp_s + t->ep_s + t->pp_s + t->dp_s);
    dt_set_number(L, "matmul", t->matmul_s);
    dt_set_number(L, "attention", t->attention_s);
    dt_set_number(L, "element_wise", t->element_s);
    push_times(L, t);
    lua_setfield(L, -2, "breakdown");
    push_memory(L, m);
    lua_setfield(L, -2, "memory");
    push_power(L, &power);
    lua_setfield(L, -2, "power");
    DtTrainPlan *plan = dt_object_push(L, &dt_type_trainplan);
    *plan = run->plan;
    lua_setfield(L, -2, "plan");
}

/* predict(model, plan, software, machine [, calibration [, site]]) -> table */
static int predict(lua_State *L)
{
    DtRunCase run;
    DtCalibration calibration;
    DtRates rates;
    DtLayers layers;
    DtStepTime t;
    DtSite site;
    lua_settop(L, 6);
    dt_read_case(L, 1, &run, "predict");
    dt_read_calibration(L, 5, &calibration, "predict");
    dt_read_site(L, 6, &site, "predict");
    dt_rates_resolve(&calibration, &run.machine, &run.software, &run.plan, &rates);
    dt_step_layers(&run.model, &run.plan, &run.software, &rates, &layers);
    dt_step_time_of(&run.model, &run.plan, &run.software, &rates, &layers, &t, NULL, NULL);
    DtTrainMemory m = dt_train_memory(&run.model, &run.plan, &run.software, &run.machine);
    dt_push_train_result(L, &run, &t, &m, &site);
    push_used(L, &calibration, &rates);
    lua_setfield(L, -2, "constants");
    return 1;
}

/* constants() -> the rows of the calibration */
static int constants(lua_State *L)
{
    lua_newtable(L);
    for (int i = 0; i < DT_NUM_CONSTANTS; i++) {
        const DtCalibrationRow *row = &dt_calibration_rows[i];
        lua_newtable(L);
        lua_pushstring(L, row->name);
        lua_setfield(L, -2, "name");
        dt_set_number(L, "value", row->value);
        dt_set_number(L, "start", row->start);
        dt_set_number(L, "ideal", row->ideal);
        dt_set_number(L, "low", row->low);
        dt_set_number(L, "high", row->high);
        lua_pushstring(L, row->unit);
        lua_setfield(L, -2, "unit");
        lua_pushstring(L, dt_origin_names[row->origin]);
        lua_setfield(L, -2, "origin");
        lua_pushstring(L, row->meaning);
        lua_setfield(L, -2, "meaning");
        lua_pushstring(L, row->set_by);
        lua_setfield(L, -2, "set_by");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static double option(lua_State *L, int index, const char *name, double fallback)
{
    double value = fallback;
    if (lua_istable(L, index)) {
        if (lua_getfield(L, index, name) != LUA_TNIL)
            value = dt_quantity(L, -1, "", "fit", name);
        lua_pop(L, 1);
    }
    return value;
}

static void read_free(lua_State *L, int index, DtFitOptions *options)
{
    bool listed = false;
    if (lua_istable(L, index)) {
        if (lua_getfield(L, index, "free") == LUA_TTABLE) {
            listed = true;
            for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
                int constant = dt_calibration_find(luaL_checkstring(L, -1));
                if (constant < 0) {
                    dt_raise(L, "fit: there is no constant '%s'", lua_tostring(L, -1));
                    return;
                }
                options->free[constant] = true;
                lua_pop(L, 1);
            }
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    for (int i = 0; i < DT_NUM_CONSTANTS && !listed; i++)
        options->free[i] = true;
}

/* fit(rows, options) -> { constant = value }, report. rows: { { model, plan, software, machine,
 * measured, weight }, ... }; options: free (names), prior, prior_weight, scale, iterations,
 * calibration (start). */
static int fit(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    int num_rows = (int)lua_rawlen(L, 1);
    DtFitOptions options = {.stop = dt_should_stop, .context = L};
    DtCalibration calibration;
    DtFitReport report;
    DtError error;
    lua_settop(L, 2);
    read_free(L, 2, &options);
    options.prior = option(L, 2, "prior", 0.35);
    options.prior_weight = option(L, 2, "prior_weight", 1);
    options.scale = option(L, 2, "scale", 0.06);
    options.max_iterations = (int)option(L, 2, "iterations", 40);
    if (lua_istable(L, 2))
        lua_getfield(L, 2, "calibration");
    else
        lua_pushnil(L);
    dt_read_calibration(L, -1, &calibration, "fit");
    for (int i = 0; i < DT_NUM_CONSTANTS && !lua_istable(L, -1); i++)
        if (options.free[i])
            calibration.value[i] = dt_calibration_rows[i].start;
    DtMeasurement *rows = lua_newuserdatauv(L, sizeof *rows * (size_t)(num_rows + 1), 0);
    for (int i = 0; i < num_rows; i++) {
        DtRunCase run;
        lua_rawgeti(L, 1, i + 1);
        int row = lua_gettop(L);
        for (int k = 1; k <= 6; k++)
            lua_rawgeti(L, row, k);
        dt_read_case(L, row + 1, &run, "fit");
        rows[i] = (DtMeasurement){run.model,
                                  run.plan,
                                  run.software,
                                  run.machine,
                                  dt_quantity(L, row + 5, "time", "fit", "measured"),
                                  dt_quantity(L, row + 6, "", "fit", "weight")};
        lua_settop(L, row - 1);
    }
    if (dt_fit(rows, num_rows, &options, &calibration, &report, &error))
        dt_raise_error(L, "fit", &error);
    lua_newtable(L);
    for (int i = 0; i < DT_NUM_CONSTANTS; i++)
        dt_set_number(L, dt_calibration_rows[i].name, calibration.value[i]);
    lua_newtable(L);
    dt_set_whole(L, "iterations", report.iterations);
    dt_set_number(L, "start_cost", report.start_cost);
    dt_set_number(L, "cost", report.cost);
    return 2;
}

static int construct(lua_State *L)
{
    const DtType *object_type = lua_touserdata(L, lua_upvalueindex(1));
    void *object = dt_object_push(L, object_type);
    dt_object_read(L, 1, object_type, object, true, object_type->name);
    return 1;
}

void dt_train_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"predict", predict},
                                         {"memory", memory},
                                         {"constants", constants},
                                         {"fit", fit},
                                         {NULL, NULL}};
    static const DtType *const types[] = {&dt_type_transformer, &dt_type_machine, &dt_type_software,
                                          &dt_type_trainplan};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        dt_object_register(L, types[i]);
        lua_pushlightuserdata(L, (void *)types[i]);
        lua_pushcclosure(L, construct, 1);
        lua_setfield(L, -2, types[i]->name);
    }
    lua_newtable(L);
    luaL_setfuncs(L, functions, 0);
    luaL_setfuncs(L, dt_train_search_functions, 0);
    lua_setfield(L, -2, "train");
}
