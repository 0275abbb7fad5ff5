/* collective.h: how long collectives take on groups of real GPUs: a table of algorithms.
 *
 * Models: rings whose latency grows with ranks, trees whose latency grows with the logarithm of
 * nodes and whose pipeline has to fill (so that achieved bandwidth depends on message size), the
 * network cards that a node's members share. Leaves out: congestion between jobs.
 * Add an algorithm by adding its row and its function in collective.c; which of them runs is
 * decided in dt_collective_s, not in the table.
 * May include: nothing of the project.
 */
#ifndef DT_CORE_COLLECTIVE_H
#define DT_CORE_COLLECTIVE_H

#include <stdbool.h>

/* A group of ranks and its links. */
typedef struct {
    double ranks;
    double per_node; /* ranks in one fast domain */
    double nodes;    /* ranks / per_node */
    double in_Bps;   /* per GPU inside the domain, one way */
    double out_Bps;  /* between domains, what one member's share of the ring gets */
    double hop_in_s, hop_out_s, call_s;
    double tree_s;    /* a level of a tree between nodes */
    double tree_pipe; /* filling of a tree, s^0.5 */
    bool in_network;  /* switches that reduce are there */
} DtGroup;

typedef enum {
    DT_ALL_REDUCE,
    DT_ALL_GATHER,
    DT_REDUCE_SCATTER,
    DT_ALL_TO_ALL,
    DT_BROADCAST,
    DT_POINT_TO_POINT,
    DT_NUM_OPERATIONS
} DtOperation;
extern const char *const dt_operation_names[DT_NUM_OPERATIONS];

/* bytes: the whole vector on one rank, over all calls (all-gather: gathered; all-to-all: what one
 * rank holds; point-to-point: what is sent). calls: collectives that it is divided into. */
typedef struct {
    const char *name;
    DtOperation operation;
    bool usual; /* chosen among by default */
    double (*time_s)(const DtGroup *group, double bytes, double calls);
    const char *formula;
    const char *source;
} DtAlgorithm;

extern const DtAlgorithm dt_algorithms[];
extern const int dt_num_algorithms;

/* Seconds of an operation by the fastest usual algorithm (all-reduce: ring inside a domain, tree
 * between domains, in-network where switches reduce); 0 for a group of one. chosen: index of
 * it in the table, may be NULL. */
double dt_collective_s(const DtGroup *group, DtOperation operation, double bytes, double calls,
                       int *chosen);

/* Index of an operation's algorithm by its name, -1 if there is none. */
int dt_algorithm_find(DtOperation operation, const char *name);

/* Bytes per second of an operation that took time_s as benchmarks print it (bus bandwidth): bytes
 * over time, times 2 (p-1)/p for all-reduce and (p-1)/p for gathers and scatters. */
double dt_collective_bus_Bps(const DtGroup *group, DtOperation operation, double bytes,
                             double time_s);

#endif
