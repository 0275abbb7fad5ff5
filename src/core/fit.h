/* fit.h: sets the calibration's constants so that predicted step times meet measured ones.
 *
 * Robust least squares on ln(predicted / measured): large residuals count by their size, not by
 * its square, so a few broken rows do not pull; each constant is held near its start by a prior
 * in its logarithm, and inside its bounds.
 * Method: Levenberg-Marquardt with numeric derivatives over the logarithms of the constants.
 * May include: steptime.h.
 */
#ifndef DT_CORE_FIT_H
#define DT_CORE_FIT_H

#include "steptime.h"

/* One measured run. */
typedef struct {
    DtTransformer model;
    DtTrainPlan plan; /* completed */
    DtSoftware software;
    DtMachine machine;
    double measured_s;
    double weight; /* 0: not used */
} DtMeasurement;

typedef struct {
    bool free[DT_NUM_CONSTANTS]; /* constants to set; those with equal bounds stay */
    double prior;                /* width of the prior in ln(constant), 0.35 is usual; 0: none */
    double prior_weight;         /* what a prior counts for beside one row */
    double scale;                /* |ln ratio| from which a row counts as broken, 0.06 is usual */
    int max_iterations;
    bool (*stop)(void *context); /* may be NULL */
    void *context;
} DtFitOptions;

typedef struct {
    int iterations;
    double start_cost, cost;
} DtFitReport;

/* Fits in place. Errors: DT_NO_MEMORY, DT_INTERRUPTED, DT_INFEASIBLE (nothing to fit); the
 * calibration is then untouched. */
DtStatus dt_fit(const DtMeasurement *rows, int num_rows, const DtFitOptions *options,
                DtCalibration *calibration, DtFitReport *report, DtError *error);

#endif
