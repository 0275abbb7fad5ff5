/* Fitting constants: what made the data is found again, bounds and priors hold.
 * Right values: the constants that the data were made with. */
#include "check.h"
#include "core/fit.h"
#include "train_fixtures.h"

enum { ROWS = 12 };

static void make_rows(DtMeasurement *rows, const DtCalibration *truth)
{
    for (int i = 0; i < ROWS; i++) {
        DtError error;
        DtMeasurement row = {.model = fix_gpt(24 + 4 * i, 2048 + 512 * (i % 4), 32),
                             .software = fix_megatron_2021(),
                             .machine = fix_machine_a100(),
                             .plan = fix_trainplan(),
                             .weight = 1};
        DtStepTime time;
        row.plan.tp = i % 3 == 0 ? 1 : 8;
        row.plan.microbatch = 1 + i % 4;
        row.plan.batch = 8 * row.plan.microbatch;
        CHECK(dt_trainplan_complete(&row.plan, &row.model, &error) == DT_OK);
        dt_step_time(&row.model, &row.plan, &row.software, &row.machine, truth, &time, NULL, NULL);
        row.measured_s = time.step_s;
        rows[i] = row;
    }
}

int main(void)
{
    DtMeasurement rows[ROWS];
    DtCalibration truth, found;
    DtFitReport report;
    DtError error;
    DtFitOptions options = {.scale = 0.06, .max_iterations = 50};
    dt_calibration_init(&truth, false);
    truth.value[DT_C_E_A100] = 0.70;
    truth.value[DT_C_NV_A100] = 0.80;
    make_rows(rows, &truth);
    dt_calibration_init(&found, false);
    options.free[DT_C_E_A100] = options.free[DT_C_NV_A100] = true;
    CHECK(dt_fit(rows, ROWS, &options, &found, &report, &error) == DT_OK);
    CHECK_CLOSE(found.value[DT_C_E_A100], 0.70, 0.005);
    CHECK_CLOSE(found.value[DT_C_NV_A100], 0.80, 0.02);
    CHECK(report.cost < 1e-3 * report.start_cost);
    /* One broken row hardly moves them. */
    rows[3].measured_s *= 3;
    dt_calibration_init(&found, false);
    CHECK(dt_fit(rows, ROWS, &options, &found, &report, &error) == DT_OK);
    CHECK_CLOSE(found.value[DT_C_E_A100], 0.70, 0.05);
    /* A narrow prior holds a constant where it was. */
    rows[3].measured_s /= 3;
    options.prior = 1e-3;
    options.prior_weight = 1e3;
    dt_calibration_init(&found, false);
    double before = found.value[DT_C_E_A100];
    CHECK(dt_fit(rows, ROWS, &options, &found, &report, &error) == DT_OK);
    CHECK_CLOSE(found.value[DT_C_E_A100], before, 0.01);
    /* Nothing to fit. */
    options = (DtFitOptions){.scale = 0.06, .max_iterations = 5};
    CHECK(dt_fit(rows, ROWS, &options, &found, &report, &error) == DT_INFEASIBLE);
    return check_finish("fit");
}
