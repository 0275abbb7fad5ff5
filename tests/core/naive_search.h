/* naive_search.h: all plans of a search space, listed one by one.
 *
 * Independent of src/core's search, layouts and cost: loops over all degrees, all ways to write
 * them over the levels, all schedules, with the rules as the paper's appendix on the search (and
 * search.h, for the wider spaces) states them. For small models.
 * Of plans that differ in nothing but the layout the best one is listed.
 */
#ifndef DT_TESTS_NAIVE_SEARCH_H
#define DT_TESTS_NAIVE_SEARCH_H

#include <stdio.h>
#include <stdlib.h>

#include "naive_cost.h"

typedef struct {
    DtPlan plan;
    double objective, step_s, comm_s, latency_s, num_gpus;
} NaivePlan;

/* The plans in memory and in time, and whether there are any in memory, any at all. */
typedef struct {
    NaivePlan *list;
    size_t count, capacity;
    bool any_legal, any_in_memory;
} NaivePlans;

enum { NAIVE_MAX_LAYOUTS = 20000, NAIVE_MAX_SPLITS = 400 };

/* One way to lay degrees over the levels. */
typedef struct {
    uint64_t part[DT_NUM_KINDS][DT_MAX_LEVELS];
    NaiveComm dp, tp, pe;
} NaiveLayout;

typedef struct {
    const DtRun *run;
    const DtSearchOptions *options;
    NaivePlans *plans;
    uint64_t degree[DT_NUM_KINDS], N;
    uint64_t sizes[DT_MAX_LEVELS]; /* units of each inner level that N GPUs fill */
    bool in_memory;
    uint64_t splits[DT_NUM_KINDS][NAIVE_MAX_SPLITS][DT_MAX_LEVELS];
    NaiveLayout layouts[NAIVE_MAX_LAYOUTS];
    int num_layouts;
} NaiveSearch;

static inline void naive_plans_free(NaivePlans *plans)
{
    free(plans->list);
    memset(plans, 0, sizeof *plans);
}

static inline void naive_plans_add(NaivePlans *plans, const NaivePlan *plan)
{
    if (plans->count == plans->capacity) {
        plans->capacity = plans->capacity ? 2 * plans->capacity : 256;
        plans->list = realloc(plans->list, plans->capacity * sizeof *plans->list);
        if (!plans->list)
            abort();
    }
    plans->list[plans->count++] = *plan;
}

/* ---- layouts ---- */

/* The units in use on each inner level: cut down so that their product is at most N. */
static inline void naive_sizes(const DtNetwork *network, uint64_t N, uint64_t sizes[])
{
    uint64_t product = 1;
    for (int i = 0; i < network->num_levels - 1; i++) {
        uint64_t size = network->level[i].size;
        if (product * size < N)
            sizes[i] = size;
        else
            sizes[i] = N / product;
        product *= sizes[i];
    }
}

/* N is a multiple of each product of inner sizes that it exceeds. */
static inline bool naive_fills(const DtNetwork *network, uint64_t N)
{
    uint64_t product = 1;
    for (int i = 0; i < network->num_levels - 1; i++) {
        product *= network->level[i].size;
        if (N > product && N % product != 0)
            return false;
    }
    return true;
}

/* All ordered ways to write a degree as a product over the levels; none above `highest`. */
static inline int naive_splits(uint64_t degree, int levels, int highest,
                               uint64_t splits[][DT_MAX_LEVELS])
{
    int count = 0;
    if (levels == 1) {
        splits[0][0] = degree;
        return degree == 1 || highest >= 0;
    }
    for (uint64_t outer = 1; outer <= degree; outer++) {
        if (degree % outer != 0 || (outer > 1 && levels - 1 > highest))
            continue;
        int more = naive_splits(degree / outer, levels - 1, highest, splits + count);
        for (int i = 0; i < more; i++)
            splits[count + i][levels - 1] = outer;
        count += more;
        if (count > NAIVE_MAX_SPLITS - 100)
            abort();
    }
    return count;
}

/* Units that the kinds up to `kind` fill on a level. */
static inline uint64_t naive_filled(const NaiveLayout *layout, int kind, int level)
{
    uint64_t filled = 1;
    for (int k = 0; k <= kind; k++)
        filled *= layout->part[k][level];
    return filled;
}

/* Whether the parts of all kinds fill the inner levels exactly, or with `partial` at most; for the
 * kinds up to `kind` alone: whether they leave that open. */
static inline bool naive_layout_allowed(const NaiveSearch *s, const NaiveLayout *layout, int kind)
{
    const DtNetwork *network = s->run->network;
    for (int i = 0; i < network->num_levels - 1; i++) {
        uint64_t filled = naive_filled(layout, kind, i);
        uint64_t size = s->options->partial_levels ? network->level[i].size : s->sizes[i];
        if (filled > size ||
            (kind == DT_NUM_KINDS - 1 && filled != size && !s->options->partial_levels))
            return false;
    }
    return true;
}

/* Tries all splits of the kinds from `kind` on. */
static inline void naive_layouts(NaiveSearch *s, int kind, NaiveLayout *layout)
{
    int levels = s->run->network->num_levels, count;
    if (kind == DT_NUM_KINDS) {
        if (s->num_layouts == NAIVE_MAX_LAYOUTS)
            abort();
        layout->dp = naive_dp(s->run, (double)s->N, layout->part[DT_DP]);
        layout->tp =
            naive_tp(s->run, (double)s->N, layout->part[DT_TP_MODEL], layout->part[DT_TP_FF]);
        s->layouts[s->num_layouts++] = *layout;
        return;
    }
    count = naive_splits(s->degree[kind], levels, s->options->highest_level[kind], s->splits[kind]);
    for (int i = 0; i < count; i++) {
        memcpy(layout->part[kind], s->splits[kind][i], sizeof layout->part[kind]);
        if (naive_layout_allowed(s, layout, kind))
            naive_layouts(s, kind + 1, layout);
    }
}

/* ---- schedules ---- */

static inline double naive_objective(const NaiveSearch *s, double step_s, double compute_s)
{
    const DtGpu *gpu = s->run->gpu;
    double N = (double)s->N, idle_w = gpu->idle_power_w >= 0 ? gpu->idle_power_w : gpu->power_w;
    switch (s->options->objective) {
    case DT_BY_UTILIZATION:
        return N * step_s;
    case DT_BY_TIME:
        return step_s;
    case DT_BY_GPUS:
        return N;
    case DT_BY_ENERGY: /* full power while it computes, idle power for the rest */
        return N * (gpu->power_w * compute_s + idle_w * (step_s - compute_s));
    }
    return NAN;
}

static inline bool naive_better(const NaivePlan *a, const NaivePlan *b)
{
    if (a->step_s != b->step_s)
        return a->step_s < b->step_s;
    if (a->comm_s != b->comm_s)
        return a->comm_s < b->comm_s;
    return a->latency_s < b->latency_s;
}

/* Lists the variant `plan` in its best layout, if it is in memory and in time. */
static inline void naive_try(NaiveSearch *s, const DtPlan *plan, double compute_s)
{
    const DtModel *model = s->run->model;
    double tok = naive_tokens(model),
           D = model->tokens > 0 ? model->tokens : 20 * naive_params(model);
    NaivePlan best = {.step_s = INFINITY, .num_gpus = (double)s->N};
    for (int i = 0; i < s->num_layouts; i++) {
        const NaiveLayout *layout = &s->layouts[i];
        NaiveBatch x = {compute_s,
                        layout->dp,
                        layout->tp,
                        layout->pe,
                        (double)plan->degree[DT_PP],
                        (double)plan->interleave,
                        (double)plan->microbatches,
                        plan->zero_bubble};
        NaivePlan candidate = {.plan = *plan, .num_gpus = (double)s->N};
        if (plan->recompute)
            naive_recompute(&x);
        candidate.step_s = naive_batch_s(s->run, &x);
        candidate.comm_s = x.tp.bandwidth_s + x.dp.bandwidth_s + x.pe.bandwidth_s;
        candidate.latency_s = x.tp.latency_s + x.dp.latency_s + x.pe.latency_s;
        candidate.objective = naive_objective(s, candidate.step_s, x.compute_s);
        memcpy(candidate.plan.part, layout->part, sizeof layout->part);
        if (naive_better(&candidate, &best))
            best = candidate;
    }
    s->plans->any_legal |= s->num_layouts > 0;
    s->plans->any_in_memory |= s->num_layouts > 0 && s->in_memory;
    if (s->in_memory && D / tok * best.step_s < s->options->deadline_s)
        naive_plans_add(s->plans, &best);
}

/* Whether the space tries the m-th count of microbatches in ascending order of those >= PP;
 * order: how many of them came before. */
static inline bool naive_m_allowed(const NaiveSearch *s, uint64_t m, bool zero_bubble, int order)
{
    uint64_t PP = s->degree[DT_PP];
    const DtModel *model = s->run->model;
    if (s->options->whole_sequences && s->degree[DT_DP] * m > model->batch)
        return false;
    if (zero_bubble && m < 2 * PP)
        return false;
    if (s->options->space == DT_SPACE_EXHAUSTIVE)
        return true;
    return m >= PP && order < (zero_bubble ? 1 : 4);
}

static inline void naive_schedule(NaiveSearch *s, DtPlan *plan)
{
    const DtModel *model = s->run->model;
    uint64_t replica = model->batch * model->seq_len / (model->sparsity * s->degree[DT_DP]);
    uint64_t least = (plan->zero_bubble ? 2 : 1) * s->degree[DT_PP];
    int order = 0;
    for (uint64_t m = 1; m <= replica; m++) {
        if (replica % m != 0)
            continue;
        if (naive_m_allowed(s, m, plan->zero_bubble, order)) {
            double compute_s = (double)(model->layers / s->degree[DT_PP]) *
                               (double)(model->sparsity / s->degree[DT_EP]) * (double)m *
                               naive_layer_s(s->run->gpu, model->d_ff / s->degree[DT_TP_FF],
                                             model->d_model / s->degree[DT_TP_MODEL], replica / m);
            plan->microbatches = m;
            plan->recompute = false;
            naive_try(s, plan, compute_s);
            plan->recompute = true;
            if (s->options->recompute)
                naive_try(s, plan, compute_s);
        }
        order += m >= least;
    }
}

/* All schedules of the chosen degrees. */
static inline void naive_schedules(NaiveSearch *s)
{
    const DtModel *model = s->run->model;
    uint64_t stage = model->layers / s->degree[DT_PP];
    bool paper_v = s->options->space != DT_SPACE_EXHAUSTIVE;
    DtPlan plan = fix_plan();
    memcpy(plan.degree, s->degree, sizeof plan.degree);
    for (uint64_t v = 1; v <= stage; v++) {
        if (stage % v != 0 || (v > 1 && s->degree[DT_PP] == 1))
            continue;
        plan.interleave = v;
        for (int i = 0; i < s->num_layouts; i++) {
            NaiveLayout *layout = &s->layouts[i];
            layout->pe = naive_pp_ep(s->run, (double)s->N, layout->part[DT_PP], layout->part[DT_EP],
                                     (double)v);
        }
        plan.zero_bubble = true;
        if (v == 1 && s->options->zero_bubble)
            naive_schedule(s, &plan);
        plan.zero_bubble = false;
        if (s->options->interleaved && (!paper_v || v == (s->degree[DT_PP] > 1 ? stage : 1)))
            naive_schedule(s, &plan);
    }
}

/* ---- degrees ---- */

static inline uint64_t naive_gcd(uint64_t a, uint64_t b)
{
    uint64_t gcd = 1;
    for (uint64_t i = 2; i <= a && i <= b; i++)
        if (a % i == 0 && b % i == 0)
            gcd = i;
    return gcd;
}

static inline uint64_t naive_isqrt(uint64_t n)
{
    uint64_t root = 0;
    while ((root + 1) * (root + 1) <= n)
        root++;
    return root;
}

static inline bool naive_count_allowed(const DtGpuCounts *gpus, uint64_t N)
{
    bool listed = gpus->list == NULL, power = false;
    for (int i = 0; i < gpus->num_list; i++)
        listed |= gpus->list[i] == N;
    for (int i = 0; i < 62; i++)
        power |= N == (uint64_t)1 << i;
    return listed && N >= gpus->min && N <= gpus->max && N % gpus->multiple_of == 0 &&
           (!gpus->power_of_two || power);
}

/* Whether the space has the degrees, memory apart. */
static inline bool naive_degrees_allowed(const NaiveSearch *s)
{
    const DtModel *model = s->run->model;
    const DtSearchOptions *options = s->options;
    uint64_t TP = s->degree[DT_TP_MODEL] * s->degree[DT_TP_FF], root = naive_isqrt(TP);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        if (s->degree[kind] < options->min_degree[kind] ||
            s->degree[kind] > options->max_degree[kind])
            return false;
    if (TP > options->max_tp || !naive_count_allowed(&options->gpus, s->N))
        return false;
    if (!options->partial_levels && !naive_fills(s->run->network, s->N))
        return false;
    if (options->space != DT_SPACE_EXHAUSTIVE &&
        s->degree[DT_EP] != naive_gcd(s->N, model->sparsity))
        return false;
    if (options->space == DT_SPACE_PAPER)
        return s->degree[DT_TP_FF] >= root && s->degree[DT_TP_FF] <= 4 * root;
    return model->batch * model->seq_len % (model->sparsity * s->degree[DT_DP]) == 0;
}

static inline void naive_degrees(NaiveSearch *s)
{
    const DtGpu *gpu = s->run->gpu;
    double weights = naive_params(s->run->model) * (gpu->bits / 8.0);
    NaiveLayout layout;
    memset(&layout, 0, sizeof layout);
    s->N = 1;
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        s->N *= s->degree[kind];
    if (!naive_degrees_allowed(s))
        return;
    s->num_layouts = 0;
    naive_sizes(s->run->network, s->N, s->sizes);
    naive_layouts(s, 0, &layout);
    s->in_memory = (double)s->N * gpu->memory_bytes * s->options->memory_frac >=
                   weights * (double)s->degree[DT_DP] + 4 * weights;
    naive_schedules(s);
}

/* Chooses the degrees from `kind` on among the divisors of what each splits. */
static inline void naive_choose(NaiveSearch *s, int kind)
{
    const DtModel *m = s->run->model;
    const uint64_t whole[DT_NUM_KINDS] = {m->batch * m->seq_len, m->d_model, m->d_ff, m->layers,
                                          m->sparsity};
    if (kind == DT_NUM_KINDS) {
        naive_degrees(s);
        return;
    }
    for (uint64_t degree = 1; degree <= whole[kind]; degree++) {
        if (whole[kind] % degree != 0)
            continue;
        s->degree[kind] = degree;
        naive_choose(s, kind + 1);
    }
}

/* All plans with clusters that options->gpus allows. */
static inline NaivePlans naive_plans(const DtRun *run, const DtSearchOptions *options)
{
    NaivePlans plans = {NULL, 0, 0, false, false};
    static NaiveSearch search;
    search.run = run;
    search.options = options;
    search.plans = &plans;
    naive_choose(&search, 0);
    return plans;
}

#endif
