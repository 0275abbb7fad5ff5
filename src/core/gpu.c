#include "gpu.h"

#include <math.h>
#include <string.h>

const int dt_widths_bits[DT_NUM_WIDTHS] = {64, 32, 16, 8, 4};

#define AT(member) offsetof(DtGpu, member)

/* bits, flop_per_clock_per_thread and peak have rules of their own and are not rows. */
const DtField dt_gpu_fields[DT_GPU_NUM_FIELDS] = {
    {"sms", DT_NUMBER, AT(num_sms), "count", DT_POSITIVE, DT_REQUIRED, 0,
     "streaming multiprocessors (4 processing blocks and 128 threads each)"},
    {"registers_per_block", DT_NUMBER, AT(registers_per_block_bytes), "bytes", DT_POSITIVE,
     DT_REQUIRED, 0, "register bytes of one processing block"},
    {"l2_size", DT_NUMBER, AT(l2_bytes), "bytes", DT_POSITIVE, DT_REQUIRED, 0,
     "bytes of the L2 cache"},
    {"l2_bandwidth", DT_NUMBER, AT(l2_Bps), "bandwidth", DT_POSITIVE_OR_INFINITE, DT_REQUIRED, 0,
     "bytes per second between the L2 cache and the SMs"},
    {"memory", DT_NUMBER, AT(memory_bytes), "bytes", DT_POSITIVE, DT_REQUIRED, 0,
     "bytes of global memory"},
    {"memory_bandwidth", DT_NUMBER, AT(memory_Bps), "bandwidth", DT_POSITIVE_OR_INFINITE,
     DT_REQUIRED, 0, "bytes per second of global memory"},
    {"clock", DT_NUMBER, AT(clock_Hz), "frequency", DT_POSITIVE, DT_REQUIRED, 0,
     "maximum clock, Hz"},
    {"utilization", DT_NUMBER, AT(utilization_frac), "", DT_FRACTION, DT_REQUIRED, 0,
     "sustained share of the peak, 0 to 1"},
    {"distributed_shared_memory", DT_FLAG, AT(distributed_shared_memory), "", DT_POSITIVE,
     DT_DEFAULT, 0, "whether SMs reach each other's shared memory (Hopper and later)"},
    {"matmul_latency", DT_NUMBER, AT(matmul_latency_s), "time", DT_NOT_NEGATIVE, DT_REQUIRED, 0,
     "fixed seconds of one matmul"},
    {"price", DT_NUMBER, AT(price_usd), "money", DT_NOT_NEGATIVE, DT_OPTIONAL, 0, "USD to buy one"},
    {"power", DT_NUMBER, AT(power_w), "power", DT_POSITIVE, DT_OPTIONAL, 0,
     "watts while it computes"},
    {"idle_power", DT_NUMBER, AT(idle_power_w), "power", DT_NOT_NEGATIVE, DT_OPTIONAL, 0,
     "watts while it waits"},
};

const char *const dt_bound_names[DT_NUM_BOUNDS] = {"compute", "memory", "l2", "shared", "latency"};

int dt_gpu_width_index(int bits)
{
    for (int i = 0; i < DT_NUM_WIDTHS; i++)
        if (dt_widths_bits[i] == bits)
            return i;
    return -1;
}

DtStatus dt_gpu_check(const DtGpu *gpu, DtError *error)
{
    int width = dt_gpu_width_index(gpu->bits);
    if (width < 0)
        return dt_error_set(error, DT_INVALID, "bits", gpu->bits, "be 64, 32, 16, 8 or 4");
    if (gpu->idle_power_w != DT_ABSENT && gpu->power_w != DT_ABSENT &&
        gpu->idle_power_w > gpu->power_w)
        return dt_error_set_pair(error, DT_INVALID, "idle_power", gpu->idle_power_w, "be at most",
                                 "power", gpu->power_w);
    if (gpu->peak_flop_per_s != DT_ABSENT) {
        if (!(gpu->peak_flop_per_s > 0) || !isfinite(gpu->peak_flop_per_s))
            return dt_error_set(error, DT_INVALID, "peak", gpu->peak_flop_per_s,
                                "be a finite number of FLOP/s above 0");
        if (!dt_number_in_range(gpu->peak_flop_per_s))
            return dt_error_set(error, DT_INVALID, "peak", gpu->peak_flop_per_s, dt_number_rule);
        return DT_OK;
    }
    for (int i = 0; i < DT_NUM_WIDTHS; i++) {
        double rate = gpu->flop_per_clock_per_thread[i];
        if (!(rate >= 0) || !isfinite(rate))
            return dt_error_set(error, DT_INVALID, "flop_per_clock_per_thread", rate,
                                "be a finite number above 0");
        if (rate > 0 && !dt_number_in_range(rate))
            return dt_error_set(error, DT_INVALID, "flop_per_clock_per_thread", rate,
                                dt_number_rule);
    }
    if (gpu->flop_per_clock_per_thread[width] == 0)
        return dt_error_set(error, DT_INVALID, "bits", gpu->bits,
                            "be a width that flop_per_clock_per_thread has a rate for");
    return DT_OK;
}

double dt_gpu_peak_flop_per_s(const DtGpu *gpu)
{
    if (gpu->peak_flop_per_s != DT_ABSENT)
        return gpu->peak_flop_per_s;
    double rate = gpu->flop_per_clock_per_thread[dt_gpu_width_index(gpu->bits)];
    return rate * 128 * gpu->num_sms * gpu->clock_Hz;
}

double dt_gpu_sustained_flop_per_s(const DtGpu *gpu)
{
    return dt_gpu_peak_flop_per_s(gpu) * gpu->utilization_frac;
}

double dt_gpu_shared_Bps(const DtGpu *gpu)
{
    return 32 * 4 * gpu->num_sms * gpu->clock_Hz * gpu->utilization_frac;
}

double dt_gpu_word_bytes(const DtGpu *gpu)
{
    return gpu->bits / 8.0;
}

/* Number of tiles along each side (real numbers) when an m x n matrix is cut into tiles of at
 * most cap bytes, as square as can be. */
static void tile_counts(double m, double n, double word_bytes, double cap, double *rows,
                        double *cols)
{
    double count = ceil(m * n * word_bytes / cap);
    double words = m * n / count;
    double height = dt_max(dt_min(m, sqrt(words)), words / n);
    *rows = m / height;
    *cols = n / (words / height);
}

/* How a weight is cut for the units of one level: tiles along both sides, of all units together
 * where they exchange data among themselves, and of one unit then. */
typedef struct {
    double rows, cols, unit_rows, unit_cols;
    bool fits; /* the weight and its gradient stay below */
} Tiling;

static Tiling tile(double d1, double d2, double word_bytes, double cap, double units, bool shared)
{
    Tiling t = {.unit_rows = 1, .unit_cols = 1};
    t.fits = 2 * (d1 * d2 * word_bytes) <= cap * units;
    if (shared) {
        tile_counts(d1, d2, word_bytes, cap * units, &t.rows, &t.cols);
        tile_counts(d1, d2, word_bytes, cap, &t.unit_rows, &t.unit_cols);
    } else {
        tile_counts(d1, d2, word_bytes, cap, &t.rows, &t.cols);
    }
    return t;
}

/* Bytes between two levels of the memory hierarchy, each as constant + per batch row. */
typedef struct {
    double inter[2]; /* from and to the level above */
    double peer;     /* among the units of the lower level, per batch row */
} Traffic;

static Traffic traffic(const Tiling *t, double d1, double d2, double word_bytes, bool weight_grad)
{
    double weight = d1 * d2 * word_bytes, left = d1 * word_bytes, right = d2 * word_bytes;
    Traffic bytes = {{0, 0}, 0};
    if (!t->fits)
        bytes.inter[0] = weight_grad ? 2 * weight : weight;
    bytes.inter[1] = t->rows * right;
    if (t->unit_rows > 1)
        bytes.peer = t->unit_rows * right;
    if (weight_grad) {
        bytes.inter[1] += t->cols * left;
        if (t->unit_cols > 1)
            bytes.peer += t->unit_cols * left;
    } else {
        bytes.inter[1] += (2 * t->cols - 1) * left;
        bytes.peer += 2 * (t->unit_cols - 1) * left;
    }
    return bytes;
}

/* The tilings of a weight for the three levels below which data moves. */
typedef struct {
    double d1, d2, word_bytes;
    Tiling l2, shared, registers;
} WeightTiling;

static WeightTiling tile_weight(const DtGpu *gpu, uint64_t d1, uint64_t d2)
{
    double l2 = 0.75 * gpu->l2_bytes, registers = 0.75 * gpu->registers_per_block_bytes;
    double sms = gpu->num_sms;
    WeightTiling w = {.d1 = (double)d1, .d2 = (double)d2, .word_bytes = dt_gpu_word_bytes(gpu)};
    w.l2 = tile(w.d1, w.d2, w.word_bytes, dt_max(l2, 4 * registers), 1, false);
    w.shared = tile(w.d1, w.d2, w.word_bytes, 4 * registers, sms, gpu->distributed_shared_memory);
    w.registers = tile(w.d1, w.d2, w.word_bytes, registers, 4 * sms, false);
    return w;
}

/* Bytes through each level of memory, those of the levels above included. */
typedef struct {
    double memory[2], l2[2], shared[2];
} LevelBytes;

static LevelBytes level_bytes(const WeightTiling *w, bool weight_grad)
{
    Traffic g = traffic(&w->l2, w->d1, w->d2, w->word_bytes, weight_grad);
    Traffic s = traffic(&w->shared, w->d1, w->d2, w->word_bytes, weight_grad);
    Traffic t = traffic(&w->registers, w->d1, w->d2, w->word_bytes, weight_grad);
    LevelBytes bytes;
    for (int i = 0; i < 2; i++) {
        bytes.memory[i] = g.inter[i];
        bytes.l2[i] = g.inter[i] + s.inter[i];
        bytes.shared[i] = s.inter[i] + t.inter[i];
    }
    bytes.shared[1] += s.peer;
    return bytes;
}

/* FLOP of eight batch rows, both sides of the weight padded to multiples of 8. */
static double padded_flop_per_chunk(uint64_t d1, uint64_t d2)
{
    return 2 * ceil((double)d1 / 8) * ceil((double)d2 / 8) * 512;
}

static DtMatmul matmul_of(const DtGpu *gpu, const LevelBytes *bytes, double arithmetic_s)
{
    double shared_Bps = dt_gpu_shared_Bps(gpu);
    DtMatmul matmul = {.arithmetic_s = arithmetic_s, .latency_s = gpu->matmul_latency_s};
    for (int i = 0; i < 2; i++) {
        matmul.memory_s[i] = bytes->memory[i] / gpu->memory_Bps;
        matmul.l2_s[i] = bytes->l2[i] / gpu->l2_Bps;
        matmul.shared_s[i] = bytes->shared[i] / shared_Bps;
    }
    return matmul;
}

DtMatmulPair dt_matmul_prepare(const DtGpu *gpu, uint64_t d1, uint64_t d2)
{
    WeightTiling tiling = tile_weight(gpu, d1, d2);
    LevelBytes forward = level_bytes(&tiling, false), grad = level_bytes(&tiling, true);
    double arithmetic_s = padded_flop_per_chunk(d1, d2) / dt_gpu_sustained_flop_per_s(gpu);
    return (DtMatmulPair){matmul_of(gpu, &forward, arithmetic_s),
                          matmul_of(gpu, &grad, arithmetic_s)};
}

DtBound dt_matmul_bound(const DtMatmul *matmul, uint64_t batch, double *seconds)
{
    double rows = (double)batch, terms[DT_BOUND_LATENCY];
    DtBound bound = DT_BOUND_COMPUTE;
    terms[DT_BOUND_COMPUTE] = matmul->arithmetic_s * ceil(rows / 8);
    terms[DT_BOUND_MEMORY] = matmul->memory_s[0] + matmul->memory_s[1] * rows;
    terms[DT_BOUND_L2] = matmul->l2_s[0] + matmul->l2_s[1] * rows;
    terms[DT_BOUND_SHARED] = matmul->shared_s[0] + matmul->shared_s[1] * rows;
    for (int i = 0; i < DT_BOUND_LATENCY; i++)
        if (terms[i] > terms[bound])
            bound = (DtBound)i;
    *seconds = terms[bound];
    return bound;
}

DtMatmulReport dt_matmul_report(const DtGpu *gpu, uint64_t d1, uint64_t d2, uint64_t batch,
                                bool weight_grad)
{
    WeightTiling tiling = tile_weight(gpu, d1, d2);
    LevelBytes bytes = level_bytes(&tiling, weight_grad);
    DtMatmulPair pair = dt_matmul_prepare(gpu, d1, d2);
    DtMatmul matmul = weight_grad ? pair.weight_grad : pair.forward;
    double rows = (double)batch, chunks = ceil(rows / 8), largest_s;
    DtMatmulReport report;
    report.bound = dt_matmul_bound(&matmul, batch, &largest_s);
    if (matmul.latency_s > largest_s)
        report.bound = DT_BOUND_LATENCY;
    report.time_s = dt_matmul_time_s(&matmul, batch);
    report.flop = padded_flop_per_chunk(d1, d2) * chunks;
    report.useful_flop = 2 * (double)d1 * (double)d2 * rows;
    report.memory_bytes = bytes.memory[0] + bytes.memory[1] * rows;
    report.l2_bytes = bytes.l2[0] + bytes.l2[1] * rows;
    report.shared_bytes = bytes.shared[0] + bytes.shared[1] * rows;
    report.efficiency_frac = report.useful_flop / (dt_gpu_peak_flop_per_s(gpu) * report.time_s);
    return report;
}
