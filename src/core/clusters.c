/* The classes of clusters that a search looks at. */
#include <string.h>

#include "memory.h"
#include "searcher.h"

static bool add_class(DtClasses *classes, const uint64_t sizes[], uint64_t fixed_gpus)
{
    if (classes->count == classes->capacity) {
        int capacity = classes->capacity ? 2 * classes->capacity : 8;
        DtClass *grown = dt_realloc(classes->list, (size_t)capacity * sizeof *grown);
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

/* Whether a number of GPUs can be a product of legal degrees: whether it divides the product of
 * all that degrees divide. */
static bool has_degrees(const DtWork *work, uint64_t gpus)
{
    const DtModel *model = work->run.model;
    const uint64_t factors[] = {model->d_model,  model->d_ff,  model->layers,
                                model->sparsity, model->batch, model->seq_len};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        gpus /= dt_gcd(gpus, factors[i]);
    return gpus == 1;
}

/* The most units that are looked at one by one, and the most ways to fill levels in part. */
enum { MAX_UNITS = 1 << 22, MAX_PARTIAL = 1 << 20 };

static DtStatus no_memory(DtError *error)
{
    return dt_error_set(error, DT_NO_MEMORY, "search", 0, "fit in memory");
}

static DtStatus too_large(DtError *error, int level, uint64_t size, const char *rule)
{
    dt_error_set(error, DT_ILLEGAL, "size", (double)size, rule);
    if (error)
        error->index = level;
    return DT_ILLEGAL;
}

/* Clusters smaller than the inner levels: each number of GPUs fills them in its own way. */
static DtStatus add_small_clusters(DtClasses *classes, const DtWork *work, double least,
                                   double most, DtError *error)
{
    const DtNetwork *network = work->run.network;
    uint64_t below = 1; /* GPUs of the levels that are filled whole */
    for (int i = 0; i < network->num_levels - 1; i++) {
        for (uint64_t units = 1; units < network->level[i].size; units++) {
            uint64_t gpus = below * units, sizes[DT_MAX_LEVELS] = {0};
            if ((double)gpus > most)
                break;
            if (units > MAX_UNITS)
                return too_large(error, i, network->level[i].size,
                                 "be at most 4194304 where the number of GPUs is open (give "
                                 "n_gpus or max_gpus)");
            if ((units == 1 && i > 0) || (double)gpus < least || !has_degrees(work, gpus))
                continue; /* one unit is the level below, filled whole */
            if (dt_plan_level_sizes(network, gpus, sizes, NULL) != DT_OK)
                continue;
            if (!add_class(classes, sizes, gpus))
                return no_memory(error);
        }
        below *= network->level[i].size;
        if (i + 1 < network->num_levels - 1 && (double)below >= least && (double)below <= most) {
            uint64_t sizes[DT_MAX_LEVELS] = {0};
            dt_plan_level_sizes(network, below, sizes, NULL);
            if (!add_class(classes, sizes, below))
                return no_memory(error);
        }
    }
    return DT_OK;
}

/* With levels filled in part: every choice of units in use on each inner level. */
static DtStatus add_partial(DtClasses *classes, const DtWork *work, uint64_t fixed_gpus,
                            uint64_t most, DtError *error)
{
    const DtNetwork *network = work->run.network;
    uint64_t whole[DT_MAX_LEVELS] = {0}, sizes[DT_MAX_LEVELS] = {0};
    int inner = network->num_levels - 1, level;
    double choices = 1;
    for (int i = 0; i < inner; i++) {
        sizes[i] = whole[i] = network->level[i].size < most ? network->level[i].size : most;
        choices *= (double)whole[i];
        if (choices > MAX_PARTIAL)
            return too_large(error, i, network->level[i].size,
                             "be small enough for partial_levels: at most 1048576 ways to fill "
                             "the inner levels");
    }
    for (;;) {
        uint64_t gpus = 1;
        for (int i = 0; i < inner; i++)
            gpus *= sizes[i];
        bool possible = has_degrees(work, gpus) && fixed_gpus % gpus == 0;
        if (possible && !add_class(classes, sizes, fixed_gpus))
            return no_memory(error);
        for (level = 0; level < inner && sizes[level] == 1; level++)
            sizes[level] = whole[level];
        if (level == inner)
            return DT_OK;
        sizes[level]--;
    }
}

DtStatus dt_classes_make(DtClasses *classes, const DtWork *work, const DtSearchOptions *options,
                         double min_gpus, DtError *error)
{
    const DtNetwork *network = work->run.network;
    const DtGpuCounts *gpus = &options->gpus;
    uint64_t sizes[DT_MAX_LEVELS] = {0};
    bool fixed = gpus->min == gpus->max;
    if (options->partial_levels)
        return add_partial(classes, work, fixed ? gpus->min : 0, gpus->max, error);
    if (fixed) {
        DtStatus status = dt_plan_level_sizes(network, gpus->min, sizes, error);
        if (status)
            return status;
        return add_class(classes, sizes, gpus->min) ? DT_OK : no_memory(error);
    }
    for (int i = 0; i < network->num_levels - 1; i++)
        sizes[i] = network->level[i].size;
    if (!add_class(classes, sizes, 0))
        return no_memory(error);
    return add_small_clusters(classes, work, dt_max(min_gpus, (double)gpus->min), (double)gpus->max,
                              error);
}
