#include "trainplan.h"

#include <math.h>

const char *const dt_schedule_names[DT_NUM_SCHEDULES] = {"1f1b", "gpipe", "zero_bubble"};
const char *const dt_recompute_names[DT_NUM_RECOMPUTES] = {"none", "selective", "full", "per_op"};
const char *const dt_compute_names[DT_NUM_COMPUTES] = {"bf16", "fp16", "fp8", "tf32", "fp32"};
const char *const dt_order_names[DT_NUM_ORDERS] = {"tp_cp_dp_pp", "tp_cp_pp_dp", "dp_tp_cp_pp"};
const char *const dt_split_names[DT_NUM_SPLITS] = {"even", "cost", "ends"};
const char *const dt_attention_names[DT_NUM_ATTENTIONS] = {"eager", "fused", "flash1", "flash2",
                                                           "flash3"};
const char *const dt_kernels_names[DT_NUM_KERNELS] = {"fused", "native", "eager", "compiled"};
const char *const dt_tp_overlap_names[DT_NUM_TP_OVERLAPS] = {"exposed", "backward", "user"};

#define PLAN(name, kind, fallback, help)                                                  \
    {                                                                                     \
#name, DT_NUMBER, offsetof(DtTrainPlan, name), kind, DT_NOT_NEGATIVE, DT_DEFAULT, \
            fallback, help                                                                \
    }
#define PLAN_FLAG(name, fallback, help)                                                         \
    {                                                                                           \
#name, DT_FLAG, offsetof(DtTrainPlan, name), "", DT_NOT_NEGATIVE, DT_DEFAULT, fallback, \
            help                                                                                \
    }

const DtField dt_trainplan_fields[DT_TRAINPLAN_NUM_FIELDS] = {
    PLAN(gpus, "count", 0, "GPUs; the product of the degrees"),
    PLAN(tp, "count", 1, "tensor parallelism"),
    PLAN(cp, "count", 1, "context parallelism"),
    PLAN(pp, "count", 1, "pipeline stages"),
    PLAN(ep, "count", 1, "expert parallelism, inside data and context parallelism"),
    PLAN(dp, "count", 0, "data parallelism; what the other degrees leave of gpus"),
    PLAN(expert_tp, "count", 0, "tensor parallelism of experts; as tp"),
    PLAN(interleave, "count", 1, "chunks of layers per stage"),
    PLAN(microbatch, "count", 1, "sequences of a microbatch"),
    PLAN(batch, "count", 0, "sequences of a step over all GPUs"),
    PLAN_FLAG(sequence_parallel, 0, "norms and residuals are split over tensor-parallel ranks"),
    PLAN_FLAG(context_all_to_all, 0, "context parallelism by all-to-all instead of a ring"),
    PLAN(zero, "count", 0, "0 to 3: optimizer, gradients, weights sharded over data parallelism"),
    PLAN_FLAG(reshard, 1, "zero 3: weights are freed after forward"),
    PLAN(shard_group, "count", 0, "zero 3: GPUs over which weights are sharded; all"),
    PLAN(recompute_frac, "", 1, "share of layers that recompute"),
    PLAN(weight_bytes, "bytes", 2, "bytes of a weight"),
    PLAN(gradient_bytes, "bytes", 4, "bytes of an accumulated gradient"),
    PLAN(optimizer_bytes, "bytes", 12, "bytes of optimizer state per parameter"),
    PLAN(reduce_bytes, "bytes", 4, "bytes of a gradient on the wire"),
    PLAN(gather_bytes, "bytes", 2, "bytes of a weight on the wire"),
    PLAN_FLAG(offload, 0, "optimizer state and step in the host"),
    PLAN_FLAG(frozen, 0, "weights are frozen: adapters alone are trained"),
};

#define SOFT(name, kind, fallback, help)                                                           \
    {                                                                                              \
#name, DT_NUMBER, offsetof(DtSoftware, name), kind, DT_NOT_NEGATIVE, DT_DEFAULT, fallback, \
            help                                                                                   \
    }
#define SOFT_FLAG(name, fallback, help)                                                        \
    {                                                                                          \
#name, DT_FLAG, offsetof(DtSoftware, name), "", DT_NOT_NEGATIVE, DT_DEFAULT, fallback, \
            help                                                                               \
    }

const DtField dt_software_fields[DT_SOFTWARE_NUM_FIELDS] = {
    SOFT_FLAG(host_eager, 0, "host times of eager Python"),
    SOFT(operations, "count", 24, "launches per layer and direction"),
    SOFT_FLAG(dropout, 0, "dropout in attention and residuals"),
    SOFT_FLAG(fused_loss, 0, "the loss is one kernel"),
    SOFT_FLAG(grouped_experts, 1, "all experts of a rank in one kernel"),
    SOFT_FLAG(tp_regather, 0, "sequence parallelism gathers once more in backward"),
    SOFT_FLAG(all_reduce, 0, "zero 1: gradients are reduced whole, then weights gathered"),
    SOFT_FLAG(dp_overlap, 0, "gradients are reduced under backward"),
    SOFT_FLAG(gather_overlap, 0, "parameters are gathered under forward"),
    SOFT_FLAG(layer_calls, 0, "one reduction per matrix instead of buckets"),
    SOFT_FLAG(prefetch, 1, "zero 3: backward gathers are prefetched"),
    SOFT_FLAG(broadcast, 0, "zero 3 by broadcasts without overlap"),
    SOFT(accumulate_bytes, "bytes", 4, "width in which gradients are added, 4 or 2"),
    SOFT(second_gradient_bytes, "bytes", 0, "a second gradient buffer, per parameter"),
    SOFT(gathered_bytes, "bytes", 0, "flat copy of gathered weights, per parameter"),
    SOFT(mlp_bytes, "bytes", 8, "saved per token and MLP width when gated"),
    SOFT(logit_bytes, "bytes", 10, "saved per logit"),
    SOFT(norm_bytes, "bytes", 0, "saved per token and width beside the norms' inputs"),
    SOFT(gather_buffer_bytes, "bytes", 0, "buffer of gathered activations, per token and width"),
    SOFT(base_bytes, "bytes", 0, "whatever is always there"),
    SOFT_FLAG(logits_sharded, 1, "logits are split over tensor-parallel ranks"),
    SOFT_FLAG(stage_gradients, 0, "16-bit gradients of a stage live to the end of backward"),
};

static DtStatus check_fields(const DtTrainPlan *plan, DtError *error)
{
    for (int i = 0; i < DT_TRAINPLAN_NUM_FIELDS; i++) {
        const DtField *field = &dt_trainplan_fields[i];
        if (field->type != DT_NUMBER)
            continue;
        const void *place = (const char *)plan + field->offset;
        double value = *(const double *)place;
        DtStatus status = dt_field_check(field, value, error);
        if (status != DT_OK)
            return status;
        bool whole = field->kind[0] != '\0' && field->kind[0] != 'b';
        if (whole && value != floor(value))
            return dt_error_set(error, DT_INVALID, field->name, value, "be a whole number");
    }
    if (plan->zero > 3)
        return dt_error_set(error, DT_INVALID, "zero", plan->zero, "be 0, 1, 2 or 3");
    if (plan->recompute_frac > 1)
        return dt_error_set(error, DT_INVALID, "recompute_frac", plan->recompute_frac,
                            "be at most 1");
    if (plan->pp > DT_MAX_STAGES)
        return dt_error_set(error, DT_INVALID, "pp", plan->pp, "be at most 512");
    return DT_OK;
}

static void fill(double *value, double fallback)
{
    if (!(*value > 0))
        *value = fallback;
}

static bool divides(double a, double b)
{
    return fmod(b, a) == 0;
}

static DtStatus check_degrees(const DtTrainPlan *p, const DtTransformer *m, DtError *error)
{
    double ways = p->tp * p->cp * p->pp;
    if (p->dp * ways != p->gpus)
        return dt_error_set_pair(error, DT_ILLEGAL, "dp", p->dp, "multiply with tp, cp and pp to",
                                 "gpus", p->gpus);
    if (!divides(p->tp, m->heads))
        return dt_error_set_pair(error, DT_ILLEGAL, "tp", p->tp, "divide", "heads", m->heads);
    double ends = p->split == DT_SPLIT_ENDS ? 2 : 0;
    if (p->pp * p->interleave > m->layers + ends)
        return dt_error_set_pair(error, DT_ILLEGAL, "pp", p->pp,
                                 "come, times interleave, to at most", "layers", m->layers);
    if (p->interleave > 1 && p->pp == 1)
        return dt_error_set_pair(error, DT_ILLEGAL, "interleave", p->interleave, "be 1 where", "pp",
                                 p->pp);
    if (p->interleave > 1 && p->schedule == DT_SCHEDULE_GPIPE)
        return dt_error_set(error, DT_ILLEGAL, "interleave", p->interleave,
                            "be 1 with the gpipe schedule");
    if (p->ep > 1 && m->experts == 0)
        return dt_error_set(error, DT_ILLEGAL, "ep", p->ep, "be 1 for a model without experts");
    if (m->experts > 0 && !divides(p->ep, m->experts))
        return dt_error_set_pair(error, DT_ILLEGAL, "ep", p->ep, "divide", "experts", m->experts);
    if (m->experts > 0 && !divides(p->ep * p->expert_tp, p->dp * p->cp * p->tp))
        return dt_error_set_pair(error, DT_ILLEGAL, "ep", p->ep,
                                 "divide, times expert_tp, dp cp tp where", "dp", p->dp);
    if (p->zero >= 3 && p->pp > 1)
        return dt_error_set_pair(error, DT_ILLEGAL, "zero", p->zero, "be at most 2 where", "pp",
                                 p->pp);
    if (p->zero >= 3 && !divides(p->shard_group, p->dp * p->cp))
        return dt_error_set_pair(error, DT_ILLEGAL, "shard_group", p->shard_group,
                                 "divide dp cp where", "dp", p->dp);
    if (p->sequence_parallel && !divides(p->tp * p->cp, m->seq_len))
        return dt_error_set_pair(error, DT_ILLEGAL, "tp", p->tp, "divide, times cp,", "seq_len",
                                 m->seq_len);
    return DT_OK;
}

DtStatus dt_trainplan_complete(DtTrainPlan *plan, const DtTransformer *model, DtError *error)
{
    DtTrainPlan p = *plan;
    DtStatus status = check_fields(&p, error);
    if (status != DT_OK)
        return status;
    double *degrees[] = {&p.tp, &p.cp, &p.pp, &p.ep, &p.interleave, &p.microbatch};
    for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++)
        fill(degrees[i], 1);
    double ways = p.tp * p.cp * p.pp;
    if (!(p.dp > 0))
        p.dp = p.gpus > 0 ? floor(p.gpus / ways) : 1;
    fill(&p.gpus, p.dp * ways);
    fill(&p.batch, p.dp * p.microbatch);
    fill(&p.expert_tp, p.tp);
    fill(&p.shard_group, p.dp * p.cp);
    if (p.recompute == DT_RECOMPUTE_NONE)
        p.recompute_frac = 0;
    status = check_degrees(&p, model, error);
    if (status != DT_OK)
        return status;
    if (!divides(p.dp * p.microbatch, p.batch))
        return dt_error_set_pair(error, DT_ILLEGAL, "batch", p.batch,
                                 "be a multiple of microbatch times", "dp", p.dp);
    *plan = p;
    return DT_OK;
}

double dt_trainplan_microbatches(const DtTrainPlan *plan)
{
    return plan->batch / (plan->dp * plan->microbatch);
}

DtStrides dt_trainplan_strides(const DtTrainPlan *p)
{
    double inner = p->tp * p->cp;
    switch ((DtOrder)p->order) {
    case DT_ORDER_TP_CP_PP_DP:
        return (DtStrides){.tp = 1, .cp = p->tp, .pp = inner, .dp = inner * p->pp};
    case DT_ORDER_DP_TP_CP_PP:
        return (DtStrides){.dp = 1, .tp = p->dp, .cp = p->dp * p->tp, .pp = p->dp * inner};
    default:
        return (DtStrides){.tp = 1, .cp = p->tp, .dp = inner, .pp = inner * p->dp};
    }
}

/* Walks over the layers, then the head; a stage is full when its share of the cost is reached. */
static void split_by_cost(const DtTrainPlan *plan, const DtTransformer *m, double *layers)
{
    double layer = 4 * m->d_model * m->d_model + (m->gated ? 3 : 2) * m->d_model * m->d_ff;
    double total = m->layers * layer + m->d_model * m->vocab;
    double sum = 0;
    int stage = 0;
    int last = (int)plan->pp - 1;
    for (int i = 0; i <= last; i++)
        layers[i] = 0;
    for (int i = 0; i < (int)m->layers; i++) {
        layers[stage]++;
        sum += layer;
        if (sum >= total * (stage + 1) / plan->pp && stage < last)
            stage++;
    }
}

void dt_trainplan_split(const DtTrainPlan *plan, const DtTransformer *model, double *layers)
{
    if (plan->split == DT_SPLIT_COST) {
        split_by_cost(plan, model, layers);
        return;
    }
    double ends = plan->split == DT_SPLIT_ENDS && plan->pp > 1 ? 1 : 0;
    double blocks = model->layers + 2 * ends;
    double each = floor(blocks / plan->pp);
    double more = blocks - each * plan->pp;
    for (int i = 0; i < (int)plan->pp; i++)
        layers[i] = each + (i < (int)more ? 1 : 0);
    layers[0] -= ends;
    layers[(int)plan->pp - 1] -= ends;
}
