#!/bin/sh
# carom follow through every kind of event, against closed forms.
# $1 = program, $2 = source folder
set -u
carom=$1 failed=0 count=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

# the events of a branch: "kind parameter" lines, from the table
events() {
    "$carom" follow "$@" 2>"$folder/messages" | awk -F, '
        NR == 1 {for (i = 1; i <= NF; i++) if ($i == "event") at = i}
        NR > 1 && $at != "" {print $at, $1}'
}

# near KIND VALUE TOLERANCE: the list on stdin has this event there, within a part of max(1, |VALUE|)
near() {
    awk -v kind="$1" -v at="$2" -v tolerance="$3" '
        $1 == kind {d = $2 - at; size = at < 0 ? -at : at; if (size < 1) size = 1
                    if (d < 0) d = -d; if (d <= tolerance * size) found = 1}
        END {exit !found}'
}

# A ball on a table, one impact a period: cos(phase) = pi (1 - e)/(Gamma (1 + e)), a fold at
# Gamma = pi (1 - e)/(1 + e); the branch comes back as the unstable one.
cat >"$folder/table.yaml" <<'END'
carom: 1
parameters: {Gamma: 1.2, e: 0.5}
system:
  coordinates: [y]
  kinetic: y'^2/2
  potential: y
  contacts: {table: {gap: y - Gamma*sin(t), restitution: e}}
initial: {t: 0.5, y: Gamma*sin(t) + 0.01, y': 3}
law: newton
period: 2*pi
section: {at: table, keep: [y', t]}
run: {until: 200}
END
events "$folder/table.yaml" --vary Gamma=1.2:1.0 >"$folder/list"
check near fold 1.0471975511965976 1e-12 <"$folder/list"
check near end 1.2 0 <"$folder/list"
check grep -q 'back at its start' "$folder/messages"

# a branch on which the state grows tenfold has steps that grow with it
events "$2/scenes/shaw_holmes.yaml" --vary w=2.8:1.2 >"$folder/list"
check near period-doubling 1.2606766415489 1e-11 <"$folder/list"
check near period-doubling 2.6533477278553 1e-11 <"$folder/list"
check near end 1.2 0 <"$folder/list"

# the motion that has doubled its period doubles again: a public number
events "$folder/table.yaml" --vary Gamma=1.64:1.68 --periods 2 --skip 200 >"$folder/list"
check near period-doubling 1.667130660770 1e-11 <"$folder/list"

# The delayed logistic map, as an event: a pair of multipliers exp(+-i pi/3) at r = 2.
cat >"$folder/map.yaml" <<'END'
carom: 1
parameters: {r: 1.9}
system:
  coordinates: [a, b, c]
  kinetic: a'^2/2 + b'^2/2 + c'^2/2
  events:
    tick: {at: c - 1, direction: up, set: {a: r*a*(1 - b), b: a, c: 0, a': 0, b': 0, c': 1}}
initial: {a: 0.5, b: 0.45, c: 0, c': 1}
section: {at: tick}
run: {until: 200}
END
events "$folder/map.yaml" --vary r=1.9:2.1 >"$folder/list"
check near neimark-sacker 2 1e-12 <"$folder/list"
events "$folder/map.yaml" --vary r=2.1:1.9 --set initial.a=0.52 --set initial.b=0.52 >"$folder/list"
check near neimark-sacker 2 1e-12 <"$folder/list"

# A driven oscillator with dry friction moves without stops up to Den Hartog's limit,
# F^2 = V^2/(U^2 + 1/w^4), V = 1/(1 - w^2), U = sin(pi/w)/(w (1 + cos(pi/w))).
cat >"$folder/friction.yaml" <<'END'
carom: 1
parameters: {F: 0.7, w: 0.7}
system:
  coordinates: [x, y]
  kinetic: x'^2/2 + y'^2/2
  potential: x^2/2 + y
  forces: {x: cos(w*t)}
  contacts: {floor: {gap: y, slip: x', friction: F, restitution: 0}}
initial: {x: 1.2}
law: coulomb
period: 2*pi/w
run: {until: 200}
END
events "$folder/friction.yaml" --vary F=0.7:0.74 --skip 20 >"$folder/list"
check near mode 0.722070975922104 1e-10 <"$folder/list"
check grep -q 'one more change of contact floor to stick' "$folder/messages"
events "$folder/friction.yaml" --vary F=0.74:0.7 --skip 20 >"$folder/list"
check near mode 0.722070975922104 1e-10 <"$folder/list"
check grep -q 'no change of contact floor to stick' "$folder/messages"

# Two balls that know nothing of each other, tables s out of phase: at s = 0 their impacts coincide.
# On a section at one of them that is the end, on one at times it is passed.
cat >"$folder/two.yaml" <<'END'
carom: 1
parameters: {s: 0.2}
system:
  coordinates: [y, z]
  kinetic: y'^2/2 + z'^2/2
  potential: y + z
  contacts:
    a: {gap: y - 1.2*sin(t), restitution: 0.5}
    b: {gap: z - 1.2*sin(t - s), restitution: 0.5}
initial: {t: 0.55, y: 1.2*sin(t) + 0.05, y': 3, z: 1.2*sin(t - s) + 0.5, z': -2.8}
law: newton
period: 2*pi
run: {until: 200}
END
events "$folder/two.yaml" --vary s=0.2:-0.2 >"$folder/list"
check near coincidence 0 1e-10 <"$folder/list"
check near end -0.2 0 <"$folder/list"
check grep -q 'impact of contact a and impact of contact b change their order' "$folder/messages"
sed 's/^period/section: {at: a}\nperiod/' "$folder/two.yaml" >"$folder/section.yaml"
events "$folder/section.yaml" --vary s=0.2:-0.2 >"$folder/list"
check near coincidence 0 1e-10 <"$folder/list"
check near end 0 1e-10 <"$folder/list"
check grep -q 'impact of contact b and the section come to happen at once' "$folder/messages"

# An oscillator at a stop: the motion without impacts grazes the stop at its amplitude
# F/sqrt((1 - w^2)^2 + (2 z w)^2), and that with one impact ends there as well.
oscillator=$2/scenes/impact_oscillator.yaml
grazing=2.5383654128340476
events "$oscillator" --vary stop=2.7:2.4 >"$folder/list"
check near grazing $grazing 1e-11 <"$folder/list"
# the last points have impacts of eps^(1/4) of the speed: their instants are known to rounding over that, and a
# parabola from there errs by its third power, both some 1e-12
events "$oscillator" --vary stop=2.5:2.7 --skip 300 >"$folder/list"
check near grazing $grazing 1e-10 <"$folder/list"
check grep -q 'an impact of contact stop loses its velocity' "$folder/messages"
expect 2 'whole number' "$carom" orbit "$oscillator" --skip 0.5

# A block on a belt, held by a spring and a damper, sticks and slips until its slip no longer comes back to the belt's
# velocity: x' = V where x'' = 0, on the damped oscillation from the end of stick. Beyond that it comes to rest. The section
# has no velocity; slips below 1e-9 of it are taken as zero.
cat >"$folder/belt.yaml" <<'END'
carom: 1
parameters: {V: 0.3, mus: 0.5, mud: 0.3, k: 10, c: 0.1, g: 9.81}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: g*y + k*x^2/2
  forces: {x: -c*x'}
  contacts: {b: {gap: y, slip: x' - V, friction_static: mus, friction_dynamic: mud}}
initial: {x: 0.1, x': V}
law: coulomb
section: {at: x', direction: down}
run: {until: 20}
END
for case in c=0.1:1,0.95422964715518 mud=0.3:0.5,0.45487269890868 V=0.3:3,1.32957208937844; do
    events "$folder/belt.yaml" --vary "${case%,*}" >"$folder/list"
    check near mode "${case#*,}" 1e-8 <"$folder/list"
    check near end "${case#*,}" 1e-8 <"$folder/list"
    check grep -q 'beyond it there is no change of contact b to stick' "$folder/messages"
done

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
