/* pool.h: the best plans met so far, and when a bound rules a branch out.
 * May include: cost.h, search.h.
 */
#ifndef DT_CORE_POOL_H
#define DT_CORE_POOL_H

#include <stdatomic.h>

#include "search.h"

/* A plan with what it is ranked by. */
typedef struct {
    double objective;
    double step_s;
    double comm_s, latency_s; /* of one batch, all kinds: they break ties */
    double num_gpus;
    DtPlan plan;
} DtCandidate;

/* What threads tell each other. */
typedef struct {
    _Atomic double bound; /* no plan with an objective above it can be among the best */
    atomic_int next_task;
    atomic_int pairs_done; /* tensor-parallel pairs looked at, for progress */
    int total_pairs;
    atomic_int status;         /* a DtStatus other than DT_OK ends the search */
    _Atomic double considered; /* by all threads; kept only where there is a budget of plans */
    atomic_bool out_of_budget;
} DtShared;

typedef struct {
    DtCandidate *best; /* in order; room for `capacity` + 1 */
    int count, capacity;
    bool frontier; /* keep what no other plan beats in GPUs and time */
    bool failed;   /* no memory to grow the frontier */
    DtShared *shared;
    DtObjective objective;
    const DtGpu *gpu;
    double steps, deadline_s;
    bool prune;
} DtPool;

/* A pool for a search. Errors: false if there is no memory. */
bool dt_pool_init(DtPool *pool, const DtWork *work, const DtSearchOptions *options,
                  DtShared *shared);
void dt_pool_free(DtPool *pool);

/* The objective of a plan on num_gpus GPUs with a batch of step_s seconds, of which compute_s are
 * matmuls. It never falls when one of the two times grows. */
static inline double dt_pool_objective(const DtPool *pool, double num_gpus, double step_s,
                                       double compute_s)
{
    switch (pool->objective) {
    case DT_BY_UTILIZATION:
        return num_gpus * step_s;
    case DT_BY_TIME:
        return step_s;
    case DT_BY_GPUS:
        return num_gpus;
    case DT_BY_ENERGY:
        return dt_cost_energy_J(pool->gpu, num_gpus, step_s, compute_s);
    }
    return step_s;
}

/* Slack for rounding: a bound cuts only what exceeds it by more than this. */
#define DT_BOUND_SLACK (1 - 1e-12)

/* Whether a plan of at least step_s, computing at least compute_s, misses the deadline. */
static inline bool dt_pool_too_slow(const DtPool *pool, double step_s)
{
    return pool->prune && step_s * pool->steps * DT_BOUND_SLACK >= pool->deadline_s;
}

/* Whether no plan on num_gpus GPUs with at least these times can be among the best. */
bool dt_pool_frontier_rejects(const DtPool *pool, double num_gpus, double step_s);
static inline bool dt_pool_rejects(const DtPool *pool, double num_gpus, double step_s,
                                   double compute_s)
{
    if (!pool->prune)
        return false;
    if (pool->frontier)
        return dt_pool_frontier_rejects(pool, num_gpus, step_s * DT_BOUND_SLACK);
    double bound = atomic_load_explicit(&pool->shared->bound, memory_order_relaxed);
    return dt_pool_objective(pool, num_gpus, step_s, compute_s) * DT_BOUND_SLACK > bound;
}

/* Offers a candidate; it is copied in if it is among the best. */
void dt_pool_add(DtPool *pool, const DtCandidate *candidate);

/* Offers all of another pool's candidates. */
void dt_pool_merge(DtPool *pool, const DtPool *other);

/* The total order: below 0 if a comes first. Never 0 for different plans. */
int dt_candidate_compare(const DtCandidate *a, const DtCandidate *b);

#endif
