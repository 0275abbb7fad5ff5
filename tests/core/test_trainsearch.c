/* The search for real training plans: pruning changes nothing, memory is kept, it is quick.
 * Right values: the same search without pruning; plans checked one by one. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "core/trainsearch.h"
#include "train_fixtures.h"

#include <time.h>

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    DtTransformer model;
    DtMachine machine;
    double gpus, batch;
    DtOrder order;
} Case;

static void same_without_pruning(const Case *c, bool report)
{
    DtTrainPlan base = fix_trainplan();
    DtSoftware software = fix_megatron_core();
    DtCalibration calibration;
    DtTrainQuestion question = {.gpus = c->gpus, .batch = c->batch, .top = 4};
    DtTrainAnswer pruned[DT_MAX_TOP], all[DT_MAX_TOP];
    DtTrainSearchStats stats, all_stats;
    DtError error;
    dt_calibration_init(&calibration, false);
    base.sequence_parallel = true;
    base.order = c->order;
    double start = now_s();
    DtStatus status = dt_train_search(&c->model, &base, &software, &c->machine, &calibration,
                                      &question, pruned, &stats, &error);
    double took = now_s() - start;
    question.all = true;
    CHECK(dt_train_search(&c->model, &base, &software, &c->machine, &calibration, &question, all,
                          &all_stats, &error) == status);
    if (report)
        CHECK(took < 1);
    CHECK_INT(stats.found, all_stats.found);
    CHECK_CLOSE(stats.candidates, all_stats.candidates, 0);
    for (int i = 0; i < stats.found && i < all_stats.found; i++) {
        CHECK(memcmp(&pruned[i].plan, &all[i].plan, sizeof pruned[i].plan) == 0);
        CHECK_CLOSE(pruned[i].time.step_s, all[i].time.step_s, 0);
        CHECK(pruned[i].memory.verdict == DT_FITS);
        DtTrainPlan plan = pruned[i].plan;
        DtStepTime time;
        CHECK(dt_trainplan_complete(&plan, &c->model, &error) == DT_OK);
        dt_step_time(&c->model, &plan, &software, &c->machine, &calibration, &time, NULL, NULL);
        CHECK_CLOSE(time.step_s, pruned[i].time.step_s, 1e-12);
    }
}

int main(void)
{
    DtTransformer llama405 = fix_llama(126, 16384, 53248, 128, 8, 128256, 8192);
    DtTransformer llama8 = fix_llama(32, 4096, 14336, 32, 8, 128256, 8192);
    DtTransformer mixtral = fix_llama(32, 4096, 14336, 32, 8, 32000, 4096);
    DtError error;
    mixtral.experts = 8;
    mixtral.top_k = 2;
    CHECK(dt_transformer_complete(&mixtral, &error) == DT_OK);
    const Case cases[] = {
        {llama405, fix_machine_h100(), 16384, 2048, DT_ORDER_TP_CP_DP_PP},
        {fix_gpt(96, 12288, 96), fix_machine_a100(), 1024, 1536, DT_ORDER_TP_CP_DP_PP},
        {llama8, fix_machine_h100(), 64, 128, DT_ORDER_TP_CP_DP_PP},
        {llama8, fix_machine_h100(), 24, 96, DT_ORDER_TP_CP_DP_PP},
        {mixtral, fix_machine_h100(), 128, 512, DT_ORDER_TP_CP_DP_PP},
        {llama405, fix_machine_h100(), 8, 64, DT_ORDER_TP_CP_DP_PP},
        {llama8, fix_machine_h100(), 64, 128, DT_ORDER_DP_TP_CP_PP},
        {llama8, fix_machine_h100(), 64, 128, DT_ORDER_TP_CP_PP_DP},
    };
    for (int i = 0; i < 8; i++) {
        CHECK_CASE("case %d", i);
        same_without_pruning(&cases[i], i < 2);
    }
    return check_finish("trainsearch");
}
