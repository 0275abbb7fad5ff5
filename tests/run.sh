#!/bin/sh
# Runs the tests and adds up what they tell. The last line is "N passed, N failed"; the exit
# status is 0 only if something ran, nothing failed and no test program ended badly.
# LUA_TESTS, if set, has the folders of Lua tests to run instead of all ("" for none).
# usage: tests/run.sh BUILD [C test program...]
#   BUILD     the build directory, with the program dtsim
#   programs  each ends its output with a line "NAME: N passed, N failed"

build=$1
shift
log=$build/tests/output.log
passed=0
failed=0
mkdir -p "$build/tests"

# The tests are about this build, not about the user's settings.
unset DTSIM_LUA LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4
XDG_CONFIG_HOME=/nonexistent XDG_STATE_HOME=/nonexistent
export XDG_CONFIG_HOME XDG_STATE_HOME
DTSIM=$(cd "$build" && pwd)/dtsim
DTSIM_BUILD=$(cd "$build" && pwd)
export DTSIM DTSIM_BUILD

# add NAME STATUS PASSED FAILED: counts are empty where the program told none.
add() {
    if [ -z "$3" ]; then
        echo "$1: ended with status $2 and no count of its tests"
        failed=$((failed + 1))
        return
    fi
    passed=$((passed + $3))
    failed=$((failed + $4))
    if [ "$2" -ne 0 ] && [ "$4" -eq 0 ]; then
        echo "$1: ended with status $2"
        failed=$((failed + 1))
    fi
}

for program in "$@"; do
    "$program" >"$log" 2>&1
    status=$?
    cat "$log"
    counts=$(sed -n 's/^.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)
    # shellcheck disable=SC2086 # two words
    add "$program" $status $counts
done

# busted's own script, run by the program as lua would run it.
for directory in ${LUA_TESTS-tests/spec tests/cli}; do
    [ -d "$directory" ] || continue
    echo "$directory"
    "$DTSIM" "$(command -v busted)" --ignore-lua --output=plainTerminal "$directory" >"$log" 2>&1
    status=$?
    cat "$log"
    tally='([0-9]+) success[a-z]* / ([0-9]+) failures? / ([0-9]+) errors? / .*'
    counts=$(sed -nE "s,^$tally\$,\\1 \\2 \\3,p" "$log" | tail -n 1)
    # shellcheck disable=SC2086 # three words
    set -- $counts
    add "$directory" $status "$1" $((${2:-0} + ${3:-0}))
done

rm -f "$log"
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
