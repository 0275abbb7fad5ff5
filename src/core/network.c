#include "network.h"

#define AT(member) offsetof(DtLevel, member)

/* name is optional and size depends on the position, so neither is a row. */
const DtField dt_level_fields[DT_LEVEL_NUM_FIELDS] = {
    {"bandwidth", DT_NUMBER, AT(bandwidth_Bps), "bandwidth", DT_POSITIVE_OR_INFINITE, DT_REQUIRED,
     0, "bytes per second of each GPU, reads plus writes"},
    {"latency", DT_NUMBER, AT(latency_s), "time", DT_NOT_NEGATIVE, DT_REQUIRED, 0,
     "seconds from one GPU to another"},
};

static DtStatus level_error(DtError *error, int index, const char *field, double value,
                            const char *rule)
{
    dt_error_set(error, DT_INVALID, field, value, rule);
    if (error)
        error->index = index;
    return DT_INVALID;
}

DtStatus dt_network_check(const DtNetwork *network, DtError *error)
{
    int last = network->num_levels - 1;
    double product = 1;
    if (last < 0 || last >= DT_MAX_LEVELS)
        return dt_error_set(error, DT_INVALID, "network", network->num_levels,
                            "have 1 to 8 levels");
    for (int i = 0; i <= last; i++) {
        const DtLevel *level = &network->level[i];
        if (i == last && level->size != 0)
            return level_error(error, i, "size", (double)level->size,
                               "be left out on the outermost level, which is unbounded");
        if (i < last && level->size < 2)
            return level_error(error, i, "size", (double)level->size,
                               "be a whole number, at least 2, on every level but the outermost");
        product *= i < last ? (double)level->size : 1;
        if (product > DT_COUNT_MAX)
            return level_error(error, i, "size", (double)level->size,
                               "be such that all sizes together are at most 2^62 GPUs");
        if (dt_field_check(&dt_level_fields[0], level->bandwidth_Bps, error) ||
            dt_field_check(&dt_level_fields[1], level->latency_s, error)) {
            if (error)
                error->index = i;
            return DT_INVALID;
        }
    }
    return DT_OK;
}

uint64_t dt_network_inner_size(const DtNetwork *network)
{
    uint64_t product = 1;
    for (int i = 0; i < network->num_levels - 1; i++)
        product *= network->level[i].size;
    return product;
}

DtCollective dt_network_p2p(const DtNetwork *network, const DtTransfer *transfer)
{
    const DtLevel *level = &network->level[transfer->level];
    double one_way_Bps = level->bandwidth_Bps / 2;
    DtCollective result;
    result.latency_s = transfer->sequential * level->latency_s;
    result.bandwidth_s = transfer->bytes * transfer->sequential * transfer->parallel /
                         (transfer->num_gpus * one_way_Bps);
    return result;
}

DtCollective dt_network_allreduce(const DtNetwork *network, const DtTransfer *transfer)
{
    DtCollective once = dt_network_p2p(network, transfer);
    double peers = transfer->participants - 1;
    DtCollective result = {0, 0};
    if (peers > 0) {
        result.latency_s = 2 * once.latency_s;
        result.bandwidth_s = 2 * peers * once.bandwidth_s;
    }
    return result;
}
