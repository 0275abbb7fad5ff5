/* What must not change the answer of a search: pruning, threads, memory used before; and no legal
 * plan may beat the winner. Real hardware, one to four network levels. */
#include "check.h"
#include "search_case.h"

static const DtSpace spaces[] = {DT_SPACE_PAPER, DT_SPACE_WIDE, DT_SPACE_EXHAUSTIVE};

static bool same_plan(const DtPlan *a, const DtPlan *b)
{
    return same_variant(a, b) && memcmp(a->part, b->part, sizeof a->part) == 0;
}

static void real_network(FixRandom *random, DtNetwork *network)
{
    switch (fix_below(random, 4)) {
    case 0:
        memset(network, 0, sizeof *network);
        fix_level(network, 0, 900e9, 1.125e-6);
        break;
    case 1:
        *network = fix_h100_network();
        break;
    case 2:
        *network = fix_superpod();
        network->level[1].size = 4;
        break;
    default:
        *network = fix_four_levels();
        network->level[1].size = network->level[2].size = 2;
        break;
    }
    for (int i = 0; i < network->num_levels; i++)
        network->level[i].latency_s *= fix_once_in(random, 2) ? 1 : fix_between(random, 1, 1000);
}

/* Models of 10^5 to 10^9 parameters on H100s or GTX 580s that make communication matter. */
static void real_case(FixRandom *random, Case *c)
{
    static const uint64_t widths[] = {64, 96, 160, 192, 256, 384, 512}, layers[] = {1, 4, 6, 12};
    static const uint64_t sparsity[] = {1, 1, 2, 4, 6}, batch[] = {8, 12, 24, 48};
    uint64_t d_model = FIX_ONE_OF(random, widths);
    c->gpu = fix_once_in(random, 2) ? fix_h100() : fix_gtx580();
    c->gpu.power_w = 700;
    c->gpu.idle_power_w = fix_once_in(random, 2) ? 100 : DT_ABSENT;
    c->gpu.matmul_latency_s *= fix_between(random, 1e-3, 1);
    real_network(random, &c->network);
    c->model = fix_model(d_model, 4 * d_model, FIX_ONE_OF(random, layers),
                         FIX_ONE_OF(random, sparsity), 16, FIX_ONE_OF(random, batch));
    c->run = fix_run(&c->gpu, &c->network, &c->model);
    c->run.overlap.dp = fix_once_in(random, 2);
    c->run.overlap.tp = !fix_once_in(random, 3);
    if (fix_once_in(random, 2))
        c->run.zero_bubble_latency = DT_LATENCY_EXPOSED;
    c->options = dt_search_options();
    c->options.space = FIX_ONE_OF(random, spaces);
    c->options.objective = (DtObjective)fix_below(random, 4);
    c->options.recompute = fix_once_in(random, 4);
    if (fix_once_in(random, 2))
        c->options.gpus.min = c->options.gpus.max = c->model.sparsity << (2 + fix_below(random, 6));
    else
        c->options.gpus.max = 256;
    if (fix_once_in(random, 3))
        c->options.deadline_s = fix_between(random, 1, 1e6);
}

static DtStatus search(const Case *c, DtFound *found)
{
    DtWork work;
    dt_work_prepare(&work, &c->run);
    return dt_search(&work, &c->options, found, NULL);
}

/* The same status and plans, to the last bit of their cost. */
static void check_same(const Case *c, DtStatus status, const DtFound *found, DtStatus other_status,
                       const DtFound *other)
{
    CHECK_INT(other_status, status);
    CHECK_INT(other->count, found->count);
    for (int i = 0; i < found->count && i < other->count; i++) {
        DtCandidate a = candidate_of(c, &found->plan[i]), b = candidate_of(c, &other->plan[i]);
        CHECK(a.objective == b.objective && a.step_s == b.step_s);
        CHECK(a.comm_s == b.comm_s && a.latency_s == b.latency_s);
        CHECK(same_plan(&found->plan[i], &other->plan[i]));
    }
}

static void pruning_changes_nothing(int rounds)
{
    int feasible = 0;
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)i + 50000);
        static Case c;
        DtFound pruned, full;
        real_case(&random, &c);
        CHECK_CASE("pruning, round %d", i);
        c.options.prune = true;
        DtStatus status = search(&c, &pruned);
        c.options.prune = false;
        DtStatus full_status = search(&c, &full);
        check_same(&c, full_status, &full, status, &pruned);
        feasible += status == DT_OK;
        dt_found_free(&pruned);
        dt_found_free(&full);
    }
    CHECK_CASE("pruning");
    CHECK(feasible > rounds / 3);
}

/* One, two and three threads; with one plan, several, or the frontier asked for. */
static void threads_change_nothing(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)i + 60000);
        static Case c;
        DtFound alone;
        real_case(&random, &c);
        if (fix_once_in(&random, 4))
            c.options.partial_levels = true;
        if (c.options.gpus.min == c.options.gpus.max && fix_once_in(&random, 2))
            c.options.num_best = 5;
        c.options.frontier = c.options.space != DT_SPACE_PAPER && fix_once_in(&random, 4);
        DtStatus status = search(&c, &alone);
        for (int threads = 2; threads <= 3; threads++) {
            DtFound several;
            CHECK_CASE("round %d, %d threads", i, threads);
            c.options.num_threads = threads;
            DtStatus several_status = search(&c, &several);
            check_same(&c, status, &alone, several_status, &several);
            dt_found_free(&several);
        }
        dt_found_free(&alone);
    }
}

/* Searches in memory that others have used before. */
static void used_memory_changes_nothing(int rounds)
{
    DtSearchMemory *memory = dt_search_memory_new();
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)i + 70000);
        static Case c;
        DtFound fresh, used;
        DtWork work;
        real_case(&random, &c);
        CHECK_CASE("used memory, round %d", i);
        dt_work_prepare(&work, &c.run);
        DtStatus status = search(&c, &fresh);
        DtStatus used_status = dt_search_in(memory, &work, &c.options, &used, NULL);
        check_same(&c, status, &fresh, used_status, &used);
        dt_found_free(&fresh);
        dt_found_free(&used);
    }
    dt_search_memory_free(memory);
}

/* ---- legal plans ---- */

static uint64_t random_divisor(FixRandom *random, uint64_t n)
{
    uint64_t divisor = 1 + fix_below(random, n < 64 ? n : 64);
    while (n % divisor != 0)
        divisor--;
    return divisor;
}

/* A plan that dt_plan_check lets pass; laid out in the best way, if there is one. */
static bool random_plan(FixRandom *random, const Case *c, const DtWork *work, DtPlan *plan)
{
    const DtModel *m = &c->model;
    uint64_t tokens = m->batch * m->seq_len / m->sparsity;
    *plan = fix_plan();
    plan->degree[DT_TP_MODEL] = random_divisor(random, m->d_model);
    plan->degree[DT_TP_FF] = random_divisor(random, m->d_ff);
    plan->degree[DT_PP] = random_divisor(random, m->layers);
    plan->degree[DT_EP] = random_divisor(random, m->sparsity);
    plan->degree[DT_DP] = random_divisor(random, tokens);
    plan->microbatches = random_divisor(random, tokens / plan->degree[DT_DP]);
    plan->zero_bubble = fix_once_in(random, 2);
    plan->recompute = c->options.recompute && fix_once_in(random, 2);
    if (plan->degree[DT_PP] > 1 && !plan->zero_bubble)
        plan->interleave = random_divisor(random, m->layers / plan->degree[DT_PP]);
    return dt_plan_check(plan, m, NULL) == DT_OK && dt_search_layout(work, plan, NULL) == DT_OK;
}

/* No random legal plan comes before the winner of the space of all plans. */
static void no_plan_beats_the_winner(int rounds)
{
    int tried = 0;
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)i + 80000);
        static Case c;
        DtWork work;
        DtFound found;
        real_case(&random, &c);
        if (c.model.batch * c.model.seq_len % c.model.sparsity != 0)
            continue;
        c.options.space = DT_SPACE_EXHAUSTIVE;
        c.options.gpus.min = 1;
        c.options.gpus.max = 1 << 20;
        CHECK_CASE("random plans, round %d", i);
        dt_work_prepare(&work, &c.run);
        if (search(&c, &found) == DT_OK) {
            DtCandidate winner = candidate_of(&c, &found.plan[0]);
            for (int j = 0; j < 100; j++) {
                DtPlan plan;
                DtCost cost;
                if (!random_plan(&random, &c, &work, &plan))
                    continue;
                dt_cost_evaluate(&work, &plan, &cost);
                if (!cost.fits || cost.time_s >= c.options.deadline_s ||
                    cost.num_gpus > c.options.gpus.max)
                    continue;
                DtCandidate other = candidate_of(&c, &plan);
                CHECK(dt_candidate_compare(&winner, &other) <= 0);
                tried++;
            }
        }
        dt_found_free(&found);
    }
    CHECK_CASE("random plans");
    CHECK(tried > 10 * rounds);
}

/* dt_search_layout lays out as well as any layout on the list of all. */
static void layouts_are_the_best(int rounds)
{
    int laid_out = 0, refused = 0;
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)i + 90000);
        Case *c = random_case(&random);
        DtWork work;
        DtPlan plan;
        bool listed = false;
        if (c->model.batch * c->model.seq_len % c->model.sparsity != 0)
            continue;
        dt_work_prepare(&work, &c->run);
        bool has_layout = random_plan(&random, c, &work, &plan);
        if (dt_plan_check(&plan, &c->model, NULL) != DT_OK)
            continue;
        c->options.space = DT_SPACE_EXHAUSTIVE;
        c->options.zero_bubble = c->options.interleaved = c->options.recompute = true;
        c->gpu.memory_bytes = 1e12; /* a layout is asked for, whether or not it fits */
        c->options.gpus.min = c->options.gpus.max = dt_plan_num_gpus(&plan);
        for (int kind = 0; kind < DT_NUM_KINDS; kind++)
            c->options.min_degree[kind] = c->options.max_degree[kind] = plan.degree[kind];
        NaivePlans plans = naive_plans(&c->run, &c->options);
        CHECK_CASE("layout, round %d", i);
        for (size_t j = 0; j < plans.count; j++) {
            if (!same_variant(&plans.list[j].plan, &plan))
                continue;
            listed = true;
            if (has_layout)
                CHECK_CLOSE(naive_cost(&c->run, &plan).batch_s, plans.list[j].step_s, CASE_CLOSE);
        }
        CHECK_INT(has_layout, listed);
        if (has_layout)
            CHECK_INT(dt_plan_check_levels(&plan, &c->network, false, NULL), DT_OK);
        laid_out += has_layout;
        refused += !has_layout;
        naive_plans_free(&plans);
    }
    CHECK_CASE("layouts");
    CHECK(laid_out > rounds / 20 && refused > rounds / 40);
}

int main(void)
{
    pruning_changes_nothing(FIX_ROUNDS(80));
    threads_change_nothing(FIX_ROUNDS(30));
    used_memory_changes_nothing(FIX_ROUNDS(60));
    no_plan_beats_the_winner(FIX_ROUNDS(60));
    layouts_are_the_best(FIX_ROUNDS(300));
    return check_finish("search_same");
}
