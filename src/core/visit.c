/* All plans of given degrees: schedules and microbatches, then layouts, each behind a bound. */
#include <math.h>

#include "searcher.h"

enum { INTERLEAVED_CHOICES = 4 }; /* microbatch counts that the paper's search tries */

/* Bandwidth and latency of what is least for each kind by itself. */
static void least_comm(const DtChoice *c, DtComm pp_ep, DtStep *step)
{
    double factor = c->recompute ? DT_RECOMPUTE_COMM : 1;
    step->tp_s = c->pair->table->least.gpu_s * c->inverse_gpus * factor;
    step->tp_latency_s = c->pair->table->least.latency_s * factor;
    step->dp_s = c->replica->table->least.gpu_s * c->inverse_gpus;
    step->dp_latency_s = c->replica->table->least.latency_s;
    step->pp_ep_s = pp_ep.gpu_s * c->inverse_gpus * factor;
    step->pp_ep_latency_s = pp_ep.latency_s * factor;
}

static double interleave_of(const DtChoice *c)
{
    return c->chunk < 0 ? 1 : (double)c->stages->chunks.value[c->chunk];
}

/* A layout under trial, or the best one so far. */
typedef struct {
    double step_s, comm_s, latency_s;
    const DtTpOption *tp;
    const DtPpEpOption *pp_ep;
    int dp_foot;
} Layout;

static bool better(const Layout *a, const Layout *b)
{
    if (a->step_s != b->step_s)
        return a->step_s < b->step_s;
    if (a->comm_s != b->comm_s)
        return a->comm_s < b->comm_s;
    return a->latency_s < b->latency_s;
}

static void offer(DtSearcher *s, const DtChoice *c, const Layout *layout, double compute_s)
{
    DtCandidate candidate = {.step_s = layout->step_s,
                             .comm_s = layout->comm_s,
                             .latency_s = layout->latency_s,
                             .num_gpus = c->num_gpus};
    DtPlan *plan = &candidate.plan;
    candidate.objective = dt_pool_objective(&s->pool, c->num_gpus, layout->step_s, compute_s);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        plan->degree[kind] = c->degree[kind];
    plan->microbatches = c->microbatches;
    plan->interleave = (uint64_t)interleave_of(c);
    plan->zero_bubble = c->zero_bubble;
    plan->recompute = c->recompute;
    const int feet[DT_NUM_KINDS] = {layout->dp_foot, layout->tp->model_foot, layout->tp->ff_foot,
                                    layout->pp_ep->pp_foot, layout->pp_ep->ep_foot};
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        dt_footprint_parts(&s->footprints, feet[kind], plan->degree[kind], plan->part[kind]);
    dt_pool_add(&s->pool, &candidate);
}

/* Tries the layouts in which tensor, data, pipeline and expert parallelism have given
 * footprints. `step` has all but the communication. */
static void try_footprints(const DtSearcher *s, const DtChoice *c, DtStep *step, int tp_foot,
                           DtFootprintPair rest, Layout *best)
{
    const DtTpTable *tp = c->pair->table;
    const DtPpEpTable *pp_ep = c->stages->table;
    const DtComm *dp = &c->replica->table->comm[rest.a];
    double factor = c->recompute ? DT_RECOMPUTE_COMM : 1, interleave = interleave_of(c);
    if (isinf(dp->latency_s))
        return;
    step->dp_s = dp->gpu_s * c->inverse_gpus;
    step->dp_latency_s = dp->latency_s;
    for (int i = pp_ep->first[rest.b]; i < pp_ep->first[rest.b + 1]; i++) {
        DtComm comm = dt_comm_at(&pp_ep->options[i].comm, interleave);
        step->pp_ep_s = comm.gpu_s * c->inverse_gpus * factor;
        step->pp_ep_latency_s = comm.latency_s * factor;
        for (int j = tp->first[tp_foot]; j < tp->first[tp_foot + 1]; j++) {
            Layout layout = {.tp = &tp->options[j], .pp_ep = &pp_ep->options[i], .dp_foot = rest.a};
            step->tp_s = layout.tp->comm.gpu_s * c->inverse_gpus * factor;
            step->tp_latency_s = layout.tp->comm.latency_s * factor;
            layout.step_s =
                dt_step_time_s(step, s->work->run.overlap, s->work->run.zero_bubble_latency);
            layout.comm_s = step->tp_s + step->dp_s + step->pp_ep_s;
            layout.latency_s = step->tp_latency_s + step->dp_latency_s + step->pp_ep_latency_s;
            if (better(&layout, best))
                *best = layout;
        }
    }
}

/* Fills the least communication of all layouts in which tensor parallelism has a given footprint
 * and the other kinds share what it leaves. within: of pipeline and expert parallelism. */
static void share_comm(const DtSearcher *s, const DtChoice *c, int tp_foot, const DtComm within[],
                       DtStep *step)
{
    double factor = c->recompute ? DT_RECOMPUTE_COMM : 1;
    int rest = s->footprints.complement[tp_foot];
    const DtComm *tp = &c->pair->table->least_at[tp_foot];
    const DtComm *dp = &c->replica->table->within[rest];
    const DtComm *pp_ep = &within[rest];
    step->tp_s = tp->gpu_s * c->inverse_gpus * factor;
    step->tp_latency_s = tp->latency_s * factor;
    step->dp_s = dp->gpu_s * c->inverse_gpus;
    step->dp_latency_s = dp->latency_s;
    step->pp_ep_s = pp_ep->gpu_s * c->inverse_gpus * factor;
    step->pp_ep_latency_s = pp_ep->latency_s * factor;
}

/* The bounds of a variant's pipeline and expert parallelism per footprint. NULL: no memory. */
static const DtComm *within_of(DtSearcher *s, const DtChoice *c)
{
    DtComm **within = &c->stages->within[c->chunk + 1];
    if (!*within)
        *within = dt_pp_ep_within(&s->tables, c->stages->table, &s->footprints, interleave_of(c));
    return *within;
}

/* Tries all layouts with one footprint for tensor parallelism. */
static void try_tp_footprint(const DtSearcher *s, const DtChoice *c, DtStep *step, int tp_foot,
                             Layout *best)
{
    const DtFootprints *feet = &s->footprints;
    int rest = feet->complement[tp_foot];
    for (int i = feet->first_pair[rest]; i < feet->first_pair[rest + 1]; i++)
        try_footprints(s, c, step, tp_foot, feet->pairs[i], best);
}

/* The best layout of a variant that passed its bound; the most promising footprint of tensor
 * parallelism comes first, so that most others can be left out. */
static void join_layouts(DtSearcher *s, const DtChoice *c, const DtStep *without_comm)
{
    const DtFootprints *feet = &s->footprints;
    const DtComm *within = within_of(s, c);
    double *bound = feet->scratch;
    Layout best = {.step_s = INFINITY, .tp = NULL};
    DtStep step = *without_comm;
    int first = 0;
    if (!within) {
        atomic_store(&s->shared->status, DT_NO_MEMORY);
        return;
    }
    for (int f = 0; f < feet->count; f++) {
        share_comm(s, c, f, within, &step);
        bound[f] = dt_step_time_s(&step, s->work->run.overlap, s->work->run.zero_bubble_latency);
        if (bound[f] < bound[first])
            first = f;
    }
    if (dt_pool_too_slow(&s->pool, bound[first]) ||
        dt_pool_rejects(&s->pool, c->num_gpus, bound[first], step.compute_s))
        return;
    try_tp_footprint(s, c, &step, first, &best);
    for (int f = 0; f < feet->count; f++) {
        bool hopeless =
            isinf(bound[f]) || (s->pool.prune && bound[f] * DT_BOUND_SLACK > best.step_s);
        if (f != first && !hopeless)
            try_tp_footprint(s, c, &step, f, &best);
    }
    if (best.tp)
        offer(s, c, &best, step.compute_s);
}

/* One schedule with one number of microbatches; compute_s: matmuls of a batch. */
static void visit_variant(DtSearcher *s, DtChoice *c, bool zero_bubble, int chunk, double compute_s)
{
    DtStep step;
    c->zero_bubble = zero_bubble;
    c->chunk = chunk;
    step.compute_s = compute_s;
    step.zero_bubble = zero_bubble;
    step.stretch = zero_bubble ? 1
                               : dt_bubble_stretch((double)c->degree[DT_PP], interleave_of(c),
                                                   (double)c->microbatches);
    least_comm(c, chunk < 0 ? c->stages->least_single : c->stages->least[chunk], &step);
    double bound = dt_step_time_s(&step, s->work->run.overlap, s->work->run.zero_bubble_latency);
    s->considered++;
    if (dt_pool_too_slow(&s->pool, bound) ||
        dt_pool_rejects(&s->pool, c->num_gpus, bound, compute_s)) {
        s->pruned++;
        return;
    }
    join_layouts(s, c, &step);
}

/* Matmul seconds of a batch on each GPU. */
static double compute_time_s(const DtChoice *c)
{
    uint64_t nanobatch = c->replica->replica_tokens / c->microbatches;
    return c->layers * c->experts * (double)c->microbatches *
           dt_layer_time_s(&c->pair->layer, nanobatch) * (c->recompute ? DT_RECOMPUTE_COMPUTE : 1);
}

/* All schedules at one number of microbatches. */
static void visit_schedules(DtSearcher *s, DtChoice *c, bool interleaved, bool zero_bubble)
{
    double compute_s = compute_time_s(c);
    if (zero_bubble && s->options->zero_bubble)
        visit_variant(s, c, true, -1, compute_s);
    if (!interleaved || !s->options->interleaved)
        return;
    if (c->degree[DT_PP] == 1)
        visit_variant(s, c, false, -1, compute_s);
    for (int i = 0; c->degree[DT_PP] > 1 && i < c->stages->chunks.count; i++)
        visit_variant(s, c, false, i, compute_s);
}

/* All numbers of microbatches that the space allows. */
static void visit_microbatches(DtSearcher *s, DtChoice *c)
{
    const DtDivisors *counts = &c->replica->microbatches;
    double pp = (double)c->degree[DT_PP];
    int first = dt_divisors_at_least(counts, pp);
    int first_zero_bubble = dt_divisors_at_least(counts, 2 * pp);
    bool all = dt_exhaustive(s);
    for (int i = all ? 0 : first; i < counts->count && dt_searcher_goes_on(s); i++) {
        bool interleaved = all || i < first + INTERLEAVED_CHOICES;
        bool zero_bubble = all ? i >= first_zero_bubble : i == first_zero_bubble;
        double pieces = (double)c->degree[DT_DP] * (double)counts->value[i];
        c->microbatches = counts->value[i];
        if (!interleaved && i > first_zero_bubble)
            break;
        if (s->options->whole_sequences && pieces > (double)s->work->run.model->batch)
            break;
        if (all) { /* the bound rises with the pieces */
            double compute_s = dt_pair_compute_gpu_s(c->pair, pieces, 1) * c->inverse_gpus;
            if (dt_pool_rejects(&s->pool, c->num_gpus, compute_s, compute_s)) {
                s->cut++;
                break;
            }
        }
        visit_schedules(s, c, interleaved, zero_bubble);
    }
}

/* The table of a pair, from its two degrees' spreads, which other pairs share. */
static DtTpTable *make_tp_table(DtSearcher *s, const DtPair *pair)
{
    DtSpreads **model = &s->model_spreads[pair->model_index];
    DtSpreads **ff = &s->ff_spreads[pair->ff_index];
    if (!*model)
        *model = dt_spreads(&s->tables, s->work, &s->footprints, &s->reach, DT_TP_MODEL,
                            pair->model_degree);
    if (!*ff)
        *ff = dt_spreads(&s->tables, s->work, &s->footprints, &s->reach, DT_TP_FF, pair->ff_degree);
    return *model && *ff ? dt_tp_table(&s->tables, s->work, &s->footprints, *model, *ff) : NULL;
}

/* The paper's interleaving: every layer of a stage a chunk. */
static DtDivisors all_layers(DtArena *arena, uint64_t stage_layers)
{
    DtDivisors chunks = {DT_NEW(arena, uint64_t, 1), 1};
    if (chunks.value)
        chunks.value[0] = stage_layers;
    return chunks;
}

/* Makes what the chosen degrees need and is not there yet. */
static bool make_tables(DtSearcher *s, DtChoice *c)
{
    DtPair *pair = c->pair;
    DtReplica *replica = c->replica;
    DtStages *stages = c->stages;
    if (!pair->table)
        pair->table = make_tp_table(s, pair);
    if (!replica->table)
        replica->table =
            dt_dp_table(&s->tables, s->work, &s->footprints, &s->reach, c->degree[DT_DP]);
    if (replica->microbatches.count == 0)
        replica->microbatches = dt_divisors(&s->lists, replica->replica_tokens);
    if (!stages->table) {
        uint64_t stage_layers = s->work->run.model->layers / c->degree[DT_PP];
        stages->table = dt_pp_ep_table(&s->tables, s->work, &s->footprints, &s->reach,
                                       c->degree[DT_PP], c->degree[DT_EP]);
        stages->chunks = dt_exhaustive(s) ? dt_divisors(&s->tables, stage_layers)
                                          : all_layers(&s->tables, stage_layers);
        if (!stages->table || s->tables.failed)
            return false;
        stages->least_single = dt_pp_ep_least(stages->table, 1);
        stages->least_any = stages->least_single;
        stages->least = DT_NEW(&s->tables, DtComm, stages->chunks.count);
        stages->within = DT_NEW(&s->tables, DtComm *, stages->chunks.count + 1);
        for (int i = 0; stages->least && i < stages->chunks.count; i++) {
            stages->least[i] = dt_pp_ep_least(stages->table, (double)stages->chunks.value[i]);
            stages->least_any.gpu_s = dt_min(stages->least_any.gpu_s, stages->least[i].gpu_s);
            stages->least_any.latency_s =
                dt_min(stages->least_any.latency_s, stages->least[i].latency_s);
        }
    }
    return !s->tables.failed && !s->lists.failed;
}

/* Least matmul GPU-seconds of a pipeline without zero bubble, its bubbles included: with m
 * microbatches, (a dp m + b) (1 + (pp - 1) / (v m)) = b + a dp (pp - 1) / v + a dp m +
 * b (pp - 1) / (v m), whose last two terms are least at 2 sqrt(a dp b (pp - 1) / v). */
static double bound_interleaved(const DtChoice *c)
{
    const DtPair *pair = c->pair;
    double dp = (double)c->degree[DT_DP], pp = (double)c->degree[DT_PP], bound = 0;
    double chunks = pp > 1 ? (double)c->stages->chunks.value[c->stages->chunks.count - 1] : 1;
    double idle = (pp - 1) / chunks, kept = c->replica->kept_frac;
    for (int i = 0; i < 4; i++) {
        double a = pair->constant[i] * dp, b = pair->slope[i] * kept;
        bound = dt_max(bound, b + a * idle + 2 * sqrt(a * b * idle));
    }
    return dt_max(bound, dt_pair_compute_gpu_s(pair, dp * pp, kept));
}

/* Bounds of pipeline and expert parallelism per footprint over all interleavings. A transfer's
 * cost is linear in the interleaving, so the ends suffice. NULL: no memory. */
static const DtComm *within_any(DtSearcher *s, DtChoice *c)
{
    DtStages *stages = c->stages;
    int count = s->footprints.count;
    if (stages->within_any)
        return stages->within_any;
    c->chunk = -1;
    const DtComm *single = within_of(s, c);
    c->chunk = stages->chunks.count - 1;
    const DtComm *most = within_of(s, c);
    DtComm *any = DT_NEW(&s->tables, DtComm, count);
    for (int f = 0; single && most && any && f < count; f++) {
        any[f].gpu_s = dt_min(single[f].gpu_s, most[f].gpu_s);
        any[f].latency_s = dt_min(single[f].latency_s, most[f].latency_s);
    }
    stages->within_any = single && most ? any : NULL;
    return stages->within_any;
}

static bool ruled_out(const DtSearcher *s, const DtChoice *c, DtBoundTimes bound)
{
    return dt_pool_too_slow(&s->pool, bound.step_s) ||
           dt_pool_rejects(&s->pool, c->num_gpus, bound.step_s, bound.compute_s);
}

/* Whether the degrees' bound, now with the tables, rules them out: first with each kind at its
 * least, then with the kinds sharing the inner levels. */
static bool hopeless(DtSearcher *s, DtChoice *c)
{
    DtStep step;
    double interleaved_gpu_s = bound_interleaved(c);
    c->recompute = false;
    least_comm(c, c->stages->least_any, &step);
    if (ruled_out(s, c, dt_bound_degrees(s, c, &step, interleaved_gpu_s)))
        return true;
    if (!dt_exhaustive(s)) /* few variants: the second bound costs more than it saves */
        return false;
    const DtComm *within = within_any(s, c);
    for (int f = 0; within && f < s->footprints.count; f++) {
        share_comm(s, c, f, within, &step);
        DtBoundTimes bound = dt_bound_degrees(s, c, &step, interleaved_gpu_s);
        if (!ruled_out(s, c, bound))
            return false;
    }
    return s->options->prune && within != NULL;
}

void dt_visit_degrees(DtSearcher *s, DtChoice *c)
{
    if (!dt_searcher_goes_on(s))
        return;
    if (!make_tables(s, c)) {
        atomic_store(&s->shared->status, DT_NO_MEMORY);
        return;
    }
    if (hopeless(s, c)) {
        s->cut++;
        return;
    }
    c->layers = (double)(s->work->run.model->layers / c->degree[DT_PP]);
    c->experts = (double)(s->work->run.model->sparsity / c->degree[DT_EP]);
    c->recompute = false;
    visit_microbatches(s, c);
    c->recompute = true;
    if (s->options->recompute)
        visit_microbatches(s, c);
}

bool dt_visit_plan(DtSearcher *s, const DtPlan *plan)
{
    DtChoice choice = {.pair = &s->pairs[0], .stages = &s->stages[0]};
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        choice.degree[kind] = plan->degree[kind];
    dt_choose_dp(s, &choice, 0);
    dt_pair_prepare(s, choice.pair);
    if (!make_tables(s, &choice))
        return false;
    choice.layers = (double)(s->work->run.model->layers / plan->degree[DT_PP]);
    choice.experts = (double)(s->work->run.model->sparsity / plan->degree[DT_EP]);
    choice.microbatches = plan->microbatches;
    choice.recompute = plan->recompute;
    bool chunked = plan->degree[DT_PP] > 1 && !plan->zero_bubble;
    int chunk = chunked ? dt_divisors_find(&choice.stages->chunks, plan->interleave) : -1;
    visit_variant(s, &choice, plan->zero_bubble, chunk, compute_time_s(&choice));
    return true;
}
