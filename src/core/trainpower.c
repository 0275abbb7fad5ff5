#include "trainpower.h"

#include <math.h>

#define SITE(name, member, kind, fallback, help)                                                \
    {                                                                                           \
        name, DT_NUMBER, offsetof(DtSite, member), kind, DT_NOT_NEGATIVE, DT_DEFAULT, fallback, \
            help                                                                                \
    }

/* Shares: whole-node figures of MLPerf training (8 to 512 H100, throughput falling by a third)
 * and the ratio that arXiv 2411.13055 gives for 128 to 2,048. */
const DtField dt_site_fields[DT_SITE_NUM_FIELDS] = {
    SITE("matmul_share", matmul_frac, "", 0.93, "of full power in matmuls"),
    SITE("memory_share", memory_frac, "", 0.80, "of full power in memory-bound kernels"),
    SITE("traffic_share", traffic_frac, "", 0.78, "of full power waiting in a collective"),
    SITE("wait_share", wait_frac, "", 0.45, "of full power waiting for work"),
    SITE("pue", pue, "", 1.1, "site power over the power of its computers"),
    SITE("energy_price", usd_per_kWh, "", 0.10, "USD for a kWh"),
    SITE("carbon", carbon_g_per_kWh, "", 390, "grams of CO2 for a kWh"),
    SITE("life", life_years, "", 4, "years over which hardware is written off"),
};

DtSite dt_site_default(void)
{
    DtSite site = {0};
    for (int i = 0; i < DT_SITE_NUM_FIELDS; i++) {
        void *place = (char *)&site + dt_site_fields[i].offset;
        *(double *)place = dt_site_fields[i].fallback;
    }
    return site;
}

DtTrainPower dt_train_power(const DtMachine *machine, const DtTrainPlan *plan,
                            const DtStepTime *time, const DtSite *site)
{
    static const double seconds_per_year = 365.25 * 24 * 3600;
    DtTrainPower p = {0};
    double all = time->step_s;
    double traffic = time->tp_s + time->cp_s + time->ep_s + time->pp_s + time->dp_s;
    double waiting = time->bubble_s + time->host_s + time->jitter_s;
    double work = time->compute_s + time->recompute_s;
    double kernels = time->matmul_s + time->attention_s + time->element_s;
    /* A stage may hold no layer, only the head: a matmul. */
    double memory_part = kernels > 0 ? time->element_s / kernels : 0;
    double memory = work * memory_part + time->optimizer_s;
    double matmul = work * (1 - memory_part);
    double share = (matmul * site->matmul_frac + memory * site->memory_frac +
                    traffic * site->traffic_frac + waiting * site->wait_frac) /
                   all;
    p.gpu_w = machine->idle_power_w + (machine->power_w - machine->idle_power_w) * share;
    p.node_w = p.gpu_w + machine->host_power_w;
    p.total_w = p.node_w * plan->gpus * site->pue;
    p.step_J = p.total_w * all;
    p.token_J = p.step_J / time->tokens;
    double kWh = p.step_J / 3.6e6;
    p.rent_usd_per_step = machine->price_usd_per_hour * plan->gpus * all / 3600;
    p.buy_usd_per_step =
        machine->price_usd * plan->gpus * all / (site->life_years * seconds_per_year);
    p.energy_usd_per_step = kWh * site->usd_per_kWh;
    p.carbon_g_per_step = kWh * site->carbon_g_per_kWh;
    return p;
}
