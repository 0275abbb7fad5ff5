/* calibration.h: the constants of the transformer model that measurements set.
 *
 * One row says all about one constant: name, value, the start of a fit, the value that first
 * principles give
 * (perfect kernels, no overheads), unit, bounds of a fit, meaning, and what set it. A constant
 * belongs to a GPU type, a generation of kernels, a class of host software or a kind of network;
 * never to one model, one row or one source.
 * May include: field.h.
 */
#ifndef DT_CORE_CALIBRATION_H
#define DT_CORE_CALIBRATION_H

#include "field.h"

typedef enum {
    /* large matmuls: share of peak that is sustained */
    DT_C_E_V100,
    DT_C_E_A100,
    DT_C_E_H100,
    DT_C_E_B200,
    DT_C_E_OTHER,
    DT_C_CLOCK_GB200,
    DT_C_FP8_H100,
    DT_C_FP8_B200,
    DT_C_K0,
    DT_C_WAVE,
    DT_C_MEMORY,
    DT_C_KERNEL,
    /* attention kernels: share of peak, forward */
    DT_C_FA_A1,
    DT_C_FA_A2,
    DT_C_FA_H1,
    DT_C_FA_H2,
    DT_C_FA_H3,
    DT_C_FA_B,
    DT_C_FA_V,
    DT_C_FA_BACKWARD,
    /* element-wise kernels: traffic over the least possible */
    DT_C_PHI_FUSED,
    DT_C_PHI_NATIVE,
    DT_C_PHI_EAGER,
    DT_C_PHI_COMPILED,
    DT_C_LOSS,
    DT_C_OPTIMIZER,
    DT_C_ACC32,
    DT_C_ACC16,
    /* host */
    DT_C_OP_EAGER,
    DT_C_OP_FUSED,
    DT_C_TP_EAGER,
    DT_C_TP_FUSED,
    DT_C_TP_SLOW,
    DT_C_FSDP_UNIT,
    DT_C_STEP,
    /* network */
    DT_C_NV_A100,
    DT_C_NV_H100,
    DT_C_NV_B200,
    DT_C_NET,
    DT_C_NET_MEASURED,
    DT_C_HOP_IN,
    DT_C_HOP_OUT,
    DT_C_CALL,
    DT_C_TREE,
    DT_C_TREE_PIPE,
    /* overlap and what it costs */
    DT_C_X_TP_BACK,
    DT_C_X_TP_USER,
    DT_C_X_DP,
    DT_C_X_P2P,
    DT_C_X_PARAM,
    DT_C_KAPPA,
    DT_C_X_FSDP,
    DT_C_X_POST,
    DT_C_JITTER,
    DT_C_EXPERT,
    DT_C_EXPERT_LOAD,
    DT_C_EXPERT_LOOP,
    DT_C_X_BROADCAST,
    DT_C_SCORES,
    DT_NUM_CONSTANTS
} DtConstant;

typedef enum { DT_MEASURED, DT_FITTED, DT_GUESSED } DtOrigin;
extern const char *const dt_origin_names[3]; /* "measured", "fitted", "guessed" */

typedef struct {
    const char *name;
    double value;     /* what the model uses by default */
    double start;     /* where a fit begins, and its prior's centre: a round number */
    double ideal;     /* with first principles alone */
    double low, high; /* bounds of a fit; equal: not fitted */
    const char *unit; /* "" for a ratio */
    DtOrigin origin;
    const char *meaning;
    const char *set_by; /* the sources whose rows it is sensitive to */
} DtCalibrationRow;

extern const DtCalibrationRow dt_calibration_rows[DT_NUM_CONSTANTS];

/* The constants that a prediction uses, and those that it looked at. */
typedef struct {
    double value[DT_NUM_CONSTANTS];
} DtCalibration;

/* The default constants, or (ideal) those of first principles. */
void dt_calibration_init(DtCalibration *calibration, bool ideal);

/* Index of a constant by its name, -1 if there is none. */
int dt_calibration_find(const char *name);

#endif
