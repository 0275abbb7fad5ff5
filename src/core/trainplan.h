/* trainplan.h: how a real training run is laid out over GPUs, and by what software.
 *
 * Models: data (with sharding of states), tensor, sequence, context, expert and pipeline
 * parallelism; microbatches; schedules; recomputation; precisions; rank order; and what a framework
 * does that its users do not choose.
 * May include: machine.h, transformer.h.
 */
#ifndef DT_CORE_TRAINPLAN_H
#define DT_CORE_TRAINPLAN_H

#include "machine.h"
#include "transformer.h"

typedef enum {
    DT_SCHEDULE_1F1B,        /* also interleaved, where interleave > 1 */
    DT_SCHEDULE_GPIPE,       /* all forwards, then all backwards */
    DT_SCHEDULE_ZERO_BUBBLE, /* weight gradients fill the drain */
    DT_NUM_SCHEDULES
} DtSchedule;
extern const char *const dt_schedule_names[DT_NUM_SCHEDULES];

typedef enum {
    DT_RECOMPUTE_NONE,
    DT_RECOMPUTE_SELECTIVE, /* the attention core */
    DT_RECOMPUTE_FULL,      /* whole layers, recompute_frac of them */
    DT_RECOMPUTE_PER_OP,    /* element-wise work and half of the matmuls */
    DT_NUM_RECOMPUTES
} DtRecompute;
extern const char *const dt_recompute_names[DT_NUM_RECOMPUTES];

/* What large matmuls of layers compute in. */
typedef enum {
    DT_COMPUTE_BF16,
    DT_COMPUTE_FP16,
    DT_COMPUTE_FP8,
    DT_COMPUTE_TF32, /* half of the 16-bit rate */
    DT_COMPUTE_FP32, /* a sixteenth: no tensor cores */
    DT_NUM_COMPUTES
} DtCompute;
extern const char *const dt_compute_names[DT_NUM_COMPUTES];

/* Neighbouring ranks differ in the first of these, then in the next: which kind of parallelism
 * goes over which network level. */
typedef enum {
    DT_ORDER_TP_CP_DP_PP, /* Megatron's */
    DT_ORDER_TP_CP_PP_DP,
    DT_ORDER_DP_TP_CP_PP,
    DT_NUM_ORDERS
} DtOrder;
extern const char *const dt_order_names[DT_NUM_ORDERS];

typedef enum {
    DT_SPLIT_EVEN, /* the first stages take the remainder */
    DT_SPLIT_COST, /* by cost, the head counted */
    DT_SPLIT_ENDS, /* embedding and head count as a layer each */
    DT_NUM_SPLITS
} DtSplit;
extern const char *const dt_split_names[DT_NUM_SPLITS];

typedef struct {
    double gpus, tp, cp, pp, ep;
    double dp;         /* gpus / (tp cp pp); expert parallelism lives inside dp cp */
    double expert_tp;  /* tensor parallelism of experts; 0: as tp */
    double interleave; /* chunks of layers per stage */
    double schedule;   /* a DtSchedule */
    double microbatch; /* sequences */
    double batch;      /* sequences of a step, all GPUs */
    bool sequence_parallel;
    bool context_all_to_all; /* context parallelism by all-to-all instead of a ring */
    double zero;             /* 0 to 3: none, optimizer, gradients, weights sharded */
    bool reshard;            /* zero 3: weights are freed after forward (full shard) */
    double shard_group;      /* GPUs over which zero 3 shards; 0: all (hybrid: fewer) */
    double recompute;        /* a DtRecompute */
    double recompute_frac;   /* share of layers */
    double split;            /* a DtSplit: how layers are dealt to stages */
    double compute;          /* a DtCompute */
    double order;            /* a DtOrder */
    double weight_bytes, gradient_bytes, optimizer_bytes; /* per parameter */
    double reduce_bytes;                                  /* per parameter: gradients on the wire */
    double gather_bytes;                                  /* per parameter: weights on the wire */
    bool offload;                                         /* optimizer state and step in the host */
    bool frozen; /* weights are frozen (adapters are trained): no weight gradients */
} DtTrainPlan;

enum { DT_TRAINPLAN_NUM_FIELDS = 23 };
extern const DtField dt_trainplan_fields[DT_TRAINPLAN_NUM_FIELDS];

typedef enum {
    DT_ATTENTION_EAGER,  /* unfused softmax */
    DT_ATTENTION_FUSED,  /* fused softmax, scores in memory */
    DT_ATTENTION_FLASH1, /* flash attention 1, Triton */
    DT_ATTENTION_FLASH2,
    DT_ATTENTION_FLASH3, /* flash attention 3, cuDNN of 2024 and later */
    DT_NUM_ATTENTIONS
} DtAttention;
extern const char *const dt_attention_names[DT_NUM_ATTENTIONS];

typedef enum {
    DT_KERNELS_FUSED,
    DT_KERNELS_NATIVE,
    DT_KERNELS_EAGER,
    DT_KERNELS_COMPILED,
    DT_NUM_KERNELS
} DtKernels;
extern const char *const dt_kernels_names[DT_NUM_KERNELS];

typedef enum {
    DT_TP_EXPOSED,  /* every collective waits */
    DT_TP_BACKWARD, /* hidden behind weight gradients in backward */
    DT_TP_USER,     /* hidden behind chunks of matmuls, both ways */
    DT_NUM_TP_OVERLAPS
} DtTpOverlap;
extern const char *const dt_tp_overlap_names[DT_NUM_TP_OVERLAPS];

/* What a framework does. */
typedef struct {
    double attention;  /* a DtAttention */
    double kernels;    /* a DtKernels: of norms, activations, rotary */
    bool host_eager;   /* host times of eager Python */
    double operations; /* launches per layer and direction */
    bool dropout;
    bool fused_loss;
    bool grouped_experts;    /* all experts of a rank in one kernel */
    double tp_overlap;       /* a DtTpOverlap */
    bool tp_regather;        /* sequence parallelism gathers once more in backward */
    bool all_reduce;         /* zero 1: whole gradients are reduced, then weights gathered */
    bool dp_overlap;         /* gradient reduction under backward */
    bool gather_overlap;     /* parameter gather under forward */
    bool layer_calls;        /* reductions per matrix instead of buckets */
    bool prefetch;           /* zero 3: the next gather is issued before it is needed in backward */
    bool broadcast;          /* zero 3 by broadcasts without overlap, as of 2021 */
    double accumulate_bytes; /* 4, 2: gradients are added in that width each microbatch */
    /* memory, see trainmemory.h */
    double second_gradient_bytes, gathered_bytes, mlp_bytes, logit_bytes, norm_bytes;
    double gather_buffer_bytes, base_bytes;
    bool logits_sharded;  /* logits over tensor-parallel ranks */
    bool stage_gradients; /* 16-bit gradients of a whole stage live to the end of backward */
} DtSoftware;

enum { DT_SOFTWARE_NUM_FIELDS = 22 };
extern const DtField dt_software_fields[DT_SOFTWARE_NUM_FIELDS];

/* Fills what a plan leaves open (dp from gpus, or gpus from degrees; shares and widths) and
 * checks all: degrees multiply to the GPUs, microbatches are whole, heads and layers divide.
 * Zero or negative numbers mean not given. Errors: DT_INVALID, DT_ILLEGAL with the reason. */
DtStatus dt_trainplan_complete(DtTrainPlan *plan, const DtTransformer *model, DtError *error);

/* Microbatches of a step on one pipeline. */
double dt_trainplan_microbatches(const DtTrainPlan *plan);

/* GPUs between neighbouring ranks of each kind of parallelism. */
typedef struct {
    double tp, cp, dp, pp;
} DtStrides;
DtStrides dt_trainplan_strides(const DtTrainPlan *plan);

enum { DT_MAX_STAGES = 512 };

/* Layers of each stage into layers[0 .. pp - 1]. */
void dt_trainplan_split(const DtTrainPlan *plan, const DtTransformer *model, double *layers);

#endif
