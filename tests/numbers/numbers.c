/* Prints numbers of the model for a fixed set of random cases, one value a line, so that builds by
 * several compilers and optimization levels can be compared (tests/numbers/compare.sh). */
#include "../core/fixtures.h"
#include "../core/search_case.h"

static void print(const char *name, double value)
{
    printf("%s %.17g\n", name, value);
}

static void print_matmul(FixRandom *random, const DtGpu *gpu)
{
    uint64_t d1 = 1 + fix_below(random, 100000), d2 = 1 + fix_below(random, 100000);
    uint64_t batch = 1 + fix_below(random, 5000);
    DtMatmulReport r = dt_matmul_report(gpu, d1, d2, batch, fix_once_in(random, 2));
    print("matmul_time", r.time_s);
    print("matmul_bytes", r.memory_bytes + r.l2_bytes + r.shared_bytes);
    print("matmul_efficiency", r.efficiency_frac);
}

static void print_search(Case *c)
{
    DtWork work;
    DtFound found;
    DtCost cost;
    dt_work_prepare(&work, &c->run);
    if (dt_search(&work, &c->options, &found, NULL) == DT_OK) {
        dt_cost_evaluate(&work, &found.plan[0], &cost);
        print("gpus", (double)cost.num_gpus);
        print("time", cost.time_s);
        print("utilization", cost.utilization_frac);
        print("dp", (double)found.plan[0].degree[DT_DP]);
        print("pp", (double)found.plan[0].degree[DT_PP]);
        print("microbatches", (double)found.plan[0].microbatches);
        print("exposed_tp", cost.exposed_tp_s);
        print("bubble", cost.bubble_s);
        print("latency", cost.latency_s);
        print("energy", cost.energy_J);
    } else {
        print("none", 0);
    }
    dt_found_free(&found);
}

int main(void)
{
    FixRandom random = fix_random(8);
    const DtGpu gpus[] = {fix_gtx580(), fix_v100(), fix_a100(), fix_h100()};
    for (int i = 0; i < 2000; i++)
        print_matmul(&random, &gpus[i % 4]);
    for (int i = 0; i < 1500; i++) {
        Case *c = random_case(&random);
        c->options.space = (DtSpace)(i % 3);
        if (i % 2 == 0)
            random_fixed(&random, c);
        print_search(c);
    }
    return 0;
}
