/* The search as a whole: seeds, threads, what they found and why nothing was. */
#include "search.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "parallel.h"
#include "searcher.h"

const char *const dt_no_plan = "split into legal degrees that fill the network levels";
const char *const dt_no_memory = "fit the GPUs' memory";
const char *const dt_too_slow = "finish before the deadline";
const char *const dt_no_budget = "be found within the time or plan budget";

enum { RUNS_PER_THREAD = 16 };

DtSearchOptions dt_search_options(void)
{
    DtSearchOptions options = {.space = DT_SPACE_WIDE,
                               .objective = DT_BY_UTILIZATION,
                               .interleaved = true,
                               .zero_bubble = true,
                               .prune = true,
                               .deadline_s = INFINITY,
                               .memory_frac = 1,
                               .budget_s = INFINITY,
                               .budget_plans = INFINITY,
                               .num_threads = 1,
                               .num_best = 1};
    options.gpus = (DtGpuCounts){1, (uint64_t)DT_COUNT_MAX, 1, false, NULL, 0};
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        options.min_degree[kind] = 1;
        options.max_degree[kind] = (uint64_t)DT_COUNT_MAX;
        options.highest_level[kind] = DT_MAX_LEVELS - 1;
    }
    options.max_tp = (uint64_t)DT_COUNT_MAX;
    return options;
}

DtSearchMemory *dt_search_memory_new(void)
{
    return dt_calloc(1, sizeof(DtSearchMemory));
}

void dt_search_memory_free(DtSearchMemory *memory)
{
    if (!memory)
        return;
    dt_arena_free(&memory->lists);
    dt_arena_free(&memory->tables);
    dt_free(memory->branches);
    dt_free(memory);
}

void dt_found_free(DtFound *found)
{
    dt_free(found->plan);
    found->plan = NULL;
    found->count = 0;
}

/* ---- running ---- */

/* A task is a run of pairs in the first class, or another class with all its pairs: the first is
 * the large one. */
typedef struct {
    DtSearcher searcher;
    const DtClasses *classes;
    int first_tasks; /* tasks of the first class */
    int run_length;  /* pairs of each */
    DtStatus status;
    DtError error;
} DtWorker;

static void run_task(DtWorker *worker, int task)
{
    DtSearcher *s = &worker->searcher;
    bool first = task < worker->first_tasks;
    const DtClass *class = &worker->classes->list[first ? 0 : task - worker->first_tasks + 1];
    worker->status = dt_searcher_enter(s, class, &worker->error);
    if (worker->status) {
        atomic_store(&s->shared->status, (int)worker->status);
        return;
    }
    int start = first ? task * worker->run_length : 0;
    int end = first ? start + worker->run_length : s->num_pairs;
    dt_visit_pairs(s, start, end < s->num_pairs ? end : s->num_pairs);
}

static void run_worker(void *argument)
{
    DtWorker *worker = argument;
    DtSearcher *s = &worker->searcher;
    int tasks = worker->first_tasks + worker->classes->count - 1;
    while (dt_searcher_goes_on(s)) {
        int task = atomic_fetch_add(&s->shared->next_task, 1);
        if (task >= tasks)
            break;
        run_task(worker, task);
    }
}

/* A good plan early makes the bounds bite: the least of the clusters sparsity * 2^i that meets the
 * deadline. In the paper's space it is also the whole answer. */
static void search_doublings(DtWorker *worker)
{
    DtSearcher *s = &worker->searcher;
    const DtGpuCounts *gpus = &s->options->gpus;
    double num_gpus = (double)s->work->run.model->sparsity;
    for (; num_gpus <= DT_COUNT_MAX && num_gpus <= (double)gpus->max; num_gpus *= 2) {
        DtClass class = {.fixed_gpus = (uint64_t)num_gpus};
        if (num_gpus < s->min_gpus * DT_BOUND_SLACK || num_gpus < (double)gpus->min)
            continue;
        if (dt_plan_level_sizes(s->work->run.network, class.fixed_gpus, class.sizes, NULL))
            continue;
        worker->status = dt_searcher_enter(s, &class, &worker->error);
        if (worker->status)
            return;
        dt_visit_pairs(s, 0, s->num_pairs);
        if (s->pool.count > 0 || atomic_load(&s->shared->status) != DT_OK)
            return;
    }
}

/* How a search with other options ends, one plan being enough. */
static DtStatus try_search(const DtSearcher *s, DtSearchOptions options, DtError *error)
{
    DtFound found;
    options.any_plan = true;
    options.num_threads = options.num_best = 1;
    options.frontier = false;
    DtStatus status = dt_search(s->work, &options, &found, error);
    dt_found_free(&found);
    return status;
}

/* Nothing was found: says why, by asking again without one demand after the other. */
static DtStatus infeasible(const DtSearcher *s, DtError *error)
{
    bool fixed = s->options->gpus.min == s->options->gpus.max;
    bool has_deadline = s->options->deadline_s < INFINITY;
    bool has_memory = s->options->memory_frac < INFINITY;
    DtSearchOptions asked = *s->options;
    const char *reason = dt_no_plan;
    DtStatus status = DT_INFEASIBLE;
    asked.deadline_s = INFINITY;
    if (atomic_load(&s->shared->out_of_budget)) {
        reason = dt_no_budget;
    } else {
        if (has_deadline) {
            status = try_search(s, asked, error);
            reason = dt_too_slow;
        }
        if (status == DT_INFEASIBLE) {
            asked.memory_frac = INFINITY;
            status = has_memory ? try_search(s, asked, error) : status;
            reason = status == DT_OK ? dt_no_memory : dt_no_plan;
        }
        if (status == DT_NO_MEMORY || status == DT_INTERRUPTED)
            return status;
    }
    return dt_error_set(error, DT_INFEASIBLE, fixed ? "n_gpus" : "model",
                        fixed ? (double)s->options->gpus.max : 0, reason);
}

/* Gathers what the workers found. */
static DtStatus collect(DtWorker workers[], int num_workers, DtShared *shared, DtFound *found,
                        DtError *error)
{
    DtSearcher *first = &workers[0].searcher;
    for (int i = 0; i < num_workers; i++) {
        DtSearcher *s = &workers[i].searcher;
        if (workers[i].status) {
            if (error)
                *error = workers[i].error;
            return workers[i].status;
        }
        if (i > 0)
            dt_pool_merge(&first->pool, &s->pool);
        found->stats.considered += s->considered;
        found->stats.pruned += s->pruned;
        found->stats.cut += s->cut;
    }
    DtStatus status = (DtStatus)atomic_load(&shared->status);
    if (status == DT_NO_MEMORY || first->pool.failed)
        return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    found->stats.proved = status == DT_OK && !atomic_load(&shared->out_of_budget);
    found->plan = dt_malloc(((size_t)first->pool.count + 1) * sizeof *found->plan);
    if (!found->plan)
        return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    found->count = first->pool.count;
    for (int i = 0; i < found->count; i++)
        found->plan[i] = first->pool.best[i].plan;
    if (status == DT_INTERRUPTED)
        return dt_error_set(error, DT_INTERRUPTED, "search", 0, "end");
    return found->count > 0 ? DT_OK : infeasible(first, error);
}

/* What the caller does while others finish: only it may ask whether to stop. */
static void poll_stop(void *argument)
{
    DtWorker *worker = argument;
    worker->searcher.until_poll = 0;
    dt_searcher_goes_on(&worker->searcher);
}

/* Takes over the order of another searcher's pairs; tables are each one's own. */
static void share_pairs(DtSearcher *s, const DtSearcher *from)
{
    memcpy(s->pairs, from->pairs, (size_t)from->num_pairs * sizeof *s->pairs);
    for (int i = 0; i < s->num_pairs; i++)
        s->pairs[i].table = NULL;
}

static DtStatus search_with(DtWorker workers[], int num_workers, DtShared *shared,
                            DtClasses *classes, DtError *error)
{
    DtSearcher *first = &workers[0].searcher;
    const DtSearchOptions *options = first->options;
    bool fixed = options->gpus.min == options->gpus.max;
    if (!fixed && !options->partial_levels && !options->frontier) {
        search_doublings(&workers[0]);
        if (workers[0].status && error)
            *error = workers[0].error;
        if (options->space == DT_SPACE_PAPER || workers[0].status)
            return workers[0].status;
    }
    DtStatus status = dt_classes_make(classes, first->work, options, first->min_gpus, error);
    if (status)
        return status;
    dt_searcher_rank(first);
    for (int i = 1; i < num_workers; i++) /* tasks are positions in this order */
        share_pairs(&workers[i].searcher, first);
    /* Alone, a thread looks at all pairs at once, in the best order; several share runs of them. */
    int runs = num_workers == 1 ? 1 : num_workers * RUNS_PER_THREAD;
    int run_length = (first->num_pairs + runs - 1) / runs;
    for (int i = 0; i < num_workers; i++) {
        workers[i].classes = classes;
        workers[i].run_length = run_length;
        workers[i].first_tasks = run_length ? (first->num_pairs + run_length - 1) / run_length : 0;
    }
    atomic_store(&shared->next_task, 0);
    atomic_store(&shared->pairs_done, 0);
    shared->total_pairs = first->num_pairs * classes->count;
    dt_parallel(workers, sizeof *workers, num_workers, run_worker, poll_stop);
    return DT_OK;
}

int dt_num_threads(const DtSearchOptions *options)
{
    int threads = options->num_threads;
    return threads < 1 ? 1 : threads > DT_MAX_THREADS ? DT_MAX_THREADS : threads;
}

static DtStatus check_options(const DtWork *work, const DtSearchOptions *options, DtError *error)
{
    if (!options->interleaved && !options->zero_bubble)
        return dt_error_set(error, DT_ILLEGAL, "schedules", 0,
                            "name interleaved, zero_bubble or both");
    if (options->objective == DT_BY_ENERGY && work->run.gpu->power_w == DT_ABSENT)
        return dt_error_set(error, DT_ILLEGAL, "objective", 0,
                            "be other than energy for a GPU whose power is not given");
    return DT_OK;
}

static void init_shared(DtShared *shared)
{
    atomic_init(&shared->bound, INFINITY);
    atomic_init(&shared->next_task, 0);
    atomic_init(&shared->pairs_done, 0);
    shared->total_pairs = 0;
    atomic_init(&shared->status, DT_OK);
    atomic_init(&shared->considered, 0);
    atomic_init(&shared->out_of_budget, false);
}

DtStatus dt_search(const DtWork *work, const DtSearchOptions *options, DtFound *found,
                   DtError *error)
{
    return dt_search_in(NULL, work, options, found, error);
}

DtStatus dt_search_in(DtSearchMemory *memory, const DtWork *work, const DtSearchOptions *options,
                      DtFound *found, DtError *error)
{
    double start = dt_clock_s();
    int num_workers = dt_num_threads(options);
    DtShared shared;
    DtClasses classes = {NULL, 0, 0};
    DtStatus status = check_options(work, options, error);
    memset(found, 0, sizeof *found);
    if (status)
        return status;
    init_shared(&shared);
    DtWorker *workers = dt_calloc((size_t)num_workers, sizeof *workers);
    if (!workers)
        return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    for (int i = 0; i < num_workers && !status; i++)
        if (!dt_searcher_init(&workers[i].searcher, work, options, &shared, i == 0 ? memory : NULL,
                              i == 0))
            status = dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    if (!status)
        status = search_with(workers, num_workers, &shared, &classes, error);
    if (!status)
        status = collect(workers, num_workers, &shared, found, error);
    for (int i = 0; i < num_workers; i++)
        dt_searcher_free(&workers[i].searcher, i == 0 ? memory : NULL);
    dt_free(workers);
    dt_free(classes.list);
    found->stats.seconds = dt_clock_s() - start;
    return status;
}

DtStatus dt_search_layout(const DtWork *work, DtPlan *plan, DtError *error)
{
    DtSearchOptions options = dt_search_options();
    DtShared shared;
    DtSearcher searcher;
    DtClass class = {.fixed_gpus = dt_plan_num_gpus(plan)};
    DtStatus status = dt_plan_level_sizes(work->run.network, class.fixed_gpus, class.sizes, error);
    if (status)
        return status;
    options.space = DT_SPACE_EXHAUSTIVE;
    options.gpus.min = options.gpus.max = class.fixed_gpus;
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        options.min_degree[kind] = options.max_degree[kind] = plan->degree[kind];
    init_shared(&shared);
    if (!dt_searcher_init(&searcher, work, &options, &shared, NULL, true))
        status = dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    if (!status)
        status = dt_searcher_enter(&searcher, &class, error);
    if (!status && !dt_visit_plan(&searcher, plan))
        status = dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    if (!status && searcher.pool.count == 0)
        status = dt_error_set(error, DT_ILLEGAL, "plan", 0, dt_no_plan);
    if (!status)
        memcpy(plan->part, searcher.pool.best[0].plan.part, sizeof plan->part);
    dt_searcher_free(&searcher, NULL);
    return status;
}
