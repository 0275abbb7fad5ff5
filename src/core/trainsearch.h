/* trainsearch.h: the best way to lay out a real training run on a given number of GPUs.
 *
 * Takes every legal plan: degrees of tensor, context, pipeline and expert parallelism, microbatch,
 * interleaving, sharding of states, recomputation. Memory is a constraint. A bound on the step time
 * that holds for all plans sharing layers (the layers' own time, no bubble, no data-parallel
 * traffic) orders and prunes them; it only cuts what is strictly slower than the best so far, and
 * ties go by the plan itself, so pruning never changes the answer.
 * May include: steptime.h, trainmemory.h, trainpower.h.
 */
#ifndef DT_CORE_TRAINSEARCH_H
#define DT_CORE_TRAINSEARCH_H

#include "trainmemory.h"
#include "trainpower.h"

typedef struct {
    double gpus;
    double batch; /* sequences of a step; 0: batch_per_gpu times GPUs */
    double batch_per_gpu;
    bool all;      /* no pruning: for tests */
    bool doubtful; /* plans that may not fit are taken too */
    int top;       /* plans wanted, 1 to DT_MAX_TOP */
    bool (*stop)(void *context);
    void *context;
} DtTrainQuestion;

enum { DT_MAX_TOP = 32 };

typedef struct {
    DtTrainPlan plan;
    DtStepTime time;
    DtTrainMemory memory;
} DtTrainAnswer;

typedef struct {
    double candidates; /* legal plans considered: evaluated or cut by a bound */
    double evaluated;  /* of them timed */
    double too_big;    /* of the timed ones, those that were fast enough and did not fit */
    int found;
} DtTrainSearchStats;

/* The fastest plans that fit, best first, into answers[0 .. top - 1]. base: what all plans share
 * (precisions, widths, schedule, sequence_parallel where tp > 1; expert_tp where given, else as tp
 * or 1; an order other than the default, else data parallelism or stages may be the neighbours).
 * Errors: DT_INFEASIBLE (no legal
 * plan fits; stats are set), DT_NO_MEMORY, DT_INTERRUPTED. */
DtStatus dt_train_search(const DtTransformer *model, const DtTrainPlan *base,
                         const DtSoftware *software, const DtMachine *machine,
                         const DtCalibration *calibration, const DtTrainQuestion *question,
                         DtTrainAnswer *answers, DtTrainSearchStats *stats, DtError *error);

#endif
