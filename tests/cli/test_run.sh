#!/bin/sh
# carom run as a user meets it: traces that are the same every time, never overwritten, whole after a
# kill. $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

# until_larger FILE BYTES: wait for a program in the background to write that much
until_larger() {
    tries=0
    while [ "$({ wc -c <"$1"; } 2>/dev/null || echo 0)" -lt "$2" ] && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

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
    # nothing there to be written over
    check status_is 3 "$carom" run "$ball" -o /dev/full
    ln -s /dev/full "$folder/full.csv"
    check status_is 3 "$carom" run "$ball" -o "$folder/full.csv"
    check says 'space'
    check status_is 3 "$carom" sweep "$ball" --vary e=0.5,0.6 -o /dev/full
fi
# a file that may not grow further: said, not died of
limited() { (ulimit -f 100 && "$carom" run "$ball" --set e=1 --until 1000 -o "$1"); }
check status_is 3 limited "$folder/limited.h5"
check says 'File too large'
check status_is 3 limited "$folder/limited.csv"
check says 'File too large'
check status_is 2 "$carom" run "$scenes/cradle.yaml"
check says 'system'
sed '/^run:/d' "$ball" >"$folder/no_run.yaml"
check status_is 2 "$carom" run "$folder/no_run.yaml"
sed 's/{q: q0}/{q: -0.1}/' "$ball" >"$folder/inside.yaml"
check status_is 2 "$carom" run "$folder/inside.yaml"
sed "s/potential: m\*g\*q/potential: m*g*q\n  forces: {q: sqrt(2 - t)}/" "$ball" >"$folder/nan.yaml"
check status_is 1 "$carom" run "$folder/nan.yaml" --json
check says '"t":'
check says '"end": "bad-force"'
# an approaching closed contact at t = 0 is an impact at t = 0
sed "s/{q: q0}/{q: 0, q': -1}/" "$ball" >"$folder/at_once.yaml"
check status_is 0 "$carom" run "$folder/at_once.yaml" --json
check says '"t_limit": 1.83486238532'
# a force that grows without bound: the step size gives out, what there is is kept
sed "s/potential: m\*g\*q/potential: m*g*q\n  forces: {q: 1\/(0.3 - t)}/" "$ball" >"$folder/pole.yaml"
check status_is 1 "$carom" run "$folder/pole.yaml" --json -o "$folder/pole.csv"
check says '"end": "\(underflow\|bad-force\)"'
check [ "$(wc -l <"$folder/pole.csv")" -gt 25 ]
# a force that jumps, at the start or after rest, is stepped over: x = 0.5 + 0.7 cos t
cat >"$folder/jump.yaml" <<'END'
carom: 1
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: x^2/2
  forces: {x: -0.5*sign(x'), y: "if(t < 1, 0, sin(t))"}
initial: {x: 1.2}
run: {until: 3}
END
check status_is 0 "$carom" run "$folder/jump.yaml" --json
check says '"position": \[-0.192994747' # and y = (t - 1) cos 1 - sin t + sin 1
check says '"position": \[[^,]*, 1.78095558'
# a force that jumps to and fro, where friction should hold: no run that never ends
sed "s/potential: m\*g\*q/potential: m*q^2\n  forces: {q: -0.5*m*sign(q')}/; s/floor: {gap: q/floor: {gap: q + 9/" "$ball" >"$folder/chatter.yaml"
check status_is 1 timeout 60 "$carom" run "$folder/chatter.yaml" --set "initial.q'=0.1"
check says "ended early at t = [0-9.]*: [0-9]* steps of .* jump to and fro (sign, abs or if in a formula?)"
check status_is 2 "$carom" run "$ball" --until -1
check says '^carom: run: --until -1 is before the start, t = 0$'
# a pair of bodies that has no smooth gap: at `run`, with what can be done
sed 's/method: time-stepping, step: 0.002, //' "$scenes/stack_of_boxes.yaml" >"$folder/smooth.yaml"
check status_is 2 "$carom" run "$folder/smooth.yaml"
check says "smooth.yaml:[0-9][0-9]*:6: body .* the method must be time-stepping (with a step), or the pair"
# no contact force exists: motion cannot go on, unless asked to jam
sed 's/paradox: impact/paradox: stop/' "$scenes/painleve_motion.yaml" >"$folder/stop.yaml"
check status_is 1 "$carom" run "$folder/stop.yaml" --json
check says '"end": "inconsistent"'
check status_is 0 "$carom" run "$scenes/painleve_motion.yaml" --json
check says '"kind": "tangential"'
# time-stepping goes on from penetration, with a warning
sed 's/{q: q0}/{q: -0.1}/; s/run: {/run: {method: time-stepping, step: 0.01, /' "$ball" >"$folder/deep.yaml"
check status_is 0 "$carom" run "$folder/deep.yaml"
check says 'warning'
# boundary layers: refused at the wall, e_N = 1 without damping
layer() { # damping, start
    printf "carom: 1\nsystem: {coordinates: [x], kinetic: \"x'^2/2\", contacts: {wall: {gap: x}}}\ninitial: {x: $2, x': -1}\nrun: {method: boundary-layer, width: 1, transition: 1, damping: $1, until: 4, output: 0.1}\n"
}
layer 0 1.5 >"$folder/layer.yaml"
check status_is 0 "$carom" run "$folder/layer.yaml" --json
check says '"law": "layer"'
check grep -Eq '"velocity": \[(1|1.00000000[0-9]*|0.99999999[0-9]*)\]' "$folder/out"
layer 0 0 >"$folder/layer.yaml"
check status_is 2 "$carom" run "$folder/layer.yaml"
check says 'gap > 0'
# rows at exact multiples of `output`, the first and the last among them
layer 0 1.5 >"$folder/layer.yaml"
for scene in "$ball" "$folder/layer.yaml"; do
    check status_is 0 "$carom" run "$scene" --until 0.95 -o "$folder/rows.csv" --force
    check [ "$(awk -F, '$2 == "row" {print $1; exit}' "$folder/rows.csv")" = 0 ]
    check [ "$(awk -F, '$2 == "row" {t = $1} END {printf "%.15g", t}' "$folder/rows.csv")" = 0.95 ]
    check [ "$(awk -F, '$2 == "row" {x = $1*100; if (x - int(x + 0.5) > 1e-9 || int(x + 0.5) - x > 1e-9) n++} END {print n + 0}' "$folder/rows.csv")" = 0 ]
done

sed 's/until: 10, output: 0.01/until: 1e5, output: 1e-3/; s/e: 0.9/e: 1/' "$ball" >"$folder/long.yaml"
# joints that do not hold at the start are corrected, and it is said
cat >"$folder/joint.yaml" <<'SCENE'
carom: 1
system: {coordinates: [x, y], kinetic: x'^2/2 + y'^2/2, bilateral: {rail: x}}
initial: {x': 1, y': 2}
run: {until: 1}
SCENE
check status_is 0 "$carom" run "$folder/joint.yaml"
check says 'violates joint rail by 1'
sed "s/initial: .*/initial: {y': 2}/" "$folder/joint.yaml" >"$folder/held.yaml"
check status_is 0 "$carom" run "$folder/held.yaml"
check [ ! -s "$folder/err" ]

# a mass that is not positive is refused before anything moves, where it stands
cat >"$folder/mass.yaml" <<'EOF'
carom: 1
parameters: {m: -1, g: 9.81}
system:
  coordinates: [x]
  kinetic: m*x'^2/2
  potential: m*g*x
  contacts: {floor: {gap: x, restitution: 0.5}}
initial: {x: 1}
law: newton
run: {until: 1}
section: {at: floor}
EOF
for command in run impact check inspect "impact --at 0.5" plot "view -o $folder/mass.html" orbit lyapunov \
    "sweep --vary g=9:10:2" "gradient --of x --wrt g" "follow --vary g=9:10"; do
    expect 2 'mass.yaml:5:12: the kinetic energy is not positive definite' "$carom" $command "$folder/mass.yaml"
done
check [ ! -e "$folder/mass.html" ]

# a name for a contact and for an event would leave `section: {at: ...}` open
sed -e 's/m: -1/m: 1/' -e 's/^initial/  events: {floor: {at: x}}\n&/' "$folder/mass.yaml" >"$folder/names.yaml"
expect 2 'names.yaml:8:12: a contact and an event are called `floor`' "$carom" run "$folder/names.yaml"

# a moment of inertia of zero is no moment, not one to be found from the shape
while read -r space box inertia; do
    printf '%s\n' 'carom: 1' "world: {space: $space}" \
        "bodies: {a: {shape: {box: [$box]}, mass: 1, inertia: $inertia}}" 'run: {until: 1}' >"$folder/inertia.yaml"
    expect 2 'inertia.yaml:3:[0-9]*: .*inertia is 0, it must be greater than 0' "$carom" run "$folder/inertia.yaml"
done <<'END'
2 1,1 0
3 1,1,1 [1, 0, 1]
END

# Ctrl-C: what there is is written and said
"$carom" run "$folder/long.yaml" -o "$folder/stopped.csv" >"$folder/out" 2>"$folder/err" &
process=$!
until_larger "$folder/stopped.csv" 10000
kill -INT $process
wait $process
check [ $? = 1 ]
check says 'ended at t'
check [ "$(tail -c 1 "$folder/stopped.csv" | od -An -c | tr -d ' ')" = '\n' ]

# sweeps: one table, the same each time, not overwritten, resumable; cells that fail are rows
for kind in h5 csv; do
    check status_is 0 "$carom" sweep "$ball" --vary e=-0.2:1:7 --vary g=1,9.81 -o "$folder/s.$kind"
    check says '4 cells failed'
    check status_is 2 "$carom" sweep "$ball" --vary e=-0.2:1:7 --vary g=1,9.81 -o "$folder/s.$kind"
    check status_is 0 "$carom" sweep "$ball" --vary e=-0.2:1:7 --vary g=1,9.81 -o "$folder/s2.$kind"
    check cmp "$folder/s.$kind" "$folder/s2.$kind"
    check status_is 0 "$carom" sweep "$ball" --vary e=-0.2:1:7 --vary g=1,9.81 -o "$folder/s.$kind" --resume
    check cmp "$folder/s.$kind" "$folder/s2.$kind"
    check status_is 2 "$carom" sweep "$ball" --vary q0=1:2:3 -o "$folder/s.$kind" --resume
    check cmp "$folder/s.$kind" "$folder/s2.$kind"
    check status_is 3 "$carom" sweep "$ball" --vary e=0.5 -o "$folder/no/such/folder/s.$kind"
done
# a system without `run` is swept as an impact at `initial`
check status_is 0 "$carom" sweep "$scenes/kane_pendulum.yaml" --vary mu=0,0.7 --law path:stop=newton
check says "^mu,status,a',b',energy_change,kinematic,kinetic,energetic\$"
check says '^0.7,ok,-0.33464892[0-9]*,0.363115364[0-9]*,0.0136189557[0-9]*,1,1,0$'
check status_is 0 "$carom" sweep "$scenes/kane_pendulum.yaml" --vary floor=3,4 --closed 2
check says '^3,ok'
check says '^4,no contact is closed,,,,,,$'
check status_is 2 "$carom" sweep "$scenes/kane_pendulum.yaml" --vary mu=0 --closed=-1
check status_is 0 "$carom" sweep "$scenes/kane_pendulum.yaml" --vary mu=0 --law newton --law poisson
check says "^mu,law,status"
check status_is 2 "$carom" run "$ball" --until 1 --until 2
check says "'--until' was given twice"

# killed while it writes: the trace opens
for wait in 0.05 0.2 0.5; do
    "$carom" run "$folder/long.yaml" -o "$folder/killed.h5" --force >"$folder/out" 2>"$folder/err" &
    process=$!
    until_larger "$folder/killed.h5" 300000
    sleep $wait
    kill -KILL $process
    wait $process 2>"$folder/err"
    check status_is 0 "$carom" view "$folder/killed.h5" --no-open --out "$folder/page.html"
    rm "$folder/killed.h5"
done

# what a run refuses is said where it stands
cat >"$folder/refused.yaml" <<'END'
carom: 1
system:
  coordinates: [q]
  kinetic: q'^2/2
  contacts: {floor: {gap: q}}
initial: {q: -1}
law: poisson
run: {until: 1}
END
check status_is 2 "$carom" run "$folder/refused.yaml"
check says '^.*/refused.yaml:6:10: the motion starts in penetration'
# a start beyond a limit or a rope is the joint's fault
cat >"$folder/beyond.yaml" <<'END'
carom: 1
bodies:
  a: {shape: {sphere: 0.1}, at: [0, 0, 1]}
  b: {shape: {sphere: 0.1}, at: [0, 0, 3]}
joints:
  r: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 2], limits: [-1, 1]}
  s: {revolute: [world, b], axis: [0, 1, 0], at: [0, 0, 4], limits: [LOWER, 1]}
  line: {rope: [a, b], length: LENGTH}
run: {until: 1}
END
sed 's/LOWER/0.5/; s/LENGTH/5/' "$folder/beyond.yaml" >"$folder/limit.yaml"
check status_is 2 "$carom" run "$folder/limit.yaml"
check says '^.*/limit.yaml:7:3: the motion starts in penetration: contact s.lower has gap -0.5'
sed 's/LOWER/-0.5/; s/LENGTH/1.5/' "$folder/beyond.yaml" >"$folder/rope.yaml"
check status_is 2 "$carom" run "$folder/rope.yaml"
check says '^.*/rope.yaml:8:3: the motion starts in penetration: contact line has gap -0.5'
sed 's/-1/1/; s/until/method: time-stepping, step: 0.1, until/' "$folder/refused.yaml" >"$folder/law.yaml"
check status_is 2 "$carom" run "$folder/law.yaml"
check says '^.*/law.yaml:7:6: time-stepping takes .* poisson needs'
check status_is 2 "$carom" run "$folder/law.yaml" --law lzb
check says '^.*/law.yaml: time-stepping takes .* lzb needs'
sed "s/gap: q/gap: q, slip: q', friction: inf/" "$folder/law.yaml" >"$folder/inf.yaml"
check status_is 2 "$carom" run "$folder/inf.yaml" --law newton
check says '^.*/inf.yaml:3:3: contact floor: infinite friction'

# a page replaces a page of traces, never another file
check status_is 0 "$carom" run "$ball" -o "$folder/seen.h5"
for again in 1 2; do
    check status_is 0 "$carom" view "$folder/seen.h5" --no-open
done
cp "$folder/seen.h5" "$folder/kept.h5"
check status_is 2 "$carom" view "$folder/seen.h5" --no-open --out "$folder/seen.h5"
check says 'out .*seen.h5: the name of a file to be written must end in .html'
check cmp "$folder/seen.h5" "$folder/kept.h5"
check status_is 0 "$carom" run "$ball" --report "$folder/report.html"
check status_is 2 "$carom" view "$folder/seen.h5" --no-open --out "$folder/report.html"
check status_is 0 "$carom" view "$folder/seen.h5" --no-open --out "$folder/report.html" --force
check status_is 3 "$carom" view "$folder/seen.h5" --no-open --out "$folder/no/such/page.html"

# a sweep: rows are written as they come, Ctrl-C ends it within a cell, --resume goes on
sed 's/until: 1e5, output: 1e-3/until: T/; s/e: 1/e: 1, T: 1/' "$folder/long.yaml" >"$folder/sweep.yaml"
"$carom" sweep "$folder/sweep.yaml" --vary T=1,2,1e9,1e9 -o "$folder/swept.csv" \
    >"$folder/out" 2>"$folder/err" &
process=$!
sleep 1
check [ "$(wc -l <"$folder/swept.csv")" = 3 ]
kill -INT $process
wait $process
check [ $? = 1 ]
check says 'stopped after 2 of 4 cells'
check [ "$(wc -l <"$folder/swept.csv")" = 3 ]
check status_is 0 "$carom" sweep "$folder/sweep.yaml" --vary T=1,2,3,4 -o "$folder/whole.csv"
printf '3,ok,' >>"$folder/swept.csv"
check status_is 0 "$carom" sweep "$folder/sweep.yaml" --vary T=1,2,3,4 -o "$folder/swept.csv" --resume
check cmp "$folder/swept.csv" "$folder/whole.csv"
check status_is 2 "$carom" sweep "$folder/sweep.yaml" --vary T=1,5,6,7,8 -o "$folder/swept.csv" --resume
check says 'not the beginning'
check cmp "$folder/swept.csv" "$folder/whole.csv"
: >"$folder/empty.csv"
check status_is 0 "$carom" sweep "$folder/sweep.yaml" --vary T=1,2,3,4 -o "$folder/empty.csv" --resume
check cmp "$folder/empty.csv" "$folder/whole.csv"
check status_is 2 "$carom" sweep "$folder/sweep.yaml" --vary T=1,2 --law nope

# a body held at rest by forces that cancel: their rounding is no motion that must settle
for step in 1e-2 2e-3 1e-3; do
    check status_is 0 "$carom" run frictional_oscillator --method time-stepping --step $step --until 5 -o "$folder/held.csv" --force
done

# a body that has rested at zero ever since is lifted off by the drive, and comes back when the closed
# form of the driven oscillator does: F cos(w t) changes its sign at t0 = pi/(2 w)
for drive in 0.02,3.2 0.02,3.1 0.05,2.9 0.02,2.9 0.1,2 0.03,1.7; do
    z=${drive%,*} w=${drive#*,}
    check status_is 0 "$carom" run impact_oscillator --set stop=0 --set z=$z --set w=$w --until 20 --json
    check awk -v z=$z -v w=$w '/"impacts": \[/ { seen = 1 } seen && /"t":/ { t = $2 + 0; exit }
        END {
            pi = atan2(0, -1); t0 = pi/(2*w); D = (1 - w*w)^2 + (2*z*w)^2; A = (1 - w*w)/D; B = 2*z*w/D
            d = sqrt(1 - z*z); C = -B; S = (A*w - B*z)/d; s = t - t0
            x = A*cos(w*t) + B*sin(w*t) + exp(-z*s)*(C*cos(d*s) + S*sin(d*s))
            exit !(t > t0 + 0.1 && x < 1e-8 && x > -1e-8)
        }' "$folder/out"
done

# a trace that was cut off is said to be, by the commands and in the page
check status_is 0 "$carom" run bouncing_ball -o "$folder/ball.csv" --force
head -n 60 "$folder/ball.csv" >"$folder/cut.csv"
for trace in cut ball; do
    check status_is 0 "$carom" plot "$folder/$trace.csv" -o "$folder/$trace.svg" --force
    check [ "$(grep -c 'cut.csv was cut off at t = ' "$folder/err")" = "$([ $trace = cut ]; echo $((1 - $?)))" ]
    check status_is 0 "$carom" view "$folder/$trace.csv" --no-open -o "$folder/$trace.html" --force
    check [ "$(grep -c 'cut.csv was cut off at t = ' "$folder/err")" = "$([ $trace = cut ]; echo $((1 - $?)))" ]
done
check grep -q '"end":"cut off"' "$folder/cut.html"
check grep -q '"end":"reached"' "$folder/ball.html"

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
