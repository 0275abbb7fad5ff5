#include "core/model.h"

#include <math.h>

#include "types.h"
#include "values.h"

static void push_params(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_model_params(object));
}

static void push_active_params(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_model_active_params(object));
}

static void push_training_flop(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_model_training_flop(object));
}

static void push_batch_tokens(lua_State *L, const void *object)
{
    dt_push_count(L, dt_model_batch_tokens(object));
}

static void push_tokens(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_model_tokens(object));
}

static const DtDerived special[] = {
    {"tokens", push_tokens, "count", "tokens of the whole run; 20 per parameter if not given"},
    {NULL, NULL, NULL, NULL},
};

static const DtDerived derived[] = {
    {"params", push_params, "count", "parameters: 2 d_model d_ff layers sparsity"},
    {"active_params", push_active_params, "count", "parameters that a token meets"},
    {"training_flop", push_training_flop, "flop", "FLOP of the run: 6 active_params tokens"},
    {"batch_tokens", push_batch_tokens, "count", "tokens of one batch: batch seq_len"},
    {NULL, NULL, NULL, NULL},
};

static void init(void *object)
{
    ((DtModel *)object)->tokens = DT_ABSENT;
}

static void set_special(lua_State *L, void *object, const char *name, int index, const char *what)
{
    double tokens = dt_quantity(L, -1, "count", what, name);
    (void)index;
    if (!(tokens > 0 && tokens < INFINITY))
        dt_raise_got(L, -1, "%s: %s must be a finite number above 0", what, name);
    if (!(tokens >= DT_NUMBER_LEAST && tokens <= DT_TOKENS_MOST))
        dt_raise_got(L, -1, "%s: %s must be from 1e-30 to 1e80", what, name);
    ((DtModel *)object)->tokens = tokens;
}

static void finish(lua_State *L, void *object, bool is_new)
{
    DtError error;
    (void)is_new;
    if (dt_model_finish(object, &error))
        dt_raise_error(L, "model", &error);
}

const DtType dt_type_model = {.name = "model",
                              .a = "a dtsim.model",
                              .size = sizeof(DtModel),
                              .fields = dt_model_fields,
                              .num_fields = DT_MODEL_NUM_FIELDS,
                              .derived = derived,
                              .special = special,
                              .set_special = set_special,
                              .init = init,
                              .finish = finish};
