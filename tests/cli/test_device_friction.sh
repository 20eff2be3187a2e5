#!/bin/sh
# Motions with friction on a device: random blocks, rods, discs and balls that stick, slide, bounce and lift off, as
# on the processor, and as exact reductions have them. CAROM_AUDIT_SEED: other cells, CAROM_AUDIT_TIMES: more.
# $1 = program, $2 = source folder
set -u
carom=$1 source=$2 folder=$(cd "$(mktemp -d)" && pwd -P) failed=0 count=0
trap 'rm -rf "$folder"' EXIT
. "$2/tests/cli/checks.sh"
export LSAN_OPTIONS=detect_leaks=0 # of OpenCL itself
if ! "$carom" devices >"$folder/out" 2>&1; then
    echo "no device: nothing was tested"
    exit 0
fi
seed=${CAROM_AUDIT_SEED:-1} members=$((16 * ${CAROM_AUDIT_TIMES:-1}))

# compare NAME CPU TIGHT DEVICE COLUMNS: statuses are the same; where a hundredth of the tolerance moves the
# processor's columns (after t) by 1e-10 at most, the device's are within 1e-9 of them, of 1 or of the largest.
compare() {
    paste -d '|' "$2" "$3" "$4" | awk -F'|' -v name="$1" -v columns="$5" '
        function size(x) { return x < 0 ? -x : x }
        { n = split($1, a, ","); split($2, b, ","); split($3, d, ",") }
        NR == 1 { for (k = 1; k <= n; k++) if (a[k] == "status") s = k; next }
        { members++; own = off = 0; top = 1
          for (k = s + 2; k < s + 2 + columns; k++) {
              if (size(a[k]) > top) top = size(a[k])
              if (size(a[k] - b[k]) > own) own = size(a[k] - b[k])
              if (size(a[k] - d[k]) > off) off = size(a[k] - d[k]) }
          sub(/:.*/, "", d[s]); gsub(/"/, "", d[s])
          bad = a[s] != d[s] || (own <= 1e-10 * top && !(off <= 1e-9 * top)) || d[s + 2] == ""
          sensitive += own > 1e-10 * top
          disagree += bad
          if (bad) printf "audit: %s: member %d: %s, %s: off by %g, the processor by %g\n", name, NR - 2, a[s], d[s], off, own }
        END { if (sensitive > 0.2 * members + 1) { disagree++; printf "audit: %s: %d of %d sensitive\n", name, sensitive, members }
              printf "audit: %s: %d members, %d disagree\n", name, members, disagree
              exit disagree > 0 || members == 0 }'
}

# family NAME COLUMNS SAMPLES...: cells at random of $folder/scene.yaml
family() {
    name=$1 columns=$2
    shift 2
    samples=""
    for one in "$@"; do samples="$samples --sample $one"; done
    sed 's/run: {/run: {tolerance: 1e-12, /' "$folder/scene.yaml" >"$folder/tight.yaml"
    set -- $samples --count $members --seed $seed
    "$carom" sweep "$folder/scene.yaml" "$@" >"$folder/cpu.csv" 2>/dev/null
    "$carom" sweep "$folder/tight.yaml" "$@" >"$folder/tight.csv" 2>/dev/null
    "$carom" sweep "$folder/scene.yaml" "$@" --device any >"$folder/device.csv" 2>/dev/null
    check compare "device, $name" "$folder/cpu.csv" "$folder/tight.csv" "$folder/device.csv" "$columns"
}

# ends COLUMN VALUE WITHIN NAME=VALUE...: where a cell of $folder/scene.yaml ends on the device
ends() {
    column=$1 value=$2 within=$3 cell="--vary $4:${4#*=}:2"
    shift 4
    for one in "$@"; do cell="$cell --set $one"; done
    "$carom" sweep "$folder/scene.yaml" $cell --device any 2>/dev/null | awk -F, -v name="$column" -v value="$value" -v within="$within" '
        NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k; next }
        { off = $column[name] - value; if ($column["status"] != "ok" || !(off < within && off > -within)) bad = 1
          if (bad) printf "%s: %s, off by %g\n", name, $column["status"], off }
        END { exit bad || NR < 2 }'
}

# A block on a belt between springs, driven: slides, sticks, with static above dynamic friction.
cat >"$folder/scene.yaml" <<'END'
carom: 1
parameters: {k: 4, c: 0.1, v: 0.5, mu: 0.4, md: 0.3, A: 0.3, w: 2.1, x0: 0.1, u0: 0, nl: 0.2}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*y + k/2*x^2 + nl*x^4
  forces: {x: -c*x' + A*cos(w*t)}
  contacts:
    belt: {gap: y, slip: x' - v, friction_static: mu, friction_dynamic: md, restitution: 0.3}
initial: {x: x0, y: 0, x': u0}
law: coulomb
run: {until: 8}
END
family "a block on a belt" 4 "k=uniform(1,20)" "c=uniform(0,0.5)" "v=uniform(-0.8,0.8)" "mu=uniform(0.3,0.9)" \
    "md=uniform(0.05,0.3)" "A=uniform(0,2)" "w=uniform(0.5,4)" "x0=uniform(-0.5,0.5)" "u0=uniform(-1,1)" "nl=uniform(0,2)"
# The instant at which this one slips, at t = 4.08, is as good as its forces are; 1.2e-11 are left by forces that count as
# zero. The end is that of 30 digits: a root of the cone, and the slide by power series.
check ends x -0.12756948487987677 1e-10 nl=1.1504932113457471 k=7.608419928117655 c=0.2322658786433749 \
    v=-0.29639559444040064 mu=0.7728655301732943 md=0.12200367518817075 A=1.588288783794269 w=3.89884540339699 \
    x0=0.3043171799508855 u0=0.25851736892946064

# A ball with spin that bounces over a wavy floor until it slides and rolls; by newton its flights rub with nothing.
cat >"$folder/scene.yaml" <<'END'
carom: 1
parameters: {mu: 0.3, e: 0.6, J: 0.4, y0: 0.5, u0: 1, v0: 0, w0: 5, et: 0, a: 0.05, r: 0.3}
system:
  coordinates: [x, y, th]
  kinetic: (x'^2 + y'^2 + J*r^2*th'^2)/2
  potential: 9.81*y
  contacts:
    floor: {gap: y - a*sin(x), slip: x' - r*th', friction: mu, restitution: e, tangential_restitution: et}
initial: {y: y0, x': u0, y': v0, th': w0}
law: coulomb
run: {until: 2.2}
END
ball="mu=uniform(0.02,0.8) e=uniform(0.1,0.8) J=uniform(0.3,1) y0=uniform(0.2,1) u0=uniform(-2,2) v0=uniform(-1,1)
    w0=uniform(-15,15) a=uniform(0,0.05)"
family "a ball with spin" 6 $ball "et=uniform(0,0.4)"
sed -i.old 's/law: coulomb/law: newton/' "$folder/scene.yaml"
family "a ball with spin, newton" 6 $ball

# A block that rocks on a floor that shakes along itself: its corners bounce, stick and slide, and rest together.
cat >"$folder/scene.yaml" <<'END'
carom: 1
parameters: {mu: 0.5, e: 0.1, b: 0.5, h: 1, th0: 0.15, A: 0, w: 3, u0: 0}
system:
  coordinates: [x, y, th]
  kinetic: (x'^2 + y'^2 + (b^2 + h^2)/3*th'^2)/2
  potential: 9.81*y
  contacts:
    left: {gap: y - h*cos(th) - b*sin(th), slip: x' + (h*cos(th) + b*sin(th))*th' - A*cos(w*t), friction: mu, restitution: e}
    right: {gap: y - h*cos(th) + b*sin(th), slip: x' + (h*cos(th) - b*sin(th))*th' - A*cos(w*t), friction: mu, restitution: e}
initial: {y: h*cos(th0) + b*sin(th0), th: th0, x': u0}
law: coulomb
run: {until: 1.5}
END
family "a rocking block" 6 "mu=uniform(0.05,1.2)" "e=uniform(0,0.4)" "b=uniform(0.25,1)" "h=uniform(0.5,1.2)" \
    "th0=uniform(0.02,0.25)" "A=uniform(0,0.4)" "w=uniform(1,6)" "u0=uniform(-1,1)"

# A disc with spin in a corner of two rough walls.
cat >"$folder/scene.yaml" <<'END'
carom: 1
parameters: {mu: 0.3, mw: 0.2, e: 0.4, y0: 0.3, x0: 0.5, u0: -1, w0: 3, al: 0.4}
system:
  coordinates: [x, y, th]
  kinetic: (x'^2 + y'^2 + th'^2/2)/2
  potential: 9.81*y
  contacts:
    floor: {gap: y, slip: x' + th', friction: mu, restitution: e}
    wall: {gap: x*cos(al) + y*sin(al), slip: th' - x'*sin(al) + y'*cos(al), friction: mw, restitution: e}
initial: {x: x0, y: y0, x': u0, th': w0}
law: coulomb
run: {until: 1.4}
END
family "a disc in a corner" 6 "mu=uniform(0.02,0.6)" "mw=uniform(0.02,0.5)" "e=uniform(0.05,0.6)" "x0=uniform(0.2,1)" \
    "y0=uniform(0.02,0.5)" "u0=uniform(-2,1)" "w0=uniform(-8,8)" "al=uniform(0,0.6)"

# Two such discs slide while they hop to rest, and hops that are too low for positions have friction too. The angles are
# those of all hops, 767 and 1085 impacts, followed with 60 digits to speeds of 1e-28.
check ends th 1.7802738711725326752 1e-13 w0=5 mu=0.25 mw=0.375 e=0.1875 x0=0.40625 y0=0.09375 u0=-1 al=0.4375
check ends th 3.0116941838075189669 1e-13 w0=6 mu=0.1875 mw=0.3125 e=0.25 x0=0.40625 y0=0.0625 u0=-1.5 al=0.3125

# Two feet at one place: rows that are there twice. Whether both slide one way, or one carries nothing, the motion is
# that of one foot; the processor is the reference for the one.
cat >"$folder/two.yaml" <<'END'
carom: 1
parameters: {mu: 0.4, md: 0.3, e: 0.3, A: 2, w: 3, u0: 0.4, y0: 0.2, v: 0}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*y
  forces: {x: A*cos(w*t) - x'}
  contacts:
    one: {gap: y, slip: x' - v, friction_static: mu, friction_dynamic: md, restitution: e}
    other: {gap: y, slip: x' - v, friction_static: mu, friction_dynamic: md, restitution: e}
initial: {y: y0, x': u0}
law: coulomb
run: {until: 3}
END
grep -v "other:" "$folder/two.yaml" >"$folder/one.yaml"
sed 's/run: {/run: {tolerance: 1e-12, /' "$folder/one.yaml" >"$folder/tight.yaml"
set -- --sample "mu=uniform(0.3,0.6)" --sample "md=uniform(0.1,0.3)" --sample "e=uniform(0,0.5)" --sample "A=uniform(0,8)" \
    --sample "w=uniform(1,6)" --sample "u0=uniform(-1,1)" --sample "y0=uniform(0,0.3)" --sample "v=uniform(-0.3,0.3)" \
    --count $members --seed "$seed"
"$carom" sweep "$folder/one.yaml" "$@" >"$folder/cpu.csv" 2>/dev/null
"$carom" sweep "$folder/tight.yaml" "$@" >"$folder/tight.csv" 2>/dev/null
"$carom" sweep "$folder/two.yaml" "$@" --device any 2>/dev/null >"$folder/device.csv"
check compare "device, feet at one place" "$folder/cpu.csv" "$folder/tight.csv" "$folder/device.csv" 4

# A rod that slides on its tip, into Painleve's region or away from it: the same statuses.
cat >"$folder/scene.yaml" <<'END'
carom: 1
parameters: {mu: 0.3, l: 1, th0: 0.9, u0: 2, w0: 0, I: 0.15}
system:
  coordinates: [x, y, th]
  kinetic: (x'^2 + y'^2 + I*th'^2)/2
  potential: 9.81*y
  contacts: {tip: {gap: y - l*sin(th), slip: x' + l*sin(th)*th', friction: mu, restitution: 0}}
initial: {y: l*sin(th0), th: th0, x': u0, y': l*cos(th0)*w0, th': w0}
law: coulomb
run: {until: 0.3}
END
family "a rod on its tip" 6 "mu=uniform(0.1,0.8)" "th0=uniform(0.3,1.4)" "u0=uniform(-3,3)" "w0=uniform(-3,3)" "I=uniform(0.1,0.4)"

# A block on two feet that neither turns nor lifts is a point, whatever share of the load each foot has: four rows of
# rank three, which a point has not. The processor is the reference for the point alone.
cat >"$folder/point.yaml" <<'END'
carom: 1
parameters: {mu: 0.5, md: 0.4, b: 0.5, h: 0.3, al: 0.3, A: 2, w: 3, u0: 0, c: 1}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*cos(al)*y - 9.81*sin(al)*x
  forces: {x: A*cos(w*t) - c*x'}
  contacts: {foot: {gap: y, slip: x', friction_static: mu, friction_dynamic: md, restitution: 0.2}}
initial: {x': u0}
law: coulomb
run: {until: 4}
END
cat >"$folder/block.yaml" <<'END'
carom: 1
parameters: {mu: 0.5, md: 0.4, b: 0.5, h: 0.3, al: 0.3, A: 2, w: 3, u0: 0, c: 1}
system:
  coordinates: [x, y, th]
  kinetic: (x'^2 + y'^2 + (b^2 + h^2)/3*th'^2)/2
  potential: 9.81*cos(al)*y - 9.81*sin(al)*x
  forces: {x: A*cos(w*t) - c*x'}
  contacts:
    left: {gap: y - h*cos(th) - b*sin(th), slip: x' + (h*cos(th) + b*sin(th))*th', friction_static: mu, friction_dynamic: md, restitution: 0.2}
    right: {gap: y - h*cos(th) + b*sin(th), slip: x' + (h*cos(th) - b*sin(th))*th', friction_static: mu, friction_dynamic: md, restitution: 0.2}
initial: {y: h, x': u0}
law: coulomb
run: {until: 4}
END
set -- --sample "mu=uniform(0.35,0.8)" --sample "md=uniform(0.1,0.35)" --sample "b=uniform(0.5,0.8)" --sample "h=uniform(0.1,0.3)" \
    --sample "al=uniform(0,0.4)" --sample "A=uniform(0,4)" --sample "w=uniform(1,6)" --sample "u0=uniform(-1,1)" \
    --count $members --seed "$seed"
sed 's/run: {/run: {tolerance: 1e-12, /' "$folder/point.yaml" >"$folder/tight.yaml"
"$carom" sweep "$folder/point.yaml" "$@" >"$folder/cpu.csv" 2>/dev/null
"$carom" sweep "$folder/tight.yaml" "$@" >"$folder/tight.csv" 2>/dev/null
"$carom" sweep "$folder/block.yaml" "$@" --device any 2>/dev/null >"$folder/device.csv"
check compare "device, a block on two feet" "$folder/cpu.csv" "$folder/tight.csv" "$folder/device.csv" 1
cp "$folder/device.csv" "$folder/feet.csv"

# A block slides while a ball beside it bounces to rest, and has its friction all the time: on both as without the
# ball, v t - mu g t^2/2 until it stops after v^2/(2 mu g).
cat >"$folder/beside.yaml" <<'END'
carom: 1
parameters: {e: 0.5, v: 4, mu: 0.4, y0: 0.5}
system:
  coordinates: [y, z, w]
  kinetic: (y'^2 + z'^2 + w'^2)/2
  potential: 9.81*(y + w)
  contacts:
    table: {gap: y, restitution: e}
    floor: {gap: w, slip: z', friction: mu}
initial: {z': v, y: y0}
law: coulomb
run: {until: 1.5}
END
set -- --sample "e=uniform(0.1,0.6)" --sample "v=uniform(1,9)" --sample "mu=uniform(0.1,0.9)" --sample "y0=uniform(0.1,0.6)" --count $members --seed "$seed"
"$carom" sweep "$folder/beside.yaml" "$@" >"$folder/cpu.csv" || failed=1
"$carom" sweep "$folder/beside.yaml" "$@" --device any >"$folder/device.csv" || failed=1
for table in cpu device; do
    check awk -F, '
        NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        { b = $at["mu"] * 9.81; v = $at["v"]; t = v / b < 1.5 ? v / b : 1.5
          d = $at["z"] - v * t + b * t * t / 2; if (d * d > 1e-24 || $at["status"] != "ok") { bad = 1; print } }
        END { exit bad || NR < 3 }' "$folder/$table.csv"
done

# Balances close, and what a device does not know is refused.
check awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "balance_error") b = k; next } $b > 1e-9 || $b < -1e-9 { exit 1 }' "$folder/feet.csv"
# Where the gradient of a slip vanishes the motion loses a velocity: a change of energy without a cause is told.
sed 's/restitution: 0.3/restitution: 0/; s/+ 0.02, ph/+ 0.01815753145809701, ph/; s/m2: 0.05/m2: 0.08117072678106123/; s/k: 20/k: 12.78817251233014/
    s/c: 0.5,/c: 0.5626796651859289,/; s/ph0: 0.5}/ph0: 0.5170250326029465}/' "$source/scenes/frictional_oscillator.yaml" >"$folder/scene.yaml"
"$carom" sweep "$folder/scene.yaml" --vary mu=0.15201299465693013 --device any >"$folder/device.csv" 2>/dev/null
check grep -q ',energy: it has changed without a cause' "$folder/device.csv"
expect 2 "friction in space cannot" "$carom" sweep "$source/scenes/pushed_box.yaml" --vary mu=0.2:0.3:2 --device any
expect 2 "knows no jam" "$carom" sweep "$source/scenes/painleve_motion.yaml" --vary mu=0.2:0.3:2 --device any
echo "$count checks, $failed failed"
[ "$failed" -eq 0 ]
