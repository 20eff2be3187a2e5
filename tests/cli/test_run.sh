#!/bin/sh
# carom run as a user meets it: traces that are the same every time, never overwritten, whole after a
# kill. $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

check() {
    count=$((count + 1))
    "$@" || { echo "FAILED: $*"; failed=$((failed + 1)); }
}
status_is() {
    expected=$1
    shift
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
    got=$?
    [ "$got" = "$expected" ] || { echo "status $got, expected $expected"; cat "$folder/err"; return 1; }
}
says() { cat "$folder/out" "$folder/err" | grep -q -e "$1"; }

ball=$scenes/bouncing_ball.yaml
check status_is 0 "$carom" run "$ball"
check says 'limit t = 8.57894917'
check status_is 0 "$carom" run "$ball" --json
check says '"t_limit": 8.5789491787'
for kind in h5 csv; do
    check status_is 0 "$carom" run "$ball" -o "$folder/a.$kind"
    check status_is 0 "$carom" run "$ball" -o "$folder/b.$kind"
    check cmp "$folder/a.$kind" "$folder/b.$kind"
    check status_is 2 "$carom" run "$ball" -o "$folder/a.$kind"
    check says 'force'
    check cmp "$folder/a.$kind" "$folder/b.$kind"
    check status_is 0 "$carom" run "$ball" -o "$folder/a.$kind" --force
    check status_is 3 "$carom" run "$ball" -o "$folder/no/such/folder/a.$kind"
done
if [ -e /dev/full ]; then
    check status_is 3 "$carom" run "$ball" -o /dev/full --force
fi
check status_is 2 "$carom" run "$scenes/cradle.yaml"
check says 'system'
sed '/^run:/d' "$ball" >"$folder/no_run.yaml"
check status_is 2 "$carom" run "$folder/no_run.yaml"
sed 's/{q: q0}/{q: -0.1}/' "$ball" >"$folder/inside.yaml"
check status_is 2 "$carom" run "$folder/inside.yaml"
sed "s/potential: m\*g\*q/potential: m*g*q\n  forces: {q: sqrt(2 - t)}/" "$ball" >"$folder/nan.yaml"
check status_is 1 "$carom" run "$folder/nan.yaml" --json
check says '"t":'


sed 's/until: 10, output: 0.01/until: 1e7, output: 1e-3/; s/e: 0.9/e: 1/' "$ball" >"$folder/long.yaml"
# Ctrl-C: what there is is written and said
"$carom" run "$folder/long.yaml" -o "$folder/stopped.csv" >"$folder/out" 2>"$folder/err" &
process=$!
sleep 1
kill -INT $process
wait $process
check [ $? = 1 ]
check says 'ended at t'
check [ "$(tail -c 1 "$folder/stopped.csv" | od -An -c | tr -d ' ')" = '\n' ]

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
