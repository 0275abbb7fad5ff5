/* transformer.h: a transformer as it is trained: its shapes, parameters and FLOP.
 *
 * Models: multi-head, grouped-query and multi-head latent attention; gated and plain MLPs; experts
 * with shared experts and leading dense layers; biases, norms, learned positions. Counts are exact.
 * Leaves out: encoder-decoder models, state-space layers, multi-token prediction.
 * May include: field.h.
 */
#ifndef DT_CORE_TRANSFORMER_H
#define DT_CORE_TRANSFORMER_H

#include <stdint.h>

#include "field.h"

typedef struct {
    char name[DT_NAME_SIZE];
    double layers, d_model, d_ff, heads, kv_heads, head_dim, vocab, seq_len;
    bool gated;          /* MLP of three matrices instead of two */
    bool tied;           /* the head is the embedding */
    bool rms_norm;       /* norms have a scale and no shift */
    bool norm_bias;      /* layer norms have a shift */
    bool bias;           /* matmuls of attention and MLP have biases */
    bool qkv_bias;       /* only the query, key and value matmuls have */
    bool rotary;         /* rotary positions */
    bool causal;         /* attention sees the past only */
    bool parallel_block; /* attention and MLP side by side on one norm's output */
    double norms;        /* norms per layer */
    double extra_norms;  /* norms of width d_model outside layers: final, embedding */
    double positions;    /* learned positions, 0: none */
    double experts, top_k, shared_experts, expert_d_ff; /* experts 0: dense */
    double dense_layers;    /* leading layers with a dense MLP in a model with experts */
    double expert_interval; /* one layer in this many has experts (1: all) */
    double router_bias;     /* extra parameters per expert layer beside the router's matrix */
    double q_lora, kv_lora, rope_dim, v_head_dim; /* latent attention; kv_lora 0: none */
} DtTransformer;

enum { DT_TRANSFORMER_NUM_FIELDS = 31 };
extern const DtField dt_transformer_fields[DT_TRANSFORMER_NUM_FIELDS];

/* Fills what follows from other fields: kv_heads = heads, head_dim = d_model / heads, d_ff =
 * 4 d_model (gated: 8/3 d_model to a multiple of 256), norms, v_head_dim = head_dim. Zero or
 * negative means not given. Then checks all. Errors: DT_INVALID, DT_ILLEGAL. */
DtStatus dt_transformer_complete(DtTransformer *model, DtError *error);

/* Parameters by part. All exact numbers. */
typedef struct {
    double attention;    /* of one layer */
    double mlp;          /* of one dense layer */
    double expert;       /* of one routed expert */
    double expert_layer; /* MLP part of a layer with experts: experts, shared, router */
    double norm;         /* norms of one layer */
    double embedding, positions, head, outside_norms;
    double num_expert_layers;
    double total, active; /* active: what one token passes */
    double matmul;        /* matrices of the layers and the head that a token passes */
} DtParameters;

DtParameters dt_transformer_parameters(const DtTransformer *model);

typedef enum {
    DT_FLOP_MEGATRON_HARDWARE, /* 96 B s l h^2 (1 + s/6h + V/16lh): four passes, full attention */
    DT_FLOP_MEGATRON_MODEL,    /* 72 B s l h^2 (1 + s/6h + V/12lh) */
    DT_FLOP_PALM,              /* 6 N + 12 l h s per token, full attention */
    DT_FLOP_PALM_CAUSAL,       /* 6 N + 6 l h s per token */
    DT_FLOP_EXACT,             /* every matmul, forward and backward; attention as it is masked */
    DT_NUM_FLOP_KINDS
} DtFlopKind;
extern const char *const dt_flop_kind_names[DT_NUM_FLOP_KINDS];

/* FLOP of one token, forward and backward, by the definition named. num_params: the N of the PaLM
 * definitions (sources differ in what they count), or 0 for all active parameters.
 * Sources: arXiv 2104.04473 eq. 3; arXiv 2205.05198 appendix A; arXiv 2204.02311 appendix B. */
double dt_transformer_flop_per_token(const DtTransformer *model, DtFlopKind kind,
                                     double num_params);

#endif
