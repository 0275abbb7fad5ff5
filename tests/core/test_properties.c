/* What holds for all numbers, on thousands of random cases:
 * - no NaN and no infinity comes out, whatever is put in within the ranges of the fields, and a
 *   bandwidth may be infinite;
 * - better hardware (bandwidth, latency, memory, clock) never slows the best plan on a fixed number
 *   of GPUs in the exhaustive search;
 * - the model has no scale of its own: other units of time or of bytes change nothing else, and
 *   time, money and energy are proportional to tokens, price and power. Factors are powers of two,
 *   so that this holds to the last bit. */
#include "check.h"
#include "fixtures.h"
#include "search_case.h"

/* ---- nothing but finite numbers ---- */

static double extreme(FixRandom *random)
{
    switch (fix_below(random, 4)) {
    case 0:
        return DT_NUMBER_LEAST;
    case 1:
        return DT_NUMBER_MOST;
    default:
        return fix_between(random, DT_NUMBER_LEAST, DT_NUMBER_MOST);
    }
}

static double extreme_bandwidth(FixRandom *random)
{
    return fix_once_in(random, 5) ? INFINITY : extreme(random);
}

static void extreme_gpu(FixRandom *random, DtGpu *gpu)
{
    static const int bits[] = {64, 32, 16, 8, 4};
    *gpu = fix_gpu("extreme", FIX_ONE_OF(random, bits), extreme(random));
    gpu->num_sms = extreme(random);
    gpu->registers_per_block_bytes = extreme(random);
    gpu->l2_bytes = extreme(random);
    gpu->l2_Bps = extreme_bandwidth(random);
    gpu->memory_Bps = extreme_bandwidth(random);
    gpu->memory_bytes = extreme(random);
    gpu->clock_Hz = extreme(random);
    gpu->utilization_frac = fix_once_in(random, 2) ? 1 : fix_between(random, DT_NUMBER_LEAST, 1);
    gpu->distributed_shared_memory = fix_once_in(random, 2);
    gpu->matmul_latency_s = fix_once_in(random, 3) ? 0 : extreme(random);
    gpu->power_w = extreme(random);
    gpu->idle_power_w = fix_once_in(random, 2) ? 0 : DT_NUMBER_LEAST;
    gpu->price_usd = extreme(random);
    if (fix_once_in(random, 3))
        gpu->peak_flop_per_s = extreme(random);
}

static uint64_t extreme_count(FixRandom *random)
{
    switch (fix_below(random, 3)) {
    case 0:
        return (uint64_t)1 << fix_below(random, 63);
    case 1:
        return 1 + fix_below(random, 100);
    default:
        return (uint64_t)fix_between(random, 1, DT_COUNT_MAX);
    }
}

static bool finite_or_absent(double value)
{
    return isfinite(value) && (value >= 0 || value == DT_ABSENT);
}

static void check_matmul(FixRandom *random, const DtGpu *gpu)
{
    bool weight_grad = fix_once_in(random, 2);
    uint64_t d1 = extreme_count(random), d2 = extreme_count(random);
    DtMatmulReport r = dt_matmul_report(gpu, d1, d2, extreme_count(random), weight_grad);
    CHECK(isfinite(r.time_s) && r.time_s > 0);
    CHECK(isfinite(r.efficiency_frac) && r.efficiency_frac >= 0);
    CHECK(isfinite(r.flop) && isfinite(r.useful_flop));
    CHECK(isfinite(r.memory_bytes) && isfinite(r.l2_bytes) && isfinite(r.shared_bytes));
}

static void extreme_network(FixRandom *random, DtNetwork *network)
{
    int levels = 1 + (int)fix_below(random, DT_MAX_LEVELS);
    memset(network, 0, sizeof *network);
    for (int i = 0; i < levels; i++)
        fix_level(network, i < levels - 1 ? 2 + fix_below(random, 20) : 0,
                  extreme_bandwidth(random), fix_once_in(random, 3) ? 0 : extreme(random));
}

/* A plan of degrees spread over the levels, and a model that they divide, as large as can be. */
static void extreme_plan(FixRandom *random, const DtNetwork *network, DtPlan *plan, DtModel *model)
{
    *plan = fix_plan();
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        for (int level = 0; level < network->num_levels; level++) {
            uint64_t part = 1 + fix_below(random, fix_once_in(random, 4) ? 9 : 2);
            plan->part[kind][level] = part;
            plan->degree[kind] *= part;
        }
    }
    plan->microbatches = 1 + fix_below(random, 3 * plan->degree[DT_PP]);
    plan->zero_bubble = plan->microbatches / 2 >= plan->degree[DT_PP] && fix_once_in(random, 2);
    plan->recompute = fix_once_in(random, 3);
    if (plan->degree[DT_PP] > 1 && !plan->zero_bubble)
        plan->interleave = 1 + fix_below(random, 5);
    uint64_t least = plan->degree[DT_DP] * plan->microbatches * plan->degree[DT_EP];
    uint64_t times = (uint64_t)1 << fix_below(random, 12);
    *model = (DtModel){.d_model = plan->degree[DT_TP_MODEL] << fix_below(random, 30),
                       .d_ff = plan->degree[DT_TP_FF] << fix_below(random, 30),
                       .layers = (plan->degree[DT_PP] * plan->interleave) << fix_below(random, 30),
                       .sparsity = plan->degree[DT_EP] * times,
                       .seq_len = 1 + fix_below(random, 8),
                       .batch = least * times,
                       .tokens = fix_once_in(random, 2)
                                     ? DT_ABSENT
                                     : fix_between(random, DT_NUMBER_LEAST, DT_TOKENS_MOST)};
}

static void check_cost(const DtCost *cost)
{
    CHECK(isfinite(cost->time_s) && cost->time_s > 0);
    CHECK(cost->utilization_frac >= 0 && cost->utilization_frac <= 1 + 1e-9);
    CHECK(finite_or_absent(cost->compute_s) && finite_or_absent(cost->tp_s) &&
          finite_or_absent(cost->dp_s) && finite_or_absent(cost->pp_ep_s) &&
          finite_or_absent(cost->bubble_s) && finite_or_absent(cost->latency_s));
    CHECK(isfinite(cost->exposed_compute_s) && isfinite(cost->exposed_tp_s) &&
          isfinite(cost->exposed_dp_s) && isfinite(cost->exposed_pp_ep_s) &&
          isfinite(cost->exposed_bubble_s) && isfinite(cost->exposed_latency_s));
    CHECK(finite_or_absent(cost->cost_usd) && finite_or_absent(cost->energy_J) &&
          finite_or_absent(cost->memory_bytes));
    for (int i = 0; i < DT_MAX_LEVELS; i++)
        CHECK(isfinite(cost->tp_level_s[i]) && isfinite(cost->dp_level_s[i]) &&
              isfinite(cost->pp_ep_level_s[i]));
    for (int i = 0; i < DT_NUM_BOUNDS; i++)
        CHECK(isfinite(cost->bound_s[i]));
}

static void all_finite(void)
{
    FixRandom random = fix_random(71);
    int num_plans = 0;
    for (int round = 0; round < FIX_ROUNDS(20000); round++) {
        DtGpu gpu;
        DtNetwork network;
        DtModel model;
        DtPlan plan;
        CHECK_CASE("extreme numbers, round %d", round);
        extreme_gpu(&random, &gpu);
        CHECK_INT(dt_gpu_check(&gpu, NULL), DT_OK);
        check_matmul(&random, &gpu);
        extreme_network(&random, &network);
        CHECK_INT(dt_network_check(&network, NULL), DT_OK);
        extreme_plan(&random, &network, &plan, &model);
        DtRun run = fix_run(&gpu, &network, &model);
        run.overlap =
            (DtOverlap){fix_once_in(&random, 2), fix_once_in(&random, 2), fix_once_in(&random, 2)};
        run.zero_bubble_latency = (DtZeroBubbleLatency)fix_below(&random, 2);
        if (dt_model_finish(&model, NULL) || dt_plan_check(&plan, &model, NULL))
            continue;
        DtWork work;
        DtCost cost;
        dt_work_prepare(&work, &run);
        dt_cost_evaluate(&work, &plan, &cost);
        check_cost(&cost);
        num_plans++;
    }
    CHECK_CASE("plans that were legal");
    CHECK(num_plans > FIX_ROUNDS(3000));
}

/* ---- better hardware ---- */

static DtStatus best_plan(const Case *c, DtPlan *plan, DtCost *cost)
{
    DtWork work;
    DtFound found;
    dt_work_prepare(&work, &c->run);
    DtStatus status = dt_search(&work, &c->options, &found, NULL);
    if (status == DT_OK) {
        *plan = found.plan[0];
        dt_cost_evaluate(&work, plan, cost);
    }
    dt_found_free(&found);
    return status;
}

enum { NUM_IMPROVEMENTS = 8 };
static const char *const improvements[NUM_IMPROVEMENTS] = {
    "network bandwidth", "network latency", "memory",         "memory bandwidth",
    "L2 bandwidth",      "clock",           "matmul latency", "utilization"};

static void improve(Case *c, int which, uint64_t level, double factor)
{
    DtLevel *improved = &c->network.level[level % (uint64_t)c->network.num_levels];
    double *const better[] = {
        &improved->bandwidth_Bps, NULL, &c->gpu.memory_bytes,    &c->gpu.memory_Bps, &c->gpu.l2_Bps,
        &c->gpu.clock_Hz,         NULL, &c->gpu.utilization_frac};
    if (which == 1)
        improved->latency_s /= factor;
    else if (which == 6)
        c->gpu.matmul_latency_s /= factor;
    else
        *better[which] *= factor;
    c->gpu.utilization_frac = dt_min(1, c->gpu.utilization_frac);
}

static void better_is_no_slower(void)
{
    FixRandom random = fix_random(72);
    int answered = 0, faster = 0;
    for (int round = 0; round < FIX_ROUNDS(6000); round++) {
        Case *c = random_case(&random);
        int which = (int)fix_below(&random, NUM_IMPROVEMENTS);
        DtPlan plan;
        DtCost before, after;
        random_fixed(&random, c);
        c->options.space = DT_SPACE_EXHAUSTIVE;
        c->options.objective = DT_BY_TIME;
        if (fix_once_in(&random, 2))
            c->options.memory_frac = fix_between(&random, 0.01, 1);
        CHECK_CASE("round %d, better %s", round, improvements[which]);
        DtStatus status = best_plan(c, &plan, &before);
        improve(c, which, fix_next(&random), fix_between(&random, 1.01, 100));
        if (status != DT_OK)
            continue;
        if (CHECK_INT(best_plan(c, &plan, &after), DT_OK))
            CHECK(after.time_s <= before.time_s * (1 + 1e-12));
        answered++;
        faster += after.time_s < before.time_s;
    }
    CHECK_CASE("improvements that helped");
    CHECK(answered > FIX_ROUNDS(1000) && faster > FIX_ROUNDS(150));
}

/* ---- no scale of its own ---- */

/* Seconds become `factor` times as long: rates fall, latencies grow, times grow, all else stays. */
static void other_seconds(Case *c, double factor)
{
    for (int i = 0; i < c->network.num_levels; i++) {
        c->network.level[i].bandwidth_Bps /= factor;
        c->network.level[i].latency_s *= factor;
    }
    c->gpu.l2_Bps /= factor;
    c->gpu.memory_Bps /= factor;
    c->gpu.clock_Hz /= factor;
    c->gpu.matmul_latency_s *= factor;
    if (c->gpu.peak_flop_per_s != DT_ABSENT)
        c->gpu.peak_flop_per_s /= factor;
}

/* A number has twice as many bits, and all that holds or moves bytes is twice as large. The shared
 * memories' bandwidth goes with the clock, so the peak is given by itself. */
static void other_bytes(Case *c)
{
    c->gpu.bits *= 2;
    c->gpu.registers_per_block_bytes *= 2;
    c->gpu.l2_bytes *= 2;
    c->gpu.l2_Bps *= 2;
    c->gpu.memory_bytes *= 2;
    c->gpu.memory_Bps *= 2;
    c->gpu.clock_Hz *= 2;
    for (int i = 0; i < c->network.num_levels; i++)
        c->network.level[i].bandwidth_Bps *= 2;
}

/* The same plan, and times that are `factor` of what they were, to the last bit. */
static void check_scaled(const DtPlan *plan, const DtCost *cost, const DtPlan *old_plan,
                         const DtCost *old, double factor)
{
    CHECK(memcmp(plan, old_plan, sizeof *plan) == 0);
    CHECK(cost->time_s == factor * old->time_s && cost->compute_s == factor * old->compute_s &&
          cost->tp_s == factor * old->tp_s && cost->dp_s == factor * old->dp_s &&
          cost->pp_ep_s == factor * old->pp_ep_s && cost->bubble_s == factor * old->bubble_s &&
          cost->latency_s == factor * old->latency_s);
    CHECK(cost->utilization_frac == old->utilization_frac);
}

static void scale_free(void)
{
    FixRandom random = fix_random(73);
    int answered = 0;
    for (int round = 0; round < FIX_ROUNDS(4000); round++) {
        Case *c = random_case(&random), before;
        DtPlan old_plan, plan;
        DtCost old, cost;
        double factor = pow(2, (double)fix_below(&random, 21) - 10);
        random_fixed(&random, c);
        c->options.space = (DtSpace)fix_below(&random, 3);
        c->gpu.price_usd = 300;
        c->gpu.bits = fix_once_in(&random, 2) ? 16 : 32;
        c->gpu.peak_flop_per_s = fix_between(&random, 100, 1e5);
        c->options.objective = DT_BY_TIME;
        before = *c;
        if (best_plan(c, &old_plan, &old) != DT_OK)
            continue;
        answered++;
        CHECK_CASE("round %d: seconds", round);
        other_seconds(c, factor);
        CHECK_INT(best_plan(c, &plan, &cost), DT_OK);
        check_scaled(&plan, &cost, &old_plan, &old, factor);
        CHECK_CASE("round %d: bytes", round);
        c->gpu = before.gpu;
        c->network = before.network;
        other_bytes(c);
        CHECK_INT(best_plan(c, &plan, &cost), DT_OK);
        check_scaled(&plan, &cost, &old_plan, &old, 1);
        CHECK(cost.memory_bytes == 2 * old.memory_bytes);
        CHECK_CASE("round %d: tokens, price and power", round);
        c->gpu = before.gpu;
        c->network = before.network;
        c->model.tokens = factor * dt_model_tokens(&before.model);
        c->gpu.price_usd *= factor;
        c->gpu.power_w *= factor;
        if (c->gpu.idle_power_w != DT_ABSENT)
            c->gpu.idle_power_w *= factor;
        CHECK_INT(best_plan(c, &plan, &cost), DT_OK);
        check_scaled(&plan, &cost, &old_plan, &old, factor);
        CHECK(cost.step_s == old.step_s && cost.cost_usd == factor * old.cost_usd &&
              cost.energy_J == factor * factor * old.energy_J);
    }
    CHECK_CASE("answers");
    CHECK(answered > FIX_ROUNDS(800));
}

int main(void)
{
    all_finite();
    better_is_no_slower();
    scale_free();
    return check_finish("properties");
}
