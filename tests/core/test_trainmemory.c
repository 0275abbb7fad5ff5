/* Memory of real training runs.
 * Right values: arXiv 2205.05198, figures 1 and 7 (activations of the 22B and 175B models), and
 * peaks measured with Megatron-LM on B200 (tests/reference/measured/simumax_b200.csv). */
#include "check.h"
#include "core/trainmemory.h"
#include "train_fixtures.h"

static double activations(double layers, double d_model, double heads, double b, double pp,
                          double v, bool sequence, DtRecompute recompute)
{
    DtTransformer model = fix_gpt(layers, d_model, heads);
    DtSoftware software = fix_megatron_2021();
    DtTrainPlan plan = fix_trainplan();
    DtError error;
    plan.tp = 8;
    plan.pp = pp;
    plan.interleave = v;
    plan.microbatch = b;
    plan.batch = 64 * b;
    plan.sequence_parallel = sequence;
    plan.recompute = recompute;
    CHECK(dt_trainplan_complete(&plan, &model, &error) == DT_OK);
    return dt_stage_memory(&model, &plan, &software, 0, layers / pp, 0).activations_bytes;
}

static void korthikanti(void)
{
    double full = activations(48, 6144, 64, 4, 1, 1, false, DT_RECOMPUTE_NONE);
    CHECK_CASE("22B");
    CHECK_CLOSE(full, 59.25 * FIX_GIB, 0.01);
    CHECK_CLOSE(activations(48, 6144, 64, 4, 1, 1, true, DT_RECOMPUTE_SELECTIVE), 9.5625 * FIX_GIB,
                0.02);
    CHECK_CLOSE(activations(48, 6144, 64, 4, 1, 1, true, DT_RECOMPUTE_NONE) / full, 0.6684, 0.01);
    CHECK_CLOSE(activations(48, 6144, 64, 4, 1, 1, false, DT_RECOMPUTE_SELECTIVE) / full, 0.4942,
                0.01);
    CHECK_CLOSE(activations(48, 6144, 64, 4, 1, 1, false, DT_RECOMPUTE_FULL) / full, 0.0764, 0.01);
    CHECK_CASE("175B");
    full = activations(96, 12288, 96, 1, 8, 3, false, DT_RECOMPUTE_NONE);
    CHECK_CLOSE(full, 66.84375 * FIX_GIB, 0.02);
    CHECK_CLOSE(activations(96, 12288, 96, 1, 8, 3, true, DT_RECOMPUTE_SELECTIVE),
                12.3515625 * FIX_GIB, 0.02);
}

/* Llama 3 70B cut to 12 layers, eight B200, distributed optimizer: peaks in GiB. */
static void measured_peaks(void)
{
    static const struct {
        double tp, pp, GiB;
    } rows[] = {{1, 2, 66.55}, {2, 1, 60.68}, {4, 1, 39.07}, {8, 1, 28.29}};
    DtTransformer model = fix_llama(12, 8192, 28672, 64, 8, 128256, 4096);
    DtSoftware software = fix_megatron_core();
    DtMachine machine = fix_machine_h100();
    DtError error;
    machine.memory_bytes = 178.4 * FIX_GIB;
    for (int i = 0; i < 4; i++) {
        DtTrainPlan plan = fix_trainplan();
        CHECK_CASE("tp %g, pp %g", rows[i].tp, rows[i].pp);
        plan.gpus = 8;
        plan.tp = rows[i].tp;
        plan.pp = rows[i].pp;
        plan.batch = 4 * 8 / rows[i].tp / rows[i].pp;
        plan.sequence_parallel = plan.tp > 1;
        plan.zero = 1;
        CHECK(dt_trainplan_complete(&plan, &model, &error) == DT_OK);
        DtTrainMemory memory = dt_train_memory(&model, &plan, &software, &machine);
        CHECK_CLOSE(memory.worst.allocated_bytes, rows[i].GiB * FIX_GIB, 0.01);
        CHECK(memory.verdict == DT_FITS);
    }
}

/* 70 billion parameters on one GPU: 18 bytes each. */
static void too_big(void)
{
    DtTransformer model = fix_llama(80, 8192, 28672, 64, 8, 128256, 8192);
    DtSoftware software = fix_megatron_core();
    DtMachine machine = fix_machine_h100();
    DtTrainPlan plan = fix_trainplan();
    DtError error;
    plan.gpus = 1;
    CHECK(dt_trainplan_complete(&plan, &model, &error) == DT_OK);
    DtTrainMemory memory = dt_train_memory(&model, &plan, &software, &machine);
    CHECK(memory.verdict == DT_TOO_BIG);
    CHECK_STR(memory.largest, "optimizer");
    CHECK_CLOSE(memory.worst.weights_bytes, 2 * 70553706496.0, 1e-9);
    CHECK_CLOSE(memory.worst.optimizer_bytes, 12 * 70553706496.0, 1e-9);
}

int main(void)
{
    korthikanti();
    measured_peaks();
    too_big();
    return check_finish("trainmemory");
}
