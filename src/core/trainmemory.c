#include "trainmemory.h"

#include <math.h>

#include "gpu.h"

const char *const dt_moment_names[DT_NUM_MOMENTS] = {"loss", "backward", "end", "optimizer"};
const char *const dt_verdict_names[DT_NUM_VERDICTS] = {"fits", "doubtful", "out of memory"};

/* The caching allocator's peak over what is allocated from it: fragments and rounding. Measured on
 * two sweeps, 3,600 runs. */
static const double allocator_factor = 1.15;
static const double doubt = 0.10;

/* Parameters of a stage on one GPU. */
typedef struct {
    double shared;  /* reduced over all data-parallel ranks */
    double experts; /* reduced over those that hold the same experts */
    double layer;   /* of the largest layer */
    double tables;  /* embedding and head on this stage */
} Parameters;

static double experts_among(const DtTransformer *m, double first, double count)
{
    if (m->experts <= 0)
        return 0;
    double after = dt_max(0, first + count - dt_max(first, m->dense_layers));
    return floor(after / m->expert_interval);
}

/* What all stages share: parameters and saved bytes of their layers. */
typedef struct {
    DtParameters count;
    double dense_saved, expert_saved, rebuilt;
} Common;

static Common common_of(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s)
{
    Common c = {.count = dt_transformer_parameters(m)};
    c.dense_saved = dt_layer_activation_bytes(m, p, s, false, &c.rebuilt);
    if (m->experts > 0)
        c.expert_saved = dt_layer_activation_bytes(m, p, s, true, &c.rebuilt);
    return c;
}

static Parameters stage_parameters(const DtTransformer *m, const DtTrainPlan *p,
                                   const DtParameters *c, int stage, double layers, double first)
{
    double with_experts = experts_among(m, first, layers);
    double dense = layers - with_experts;
    double attention = c->attention / p->tp + c->norm;
    double shared_mlp = m->shared_experts * c->expert / p->tp + m->experts * m->d_model;
    double routed = m->experts * c->expert / (p->ep * p->expert_tp);
    double table = m->vocab * m->d_model / p->tp;
    bool last = stage == (int)p->pp - 1;
    Parameters s = {0};
    if (stage == 0)
        s.tables += table + c->positions;
    if (last && !(m->tied && p->pp == 1))
        s.tables += table;
    if (last)
        s.tables += m->d_model;
    s.shared = layers * attention + dense * c->mlp / p->tp + with_experts * shared_mlp + s.tables;
    s.experts = with_experts * routed;
    s.layer = attention + (with_experts > 0 ? shared_mlp + routed : c->mlp / p->tp);
    return s;
}

double dt_layer_activation_bytes(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s,
                                 bool expert_layer, double *recomputed_bytes)
{
    double tp = p->tp;
    double split = p->sequence_parallel ? tp : 1;
    double tokens = p->microbatch * m->seq_len / p->cp;
    double h = m->d_model;
    double q = m->heads * (m->head_dim + m->rope_dim);
    double kv = m->kv_lora > 0 ? m->heads * (m->head_dim + m->rope_dim + m->v_head_dim)
                               : 2 * m->kv_heads * m->head_dim;
    double out = m->heads * m->v_head_dim;
    double stream = (8 * h + s->norm_bytes * h + (s->dropout ? 2 * h : 0)) / split;
    double attention = 2 * (q + kv + out) / tp + 4 * m->heads / tp;
    if (m->kv_lora > 0)
        attention += 4 * (m->q_lora + m->kv_lora);
    double scores = s->attention >= DT_ATTENTION_FLASH1 ? 0 : s->dropout ? 5 : 6;
    double core = scores * m->heads * m->seq_len / p->cp / tp;
    double per_width = m->gated ? s->mlp_bytes : 4;
    double mlp = per_width * m->d_ff / tp;
    if (expert_layer) {
        double visits = m->top_k * p->expert_tp / tp / p->expert_tp;
        mlp = per_width * m->expert_d_ff * (visits + m->shared_experts / tp) +
              2 * m->top_k * h / split * 2;
    }
    double full = stream + attention + core + mlp;
    double kept = full;
    if (p->recompute == DT_RECOMPUTE_FULL)
        kept = 2 * h / split * p->recompute_frac + full * (1 - p->recompute_frac);
    else if (p->recompute == DT_RECOMPUTE_SELECTIVE)
        kept = full - core * p->recompute_frac;
    else if (p->recompute == DT_RECOMPUTE_PER_OP)
        kept = full - 0.5 * (full - attention) * p->recompute_frac;
    if (recomputed_bytes)
        *recomputed_bytes =
            p->recompute == DT_RECOMPUTE_FULL ? full * tokens : (full - kept) * tokens;
    return kept * tokens;
}

/* Microbatches whose activations a stage holds at once, in units of all its layers. */
static double in_flight(const DtTrainPlan *p, int stage)
{
    double m = dt_trainplan_microbatches(p);
    double left = p->pp - stage;
    if (p->pp == 1)
        return 1;
    if (p->schedule == DT_SCHEDULE_GPIPE)
        return m;
    if (p->interleave > 1) {
        double v = p->interleave;
        return dt_min((2 * (left - 1) + (v - 1) * p->pp + 1) / v, m);
    }
    return dt_min(left, m);
}

static void states(const DtTrainPlan *p, const DtSoftware *s, const Parameters *c,
                   DtStageMemory *out)
{
    double ranks = p->zero >= 3 ? p->shard_group : p->dp * p->cp;
    double expert_ranks = dt_max(1, ranks * p->tp / (p->ep * p->expert_tp));
    double weights[2] = {c->shared, c->experts};
    double shards[2] = {ranks, expert_ranks};
    for (int i = 0; i < 2; i++) {
        double gradients = p->gradient_bytes + (ranks > 1 ? s->second_gradient_bytes : 0);
        if (p->frozen)
            gradients = 0;
        out->weights_bytes += weights[i] * p->weight_bytes / (p->zero >= 3 ? shards[i] : 1);
        out->gradients_bytes += weights[i] * gradients / (p->zero >= 2 ? shards[i] : 1);
        if (!p->offload && !p->frozen)
            out->optimizer_bytes +=
                weights[i] * p->optimizer_bytes / (p->zero >= 1 ? shards[i] : 1);
    }
    if (p->zero >= 3)
        out->buffers_bytes += 2 * p->weight_bytes * dt_max(c->layer, c->tables) +
                              (p->reshard ? 0 : p->weight_bytes * (c->shared + c->experts));
}

typedef struct {
    double rebuilt, workspace, gradients, all_gradients, gathered;
} Temporaries;

static Temporaries temporaries(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s,
                               const Parameters *c, double rebuilt, int stage)
{
    Temporaries t = {.rebuilt = rebuilt};
    double tokens = p->microbatch * m->seq_len / p->cp;
    double h = m->d_model;
    double width = m->experts > 0 ? dt_max(m->d_ff, m->expert_d_ff * m->top_k) : m->d_ff;
    t.workspace = tokens * ((m->gated ? 8 : 4) * width / p->tp + (p->tp > 1 ? 4 : 2) * h);
    bool last = stage == (int)p->pp - 1;
    double ranks = p->dp * p->cp;
    if (!p->frozen) {
        t.gradients = 2 * c->layer + (last ? 2 * m->vocab * h / p->tp : 0);
        t.all_gradients = s->stage_gradients ? 2 * (c->shared + c->experts) : t.gradients;
    }
    if (p->zero >= 1 && ranks > 1)
        t.gathered = s->gathered_bytes * (c->shared + c->experts) * (1 + 1 / ranks);
    return t;
}

/* The largest of the four moments, as allocated and with the allocator's factor. */
static void peak_of(DtStageMemory *out, const Temporaries *t, double saved)
{
    double fixed =
        out->weights_bytes + out->gradients_bytes + out->optimizer_bytes + out->buffers_bytes;
    double last_layer = out->activations_bytes - saved * (1 - 1 / dt_max(1, out->layers));
    for (int pass = 0; pass < 2; pass++) {
        double k = pass == 0 ? 1 : allocator_factor;
        double moments[DT_NUM_MOMENTS] = {
            [DT_MOMENT_LOSS] = k * out->activations_bytes + out->logits_bytes,
            [DT_MOMENT_BACKWARD] =
                k * (out->activations_bytes + out->workspace_bytes) + t->gradients,
            [DT_MOMENT_END] = k * (last_layer + out->workspace_bytes) + t->all_gradients,
            [DT_MOMENT_OPTIMIZER] = t->gathered,
        };
        double peak = -1;
        for (int i = 0; i < DT_NUM_MOMENTS; i++) {
            if (moments[i] > peak) {
                peak = moments[i];
                out->moment = (DtMoment)i;
            }
        }
        if (pass == 0)
            out->allocated_bytes = fixed + peak;
        else
            out->reserved_bytes = fixed + peak;
    }
}

static DtStageMemory stage_memory(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s,
                                  const Common *common, int stage, double layers, double first)
{
    DtStageMemory out = {.layers = layers, .in_flight = in_flight(p, stage)};
    Parameters c = stage_parameters(m, p, &common->count, stage, layers, first);
    out.parameters = c.shared + c.experts;
    states(p, s, &c, &out);
    double with_experts = experts_among(m, first, layers);
    double saved =
        with_experts * common->expert_saved + (layers - with_experts) * common->dense_saved;
    out.activations_bytes = out.in_flight * saved;
    double tokens = p->microbatch * m->seq_len / p->cp;
    if (stage == (int)p->pp - 1)
        out.logits_bytes = s->logit_bytes * tokens * m->vocab / (s->logits_sharded ? p->tp : 1);
    Temporaries t = temporaries(m, p, s, &c, common->rebuilt, stage);
    out.workspace_bytes = t.workspace + t.rebuilt;
    out.buffers_bytes +=
        (p->tp > 1 ? s->gather_buffer_bytes * tokens * m->d_model : 0) + s->base_bytes;
    peak_of(&out, &t, saved);
    return out;
}

DtStageMemory dt_stage_memory(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s,
                              int stage, double layers, double first)
{
    Common common = common_of(m, p, s);
    return stage_memory(m, p, s, &common, stage, layers, first);
}

static const char *largest_part(const DtStageMemory *s)
{
    const struct {
        double bytes;
        const char *name;
    } parts[] = {
        {s->weights_bytes, "weights"},     {s->gradients_bytes, "gradients"},
        {s->optimizer_bytes, "optimizer"}, {s->activations_bytes, "activations"},
        {s->logits_bytes, "logits"},       {s->workspace_bytes, "workspace"},
        {s->buffers_bytes, "buffers"},
    };
    int best = 0;
    for (int i = 1; i < (int)(sizeof parts / sizeof parts[0]); i++)
        if (parts[i].bytes > parts[best].bytes)
            best = i;
    return parts[best].name;
}

DtTrainMemory dt_train_memory(const DtTransformer *m, const DtTrainPlan *p, const DtSoftware *s,
                              const DtMachine *machine)
{
    double layers[DT_MAX_STAGES];
    DtTrainMemory out = {.usable_bytes = machine->usable_frac * machine->memory_bytes};
    Common common = common_of(m, p, s);
    double first = 0;
    dt_trainplan_split(p, m, layers);
    for (int i = 0; i < (int)p->pp; i++) {
        DtStageMemory stage = stage_memory(m, p, s, &common, i, layers[i], first);
        first += layers[i];
        if (i == 0 || stage.reserved_bytes > out.worst.reserved_bytes) {
            out.worst = stage;
            out.stage = i;
        }
    }
    double ratio = out.worst.reserved_bytes / out.usable_bytes;
    out.verdict = ratio > 1 + doubt ? DT_TOO_BIG : ratio > 1 - doubt ? DT_DOUBTFUL : DT_FITS;
    out.largest = largest_part(&out.worst);
    return out;
}
