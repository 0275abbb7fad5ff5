/* JSON: as a text, as a configuration file, and as a saved study. */
#include "fuzz.h"

static const char setup[] =
    "local json = require 'dtsim.json' "
    "local config = require 'dtsim.config' "
    "local study = require 'dtsim.study' "
    "local text "
    "function io.open() "
    "    return {read = function() return text end, close = function() return true end} "
    "end "
    "return function(input) "
    "    text = input "
    "    local value, message = json.try_decode(text) "
    "    if value ~= nil then "
    "        local once = json.encode(value) "
    "        assert(json.encode(json.decode(once)) == once, 'not the same again') "
    "    else "
    "        assert(type(message) == 'string') "
    "    end "
    "    for _, read in ipairs{config.read, study.load} do "
    "        local ok, fault = pcall(read, 'input.json') "
    "        if ok then "
    "            tostring(fault) "
    "        elseif fault:find 'interrupted!' then "
    "            error(fault, 0) "
    "        else "
    "            for _, bad in ipairs{'%.lua:%d+: ', 'attempt to %a+ a ', 'bad argument #'} do "
    "                if fault:find(bad) then error('mistake: ' .. fault, 0) end "
    "            end "
    "        end "
    "    end "
    "end";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lua_State *L = fuzz_state(setup);
    lua_pushlstring(L, (const char *)bytes, size);
    bool passed = fuzz_call(L, 1);
    const char *message = passed ? NULL : luaL_tolstring(L, -1, NULL);
    fuzz_expect(passed || strstr(message, "interrupted!") || strstr(message, "not enough memory"),
                "a file is read or refused", message);
    return 0;
}
