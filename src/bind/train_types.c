#include <string.h>

#include "train.h"
#include "values.h"

/* ---- fields that are one of a list of names ---- */

typedef struct {
    const char *name;
    size_t offset;
    const char *const *names;
    int count;
    double fallback;
} Choice;

static void set_choice(lua_State *L, void *object, const Choice *choice, const char *what)
{
    const char *names[16] = {NULL};
    for (int i = 0; i < choice->count; i++)
        names[i] = choice->names[i];
    void *place = (char *)object + choice->offset;
    *(double *)place = dt_choice(L, -1, names, what, choice->name);
}

static void push_choice(lua_State *L, const void *object, const Choice *choice)
{
    const void *place = (const char *)object + choice->offset;
    double value = *(const double *)place;
    lua_pushstring(L, choice->names[(int)value]);
}

static const Choice plan_choices[] = {
    {"schedule", offsetof(DtTrainPlan, schedule), dt_schedule_names, DT_NUM_SCHEDULES,
     DT_SCHEDULE_1F1B},
    {"recompute", offsetof(DtTrainPlan, recompute), dt_recompute_names, DT_NUM_RECOMPUTES,
     DT_RECOMPUTE_NONE},
    {"compute", offsetof(DtTrainPlan, compute), dt_compute_names, DT_NUM_COMPUTES, DT_COMPUTE_BF16},
    {"order", offsetof(DtTrainPlan, order), dt_order_names, DT_NUM_ORDERS, DT_ORDER_TP_CP_DP_PP},
    {"split", offsetof(DtTrainPlan, split), dt_split_names, DT_NUM_SPLITS, DT_SPLIT_EVEN},
};
static const Choice software_choices[] = {
    {"attention", offsetof(DtSoftware, attention), dt_attention_names, DT_NUM_ATTENTIONS,
     DT_ATTENTION_FLASH2},
    {"kernels", offsetof(DtSoftware, kernels), dt_kernels_names, DT_NUM_KERNELS, DT_KERNELS_FUSED},
    {"tp_overlap", offsetof(DtSoftware, tp_overlap), dt_tp_overlap_names, DT_NUM_TP_OVERLAPS,
     DT_TP_EXPOSED},
};
static const Choice machine_choices[] = {
    {"family", offsetof(DtMachine, family), dt_family_names, DT_NUM_FAMILIES, DT_FAMILY_OTHER},
};

#define NUM(list) ((int)(sizeof(list) / sizeof(list)[0]))

static void set_among(lua_State *L, void *object, const Choice *choices, int count,
                      const char *name, const char *what)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(choices[i].name, name) == 0) {
            set_choice(L, object, &choices[i], what);
            return;
        }
    }
}

static void init_choices(void *object, const Choice *choices, int count)
{
    for (int i = 0; i < count; i++) {
        void *place = (char *)object + choices[i].offset;
        *(double *)place = choices[i].fallback;
    }
}

#define PUSH(function, list, position)                     \
    static void function(lua_State *L, const void *object) \
    {                                                      \
        push_choice(L, object, &(list)[position]);         \
    }
PUSH(push_schedule, plan_choices, 0)
PUSH(push_recompute, plan_choices, 1)
PUSH(push_compute, plan_choices, 2)
PUSH(push_order, plan_choices, 3)
PUSH(push_split, plan_choices, 4)
PUSH(push_attention, software_choices, 0)
PUSH(push_kernels, software_choices, 1)
PUSH(push_tp_overlap, software_choices, 2)
PUSH(push_family, machine_choices, 0)

/* ---- transformer ---- */

static void push_model_name(lua_State *L, const void *object)
{
    lua_pushstring(L, ((const DtTransformer *)object)->name);
}

static void push_params(lua_State *L, const void *object)
{
    dt_push_whole(L, dt_transformer_parameters(object).total);
}

static void push_active_params(lua_State *L, const void *object)
{
    dt_push_whole(L, dt_transformer_parameters(object).active);
}

static void push_flop(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_transformer_flop_per_token(object, DT_FLOP_EXACT, 0));
}

static const DtDerived transformer_special[] = {
    {"name", push_model_name, "", "what to call the model"},
    {NULL, NULL, NULL, NULL},
};

static const DtDerived transformer_derived[] = {
    {"params", push_params, "count", "parameters, counted exactly"},
    {"active_params", push_active_params, "count", "parameters that a token passes"},
    {"flop_per_token", push_flop, "flop", "FLOP of a token, forward and backward, as masked"},
    {NULL, NULL, NULL, NULL},
};

static void set_transformer_special(lua_State *L, void *object, const char *name, int index,
                                    const char *what)
{
    (void)index;
    dt_name(L, -1, ((DtTransformer *)object)->name, what, name);
}

static void finish_transformer(lua_State *L, void *object, bool is_new)
{
    DtError error;
    (void)is_new;
    if (dt_transformer_complete(object, &error))
        dt_raise_error(L, "transformer", &error);
}

static int transformer_flop(lua_State *L)
{
    static const char *kinds[DT_NUM_FLOP_KINDS + 1];
    const DtTransformer *model = dt_object_check(L, 1, &dt_type_transformer, "transformer:flop");
    for (int i = 0; i < DT_NUM_FLOP_KINDS; i++)
        kinds[i] = dt_flop_kind_names[i];
    int kind = lua_isnoneornil(L, 2) ? DT_FLOP_EXACT
                                     : dt_choice(L, 2, kinds, "transformer:flop", "definition");
    double count =
        lua_isnoneornil(L, 3) ? 0 : dt_quantity(L, 3, "count", "transformer:flop", "parameters");
    lua_pushnumber(L, dt_transformer_flop_per_token(model, (DtFlopKind)kind, count));
    return 1;
}

static int transformer_parts(lua_State *L)
{
    const DtTransformer *model = dt_object_check(L, 1, &dt_type_transformer, "transformer:parts");
    DtParameters p = dt_transformer_parameters(model);
    lua_newtable(L);
    dt_set_whole(L, "attention", p.attention);
    dt_set_whole(L, "mlp", p.mlp);
    dt_set_whole(L, "expert", p.expert);
    dt_set_whole(L, "expert_layer", p.expert_layer);
    dt_set_whole(L, "norms", p.norm);
    dt_set_whole(L, "embedding", p.embedding);
    dt_set_whole(L, "positions", p.positions);
    dt_set_whole(L, "head", p.head);
    dt_set_whole(L, "outside_norms", p.outside_norms);
    dt_set_whole(L, "matmul", p.matmul);
    dt_set_whole(L, "total", p.total);
    dt_set_whole(L, "active", p.active);
    return 1;
}

static const luaL_Reg transformer_methods[] = {
    {"flop", transformer_flop}, {"parts", transformer_parts}, {NULL, NULL}};

const DtType dt_type_transformer = {.name = "transformer",
                                    .a = "a dtsim.transformer",
                                    .size = sizeof(DtTransformer),
                                    .fields = dt_transformer_fields,
                                    .num_fields = DT_TRANSFORMER_NUM_FIELDS,
                                    .special = transformer_special,
                                    .derived = transformer_derived,
                                    .set_special = set_transformer_special,
                                    .whole_counts = true,
                                    .finish = finish_transformer,
                                    .methods = transformer_methods};

/* ---- plan ---- */

static const DtDerived plan_special[] = {
    {"schedule", push_schedule, "", "1f1b, gpipe or zero_bubble"},
    {"recompute", push_recompute, "", "none, selective, full or per_op"},
    {"compute", push_compute, "", "bf16, fp16, fp8, tf32 or fp32: of layers' matmuls"},
    {"order", push_order, "", "tp_cp_dp_pp, tp_cp_pp_dp or dp_tp_cp_pp: innermost first"},
    {"split", push_split, "", "even, cost or ends: how layers are dealt to stages"},
    {NULL, NULL, NULL, NULL},
};

static void set_plan_special(lua_State *L, void *object, const char *name, int index,
                             const char *what)
{
    (void)index;
    set_among(L, object, plan_choices, NUM(plan_choices), name, what);
}

static void init_plan(void *object)
{
    init_choices(object, plan_choices, NUM(plan_choices));
}

const DtType dt_type_trainplan = {.name = "train_plan",
                                  .a = "a dtsim.train_plan",
                                  .size = sizeof(DtTrainPlan),
                                  .fields = dt_trainplan_fields,
                                  .num_fields = DT_TRAINPLAN_NUM_FIELDS,
                                  .special = plan_special,
                                  .set_special = set_plan_special,
                                  .whole_counts = true,
                                  .init = init_plan};

/* ---- software ---- */

static const DtDerived software_special[] = {
    {"attention", push_attention, "", "eager, fused, flash1, flash2 or flash3"},
    {"kernels", push_kernels, "", "fused, native, eager or compiled element-wise kernels"},
    {"tp_overlap", push_tp_overlap, "", "exposed, backward or user"},
    {NULL, NULL, NULL, NULL},
};

static void set_software_special(lua_State *L, void *object, const char *name, int index,
                                 const char *what)
{
    (void)index;
    set_among(L, object, software_choices, NUM(software_choices), name, what);
}

static void init_software(void *object)
{
    init_choices(object, software_choices, NUM(software_choices));
}

const DtType dt_type_software = {.name = "software",
                                 .a = "a dtsim.software",
                                 .size = sizeof(DtSoftware),
                                 .fields = dt_software_fields,
                                 .num_fields = DT_SOFTWARE_NUM_FIELDS,
                                 .special = software_special,
                                 .set_special = set_software_special,
                                 .init = init_software};

/* ---- machine ---- */

static void push_machine_name(lua_State *L, const void *object)
{
    lua_pushstring(L, ((const DtMachine *)object)->name);
}

static const DtDerived machine_special[] = {
    {"name", push_machine_name, "", "what to call the machine"},
    {"family", push_family, "", "other, volta, ampere, hopper or blackwell"},
    {NULL, NULL, NULL, NULL},
};

static void set_machine_special(lua_State *L, void *object, const char *name, int index,
                                const char *what)
{
    (void)index;
    if (strcmp(name, "name") == 0)
        dt_name(L, -1, ((DtMachine *)object)->name, what, name);
    else
        set_among(L, object, machine_choices, NUM(machine_choices), name, what);
}

static void init_machine(void *object)
{
    init_choices(object, machine_choices, NUM(machine_choices));
}

static void finish_machine(lua_State *L, void *object, bool is_new)
{
    DtError error;
    (void)is_new;
    if (dt_machine_check(object, &error))
        dt_raise_error(L, "machine", &error);
}

const DtType dt_type_machine = {.name = "machine",
                                .a = "a dtsim.machine",
                                .size = sizeof(DtMachine),
                                .fields = dt_machine_fields,
                                .num_fields = DT_MACHINE_NUM_FIELDS,
                                .special = machine_special,
                                .set_special = set_machine_special,
                                .whole_counts = true,
                                .init = init_machine,
                                .finish = finish_machine};
