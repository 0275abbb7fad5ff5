/* Random plans by the formulas written a second time (naive_cost.h), and what must hold for all:
 * the exposed parts add up to the time, and single kinds of communication agree. */
#include "check.h"
#include "fixtures.h"
#include "naive_cost.h"

#define CLOSE 1e-11

typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtModel model;
    DtRun run;
    DtPlan plan;
} Case;

static void random_network(FixRandom *random, DtNetwork *network)
{
    int levels = 1 + (int)fix_below(random, fix_once_in(random, 4) ? DT_MAX_LEVELS : 4);
    memset(network, 0, sizeof *network);
    for (int i = 0; i < levels; i++)
        fix_level(network, i < levels - 1 ? 8 : 0,
                  fix_once_in(random, 10) ? INFINITY : fix_between(random, 1e8, 1e12),
                  fix_once_in(random, 10) ? 0 : fix_between(random, 1e-8, 1e-1));
}

/* A degree as a product of parts on the levels; their number of levels may be one with part 1. */
static void random_degree(FixRandom *random, Case *c, DtKind kind, uint64_t most)
{
    static const uint64_t parts[] = {1, 1, 1, 2, 3, 4};
    for (int i = 0; i < c->network.num_levels; i++) {
        uint64_t part = FIX_ONE_OF(random, parts);
        if (c->plan.degree[kind] * part > most)
            continue;
        c->plan.part[kind][i] = part;
        c->plan.degree[kind] *= part;
    }
}

/* A legal plan first, then a model that it divides. */
static void random_case(FixRandom *random, Case *c)
{
    static const uint64_t scale[] = {1, 1, 2, 3, 5, 8};
    c->gpu = fix_once_in(random, 2) ? fix_h100() : fix_gtx580();
    random_network(random, &c->network);
    c->plan = fix_plan();
    random_degree(random, c, DT_DP, 1000);
    random_degree(random, c, DT_TP_MODEL, 100);
    random_degree(random, c, DT_TP_FF, 100);
    if (!fix_once_in(random, 4))
        random_degree(random, c, DT_PP, 40);
    if (!fix_once_in(random, 2))
        random_degree(random, c, DT_EP, 20);
    DtPlan *plan = &c->plan;
    plan->microbatches = 1 + fix_below(random, 3 * plan->degree[DT_PP]);
    plan->zero_bubble = plan->microbatches >= 2 * plan->degree[DT_PP] && !fix_once_in(random, 3);
    plan->recompute = fix_once_in(random, 3);
    if (plan->degree[DT_PP] > 1 && !plan->zero_bubble)
        plan->interleave = FIX_ONE_OF(random, scale);
    uint64_t experts = plan->degree[DT_EP] * FIX_ONE_OF(random, scale);
    c->model =
        fix_model(plan->degree[DT_TP_MODEL] * (1 + fix_below(random, 3000)),
                  plan->degree[DT_TP_FF] * (1 + fix_below(random, 3000)),
                  plan->degree[DT_PP] * plan->interleave * FIX_ONE_OF(random, scale), experts,
                  1 + fix_below(random, 3000), plan->degree[DT_DP] * plan->microbatches * experts);
    c->run = fix_run(&c->gpu, &c->network, &c->model);
    c->run.overlap =
        (DtOverlap){fix_once_in(random, 2), fix_once_in(random, 2), fix_once_in(random, 2)};
    c->run.zero_bubble_latency = fix_once_in(random, 2) ? DT_LATENCY_EXPOSED : DT_LATENCY_HIDDEN;
}

/* All layers' boundaries across the slowest level. The core has the transfers as fixed +
 * v * per_chunk, whose parts may each be as large and cancel: it is right but for their
 * rounding. */
static NaiveComm most_pp_ep(const Case *c, double N)
{
    NaiveTransfer t = naive_transfer(&c->run, N);
    NaiveComm most = {0, 0};
    t.words = (double)c->model.d_model;
    t.par = naive_tokens(&c->model);
    t.seq = 2 * (double)c->model.layers;
    for (int i = 0; i < c->network.num_levels; i++) {
        NaiveComm at = naive_p2p(&t, i);
        most.bandwidth_s = fmax(most.bandwidth_s, at.bandwidth_s);
        most.latency_s = fmax(most.latency_s, at.latency_s);
    }
    return most;
}

static bool near(double actual, double expected, double most)
{
    return fabs(actual - expected) <= CLOSE * expected + 1e-14 * most;
}

static void check_cost(const Case *c)
{
    NaiveCost expected = naive_cost(&c->run, &c->plan);
    double exposed;
    DtWork work;
    DtCost cost;
    CHECK_INT(dt_plan_check(&c->plan, &c->model, NULL), DT_OK);
    dt_work_prepare(&work, &c->run);
    dt_cost_evaluate(&work, &c->plan, &cost);
    CHECK_CLOSE(cost.time_s, expected.time_s, CLOSE);
    CHECK_CLOSE(cost.step_s, expected.batch_s, CLOSE);
    CHECK_CLOSE(cost.utilization_frac, expected.utilization, CLOSE);
    CHECK_CLOSE(cost.compute_s, expected.compute_s, CLOSE);
    CHECK_CLOSE(cost.tp_s, expected.tp_s, CLOSE);
    CHECK_CLOSE(cost.dp_s, expected.dp_s, CLOSE);
    NaiveComm most = most_pp_ep(c, (double)cost.num_gpus);
    CHECK(near(cost.step.pp_ep_s, expected.batch.pe.bandwidth_s, 1.5 * most.bandwidth_s));
    CHECK(near(cost.step.pp_ep_latency_s, expected.batch.pe.latency_s, 1.5 * most.latency_s));
    CHECK_CLOSE(cost.step.tp_latency_s, expected.batch.tp.latency_s, CLOSE);
    CHECK_CLOSE(cost.step.dp_latency_s, expected.batch.dp.latency_s, CLOSE);
    double batches = cost.time_s / cost.step_s;
    CHECK_CLOSE(cost.pp_ep_s, batches * cost.step.pp_ep_s, CLOSE);
    CHECK(near(cost.latency_s, expected.latency_s, 1.5 * most.latency_s * batches));
    CHECK_CLOSE(cost.memory_bytes, expected.memory_bytes, CLOSE);
    CHECK_INT(cost.fits, expected.memory_bytes <= c->gpu.memory_bytes);
    exposed = cost.exposed_compute_s + cost.exposed_tp_s + cost.exposed_dp_s +
              cost.exposed_pp_ep_s + cost.exposed_bubble_s + cost.exposed_latency_s;
    CHECK_CLOSE(exposed, cost.time_s, CLOSE);
    CHECK(cost.exposed_compute_s >= 0 && cost.exposed_tp_s >= 0 && cost.exposed_dp_s >= 0 &&
          cost.exposed_pp_ep_s >= -CLOSE * cost.time_s && cost.exposed_bubble_s >= 0 &&
          cost.exposed_latency_s >= 0);
}

/* The kinds by themselves, as GPU-seconds. */
static void check_kinds(const Case *c)
{
    double N = (double)dt_plan_num_gpus(&c->plan), v = (double)c->plan.interleave;
    DtWork work;
    dt_work_prepare(&work, &c->run);
    DtComm dp = dt_comm_dp(&work, c->plan.part[DT_DP]);
    DtSpread model, ff;
    dt_spread(&work, DT_TP_MODEL, c->plan.part[DT_TP_MODEL], &model);
    dt_spread(&work, DT_TP_FF, c->plan.part[DT_TP_FF], &ff);
    DtComm tp = dt_comm_tp(&work, &model, &ff);
    DtChunkedComm chunked = dt_comm_pp_ep(&work, c->plan.part[DT_PP], c->plan.part[DT_EP]);
    DtComm pe = dt_comm_at(&chunked, v);
    NaiveComm dp_by_hand = naive_dp(&c->run, N, c->plan.part[DT_DP]);
    NaiveComm tp_by_hand = naive_tp(&c->run, N, c->plan.part[DT_TP_MODEL], c->plan.part[DT_TP_FF]);
    NaiveComm pe_by_hand = naive_pp_ep(&c->run, N, c->plan.part[DT_PP], c->plan.part[DT_EP], v);
    NaiveComm most = most_pp_ep(c, N);
    CHECK_CLOSE(dp.gpu_s, N * dp_by_hand.bandwidth_s, CLOSE);
    CHECK_CLOSE(dp.latency_s, dp_by_hand.latency_s, CLOSE);
    CHECK_CLOSE(tp.gpu_s, N * tp_by_hand.bandwidth_s, CLOSE);
    CHECK_CLOSE(tp.latency_s, tp_by_hand.latency_s, CLOSE);
    CHECK(near(pe.gpu_s, N * pe_by_hand.bandwidth_s, N * most.bandwidth_s));
    CHECK(near(pe.latency_s, pe_by_hand.latency_s, most.latency_s));
}

int main(void)
{
    FixRandom random = fix_random(4);
    int one_layer = 0, late = 0, few = 0, zero_bubble = 0;
    for (int round = 0; round < FIX_ROUNDS(4000); round++) {
        static Case c;
        random_case(&random, &c);
        CHECK_CASE("round %d", round);
        check_cost(&c);
        check_kinds(&c);
        one_layer += c.model.layers == 1;
        few += c.plan.microbatches < c.plan.degree[DT_PP];
        zero_bubble += c.plan.zero_bubble;
        NaiveCost cost = naive_cost(&c.run, &c.plan);
        late += c.plan.zero_bubble && c.run.zero_bubble_latency == DT_LATENCY_EXPOSED &&
                cost.batch.tp.latency_s + cost.batch.pe.latency_s > cost.batch.compute_s;
    }
    CHECK_CASE("what was meant to occur did");
    CHECK(one_layer > FIX_ROUNDS(40) && late > FIX_ROUNDS(40) && few > FIX_ROUNDS(200) &&
          zero_bubble > FIX_ROUNDS(400));
    return check_finish("cost_random");
}
