#!/bin/sh
# carom check as a user meets it. $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0
trap 'rm -rf "$folder"' EXIT

# expect STATUS PATTERN command...: exit status, and a pattern in the output put on one line
expect() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
    got=$?
    if [ "$got" != "$status" ] || ! cat "$folder/out" "$folder/err" | tr -s ' \n' '  ' | grep -q -e "$pattern"; then
        echo "FAILED: $* -> $got, expected $status with '$pattern'"
        head -n 20 "$folder/out" "$folder/err"
        failed=$((failed + 1))
    fi
    if [ "$status" = 2 ] && [ -s "$folder/out" ]; then
        echo "FAILED: $* refuses but writes to stdout"
        failed=$((failed + 1))
    fi
}

expect 0 'Consistent' "$carom" check "$scenes/three_balls.yaml"
expect 0 '"name": "energy-copositive", "holds": true' "$carom" check "$scenes/three_balls.yaml" --json
expect 0 '"contact_problem": null' "$carom" check "$scenes/three_balls.yaml" --json
expect 0 '"name": "energy-orthogonal", "holds": true' "$carom" check "$scenes/corner.yaml" --json
expect 0 '"class": "none"' "$carom" check --json "$scenes/painleve_rod.yaml"
expect 0 '"class": "unique"' "$carom" check --json "$scenes/painleve_rod.yaml" --set mu=1.3
expect 0 '"class": "several"' "$carom" check --json "$scenes/painleve_rod.yaml" --set g=-9.81
expect 0 'least 1.33333333333 at th = 1.10714871779' "$carom" check "$scenes/painleve_rod.yaml" --along th=0.1:1.5
expect 2 'no coordinate' "$carom" check "$scenes/painleve_rod.yaml" --along phi=0:1
expect 2 'FROM must be below TO' "$carom" check "$scenes/painleve_rod.yaml" --along th=1:0
expect 2 'NAME=FROM:TO' "$carom" check "$scenes/painleve_rod.yaml" --along th
expect 2 'has no coordinates' "$carom" check "$scenes/three_balls.yaml" --along th=0:1
sed 's/{y: l/{y: 1 + l/' "$scenes/painleve_rod.yaml" >"$folder/lifted.yaml"
expect 1 'no contact is closed: the nearest is tip' "$carom" check "$folder/lifted.yaml"
expect 2 'must not be negative' "$carom" check "$folder/lifted.yaml" --closed=-1

# a matrix with all four blocks: its tangential part is judged too
expect 0 'can gain energy.*energy-full fails' "$carom" check "$scenes/superball_matrix.yaml" --set et=1.2
expect 0 '"name": "energy-full-frobenius", "holds": false' "$carom" check "$scenes/superball_matrix.yaml" --json
expect 0 '"name": "friction-range", "holds": true' "$carom" check "$scenes/superball_matrix.yaml" --json

# more contacts than can be enumerated: a column of N balls, the floor carries N m g
cat >"$folder/column.yaml" <<'END'
carom: 1
parameters: {N: 30, m: 1, g: 10, mu: 0}
system:
  repeat:
    - {index: i, from: 1, to: N, coordinates: [x$i, y$i], kinetic: m/2*(x$i'^2 + y$i'^2), potential: m*g*y$i, initial: {y$i: $i, x$i': 1}}
    - {index: i, from: 1, to: N-1, contacts: {c$i: {gap: y$(i+1) - y$i - 1}}}
  contacts:
    floor: {gap: y1 - 1, slip: x1', friction: mu}
END
expect 0 'Contact problem at this state: unique .*floor closed 300 ' "$carom" check "$folder/column.yaml"
expect 0 'Contact problem at this state: unique .*floor slip+ 300 ' "$carom" check "$folder/column.yaml" --set mu=0.2
expect 0 'Contact problem at this state: unique .*floor slip+ 2000 ' "$carom" check "$folder/column.yaml" --set mu=0.2 --set N=200
[ "$failed" = 0 ]
