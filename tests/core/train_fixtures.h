/* train_fixtures.h: machines, software and models that the tests of real training runs share.
 * Sources: data sheets (machines), the papers that each model's comment names. */
#ifndef DT_TESTS_TRAIN_FIXTURES_H
#define DT_TESTS_TRAIN_FIXTURES_H

#include "core/trainplan.h"

#define FIX_GIB 1073741824.0

static inline DtMachine fix_machine_a100(void)
{
    return (DtMachine){.name = "A100",
                       .family = DT_FAMILY_AMPERE,
                       .peak16_flop_per_s = 312e12,
                       .clock_frac = 1,
                       .num_sms = 108,
                       .memory_bytes = 79.2 * FIX_GIB,
                       .memory_Bps = 2.039e12,
                       .usable_frac = 0.935,
                       .domain_size = 8,
                       .domain_Bps = 300e9,
                       .node_size = 8,
                       .host_Bps = 25e9,
                       .network_Bps = 25e9,
                       .power_w = 400,
                       .idle_power_w = 60,
                       .host_power_w = 180};
}

static inline DtMachine fix_machine_h100(void)
{
    return (DtMachine){.name = "H100",
                       .family = DT_FAMILY_HOPPER,
                       .peak16_flop_per_s = 989.4e12,
                       .peak8_flop_per_s = 1979e12,
                       .clock_frac = 1,
                       .num_sms = 132,
                       .memory_bytes = 79.2 * FIX_GIB,
                       .memory_Bps = 3.35e12,
                       .usable_frac = 0.935,
                       .domain_size = 8,
                       .domain_Bps = 450e9,
                       .node_size = 8,
                       .host_Bps = 25e9,
                       .network_Bps = 50e9,
                       .power_w = 700,
                       .idle_power_w = 90,
                       .host_power_w = 250};
}

/* Megatron-LM of 2021 and 2022: fused softmax, dropout, no flash attention. */
static inline DtSoftware fix_megatron_2021(void)
{
    return (DtSoftware){.attention = DT_ATTENTION_FUSED,
                        .kernels = DT_KERNELS_FUSED,
                        .operations = 24,
                        .dropout = true,
                        .grouped_experts = true,
                        .tp_overlap = DT_TP_BACKWARD,
                        .prefetch = true,
                        .accumulate_bytes = 4,
                        .mlp_bytes = 6,
                        .logit_bytes = 10,
                        .logits_sharded = true};
}

/* Megatron-Core with Transformer Engine. */
static inline DtSoftware fix_megatron_core(void)
{
    return (DtSoftware){.attention = DT_ATTENTION_FLASH3,
                        .kernels = DT_KERNELS_FUSED,
                        .operations = 24,
                        .grouped_experts = true,
                        .tp_overlap = DT_TP_BACKWARD,
                        .dp_overlap = true,
                        .gather_overlap = true,
                        .prefetch = true,
                        .accumulate_bytes = 4,
                        .mlp_bytes = 6,
                        .logit_bytes = 6,
                        .logits_sharded = true};
}

/* Widths of mixed precision with Adam. */
static inline DtTrainPlan fix_trainplan(void)
{
    return (DtTrainPlan){.weight_bytes = 2,
                         .gradient_bytes = 4,
                         .optimizer_bytes = 12,
                         .reduce_bytes = 4,
                         .gather_bytes = 2,
                         .recompute_frac = 1,
                         .reshard = true};
}

/* GPT as in arXiv 2104.04473 and 2205.05198: learned positions, tied head, vocabulary 51,200. */
static inline DtTransformer fix_gpt(double layers, double d_model, double heads)
{
    DtTransformer model = {.layers = layers,
                           .d_model = d_model,
                           .d_ff = 4 * d_model,
                           .heads = heads,
                           .vocab = 51200,
                           .seq_len = 2048,
                           .tied = true,
                           .bias = true,
                           .norm_bias = true,
                           .causal = true,
                           .norms = 2,
                           .extra_norms = 1,
                           .positions = 2048,
                           .expert_interval = 1};
    DtError error;
    (void)dt_transformer_complete(&model, &error);
    return model;
}

/* Llama's shape: arXiv 2407.21783, table 3. */
static inline DtTransformer fix_llama(double layers, double d_model, double d_ff, double heads,
                                      double kv_heads, double vocab, double seq_len)
{
    DtTransformer model = {.layers = layers,
                           .d_model = d_model,
                           .d_ff = d_ff,
                           .heads = heads,
                           .kv_heads = kv_heads,
                           .vocab = vocab,
                           .seq_len = seq_len,
                           .gated = true,
                           .rms_norm = true,
                           .rotary = true,
                           .causal = true,
                           .norms = 2,
                           .extra_norms = 1,
                           .expert_interval = 1};
    DtError error;
    (void)dt_transformer_complete(&model, &error);
    return model;
}

#endif
