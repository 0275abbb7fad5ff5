/* Which clusters and pairs to look at, in what order, by how many threads. */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parallel.h"
#include "searcher.h"

const char *const dt_no_plan = "split into legal degrees that fill the network levels";
const char *const dt_no_memory = "fit the GPUs' memory";
const char *const dt_too_slow = "finish before the deadline";
const char *const dt_no_budget = "be found within the time or plan budget";

enum { POLL_EVERY = 64, RUNS_PER_THREAD = 16 };

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

struct DtSearchMemory {
    DtArena lists, tables;
    DtBranch *branches;
    int max_branches;
};

DtSearchMemory *dt_search_memory_new(void)
{
    return calloc(1, sizeof(DtSearchMemory));
}

void dt_search_memory_free(DtSearchMemory *memory)
{
    if (!memory)
        return;
    dt_arena_free(&memory->lists);
    dt_arena_free(&memory->tables);
    free(memory->branches);
    free(memory);
}

void dt_found_free(DtFound *found)
{
    free(found->plan);
    found->plan = NULL;
    found->count = 0;
}

double dt_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Tells how far the search is, ten times a second at most. */
static void report_progress(DtSearcher *s)
{
    const DtSearchOptions *options = s->options;
    if (!s->is_caller || !options->progress || s->shared->total_pairs == 0)
        return;
    double now = dt_clock_s();
    if (now < s->next_report_s)
        return;
    s->next_report_s = now + 0.1;
    options->progress(options->progress_context,
                      (double)atomic_load(&s->shared->pairs_done) / s->shared->total_pairs);
}

bool dt_searcher_goes_on(DtSearcher *s)
{
    if (--s->until_poll > 0)
        return true;
    s->until_poll = POLL_EVERY;
    if (s->is_caller && s->options->stop && s->options->stop(s->options->stop_context))
        atomic_store(&s->shared->status, DT_INTERRUPTED);
    if (s->considered > s->options->budget_plans ||
        (s->end_time_s < INFINITY && dt_clock_s() > s->end_time_s))
        atomic_store(&s->shared->out_of_budget, true);
    report_progress(s);
    bool ends = atomic_load(&s->shared->status) != DT_OK || atomic_load(&s->shared->out_of_budget);
    if (ends)
        s->until_poll = 0; /* and so for every further call */
    return !ends;
}

/* ---- lists that depend on the model alone ---- */

static uint64_t odd_part(uint64_t n)
{
    return n / (n & (~n + 1));
}

/* Whether a degree divides some of the clusters that are searched. */
static bool divides_clusters(const DtSearcher *s, uint64_t degree)
{
    const DtGpuCounts *gpus = &s->options->gpus;
    if (gpus->min == gpus->max)
        return gpus->min % degree == 0;
    if (s->options->space == DT_SPACE_PAPER) /* sparsity * 2^i */
        return odd_part(s->work->run.model->sparsity) % odd_part(degree) == 0;
    return true;
}

/* The divisors of n that a degree can be: those allowed to its kind that divide a cluster. */
static DtDivisors degrees_of(DtSearcher *s, DtKind kind, uint64_t n)
{
    DtDivisors degrees = dt_divisors(&s->lists, n);
    int kept = 0;
    for (int i = 0; i < degrees.count; i++) {
        uint64_t degree = degrees.value[i];
        if (degree >= s->options->min_degree[kind] && degree <= s->options->max_degree[kind] &&
            divides_clusters(s, degree))
            degrees.value[kept++] = degree;
    }
    degrees.count = kept;
    return degrees;
}

static bool pair_allowed(const DtSearcher *s, uint64_t model_degree, uint64_t ff_degree)
{
    const DtSearchOptions *o = s->options;
    double tp = (double)model_degree * (double)ff_degree;
    return tp <= (double)o->max_tp && tp <= (double)o->gpus.max &&
           (o->space != DT_SPACE_PAPER || dt_nearly_square(model_degree, ff_degree)) &&
           divides_clusters(s, model_degree * ff_degree);
}

/* Least communication of a pair: on a network of one level with the sum of the bandwidths. */
static void bound_pair(const DtSearcher *s, DtPair *pair)
{
    double bytes = ((double)pair->model_degree - 1) * s->work->tp_model_bytes +
                   ((double)pair->ff_degree - 1) * s->work->tp_ff_bytes;
    pair->flat_gpu_s = 2 * bytes / s->sum_half_Bps;
}

static int compare_pairs(const void *left, const void *right)
{
    const DtPair *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->tp != b->tp)
        return a->tp < b->tp ? -1 : 1;
    return (a->model_degree > b->model_degree) - (a->model_degree < b->model_degree);
}

/* Puts the pairs in the order of their bounds. */
static void rank_pairs(DtSearcher *s)
{
    for (int i = 0; i < s->num_pairs; i++)
        s->pairs[i].rank = dt_pair_bound_gpu_s(s, &s->pairs[i]);
    qsort(s->pairs, (size_t)s->num_pairs, sizeof *s->pairs, compare_pairs);
}

static void make_pairs(DtSearcher *s)
{
    const DtModel *model = s->work->run.model;
    DtDivisors model_degrees = s->model_degrees = degrees_of(s, DT_TP_MODEL, model->d_model);
    DtDivisors ff_degrees = s->ff_degrees = degrees_of(s, DT_TP_FF, model->d_ff);
    int allowed = 0;
    for (int i = 0; i < model_degrees.count; i++)
        for (int j = 0; j < ff_degrees.count; j++)
            allowed += pair_allowed(s, model_degrees.value[i], ff_degrees.value[j]);
    s->num_pairs = 0;
    s->pairs = DT_NEW(&s->lists, DtPair, allowed);
    for (int i = 0; s->pairs && i < model_degrees.count; i++) {
        for (int j = 0; j < ff_degrees.count; j++) {
            DtPair *pair = &s->pairs[s->num_pairs];
            if (!pair_allowed(s, model_degrees.value[i], ff_degrees.value[j]))
                continue;
            pair->model_index = i;
            pair->ff_index = j;
            pair->model_degree = model_degrees.value[i];
            pair->ff_degree = ff_degrees.value[j];
            pair->tp = (double)pair->model_degree * (double)pair->ff_degree;
            bound_pair(s, pair);
            s->num_pairs++;
        }
    }
}

static void make_replicas(DtSearcher *s)
{
    uint64_t tokens = s->work->batch_tokens, sparsity = s->work->run.model->sparsity;
    /* The paper's search lets a remainder of tokens drop; the wider ones must not win by it. */
    if (s->options->space == DT_SPACE_PAPER)
        s->dp = degrees_of(s, DT_DP, tokens);
    else if (tokens % sparsity == 0)
        s->dp = degrees_of(s, DT_DP, tokens / sparsity);
    s->replicas = DT_NEW(&s->lists, DtReplica, s->dp.count);
    for (int i = 0; s->replicas && i < s->dp.count; i++) {
        double dp = (double)s->dp.value[i];
        DtReplica *replica = &s->replicas[i];
        replica->replica_tokens = tokens / s->dp.value[i] / sparsity;
        replica->kept_frac =
            (double)replica->replica_tokens * dp * (double)sparsity / (double)tokens;
        replica->flat_gpu_s = 2 * (dp - 1) * s->work->params_bytes / s->sum_half_Bps;
    }
}

static void measure_network(DtSearcher *s)
{
    s->least_latency_s = INFINITY;
    for (int i = 0; i < s->work->num_levels; i++) {
        s->sum_half_Bps += s->work->half_Bps[i];
        s->max_half_Bps = dt_max(s->max_half_Bps, s->work->half_Bps[i]);
        s->least_latency_s = dt_min(s->least_latency_s, s->work->latency_s[i]);
    }
}

/* memory: arenas to take over, or NULL. */
static bool searcher_init(DtSearcher *s, const DtWork *work, const DtSearchOptions *options,
                          DtShared *shared, DtSearchMemory *memory, bool is_caller)
{
    const DtModel *model = work->run.model;
    memset(s, 0, sizeof *s);
    if (memory) {
        s->lists = memory->lists;
        s->tables = memory->tables;
        s->branches = memory->branches;
        s->max_branches = memory->max_branches;
        dt_arena_reset(&s->lists);
        dt_arena_reset(&s->tables);
        memset(memory, 0, sizeof *memory);
    }
    s->work = work;
    s->options = options;
    s->shared = shared;
    s->is_caller = is_caller;
    s->end_time_s = options->budget_s < INFINITY ? dt_clock_s() + options->budget_s : INFINITY;
    if (!dt_pool_init(&s->pool, work, options, shared))
        return false;
    measure_network(s);
    s->pp = degrees_of(s, DT_PP, model->layers);
    s->ep = degrees_of(s, DT_EP, model->sparsity);
    make_replicas(s);
    make_pairs(s);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        int last = work->num_levels - 1, highest = options->highest_level[kind];
        s->reach.highest[kind] = highest < last ? highest : last;
    }
    if (options->deadline_s < INFINITY)
        s->min_gpus =
            work->steps * work->ideal_gpu_s / work->run.gpu->utilization_frac / options->deadline_s;
    return !s->lists.failed;
}

/* Gives the arenas back to `memory`, if it is not NULL, and frees the rest. */
static void searcher_free(DtSearcher *s, DtSearchMemory *memory)
{
    dt_pool_free(&s->pool);
    if (memory) {
        memory->lists = s->lists;
        memory->tables = s->tables;
        memory->branches = s->branches;
        memory->max_branches = s->max_branches;
    } else {
        free(s->branches);
        dt_arena_free(&s->tables);
        dt_arena_free(&s->lists);
    }
}

/* ---- classes: clusters that fill the inner levels in the same way ---- */

typedef struct {
    uint64_t sizes[DT_MAX_LEVELS];
    uint64_t fixed_gpus; /* 0: any number that fills it */
} DtClass;

static bool same_sizes(const DtFootprints *footprints, const DtClass *class, int inner)
{
    if (footprints->count == 0 || footprints->num_levels != inner)
        return false;
    for (int i = 0; i < inner; i++)
        if (footprints->size[i] != class->sizes[i])
            return false;
    return true;
}

/* Makes the searcher ready for a class; tables are kept where the sizes are the same. */
static DtStatus enter_class(DtSearcher *s, const DtClass *class, DtError *error)
{
    int inner = s->work->num_levels - 1;
    s->fixed_gpus = class->fixed_gpus;
    if (same_sizes(&s->footprints, class, inner))
        return DT_OK;
    dt_arena_reset(&s->tables);
    memset(&s->footprints, 0, sizeof s->footprints);
    for (int i = 0; i < s->num_pairs; i++)
        s->pairs[i].table = NULL;
    for (int i = 0; i < s->dp.count; i++)
        s->replicas[i].table = NULL;
    s->class_gpus = 1;
    for (int i = 0; i < inner; i++)
        s->class_gpus *= (double)class->sizes[i];
    s->stages = DT_NEW(&s->tables, DtStages, s->pp.count * s->ep.count);
    s->model_spreads = DT_NEW(&s->tables, DtSpreads *, s->model_degrees.count);
    s->ff_spreads = DT_NEW(&s->tables, DtSpreads *, s->ff_degrees.count);
    if (s->tables.failed)
        return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    return dt_footprints_build(&s->tables, class->sizes, inner, &s->footprints, error);
}

/* A growing list of classes. */
typedef struct {
    DtClass *list;
    int count, capacity;
} Classes;

static bool add_class(Classes *classes, const uint64_t sizes[], uint64_t fixed_gpus)
{
    if (classes->count == classes->capacity) {
        int capacity = classes->capacity ? 2 * classes->capacity : 8;
        DtClass *grown = realloc(classes->list, (size_t)capacity * sizeof *grown);
        if (!grown)
            return false;
        classes->list = grown;
        classes->capacity = capacity;
    }
    DtClass *class = &classes->list[classes->count++];
    memcpy(class->sizes, sizes, sizeof class->sizes);
    class->fixed_gpus = fixed_gpus;
    return true;
}

/* Clusters smaller than the inner levels: each number of GPUs fills them in its own way. */
static bool add_small_clusters(Classes *classes, const DtWork *work, double least, double most)
{
    const DtNetwork *network = work->run.network;
    uint64_t below = 1; /* GPUs of the levels that are filled whole */
    for (int i = 0; i < network->num_levels - 1; i++) {
        for (uint64_t units = 1; units < network->level[i].size; units++) {
            uint64_t gpus = below * units, sizes[DT_MAX_LEVELS] = {0};
            if ((units == 1 && i > 0) || (double)gpus < least || (double)gpus > most)
                continue; /* one unit is the level below, filled whole */
            if (dt_plan_level_sizes(network, gpus, sizes, NULL) != DT_OK)
                continue;
            if (!add_class(classes, sizes, gpus))
                return false;
        }
        below *= network->level[i].size;
        if (i + 1 < network->num_levels - 1 && (double)below >= least && (double)below <= most) {
            uint64_t sizes[DT_MAX_LEVELS] = {0};
            dt_plan_level_sizes(network, below, sizes, NULL);
            if (!add_class(classes, sizes, below))
                return false;
        }
    }
    return true;
}

/* With levels filled in part: every choice of units in use on each inner level. */
static bool add_partial(Classes *classes, const DtNetwork *network, uint64_t fixed_gpus)
{
    uint64_t sizes[DT_MAX_LEVELS] = {0};
    int inner = network->num_levels - 1, level;
    for (int i = 0; i < inner; i++)
        sizes[i] = network->level[i].size;
    for (;;) {
        if (!add_class(classes, sizes, fixed_gpus))
            return false;
        for (level = 0; level < inner && sizes[level] == 1; level++)
            sizes[level] = network->level[level].size;
        if (level == inner)
            return true;
        sizes[level]--;
    }
}

static DtStatus make_classes(Classes *classes, const DtWork *work, const DtSearchOptions *options,
                             double min_gpus, DtError *error)
{
    const DtNetwork *network = work->run.network;
    const DtGpuCounts *gpus = &options->gpus;
    uint64_t sizes[DT_MAX_LEVELS] = {0};
    bool fixed = gpus->min == gpus->max, added;
    if (options->partial_levels) {
        added = add_partial(classes, network, fixed ? gpus->min : 0);
    } else if (fixed) {
        DtStatus status = dt_plan_level_sizes(network, gpus->min, sizes, error);
        if (status)
            return status;
        added = add_class(classes, sizes, gpus->min);
    } else {
        for (int i = 0; i < network->num_levels - 1; i++)
            sizes[i] = network->level[i].size;
        added = add_class(classes, sizes, 0) &&
                add_small_clusters(classes, work, dt_max(min_gpus, (double)gpus->min),
                                   (double)gpus->max);
    }
    return added ? DT_OK : dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
}

/* ---- running ---- */

/* A task is a run of pairs in the first class, or another class with all its pairs: the first is
 * the large one. */
typedef struct {
    DtSearcher searcher;
    const Classes *classes;
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
    worker->status = enter_class(s, class, &worker->error);
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
        worker->status = enter_class(s, &class, &worker->error);
        if (worker->status)
            return;
        dt_visit_pairs(s, 0, s->num_pairs);
        if (s->pool.count > 0 || atomic_load(&s->shared->status) != DT_OK)
            return;
    }
}

/* Whether a search with other options finds anything. */
static bool finds(const DtSearcher *s, DtSearchOptions options)
{
    DtFound found;
    options.budget_plans = 1; /* one is enough */
    options.num_threads = options.num_best = 1;
    options.frontier = false;
    DtStatus status = dt_search(s->work, &options, &found, NULL);
    dt_found_free(&found);
    return status == DT_OK;
}

/* Nothing was found: says why, by asking again without one demand after the other. */
static DtStatus infeasible(const DtSearcher *s, DtError *error)
{
    bool fixed = s->options->gpus.min == s->options->gpus.max;
    bool has_deadline = s->options->deadline_s < INFINITY;
    bool has_memory = s->options->memory_frac < INFINITY;
    DtSearchOptions asked = *s->options;
    const char *reason = dt_no_plan;
    asked.deadline_s = INFINITY;
    if (atomic_load(&s->shared->out_of_budget)) {
        reason = dt_no_budget;
    } else if (has_deadline && finds(s, asked)) {
        reason = dt_too_slow;
    } else if (has_memory) {
        asked.memory_frac = INFINITY;
        reason = finds(s, asked) ? dt_no_memory : dt_no_plan;
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
    found->count = first->pool.count;
    found->plan = malloc(((size_t)found->count + 1) * sizeof *found->plan);
    if (!found->plan)
        return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
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

static DtStatus search_with(DtWorker workers[], int num_workers, DtShared *shared, Classes *classes,
                            DtError *error)
{
    DtSearcher *first = &workers[0].searcher;
    const DtSearchOptions *options = first->options;
    bool fixed = options->gpus.min == options->gpus.max;
    if (!fixed && !options->partial_levels && !options->frontier) {
        search_doublings(&workers[0]);
        if (options->space == DT_SPACE_PAPER || workers[0].status)
            return workers[0].status;
    }
    DtStatus status = make_classes(classes, first->work, options, first->min_gpus, error);
    if (status)
        return status;
    rank_pairs(first);
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
    Classes classes = {NULL, 0, 0};
    DtStatus status = check_options(work, options, error);
    memset(found, 0, sizeof *found);
    if (status)
        return status;
    init_shared(&shared);
    DtWorker *workers = calloc((size_t)num_workers, sizeof *workers);
    if (!workers)
        return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    for (int i = 0; i < num_workers && !status; i++)
        if (!searcher_init(&workers[i].searcher, work, options, &shared, i == 0 ? memory : NULL,
                           i == 0))
            status = dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    if (!status)
        status = search_with(workers, num_workers, &shared, &classes, error);
    if (!status)
        status = collect(workers, num_workers, &shared, found, error);
    for (int i = 0; i < num_workers; i++)
        searcher_free(&workers[i].searcher, i == 0 ? memory : NULL);
    free(workers);
    free(classes.list);
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
    if (!searcher_init(&searcher, work, &options, &shared, NULL, true))
        status = dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    if (!status)
        status = enter_class(&searcher, &class, error);
    if (!status && !dt_visit_plan(&searcher, plan))
        status = dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
    if (!status && searcher.pool.count == 0)
        status = dt_error_set(error, DT_ILLEGAL, "plan", 0, dt_no_plan);
    if (!status)
        memcpy(plan->part, searcher.pool.best[0].plan.part, sizeof plan->part);
    searcher_free(&searcher, NULL);
    return status;
}
