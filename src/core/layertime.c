#include "layertime.h"

#include <math.h>

#include "gpu.h"

/* What the parts of a layer have in common. */
typedef struct {
    const DtTransformer *m;
    const DtTrainPlan *p;
    const DtSoftware *s;
    const DtRates *r;
    double T;     /* tokens of a microbatch on this GPU */
    double Tq;    /* the same where sequence parallelism splits them */
    double kv;    /* width of keys (and of values) */
    double heads; /* query heads on this GPU */
    DtGroup tp;
} Layer;

static void add_matmul(const Layer *l, DtLayerTime *t, double M, double K, double N, double groups)
{
    bool fp8 = l->p->compute == DT_COMPUTE_FP8;
    t->forward.matmul_s += dt_rates_matmul_s(l->r, M, K, N, groups, fp8);
    t->backward.matmul_s += dt_rates_matmul_s(l->r, M, N, K, groups, fp8);
    if (!l->p->frozen)
        t->backward.matmul_s += dt_rates_matmul_s(l->r, K, M, N, groups, fp8);
}

static void attention_projections(const Layer *l, DtLayerTime *t)
{
    const DtTransformer *m = l->m;
    double tp = l->p->tp;
    double T = l->T;
    double h = m->d_model;
    if (m->kv_lora > 0) {
        double qk = m->head_dim + m->rope_dim;
        if (m->q_lora > 0) {
            add_matmul(l, t, T, h, m->q_lora, 1);
            add_matmul(l, t, T, m->q_lora, m->heads * qk / tp, 1);
        } else {
            add_matmul(l, t, T, h, m->heads * qk / tp, 1);
        }
        add_matmul(l, t, T, h, m->kv_lora + m->rope_dim, 1);
        add_matmul(l, t, T, m->kv_lora, m->heads * (m->head_dim + m->v_head_dim) / tp, 1);
        add_matmul(l, t, T, m->heads * m->v_head_dim / tp, h, 1);
        return;
    }
    double q = m->heads * m->head_dim;
    add_matmul(l, t, T, h, (q + 2 * l->kv) / tp, 1);
    add_matmul(l, t, T, q / tp, h, 1);
}

static void mlp(const Layer *l, DtLayerTime *t, double tokens, double width, double tp,
                double groups)
{
    double h = l->m->d_model;
    add_matmul(l, t, tokens, h, (l->m->gated ? 2 : 1) * width / tp, groups);
    add_matmul(l, t, tokens, width / tp, h, groups);
}

/* Flash attention: arithmetic at the kernel's own rate, less at short sequences and odd widths. */
static void flash_attention(const Layer *l, DtLayerTime *t)
{
    const DtTransformer *m = l->m;
    double s = m->seq_len;
    double d = m->head_dim + m->rope_dim;
    double masked = m->causal ? 0.5 : 1;
    double flop = 2 * l->p->microbatch * l->heads * s * s * (d + m->v_head_dim) / l->p->cp * masked;
    double shape = 1 / (1 + 256 / s) * dt_min(1, d / (d + 32) * 160 / 128);
    t->forward.attention_s = flop / (l->r->attention_flop_per_s * shape) + l->r->kernel_s;
    t->backward.attention_s =
        2.5 * flop / (l->r->attention_backward_flop_per_s * shape) + 2 * l->r->kernel_s;
}

/* Attention with its scores in memory: always the full square. */
static void plain_attention(const Layer *l, DtLayerTime *t)
{
    const DtTransformer *m = l->m;
    const DtRates *r = l->r;
    double s = m->seq_len;
    double d = m->head_dim;
    double square = l->p->microbatch * l->heads * s * s / l->p->cp;
    double scores = square * 2;
    double drop = l->s->dropout ? 2.5 : 0;
    double forward_passes = l->s->attention == DT_ATTENTION_FUSED ? 2 : r->scores;
    double backward_passes = l->s->attention == DT_ATTENTION_FUSED ? 3 : r->scores;
    double arithmetic_s = 2 * square * d / (r->peak16_flop_per_s * d / (d + r->k0 / 2));
    double product_s = dt_max(arithmetic_s, scores / r->memory_Bps) + r->kernel_s;
    t->forward.attention_s = 2 * product_s + (forward_passes + drop) * scores / r->memory_Bps;
    t->backward.attention_s = 4 * product_s + (backward_passes + drop) * scores / r->memory_Bps;
}

/* Norms, residuals, dropout, activation, rotary, casts: by bytes; and the gaps of their kernels. */
static void element_wise(const Layer *l, DtLayerTime *t, double mlp_tokens, double mlp_width)
{
    const DtTransformer *m = l->m;
    double h = m->d_model;
    double tp = l->p->tp;
    double stream = l->Tq * (20 * h + (l->s->dropout ? 2 * h : 0));
    double activation = mlp_tokens * (m->gated ? 6 : 4) * mlp_width;
    double rotary = m->rotary ? l->T * 4 * (m->heads * m->head_dim + l->kv) / tp : 0;
    double bytes = l->r->phi * (stream + activation + rotary);
    double casts = l->p->compute == DT_COMPUTE_FP8
                       ? (l->T * (2 * h + h / tp) + mlp_tokens * mlp_width) * 3
                       : 0;
    double gaps_s = 14 * l->r->kernel_s;
    t->forward.element_s = (bytes + casts) / l->r->memory_Bps + gaps_s;
    t->backward.element_s = (1.6 * bytes + casts) / l->r->memory_Bps + 1.6 * gaps_s;
}

/* Router, permutation and the two all-to-alls of a layer with experts. */
static void expert_traffic(const Layer *l, DtLayerTime *t)
{
    const DtTransformer *m = l->m;
    double split = l->p->sequence_parallel ? l->p->tp : 1;
    double routed = l->T / split * m->top_k;
    double bytes = routed * m->d_model * 2;
    DtGroup group = dt_rates_group(l->r, l->p->ep, l->p->expert_tp * dt_trainplan_strides(l->p).tp);
    double exchange_s = dt_collective_s(&group, DT_ALL_TO_ALL, bytes, 1, NULL);
    double permute_s = l->r->expert * 4 * bytes / l->r->memory_Bps + 10 * l->r->kernel_s;
    t->forward.ep_s = 2 * exchange_s;
    t->backward.ep_s = 2 * exchange_s;
    t->forward.element_s += permute_s;
    t->backward.element_s += permute_s;
    add_matmul(l, t, l->T / split, m->d_model, m->experts, 1);
}

static void mlp_part(const Layer *l, DtLayerTime *t, bool expert_layer)
{
    const DtTransformer *m = l->m;
    const DtTrainPlan *p = l->p;
    if (!expert_layer) {
        mlp(l, t, l->T, m->d_ff, p->tp, 1);
        element_wise(l, t, l->T, m->d_ff / p->tp);
        return;
    }
    /* The busiest rank sets the pace. */
    double local = dt_max(1, m->experts / p->ep);
    double each = l->r->expert_load * l->T * m->top_k * p->expert_tp / p->tp * p->ep / m->experts;
    mlp(l, t, each, m->expert_d_ff, p->expert_tp, local);
    double tokens = each * local * m->expert_d_ff / p->expert_tp;
    if (m->shared_experts > 0) {
        mlp(l, t, l->T, m->shared_experts * m->expert_d_ff, p->tp, 1);
        tokens += l->T * m->shared_experts * m->expert_d_ff / p->tp;
    }
    element_wise(l, t, tokens, 1);
    expert_traffic(l, t);
}

static void tensor_traffic(const Layer *l, DtLayerTime *t)
{
    double bytes = 2 * l->T * l->m->d_model;
    double once_s;
    double extra_s = 0;
    if (l->p->sequence_parallel) {
        double gather_s = dt_collective_s(&l->tp, DT_ALL_GATHER, 2 * bytes, 2, NULL);
        once_s = 2 * gather_s;
        extra_s = l->s->tp_regather ? gather_s : 0;
    } else {
        once_s = dt_collective_s(&l->tp, DT_ALL_REDUCE, 2 * bytes, 2, NULL);
    }
    t->forward.tp_s = once_s;
    t->backward.tp_s = once_s + extra_s;
    t->forward.tp_exposed_s = once_s * l->r->x_tp_forward;
    t->backward.tp_exposed_s = t->backward.tp_s * l->r->x_tp_backward;
}

/* Keys and values pass round a ring behind attention, or heads are exchanged all to all. */
static void context_traffic(const Layer *l, DtLayerTime *t)
{
    const DtTrainPlan *p = l->p;
    const DtTransformer *m = l->m;
    if (p->cp <= 1)
        return;
    DtGroup group = dt_rates_group(l->r, p->cp, dt_trainplan_strides(p).cp);
    if (p->context_all_to_all) {
        double bytes = 2 * l->T * (2 * m->heads * m->head_dim + 2 * l->kv) / p->tp;
        double time_s = dt_collective_s(&group, DT_ALL_TO_ALL, bytes, 4, NULL);
        t->forward.cp_s = t->forward.cp_exposed_s = time_s;
        t->backward.cp_s = t->backward.cp_exposed_s = time_s;
        return;
    }
    double bytes = 2 * l->T * 2 * l->kv / p->tp * p->cp;
    double ring_s = dt_collective_s(&group, DT_ALL_GATHER, bytes, 1, NULL);
    t->forward.cp_s = ring_s;
    t->backward.cp_s = 2 * ring_s;
    t->forward.cp_exposed_s = dt_max(0, ring_s - 0.8 * t->forward.attention_s);
    t->backward.cp_exposed_s = dt_max(0, 2 * ring_s - 0.8 * t->backward.attention_s);
}

static double kernels_s(const DtPass *pass)
{
    return pass->matmul_s + pass->attention_s + pass->element_s;
}

static void recomputation(const Layer *l, DtLayerTime *t)
{
    const DtPass *f = &t->forward;
    double again = 0;
    switch ((DtRecompute)l->p->recompute) {
    case DT_RECOMPUTE_FULL:
        again = kernels_s(f) + f->tp_exposed_s + f->cp_exposed_s + f->ep_s;
        break;
    case DT_RECOMPUTE_SELECTIVE:
        again = f->attention_s;
        break;
    case DT_RECOMPUTE_PER_OP:
        again = f->element_s + f->matmul_s / 2;
        break;
    default:
        break;
    }
    t->backward.recompute_s = again * l->p->recompute_frac;
}

static void count_parameters(const Layer *l, DtLayerTime *t, bool expert_layer)
{
    const DtTrainPlan *p = l->p;
    DtParameters count = dt_transformer_parameters(l->m);
    t->dense_parameters = count.attention / p->tp + count.norm;
    if (!expert_layer) {
        t->dense_parameters += count.mlp / p->tp;
        t->parameters = t->dense_parameters;
        return;
    }
    t->dense_parameters +=
        l->m->shared_experts * count.expert / p->tp + l->m->experts * l->m->d_model;
    t->parameters = t->dense_parameters + l->m->experts * count.expert / (p->ep * p->expert_tp);
}

static Layer layer_of(const DtTransformer *model, const DtTrainPlan *plan,
                      const DtSoftware *software, const DtRates *rates)
{
    Layer l = {.m = model, .p = plan, .s = software, .r = rates};
    l.T = plan->microbatch * model->seq_len / plan->cp;
    l.Tq = plan->sequence_parallel ? l.T / plan->tp : l.T;
    l.kv = model->kv_lora > 0 ? model->heads * model->head_dim : model->kv_heads * model->head_dim;
    l.heads = model->heads / plan->tp;
    l.tp = dt_rates_group(rates, plan->tp, dt_trainplan_strides(plan).tp);
    return l;
}

void dt_layer_time(const DtTransformer *model, const DtTrainPlan *plan, const DtSoftware *software,
                   const DtRates *rates, bool expert_layer, DtLayerTime *time)
{
    Layer l = layer_of(model, plan, software, rates);
    DtLayerTime t = {0};
    attention_projections(&l, &t);
    if (software->attention >= DT_ATTENTION_FLASH1)
        flash_attention(&l, &t);
    else
        plain_attention(&l, &t);
    mlp_part(&l, &t, expert_layer);
    count_parameters(&l, &t, expert_layer);
    tensor_traffic(&l, &t);
    context_traffic(&l, &t);
    recomputation(&l, &t);
    if (plan->zero < 3)
        t.backward.element_s += rates->accumulate_bytes * t.parameters / rates->memory_Bps;
    double calls = plan->tp > 1 ? (plan->sequence_parallel ? 4 : 2) : 0;
    t.forward.host_s = software->operations * rates->op_s + calls * rates->tp_call_s;
    t.backward.host_s = 1.4 * software->operations * rates->op_s + calls * rates->tp_call_s;
    if (plan->zero >= 3) {
        t.forward.host_s += rates->fsdp_unit_s;
        t.backward.host_s += 1.5 * rates->fsdp_unit_s;
    }
    DtPass *passes[] = {&t.forward, &t.backward};
    for (int i = 0; i < 2; i++) {
        DtPass *pass = passes[i];
        double busy_s = kernels_s(pass) + pass->tp_exposed_s + pass->cp_exposed_s + pass->ep_s +
                        pass->recompute_s;
        pass->total_s = dt_max(busy_s, pass->host_s);
    }
    *time = t;
}

static double stream_reduction_s(const Layer *l)
{
    double bytes = 2 * l->T * l->m->d_model;
    return dt_collective_s(&l->tp, DT_ALL_REDUCE, bytes, 1, NULL);
}

double dt_head_time_s(const DtTransformer *model, const DtTrainPlan *plan,
                      const DtSoftware *software, const DtRates *rates)
{
    Layer l = layer_of(model, plan, software, rates);
    double h = model->d_model;
    double V = model->vocab / plan->tp;
    double matmul_s = dt_rates_matmul_s(rates, l.T, h, V, 1, false) +
                      dt_rates_matmul_s(rates, l.T, V, h, 1, false);
    if (!plan->frozen)
        matmul_s += dt_rates_matmul_s(rates, h, l.T, V, 1, false);
    /* Logits that are not sharded are gathered, and every rank computes the whole loss. */
    bool gathered = !software->logits_sharded && plan->tp > 1;
    double loss_s = rates->loss_bytes * l.T * (gathered ? model->vocab : V) / rates->memory_Bps;
    if (gathered)
        loss_s += dt_collective_s(&l.tp, DT_ALL_GATHER, 2 * l.T * model->vocab, 1, NULL);
    return matmul_s + loss_s + 10 * rates->kernel_s + stream_reduction_s(&l);
}

double dt_embedding_time_s(const DtTransformer *model, const DtTrainPlan *plan,
                           const DtSoftware *software, const DtRates *rates)
{
    Layer l = layer_of(model, plan, software, rates);
    double parameters = model->vocab * model->d_model / plan->tp;
    double bytes = 12 * l.T * model->d_model;
    if (plan->zero < 3)
        bytes += 0.5 * rates->accumulate_bytes * parameters;
    return bytes / rates->memory_Bps + stream_reduction_s(&l);
}
