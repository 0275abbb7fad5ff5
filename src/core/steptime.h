/* steptime.h: seconds of one training step of a transformer on a real cluster.
 *
 * Models: layers dealt to pipeline stages, with head and embedding; the bubble of the schedule;
 * gradient reduction and parameter gathers that hide under compute as far as they fit; sharded
 * weights gathered layer by layer; optimizer; host; loss by waiting for the slowest.
 * Leaves out: data loading, checkpoints, failures.
 * May include: layertime.h.
 */
#ifndef DT_CORE_STEPTIME_H
#define DT_CORE_STEPTIME_H

#include "layertime.h"

/* Seconds of a step by what they went to; the parts add up to step_s. */
typedef struct {
    double compute_s; /* matmuls, attention, element-wise, head, embedding */
    double recompute_s;
    double tp_s, cp_s, ep_s, pp_s, dp_s; /* traffic that is exposed */
    double bubble_s;                     /* idle stages */
    double optimizer_s;
    double host_s;   /* the host was slower than the GPU; fixed time of a step */
    double jitter_s; /* waiting for the slowest */
    double step_s;
    double hidden_s;                         /* traffic under compute */
    double tp_total_s, dp_total_s;           /* traffic, hidden or not */
    double matmul_s, attention_s, element_s; /* parts of compute_s */
    double tokens;                           /* of a step, all GPUs */
    double largest_stage_s; /* forward and backward of a microbatch on the slowest stage */
} DtStepTime;

/* plan: completed. stage_forward_s, stage_backward_s: NULL, or room for pp numbers: what one
 * microbatch takes on each stage. */
void dt_step_time(const DtTransformer *model, const DtTrainPlan *plan, const DtSoftware *software,
                  const DtMachine *machine, const DtCalibration *calibration, DtStepTime *time,
                  double *stage_forward_s, double *stage_backward_s);

/* The same with the rates already chosen and, where not NULL, layers already computed (dense,
 * expert): for searches, which meet each many times. */
typedef struct {
    DtLayerTime dense, expert;
    double head_s, embedding_s;
} DtLayers;
void dt_step_layers(const DtTransformer *model, const DtTrainPlan *plan, const DtSoftware *software,
                    const DtRates *rates, DtLayers *layers);
void dt_step_time_of(const DtTransformer *model, const DtTrainPlan *plan,
                     const DtSoftware *software, const DtRates *rates, const DtLayers *layers,
                     DtStepTime *time, double *stage_forward_s, double *stage_backward_s);

#endif
