/* One GPU: rates, traffic and time of matmuls, errors.
 * Right values: tests/reference/hardware.json (`expect`), figures of the paper authors' own
 * program, and calculation by hand. */
#include "check.h"
#include "fixtures.h"
#include "naive_cost.h"

static double matmul_time_s(const DtGpu *gpu, uint64_t d1, uint64_t d2, uint64_t batch,
                            bool weight_grad)
{
    DtMatmulPair pair = dt_matmul_prepare(gpu, d1, d2);
    return dt_matmul_time_s(weight_grad ? &pair.weight_grad : &pair.forward, batch);
}

static void rates(void)
{
    const struct {
        DtGpu gpu;
        double peak, sustained, shared, word_bytes;
    } rows[] = {
        {fix_gtx580(), 1581056000000.0, 1343897600000.0, 2687795200000.0, 4},
        {fix_v100(), 125583360000000.0, 113025024000000.0, 14128128000000.0, 2},
        {fix_a100(), 311869440000000.0, 265089024000000.0, 16568064000000.0, 2},
        {fix_h100(), 989429760000000.0, 692600832000000.0, 21643776000000.0, 2},
    };
    for (int i = 0; i < 4; i++) {
        CHECK_CASE("%.60s", rows[i].gpu.name);
        CHECK_CLOSE(dt_gpu_peak_flop_per_s(&rows[i].gpu), rows[i].peak, 1e-15);
        CHECK_CLOSE(dt_gpu_sustained_flop_per_s(&rows[i].gpu), rows[i].sustained, 1e-15);
        CHECK_CLOSE(dt_gpu_shared_Bps(&rows[i].gpu), rows[i].shared, 1e-15);
        CHECK_CLOSE(dt_gpu_word_bytes(&rows[i].gpu), rows[i].word_bytes, 0);
    }
}

/* The GTX 580 at 64 bits: 1/16 * 128 * 16 * 1.544e9 = 1.97632e11 FLOP/s, an eighth of 32 bits. */
static void width_and_given_peak(void)
{
    DtGpu gpu = fix_gtx580();
    CHECK_CASE("GTX 580, 64 bits");
    gpu.bits = 64;
    CHECK_CLOSE(dt_gpu_peak_flop_per_s(&gpu), 1.97632e11, 1e-15);
    CHECK_CLOSE(dt_gpu_word_bytes(&gpu), 8, 0);
    CHECK_CASE("4 bits");
    gpu.bits = 4;
    CHECK_CLOSE(dt_gpu_word_bytes(&gpu), 0.5, 0);
    CHECK_CASE("peak of 2e12 FLOP/s given"); /* sustained 0.85 of it; shared memory as before */
    gpu.bits = 32;
    gpu.peak_flop_per_s = 2e12;
    CHECK_CLOSE(dt_gpu_peak_flop_per_s(&gpu), 2e12, 0);
    CHECK_CLOSE(dt_gpu_sustained_flop_per_s(&gpu), 1.7e12, 1e-15);
    CHECK_CLOSE(dt_gpu_shared_Bps(&gpu), 2687795200000.0, 1e-15);
}

static void reference_times(void)
{
    static const struct {
        DtGpu (*gpu)(void);
        uint64_t d1, d2, batch;
        bool weight_grad;
        double seconds;
    } rows[] = {
        {fix_gtx580, 1024, 1024, 2, false, 4.464980456306012e-05},
        {fix_gtx580, 256, 8192, 8, false, 6.899513513513514e-05},
        {fix_gtx580, 8192, 131072, 262144, false, 418.89351068043277},
        {fix_gtx580, 954, 65734, 224, false, 0.021059622828405976},
        {fix_gtx580, 81169, 222, 22, true, 0.0008244635758835758},
        {fix_gtx580, 16, 131072, 1, true, 0.00011243081081081082},
        {fix_gtx580, 8192, 1024, 262144, true, 3.272627876409631},
        {fix_v100, 29480, 11010, 12, false, 0.0007419223683991388},
        {fix_v100, 64, 64, 256, false, 4.572817777777778e-06},
        {fix_v100, 14617, 51323, 2064, false, 0.027419332789736902},
        {fix_v100, 426, 59, 16383, true, 2.2157233333333335e-05},
        {fix_v100, 18098, 2925, 348, true, 0.0003346746031746032},
        {fix_a100, 88976, 1530, 183, false, 0.0002037743382636656},
        {fix_a100, 649, 28, 144567, false, 0.00013038020450160771},
        {fix_a100, 106703, 1403, 3, true, 0.00039005732090032153},
        {fix_a100, 382, 4072, 29929, true, 0.00035765959764520467},
        {fix_h100, 115052, 163, 15715, false, 0.001141365687626145},
        {fix_h100, 8, 8, 4096, false, 4.540699270299643e-06},
        {fix_h100, 32768, 2048, 2048, false, 0.0004013778179925721},
        {fix_h100, 31272, 55, 3, true, 4.558364229156964e-06},
        {fix_h100, 4096, 32768, 256, true, 0.0001821968115457508},
        {fix_h100, 113, 172, 47811, true, 1.2962123893805309e-05},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DtGpu gpu = rows[i].gpu();
        CHECK_CASE("row %zu", i);
        CHECK_CLOSE(matmul_time_s(&gpu, rows[i].d1, rows[i].d2, rows[i].batch, rows[i].weight_grad),
                    rows[i].seconds, 1e-12);
    }
}

/* 16 bits; 4 SMs; registers of 172 B, so r = 129 B, and an SM has 4 r = 516 B; L2 of 3072 B, so
 * q = 2304 B; clock 1000 Hz at 0.5: shared memory 32 * 4 * 4 * 500 = 256000 B/s, and at f = 4
 * arithmetic of 4 * 128 * 4 * 500 = 1024000 FLOP/s sustained, twice that at the peak. */
static DtGpu toy_gpu(bool dsmem)
{
    DtGpu gpu = fix_gpu("toy", 16, 4);
    gpu.num_sms = 4;
    gpu.registers_per_block_bytes = 172;
    gpu.l2_bytes = 3072;
    gpu.l2_Bps = gpu.memory_Bps = 1e6;
    gpu.memory_bytes = 1e9;
    gpu.clock_Hz = 1000;
    gpu.utilization_frac = 0.5;
    gpu.distributed_shared_memory = dsmem;
    gpu.matmul_latency_s = 0.001;
    return gpu;
}

/* Traffic of a 64 x 64 weight (W = 8192 B), left = right = 64 * 10 * 2 = 1280 B at 10 rows.
 * Square weights are tiled sqrt(count) by sqrt(count): count = 4, 16, 64 for 2304, 516, 129 B, and
 * ceil(8192 / (4 * 516)) = 4 for all SMs together. 2 W = 16384 B fits nowhere.
 *   g        forward  W + 2 right + (2*2 - 1) left  =  8192 +  5 * 1280 = 14592
 *            gradient 2 W + 2 right + 2 left        = 16384 +  4 * 1280 = 21504
 *   s        forward  W + 4 right + (2*4 - 1) left  =  8192 + 11 * 1280 = 22272, p = 0
 *            gradient 2 W + 4 right + 4 left        = 16384 +  8 * 1280 = 26624, p = 0
 *   s, dsmem forward  W + 2 right + 3 left = 14592, p = 4 right + 2 (4 - 1) left  = 12800
 *            gradient 2 W + 2 right + 2 left = 21504, p = 4 right + 4 left        = 10240
 *   t        forward  W + 8 right + (2*8 - 1) left  =  8192 + 23 * 1280 = 37632
 *            gradient 2 W + 8 right + 8 left        = 16384 + 16 * 1280 = 36864
 * A 4 x 256 weight (W = 2048 B; right 5120 B, left 80 B): one tile of 2304 B, 4 of 516 B and 16 of
 * 129 B, all of full height as the square root of the words (16, 8) passes 4: 1 x 4 and 1 x 16.
 *   g  2048 + 5120 + 80 = 7248             (gradient 9296)
 *   s  2048 + 5120 + 7 * 80 = 7728
 *   s, dsmem: one tile of 2064 B: 2048 + 5120 + 80 = 7248, p = 2 (4 - 1) 80 = 480 (no rows are
 *      shared); gradient 4096 + 5120 + 80 = 9296, p = 4 * 80 = 320
 *   t  2048 + 5120 + 31 * 80 = 9648; gradient 4096 + 5120 + 16 * 80 = 10496
 * The same on its side, 256 x 4 (right 80 B, left 5120 B): tiles of full width, 4 x 1 and 16 x 1.
 *   g  7248;  s  2048 + 4 * 80 + 5120 = 7488;  t  2048 + 16 * 80 + 5120 = 8448
 *   s, dsmem: 7248, p = 4 * 80 = 320
 * An 8 x 8 weight (W = 128 B) fits everywhere and moves only left + right = 2 * 160 B each time. */
static void traffic_by_hand(void)
{
    static const struct {
        bool dsmem, gradient;
        uint64_t d1, d2;
        double memory, l2, shared; /* g, g + s, s + p + t */
    } rows[] = {
        {false, false, 64, 64, 14592, 36864, 59904}, {false, true, 64, 64, 21504, 48128, 63488},
        {true, false, 64, 64, 14592, 29184, 65024},  {true, true, 64, 64, 21504, 43008, 68608},
        {false, false, 4, 256, 7248, 14976, 17376},  {true, false, 4, 256, 7248, 14496, 17376},
        {true, true, 4, 256, 9296, 18592, 20112},    {false, false, 256, 4, 7248, 14736, 15936},
        {true, false, 256, 4, 7248, 14496, 16016},   {false, false, 8, 8, 320, 640, 640},
        {true, true, 8, 8, 320, 640, 640},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DtGpu gpu = toy_gpu(rows[i].dsmem);
        DtMatmulReport report =
            dt_matmul_report(&gpu, rows[i].d1, rows[i].d2, 10, rows[i].gradient);
        CHECK_CASE("row %zu", i);
        CHECK_CLOSE(report.memory_bytes, rows[i].memory, 1e-14);
        CHECK_CLOSE(report.l2_bytes, rows[i].l2, 1e-14);
        CHECK_CLOSE(report.shared_bytes, rows[i].shared, 1e-14);
    }
}

/* Weights stay below where twice their bytes are at most the capacity: r = 96 B, q = 4 r = 384 B.
 * 8 x 12: 2 W = 384 B stays, g = left 16 + right 24 = 40 B for one row. 8 x 13: 2 W = 416 B does
 * not, g = 208 + 16 + 26 = 250 B; for the gradient 416 + 42 = 458 B. An L2 that is smaller than an
 * SM's registers counts as that large: 64 x 64 on the toy in 516 B tiles, 4 x 4: at 10 rows
 * 8192 + 4 * 1280 + 7 * 1280 = 22272 B. */
static void weights_that_stay(void)
{
    DtGpu gpu = toy_gpu(false);
    gpu.registers_per_block_bytes = 128;
    gpu.l2_bytes = 512;
    CHECK_CASE("weights that fit just");
    CHECK_CLOSE(dt_matmul_report(&gpu, 8, 12, 1, false).memory_bytes, 40, 1e-15);
    CHECK_CLOSE(dt_matmul_report(&gpu, 8, 12, 1, true).memory_bytes, 40, 1e-15);
    CHECK_CASE("weights that do not fit");
    CHECK_CLOSE(dt_matmul_report(&gpu, 8, 13, 1, false).memory_bytes, 250, 1e-15);
    CHECK_CLOSE(dt_matmul_report(&gpu, 8, 13, 1, true).memory_bytes, 458, 1e-15);
    CHECK_CASE("an L2 smaller than the registers");
    gpu = toy_gpu(false);
    gpu.l2_bytes = 100;
    CHECK_CLOSE(dt_matmul_report(&gpu, 64, 64, 10, false).memory_bytes, 22272, 1e-14);
}

/* 64 x 64, 10 rows, forward, no dsmem: 14592, 36864 and 59904 B as above; arithmetic padded to 8, 8
 * and 2 chunks: 2 * 8 * 8 * 2 * 512 = 131072 FLOP. One rate at a time is made the slowest. */
static void bounds_by_hand(void)
{
    static const struct {
        double rate, memory_Bps, l2_Bps, latency_s;
        DtBound bound;
        double seconds;
    } rows[] = {
        {1, 1e6, 1e6, 0.001, DT_BOUND_COMPUTE, 0.512 + 0.001}, /* 131072 / 256000 */
        {4, 1e4, 1e6, 0.001, DT_BOUND_MEMORY, 1.4592 + 0.001}, /* 14592 / 10000 */
        {4, 1e6, 36864, 0.001, DT_BOUND_L2, 1 + 0.001},        /* 36864 / 36864 */
        {4, 1e6, 1e6, 0.001, DT_BOUND_SHARED, 0.234 + 0.001},  /* 59904 / 256000 */
        {4, 1e6, 1e6, 10, DT_BOUND_LATENCY, 0.234 + 10},
        {1, INFINITY, INFINITY, 0, DT_BOUND_COMPUTE, 0.512},
    };
    static const char *const names[] = {"compute", "memory", "l2", "shared", "latency"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DtGpu gpu = toy_gpu(false);
        gpu.flop_per_clock_per_thread[2] = rows[i].rate;
        gpu.memory_Bps = rows[i].memory_Bps;
        gpu.l2_Bps = rows[i].l2_Bps;
        gpu.matmul_latency_s = rows[i].latency_s;
        DtMatmulReport report = dt_matmul_report(&gpu, 64, 64, 10, false);
        CHECK_CASE("bound by %s", names[rows[i].bound]);
        CHECK_CLOSE(matmul_time_s(&gpu, 64, 64, 10, false), rows[i].seconds, 1e-14);
        CHECK_CLOSE(report.time_s, rows[i].seconds, 1e-14);
        CHECK_STR(dt_bound_names[report.bound], names[rows[i].bound]);
        CHECK_CLOSE(report.flop, 131072, 0);
        CHECK_CLOSE(report.useful_flop, 81920, 0); /* 2 * 64 * 64 * 10 */
        /* peak: rate * 128 * 4 * 1000 FLOP/s */
        CHECK_CLOSE(report.efficiency_frac, 81920 / (rows[i].rate * 512000) / rows[i].seconds,
                    1e-14);
    }
}

/* FLOP of 2 * ceil(d1/8) * ceil(d2/8) * ceil(b/8) * 512. */
static void padding(void)
{
    static const struct {
        uint64_t d1, d2, b;
        double flop;
    } rows[] = {
        {1, 1, 1, 1024}, {8, 8, 8, 1024}, {9, 8, 8, 2048},     {8, 9, 8, 2048},
        {8, 8, 9, 2048}, {9, 9, 9, 8192}, {16, 24, 32, 24576}, {17, 25, 33, 61440},
    };
    DtGpu gpu = toy_gpu(false);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DtMatmulPair pair = dt_matmul_prepare(&gpu, rows[i].d1, rows[i].d2);
        DtMatmulReport report = dt_matmul_report(&gpu, rows[i].d1, rows[i].d2, rows[i].b, false);
        CHECK_CASE("row %zu", i);
        CHECK_CLOSE(report.flop, rows[i].flop, 0);
        CHECK_CLOSE(pair.forward.arithmetic_s * ceil((double)rows[i].b / 8), rows[i].flop / 1024000,
                    1e-15);
    }
}

/* Random GPUs and shapes against the formulas written a second time; a report says the same. */
static void random_matmuls(void)
{
    FixRandom random = fix_random(3);
    for (int round = 0; round < FIX_ROUNDS(3000); round++) {
        DtGpu gpu = fix_once_in(&random, 2) ? fix_h100() : toy_gpu(fix_once_in(&random, 2));
        uint64_t d1 = (uint64_t)fix_between(&random, 1, 1e5);
        uint64_t d2 = (uint64_t)fix_between(&random, 1, 1e5);
        uint64_t b = (uint64_t)fix_between(&random, 1, 1e6);
        bool gradient = fix_once_in(&random, 2);
        gpu.bits = fix_once_in(&random, 2) ? 16 : 32;
        gpu.flop_per_clock_per_thread[1] = fix_between(&random, 0.1, 64);
        gpu.l2_Bps = gpu.memory_Bps * fix_between(&random, 0.3, 10);
        gpu.matmul_latency_s = fix_between(&random, 1e-9, 1e-3);
        DtMatmulReport report = dt_matmul_report(&gpu, d1, d2, b, gradient);
        double seconds = naive_matmul_s(&gpu, d1, d2, b, gradient);
        CHECK_CASE("round %d: %llu x %llu, %llu", round, (unsigned long long)d1,
                   (unsigned long long)d2, (unsigned long long)b);
        CHECK_CLOSE(matmul_time_s(&gpu, d1, d2, b, gradient), seconds, 1e-12);
        CHECK(report.time_s == matmul_time_s(&gpu, d1, d2, b, gradient));
        double terms[] = {report.flop / dt_gpu_sustained_flop_per_s(&gpu),
                          report.memory_bytes / gpu.memory_Bps, report.l2_bytes / gpu.l2_Bps,
                          report.shared_bytes / dt_gpu_shared_Bps(&gpu), gpu.matmul_latency_s};
        double slowest = fmax(fmax(terms[0], terms[1]), fmax(terms[2], terms[3]));
        CHECK_CLOSE(slowest + terms[4], seconds, 1e-12);
        CHECK_CLOSE(terms[report.bound], fmax(slowest, terms[4]), 1e-12);
        CHECK(report.flop >= report.useful_flop);
    }
}

/* dt_gpu_check refuses, and says which field and value. */
static void check_refused(const DtGpu *gpu, const char *field, double value)
{
    DtError error = {.status = DT_OK};
    CHECK_INT(dt_gpu_check(gpu, &error), DT_INVALID);
    CHECK_INT(dt_gpu_check(gpu, NULL), DT_INVALID);
    CHECK_INT(error.status, DT_INVALID);
    CHECK_STR(error.field, field);
    CHECK(error.value == value || (isnan(error.value) && isnan(value)));
    CHECK(error.rule && *error.rule);
    CHECK_INT(error.index, -1);
}

static void errors(void)
{
    static const double bad_rates[] = {-1, INFINITY, NAN};
    static const double bad_peaks[] = {0, -2, INFINITY, NAN};
    DtGpu gpu = fix_gtx580();
    CHECK_CASE("what is right passes");
    CHECK_INT(dt_gpu_check(&gpu, NULL), DT_OK);
    gpu.power_w = 244;
    gpu.idle_power_w = 244;
    CHECK_INT(dt_gpu_check(&gpu, NULL), DT_OK);
    CHECK_CASE("more power idle than busy");
    gpu.idle_power_w = 245;
    check_refused(&gpu, "idle_power", 245);
    CHECK_CASE("no such width");
    gpu = fix_gtx580();
    gpu.bits = 24;
    check_refused(&gpu, "bits", 24);
    CHECK_CASE("no rate for the width");
    gpu.bits = 16;
    check_refused(&gpu, "bits", 16);
    gpu.peak_flop_per_s = 1e12; /* a peak makes up for it */
    CHECK_INT(dt_gpu_check(&gpu, NULL), DT_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_CASE("rate %g", bad_rates[i]);
        gpu = fix_gtx580();
        gpu.flop_per_clock_per_thread[3] = bad_rates[i];
        check_refused(&gpu, "flop_per_clock_per_thread", bad_rates[i]);
    }
    for (int i = 0; i < 4; i++) {
        CHECK_CASE("peak %g", bad_peaks[i]);
        gpu = fix_gtx580();
        gpu.peak_flop_per_s = bad_peaks[i];
        check_refused(&gpu, "peak", bad_peaks[i]);
    }
}

/* What single fields may be, by their rows. */
static void field_ranges(void)
{
    static const struct {
        const char *field;
        double value;
        bool allowed;
    } rows[] = {
        {"sms", 1, true},
        {"sms", 0, false},
        {"sms", -1, false},
        {"sms", INFINITY, false},
        {"sms", NAN, false},
        {"l2_bandwidth", INFINITY, true},
        {"l2_bandwidth", 0, false},
        {"l2_bandwidth", NAN, false},
        {"memory", INFINITY, false},
        {"utilization", 1, true},
        {"utilization", 1.01, false},
        {"utilization", 0, false},
        {"matmul_latency", 0, true},
        {"matmul_latency", -1e-9, false},
        {"matmul_latency", INFINITY, false},
        {"price", 0, true},
        {"power", 0, false},
        {"idle_power", 0, true},
        {"clock", NAN, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const DtField *field = NULL;
        DtError error = {.field = NULL};
        CHECK_CASE("%s = %g", rows[i].field, rows[i].value);
        for (int j = 0; j < DT_GPU_NUM_FIELDS; j++)
            if (strcmp(dt_gpu_fields[j].name, rows[i].field) == 0)
                field = &dt_gpu_fields[j];
        if (!CHECK(field != NULL))
            continue;
        CHECK_INT(dt_field_check(field, rows[i].value, &error),
                  rows[i].allowed ? DT_OK : DT_INVALID);
        CHECK_STR(error.field, rows[i].allowed ? NULL : rows[i].field);
    }
}

int main(void)
{
    rates();
    width_and_given_peak();
    reference_times();
    traffic_by_hand();
    weights_that_stay();
    bounds_by_hand();
    padding();
    random_matmuls();
    errors();
    field_ranges();
    return check_finish("gpu");
}
