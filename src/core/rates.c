#include "rates.h"

#include <math.h>

#include "gpu.h"

/* Takes one constant and notes that it was. */
static double take(const DtCalibration *c, DtRates *r, DtConstant constant)
{
    r->used[constant] = true;
    return c->value[constant];
}

static const DtConstant matmul_share[DT_NUM_FAMILIES] = {
    [DT_FAMILY_OTHER] = DT_C_E_OTHER,    [DT_FAMILY_VOLTA] = DT_C_E_V100,
    [DT_FAMILY_AMPERE] = DT_C_E_A100,    [DT_FAMILY_HOPPER] = DT_C_E_H100,
    [DT_FAMILY_BLACKWELL] = DT_C_E_B200,
};

static const DtConstant link_share[DT_NUM_FAMILIES] = {
    [DT_FAMILY_OTHER] = DT_C_NV_A100,     [DT_FAMILY_VOLTA] = DT_C_NV_A100,
    [DT_FAMILY_AMPERE] = DT_C_NV_A100,    [DT_FAMILY_HOPPER] = DT_C_NV_H100,
    [DT_FAMILY_BLACKWELL] = DT_C_NV_B200,
};

static DtConstant attention_share(DtFamily family, DtAttention attention)
{
    switch (family) {
    case DT_FAMILY_AMPERE:
        return attention == DT_ATTENTION_FLASH1 ? DT_C_FA_A1 : DT_C_FA_A2;
    case DT_FAMILY_HOPPER:
        return attention == DT_ATTENTION_FLASH1   ? DT_C_FA_H1
               : attention == DT_ATTENTION_FLASH2 ? DT_C_FA_H2
                                                  : DT_C_FA_H3;
    case DT_FAMILY_BLACKWELL:
        return DT_C_FA_B;
    default:
        return DT_C_FA_V;
    }
}

static void resolve_kernels(const DtCalibration *c, const DtMachine *m, const DtSoftware *s,
                            const DtTrainPlan *p, DtRates *r)
{
    static const DtConstant phi[DT_NUM_KERNELS] = {DT_C_PHI_FUSED, DT_C_PHI_NATIVE, DT_C_PHI_EAGER,
                                                   DT_C_PHI_COMPILED};
    static const double rate[DT_NUM_COMPUTES] = {[DT_COMPUTE_BF16] = 1,
                                                 [DT_COMPUTE_FP16] = 1,
                                                 [DT_COMPUTE_FP8] = 1,
                                                 [DT_COMPUTE_TF32] = 0.5,
                                                 [DT_COMPUTE_FP32] = 1.0 / 16};
    DtFamily family = (DtFamily)m->family;
    double clock =
        m->clock_frac * rate[(int)p->compute] * (m->superchip ? take(c, r, DT_C_CLOCK_GB200) : 1);
    double share = take(c, r, matmul_share[family]);
    double peak8 = m->peak8_flop_per_s;
    r->peak16_flop_per_s = m->peak16_flop_per_s * share * clock;
    r->peak8_flop_per_s = r->peak16_flop_per_s;
    if (peak8 > 0)
        r->peak8_flop_per_s =
            peak8 * share * clock *
            take(c, r, family == DT_FAMILY_BLACKWELL ? DT_C_FP8_B200 : DT_C_FP8_H100);
    if (s->attention >= DT_ATTENTION_FLASH1)
        r->attention_flop_per_s = m->peak16_flop_per_s * clock *
                                  take(c, r, attention_share(family, (DtAttention)s->attention));
    else
        r->attention_flop_per_s = r->peak16_flop_per_s;
    r->attention_backward_flop_per_s = r->attention_flop_per_s * take(c, r, DT_C_FA_BACKWARD);
    r->memory_Bps = m->memory_Bps * take(c, r, DT_C_MEMORY);
    r->host_Bps = m->host_Bps;
    r->num_sms = m->num_sms;
    r->k0 = take(c, r, DT_C_K0);
    r->wave = take(c, r, DT_C_WAVE);
    r->kernel_s = take(c, r, DT_C_KERNEL);
    r->phi = take(c, r, phi[(int)s->kernels]);
    r->loss_bytes = take(c, r, DT_C_LOSS) * (s->fused_loss ? 0.4 : 1);
    r->optimizer_bytes = take(c, r, DT_C_OPTIMIZER);
    r->accumulate_bytes = take(c, r, s->accumulate_bytes > 2 ? DT_C_ACC32 : DT_C_ACC16);
    r->expert = take(c, r, DT_C_EXPERT);
    r->expert_load =
        take(c, r, DT_C_EXPERT_LOAD) * (s->grouped_experts ? 1 : take(c, r, DT_C_EXPERT_LOOP));
}

static void resolve_network(const DtCalibration *c, const DtMachine *m, const DtTrainPlan *p,
                            DtRates *r)
{
    r->in_Bps = m->domain_Bps * take(c, r, link_share[(int)m->family]);
    if (m->allreduce_Bps > 0 && p->gpus > m->domain_size)
        r->out_Bps = m->allreduce_Bps / m->domain_size * take(c, r, DT_C_NET_MEASURED);
    else
        r->out_Bps = m->network_Bps * take(c, r, DT_C_NET);
    r->hop_in_s = take(c, r, DT_C_HOP_IN);
    r->hop_out_s = take(c, r, DT_C_HOP_OUT);
    r->call_s = take(c, r, DT_C_CALL);
    r->tree_s = take(c, r, DT_C_TREE);
    r->tree_pipe = take(c, r, DT_C_TREE_PIPE);
    r->domain_size = m->domain_size;
    r->in_network = m->in_network;
    r->jitter = take(c, r, DT_C_JITTER);
}

static void resolve_host(const DtCalibration *c, const DtMachine *m, const DtSoftware *s,
                         const DtTrainPlan *p, DtRates *r)
{
    r->op_s = take(c, r, s->host_eager ? DT_C_OP_EAGER : DT_C_OP_FUSED);
    r->tp_call_s = take(c, r, s->host_eager ? DT_C_TP_EAGER : DT_C_TP_FUSED);
    if (s->host_eager && m->slow_hosts)
        r->tp_call_s = dt_max(r->tp_call_s, take(c, r, DT_C_TP_SLOW) * pow(p->tp, 0.6));
    r->fsdp_unit_s = take(c, r, DT_C_FSDP_UNIT);
    r->step_s = take(c, r, DT_C_STEP);
}

void dt_rates_resolve(const DtCalibration *c, const DtMachine *machine, const DtSoftware *software,
                      const DtTrainPlan *plan, DtRates *rates)
{
    *rates = (DtRates){0};
    resolve_kernels(c, machine, software, plan, rates);
    resolve_network(c, machine, plan, rates);
    resolve_host(c, machine, software, plan, rates);
    rates->x_tp_forward = software->tp_overlap == DT_TP_USER ? take(c, rates, DT_C_X_TP_USER) : 1;
    rates->x_tp_backward = software->tp_overlap == DT_TP_USER       ? rates->x_tp_forward
                           : software->tp_overlap == DT_TP_BACKWARD ? take(c, rates, DT_C_X_TP_BACK)
                                                                    : 1;
    rates->x_dp = take(c, rates, DT_C_X_DP);
    rates->x_p2p = take(c, rates, DT_C_X_P2P);
    rates->x_param = take(c, rates, DT_C_X_PARAM);
    rates->kappa = take(c, rates, DT_C_KAPPA);
    rates->x_fsdp = take(c, rates, DT_C_X_FSDP);
    rates->x_post = take(c, rates, DT_C_X_POST);
    if (software->attention == DT_ATTENTION_EAGER)
        rates->scores = take(c, rates, DT_C_SCORES);
    if (software->broadcast)
        rates->x_broadcast = take(c, rates, DT_C_X_BROADCAST);
}

DtGroup dt_rates_group(const DtRates *r, double degree, double inner)
{
    DtGroup g = {.ranks = degree,
                 .in_Bps = r->in_Bps,
                 .hop_in_s = r->hop_in_s,
                 .hop_out_s = r->hop_out_s,
                 .call_s = r->call_s,
                 .tree_s = r->tree_s,
                 .tree_pipe = r->tree_pipe};
    double room = dt_max(1, floor(r->domain_size / inner));
    g.per_node = dt_min(degree, room);
    g.nodes = degree / g.per_node;
    g.in_network = r->in_network && g.nodes > 1;
    g.out_Bps = dt_min(r->in_Bps, g.per_node * r->out_Bps);
    return g;
}

typedef struct {
    double rows, columns, rate;
} Tile;

/* Tile shapes that libraries have, and the share of the best rate that each reaches. */
static const Tile tiles[] = {
    {128, 256, 1}, {256, 128, 1}, {128, 128, 0.93}, {64, 128, 0.75}, {64, 64, 0.55}};

static double tiling_efficiency(const DtRates *r, double M, double K, double N, double groups)
{
    double best = 0;
    double splits = dt_max(1, floor(K / 1024));
    for (int i = 0; i < (int)(sizeof tiles / sizeof tiles[0]); i++) {
        const Tile *tile = &tiles[i];
        double down = ceil(M / tile->rows);
        double across = ceil(N / tile->columns);
        double count = down * across * groups;
        double pad = M * N / (down * tile->rows * across * tile->columns);
        double waves = count / r->num_sms;
        double filled = count < r->num_sms
                            ? count * dt_min(floor(r->num_sms / count), splits) / r->num_sms
                            : waves / ceil(waves);
        double wave = filled > 0.5 ? 1 - r->wave * (1 - filled) : 2 * filled * (1 - r->wave / 2);
        best = dt_max(best, tile->rate * pad * wave);
    }
    return best;
}

double dt_rates_matmul_s(const DtRates *r, double M, double K, double N, double groups, bool fp8)
{
    double peak = fp8 ? r->peak8_flop_per_s : r->peak16_flop_per_s;
    double efficiency = tiling_efficiency(r, M, K, N, groups) * K / (K + r->k0);
    double arithmetic_s = groups * 2 * M * N * K / (peak * efficiency);
    double word = fp8 ? 1 : 2;
    double bytes = groups * (word * (M * K + K * N) + 2 * M * N);
    return dt_max(arithmetic_s, bytes / r->memory_Bps) + r->kernel_s;
}
