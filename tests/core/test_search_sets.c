/* Several plans in one answer, the best k and the frontier of GPUs and time, against a list of all
 * plans (naive_search.h). */
#include "check.h"
#include "search_case.h"

static int compare_objectives(const void *left, const void *right)
{
    const NaivePlan *a = left, *b = right;
    return (a->objective > b->objective) - (a->objective < b->objective);
}

/* The best k are k different plans, in order, and none that was left out is better. */
static void check_best(const Case *c)
{
    NaivePlans plans = naive_plans(&c->run, &c->options);
    size_t k = (size_t)c->options.num_best, expected = plans.count < k ? plans.count : k;
    DtWork work;
    DtFound found;
    dt_work_prepare(&work, &c->run);
    DtStatus status = dt_search(&work, &c->options, &found, NULL);
    CHECK_INT(status == DT_OK, plans.count > 0);
    CHECK_INT(found.count, expected);
    if (plans.count > 0)
        qsort(plans.list, plans.count, sizeof *plans.list, compare_objectives);
    for (int i = 0; i < found.count && (size_t)i < expected; i++) {
        DtCandidate at = candidate_of(c, &found.plan[i]);
        CHECK_CLOSE(at.objective, plans.list[i].objective, CASE_CLOSE);
        check_member(c, &plans, &found.plan[i]);
        for (int j = 0; j < i; j++) {
            DtCandidate before = candidate_of(c, &found.plan[j]);
            CHECK(!same_variant(&found.plan[i], &found.plan[j]));
            CHECK(dt_candidate_compare(&before, &at) < 0);
        }
    }
    dt_found_free(&found);
    naive_plans_free(&plans);
}

/* The frontier has ascending GPUs and descending times; no plan beats one on it, and each plan is
 * matched by one on it. */
static void check_frontier(const Case *c)
{
    NaivePlans plans = naive_plans(&c->run, &c->options);
    DtWork work;
    DtFound found;
    dt_work_prepare(&work, &c->run);
    DtStatus status = dt_search(&work, &c->options, &found, NULL);
    CHECK_INT(status == DT_OK, plans.count > 0);
    CHECK_INT(found.count > 0, plans.count > 0);
    for (int i = 0; i < found.count; i++) {
        DtCandidate at = candidate_of(c, &found.plan[i]);
        check_member(c, &plans, &found.plan[i]);
        if (i > 0) {
            DtCandidate before = candidate_of(c, &found.plan[i - 1]);
            CHECK(before.num_gpus < at.num_gpus && before.step_s > at.step_s);
        }
        for (size_t j = 0; j < plans.count; j++)
            if (plans.list[j].num_gpus <= at.num_gpus &&
                !CHECK(plans.list[j].step_s >= at.step_s * (1 - CASE_CLOSE)))
                break;
    }
    for (size_t j = 0; j < plans.count; j++) {
        const NaivePlan *plan = &plans.list[j];
        bool matched = false;
        for (int i = 0; i < found.count && !matched; i++) {
            DtCandidate at = candidate_of(c, &found.plan[i]);
            matched = at.num_gpus <= plan->num_gpus && at.step_s <= plan->step_s * (1 + CASE_CLOSE);
        }
        if (!CHECK(matched))
            break;
    }
    dt_found_free(&found);
    naive_plans_free(&plans);
}

static void random_sets(DtSpace space, bool fixed, int num_threads, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        FixRandom random = fix_random((uint64_t)i + 30000);
        Case *c = random_case(&random);
        c->options.space = space;
        c->options.num_threads = num_threads;
        if (fixed)
            random_fixed(&random, c);
        else
            c->options.gpus.max = 1 + fix_below(&random, 100);
        if (fix_once_in(&random, 3))
            random_constraints(&random, c);
        c->options.num_best = 1 + (int)fix_below(&random, fix_once_in(&random, 5) ? 500 : 12);
        CHECK_CASE("best: space %d, fixed %d, %d threads, round %d", (int)space, fixed, num_threads,
                   i);
        check_best(c);
        c->options.frontier = true;
        CHECK_CASE("frontier: space %d, fixed %d, %d threads, round %d", (int)space, fixed,
                   num_threads, i);
        if (space != DT_SPACE_PAPER || fixed)
            check_frontier(c);
    }
}

int main(void)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        random_sets(DT_SPACE_WIDE, fixed, 1, FIX_ROUNDS(80));
        random_sets(DT_SPACE_EXHAUSTIVE, fixed, 1, FIX_ROUNDS(80));
        random_sets(DT_SPACE_EXHAUSTIVE, fixed, 3, FIX_ROUNDS(20));
    }
    random_sets(DT_SPACE_PAPER, true, 1, FIX_ROUNDS(80));
    return check_finish("search_sets");
}
