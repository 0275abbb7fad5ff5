#include "transformer.h"

#include <math.h>

#define AT(member) offsetof(DtTransformer, member)
#define COUNT(name, presence, fallback, help)                                          \
    {                                                                                  \
#name, DT_NUMBER, AT(name), "count", DT_NOT_NEGATIVE, presence, fallback, help \
    }
#define FLAG(name, fallback, help)                                                \
    {                                                                             \
#name, DT_FLAG, AT(name), "", DT_NOT_NEGATIVE, DT_DEFAULT, fallback, help \
    }

const DtField dt_transformer_fields[DT_TRANSFORMER_NUM_FIELDS] = {
    COUNT(layers, DT_REQUIRED, 0, "layers"),
    COUNT(d_model, DT_REQUIRED, 0, "width of the residual stream"),
    COUNT(d_ff, DT_DEFAULT, 0, "width of the MLP; 4 d_model, or 8/3 d_model when gated"),
    COUNT(heads, DT_REQUIRED, 0, "attention heads"),
    COUNT(kv_heads, DT_DEFAULT, 0, "key and value heads; as many as heads"),
    COUNT(head_dim, DT_DEFAULT, 0, "width of a head; d_model / heads"),
    COUNT(vocab, DT_REQUIRED, 0, "vocabulary"),
    COUNT(seq_len, DT_DEFAULT, 2048, "tokens of a sequence"),
    FLAG(gated, 0, "MLP of three matrices (SwiGLU, GeGLU)"),
    FLAG(tied, 0, "the head shares the embedding's matrix"),
    FLAG(rms_norm, 0, "norms have no mean and no shift"),
    FLAG(norm_bias, 1, "layer norms have a shift"),
    FLAG(bias, 0, "attention and MLP matmuls have biases"),
    FLAG(qkv_bias, 0, "query, key and value have biases"),
    FLAG(rotary, 0, "rotary positions"),
    FLAG(causal, 1, "a token sees only those before it"),
    FLAG(parallel_block, 0, "attention and MLP read the same norm's output"),
    COUNT(norms, DT_DEFAULT, 2, "norms of a layer"),
    COUNT(extra_norms, DT_DEFAULT, 1, "norms outside the layers"),
    COUNT(positions, DT_DEFAULT, 0, "learned positions"),
    COUNT(experts, DT_DEFAULT, 0, "routed experts of a layer"),
    COUNT(top_k, DT_DEFAULT, 0, "experts that a token visits"),
    COUNT(shared_experts, DT_DEFAULT, 0, "experts that every token visits"),
    COUNT(expert_d_ff, DT_DEFAULT, 0, "width of one expert; d_ff"),
    COUNT(dense_layers, DT_DEFAULT, 0, "leading layers without experts"),
    COUNT(expert_interval, DT_DEFAULT, 1, "one layer in so many has experts"),
    COUNT(router_bias, DT_DEFAULT, 0, "further parameters of a router"),
    COUNT(q_lora, DT_DEFAULT, 0, "rank of the queries' compression in latent attention"),
    COUNT(kv_lora, DT_DEFAULT, 0, "rank of the keys' and values' compression"),
    COUNT(rope_dim, DT_DEFAULT, 0, "width of a head's rotary part in latent attention"),
    COUNT(v_head_dim, DT_DEFAULT, 0, "width of a value head in latent attention; head_dim"),
};

const char *const dt_flop_kind_names[DT_NUM_FLOP_KINDS] = {"megatron_hardware", "megatron_model",
                                                           "palm", "palm_causal", "exact"};

static void fill(double *value, double fallback)
{
    if (!(*value > 0))
        *value = fallback;
}

static DtStatus check_counts(const DtTransformer *model, DtError *error)
{
    for (int i = 0; i < DT_TRANSFORMER_NUM_FIELDS; i++) {
        const DtField *field = &dt_transformer_fields[i];
        if (field->type != DT_NUMBER)
            continue;
        const void *place = (const char *)model + field->offset;
        double value = *(const double *)place;
        bool needed = field->presence == DT_REQUIRED;
        if (!(value >= 0) || value > 1e15 || value != floor(value) || (needed && value < 1))
            return dt_error_set(error, DT_INVALID, field->name, value,
                                needed ? "be a whole number from 1" : "be a whole number from 0");
    }
    return DT_OK;
}

DtStatus dt_transformer_complete(DtTransformer *model, DtError *error)
{
    DtStatus status = check_counts(model, error);
    if (status != DT_OK)
        return status;
    fill(&model->kv_heads, model->heads);
    fill(&model->head_dim, floor(model->d_model / model->heads));
    fill(&model->v_head_dim, model->head_dim);
    fill(&model->d_ff,
         model->gated ? 256 * ceil(model->d_model * 8 / 3 / 256) : 4 * model->d_model);
    fill(&model->seq_len, 2048);
    fill(&model->expert_interval, 1);
    if (model->head_dim < 1)
        return dt_error_set_pair(error, DT_ILLEGAL, "heads", model->heads, "be at most", "d_model",
                                 model->d_model);
    if (fmod(model->heads, model->kv_heads) != 0)
        return dt_error_set_pair(error, DT_ILLEGAL, "kv_heads", model->kv_heads, "divide", "heads",
                                 model->heads);
    if (model->experts > 0) {
        fill(&model->expert_d_ff, model->d_ff);
        fill(&model->top_k, 1);
        if (model->top_k > model->experts)
            return dt_error_set_pair(error, DT_ILLEGAL, "top_k", model->top_k, "be at most",
                                     "experts", model->experts);
    }
    return DT_OK;
}

static double attention_parameters(const DtTransformer *m)
{
    double out = m->heads * m->v_head_dim;
    double matrices;
    double biases = 0;
    if (m->kv_lora > 0) {
        double qk = m->head_dim + m->rope_dim;
        double query = m->q_lora > 0
                           ? m->d_model * m->q_lora + m->q_lora + m->q_lora * m->heads * qk
                           : m->d_model * m->heads * qk;
        matrices = query + m->d_model * (m->kv_lora + m->rope_dim) + m->kv_lora +
                   m->kv_lora * m->heads * (m->head_dim + m->v_head_dim) + out * m->d_model;
    } else {
        double qkv = (m->heads + 2 * m->kv_heads) * m->head_dim;
        matrices = m->d_model * qkv + m->heads * m->head_dim * m->d_model;
        if (m->bias || m->qkv_bias)
            biases += qkv;
    }
    if (m->bias)
        biases += m->d_model;
    return matrices + biases;
}

static double mlp_parameters(const DtTransformer *m, double width)
{
    double matrices = (m->gated ? 3 : 2) * m->d_model * width;
    return matrices + (m->bias ? (m->gated ? 2 : 1) * width + m->d_model : 0);
}

DtParameters dt_transformer_parameters(const DtTransformer *m)
{
    DtParameters p = {0};
    double norm = m->d_model * (m->norm_bias && !m->rms_norm ? 2 : 1);
    p.attention = attention_parameters(m);
    p.mlp = mlp_parameters(m, m->d_ff);
    p.norm = m->norms * norm;
    p.embedding = m->vocab * m->d_model;
    p.positions = m->positions * m->d_model;
    p.head = m->tied ? 0 : m->vocab * m->d_model;
    p.outside_norms = m->extra_norms * norm;
    if (m->experts > 0) {
        p.num_expert_layers = floor((m->layers - m->dense_layers) / m->expert_interval);
        p.expert = mlp_parameters(m, m->expert_d_ff);
        p.expert_layer =
            (m->experts + m->shared_experts) * p.expert + m->experts * m->d_model + m->router_bias;
    }
    double dense = m->layers - p.num_expert_layers;
    double active_layer =
        (m->top_k + m->shared_experts) * p.expert + m->experts * m->d_model + m->router_bias;
    double common = m->layers * (p.attention + p.norm) + dense * p.mlp;
    double outside = p.embedding + p.positions + p.head + p.outside_norms;
    p.total = common + p.num_expert_layers * p.expert_layer + outside;
    p.active = common + p.num_expert_layers * active_layer + outside;
    p.matmul = m->layers * p.attention + dense * p.mlp + p.num_expert_layers * active_layer +
               m->vocab * m->d_model;
    return p;
}

double dt_transformer_flop_per_token(const DtTransformer *m, DtFlopKind kind, double num_params)
{
    DtParameters p = dt_transformer_parameters(m);
    double lhh = m->layers * m->d_model * m->d_model;
    double s = m->seq_len;
    double h = m->d_model;
    double count = num_params > 0 ? num_params : p.active;
    double scores = m->heads * (m->head_dim + m->rope_dim + m->v_head_dim) * s;
    switch (kind) {
    case DT_FLOP_MEGATRON_HARDWARE:
        return 96 * lhh * (1 + s / (6 * h) + m->vocab / (16 * m->layers * h));
    case DT_FLOP_MEGATRON_MODEL:
        return 72 * lhh * (1 + s / (6 * h) + m->vocab / (12 * m->layers * h));
    case DT_FLOP_PALM:
        return 6 * count + 12 * m->layers * h * s;
    case DT_FLOP_PALM_CAUSAL:
        return 6 * count + 6 * m->layers * h * s;
    default:
        return 6 * p.matmul + 6 * m->layers * scores * (m->causal ? 0.5 : 1);
    }
}
