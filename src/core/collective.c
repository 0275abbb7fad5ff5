#include "collective.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const dt_operation_names[DT_NUM_OPERATIONS] = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "point_to_point"};

static double rate_Bps(const DtGroup *g)
{
    return g->nodes > 1 ? g->out_Bps : g->in_Bps;
}

/* A ring passes every node boundary once and every other link inside a node. */
static double ring_latency_s(const DtGroup *g)
{
    if (g->nodes <= 1)
        return g->hop_in_s * (g->ranks - 1);
    return g->hop_out_s * g->nodes + g->hop_in_s * (g->ranks - g->nodes);
}

static double ring_once(const DtGroup *g, double bytes, double calls)
{
    double share = (g->ranks - 1) / g->ranks;
    return bytes * share / rate_Bps(g) + calls * (ring_latency_s(g) + g->call_s);
}

static double ring_all_reduce(const DtGroup *g, double bytes, double calls)
{
    double share = 2 * (g->ranks - 1) / g->ranks;
    return bytes * share / rate_Bps(g) + calls * (2 * ring_latency_s(g) + g->call_s);
}

static double tree_all_reduce(const DtGroup *g, double bytes, double calls)
{
    if (g->nodes <= 1)
        return ring_all_reduce(g, bytes, calls);
    double transfer_s = bytes * 2 * (g->ranks - 1) / g->ranks / rate_Bps(g);
    double depth = log2(g->nodes);
    double fill_s = g->tree_pipe * sqrt(transfer_s / calls * depth);
    return transfer_s + calls * (g->tree_s * depth + fill_s + g->call_s);
}

static double doubling_all_reduce(const DtGroup *g, double bytes, double calls)
{
    double inside = log2(g->per_node);
    double outside = g->nodes > 1 ? log2(g->nodes) : 0;
    double transfer_s = bytes * (inside / g->in_Bps + outside / g->out_Bps);
    return transfer_s + calls * (inside * g->hop_in_s + outside * g->tree_s + g->call_s);
}

/* Reduce-scatter inside, all-reduce of the shards between nodes, all-gather inside. */
static double hierarchical_all_reduce(const DtGroup *g, double bytes, double calls)
{
    if (g->nodes <= 1 || g->per_node <= 1)
        return ring_all_reduce(g, bytes, calls);
    double inside_s = 2 * bytes * (g->per_node - 1) / g->per_node / g->in_Bps;
    double outside_s = 2 * bytes * (g->nodes - 1) / g->nodes / g->out_Bps;
    double latency_s = 2 * g->hop_in_s * (g->per_node - 1) + 2 * g->hop_out_s * (g->nodes - 1);
    return inside_s + outside_s + calls * (latency_s + 3 * g->call_s);
}

static double switch_all_reduce(const DtGroup *g, double bytes, double calls)
{
    double depth = g->nodes > 1 ? log2(g->nodes) : 0;
    return bytes / rate_Bps(g) + calls * (2 * g->hop_in_s + depth * g->hop_out_s + g->call_s);
}

static double pairwise_all_to_all(const DtGroup *g, double bytes, double calls)
{
    double away = g->nodes > 1 ? (g->ranks - g->per_node) / g->ranks : 0;
    double near = (g->ranks - 1) / g->ranks - away;
    double card_Bps = g->out_Bps / g->per_node;
    double latency_s = g->hop_in_s * (g->per_node - 1) + g->hop_out_s * (g->nodes - 1);
    double inside_s = bytes * near / g->in_Bps;
    double outside_s = away > 0 ? bytes * away / card_Bps : 0;
    return (inside_s > outside_s ? inside_s : outside_s) + calls * (latency_s + g->call_s);
}

static double ring_broadcast(const DtGroup *g, double bytes, double calls)
{
    return bytes / rate_Bps(g) + calls * (ring_latency_s(g) + g->call_s);
}

static double send(const DtGroup *g, double bytes, double calls)
{
    bool away = g->nodes > 1;
    double Bps = away ? g->out_Bps / g->per_node : g->in_Bps;
    return bytes / Bps + calls * ((away ? g->hop_out_s : g->hop_in_s) + g->call_s);
}

#define RING "Thakur, Rabenseifner and Gropp (2005), Optimization of collective communication"
#define TREE "Sanders, Speck and Traeff (2009), Two-tree algorithms; fill term fitted to a curve"

const DtAlgorithm dt_algorithms[] = {
    {"ring", DT_ALL_REDUCE, true, ring_all_reduce,
     "2 V (p-1)/p / B + c (2 (a_out n + a_in (p-n)) + a)", RING},
    {"tree", DT_ALL_REDUCE, true, tree_all_reduce,
     "2 V (p-1)/p / B + c (a_tree log2 n + f sqrt(W/B log2 n) + a)", TREE},
    {"recursive_doubling", DT_ALL_REDUCE, false, doubling_all_reduce,
     "log2(g) (V/B_in + a_in) + log2(n) (V/B_out + a_tree) + a", RING},
    {"hierarchical", DT_ALL_REDUCE, false, hierarchical_all_reduce,
     "2 V (g-1)/g / B_in + 2 V (n-1)/n / B_out + latencies of both rings", RING},
    {"in_network", DT_ALL_REDUCE, false, switch_all_reduce, "V / B + c (2 a_in + a_out log2 n + a)",
     "Graham et al. (2016), SHARP"},
    {"ring", DT_ALL_GATHER, true, ring_once, "V (p-1)/p / B + c (a_out n + a_in (p-n) + a)", RING},
    {"ring", DT_REDUCE_SCATTER, true, ring_once, "V (p-1)/p / B + c (a_out n + a_in (p-n) + a)",
     RING},
    {"pairwise", DT_ALL_TO_ALL, true, pairwise_all_to_all,
     "max(V near / B_in, V away / B_card) + c (a_in (g-1) + a_out (n-1) + a)", RING},
    {"ring", DT_BROADCAST, true, ring_broadcast, "V / B + c (a_out n + a_in (p-n) + a)", RING},
    {"send", DT_POINT_TO_POINT, true, send, "V / B + c (hop + a)", RING},
};
const int dt_num_algorithms = (int)(sizeof dt_algorithms / sizeof dt_algorithms[0]);

double dt_collective_s(const DtGroup *group, DtOperation operation, double bytes, double calls,
                       int *chosen)
{
    double best = INFINITY;
    if (chosen)
        *chosen = -1;
    if (group->ranks <= 1)
        return 0;
    for (int i = 0; i < dt_num_algorithms; i++) {
        const DtAlgorithm *a = &dt_algorithms[i];
        bool in_network = a->time_s == switch_all_reduce && group->in_network;
        /* Measured all-reduces between nodes follow the tree at every size. */
        if (a->time_s == ring_all_reduce && group->nodes > 1)
            continue;
        if (a->operation != operation || !(a->usual || in_network))
            continue;
        double time_s = a->time_s(group, bytes, calls);
        if (time_s < best) {
            best = time_s;
            if (chosen)
                *chosen = i;
        }
    }
    return best;
}

int dt_algorithm_find(DtOperation operation, const char *name)
{
    for (int i = 0; i < dt_num_algorithms; i++)
        if (dt_algorithms[i].operation == operation && strcmp(dt_algorithms[i].name, name) == 0)
            return i;
    return -1;
}

double dt_collective_bus_Bps(const DtGroup *group, DtOperation operation, double bytes,
                             double time_s)
{
    double share = (group->ranks - 1) / group->ranks;
    double factor = operation == DT_ALL_REDUCE       ? 2 * share
                    : operation == DT_ALL_GATHER     ? share
                    : operation == DT_REDUCE_SCATTER ? share
                    : operation == DT_ALL_TO_ALL     ? share
                                                     : 1;
    return bytes * factor / time_s;
}
