#!/bin/sh
# Ctrl-C ends every command within two seconds, with what is known, whatever it computes.
# $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

# A chain of balls in numbers: chain COUNT [more keys of a contact]
chain() {
    awk -v n="$1" -v more="${2:-}" 'BEGIN {
        printf "carom: 1\nimpact:\n  mass: ["
        for (i = 1; i <= n; i++) printf "%s1", (i > 1 ? "," : "")
        printf "]\n  velocity: ["
        for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? "," : ""), (i == 1)
        print "]\n  contacts:"
        for (k = 1; k < n; k++) {
            printf "    - {restitution: 0.5%s, normal: [", more
            for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? "," : ""), (i == k ? -1 : i == k + 1)
            printf "]"
            if (more != "") {
                printf ", slip: ["
                for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? "," : ""), (i == k ? 1 : i == k + 1)
                printf "]"
            }
            print "}"
        }
    }'
}

slow=0
! grep -qa __asan_init "$carom" || slow=1

# moment PROCESS: until it has computed for a quarter of a second. On a busy machine, and under sanitizers, it is slow from
# then on: a second after the signal the program ends by itself, and has no time left to tell what is known.
moment() {
    tries=0 ticks=0
    while [ "${ticks:-99}" -lt 25 ] && [ $tries -lt 400 ] && kill -0 "$1" 2>/dev/null; do
        sleep 0.05
        ticks=$(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat" 2>/dev/null)
        tries=$((tries + 1))
    done
    [ $tries -lt 15 ] || slow=1
}

# tells TEXT: the same as says, where there was time for it
tells() { [ $slow = 1 ] || says "$@"; }

# stops SIGNAL command...: started, interrupted after a moment, gone within two seconds with status 1
stops() {
    signal=$1
    shift
    "$@" >"$folder/out" 2>"$folder/err" </dev/null &
    process=$!
    moment $process
    kill -0 $process 2>/dev/null || { echo "it ended by itself: $*"; cat "$folder/err"; return 1; }
    kill -"$signal" $process
    tries=0
    while kill -0 $process 2>/dev/null && [ $tries -lt $((20 + 200 * slow)) ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    if kill -0 $process 2>/dev/null; then
        kill -KILL $process
        wait $process 2>/dev/null
        echo "still there after two seconds: $*"
        return 1
    fi
    wait $process
    got=$?
    case " ${status:-1} " in *" $got "*) true ;; *) false ;; esac || { echo "status $got: $*"; cat "$folder/err"; return 1; }
}

chain 600 >"$folder/chain.yaml"
chain 60 ', friction: 0.3' >"$folder/rough.yaml"
sed 's/until: 10, output: 0.01/until: 1e6, output: 1e-2/; s/e: 0.9/e: 1/' "$scenes/bouncing_ball.yaml" >"$folder/long.yaml"
sed 's/until: 1e6, output: 1e-2/until: 1, output: 2e-9/; s/q: q0/q: 10*q0/' "$folder/long.yaml" >"$folder/rows.yaml"
cat >"$folder/wide.yaml" <<'END'
carom: 1
system: {}
repeat: [{index: i, from: 1, to: 3000, coordinates: [x$i], kinetic: x$i'^2/2, contacts: {c$i: {gap: x$i}}, initial: {x$i': -1}}]
run: {until: 1}
END

# what was computed is shown and written
check stops INT "$carom" run "$folder/long.yaml"
check says 'ended early at t = '
check stops TERM "$carom" run "$folder/long.yaml" --json -o "$folder/long.csv"
check says '"end": "stopped"'
check grep -q ',end,.*stopped' "$folder/long.csv"
check stops INT "$carom" run "$folder/long.yaml" -o "$folder/long.h5"
check status_is 0 "$carom" view "$folder/long.h5" --no-open --out "$folder/long.html"
check stops INT "$carom" run "$folder/rows.yaml" -o "$folder/rows.csv"
check says 'ended early'
check stops INT "$carom" run "$folder/long.yaml" --method time-stepping --step 1e-5
check says 'ended early'
rm -f "$folder"/rows*.csv
check stops INT "$carom" run "$folder/wide.yaml"
# laws that have answered have rows, the others say why not
check stops INT "$carom" impact "$folder/chain.yaml" --json
check tells '"stopped": true'
check tells '"status": "ok"'
check tells 'stopped before it had an answer'
check stops INT "$carom" impact "$folder/chain.yaml" --report "$folder/chain.html"
check tells 'stopped: laws without an answer'
check [ ! -e "$folder/chain.html" ]
check stops INT "$carom" sweep "$folder/long.yaml" --vary e=1,1 -o "$folder/long2.csv"
check says 'stopped after 0 of 2 cells'
check stops INT "$carom" inspect "$folder/wide.yaml"
# what is proved by then is shown, if the certificate at work looks at the flag before the program ends by itself
status='0 1' check stops INT "$carom" check "$folder/rough.yaml"
check stops INT "$carom" view "$folder/long.yaml" --no-open --out "$folder/view.html"

# motions and their derivatives, orbits, branches, basins, pictures
cat >"$folder/oscillator.yaml" <<'END'
carom: 1
parameters: {w: 2.6, e: 0.8}
system: {coordinates: [x], kinetic: "x'^2/2", potential: "x^2/2", forces: {x: "cos(w*t)"}, contacts: {wall: {gap: "x + 0.1", restitution: e}}}
initial: {x: 0.5}
period: 2*pi/w
run: {until: 1e6}
END
chain 60 >"$folder/sixty.yaml"
check stops INT "$carom" gradient "$folder/oscillator.yaml" --of x --wrt w
check says 'stopped on request'
check stops INT "$carom" lyapunov "$folder/oscillator.yaml"
check stops INT "$carom" orbit "$folder/oscillator.yaml" --skip 100000000
check stops INT "$carom" follow "$folder/oscillator.yaml" --vary w=2.6:3 --skip 100000000
check stops INT "$carom" basins "$folder/oscillator.yaml" --vary x=0:2:60 --vary "x'=-2:2:60"
status='0 1' check stops INT "$carom" plot "$folder/long.yaml" -o "$folder/long.svg"
check stops INT "$carom" outcomes "$folder/sixty.yaml" --samples 100000000
check tells 'stopped before all laws had an answer'

# the second Ctrl-C ends it at once
"$carom" impact "$folder/chain.yaml" >/dev/null 2>&1 &
process=$!
moment $process
kill -INT $process
kill -INT $process 2>/dev/null
wait $process
check [ $? != 0 ]

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
