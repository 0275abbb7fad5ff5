#include "sweep.h"

#include <stdatomic.h>
#include <string.h>

#include "memory.h"
#include "parallel.h"

/* How one model's search ended. */
typedef struct {
    bool finished;
    DtStatus status;
    DtError error;
} Outcome;

typedef struct {
    const DtSweep *sweep;
    DtPoint *points;
    Outcome *outcomes;
    atomic_int next, done;
    atomic_int end; /* no model from here on is needed */
    atomic_bool interrupted;
} Shared;

typedef struct {
    Shared *shared;
    DtSearchMemory *memory; /* NULL: each search gets its own */
    bool is_caller;
} Worker;

/* Polled by every search. Only the calling thread may ask the user's callback. */
static bool should_stop(void *argument)
{
    Worker *worker = argument;
    const DtSearchOptions *options = &worker->shared->sweep->options;
    if (worker->is_caller && options->stop && options->stop(options->stop_context))
        atomic_store(&worker->shared->interrupted, true);
    return atomic_load(&worker->shared->interrupted);
}

static void end_at(Shared *shared, int index)
{
    int end = atomic_load(&shared->end);
    while (index < end && !atomic_compare_exchange_weak(&shared->end, &end, index))
        continue;
}

/* Tells how far the sweep is; fraction: of the point that the calling thread is at. */
static void report_fraction(void *argument, double fraction)
{
    Worker *worker = argument;
    const DtSweep *sweep = worker->shared->sweep;
    if (worker->is_caller && sweep->progress)
        sweep->progress(sweep->progress_context, atomic_load(&worker->shared->done) + fraction,
                        atomic_load(&worker->shared->end));
}

static void report(Worker *worker)
{
    report_fraction(worker, 0);
}

/* Searches for one model's cluster. */
static void run_point(Worker *worker, int index, int num_threads)
{
    Shared *shared = worker->shared;
    const DtSweep *sweep = shared->sweep;
    DtSearchOptions options = sweep->options;
    DtPoint *point = &shared->points[index];
    Outcome *outcome = &shared->outcomes[index];
    DtRun run = sweep->run;
    DtWork work;
    DtFound found;
    run.model = &sweep->models[index];
    options.num_threads = num_threads;
    options.num_best = 1;
    options.frontier = false;
    options.stop = should_stop;
    options.stop_context = worker;
    options.progress = report_fraction;
    options.progress_context = worker;
    dt_work_prepare(&work, &run);
    outcome->status = dt_search_in(worker->memory, &work, &options, &found, &outcome->error);
    if (outcome->status == DT_OK) {
        point->model = run.model;
        point->plan = found.plan[0];
        point->stats = found.stats;
        dt_cost_evaluate(&work, &point->plan, &point->cost);
        if (point->cost.utilization_frac < sweep->stop_utilization)
            end_at(shared, index + 1);
    } else {
        end_at(shared, index);
    }
    dt_found_free(&found);
    outcome->finished = outcome->status != DT_INTERRUPTED;
    atomic_fetch_add(&shared->done, 1);
}

static void run_points(void *argument)
{
    Worker *worker = argument;
    Shared *shared = worker->shared;
    int threads = dt_num_threads(&shared->sweep->options);
    bool alone = shared->sweep->num_models < threads; /* then threads share each search */
    while (!should_stop(worker)) {
        int index = atomic_fetch_add(&shared->next, 1);
        if (index >= atomic_load(&shared->end))
            break;
        run_point(worker, index, alone ? threads : 1);
        report(worker);
    }
}

static void wait_for_others(void *argument)
{
    should_stop(argument);
    report(argument);
}

/* The points from the first on that are finished and wanted, and how the sweep ended. */
static DtStatus conclude(Shared *shared, int *num_points, const char **end_reason, DtError *error)
{
    int end = atomic_load(&shared->end), count = 0;
    while (count < end && shared->outcomes[count].finished &&
           shared->outcomes[count].status == DT_OK)
        count++;
    *num_points = count;
    *end_reason = NULL;
    if (atomic_load(&shared->interrupted))
        return dt_error_set(error, DT_INTERRUPTED, "sweep", count, "end");
    bool stopped = count > 0 && shared->points[count - 1].cost.utilization_frac <
                                    shared->sweep->stop_utilization;
    if (stopped || count == shared->sweep->num_models || !shared->outcomes[count].finished)
        return DT_OK; /* other threads may have looked further: that counts for nothing */
    const Outcome *outcome = &shared->outcomes[count];
    if (outcome->status == DT_OK)
        return DT_OK;
    if (outcome->status == DT_INFEASIBLE && count > 0) {
        *end_reason = outcome->error.rule;
        return DT_OK;
    }
    if (error)
        *error = outcome->error;
    return outcome->status;
}

DtStatus dt_sweep(const DtSweep *sweep, DtPoint points[], int *num_points, const char **end_reason,
                  DtError *error)
{
    Worker workers[DT_MAX_THREADS];
    int threads = dt_num_threads(&sweep->options);
    int num_workers = sweep->num_models < threads ? 1 : threads;
    Shared shared = {.sweep = sweep, .points = points};
    *num_points = 0;
    shared.outcomes = dt_calloc((size_t)sweep->num_models + 1, sizeof *shared.outcomes);
    if (!shared.outcomes)
        return dt_error_set(error, DT_NO_MEMORY, "sweep", sweep->num_models, "fit in memory");
    atomic_init(&shared.next, 0);
    atomic_init(&shared.done, 0);
    atomic_init(&shared.end, sweep->num_models);
    atomic_init(&shared.interrupted, false);
    for (int i = 0; i < num_workers; i++)
        workers[i] = (Worker){&shared, dt_search_memory_new(), i == 0};
    dt_parallel(workers, sizeof workers[0], num_workers, run_points, wait_for_others);
    for (int i = 0; i < num_workers; i++)
        dt_search_memory_free(workers[i].memory);
    DtStatus status = conclude(&shared, num_points, end_reason, error);
    dt_free(shared.outcomes);
    return status;
}
