#include "cost.h"

#include <math.h>
#include <string.h>

void dt_work_prepare(DtWork *work, const DtRun *run)
{
    const DtModel *model = run->model;
    double word = dt_gpu_word_bytes(run->gpu), tokens, layers = (double)model->layers;
    work->run = *run;
    work->num_levels = run->network->num_levels;
    for (int i = 0; i < work->num_levels; i++) {
        work->half_Bps[i] = run->network->level[i].bandwidth_Bps / 2;
        work->latency_s[i] = run->network->level[i].latency_s;
    }
    work->params = dt_model_params(model);
    work->params_bytes = work->params * word;
    work->batch_tokens = dt_model_batch_tokens(model);
    tokens = (double)work->batch_tokens;
    work->steps = dt_model_tokens(model) / tokens;
    work->tp_messages = 2 * layers;
    work->tp_model_bytes = 2 * layers * tokens * (double)model->d_ff * word;
    work->tp_ff_bytes = 2 * layers * tokens * (double)model->d_model * word;
    work->p2p_bytes = tokens * (double)model->d_model * word;
    work->ideal_gpu_s =
        6 * dt_model_active_params(model) * tokens / dt_gpu_peak_flop_per_s(run->gpu);
    work->sustained_gpu_s = work->ideal_gpu_s / run->gpu->utilization_frac;
}

static double product(const uint64_t parts[], int num_levels)
{
    double result = 1;
    for (int i = 0; i < num_levels; i++)
        result *= (double)parts[i];
    return result;
}

DtComm dt_comm_dp(const DtWork *work, const uint64_t parts[])
{
    double above = product(parts, work->num_levels);
    DtComm comm = {0, 0};
    for (int i = 0; i < work->num_levels; i++) {
        double below = above;
        if (parts[i] == 1)
            continue;
        above /= (double)parts[i];
        /* (P - 1) peers times the groups above = below - above */
        double gpu_s = 2 * (below - above) * work->params_bytes / work->half_Bps[i];
        comm.gpu_s = dt_max(comm.gpu_s, gpu_s);
        comm.latency_s += 2 * work->latency_s[i];
    }
    return comm;
}

void dt_spread(const DtWork *work, DtKind kind, const uint64_t parts[], DtSpread *spread)
{
    double bytes = kind == DT_TP_MODEL ? work->tp_model_bytes : work->tp_ff_bytes;
    double above = product(parts, work->num_levels), latency = 0;
    for (int i = 0; i < work->num_levels; i++) {
        double below = above;
        spread->gpu_s[i] = 0;
        if (parts[i] == 1)
            continue;
        above /= (double)parts[i];
        spread->gpu_s[i] = 2 * (below - above) * bytes / work->half_Bps[i];
        latency += work->latency_s[i];
    }
    spread->latency_s = 2 * work->tp_messages * latency;
}

DtComm dt_comm_tp(const DtWork *work, const DtSpread *model, const DtSpread *ff)
{
    DtComm comm = {0, model->latency_s + ff->latency_s};
    for (int i = 0; i < work->num_levels; i++)
        comm.gpu_s = dt_max(comm.gpu_s, model->gpu_s[i] + ff->gpu_s[i]);
    return comm;
}

/* How often a layer boundary stays on the GPU (level -1) or crosses a pipeline level, as
 * fixed + v * per_chunk; v is the interleaving. Sums over all levels to layers - 1. */
static void boundary_transfers(const uint64_t parts[], int level, int highest, double above,
                               double degree, double layers, double *fixed, double *per_chunk)
{
    double part = level < 0 ? 1 : (double)parts[level];
    *fixed = 0;
    if (level < 0) {
        *fixed = layers;
        *per_chunk = -degree;
        if (highest < 0) { /* one stage: v is 1, and its last layer hands nothing on */
            *fixed = layers - 1;
            *per_chunk = 0;
        }
    } else if (level == highest) {
        *fixed = -1;
        *per_chunk = part;
    } else {
        *per_chunk = above * (part - 1);
    }
}

static int highest_level(const uint64_t parts[], int num_levels)
{
    int level = num_levels - 1;
    while (level >= 0 && parts[level] == 1)
        level--;
    return level;
}

/* Share of tokens whose next expert is reached through level e and no higher one; level -1 is
 * the same GPU. above: experts' groups above e. */
static double expert_share(double above, uint64_t part, int level)
{
    return level < 0 ? 1 / above : 1 / above - 1 / (above * (double)part);
}

DtChunkedComm dt_comm_pp_ep(const DtWork *work, const uint64_t pp_parts[],
                            const uint64_t ep_parts[])
{
    int num_levels = work->num_levels;
    int pp_highest = highest_level(pp_parts, num_levels);
    int ep_highest = highest_level(ep_parts, num_levels);
    double layers = (double)work->run.model->layers;
    double pp = product(pp_parts, num_levels), pp_above = pp;
    double bytes = 2 * work->p2p_bytes;
    DtChunkedComm comm = {{0, 0}, {0, 0}};
    for (int a = -1; a <= pp_highest; a++) {
        double fixed, per_chunk, ep_above = product(ep_parts, num_levels), seconds = 0;
        if (a >= 0)
            pp_above /= (double)pp_parts[a];
        boundary_transfers(pp_parts, a, pp_highest, pp_above, pp, layers, &fixed, &per_chunk);
        for (int e = -1; e <= ep_highest; e++) {
            uint64_t part = e < 0 ? 1 : ep_parts[e];
            int level = a > e ? a : e;
            ep_above /= (double)part;
            if (level >= 0 && part > (e < 0 ? 0 : 1))
                seconds += expert_share(ep_above, part, e) / work->half_Bps[level];
        }
        comm.fixed.gpu_s += fixed * bytes * seconds;
        comm.per_chunk.gpu_s += per_chunk * bytes * seconds;
        int farthest = a > ep_highest ? a : ep_highest; /* some token always goes this far */
        if (farthest >= 0) {
            comm.fixed.latency_s += 2 * fixed * work->latency_s[farthest];
            comm.per_chunk.latency_s += 2 * per_chunk * work->latency_s[farthest];
        }
    }
    return comm;
}

DtLayer dt_layer_prepare(const DtGpu *gpu, uint64_t d_ff_part, uint64_t d_model_part)
{
    DtLayer layer = {dt_matmul_prepare(gpu, d_ff_part, d_model_part),
                     dt_matmul_prepare(gpu, d_model_part, d_ff_part)};
    return layer;
}

double dt_cost_memory_bytes(const DtWork *work, double dp, double num_gpus)
{
    return work->params_bytes * (dp + 4) / num_gpus;
}

double dt_cost_energy_J(const DtGpu *gpu, double num_gpus, double time_s, double compute_s)
{
    double idle_w = gpu->idle_power_w != DT_ABSENT ? gpu->idle_power_w : gpu->power_w;
    return num_gpus * (idle_w * time_s + (gpu->power_w - idle_w) * compute_s);
}

/* The matmuls of a layer on one GPU of a plan. */
static DtLayer plan_layer(const DtWork *work, const DtPlan *plan)
{
    const DtModel *model = work->run.model;
    return dt_layer_prepare(work->run.gpu, model->d_ff / plan->degree[DT_TP_FF],
                            model->d_model / plan->degree[DT_TP_MODEL]);
}

/* Tokens that one expert's matmuls take at once. */
static uint64_t plan_nanobatch(const DtWork *work, const DtPlan *plan)
{
    return work->batch_tokens / plan->degree[DT_DP] / plan->microbatches /
           work->run.model->sparsity;
}

/* Fills the times of one batch. */
static void step_prepare(const DtWork *work, const DtPlan *plan, DtStep *step)
{
    const DtModel *model = work->run.model;
    double inverse_gpus = 1 / (double)dt_plan_num_gpus(plan);
    double comm_factor = plan->recompute ? DT_RECOMPUTE_COMM : 1;
    double pp = (double)plan->degree[DT_PP];
    DtComm dp = dt_comm_dp(work, plan->part[DT_DP]);
    DtSpread model_spread, ff_spread;
    dt_spread(work, DT_TP_MODEL, plan->part[DT_TP_MODEL], &model_spread);
    dt_spread(work, DT_TP_FF, plan->part[DT_TP_FF], &ff_spread);
    DtComm tp = dt_comm_tp(work, &model_spread, &ff_spread);
    DtChunkedComm chunked = dt_comm_pp_ep(work, plan->part[DT_PP], plan->part[DT_EP]);
    DtComm pp_ep = dt_comm_at(&chunked, (double)plan->interleave);
    DtLayer layer = plan_layer(work, plan);
    uint64_t nanobatch = plan_nanobatch(work, plan);
    double layers = (double)(model->layers / plan->degree[DT_PP]);
    double experts = (double)(model->sparsity / plan->degree[DT_EP]);
    step->compute_s = layers * experts * (double)plan->microbatches *
                      dt_layer_time_s(&layer, nanobatch) *
                      (plan->recompute ? DT_RECOMPUTE_COMPUTE : 1);
    step->tp_s = tp.gpu_s * inverse_gpus * comm_factor;
    step->dp_s = dp.gpu_s * inverse_gpus;
    step->pp_ep_s = pp_ep.gpu_s * inverse_gpus * comm_factor;
    step->tp_latency_s = tp.latency_s * comm_factor;
    step->dp_latency_s = dp.latency_s;
    step->pp_ep_latency_s = pp_ep.latency_s * comm_factor;
    step->zero_bubble = plan->zero_bubble;
    step->stretch = plan->zero_bubble ? 1
                                      : dt_bubble_stretch(pp, (double)plan->interleave,
                                                          (double)plan->microbatches);
}

/* Cuts the time of a batch into parts that add up: what hides the rest, then what is exposed. */
static void cut_exposed(const DtWork *work, DtCost *cost)
{
    const DtStep *step = &cost->step;
    DtOverlap overlap = work->run.overlap;
    double tp_hidden = overlap.tp ? step->tp_s : 0, pp_hidden = overlap.pp ? step->pp_ep_s : 0;
    double tp = step->tp_s - tp_hidden, pp = step->pp_ep_s - pp_hidden;
    double latency = step->tp_latency_s + step->pp_ep_latency_s;
    double hidden = tp_hidden + pp_hidden;
    double excess = dt_max(0, hidden - step->compute_s);
    if (excess > 0) { /* communication that did not fit under the compute, by its shares */
        tp += excess * (tp_hidden / hidden);
        pp += excess * (pp_hidden / hidden);
    }
    double busy = step->compute_s + tp + pp;
    cost->exposed_bubble_s = busy * (step->stretch - 1);
    if (step->zero_bubble) {
        bool hides = work->run.zero_bubble_latency == DT_LATENCY_HIDDEN;
        latency = hides ? 0 : dt_max(0, latency - dt_max(step->compute_s, hidden));
    }
    double pipeline = busy + cost->exposed_bubble_s + latency;
    cost->exposed_compute_s = step->compute_s;
    cost->exposed_tp_s = tp;
    cost->exposed_pp_ep_s = pp;
    cost->exposed_dp_s = overlap.dp ? dt_max(0, step->dp_s - pipeline) : step->dp_s;
    cost->exposed_latency_s = latency + step->dp_latency_s;
}

/* A work whose network has one level with its bandwidth, the others infinite: the times of a plan
 * on it are that level's share. */
static DtWork only_level(const DtWork *work, int level)
{
    DtWork only = *work;
    for (int i = 0; i < work->num_levels; i++)
        if (i != level)
            only.half_Bps[i] = INFINITY;
    return only;
}

/* Splits the bandwidth times by network level. */
static void split_levels(const DtWork *work, const DtPlan *plan, DtCost *cost)
{
    double steps = work->steps;
    for (int i = 0; i < work->num_levels; i++) {
        DtWork only = only_level(work, i);
        DtStep step;
        step_prepare(&only, plan, &step);
        cost->tp_level_s[i] = steps * step.tp_s;
        cost->dp_level_s[i] = steps * step.dp_s;
        cost->pp_ep_level_s[i] = steps * step.pp_ep_s;
    }
}

/* Splits the matmul time by what binds. */
static void split_bounds(const DtWork *work, const DtPlan *plan, DtCost *cost)
{
    DtLayer layer = plan_layer(work, plan);
    const DtMatmul *matmuls[] = {&layer.up.forward, &layer.down.forward, &layer.up.weight_grad,
                                 &layer.down.weight_grad};
    const double weights[] = {2, 2, 1, 1};
    uint64_t nanobatch = plan_nanobatch(work, plan);
    double repeats = cost->compute_s / dt_layer_time_s(&layer, nanobatch);
    for (int i = 0; i < 4; i++) {
        double seconds;
        DtBound bound = dt_matmul_bound(matmuls[i], nanobatch, &seconds);
        cost->bound_s[bound] += repeats * weights[i] * seconds;
        cost->bound_s[DT_BOUND_LATENCY] += repeats * weights[i] * matmuls[i]->latency_s;
    }
}

void dt_cost_evaluate(const DtWork *work, const DtPlan *plan, DtCost *cost)
{
    const DtGpu *gpu = work->run.gpu;
    double steps = work->steps, gpus = (double)dt_plan_num_gpus(plan);
    DtStep *step = &cost->step;
    memset(cost, 0, sizeof *cost);
    cost->num_gpus = dt_plan_num_gpus(plan);
    step_prepare(work, plan, step);
    cost->step_s = dt_step_time_s(step, work->run.overlap, work->run.zero_bubble_latency);
    cost->time_s = steps * cost->step_s;
    cost->utilization_frac = work->ideal_gpu_s / gpus / cost->step_s;
    cost->compute_s = steps * step->compute_s;
    cost->tp_s = steps * step->tp_s;
    cost->dp_s = steps * step->dp_s;
    cost->pp_ep_s = steps * step->pp_ep_s;
    cost->latency_s = steps * (step->tp_latency_s + step->pp_ep_latency_s + step->dp_latency_s);
    cut_exposed(work, cost);
    cost->exposed_compute_s *= steps;
    cost->exposed_tp_s *= steps;
    cost->exposed_dp_s *= steps;
    cost->exposed_pp_ep_s *= steps;
    cost->exposed_bubble_s *= steps;
    cost->exposed_latency_s *= steps;
    cost->bubble_s = cost->exposed_bubble_s;
    cost->cost_usd = gpu->price_usd == DT_ABSENT ? DT_ABSENT : gpus * gpu->price_usd;
    cost->energy_J = gpu->power_w == DT_ABSENT
                         ? DT_ABSENT
                         : dt_cost_energy_J(gpu, gpus, cost->time_s, cost->compute_s);
    cost->memory_bytes = dt_cost_memory_bytes(work, (double)plan->degree[DT_DP], gpus);
    split_levels(work, plan, cost);
    split_bounds(work, plan, cost);
    cost->fits = cost->memory_bytes <= work->run.gpu->memory_bytes;
}
