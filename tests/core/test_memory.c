/* Every request for memory refused in turn: the core says so, or does without, and gives all that
 * it got back. */
#include "core/memory.h"

#include <stdint.h>

#include "check.h"
#include "core/sweep.h"
#include "fixtures.h"

enum { MAX_MODELS = 4 };

/* What a job gave, to compare a run that made do without some memory with a run that had all. */
typedef struct {
    DtStatus status;
    DtError error;
    DtPlan plan;
    int count;
} Outcome;

typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtModel models[MAX_MODELS];
    DtRun run;
    DtSearchOptions options;
} Setup;

static void set_up(Setup *setup)
{
    memset(setup, 0, sizeof *setup);
    setup->gpu = fix_h100();
    setup->network = fix_superpod();
    for (int i = 0; i < MAX_MODELS; i++)
        setup->models[i] = fix_model(1024 << i, 4096 << i, 24, 2, 2048, 256);
    setup->run = fix_run(&setup->gpu, &setup->network, &setup->models[0]);
    setup->options = dt_search_options();
}

static void run_search(Setup *setup, Outcome *outcome)
{
    DtWork work;
    DtFound found;
    dt_work_prepare(&work, &setup->run);
    outcome->status = dt_search(&work, &setup->options, &found, &outcome->error);
    outcome->count = found.count;
    if (found.count > 0)
        outcome->plan = found.plan[0];
    dt_found_free(&found);
}

static void run_sweep(Setup *setup, Outcome *outcome)
{
    DtPoint points[MAX_MODELS];
    const char *reason;
    DtSweep sweep = {.run = setup->run,
                     .models = setup->models,
                     .num_models = MAX_MODELS,
                     .options = setup->options};
    outcome->status = dt_sweep(&sweep, points, &outcome->count, &reason, &outcome->error);
    if (outcome->status == DT_OK && outcome->count > 0)
        outcome->plan = points[outcome->count - 1].plan;
}

static void run_layout(Setup *setup, Outcome *outcome)
{
    DtWork work;
    outcome->plan = fix_plan();
    outcome->plan.degree[DT_DP] = 16;
    outcome->plan.degree[DT_PP] = 8;
    outcome->plan.degree[DT_TP_MODEL] = outcome->plan.degree[DT_TP_FF] = 4;
    outcome->plan.microbatches = 16;
    dt_work_prepare(&work, &setup->run);
    outcome->status = dt_search_layout(&work, &outcome->plan, &outcome->error);
    outcome->count = outcome->status == DT_OK;
}

typedef void Job(Setup *setup, Outcome *outcome);

/* Whether a run ended as the run with all memory did. With an error, its reason is the same. */
static bool same_end(const Outcome *a, const Outcome *b)
{
    return a->status == b->status && a->count == b->count &&
           (a->count == 0 || memcmp(&a->plan, &b->plan, sizeof a->plan) == 0) &&
           (a->status == DT_OK || a->error.rule == b->error.rule);
}

/* Runs a job with each of its requests refused; at least `least` of them, so that the test tests
 * something. */
static void refuse_each(const char *name, Job *job, Setup *setup, long least)
{
    Outcome all = {.count = 0};
    dt_memory_watch(-1, 0);
    job(setup, &all);
    long num_requests = dt_memory_num_requests();
    CHECK_CASE("%s", name);
    CHECK_INT(dt_memory_num_live(), 0);
    CHECK(num_requests >= least);
    for (int and_later = 0; and_later < 2; and_later++) {
        for (long refused = 0; refused < num_requests; refused++) {
            Outcome outcome = {.error = {.status = DT_ILLEGAL}};
            CHECK_CASE("%s: request %ld of %ld refused%s", name, refused, num_requests,
                       and_later ? ", and all later ones" : "");
            dt_memory_watch(refused, and_later);
            job(setup, &outcome);
            CHECK(outcome.status == DT_NO_MEMORY ? outcome.error.status == DT_NO_MEMORY
                                                 : same_end(&outcome, &all));
            CHECK_INT(dt_memory_num_live(), 0);
        }
    }
    dt_memory_unwatch();
}

static void searches(void)
{
    static const char *const names[] = {"paper", "wide", "exhaustive"};
    Setup setup;
    for (int space = DT_SPACE_PAPER; space <= DT_SPACE_EXHAUSTIVE; space++) {
        char name[80];
        set_up(&setup);
        setup.options.space = (DtSpace)space;
        (void)snprintf(name, sizeof name, "%s search", names[space]);
        refuse_each(name, run_search, &setup, 3);
        setup.options.gpus.min = setup.options.gpus.max = 1024;
        (void)snprintf(name, sizeof name, "%s search of 1024 GPUs", names[space]);
        refuse_each(name, run_search, &setup, 3);
    }
    set_up(&setup);
    setup.options.num_threads = 3;
    refuse_each("search by 3 threads", run_search, &setup, 9);
    set_up(&setup);
    setup.options.frontier = true;
    refuse_each("frontier", run_search, &setup, 3);
    set_up(&setup);
    setup.options.partial_levels = true;
    setup.options.gpus.min = setup.options.gpus.max = 96;
    refuse_each("levels filled in part", run_search, &setup, 3);
}

/* Asking for the reason takes memory too, and a lack of it is no reason. */
static void without_answer(void)
{
    Setup setup;
    set_up(&setup);
    setup.options.deadline_s = 1e-3;
    refuse_each("too slow", run_search, &setup, 6);
    set_up(&setup);
    setup.options.memory_frac = 1e-9;
    setup.options.gpus.max = 64;
    refuse_each("too large", run_search, &setup, 6);
    set_up(&setup);
    setup.options.deadline_s = 1e9;
    setup.options.gpus.min = setup.options.gpus.max = 7 * 256;
    refuse_each("no plan", run_search, &setup, 6);
}

static void sweeps(void)
{
    Setup setup;
    set_up(&setup);
    setup.options.deadline_s = FIX_YEAR_S / 4;
    refuse_each("sweep", run_sweep, &setup, 8);
    setup.options.num_threads = 3;
    refuse_each("sweep by 3 threads", run_sweep, &setup, 8);
    setup.options.num_threads = 8; /* more than models: they share each search */
    refuse_each("sweep by 8 threads", run_sweep, &setup, 8);
}

static void working_memory(void)
{
    CHECK_CASE("working memory");
    dt_memory_watch(0, 0);
    CHECK(dt_search_memory_new() == NULL);
    dt_memory_unwatch();
    dt_search_memory_free(NULL);
    dt_free(NULL);
}

/* What is in use never exceeds the limit, and what is given back can be had again. */
static void test_limit(void)
{
    enum { LIMIT = 1 << 20 };
    dt_memory_limit(LIMIT);
    CHECK(!dt_malloc(LIMIT + 1));
    CHECK(!dt_malloc(SIZE_MAX));
    CHECK(!dt_calloc(SIZE_MAX / 8, 16));
    CHECK(!dt_calloc(LIMIT, 2));
    char *block = dt_calloc(LIMIT / 4, 2);
    CHECK(block != NULL);
    CHECK(!dt_malloc(LIMIT / 2 + 1));
    CHECK(!dt_realloc(block, LIMIT + 1));
    block = dt_realloc(block, LIMIT / 4);
    CHECK(block != NULL);
    CHECK(dt_memory_take(LIMIT / 2));
    CHECK(!dt_memory_take(LIMIT / 4 + 1));
    CHECK(!dt_memory_take(SIZE_MAX));
    dt_memory_give(LIMIT / 2);
    block = dt_realloc(block, LIMIT / 4 * 3);
    CHECK(block != NULL);
    dt_free(block);
    for (int i = 0; i < 100; i++) {
        block = dt_malloc(LIMIT / 4 * 3);
        CHECK(block != NULL);
        dt_free(block);
    }
}

int main(void)
{
    Setup setup;
    searches();
    without_answer();
    sweeps();
    set_up(&setup);
    refuse_each("layout", run_layout, &setup, 3);
    working_memory();
    test_limit();
    return check_finish("memory");
}
