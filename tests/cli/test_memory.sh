#!/bin/sh
# Memory that runs out anywhere in the program: exit status 3, or an answer that says so, never a crash and never
# another answer with a straight face. MEMORY_POINTS: requests that fail, per command.
# $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

library=$(dirname "$carom")/tests/libpreload_memory.so
if [ ! -e "$library" ] || ldd "$carom" | grep -q 'lib.*san'; then
    echo "no library to load, or sanitizers that have their own: not tried"
    exit 0
fi
points=${MEMORY_POINTS:-12}
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
cd "$folder" || exit 1

# starve VARIABLE K command...: exit status and output of a command whose K-th request fails
starve() {
    variable=$1 at=$2
    shift 2
    rm -f out.csv out.html
    env LD_PRELOAD="$library" "$variable=$at" "$@" >out 2>err </dev/null
    got=$?
    case $got in
    3) grep -qi 'memory' err ;;
    2) false ;;
    0 | 1)
        grep -qi 'out of memory' out err || { cmp -s out expected && [ $got = $(cat status) ]; }
        ;;
    *) false ;;
    esac || {
        echo "$variable=$at: status $got: $*"
        head -n 3 err
        diff out expected | head -n 4
        return 1
    }
}

# tried command...: it is starved at requests spread over all it makes
tried() {
    rm -f requests out.csv out.html
    "$@" >expected 2>err </dev/null
    echo $? >status
    CAROM_FAIL_COUNT=requests LD_PRELOAD=$library "$@" >/dev/null 2>&1 </dev/null
    total=$(tail -n 1 requests)
    k=1
    while [ "$k" -le "$total" ]; do
        check starve CAROM_FAIL_AT "$k" "$@"
        k=$((k + 1 + k * 2 / points + total / points / 4))
    done
    check starve CAROM_FAIL_FROM $((total / 2)) "$@"
}

"$carom" run "$scenes/bouncing_ball.yaml" --until 1 -o trace.csv >/dev/null
tried "$carom" impact "$scenes/cradle.yaml"
tried "$carom" impact "$scenes/disc_in_corner.yaml" --json
tried "$carom" impact "$scenes/cradle.yaml" --report out.html
tried "$carom" inspect "$scenes/rocking_block.yaml"
tried "$carom" check "$scenes/painleve_rod.yaml" --json
tried "$carom" run "$scenes/rocking_block.yaml" --until 0.5
tried "$carom" run "$scenes/bouncing_ball.yaml" --until 1 -o out.csv
tried "$carom" run "$scenes/bouncing_ball.yaml" --until 1 --report out.html
tried "$carom" sweep "$scenes/bouncing_ball.yaml" --vary e=0.5,0.9
tried "$carom" view trace.csv --no-open --out out.html
tried "$carom" figure np-1a
tried "$carom" rods --length 1,2 --speed 1
tried "$carom" laws --json
tried "$carom" scenes

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
