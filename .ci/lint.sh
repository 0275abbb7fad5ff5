#!/bin/sh
# Checks form and layers; says everything that is wrong and fails if anything is. That the C
# compiles without a warning is the build's part (warnings are errors there).
# usage: .ci/lint.sh, at the top of the project

bad=0
c_files=$(find src tests -name '*.c' -o -name '*.h' | sort)
c_sources=$(find src tests -name '*.c' | sort)
lua_files=$(find src lua scenarios tests -name '*.lua' 2>/dev/null | sort)
scripts=$(find src tests .ci -name '*.sh' -o -path .ci/run | sort)

# run WHAT COMMAND...: one tool.
run() {
    echo "lint: $1"
    shift
    "$@" || bad=1
}

# forbid FOLDER PATTERN WHY [FILE]: no line of the C files below FOLDER matches, FILE aside.
forbid() {
    [ -d "$1" ] || return 0
    if grep -rnE --include='*.c' --include='*.h' --exclude="${4:-}" -e "$2" "$1"; then
        echo "lint: $1 $3"
        bad=1
    fi
}

# Which layer may use what: cli -> bind -> core, and file beside them.
check_layers() {
    forbid src/core '#include <(lua|lauxlib|lualib|stdio|locale|fcntl|unistd|sys/.*)\.h' \
        'is the model alone: no Lua, no input or output'
    forbid src/core '\b(lua_|luaL_)|printf|\bFILE\b|\b(exit|abort|fopen|setlocale) *\(' \
        'is the model alone: no Lua, no input or output, no exit'
    forbid src/core '#include "(bind|cli|file)/' 'knows no other layer'
    forbid src/core '^[^*]*[^_a-z](m|c|re)alloc\(.*;' 'gets its memory by memory.h' memory.c
    forbid src/bind '#include <(fcntl|unistd)\.h|\bFILE\b|\b(fopen|popen|printf|puts|exit) *\(' \
        'translates between Lua and core: no input or output, no exit'
    forbid src/bind '#include "(cli|file)/' 'knows core alone'
    forbid src/file '#include "(core|bind|cli)/' 'knows no other layer'
    forbid src/cli '#include "core/' 'reaches core through bind'
}

check_line_length() {
    # shellcheck disable=SC2086 # one word per file
    if LC_ALL=C.UTF-8 grep -nE '^.{101,}' /dev/null Makefile $c_files $lua_files $scripts; then
        echo 'lint: lines longer than 100 columns'
        bad=1
    fi
}

# shellcheck disable=SC2086 # one word per file
{
    run layers check_layers
    run 'line length' check_line_length
    run clang-format clang-format --dry-run -Werror $c_files
    run cppcheck cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr -Isrc \
        --enable=warning,performance,portability --suppress=missingIncludeSystem $c_sources
    run luacheck luacheck --quiet --no-color $lua_files
}
exit $bad
