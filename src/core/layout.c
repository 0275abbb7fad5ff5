#include "layout.h"

#include <math.h>
#include <string.h>

/* Position of a footprint from its divisors' positions on each level, level 0 fastest. */
typedef struct {
    DtDivisors divisors[DT_MAX_LEVELS];
    int num_levels;
} Radix;

static int digit_of(const Radix *radix, int footprint, int level)
{
    for (int i = 0; i < level; i++)
        footprint /= radix->divisors[i].count;
    return footprint % radix->divisors[level].count;
}

/* The footprint that times `a` gives `f`, or -1 if a does not divide f. */
static int quotient(const DtFootprints *footprints, const Radix *radix, int f, int a)
{
    int result = 0, place = 1;
    for (int i = 0; i < footprints->num_levels; i++) {
        uint64_t whole = footprints->part[f][i], part = footprints->part[a][i];
        if (whole % part != 0)
            return -1;
        result += place * dt_divisors_find(&radix->divisors[i], whole / part);
        place *= radix->divisors[i].count;
    }
    return result;
}

/* Number of ways to write every footprint as a product of two: per level, the sum over divisors
 * of their number of divisors. */
static double count_pairs(DtArena *arena, const Radix *radix)
{
    double pairs = 1;
    for (int i = 0; i < radix->num_levels; i++) {
        double level = 0;
        for (int j = 0; j < radix->divisors[i].count; j++)
            level += dt_divisors(arena, radix->divisors[i].value[j]).count;
        pairs *= level;
    }
    return pairs;
}

static void fill_pairs(DtFootprints *footprints, const Radix *radix)
{
    int next = 0;
    for (int f = 0; f < footprints->count; f++) {
        footprints->first_pair[f] = next;
        for (int a = 0; a < footprints->count; a++) {
            int b = quotient(footprints, radix, f, a);
            if (b >= 0)
                footprints->pairs[next++] = (DtFootprintPair){a, b};
        }
        footprints->complement[f] = quotient(footprints, radix, footprints->full, f);
    }
    footprints->first_pair[footprints->count] = next;
}

DtStatus dt_footprints_build(DtArena *arena, const uint64_t sizes[], int num_levels,
                             DtFootprints *footprints, DtError *error)
{
    Radix radix = {.num_levels = num_levels};
    double count = 1;
    footprints->num_levels = num_levels;
    for (int i = 0; i < num_levels; i++) {
        footprints->size[i] = sizes[i];
        radix.divisors[i] = dt_divisors(arena, sizes[i]);
        count *= radix.divisors[i].count;
    }
    double pairs = count_pairs(arena, &radix);
    if (arena->failed)
        return dt_error_set(error, DT_NO_MEMORY, "network", num_levels, "fit in memory");
    if (pairs > DT_MAX_FOOTPRINT_PAIRS)
        return dt_error_set(error, DT_INFEASIBLE, "network", num_levels,
                            "have inner levels that split in fewer ways (fewer or less composite "
                            "sizes): too many layouts to search");
    footprints->count = (int)count;
    footprints->part = dt_arena_alloc(arena, (size_t)count, sizeof *footprints->part);
    footprints->product = DT_NEW(arena, double, count);
    footprints->first_pair = DT_NEW(arena, int, count + 1);
    footprints->pairs = DT_NEW(arena, DtFootprintPair, pairs);
    footprints->complement = DT_NEW(arena, int, count);
    footprints->scratch = DT_NEW(arena, DtPpEpOption, pairs); /* the larger of the two options */
    if (arena->failed)
        return dt_error_set(error, DT_NO_MEMORY, "network", num_levels, "fit in memory");
    for (int f = 0; f < footprints->count; f++) {
        footprints->product[f] = 1;
        for (int i = 0; i < num_levels; i++) {
            footprints->part[f][i] = radix.divisors[i].value[digit_of(&radix, f, i)];
            footprints->product[f] *= (double)footprints->part[f][i];
        }
    }
    footprints->full = footprints->count - 1; /* the largest divisor of every level */
    fill_pairs(footprints, &radix);
    return DT_OK;
}

void dt_footprint_parts(const DtFootprints *footprints, int footprint, uint64_t degree,
                        uint64_t parts[])
{
    uint64_t rest = degree;
    for (int i = 0; i < footprints->num_levels; i++) {
        parts[i] = footprints->part[footprint][i];
        rest /= parts[i];
    }
    parts[footprints->num_levels] = rest;
}

/* Whether a degree can have this footprint, reaching no level above `highest`. */
static bool can_take(const DtFootprints *footprints, int footprint, uint64_t degree, int highest,
                     uint64_t parts[])
{
    if (footprints->product[footprint] > (double)degree ||
        degree % (uint64_t)footprints->product[footprint] != 0)
        return false;
    dt_footprint_parts(footprints, footprint, degree, parts);
    for (int i = highest + 1; i <= footprints->num_levels; i++)
        if (parts[i] > 1)
            return false;
    return true;
}

static bool dominates(const DtComm *a, const DtComm *b)
{
    return a->gpu_s <= b->gpu_s && a->latency_s <= b->latency_s;
}

/* Adds an option to options[first .. *end - 1] unless one there is as good, and drops those that
 * it beats. */
static void keep_tp(DtTpOption *options, int first, int *end, DtTpOption option)
{
    int kept = first;
    for (int i = first; i < *end; i++)
        if (dominates(&options[i].comm, &option.comm))
            return;
    for (int i = first; i < *end; i++)
        if (!dominates(&option.comm, &options[i].comm))
            options[kept++] = options[i];
    options[kept++] = option;
    *end = kept;
}

static void least_of(DtComm *least, const DtComm *comm)
{
    least->gpu_s = dt_min(least->gpu_s, comm->gpu_s);
    least->latency_s = dt_min(least->latency_s, comm->latency_s);
}

/* For each footprint, the least of at[a] over all footprints a that divide it. */
static DtComm *least_within(DtArena *arena, const DtFootprints *footprints, const DtComm at[])
{
    DtComm *within = DT_NEW(arena, DtComm, footprints->count);
    for (int f = 0; within && f < footprints->count; f++) {
        within[f] = (DtComm){INFINITY, INFINITY};
        for (int i = footprints->first_pair[f]; i < footprints->first_pair[f + 1]; i++)
            least_of(&within[f], &at[footprints->pairs[i].a]);
    }
    return within;
}

DtSpreads *dt_spreads(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                      const DtReach *reach, DtKind kind, uint64_t degree)
{
    uint64_t parts[DT_MAX_LEVELS];
    DtSpreads *spreads = DT_NEW(arena, DtSpreads, 1);
    if (!spreads)
        return NULL;
    spreads->spread = DT_NEW(arena, DtSpread, footprints->count);
    spreads->possible = DT_NEW(arena, bool, footprints->count);
    if (!spreads->spread || !spreads->possible)
        return NULL;
    for (int f = 0; f < footprints->count; f++) {
        spreads->possible[f] = can_take(footprints, f, degree, reach->highest[kind], parts);
        if (spreads->possible[f])
            dt_spread(work, kind, parts, &spreads->spread[f]);
    }
    return spreads;
}

DtTpTable *dt_tp_table(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                       const DtSpreads *model, const DtSpreads *ff)
{
    DtTpOption *options = footprints->scratch;
    int end = 0;
    DtTpTable *table = DT_NEW(arena, DtTpTable, 1);
    if (!table)
        return NULL;
    table->first = DT_NEW(arena, int, footprints->count + 1);
    table->least_at = DT_NEW(arena, DtComm, footprints->count);
    if (!table->first || !table->least_at)
        return NULL;
    table->least = (DtComm){INFINITY, INFINITY};
    for (int f = 0; f < footprints->count; f++) {
        int first = end;
        table->first[f] = first;
        table->least_at[f] = (DtComm){INFINITY, INFINITY};
        for (int i = footprints->first_pair[f]; i < footprints->first_pair[f + 1]; i++) {
            DtTpOption option = {{0, 0}, footprints->pairs[i].a, footprints->pairs[i].b};
            if (!model->possible[option.model_foot] || !ff->possible[option.ff_foot])
                continue;
            option.comm =
                dt_comm_tp(work, &model->spread[option.model_foot], &ff->spread[option.ff_foot]);
            least_of(&table->least_at[f], &option.comm);
            keep_tp(options, first, &end, option);
        }
        least_of(&table->least, &table->least_at[f]);
    }
    table->first[footprints->count] = end;
    table->options = DT_NEW(arena, DtTpOption, end);
    if (!table->options)
        return NULL;
    memcpy(table->options, options, (size_t)end * sizeof *options);
    return table;
}

DtDpTable *dt_dp_table(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                       const DtReach *reach, uint64_t degree)
{
    uint64_t parts[DT_MAX_LEVELS];
    DtDpTable *table = DT_NEW(arena, DtDpTable, 1);
    if (!table)
        return NULL;
    table->comm = DT_NEW(arena, DtComm, footprints->count);
    table->least = (DtComm){INFINITY, INFINITY};
    if (!table->comm)
        return NULL;
    for (int f = 0; f < footprints->count; f++) {
        table->comm[f] = (DtComm){INFINITY, INFINITY};
        if (!can_take(footprints, f, degree, reach->highest[DT_DP], parts))
            continue;
        table->comm[f] = dt_comm_dp(work, parts);
        least_of(&table->least, &table->comm[f]);
    }
    table->within = least_within(arena, footprints, table->comm);
    return table->within ? table : NULL;
}

static bool chunked_dominates(const DtChunkedComm *a, const DtChunkedComm *b)
{
    return dominates(&a->fixed, &b->fixed) && dominates(&a->per_chunk, &b->per_chunk);
}

static void keep_pp_ep(DtPpEpOption *options, int first, int *end, DtPpEpOption option)
{
    int kept = first;
    for (int i = first; i < *end; i++)
        if (chunked_dominates(&options[i].comm, &option.comm))
            return;
    for (int i = first; i < *end; i++)
        if (!chunked_dominates(&option.comm, &options[i].comm))
            options[kept++] = options[i];
    options[kept++] = option;
    *end = kept;
}

DtPpEpTable *dt_pp_ep_table(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                            const DtReach *reach, uint64_t pp_degree, uint64_t ep_degree)
{
    uint64_t pp_parts[DT_MAX_LEVELS], ep_parts[DT_MAX_LEVELS];
    DtPpEpOption *options = footprints->scratch;
    int end = 0;
    DtPpEpTable *table = DT_NEW(arena, DtPpEpTable, 1);
    if (!table)
        return NULL;
    table->first = DT_NEW(arena, int, footprints->count + 1);
    if (!table->first)
        return NULL;
    for (int f = 0; f < footprints->count; f++) {
        int first = end;
        table->first[f] = first;
        for (int i = footprints->first_pair[f]; i < footprints->first_pair[f + 1]; i++) {
            DtPpEpOption option = {
                {{0, 0}, {0, 0}}, footprints->pairs[i].a, footprints->pairs[i].b};
            if (!can_take(footprints, option.pp_foot, pp_degree, reach->highest[DT_PP], pp_parts) ||
                !can_take(footprints, option.ep_foot, ep_degree, reach->highest[DT_EP], ep_parts))
                continue;
            option.comm = dt_comm_pp_ep(work, pp_parts, ep_parts);
            keep_pp_ep(options, first, &end, option);
        }
    }
    table->first[footprints->count] = end;
    table->num_options = end;
    table->options = DT_NEW(arena, DtPpEpOption, end);
    if (!table->options)
        return NULL;
    memcpy(table->options, options, (size_t)end * sizeof *options);
    return table;
}

DtComm dt_pp_ep_least(const DtPpEpTable *table, double interleave)
{
    DtComm least = {INFINITY, INFINITY};
    for (int i = 0; i < table->num_options; i++) {
        DtComm at = dt_comm_at(&table->options[i].comm, interleave);
        least_of(&least, &at);
    }
    return least;
}

DtComm *dt_pp_ep_within(DtArena *arena, const DtPpEpTable *table, const DtFootprints *footprints,
                        double interleave)
{
    DtComm *at = DT_NEW(arena, DtComm, footprints->count);
    for (int f = 0; at && f < footprints->count; f++) {
        at[f] = (DtComm){INFINITY, INFINITY};
        for (int i = table->first[f]; i < table->first[f + 1]; i++) {
            DtComm comm = dt_comm_at(&table->options[i].comm, interleave);
            least_of(&at[f], &comm);
        }
    }
    return at ? least_within(arena, footprints, at) : NULL;
}
