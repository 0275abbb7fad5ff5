/* The best plans met so far: order, capacity, deadline, frontier, bounds. */
#include <stdlib.h>

#include "check.h"
#include "core/pool.h"
#include "fixtures.h"

/* Pools for the H100 and a small model; steps is 1, so that a batch takes as long as the run. */
typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtModel model;
    DtRun run;
    DtWork work;
    DtSearchOptions options;
    DtShared shared;
} Setup;

static void set_up(Setup *setup)
{
    memset(setup, 0, sizeof *setup);
    setup->gpu = fix_h100();
    setup->network = fix_h100_network();
    setup->model = fix_model(64, 64, 1, 1, 10, 10);
    setup->model.tokens = 100;
    setup->run = fix_run(&setup->gpu, &setup->network, &setup->model);
    dt_work_prepare(&setup->work, &setup->run);
    setup->options = dt_search_options();
    atomic_init(&setup->shared.bound, INFINITY);
    atomic_init(&setup->shared.next_task, 0);
    atomic_init(&setup->shared.status, DT_OK);
    atomic_init(&setup->shared.out_of_budget, false);
}

/* A candidate that differs from others in the number of its microbatches. */
static DtCandidate candidate(double objective, double step_s, double num_gpus, uint64_t mark)
{
    DtCandidate c = {.objective = objective, .step_s = step_s, .num_gpus = num_gpus};
    c.plan = fix_plan();
    c.plan.microbatches = mark;
    return c;
}

static bool comes_first(const DtCandidate *a, const DtCandidate *b)
{
    return dt_candidate_compare(a, b) < 0 && dt_candidate_compare(b, a) > 0;
}

/* Each pair differs in one thing, the first thing in which candidates are compared that differs. */
static void order(void)
{
    DtCandidate base = candidate(5, 5, 5, 5), a, b;
    base.comm_s = base.latency_s = 5;
    CHECK_CASE("order");
    CHECK_INT(dt_candidate_compare(&base, &base), 0);
    a = b = base;
    a.objective = 4;
    a.step_s = a.comm_s = a.latency_s = 6;
    CHECK(comes_first(&a, &b));
    a = b = base;
    a.step_s = 4;
    a.comm_s = a.latency_s = 6;
    CHECK(comes_first(&a, &b));
    a = b = base;
    a.comm_s = 4;
    a.latency_s = 6;
    CHECK(comes_first(&a, &b));
    a = b = base;
    a.latency_s = 4;
    a.plan.degree[DT_DP] = 6;
    CHECK(comes_first(&a, &b));
}

/* Then the order in which the paper's search meets plans: TP, DP, TP's split by TP_f, schedule
 * (zero bubble later), microbatches, and what is left. */
static void order_of_plans(void)
{
    DtCandidate base = candidate(1, 1, 1, 4), a, b;
    CHECK_CASE("order of plans");
    a = b = base;
    a.plan.degree[DT_TP_MODEL] = 3; /* TP 3 before TP 4 */
    b.plan.degree[DT_TP_FF] = 4;
    a.plan.degree[DT_DP] = 9;
    CHECK(comes_first(&a, &b));
    a = b = base; /* equal TP: DP */
    a.plan.degree[DT_TP_FF] = b.plan.degree[DT_TP_MODEL] = 4;
    b.plan.degree[DT_DP] = 2;
    CHECK(comes_first(&a, &b));
    b.plan.degree[DT_DP] = 1; /* equal DP: TP_f 1 before 4 */
    CHECK(comes_first(&b, &a));
    a = b = base;
    b.plan.zero_bubble = true;
    a.plan.microbatches = 9;
    CHECK(comes_first(&a, &b));
    a = b = base;
    b.plan.microbatches = 5;
    CHECK(comes_first(&a, &b));
    a = b = base;
    b.plan.interleave = 2;
    CHECK(comes_first(&a, &b));
    a = b = base;
    b.plan.recompute = true;
    CHECK(comes_first(&a, &b));
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        a = b = base;
        a.plan.part[kind][0] = 2;
        b.plan.part[kind][1] = 2;
        CHECK(dt_candidate_compare(&a, &b) != 0);
        CHECK_INT(dt_candidate_compare(&a, &b), -dt_candidate_compare(&b, &a));
        b = base;
        b.plan.degree[kind] = 2;
        CHECK(comes_first(&base, &b));
    }
}

/* 7 GPUs for 10 s, 4 of them matmuls: utilization by 70 GPU-seconds, time 10, GPUs 7; energy at
 * 300 W and 100 W idle 7 * (4 * 300 + 6 * 100) = 12600 J, and 21000 J at 300 W all the time. */
static void objectives(void)
{
    static const double expected[] = {70, 10, 7, 12600};
    Setup setup;
    DtPool pool;
    set_up(&setup);
    setup.gpu.power_w = 300;
    setup.gpu.idle_power_w = 100;
    for (int i = 0; i < 4; i++) {
        CHECK_CASE("objective %d", i);
        setup.options.objective = (DtObjective)i;
        CHECK(dt_pool_init(&pool, &setup.work, &setup.options, &setup.shared));
        CHECK_CLOSE(dt_pool_objective(&pool, 7, 10, 4), expected[i], 1e-15);
        dt_pool_free(&pool);
    }
    setup.gpu.idle_power_w = DT_ABSENT;
    CHECK(dt_pool_init(&pool, &setup.work, &setup.options, &setup.shared));
    CHECK_CLOSE(dt_pool_objective(&pool, 7, 10, 4), 21000, 1e-15);
    dt_pool_free(&pool);
}

static int compare_candidates(const void *a, const void *b)
{
    return dt_candidate_compare(a, b);
}

/* Of 300 candidates in random order the best k stay, in order; the bound is the worst of them once
 * there are k. Adding by halves to two pools and merging gives the same. */
static void best_k(int k)
{
    enum { COUNT = 300 };
    static DtCandidate all[COUNT];
    FixRandom random = fix_random((uint64_t)k);
    Setup setup;
    DtPool pool, halves[2];
    set_up(&setup);
    setup.options.num_best = k;
    dt_pool_init(&pool, &setup.work, &setup.options, &setup.shared);
    for (int i = 0; i < 2; i++)
        dt_pool_init(&halves[i], &setup.work, &setup.options, &setup.shared);
    for (int i = 0; i < COUNT; i++) {
        all[i] = candidate((double)fix_below(&random, 100), 1, 1, (uint64_t)i + 1);
        CHECK_CASE("best %d, %d added", k, i);
        if (i < k)
            CHECK(isinf(atomic_load(&setup.shared.bound)));
        dt_pool_add(&pool, &all[i]);
    }
    CHECK_CASE("best %d", k);
    qsort(all, COUNT, sizeof all[0], compare_candidates);
    CHECK_INT(pool.count, k);
    for (int i = 0; i < pool.count; i++)
        CHECK_INT(dt_candidate_compare(&pool.best[i], &all[i]), 0);
    CHECK_CLOSE(atomic_load(&setup.shared.bound), all[k - 1].objective, 0);
    for (int i = 0; i < COUNT; i++)
        dt_pool_add(&halves[i % 2], &all[i]);
    dt_pool_merge(&halves[0], &halves[1]);
    CHECK_INT(halves[0].count, k);
    for (int i = 0; i < halves[0].count; i++)
        CHECK_INT(dt_candidate_compare(&halves[0].best[i], &all[i]), 0);
    CHECK(!halves[0].failed);
    for (int i = 0; i < 2; i++)
        dt_pool_free(&halves[i]);
    dt_pool_free(&pool);
}

/* A run of exactly the deadline is too long. Bounds dismiss what cannot make it, and what is more
 * than rounding above the best; never what is equal; nothing at all without pruning. */
static void deadline_and_bounds(void)
{
    DtCandidate late = candidate(1, 100, 1, 1), in_time = candidate(50, 99, 1, 2);
    Setup setup;
    DtPool pool;
    set_up(&setup);
    setup.options.deadline_s = 100;
    setup.options.objective = DT_BY_TIME;
    dt_pool_init(&pool, &setup.work, &setup.options, &setup.shared);
    CHECK_CASE("deadline");
    dt_pool_add(&pool, &late);
    CHECK_INT(pool.count, 0);
    dt_pool_add(&pool, &in_time);
    CHECK_INT(pool.count, 1);
    CHECK(dt_pool_too_slow(&pool, 100.001));
    CHECK(!dt_pool_too_slow(&pool, 100)); /* a bound may be above the true time by rounding */
    CHECK(!dt_pool_too_slow(&pool, 99.9));
    CHECK_CASE("bounds");
    CHECK(dt_pool_rejects(&pool, 1, 50.001, 0));
    CHECK(!dt_pool_rejects(&pool, 1, 50, 0));
    CHECK(!dt_pool_rejects(&pool, 1, 49, 0));
    CHECK_CASE("no pruning");
    pool.prune = false;
    CHECK(!dt_pool_rejects(&pool, 1, 1000, 0));
    CHECK(!dt_pool_too_slow(&pool, 1000));
    dt_pool_free(&pool);
}

/* Whether no other candidate has as few GPUs and is as fast, and one of the two less. */
static bool on_frontier(const DtCandidate all[], int count, int i)
{
    for (int j = 0; j < count; j++)
        if (all[j].num_gpus <= all[i].num_gpus && all[j].step_s <= all[i].step_s &&
            (all[j].num_gpus < all[i].num_gpus || all[j].step_s < all[i].step_s))
            return false;
    return true;
}

/* The frontier of many candidates is what no other one beats, fewest GPUs first, whatever the
 * order in which they come; it grows beyond its first room of 64. */
static void frontier(uint64_t seed, int count, uint64_t num_values)
{
    static DtCandidate all[3000];
    FixRandom random = fix_random(seed);
    Setup setup;
    DtPool pool;
    int expected = 0;
    set_up(&setup);
    setup.options.frontier = true;
    dt_pool_init(&pool, &setup.work, &setup.options, &setup.shared);
    CHECK_CASE("frontier of %d, seed %d", count, (int)seed);
    for (int i = 0; i < count; i++) {
        double gpus = 1 + (double)fix_below(&random, num_values);
        double step_s = 1000 / gpus + (double)fix_below(&random, 4);
        all[i] = candidate(gpus * step_s, step_s, gpus, (uint64_t)i + 1);
        dt_pool_add(&pool, &all[i]);
    }
    for (int i = 0; i < count; i++) {
        bool first = on_frontier(all, count, i), found = false;
        for (int j = 0; j < i && first; j++) /* of equal ones the first in order */
            first = all[j].num_gpus != all[i].num_gpus || all[j].step_s != all[i].step_s;
        expected += first;
        for (int j = 0; j < pool.count; j++)
            found |= pool.best[j].plan.microbatches == all[i].plan.microbatches;
        CHECK_INT(found, first);
    }
    CHECK_INT(pool.count, expected);
    for (int i = 1; i < pool.count; i++)
        CHECK(pool.best[i - 1].num_gpus < pool.best[i].num_gpus &&
              pool.best[i - 1].step_s > pool.best[i].step_s);
    CHECK(!pool.failed);
    dt_pool_free(&pool);
}

/* On the frontier (2 GPUs, 10 s), (4 GPUs, 6 s): slower than what fewer or as many GPUs do is
 * dismissed, equal or faster is not. */
static void frontier_rejects(void)
{
    DtCandidate two = candidate(20, 10, 2, 1), four = candidate(24, 6, 4, 2);
    Setup setup;
    DtPool pool;
    set_up(&setup);
    setup.options.frontier = true;
    dt_pool_init(&pool, &setup.work, &setup.options, &setup.shared);
    CHECK_CASE("frontier rejects");
    CHECK(!dt_pool_rejects(&pool, 2, 1e9, 0));
    dt_pool_add(&pool, &four);
    dt_pool_add(&pool, &two);
    CHECK(!dt_pool_rejects(&pool, 1, 1e9, 0));
    CHECK(!dt_pool_rejects(&pool, 2, 10, 0));
    CHECK(dt_pool_rejects(&pool, 2, 10.001, 0));
    CHECK(dt_pool_rejects(&pool, 3, 10.001, 0));
    CHECK(!dt_pool_rejects(&pool, 3, 9, 0));
    CHECK(dt_pool_rejects(&pool, 4, 6.001, 0));
    CHECK(dt_pool_rejects(&pool, 1000, 6.001, 0));
    CHECK(!dt_pool_rejects(&pool, 1000, 5, 0));
    dt_pool_free(&pool);
}

int main(void)
{
    order();
    order_of_plans();
    objectives();
    best_k(1);
    best_k(2);
    best_k(7);
    best_k(100);
    deadline_and_bounds();
    frontier(1, 50, 5);
    frontier(2, 500, 40);
    frontier(3, 3000, 2000);
    frontier_rejects();
    return check_finish("pool");
}
