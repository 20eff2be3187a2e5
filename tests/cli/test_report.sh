#!/bin/sh
# --report of carom impact and carom run as a user meets it. $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"
holds() { grep -q -e "$2" "$folder/$1"; }
lacks() { ! grep -q -e "$2" "$folder/$1"; }

# the same bytes every time, nothing overwritten, the answer on stdout as without a report
for scene in three_balls corner reentrant_corner circular_cone moving_wall kane_pendulum rigid_body; do
    check status_is 0 "$carom" impact "$scenes/$scene.yaml" --json --report "$folder/a.html" --force
    cp "$folder/out" "$folder/with"
    check status_is 0 "$carom" impact "$scenes/$scene.yaml" --json
    check cmp "$folder/out" "$folder/with"
    check status_is 0 "$carom" impact "$scenes/$scene.yaml" --report "$folder/b.html" --force
    check cmp "$folder/a.html" "$folder/b.html"
    for part in 'id="outcomes"' 'id="velocity-space"' 'id="certificates"' '<svg' '</html>'; do
        check holds a.html "$part"
    done
    for part in '<script' '<img' '<link' 'src=' 'url('; do
        check lacks a.html "$part"
    done
done
check status_is 2 "$carom" impact "$scenes/corner.yaml" --report "$folder/a.html"
check says 'force'
check cmp "$folder/a.html" "$folder/b.html"
check status_is 3 "$carom" impact "$scenes/corner.yaml" --report "$folder/no/such/a.html"
check says 'cannot write'
[ -e /dev/full ] && check status_is 3 "$carom" impact "$scenes/corner.yaml" --report /dev/full
check status_is 2 "$carom" impact "$scenes/corner.yaml" --report

# chosen axes
check status_is 0 "$carom" impact "$scenes/three_balls.yaml" --report "$folder/c.html" --axes u1,u3
check holds c.html 'along u3'
check status_is 0 "$carom" impact "$scenes/rigid_body.yaml" --report "$folder/d.html" --axes "x,z',wx"
check status_is 2 "$carom" impact "$scenes/three_balls.yaml" --report "$folder/e.html" --axes u1,nope
check says "nope"
check status_is 2 "$carom" impact "$scenes/three_balls.yaml" --report "$folder/e.html" --axes u1
check status_is 2 "$carom" impact "$scenes/three_balls.yaml" --report "$folder/e.html" --axes u1,u1
check [ ! -e "$folder/e.html" ]

# motions
check status_is 0 "$carom" run "$scenes/bouncing_ball.yaml" --json --report "$folder/r.html"
cp "$folder/out" "$folder/with"
check status_is 0 "$carom" run "$scenes/bouncing_ball.yaml" --json
check cmp "$folder/out" "$folder/with"
check status_is 0 "$carom" run "$scenes/bouncing_ball.yaml" --report "$folder/s.html" -o "$folder/t.csv"
for part in 'id="energy"' 'id="motion"' 'id="gaps"' 'id="impacts"' 'Accumulations' '8.57894917'; do
    check holds r.html "$part"
done
check holds s.html 't.csv'
check status_is 2 "$carom" run "$scenes/bouncing_ball.yaml" --report "$folder/r.html"
check status_is 2 "$carom" run "$scenes/bouncing_ball.yaml" --report "$folder/x" -o "$folder/x"
check status_is 3 "$carom" run "$scenes/bouncing_ball.yaml" --report "$folder/no/such/r.html"
check status_is 0 "$carom" run "$scenes/rocking_block.yaml" --report "$folder/q.html"
# a contact that gives energy, in a system without events
cat >"$folder/table.yaml" <<'END'
carom: 1
parameters: {A: 0.02, w: 30}
system: {coordinates: [y], kinetic: y'^2/2, potential: 9.81*y, contacts: {table: {gap: y - A*sin(w*t), restitution: 0.6}}}
initial: {y: 0.1}
run: {until: 1}
END
check status_is 0 "$carom" run "$folder/table.yaml" --report "$folder/table.html"
check lacks q.html '<script'

# what events of the system put in is an entry of the ledger wherever it stands
cat >"$folder/kick.yaml" <<'YAML'
carom: 1
system: {coordinates: [x], kinetic: x'^2/2, events: {kick: {at: t - 1, set: {x': 3*x'}}}}
initial: {x': 1}
run: {until: 2, output: 0.5}
YAML
check status_is 0 "$carom" run "$folder/kick.yaml" --report "$folder/k.html" -o "$folder/k.csv"
check holds k.html 'events of the system</th><td class="n">4<'
check holds k.html 'work of events'
check lacks r.html 'events of the system'
check holds k.csv 'energy:events'
check status_is 0 "$carom" plot "$folder/kick.yaml" --what energy -o "$folder/k.svg"
check holds k.svg 'added by events'
check status_is 0 "$carom" sweep "$folder/kick.yaml" --vary "initial.x'=1,2"
check holds out 'max_penetration,energy_events$'
check holds out '^1,ok,.*,0,4$'
check holds out '^2,ok,.*,0,16$'

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
