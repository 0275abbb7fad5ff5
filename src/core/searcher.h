/* searcher.h: one thread's search, inside the search's own files only.
 *
 * search.c runs the threads; clusters.c says which clusters to look at, searcher.c which degrees
 * there are, branch.c in what order they are tried; visit.c tries all plans of given degrees.
 * May include: pool.h, layout.h, factor.h.
 */
#ifndef DT_CORE_SEARCHER_H
#define DT_CORE_SEARCHER_H

#include "layout.h"
#include "pool.h"

typedef struct DtBranch DtBranch; /* in branch.c */

/* One split of tensor parallelism over the two widths. */
typedef struct {
    uint64_t model_degree, ff_degree;
    int model_index, ff_index; /* in the lists of degrees */
    double tp;
    double rank;       /* its bound when the pairs were put in order */
    double flat_gpu_s; /* least communication on any layout, GPU-seconds per batch */
    bool prepared;
    DtLayer layer;
    /* Matmul GPU-seconds per batch are at least the largest over i of constant[i] * dp *
     * microbatches + slope[i]; summed over a layer's matmuls term by term. */
    double constant[4], slope[4];
    DtTpTable *table; /* for the current class of clusters, or NULL */
} DtPair;

/* What one data-parallel degree allows. */
typedef struct {
    uint64_t replica_tokens; /* tokens of a replica's batch over the sparsity */
    DtDivisors microbatches; /* its divisors; count 0: not made yet */
    double kept_frac; /* share of the batch that the replicas process, 1 but for remainders */
    DtDpTable *table;
    DtComm onward; /* each component's least over this degree and all larger ones */
} DtReplica;

/* What one (pipeline, expert) pair of degrees allows. */
typedef struct {
    DtDivisors chunks; /* interleavings to try, with several stages and no zero bubble */
    DtPpEpTable *table;
    DtComm least_single; /* bounds at v = 1, then at each of chunks */
    DtComm *least;
    DtComm least_any;   /* the least of all of these */
    DtComm *within_any; /* per footprint, over all interleavings; NULL: not made yet */
    DtComm **within;    /* per footprint: [0] at v = 1, [i + 1] at chunks[i]; NULL: not made yet */
} DtStages;

typedef struct {
    const DtWork *work;
    const DtSearchOptions *options;
    DtShared *shared;
    bool is_caller; /* the thread that may call options->stop */
    DtPool pool;

    DtArena lists; /* what depends on the model alone */
    DtDivisors pp, ep, dp;
    DtDivisors model_degrees, ff_degrees;
    DtPair *pairs; /* by bound, ascending */
    int num_pairs;
    double least_kept_frac; /* least over the replicas */
    DtReplica *replicas;    /* [dp] */
    double sum_half_Bps, max_half_Bps, least_latency_s;

    DtArena tables; /* what depends on the class of clusters too */
    DtFootprints footprints;
    DtReach reach;
    DtSpreads **model_spreads, **ff_spreads; /* by degree; NULL: not made yet */
    DtStages *stages;                        /* [pp][ep] */
    uint64_t fixed_gpus; /* > 0: exactly that many GPUs; 0: any that fill the class */
    double class_gpus;   /* GPUs of the class's inner levels */
    double min_gpus;     /* a cluster of fewer cannot meet the deadline */

    DtBranch *branches; /* open ones, a heap when they are visited; from malloc */
    int num_branches, max_branches;

    double considered, pruned, cut;
    double next_report_s; /* when to report progress again, on the monotonic clock */
    int until_poll;
    double end_time_s; /* on the monotonic clock */
} DtSearcher;

/* Degrees chosen so far, with what follows from them. */
typedef struct {
    DtPair *pair;
    DtReplica *replica;
    DtStages *stages;
    uint64_t degree[DT_NUM_KINDS];
    double num_gpus, inverse_gpus;
    double layers, experts; /* of one stage, of one GPU */
    /* The variant under trial. */
    bool recompute, zero_bubble;
    uint64_t microbatches;
    int chunk; /* index in stages->chunks; -1: no interleaving */
} DtChoice;

static inline bool dt_exhaustive(const DtSearcher *s)
{
    return s->options->space == DT_SPACE_EXHAUSTIVE;
}

struct DtSearchMemory {
    DtArena lists, tables;
    DtBranch *branches;
    int max_branches;
};

/* searcher.c: makes a searcher with the lists of degrees that the options allow. memory: arenas to
 * take over, or NULL. false: no memory; free it all the same. */
bool dt_searcher_init(DtSearcher *searcher, const DtWork *work, const DtSearchOptions *options,
                      DtShared *shared, DtSearchMemory *memory, bool is_caller);

/* Gives the arenas back to `memory`, if it is not NULL, and frees the rest. */
void dt_searcher_free(DtSearcher *searcher, DtSearchMemory *memory);

/* Whether a cluster is one of the paper's search, where that is asked: sparsity * 2^i GPUs unless
 * the number is given. */
bool dt_paper_cluster(const DtSearcher *searcher, uint64_t gpus);

/* Puts the pairs in the order of their bounds. */
void dt_searcher_rank(DtSearcher *searcher);

/* Clusters that fill the inner network levels in the same way. */
typedef struct {
    uint64_t sizes[DT_MAX_LEVELS]; /* units in use on each inner level */
    uint64_t fixed_gpus;           /* 0: any number that fills it */
} DtClass;

/* Makes the searcher ready for a class; tables are kept where the sizes are the same. Errors: as
 * dt_footprints_build. */
DtStatus dt_searcher_enter(DtSearcher *searcher, const DtClass *class, DtError *error);

/* clusters.c: a growing list of classes; free(list) when done. */
typedef struct {
    DtClass *list;
    int count, capacity;
} DtClasses;

/* All classes that the options ask for; the first is the one of large clusters. min_gpus: fewer
 * cannot meet the deadline. Errors: DT_ILLEGAL: a given cluster fills no class, or inner levels are
 * too large to list all that fill them in part; DT_NO_MEMORY. */
DtStatus dt_classes_make(DtClasses *classes, const DtWork *work, const DtSearchOptions *options,
                         double min_gpus, DtError *error);

/* branch.c: looks at all plans of the pairs [first, end) in the current class, the most promising
 * first, and offers the best to the pool. */
void dt_visit_pairs(DtSearcher *searcher, int first, int end);

/* Chooses the data-parallel degree at `index`; the other degrees are chosen. */
void dt_choose_dp(DtSearcher *searcher, DtChoice *choice, int index);

/* Fills what the bounds and times of a pair need. */
void dt_pair_prepare(const DtSearcher *searcher, DtPair *pair);

/* A lower bound of the GPU-seconds of a batch under any plan with the pair: it communicates as on
 * a flat network, and cuts the batch into as many pieces as there are replicas times stages. */
double dt_pair_bound_gpu_s(DtSearcher *searcher, DtPair *pair);

/* Least matmul GPU-seconds of a batch cut into `pieces` (dp * microbatches). kept_frac: share of
 * the tokens that are used, below 1 only where the paper's rules drop a remainder. */
double dt_pair_compute_gpu_s(const DtPair *pair, double pieces, double kept_frac);

/* Lower bounds of a batch's seconds and of its matmuls'. */
typedef struct {
    double step_s, compute_s;
} DtBoundTimes;

/* Bounds for chosen degrees over both schedules. step: its communication times are filled with
 * lower bounds. interleaved_gpu_s: least GPU-seconds of the matmuls, bubbles included, without zero
 * bubble. A zero-bubble pipeline has at least two microbatches a stage. One that is not may have
 * fewer than one, but then loses in bubbles what it gains, so it counts as one. */
DtBoundTimes dt_bound_degrees(const DtSearcher *searcher, const DtChoice *choice, DtStep *step,
                              double interleaved_gpu_s);

/* tables.c: makes a pair's or a stage's table unless it is there; it stays NULL if there is no
 * memory. */
void dt_tables_pair(DtSearcher *searcher, DtPair *pair);
void dt_tables_stages(DtSearcher *searcher, DtStages *stages, uint64_t pp, uint64_t ep);

/* Makes the tables of all data-parallel degrees. false: no memory. */
bool dt_tables_replicas(DtSearcher *searcher);

/* Makes all that chosen degrees need. false: no memory. */
bool dt_tables_make(DtSearcher *searcher, DtChoice *choice);

/* visit.c: tries all schedules and layouts of chosen degrees. */
void dt_visit_degrees(DtSearcher *searcher, DtChoice *choice);

/* Offers a given plan in its best layout. The searcher's lists hold that plan's degrees alone.
 * false: no memory. */
bool dt_visit_plan(DtSearcher *searcher, const DtPlan *plan);

/* Whether to go on: false once interrupted, out of budget or out of memory. */
bool dt_searcher_goes_on(DtSearcher *searcher);

/* Seconds on the monotonic clock. */
double dt_clock_s(void);

#endif
