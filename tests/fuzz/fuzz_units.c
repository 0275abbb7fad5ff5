/* Texts with units. The first byte chooses the kind; what is read is written and read again. */
#include "fuzz.h"

static const char setup[] =
    "local units = require 'dtsim.units' "
    "local kinds = {'bytes', 'bandwidth', 'flop', 'flop_rate', 'frequency', 'time', 'power', "
    "               'energy', 'money', 'count'} "
    "return function(text) "
    "    local kind = kinds[(text:byte() or 0) % (#kinds + 1) + 1] "
    "    text = text:sub(2) "
    "    local value, found = units.try(text, kind) "
    "    if not value then return end "
    "    assert(value == value, 'nan out of ' .. text) "
    "    if value == 1/0 then return end "
    "    local again = units.parse(units.format(value, found, 17), found) "
    "    local close = math.abs(again - value) <= 1e-12 * math.abs(value) "
    "    assert(close or math.abs(value) < 1e-290, text) "
    "end";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lua_State *L = fuzz_state(setup);
    lua_pushlstring(L, (const char *)bytes, size);
    bool passed = fuzz_call(L, 1);
    fuzz_expect(passed, "a text is read or refused", lua_tostring(L, -1));
    return 0;
}
