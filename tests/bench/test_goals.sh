#!/bin/sh
# How the goals are counted (bench/goals.awk), on rows made up for it. $2 = source folder
set -u
goals=$2/bench/goals.awk folder=$(mktemp -d) failed=0
trap 'rm -rf "$folder"' EXIT

# row TASK CASE ENGINE RATIO ACCURACY STATUS
row() { echo "$1,$2,$3,1.0,best,1e-3,1e-3,$4,$5,1e-9,1,$6," >>"$folder/results.csv"; }
explain() { printf '### A section\n<!-- explains: %s -->\nWords.\n' "$1" >"$folder/notes.md"; }

# expect STATUS PATTERN: exit status of the count, and a line of its output
expect() {
    LC_ALL=C awk -F, -f "$goals" "$folder/notes.md" "$folder/results.csv" >"$folder/out" 2>&1
    got=$?
    if [ "$got" != "$1" ] || ! grep -qF -e "$2" "$folder/out"; then
        echo "FAILED: status $got, expected $1 with '$2'"
        cat "$folder/out"
        failed=$((failed + 1))
    fi
}

echo 'task,case,engine,version,variant,best_s,median_s,ratio_to_carom,accuracy,required,peak_MB,status,outcome' >"$folder/results.csv"
for name in 4 10 11 500; do row lcp "chain $name" carom 1 1e-16 ok; done
row lcp "chain 4" siconos 2.5 1e-16 ok
row lcp "chain 4" siconos 9 1e-16 slower
row lcp "chain 10" siconos 3.2 1e-16 ok
row lcp "chain 11" siconos 0.5 1e-16 ok # no goal between
row lcp "chain 500" siconos 40 1e-16 ok
row zeno through carom 1 1e-10 ok
row zeno through siconos 12 1e-11 ok
row zeno far carom 1 0 ok
row zeno far siconos 2 1e-3 inaccurate
row lzb nowhere carom nan 1 failed
row lzb nowhere siconos nan 1 failed

explain "nothing|at all"
expect 1 "does not explain lcp|chain 4 (2.5 times, goal 3)"
expect 1 "does not explain accuracy|zeno|through"
expect 1 "| LCP, up to 10 contacts: at least 3 times faster | 2 | 1 |  | 2.5 (chain 4) |"
expect 1 "| LCP, from 500 contacts: at least 20 times faster | 1 | 1 |  | 40 (chain 500) |"
expect 1 "| event-driven accumulation: at least 10 times faster | 2 | 1 | 1 | 12 (through) |"
expect 1 "not counted: 1."

explain "lcp|chain 4; accuracy|zeno|through"
expect 0 "| lcp: chain 4 | 2.5 times, goal 3 | [A section](#a-section) |"
explain "lcp|chain 4; lcp|chain 10; accuracy|zeno|*" # 10 is not far above its goal
expect 0 "| accuracy: zeno: through | 1e-10 against 1e-11 |"
explain "lcp|chain*; accuracy|zeno|through; lcp|chain 500"
expect 1 "explains lcp|chain 500, where no row misses its goal"
explain "lcp|chain 4; accuracy|zeno|through; motion|column" # no rows of that task
expect 0 "| lcp: chain 4 |"

[ "$failed" = 0 ] || exit 1
echo "all as expected"
