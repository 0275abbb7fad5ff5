/* cost.h: the time of a training run under a given plan.
 *
 * Models: the matmuls of each GPU, the all-reduces of data and tensor parallelism, the transfers
 * of pipeline and expert parallelism, pipeline bubbles, and what of this overlaps. Leaves out:
 * stragglers, failures, the optimizer step, loading of data.
 * Source: arXiv 2411.01137, sections on parallelism and overlap, and the authors' simulator.
 *
 * Bandwidth times are held as GPU-seconds: a cluster of N GPUs takes 1/N of them. They depend on
 * the layout of one kind of parallelism alone, so a search tabulates them; dt_cost_evaluate and the
 * search use the same functions, and get the same bits.
 * May include: error.h, gpu.h, model.h, network.h, plan.h.
 */
#ifndef DT_CORE_COST_H
#define DT_CORE_COST_H

#include "gpu.h"
#include "plan.h"

/* Which communication runs while the GPUs compute. */
typedef struct {
    bool tp, pp, dp; /* pp: pipeline and expert parallelism */
} DtOverlap;

/* What becomes of network latency in a zero-bubble pipeline. The authors' program hides it
 * wholly; latency that exceeds the compute is exposed by the right rule. */
typedef enum { DT_LATENCY_EXPOSED, DT_LATENCY_HIDDEN } DtZeroBubbleLatency;

/* A model to be trained on given hardware. The pointers are borrowed. */
typedef struct {
    const DtGpu *gpu;
    const DtNetwork *network;
    const DtModel *model;
    DtOverlap overlap;
    DtZeroBubbleLatency zero_bubble_latency;
} DtRun;

/* What the cost functions need of a run, computed once. */
typedef struct {
    DtRun run;
    int num_levels;
    double half_Bps[DT_MAX_LEVELS]; /* bandwidth in one direction */
    double latency_s[DT_MAX_LEVELS];
    double params, params_bytes; /* of the whole model */
    uint64_t batch_tokens;
    double steps;          /* batches in the run (real number) */
    double tp_model_bytes; /* all-reduced by tensor parallelism per batch and peer */
    double tp_ff_bytes;
    double tp_messages;     /* all-reduces one after another per batch */
    double p2p_bytes;       /* crossing one layer boundary once per batch */
    double ideal_gpu_s;     /* arithmetic of one batch at the peak, GPU-seconds */
    double sustained_gpu_s; /* the same at the sustained rate */
} DtWork;

/* Fills *work. run->model has passed dt_model_finish. */
void dt_work_prepare(DtWork *work, const DtRun *run);

/* One kind of communication for one batch. */
typedef struct {
    double gpu_s; /* bandwidth time times GPUs */
    double latency_s;
} DtComm;

/* Gradient all-reduce of data parallelism: level by level, the largest bandwidth time counts and
 * latencies add. parts: DP's factor on each level. */
DtComm dt_comm_dp(const DtWork *work, const uint64_t parts[]);

/* The all-reduces of tensor parallelism over one of its two dimensions, level by level. */
typedef struct {
    double gpu_s[DT_MAX_LEVELS];
    double latency_s;
} DtSpread;

/* kind: DT_TP_MODEL or DT_TP_FF; parts: its factor on each level. */
void dt_spread(const DtWork *work, DtKind kind, const uint64_t parts[], DtSpread *spread);

/* Tensor parallelism over both dimensions: their bandwidth times add up on each level and the
 * largest level counts; all latencies add. */
DtComm dt_comm_tp(const DtWork *work, const DtSpread *model, const DtSpread *ff);

/* Point-to-point transfers of pipeline and expert parallelism. They are linear in the interleaving
 * v: cost = fixed + v * per_chunk. */
typedef struct {
    DtComm fixed, per_chunk;
} DtChunkedComm;
DtChunkedComm dt_comm_pp_ep(const DtWork *work, const uint64_t pp_parts[],
                            const uint64_t ep_parts[]);

static inline DtComm dt_comm_at(const DtChunkedComm *comm, double interleave)
{
    /* Rounding may leave a tiny negative rest where nothing is transferred. */
    DtComm at = {dt_max(0, comm->fixed.gpu_s + interleave * comm->per_chunk.gpu_s),
                 dt_max(0, comm->fixed.latency_s + interleave * comm->per_chunk.latency_s)};
    return at;
}

/* The six matmuls (four shapes) of one layer, forward and backward, on one GPU. */
typedef struct {
    DtMatmulPair up, down;
} DtLayer;

/* d_ff_part, d_model_part: the widths divided by their tensor-parallel degrees. */
DtLayer dt_layer_prepare(const DtGpu *gpu, uint64_t d_ff_part, uint64_t d_model_part);

/* Seconds of one layer for one nanobatch of `tokens`. */
static inline double dt_layer_time_s(const DtLayer *layer, uint64_t tokens)
{
    return 2 * dt_matmul_time_s(&layer->up.forward, tokens) +
           2 * dt_matmul_time_s(&layer->down.forward, tokens) +
           dt_matmul_time_s(&layer->up.weight_grad, tokens) +
           dt_matmul_time_s(&layer->down.weight_grad, tokens);
}

/* Factors that recomputation puts on matmul time and on communication. */
#define DT_RECOMPUTE_COMPUTE (4.0 / 3.0)
#define DT_RECOMPUTE_COMM 1.5

/* What one batch is made of. Times in s on the GPUs of the plan, recomputation included. */
typedef struct {
    double compute_s, tp_s, dp_s, pp_ep_s;
    double tp_latency_s, dp_latency_s, pp_ep_latency_s;
    double stretch; /* 1 / (1 - bubble fraction): what the bubble makes of the pipeline's time */
    bool zero_bubble;
} DtStep;

/* 1 / (1 - bubble) of a pipeline that is not zero bubble; arguments as in the plan. */
static inline double dt_bubble_stretch(double pp, double interleave, double microbatches)
{
    double missing = pp > microbatches ? pp - microbatches : 0;
    double idle = (interleave - 1) * missing + pp - 1;
    double busy = interleave * microbatches;
    return (idle + busy) / busy;
}

/* Seconds of one batch: overlaps, bubbles and latencies put together. */
static inline double dt_step_time_s(const DtStep *step, DtOverlap overlap,
                                    DtZeroBubbleLatency zero_bubble_latency)
{
    double hidden = (overlap.pp ? step->pp_ep_s : 0) + (overlap.tp ? step->tp_s : 0);
    double exposed = (overlap.pp ? 0 : step->pp_ep_s) + (overlap.tp ? 0 : step->tp_s);
    double latency = step->tp_latency_s + step->pp_ep_latency_s;
    double busy = dt_max(step->compute_s, hidden);
    double pipeline;
    if (step->zero_bubble) {
        if (zero_bubble_latency == DT_LATENCY_EXPOSED)
            busy = dt_max(busy, latency);
        pipeline = busy + exposed;
    } else {
        pipeline = (busy + exposed) * step->stretch + latency;
    }
    return (overlap.dp ? dt_max(pipeline, step->dp_s) : pipeline + step->dp_s) + step->dp_latency_s;
}

/* The answer for one plan. Times are of the whole run, in s. */
typedef struct {
    uint64_t num_gpus;
    double time_s;
    double utilization_frac; /* of the peak: model FLOP utilization (MFU) */
    /* Each cost by itself, also where it is hidden behind another. */
    double compute_s, tp_s, dp_s, pp_ep_s, bubble_s, latency_s;
    /* The same time cut up without overlap, so that the parts add up to time_s: what is hidden
     * counts under what hides it. */
    double exposed_compute_s, exposed_tp_s, exposed_dp_s, exposed_pp_ep_s, exposed_bubble_s,
        exposed_latency_s;
    double cost_usd;     /* of buying the GPUs, or DT_ABSENT where the price is not known */
    double energy_J;     /* of the run, or DT_ABSENT where the power is not known */
    double memory_bytes; /* needed on each GPU */
    bool fits;           /* whether a GPU has that much */
    /* Bandwidth time of each network level by itself, of the whole run: for tensor and data
     * parallelism the largest counts, for pipeline and expert parallelism the sum. */
    double tp_level_s[DT_MAX_LEVELS], dp_level_s[DT_MAX_LEVELS], pp_ep_level_s[DT_MAX_LEVELS];
    /* Matmul time of the whole run by what binds each matmul (its latency apart). */
    double bound_s[DT_NUM_BOUNDS];
    DtStep step; /* one batch */
    double step_s;
} DtCost;

/* Joules of num_gpus GPUs for time_s seconds, of which compute_s are matmuls: they draw `power`
 * then and `idle_power` otherwise (`power` always where idle_power is not known). The GPU's power
 * is known. */
double dt_cost_energy_J(const DtGpu *gpu, double num_gpus, double time_s, double compute_s);

/* The time and its parts under a plan that dt_plan_check and a level check let pass. */
void dt_cost_evaluate(const DtWork *work, const DtPlan *plan, DtCost *cost);

/* Bytes on each GPU: weights replicated over DP and shared by the other kinds, optimizer state of
 * 4 numbers a parameter sharded over all. Source: the authors' simulator. */
double dt_cost_memory_bytes(const DtWork *work, double dp, double num_gpus);

#endif
