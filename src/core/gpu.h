/* gpu.h: one GPU and the time of a matrix multiplication on it.
 *
 * Models: peak and sustained arithmetic; the traffic between registers, shared memory, L2 cache
 * and global memory when a d1 x d2 weight is tiled over the chip; a fixed latency. The slowest
 * of the four sets the time. Leaves out: attention and element-wise kernels, power limits.
 * Source: "Data movement limits to frontier model training" (arXiv 2411.01137), appendix on the
 * GPU model, and the authors' simulator.
 * May include: error.h, field.h.
 */
#ifndef DT_CORE_GPU_H
#define DT_CORE_GPU_H

#include <stdint.h>

#include "field.h"

enum { DT_NUM_WIDTHS = 5 };                     /* number widths that a GPU may have a rate for */
extern const int dt_widths_bits[DT_NUM_WIDTHS]; /* 64, 32, 16, 8, 4 */

typedef struct {
    char name[DT_NAME_SIZE];
    int bits;                                        /* width of a number in the matmul */
    double flop_per_clock_per_thread[DT_NUM_WIDTHS]; /* by dt_widths_bits; 0: no rate known */
    double peak_flop_per_s;                          /* given instead, or DT_ABSENT */
    double num_sms;                                  /* streaming multiprocessors */
    double registers_per_block_bytes;                /* registers of a processing block */
    double l2_bytes, l2_Bps;
    double memory_bytes, memory_Bps;
    double clock_Hz;
    double utilization_frac;        /* sustained share of the peak */
    bool distributed_shared_memory; /* SMs reach each other's shared memory */
    double matmul_latency_s;
    double price_usd, power_w, idle_power_w; /* each DT_ABSENT if not known */
    int assumption; /* the library's number of what it filled in, 0 for nothing; no part of ==,
                     * and nothing is computed from it */
} DtGpu;

enum { DT_GPU_NUM_FIELDS = 13 };
extern const DtField dt_gpu_fields[DT_GPU_NUM_FIELDS];

/* Index of a width in dt_widths_bits, -1 if there is none. bits: 4, 8, 16, 32 or 64. */
int dt_gpu_width_index(int bits);

/* Checks all that single fields do not show. Errors: DT_INVALID: bits is no known width, or no
 * rate is given for it. */
DtStatus dt_gpu_check(const DtGpu *gpu, DtError *error);

/* Peak FLOP/s at the GPU's width: f * 128 threads * SMs * clock, or the peak given. */
double dt_gpu_peak_flop_per_s(const DtGpu *gpu);

/* Sustained FLOP/s: peak times utilization. */
double dt_gpu_sustained_flop_per_s(const DtGpu *gpu);

/* Bytes per second of all shared memories: 32 banks of 4 bytes each clock on each SM. */
double dt_gpu_shared_Bps(const DtGpu *gpu);

/* A number's size in bytes. */
double dt_gpu_word_bytes(const DtGpu *gpu);

/* A matmul with the batch size left open: every term of its time is a + b * batch. */
typedef struct {
    double memory_s[2];  /* global memory: constant, per batch row */
    double l2_s[2];      /* L2 cache */
    double shared_s[2];  /* shared memory */
    double arithmetic_s; /* per 8 batch rows */
    double latency_s;
} DtMatmul;

/* The matmuls of a d1 x d2 weight: forward (and for the input's gradient), and the product that
 * makes the weight's gradient. They tile the weight alike, so they are prepared together. */
typedef struct {
    DtMatmul forward, weight_grad;
} DtMatmulPair;

/* d1, d2: above 0, at most 2^62. */
DtMatmulPair dt_matmul_prepare(const DtGpu *gpu, uint64_t d1, uint64_t d2);

/* a > b ? a : b, without the special cases of fmax: NaN never occurs here. */
static inline double dt_max(double a, double b)
{
    return a > b ? a : b;
}
static inline double dt_min(double a, double b)
{
    return a < b ? a : b;
}

/* Seconds of a prepared matmul at `batch` rows (a nanobatch, in tokens; above 0). */
static inline double dt_matmul_time_s(const DtMatmul *matmul, uint64_t batch)
{
    double rows = (double)batch;
    double chunks = (double)((batch + 7) / 8);
    double memory = dt_max(matmul->memory_s[0] + matmul->memory_s[1] * rows,
                           matmul->l2_s[0] + matmul->l2_s[1] * rows);
    double on_chip =
        dt_max(matmul->shared_s[0] + matmul->shared_s[1] * rows, matmul->arithmetic_s * chunks);
    return dt_max(memory, on_chip) + matmul->latency_s;
}

typedef enum {
    DT_BOUND_COMPUTE,
    DT_BOUND_MEMORY,
    DT_BOUND_L2,
    DT_BOUND_SHARED,
    DT_BOUND_LATENCY,
    DT_NUM_BOUNDS
} DtBound;
extern const char *const dt_bound_names[DT_NUM_BOUNDS];

/* The bound of a prepared matmul at `batch` rows, its latency aside, and that term's seconds. */
DtBound dt_matmul_bound(const DtMatmul *matmul, uint64_t batch, double *seconds);

/* What a matmul does and what holds it up. */
typedef struct {
    double time_s;
    DtBound bound;          /* the largest term */
    double flop;            /* padded to tensor-core chunks of 8 x 8 x 8 */
    double useful_flop;     /* 2 * d1 * d2 * batch */
    double memory_bytes;    /* between global memory and L2 */
    double l2_bytes;        /* between L2 and the SMs, with what passes through from memory */
    double shared_bytes;    /* through shared memory, with what passes through from above */
    double efficiency_frac; /* useful FLOP over what the peak does in that time */
} DtMatmulReport;

/* The time, traffic and bound of a matmul. Arguments as in dt_matmul_prepare and _time_s. */
DtMatmulReport dt_matmul_report(const DtGpu *gpu, uint64_t d1, uint64_t d2, uint64_t batch,
                                bool weight_grad);

#endif
