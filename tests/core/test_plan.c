/* Which plans are legal: each rule broken once, with the field and values of its error. */
#include "check.h"
#include "fixtures.h"

/* 24 x 40 widths, 12 layers, 3 experts, batches of 10 * 36 = 360 tokens. */
static DtModel toy_model(void)
{
    return fix_model(24, 40, 12, 3, 36, 10);
}

/* 2 * 3 * 5 * 4 * 3 = 360 GPUs; a replica has 180 tokens, 30 in each of 6 microbatches, 10 for each
 * expert; 3 layers a stage. */
static DtPlan legal_plan(void)
{
    DtPlan plan = fix_plan();
    static const uint64_t degrees[] = {2, 3, 5, 4, 3};
    memcpy(plan.degree, degrees, sizeof degrees);
    plan.microbatches = 6;
    return plan;
}

static void check_refused(const DtPlan *plan, const char *field, double value, const char *other,
                          double other_value)
{
    DtModel model = toy_model();
    DtError error = {.status = DT_OK};
    CHECK_INT(dt_plan_check(plan, &model, &error), DT_ILLEGAL);
    CHECK_INT(dt_plan_check(plan, &model, NULL), DT_ILLEGAL);
    CHECK_INT(error.status, DT_ILLEGAL);
    CHECK_STR(error.field, field);
    CHECK_CLOSE(error.value, value, 0);
    CHECK_STR(error.other, other);
    if (other)
        CHECK_CLOSE(error.other_value, other_value, 0);
    CHECK(error.rule && *error.rule);
}

static void check_allowed(const DtPlan *plan)
{
    DtModel model = toy_model();
    CHECK_INT(dt_plan_check(plan, &model, NULL), DT_OK);
}

static void degrees_must_divide(void)
{
    static const struct {
        DtKind kind;
        uint64_t degree;
        const char *field, *other;
        double other_value;
    } rows[] = {
        {DT_TP_MODEL, 5, "tp_model", "d_model", 24},
        {DT_TP_MODEL, 0, "tp_model", "d_model", 24},
        {DT_TP_FF, 3, "tp_ff", "d_ff", 40},
        {DT_TP_FF, 0, "tp_ff", "d_ff", 40},
        {DT_PP, 5, "pp", "layers", 12},
        {DT_PP, 24, "pp", "layers", 12},
        {DT_PP, 0, "pp", "layers", 12},
        {DT_EP, 2, "ep", "sparsity", 3},
        {DT_EP, 6, "ep", "sparsity", 3},
        {DT_EP, 0, "ep", "sparsity", 3},
        {DT_DP, 7, "dp", "the batch's tokens", 360},
        {DT_DP, 0, "dp", "the batch's tokens", 360},
    };
    DtPlan plan = legal_plan();
    CHECK_CASE("legal");
    check_allowed(&plan);
    CHECK_INT(dt_plan_num_gpus(&plan), 360);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_CASE("%s = %llu", rows[i].field, (unsigned long long)rows[i].degree);
        plan = legal_plan();
        plan.degree[rows[i].kind] = rows[i].degree;
        check_refused(&plan, rows[i].field, (double)rows[i].degree, rows[i].other,
                      rows[i].other_value);
    }
}

static void the_batch_must_divide(void)
{
    DtPlan plan = legal_plan();
    CHECK_CASE("7 microbatches of 180 tokens");
    plan.microbatches = 7;
    check_refused(&plan, "microbatches", 7, "the tokens of one data-parallel replica", 180);
    CHECK_CASE("no microbatch");
    plan.microbatches = 0;
    check_refused(&plan, "microbatches", 0, "the tokens of one data-parallel replica", 180);
    CHECK_CASE("9 microbatches of 20 tokens for 3 experts");
    plan.microbatches = 9;
    check_refused(&plan, "microbatches", 9, "the batch's tokens", 360);
    CHECK_CASE("60 microbatches of 3 tokens for 3 experts");
    plan.microbatches = 60;
    check_allowed(&plan);
    CHECK_CASE("replicas of 5 tokens for 3 experts");
    plan.degree[DT_DP] = 72;
    plan.microbatches = 1;
    check_refused(&plan, "microbatches", 1, "the batch's tokens", 360);
}

static void schedules(void)
{
    DtPlan plan = legal_plan();
    CHECK_CASE("interleave 3 of 3 layers");
    plan.interleave = 3;
    check_allowed(&plan);
    CHECK_CASE("interleave 2 of 3 layers");
    plan.interleave = 2;
    check_refused(&plan, "interleave", 2, "the layers of a pipeline stage", 3);
    CHECK_CASE("interleave 0");
    plan.interleave = 0;
    check_refused(&plan, "interleave", 0, "the layers of a pipeline stage", 3);
    CHECK_CASE("interleave 2 with one stage");
    plan.degree[DT_PP] = 1;
    plan.interleave = 2;
    check_refused(&plan, "interleave", 2, "pp", 1);
    CHECK_CASE("zero bubble with 6 microbatches for 4 stages");
    plan = legal_plan();
    plan.zero_bubble = true;
    check_refused(&plan, "microbatches", 6, "pp", 4);
    CHECK_CASE("zero bubble with 6 microbatches for 3 stages");
    plan.degree[DT_PP] = 3;
    check_allowed(&plan);
    CHECK_CASE("zero bubble with 5 microbatches for 3 stages");
    plan.microbatches = 5;
    check_refused(&plan, "microbatches", 5, "pp", 3);
    CHECK_CASE("zero bubble with one microbatch for one stage");
    plan.degree[DT_PP] = 1;
    plan.microbatches = 1;
    check_refused(&plan, "microbatches", 1, "pp", 1);
    CHECK_CASE("zero bubble with interleaving");
    plan = legal_plan();
    plan.zero_bubble = true;
    plan.microbatches = 12;
    check_allowed(&plan);
    plan.interleave = 3;
    check_refused(&plan, "interleave", 3, NULL, 0);
    CHECK_CASE("fewer microbatches than stages, recomputation");
    plan = legal_plan();
    plan.microbatches = 1;
    plan.recompute = true;
    check_allowed(&plan);
}

/* Degrees of 2^31 each: two make 2^62 GPUs, the third passes it. */
static void too_many_gpus(void)
{
    const uint64_t large = (uint64_t)1 << 31;
    DtModel model = fix_model(large, large, large, 1, 1, 1);
    DtError error = {.status = DT_OK};
    DtPlan plan = fix_plan();
    CHECK_CASE("2^62 GPUs");
    plan.degree[DT_TP_MODEL] = plan.degree[DT_TP_FF] = large;
    CHECK_INT(dt_plan_num_gpus(&plan), (long long)1 << 62);
    CHECK_INT(dt_plan_check(&plan, &model, NULL), DT_OK);
    CHECK_CASE("2^93 GPUs");
    plan.degree[DT_PP] = large;
    CHECK_INT(dt_plan_num_gpus(&plan), 0);
    CHECK_INT(dt_plan_check(&plan, &model, &error), DT_ILLEGAL);
    CHECK_STR(error.field, "plan");
    CHECK_CASE("a degree of 0");
    plan = fix_plan();
    plan.degree[DT_EP] = 0;
    CHECK_INT(dt_plan_num_gpus(&plan), 0);
}

/* Sizes of inner levels that num_gpus fill on levels of 8 and 32; expected[0] = 0: refused. */
static void level_sizes(void)
{
    static const struct {
        uint64_t num_gpus, expected[2], must_divide;
    } rows[] = {
        {256, {8, 32}, 0}, {512, {8, 32}, 0},  {768, {8, 32}, 0}, {1, {1, 1}, 0},
        {5, {5, 1}, 0},    {8, {8, 1}, 0},     {16, {8, 2}, 0},   {24, {8, 3}, 0},
        {248, {8, 31}, 0}, {12, {0, 0}, 8},    {9, {0, 0}, 8},    {264, {0, 0}, 256},
        {260, {0, 0}, 8},  {384, {0, 0}, 256},
    };
    DtNetwork network = fix_superpod();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t sizes[DT_MAX_LEVELS] = {0};
        DtError error = {.status = DT_OK};
        DtStatus status = dt_plan_level_sizes(&network, rows[i].num_gpus, sizes, &error);
        CHECK_CASE("%llu GPUs", (unsigned long long)rows[i].num_gpus);
        if (rows[i].expected[0]) {
            CHECK_INT(status, DT_OK);
            CHECK_INT(sizes[0], rows[i].expected[0]);
            CHECK_INT(sizes[1], rows[i].expected[1]);
        } else {
            CHECK_INT(status, DT_ILLEGAL);
            CHECK_STR(error.field, "n_gpus");
            CHECK_CLOSE(error.value, (double)rows[i].num_gpus, 0);
            CHECK_CLOSE(error.other_value, (double)rows[i].must_divide, 0);
        }
    }
    CHECK_CASE("one level");
    memset(&network, 0, sizeof network);
    fix_level(&network, 0, 1, 1);
    CHECK_INT(dt_plan_level_sizes(&network, 7, (uint64_t[DT_MAX_LEVELS]){0}, NULL), DT_OK);
}

/* A plan of dp and tp_ff on the superpod's three levels. */
static DtPlan plan_on_levels(const uint64_t dp[3], const uint64_t tp_ff[3])
{
    DtPlan plan = fix_plan();
    for (int i = 0; i < 3; i++) {
        plan.part[DT_DP][i] = dp[i];
        plan.part[DT_TP_FF][i] = tp_ff[i];
        plan.degree[DT_DP] *= dp[i];
        plan.degree[DT_TP_FF] *= tp_ff[i];
    }
    return plan;
}

/* Whether parts are let pass where levels must be full, and where they may be filled in part;
 * level, filled: of the error where they must be full. */
static void layouts(void)
{
    static const struct {
        uint64_t dp[3], tp_ff[3];
        bool full, partial;
        int level;
        double filled;
    } rows[] = {
        {{2, 4, 7}, {4, 8, 1}, true, true, 0, 0},     /* 8, 32, 7 */
        {{8, 32, 1}, {1, 1, 1}, true, true, 0, 0},    /* 8, 32, 1 */
        {{1, 1, 1}, {1, 1, 1}, true, true, 0, 0},     /* one GPU */
        {{2, 1, 1}, {3, 1, 1}, true, true, 0, 0},     /* 6 of 8 */
        {{2, 5, 1}, {4, 1, 1}, true, true, 0, 0},     /* 8, then 5 of 32 */
        {{2, 1, 1}, {3, 2, 1}, false, true, -1, 0},   /* 12 GPUs fill no node */
        {{2, 1, 1}, {3, 4, 1}, false, true, 0, 6},    /* 24 GPUs would fill 8, 3 */
        {{1, 3, 1}, {1, 1, 1}, false, true, 0, 1},    /* 3 GPUs on 3 nodes */
        {{8, 16, 2}, {1, 1, 1}, false, true, 1, 16},  /* 256 GPUs: 32 nodes are left empty */
        {{8, 1, 1}, {2, 1, 1}, false, false, 0, 16},  /* 16 GPUs in a node of 8 */
        {{8, 64, 1}, {1, 1, 1}, false, false, 1, 64}, /* 64 nodes in a pod of 32 */
    };
    DtNetwork network = fix_superpod();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DtPlan plan = plan_on_levels(rows[i].dp, rows[i].tp_ff);
        DtError error = {.status = DT_OK};
        CHECK_CASE("layout %zu", i);
        CHECK_INT(dt_plan_check_levels(&plan, &network, true, NULL),
                  rows[i].partial ? DT_OK : DT_ILLEGAL);
        CHECK_INT(dt_plan_check_levels(&plan, &network, false, &error),
                  rows[i].full ? DT_OK : DT_ILLEGAL);
        if (rows[i].full)
            continue;
        CHECK_STR(error.field, rows[i].level < 0 ? "n_gpus" : "levels");
        CHECK_INT(error.index, rows[i].level);
        if (rows[i].level >= 0)
            CHECK_CLOSE(error.value, rows[i].filled, 0);
    }
}

static void parts_must_multiply_to_the_degree(void)
{
    static const char *const names[] = {"dp", "tp_model", "tp_ff", "pp", "ep"};
    DtNetwork network = fix_superpod();
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        DtPlan plan = fix_plan();
        DtError error = {.status = DT_OK};
        CHECK_CASE("%s", names[kind]);
        CHECK_STR(dt_kind_names[kind], names[kind]);
        plan.degree[kind] = 12;
        plan.part[kind][0] = 4;
        plan.part[kind][2] = 3;
        CHECK_INT(dt_plan_check_parts(&plan, 3, NULL), DT_OK);
        plan.part[kind][2] = 2;
        CHECK_INT(dt_plan_check_parts(&plan, 3, &error), DT_ILLEGAL);
        CHECK_STR(error.field, names[kind]);
        CHECK_CLOSE(error.value, 12, 0);
        CHECK_CLOSE(error.other_value, 8, 0);
        CHECK_INT(dt_plan_check_levels(&plan, &network, true, NULL), DT_ILLEGAL);
        CHECK_INT(dt_plan_check_levels(&plan, &network, false, NULL), DT_ILLEGAL);
    }
}

int main(void)
{
    degrees_must_divide();
    the_batch_must_divide();
    schedules();
    too_many_gpus();
    level_sizes();
    layouts();
    parts_must_multiply_to_the_degree();
    return check_finish("plan");
}
