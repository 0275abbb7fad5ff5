#include "fit.h"

#include <math.h>
#include <stdlib.h>

#include "gpu.h"
#include "memory.h"

typedef struct {
    const DtMeasurement *rows;
    int num_rows;
    const DtFitOptions *options;
    int free[DT_NUM_CONSTANTS]; /* indices of constants that move */
    int num_free;
    DtCalibration start;
    double *residual; /* num_rows */
    double *jacobian; /* num_rows x num_free */
} Fit;

static double residual_of(const DtMeasurement *row, const DtCalibration *calibration)
{
    DtStepTime time;
    dt_step_time(&row->model, &row->plan, &row->software, &row->machine, calibration, &time, NULL,
                 NULL);
    return log(time.step_s / row->measured_s);
}

/* Soft L1: 2 c^2 (sqrt(1 + (r/c)^2) - 1). */
static double robust(double r, double scale)
{
    double ratio = r / scale;
    return 2 * scale * scale * (sqrt(1 + ratio * ratio) - 1);
}

static double robust_weight(double r, double scale)
{
    double ratio = r / scale;
    return 1 / sqrt(1 + ratio * ratio);
}

static double prior_residual(const Fit *fit, const DtCalibration *c, int i)
{
    int k = fit->free[i];
    return log(c->value[k] / fit->start.value[k]) / fit->options->prior;
}

/* A prior's residuals are in widths, a row's in scales: both count 1 at one unit. */
static double prior_factor(const Fit *fit)
{
    double scale = fit->options->scale;
    return fit->options->prior > 0 ? fit->options->prior_weight * scale * scale : 0;
}

static double cost_of(const Fit *fit, const DtCalibration *c, double *residual)
{
    double cost = 0;
    for (int i = 0; i < fit->num_rows; i++) {
        double r = fit->rows[i].weight > 0 ? residual_of(&fit->rows[i], c) : 0;
        if (residual)
            residual[i] = r;
        cost += fit->rows[i].weight * robust(r, fit->options->scale);
    }
    if (prior_factor(fit) > 0)
        for (int i = 0; i < fit->num_free; i++) {
            double r = prior_residual(fit, c, i);
            cost += prior_factor(fit) * r * r;
        }
    return cost;
}

static void derivatives(Fit *fit, const DtCalibration *c)
{
    const double step = 1e-3;
    for (int j = 0; j < fit->num_free; j++) {
        DtCalibration moved = *c;
        moved.value[fit->free[j]] *= 1 + step;
        for (int i = 0; i < fit->num_rows; i++) {
            double *cell = &fit->jacobian[(size_t)i * (size_t)fit->num_free + (size_t)j];
            *cell = 0;
            if (fit->rows[i].weight > 0)
                *cell = (residual_of(&fit->rows[i], &moved) - fit->residual[i]) / log(1 + step);
        }
    }
}

/* Solves the n x n system a x = b in place by Cholesky; false if a is not positive definite. */
static bool solve(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j) {
                if (!(sum > 0))
                    return false;
                a[i * n + i] = sqrt(sum);
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

static void normal_equations(const Fit *fit, const DtCalibration *c, double *a, double *b)
{
    int n = fit->num_free;
    for (int i = 0; i < n * n; i++)
        a[i] = 0;
    for (int i = 0; i < n; i++)
        b[i] = 0;
    for (int i = 0; i < fit->num_rows; i++) {
        const double *row = &fit->jacobian[(size_t)i * (size_t)n];
        double r = fit->residual[i];
        double weight = fit->rows[i].weight * robust_weight(r, fit->options->scale);
        for (int j = 0; j < n; j++) {
            b[j] -= weight * row[j] * r;
            for (int k = 0; k <= j; k++)
                a[j * n + k] += weight * row[j] * row[k];
        }
    }
    if (prior_factor(fit) > 0)
        for (int j = 0; j < n; j++) {
            double width = fit->options->prior;
            a[j * n + j] += prior_factor(fit) / (width * width);
            b[j] -= prior_factor(fit) * prior_residual(fit, c, j) / width;
        }
}

static DtCalibration moved_by(const Fit *fit, const DtCalibration *c, const double *step)
{
    DtCalibration next = *c;
    for (int i = 0; i < fit->num_free; i++) {
        const DtCalibrationRow *row = &dt_calibration_rows[fit->free[i]];
        double value = c->value[fit->free[i]] * exp(dt_max(-0.7, dt_min(0.7, step[i])));
        next.value[fit->free[i]] = dt_min(row->high, dt_max(dt_max(row->low, 1e-12), value));
    }
    return next;
}

/* One damped step; lowers *cost and moves *c where it can. Returns whether it did. */
static bool improve(Fit *fit, DtCalibration *c, double *cost, double *damping)
{
    double a[DT_NUM_CONSTANTS * DT_NUM_CONSTANTS];
    double b[DT_NUM_CONSTANTS];
    int n = fit->num_free;
    derivatives(fit, c);
    for (int attempt = 0; attempt < 8; attempt++) {
        normal_equations(fit, c, a, b);
        for (int i = 0; i < n; i++)
            a[i * n + i] += *damping * a[i * n + i] + 1e-9;
        if (solve(a, b, n)) {
            DtCalibration next = moved_by(fit, c, b);
            double lower = cost_of(fit, &next, NULL);
            if (lower < *cost) {
                *c = next;
                *damping /= 3;
                *cost = cost_of(fit, c, fit->residual);
                return true;
            }
        }
        *damping *= 4;
    }
    return false;
}

DtStatus dt_fit(const DtMeasurement *rows, int num_rows, const DtFitOptions *options,
                DtCalibration *calibration, DtFitReport *report, DtError *error)
{
    Fit fit = {.rows = rows, .num_rows = num_rows, .options = options, .start = *calibration};
    for (int i = 0; i < DT_NUM_CONSTANTS; i++)
        if (options->free[i] && dt_calibration_rows[i].low < dt_calibration_rows[i].high)
            fit.free[fit.num_free++] = i;
    if (num_rows < 1 || fit.num_free < 1)
        return dt_error_set(error, DT_INFEASIBLE, "rows", num_rows, "hold something to fit");
    fit.residual = dt_malloc((size_t)num_rows * sizeof *fit.residual);
    fit.jacobian = dt_malloc((size_t)num_rows * (size_t)fit.num_free * sizeof *fit.jacobian);
    DtStatus status = DT_OK;
    if (!fit.residual || !fit.jacobian)
        status = dt_error_set(error, DT_NO_MEMORY, "rows", num_rows, "fit into memory");
    DtCalibration best = *calibration;
    DtFitReport done = {0};
    if (status == DT_OK) {
        double damping = 1e-2;
        double cost = done.start_cost = cost_of(&fit, &best, fit.residual);
        while (done.iterations < options->max_iterations) {
            if (options->stop && options->stop(options->context)) {
                status = dt_error_set(error, DT_INTERRUPTED, "fit", 0, "be let finish");
                break;
            }
            double before = cost;
            done.iterations++;
            if (!improve(&fit, &best, &cost, &damping) || before - cost < 1e-5 * before)
                break;
        }
        done.cost = cost;
    }
    dt_free(fit.residual);
    dt_free(fit.jacobian);
    if (status != DT_OK)
        return status;
    *calibration = best;
    *report = done;
    return DT_OK;
}
