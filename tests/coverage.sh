#!/bin/sh
# Runs the tests of a build with gcc's counters and says which share of src's lines and branches
# they reached, file by file.
# usage: tests/coverage.sh BUILD, at the top of the project

build=$1
find "$build" -name '*.gcda' -delete
chmod -R a+rwX "$build" # some tests run as another user
export GCOV_ERROR_FILE=/dev/null # programs that may not write their counts say nothing about it
tests/run.sh "$build" "$build"/tests/test_* "$build"/tests/host/test_* >"$build/tests.log" 2>&1
tail -n 1 "$build/tests.log"

# gcov tells of each file: executed lines, taken branches.
for object in "$build"/obj/*/*.o; do
    case $object in
    */tests/*) continue ;;
    esac
    gcov --branch-probabilities --no-output --object-file "$object" src/x.c 2>/dev/null
done | awk '
    /^(Calls executed|No calls|$)/ { is_src = 0 } # a total without a name follows the last file
    /^File / { file = $2; gsub("\047", "", file); is_src = file ~ /^src\// }
    is_src && /^Lines executed:/ { split(substr($2, 10), part, "% of "); n = $4
        lines[file] = n; hit[file] = $2; sub("executed:", "", hit[file]); sub("%", "", hit[file]) }
    is_src && /^Taken at least once:/ { n = $6; share = $4; sub("once:", "", share)
        sub("%", "", share); branches[file] = n; taken[file] = share }
    END {
        for (file in lines) {
            printf "%-28s %6.1f %% of %4d lines  %6.1f %% of %4d branches\n", file, hit[file],
                lines[file], taken[file], branches[file] | "sort"
            all += lines[file]; reached += lines[file] * hit[file] / 100
            sides += branches[file]; sides_taken += branches[file] * taken[file] / 100
        }
        close("sort")
        printf "coverage: %.1f %% of %d lines, %.1f %% of %d branches of src\n",
            100 * reached / all, all, 100 * sides_taken / sides, sides
    }'
