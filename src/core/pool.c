#include "pool.h"

#include <math.h>
#include <string.h>

#include "memory.h"

bool dt_pool_init(DtPool *pool, const DtWork *work, const DtSearchOptions *options,
                  DtShared *shared)
{
    const DtGpu *gpu = work->run.gpu;
    memset(pool, 0, sizeof *pool);
    pool->capacity = options->frontier ? 64 : options->num_best;
    pool->frontier = options->frontier;
    pool->shared = shared;
    pool->objective = options->frontier ? DT_BY_TIME : options->objective;
    pool->gpu = gpu;
    pool->steps = work->steps;
    pool->deadline_s = options->deadline_s;
    pool->prune = options->prune;
    pool->best = dt_malloc(((size_t)pool->capacity + 1) * sizeof *pool->best);
    return pool->best != NULL;
}

void dt_pool_free(DtPool *pool)
{
    dt_free(pool->best);
    pool->best = NULL;
    pool->count = 0;
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_counts(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* The order in which the paper's search meets plans: TP, DP, TP's split, schedule, microbatches,
 * then what is left. */
static int compare_plans(const DtPlan *a, const DtPlan *b)
{
    static const DtKind kinds[] = {DT_DP, DT_TP_FF, DT_TP_MODEL, DT_PP, DT_EP};
    int order = compare_counts(a->degree[DT_TP_MODEL] * a->degree[DT_TP_FF],
                               b->degree[DT_TP_MODEL] * b->degree[DT_TP_FF]);
    for (int i = 0; i < DT_NUM_KINDS && order == 0; i++)
        order = compare_counts(a->degree[kinds[i]], b->degree[kinds[i]]);
    if (order == 0)
        order = compare_counts(a->zero_bubble, b->zero_bubble);
    if (order == 0)
        order = compare_counts(a->microbatches, b->microbatches);
    if (order == 0)
        order = compare_counts(a->interleave, b->interleave);
    if (order == 0)
        order = compare_counts(a->recompute, b->recompute);
    for (int level = 0; level < DT_MAX_LEVELS; level++)
        for (int kind = 0; kind < DT_NUM_KINDS && order == 0; kind++)
            order = compare_counts(a->part[kind][level], b->part[kind][level]);
    return order;
}

int dt_candidate_compare(const DtCandidate *a, const DtCandidate *b)
{
    int order = compare_numbers(a->objective, b->objective);
    if (order == 0)
        order = compare_numbers(a->step_s, b->step_s);
    if (order == 0)
        order = compare_numbers(a->comm_s, b->comm_s);
    if (order == 0)
        order = compare_numbers(a->latency_s, b->latency_s);
    return order ? order : compare_plans(&a->plan, &b->plan);
}

static void insert_at(DtPool *pool, int at, const DtCandidate *candidate)
{
    memmove(pool->best + at + 1, pool->best + at, (size_t)(pool->count - at) * sizeof *pool->best);
    pool->best[at] = *candidate;
    pool->count++;
}

/* First frontier entry with more than num_gpus GPUs. Times fall along the frontier. */
static int frontier_position(const DtPool *pool, double num_gpus)
{
    int low = 0, high = pool->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (pool->best[middle].num_gpus <= num_gpus)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool dt_pool_frontier_rejects(const DtPool *pool, double num_gpus, double step_s)
{
    int at = frontier_position(pool, num_gpus);
    return at > 0 && step_s > pool->best[at - 1].step_s;
}

static void frontier_add(DtPool *pool, const DtCandidate *candidate)
{
    int at = frontier_position(pool, candidate->num_gpus), end;
    if (at > 0) {
        const DtCandidate *before = &pool->best[at - 1];
        bool same = before->num_gpus == candidate->num_gpus;
        if (same ? dt_candidate_compare(before, candidate) < 0
                 : before->step_s <= candidate->step_s)
            return;
        at -= same;
    }
    for (end = at; end < pool->count && pool->best[end].step_s >= candidate->step_s;)
        end++;
    memmove(pool->best + at, pool->best + end, (size_t)(pool->count - end) * sizeof *pool->best);
    pool->count -= end - at;
    if (pool->count == pool->capacity) {
        size_t capacity = 2 * (size_t)pool->capacity;
        DtCandidate *grown = dt_realloc(pool->best, (capacity + 1) * sizeof *grown);
        if (!grown) {
            pool->failed = true;
            return;
        }
        pool->best = grown;
        pool->capacity = (int)capacity;
    }
    insert_at(pool, at, candidate);
}

/* Lowers the shared bound to the worst of a full pool. */
static void publish_bound(DtPool *pool)
{
    double worst = pool->best[pool->capacity - 1].objective;
    double bound = atomic_load(&pool->shared->bound);
    while (worst < bound && !atomic_compare_exchange_weak(&pool->shared->bound, &bound, worst))
        continue;
}

static bool same_variant(const DtPlan *a, const DtPlan *b)
{
    return memcmp(a->degree, b->degree, sizeof a->degree) == 0 &&
           a->microbatches == b->microbatches && a->interleave == b->interleave &&
           a->zero_bubble == b->zero_bubble && a->recompute == b->recompute;
}

/* Position of the plan that differs from a candidate in its layout at most, or -1. Only inner
 * levels filled in part, and parts of a search that meet twice, can bring one. */
static int find_variant(const DtPool *pool, const DtPlan *plan)
{
    for (int i = 0; i < pool->count; i++)
        if (same_variant(&pool->best[i].plan, plan))
            return i;
    return -1;
}

void dt_pool_add(DtPool *pool, const DtCandidate *candidate)
{
    int at = pool->count;
    if (candidate->step_s * pool->steps >= pool->deadline_s)
        return;
    if (pool->frontier) {
        frontier_add(pool, candidate);
        return;
    }
    int variant = find_variant(pool, &candidate->plan);
    if (variant >= 0 && dt_candidate_compare(candidate, &pool->best[variant]) >= 0)
        return;
    if (variant >= 0) {
        pool->count--;
        memmove(pool->best + variant, pool->best + variant + 1,
                (size_t)(pool->count - variant) * sizeof *pool->best);
        at = pool->count;
    }
    while (at > 0 && dt_candidate_compare(candidate, &pool->best[at - 1]) < 0)
        at--;
    if (at == pool->capacity)
        return;
    insert_at(pool, at, candidate);
    if (pool->count > pool->capacity)
        pool->count = pool->capacity;
    if (pool->count == pool->capacity)
        publish_bound(pool);
}

void dt_pool_merge(DtPool *pool, const DtPool *other)
{
    for (int i = 0; i < other->count; i++)
        dt_pool_add(pool, &other->best[i]);
    pool->failed |= other->failed;
}
