#include "trainsearch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "memory.h"

/* Plans that share their layers: all but stages, interleaving and sharding is fixed. */
typedef struct {
    DtTrainPlan plan; /* pp = 1, interleave = 1, zero = 1 */
    DtLayers layers;
    double bound_s; /* no plan of the group is faster */
    int order;      /* of enumeration: ties */
} Group;

typedef struct {
    const DtTransformer *m;
    const DtSoftware *s;
    const DtMachine *machine;
    const DtCalibration *calibration;
    const DtTrainQuestion *q;
    DtRates rates;
    double batch;
    Group *groups;
    int num_groups, room;
    DtTrainAnswer *answers;
    DtTrainSearchStats *stats;
    bool failed; /* no memory */
} Search;

static bool divides(double a, double b)
{
    return fmod(b, a) == 0;
}

/* Adding up gradients is left out: sharded weights do without. */
static double layer_least_s(const Search *s, const DtLayerTime *l)
{
    double adding_s = s->rates.accumulate_bytes * l->parameters / s->rates.memory_Bps;
    return dt_max(0, l->forward.total_s + l->backward.total_s - adding_s);
}

static double least_s(const Search *s, const Group *g)
{
    const DtTransformer *m = s->m;
    double experts = 0;
    if (m->experts > 0)
        experts = floor((m->layers - m->dense_layers) / m->expert_interval);
    double dense = m->layers - experts;
    const DtLayers *l = &g->layers;
    double layers_s = dense * layer_least_s(s, &l->dense) +
                      (experts > 0 ? experts * layer_least_s(s, &l->expert) : 0);
    /* Stages share layers and head at best evenly, so the product of microbatches and
     * time of the slowest stage is least as if all of them were on every GPU in turn. */
    double ways = g->plan.tp * g->plan.cp;
    return s->batch * ways / (s->q->gpus * g->plan.microbatch) * (layers_s + l->head_s);
}

/* In that order neighbours of tensor parallelism are dp GPUs apart, so that layers depend on the
 * stages: nothing is shared, and there is no bound. */
static bool is_shared(const DtTrainPlan *plan)
{
    return plan->order != DT_ORDER_DP_TP_CP_PP;
}

static void add_group(Search *s, const DtTrainPlan *plan)
{
    if (s->num_groups == s->room) {
        int room = s->room ? 2 * s->room : 256;
        Group *more = dt_realloc(s->groups, (size_t)room * sizeof *more);
        if (!more) {
            s->failed = true;
            return;
        }
        s->groups = more;
        s->room = room;
    }
    Group *g = &s->groups[s->num_groups];
    *g = (Group){.plan = *plan, .order = s->num_groups};
    dt_step_layers(s->m, &g->plan, s->s, &s->rates, &g->layers);
    g->bound_s = is_shared(plan) ? least_s(s, g) : 0;
    s->num_groups++;
}

static void add_microbatches(Search *s, DtTrainPlan *plan)
{
    static const DtRecompute ways[] = {DT_RECOMPUTE_NONE, DT_RECOMPUTE_SELECTIVE,
                                       DT_RECOMPUTE_FULL};
    double group_gpus = s->q->gpus / (plan->tp * plan->cp);
    for (double b = 1; b <= 64 && b <= s->batch; b *= 2) {
        if (!divides(b, s->batch) || s->batch / b < 1)
            continue;
        for (int i = 0; i < 3; i++) {
            if (ways[i] == DT_RECOMPUTE_SELECTIVE && s->s->attention >= DT_ATTENTION_FLASH1)
                continue;
            plan->microbatch = b;
            plan->recompute = ways[i];
            plan->recompute_frac = ways[i] == DT_RECOMPUTE_NONE ? 0 : 1;
            plan->dp = group_gpus;
            add_group(s, plan);
        }
    }
}

/* Expert parallelism; experts split as the rest of the layer or, with tensor parallelism, whole. */
static void add_experts(Search *s, const DtTrainPlan *base, DtTrainPlan *plan)
{
    for (double ep = 1; ep <= dt_max(1, s->m->experts); ep++) {
        if (ep > 1 && !divides(ep, s->m->experts))
            continue;
        double ways[] = {plan->tp, 1};
        bool fixed = base->expert_tp > 0;
        if (fixed)
            ways[0] = base->expert_tp;
        int count = fixed || plan->tp == 1 || s->m->experts <= 0 ? 1 : 2;
        for (int i = 0; i < count; i++) {
            if (ep * ways[i] > 1 && !divides(ep * ways[i], s->q->gpus))
                continue;
            plan->ep = ep;
            plan->expert_tp = ways[i];
            add_microbatches(s, plan);
        }
    }
}

static void add_groups(Search *s, const DtTrainPlan *base)
{
    const DtTransformer *m = s->m;
    double most_tp = dt_min(s->machine->domain_size, m->heads);
    for (double tp = 1; tp <= most_tp; tp++) {
        if (!divides(tp, m->heads) || !divides(tp, s->q->gpus))
            continue;
        for (double cp = 1; cp <= 64; cp *= 2) {
            bool splits = divides(tp * cp, m->seq_len) && m->seq_len / cp >= 1024;
            if (!divides(tp * cp, s->q->gpus) || (cp > 1 && !splits))
                continue;
            DtTrainPlan plan = *base;
            plan.gpus = s->q->gpus;
            plan.batch = s->batch;
            plan.tp = tp;
            plan.cp = cp;
            plan.pp = plan.interleave = 1;
            plan.zero = 1;
            plan.sequence_parallel = base->sequence_parallel && tp > 1;
            add_experts(s, base, &plan);
        }
    }
}

static int compare_groups(const void *a, const void *b)
{
    const Group *x = a;
    const Group *y = b;
    if (x->bound_s != y->bound_s)
        return x->bound_s < y->bound_s ? -1 : 1;
    return x->order - y->order;
}

/* Whether plan a goes before b at the same time: fewer ways to cut things, in this order. */
static int compare_plans(const DtTrainPlan *a, const DtTrainPlan *b)
{
    const double keys[2][12] = {
        {a->tp, a->cp, a->pp, a->ep, a->interleave, a->microbatch, a->zero, a->recompute,
         a->shard_group, a->reshard, -a->expert_tp, a->order},
        {b->tp, b->cp, b->pp, b->ep, b->interleave, b->microbatch, b->zero, b->recompute,
         b->shard_group, b->reshard, -b->expert_tp, b->order},
    };
    for (int i = 0; i < 12; i++)
        if (keys[0][i] != keys[1][i])
            return keys[0][i] < keys[1][i] ? -1 : 1;
    return 0;
}

/* The time that a plan must not pass to be of interest. */
static double limit_s(const Search *s)
{
    return s->stats->found < s->q->top ? INFINITY : s->answers[s->q->top - 1].time.step_s;
}

static void keep(Search *s, const DtTrainPlan *plan, const DtStepTime *time)
{
    DtTrainMemory memory = dt_train_memory(s->m, plan, s->s, s->machine);
    if (memory.verdict == DT_TOO_BIG || (memory.verdict == DT_DOUBTFUL && !s->q->doubtful)) {
        s->stats->too_big++;
        return;
    }
    int at = s->stats->found;
    while (at > 0) {
        const DtTrainAnswer *before = &s->answers[at - 1];
        bool later = time->step_s > before->time.step_s || (time->step_s == before->time.step_s &&
                                                            compare_plans(plan, &before->plan) > 0);
        if (later)
            break;
        at--;
    }
    if (at >= s->q->top)
        return;
    int count = s->stats->found < s->q->top ? s->stats->found : s->q->top - 1;
    memmove(&s->answers[at + 1], &s->answers[at], (size_t)(count - at) * sizeof *s->answers);
    s->answers[at] = (DtTrainAnswer){*plan, *time, memory};
    s->stats->found = count + 1;
}

static void consider(Search *s, const Group *g, const DtTrainPlan *plan)
{
    DtStepTime time;
    s->stats->candidates++;
    if (!s->q->all && g->bound_s > limit_s(s))
        return;
    if (plan->zero >= 3 || !is_shared(plan)) {
        /* Layers of sharded weights accumulate no gradients and launch more: not shared. */
        DtLayers layers;
        dt_step_layers(s->m, plan, s->s, &s->rates, &layers);
        dt_step_time_of(s->m, plan, s->s, &s->rates, &layers, &time, NULL, NULL);
    } else {
        dt_step_time_of(s->m, plan, s->s, &s->rates, &g->layers, &time, NULL, NULL);
    }
    s->stats->evaluated++;
    if (time.step_s <= limit_s(s))
        keep(s, plan, &time);
}

static void consider_stages(Search *s, const Group *g, double pp)
{
    DtTrainPlan plan = g->plan;
    plan.pp = pp;
    plan.dp = s->q->gpus / (plan.tp * plan.cp * pp);
    if (!divides(plan.dp * plan.microbatch, s->batch))
        return;
    if (s->m->experts > 0 && !divides(plan.ep * plan.expert_tp, plan.dp * plan.cp * plan.tp))
        return;
    double microbatches = s->batch / (plan.dp * plan.microbatch);
    bool interleaves = plan.schedule == DT_SCHEDULE_1F1B && pp > 1 && divides(pp, microbatches);
    double most = interleaves ? floor((s->m->layers + 2) / pp) : 1;
    double base_split = plan.split;
    bool inside = plan.tp * plan.cp < s->machine->domain_size;
    for (double v = 1; v <= most; v++) {
        /* Embedding and head may stand for a layer each where that makes chunks even. */
        bool even = divides(pp * v, s->m->layers);
        bool ends = !even && divides(pp * v, s->m->layers + 2);
        if (v > 1 && !even && !ends)
            continue;
        plan.interleave = v;
        plan.split = ends ? DT_SPLIT_ENDS : base_split;
        double most_zero = pp == 1 ? 3 : 2;
        for (double zero = 0; zero <= most_zero; zero++) {
            /* Gradients sharded over pipelines would be reduced every microbatch. */
            if ((zero == 2 && pp > 1) || (zero > 0 && plan.dp * plan.cp <= 1))
                continue;
            plan.zero = zero;
            plan.shard_group = plan.dp * plan.cp;
            plan.reshard = true;
            consider(s, g, &plan);
            /* Stages next to one another instead of data parallelism, where nodes have room. */
            if (pp > 1 && plan.dp > 1 && inside && g->plan.order == DT_ORDER_TP_CP_DP_PP) {
                plan.order = DT_ORDER_TP_CP_PP_DP;
                consider(s, g, &plan);
                plan.order = DT_ORDER_TP_CP_DP_PP;
            }
            if (zero == 3) {
                plan.reshard = false;
                consider(s, g, &plan);
                plan.reshard = true;
            }
            if (zero == 3 && plan.shard_group > s->machine->node_size &&
                divides(s->machine->node_size, plan.shard_group)) {
                plan.shard_group = s->machine->node_size;
                consider(s, g, &plan);
            }
        }
    }
}

static void consider_group(Search *s, const Group *g)
{
    double rest = s->q->gpus / (g->plan.tp * g->plan.cp);
    double most = dt_min(dt_min(rest, s->m->layers), DT_MAX_STAGES);
    for (double pp = 1; pp <= most; pp++)
        if (divides(pp, rest))
            consider_stages(s, g, pp);
}

DtStatus dt_train_search(const DtTransformer *model, const DtTrainPlan *base,
                         const DtSoftware *software, const DtMachine *machine,
                         const DtCalibration *calibration, const DtTrainQuestion *question,
                         DtTrainAnswer *answers, DtTrainSearchStats *stats, DtError *error)
{
    Search s = {.m = model,
                .s = software,
                .machine = machine,
                .calibration = calibration,
                .q = question,
                .answers = answers,
                .stats = stats};
    *stats = (DtTrainSearchStats){0};
    s.batch = question->batch > 0 ? question->batch : question->batch_per_gpu * question->gpus;
    DtTrainPlan plan = *base;
    plan.gpus = question->gpus;
    dt_rates_resolve(calibration, machine, software, &plan, &s.rates);
    add_groups(&s, base);
    DtStatus status = DT_OK;
    if (s.failed) {
        status = dt_error_set(error, DT_NO_MEMORY, "gpus", question->gpus, "fit into memory");
    } else if (s.num_groups > 0) {
        qsort(s.groups, (size_t)s.num_groups, sizeof *s.groups, compare_groups);
        for (int i = 0; i < s.num_groups && status == DT_OK; i++) {
            consider_group(&s, &s.groups[i]);
            if (question->stop && question->stop(question->context))
                status = dt_error_set(error, DT_INTERRUPTED, "search", 0, "be let finish");
        }
    }
    dt_free(s.groups);
    if (status == DT_OK && stats->found == 0)
        status = dt_error_set(error, DT_INFEASIBLE, "gpus", question->gpus,
                              stats->candidates > 0 ? "hold the run: no legal plan fits in memory"
                                                    : "allow a legal plan: none divides them");
    return status;
}
