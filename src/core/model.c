#include "model.h"

#include <math.h>

#define AT(member) offsetof(DtModel, member)

const DtField dt_model_fields[DT_MODEL_NUM_FIELDS] = {
    {"d_model", DT_COUNT, AT(d_model), "count", DT_POSITIVE, DT_REQUIRED, 0, "model width"},
    {"d_ff", DT_COUNT, AT(d_ff), "count", DT_POSITIVE, DT_DEFAULT, 0,
     "feed-forward width; 4 d_model where not given"},
    {"layers", DT_COUNT, AT(layers), "count", DT_POSITIVE, DT_REQUIRED, 0,
     "residual blocks of two matrices"},
    {"sparsity", DT_COUNT, AT(sparsity), "count", DT_POSITIVE, DT_DEFAULT, 1,
     "experts of which one is active; 1 is dense"},
    {"seq_len", DT_COUNT, AT(seq_len), "count", DT_POSITIVE, DT_DEFAULT, 2048,
     "tokens in a sequence"},
    {"batch", DT_COUNT, AT(batch), "count", DT_POSITIVE, DT_REQUIRED, 0,
     "sequences in one optimizer step"},
};

DtStatus dt_model_finish(DtModel *model, DtError *error)
{
    if (model->d_ff == 0) {
        if (4 * (double)model->d_model > DT_COUNT_MAX)
            return dt_error_set(error, DT_INVALID, "d_model", (double)model->d_model,
                                "keep d_ff = 4 d_model within 2^62");
        model->d_ff = 4 * model->d_model;
    }
    if ((double)model->batch * (double)model->seq_len > DT_COUNT_MAX)
        return dt_error_set_pair(error, DT_INVALID, "batch", (double)model->batch,
                                 "keep a batch within 2^62 tokens, with", "seq_len",
                                 (double)model->seq_len);
    return DT_OK;
}

double dt_model_tokens(const DtModel *model)
{
    return model->tokens == DT_ABSENT ? 20 * dt_model_params(model) : model->tokens;
}

double dt_model_params(const DtModel *model)
{
    return 2 * (double)model->d_model * (double)model->d_ff * (double)model->layers *
           (double)model->sparsity;
}

double dt_model_active_params(const DtModel *model)
{
    return dt_model_params(model) / (double)model->sparsity;
}

double dt_model_training_flop(const DtModel *model)
{
    return 6 * dt_model_active_params(model) * dt_model_tokens(model);
}

uint64_t dt_model_batch_tokens(const DtModel *model)
{
    return model->batch * model->seq_len;
}
