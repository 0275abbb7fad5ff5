/* Step time of real training runs, and what a plan may be.
 * Right values: measured steps and layers: arXiv 2205.05198 (tables 4 and 5), arXiv 2104.04473
 * (table 1). */
#include "check.h"
#include "core/steptime.h"
#include "train_fixtures.h"

static void layer_times(void)
{
    /* 22B on eight A100, four sequences: 7.7 ms forward, 11.9 ms backward. */
    DtTransformer model = fix_gpt(48, 6144, 64);
    DtSoftware software = fix_megatron_2021();
    DtMachine machine = fix_machine_a100();
    DtTrainPlan plan = fix_trainplan();
    DtCalibration calibration;
    DtRates rates;
    DtLayerTime layer;
    DtError error;
    plan.tp = 8;
    plan.microbatch = 4;
    CHECK(dt_trainplan_complete(&plan, &model, &error) == DT_OK);
    dt_calibration_init(&calibration, false);
    dt_rates_resolve(&calibration, &machine, &software, &plan, &rates);
    dt_layer_time(&model, &plan, &software, &rates, false, &layer);
    CHECK_CLOSE(layer.forward.total_s, 7.7e-3, 0.10);
    CHECK_CLOSE(layer.backward.total_s, 11.9e-3, 0.15);
    plan.recompute = DT_RECOMPUTE_FULL;
    plan.recompute_frac = 1;
    dt_layer_time(&model, &plan, &software, &rates, false, &layer);
    CHECK_CLOSE(layer.forward.total_s + layer.backward.total_s, 27.2e-3, 0.10);
}

static void measured_steps(void)
{
    static const struct {
        double layers, d_model, heads, tp, pp, v, dp, b, batch, step_s;
    } rows[] = {
        {24, 2304, 24, 1, 1, 1, 32, 16, 512, 3.52802},
        {30, 3072, 32, 2, 1, 1, 32, 16, 512, 3.69741},
        {80, 12288, 96, 8, 8, 2, 24, 2, 2304, 24.8174},
        {96, 12288, 96, 8, 8, 3, 1, 1, 64, 18.13},
        {128, 25600, 160, 8, 64, 1, 1, 1, 512, 94.42},
    };
    DtSoftware software = fix_megatron_2021();
    DtMachine machine = fix_machine_a100();
    DtCalibration calibration;
    dt_calibration_init(&calibration, false);
    for (int i = 0; i < 5; i++) {
        DtTransformer model = fix_gpt(rows[i].layers, rows[i].d_model, rows[i].heads);
        DtTrainPlan plan = fix_trainplan();
        DtStepTime time;
        DtError error;
        CHECK_CASE("%g layers of %g", rows[i].layers, rows[i].d_model);
        plan.tp = rows[i].tp;
        plan.pp = rows[i].pp;
        plan.interleave = rows[i].v;
        plan.dp = rows[i].dp;
        plan.microbatch = rows[i].b;
        plan.batch = rows[i].batch;
        plan.recompute = DT_RECOMPUTE_FULL;
        CHECK(dt_trainplan_complete(&plan, &model, &error) == DT_OK);
        dt_step_time(&model, &plan, &software, &machine, &calibration, &time, NULL, NULL);
        CHECK_CLOSE(time.step_s, rows[i].step_s, 0.12);
        double parts = time.compute_s + time.recompute_s + time.tp_s + time.cp_s + time.ep_s +
                       time.pp_s + time.dp_s + time.bubble_s + time.optimizer_s + time.host_s +
                       time.jitter_s;
        CHECK_CLOSE(parts, time.step_s, 1e-12);
        CHECK(time.compute_s > 0.4 * time.step_s);
        /* Perfect kernels and no overheads are faster. */
        DtCalibration ideal;
        DtStepTime bound;
        dt_calibration_init(&ideal, true);
        dt_step_time(&model, &plan, &software, &machine, &ideal, &bound, NULL, NULL);
        CHECK(bound.step_s < time.step_s);
    }
}

static void illegal(void)
{
    static const struct {
        const char *field;
        DtTrainPlan plan;
    } rows[] = {
        {"dp", {.gpus = 8, .tp = 3}},
        {"tp", {.gpus = 10, .tp = 5, .dp = 2}},
        {"pp", {.pp = 50}},
        {"interleave", {.interleave = 2}},
        {"ep", {.ep = 2, .dp = 2}},
        {"zero", {.zero = 4}},
        {"zero", {.zero = 3, .pp = 2}},
        {"batch", {.dp = 4, .batch = 6}},
        {"shard_group", {.zero = 3, .dp = 8, .shard_group = 3}},
    };
    DtTransformer model = fix_gpt(48, 6144, 64);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DtTrainPlan plan = rows[i].plan;
        DtError error = {0};
        CHECK_CASE("%s", rows[i].field);
        CHECK(dt_trainplan_complete(&plan, &model, &error) != DT_OK);
        CHECK_STR(error.field, rows[i].field);
        CHECK(plan.gpus == rows[i].plan.gpus);
    }
}

/* 126 layers on 16 stages: even chunks where embedding and head count as a layer each. */
static void splits(void)
{
    DtTransformer model = fix_llama(126, 16384, 53248, 128, 8, 128256, 8192);
    DtTrainPlan plan = fix_trainplan();
    double layers[DT_MAX_STAGES];
    plan.pp = 16;
    dt_trainplan_split(&plan, &model, layers);
    CHECK_CLOSE(layers[0], 8, 0);
    CHECK_CLOSE(layers[15], 7, 0);
    plan.split = DT_SPLIT_ENDS;
    dt_trainplan_split(&plan, &model, layers);
    CHECK_CLOSE(layers[0], 7, 0);
    CHECK_CLOSE(layers[1], 8, 0);
    CHECK_CLOSE(layers[15], 7, 0);
}

int main(void)
{
    layer_times();
    measured_steps();
    illegal();
    splits();
    return check_finish("steptime");
}
