/* model.h: the network to be trained and how much data it gets.
 *
 * Models: a stack of `layers` residual blocks of two matrices, d_model x d_ff and d_ff x d_model,
 * each `sparsity` times over, of which one copy is active (mixture of experts). Leaves out:
 * attention as such (its matrices count as absorbed), embeddings, norms.
 * Source: arXiv 2411.01137, section on the model of training.
 * May include: error.h, field.h.
 */
#ifndef DT_CORE_MODEL_H
#define DT_CORE_MODEL_H

#include <stdint.h>

#include "field.h"

typedef struct {
    uint64_t d_model;
    uint64_t d_ff; /* 0 until set: 4 d_model */
    uint64_t layers, sparsity;
    uint64_t seq_len; /* tokens */
    uint64_t batch;   /* sequences in one optimizer step */
    double tokens;    /* of the whole run; DT_ABSENT: 20 per parameter */
} DtModel;

enum { DT_MODEL_NUM_FIELDS = 6 };
extern const DtField dt_model_fields[DT_MODEL_NUM_FIELDS];

/* Fills d_ff where it is absent, and checks the whole. Errors: DT_INVALID: d_ff or the tokens of a
 * batch would pass 2^62. */
DtStatus dt_model_finish(DtModel *model, DtError *error);

/* Parameters: 2 d_model d_ff layers sparsity. A double, as it can pass 2^63. */
double dt_model_params(const DtModel *model);

/* Parameters that one token meets: the parameters over the sparsity. */
double dt_model_active_params(const DtModel *model);

/* Tokens of the whole run: those given, or 20 per parameter. Source: Hoffmann et al. 2022
 * (arXiv 2203.15556), as used by arXiv 2411.01137. */
double dt_model_tokens(const DtModel *model);

/* FLOP of the whole run: 6 for each active parameter and token. */
double dt_model_training_flop(const DtModel *model);

/* Tokens of one batch. */
uint64_t dt_model_batch_tokens(const DtModel *model);

#endif
