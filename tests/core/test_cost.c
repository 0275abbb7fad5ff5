/* The time of a run under a plan: by figures of the paper authors' own program, by hand for what
 * they do not exercise, and by the formulas written a second time (naive_cost.h) at random. */
#include "check.h"
#include "fixtures.h"
#include "naive_cost.h"

static DtCost cost_of(const DtRun *run, const DtPlan *plan)
{
    DtWork work;
    DtCost cost;
    dt_work_prepare(&work, run);
    dt_cost_evaluate(&work, plan, &cost);
    return cost;
}

/* ---- figures of the authors' program ---- */

typedef struct {
    DtGpu (*gpu)(void);
    DtNetwork (*network)(void);
    DtModel model;
    uint64_t part[DT_NUM_KINDS][4], microbatches, interleave; /* parts: 0 counts as 1 */
    bool zero_bubble, recompute;
    DtOverlap overlap;
    double expected[6]; /* time, utilization, TP, DP, PP and EP, latency */
} Reference;

static const Reference references[] = {
    {fix_a100,
     fix_a100_network,
     {4096, 16384, 80, 1, 2048, 1792, DT_ABSENT},
     {{32, 32}, {1, 2}, {4, 32}, {2, 2}, {1, 1}},
     7,
     20,
     false,
     false,
     {true, true, false},
     {855.3139370471619, 0.0494632562598075, 751.6192768, 7.9252372723809525, 5.681883818666667,
      73.85965714285715}},
    {fix_a100,
     fix_a100_network,
     {12288, 49152, 192, 8, 2048, 32768, DT_ABSENT},
     {{2, 1}, {8, 2}, {8, 8}, {2, 4}, {2, 2}},
     32,
     1,
     true,
     false,
     {false, true, true},
     {7697721.822061483, 0.32821884394441597, 4702391.329672397, 208.7354105856, 112438.80783544321,
      2149.90848}},
    {fix_gtx580,
     fix_gtx580_network,
     {4096, 20480, 96, 1, 2048, 2, DT_ABSENT},
     {{1, 2}, {1, 1}, {8, 4}, {2, 1}, {1, 1}},
     1,
     12,
     false,
     true,
     {false, false, false},
     {976649639.8555001, 0.15749525989956129, 166246158.1197312, 158329674.39974397, 711246.5842176,
      480903.16800000006}},
    {fix_gtx580,
     fix_gtx580_network,
     {36864, 147456, 448, 24, 2048, 196608, DT_ABSENT},
     {{2, 4}, {1, 16}, {8, 4}, {28, 8}, {4, 2}},
     2048,
     1,
     true,
     false,
     {false, false, true},
     {17587079489.824226, 0.33473366059981546, 10604426811.062353, 4438236.6675763205,
      47153329.25128704, 182136.72960000002}},
    {fix_h100,
     fix_h100_network,
     {49152, 196608, 576, 32, 2048, 81920, DT_ABSENT},
     {{32, 8}, {4, 2}, {8, 4}, {4, 16}, {2, 16}},
     320,
     1,
     true,
     true,
     {false, false, true},
     {38524206.0951238, 0.09302343918888274, 2524863.5264434176, 248478.63276109824,
      169736.6780411904, 743056.1464320001}},
    {fix_h100,
     fix_h100_network,
     {180224, 720896, 1536, 112, 2048, 3211264, DT_ABSENT},
     {{1, 1}, {16, 2}, {4, 4}, {8, 32}, {1, 1}},
     1024,
     1,
     false,
     false,
     {true, true, false},
     {29460247332919.535, 0.5603777563827604, 4430979984099.072, 0.0, 5496327858.669294,
      3836475.6611657143}},
    {fix_h100,
     fix_four_levels,
     {229376, 458752, 1280, 112, 2048, 225792, DT_ABSENT},
     {{1, 1, 1, 2}, {4, 1, 4, 1}, {1, 2, 2, 1}, {2, 2, 1, 8}, {1, 2, 1, 14}},
     126,
     8,
     false,
     false,
     {false, false, true},
     {26307775585113.457, 0.3266961479999454, 1730102832850.6494, 2746194972778.8086,
      11510682358301.87, 3382286745.6}},
    {fix_h100,
     fix_four_levels,
     {6144, 24576, 112, 6, 2048, 528, DT_ABSENT},
     {{2, 1, 1, 1}, {1, 1, 1, 1}, {2, 2, 1, 8}, {7, 1, 2, 2}, {2, 1, 1, 1}},
     44,
     2,
     false,
     true,
     {true, false, false},
     {173993109.36856925, 0.0013349602204429732, 130918849.51928832, 1889.1608877242181,
      260872.87758520315, 2563173.8935854547}},
    {fix_h100,
     fix_superpod,
     {22528, 90112, 320, 1, 2048, 16384, DT_ABSENT},
     {{1, 4, 8}, {2, 4, 8}, {2, 1, 1}, {1, 4, 4}, {1, 1, 1}},
     32,
     1,
     true,
     true,
     {false, false, false},
     {25214974.938541606, 0.1238877273540023, 19207780.942479357, 8597.23268096, 6073.889062912,
      6733.5048}},
    {fix_h100,
     fix_superpod,
     {163840, 327680, 1024, 6, 2048, 324, DT_ABSENT},
     {{3, 1, 1}, {2, 2, 4}, {4, 1, 4}, {2, 1, 4}, {2, 3, 1}},
     18,
     64,
     false,
     false,
     {false, false, false},
     {439886012416.2325, 0.5425060313220931, 86469112845.51352, 6326043921.025224,
      1818988599.496209, 503942829.39733326}},
    {fix_v100,
     fix_v100_network,
     {4608, 18432, 96, 1, 2048, 768, DT_ABSENT},
     {{4, 8}, {2, 1}, {2, 2}, {2, 2}, {1, 1}},
     24,
     1,
     true,
     true,
     {true, true, true},
     {371936.50257909973, 0.6671948873426786, 270521.09211893764, 14794.122225254401,
      1526.3776899072, 406.14047999999997}},
    {fix_v100,
     fix_v100_network,
     {1024, 4096, 32, 2, 2048, 48, DT_ABSENT},
     {{1, 3}, {4, 1}, {1, 2}, {2, 2}, {1, 1}},
     1,
     8,
     false,
     true,
     {false, true, false},
     {37740.37889983001, 0.03800855958092502, 7036.8744177664, 781.8749353073778,
      1722.5682168490669, 58.859519999999996}},
};

static void reference_figures(void)
{
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        const Reference *row = &references[i];
        DtGpu gpu = row->gpu();
        DtNetwork network = row->network();
        DtRun run = {&gpu, &network, &row->model, row->overlap, DT_LATENCY_HIDDEN};
        DtPlan plan = fix_plan();
        for (int kind = 0; kind < DT_NUM_KINDS; kind++)
            for (int level = 0; level < 4; level++) {
                uint64_t part = row->part[kind][level];
                plan.part[kind][level] = part ? part : 1;
                plan.degree[kind] *= part ? part : 1;
            }
        plan.microbatches = row->microbatches;
        plan.interleave = row->interleave;
        plan.zero_bubble = row->zero_bubble;
        plan.recompute = row->recompute;
        DtCost cost = cost_of(&run, &plan);
        const double actual[] = {cost.time_s, cost.utilization_frac, cost.tp_s,
                                 cost.dp_s,   cost.pp_ep_s,          cost.latency_s};
        for (int j = 0; j < 6; j++) {
            CHECK_CASE("reference %zu, figure %d", i, j);
            CHECK_CLOSE(actual[j], row->expected[j], 1e-12);
        }
    }
}

/* ---- by hand ---- */

/* A GPU on which only arithmetic counts: 1024 FLOP/s sustained of 2048, so that an 8 x 8 weight
 * takes 1 s for 8 rows, and 0.5 s for each matmul. 16 bits. */
static DtGpu arithmetic_gpu(void)
{
    DtGpu gpu = fix_gpu("arithmetic", 16, 0);
    gpu.peak_flop_per_s = 2048;
    gpu.utilization_frac = 0.5;
    gpu.num_sms = 1;
    gpu.clock_Hz = 1e30;
    gpu.registers_per_block_bytes = gpu.l2_bytes = 1e9;
    gpu.l2_Bps = gpu.memory_Bps = INFINITY;
    gpu.memory_bytes = 768;
    gpu.matmul_latency_s = 0.5;
    return gpu;
}

/* Nodes of 2; 64 B/s in a direction and 0.25 s inside, 32 B/s and 0.5 s outside. */
static DtNetwork slow_network(void)
{
    DtNetwork network = fix_two_levels(128, 64, 0.25);
    network.level[0].size = 2;
    network.level[1].latency_s = 0.5;
    return network;
}

static double batch_s(const DtRun *run, const DtPlan *plan)
{
    return cost_of(run, plan).step_s;
}

/* One layer of 8 x 16 in 32 tokens; TP over d_ff by 2 inside a node, DP by 2 outside, 2
 * microbatches of 8 tokens.
 *   parameters 2 * 8 * 16 = 256 (512 B); D = 5120 tokens, 160 batches
 *   compute    2 microbatches * 6 matmuls of 8 x 8 * (1 + 0.5) = 18 s
 *   TP         2 (2 - 1) * 8 words * 2 layers' ends * 32 tokens * 2 B / (4 * 64) = 8 s,
 *              latency 2 * 2 * 0.25 = 1 s
 *   DP         2 (2 - 1) * 512 B / (4 * 32) = 8 s, latency 2 * 0.5 = 1 s
 *   PP and EP  a single layer hands nothing on: 0
 *   ideal      6 * 256 * 32 / (2048 * 4) = 6 s; memory 512 * (2 + 4) / 4 = 768 B
 * TP hides under the compute: interleaved 18 + 1 + 8 + 1 = 28 s; zero bubble hides latency:
 * 27 s. */
static void one_layer(void)
{
    DtGpu gpu = arithmetic_gpu();
    DtNetwork network = slow_network();
    DtModel model = fix_model(8, 16, 1, 1, 8, 4);
    DtRun run = fix_run(&gpu, &network, &model);
    DtPlan plan = fix_plan();
    fix_parts(&plan, DT_DP, 1, 2);
    fix_parts(&plan, DT_TP_FF, 2, 1);
    plan.microbatches = 2;
    DtCost cost = cost_of(&run, &plan);
    CHECK_CASE("one layer");
    CHECK_INT(cost.num_gpus, 4);
    CHECK_CLOSE(cost.step_s, 28, 1e-14);
    CHECK_CLOSE(cost.time_s, 28 * 160, 1e-14);
    CHECK_CLOSE(cost.utilization_frac, 6.0 / 28, 1e-14);
    CHECK_CLOSE(cost.compute_s, 18 * 160, 1e-14);
    CHECK_CLOSE(cost.tp_s, 8 * 160, 1e-14);
    CHECK_CLOSE(cost.dp_s, 8 * 160, 1e-14);
    CHECK_CLOSE(cost.pp_ep_s, 0, 0);
    CHECK_CLOSE(cost.latency_s, 2 * 160, 1e-14);
    CHECK_CLOSE(cost.exposed_compute_s, 18 * 160, 1e-14);
    CHECK_CLOSE(cost.exposed_tp_s, 0, 0);
    CHECK_CLOSE(cost.exposed_dp_s, 8 * 160, 1e-14);
    CHECK_CLOSE(cost.exposed_latency_s, 2 * 160, 1e-14);
    CHECK_CLOSE(cost.memory_bytes, 768, 1e-15);
    CHECK(cost.fits);
    gpu.memory_bytes = 767;
    CHECK(!cost_of(&run, &plan).fits);
    CHECK_CASE("one layer, TP not overlapped"); /* 18 + 8 + 1 + 8 + 1 */
    run.overlap.tp = false;
    CHECK_CLOSE(batch_s(&run, &plan), 36, 1e-14);
    CHECK_CASE("one layer, DP overlapped"); /* max(18 + 1, 8) + 1 */
    run.overlap = (DtOverlap){true, true, true};
    CHECK_CLOSE(batch_s(&run, &plan), 20, 1e-14);
    network.level[1].bandwidth_Bps = 16; /* DP takes 32 s: max(19, 32) + 1 */
    CHECK_CLOSE(batch_s(&run, &plan), 33, 1e-14);
    CHECK_CLOSE(cost_of(&run, &plan).exposed_dp_s, 13 * 160, 1e-14);
}

/* The same with a slower TP latency: 2 * 2 * 10 = 40 s, more than the compute. Interleaved it adds
 * up, 18 + 40 + 8 + 1 = 67 s; with zero bubble it is hidden, 27 s, or what exceeds the compute
 * shows, max(18, 8, 40) + 8 + 1 = 49 s. */
static void zero_bubble_latency(void)
{
    DtGpu gpu = arithmetic_gpu();
    DtNetwork network = slow_network();
    DtModel model = fix_model(8, 16, 1, 1, 8, 4);
    DtRun run = fix_run(&gpu, &network, &model);
    DtPlan plan = fix_plan();
    fix_parts(&plan, DT_DP, 1, 2);
    fix_parts(&plan, DT_TP_FF, 2, 1);
    plan.microbatches = 2;
    for (int exposed = 0; exposed < 2; exposed++) {
        run.zero_bubble_latency = exposed ? DT_LATENCY_EXPOSED : DT_LATENCY_HIDDEN;
        CHECK_CASE("latency below the compute, exposed %d", exposed);
        network.level[0].latency_s = 0.25;
        plan.zero_bubble = false;
        CHECK_CLOSE(batch_s(&run, &plan), 28, 1e-14);
        plan.zero_bubble = true;
        CHECK_CLOSE(batch_s(&run, &plan), 27, 1e-14);
        CHECK_CASE("latency above the compute, exposed %d", exposed);
        network.level[0].latency_s = 10;
        plan.zero_bubble = false;
        CHECK_CLOSE(batch_s(&run, &plan), 67, 1e-14);
        plan.zero_bubble = true;
        DtCost cost = cost_of(&run, &plan);
        CHECK_CLOSE(cost.step_s, exposed ? 49 : 27, 1e-14);
        CHECK_CLOSE(cost.exposed_latency_s, (exposed ? 40 - 18 + 1 : 1) * 160, 1e-14);
        CHECK_CLOSE(cost.latency_s, 41 * 160, 1e-14);
    }
}

/* One layer with 2 experts on 2 nodes, TP as before: 512 parameters, 320 batches. Compute
 * 2 microbatches * 1 expert a GPU * 9 s = 18 s; a single layer hands nothing on, so expert
 * parallelism is free: 18 + 1 = 19 s. Ideal: 6 * 256 * 32 / (2048 * 4) = 6 s. Without expert
 * parallelism both experts are on each GPU: 36 + 1 s, on half the GPUs (TP 2 * 8 = 16 s hides). */
static void one_layer_with_experts(void)
{
    DtGpu gpu = arithmetic_gpu();
    DtNetwork network = slow_network();
    DtModel model = fix_model(8, 16, 1, 2, 8, 4);
    DtRun run = fix_run(&gpu, &network, &model);
    DtPlan plan = fix_plan();
    fix_parts(&plan, DT_EP, 1, 2);
    fix_parts(&plan, DT_TP_FF, 2, 1);
    plan.microbatches = 2;
    DtCost cost = cost_of(&run, &plan);
    CHECK_CASE("one layer with experts");
    CHECK_CLOSE(cost.step_s, 19, 1e-14);
    CHECK_CLOSE(cost.time_s, 19 * 320, 1e-14);
    CHECK_CLOSE(cost.utilization_frac, 6.0 / 19, 1e-14);
    CHECK_CLOSE(cost.pp_ep_s, 0, 0);
    CHECK_CLOSE(cost.latency_s, 320, 1e-14);
    fix_parts(&plan, DT_EP, 1, 1);
    cost = cost_of(&run, &plan);
    CHECK_CLOSE(cost.step_s, 37, 1e-14);
    CHECK_CLOSE(cost.tp_s, 16 * 320, 1e-14);
}

/* 4 layers, 2 experts inside a node, 2 stages on 2 nodes; 32 tokens. With v = 1 the 3 boundaries
 * are 2 within a stage and 1 between the stages; half the tokens change the GPU for their expert.
 *   inside:  2 (forward, backward) * 2 * 1/2 = 2 crossings of 32 * 8 * 2 = 512 B each:
 *            1024 / (4 * 64) = 4 s
 *   outside: 2 * 1 = 2 crossings: 1024 / (4 * 32) = 8 s
 *   latency: 2 * 2 * 0.25 + 2 * 1 * 0.5 = 2 s, as some token always goes furthest
 * With v = 2 every layer is a chunk and all 3 boundaries go outside: 6 * 512 / 128 = 24 s, 3 s.
 * A 16 x 8 weight takes 2 s for 8 rows. Compute with m = 2 (8 tokens an expert):
 * 2 layers * 1 expert * 2 * 6 * 2.5 = 60 s. */
static void stages_and_experts(void)
{
    DtGpu gpu = arithmetic_gpu();
    DtNetwork network = slow_network();
    DtModel model = fix_model(8, 16, 4, 2, 8, 4);
    DtRun run = fix_run(&gpu, &network, &model);
    DtPlan plan = fix_plan();
    fix_parts(&plan, DT_EP, 2, 1);
    fix_parts(&plan, DT_PP, 1, 2);
    plan.microbatches = 2;
    DtCost cost = cost_of(&run, &plan);
    CHECK_CASE("v = 1"); /* bubble (2 - 1) / (2 - 1 + 2) = 1/3: 60 * 3/2 + 2 = 92 */
    CHECK_CLOSE(cost.step.compute_s, 60, 1e-14);
    CHECK_CLOSE(cost.step.pp_ep_s, 12, 1e-14);
    CHECK_CLOSE(cost.step.pp_ep_latency_s, 2, 1e-14);
    CHECK_CLOSE(cost.step_s, 92, 1e-14);
    CHECK_CLOSE(cost.bubble_s / cost.time_s, 30.0 / 92, 1e-14);
    CHECK_CASE("v = 2"); /* bubble 1 / (1 + 2 * 2) = 1/5: 60 * 5/4 + 3 = 78 */
    plan.interleave = 2;
    cost = cost_of(&run, &plan);
    CHECK_CLOSE(cost.step.pp_ep_s, 24, 1e-14);
    CHECK_CLOSE(cost.step.pp_ep_latency_s, 3, 1e-14);
    CHECK_CLOSE(cost.step_s, 78, 1e-14);
    CHECK_CASE("v = 2, PP not overlapped"); /* (60 + 24) * 5/4 + 3 */
    run.overlap.pp = false;
    CHECK_CLOSE(batch_s(&run, &plan), 108, 1e-14);
    CHECK_CASE("v = 2, recomputation"); /* 60 * 4/3 * 5/4 + 3 * 3/2; PP 24 * 3/2 */
    run.overlap.pp = true;
    plan.recompute = true;
    cost = cost_of(&run, &plan);
    CHECK_CLOSE(cost.step_s, 104.5, 1e-14);
    CHECK_CLOSE(cost.step.pp_ep_s, 36, 1e-14);
    CHECK_CASE("v = 2, one microbatch"); /* 16 tokens: 2 * 6 * 4.5 = 54 s; z = 1, bubble 2 / 4 */
    plan.recompute = false;
    plan.microbatches = 1;
    CHECK_CLOSE(batch_s(&run, &plan), 111, 1e-14);
    CHECK_CASE("recomputation leaves DP alone"); /* TP 8 s, 1 s * 3/2; DP 8 s and 1 s as before */
    model = fix_model(8, 16, 1, 1, 8, 4);
    plan = fix_plan();
    fix_parts(&plan, DT_DP, 1, 2);
    fix_parts(&plan, DT_TP_FF, 2, 1);
    plan.microbatches = 2;
    plan.recompute = true;
    cost = cost_of(&run, &plan);
    CHECK_CLOSE(cost.step.tp_s, 12, 1e-14);
    CHECK_CLOSE(cost.step.tp_latency_s, 1.5, 1e-14);
    CHECK_CLOSE(cost.step.dp_s, 8, 1e-14);
    CHECK_CLOSE(cost.step_s, 24 + 1.5 + 8 + 1, 1e-14);
}

/* bubble = (z + PP - 1) / (z + PP - 1 + v m), z = (v - 1) max(0, PP - m); 1 / (1 - bubble). */
static void bubbles(void)
{
    static const struct {
        double pp, v, m, stretch;
    } rows[] = {
        {1, 1, 1, 1},
        {4, 1, 4, 7.0 / 4},       /* bubble 3 / 7 */
        {4, 2, 4, 11.0 / 8},      /* 3 / 11 */
        {4, 2, 2, 9.0 / 4},       /* z = 2: 5 / 9 */
        {8, 4, 1, 8},             /* z = 21: 28 / 32 */
        {8, 1, 1, 8},             /* 7 / 8 */
        {32, 3, 64, 223.0 / 192}, /* 31 / 223 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_CASE("bubble %zu", i);
        CHECK_CLOSE(dt_bubble_stretch(rows[i].pp, rows[i].v, rows[i].m), rows[i].stretch, 1e-15);
    }
}

/* Compute 10 s, TP 4, PP and EP 7, DP 20; latencies 1, 2, 3; stretch 2.
 *   nothing overlapped: (10 + 4 + 7) 2 + 3 = 45, + 20 + 3 = 68
 *   TP:       (10 + 7) 2 + 3 = 37         PP:  (10 + 4) 2 + 3 = 31
 *   TP, PP:   max(10, 11) 2 + 3 = 25      each + 20 + 3, or with DP: max(., 20) + 3
 * Zero bubble has no stretch and no latency but what exceeds max(compute, hidden). */
static void overlaps(void)
{
    static const double interleaved[] = {45, 37, 31, 25}, zero_bubble[] = {21, 17, 14, 11};
    DtStep step = {.compute_s = 10,
                   .tp_s = 4,
                   .dp_s = 20,
                   .pp_ep_s = 7,
                   .tp_latency_s = 1,
                   .dp_latency_s = 3,
                   .pp_ep_latency_s = 2,
                   .stretch = 2};
    for (int i = 0; i < 8; i++) {
        DtOverlap overlap = {i & 1, i & 2, i & 4};
        double pipeline = interleaved[i & 3], zero = zero_bubble[i & 3];
        CHECK_CASE("overlap %d", i);
        step.zero_bubble = false;
        CHECK_CLOSE(dt_step_time_s(&step, overlap, DT_LATENCY_EXPOSED),
                    (overlap.dp ? fmax(pipeline, 20) : pipeline + 20) + 3, 0);
        step.zero_bubble = true;
        step.tp_latency_s = 1;
        CHECK_CLOSE(dt_step_time_s(&step, overlap, DT_LATENCY_EXPOSED),
                    (overlap.dp ? fmax(zero, 20) : zero + 20) + 3, 0);
        step.tp_latency_s = 98; /* with 2 of PP and EP: 100 s, then what is exposed */
        double exposed = 100 + (overlap.tp ? 0 : 4) + (overlap.pp ? 0 : 7);
        CHECK_CLOSE(dt_step_time_s(&step, overlap, DT_LATENCY_EXPOSED),
                    (overlap.dp ? fmax(exposed, 20) : exposed + 20) + 3, 0);
        CHECK_CLOSE(dt_step_time_s(&step, overlap, DT_LATENCY_HIDDEN),
                    (overlap.dp ? fmax(zero, 20) : zero + 20) + 3, 0);
        step.tp_latency_s = 1;
    }
}

/* 4 GPUs at $300. They take 28 * 160 = 4480 s as in one_layer, of which 18 * 160 = 2880 s compute:
 * at 100 W and 10 W idle 4 * (2880 * 100 + 1600 * 10) = 1216000 J; at 100 W all the time
 * 4 * 4480 * 100 = 1792000 J; 1152000 J where idling is free. */
static void price_and_energy(void)
{
    static const double idle_w[] = {DT_ABSENT, 10, 0}, energy_J[] = {1792000, 1216000, 1152000};
    DtGpu gpu = arithmetic_gpu();
    DtNetwork network = slow_network();
    DtModel model = fix_model(8, 16, 1, 1, 8, 4);
    DtRun run = fix_run(&gpu, &network, &model);
    DtPlan plan = fix_plan();
    fix_parts(&plan, DT_DP, 1, 2);
    fix_parts(&plan, DT_TP_FF, 2, 1);
    plan.microbatches = 2;
    CHECK_CASE("price and power not known");
    CHECK_CLOSE(cost_of(&run, &plan).cost_usd, DT_ABSENT, 0);
    CHECK_CLOSE(cost_of(&run, &plan).energy_J, DT_ABSENT, 0);
    gpu.price_usd = 300;
    gpu.power_w = 100;
    CHECK_CLOSE(cost_of(&run, &plan).cost_usd, 1200, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_CASE("idle at %g W", idle_w[i]);
        gpu.idle_power_w = idle_w[i];
        CHECK_CLOSE(cost_of(&run, &plan).energy_J, energy_J[i], 1e-14);
        CHECK_CLOSE(dt_cost_energy_J(&gpu, 4, 4480, 2880), energy_J[i], 1e-15);
    }
}

int main(void)
{
    reference_figures();
    one_layer();
    zero_bubble_latency();
    one_layer_with_experts();
    stages_and_experts();
    bubbles();
    overlaps();
    price_and_energy();
    return check_finish("cost");
}
