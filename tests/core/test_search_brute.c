/* The winner of a search against a list of all plans (naive_search.h), on small random models, GPUs
 * and networks of one to three levels. */
#include "check.h"
#include "search_case.h"

/* No listed plan comes before the winner, to the last bit. */
static void check_first(const Case *c, const NaivePlans *plans, const DtPlan *winner)
{
    DtCandidate best = candidate_of(c, winner);
    memset(best.plan.part, 0, sizeof best.plan.part); /* of equal layouts either is right */
    for (size_t i = 0; i < plans->count; i++) {
        if (plans->list[i].objective > best.objective * (1 + CASE_CLOSE))
            continue;
        DtCandidate other = candidate_of(c, &plans->list[i].plan);
        memset(other.plan.part, 0, sizeof other.plan.part);
        if (!CHECK(dt_candidate_compare(&best, &other) <= 0))
            return;
    }
}

/* The winner is on the list, and first there. */
static void check_winner(const Case *c, const NaivePlans *plans, const DtFound *found)
{
    double least = INFINITY;
    for (size_t i = 0; i < plans->count; i++)
        least = fmin(least, plans->list[i].objective);
    CHECK_INT(found->count, 1);
    CHECK(found->stats.proved);
    if (found->count == 0)
        return;
    CHECK_CLOSE(candidate_of(c, &found->plan[0]).objective, least, CASE_CLOSE);
    check_member(c, plans, &found->plan[0]);
    check_first(c, plans, &found->plan[0]);
}

/* Whether degrees that are legal may have no layout: then the reason given may be that one. */
static bool may_lack_layout(const Case *c)
{
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        if (c->options.highest_level[kind] < c->network.num_levels - 1)
            return true;
    return c->options.partial_levels;
}

/* Why the list is empty. */
static const char *reason(const NaivePlans *plans)
{
    return !plans->any_legal ? dt_no_plan : !plans->any_in_memory ? dt_no_memory : dt_too_slow;
}

/* Searches, and compares the best plan with the list. Returns whether there is one. */
static bool check_search(const Case *c)
{
    NaivePlans plans = naive_plans(&c->run, &c->options);
    uint64_t N = c->options.gpus.min;
    DtWork work;
    DtFound found;
    DtError error = {.rule = NULL};
    bool any = plans.count > 0;
    dt_work_prepare(&work, &c->run);
    DtStatus status = dt_search(&work, &c->options, &found, &error);
    if (N == c->options.gpus.max && !c->options.partial_levels && !naive_fills(&c->network, N)) {
        CHECK_INT(status, DT_ILLEGAL);
    } else if (CHECK_INT(status == DT_OK, any) && any) {
        check_winner(c, &plans, &found);
    } else if (!any) {
        CHECK_INT(status, DT_INFEASIBLE);
        if (!may_lack_layout(c))
            CHECK_STR(error.rule, reason(&plans));
    }
    dt_found_free(&found);
    naive_plans_free(&plans);
    return any;
}

/* What is asked, besides the plan. */
enum { FIXED = 1, CONSTRAINED = 2, PARTIAL = 4, DEADLINE = 8 };

/* Around the time of the run at the peak on one GPU over some of its clusters. */
static double random_deadline(FixRandom *random, const Case *c)
{
    double flop = 6 * naive_params(&c->model) / (double)c->model.sparsity *
                  (c->model.tokens > 0 ? c->model.tokens : 20 * naive_params(&c->model));
    return flop / naive_peak(&c->gpu) * fix_between(random, 0.01, 1000);
}

static void random_searches(DtSpace space, int asked, int rounds)
{
    int feasible = 0;
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)(asked * 100000 + (int)space * 10000 + i));
        Case *c = random_case(&random);
        c->options.space = space;
        if (asked & FIXED)
            random_fixed(&random, c);
        else if (fix_once_in(&random, 2))
            c->options.gpus.max = 1 + fix_below(&random, 300);
        if (asked & CONSTRAINED)
            random_constraints(&random, c);
        if (asked & DEADLINE)
            c->options.deadline_s = random_deadline(&random, c);
        c->options.partial_levels = asked & PARTIAL;
        CHECK_CASE("space %d, asked %d, round %d", (int)space, asked, i);
        feasible += check_search(c);
    }
    CHECK_CASE("space %d, asked %d", (int)space, asked);
    CHECK(feasible > rounds / 10);
}

/* The paper's cluster: the first N = E * 2^i of at least C / (T * F) on which some plan takes less
 * than T; then its best plan. */
static void check_doubling(Case *c, double deadline_s)
{
    double E = (double)c->model.sparsity, N_p = naive_params(&c->model);
    double D = c->model.tokens > 0 ? c->model.tokens : 20 * N_p;
    double least = 6 * (N_p / E) * D / (deadline_s * naive_peak(&c->gpu) * c->gpu.utilization_frac);
    DtWork work;
    DtFound found;
    NaivePlans plans = {NULL, 0, 0, false, false};
    dt_work_prepare(&work, &c->run);
    c->options.deadline_s = deadline_s;
    DtStatus status = dt_search(&work, &c->options, &found, NULL);
    for (int i = 0; i < 20 && plans.count == 0; i++) { /* these models have no more GPUs */
        uint64_t N = c->model.sparsity << i;
        if ((double)N < least || !naive_fills(&c->network, N))
            continue;
        c->options.gpus.min = c->options.gpus.max = N;
        plans = naive_plans(&c->run, &c->options);
    }
    if (CHECK_INT(status == DT_OK, plans.count > 0) && status == DT_OK) {
        CHECK(dt_plan_num_gpus(&found.plan[0]) == c->options.gpus.min);
        check_winner(c, &plans, &found);
    }
    dt_found_free(&found);
    naive_plans_free(&plans);
}

static void doublings(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)i + 7000);
        Case *c = random_case(&random);
        c->options.space = DT_SPACE_PAPER;
        CHECK_CASE("doubling, round %d", i);
        check_doubling(c, random_deadline(&random, c));
    }
}

int main(void)
{
    static const int asked[] = {0,
                                FIXED,
                                CONSTRAINED,
                                FIXED | CONSTRAINED,
                                PARTIAL,
                                FIXED | PARTIAL,
                                DEADLINE,
                                FIXED | DEADLINE,
                                CONSTRAINED | PARTIAL | DEADLINE};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        random_searches(DT_SPACE_WIDE, asked[i], FIX_ROUNDS(150));
        random_searches(DT_SPACE_EXHAUSTIVE, asked[i], FIX_ROUNDS(150));
        if (asked[i] & FIXED)
            random_searches(DT_SPACE_PAPER, asked[i] & ~PARTIAL, FIX_ROUNDS(150));
    }
    doublings(FIX_ROUNDS(200));
    return check_finish("search_brute");
}
