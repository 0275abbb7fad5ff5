/* train.h: objects of the transformer model for scripts, and the functions on them.
 * May include: core, object.h.
 */
#ifndef DT_BIND_TRAIN_H
#define DT_BIND_TRAIN_H

#include "core/trainmemory.h"
#include "core/trainpower.h"
#include "object.h"

extern const DtType dt_type_transformer; /* a DtTransformer */
extern const DtType dt_type_machine;     /* a DtMachine */
extern const DtType dt_type_software;    /* a DtSoftware */
extern const DtType dt_type_trainplan;   /* a DtTrainPlan, completed when it meets a model */

/* What a question is about: the arguments model, plan, software, machine at index, index + 1, ...;
 * the plan completed. Raises on wrong types and illegal plans. */
typedef struct {
    DtTransformer model;
    DtTrainPlan plan;
    DtSoftware software;
    DtMachine machine;
} DtRunCase;
void dt_read_case(lua_State *L, int index, DtRunCase *run, const char *what);

/* The default constants changed by the table at `index`: { name = value, ... }; a field
 * `first_principles = true` starts from the ideal ones. nil: the defaults. Unknown names raise. */
void dt_read_calibration(lua_State *L, int index, DtCalibration *calibration, const char *what);

/* The site of the table at `index`, { pue = 1.1, ... }; nil: the defaults. */
void dt_read_site(lua_State *L, int index, DtSite *site, const char *what);

/* Pushes the table of a prediction. */
void dt_push_train_result(lua_State *L, const DtRunCase *run, const DtStepTime *time,
                          const DtTrainMemory *memory, const DtSite *site);

/* Search, pipeline and collectives: train_search.c. */
extern const luaL_Reg dt_train_search_functions[];

/* Registers the types and adds constructors and functions to the table on top of the stack. */
void dt_train_open(lua_State *L);

#endif
