/* The optimizer object, its options, and the search options of a call. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"
#include "values.h"

static const char *const spaces[] = {"paper", "wide", "exhaustive", NULL};
static const char *const objectives[] = {"utilization", "time", "gpus", "cost", "energy", NULL};
static const char *const schedules[] = {"interleaved", "zero_bubble", NULL};
static const char *const latencies[] = {"exposed", "hidden", NULL};

enum { MAX_THREADS = 256, MAX_LIST = 1000000 };

/* ---- fields of the object ---- */

static void push_gpu(lua_State *L, const void *object)
{
    DtGpu *gpu = dt_object_push(L, &dt_type_gpu);
    memcpy(gpu, &((const DtOptimizer *)object)->gpu, sizeof *gpu);
}

static void push_network(lua_State *L, const void *object)
{
    DtNetwork *network = dt_object_push(L, &dt_type_network);
    memcpy(network, &((const DtOptimizer *)object)->network, sizeof *network);
}

static void push_overlap(lua_State *L, const void *object)
{
    const DtOverlap *overlap = &((const DtOptimizer *)object)->overlap;
    lua_newtable(L);
    dt_set_flag(L, "tp", overlap->tp);
    dt_set_flag(L, "pp", overlap->pp);
    dt_set_flag(L, "dp", overlap->dp);
}

static void push_space(lua_State *L, const void *object)
{
    lua_pushstring(L, spaces[((const DtOptimizer *)object)->options.space]);
}

static void push_schedules(lua_State *L, const void *object)
{
    const DtSearchOptions *options = &((const DtOptimizer *)object)->options;
    int count = 0;
    lua_newtable(L);
    if (options->interleaved) {
        lua_pushliteral(L, "interleaved");
        lua_rawseti(L, -2, ++count);
    }
    if (options->zero_bubble) {
        lua_pushliteral(L, "zero_bubble");
        lua_rawseti(L, -2, ++count);
    }
}

static void push_latency(lua_State *L, const void *object)
{
    lua_pushstring(L, latencies[((const DtOptimizer *)object)->zero_bubble_latency]);
}

static void push_threads(lua_State *L, const void *object)
{
    lua_pushinteger(L, ((const DtOptimizer *)object)->options.num_threads);
}

static const DtDerived special[] = {
    {"gpu", push_gpu, "", "a dtsim.gpu"},
    {"network", push_network, "", "a dtsim.network"},
    {"overlap", push_overlap, "", "which communication runs while GPUs compute: tp, pp, dp"},
    {"search", push_space, "", "space of plans: paper, wide or exhaustive"},
    {"schedules", push_schedules, "", "pipeline schedules to try: interleaved, zero_bubble"},
    {"zero_bubble_latency", push_latency, "",
     "network latency of a zero-bubble pipeline: exposed or hidden (as in the paper)"},
    {"threads", push_threads, "count", "threads of a search"},
    {NULL, NULL, NULL, NULL},
};

static void init(void *object)
{
    DtOptimizer *optimizer = object;
    optimizer->overlap = (DtOverlap){.tp = true, .pp = true, .dp = false};
    optimizer->options = dt_search_options();
    optimizer->options.num_threads = dt_default_threads();
}

static void read_overlap(lua_State *L, DtOverlap *overlap, const char *what)
{
    static const char *const names[] = {"tp", "pp", "dp", NULL};
    static const char *const fields[] = {"overlap.tp", "overlap.pp", "overlap.dp"};
    bool *const flags[] = {&overlap->tp, &overlap->pp, &overlap->dp};
    if (!lua_istable(L, -1))
        dt_raise_got(L, -1,
                     "%s: overlap must be a table such as { tp = true, pp = true, dp = false }",
                     what);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        int i = dt_key_find(L, -2, names);
        if (i < 0) {
            const char *whole = lua_pushfstring(L, "%s: overlap", what);
            dt_push_names(L, names);
            dt_raise_unknown(L, -4, whole, "field");
            return;
        }
        *flags[i] = dt_flag(L, -1, what, fields[i]);
        lua_pop(L, 1);
    }
}

static void read_schedules(lua_State *L, DtSearchOptions *options, const char *what)
{
    if (!lua_istable(L, -1))
        dt_raise_got(L, -1, "%s: schedules must be a list such as { \"interleaved\" }", what);
    if (luaL_len(L, -1) < 1)
        dt_raise(L, "%s: schedules must name one at least: \"interleaved\", \"zero_bubble\"", what);
    options->interleaved = options->zero_bubble = false;
    for (lua_Integer i = 1; i <= luaL_len(L, -1); i++) {
        lua_geti(L, -1, i);
        if (dt_choice(L, -1, schedules, what, "each of schedules") == 0)
            options->interleaved = true;
        else
            options->zero_bubble = true;
        lua_pop(L, 1);
    }
}

static void set_threads(lua_State *L, DtSearchOptions *options, const char *what)
{
    double threads = dt_quantity(L, -1, "count", what, "threads");
    if (!(threads >= 1 && threads <= MAX_THREADS && threads == floor(threads)))
        dt_raise_got(L, -1, "%s: threads must be a whole number from 1 to %d", what, MAX_THREADS);
    options->num_threads = (int)threads;
}

static void set_special(lua_State *L, void *object, const char *name, int index, const char *what)
{
    DtOptimizer *o = object;
    (void)index;
    if (strcmp(name, "gpu") == 0) {
        memcpy(&o->gpu, dt_object_check(L, -1, &dt_type_gpu, "optimizer: gpu"), sizeof o->gpu);
    } else if (strcmp(name, "network") == 0) {
        memcpy(&o->network, dt_object_check(L, -1, &dt_type_network, "optimizer: network"),
               sizeof o->network);
    } else if (strcmp(name, "overlap") == 0) {
        read_overlap(L, &o->overlap, what);
    } else if (strcmp(name, "search") == 0) {
        o->options.space = (DtSpace)dt_choice(L, -1, spaces, what, "search");
    } else if (strcmp(name, "schedules") == 0) {
        read_schedules(L, &o->options, what);
    } else if (strcmp(name, "zero_bubble_latency") == 0) {
        o->zero_bubble_latency =
            (DtZeroBubbleLatency)dt_choice(L, -1, latencies, what, "zero_bubble_latency");
        o->latency_given = true;
    } else {
        set_threads(L, &o->options, what);
    }
}

static void finish(lua_State *L, void *object, bool is_new)
{
    DtOptimizer *optimizer = object;
    if (is_new && optimizer->gpu.bits == 0)
        dt_raise(L, "optimizer: gpu is missing (a dtsim.gpu)");
    if (is_new && optimizer->network.num_levels == 0)
        dt_raise(L, "optimizer: network is missing (a dtsim.network)");
    if (!optimizer->latency_given) /* the paper's program hides it; the right rule exposes it */
        optimizer->zero_bubble_latency =
            optimizer->options.space == DT_SPACE_PAPER ? DT_LATENCY_HIDDEN : DT_LATENCY_EXPOSED;
}

/* By the fields that scripts see. */
static bool equal(const void *left, const void *right)
{
    const DtOptimizer *a = left, *b = right;
    const DtSearchOptions *x = &a->options, *y = &b->options;
    return dt_gpu_equal(&a->gpu, &b->gpu) &&
           memcmp(&a->network, &b->network, sizeof a->network) == 0 &&
           a->overlap.tp == b->overlap.tp && a->overlap.pp == b->overlap.pp &&
           a->overlap.dp == b->overlap.dp && x->space == y->space &&
           x->interleaved == y->interleaved && x->zero_bubble == y->zero_bubble &&
           x->num_threads == y->num_threads && a->zero_bubble_latency == b->zero_bubble_latency;
}

static const luaL_Reg methods[] = {{"evaluate", dt_optimizer_evaluate},
                                   {"search_plans", dt_optimizer_search},
                                   {"search_sweep", dt_optimizer_sweep},
                                   {NULL, NULL}};

const DtType dt_type_optimizer = {.name = "optimizer",
                                  .a = "a dtsim.optimizer",
                                  .size = sizeof(DtOptimizer),
                                  .special = special,
                                  .set_special = set_special,
                                  .init = init,
                                  .finish = finish,
                                  .equal = equal,
                                  .methods = methods};

void dt_optimizer_run(const DtOptimizer *optimizer, const DtModel *model, DtRun *run)
{
    run->gpu = &optimizer->gpu;
    run->network = &optimizer->network;
    run->model = model;
    run->overlap = optimizer->overlap;
    run->zero_bubble_latency = optimizer->zero_bubble_latency;
}

/* ---- options of one call ---- */

/* A table of counts by kind of parallelism: max_degree = { pp = 8 }. tp: of both together. */
static void read_degrees(lua_State *L, uint64_t degree[DT_NUM_KINDS], uint64_t *tp,
                         const char *what, const char *field)
{
    static const char *const names[] = {"dp", "tp_model", "tp_ff", "pp", "ep", "tp", NULL};
    if (!lua_istable(L, -1))
        dt_raise_got(L, -1, "%s: %s must be a table such as { pp = 8 }", what, field);
    const char *whole = lua_pushfstring(L, "%s: %s", what, field);
    lua_insert(L, -2);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        int kind = dt_key_find(L, -2, names);
        if (kind == DT_NUM_KINDS && !tp) {
            dt_raise(L, "%s takes tp_model and tp_ff instead of tp", whole);
        } else if (kind < 0) {
            dt_push_names(L, names);
            dt_raise_unknown(L, -3, whole, "kind of parallelism");
        } else {
            *(kind < DT_NUM_KINDS ? &degree[kind] : tp) = dt_count(L, -1, 1, whole, names[kind]);
        }
        lua_pop(L, 1);
    }
    lua_remove(L, -2);
}

static void set_min_degree(lua_State *L, DtSearchOptions *o, const char *what)
{
    read_degrees(L, o->min_degree, NULL, what, "min_degree");
}

static void set_max_degree(lua_State *L, DtSearchOptions *o, const char *what)
{
    read_degrees(L, o->max_degree, &o->max_tp, what, "max_degree");
}

static void set_degree(lua_State *L, DtSearchOptions *o, const char *what)
{
    uint64_t degree[DT_NUM_KINDS] = {0};
    read_degrees(L, degree, NULL, what, "degree");
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        if (degree[kind])
            o->min_degree[kind] = o->max_degree[kind] = degree[kind];
}

static void set_inside(lua_State *L, DtSearchOptions *o, const char *what)
{
    uint64_t level[DT_NUM_KINDS] = {0}, tp = 0;
    read_degrees(L, level, &tp, what, "inside_level");
    if (tp && !level[DT_TP_MODEL])
        level[DT_TP_MODEL] = tp;
    if (tp && !level[DT_TP_FF])
        level[DT_TP_FF] = tp;
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        if (level[kind])
            o->highest_level[kind] =
                level[kind] > DT_MAX_LEVELS ? DT_MAX_LEVELS - 1 : (int)level[kind] - 1;
}

static void set_objective(lua_State *L, DtSearchOptions *o, const char *what)
{
    static const DtObjective by_name[] = {DT_BY_UTILIZATION, DT_BY_TIME, DT_BY_GPUS, DT_BY_GPUS,
                                          DT_BY_ENERGY};
    o->objective = by_name[dt_choice(L, -1, objectives, what, "objective")];
}

static void set_duration(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->deadline_s = dt_quantity(L, -1, "time", what, "duration");
    if (!(o->deadline_s > 0))
        dt_raise_got(L, -1, "%s: duration must be above 0", what);
}

static void set_n_gpus(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->gpus.min = o->gpus.max = dt_count(L, -1, 1, what, "n_gpus");
}

static void set_min_gpus(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->gpus.min = dt_count(L, -1, 1, what, "min_gpus");
}

static void set_max_gpus(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->gpus.max = dt_count(L, -1, 1, what, "max_gpus");
}

static void set_multiple(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->gpus.multiple_of = dt_count(L, -1, 1, what, "multiple_of");
}

static int compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* gpus_in = { 1024, 2048 }. The list is a userdata, which goes into the place on the stack that
 * dt_read_search_options leaves: below the option's key and value. */
static void set_list(lua_State *L, DtSearchOptions *o, const char *what)
{
    if (!lua_istable(L, -1))
        dt_raise_got(L, -1, "%s: gpus_in must be a list of numbers of GPUs", what);
    lua_Integer length = luaL_len(L, -1); /* once: a metamethod may change its mind */
    if (length < 1 || length > MAX_LIST)
        dt_raise(L, "%s: gpus_in must have 1 to %d numbers of GPUs, got %I", what, MAX_LIST,
                 length);
    int count = (int)length, place = lua_gettop(L) - 2;
    uint64_t *list = lua_newuserdatauv(L, (size_t)count * sizeof *list, 0);
    for (int i = 0; i < count; i++) {
        lua_geti(L, -2, i + 1);
        list[i] = dt_count(L, -1, 1, what, "each of gpus_in");
        lua_pop(L, 1);
    }
    qsort(list, (size_t)count, sizeof *list, compare_counts);
    o->gpus.list = list;
    o->gpus.num_list = count;
    lua_replace(L, place);
}

static void set_memory(lua_State *L, DtSearchOptions *o, const char *what)
{
    double headroom = dt_quantity(L, -1, "", what, "memory_headroom");
    if (!(headroom >= 0 && headroom < 1))
        dt_raise_got(L, -1, "%s: memory_headroom must be a share from 0 to below 1", what);
    o->memory_frac = 1 - headroom;
}

static void set_budget(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->budget_s = dt_quantity(L, -1, "time", what, "time_budget");
    if (!(o->budget_s > 0))
        dt_raise_got(L, -1, "%s: time_budget must be above 0", what);
}

static void set_plan_budget(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->budget_plans = dt_quantity(L, -1, "count", what, "plan_budget");
    if (!(o->budget_plans > 0))
        dt_raise_got(L, -1, "%s: plan_budget must be above 0", what);
}

static void set_top(lua_State *L, DtSearchOptions *o, const char *what)
{
    double top = dt_quantity(L, -1, "count", what, "top");
    if (!(top >= 1 && top <= 1000 && top == floor(top)))
        dt_raise_got(L, -1, "%s: top must be a whole number from 1 to 1000", what);
    o->num_best = (int)top;
}

#define FLAG_SETTER(name, member)                                        \
    static void name(lua_State *L, DtSearchOptions *o, const char *what) \
    {                                                                    \
        o->member = dt_flag(L, -1, what, #member);                       \
    }
FLAG_SETTER(set_recompute, recompute)
FLAG_SETTER(set_partial, partial_levels)
FLAG_SETTER(set_whole, whole_sequences)
FLAG_SETTER(set_prune, prune)
FLAG_SETTER(set_frontier, frontier)

static void set_power_of_two(lua_State *L, DtSearchOptions *o, const char *what)
{
    o->gpus.power_of_two = dt_flag(L, -1, what, "power_of_two");
}

/* What a call may say, beside the optimizer's own settings. */
static const struct {
    const char *name;
    void (*set)(lua_State *L, DtSearchOptions *options, const char *what);
    const char *kind; /* of quantity, "" for none */
    const char *help;
} option_rows[] = {
    {"objective", set_objective, "",
     "what is best: utilization (the default), time, gpus, cost or energy"},
    {"duration", set_duration, "time", "the run ends within it"},
    {"n_gpus", set_n_gpus, "count", "exactly so many GPUs"},
    {"min_gpus", set_min_gpus, "count", "at least so many GPUs"},
    {"max_gpus", set_max_gpus, "count", "at most so many GPUs"},
    {"multiple_of", set_multiple, "count", "a number of GPUs that is a multiple of it"},
    {"power_of_two", set_power_of_two, "", "true: a power of two GPUs"},
    {"gpus_in", set_list, "", "a list of numbers of GPUs, one of which it is"},
    {"min_degree", set_min_degree, "", "least degrees by kind, as in { dp = 8 }"},
    {"max_degree", set_max_degree, "", "largest degrees by kind; tp is both kinds together"},
    {"degree", set_degree, "", "exact degrees by kind"},
    {"inside_level", set_inside, "",
     "outermost network level that a kind may cross, as in { tp = 1 }: 1 is the innermost"},
    {"memory_headroom", set_memory, "", "share of each GPU's memory that stays free, 0 to 1"},
    {"recompute", set_recompute, "",
     "true: also plans that compute activations again in place of keeping them"},
    {"partial_levels", set_partial, "", "true: also plans that fill a level in part"},
    {"whole_sequences", set_whole, "", "true: microbatches of whole sequences only"},
    {"prune", set_prune, "", "false: no bound cuts the search, which gives the same answer later"},
    {"time_budget", set_budget, "time", "stop after it with the best plan so far"},
    {"plan_budget", set_plan_budget, "count", "stop after so many plans with the best so far"},
    {"top", set_top, "count", "how many plans to keep, up to 1000"},
    {"frontier", set_frontier, "", "true: all plans that none beats in both GPUs and time"},
};
enum { NUM_OPTION_ROWS = sizeof option_rows / sizeof option_rows[0] };

void dt_push_search_options(lua_State *L)
{
    lua_newtable(L);
    for (int i = 0; i < NUM_OPTION_ROWS; i++) {
        lua_pushstring(L, option_rows[i].name);
        lua_rawseti(L, -2, i + 1);
    }
}

void dt_read_search_options(lua_State *L, int index, const DtOptimizer *optimizer,
                            DtSearchOptions *options, const char *what)
{
    *options = optimizer->options;
    if (options->num_threads > dt_most_threads())
        options->num_threads = dt_most_threads();
    options->stop = dt_should_stop;
    options->stop_context = L;
    lua_pushnil(L); /* the place of what the options point to */
    if (lua_isnoneornil(L, index))
        return;
    if (!lua_istable(L, index))
        dt_raise_got(L, index, "%s: options must be a table", what);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        int row = 0;
        while (row < NUM_OPTION_ROWS && strcmp(option_rows[row].name, name) != 0)
            row++;
        if (row == NUM_OPTION_ROWS) {
            dt_push_search_options(L);
            dt_raise_unknown(L, -3, what, "option");
            return;
        }
        option_rows[row].set(L, options, what);
        lua_pop(L, 1);
    }
    if (options->gpus.min > options->gpus.max)
        dt_raise(L, "%s: min_gpus must be at most max_gpus = %I, got %I", what,
                 (lua_Integer)options->gpus.max, (lua_Integer)options->gpus.min);
}

void dt_push_option_rows(lua_State *L)
{
    lua_newtable(L);
    for (int i = 0; i < NUM_OPTION_ROWS; i++) {
        lua_newtable(L);
        dt_set_text(L, "name", option_rows[i].name);
        dt_set_text(L, "kind", option_rows[i].kind);
        dt_set_text(L, "help", option_rows[i].help);
        dt_set_text(L, "presence", "optional");
        lua_rawseti(L, -2, i + 1);
    }
}
