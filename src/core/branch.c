/* Which degrees to look at: all combinations for a range of tensor-parallel pairs, each judged by
 * a lower bound, then visited in the order of their bounds until none can help. */
#include <math.h>

#include "memory.h"
#include "searcher.h"

enum {
    PAIRS_AT_ONCE = 8,
    EARLY_TABLES = 64, /* ways to split the levels up to which tables are made for the bounds */
    FIRST_BRANCHES = 1 << 10,
    MAX_BRANCHES = 1 << 18, /* then those gathered are visited before more are */
};

/* Degrees that may hold a good plan. */
struct DtBranch {
    double bound;  /* of the objective */
    double step_s; /* bound of a batch's seconds */
    int pair, dp;
    int pp, ep;
};

void dt_pair_prepare(const DtSearcher *s, DtPair *pair)
{
    const DtModel *model = s->work->run.model;
    pair->layer = dt_layer_prepare(s->work->run.gpu, model->d_ff / pair->ff_degree,
                                   model->d_model / pair->model_degree);
    const DtMatmul *matmuls[] = {&pair->layer.up.forward, &pair->layer.down.forward,
                                 &pair->layer.up.weight_grad, &pair->layer.down.weight_grad};
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

double dt_pair_compute_gpu_s(const DtPair *pair, double pieces, double kept_frac)
{
    double bound = 0;
    for (int i = 0; i < 4; i++)
        bound = dt_max(bound, pair->constant[i] * pieces + pair->slope[i] * kept_frac);
    return bound;
}

/* Degrees as whole numbers: a double holds them exactly up to 2^53 only. */
static uint64_t pair_degree(const DtPair *pair)
{
    return pair->model_degree * pair->ff_degree;
}

static uint64_t degree_product(const DtChoice *c)
{
    return pair_degree(c->pair) * c->degree[DT_PP] * c->degree[DT_EP] * c->degree[DT_DP];
}

/* ---- judging degrees by bounds that need no table ---- */

/* Least time of a batch whose matmuls take at least gpu_s GPU-seconds. The communication is in
 * *step. */
static double bound_schedule(const DtSearcher *s, const DtChoice *c, DtStep *step, double gpu_s,
                             bool zero_bubble)
{
    step->compute_s = gpu_s * c->inverse_gpus;
    step->stretch = 1;
    step->zero_bubble = zero_bubble;
    return dt_step_time_s(step, s->work->run.overlap, s->work->run.zero_bubble_latency);
}

DtBoundTimes dt_bound_degrees(const DtSearcher *s, const DtChoice *c, DtStep *step,
                              double interleaved_gpu_s)
{
    double dp = (double)c->degree[DT_DP], pp = (double)c->degree[DT_PP];
    double kept = c->replica->kept_frac;
    DtBoundTimes bound = {INFINITY, 0};
    if (s->options->zero_bubble)
        bound.step_s =
            bound_schedule(s, c, step, dt_pair_compute_gpu_s(c->pair, 2 * dp * pp, kept), true);
    if (s->options->interleaved)
        bound.step_s = dt_min(bound.step_s, bound_schedule(s, c, step, interleaved_gpu_s, false));
    if (s->options->objective == DT_BY_ENERGY) /* the matmuls alone, without bubbles */
        bound.compute_s =
            c->inverse_gpus * dt_pair_compute_gpu_s(c->pair, dt_exhaustive(s) ? dp : dp * pp, kept);
    return bound;
}

/* Least communication of pipeline and expert parallelism: of the table, or where there is none yet
 * as if all went over the fastest level. */
static DtComm least_pp_ep(const DtSearcher *s, const DtChoice *c)
{
    double pp = (double)c->degree[DT_PP], ep = (double)c->degree[DT_EP];
    double layers = (double)s->work->run.model->layers;
    double crossings = pp - 1 + (layers - pp) * (1 - 1 / ep);
    if (c->stages->table)
        return c->stages->least_any;
    return (DtComm){2 * s->work->p2p_bytes * crossings / s->max_half_Bps,
                    2 * (pp - 1) * s->least_latency_s};
}

/* What a branch is bounded for: itself, or all of an ascent over DP that starts with it. What
 * rises with DP is then taken at its least onward, and what falls on the largest cluster. */
typedef enum { THIS_DEGREE, ALL_ONWARD } Scope;

/* Bounds of a branch's times. For ALL_ONWARD they hold in GPU-seconds on any of its clusters, and
 * in seconds on most_gpus. */
static DtBoundTimes bound_branch(const DtSearcher *s, const DtChoice *c, Scope scope,
                                 double most_gpus)
{
    const DtPair *pair = c->pair;
    const DtComm *dp = scope == THIS_DEGREE ? &c->replica->table->least : &c->replica->onward;
    DtComm pp_ep = least_pp_ep(s, c);
    DtComm tp = {pair->flat_gpu_s,
                 pair->tp > 1 ? 2 * s->work->tp_messages * s->least_latency_s : 0};
    DtChoice at = *c;
    DtStep step;
    if (pair->table)
        tp = pair->table->least;
    at.inverse_gpus = 1 / most_gpus;
    at.degree[DT_DP] = (uint64_t)((double)c->degree[DT_DP] * (most_gpus / c->num_gpus));
    step.tp_s = tp.gpu_s * at.inverse_gpus;
    step.tp_latency_s = tp.latency_s;
    step.dp_s = dp->gpu_s * c->inverse_gpus;
    step.dp_latency_s = dp->latency_s;
    step.pp_ep_s = pp_ep.gpu_s * at.inverse_gpus;
    step.pp_ep_latency_s = pp_ep.latency_s;
    double pieces = (double)at.degree[DT_DP] * (double)c->degree[DT_PP];
    return dt_bound_degrees(s, &at, &step,
                            dt_pair_compute_gpu_s(pair, pieces, c->replica->kept_frac));
}

/* Whether the plan's weights and optimizer state fit. */
static bool fits(const DtSearcher *s, const DtChoice *c)
{
    double available = s->work->run.gpu->memory_bytes * s->options->memory_frac;
    return dt_cost_memory_bytes(s->work, (double)c->degree[DT_DP], c->num_gpus) <= available;
}

static bool in_list(const DtGpuCounts *gpus, uint64_t count)
{
    int low = 0, high = gpus->num_list;
    if (!gpus->list)
        return true;
    while (low < high) {
        int middle = (low + high) / 2;
        if (gpus->list[middle] < count)
            low = middle + 1;
        else
            high = middle;
    }
    return low < gpus->num_list && gpus->list[low] == count;
}

/* Whether the cluster is one that was asked for and that fills the class. */
static bool cluster_allowed(const DtSearcher *s, uint64_t count, uint64_t ep)
{
    const DtGpuCounts *gpus = &s->options->gpus;
    if (s->fixed_gpus ? count != s->fixed_gpus : count % (uint64_t)s->class_gpus != 0)
        return false;
    if (!dt_exhaustive(s) && dt_gcd(count, s->work->run.model->sparsity) != ep)
        return false;
    return count >= gpus->min && count <= gpus->max && count % gpus->multiple_of == 0 &&
           (!gpus->power_of_two || (count & (count - 1)) == 0) && in_list(gpus, count) &&
           dt_paper_cluster(s, count);
}

void dt_choose_dp(DtSearcher *s, DtChoice *c, int index)
{
    c->degree[DT_DP] = s->dp.value[index];
    c->replica = &s->replicas[index];
    c->num_gpus = c->pair->tp * (double)c->degree[DT_PP] * (double)c->degree[DT_EP] *
                  (double)c->degree[DT_DP];
    c->inverse_gpus = 1 / c->num_gpus;
}

/* ---- gathering branches ---- */

static void choose_pair(const DtSearcher *s, DtChoice *c, int index)
{
    c->pair = &s->pairs[index];
    c->degree[DT_TP_MODEL] = c->pair->model_degree;
    c->degree[DT_TP_FF] = c->pair->ff_degree;
}

static void choose_stages(DtSearcher *s, DtChoice *c, int pp, int ep)
{
    c->degree[DT_PP] = s->pp.value[pp];
    c->degree[DT_EP] = s->ep.value[ep];
    c->stages = &s->stages[pp * s->ep.count + ep];
    if (s->footprints.first_pair[s->footprints.count] <= EARLY_TABLES)
        dt_tables_stages(s, c->stages, c->degree[DT_PP], c->degree[DT_EP]);
}

/* Visits the gathered branches, least bound first, until no other can be among the best. */
static void drain(DtSearcher *s);

/* Room for one more branch. false: there is no memory. */
static bool make_room(DtSearcher *s)
{
    if (s->num_branches < s->max_branches)
        return true;
    if (s->max_branches >= MAX_BRANCHES) {
        drain(s);
        return true;
    }
    int room = s->max_branches ? 2 * s->max_branches : FIRST_BRANCHES;
    DtBranch *grown = dt_realloc(s->branches, (size_t)room * sizeof *grown);
    if (!grown) {
        atomic_store(&s->shared->status, DT_NO_MEMORY);
        return false;
    }
    s->branches = grown;
    s->max_branches = room;
    return true;
}

/* Whether the replica's batch can be cut into enough microbatches for a schedule. */
static bool schedulable(const DtSearcher *s, const DtChoice *c)
{
    double pp = (double)c->degree[DT_PP], most = (double)c->replica->replica_tokens;
    if (s->options->whole_sequences)
        most = dt_min(most, (double)s->work->run.model->batch / (double)c->degree[DT_DP]);
    return (s->options->interleaved && most >= (dt_exhaustive(s) ? 1 : pp)) ||
           (s->options->zero_bubble && most >= 2 * pp);
}

/* Whether nothing onward in the ascent over DP can meet the deadline. The GPU-seconds of DP rise,
 * but not as fast as the GPUs: in seconds their least onward on the largest cluster bounds them. */
static bool ascent_too_slow(const DtSearcher *s, const DtChoice *c)
{
    DtChoice largest = *c;
    double most = (double)s->dp.value[s->dp.count - 1] / (double)c->degree[DT_DP];
    largest.num_gpus = c->num_gpus * most;
    largest.inverse_gpus = 1 / largest.num_gpus;
    largest.degree[DT_DP] = s->dp.value[s->dp.count - 1];
    DtBoundTimes bound = bound_branch(s, &largest, ALL_ONWARD, largest.num_gpus);
    return dt_pool_too_slow(&s->pool, bound.step_s);
}

/* Whether nothing onward in the ascent can be among the best: more GPUs are faster, but here cost
 * more GPU-seconds. */
static bool ascent_rejected(const DtSearcher *s, const DtChoice *c)
{
    if (s->fixed_gpus || s->options->objective == DT_BY_TIME || s->options->frontier)
        return false;
    DtBoundTimes bound = bound_branch(s, c, ALL_ONWARD, c->num_gpus);
    return dt_pool_rejects(&s->pool, c->num_gpus, bound.step_s, bound.compute_s);
}

/* Keeps a branch for the visit unless its bound rules it out. Returns whether an ascent over DP
 * can end here. */
static bool gather(DtSearcher *s, const DtChoice *c, int pair, int pp, int ep, int dp)
{
    if (!schedulable(s, c) || !fits(s, c))
        return false;
    DtBoundTimes bound = bound_branch(s, c, THIS_DEGREE, c->num_gpus);
    if (dt_pool_rejects(&s->pool, c->num_gpus, bound.step_s, bound.compute_s)) {
        s->cut++;
        return ascent_rejected(s, c);
    }
    if (dt_pool_too_slow(&s->pool, bound.step_s)) {
        s->cut++;
        return !s->fixed_gpus && ascent_too_slow(s, c);
    }
    if (!s->fixed_gpus &&
        (c->num_gpus > DT_COUNT_MAX || !cluster_allowed(s, degree_product(c), c->degree[DT_EP])))
        return false;
    if (!make_room(s))
        return true;
    double objective = dt_pool_objective(&s->pool, c->num_gpus, bound.step_s, bound.compute_s);
    s->branches[s->num_branches++] = (DtBranch){objective, bound.step_s, pair, dp, pp, ep};
    return false;
}

/* The cluster is given, so DP follows from the other degrees. */
static void gather_fixed(DtSearcher *s, DtChoice *c, int pair, int ep)
{
    uint64_t left = s->fixed_gpus / (pair_degree(c->pair) * s->ep.value[ep]);
    int dp = s->dp.count - 1; /* falls as PP rises */
    for (int pp = 0; pp < s->pp.count && dt_searcher_goes_on(s); pp++) {
        uint64_t degree = left / s->pp.value[pp];
        if (left % s->pp.value[pp] != 0)
            continue;
        while (dp >= 0 && s->dp.value[dp] > degree)
            dp--;
        if (dp < 0)
            break;
        if (s->dp.value[dp] != degree)
            continue;
        choose_stages(s, c, pp, ep);
        dt_choose_dp(s, c, dp);
        gather(s, c, pair, pp, ep, dp);
    }
}

/* Data parallelism ascends until no larger one can help. */
static void gather_any(DtSearcher *s, DtChoice *c, int pair, int pp, int ep)
{
    double others = c->pair->tp * (double)c->degree[DT_PP] * (double)c->degree[DT_EP];
    double least = dt_max(s->min_gpus, dt_max((double)s->options->gpus.min, s->class_gpus));
    int dp = dt_divisors_at_least(&s->dp, least / others * DT_BOUND_SLACK);
    for (; dp < s->dp.count && dt_searcher_goes_on(s); dp++) {
        dt_choose_dp(s, c, dp);
        if (c->num_gpus > (double)s->options->gpus.max || gather(s, c, pair, pp, ep, dp))
            break;
    }
}

/* Fewest GPUs that a search may use with a pair. */
static double fewest_gpus(const DtSearcher *s, const DtPair *pair)
{
    return s->fixed_gpus ? (double)s->fixed_gpus
                         : dt_max(s->min_gpus, dt_max(s->class_gpus, pair->tp));
}

double dt_pair_bound_gpu_s(DtSearcher *s, DtPair *pair)
{
    const DtWork *work = s->work;
    double gpus = fewest_gpus(s, pair), least = work->sustained_gpu_s * s->least_kept_frac;
    bool hidden = work->run.overlap.tp;
    double flat = hidden ? dt_max(least, pair->flat_gpu_s) : least + pair->flat_gpu_s;
    if (dt_pool_rejects(&s->pool, gpus, flat / gpus, 0))
        return flat; /* enough to rule it out: saves preparing the pair */
    if (!pair->prepared)
        dt_pair_prepare(s, pair);
    if (s->footprints.count > 0 && s->footprints.first_pair[s->footprints.count] <= EARLY_TABLES)
        dt_tables_pair(s, pair);
    double pieces = dt_max(1, gpus / (pair->tp * (double)work->run.model->sparsity));
    double compute = dt_max(least, dt_pair_compute_gpu_s(pair, pieces, s->least_kept_frac));
    double comm = pair->table ? pair->table->least.gpu_s : pair->flat_gpu_s;
    return hidden ? dt_max(compute, comm) : compute + comm;
}

/* Whether a pair divides the cluster and its bound leaves it in the race. */
static bool pair_can_help(DtSearcher *s, DtPair *pair)
{
    bool fixed = s->fixed_gpus > 0;
    double gpus = fewest_gpus(s, pair);
    if (fixed && (pair->tp > gpus || s->fixed_gpus % pair_degree(pair) != 0))
        return false;
    double step_s = dt_pair_bound_gpu_s(s, pair) / gpus;
    bool helps = !dt_pool_rejects(&s->pool, gpus, step_s, 0) &&
                 !(fixed && dt_pool_too_slow(&s->pool, step_s));
    if (!fixed && (s->options->objective == DT_BY_TIME || s->options->frontier))
        helps = true; /* a larger cluster may be fast enough */
    if (helps && !pair->prepared)
        dt_pair_prepare(s, pair);
    s->cut += !helps;
    return helps;
}

static void gather_pair(DtSearcher *s, int pair)
{
    uint64_t sparsity = s->work->run.model->sparsity;
    DtChoice choice = {.recompute = false};
    choose_pair(s, &choice, pair);
    if (!pair_can_help(s, choice.pair))
        return;
    for (int ep = 0; ep < s->ep.count; ep++) {
        double others = choice.pair->tp * (double)s->ep.value[ep];
        if (s->fixed_gpus) {
            if (others <= (double)s->fixed_gpus &&
                s->fixed_gpus % (pair_degree(choice.pair) * s->ep.value[ep]) == 0 &&
                cluster_allowed(s, s->fixed_gpus, s->ep.value[ep]))
                gather_fixed(s, &choice, pair, ep);
            continue;
        }
        for (int pp = 0; pp < s->pp.count && dt_searcher_goes_on(s); pp++) {
            double gpus = others * (double)s->pp.value[pp]; /* times DP */
            if (gpus > DT_COUNT_MAX)
                break;
            if (!dt_exhaustive(s) &&
                dt_gcd(pair_degree(choice.pair) * s->ep.value[ep] * s->pp.value[pp], sparsity) !=
                    s->ep.value[ep])
                continue; /* the rule EP = gcd(N, sparsity) holds for no DP */
            choose_stages(s, &choice, pp, ep);
            gather_any(s, &choice, pair, pp, ep);
        }
    }
}

/* ---- visiting them in order ---- */

/* Restores the heap (least bound at the root) below `at`. */
static void sift_down(DtBranch heap[], int count, int at)
{
    DtBranch moving = heap[at];
    for (;;) {
        int child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && heap[child + 1].bound < heap[child].bound)
            child++;
        if (heap[child].bound >= moving.bound)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static void visit_branch(DtSearcher *s, const DtBranch *branch)
{
    DtChoice choice = {.recompute = false};
    choose_pair(s, &choice, branch->pair);
    choose_stages(s, &choice, branch->pp, branch->ep);
    dt_choose_dp(s, &choice, branch->dp);
    if (s->options->frontier && s->options->prune &&
        dt_pool_frontier_rejects(&s->pool, choice.num_gpus, branch->step_s * DT_BOUND_SLACK))
        s->cut++;
    else
        dt_visit_degrees(s, &choice);
}

static void drain(DtSearcher *s)
{
    DtBranch *heap = s->branches;
    int count = s->num_branches;
    for (int at = count / 2 - 1; at >= 0; at--)
        sift_down(heap, count, at);
    while (count > 0 && dt_searcher_goes_on(s)) {
        double bound = atomic_load_explicit(&s->shared->bound, memory_order_relaxed);
        if (s->options->prune && !s->options->frontier && heap[0].bound * DT_BOUND_SLACK > bound)
            break;
        DtBranch branch = heap[0];
        heap[0] = heap[--count];
        if (count > 0)
            sift_down(heap, count, 0);
        visit_branch(s, &branch);
    }
    s->cut += count;
    s->num_branches = 0;
}

void dt_visit_pairs(DtSearcher *s, int first, int end)
{
    for (int pair = first; pair < end && dt_searcher_goes_on(s); pair++) {
        gather_pair(s, pair);
        atomic_fetch_add_explicit(&s->shared->pairs_done, 1, memory_order_relaxed);
        if (!s->fixed_gpus && (pair - first) % PAIRS_AT_ONCE == PAIRS_AT_ONCE - 1)
            drain(s); /* the pairs come in a good order: what is found cuts later ones */
    }
    drain(s);
}
