/* All plans of one tensor-parallel pair: pipeline and expert degrees, then data parallelism in
 * ascending order, then schedules and microbatches, then layouts, each behind a lower bound. */
#include <math.h>

#include "searcher.h"

enum { INTERLEAVED_CHOICES = 4 }; /* microbatch counts that the paper's search tries */

/* Degrees chosen so far, with what follows from them. */
typedef struct {
    DtPair *pair;
    DtReplica *replica;
    DtStages *stages;
    uint64_t degree[DT_NUM_KINDS];
    double num_gpus, inverse_gpus;
    double layers, experts; /* of one stage, of one GPU */
    /* The variant under trial. */
    bool recompute, zero_bubble;
    uint64_t microbatches;
    int chunk; /* index in stages->chunks; -1: no interleaving */
} Choice;

static bool exhaustive(const DtSearcher *s)
{
    return s->options->space == DT_SPACE_EXHAUSTIVE;
}

static void prepare_pair(const DtSearcher *s, DtPair *pair)
{
    const DtModel *model = s->work->run.model;
    pair->layer = dt_layer_prepare(s->work->run.gpu, model->d_ff / pair->ff_degree,
                                   model->d_model / pair->model_degree);
    const DtMatmul *matmuls[] = {&pair->layer.up, &pair->layer.down, &pair->layer.up_grad,
                                 &pair->layer.down_grad};
    double weights[] = {2, 2, 1, 1}, constant[4] = {0}, slope[4] = {0}, latency = 0;
    for (int i = 0; i < 4; i++) {
        const DtMatmul *m = matmuls[i];
        constant[0] += weights[i] * m->memory_s[0];
        slope[0] += weights[i] * m->memory_s[1];
        constant[1] += weights[i] * m->l2_s[0];
        slope[1] += weights[i] * m->l2_s[1];
        constant[2] += weights[i] * m->shared_s[0];
        slope[2] += weights[i] * m->shared_s[1];
        slope[3] += weights[i] * m->arithmetic_s / 8;
        latency += weights[i] * m->latency_s;
    }
    /* GPU-seconds of a batch: layers * sparsity * tp * (dp * microbatches) * layer time, at a
     * nanobatch of tokens / (dp * microbatches * sparsity) rows. */
    double copies = (double)model->layers * (double)model->sparsity * pair->tp;
    double rows = (double)s->work->batch_tokens / (double)model->sparsity;
    for (int i = 0; i < 4; i++) {
        pair->constant[i] = copies * (constant[i] + latency);
        pair->slope[i] = copies * slope[i] * rows;
    }
    pair->prepared = true;
}

/* Least matmul GPU-seconds of a batch cut into `pieces` (dp * microbatches). kept_frac: share of
 * the tokens that are used, below 1 only where the paper's rules drop a remainder. */
static double compute_bound(const DtPair *pair, double pieces, double kept_frac)
{
    double bound = 0;
    for (int i = 0; i < 4; i++)
        bound = dt_max(bound, pair->constant[i] * pieces + pair->slope[i] * kept_frac);
    return bound;
}

typedef enum { BRANCH_OPEN, BRANCH_TOO_SLOW, BRANCH_REJECTED } Branch;

/* Judges a branch by bounds that need no table. They never fall as DP rises with the rest kept, so
 * a rejection ends the ascent over DP; a missed deadline does not, as more GPUs are faster. Fewer
 * microbatches than stages cost as much in bubbles as they save, so the matmuls are bounded as if
 * there were as many. */
static Branch judge_branch(const DtSearcher *s, const Choice *c)
{
    double pp = (double)c->degree[DT_PP], ep = (double)c->degree[DT_EP];
    double dp = (double)c->degree[DT_DP];
    if (!c->pair->prepared)
        prepare_pair(s, c->pair);
    double layers = (double)s->work->run.model->layers;
    double crossings = pp - 1 + (layers - pp) * (1 - 1 / ep);
    DtStep step;
    step.compute_s = compute_bound(c->pair, dp * pp, c->replica->kept_frac) * c->inverse_gpus;
    step.tp_s = c->pair->flat_gpu_s * c->inverse_gpus;
    step.dp_s = c->replica->flat_gpu_s * c->inverse_gpus;
    step.pp_ep_s = 2 * s->work->p2p_bytes * crossings / s->max_half_Bps * c->inverse_gpus;
    step.tp_latency_s = c->pair->tp > 1 ? 2 * s->work->tp_messages * s->least_latency_s : 0;
    step.dp_latency_s = dp > 1 ? 2 * s->least_latency_s : 0;
    step.pp_ep_latency_s = 2 * (pp - 1) * s->least_latency_s;
    step.stretch = 1;
    step.zero_bubble = s->options->zero_bubble; /* the lesser time of the two schedules */
    double bound = dt_step_time_s(&step, s->work->run.overlap, s->work->run.zero_bubble_latency);
    if (dt_pool_rejects(&s->pool, c->num_gpus, bound, step.compute_s))
        return BRANCH_REJECTED;
    return dt_pool_too_slow(&s->pool, bound) ? BRANCH_TOO_SLOW : BRANCH_OPEN;
}

/* Bandwidth and latency of what is least for each kind by itself. */
static void least_comm(const Choice *c, DtComm pp_ep, DtStep *step)
{
    double factor = c->recompute ? DT_RECOMPUTE_COMM : 1;
    step->tp_s = c->pair->table->least.gpu_s * c->inverse_gpus * factor;
    step->tp_latency_s = c->pair->table->least.latency_s * factor;
    step->dp_s = c->replica->table->least.gpu_s * c->inverse_gpus;
    step->dp_latency_s = c->replica->table->least.latency_s;
    step->pp_ep_s = pp_ep.gpu_s * c->inverse_gpus * factor;
    step->pp_ep_latency_s = pp_ep.latency_s * factor;
}

static double interleave_of(const Choice *c)
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

static void offer(DtSearcher *s, const Choice *c, const Layout *layout, double compute_s)
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
static void try_footprints(const DtSearcher *s, const Choice *c, DtStep *step, int tp_foot,
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

/* The best layout of a variant that passed its bound. */
static void join_layouts(DtSearcher *s, const Choice *c, DtStep *step)
{
    const DtFootprints *feet = &s->footprints;
    const DtTpTable *tp = c->pair->table;
    Layout best = {.step_s = INFINITY, .tp = NULL};
    for (int f = 0; f < feet->count; f++) {
        int rest = feet->complement[f];
        if (tp->first[f] == tp->first[f + 1])
            continue;
        for (int i = feet->first_pair[rest]; i < feet->first_pair[rest + 1]; i++)
            try_footprints(s, c, step, f, feet->pairs[i], &best);
    }
    if (best.tp)
        offer(s, c, &best, step->compute_s);
}

/* One schedule with one number of microbatches; compute_s: matmuls of a batch. */
static void visit_variant(DtSearcher *s, Choice *c, bool zero_bubble, int chunk, double compute_s)
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
static double compute_time_s(const Choice *c)
{
    uint64_t nanobatch = c->replica->replica_tokens / c->microbatches;
    return c->layers * c->experts * (double)c->microbatches *
           dt_layer_time_s(&c->pair->layer, nanobatch) * (c->recompute ? DT_RECOMPUTE_COMPUTE : 1);
}

/* All schedules at one number of microbatches. */
static void visit_schedules(DtSearcher *s, Choice *c, bool interleaved, bool zero_bubble)
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
static void visit_microbatches(DtSearcher *s, Choice *c)
{
    const DtDivisors *counts = &c->replica->microbatches;
    double pp = (double)c->degree[DT_PP];
    int first = dt_divisors_at_least(counts, pp);
    int first_zero_bubble = dt_divisors_at_least(counts, 2 * pp);
    bool all = exhaustive(s);
    for (int i = all ? 0 : first; i < counts->count; i++) {
        bool interleaved = all || i < first + INTERLEAVED_CHOICES;
        bool zero_bubble = all ? i >= first_zero_bubble : i == first_zero_bubble;
        double pieces = (double)c->degree[DT_DP] * (double)counts->value[i];
        c->microbatches = counts->value[i];
        if (!interleaved && i > first_zero_bubble)
            break;
        if (s->options->whole_sequences && pieces > (double)s->work->run.model->batch)
            break;
        if (all) { /* the bound rises with the pieces */
            double compute_s = compute_bound(c->pair, pieces, 1) * c->inverse_gpus;
            if (dt_pool_rejects(&s->pool, c->num_gpus, compute_s, compute_s)) {
                s->cut++;
                break;
            }
        }
        visit_schedules(s, c, interleaved, zero_bubble);
    }
}

/* Makes what the chosen degrees need and is not there yet. */
static bool make_tables(DtSearcher *s, Choice *c)
{
    DtPair *pair = c->pair;
    DtReplica *replica = c->replica;
    DtStages *stages = c->stages;
    if (!pair->table)
        pair->table = dt_tp_table(&s->tables, s->work, &s->footprints, &s->reach,
                                  pair->model_degree, pair->ff_degree);
    if (!replica->table)
        replica->table =
            dt_dp_table(&s->tables, s->work, &s->footprints, &s->reach, c->degree[DT_DP]);
    if (replica->microbatches.count == 0)
        replica->microbatches = dt_divisors(&s->lists, replica->replica_tokens);
    if (!stages->table) {
        uint64_t stage_layers = s->work->run.model->layers / c->degree[DT_PP];
        stages->table = dt_pp_ep_table(&s->tables, s->work, &s->footprints, &s->reach,
                                       c->degree[DT_PP], c->degree[DT_EP]);
        stages->chunks = dt_divisors(&s->tables, stage_layers);
        if (!stages->table || s->tables.failed)
            return false;
        if (!exhaustive(s)) { /* the paper's rule: every layer a chunk */
            stages->chunks.value += stages->chunks.count - 1;
            stages->chunks.count = 1;
        }
        stages->least_single = dt_pp_ep_least(stages->table, 1);
        stages->least = DT_NEW(&s->tables, DtComm, stages->chunks.count);
        for (int i = 0; stages->least && i < stages->chunks.count; i++)
            stages->least[i] = dt_pp_ep_least(stages->table, (double)stages->chunks.value[i]);
    }
    return !s->tables.failed && !s->lists.failed;
}

/* Whether the plan's weights and optimizer state fit. */
static bool fits(const DtSearcher *s, const Choice *c)
{
    double available = s->work->run.gpu->memory_bytes * s->options->memory_frac;
    return dt_cost_memory_bytes(s->work, (double)c->degree[DT_DP], c->num_gpus) <= available;
}

/* A plan's degrees are all chosen: tries schedules and layouts. */
static void visit_degrees(DtSearcher *s, Choice *c)
{
    s->legal_plan = true;
    if (!fits(s, c) || c->replica->replica_tokens == 0)
        return;
    s->plan_in_memory = true;
    if (!dt_searcher_goes_on(s))
        return;
    if (!make_tables(s, c)) {
        atomic_store(&s->shared->status, DT_NO_MEMORY);
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

static bool in_list(const DtGpuCounts *gpus, double num_gpus)
{
    int low = 0, high = gpus->num_list;
    if (!gpus->list)
        return true;
    while (low < high) {
        int middle = (low + high) / 2;
        if ((double)gpus->list[middle] < num_gpus)
            low = middle + 1;
        else
            high = middle;
    }
    return low < gpus->num_list && (double)gpus->list[low] == num_gpus;
}

/* Whether the cluster is one that was asked for and that fills the class. */
static bool cluster_allowed(const DtSearcher *s, double num_gpus, uint64_t ep)
{
    const DtGpuCounts *gpus = &s->options->gpus;
    if (num_gpus > DT_COUNT_MAX)
        return false;
    uint64_t count = (uint64_t)num_gpus;
    if (s->fixed_gpus ? count != s->fixed_gpus : count % (uint64_t)s->class_gpus != 0)
        return false;
    if (!exhaustive(s) && dt_gcd(count, s->work->run.model->sparsity) != ep)
        return false;
    return num_gpus >= (double)gpus->min && num_gpus <= (double)gpus->max &&
           count % gpus->multiple_of == 0 && (!gpus->power_of_two || (count & (count - 1)) == 0) &&
           in_list(gpus, num_gpus);
}

static void choose_dp(Choice *c, DtSearcher *s, int index)
{
    c->degree[DT_DP] = s->dp.value[index];
    c->replica = &s->replicas[index];
    c->num_gpus = c->pair->tp * (double)c->degree[DT_PP] * (double)c->degree[DT_EP] *
                  (double)c->degree[DT_DP];
    c->inverse_gpus = 1 / c->num_gpus;
}

/* The cluster is given, so DP follows from the other degrees. */
static void visit_fixed(DtSearcher *s, Choice *c)
{
    uint64_t left = s->fixed_gpus / (uint64_t)c->pair->tp;
    if (left % c->degree[DT_PP] != 0 || left / c->degree[DT_PP] % c->degree[DT_EP] != 0)
        return;
    int index = dt_divisors_find(&s->dp, left / c->degree[DT_PP] / c->degree[DT_EP]);
    if (index < 0)
        return;
    choose_dp(c, s, index);
    s->legal_plan = true;
    if (judge_branch(s, c) != BRANCH_OPEN)
        s->cut++;
    else
        visit_degrees(s, c);
}

/* Data parallelism ascends until no larger one can help. */
static void visit_any(DtSearcher *s, Choice *c)
{
    double others = c->pair->tp * (double)c->degree[DT_PP] * (double)c->degree[DT_EP];
    double least = dt_max(s->min_gpus, dt_max((double)s->options->gpus.min, s->class_gpus));
    bool falls = s->options->objective == DT_BY_TIME || s->options->frontier;
    for (int i = dt_divisors_at_least(&s->dp, least / others * DT_BOUND_SLACK); i < s->dp.count;
         i++) {
        choose_dp(c, s, i);
        if (c->num_gpus > (double)s->options->gpus.max)
            break;
        Branch branch = judge_branch(s, c);
        s->cut += branch != BRANCH_OPEN;
        if (branch == BRANCH_REJECTED && !falls)
            break;
        if (branch == BRANCH_OPEN && cluster_allowed(s, c->num_gpus, c->degree[DT_EP]))
            visit_degrees(s, c);
    }
}

/* Whether a pair divides the cluster and its least communication leaves it in the race. */
static bool pair_can_help(DtSearcher *s, const DtPair *pair)
{
    double gpus = (double)s->fixed_gpus;
    if (s->fixed_gpus == 0) {
        bool falls = s->options->objective == DT_BY_TIME || s->options->frontier;
        double least = dt_max(s->min_gpus, dt_max(s->class_gpus, pair->tp));
        return falls || !dt_pool_rejects(&s->pool, least, pair->bound_gpu_s / least, 0);
    }
    if (pair->tp > gpus || s->fixed_gpus % (uint64_t)pair->tp != 0)
        return false;
    double step_s = pair->bound_gpu_s / gpus;
    bool helps = !dt_pool_rejects(&s->pool, gpus, step_s, 0) && !dt_pool_too_slow(&s->pool, step_s);
    s->legal_plan |= !helps;
    s->cut += !helps;
    return helps;
}

void dt_visit_pair(DtSearcher *s, DtPair *pair)
{
    Choice choice = {.pair = pair};
    choice.degree[DT_TP_MODEL] = pair->model_degree;
    choice.degree[DT_TP_FF] = pair->ff_degree;
    if (!pair_can_help(s, pair))
        return;
    for (int e = 0; e < s->ep.count; e++) {
        choice.degree[DT_EP] = s->ep.value[e];
        if (s->fixed_gpus && !cluster_allowed(s, (double)s->fixed_gpus, choice.degree[DT_EP]))
            continue;
        for (int p = 0; p < s->pp.count && dt_searcher_goes_on(s); p++) {
            choice.degree[DT_PP] = s->pp.value[p];
            choice.stages = &s->stages[p * s->ep.count + e];
            if (s->fixed_gpus)
                visit_fixed(s, &choice);
            else
                visit_any(s, &choice);
        }
    }
}

bool dt_visit_plan(DtSearcher *s, const DtPlan *plan)
{
    Choice choice = {.pair = &s->pairs[0], .stages = &s->stages[0]};
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        choice.degree[kind] = plan->degree[kind];
    choose_dp(&choice, s, 0);
    prepare_pair(s, choice.pair);
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
