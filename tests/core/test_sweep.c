/* Sweeps: figures of the paper authors' own program, where a sweep ends, interruption, threads. */
#include <pthread.h>

#include "check.h"
#include "core/sweep.h"
#include "fixtures.h"

/* Part of the authors' sweep of dense models on the H100 within a quarter of a year, TP and PP
 * overlapped, sequences of 2048 tokens. */
static const struct {
    uint64_t d_model, layers, batch_tokens, num_gpus;
    double utilization, months;
} reference[] = {
    {12288, 192, 7340032, 2048, 0.6989935821907877, 1.7338835876881287},
    {16384, 256, 9437184, 8192, 0.6982406659322409, 2.4381499595335185},
    {20480, 288, 10485760, 32768, 0.6869368883621945, 1.9144049980003999},
    {26624, 384, 14680064, 131072, 0.6901861983295896, 2.418662541545723},
    {36864, 448, 18874368, 1048576, 0.639857298932521, 1.6314682415874189},
    {49152, 576, 25165824, 4194304, 0.6072464632269363, 2.245332447589546},
    {65536, 640, 33554432, 16777216, 0.5863907013817188, 2.2681329500321983},
    {73728, 768, 37748736, 67108864, 0.4321186786750374, 1.77486421753003},
    {90112, 896, 41943040, 134217728, 0.4220657866094888, 2.759639234709216},
    {122880, 1152, 58720256, 1073741824, 0.28307115370772434, 2.9398833067363928},
    {163840, 1280, 75497472, 8589934592, 0.1580914603962744, 2.567421870497709},
    {196608, 1536, 83886080, 68719476736, 0.05174629093610145, 2.9276820573394744},
};
enum { NUM_REFERENCE = sizeof reference / sizeof reference[0], MAX_MODELS = 40 };

/* A sweep of the models above, with room for what comes after them. */
typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtModel models[MAX_MODELS];
    DtSweep sweep;
    DtPoint points[MAX_MODELS];
    int num_points;
    const char *end_reason;
    DtError error;
} Setup;

static void set_up(Setup *s, int num_models)
{
    memset(s, 0, sizeof *s);
    s->gpu = fix_h100();
    s->network = fix_h100_network();
    for (int i = 0; i < num_models; i++)
        s->models[i] = fix_model(reference[i].d_model, 4 * reference[i].d_model,
                                 reference[i].layers, 1, 2048, reference[i].batch_tokens / 2048);
    s->sweep = (DtSweep){.run = fix_run(&s->gpu, &s->network, NULL),
                         .models = s->models,
                         .num_models = num_models,
                         .options = dt_search_options(),
                         .stop_utilization = 0.001};
    s->sweep.options.space = DT_SPACE_PAPER;
    s->sweep.options.deadline_s = 0.25 * FIX_YEAR_S;
    s->end_reason = "not set";
}

static DtStatus run(Setup *s)
{
    return dt_sweep(&s->sweep, s->points, &s->num_points, &s->end_reason, &s->error);
}

/* Appends a model for which a quarter of a year is too short on any cluster: its 1e14 tokens come
 * in batches of one, one after another. */
static void append_too_slow(Setup *s)
{
    DtModel *model = &s->models[s->sweep.num_models++];
    *model = fix_model(1024, 4096, 16, 1, 1, 1);
    model->tokens = 1e14;
}

static void check_points(const Setup *s, int expected)
{
    CHECK_INT(s->num_points, expected);
    for (int i = 0; i < s->num_points && i < NUM_REFERENCE; i++) {
        const DtPoint *point = &s->points[i];
        CHECK_INT(point->cost.num_gpus, reference[i].num_gpus);
        CHECK_CLOSE(point->cost.utilization_frac, reference[i].utilization, 1e-12);
        CHECK_CLOSE(point->cost.time_s, reference[i].months * FIX_YEAR_S / 12, 1e-12);
        CHECK(point->model == &s->models[i]);
        CHECK_INT(dt_plan_num_gpus(&point->plan), point->cost.num_gpus);
        CHECK(point->stats.proved && point->stats.considered > 0);
    }
}

/* What an interrupted sweep leaves: points from the first on, each right. */
static bool points_are_right(const Setup *s)
{
    bool right = s->num_points >= 0 && s->num_points <= NUM_REFERENCE;
    for (int i = 0; right && i < s->num_points; i++)
        right = s->points[i].cost.num_gpus == reference[i].num_gpus &&
                fabs(s->points[i].cost.utilization_frac / reference[i].utilization - 1) < 1e-12;
    return right;
}

/* All models have a cluster: all points, and no reason for an end. */
static void whole_sweep(int num_threads)
{
    static Setup s;
    CHECK_CASE("whole sweep, %d threads", num_threads);
    set_up(&s, NUM_REFERENCE);
    s.sweep.options.num_threads = num_threads;
    CHECK_INT(run(&s), DT_OK);
    check_points(&s, NUM_REFERENCE);
    CHECK_STR(s.end_reason, NULL);
}

/* The sweep ends after the first point below, which is the eighth for 0.5. */
static void ends_after_low_utilization(int num_threads)
{
    static Setup s;
    CHECK_CASE("utilization below 0.5, %d threads", num_threads);
    set_up(&s, NUM_REFERENCE);
    s.sweep.options.num_threads = num_threads;
    s.sweep.stop_utilization = 0.5;
    CHECK_INT(run(&s), DT_OK);
    check_points(&s, 8);
    CHECK_STR(s.end_reason, NULL);
    CHECK_CASE("utilization of just the eighth point, %d threads", num_threads);
    s.sweep.stop_utilization = s.points[7].cost.utilization_frac; /* not below */
    CHECK_INT(run(&s), DT_OK);
    check_points(&s, 9);
}

/* The sweep ends before the first model that no cluster serves, and says why. What comes after has
 * no part in it. */
static void ends_before_infeasible(int num_threads)
{
    static Setup s;
    CHECK_CASE("infeasible after 5, %d threads", num_threads);
    set_up(&s, 5);
    s.sweep.options.num_threads = num_threads;
    append_too_slow(&s);
    s.models[s.sweep.num_models++] = s.models[0];
    append_too_slow(&s);
    CHECK_INT(run(&s), DT_OK);
    check_points(&s, 5);
    CHECK_STR(s.end_reason, dt_too_slow);
    CHECK_CASE("infeasible at once, %d threads", num_threads);
    set_up(&s, 0);
    s.sweep.options.num_threads = num_threads;
    for (int i = 0; i < 4; i++)
        append_too_slow(&s);
    CHECK_INT(run(&s), DT_INFEASIBLE);
    CHECK_INT(s.num_points, 0);
    CHECK_INT(s.error.status, DT_INFEASIBLE);
    CHECK_STR(s.error.rule, dt_too_slow);
}

/* Options that contradict each other. */
static void errors(void)
{
    static Setup s;
    CHECK_CASE("no schedule");
    set_up(&s, 3);
    s.sweep.options.interleaved = s.sweep.options.zero_bubble = false;
    CHECK_INT(run(&s), DT_ILLEGAL);
    CHECK_INT(s.num_points, 0);
    CHECK_STR(s.error.field, "schedules");
}

static bool same_point(const DtPoint *a, const DtPoint *b)
{
    return memcmp(a->plan.degree, b->plan.degree, sizeof a->plan.degree) == 0 &&
           memcmp(a->plan.part, b->plan.part, sizeof a->plan.part) == 0 &&
           a->plan.microbatches == b->plan.microbatches && a->cost.time_s == b->cost.time_s &&
           a->cost.utilization_frac == b->cost.utilization_frac &&
           a->cost.latency_s == b->cost.latency_s && a->model == b->model;
}

/* The same points by 1, 2, 3 and, more than there are models, 16 threads; in the wide space. */
static void threads_change_nothing(void)
{
    static const int threads[] = {2, 3, 16};
    static Setup s;
    static DtPoint alone[MAX_MODELS];
    set_up(&s, NUM_REFERENCE);
    s.sweep.options.space = DT_SPACE_WIDE;
    append_too_slow(&s);
    CHECK_CASE("1 thread");
    CHECK_INT(run(&s), DT_OK);
    CHECK_INT(s.num_points, NUM_REFERENCE);
    memcpy(alone, s.points, sizeof alone);
    for (int i = 0; i < 3; i++) {
        CHECK_CASE("%d threads", threads[i]);
        memset(s.points, 0, sizeof s.points);
        s.sweep.options.num_threads = threads[i];
        CHECK_INT(run(&s), DT_OK);
        CHECK_INT(s.num_points, NUM_REFERENCE);
        CHECK_STR(s.end_reason, dt_too_slow);
        for (int j = 0; j < s.num_points; j++)
            CHECK(same_point(&s.points[j], &alone[j]));
    }
}

/* ---- progress and interruption ---- */

typedef struct {
    pthread_t caller;
    int calls;
    double last_done;
    int stop_after; /* points; 0: never */
    bool falls, elsewhere, beyond;
} Watch;

static void watch(void *context, double done, int total)
{
    Watch *w = context;
    w->calls++;
    w->falls |= done < w->last_done;
    w->beyond |= done > NUM_REFERENCE || total > NUM_REFERENCE;
    w->elsewhere |= !pthread_equal(w->caller, pthread_self());
    w->last_done = done;
}

static bool stop_after_points(void *context)
{
    Watch *w = context;
    w->elsewhere |= !pthread_equal(w->caller, pthread_self());
    return w->stop_after > 0 && w->last_done >= w->stop_after;
}

static void interruption(int num_threads, int stop_after)
{
    static Setup s;
    Watch w = {.caller = pthread_self(), .stop_after = stop_after};
    set_up(&s, NUM_REFERENCE);
    s.sweep.options.num_threads = num_threads;
    s.sweep.options.stop = stop_after_points;
    s.sweep.options.stop_context = &w;
    s.sweep.progress = watch;
    s.sweep.progress_context = &w;
    CHECK_CASE("stop after %d points, %d threads", stop_after, num_threads);
    DtStatus status = run(&s);
    CHECK(!w.falls && !w.elsewhere && !w.beyond);
    CHECK(w.calls > 0 || num_threads > 1); /* the others may be done before the caller begins */
    CHECK(points_are_right(&s));
    if (stop_after == 0) {
        CHECK_INT(status, DT_OK);
        CHECK_INT(s.num_points, NUM_REFERENCE);
    } else if (num_threads == 1) {
        CHECK_INT(status, DT_INTERRUPTED);
        CHECK_INT(s.error.status, DT_INTERRUPTED);
        CHECK_INT(s.num_points, stop_after);
    } else { /* the others may be done before the caller asks, or late with the first point */
        CHECK(status == DT_INTERRUPTED || (status == DT_OK && s.num_points == NUM_REFERENCE));
    }
}

/* Interrupted before it begins. */
static bool stop_at_once(void *context)
{
    (void)context;
    return true;
}

static void stopped_at_once(int num_threads)
{
    static Setup s;
    CHECK_CASE("stop at once, %d threads", num_threads);
    set_up(&s, NUM_REFERENCE);
    s.sweep.options.num_threads = num_threads;
    s.sweep.options.stop = stop_at_once;
    CHECK_INT(run(&s), DT_INTERRUPTED);
    CHECK(points_are_right(&s));
    if (num_threads == 1)
        CHECK_INT(s.num_points, 0);
}

int main(void)
{
    for (int threads = 1; threads <= 3; threads++) {
        whole_sweep(threads);
        ends_after_low_utilization(threads);
        ends_before_infeasible(threads);
        interruption(threads, 0);
        interruption(threads, 4);
        stopped_at_once(threads);
    }
    errors();
    threads_change_nothing();
    return check_finish("sweep");
}
