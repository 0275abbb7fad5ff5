/* Footprints by counting, and tables of each kind's layouts against all layouts, costed by
 * naive_cost.h. */
#include "check.h"
#include "core/layout.h"
#include "naive_cost.h"

#define CLOSE 1e-11

/* ---- footprints ---- */

static int count_divisors(uint64_t n)
{
    int count = 0;
    for (uint64_t d = 1; d <= n; d++)
        count += n % d == 0;
    return count;
}

/* Whether the parts of a and b multiply to those of f. */
static bool multiplies(const DtFootprints *feet, int a, int b, int f)
{
    for (int i = 0; i < feet->num_levels; i++)
        if (feet->part[a][i] * feet->part[b][i] != feet->part[f][i])
            return false;
    return true;
}

/* All divisors of all sizes, each combination once; all ways to write each as a product of two. */
static void check_footprints(const uint64_t sizes[], int num_levels)
{
    DtArena arena = {0};
    DtFootprints feet;
    int expected = 1;
    for (int i = 0; i < num_levels; i++)
        expected *= count_divisors(sizes[i]);
    CHECK_INT(dt_footprints_build(&arena, sizes, num_levels, &feet, NULL), DT_OK);
    CHECK_INT(feet.count, expected);
    CHECK_INT(feet.num_levels, num_levels);
    for (int f = 0; f < feet.count; f++) {
        double product = 1;
        int pairs = 0;
        for (int i = 0; i < num_levels; i++) {
            CHECK_INT(sizes[i] % feet.part[f][i], 0);
            product *= (double)feet.part[f][i];
        }
        CHECK_CLOSE(feet.product[f], product, 0);
        CHECK(multiplies(&feet, f, feet.complement[f], feet.full));
        for (int a = 0; a < feet.count; a++) {
            if (a < f)
                CHECK(num_levels == 0 || memcmp(feet.part[a], feet.part[f],
                                                (size_t)num_levels * sizeof(uint64_t)) != 0);
            for (int b = 0; b < feet.count; b++)
                pairs += multiplies(&feet, a, b, f);
        }
        CHECK_INT(feet.first_pair[f + 1] - feet.first_pair[f], pairs);
        for (int i = feet.first_pair[f]; i < feet.first_pair[f + 1]; i++) {
            CHECK(multiplies(&feet, feet.pairs[i].a, feet.pairs[i].b, f));
            CHECK(i == feet.first_pair[f] || feet.pairs[i].a != feet.pairs[i - 1].a);
        }
    }
    for (int i = 0; i < num_levels; i++)
        CHECK_INT(feet.part[feet.full][i], sizes[i]);
    dt_arena_free(&arena);
}

static void footprints(void)
{
    static const struct {
        uint64_t sizes[3];
        int num_levels;
    } rows[] = {{{0}, 0},    {{1}, 1},       {{8}, 1},       {{12}, 1},    {{8, 32}, 2},
                {{6, 1}, 2}, {{1, 1, 1}, 3}, {{4, 6, 2}, 3}, {{7, 11}, 2}, {{36}, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_CASE("footprints %zu", i);
        check_footprints(rows[i].sizes, rows[i].num_levels);
    }
}

/* A level of 2^20 splits in two in 1 + 2 + ... + 21 = 231 ways over all its divisors; two such
 * levels in 53361, three in 12326391, more than 4 million. */
static void too_many_ways(void)
{
    const uint64_t sizes[] = {1 << 20, 1 << 20, 1 << 20};
    DtArena arena = {0};
    DtFootprints feet;
    DtError error = {.status = DT_OK};
    CHECK_CASE("2^20 twice");
    CHECK_INT(dt_footprints_build(&arena, sizes, 2, &feet, NULL), DT_OK);
    CHECK_INT(feet.first_pair[feet.count], 53361);
    dt_arena_free(&arena);
    CHECK_CASE("2^20 three times");
    CHECK_INT(dt_footprints_build(&arena, sizes, 3, &feet, &error), DT_INFEASIBLE);
    CHECK_STR(error.field, "network");
    dt_arena_free(&arena);
}

/* Levels of 8 and 32, footprint (2, 4) of a degree of 24: 2, 4 and the rest, 3. */
static void parts(void)
{
    const uint64_t sizes[] = {8, 32};
    uint64_t part[DT_MAX_LEVELS] = {0};
    DtArena arena = {0};
    DtFootprints feet;
    CHECK_CASE("parts");
    dt_footprints_build(&arena, sizes, 2, &feet, NULL);
    for (int f = 0; f < feet.count; f++) {
        if (feet.part[f][0] != 2 || feet.part[f][1] != 4)
            continue;
        dt_footprint_parts(&feet, f, 24, part);
        CHECK_INT(part[0], 2);
        CHECK_INT(part[1], 4);
        CHECK_INT(part[2], 3);
    }
    CHECK_INT(part[2], 3);
    dt_arena_free(&arena);
}

/* ---- tables ---- */

typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtModel model;
    DtRun run;
    DtWork work;
    DtArena arena;
    DtFootprints feet;
    DtReach reach;
    uint64_t degree[DT_NUM_KINDS];
} Case;

static void make_case(FixRandom *random, Case *c)
{
    static const uint64_t sizes[] = {2, 3, 4, 6, 8}, degrees[] = {1, 2, 4, 6, 8, 12, 18, 24};
    uint64_t filled[DT_MAX_LEVELS];
    int levels = 1 + (int)fix_below(random, 3);
    memset(c, 0, sizeof *c);
    c->gpu = fix_gtx580();
    for (int i = 0; i < levels; i++) {
        filled[i] = FIX_ONE_OF(random, sizes);
        fix_level(&c->network, i < levels - 1 ? filled[i] : 0, fix_between(random, 1e8, 1e11),
                  fix_between(random, 1e-7, 1e-4));
    }
    c->model = fix_model(576, 1152, 72, 24, 16, 24);
    c->run = fix_run(&c->gpu, &c->network, &c->model);
    dt_work_prepare(&c->work, &c->run);
    dt_footprints_build(&c->arena, filled, levels - 1, &c->feet, NULL);
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        c->degree[kind] = FIX_ONE_OF(random, degrees);
        c->reach.highest[kind] = levels - 1;
        if (fix_once_in(random, 4))
            c->reach.highest[kind] = (int)fix_below(random, (uint64_t)levels);
    }
}

/* Whether a kind's degree can have a footprint within its reach; parts are then its layout. */
static bool can_have(const Case *c, DtKind kind, int footprint, uint64_t part[])
{
    uint64_t rest = c->degree[kind];
    int levels = c->network.num_levels;
    for (int i = 0; i < levels - 1; i++) {
        part[i] = c->feet.part[footprint][i];
        if (rest % part[i] != 0)
            return false;
        rest /= part[i];
    }
    part[levels - 1] = rest;
    for (int i = 0; i < levels; i++)
        if (part[i] > 1 && i > c->reach.highest[kind])
            return false;
    return true;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= CLOSE * (fabs(a) + fabs(b));
}

/* Whether bandwidth and latency of a are at most those of b, rounding apart. */
static bool at_most(const DtComm *a, const NaiveComm *b)
{
    return a->gpu_s <= b->bandwidth_s * (1 + CLOSE) && a->latency_s <= b->latency_s * (1 + CLOSE);
}

static void check_dp(Case *c)
{
    uint64_t part[DT_MAX_LEVELS];
    DtDpTable *table = dt_dp_table(&c->arena, &c->work, &c->feet, &c->reach, c->degree[DT_DP]);
    NaiveComm least = {INFINITY, INFINITY};
    for (int f = 0; f < c->feet.count; f++) {
        if (!can_have(c, DT_DP, f, part)) {
            CHECK(isinf(table->comm[f].gpu_s) && isinf(table->comm[f].latency_s));
            continue;
        }
        NaiveComm comm = naive_dp(&c->run, 1, part);
        CHECK(near(table->comm[f].gpu_s, comm.bandwidth_s));
        CHECK(near(table->comm[f].latency_s, comm.latency_s));
        least.bandwidth_s = fmin(least.bandwidth_s, comm.bandwidth_s);
        least.latency_s = fmin(least.latency_s, comm.latency_s);
    }
    CHECK_CLOSE(table->least.gpu_s, least.bandwidth_s, CLOSE);
    CHECK_CLOSE(table->least.latency_s, least.latency_s, CLOSE);
}

/* Options are layouts that exist, none as good as another, and nothing beats them. */
static void check_tp(Case *c)
{
    uint64_t model[DT_MAX_LEVELS], ff[DT_MAX_LEVELS];
    DtSpreads *model_spreads =
        dt_spreads(&c->arena, &c->work, &c->feet, &c->reach, DT_TP_MODEL, c->degree[DT_TP_MODEL]);
    DtSpreads *ff_spreads =
        dt_spreads(&c->arena, &c->work, &c->feet, &c->reach, DT_TP_FF, c->degree[DT_TP_FF]);
    DtTpTable *table = dt_tp_table(&c->arena, &c->work, &c->feet, model_spreads, ff_spreads);
    DtComm least = {INFINITY, INFINITY};
    for (int f = 0; f < c->feet.count; f++) {
        const DtTpOption *first = &table->options[table->first[f]];
        int count = table->first[f + 1] - table->first[f];
        for (int i = 0; i < count; i++) {
            CHECK(multiplies(&c->feet, first[i].model_foot, first[i].ff_foot, f));
            if (!CHECK(can_have(c, DT_TP_MODEL, first[i].model_foot, model) &&
                       can_have(c, DT_TP_FF, first[i].ff_foot, ff)))
                continue;
            NaiveComm comm = naive_tp(&c->run, 1, model, ff);
            CHECK(near(first[i].comm.gpu_s, comm.bandwidth_s));
            CHECK(near(first[i].comm.latency_s, comm.latency_s));
            for (int j = 0; j < count; j++)
                CHECK(i == j || first[i].comm.gpu_s < first[j].comm.gpu_s ||
                      first[i].comm.latency_s < first[j].comm.latency_s);
        }
        for (int i = c->feet.first_pair[f]; i < c->feet.first_pair[f + 1]; i++) {
            bool matched = false;
            if (!can_have(c, DT_TP_MODEL, c->feet.pairs[i].a, model) ||
                !can_have(c, DT_TP_FF, c->feet.pairs[i].b, ff))
                continue;
            NaiveComm comm = naive_tp(&c->run, 1, model, ff);
            for (int j = 0; j < count; j++)
                matched |= at_most(&first[j].comm, &comm);
            CHECK(matched);
            least.gpu_s = fmin(least.gpu_s, comm.bandwidth_s);
            least.latency_s = fmin(least.latency_s, comm.latency_s);
        }
    }
    CHECK_CLOSE(table->least.gpu_s, least.gpu_s, CLOSE);
    CHECK_CLOSE(table->least.latency_s, least.latency_s, CLOSE);
}

/* The same at an interleaving v of the 72 / pp layers. */
static void check_pp_ep(Case *c, uint64_t v)
{
    uint64_t pp[DT_MAX_LEVELS], ep[DT_MAX_LEVELS];
    DtPpEpTable *table = dt_pp_ep_table(&c->arena, &c->work, &c->feet, &c->reach, c->degree[DT_PP],
                                        c->degree[DT_EP]);
    NaiveComm least = {INFINITY, INFINITY};
    for (int f = 0; f < c->feet.count; f++) {
        const DtPpEpOption *first = &table->options[table->first[f]];
        int count = table->first[f + 1] - table->first[f];
        for (int i = 0; i < count; i++)
            CHECK(multiplies(&c->feet, first[i].pp_foot, first[i].ep_foot, f) &&
                  can_have(c, DT_PP, first[i].pp_foot, pp) &&
                  can_have(c, DT_EP, first[i].ep_foot, ep));
        for (int i = c->feet.first_pair[f]; i < c->feet.first_pair[f + 1]; i++) {
            bool matched = false;
            if (!can_have(c, DT_PP, c->feet.pairs[i].a, pp) ||
                !can_have(c, DT_EP, c->feet.pairs[i].b, ep))
                continue;
            NaiveComm comm = naive_pp_ep(&c->run, 1, pp, ep, (double)v);
            for (int j = 0; j < count && !matched; j++) {
                DtComm at = dt_comm_at(&first[j].comm, (double)v);
                matched = at_most(&at, &comm);
            }
            CHECK(matched);
            least.bandwidth_s = fmin(least.bandwidth_s, comm.bandwidth_s);
            least.latency_s = fmin(least.latency_s, comm.latency_s);
        }
    }
    DtComm actual = dt_pp_ep_least(table, (double)v);
    CHECK_CLOSE(actual.gpu_s, least.bandwidth_s, CLOSE);
    CHECK_CLOSE(actual.latency_s, least.latency_s, CLOSE);
}

static void tables(void)
{
    FixRandom random = fix_random(5);
    for (int round = 0; round < FIX_ROUNDS(150); round++) {
        static Case c;
        make_case(&random, &c);
        CHECK_CASE("tables, round %d", round);
        check_dp(&c);
        check_tp(&c);
        uint64_t stage = c.degree[DT_PP] <= 24 ? 72 / c.degree[DT_PP] : 1;
        check_pp_ep(&c, 1);
        if (c.degree[DT_PP] > 1)
            check_pp_ep(&c, stage);
        dt_arena_free(&c.arena);
    }
}

int main(void)
{
    footprints();
    too_many_ways();
    parts();
    tables();
    return check_finish("layout");
}
