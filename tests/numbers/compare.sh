#!/bin/sh
# Builds tests/numbers/numbers.c by gcc and clang, each with -O0 and -O2, and compares what they
# print: every number equal to a relative 1e-12.
# usage: tests/numbers/compare.sh BUILD, at the top of the project

folder=$1/numbers
dialect='-std=c11 -D_POSIX_C_SOURCE=200809L -D_GNU_SOURCE -ffp-contract=off -pthread'
mkdir -p "$folder"

for compiler in gcc clang; do
    for level in 0 2; do
        # shellcheck disable=SC2086 # several words
        $compiler $dialect -O$level -Isrc -Itests -o "$folder/numbers" tests/numbers/numbers.c \
            src/core/*.c -lm || exit 1
        "$folder/numbers" >"$folder/$compiler-O$level.txt" || exit 1
    done
done

failed=0
for build in gcc-O2 clang-O0 clang-O2; do
    paste -d ' ' "$folder/gcc-O0.txt" "$folder/$build.txt" | awk -v build="$build" '
        { difference = $2 - $4; size = ($2 < 0 ? -$2 : $2) }
        $1 != $3 || NF != 4 || difference > 1e-12 * size || -difference > 1e-12 * size {
            if (bad++ < 5)
                print build " differs from gcc-O0, line " NR ": " $0
        }
        $2 != $4 { inexact++ }
        END {
            print build ": " NR " numbers compared with gcc-O0: " inexact + 0 \
                " differ in bits, " bad + 0 " by more than 1e-12"
            exit bad > 0 || NR < 1000
        }' || failed=1
done
exit $failed
