/* Collectives by hand and by figures of the paper authors' own program; errors of networks. */
#include "check.h"
#include "fixtures.h"

static void check_collective(DtCollective actual, double latency_s, double bandwidth_s,
                             double relative)
{
    CHECK_CLOSE(actual.latency_s, latency_s, relative);
    CHECK_CLOSE(actual.bandwidth_s, bandwidth_s, relative);
}

/* Level 1: 1000 B/s, so 500 in each direction; 0.25 s. 3 peers, 400 B, 8 GPUs, 5 one after another,
 * 6 at once.
 *   point to point: 400 * 5 * 6 / (8 * 500) = 3 s, latency 5 * 0.25 = 1.25 s
 *   all-reduce: 2 (3 - 1) * 3 = 12 s, latency 2 * 1.25 = 2.5 s */
static void by_hand(void)
{
    DtNetwork network = fix_two_levels(64, 1000, 0.25);
    DtTransfer transfer = {
        .level = 1, .participants = 3, .bytes = 400, .num_gpus = 8, .sequential = 5, .parallel = 6};
    CHECK_CASE("by hand");
    check_collective(dt_network_p2p(&network, &transfer), 1.25, 3, 0);
    check_collective(dt_network_allreduce(&network, &transfer), 2.5, 12, 0);
    CHECK_CASE("the other level"); /* 400 * 30 / (8 * 32) = 46.875 */
    transfer.level = 0;
    network.level[0].latency_s = 2;
    check_collective(dt_network_p2p(&network, &transfer), 10, 46.875, 0);
    check_collective(dt_network_allreduce(&network, &transfer), 20, 187.5, 0);
    CHECK_CASE("nobody to reduce with");
    transfer.participants = 1;
    check_collective(dt_network_allreduce(&network, &transfer), 0, 0, 0);
    check_collective(dt_network_p2p(&network, &transfer), 10, 46.875, 0);
    CHECK_CASE("infinite bandwidth");
    transfer.participants = 3;
    network.level[0].bandwidth_Bps = INFINITY;
    check_collective(dt_network_allreduce(&network, &transfer), 20, 0, 0);
    check_collective(dt_network_p2p(&network, &transfer), 10, 0, 0);
    CHECK_CASE("no latency");
    network.level[0].latency_s = 0;
    check_collective(dt_network_allreduce(&network, &transfer), 0, 0, 0);
}

static void reference(void)
{
    static const struct {
        DtNetwork (*network)(void);
        double word_bytes;
        int level;
        double participants, words, cluster, sequential, parallel;
        double allreduce_latency_s, allreduce_s, p2p_latency_s, p2p_s;
    } rows[] = {
        {fix_gtx580_network, 4, 1, 5, 388257066, 131072, 79, 800806, 0.00079, 11993.441626767815,
         0.000395, 1499.180203345977},
        {fix_v100_network, 2, 0, 5, 77774814, 2097152, 150, 560645, 0.0003375, 0.3326725814440155,
         0.00016875, 0.04158407268050194},
        {fix_gtx580_network, 4, 1, 3, 902882129, 128, 823, 702801, 0.00823, 130557934.79173994,
         0.004115, 32639483.697934985},
        {fix_gtx580_network, 4, 1, 1, 670347911, 4194304, 994, 356225, 0.0, 0.0, 0.00497,
         452.7319268959029},
        {fix_gtx580_network, 4, 0, 2, 731861017, 4194304, 662, 223771, 0.00662, 51.696423445911805,
         0.00331, 25.848211722955902},
        {fix_h100_network, 2, 0, 5, 602546119, 65536, 757, 543614, 0.00170325, 134.5254161198394,
         0.000851625, 16.815677014979926},
        {fix_a100_network, 2, 0, 5, 886966622, 16, 971, 370938, 0.00218475, 1064894.4857044145,
         0.001092375, 133111.81071305182},
        {fix_h100_network, 2, 1, 4, 931517874, 1024, 71, 341238, 0.00015975, 5289.5437585427,
         7.9875e-05, 881.5906264237833},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DtNetwork network = rows[i].network();
        DtTransfer transfer = {.level = rows[i].level,
                               .participants = rows[i].participants,
                               .bytes = rows[i].words * rows[i].word_bytes,
                               .num_gpus = rows[i].cluster,
                               .sequential = rows[i].sequential,
                               .parallel = rows[i].parallel};
        CHECK_CASE("reference %zu", i);
        check_collective(dt_network_allreduce(&network, &transfer), rows[i].allreduce_latency_s,
                         rows[i].allreduce_s, 1e-12);
        check_collective(dt_network_p2p(&network, &transfer), rows[i].p2p_latency_s, rows[i].p2p_s,
                         1e-12);
    }
}

static void inner_sizes(void)
{
    DtNetwork network = fix_four_levels();
    CHECK_CASE("inner sizes");
    CHECK_INT(dt_network_inner_size(&network), 8 * 32 * 16);
    network = fix_h100_network();
    CHECK_INT(dt_network_inner_size(&network), 8);
    memset(&network, 0, sizeof network);
    fix_level(&network, 0, 1, 1);
    CHECK_INT(dt_network_inner_size(&network), 1);
}

static void check_refused(const DtNetwork *network, const char *field, double value, int index)
{
    DtError error = {.status = DT_OK};
    CHECK_INT(dt_network_check(network, &error), DT_INVALID);
    CHECK_INT(dt_network_check(network, NULL), DT_INVALID);
    CHECK_STR(error.field, field);
    CHECK_CLOSE(error.value, value, 0);
    CHECK_INT(error.index, index);
    CHECK(error.rule && *error.rule);
}

static void errors(void)
{
    DtNetwork network;
    memset(&network, 0, sizeof network);
    CHECK_CASE("no levels");
    check_refused(&network, "network", 0, -1);
    CHECK_CASE("1 and 8 levels");
    fix_level(&network, 0, 1, 1);
    CHECK_INT(dt_network_check(&network, NULL), DT_OK);
    network.num_levels = 8;
    for (int i = 0; i < 8; i++) {
        network.level[i].size = i < 7 ? 2 : 0;
        network.level[i].bandwidth_Bps = 1;
    }
    CHECK_INT(dt_network_check(&network, NULL), DT_OK);
    CHECK_CASE("9 levels");
    network.num_levels = 9;
    check_refused(&network, "network", 9, -1);
    CHECK_CASE("an outermost level with a size");
    network = fix_four_levels();
    network.level[3].size = 4;
    check_refused(&network, "size", 4, 3);
    for (uint64_t size = 0; size < 2; size++) {
        CHECK_CASE("an inner level of size %llu", (unsigned long long)size);
        network = fix_four_levels();
        network.level[1].size = size;
        check_refused(&network, "size", (double)size, 1);
    }
    CHECK_CASE("figures out of range");
    network = fix_four_levels();
    network.level[2].bandwidth_Bps = 1e31;
    check_refused(&network, "bandwidth", 1e31, 2);
    network = fix_four_levels();
    network.level[3].latency_s = 1e-31;
    check_refused(&network, "latency", 1e-31, 3);
}

/* 2^31 * 2^31 = 2^62 GPUs are the most; 2^31 * 2^31 * 2 are too many, as are 2^62 * 3. */
static void too_many_gpus(void)
{
    DtNetwork network;
    memset(&network, 0, sizeof network);
    CHECK_CASE("2^62 GPUs");
    fix_level(&network, (uint64_t)1 << 31, 1, 1);
    fix_level(&network, (uint64_t)1 << 31, 1, 1);
    fix_level(&network, 0, 1, 1);
    CHECK_INT(dt_network_check(&network, NULL), DT_OK);
    CHECK_INT(dt_network_inner_size(&network), (long long)1 << 62);
    CHECK_CASE("2^63 GPUs");
    network.level[2].size = 2;
    fix_level(&network, 0, 1, 1);
    check_refused(&network, "size", 2, 2);
    CHECK_CASE("3 * 2^62 GPUs");
    network.level[0].size = (uint64_t)1 << 62;
    network.level[1].size = 3;
    check_refused(&network, "size", 3, 1);
}

/* What a level's bandwidth and latency may be, by their rows. */
static void field_ranges(void)
{
    static const struct {
        const char *field;
        double value;
        bool allowed;
    } rows[] = {{"bandwidth", 1, true},       {"bandwidth", INFINITY, true},
                {"bandwidth", 0, false},      {"bandwidth", NAN, false},
                {"latency", 0, true},         {"latency", -1, false},
                {"latency", INFINITY, false}, {"latency", NAN, false},
                {"bandwidth", 1e30, true},    {"bandwidth", 1.001e30, false},
                {"bandwidth", 1e-30, true},   {"bandwidth", 9.99e-31, false},
                {"latency", 1e30, true},      {"latency", 1.001e30, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int j = 0; j < DT_LEVEL_NUM_FIELDS; j++)
            if (strcmp(dt_level_fields[j].name, rows[i].field) == 0) {
                CHECK_CASE("%s = %g", rows[i].field, rows[i].value);
                CHECK_INT(dt_field_check(&dt_level_fields[j], rows[i].value, NULL),
                          rows[i].allowed ? DT_OK : DT_INVALID);
            }
}

int main(void)
{
    by_hand();
    reference();
    inner_sizes();
    errors();
    too_many_gpus();
    field_ranges();
    return check_finish("network");
}
