#!/bin/sh
# The program as a user meets it: exit statuses, messages, nothing on stdout when it refuses.
# $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

# expect STATUS PATTERN-ON-STDERR-OR-STDOUT command...
expect() {
    status=$1 pattern=$2
    shift 2
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
    got=$?
    count=$((count + 1))
    if [ "$got" != "$status" ] || ! cat "$folder/out" "$folder/err" | grep -q -e "$pattern"; then
        echo "FAILED: $* -> $got, expected $status with '$pattern'"
        cat "$folder/out" "$folder/err" | head -n 20
        failed=$((failed + 1))
    fi
    if [ "$status" = 2 ] && [ -s "$folder/out" ]; then
        echo "FAILED: $* refuses but writes to stdout"
        failed=$((failed + 1))
    fi
}

# scene TEXT: a scene file from its text
scene() { printf '%s\n' "$1" >"$folder/scene.yaml"; }

expect 0 'carom [0-9]' "$carom" --version
expect 0 'carom impact' "$carom" help
expect 0 'options:' "$carom" help impact
expect 0 'options:' "$carom" impact --help
expect 2 "did you mean 'impact'" "$carom" impct
expect 2 "no topic" "$carom" help nothing
expect 0 'scene: the keys at the top' "$carom" help scene
expect 0 '\\ddot{q} = h' "$carom" inspect --tex "$scenes/rocking_block.yaml"
expect 0 'g_{\\text{right}} &= y' "$carom" inspect --tex "$scenes/rocking_block.yaml"
expect 2 'needs a system in formulas' "$carom" inspect --tex "$scenes/cradle.yaml"
expect 0 'closes only\|may close only' "$carom" help scene contact
expect 2 "there is no 'nothing'" "$carom" help scene nothing
expect 2 'one topic at a time' "$carom" help run sweep
expect 2 'FILE is missing' "$carom" impact
expect 2 'one argument too many' "$carom" impact a b
expect 2 "did you mean '--json'" "$carom" impact --jsn x
expect 2 'needs a value' "$carom" impact x --law
expect 2 'takes no value' "$carom" impact x --json=1
expect 2 'No such file' "$carom" impact "$folder/nothing.yaml"
expect 2 '' "$carom" impact "$folder"
expect 0 'newton, moreau,  *-0.6  *0.4' "$carom" impact "$scenes/cradle.yaml"
expect 0 '^sequential  *0  *0  *0  *0  *1' "$carom" impact "$scenes/cradle.yaml"
# Variants share a promise, or are named beside their own.
expect 0 '^  path  *a law of one contact' "$carom" impact "$scenes/cradle.yaml"
expect 0 '^  path:stop=stronge  *proved: separates, pushes only, never gains energy' "$carom" impact "$scenes/particle_rough_plane.yaml"
expect 0 '"status": "ok"' "$carom" impact --json "$scenes/cradle.yaml" --law newton
expect 0 '"law": "newton"' "$carom" impact --law=newton "$scenes/cradle.yaml" --json
expect 2 'did you mean .newton' "$carom" impact --law nwton "$scenes/cradle.yaml"
expect 0 'newton, moreau,  *-0.2  *0.3' "$carom" impact "$scenes/cradle.yaml" --set e=0.5
expect 2 'no parameter\|unknown' "$carom" impact "$scenes/cradle.yaml" --set q=0.5
expect 1 'none' "$carom" impact "$scenes/ball_between_walls.yaml" --law newton
expect 1 '"status": "none"' "$carom" impact "$scenes/ball_between_walls.yaml" --law newton --json

scene 'carom: 1
impact: {mass: [1], velocity: [1], contacts: []}'
expect 1 'no contact is closed' "$carom" impact "$folder/scene.yaml"
expect 1 '"outcomes": \[\]' "$carom" impact "$folder/scene.yaml" --json
scene 'carom: 1
impact: {mass: [1, 1], velocity: [1, 0], contacts: [{normal: [-1, 1], restitution: 1.5}]}'
expect 2 'scene.yaml:2:[0-9]*: .*restitution.*1.5' "$carom" impact "$folder/scene.yaml"
expect 0 'warning: .*1.5' "$carom" impact "$folder/scene.yaml" --any-restitution
: >"$folder/scene.yaml"
expect 2 'scene.yaml:1:1: .*empty' "$carom" impact "$folder/scene.yaml"

# every bundled scene is readable and every impact in numbers has an answer
for file in "$scenes"/*.yaml; do
    grep -q '^impact:' "$file" || continue
    expect 0 '"outcomes"' "$carom" impact --json "$file"
done

# stdin, a full disk
"$carom" impact - --json <"$scenes/cradle.yaml" >"$folder/out" || failed=$((failed + 1))
if [ -e /dev/full ]; then
    "$carom" impact "$scenes/cradle.yaml" >/dev/full 2>"$folder/err"
    [ $? = 3 ] || { echo 'FAILED: a full disk must give status 3'; failed=$((failed + 1)); }
fi

# laws with lists: an order that names an open contact too, sets of any number of rows, formulas
cat >"$folder/order.yaml" <<'END'
carom: 1
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  contacts: {a: {gap: x, restitution: 1}, b: {gap: y - x, restitution: 1}, c: {gap: 3 - y, restitution: 1}}
initial: {x': -1, y': -2}
law: {name: sequential, order: [c, b, a]}
run: {until: 10}
END
expect 0 'no closed contact is called c' "$carom" impact "$folder/order.yaml" --law sequential
expect 0 'impacts' "$carom" run "$folder/order.yaml"
expect 2 'no contact is called `d`' "$carom" impact "$folder/order.yaml" --law 'sequential:order=[a,d]'
cat >"$folder/set.yaml" <<'END'
carom: 1
parameters: {h: 0.5}
impact:
  mass: [1, 1]
  velocity: [-1, -1]
  contacts: [{normal: [1, 0], restitution: h}, {normal: [0, 1], restitution: h}]
law: {name: implicit, set: polyhedron, A: [[-1, 0], [0, -1], [-1, -1]], c: [0, 0, -h]}
END
expect 0 '^implicit *0.75 *0.75 ' "$carom" impact "$folder/set.yaml" --law implicit
sed 's,set: .*,set: box\, lower: [h/5\, h]},' "$folder/set.yaml" >"$folder/box.yaml"
expect 0 '^implicit *0.6 *1 ' "$carom" impact "$folder/box.yaml" --law implicit
# laws of contacts go before --law, and say so; --one-law leaves them out
cat >"$folder/own.yaml" <<'END'
carom: 1
impact:
  mass: [1, 1, 1]
  velocity: [1, 0, 0]
  contacts:
    - {name: ab, normal: [-1, 1, 0], restitution: 1, law: newton}
    - {name: bc, normal: [0, -1, 1], restitution: 1, law: poisson}
END
expect 1 'one-law leaves those out' "$carom" impact "$folder/own.yaml" --law moreau
expect 0 'moreau *-0.333333' "$carom" impact "$folder/own.yaml" --law moreau --one-law
sed 's,poisson,inelastic,' "$folder/own.yaml" >"$folder/joined.yaml"
expect 0 'with laws of their own: ab (newton), bc (inelastic)' "$carom" impact "$folder/joined.yaml" --law moreau
expect 0 'newton, moreau,  *-0.333333' "$carom" impact "$scenes/three_balls.yaml"
# walls that move against each other are named
cat >"$folder/walls.yaml" <<'END'
carom: 1
impact:
  mass: [1, 1]
  velocity: [0, -1]
  contacts:
    - {name: floor, normal: [0, 1]}
    - {name: left, normal: [1, 0], motion: 1}
    - {name: right, normal: [-1, 0], motion: 1}
END
expect 2 'walls.yaml:6:5: the motions of contacts left, right are inconsistent' "$carom" impact "$folder/walls.yaml"
printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
