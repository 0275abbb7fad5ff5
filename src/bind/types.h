/* types.h: the kinds of objects that scripts see, and what each holds.
 * May include: core, object.h.
 */
#ifndef DT_BIND_TYPES_H
#define DT_BIND_TYPES_H

#include "core/cost.h"
#include "core/search.h"
#include "object.h"

extern const DtType dt_type_gpu;                 /* a DtGpu */
bool dt_gpu_equal(const void *a, const void *b); /* two DtGpu by their fields */
extern const DtType dt_type_level;               /* a DtLevel */
extern const DtType dt_type_network;             /* a DtNetwork */
extern const DtType dt_type_model;               /* a DtModel */
extern const DtType dt_type_optimizer;           /* a DtOptimizer */

/* Hardware with the settings that hold for all questions asked of it. */
typedef struct {
    DtGpu gpu;
    DtNetwork network;
    DtOverlap overlap;
    DtSearchOptions options; /* space, schedules, threads and what else is optional */
    bool latency_given;      /* zero_bubble_latency was said, not taken by default */
    DtZeroBubbleLatency zero_bubble_latency;
} DtOptimizer;

/* Fills a run of a model on the optimizer's hardware. */
void dt_optimizer_run(const DtOptimizer *optimizer, const DtModel *model, DtRun *run);

/* Sets search options from the table at `index` (nil: none); unknown names raise. `what` names
 * the call in messages. Pushes one value, which must stay on the stack as long as the options are
 * used: what they point to is in it. */
void dt_read_search_options(lua_State *L, int index, const DtOptimizer *optimizer,
                            DtSearchOptions *options, const char *what);

/* Pushes the names of all search options, as an array. */
void dt_push_search_options(lua_State *L);

/* Pushes the rows of the search options, as the rows of an object's fields in dtsim.core.fields. */
void dt_push_option_rows(lua_State *L);

/* Reads the plan table at `index`; has_levels: whether it says its layout. */
void dt_read_plan(lua_State *L, int index, const DtOptimizer *optimizer, DtPlan *plan,
                  bool *has_levels);

/* Pushes the table of a result: plan, times, utilization and so on, all in SI units. */
void dt_push_result(lua_State *L, const DtOptimizer *optimizer, const DtModel *model,
                    const DtPlan *plan, const DtCost *cost);

/* Pushes the table of how a search went. */
void dt_push_stats(lua_State *L, const DtSearchStats *stats);

/* Tells a core search whether to stop: an interrupt is pending. context: the lua_State. */
bool dt_should_stop(void *context);

/* At a prompt: takes the pending interrupt as dealt with. false: it must end the script. */
bool dt_take_interrupt(lua_State *L);

/* The progress display of the host; see bind.h. */
void dt_report_progress(double fraction, const char *what);
int dt_default_threads(void);
int dt_most_threads(void);

/* The functions of each file, for the module table. */
int dt_optimizer_evaluate(lua_State *L);
int dt_optimizer_search(lua_State *L);
int dt_optimizer_sweep(lua_State *L);
extern const luaL_Reg dt_gpu_functions[];
extern const luaL_Reg dt_network_functions[];

#endif
