/* Searches at the edges: why there is no plan, large primes, one layer, more experts than GPUs,
 * clusters up to 2^62 GPUs, deadlines to the last bit. */
#include "check.h"
#include "core/search.h"
#include "fixtures.h"
#include "naive_cost.h"

static const DtSpace spaces[] = {DT_SPACE_PAPER, DT_SPACE_WIDE, DT_SPACE_EXHAUSTIVE};
static const char *const space_names[] = {"paper", "wide", "exhaustive"};

typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtModel model;
    DtRun run;
    DtWork work;
    DtSearchOptions options;
} Setup;

/* H100s, nodes of 8; a model of 201 million parameters. */
static void set_up(Setup *setup, DtSpace space)
{
    memset(setup, 0, sizeof *setup);
    setup->gpu = fix_h100();
    setup->network = fix_h100_network();
    setup->model = fix_model(1024, 4096, 24, 1, 2048, 256);
    setup->run = fix_run(&setup->gpu, &setup->network, &setup->model);
    setup->options = dt_search_options();
    setup->options.space = space;
}

static DtStatus search(Setup *setup, DtFound *found, DtError *error)
{
    memset(error, 0, sizeof *error);
    dt_work_prepare(&setup->work, &setup->run);
    return dt_search(&setup->work, &setup->options, found, error);
}

/* A search fails with a status, a rule, and a field with a value. */
static void check_fails(Setup *setup, DtStatus status, const char *field, double value,
                        const char *rule)
{
    DtFound found;
    DtError error;
    CHECK_INT(search(setup, &found, &error), status);
    CHECK_INT(found.count, 0);
    CHECK_STR(error.field, field);
    CHECK_CLOSE(error.value, value, 0);
    if (rule)
        CHECK_STR(error.rule, rule);
    dt_found_free(&found);
}

static void reasons(DtSpace space)
{
    Setup setup;
    const char *name = space_names[space];
    CHECK_CASE("%s: 7 GPUs", name); /* 7 divides none of the model's numbers */
    set_up(&setup, space);
    setup.options.gpus.min = setup.options.gpus.max = 7;
    check_fails(&setup, DT_INFEASIBLE, "n_gpus", 7, dt_no_plan);
    CHECK_CASE("%s: 12 GPUs", name); /* they do not fill the nodes of 8 */
    setup.options.gpus.min = setup.options.gpus.max = 12;
    check_fails(&setup, DT_ILLEGAL, "n_gpus", 12, NULL);
    CHECK_CASE("%s: no memory on 16 GPUs", name);
    /* 2.01e8 parameters of 2 bytes, 4 for the optimizer: at least 5 * 4.03e8 / 16 = 1.26e8 B */
    set_up(&setup, space);
    setup.options.gpus.min = setup.options.gpus.max = 16;
    setup.gpu.memory_bytes = 1e8;
    check_fails(&setup, DT_INFEASIBLE, "n_gpus", 16, dt_no_memory);
    CHECK_CASE("%s: no memory on any number of GPUs", name);
    /* N >= DP, and each has DP / N of the weights: N / DP is at most 1024 * 4096 * 24 */
    set_up(&setup, space);
    setup.gpu.memory_bytes = 1;
    check_fails(&setup, DT_INFEASIBLE, "model", 0, dt_no_memory);
    CHECK_CASE("%s: too slow on 16 GPUs", name);
    set_up(&setup, space);
    setup.options.gpus.min = setup.options.gpus.max = 16;
    setup.options.deadline_s = 60;
    check_fails(&setup, DT_INFEASIBLE, "n_gpus", 16, dt_too_slow);
    for (double deadline_s = 1; deadline_s > 1e-10; deadline_s /= 1000) {
        CHECK_CASE("%s: %g s on any number of GPUs", name, deadline_s);
        set_up(&setup, space);
        setup.options.deadline_s = deadline_s;
        check_fails(&setup, DT_INFEASIBLE, "model", 0, dt_too_slow);
    }
    CHECK_CASE("%s: too slow and not enough memory", name);
    setup.gpu.memory_bytes = 1;
    check_fails(&setup, DT_INFEASIBLE, "model", 0, dt_no_memory);
}

/* 8 GPUs as 8 stages need 8 microbatches, or 16 without bubbles; the batch has 2 tokens. The widths
 * are prime, so nothing else splits. */
static void too_few_tokens(void)
{
    Setup setup;
    CHECK_CASE("too few tokens");
    set_up(&setup, DT_SPACE_WIDE);
    setup.model = fix_model(1009, 1013, 8, 1, 1, 2);
    setup.options.gpus.min = setup.options.gpus.max = 8;
    check_fails(&setup, DT_INFEASIBLE, "n_gpus", 8, dt_no_plan);
}

static void contradictions(void)
{
    Setup setup;
    CHECK_CASE("no schedule");
    set_up(&setup, DT_SPACE_WIDE);
    setup.options.interleaved = setup.options.zero_bubble = false;
    check_fails(&setup, DT_ILLEGAL, "schedules", 0, NULL);
    CHECK_CASE("energy without power");
    set_up(&setup, DT_SPACE_WIDE);
    setup.options.objective = DT_BY_ENERGY;
    check_fails(&setup, DT_ILLEGAL, "objective", 0, NULL);
}

/* The cost of the first plan found, which must be legal and fill the levels; false if none. */
static bool found_cost(Setup *setup, DtPlan *plan, DtCost *cost)
{
    DtFound found;
    DtError error;
    bool ok = CHECK_INT(search(setup, &found, &error), DT_OK) && CHECK_INT(found.count, 1);
    if (ok) {
        *plan = found.plan[0];
        dt_cost_evaluate(&setup->work, plan, cost);
        CHECK_INT(dt_plan_check(plan, &setup->model, NULL), DT_OK);
        CHECK_INT(dt_plan_check_levels(plan, &setup->network, false, NULL), DT_OK);
        CHECK(cost->fits);
        CHECK_CLOSE(cost->time_s, naive_cost(&setup->run, plan).time_s, 1e-11);
    }
    dt_found_free(&found);
    return ok;
}

/* A run takes less than the deadline: one of exactly the best time is not met by that plan. */
static void deadline_to_the_last_bit(void)
{
    Setup setup;
    DtPlan plan;
    DtCost best, other;
    DtFound found;
    DtError error;
    CHECK_CASE("deadline to the last bit");
    set_up(&setup, DT_SPACE_EXHAUSTIVE);
    setup.options.gpus.min = setup.options.gpus.max = 64;
    if (!found_cost(&setup, &plan, &best))
        return;
    setup.options.deadline_s = best.time_s;
    CHECK_INT(search(&setup, &found, &error), DT_INFEASIBLE);
    CHECK_STR(error.rule, dt_too_slow);
    dt_found_free(&found);
    setup.options.deadline_s = nextafter(best.time_s, INFINITY);
    if (found_cost(&setup, &plan, &other))
        CHECK(other.time_s == best.time_s);
}

/* d_model = 1000003, d_ff = 999983, layers = 104729 and a batch of 2147483647 sequences are prime;
 * sequences have 2 tokens. Each degree is 1 or all: a cluster of one GPU has no other choice, one
 * of 1000003 splits d_model. */
static void large_primes(void)
{
    Setup setup;
    DtPlan plan;
    DtCost cost;
    for (int i = 1; i < 3; i++) {
        set_up(&setup, spaces[i]);
        setup.network.num_levels = 1;
        setup.network.level[0].size = 0;
        setup.model = fix_model(1000003, 999983, 104729, 1, 2, 2147483647);
        setup.gpu.memory_bytes = 1e20;
        CHECK_CASE("%s, large primes, one GPU", space_names[i]);
        setup.options.gpus.min = setup.options.gpus.max = 1;
        if (found_cost(&setup, &plan, &cost))
            CHECK_INT(dt_plan_num_gpus(&plan), 1);
        CHECK_CASE("%s, large primes, 1000003 GPUs", space_names[i]);
        setup.options.gpus.min = setup.options.gpus.max = 1000003;
        if (found_cost(&setup, &plan, &cost))
            CHECK_INT(plan.degree[DT_TP_MODEL], 1000003);
        CHECK_CASE("%s, large primes, any number of GPUs", space_names[i]);
        setup.options.gpus.min = 1;
        setup.options.gpus.max = (uint64_t)1 << 62;
        setup.options.objective = DT_BY_TIME;
        if (found_cost(&setup, &plan, &cost))
            CHECK(cost.num_gpus > 1000003);
        CHECK_CASE("%s, large primes, a prime that is none of them", space_names[i]);
        setup.options.gpus.min = setup.options.gpus.max = 1000033;
        check_fails(&setup, DT_INFEASIBLE, "n_gpus", 1000033, dt_no_plan);
    }
}

/* One layer has one stage; its 6 experts and 48 GPUs (6 nodes): EP = gcd(48, 6) = 6. */
static void one_layer(void)
{
    Setup setup;
    DtPlan plan;
    DtCost cost;
    for (int i = 0; i < 3; i++) {
        CHECK_CASE("%s, one layer", space_names[i]);
        set_up(&setup, spaces[i]);
        setup.model = fix_model(4096, 16384, 1, 6, 2048, 96);
        setup.options.gpus.min = setup.options.gpus.max = 48;
        if (!found_cost(&setup, &plan, &cost))
            continue;
        CHECK_INT(plan.degree[DT_PP], 1);
        CHECK_INT(plan.interleave, 1);
        CHECK_CLOSE(cost.pp_ep_s, 0, 0);
        if (spaces[i] != DT_SPACE_EXHAUSTIVE)
            CHECK_INT(plan.degree[DT_EP], 6);
    }
}

/* 96 experts on 8 GPUs: EP = gcd(8, 96) = 8, 12 experts a GPU; on 4 GPUs 4, half a node. */
static void more_experts_than_gpus(void)
{
    Setup setup;
    DtPlan plan;
    DtCost cost;
    for (int i = 0; i < 2; i++)
        for (uint64_t num_gpus = 8; num_gpus >= 4; num_gpus /= 2) {
            CHECK_CASE("%s, 96 experts on %d GPUs", space_names[i], (int)num_gpus);
            set_up(&setup, spaces[i]);
            setup.model = fix_model(256, 1024, 4, 96, 128, 96);
            setup.options.gpus.min = setup.options.gpus.max = num_gpus;
            if (!found_cost(&setup, &plan, &cost))
                continue;
            CHECK_INT(plan.degree[DT_EP], num_gpus);
            CHECK_INT(plan.part[DT_EP][0], num_gpus);
        }
}

/* 2^62 GPUs of a model that could use 2^(20 + 22 + 10 + 31) of them, and 3^33, the largest power
 * of 3 below 2^53. */
static void enormous_clusters(void)
{
    const uint64_t power_of_three = 5559060566555523u, third = 177147; /* 3^33, 3^11 */
    Setup setup;
    DtPlan plan;
    DtCost cost;
    for (int i = 0; i < 3; i++) {
        set_up(&setup, spaces[i]);
        setup.gpu.memory_bytes = 1e40;
        setup.model = fix_model(1 << 20, 1 << 22, 1 << 10, 1, 1 << 11, 1 << 20);
        setup.options.gpus.min = setup.options.gpus.max = (uint64_t)1 << 62;
        CHECK_CASE("%s, 2^62 GPUs", space_names[i]);
        if (found_cost(&setup, &plan, &cost))
            CHECK_INT(cost.num_gpus, (long long)1 << 62);
        setup.network.num_levels = 1;
        setup.network.level[0].size = 0;
        setup.model = fix_model(third * 3, third * 3, 1, 1, third, 3);
        setup.options.gpus.min = setup.options.gpus.max = power_of_three;
        CHECK_CASE("%s, 3^33 GPUs", space_names[i]);
        if (found_cost(&setup, &plan, &cost))
            CHECK_INT(cost.num_gpus, power_of_three);
    }
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        reasons(spaces[i]);
    too_few_tokens();
    contradictions();
    deadline_to_the_last_bit();
    large_primes();
    one_layer();
    more_experts_than_gpus();
    enormous_clusters();
    return check_finish("search_edges");
}
