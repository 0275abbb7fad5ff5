#include "pipeline.h"

#include <math.h>
#include <stdlib.h>

#include "gpu.h"
#include "memory.h"

const char *const dt_pass_names[3] = {"forward", "backward", "weight"};

/* A run under way. Times are NAN until a pass is done. */
typedef struct {
    const DtPipeline *p;
    int group;                                       /* microbatches of a group, see group_size */
    double *forward_end, *backward_end;              /* [stage][chunk][microbatch] */
    int *next_forward, *next_backward, *next_weight; /* by stage: passes done */
    double *free_s;                                  /* by stage */
    DtPipelineEvent *events;
    size_t num_events;
    double makespan_s;
} Run;

size_t dt_pipeline_num_events(const DtPipeline *p)
{
    size_t passes = p->schedule == DT_SCHEDULE_ZERO_BUBBLE ? 3 : 2;
    return passes * (size_t)p->stages * (size_t)p->chunks * (size_t)p->microbatches;
}

static size_t cell(const DtPipeline *p, int stage, int chunk, int microbatch)
{
    return ((size_t)stage * (size_t)p->chunks + (size_t)chunk) * (size_t)p->microbatches +
           (size_t)microbatch;
}

/* Microbatches that go through a chunk before the next chunk takes its turn: as many as stages,
 * or the least above that leaves no last group smaller than the stages, which would wait for itself
 * (as Megatron-Core has it). */
static int group_size(const DtPipeline *p)
{
    for (int size = p->stages; size < p->microbatches; size++) {
        int rest = p->microbatches % size;
        if (rest == 0 || rest >= p->stages)
            return size;
    }
    return p->microbatches;
}

/* The j-th forward of every stage: a group of microbatches goes through the first chunk, then the
 * next. */
static void forward_at(const DtPipeline *p, int size, int j, int *chunk, int *microbatch)
{
    int group = j / (size * p->chunks);
    int inside = j % (size * p->chunks);
    int left = p->microbatches - group * size;
    int width = left < size ? left : size;
    *chunk = inside / width;
    *microbatch = group * size + inside % width;
}

static void backward_at(const DtPipeline *p, int size, int j, int *chunk, int *microbatch)
{
    forward_at(p, size, j, chunk, microbatch);
    *chunk = p->chunks - 1 - *chunk;
}

/* When the input of the forward of a chunk is there; NAN: not yet known. */
static double forward_ready_s(const Run *r, int stage, int chunk, int microbatch)
{
    const DtPipeline *p = r->p;
    if (stage > 0)
        return r->forward_end[cell(p, stage - 1, chunk, microbatch)] + p->hop_s;
    if (chunk > 0)
        return r->forward_end[cell(p, p->stages - 1, chunk - 1, microbatch)] + p->hop_s;
    return 0;
}

static double backward_ready_s(const Run *r, int stage, int chunk, int microbatch)
{
    const DtPipeline *p = r->p;
    double own = r->forward_end[cell(p, stage, chunk, microbatch)];
    double after = own;
    if (stage < p->stages - 1)
        after = r->backward_end[cell(p, stage + 1, chunk, microbatch)] + p->hop_s;
    else if (chunk < p->chunks - 1)
        after = r->backward_end[cell(p, 0, chunk + 1, microbatch)] + p->hop_s;
    return isnan(own) || isnan(after) ? NAN : dt_max(own, after);
}

/* Forwards that a stage does before its first backward. */
static int warm_up(const Run *r, int stage)
{
    const DtPipeline *p = r->p;
    int all = p->microbatches * p->chunks;
    int left = p->stages - stage - 1;
    int count = p->schedule == DT_SCHEDULE_GPIPE ? all
                : p->chunks > 1                  ? 2 * left + (p->chunks - 1) * r->group
                                                 : left;
    return count < all ? count : all;
}

/* Whether the next pass of a stage in 1F1B order is a forward. */
static bool wants_forward(const Run *r, int stage)
{
    const DtPipeline *p = r->p;
    int all = p->microbatches * p->chunks;
    int warm = warm_up(r, stage);
    if (r->next_forward[stage] >= all)
        return false;
    return r->next_forward[stage] <= warm + r->next_backward[stage] &&
           (r->next_forward[stage] < warm ||
            r->next_forward[stage] == warm + r->next_backward[stage]);
}

static void record(Run *r, int stage, int chunk, int microbatch, DtPassKind kind, double start_s,
                   double time_s)
{
    double end_s = start_s + time_s;
    size_t at = cell(r->p, stage, chunk, microbatch);
    if (kind == DT_PASS_FORWARD)
        r->forward_end[at] = end_s;
    if (kind == DT_PASS_BACKWARD)
        r->backward_end[at] = end_s;
    if (r->events)
        r->events[r->num_events] =
            (DtPipelineEvent){stage, chunk, microbatch, kind, start_s, end_s};
    r->num_events++;
    r->free_s[stage] = end_s;
    r->makespan_s = dt_max(r->makespan_s, end_s);
}

/* What a stage would do next, and when. kind < 0: nothing can be done yet. */
typedef struct {
    int kind, chunk, microbatch;
    double start_s;
} Next;

static Next next_in_order(const Run *r, int stage)
{
    Next n = {.kind = -1};
    const DtPipeline *p = r->p;
    int all = p->microbatches * p->chunks;
    double ready_s = NAN;
    if (wants_forward(r, stage)) {
        forward_at(p, r->group, r->next_forward[stage], &n.chunk, &n.microbatch);
        ready_s = forward_ready_s(r, stage, n.chunk, n.microbatch);
        n.kind = DT_PASS_FORWARD;
    } else if (r->next_backward[stage] < all) {
        backward_at(p, r->group, r->next_backward[stage], &n.chunk, &n.microbatch);
        ready_s = backward_ready_s(r, stage, n.chunk, n.microbatch);
        n.kind = DT_PASS_BACKWARD;
    }
    if (isnan(ready_s))
        n.kind = -1;
    n.start_s = dt_max(r->free_s[stage], isnan(ready_s) ? 0 : ready_s);
    return n;
}

/* Zero bubble: backward as soon as it can, forward while few are in flight, else weights. */
static Next next_zero_bubble(const Run *r, int stage)
{
    const DtPipeline *p = r->p;
    int m = p->microbatches;
    int forward = r->next_forward[stage];
    int backward = r->next_backward[stage];
    Next best = {.kind = -1, .start_s = INFINITY};
    if (backward < m) {
        double ready_s = backward_ready_s(r, stage, 0, backward);
        if (!isnan(ready_s))
            best = (Next){DT_PASS_BACKWARD, 0, backward, dt_max(r->free_s[stage], ready_s)};
    }
    if (forward < m && forward - backward < p->stages - stage) {
        double ready_s = forward_ready_s(r, stage, 0, forward);
        double start_s = dt_max(r->free_s[stage], ready_s);
        if (!isnan(ready_s) && start_s < best.start_s)
            best = (Next){DT_PASS_FORWARD, 0, forward, start_s};
    }
    int weight = r->next_weight[stage];
    if (weight < backward && r->free_s[stage] < best.start_s)
        best = (Next){DT_PASS_WEIGHT, 0, weight, r->free_s[stage]};
    return best;
}

static void take_step(Run *r, int stage, const Next *n)
{
    const DtPipeline *p = r->p;
    bool split = p->schedule == DT_SCHEDULE_ZERO_BUBBLE;
    double backward_s = p->backward_s[stage] / p->chunks;
    double time_s = p->forward_s[stage] / p->chunks;
    if (n->kind == DT_PASS_BACKWARD)
        time_s = backward_s * (split ? 1 - p->weight_frac : 1);
    else if (n->kind == DT_PASS_WEIGHT)
        time_s = backward_s * p->weight_frac;
    record(r, stage, n->chunk, n->microbatch, (DtPassKind)n->kind, n->start_s, time_s);
    if (n->kind == DT_PASS_FORWARD)
        r->next_forward[stage]++;
    else if (n->kind == DT_PASS_BACKWARD)
        r->next_backward[stage]++;
    else
        r->next_weight[stage]++;
}

/* Fixed orders: each stage goes on as far as it can, in turn. Greedy ones: the pass that starts
 * first in all the pipeline goes first. */
static bool run_all(Run *r)
{
    const DtPipeline *p = r->p;
    size_t all = dt_pipeline_num_events(p);
    bool greedy = p->schedule == DT_SCHEDULE_ZERO_BUBBLE;
    while (r->num_events < all) {
        size_t before = r->num_events;
        int first = -1;
        Next chosen = {.kind = -1, .start_s = INFINITY};
        for (int stage = 0; stage < p->stages; stage++) {
            Next n = greedy ? next_zero_bubble(r, stage) : next_in_order(r, stage);
            if (greedy && n.kind >= 0 && n.start_s < chosen.start_s) {
                first = stage;
                chosen = n;
            }
            while (!greedy && n.kind >= 0) {
                take_step(r, stage, &n);
                n = next_in_order(r, stage);
            }
        }
        if (greedy && first >= 0)
            take_step(r, first, &chosen);
        if (r->num_events == before)
            return false;
    }
    return true;
}

static DtStatus check(const DtPipeline *p, DtError *error)
{
    if (p->stages < 1)
        return dt_error_set(error, DT_INVALID, "stages", p->stages, "be at least 1");
    if (p->microbatches < 1)
        return dt_error_set(error, DT_INVALID, "microbatches", p->microbatches, "be at least 1");
    if (p->chunks < 1 || (p->chunks > 1 && p->schedule != DT_SCHEDULE_1F1B))
        return dt_error_set(error, DT_INVALID, "interleave", p->chunks,
                            "be at least 1, and 1 with gpipe and zero_bubble");
    return DT_OK;
}

DtStatus dt_pipeline_run(const DtPipeline *pipeline, double *makespan_s, DtPipelineEvent *events,
                         DtError *error)
{
    DtStatus status = check(pipeline, error);
    if (status != DT_OK)
        return status;
    size_t stages = (size_t)pipeline->stages;
    size_t cells = stages * (size_t)pipeline->chunks * (size_t)pipeline->microbatches;
    Run r = {.p = pipeline, .events = events, .group = group_size(pipeline)};
    r.forward_end = dt_malloc(2 * cells * sizeof *r.forward_end);
    r.free_s = dt_calloc(stages, sizeof *r.free_s);
    r.next_forward = dt_calloc(3 * stages, sizeof *r.next_forward);
    if (!r.forward_end || !r.free_s || !r.next_forward) {
        status = dt_error_set(error, DT_NO_MEMORY, "microbatches", pipeline->microbatches,
                              "fit into memory");
    } else {
        r.backward_end = r.forward_end + cells;
        r.next_backward = r.next_forward + stages;
        r.next_weight = r.next_backward + stages;
        for (size_t i = 0; i < 2 * cells; i++)
            r.forward_end[i] = NAN;
        if (!run_all(&r))
            status = dt_error_set(error, DT_INFEASIBLE, "microbatches", pipeline->microbatches,
                                  "suit the interleaving: the order waits for itself");
    }
    if (status == DT_OK)
        *makespan_s = r.makespan_s;
    dt_free(r.forward_end);
    dt_free(r.free_s);
    dt_free(r.next_forward);
    return status;
}
