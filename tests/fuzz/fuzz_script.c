/* Whole scripts against the library. What a script does wrong is its own matter; the process must
 * not come to harm, and what the library says must not be "lua/dtsim/...: a mistake". */
#include "fuzz.h"

static const char setup[] =
    "return function(text) "
    "    local chunk = load(text, '=script', 't', setmetatable({}, {__index = _G})) "
    "    if chunk then chunk() end "
    "end";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int inputs;
    lua_State *L = fuzz_state(setup);
    lua_pushlstring(L, (const char *)bytes, size);
    lua_pushvalue(L, 1);
    lua_insert(L, -2);
    fuzz_timer(L, FUZZ_INPUT_MS);
    (void)lua_pcall(L, 1, 0, 0);
    fuzz_timer(L, 0);
    if (++inputs % 16 == 0) /* finalizers run where a tool can see them */
        lua_gc(L, LUA_GCCOLLECT);
    return 0;
}
