-- completion.lua: writes what shells need to complete dtsim's command line.
-- usage: dtsim completion.lua bash|zsh > file

local program = require "dtsim.help.program"

-- Each way to write an option, with its row: "-h, --help" is two, "-l mod" and "-l g=mod" one.
local function spellings()
    local list, seen = {}, {}
    for _, option in ipairs(program.options) do
        for word in option[1]:gmatch "[^,]+" do
            local name = word:match "^%s*(%-%S*)"
            if name and not seen[name] and name ~= "-" and name ~= "--" then
                seen[name] = true
                list[#list + 1] = {name = name, option = option}
            end
        end
    end
    return list
end

-- A word of the shell.
local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function bash()
    local names, with_argument = {}, {}
    for i, spelling in ipairs(spellings()) do
        names[i] = spelling.name
        if spelling.option.argument then with_argument[#with_argument + 1] = spelling.name end
    end
    print(([[
# Completion of dtsim's command line for bash.
_dtsim() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    case $before in
    %s) return ;;
    esac
    case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W '%s' -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}
complete -o filenames -F _dtsim dtsim]]):format(table.concat(with_argument, " | "),
        table.concat(names, " ")))
end

local function zsh()
    print "#compdef dtsim\n# Completion of dtsim's command line for zsh.\n_arguments \\"
    for _, spelling in ipairs(spellings()) do
        local option = spelling.option
        local text = option[2]:gsub("[%[%]:]", "\\%0")
        local argument = option.argument and ":" .. option.argument .. ":" or ""
        -- -e and -l may come again and again
        local again = (spelling.name == "-e" or spelling.name == "-l") and "*" or ""
        print(("    %s \\"):format(quote(("%s%s[%s]%s"):format(again, spelling.name, text,
            argument))))
    end
    print "    '1:script:_files' '*:argument:_files'"
end

local writers = {bash = bash, zsh = zsh}
local write = writers[arg[1]]
if not write then
    error("completion.lua: the shell must be bash or zsh, got " .. tostring(arg[1]))
end
write()
