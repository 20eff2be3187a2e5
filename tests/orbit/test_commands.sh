#!/bin/sh
# carom gradient, orbit, follow, lyapunov and basins, as a user meets them.
# $1 = program, $2 = source folder
set -u
carom=$1 failed=0 count=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

scenes=$2/scenes
expect 0 '"gradient": \[ *\[-0.56631555102[0-9]*, 0.77992977687[0-9]*\] *\].*"exists": true' \
    "$carom" gradient "$scenes/disc_on_plane.yaml" --of x --wrt mu --wrt v --json
expect 0 '4.28947458936.* 90.304728197' \
    "$carom" gradient "$scenes/bouncing_ball.yaml" --of t --wrt q0 --wrt e --at-accumulation
expect 0 'd/dq0.*0.2257618' "$carom" gradient "$scenes/bouncing_ball.yaml" --of t --wrt q0 --at-impact 1
expect 0 '"gradient": null, *"exists": false, *"reason": ".*right and left close at one instant' \
    "$carom" gradient "$scenes/rocking_block.yaml" --of th --wrt initial.th --json
# an end that is given does not move with the scene's formula of it
cat >"$folder/end.yaml" <<'END'
carom: 1
parameters: {T: 0.7}
system: {coordinates: [x], kinetic: "x'^2/2", potential: 2*x}
initial: {x': 1}
run: {until: 2*T}
END
expect 0 '"gradient": \[ *\[2\], *\[-3.\(6\|59999\)[0-9]*\] *\]' "$carom" gradient "$folder/end.yaml" --of t --of x --wrt T --json
expect 0 '"gradient": \[ *\[0\], *\[0\] *\]' \
    "$carom" gradient "$folder/end.yaml" --of t --of x --wrt T --until 5 --json
# closed without a force at the start: a neighbour leaves, or bounces; along the contact it does not matter
cat >"$folder/beside.yaml" <<'END'
carom: 1
parameters: {a: 0, v: 0.3}
system: {coordinates: [x, y], kinetic: "x'^2/2+y'^2/2", contacts: {k: {gap: x, restitution: 0.5}}}
initial: {x': a, y': v}
run: {until: 1}
END
expect 0 'k is closed without a force.*of x: -0.5 from the left, 1 from the right' \
    "$carom" gradient "$folder/beside.yaml" --of x --wrt a
expect 0 '"gradient": \[ *\[1\] *\], *"exists": true' "$carom" gradient "$folder/beside.yaml" --of y --wrt v --json
# friction that begins: x = v t - mu g t^2/2 with mu >= 0
cat >"$folder/rough.yaml" <<'END'
carom: 1
parameters: {v: 1, mu: 0}
system: {coordinates: [x, y], kinetic: "x'^2/2+y'^2/2", potential: 2*y, contacts: {f: {gap: y, slip: "x'", friction: mu}}}
initial: {x': v}
law: coulomb
run: {until: 0.3}
END
expect 0 'friction of zero.*of x: none from the left, -0.0\(9\|8999999\)[0-9]* from the right' \
    "$carom" gradient "$folder/rough.yaml" --of x --wrt mu
expect 0 '"gradient": \[ *\[0.3\] *\], *"exists": true' "$carom" gradient "$folder/rough.yaml" --of x --wrt v --json
# conditions that are zero where they decide: an event at the start, `when` and `if` at their instant, an impact at the end
cat >"$folder/edge.yaml" <<'END'
carom: 1
parameters: {a: 0, v: 1}
system: {coordinates: [x], kinetic: "x'^2/2", events: {k: {at: x, direction: up, set: {"x'": "0.5*x'"}}}}
initial: {x: a, x': v}
run: {until: 1}
END
expect 0 'event k is zero at the start.*of x: none from the left, 1 from the right' \
    "$carom" gradient "$folder/edge.yaml" --of x --wrt a
expect 0 '"gradient": \[ *\[1\] *\], *"exists": true' "$carom" gradient "$folder/edge.yaml" --of x --wrt v --json
sed 's/at: x, direction: up/at: x - 0.5, if: a/' "$folder/edge.yaml" >"$folder/if.yaml"
expect 0 'event k comes at t = 0.5 where its `if` is zero' "$carom" gradient "$folder/if.yaml" --of x --wrt a
sed 's/events: .*/contacts: {k: {gap: 1 - x, restitution: 0.5, when: a - x + 1}}}/' "$folder/edge.yaml" >"$folder/when.yaml"
expect 0 'k closes at t = 1 where its `when` is zero.*of x: 1 from the left, none from the right' \
    "$carom" gradient "$folder/when.yaml" --of x --wrt a --until 1.5
sed 's/events: .*/contacts: {k: {gap: 1 - x, restitution: 0.5}}}/' "$folder/edge.yaml" >"$folder/last.yaml"
expect 0 'k closes at the end of the run, t = 1.*of x: 1 from the left, -0.5 from the right' \
    "$carom" gradient "$folder/last.yaml" --of x --wrt v
# forces that jump at an instant that moves: x' = min(t, s); a corner; and where there is no derivative
cat >"$folder/jump.yaml" <<'END'
carom: 1
parameters: {s: 0.5, v: 0}
system: {coordinates: [x], kinetic: "x'^2/2", forces: {x: "if(t < s, 1, 0)"}}
initial: {x': v}
run: {until: 1}
END
expect 0 '"gradient": \[ *\[0.\(5\|49999\)[0-9]*\], *\[1\] *\], *"exists": true, *"reason": null' \
    "$carom" gradient "$folder/jump.yaml" --of x --of "x'" --wrt s --json
sed 's/if(t < s, 1, 0)/if(t < s, 0, t - s)/' "$folder/jump.yaml" >"$folder/corner.yaml"
expect 0 '"gradient": \[ *\[-0.12\(5\|4999\)[0-9]*\] *\], *"exists": true, *"reason": null' \
    "$carom" gradient "$folder/corner.yaml" --of x --wrt s --set v=0.3 --json
expect 0 'switches .* at t = 0 where its condition is zero just then.*of x: 0 from the left, 1 from the right' \
    "$carom" gradient "$folder/jump.yaml" --of x --wrt s --set s=0
expect 0 'at t = 1 where its condition is zero just then.*: 1 from the left, 0 from the right' \
    "$carom" gradient "$folder/jump.yaml" --of "x'" --wrt s --set s=1
sed 's/if(t < s, 1, 0)/-2*max(0, x)/' "$folder/jump.yaml" >"$folder/spring.yaml"
expect 0 'zero for a while.*of x: 1 from the left, 0.698[0-9]* from the right' \
    "$carom" gradient "$folder/spring.yaml" --of x --wrt v
sed "s/if(t < s, 1, 0)/-2*abs(x')*x'/" "$folder/jump.yaml" >"$folder/drag.yaml"
expect 0 '"gradient": \[ *\[1\] *\], *"exists": true' "$carom" gradient "$folder/drag.yaml" --of x --wrt v --json
# a kink: a jump on one side
cat >"$folder/kink.yaml" <<'END'
carom: 1
parameters: {p: 0}
system:
  coordinates: [x, y]
  kinetic: x'^2/2 + y'^2/2
  contacts: {a: {gap: 1 - x, restitution: 0.5}, b: {gap: 1 + p - x - y/3, restitution: 0.2}}
initial: {x': 1}
law: newton
run: {until: 2}
END
expect 0 'a and b close at one instant.*of x: none from the left, 0 from the right' \
    "$carom" gradient "$folder/kink.yaml" --of x --wrt p
expect 0 '"one_sided": {.*"left": \[ *\[null\].*"right": \[ *\[0\]' "$carom" gradient "$folder/kink.yaml" --of x --wrt p --json
sed 's/1 + p - x - y\/3/1 + p - y/; s/: 1}$/: 1, y'"'"': 1}/' "$folder/kink.yaml" >"$folder/apart.yaml"
expect 0 '"gradient": \[ *\[1.2\] *\], *"exists": true, *"reason": "contacts a and b' \
    "$carom" gradient "$folder/apart.yaml" --of y --wrt p --json
# With a restitution of 1 neighbours hop for ever, the nearer the oftener: they are not followed through millions of
# bounces. With 0.99 they end, and the floor has given g t - w: x' = v - mu (g t - w).
cat >"$folder/crowd.yaml" <<'END'
carom: 1
parameters: {w: 0, e: 1}
system: {coordinates: [x, y], kinetic: "(x'^2 + y'^2)/2", potential: 10*y, events: {k: {at: t - 0.1, set: {"y'": w}}},
         contacts: {f: {gap: y, slip: "x'", friction: 0.3, restitution: e}}}
initial: {"x'": 2}
law: coulomb
run: {until: 0.5}
END
expect 0 'hop: with a restitution of 1 they do so for ever.*none from the left, none from the right.*more than 10010 events' \
    "$carom" gradient "$folder/crowd.yaml" --of "x'" --wrt w
expect 0 '"one_sided": {.*"right": \[ *\[null\] *\], *"event_limit": 10010' \
    "$carom" gradient "$folder/crowd.yaml" --of "x'" --wrt w --json
expect 0 '"gradient": \[ *\[0.3\] *\], *"exists": true' \
    "$carom" gradient "$folder/crowd.yaml" --of "x'" --wrt w --set e=0.99 --json
# Friction at a slip of zero acts against the slip of the neighbour.
cat >"$folder/slip.yaml" <<'END'
carom: 1
parameters: {F: 3, v: 0, mus: 0.25}
system: {coordinates: [x, y], kinetic: "x'^2/2 + y'^2/2", potential: "4*y", forces: {x: F},
         contacts: {f: {gap: y, slip: "x'", friction_static: mus, friction_dynamic: 0.25}}}
initial: {"x'": v}
run: {until: 1}
END
expect 0 "slides from a slip of zero.*d/dv of x': 0.5 from the left, 1 from the right" \
    "$carom" gradient "$folder/slip.yaml" --of "x'" --wrt v
expect 0 'sticks at t = 0 with no less than its dynamic friction.*0 from the left, none from the right' \
    "$carom" gradient "$folder/slip.yaml" --of "x'" --wrt v --set F=1.5 --set mus=0.5
expect 0 '"gradient": \[ *\[0\] *\], *"exists": true' \
    "$carom" gradient "$folder/slip.yaml" --of "x'" --wrt v --set F=0.5 --set mus=0.5 --json

# A corner under a closed contact is an impact: y = t - c from then on. Derivatives are told from either side. At a joint, which
# has no law for that, the motion ends before it.
cat >"$folder/bend.yaml" <<'END'
carom: 1
parameters: {c: 1}
system: {coordinates: [y], kinetic: "y'^2/2", potential: y, contacts: {f: {gap: "y - abs(t - c)", restitution: 0}}}
initial: {y: c, "y'": -1}
run: {until: 2.5}
END
expect 0 "y  1.5  y'  1.*1 impact" "$carom" run "$folder/bend.yaml"
expect 0 'has a corner at t = 1.*-1 from the left, -1 from the right' "$carom" gradient "$folder/bend.yaml" --of y --wrt c
sed 's/contacts: {f: {gap: \(.*\), restitution: 0}}/bilateral: {f: \1}/' "$folder/bend.yaml" >"$folder/joint.yaml"
expect 1 'has a corner.*the velocity would have to jump by 2' "$carom" run "$folder/joint.yaml"

# A condition that is touched at the start; a jump at the end that ends sticking.
cat >"$folder/touch.yaml" <<'END'
carom: 1
parameters: {c: 0}
system: {coordinates: [x], kinetic: "x'^2/2", forces: {x: "1 + if(x > c, x', 0)"}}
run: {until: 1}
END
expect 0 'condition is zero just then.*d/dc of x.: 0 from the left' "$carom" gradient "$folder/touch.yaml" --of "x'" --wrt c
cat >"$folder/pull.yaml" <<'END'
carom: 1
parameters: {c: 0.5}
system: {coordinates: [x, y], kinetic: "x'^2/2 + y'^2/2", potential: "4*y", forces: {x: "4*if(t > c, 1, 0)"},
         contacts: {f: {gap: y, slip: "x' - t", friction: 0.5}}}
run: {until: 0.5}
END
expect 0 "d/dc of x': -1 from the left, 0 from the right" "$carom" gradient "$folder/pull.yaml" --of "x'" --wrt c

# Impacts that accumulate at the end of the run; a contact that its condition has let pass.
cat >"$folder/limit.yaml" <<'END'
carom: 1
parameters: {h: 1}
system: {coordinates: [y], kinetic: "y'^2/2", potential: "8*y", contacts: {f: {gap: y, restitution: 0.5}}}
initial: {y: h}
run: {until: 1.5}
END
expect 0 'impacts accumulate at the end of the run, t = 1.5' "$carom" gradient "$folder/limit.yaml" --of "y'" --wrt h
cat >"$folder/passed.yaml" <<'END'
carom: 1
system: {coordinates: [y], kinetic: "y'^2/2", potential: y, contacts: {f: {gap: y, when: "t - 1.7"}}}
initial: {y: 1}
run: {until: 2}
END
expect 0 '"gradient": \[ *\[1\] *\], *"exists": true, *"reason": null' \
    "$carom" gradient "$folder/passed.yaml" --of y --wrt initial.y --json

# A function that is zero and falls at the start, in terms that do not cancel exactly, does not come up.
cat >"$folder/falls.yaml" <<'END'
carom: 1
system: {coordinates: [x, y], kinetic: "x'^2/2 + y'^2/4", potential: "2.75*x^2/2 + 2.25*y", forces: {x: -0.5, y: "0.75*sign(sin(3*t))"},
         events: {k: {at: "x*y + 0.25", direction: up, set: {"x'": 0.5}}}}
initial: {x: -0.5, y: 0.5, "y'": 0.25}
run: {until: 0.05, tolerance: 1e-13}
END
expect 0 '"position": \[-0.4989068764.*"instant_count": 0' "$carom" run "$folder/falls.yaml" --json

expect 2 "q9. is no parameter of the scene" "$carom" gradient "$scenes/bouncing_ball.yaml" --of q --wrt q9
expect 2 'says\?' "$carom" gradient "$scenes/bouncing_ball.yaml" --of q
expect 2 'of nothing' "$carom" gradient "$scenes/bouncing_ball.yaml" --of nothing --wrt e
expect 2 'at-impact' "$carom" gradient "$scenes/bouncing_ball.yaml" --of q --wrt e --at-impact 1.5
expect 1 '0 impacts' "$carom" gradient "$scenes/bouncing_ball.yaml" --of q --wrt e --at-impact 3 --until 0.1

# periodic motions: open numbers of walkers
expect 0 '"position": \[0.20031090054[0-9]*, .*"velocity": \[-0.1998324730.*"period": 3.88246375285.*\[-0.190099841[0-9]*, 0.5575987766' \
    "$carom" orbit "$scenes/simplest_walker.yaml" --json
expect 0 'stable periodic motion, period 0.734346391159.*-0.1997261[0-9]* + 0.54447606[0-9]*i.*0.131572624' \
    "$carom" orbit "$scenes/compass_walker.yaml"
# the motion over its period is a trace like any other
expect 0 'stable periodic' "$carom" orbit "$scenes/simplest_walker.yaml" -o "$folder/walker.h5"
expect 2 'walker.h5' "$carom" orbit "$scenes/simplest_walker.yaml" -o "$folder/walker.h5"
expect 0 '' "$carom" plot "$folder/walker.h5" --x th --y "th'" -o "$folder/walker.svg"
check grep -q '<svg' "$folder/walker.svg"
expect 2 'must end in' "$carom" orbit "$scenes/simplest_walker.yaml" -o "$folder/walker.txt"
"$carom" orbit "$scenes/compass_walker.yaml" -o "$folder/compass.csv" >"$folder/list"
check awk -F, '$2 == "row" { if (!n++) first = $1; last = $1 } END { exit !(n > 400 && last - first > 0.7343 && last - first < 0.7344) }' \
    "$folder/compass.csv"
expect 2 'neither .section. nor .period' "$carom" orbit "$scenes/bouncing_ball.yaml"
expect 2 'whole number' "$carom" orbit "$scenes/simplest_walker.yaml" --periods 0.5
expect 1 'section never happens' "$carom" orbit "$scenes/simplest_walker.yaml" --set initial.th=0.05

# a formula that has no value has no derivative; scenes of bodies have none in any command
expect 0 'q/0 is not a finite number at t = 10' "$carom" gradient "$scenes/bouncing_ball.yaml" --of q/0 --wrt e
cat >"$folder/bodies.yaml" <<'END'
carom: 1
parameters: {v: 1}
world: {gravity: [0, 0, -9.81]}
bodies:
  floor: {fixed: true, shape: {plane: [0, 0, 1]}}
  ball: {shape: {sphere: 0.1}, at: [0, 0, 0.5], velocity: [1, 0, 0]}
section: {at: ball.z, direction: down}
run: {until: 1}
END
expect 2 'bodies.yaml:1:1: scenes of bodies have no derivatives' "$carom" gradient "$folder/bodies.yaml" --of ball.x --wrt v
expect 2 'bodies.yaml:1:1: scenes of bodies have no derivatives' "$carom" orbit "$folder/bodies.yaml"
expect 2 'bodies.yaml:1:1: scenes of bodies have no derivatives' "$carom" follow "$folder/bodies.yaml" --vary v=1:2
expect 2 'bodies.yaml:1:1: scenes of bodies have no derivatives' "$carom" lyapunov "$folder/bodies.yaml"

# a branch with its doubling, and the same from the other end
expect 0 'period-doubling at slope = 0.015088437941.*end at slope = 0.016' \
    "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014:0.016 -o "$folder/branch.csv"
expect 0 'period-doubling at slope = 0.015088437941' \
    "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.0153:0.0148 \
    --set initial.th=0.2382 --set "initial.th'=-0.2328"
check [ "$(grep -c period-doubling "$folder/branch.csv")" = 1 ]
head -n 5 "$folder/branch.csv" >"$folder/cut.csv"
printf '0.0145,3.9' >>"$folder/cut.csv"
expect 0 'period-doubling at slope = 0.015088437941' \
    "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014:0.016 -o "$folder/cut.csv" --resume
check [ "$(tail -n 1 "$folder/cut.csv" | cut -d, -f1,9)" = "$(tail -n 1 "$folder/branch.csv" | cut -d, -f1,9)" ]
# a branch that has come to its end keeps its rows
cp "$folder/branch.csv" "$folder/whole.csv"
expect 0 'end at slope = 0.016' \
    "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014:0.016 -o "$folder/whole.csv" --resume
check cmp "$folder/branch.csv" "$folder/whole.csv"
expect 0 '' "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014:0.016 --plot th -o "$folder/branch.svg"
check grep -q 'period-doubling' "$folder/branch.svg"
# the motion of a row, as a trace
expect 0 '' "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014:0.016 -o "$folder/third.h5" --point 3
expect 0 '' "$carom" plot "$folder/third.h5" --what phase -o "$folder/third.svg"
check grep -q "<polyline\|<path" "$folder/third.svg"
expect 2 'the branch has [0-9]* rows' "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014:0.0145 \
    -o "$folder/none.h5" --point 999
expect 2 'chooses the motion of a trace' "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014:0.016 --point 3
expect 2 "no parameter 'slop'; did you mean 'slope'" \
    "$carom" follow "$scenes/simplest_walker.yaml" --vary slop=0.014:0.016
expect 2 'NAME=FROM:TO' "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.014
expect 2 'two different numbers' "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.01:0.01
expect 2 'needs the picture' "$carom" follow "$scenes/simplest_walker.yaml" --vary slope=0.01:0.02 --plot th

# events of one's own that accumulate: the motion behind their limit is that of rounding
cat >"$folder/bounces.yaml" <<'END'
carom: 1
parameters: {e: 0.5}
system: {coordinates: [y], kinetic: y'^2/2, potential: 2*y, events: {b: {at: y, direction: down, set: {y': -e*y'}}}}
initial: {y: 1}
run: {until: 4}
END
expect 0 'event b comes again at t = 2.99999.* after an excursion below rounding' \
    "$carom" gradient "$folder/bounces.yaml" --of y --wrt e
expect 0 'through 3 events' "$carom" gradient "$folder/bounces.yaml" --of y --wrt e --until 2.6

# formulas at their kink have a derivative from each side: of the start, of what an event sets, of what is asked for
cat >"$folder/kinks.yaml" <<'END'
carom: 1
parameters: {p: 0.5, r: 0.25, c: 1}
system: {coordinates: [x], kinetic: x'^2/2, events: {k: {at: x - 1, direction: up, set: {x': abs(x' - 1) + 2*c}}}}
initial: {x: abs(p - 0.5) + r, x': c}
run: {until: 2}
END
expect 0 'numbers .* has a kink.* at their values.*d/dp of x: -2 from the left, 2 from the right' \
    "$carom" gradient "$folder/kinks.yaml" --of x --wrt p
expect 0 'event k sets has a kink .*t = 0.75.*d/dc of x: 2.75 from the left, 5.25 from the right' \
    "$carom" gradient "$folder/kinks.yaml" --of x --wrt c
expect 0 'max(x, 3.5) has a kink .*t = 2 .*d/dr of max(x, 3.5): 0 from the left, 2 from the right' \
    "$carom" gradient "$folder/kinks.yaml" --of 'max(x, 3.5)' --wrt r
expect 0 'd/dc of if(c > 1, c, 2 - c): -1 from the left, 1 from the right' \
    "$carom" gradient "$folder/kinks.yaml" --of 'if(c > 1, c, 2 - c)' --wrt c --until 0.5
expect 0 'd/dc of sign(c - 1): none from the left' \
    "$carom" gradient "$folder/kinks.yaml" --of 'sign(c - 1)' --wrt c --until 0.5
# the same where the direction does not cross it, or both sides are one
expect 0 '"gradient": \[ *\[2\] *\], *"exists": true' \
    "$carom" gradient "$folder/kinks.yaml" --of 'x + abs(c - 1)' --wrt r --json
expect 0 '"gradient": \[ *\[0\] *\], *"exists": true' \
    "$carom" gradient "$folder/kinks.yaml" --of 'abs(c - 1)*(c - 1)' --wrt c --until 0.5 --json

# the function of an event at its kink: whoever is first, x or y; both together have a derivative
cat >"$folder/first.yaml" <<'END'
carom: 1
parameters: {a: 0, c: 0}
system: {coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, events: {k: {at: "max(x, y) - 1", direction: up, set: {x': 3}}}}
initial: {x: a + c, y: c, x': 1, y': 1}
run: {until: 2}
END
expect 0 'function of event k has a kink .*t = 1,.*d/da of x: 1 from the left, 3 from the right' \
    "$carom" gradient "$folder/first.yaml" --of x --wrt a
expect 0 '"gradient": \[ *\[3\] *\], *"exists": true' "$carom" gradient "$folder/first.yaml" --of x --wrt c --json

# neighbours that start off a joint; a start that follows the joint; a start velocity, which the motion puts on it
cat >"$folder/rod.yaml" <<'END'
carom: 1
parameters: {L: 1, x0: 1, v: 0}
system: {coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, potential: 9.81*y, bilateral: {rod: x^2 + y^2 - L^2}}
initial: {x: x0, x': v}
run: {until: 0.5}
END
expect 0 'no derivative exists: neighbours start off joint rod' "$carom" gradient "$folder/rod.yaml" --of x --wrt L
expect 0 'no derivative exists: neighbours start off joint rod' "$carom" gradient "$folder/rod.yaml" --of x --wrt x0
expect 0 '"exists": true' "$carom" gradient "$folder/rod.yaml" --of x --wrt v --json
sed 's/x0: 1/x0: L/' "$folder/rod.yaml" >"$folder/rods.yaml"
expect 0 '"exists": true' "$carom" gradient "$folder/rods.yaml" --of x --wrt L --json

# a slip that ends at the end of the run
cat >"$folder/stops.yaml" <<'END'
carom: 1
parameters: {v: 1}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: 10*y
  contacts: {floor: {gap: y, slip: x', friction: 0.2}}
initial: {x': v}
run: {until: 0.5}
END
expect 0 "slip of contact floor ends at the end of the run, t = 0.5.*d/dv of x': 0 from the left, 1 from the right" \
    "$carom" gradient "$folder/stops.yaml" --of "x'" --wrt v
expect 0 '"gradient": \[ *\[1\] *\], *"exists": true' \
    "$carom" gradient "$folder/stops.yaml" --of "x'" --wrt v --until 0.499 --json

# a quantity that is constant on the branch up to rounding has a picture with an axis of its own size
cat >"$folder/table.yaml" <<'END'
carom: 1
parameters: {Gamma: 1.2}
system:
  coordinates: [y]
  kinetic: y'^2/2
  potential: y
  contacts: {table: {gap: y - Gamma*sin(t), restitution: 0.5}}
initial: {t: 0.5, y: Gamma*sin(t) + 0.01, y': 3}
law: newton
period: 2*pi
section: {at: table, keep: [y', t]}
run: {until: 200}
END
expect 0 '' "$carom" follow "$folder/table.yaml" --vary Gamma=1.2:1.3 --plot "y'" -o "$folder/constant.svg"
check grep -q '<svg' "$folder/constant.svg"

# the parameter in what is drawn is that of each point
expect 0 '' "$carom" follow "$folder/table.yaml" --vary Gamma=1.2:1.3 --plot Gamma -o "$folder/same.svg"
check [ "$(grep -o '>1\.2[0-9]*<' "$folder/same.svg" | sort | uniq -d | wc -l)" -ge 3 ]
expect 2 "unknown name 'z'" "$carom" follow "$folder/table.yaml" --vary Gamma=1.2:1.3 --plot z -o "$folder/z.svg"

# a driven oscillator: the exponents add up to the mean divergence and ln e at impacts
expect 0 '"section": {.*"points"' "$carom" lyapunov "$scenes/simplest_walker.yaml" --until 60 --json
# legs that are below the ground when they pass each other: one run, started once; on its gait the exponents are
# the logarithms of the multipliers 0.57995 (twice) and 0.13157 over the period 0.73435
"$carom" lyapunov "$scenes/compass_walker.yaml" --until 40 --skip 5 >"$folder/lyapunov"
check awk 'function off(x, y) { return x - y > 0.05 || y - x > 0.05 } { x[NR] = $1 }
    END { exit off(x[4] + x[5], -1.4837) || off(x[6], -2.7619) || x[7] != "-inf" }' "$folder/lyapunov"
expect 0 'no points: the motion has [0-9]* and --skip leaves out the first 100000' "$carom" sweep "$scenes/shaw_holmes.yaml" \
    --vary w=2.8,2.9 --keep section --skip 100000
expect 2 'restitution is 1.000000001, allowed is 0 to 1' "$carom" run "$scenes/bouncing_ball.yaml" --set e=1.000000001
expect 2 'must leave time' "$carom" lyapunov "$scenes/simplest_walker.yaml" --until 60 --skip 70
expect 0 '"kind": "periodic".*"cells": \[' "$carom" basins "$scenes/simplest_walker.yaml" --vary th=0.18:0.22:3 \
    --vary "th'=-0.21:-0.19:3" --skip 30 --until 40 --json -o "$folder/basins.svg"
check grep -q '<svg' "$folder/basins.svg"
# a ball that comes to rest on its table in each period has a period, however many impacts that takes
expect 0 '"attractors": \[ *{ *"kind": "periodic", *"points": \[ *\[[^]]*\] *\], *"fraction": 1,' \
    "$carom" basins "$scenes/ball_on_table.yaml" --vary y=1.3:6:1 --vary "y'=-3:6:1" --skip 20 --json
expect 2 'two values of .initial. vary' "$carom" basins "$scenes/simplest_walker.yaml" --vary th=0.18:0.22:3
expect 2 'no such coordinate or velocity' "$carom" basins "$scenes/simplest_walker.yaml" --vary thh=0.18:0.22:3 --vary ph=0:1:2
expect 2 'FROM < TO' "$carom" basins "$scenes/simplest_walker.yaml" --vary th=0.18:0.12:3 --vary ph=0:1:2

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
