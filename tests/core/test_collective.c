/* Collectives on groups of real GPUs.
 * Right values: a measured NCCL all-reduce curve on nodes of eight H100 (digitized, +-4 GB/s; see
 * tests/reference/measured), textbook volumes. */
#include "check.h"
#include "core/rates.h"
#include "train_fixtures.h"

static DtRates rates_h100(void)
{
    DtCalibration calibration;
    DtRates rates;
    DtMachine machine = fix_machine_h100();
    DtSoftware software = fix_megatron_core();
    DtTrainPlan plan = fix_trainplan();
    plan.gpus = 8;
    dt_calibration_init(&calibration, false);
    dt_rates_resolve(&calibration, &machine, &software, &plan, &rates);
    return rates;
}

static void measured_curve(void)
{
    static const struct {
        double nodes, mebibytes, GBps;
    } rows[] = {{4, 128, 254.9}, {4, 16, 114.2}, {32, 1024, 290.6}, {64, 16, 44.4}};
    DtRates rates = rates_h100();
    for (int i = 0; i < 4; i++) {
        CHECK_CASE("%g nodes, %g MiB", rows[i].nodes, rows[i].mebibytes);
        DtGroup group = dt_rates_group(&rates, 8 * rows[i].nodes, 1);
        double bytes = rows[i].mebibytes * 1048576;
        double time = dt_collective_s(&group, DT_ALL_REDUCE, bytes, 1, NULL);
        double Bps = dt_collective_bus_Bps(&group, DT_ALL_REDUCE, bytes, time);
        CHECK_CLOSE(Bps, rows[i].GBps * 1e9, 0.30);
    }
}

static void groups(void)
{
    DtRates rates = rates_h100();
    CHECK_CASE("ranks in one domain");
    DtGroup group = dt_rates_group(&rates, 8, 1);
    CHECK_CLOSE(group.nodes, 1, 0);
    CHECK_CASE("every eighth GPU");
    group = dt_rates_group(&rates, 16, 8);
    CHECK_CLOSE(group.per_node, 1, 0);
    CHECK_CLOSE(group.nodes, 16, 0);
    CHECK_CASE("pairs of a domain");
    group = dt_rates_group(&rates, 16, 4);
    CHECK_CLOSE(group.per_node, 2, 0);
    CHECK_CLOSE(group.nodes, 8, 0);
    CHECK_CASE("one rank");
    group = dt_rates_group(&rates, 1, 8);
    CHECK_CLOSE(dt_collective_s(&group, DT_ALL_REDUCE, 1e9, 1, NULL), 0, 0);
}

/* Without latency an all-reduce moves 2 (p-1)/p of the vector, a gather (p-1)/p. */
static void volumes(void)
{
    DtGroup g = {.ranks = 4, .per_node = 4, .nodes = 1, .in_Bps = 1e9, .out_Bps = 1e9};
    CHECK_CLOSE(dt_collective_s(&g, DT_ALL_REDUCE, 1e9, 1, NULL), 1.5, 1e-12);
    CHECK_CLOSE(dt_collective_s(&g, DT_ALL_GATHER, 1e9, 1, NULL), 0.75, 1e-12);
    CHECK_CLOSE(dt_collective_s(&g, DT_REDUCE_SCATTER, 1e9, 1, NULL), 0.75, 1e-12);
    CHECK_CLOSE(dt_collective_s(&g, DT_ALL_TO_ALL, 1e9, 1, NULL), 0.75, 1e-12);
    CHECK_CLOSE(dt_collective_s(&g, DT_POINT_TO_POINT, 1e9, 1, NULL), 1, 1e-12);
    g.in_network = true;
    CHECK_CLOSE(dt_collective_s(&g, DT_ALL_REDUCE, 1e9, 1, NULL), 1, 1e-12);
}

/* Rings wait for every node, trees for their logarithm. */
static void latency(void)
{
    DtRates rates = rates_h100();
    DtGroup small = dt_rates_group(&rates, 1024, 1);
    DtGroup large = dt_rates_group(&rates, 2048, 1);
    double gather = dt_collective_s(&large, DT_ALL_GATHER, 1e6, 1, NULL) /
                    dt_collective_s(&small, DT_ALL_GATHER, 1e6, 1, NULL);
    double reduce = dt_collective_s(&large, DT_ALL_REDUCE, 1e6, 1, NULL) /
                    dt_collective_s(&small, DT_ALL_REDUCE, 1e6, 1, NULL);
    CHECK(gather > 1.9 && gather < 2.1);
    CHECK(reduce > 1.05 && reduce < 1.25);
}

int main(void)
{
    measured_curve();
    groups();
    volumes();
    latency();
    return check_finish("collective");
}
