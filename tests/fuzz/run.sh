#!/bin/bash
# Gives random input to each fuzzing target for its share of some seconds, starting from the corpus
# in this folder. Says how many inputs each tried and which share of its code they reached. A
# crash, a leak, a hang or a violated check is kept in BUILD/crashes and fails the run.
# usage: tests/fuzz/run.sh BUILD SECONDS [TARGET...], at the top of the project

build=$1
seconds=$2
shift 2
targets=("$@")
here=tests/fuzz
[[ ${#targets[@]} -gt 0 ]] || targets=(units formula json tables script repl)
each=$((seconds / ${#targets[@]}))
[[ $each -gt 0 ]] || each=1
failed=0
mkdir -p "$build/crashes"
export LSAN_OPTIONS=suppressions=$here/leaks.txt:print_suppressions=0

for target in "${targets[@]}"; do
    found=$build/found/$target # what reached new code is kept between runs
    log=$build/$target.log
    case $target in
    units) max_length=60 ;;
    formula | repl) max_length=200 ;;
    *) max_length=2000 ;;
    esac
    mkdir -p "$found"
    if ! "$build/fuzz_$target" -max_total_time=$each -max_len=$max_length -timeout=30 \
        -rss_limit_mb=2048 -detect_leaks=0 -dict=$here/dtsim.dict \
        -artifact_prefix="$build/crashes/$target-" -print_final_stats=1 \
        "$found" "$here/corpus/$target" >"$log" 2>&1; then
        grep -a -E 'violated:|ERROR|SUMMARY|runtime error|Test unit written' "$log"
        failed=$((failed + 1))
    fi
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    reached=$(grep -a -oE 'cov: [0-9]+' "$log" | tail -n 1)
    echo "fuzz: $target: ${inputs:-no} inputs in $each s, ${reached:-cov: none} edges"
done
[[ $failed -eq 0 ]]
