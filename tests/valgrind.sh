#!/bin/sh
# Runs the C tests and a few scripts under valgrind: no wrong access, no use of what was never set,
# no leak.
# usage: tests/valgrind.sh BUILD, at the top of the project

build=$1
log=$build/valgrind.log
failed=0

# check NAME COMMAND...
check() {
    name=$1
    shift
    if valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
        --fair-sched=yes "$@" >"$log" 2>&1; then
        echo "valgrind: $name: clean"
    else
        echo "valgrind: $name: ended with status $?"
        grep -E '^==|does not hold|passed' "$log" | head -n 60
        failed=1
    fi
}

for program in "$build"/tests/test_* "$build"/tests/host/test_*; do
    case $program in
    *test_parallel) continue ;; # makes threads impossible by their stacks' size, valgrind's too
    esac
    check "$(basename "$program")" "$program"
done

check 'a sweep' "$build/dtsim" -e '
    local s = dtsim.systems.h100
    local o = dtsim.optimizer{gpu = s.gpu, network = s.network, search = "paper", threads = 2}
    local sweep = o:sweep{d_model = {1024, 2048, 4096}}
    print(sweep, sweep[1]:explain())'
check 'a study' "$build/dtsim" -e '
    local s = dtsim.study{search = "paper", d_model = {1024}, {system = "h100"}, {system = "v100"}}
    print(s:run(), dtsim.laws{batch = "4 Mi / seq"}:model(1024))'
check 'errors' "$build/dtsim" -e '
    for _, f in ipairs{dtsim.gpu, dtsim.network, dtsim.model, dtsim.optimizer, dtsim.laws} do
        print(pcall(f), pcall(f, {x = 3}), pcall(f, 3))
    end'
exit $failed
