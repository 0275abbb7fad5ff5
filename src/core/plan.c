#include "plan.h"

const char *const dt_kind_names[DT_NUM_KINDS] = {"dp", "tp_model", "tp_ff", "pp", "ep"};

static DtStatus illegal(DtError *error, const char *field, uint64_t value, const char *rule,
                        const char *other, uint64_t other_value)
{
    return dt_error_set_pair(error, DT_ILLEGAL, field, (double)value, rule, other,
                             (double)other_value);
}

uint64_t dt_plan_num_gpus(const DtPlan *plan)
{
    uint64_t product = 1;
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        uint64_t degree = plan->degree[kind];
        if (degree == 0 || (double)product * (double)degree > DT_COUNT_MAX)
            return 0;
        product *= degree;
    }
    return product;
}

static DtStatus check_divides(const DtPlan *plan, DtKind kind, const char *whole_name,
                              uint64_t whole, DtError *error)
{
    uint64_t degree = plan->degree[kind];
    if (degree == 0 || whole % degree != 0)
        return illegal(error, dt_kind_names[kind], degree, "divide", whole_name, whole);
    return DT_OK;
}

/* The batch goes into equal microbatches of equal shares for the experts. Each factor is tested
 * on its own, so that no product can overflow. */
static DtStatus check_batch(const DtPlan *plan, const DtModel *model, DtError *error)
{
    uint64_t tokens = dt_model_batch_tokens(model), dp = plan->degree[DT_DP];
    if (dp == 0 || tokens % dp != 0)
        return illegal(error, "dp", dp, "divide", "the batch's tokens", tokens);
    uint64_t replica = tokens / dp;
    if (plan->microbatches == 0 || replica % plan->microbatches != 0)
        return illegal(error, "microbatches", plan->microbatches, "divide",
                       "the tokens of one data-parallel replica", replica);
    uint64_t microbatch = replica / plan->microbatches;
    if (microbatch % model->sparsity != 0)
        return illegal(error, "microbatches", plan->microbatches,
                       "leave each of the experts the same number of tokens: "
                       "sparsity * dp * microbatches must divide",
                       "the batch's tokens", tokens);
    return DT_OK;
}

static DtStatus check_schedule(const DtPlan *plan, const DtModel *model, DtError *error)
{
    uint64_t pp = plan->degree[DT_PP], interleave = plan->interleave;
    uint64_t stage_layers = model->layers / pp;
    if (interleave == 0 || stage_layers % interleave != 0)
        return illegal(error, "interleave", interleave, "divide", "the layers of a pipeline stage",
                       stage_layers);
    if (pp == 1 && interleave != 1)
        return illegal(error, "interleave", interleave, "be 1 with", "pp", pp);
    if (plan->zero_bubble && interleave != 1)
        return illegal(error, "interleave", interleave, "be 1 with zero_bubble", NULL, 0);
    if (plan->zero_bubble && plan->microbatches / 2 < pp)
        return illegal(error, "microbatches", plan->microbatches,
                       "be, with zero_bubble, at least twice", "pp", pp);
    return DT_OK;
}

DtStatus dt_plan_check(const DtPlan *plan, const DtModel *model, DtError *error)
{
    DtStatus status = check_divides(plan, DT_TP_MODEL, "d_model", model->d_model, error);
    if (!status)
        status = check_divides(plan, DT_TP_FF, "d_ff", model->d_ff, error);
    if (!status)
        status = check_divides(plan, DT_PP, "layers", model->layers, error);
    if (!status)
        status = check_divides(plan, DT_EP, "sparsity", model->sparsity, error);
    if (!status)
        status = check_batch(plan, model, error);
    if (!status)
        status = check_schedule(plan, model, error);
    if (!status && dt_plan_num_gpus(plan) == 0)
        status = dt_error_set(error, DT_ILLEGAL, "plan", (double)plan->degree[DT_DP],
                              "have degrees whose product is at most 2^62 GPUs, with this dp");
    return status;
}

DtStatus dt_plan_check_parts(const DtPlan *plan, int num_levels, DtError *error)
{
    for (int kind = 0; kind < DT_NUM_KINDS; kind++) {
        double product = 1;
        for (int level = 0; level < num_levels; level++)
            product *= (double)plan->part[kind][level];
        if (product != (double)plan->degree[kind]) /* exact: such products fit 53 bits or differ */
            return dt_error_set_pair(error, DT_ILLEGAL, dt_kind_names[kind],
                                     (double)plan->degree[kind], "be the product of its", "levels",
                                     product);
    }
    return DT_OK;
}

DtStatus dt_plan_level_sizes(const DtNetwork *network, uint64_t num_gpus,
                             uint64_t sizes[DT_MAX_LEVELS], DtError *error)
{
    uint64_t left = num_gpus;
    for (int i = 0; i < network->num_levels - 1; i++) {
        uint64_t size = network->level[i].size;
        if (left < size)
            size = left;
        if (left % size != 0)
            return illegal(error, "n_gpus", num_gpus,
                           "fill the inner network levels: be a multiple of", "their GPUs",
                           num_gpus / left * size);
        sizes[i] = size;
        left /= size;
    }
    return DT_OK;
}

static DtStatus level_illegal(DtError *error, int index, double filled, const char *rule,
                              double size)
{
    dt_error_set_pair(error, DT_ILLEGAL, "levels", filled, rule, "its size", size);
    if (error)
        error->index = index;
    return DT_ILLEGAL;
}

DtStatus dt_plan_check_levels(const DtPlan *plan, const DtNetwork *network, bool partial,
                              DtError *error)
{
    uint64_t sizes[DT_MAX_LEVELS];
    DtStatus status = dt_plan_check_parts(plan, network->num_levels, error);
    if (!status && !partial)
        status = dt_plan_level_sizes(network, dt_plan_num_gpus(plan), sizes, error);
    for (int i = 0; !status && i < network->num_levels - 1; i++) {
        double filled = 1;
        for (int kind = 0; kind < DT_NUM_KINDS; kind++)
            filled *= (double)plan->part[kind][i];
        if (partial && filled > (double)network->level[i].size)
            status = level_illegal(error, i, filled, "have parts that multiply to at most",
                                   (double)network->level[i].size);
        if (!partial && filled != (double)sizes[i])
            status =
                level_illegal(error, i, filled, "have parts that multiply to", (double)sizes[i]);
    }
    return status;
}
