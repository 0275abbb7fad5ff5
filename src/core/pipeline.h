/* pipeline.h: a pipeline schedule run event by event.
 *
 * Models: every forward, backward (and, for zero bubble, weight-gradient) pass of every microbatch
 * and chunk on its stage, in the order of the schedule, with uneven stages and the time between
 * stages. Leaves out: data parallelism, contention of messages.
 * Sources: Huang et al. (2019), GPipe; Narayanan et al. (2021), arXiv 2104.04473, section 2.2
 * (1F1B, interleaved); Qi et al. (2023), arXiv 2401.10241 (zero bubble, H1).
 * May include: error.h, trainplan.h.
 */
#ifndef DT_CORE_PIPELINE_H
#define DT_CORE_PIPELINE_H

#include "trainplan.h"

typedef struct {
    int stages, chunks, microbatches; /* each from 1 */
    DtSchedule schedule;              /* chunks > 1: interleaved */
    const double *forward_s;          /* by stage: one microbatch through all its chunks */
    const double *backward_s;
    double hop_s;       /* between neighbouring stages */
    double weight_frac; /* share of backward that makes weight gradients */
} DtPipeline;

typedef enum { DT_PASS_FORWARD, DT_PASS_BACKWARD, DT_PASS_WEIGHT } DtPassKind;
extern const char *const dt_pass_names[3];

typedef struct {
    int stage, chunk, microbatch; /* 0-based */
    DtPassKind kind;
    double start_s, end_s;
} DtPipelineEvent;

/* How many events a run has: 2 (zero bubble: 3) passes per stage, chunk and microbatch. */
size_t dt_pipeline_num_events(const DtPipeline *pipeline);

/* Runs the schedule. makespan_s: when the last pass ends. events: NULL or room for all of them, in
 * the order in which they start on each stage. Errors: DT_INVALID (a count below 1, interleaving
 * with GPipe), DT_INFEASIBLE (the order waits for itself: microbatches do not suit the
 * interleaving), DT_NO_MEMORY. */
DtStatus dt_pipeline_run(const DtPipeline *pipeline, double *makespan_s, DtPipelineEvent *events,
                         DtError *error);

#endif
