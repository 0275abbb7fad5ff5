/* layout.h: laying the degrees of a plan over the network levels.
 *
 * Each inner level is filled exactly: the parts of the five kinds there multiply to its size. A
 * footprint is what one kind takes of every inner level: a divisor of each size. The cost of a
 * kind depends on its own layout alone, so it is tabulated by footprint, once per degree, and a
 * whole layout is a way to write the level sizes as a product of three footprints: tensor (over
 * both dimensions), data, and pipeline with expert parallelism.
 * Source: arXiv 2411.01137 for the rule that levels are filled; the tabulation is ours.
 * May include: arena.h, cost.h, factor.h.
 */
#ifndef DT_CORE_LAYOUT_H
#define DT_CORE_LAYOUT_H

#include "arena.h"
#include "cost.h"
#include "factor.h"

/* Two footprints that multiply to a third. */
typedef struct {
    int a, b;
} DtFootprintPair;

/* All footprints on levels of given sizes. */
typedef struct {
    int num_levels; /* inner ones; 0 where the network has one level */
    uint64_t size[DT_MAX_LEVELS];
    int count;
    uint64_t (*part)[DT_MAX_LEVELS]; /* [footprint][inner level] */
    double *product;                 /* of a footprint's parts */
    int *first_pair;                 /* pairs of footprint f: first_pair[f] .. [f + 1] - 1 */
    DtFootprintPair *pairs;
    int *complement; /* the footprint that fills up f */
    int full;        /* the footprint that is the sizes themselves */
    void *scratch;   /* room for one option of a table per pair */
} DtFootprints;

/* Builds all footprints. Errors: DT_INFEASIBLE: more than DT_MAX_FOOTPRINT_PAIRS ways to split
 * the levels in two; DT_NO_MEMORY. All memory is the arena's. */
enum { DT_MAX_FOOTPRINT_PAIRS = 4000000 };
DtStatus dt_footprints_build(DtArena *arena, const uint64_t sizes[], int num_levels,
                             DtFootprints *footprints, DtError *error);

/* Highest level that each kind may reach; num_levels - 1 where it is free. */
typedef struct {
    int highest[DT_NUM_KINDS];
} DtReach;

/* Tensor parallelism of one (tp_model, tp_ff): for each footprint the layouts that no other one
 * beats in bandwidth and latency both. */
typedef struct {
    DtComm comm;
    int model_foot, ff_foot;
} DtTpOption;
typedef struct {
    int *first; /* options of footprint f: first[f] .. first[f + 1] - 1 */
    DtTpOption *options;
    DtComm *least_at; /* per footprint, each component's least over its options */
    DtComm least;     /* the same over all; infinite where no layout is possible */
} DtTpTable;

/* Data parallelism of one degree: one layout per footprint, infinite where it has none. */
typedef struct {
    DtComm *comm;
    DtComm *within; /* per footprint, each component's least over the footprints that divide it */
    DtComm least;
} DtDpTable;

/* Pipeline with expert parallelism of one (pp, ep). */
typedef struct {
    DtChunkedComm comm;
    int pp_foot, ep_foot;
} DtPpEpOption;
typedef struct {
    int *first;
    DtPpEpOption *options;
    int num_options;
} DtPpEpTable;

/* One dimension's spread of a tensor-parallel degree for every footprint. */
typedef struct {
    DtSpread *spread;
    bool *possible; /* whether the degree can have that footprint */
} DtSpreads;

/* The tables. NULL: no memory. */
DtSpreads *dt_spreads(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                      const DtReach *reach, DtKind kind, uint64_t degree);
DtTpTable *dt_tp_table(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                       const DtSpreads *model, const DtSpreads *ff);
DtDpTable *dt_dp_table(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                       const DtReach *reach, uint64_t degree);
DtPpEpTable *dt_pp_ep_table(DtArena *arena, const DtWork *work, const DtFootprints *footprints,
                            const DtReach *reach, uint64_t pp_degree, uint64_t ep_degree);

/* Least bandwidth and least latency over a table's options at an interleaving (each by itself). */
DtComm dt_pp_ep_least(const DtPpEpTable *table, double interleave);

/* The same for each footprint, over the options whose footprints divide it. NULL: no memory. */
DtComm *dt_pp_ep_within(DtArena *arena, const DtPpEpTable *table, const DtFootprints *footprints,
                        double interleave);

/* Writes the parts of a degree with a given footprint: inner levels, then the rest. */
void dt_footprint_parts(const DtFootprints *footprints, int footprint, uint64_t degree,
                        uint64_t parts[]);

#endif
