-- embed.lua: writes the C file that carries the Lua library (see embed.h).
-- usage: lua5.4 embed.lua lua/dtsim/init.lua lua/dtsim/x.lua ... > embedded.c
-- The paths must start with "lua/"; they become the modules and the chunk names.

local BYTES_PER_LINE = 20

local function module_of(path)
    local name = path:match("^lua/(.+)%.lua$")
    assert(name, "not a path below lua/: " .. path)
    return (name:gsub("/init$", ""):gsub("/", "."))
end

local function read(path)
    local file <close> = assert(io.open(path, "rb"))
    return file:read("a")
end

local function print_bytes(index, text)
    print(("static const unsigned char file_%d[] = {"):format(index))
    for first = 1, #text, BYTES_PER_LINE do
        local last = math.min(first + BYTES_PER_LINE - 1, #text)
        print("    " .. table.concat({text:byte(first, last)}, ",") .. ",")
    end
    -- A closing zero, as an empty file would be no valid array.
    print("    0,\n};")
end

local rows = {}
print('#include "cli/embed.h"\n')
for index, path in ipairs(arg) do
    local text = read(path)
    print_bytes(index, text)
    rows[index] = ('    {"%s", "@%s", file_%d, %d},'):format(module_of(path), path, index, #text)
end
print("const DtEmbedded dt_embedded[] = {")
print(table.concat(rows, "\n"))
print("};")
print(("const size_t dt_num_embedded = %d;"):format(#rows))
