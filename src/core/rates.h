/* rates.h: what kernels and collectives reach on one machine under one kind of software: the
 * calibration's constants, chosen by GPU family, kernel generation and host class.
 * May include: calibration.h, collective.h, trainplan.h.
 */
#ifndef DT_CORE_RATES_H
#define DT_CORE_RATES_H

#include "calibration.h"
#include "collective.h"
#include "trainplan.h"

typedef struct {
    double peak16_flop_per_s; /* sustained by large matmuls: e times peak times clock */
    double peak8_flop_per_s;
    double attention_flop_per_s; /* forward, before the shape's saturation */
    double attention_backward_flop_per_s;
    double memory_Bps, host_Bps;
    double num_sms, k0, wave, kernel_s;
    double phi, loss_bytes, optimizer_bytes, accumulate_bytes, expert, expert_load;
    double op_s, tp_call_s, fsdp_unit_s, step_s;
    double in_Bps, out_Bps; /* per GPU, one way, reached */
    double hop_in_s, hop_out_s, call_s, tree_s, tree_pipe;
    double x_tp_forward, x_tp_backward, x_dp, x_p2p, x_param, kappa, x_fsdp, x_post, x_broadcast,
        scores, jitter;
    double domain_size;
    bool in_network;
    bool used[DT_NUM_CONSTANTS]; /* constants that were chosen */
} DtRates;

/* Chooses. Never fails: families without constants of their own take those of `other`. */
void dt_rates_resolve(const DtCalibration *calibration, const DtMachine *machine,
                      const DtSoftware *software, const DtTrainPlan *plan, DtRates *rates);

/* The group of `degree` ranks, neighbours of which are `inner` GPUs apart. */
DtGroup dt_rates_group(const DtRates *rates, double degree, double inner);

/* Seconds of `groups` equal matmuls M x K times K x N run as one kernel, in 8 bits or in 16.
 * Tiles of the result are dealt to the SMs in waves; small results split the inner dimension.
 * The largest of arithmetic and memory traffic, and a kernel's gap. */
double dt_rates_matmul_s(const DtRates *rates, double M, double K, double N, double groups,
                         bool fp8);

#endif
