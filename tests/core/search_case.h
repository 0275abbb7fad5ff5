/* search_case.h: random questions for the search, small enough to list all plans of.
 */
#ifndef DT_TESTS_SEARCH_CASE_H
#define DT_TESTS_SEARCH_CASE_H

#include "check.h"
#include "core/pool.h"
#include "naive_search.h"

/* Formulas are the same here and there, the order of their operations is not. */
#define CASE_CLOSE 1e-11

typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtModel model;
    DtRun run;
    DtSearchOptions options;
    uint64_t list[6];
} Case;

static inline void random_gpu(FixRandom *random, DtGpu *gpu)
{
    static const int bits[] = {64, 32, 16, 8, 4};
    int width = FIX_ONE_OF(random, bits);
    *gpu = fix_gpu("random", width, fix_between(random, 0.1, 10));
    gpu->num_sms = 1 + (double)fix_below(random, 6);
    gpu->registers_per_block_bytes = fix_between(random, 8, 400);
    gpu->l2_bytes = fix_between(random, 16, 4000);
    gpu->l2_Bps = fix_between(random, 30, 1e5);
    gpu->memory_Bps = fix_between(random, 10, 1e5);
    gpu->memory_bytes = fix_between(random, 100, 1e6);
    gpu->clock_Hz = fix_between(random, 0.3, 30);
    gpu->utilization_frac = fix_between(random, 0.3, 1);
    gpu->distributed_shared_memory = fix_once_in(random, 2);
    gpu->matmul_latency_s = fix_once_in(random, 4) ? 0 : fix_between(random, 1e-3, 10);
    gpu->power_w = fix_between(random, 50, 500);
    if (!fix_once_in(random, 4))
        gpu->idle_power_w = fix_once_in(random, 4) ? 0 : fix_between(random, 1, gpu->power_w);
    if (fix_once_in(random, 5))
        gpu->peak_flop_per_s = fix_between(random, 100, 1e5);
}

static inline void random_network(FixRandom *random, DtNetwork *network)
{
    static const uint64_t sizes[] = {2, 2, 3, 4, 4, 6, 8};
    int levels = 1 + (int)fix_below(random, 3);
    memset(network, 0, sizeof *network);
    for (int i = 0; i < levels; i++) {
        uint64_t size = levels == 3 ? 2 + fix_below(random, 3) : FIX_ONE_OF(random, sizes);
        double bandwidth_Bps = fix_once_in(random, 12) ? INFINITY : fix_between(random, 3, 1e5);
        double latency_s = fix_once_in(random, 6) ? 0 : fix_between(random, 1e-3, 10);
        fix_level(network, i < levels - 1 ? size : 0, bandwidth_Bps, latency_s);
    }
}

/* Makes one resource so scarce, or so plentiful, that it alone decides. */
static inline void random_extreme(FixRandom *random, Case *c)
{
    uint64_t which = fix_below(random, 10);
    for (int i = 0; i < c->network.num_levels; i++) {
        DtLevel *level = &c->network.level[i];
        if (which == 0)
            level->bandwidth_Bps *= 1e-3;
        else if (which == 1)
            level->latency_s *= 1e3;
        else if (which == 2)
            level->bandwidth_Bps = INFINITY;
    }
    if (which == 3)
        c->gpu.matmul_latency_s *= 1e3;
}

static inline void random_model(FixRandom *random, DtModel *model)
{
    static const uint64_t d_model[] = {2, 4, 6, 8, 12, 16}, d_ff[] = {2, 4, 6, 8, 9, 16};
    static const uint64_t layers[] = {1, 2, 3, 4, 6, 8}, sparsity[] = {1, 1, 2, 3, 4, 6};
    static const uint64_t seq_len[] = {1, 2, 4}, batch[] = {2, 4, 6, 8, 12};
    uint64_t scale = fix_once_in(random, 3) ? 16 : 1; /* widths of more than one tensor chunk */
    model->d_model = FIX_ONE_OF(random, d_model);     /* one after the other: the same for every */
    model->d_ff = FIX_ONE_OF(random, d_ff) * scale;   /* compiler */
    model->layers = FIX_ONE_OF(random, layers);
    model->sparsity = FIX_ONE_OF(random, sparsity);
    model->seq_len = FIX_ONE_OF(random, seq_len);
    model->batch = FIX_ONE_OF(random, batch);
    model->tokens = DT_ABSENT;
    if (scale > 1) /* and not many more divisors */
        model->d_ff = 64 + fix_below(random, 20) * 2;
    if (fix_once_in(random, 4))
        model->tokens = fix_between(random, 1, 1e6);
}

static inline Case *random_case(FixRandom *random)
{
    static Case c;
    random_gpu(random, &c.gpu);
    random_network(random, &c.network);
    random_extreme(random, &c);
    random_model(random, &c.model);
    c.run = fix_run(&c.gpu, &c.network, &c.model);
    c.run.overlap.tp = !fix_once_in(random, 3);
    c.run.overlap.pp = !fix_once_in(random, 3);
    c.run.overlap.dp = fix_once_in(random, 3);
    c.run.zero_bubble_latency = fix_once_in(random, 2) ? DT_LATENCY_EXPOSED : DT_LATENCY_HIDDEN;
    c.options = dt_search_options();
    c.options.objective = (DtObjective)fix_below(random, 4);
    c.options.recompute = fix_once_in(random, 4);
    if (fix_once_in(random, 4))
        c.options.zero_bubble = false;
    else if (fix_once_in(random, 4))
        c.options.interleaved = false;
    return &c;
}

/* Exactly the number of GPUs of some degrees. */
static inline void random_fixed(FixRandom *random, Case *c)
{
    const DtModel *m = &c->model;
    const uint64_t whole[] = {m->batch * m->seq_len, m->d_model, m->d_ff, m->layers, m->sparsity};
    uint64_t N = 1;
    for (int i = 0; i < DT_NUM_KINDS; i++) {
        uint64_t degree = 1 + fix_below(random, whole[i]);
        while (whole[i] % degree != 0)
            degree--;
        N *= degree;
    }
    c->options.gpus.min = c->options.gpus.max = N;
}

static inline void random_constraints(FixRandom *random, Case *c)
{
    DtSearchOptions *o = &c->options;
    int kind = (int)fix_below(random, DT_NUM_KINDS);
    switch (fix_below(random, 9)) {
    case 0:
        o->min_degree[kind] = 2;
        break;
    case 1:
        o->max_degree[kind] = 1 + fix_below(random, 3);
        break;
    case 2:
        o->max_tp = 1 + fix_below(random, 8);
        break;
    case 3:
        o->highest_level[kind] = (int)fix_below(random, 2);
        break;
    case 4:
        o->gpus.multiple_of = 2 + fix_below(random, 4);
        break;
    case 5:
        o->gpus.power_of_two = true;
        break;
    case 6:
        for (int i = 0; i < 6; i++)
            c->list[i] = (i > 0 ? c->list[i - 1] : 0) + 1 + fix_below(random, 1 << i);
        o->gpus.list = c->list;
        o->gpus.num_list = 6;
        break;
    case 7:
        o->memory_frac = fix_between(random, 0.05, 1);
        break;
    default:
        o->whole_sequences = true;
        break;
    }
}

/* The rank of a plan by dt_cost_evaluate: it claims the same bits as the search. */
static inline DtCandidate candidate_of(const Case *c, const DtPlan *plan)
{
    DtWork work;
    DtCost cost;
    DtPool pool;
    DtShared shared;
    dt_work_prepare(&work, &c->run);
    dt_cost_evaluate(&work, plan, &cost);
    dt_pool_init(&pool, &work, &c->options, &shared);
    DtCandidate candidate = {
        .step_s = cost.step_s, .num_gpus = (double)cost.num_gpus, .plan = *plan};
    candidate.objective =
        dt_pool_objective(&pool, candidate.num_gpus, cost.step_s, cost.step.compute_s);
    candidate.comm_s = cost.step.tp_s + cost.step.dp_s + cost.step.pp_ep_s;
    candidate.latency_s =
        cost.step.tp_latency_s + cost.step.dp_latency_s + cost.step.pp_ep_latency_s;
    dt_pool_free(&pool);
    return candidate;
}

static inline bool same_variant(const DtPlan *a, const DtPlan *b)
{
    return memcmp(a->degree, b->degree, sizeof a->degree) == 0 &&
           a->microbatches == b->microbatches && a->interleave == b->interleave &&
           a->zero_bubble == b->zero_bubble && a->recompute == b->recompute;
}

/* A found plan is one of those listed, legal in all respects, and laid out as well as can be. */
static inline void check_member(const Case *c, const NaivePlans *plans, const DtPlan *plan)
{
    const NaivePlan *member = NULL;
    NaiveCost cost = naive_cost(&c->run, plan);
    for (size_t i = 0; i < plans->count && !member; i++)
        if (same_variant(&plans->list[i].plan, plan))
            member = &plans->list[i];
    if (!CHECK(member != NULL))
        return;
    CHECK_CLOSE(cost.batch_s, member->step_s, CASE_CLOSE);
    CHECK_INT(dt_plan_check_levels(plan, &c->network, c->options.partial_levels, NULL), DT_OK);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        for (int i = c->options.highest_level[kind] + 1; i < c->network.num_levels; i++)
            CHECK_INT(plan->part[kind][i], 1);
    if (c->options.space != DT_SPACE_PAPER)
        CHECK_INT(dt_plan_check(plan, &c->model, NULL), DT_OK);
}

#endif
