#include <math.h>
#include <string.h>

#include "types.h"
#include "values.h"

static void push_bits(lua_State *L, const void *object)
{
    lua_pushinteger(L, ((const DtGpu *)object)->bits);
}

/* A number if there is one rate, for the GPU's width; otherwise a table by bits. nil with peak. */
static void push_rates(lua_State *L, const void *object)
{
    const DtGpu *gpu = object;
    int count = 0, own = dt_gpu_width_index(gpu->bits);
    for (int i = 0; i < DT_NUM_WIDTHS; i++)
        count += gpu->flop_per_clock_per_thread[i] > 0;
    if (count == 0) {
        lua_pushnil(L);
    } else if (count == 1 && gpu->flop_per_clock_per_thread[own] > 0) {
        lua_pushnumber(L, gpu->flop_per_clock_per_thread[own]);
    } else {
        lua_newtable(L);
        for (int i = 0; i < DT_NUM_WIDTHS; i++) {
            if (gpu->flop_per_clock_per_thread[i] > 0) {
                lua_pushnumber(L, gpu->flop_per_clock_per_thread[i]);
                lua_rawseti(L, -2, dt_widths_bits[i]);
            }
        }
    }
}

static void push_peak(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_gpu_peak_flop_per_s(object));
}

static void push_sustained(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_gpu_sustained_flop_per_s(object));
}

static void push_shared(lua_State *L, const void *object)
{
    lua_pushnumber(L, dt_gpu_shared_Bps(object));
}

static void push_name(lua_State *L, const void *object)
{
    lua_pushstring(L, ((const DtGpu *)object)->name);
}

static const DtDerived special[] = {
    {"name", push_name, "", "what to call it"},
    {"bits", push_bits, "", "width of a number in the matmul: 64, 32, 16, 8 or 4"},
    {"flop_per_clock_per_thread", push_rates, "",
     "FLOP of one of 128 threads of an SM in one clock: a number, or a table by bits"},
    {"peak", push_peak, "flop_rate", "peak FLOP/s; may be given instead of the FLOP per clock"},
    {NULL, NULL, NULL, NULL},
};

static const DtDerived derived[] = {
    {"sustained", push_sustained, "flop_rate", "peak times utilization"},
    {"shared_bandwidth", push_shared, "bandwidth", "bytes per second of all shared memories"},
    {NULL, NULL, NULL, NULL},
};

static void init(void *object)
{
    DtGpu *gpu = object;
    memset(gpu, 0, sizeof *gpu);
    strcpy(gpu->name, "GPU");
    gpu->bits = 16;
    gpu->peak_flop_per_s = DT_ABSENT;
}

/* A rate for one width, from the value on top of the stack. */
static double read_rate(lua_State *L, const char *what)
{
    double rate = dt_quantity(L, -1, "", what, "flop_per_clock_per_thread");
    if (!(rate > 0) || isinf(rate))
        dt_raise_got(L, -1, "%s: flop_per_clock_per_thread must be a finite number above 0", what);
    return rate;
}

static void read_rates(lua_State *L, DtGpu *gpu, const char *what)
{
    memset(gpu->flop_per_clock_per_thread, 0, sizeof gpu->flop_per_clock_per_thread);
    gpu->peak_flop_per_s = DT_ABSENT;
    if (!lua_istable(L, -1)) {
        int width = dt_gpu_width_index(gpu->bits);
        gpu->flop_per_clock_per_thread[width < 0 ? 0 : width] = read_rate(L, what);
        return;
    }
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_Integer bits = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
        int width = bits > 0 && bits <= 64 ? dt_gpu_width_index((int)bits) : -1;
        if (width >= 0) {
            gpu->flop_per_clock_per_thread[width] = read_rate(L, what);
        } else {
            luaL_tolstring(L, -2, NULL);
            dt_raise(L,
                     "%s: flop_per_clock_per_thread is by width, [64], [32], [16], [8] or [4], "
                     "got [%s]",
                     what, lua_tostring(L, -1));
        }
        lua_pop(L, 1);
    }
}

static void read_peak(lua_State *L, DtGpu *gpu, int index, const char *what)
{
    if (lua_getfield(L, index, "flop_per_clock_per_thread") != LUA_TNIL)
        dt_raise(L, "%s: give flop_per_clock_per_thread or peak, not both", what);
    lua_pop(L, 1);
    gpu->peak_flop_per_s = dt_quantity(L, -1, "flop_rate", what, "peak");
    if (!(gpu->peak_flop_per_s > 0) || isinf(gpu->peak_flop_per_s))
        dt_raise_got(L, -1, "%s: peak must be a finite number of FLOP/s above 0", what);
    memset(gpu->flop_per_clock_per_thread, 0, sizeof gpu->flop_per_clock_per_thread);
}

/* Called in the order of `special`: bits come before the rates. */
static void set_special(lua_State *L, void *object, const char *name, int index, const char *what)
{
    DtGpu *gpu = object;
    if (strcmp(name, "name") == 0) {
        dt_name(L, -1, gpu->name, what, "name");
    } else if (strcmp(name, "bits") == 0) {
        double bits = dt_quantity(L, -1, "", what, "bits");
        if (!(bits > 0 && bits <= 64) || bits != floor(bits) || dt_gpu_width_index((int)bits) < 0)
            dt_raise_got(L, -1, "%s: bits must be 64, 32, 16, 8 or 4", what);
        gpu->bits = (int)bits;
    } else if (strcmp(name, "flop_per_clock_per_thread") == 0) {
        read_rates(L, gpu, what);
    } else {
        read_peak(L, gpu, index, what);
    }
}

static void finish(lua_State *L, void *object, bool is_new)
{
    const DtGpu *gpu = object;
    DtError error;
    bool any = gpu->peak_flop_per_s != DT_ABSENT;
    for (int i = 0; i < DT_NUM_WIDTHS; i++)
        any |= gpu->flop_per_clock_per_thread[i] > 0;
    if (is_new && !any)
        dt_raise(L,
                 "gpu: flop_per_clock_per_thread is missing (FLOP per clock of a thread; or give "
                 "peak, as in peak = \"312 TFLOP/s\")");
    if (dt_gpu_check(gpu, &error))
        dt_raise_error(L, "gpu", &error);
}

/* The matmul's arguments d1, d2, batch [, "weight_grad"] behind self. */
static bool matmul_arguments(lua_State *L, const char *what, uint64_t size[3])
{
    static const char *const names[] = {"d1", "d2", "batch"};
    static const char *const modes[] = {"weight_grad", NULL};
    lua_settop(L, 5);
    for (int i = 0; i < 3; i++)
        size[i] = dt_count(L, i + 2, 1, what, names[i]);
    if (lua_isnoneornil(L, 5))
        return false;
    dt_choice(L, 5, modes, what, "the fourth argument");
    return true;
}

static int matmul_time(lua_State *L)
{
    const DtGpu *gpu = dt_object_check(L, 1, &dt_type_gpu, "gpu:matmul_time: self");
    uint64_t size[3];
    bool weight_grad = matmul_arguments(L, "gpu:matmul_time", size);
    DtMatmulPair pair = dt_matmul_prepare(gpu, size[0], size[1]);
    const DtMatmul *chosen = weight_grad ? &pair.weight_grad : &pair.forward;
    lua_pushnumber(L, dt_matmul_time_s(chosen, size[2]));
    return 1;
}

static int matmul(lua_State *L)
{
    const DtGpu *gpu = dt_object_check(L, 1, &dt_type_gpu, "gpu:matmul: self");
    uint64_t size[3];
    bool weight_grad = matmul_arguments(L, "gpu:matmul", size);
    DtMatmulReport report = dt_matmul_report(gpu, size[0], size[1], size[2], weight_grad);
    lua_newtable(L);
    dt_set_number(L, "time", report.time_s);
    lua_pushstring(L, dt_bound_names[report.bound]);
    lua_setfield(L, -2, "bound");
    dt_set_number(L, "flop", report.flop);
    dt_set_number(L, "useful_flop", report.useful_flop);
    dt_set_number(L, "memory_bytes", report.memory_bytes);
    dt_set_number(L, "l2_bytes", report.l2_bytes);
    dt_set_number(L, "shared_bytes", report.shared_bytes);
    dt_set_number(L, "efficiency", report.efficiency_frac);
    return 1;
}

/* gpu_assumption(gpu) -> the number of what the library filled in, 0 for nothing. */
static int assumption(lua_State *L)
{
    const DtGpu *gpu = dt_object_check(L, 1, &dt_type_gpu, "gpu:assumed: self");
    lua_pushinteger(L, gpu->assumption);
    return 1;
}

/* gpu_assuming(gpu, number) -> a copy with that number. */
static int assuming(lua_State *L)
{
    const DtGpu *gpu = dt_object_check(L, 1, &dt_type_gpu, "gpu");
    DtGpu *copy = dt_object_push(L, &dt_type_gpu);
    *copy = *gpu;
    copy->assumption = (int)luaL_checkinteger(L, 2);
    return 1;
}

const luaL_Reg dt_gpu_functions[] = {
    {"gpu_assumption", assumption}, {"gpu_assuming", assuming}, {NULL, NULL}};

/* What was assumed is no part of it. */
bool dt_gpu_equal(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(DtGpu, assumption)) == 0;
}

static const luaL_Reg methods[] = {{"matmul_time", matmul_time}, {"matmul", matmul}, {NULL, NULL}};

const DtType dt_type_gpu = {.name = "gpu",
                            .a = "a dtsim.gpu",
                            .size = sizeof(DtGpu),
                            .equal = dt_gpu_equal,
                            .fields = dt_gpu_fields,
                            .num_fields = DT_GPU_NUM_FIELDS,
                            .derived = derived,
                            .special = special,
                            .set_special = set_special,
                            .finish = finish,
                            .init = init,
                            .methods = methods};
