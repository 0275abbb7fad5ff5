/* Pipeline schedules event by event.
 * Right values: the bubble fractions that the schedules' papers prove for even stages, and a small
 * schedule drawn by hand. */
#include "check.h"
#include "core/pipeline.h"

#include <stdlib.h>

enum { MOST = 64 };

static double makespan(int stages, int chunks, int microbatches, DtSchedule schedule)
{
    double forward[MOST], backward[MOST], time = -1;
    DtError error;
    for (int i = 0; i < stages; i++) {
        forward[i] = 1;
        backward[i] = 2;
    }
    DtPipeline p = {.stages = stages,
                    .chunks = chunks,
                    .microbatches = microbatches,
                    .schedule = schedule,
                    .forward_s = forward,
                    .backward_s = backward,
                    .weight_frac = 0.5};
    CHECK(dt_pipeline_run(&p, &time, NULL, &error) == DT_OK);
    return time;
}

/* (p - 1) of (f + b) for GPipe and 1F1B, a v-th of it interleaved (arXiv 2104.04473, 2.2), a third
 * with f = b = w for zero bubble H1 (arXiv 2401.10241). */
static void even_stages(void)
{
    static const int stages[] = {1, 2, 4, 8};
    for (int i = 0; i < 4; i++) {
        int p = stages[i];
        for (int m = p; m <= 4 * p; m += p) {
            CHECK_CASE("%d stages, %d microbatches", p, m);
            CHECK_CLOSE(makespan(p, 1, m, DT_SCHEDULE_1F1B), 3.0 * (m + p - 1), 1e-12);
            CHECK_CLOSE(makespan(p, 1, m, DT_SCHEDULE_GPIPE), 3.0 * (m + p - 1), 1e-12);
            CHECK_CLOSE(makespan(p, 1, m, DT_SCHEDULE_ZERO_BUBBLE), 3.0 * m + p - 1, 1e-12);
            for (int v = 2; v <= 4 && p > 1; v++)
                CHECK_CLOSE(makespan(p, v, m, DT_SCHEDULE_1F1B), 3.0 * m + 3.0 * (p - 1) / v,
                            1e-12);
        }
    }
}

/* Interleaved, any number of microbatches from the stages' on leaves the same gaps; fewer follow
 * the first, which goes through all stages, chunk by chunk. */
static void any_microbatches(void)
{
    static const int stages[] = {2, 3, 4, 8};
    for (int i = 0; i < 4; i++) {
        int p = stages[i];
        for (int v = 2; v <= 4; v++) {
            for (int m = 1; m <= 3 * p + 1; m++) {
                CHECK_CASE("%d stages, %d chunks, %d microbatches", p, v, m);
                double right = m >= p ? 3.0 * m + 3.0 * (p - 1) / v : 3.0 * p + 3.0 * (m - 1) / v;
                CHECK_CLOSE(makespan(p, v, m, DT_SCHEDULE_1F1B), right, 1e-12);
            }
        }
    }
}

/* Stage 2 takes twice as long: f = 1, 2; b = 2, 4; two microbatches. By hand: F 0-1, 1-2 on the
 * first; F 1-3, B 3-7, F 7-9, B 9-13 on the second; B 7-9, 13-15 on the first. */
static void uneven_stages(void)
{
    static const double forward[] = {1, 2}, backward[] = {2, 4};
    DtPipeline p = {
        .stages = 2, .chunks = 1, .microbatches = 2, .forward_s = forward, .backward_s = backward};
    DtPipelineEvent events[8];
    double time;
    DtError error;
    CHECK_CASE("two uneven stages");
    CHECK_INT(dt_pipeline_num_events(&p), 8);
    CHECK(dt_pipeline_run(&p, &time, events, &error) == DT_OK);
    CHECK_CLOSE(time, 15, 0);
    double busy[2] = {0, 0};
    for (int i = 0; i < 8; i++)
        busy[events[i].stage] += events[i].end_s - events[i].start_s;
    CHECK_CLOSE(busy[0], 6, 0);
    CHECK_CLOSE(busy[1], 12, 0);
    p.hop_s = 0.5;
    CHECK(dt_pipeline_run(&p, &time, NULL, &error) == DT_OK);
    CHECK_CLOSE(time, 16, 1e-12);
}

static void refused(void)
{
    static const double one[] = {1, 1};
    DtPipeline p = {.stages = 2,
                    .chunks = 2,
                    .microbatches = 2,
                    .forward_s = one,
                    .backward_s = one,
                    .schedule = DT_SCHEDULE_GPIPE};
    double time = 7;
    DtError error;
    CHECK(dt_pipeline_run(&p, &time, NULL, &error) == DT_INVALID);
    CHECK_STR(error.field, "interleave");
    CHECK_CLOSE(time, 7, 0);
    p.chunks = 1;
    p.microbatches = 0;
    CHECK(dt_pipeline_run(&p, &time, NULL, &error) == DT_INVALID);
}

int main(void)
{
    even_stages();
    any_microbatches();
    uneven_stages();
    refused();
    return check_finish("pipeline");
}
