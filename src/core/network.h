/* network.h: the network hierarchy and the collectives on it.
 *
 * Models: levels, innermost first (GPUs in a node, nodes in a pod, ...), each with a bandwidth per
 * GPU, a latency and a size; the outermost is unbounded. A bandwidth counts reads plus writes, so
 * half of it is there in each direction. Leaves out: topology inside a level, contention,
 * bandwidth that depends on message size.
 * Source: arXiv 2411.01137, section on network communication, and the authors' simulator.
 * May include: error.h, field.h.
 */
#ifndef DT_CORE_NETWORK_H
#define DT_CORE_NETWORK_H

#include <stdint.h>

#include "field.h"

enum { DT_MAX_LEVELS = 8 };

typedef struct {
    char name[DT_NAME_SIZE];
    uint64_t size;        /* units of the level below that it joins; 0: unbounded (outermost) */
    double bandwidth_Bps; /* per GPU, reads plus writes; may be infinite */
    double latency_s;     /* point to point */
} DtLevel;

typedef struct {
    int num_levels;               /* 1 to DT_MAX_LEVELS */
    DtLevel level[DT_MAX_LEVELS]; /* innermost first */
} DtNetwork;

enum { DT_LEVEL_NUM_FIELDS = 2 };
extern const DtField dt_level_fields[DT_LEVEL_NUM_FIELDS];

/* Checks number and sizes of levels, and that figures are still in range (they were checked by
 * their rows when they were given, but may have been scaled). Errors: DT_INVALID: no level or more
 * than 8, an inner level without a size, an outermost one with a size, sizes whose product passes
 * 2^62, a bandwidth or a latency out of range. */
DtStatus dt_network_check(const DtNetwork *network, DtError *error);

/* GPUs that all inner levels join together: the product of their sizes. */
uint64_t dt_network_inner_size(const DtNetwork *network);

/* A collective's time in two parts, which are overlapped or added differently. */
typedef struct {
    double latency_s, bandwidth_s;
} DtCollective;

/* What repeats and how often: `sequential` one after another, `parallel` at once over the
 * cluster's num_gpus GPUs. bytes: of one message on one participant. */
typedef struct {
    int level; /* 0: innermost */
    double participants;
    double bytes;
    double num_gpus;
    double sequential, parallel;
} DtTransfer;

/* Seconds of all-reduces among `participants` peers.
 * bandwidth = 2 (P - 1) bytes sequential parallel / (N B / 2), latency = 2 sequential tau if P > 1.
 * Source: arXiv 2411.01137, network communication. */
DtCollective dt_network_allreduce(const DtNetwork *network, const DtTransfer *transfer);

/* Seconds of point-to-point transfers.
 * bandwidth = bytes sequential parallel / (N B / 2), latency = sequential tau. Source: as above. */
DtCollective dt_network_p2p(const DtNetwork *network, const DtTransfer *transfer);

#endif
