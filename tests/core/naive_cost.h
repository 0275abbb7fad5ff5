/* naive_cost.h: the time of a plan, written a second time from the paper's formulas.
 *
 * Independent of src/core: it reads the core's structs and calls none of its functions. Plain and
 * slow; sums are formed as the formulas stand, level by level. Symbols are the paper's.
 * Source: arXiv 2411.01137.
 */
#ifndef DT_TESTS_NAIVE_COST_H
#define DT_TESTS_NAIVE_COST_H

#include "fixtures.h"

static inline double naive_rate(const DtGpu *gpu)
{
    static const int widths[] = {64, 32, 16, 8, 4};
    for (int i = 0; i < 5; i++)
        if (widths[i] == gpu->bits)
            return gpu->flop_per_clock_per_thread[i];
    return NAN;
}

static inline double naive_peak(const DtGpu *gpu)
{
    return gpu->peak_flop_per_s > 0 ? gpu->peak_flop_per_s
                                    : naive_rate(gpu) * 128 * gpu->num_sms * gpu->clock_Hz;
}

/* Tiles of at most cap bytes: numbers along both sides. */
static inline void naive_tile(double m, double n, double beta, double cap, double *R, double *C)
{
    double count = ceil(m * n * beta / cap), words = m * n / count;
    double tm = fmax(fmin(m, sqrt(words)), words / n), tn = words / tm;
    *R = m / tm;
    *C = n / tn;
}

static inline double naive_io(double d1, double d2, double b, double beta, double cap, double conc,
                              bool dist, bool wgrad, double *peer)
{
    double W = d1 * d2 * beta, left = d1 * b * beta, right = d2 * b * beta, inter = 0;
    double Rb, Cb, Rs = 1, Cs = 1;
    naive_tile(d1, d2, beta, dist ? cap * conc : cap, &Rb, &Cb);
    if (dist)
        naive_tile(d1, d2, beta, cap, &Rs, &Cs);
    *peer = 0;
    if (2 * W > cap * conc)
        inter += wgrad ? 2 * W : W;
    inter += Rb * right;
    if (Rs > 1)
        *peer += Rs * right;
    if (wgrad) {
        inter += Cb * left;
        if (Cs > 1)
            *peer += Cs * left;
    } else {
        *peer += 2 * (Cs - 1) * left;
        inter += (2 * Cb - 1) * left;
    }
    return inter;
}

static inline double naive_matmul_s(const DtGpu *gpu, uint64_t rows, uint64_t cols, uint64_t batch,
                                    bool wgrad)
{
    double d1 = (double)rows, d2 = (double)cols, b = (double)batch, beta = gpu->bits / 8.0;
    double r = 0.75 * gpu->registers_per_block_bytes, q = 0.75 * gpu->l2_bytes, S = gpu->num_sms;
    double unused, p;
    double g = naive_io(d1, d2, b, beta, fmax(q, 4 * r), 1, false, wgrad, &unused);
    double s = naive_io(d1, d2, b, beta, 4 * r, S, gpu->distributed_shared_memory, wgrad, &p);
    double t = naive_io(d1, d2, b, beta, r, 4 * S, false, wgrad, &unused);
    double flop = 2 * ceil(d1 / 8) * ceil(d2 / 8) * ceil(b / 8) * 512;
    double shared_Bps = 32 * 4 * S * gpu->clock_Hz * gpu->utilization_frac;
    double slowest = fmax(g / gpu->memory_Bps, (g + s) / gpu->l2_Bps);
    slowest = fmax(slowest, (s + p + t) / shared_Bps);
    return fmax(slowest, flop / (naive_peak(gpu) * gpu->utilization_frac)) + gpu->matmul_latency_s;
}

/* Two matmuls forward, two for the gradients of activations, two for those of weights. */
static inline double naive_layer_s(const DtGpu *gpu, uint64_t df, uint64_t dm, uint64_t b)
{
    return 2 * naive_matmul_s(gpu, df, dm, b, false) + 2 * naive_matmul_s(gpu, dm, df, b, false) +
           naive_matmul_s(gpu, df, dm, b, true) + naive_matmul_s(gpu, dm, df, b, true);
}

/* Seconds for one batch. */
typedef struct {
    double bandwidth_s, latency_s;
} NaiveComm;

/* What of a model and a cluster the collectives need. */
typedef struct {
    const DtNetwork *network;
    double N, beta;
    double words, seq, par; /* of the next collective */
} NaiveTransfer;

static inline NaiveComm naive_p2p(const NaiveTransfer *t, int level)
{
    const DtLevel *at = &t->network->level[level];
    NaiveComm comm = {t->words * t->seq * t->par * t->beta / (t->N * (at->bandwidth_Bps / 2)),
                      t->seq * at->latency_s};
    return comm;
}

static inline NaiveComm naive_allreduce(const NaiveTransfer *t, int level, double P)
{
    const DtLevel *at = &t->network->level[level];
    NaiveComm comm = {2 * (P - 1) * t->words * t->seq * t->par * t->beta /
                          (t->N * (at->bandwidth_Bps / 2)),
                      P > 1 ? 2 * t->seq * at->latency_s : 0};
    return comm;
}

/* Product of the parts above a level. */
static inline double naive_above(const uint64_t parts[], int level, int num_levels)
{
    double product = 1;
    for (int j = level + 1; j < num_levels; j++)
        product *= (double)parts[j];
    return product;
}

static inline int naive_highest(const uint64_t parts[], int num_levels)
{
    int highest = -1;
    for (int i = 0; i < num_levels; i++)
        if (parts[i] > 1)
            highest = i;
    return highest;
}

static inline NaiveTransfer naive_transfer(const DtRun *run, double N)
{
    NaiveTransfer t = {run->network, N, run->gpu->bits / 8.0, 0, 1, 1};
    return t;
}

static inline double naive_tokens(const DtModel *model)
{
    return (double)model->batch * (double)model->seq_len;
}

static inline double naive_params(const DtModel *m)
{
    return 2.0 * (double)m->d_model * (double)m->d_ff * (double)m->layers * (double)m->sparsity;
}

static inline NaiveComm naive_dp(const DtRun *run, double N, const uint64_t dp[])
{
    int levels = run->network->num_levels;
    NaiveTransfer t = naive_transfer(run, N);
    NaiveComm all = {0, 0};
    t.words = naive_params(run->model);
    for (int i = 0; i < levels; i++) {
        t.par = naive_above(dp, i, levels);
        NaiveComm at = naive_allreduce(&t, i, (double)dp[i]);
        all.bandwidth_s = fmax(all.bandwidth_s, at.bandwidth_s);
        all.latency_s += at.latency_s;
    }
    return all;
}

static inline NaiveComm naive_tp(const DtRun *run, double N, const uint64_t tp_model[],
                                 const uint64_t tp_ff[])
{
    const DtModel *model = run->model;
    int levels = run->network->num_levels;
    NaiveTransfer t = naive_transfer(run, N);
    NaiveComm all = {0, 0};
    t.seq = 2 * (double)model->layers;
    for (int i = 0; i < levels; i++) {
        t.words = (double)model->d_ff;
        t.par = naive_tokens(model) * naive_above(tp_model, i, levels);
        NaiveComm m = naive_allreduce(&t, i, (double)tp_model[i]);
        t.words = (double)model->d_model;
        t.par = naive_tokens(model) * naive_above(tp_ff, i, levels);
        NaiveComm f = naive_allreduce(&t, i, (double)tp_ff[i]);
        all.bandwidth_s = fmax(all.bandwidth_s, m.bandwidth_s + f.bandwidth_s);
        all.latency_s += m.latency_s + f.latency_s;
    }
    return all;
}

/* Layer boundaries, of layers - 1, whose crossing is through pipeline level a (-1: none). */
static inline double naive_transfers(int a, int kp, const uint64_t pp[], int levels, double L,
                                     double v)
{
    double PP = naive_above(pp, -1, levels);
    if (a == -1)
        return L - v * PP;
    if (a == kp)
        return v * (double)pp[a] - 1;
    return v * naive_above(pp, a, levels) * ((double)pp[a] - 1);
}

static inline NaiveComm naive_pp_ep(const DtRun *run, double N, const uint64_t pp[],
                                    const uint64_t ep[], double v)
{
    int levels = run->network->num_levels;
    int kp = naive_highest(pp, levels), ke = naive_highest(ep, levels);
    double L = (double)run->model->layers;
    NaiveTransfer t = naive_transfer(run, N);
    NaiveComm all = {0, 0};
    t.words = (double)run->model->d_model;
    t.par = naive_tokens(run->model);
    for (int a = -1; a <= kp; a++) {
        double transfers = naive_transfers(a, kp, pp, levels, L, v);
        for (int e = -1; e <= ke; e++) {
            int level = a > e ? a : e;
            double efreq =
                e == -1 ? 1 / naive_above(ep, -1, levels)
                        : 1 / naive_above(ep, e, levels) - 1 / naive_above(ep, e - 1, levels);
            if (level < 0)
                continue;
            t.seq = L == 1 ? 2 * transfers * efreq : 2 * (L - 1) * (transfers / (L - 1)) * efreq;
            all.bandwidth_s += naive_p2p(&t, level).bandwidth_s;
            t.seq = L == 1 ? 2 * transfers : 2 * (L - 1) * (transfers / (L - 1));
            if (e == ke)
                all.latency_s += naive_p2p(&t, level).latency_s;
        }
    }
    return all;
}

/* A batch: compute and communication, not yet combined. */
typedef struct {
    double compute_s;
    NaiveComm dp, tp, pe;
    double PP, v, m;
    bool zero_bubble;
} NaiveBatch;

static inline double naive_batch_s(const DtRun *run, const NaiveBatch *x)
{
    bool o_tp = run->overlap.tp, o_pp = run->overlap.pp;
    double exposed = (o_pp ? 0 : x->pe.bandwidth_s) + (o_tp ? 0 : x->tp.bandwidth_s);
    double hidden = (o_pp ? x->pe.bandwidth_s : 0) + (o_tp ? x->tp.bandwidth_s : 0);
    double lat = x->tp.latency_s + x->pe.latency_s;
    double z = (x->v - 1) * fmax(0, x->PP - x->m);
    double bubble = x->zero_bubble ? 0 : (z + x->PP - 1) / (z + x->PP - 1 + x->v * x->m);
    double busy = fmax(x->compute_s, hidden);
    if (x->zero_bubble && run->zero_bubble_latency == DT_LATENCY_EXPOSED)
        busy = fmax(busy, lat);
    double T_pipe = (busy + exposed) / (1 - bubble);
    if (!x->zero_bubble)
        T_pipe += lat;
    double T_dp = x->dp.bandwidth_s;
    return (run->overlap.dp ? fmax(T_pipe, T_dp) : T_pipe + T_dp) + x->dp.latency_s;
}

/* Recomputation: 4/3 of the matmuls; forward communication happens twice. */
static inline void naive_recompute(NaiveBatch *x)
{
    x->compute_s *= 4.0 / 3.0;
    x->tp.bandwidth_s *= 1.5;
    x->tp.latency_s *= 1.5;
    x->pe.bandwidth_s *= 1.5;
    x->pe.latency_s *= 1.5;
}

/* The whole run. */
typedef struct {
    double time_s, utilization, compute_s, tp_s, dp_s, pe_s, latency_s, memory_bytes;
    NaiveBatch batch;
    double batch_s;
} NaiveCost;

static inline NaiveCost naive_cost(const DtRun *run, const DtPlan *plan)
{
    const DtModel *model = run->model;
    const uint64_t *degree = plan->degree;
    uint64_t tok = model->batch * model->seq_len, E = model->sparsity;
    uint64_t b = tok / (degree[DT_DP] * plan->microbatches * E);
    double N = 1, N_p = naive_params(model), T_ideal;
    double D = model->tokens > 0 ? model->tokens : 20 * N_p, batches = D / (double)tok;
    NaiveCost cost = {0};
    NaiveBatch *x = &cost.batch;
    for (int kind = 0; kind < DT_NUM_KINDS; kind++)
        N *= (double)degree[kind];
    x->PP = (double)degree[DT_PP];
    x->v = (double)plan->interleave;
    x->m = (double)plan->microbatches;
    x->zero_bubble = plan->zero_bubble;
    x->compute_s = (double)(model->layers / degree[DT_PP]) * (double)(E / degree[DT_EP]) * x->m *
                   naive_layer_s(run->gpu, model->d_ff / degree[DT_TP_FF],
                                 model->d_model / degree[DT_TP_MODEL], b);
    x->dp = naive_dp(run, N, plan->part[DT_DP]);
    x->tp = naive_tp(run, N, plan->part[DT_TP_MODEL], plan->part[DT_TP_FF]);
    x->pe = naive_pp_ep(run, N, plan->part[DT_PP], plan->part[DT_EP], x->v);
    if (plan->recompute)
        naive_recompute(x);
    T_ideal = 6 * (N_p / (double)E) * (double)tok / (naive_peak(run->gpu) * N);
    cost.batch_s = naive_batch_s(run, x);
    cost.time_s = batches * cost.batch_s;
    cost.utilization = T_ideal / cost.batch_s;
    cost.compute_s = batches * x->compute_s;
    cost.tp_s = batches * x->tp.bandwidth_s;
    cost.dp_s = batches * x->dp.bandwidth_s;
    cost.pe_s = batches * x->pe.bandwidth_s;
    cost.latency_s = batches * (x->dp.latency_s + x->tp.latency_s + x->pe.latency_s);
    /* N M >= N_p beta DP + 4 N_p beta */
    cost.memory_bytes =
        (N_p * (run->gpu->bits / 8.0) * (double)degree[DT_DP] + 4 * N_p * (run->gpu->bits / 8.0)) /
        N;
    return cost;
}

#endif
