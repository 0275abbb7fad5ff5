/* layertime.h: seconds of one transformer layer, of the head and of the embedding, for one
 * microbatch on one GPU: matmuls, attention, element-wise work, recomputation, the host's launches
 * and the traffic of tensor, context and expert parallelism.
 * Leaves out: what hides behind other layers (steptime.h does that).
 * May include: rates.h.
 */
#ifndef DT_CORE_LAYERTIME_H
#define DT_CORE_LAYERTIME_H

#include "rates.h"

/* Seconds of one direction. */
typedef struct {
    double matmul_s, attention_s, element_s;
    double tp_s, tp_exposed_s;
    double cp_s, cp_exposed_s;
    double ep_s;        /* exposed wholly */
    double host_s;      /* the host's launches: a floor, since it runs ahead */
    double recompute_s; /* backward only, its tensor-parallel traffic included */
    double total_s;     /* max(host, kernels + exposed traffic + recompute) */
} DtPass;

typedef struct {
    DtPass forward, backward;
    double parameters;       /* of the layer on this GPU: matrices over tp, experts over ep */
    double dense_parameters; /* the share of them that data parallelism reduces as a whole */
} DtLayerTime;

/* One layer; expert_layer: its MLP is experts. */
void dt_layer_time(const DtTransformer *model, const DtTrainPlan *plan, const DtSoftware *software,
                   const DtRates *rates, bool expert_layer, DtLayerTime *time);

/* Head with loss, forward and backward, with its tensor-parallel reduction. */
double dt_head_time_s(const DtTransformer *model, const DtTrainPlan *plan,
                      const DtSoftware *software, const DtRates *rates);

/* Embedding, forward and backward, with its tensor-parallel reduction. */
double dt_embedding_time_s(const DtTransformer *model, const DtTrainPlan *plan,
                           const DtSoftware *software, const DtRates *rates);

#endif
