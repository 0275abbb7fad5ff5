/* Formulas of laws: compiled, and called with a few numbers. */
#include "fuzz.h"

static const char setup[] =
    "local formula = require 'dtsim.formula' "
    "local names = {{'C', 'compute'}, {'seq', 'seq_len', whole = true}, {'E', 'sparsity'}} "
    "return function(text) "
    "    local call, message = formula.try(text, names) "
    "    if not call then assert(type(message) == 'string') return end "
    "    for _, x in ipairs{1, 1e26, 0.5, 4096} do "
    "        local value = call(x, 2048, 8) "
    "        assert(type(value) == 'number', text) "
    "    end "
    "    local ok, set = pcall(dtsim.laws, {batch = text}) "
    "    if ok then pcall(set.model, set, 1024) end "
    "end";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lua_State *L = fuzz_state(setup);
    lua_pushlstring(L, (const char *)bytes, size);
    bool passed = fuzz_call(L, 1);
    const char *message = passed ? NULL : lua_tostring(L, -1);
    fuzz_expect(passed || (message && strstr(message, "interrupted!")),
                "a formula is read or refused", message);
    return 0;
}
