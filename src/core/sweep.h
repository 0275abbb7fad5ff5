/* sweep.h: the best cluster for each of a list of models.
 *
 * The models are made before (scaling laws are the caller's); a sweep is the searches for all of
 * them, side by side on several threads, with the rule where it ends.
 * Source: arXiv 2411.01137, the sweeps behind its figures; end rules of the authors' simulator.
 * May include: search.h.
 */
#ifndef DT_CORE_SWEEP_H
#define DT_CORE_SWEEP_H

#include "search.h"

typedef struct {
    const DtModel *model; /* borrowed from the caller's list */
    DtPlan plan;
    DtCost cost;
    DtSearchStats stats;
} DtPoint;

/* What a sweep is to do. Pointers are borrowed. */
typedef struct {
    DtRun run;             /* its model is not used */
    const DtModel *models; /* in the order of the sweep, each finished */
    int num_models;
    DtSearchOptions options; /* of each search; num_threads is of the sweep */
    double stop_utilization; /* the sweep ends after a point of lower utilization */
    /* Called now and then by the calling thread; done: points finished, the one that this thread is
     * at in part. May be NULL. */
    void (*progress)(void *context, double done, int total);
    void *progress_context;
} DtSweep;

/* Fills points[0 .. *num_points - 1], which has room for num_models. The sweep ends before the
 * first model that no cluster serves, and after the first point below stop_utilization. On
 * DT_INTERRUPTED the points that were finished, from the first on without a gap, are there.
 * *end_reason: why the model after the last point has none, or NULL.
 * Errors: DT_INFEASIBLE: not even the first model has a cluster; others as dt_search. */
DtStatus dt_sweep(const DtSweep *sweep, DtPoint points[], int *num_points, const char **end_reason,
                  DtError *error);

#endif
