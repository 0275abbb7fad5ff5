/* fixtures.h: GPUs, networks, models and random numbers that several tests use.
 *
 * The figures of GPUs and networks are those of tests/reference/hardware.json (vendors' data sheets
 * as arXiv 2411.01137 uses them).
 */
#ifndef DT_TESTS_FIXTURES_H
#define DT_TESTS_FIXTURES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/cost.h"
#include "core/gpu.h"
#include "core/model.h"
#include "core/network.h"
#include "core/search.h"

/* How many random cases the tests try, for each 100 that they would like to: fewer with sanitizers,
 * which are slow. */
#ifndef FIX_EFFORT
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FIX_EFFORT 30
#else
#define FIX_EFFORT 100
#endif
#endif
#define FIX_ROUNDS(count) ((count)*FIX_EFFORT / 100)

#define FIX_YEAR_S 3.154e7 /* the year of the paper's program */

static inline DtGpu fix_gpu(const char *name, int bits, double rate)
{
    DtGpu gpu;
    memset(&gpu, 0, sizeof gpu);
    strncpy(gpu.name, name, sizeof gpu.name - 1);
    gpu.bits = bits;
    gpu.flop_per_clock_per_thread[dt_gpu_width_index(bits)] = rate;
    gpu.peak_flop_per_s = gpu.price_usd = gpu.power_w = gpu.idle_power_w = DT_ABSENT;
    return gpu;
}

static inline DtGpu fix_gtx580(void)
{
    DtGpu gpu = fix_gpu("GTX 580", 32, 0.5);
    gpu.flop_per_clock_per_thread[dt_gpu_width_index(64)] = 0.0625;
    gpu.registers_per_block_bytes = 131072;
    gpu.num_sms = 16;
    gpu.l2_Bps = 384.8e9;
    gpu.l2_bytes = 786432;
    gpu.memory_Bps = 192.4e9;
    gpu.clock_Hz = 1.544e9;
    gpu.utilization_frac = 0.85;
    gpu.memory_bytes = 3e9;
    gpu.matmul_latency_s = 2.25e-5;
    return gpu;
}

static inline DtGpu fix_v100(void)
{
    DtGpu gpu = fix_gpu("V100 SXM", 16, 8);
    gpu.registers_per_block_bytes = 65536;
    gpu.num_sms = 80;
    gpu.l2_Bps = 2155e9;
    gpu.l2_bytes = 6291456;
    gpu.memory_Bps = 900e9;
    gpu.clock_Hz = 1.533e9;
    gpu.utilization_frac = 0.9;
    gpu.memory_bytes = 32e9;
    gpu.matmul_latency_s = 4.5e-6;
    return gpu;
}

static inline DtGpu fix_a100(void)
{
    DtGpu gpu = fix_gpu("A100 SXM", 16, 16);
    gpu.registers_per_block_bytes = 65536;
    gpu.num_sms = 108;
    gpu.l2_Bps = 5603e9;
    gpu.l2_bytes = 41943040;
    gpu.memory_Bps = 1555e9;
    gpu.clock_Hz = 1.41e9;
    gpu.utilization_frac = 0.85;
    gpu.memory_bytes = 40e9;
    gpu.matmul_latency_s = 4.5e-6;
    return gpu;
}

static inline DtGpu fix_h100(void)
{
    DtGpu gpu = fix_gpu("H100 SXM", 16, 32);
    gpu.flop_per_clock_per_thread[dt_gpu_width_index(8)] = 64;
    gpu.registers_per_block_bytes = 65536;
    gpu.num_sms = 132;
    gpu.l2_Bps = 6441e9;
    gpu.l2_bytes = 52428800;
    gpu.memory_Bps = 3352e9;
    gpu.clock_Hz = 1.83e9;
    gpu.utilization_frac = 0.7;
    gpu.distributed_shared_memory = true;
    gpu.memory_bytes = 80e9;
    gpu.matmul_latency_s = 4.5e-6;
    return gpu;
}

/* Appends a level; size 0: the outermost. */
static inline void fix_level(DtNetwork *network, uint64_t size, double bandwidth_Bps,
                             double latency_s)
{
    DtLevel *level = &network->level[network->num_levels++];
    level->size = size;
    level->bandwidth_Bps = bandwidth_Bps;
    level->latency_s = latency_s;
}

static inline DtNetwork fix_two_levels(double inner_Bps, double outer_Bps, double latency_s)
{
    DtNetwork network;
    memset(&network, 0, sizeof network);
    fix_level(&network, 8, inner_Bps, latency_s);
    fix_level(&network, 0, outer_Bps, latency_s);
    return network;
}

static inline DtNetwork fix_gtx580_network(void)
{
    return fix_two_levels(8e9, 1e9, 5e-6);
}
static inline DtNetwork fix_v100_network(void)
{
    return fix_two_levels(300e9, 12.5e9, 1.125e-6);
}
static inline DtNetwork fix_a100_network(void)
{
    return fix_two_levels(600e9, 50e9, 1.125e-6);
}
static inline DtNetwork fix_h100_network(void)
{
    return fix_two_levels(900e9, 100e9, 1.125e-6);
}

static inline DtNetwork fix_superpod(void)
{
    DtNetwork network;
    memset(&network, 0, sizeof network);
    fix_level(&network, 8, 900e9, 1.125e-6);
    fix_level(&network, 32, 450e9, 1.125e-6);
    fix_level(&network, 0, 100e9, 1.125e-6);
    return network;
}

static inline DtNetwork fix_four_levels(void)
{
    DtNetwork network;
    memset(&network, 0, sizeof network);
    fix_level(&network, 8, 900e9, 1.125e-6);
    fix_level(&network, 32, 450e9, 1.125e-6);
    fix_level(&network, 16, 100e9, 2e-6);
    fix_level(&network, 0, 1e9, 1e-3);
    return network;
}

/* A finished model with 20 tokens per parameter. */
static inline DtModel fix_model(uint64_t d_model, uint64_t d_ff, uint64_t layers, uint64_t sparsity,
                                uint64_t seq_len, uint64_t batch)
{
    DtModel model = {d_model, d_ff, layers, sparsity, seq_len, batch, DT_ABSENT};
    dt_model_finish(&model, NULL);
    return model;
}

/* The paper's overlaps: TP and PP, not DP. */
static inline DtRun fix_run(const DtGpu *gpu, const DtNetwork *network, const DtModel *model)
{
    DtRun run = {gpu, network, model, {true, true, false}, DT_LATENCY_HIDDEN};
    return run;
}

/* A plan of one GPU. */
static inline DtPlan fix_plan(void)
{
    DtPlan plan;
    memset(&plan, 0, sizeof plan);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        plan.degree[kind] = 1;
        for (int level = 0; level < DT_MAX_LEVELS; level++)
            plan.part[kind][level] = 1;
    }
    plan.microbatches = 1;
    plan.interleave = 1;
    return plan;
}

/* Sets a degree by its parts on two levels. */
static inline void fix_parts(DtPlan *plan, DtKind kind, uint64_t inner, uint64_t outer)
{
    plan->part[kind][0] = inner;
    plan->part[kind][1] = outer;
    plan->degree[kind] = inner * outer;
}

/* xorshift64*: the same numbers on every machine. */
typedef struct {
    uint64_t state;
} FixRandom;

static inline FixRandom fix_random(uint64_t seed)
{
    FixRandom random = {seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du};
    return random;
}

static inline uint64_t fix_next(FixRandom *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545F4914F6CDD1Du;
}

/* 0 .. count - 1. */
static inline uint64_t fix_below(FixRandom *random, uint64_t count)
{
    return (fix_next(random) >> 11) % count;
}

/* True once in `count` times. */
static inline bool fix_once_in(FixRandom *random, uint64_t count)
{
    return fix_below(random, count) == 0;
}

/* From low to high, even on a logarithmic scale. */
static inline double fix_between(FixRandom *random, double low, double high)
{
    double share = (double)(fix_next(random) >> 11) / 9007199254740992.0;
    return low * pow(high / low, share);
}

/* One of a list of numbers. */
#define FIX_ONE_OF(random, list) ((list)[fix_below((random), sizeof(list) / sizeof((list)[0]))])

#endif
