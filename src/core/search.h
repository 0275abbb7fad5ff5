/* search.h: the best plan for a model on given hardware.
 *
 * Three spaces of plans. `paper` is the search of arXiv 2411.01137 (appendix on the search, and the
 * authors' simulator): clusters of sparsity * 2^i GPUs, EP = gcd(N, sparsity), TP split nearly
 * square, few microbatch counts, full interleaving. `wide` keeps those rules but takes every
 * cluster size that some plan has and every split of TP. `exhaustive` takes every legal plan.
 *
 * How: costs are tabulated by kind of parallelism and joined over the network levels (layout.h);
 * lower bounds cut branches that cannot beat the best plan so far. A bound only cuts what is
 * strictly worse, so pruning and the number of threads never change the answer: the winner is the
 * least in a total order (objective, step time, communication, latency, then the plan itself).
 * May include: cost.h, layout.h, pool.h.
 */
#ifndef DT_CORE_SEARCH_H
#define DT_CORE_SEARCH_H

#include "cost.h"

typedef enum { DT_SPACE_PAPER, DT_SPACE_WIDE, DT_SPACE_EXHAUSTIVE } DtSpace;

/* What to make small. */
typedef enum {
    DT_BY_UTILIZATION, /* GPU-seconds: the highest utilization */
    DT_BY_TIME,        /* seconds of the run */
    DT_BY_GPUS,        /* GPUs, which is also the cost of buying them */
    DT_BY_ENERGY,      /* joules; needs the GPU's power */
} DtObjective;

/* Which clusters are asked about. */
typedef struct {
    uint64_t min, max;    /* both the same: exactly that many */
    uint64_t multiple_of; /* 1: any */
    bool power_of_two;
    const uint64_t *list; /* if not NULL: only these, ascending */
    int num_list;
} DtGpuCounts;

typedef struct {
    DtSpace space;
    DtObjective objective;
    bool interleaved, zero_bubble; /* schedules allowed; one at least */
    bool recompute;                /* try recomputation of activations too */
    bool partial_levels;           /* inner levels may be filled in part (6 of 8 GPUs) */
    bool whole_sequences;          /* a microbatch holds at least one sequence */
    bool prune;                    /* false: evaluate all (to test the bounds) */
    double deadline_s;             /* the run takes less; INFINITY: no deadline */
    DtGpuCounts gpus;
    uint64_t min_degree[DT_NUM_KINDS], max_degree[DT_NUM_KINDS];
    uint64_t max_tp;                 /* of tp_model * tp_ff */
    int highest_level[DT_NUM_KINDS]; /* 0-based; a kind reaches no level above */
    double memory_frac;              /* of a GPU's memory that a plan may use, 0 to 1 */
    double budget_s;                 /* seconds to search at most; INFINITY: no limit */
    double budget_plans;             /* plans to consider at most; INFINITY: no limit */
    bool any_plan;                   /* the first plan found will do */
    int num_threads;                 /* 1 or more */
    int num_best;                    /* how many plans to return, best first */
    bool frontier;                   /* instead: all plans that no other beats in GPUs and time */
    bool (*stop)(void *context);     /* polled by the calling thread; may be NULL */
    void *stop_context;
    /* Called now and then by the calling thread; fraction: 0 to 1 of the search. May be NULL. */
    void (*progress)(void *context, double fraction);
    void *progress_context;
} DtSearchOptions;

/* All that is optional at its usual value: wide search, both schedules, no limits, one thread. */
DtSearchOptions dt_search_options(void);

/* Threads that a search uses: num_threads, at least 1, at most DT_MAX_THREADS. */
int dt_num_threads(const DtSearchOptions *options);

/* How a search went. */
typedef struct {
    double
        considered; /* plans (degrees, schedule, microbatches) whose time was computed or bounded */
    double pruned;  /* of these, how many a bound dismissed */
    double cut;     /* branches of the search tree dismissed as a whole */
    double seconds; /* wall-clock time */
    bool proved;    /* the whole space was searched: the winner is the best there is */
} DtSearchStats;

typedef struct {
    DtPlan *plan; /* best first (frontier: fewest GPUs first); free with dt_found_free */
    int count;
    DtSearchStats stats;
} DtFound;

void dt_found_free(DtFound *found);

/* Why no plan was found, as `rule` of the DT_INFEASIBLE error. */
extern const char *const dt_no_plan, *const dt_no_memory, *const dt_too_slow, *const dt_no_budget;

/* Working memory that searches one after another can share, so that it is got once. */
typedef struct DtSearchMemory DtSearchMemory;
DtSearchMemory *dt_search_memory_new(void); /* NULL: no memory */
void dt_search_memory_free(DtSearchMemory *memory);

/* The best plans. With gpus.min == gpus.max the cluster is given; otherwise it is part of the
 * answer (in the paper's space: the least sparsity * 2^i GPUs that meet the deadline).
 * work: from dt_work_prepare. *found is filled on DT_OK, and also on DT_INTERRUPTED or when
 * a budget ends the search, with the best so far (count may be 0).
 * Errors: DT_INFEASIBLE with the reason; DT_ILLEGAL: options that contradict each other;
 * DT_NO_MEMORY; DT_INTERRUPTED. */
DtStatus dt_search(const DtWork *work, const DtSearchOptions *options, DtFound *found,
                   DtError *error);

/* The same in memory of the caller's, for one thread at a time. */
DtStatus dt_search_in(DtSearchMemory *memory, const DtWork *work, const DtSearchOptions *options,
                      DtFound *found, DtError *error);

/* Lays given degrees over the levels in the best way: fills plan->part. plan has passed
 * dt_plan_check. Errors: DT_ILLEGAL: the degrees cannot fill the inner levels; DT_NO_MEMORY. */
DtStatus dt_search_layout(const DtWork *work, DtPlan *plan, DtError *error);

#endif
