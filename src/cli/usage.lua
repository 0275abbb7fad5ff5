-- usage.lua: writes the C file with the version and the text of --help, from the library's help.
-- usage: lua5.4 usage.lua lua/dtsim/help/program.lua > usage.c

local program = assert(loadfile(arg[1]))()

local function columns(rows, width)
    local lines = {}
    for _, row in ipairs(rows) do
        lines[#lines + 1] = ("  %s%s  %s"):format(row[1], (" "):rep(width - #row[1]), row[2])
    end
    return table.concat(lines, "\n")
end

local width = 0
for _, option in ipairs(program.options) do width = math.max(width, #option[1]) end
local exits = {}
for i, row in ipairs(program.exit) do exits[i] = row[1] .. " " .. row[2] end

local text = ("usage: %s\n%s\n%s\nexit status: %s\n"):format(program.synopsis,
    table.concat(program.description, "\n"), columns(program.options, width),
    table.concat(exits, ", "):gsub("(wrong usage,) ", "%1\n"))

print('#include "cli/options.h"\n')
print(('const char dt_version[] = "%s";\n'):format(program.version))
print "const char dt_options_help[] ="
for line in text:gmatch "[^\n]+" do
    print(('    "%s\\n"'):format(line:gsub('[\\"]', "\\%0")))
end
print "    ;"
