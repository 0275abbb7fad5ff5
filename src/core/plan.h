/* plan.h: how a training run is split over the GPUs, and which splits are legal.
 *
 * A plan has five degrees of parallelism, each split again over the network levels, and a
 * schedule. Source: arXiv 2411.01137, sections on parallelism.
 * May include: error.h, model.h, network.h.
 */
#ifndef DT_CORE_PLAN_H
#define DT_CORE_PLAN_H

#include "model.h"
#include "network.h"

typedef enum {
    DT_DP,       /* data parallelism: replicas, each with its share of the batch */
    DT_TP_MODEL, /* tensor parallelism over d_model */
    DT_TP_FF,    /* tensor parallelism over d_ff */
    DT_PP,       /* pipeline parallelism: stages of layers */
    DT_EP,       /* expert parallelism: experts */
    DT_NUM_KINDS
} DtKind;
extern const char *const dt_kind_names[DT_NUM_KINDS]; /* as scripts write them */

typedef struct {
    uint64_t degree[DT_NUM_KINDS];
    uint64_t part[DT_NUM_KINDS][DT_MAX_LEVELS]; /* a degree's factor on each level */
    uint64_t microbatches;                      /* of each data-parallel replica */
    uint64_t interleave;                        /* model chunks per pipeline stage */
    bool zero_bubble;
    bool recompute; /* activations are computed again in backward */
} DtPlan;

/* GPUs of a plan: the product of its degrees, each at least 1. 0 if it passes 2^62. */
uint64_t dt_plan_num_gpus(const DtPlan *plan);

/* Checks degrees and schedule against the model, not the layout. Errors: DT_ILLEGAL with the
 * field, its value and what it must divide or exceed. */
DtStatus dt_plan_check(const DtPlan *plan, const DtModel *model, DtError *error);

/* Checks the layout: the parts of a degree multiply to it, and every inner level is filled
 * exactly (a cluster smaller than the inner levels fills the levels it reaches, the last of them
 * in part) or, with `partial`, holds at most its size. Errors: DT_ILLEGAL. */
DtStatus dt_plan_check_levels(const DtPlan *plan, const DtNetwork *network, bool partial,
                              DtError *error);

/* Checks that the parts of each degree multiply to it, no more. Errors: DT_ILLEGAL. */
DtStatus dt_plan_check_parts(const DtPlan *plan, int num_levels, DtError *error);

/* Sizes to fill on each inner level by num_gpus GPUs, filled from the innermost: sizes[0 ..
 * num_levels - 2]. The outermost takes the rest. Errors: DT_ILLEGAL: num_gpus is no multiple of
 * what the inner levels hold. */
DtStatus dt_plan_level_sizes(const DtNetwork *network, uint64_t num_gpus,
                             uint64_t sizes[DT_MAX_LEVELS], DtError *error);

#endif
