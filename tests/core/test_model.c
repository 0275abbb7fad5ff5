/* Parameters, FLOP and tokens of a model by hand; defaults; errors. */
#include "check.h"
#include "fixtures.h"

/* 2 * 3 * 5 * 7 * 4 = 840 parameters, 210 of them active; 20 * 840 = 16800 tokens;
 * 6 * 210 * 16800 = 21168000 FLOP; 11 * 13 = 143 tokens a batch. */
static void by_hand(void)
{
    DtModel model = fix_model(3, 5, 7, 4, 13, 11);
    CHECK_CASE("by hand");
    CHECK_CLOSE(dt_model_params(&model), 840, 0);
    CHECK_CLOSE(dt_model_active_params(&model), 210, 0);
    CHECK_CLOSE(dt_model_tokens(&model), 16800, 0);
    CHECK_CLOSE(dt_model_training_flop(&model), 21168000, 0);
    CHECK_INT(dt_model_batch_tokens(&model), 143);
    CHECK_CASE("tokens given"); /* 6 * 210 * 1000 */
    model.tokens = 1000;
    CHECK_INT(dt_model_finish(&model, NULL), DT_OK);
    CHECK_CLOSE(dt_model_tokens(&model), 1000, 0);
    CHECK_CLOSE(dt_model_training_flop(&model), 1260000, 0);
}

/* The first and the last point of the authors' H100 sweep. The last has 4.7e14 parameters. */
static void reference(void)
{
    DtModel first = fix_model(12288, 49152, 192, 1, 2048, 3584);
    DtModel last = fix_model(196608, 786432, 1536, 1, 2048, 40960);
    CHECK_CASE("reference");
    CHECK_CLOSE(dt_model_params(&first), 231928233984.0, 0);
    CHECK_CLOSE(dt_model_training_flop(&first), 6.454884686272446e+24, 1e-15);
    CHECK_INT(dt_model_batch_tokens(&first), 7340032);
    CHECK_CLOSE(dt_model_params(&last), 474989023199232.0, 0);
    CHECK_CLOSE(dt_model_training_flop(&last), 2.7073748659171267e+31, 1e-15);
}

/* 2 * 2^40 * 2^42 * 2^20 * 2^10 = 2^113 parameters, 20 * 2^113 tokens: beyond 64-bit integers. */
static void beyond_64_bits(void)
{
    DtModel model = fix_model((uint64_t)1 << 40, (uint64_t)1 << 42, 1 << 20, 1 << 10, 1, 1);
    CHECK_CASE("beyond 64 bits");
    CHECK_CLOSE(dt_model_params(&model), ldexp(1, 113), 0);
    CHECK_CLOSE(dt_model_active_params(&model), ldexp(1, 103), 0);
    CHECK_CLOSE(dt_model_tokens(&model), ldexp(20, 113), 0);
    CHECK_CLOSE(dt_model_training_flop(&model), ldexp(120, 216), 0);
}

/* d_ff is 4 d_model where it is not given, and stays where it is. */
static void defaults(void)
{
    DtModel model = {
        .d_model = 100, .layers = 1, .sparsity = 1, .seq_len = 1, .batch = 1, .tokens = DT_ABSENT};
    CHECK_CASE("d_ff");
    CHECK_INT(dt_model_finish(&model, NULL), DT_OK);
    CHECK_INT(model.d_ff, 400);
    model.d_model = 50;
    CHECK_INT(dt_model_finish(&model, NULL), DT_OK);
    CHECK_INT(model.d_ff, 400);
    for (int i = 0; i < DT_MODEL_NUM_FIELDS; i++) {
        const DtField *field = &dt_model_fields[i];
        CHECK_CASE("%s", field->name);
        if (strcmp(field->name, "sparsity") == 0)
            CHECK_CLOSE(field->fallback, 1, 0);
        else if (strcmp(field->name, "seq_len") == 0)
            CHECK_CLOSE(field->fallback, 2048, 0);
        else
            CHECK(field->presence == DT_REQUIRED || strcmp(field->name, "d_ff") == 0);
    }
}

/* Counts are whole numbers from 1 to 2^62. */
static void counts(void)
{
    static const struct {
        double value;
        bool allowed;
    } rows[] = {
        {1, true},    {4611686018427387904.0, true},  {0, false},       {-1, false}, {1.5, false},
        {NAN, false}, {4611686018427388928.0, false}, {INFINITY, false}};
    for (int i = 0; i < DT_MODEL_NUM_FIELDS; i++)
        for (size_t j = 0; j < sizeof rows / sizeof rows[0]; j++) {
            DtError error = {.field = NULL};
            CHECK_CASE("%s = %.20g", dt_model_fields[i].name, rows[j].value);
            CHECK_INT(dt_field_check(&dt_model_fields[i], rows[j].value, &error),
                      rows[j].allowed ? DT_OK : DT_INVALID);
            CHECK_STR(error.field, rows[j].allowed ? NULL : dt_model_fields[i].name);
        }
}

/* A batch of 2^62 tokens is the largest; d_ff = 4 d_model must stay within 2^62. */
static void overflows(void)
{
    DtModel model = {8, 8, 1, 1, (uint64_t)1 << 31, (uint64_t)1 << 31, DT_ABSENT};
    DtError error = {.status = DT_OK};
    CHECK_CASE("2^62 tokens");
    CHECK_INT(dt_model_finish(&model, NULL), DT_OK);
    CHECK_INT(dt_model_batch_tokens(&model), (long long)1 << 62);
    CHECK_CASE("2^63 tokens");
    model.batch = (uint64_t)1 << 32;
    CHECK_INT(dt_model_finish(&model, &error), DT_INVALID);
    CHECK_STR(error.field, "batch");
    CHECK_CLOSE(error.value, 4294967296, 0);
    CHECK_STR(error.other, "seq_len");
    CHECK_CLOSE(error.other_value, 2147483648, 0);
    CHECK_CASE("2^124 tokens");
    model.batch = model.seq_len = (uint64_t)1 << 62;
    CHECK_INT(dt_model_finish(&model, NULL), DT_INVALID);
    CHECK_CASE("d_ff of 2^63");
    model = (DtModel){(uint64_t)1 << 61, 0, 1, 1, 1, 1, DT_ABSENT};
    CHECK_INT(dt_model_finish(&model, &error), DT_INVALID);
    CHECK_STR(error.field, "d_model");
    CHECK_INT(model.d_ff, 0);
    model.d_model = (uint64_t)1 << 60;
    CHECK_INT(dt_model_finish(&model, NULL), DT_OK);
    CHECK_INT(model.d_ff, (long long)1 << 62);
}

int main(void)
{
    by_hand();
    reference();
    beyond_64_bits();
    defaults();
    counts();
    overflows();
    return check_finish("model");
}
