/* One thread's search: its lists of degrees, its tables for a class of clusters, its polling. */
#include "searcher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"

enum { POLL_EVERY = 64 };

double dt_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Tells how far the search is, ten times a second at most. */
static void report_progress(DtSearcher *s)
{
    const DtSearchOptions *options = s->options;
    if (!s->is_caller || !options->progress || s->shared->total_pairs == 0)
        return;
    double now = dt_clock_s();
    if (now < s->next_report_s)
        return;
    s->next_report_s = now + 0.1;
    options->progress(options->progress_context,
                      (double)atomic_load(&s->shared->pairs_done) / s->shared->total_pairs);
}

bool dt_searcher_goes_on(DtSearcher *s)
{
    if (--s->until_poll > 0)
        return true;
    s->until_poll = POLL_EVERY;
    if (s->is_caller && s->options->stop && s->options->stop(s->options->stop_context))
        atomic_store(&s->shared->status, DT_INTERRUPTED);
    if ((s->options->any_plan && s->pool.count > 0) ||
        (s->end_time_s < INFINITY && dt_clock_s() > s->end_time_s))
        atomic_store(&s->shared->out_of_budget, true);
    report_progress(s);
    bool ends = atomic_load(&s->shared->status) != DT_OK || atomic_load(&s->shared->out_of_budget);
    if (ends)
        s->until_poll = 0; /* and so for every further call */
    return !ends;
}

/* ---- lists that depend on the model alone ---- */

static uint64_t odd_part(uint64_t n)
{
    return n / (n & (~n + 1));
}

bool dt_paper_cluster(const DtSearcher *s, uint64_t gpus)
{
    uint64_t sparsity = s->work->run.model->sparsity;
    return s->options->space != DT_SPACE_PAPER || s->options->gpus.min == s->options->gpus.max ||
           (gpus % sparsity == 0 && odd_part(gpus / sparsity) == 1);
}

/* Whether a degree divides some of the clusters that are searched. */
static bool divides_clusters(const DtSearcher *s, uint64_t degree)
{
    const DtGpuCounts *gpus = &s->options->gpus;
    if (gpus->min == gpus->max)
        return gpus->min % degree == 0;
    if (s->options->space == DT_SPACE_PAPER) /* sparsity * 2^i */
        return odd_part(s->work->run.model->sparsity) % odd_part(degree) == 0;
    return true;
}

/* The divisors of n that a degree can be: those allowed to its kind that divide a cluster. */
static DtDivisors degrees_of(DtSearcher *s, DtKind kind, uint64_t n)
{
    DtDivisors degrees = dt_divisors(&s->lists, n);
    int kept = 0;
    for (int i = 0; i < degrees.count; i++) {
        uint64_t degree = degrees.value[i];
        if (degree >= s->options->min_degree[kind] && degree <= s->options->max_degree[kind] &&
            divides_clusters(s, degree))
            degrees.value[kept++] = degree;
    }
    degrees.count = kept;
    return degrees;
}

static bool pair_allowed(const DtSearcher *s, uint64_t model_degree, uint64_t ff_degree)
{
    const DtSearchOptions *o = s->options;
    double tp = (double)model_degree * (double)ff_degree;
    return tp <= (double)o->max_tp && tp <= (double)o->gpus.max &&
           (o->space != DT_SPACE_PAPER || dt_nearly_square(model_degree, ff_degree)) &&
           divides_clusters(s, model_degree * ff_degree);
}

/* Least communication of a pair: on a network of one level with the sum of the bandwidths. */
static void bound_pair(const DtSearcher *s, DtPair *pair)
{
    double bytes = ((double)pair->model_degree - 1) * s->work->tp_model_bytes +
                   ((double)pair->ff_degree - 1) * s->work->tp_ff_bytes;
    pair->flat_gpu_s = 2 * bytes / s->sum_half_Bps;
}

static int compare_pairs(const void *left, const void *right)
{
    const DtPair *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->tp != b->tp)
        return a->tp < b->tp ? -1 : 1;
    return (a->model_degree > b->model_degree) - (a->model_degree < b->model_degree);
}

void dt_searcher_rank(DtSearcher *s)
{
    for (int i = 0; i < s->num_pairs; i++)
        s->pairs[i].rank = dt_pair_bound_gpu_s(s, &s->pairs[i]);
    qsort(s->pairs, (size_t)s->num_pairs, sizeof *s->pairs, compare_pairs);
}

static void make_pairs(DtSearcher *s)
{
    const DtModel *model = s->work->run.model;
    DtDivisors model_degrees = s->model_degrees = degrees_of(s, DT_TP_MODEL, model->d_model);
    DtDivisors ff_degrees = s->ff_degrees = degrees_of(s, DT_TP_FF, model->d_ff);
    int allowed = 0;
    for (int i = 0; i < model_degrees.count; i++)
        for (int j = 0; j < ff_degrees.count; j++)
            allowed += pair_allowed(s, model_degrees.value[i], ff_degrees.value[j]);
    s->num_pairs = 0;
    s->pairs = DT_NEW(&s->lists, DtPair, allowed);
    for (int i = 0; s->pairs && i < model_degrees.count; i++) {
        for (int j = 0; j < ff_degrees.count; j++) {
            DtPair *pair = &s->pairs[s->num_pairs];
            if (!pair_allowed(s, model_degrees.value[i], ff_degrees.value[j]))
                continue;
            pair->model_index = i;
            pair->ff_index = j;
            pair->model_degree = model_degrees.value[i];
            pair->ff_degree = ff_degrees.value[j];
            pair->tp = (double)pair->model_degree * (double)pair->ff_degree;
            bound_pair(s, pair);
            s->num_pairs++;
        }
    }
}

static void make_replicas(DtSearcher *s)
{
    uint64_t tokens = s->work->batch_tokens, sparsity = s->work->run.model->sparsity;
    /* The paper's search lets a remainder of tokens drop; the wider ones must not win by it. */
    if (s->options->space == DT_SPACE_PAPER)
        s->dp = degrees_of(s, DT_DP, tokens);
    else if (tokens % sparsity == 0)
        s->dp = degrees_of(s, DT_DP, tokens / sparsity);
    s->least_kept_frac = 1;
    s->replicas = DT_NEW(&s->lists, DtReplica, s->dp.count);
    for (int i = 0; s->replicas && i < s->dp.count; i++) {
        double dp = (double)s->dp.value[i];
        DtReplica *replica = &s->replicas[i];
        replica->replica_tokens = tokens / s->dp.value[i] / sparsity;
        replica->kept_frac =
            (double)replica->replica_tokens * dp * (double)sparsity / (double)tokens;
        s->least_kept_frac = dt_min(s->least_kept_frac, replica->kept_frac);
    }
}

static void measure_network(DtSearcher *s)
{
    s->least_latency_s = INFINITY;
    for (int i = 0; i < s->work->num_levels; i++) {
        s->sum_half_Bps += s->work->half_Bps[i];
        s->max_half_Bps = dt_max(s->max_half_Bps, s->work->half_Bps[i]);
        s->least_latency_s = dt_min(s->least_latency_s, s->work->latency_s[i]);
    }
}

bool dt_searcher_init(DtSearcher *s, const DtWork *work, const DtSearchOptions *options,
                      DtShared *shared, DtSearchMemory *memory, bool is_caller)
{
    const DtModel *model = work->run.model;
    memset(s, 0, sizeof *s);
    if (memory) {
        s->lists = memory->lists;
        s->tables = memory->tables;
        s->branches = memory->branches;
        s->max_branches = memory->max_branches;
        dt_arena_reset(&s->lists);
        dt_arena_reset(&s->tables);
        memset(memory, 0, sizeof *memory);
    }
    s->work = work;
    s->options = options;
    s->shared = shared;
    s->is_caller = is_caller;
    s->end_time_s = options->budget_s < INFINITY ? dt_clock_s() + options->budget_s : INFINITY;
    if (!dt_pool_init(&s->pool, work, options, shared))
        return false;
    measure_network(s);
    s->pp = degrees_of(s, DT_PP, model->layers);
    s->ep = degrees_of(s, DT_EP, model->sparsity);
    make_replicas(s);
    make_pairs(s);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        int last = work->num_levels - 1, highest = options->highest_level[kind];
        s->reach.highest[kind] = highest < last ? highest : last;
    }
    if (options->deadline_s < INFINITY)
        s->min_gpus =
            work->steps * work->ideal_gpu_s / work->run.gpu->utilization_frac / options->deadline_s;
    return !s->lists.failed;
}

void dt_searcher_free(DtSearcher *s, DtSearchMemory *memory)
{
    dt_pool_free(&s->pool);
    if (memory) {
        memory->lists = s->lists;
        memory->tables = s->tables;
        memory->branches = s->branches;
        memory->max_branches = s->max_branches;
    } else {
        dt_free(s->branches);
        dt_arena_free(&s->tables);
        dt_arena_free(&s->lists);
    }
}

static bool same_sizes(const DtFootprints *footprints, const DtClass *class, int inner)
{
    if (footprints->count == 0 || footprints->num_levels != inner)
        return false;
    for (int i = 0; i < inner; i++)
        if (footprints->size[i] != class->sizes[i])
            return false;
    return true;
}

DtStatus dt_searcher_enter(DtSearcher *s, const DtClass *class, DtError *error)
{
    int inner = s->work->num_levels - 1;
    s->fixed_gpus = class->fixed_gpus;
    if (same_sizes(&s->footprints, class, inner))
        return DT_OK;
    dt_arena_reset(&s->tables);
    memset(&s->footprints, 0, sizeof s->footprints);
    for (int i = 0; i < s->num_pairs; i++)
        s->pairs[i].table = NULL;
    for (int i = 0; i < s->dp.count; i++)
        s->replicas[i].table = NULL;
    s->class_gpus = 1;
    for (int i = 0; i < inner; i++)
        s->class_gpus *= (double)class->sizes[i];
    s->stages = DT_NEW(&s->tables, DtStages, s->pp.count * s->ep.count);
    s->model_spreads = DT_NEW(&s->tables, DtSpreads *, s->model_degrees.count);
    s->ff_spreads = DT_NEW(&s->tables, DtSpreads *, s->ff_degrees.count);
    if (s->tables.failed)
        return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    DtStatus status = dt_footprints_build(&s->tables, class->sizes, inner, &s->footprints, error);
    if (!status && !dt_tables_replicas(s))
        status = dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    return status;
}
