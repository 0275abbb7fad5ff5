/* trainpower.h: power, energy, money and carbon of a training step.
 *
 * Models: a GPU draws its idle power and, of what lies above, a share by what it does: matmuls,
 * memory-bound kernels, waiting in a collective (near full power: it spins), waiting otherwise;
 * the host's share is constant; a site multiplies by its PUE. Leaves out: voltage and temperature,
 * power caps (the machine's clock fraction has them).
 * May include: machine.h, steptime.h.
 */
#ifndef DT_CORE_TRAINPOWER_H
#define DT_CORE_TRAINPOWER_H

#include "steptime.h"

/* Shares of (full - idle) power, and the site. */
typedef struct {
    double matmul_frac, memory_frac, traffic_frac, wait_frac;
    double pue; /* site power over IT power */
    double usd_per_kWh;
    double carbon_g_per_kWh;
    double life_years; /* over which a bought GPU is written off */
} DtSite;

enum { DT_SITE_NUM_FIELDS = 8 };
extern const DtField dt_site_fields[DT_SITE_NUM_FIELDS];

/* A site with every field's default. */
DtSite dt_site_default(void);

typedef struct {
    double gpu_w;   /* mean of one GPU */
    double node_w;  /* the same with the host's share */
    double total_w; /* all GPUs and hosts, PUE included */
    double step_J;  /* energy of a step, PUE included */
    double token_J;
    double rent_usd_per_step, energy_usd_per_step, buy_usd_per_step;
    double carbon_g_per_step;
} DtTrainPower;

/* Power and what follows from it. */
DtTrainPower dt_train_power(const DtMachine *machine, const DtTrainPlan *plan,
                            const DtStepTime *time, const DtSite *site);

#endif
