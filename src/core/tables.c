/* The tables of communication that a search needs, each made when it is first asked for. */
#include <math.h>

#include "searcher.h"

/* The table of a pair, from its two degrees' spreads, which other pairs share. */
static DtTpTable *make_tp_table(DtSearcher *s, const DtPair *pair)
{
    DtSpreads **model = &s->model_spreads[pair->model_index];
    DtSpreads **ff = &s->ff_spreads[pair->ff_index];
    if (!*model)
        *model = dt_spreads(&s->tables, s->work, &s->footprints, &s->reach, DT_TP_MODEL,
                            pair->model_degree);
    if (!*ff)
        *ff = dt_spreads(&s->tables, s->work, &s->footprints, &s->reach, DT_TP_FF, pair->ff_degree);
    return *model && *ff ? dt_tp_table(&s->tables, s->work, &s->footprints, *model, *ff) : NULL;
}

/* The paper's interleaving: every layer of a stage a chunk. */
static DtDivisors all_layers(DtArena *arena, uint64_t stage_layers)
{
    DtDivisors chunks = {DT_NEW(arena, uint64_t, 1), 1};
    if (chunks.value)
        chunks.value[0] = stage_layers;
    return chunks;
}

void dt_tables_pair(DtSearcher *s, DtPair *pair)
{
    if (!pair->table)
        pair->table = make_tp_table(s, pair);
}

void dt_tables_stages(DtSearcher *s, DtStages *stages, uint64_t pp, uint64_t ep)
{
    uint64_t stage_layers = s->work->run.model->layers / pp;
    if (stages->table)
        return;
    DtPpEpTable *table = dt_pp_ep_table(&s->tables, s->work, &s->footprints, &s->reach, pp, ep);
    stages->chunks = dt_exhaustive(s) ? dt_divisors(&s->tables, stage_layers)
                                      : all_layers(&s->tables, stage_layers);
    stages->least = DT_NEW(&s->tables, DtComm, stages->chunks.count);
    stages->within = DT_NEW(&s->tables, DtComm *, stages->chunks.count + 1);
    if (!table || s->tables.failed)
        return;
    stages->least_single = dt_pp_ep_least(table, 1);
    stages->least_any = stages->least_single;
    for (int i = 0; i < stages->chunks.count; i++) {
        DtComm *least = &stages->least[i];
        *least = dt_pp_ep_least(table, (double)stages->chunks.value[i]);
        stages->least_any.gpu_s = dt_min(stages->least_any.gpu_s, least->gpu_s);
        stages->least_any.latency_s = dt_min(stages->least_any.latency_s, least->latency_s);
    }
    stages->table = table;
}

bool dt_tables_replicas(DtSearcher *s)
{
    DtComm onward = {INFINITY, INFINITY};
    for (int i = s->dp.count - 1; i >= 0; i--) {
        DtReplica *replica = &s->replicas[i];
        replica->table =
            dt_dp_table(&s->tables, s->work, &s->footprints, &s->reach, s->dp.value[i]);
        if (!replica->table)
            return false;
        onward.gpu_s = dt_min(onward.gpu_s, replica->table->least.gpu_s);
        onward.latency_s = dt_min(onward.latency_s, replica->table->least.latency_s);
        replica->onward = onward;
    }
    return true;
}

bool dt_tables_make(DtSearcher *s, DtChoice *c)
{
    dt_tables_pair(s, c->pair);
    dt_tables_stages(s, c->stages, c->degree[DT_PP], c->degree[DT_EP]);
    if (c->replica->microbatches.count == 0)
        c->replica->microbatches = dt_divisors(&s->lists, c->replica->replica_tokens);
    return c->pair->table && c->stages->table && !s->tables.failed && !s->lists.failed;
}
