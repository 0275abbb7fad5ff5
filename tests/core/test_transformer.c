/* Parameters and FLOP of transformers, and what is refused.
 * Right values: the parameter counts of released checkpoints; TFLOP/s as papers print them for
 * measured step times. */
#include "check.h"
#include "core/transformer.h"
#include "train_fixtures.h"

static void parameters(void)
{
    DtTransformer llama2 = fix_llama(32, 4096, 11008, 32, 32, 32000, 4096);
    CHECK_CLOSE(dt_transformer_parameters(&llama2).total, 6738415616.0, 0);
    DtTransformer llama3 = fix_llama(32, 4096, 14336, 32, 8, 128256, 8192);
    CHECK_CLOSE(dt_transformer_parameters(&llama3).total, 8030261248.0, 0);
    DtTransformer large = fix_llama(126, 16384, 53248, 128, 8, 128256, 8192);
    CHECK_CLOSE(dt_transformer_parameters(&large).total, 405853388800.0, 0);
    /* 529.6 and 1008.0 billion: arXiv 2104.04473, table 1. */
    DtTransformer gpt = fix_gpt(105, 20480, 128);
    CHECK_CLOSE(dt_transformer_parameters(&gpt).total, 529.6e9, 5e-4);
    gpt = fix_gpt(128, 25600, 160);
    CHECK_CLOSE(dt_transformer_parameters(&gpt).total, 1008.0e9, 5e-4);
}

/* Mixtral 8x7B: 46,702,792,704 parameters, 12.9 billion active. */
static void experts(void)
{
    DtTransformer m = fix_llama(32, 4096, 14336, 32, 8, 32000, 4096);
    DtError error;
    m.experts = 8;
    m.top_k = 2;
    CHECK(dt_transformer_complete(&m, &error) == DT_OK);
    CHECK_CLOSE(dt_transformer_parameters(&m).total, 46702792704.0, 0);
    CHECK_CLOSE(dt_transformer_parameters(&m).active, 12.88e9, 2e-3);
}

/* DeepSeek-V3 without its prediction module: 671,026,419,200, 37 billion active. */
static void latent_attention(void)
{
    DtTransformer m = {.layers = 61,
                       .d_model = 7168,
                       .d_ff = 18432,
                       .heads = 128,
                       .head_dim = 128,
                       .v_head_dim = 128,
                       .q_lora = 1536,
                       .kv_lora = 512,
                       .rope_dim = 64,
                       .vocab = 129280,
                       .seq_len = 4096,
                       .gated = true,
                       .rms_norm = true,
                       .rotary = true,
                       .causal = true,
                       .norms = 2,
                       .extra_norms = 1,
                       .experts = 256,
                       .top_k = 8,
                       .shared_experts = 1,
                       .expert_d_ff = 2048,
                       .dense_layers = 3,
                       .router_bias = 256,
                       .expert_interval = 1};
    DtError error;
    CHECK(dt_transformer_complete(&m, &error) == DT_OK);
    CHECK_CLOSE(dt_transformer_parameters(&m).total, 671026419200.0, 0);
    CHECK_CLOSE(dt_transformer_parameters(&m).active, 37.5e9, 5e-3);
}

/* TFLOP/s per GPU of measured steps by each definition, as the sources print them. */
static void flop_definitions(void)
{
    /* arXiv 2104.04473, table 1: 1.7B, 512 sequences in 3.52802 s on 32 GPUs: 137. */
    DtTransformer gpt = fix_gpt(24, 2304, 24);
    double flop = dt_transformer_flop_per_token(&gpt, DT_FLOP_MEGATRON_HARDWARE, 0);
    CHECK_CLOSE(flop * 512 * 2048 / 3.52802 / 32, 137e12, 1e-3);
    /* arXiv 2205.05198, table 5: 22B, 4 sequences in 1.10 s on 8 GPUs: 41.5 % of 312. */
    gpt = fix_gpt(48, 6144, 64);
    flop = dt_transformer_flop_per_token(&gpt, DT_FLOP_MEGATRON_MODEL, 0);
    CHECK_CLOSE(flop * 4 * 2048 / 1.10 / 8 / 312e12, 0.415, 5e-3);
    /* LLM Foundry: MPT-70B, N with the embedding once: 166 TFLOP/s at 374.5 tokens/s and GPU. */
    DtTransformer mpt = fix_gpt(80, 8192, 64);
    flop = dt_transformer_flop_per_token(&mpt, DT_FLOP_PALM, 64862437376.0);
    CHECK_CLOSE(flop, 6 * 64862437376.0 + 12.0 * 80 * 8192 * 2048, 0);
    CHECK_CLOSE(dt_transformer_flop_per_token(&mpt, DT_FLOP_PALM_CAUSAL, 64862437376.0),
                6 * 64862437376.0 + 6.0 * 80 * 8192 * 2048, 0);
    /* Every matmul by hand: two layers of width 8, four heads of 2, d_ff 32, vocabulary 10,
     * 4 tokens: matrices 2 (4*64 + 2*256) + 80, scores 2 * 4 * (2 + 2) * 4 / 2. */
    DtTransformer tiny = {.layers = 2,
                          .d_model = 8,
                          .d_ff = 32,
                          .heads = 4,
                          .vocab = 10,
                          .seq_len = 4,
                          .causal = true,
                          .norms = 2,
                          .expert_interval = 1};
    DtError error;
    CHECK(dt_transformer_complete(&tiny, &error) == DT_OK);
    CHECK_CLOSE(dt_transformer_flop_per_token(&tiny, DT_FLOP_EXACT, 0),
                6.0 * (2 * (4 * 64 + 2 * 256) + 80) + 6.0 * 2 * 64 * 0.5, 0);
}

static void refused(void)
{
    DtTransformer m = fix_gpt(24, 2304, 24);
    DtError error;
    m.kv_heads = 7;
    CHECK(dt_transformer_complete(&m, &error) == DT_ILLEGAL);
    CHECK_STR(error.field, "kv_heads");
    m = fix_gpt(24, 2304, 24);
    m.layers = 0;
    CHECK(dt_transformer_complete(&m, &error) == DT_INVALID);
    CHECK_STR(error.field, "layers");
    m = fix_gpt(24, 2304, 24);
    m.experts = 4;
    m.top_k = 5;
    CHECK(dt_transformer_complete(&m, &error) == DT_ILLEGAL);
    CHECK_STR(error.field, "top_k");
    m = fix_gpt(24, 2304, 24);
    m.d_model = 2304.5;
    CHECK(dt_transformer_complete(&m, &error) == DT_INVALID);
}

int main(void)
{
    parameters();
    experts();
    latent_attention();
    flop_definitions();
    refused();
    return check_finish("transformer");
}
