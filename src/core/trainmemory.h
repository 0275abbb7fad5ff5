/* trainmemory.h: memory of each GPU and pipeline stage in a training step, and whether it fits.
 *
 * Models: weights, gradients and optimizer state by sharding stage; activations of the microbatches
 * in flight by schedule and recomputation; logits; gradients and workspace inside backward;
 * gathered copies and buffers. The peak is the largest of four moments: loss, first backward, end
 * of backward, optimizer. Leaves out: the allocator's exact behaviour (a factor stands for it).
 * Sources: Rajbhandari et al. (2020), ZeRO; Korthikanti et al. (2022), arXiv 2205.05198, section 4.
 * May include: layertime.h (for the parameters of a layer on a GPU), trainplan.h.
 */
#ifndef DT_CORE_TRAINMEMORY_H
#define DT_CORE_TRAINMEMORY_H

#include "trainplan.h"

typedef enum {
    DT_MOMENT_LOSS,      /* all activations in flight, and the logits */
    DT_MOMENT_BACKWARD,  /* the first backward begins: its workspace comes on top */
    DT_MOMENT_END,       /* backward ends: activations are nearly gone, gradients are there */
    DT_MOMENT_OPTIMIZER, /* gathered weights at the step */
    DT_NUM_MOMENTS
} DtMoment;
extern const char *const dt_moment_names[DT_NUM_MOMENTS];

typedef enum { DT_FITS, DT_DOUBTFUL, DT_TOO_BIG, DT_NUM_VERDICTS } DtVerdict;
extern const char *const dt_verdict_names[DT_NUM_VERDICTS]; /* fits, doubtful, out of memory */

/* Bytes on one GPU of a stage. */
typedef struct {
    double layers, in_flight; /* of the stage; microbatches whose activations it holds */
    double parameters;        /* before sharding over data parallelism */
    double weights_bytes, gradients_bytes, optimizer_bytes;
    double activations_bytes; /* in flight, before the allocator's factor */
    double logits_bytes, workspace_bytes, buffers_bytes;
    double allocated_bytes; /* peak as a framework counts it */
    double reserved_bytes;  /* peak with the allocator's margin: decides what fits */
    DtMoment moment;        /* when */
} DtStageMemory;

/* All stages. */
typedef struct {
    DtStageMemory worst;
    int stage; /* 0-based */
    double usable_bytes;
    DtVerdict verdict;   /* doubtful within 10 % of the limit */
    const char *largest; /* part that takes most: "weights", "activations", ... */
} DtTrainMemory;

/* Memory of one stage; layers: of that stage, first: index of its first layer. */
DtStageMemory dt_stage_memory(const DtTransformer *model, const DtTrainPlan *plan,
                              const DtSoftware *software, int stage, double layers, double first);

/* The worst stage and the verdict. plan: completed. */
DtTrainMemory dt_train_memory(const DtTransformer *model, const DtTrainPlan *plan,
                              const DtSoftware *software, const DtMachine *machine);

/* Bytes that a layer saves for backward per microbatch on one GPU. expert_layer: as in
 * dt_layer_time. recomputed_bytes (may be NULL): of them, what recomputation rebuilds. */
double dt_layer_activation_bytes(const DtTransformer *model, const DtTrainPlan *plan,
                                 const DtSoftware *software, bool expert_layer,
                                 double *recomputed_bytes);

#endif
