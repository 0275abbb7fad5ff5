#include "steptime.h"

#include <math.h>

#include "gpu.h"

/* Pipeline stages summed up. */
typedef struct {
    double forward_s, backward_s; /* of the slowest stage, one microbatch */
    double largest_s, sum_s;      /* forward and backward: slowest, all stages */
    double parameters;            /* of the largest stage, on one GPU */
    double dense_parameters;      /* of them not experts */
    double layers, expert_layers; /* of the slowest stage */
} Stages;

static double expert_layers_among(const DtTransformer *m, double first, double count)
{
    if (m->experts <= 0)
        return 0;
    double after = dt_max(0, first + count - dt_max(first, m->dense_layers));
    return floor(after / m->expert_interval);
}

static Stages stages_of(const DtTransformer *m, const DtTrainPlan *p, const DtLayers *l,
                        double *forward_s, double *backward_s)
{
    double layers[DT_MAX_STAGES];
    Stages s = {0};
    double first = 0;
    int last = (int)p->pp - 1;
    double table = m->vocab * m->d_model / p->tp;
    dt_trainplan_split(p, m, layers);
    for (int i = 0; i <= last; i++) {
        double experts = expert_layers_among(m, first, layers[i]);
        double dense = layers[i] - experts;
        double f = dense * l->dense.forward.total_s + experts * l->expert.forward.total_s;
        double b = dense * l->dense.backward.total_s + experts * l->expert.backward.total_s;
        f += (i == 0 ? l->embedding_s / 3 : 0) + (i == last ? l->head_s / 3 : 0);
        b += (i == 0 ? l->embedding_s * 2 / 3 : 0) + (i == last ? l->head_s * 2 / 3 : 0);
        double alone = dense * l->dense.dense_parameters + experts * l->expert.dense_parameters +
                       (i == 0 ? table : 0) + (i == last && !(m->tied && p->pp == 1) ? table : 0);
        double all = alone + experts * (l->expert.parameters - l->expert.dense_parameters);
        if (f + b > s.largest_s) {
            s.largest_s = f + b;
            s.forward_s = f;
            s.backward_s = b;
            s.layers = layers[i];
            s.expert_layers = experts;
        }
        if (all > s.parameters) {
            s.parameters = all;
            s.dense_parameters = alone;
        }
        s.sum_s += f + b;
        first += layers[i];
        if (forward_s)
            forward_s[i] = f;
        if (backward_s)
            backward_s[i] = b;
    }
    return s;
}

/* What hides under what: the shorter hides, and slows the longer a little. */
static double over(double traffic_s, double work_s, double kappa)
{
    return traffic_s < work_s ? work_s + kappa * traffic_s : traffic_s + kappa * work_s;
}

typedef struct {
    double exposed_s, hidden_s, total_s;
} Traffic;

/* Ranks that reduce gradients together: data and context parallelism. */
static DtGroup data_group(const DtTrainPlan *p, const DtRates *r)
{
    DtStrides strides = dt_trainplan_strides(p);
    bool context_first = p->cp > 1 && strides.cp < strides.dp;
    return dt_rates_group(r, p->dp * p->cp, context_first ? strides.cp : strides.dp);
}

/* Gradients reduced, parameters gathered (zero 0 to 2). */
static Traffic data_traffic(const DtTrainPlan *p, const DtSoftware *s, const DtRates *r,
                            const Stages *stages)
{
    Traffic t = {0};
    double ranks = p->dp * p->cp;
    if (ranks <= 1 || p->frozen)
        return t;
    DtGroup group = data_group(p, r);
    double experts = stages->parameters - stages->dense_parameters;
    double expert_ranks = ranks * p->tp / (p->ep * p->expert_tp);
    DtGroup expert_group = dt_rates_group(r, expert_ranks, p->ep * p->expert_tp);
    /* Megatron's buckets grow with the group, so that latency does not. */
    double bucket = dt_max(40e6, 1e6 * ranks);
    double calls = s->layer_calls ? 6 * stages->layers : ceil(stages->parameters / bucket);
    DtOperation reduce = p->zero >= 1 && !s->all_reduce ? DT_REDUCE_SCATTER : DT_ALL_REDUCE;
    double reduce_s =
        dt_collective_s(&group, reduce, stages->dense_parameters * p->reduce_bytes, calls, NULL) +
        dt_collective_s(&expert_group, reduce, experts * p->reduce_bytes, calls, NULL);
    double gather_s = 0;
    if (p->zero >= 1)
        gather_s =
            dt_collective_s(&group, DT_ALL_GATHER, stages->dense_parameters * p->gather_bytes,
                            calls, NULL) +
            dt_collective_s(&expert_group, DT_ALL_GATHER, experts * p->gather_bytes, calls, NULL);
    double microbatches = dt_trainplan_microbatches(p);
    /* Sharded gradients are reduced after every microbatch. */
    double times = p->zero == 2 ? microbatches : 1;
    t.total_s = times * reduce_s + gather_s;
    if (!s->dp_overlap) {
        t.exposed_s = t.total_s;
        return t;
    }
    /* One chunk's reduction hides behind the other chunks still to come. */
    double windows = p->interleave > 1 ? (1 - 1 / p->interleave) * dt_min(microbatches, p->pp) : 1;
    double window_s = (1 - r->x_dp) * stages->backward_s * windows;
    double gather_window_s = s->gather_overlap ? (1 - r->x_dp) * stages->forward_s * windows : 0;
    double reduce_exposed_s = dt_max(0.3 * r->x_dp * reduce_s, reduce_s - window_s) +
                              r->kappa * dt_min(reduce_s, window_s);
    t.exposed_s =
        times * reduce_exposed_s + dt_max(r->x_param * gather_s, gather_s - gather_window_s);
    t.hidden_s = dt_max(0, t.total_s - t.exposed_s);
    return t;
}

static void add_kernels(DtStepTime *t, const DtPass *pass, double times)
{
    t->matmul_s += times * pass->matmul_s;
    t->attention_s += times * pass->attention_s;
    t->element_s += times * pass->element_s;
    t->recompute_s += times * pass->recompute_s;
    t->tp_s += times * pass->tp_exposed_s;
    t->tp_total_s += times * pass->tp_s;
    t->cp_s += times * pass->cp_exposed_s;
    t->ep_s += times * pass->ep_s;
    t->hidden_s += times * (pass->tp_s - pass->tp_exposed_s + pass->cp_s - pass->cp_exposed_s);
    double busy_s = pass->matmul_s + pass->attention_s + pass->element_s + pass->recompute_s +
                    pass->tp_exposed_s + pass->cp_exposed_s + pass->ep_s;
    t->host_s += times * (pass->total_s - busy_s);
}

/* Where the time of `times` passes through the slowest stage's layers goes. */
static void add_layers(DtStepTime *t, const DtLayers *l, double layers, double expert_layers,
                       double times)
{
    double dense = layers - expert_layers;
    add_kernels(t, &l->dense.forward, times * dense);
    add_kernels(t, &l->dense.backward, times * dense);
    if (expert_layers > 0) {
        add_kernels(t, &l->expert.forward, times * expert_layers);
        add_kernels(t, &l->expert.backward, times * expert_layers);
    }
}

static double boundary_s(const DtTransformer *m, const DtTrainPlan *p, const DtRates *r)
{
    double tokens = p->microbatch * m->seq_len / p->cp;
    double bytes = 2 * tokens * m->d_model / (p->sequence_parallel ? p->tp : 1);
    bool away = dt_trainplan_strides(p).pp >= r->domain_size;
    DtGroup group = {.ranks = 2,
                     .per_node = away ? 1 : 2,
                     .nodes = away ? 2 : 1,
                     .in_Bps = r->in_Bps,
                     .out_Bps = dt_min(r->in_Bps, r->out_Bps),
                     .hop_in_s = r->hop_in_s,
                     .hop_out_s = r->hop_out_s,
                     .call_s = r->call_s};
    return dt_collective_s(&group, DT_POINT_TO_POINT, bytes, 1, NULL);
}

static double optimizer_s(const DtTrainPlan *p, const DtRates *r, double parameters)
{
    double ranks = p->zero >= 3 ? p->shard_group : p->dp * p->cp;
    if (p->frozen)
        return 0;
    double own = parameters / (p->zero >= 1 ? ranks : 1);
    /* Gradients go out, weights come back, and the host's memory is as fast as its link. */
    if (p->offload)
        return (p->reduce_bytes + p->weight_bytes + r->optimizer_bytes) * own / r->host_Bps;
    return r->optimizer_bytes * own / r->memory_Bps;
}

/* Filling and draining, as dt_pipeline_run has it. Fewer microbatches than stages leave gaps
 * between chunks: the first one then goes through all of the pipeline, the others follow chunk by
 * chunk. */
static double fill_time_s(const DtTrainPlan *p, const Stages *stages, double microbatches)
{
    double v = p->interleave;
    double short_of = dt_max(0, p->pp - microbatches);
    double fill_s = (stages->sum_s - stages->largest_s) / v;
    if (p->schedule == DT_SCHEDULE_ZERO_BUBBLE)
        return fill_s / 3 + short_of * stages->largest_s / 3;
    if (v <= 1 || short_of <= 0)
        return fill_s;
    double through_s = stages->sum_s + (microbatches - 1) * stages->largest_s / v;
    return dt_max(fill_s, through_s - microbatches * stages->largest_s);
}

static void pipeline_step(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s,
                          const DtRates *r, const DtLayers *l, DtStepTime *t, double *forward_s,
                          double *backward_s)
{
    Stages stages = stages_of(m, p, l, forward_s, backward_s);
    double microbatches = dt_trainplan_microbatches(p);
    double v = p->interleave;
    double hop_s = p->pp > 1 ? boundary_s(m, p, r) : 0;
    bool hides = v > 1 && p->schedule != DT_SCHEDULE_GPIPE;
    double exposed_hop_s = hides ? 0 : 2 * r->x_p2p * hop_s;
    Traffic dp = data_traffic(p, s, r, &stages);
    double fill_s = fill_time_s(p, &stages, microbatches);
    add_layers(t, l, stages.layers, stages.expert_layers, microbatches);
    t->bubble_s = fill_s;
    t->pp_s = microbatches * exposed_hop_s * v + 2 * (p->pp - 1) * hop_s;
    t->dp_s = dp.exposed_s;
    t->dp_total_s = dp.total_s;
    t->hidden_s += dp.hidden_s;
    t->largest_stage_s = stages.largest_s;
    t->optimizer_s = optimizer_s(p, r, stages.parameters);
    t->step_s = microbatches * stages.largest_s + fill_s + t->pp_s + t->dp_s + t->optimizer_s;
}

/* One gather and one reduction of a sharded unit of `parameters`. */
typedef struct {
    double gather_s, reduce_s, replicate_s;
} Shard;

static Shard shard_traffic(const DtTrainPlan *p, const DtSoftware *s, const DtRates *r,
                           double parameters)
{
    double ranks = p->dp * p->cp;
    DtStrides strides = dt_trainplan_strides(p);
    double inner = p->cp > 1 && strides.cp < strides.dp ? strides.cp : strides.dp;
    DtGroup group = dt_rates_group(r, p->shard_group, inner);
    DtOperation gather = s->broadcast ? DT_BROADCAST : DT_ALL_GATHER;
    if (s->broadcast)
        group.out_Bps = dt_min(group.out_Bps, r->out_Bps);
    Shard t = {0};
    t.gather_s = dt_collective_s(&group, gather, parameters * p->gather_bytes, 1, NULL);
    if (p->frozen)
        return t;
    t.reduce_s = dt_collective_s(&group, DT_REDUCE_SCATTER, parameters * p->reduce_bytes, 1, NULL);
    DtGroup outer = dt_rates_group(r, ranks / p->shard_group, inner * p->shard_group);
    t.replicate_s = dt_collective_s(&outer, DT_ALL_REDUCE,
                                    parameters * p->reduce_bytes / p->shard_group, 1, NULL);
    return t;
}

/* A layer whose weights are gathered before it and whose gradients are scattered after it. */
static double sharded_layer_s(const DtTrainPlan *p, const DtSoftware *s, const DtRates *r,
                              const DtLayerTime *l, Traffic *traffic)
{
    Shard shard = shard_traffic(p, s, r, l->parameters);
    double again_s = p->reshard ? shard.gather_s : 0;
    double back_s = again_s + shard.reduce_s;
    double f = l->forward.total_s;
    double b = l->backward.total_s;
    double time_s = 0;
    if (s->broadcast)
        time_s = f + b + dt_max(0, shard.gather_s - r->x_broadcast * f) +
                 dt_max(0, back_s - r->x_broadcast * b);
    else
        time_s = over(shard.gather_s, f, r->kappa) + r->x_fsdp * dt_min(shard.gather_s, f) +
                 over(back_s, b, r->kappa) + r->x_fsdp * dt_min(back_s, b) +
                 (s->prefetch ? 0 : r->x_post * again_s);
    time_s += r->x_dp * shard.replicate_s;
    double total_s = shard.gather_s + back_s + shard.replicate_s;
    traffic->total_s += total_s;
    traffic->exposed_s += time_s - f - b;
    traffic->hidden_s += dt_max(0, total_s - (time_s - f - b));
    return time_s;
}

static void sharded_step(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s,
                         const DtRates *r, const DtLayers *l, DtStepTime *t, double *forward_s,
                         double *backward_s)
{
    Stages stages = stages_of(m, p, l, forward_s, backward_s);
    double microbatches = dt_trainplan_microbatches(p);
    Traffic dp = {0};
    double experts = stages.expert_layers;
    double dense = m->layers - experts;
    Traffic one = {0};
    double layers_s = dense * sharded_layer_s(p, s, r, &l->dense, &one);
    dp = (Traffic){dense * one.exposed_s, dense * one.hidden_s, dense * one.total_s};
    if (experts > 0) {
        one = (Traffic){0};
        layers_s += experts * sharded_layer_s(p, s, r, &l->expert, &one);
        dp.exposed_s += experts * one.exposed_s;
        dp.hidden_s += experts * one.hidden_s;
        dp.total_s += experts * one.total_s;
    }
    double tables = (m->tied ? 1 : 2) * m->vocab * m->d_model / p->tp;
    Shard root = shard_traffic(p, s, r, tables);
    Shard edge = shard_traffic(p, s, r, l->dense.parameters);
    double root_s = root.gather_s + root.reduce_s / 2;
    double edge_s = edge.gather_s + edge.reduce_s;
    double outside_s = l->head_s + l->embedding_s;
    add_layers(t, l, m->layers, experts, microbatches);
    t->dp_s = microbatches * (dp.exposed_s + root_s) + edge_s;
    t->dp_total_s = microbatches * (dp.total_s + root.gather_s + root.reduce_s);
    t->hidden_s += microbatches * (dp.hidden_s + root.reduce_s / 2);
    t->optimizer_s = optimizer_s(p, r, stages.parameters);
    t->largest_stage_s = layers_s + outside_s;
    t->step_s = microbatches * (layers_s + outside_s + root_s) + edge_s + t->optimizer_s;
}

void dt_step_layers(const DtTransformer *model, const DtTrainPlan *plan, const DtSoftware *software,
                    const DtRates *rates, DtLayers *layers)
{
    *layers = (DtLayers){0};
    dt_layer_time(model, plan, software, rates, false, &layers->dense);
    if (model->experts > 0)
        dt_layer_time(model, plan, software, rates, true, &layers->expert);
    layers->head_s = dt_head_time_s(model, plan, software, rates);
    layers->embedding_s = dt_embedding_time_s(model, plan, software, rates);
}

void dt_step_time_of(const DtTransformer *model, const DtTrainPlan *plan,
                     const DtSoftware *software, const DtRates *rates, const DtLayers *layers,
                     DtStepTime *time, double *stage_forward_s, double *stage_backward_s)
{
    DtStepTime t = {0};
    if (plan->zero >= 3)
        sharded_step(model, plan, software, rates, layers, &t, stage_forward_s, stage_backward_s);
    else
        pipeline_step(model, plan, software, rates, layers, &t, stage_forward_s, stage_backward_s);
    t.step_s += rates->step_s;
    t.host_s += rates->step_s;
    double beyond = dt_max(1, plan->gpus / rates->domain_size);
    t.jitter_s = t.step_s * rates->jitter * log2(beyond);
    t.step_s += t.jitter_s;
    t.tokens = plan->batch * model->seq_len;
    t.compute_s = t.step_s - (t.recompute_s + t.tp_s + t.cp_s + t.ep_s + t.pp_s + t.dp_s +
                              t.bubble_s + t.optimizer_s + t.host_s + t.jitter_s);
    *time = t;
}

void dt_step_time(const DtTransformer *model, const DtTrainPlan *plan, const DtSoftware *software,
                  const DtMachine *machine, const DtCalibration *calibration, DtStepTime *time,
                  double *stage_forward_s, double *stage_backward_s)
{
    DtRates rates;
    DtLayers layers;
    dt_rates_resolve(calibration, machine, software, plan, &rates);
    dt_step_layers(model, plan, software, &rates, &layers);
    dt_step_time_of(model, plan, software, &rates, &layers, time, stage_forward_s,
                    stage_backward_s);
}
