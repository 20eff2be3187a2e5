#!/bin/sh
# Sweeps on a device of OpenCL: the same numbers as on the CPU, a status for every cell however extreme,
# messages for what a device cannot do. Where there is no device only the messages are looked at.
# $1 = program, $2 = source folder
set -u
carom=$1 source=$2 folder=$(cd "$(mktemp -d)" && pwd -P) failed=0 count=0
trap 'rm -rf "$folder"' EXIT
. "$2/tests/cli/checks.sh"
export LSAN_OPTIONS=detect_leaks=0 # of OpenCL itself

# Every function that has a series, a mass that depends on the position, two contacts.
cat >"$folder/functions.yaml" <<'END'
carom: 1
parameters: {a: 0.3, b: 1.7, e: 0.6}
system:
  coordinates: [x, y]
  kinetic: x'^2/2*(1 + a*sin(y)^2) + y'^2/2 + a*x'*y'*cos(x - y)
  potential: x^2/2 + b*y^2/2 + a*log(2 + cosh(x)) + exp(-y^2)*a
  forces:
    x: sin(t) - 0.1*tanh(x') + a*atan(x*y) + asin(0.3*sin(t)) - acos(0.2*cos(y))*0.1 + 0.05*tan(0.3*x)
    y: >-
      atan2(1 + x^2, 2 + sin(t))*0.1 + sqrt(1 + x^2)*0.1 + (1.5 + sin(t))^b*0.05 + 2^sin(t)*0.02
      + (2 + x^2)^(-3)*0.1 + sinh(0.1*y) + (2 + cos(t))^(0.2*sin(y))*0.1 + max(a, b)*0.01
  contacts:
    wall: {gap: 0.9 - x + 0.1*cos(y), restitution: e}
    floor: {gap: y + 0.8 + 0.1*tanh(x), restitution: 0.4}
initial: {x: 0.1, y: 0.2, x': 0.5}
run: {until: 12}
END

# A bead on a curved floor that shakes: it bounces, comes to rest, is thrown off; beside it balls
# that strike each other in a row and stay together; s > 0 a force that is no number from t = 1/s on.
cat >"$folder/contacts.yaml" <<'END'
carom: 1
parameters: {e: 0.4, A: 0.03, m: 2, s: 0, T: 3, y0: 0.3}
system:
  coordinates: [x, y, x1, x2, x3]
  kinetic: (x'^2 + y'^2)/2 + x1'^2/2 + m*x2'^2/2 + x3'^2/2
  potential: 9.81*y + x1^2/2 + (x2 - 1)^2/2 + (x3 - 2)^2/2
  forces: {x: 'sqrt(1 - s*t) - 1'}
  contacts:
    floor: {gap: y - 0.2*x^2 - A*sin(10*t), restitution: e}
    a: {gap: x2 - x1 - 1, restitution: e}
    b: {gap: x3 - x2 - 1, restitution: e}
initial: {x: 0.5, y: y0, x1: -1, x2: 1, x3: 2}
run: {until: T}
END

# Two walls that meet, for bodies of any masses, and a ball on a floor beside them.
cat >"$folder/unequal.yaml" <<'END'
carom: 1
parameters: {r: 1, g: 9.81, T: 1, a: 0.3, b: 0.7, c: -0.9, e0: 0.5, e1: 0.3, k: 0, x0: 0, y0: 0, v: 0.2}
system:
  coordinates: [x, y, z]
  kinetic: r*x'^2/2 + y'^2/2/r + z'^2/2
  potential: g*z - k*(x + y)
  contacts:
    c0: {gap: x + a*y, restitution: e0}
    c1: {gap: b*x + c*y, restitution: e1}
    floor: {gap: z, restitution: 0.5}
initial: {x: x0, y: y0, z: 1, x': -1, y': v}
run: {until: T}
END

# Constant forces, so that it flies without steps, and gaps of every function: their ranges prove where it goes.
cat >"$folder/flights.yaml" <<'END'
carom: 1
parameters: {e: 0.6, A: 0.08, T: 3, y0: 1.5}
system:
  coordinates: [x, y]
  kinetic: x'^2 + y'^2/2
  potential: 3*y
  forces: {x: -0.1}
  contacts:
    floor:
      gap: >-
        y - A*(sin(2*t) + cos(x - t)/(2 + sin(t)) + exp(-x^2) + log(2 + x^2) + sqrt(1 + x^2) + atan(x*y) + tanh(x)
        + 0.1*cosh(0.3*x) + 0.1*sinh(0.2*x) + 0.2*tan(0.3*sin(t)) + asin(0.3*sin(t)) + acos(0.2*cos(t))
        + atan2(1 + x^2, 2 + sin(t)) + (1.5 + sin(t))^1.7 + (1 + 0.1*x)^3 + 2^sin(t))
      restitution: e
    wall: {gap: 2.5 - x + 0.1*sin(3*t), restitution: 0.8}
    left: {gap: x + 2.5, restitution: 0.7}
initial: {x: 0.2, y: y0, x': 1.1}
run: {until: T}
END

# same BOUND FILE FILE: the numbers of two tables differ by no more (of 1, or of their size)
same() {
    paste -d '\n' "$2" "$3" | awk -F, -v bound="$1" '
        NR % 2 { for (k = 1; k <= NF; k++) a[k] = $k; n = NF; next }
        { if (NF != n) bad = 1
          for (k = 1; k <= NF; k++) {
              if (a[k] !~ /^-?[0-9.]/) { if (a[k] != $k) { bad = 1; print a[k], $k }; continue }
              d = a[k] - $k; if (d < 0) d = -d; s = $k < 0 ? -$k : $k
              if (d > bound * (s > 1 ? s : 1)) { bad = 1; print NR/2, k, a[k], $k } } }
        END { exit bad || NR < 4 }'
}

if ! "$carom" devices >"$folder/out" 2>&1; then
    expect 3 "install\|built without" "$carom" devices
    expect 3 "install\|built without" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device any
    grep -q "no device\|missing\|without" "$folder/out" || failed=$((failed + 1))
    echo "no device: only messages were tested"
    exit $((failed > 0))
fi

# What it cannot do, it refuses with the reason.
expect 3 "no device" env OCL_ICD_VENDORS="$folder" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device any
expect 3 "there is no device 'nowhere'" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device nowhere
expect 2 "name of a device must be given" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device ""
expect 0 "kernel" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device ANY --print-kernel
"$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device nowhere -o "$folder/none.csv" >"$folder/out" 2>/dev/null
count=$((count + 1))
if [ -s "$folder/out" ] || [ -e "$folder/none.csv" ]; then
    failed=$((failed + 1))
    echo "FAILED: a table is begun before the device is there"
fi
expect 2 "events" "$carom" sweep "$source/scenes/simplest_walker.yaml" --vary slope=0.008:0.01:3 --device any
expect 2 "cannot --keep section at a formula" "$carom" sweep "$source/scenes/belt.yaml" --vary k=10:30:3 --keep section --device any
expect 2 "only systems in formulas" "$carom" sweep "$source/scenes/domino_row.yaml" --vary lean=0.2:0.3:2 --device any
expect 2 "laws newton, inelastic and coulomb" "$carom" sweep "$folder/contacts.yaml" --law poisson --vary e=0:1:3 --device any
expect 2 "cannot --follow" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --follow up --device any
sed 's/sqrt(1 - s\*t)/abs(x)/' "$folder/contacts.yaml" >"$folder/corner.yaml"
expect 2 "has a corner" "$carom" sweep "$folder/corner.yaml" --vary e=0:1:3 --device any
expect 0 "kernel void advance" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device any --print-kernel

# The same numbers as on the CPU.
"$carom" sweep "$folder/functions.yaml" --vary e=0.2:0.8:4 --vary a=0.1:0.3:2 >"$folder/cpu.csv" || failed=1
"$carom" sweep "$folder/functions.yaml" --vary e=0.2:0.8:4 --vary a=0.1:0.3:2 --device any >"$folder/device.csv" || failed=1
check same 1e-9 "$folder/device.csv" "$folder/cpu.csv"
"$carom" sweep "$source/scenes/belt.yaml" --vary k=10:30:5 >"$folder/cpu.csv" || failed=1 # a section plays no part
"$carom" sweep "$source/scenes/belt.yaml" --vary k=10:30:5 --device any >"$folder/device.csv" || failed=1
check same 1e-9 "$folder/device.csv" "$folder/cpu.csv"
"$carom" sweep "$folder/contacts.yaml" --vary e=0.2:0.8:4 --keep impacts >"$folder/cpu.csv" || failed=1
"$carom" sweep "$folder/contacts.yaml" --vary e=0.2:0.8:4 --keep impacts --device any >"$folder/device.csv" || failed=1
check same 1e-8 "$folder/device.csv" "$folder/cpu.csv"

expect 0 "define FLIGHTS 1" "$carom" sweep "$folder/flights.yaml" --vary e=0:1:3 --device any --print-kernel
expect 0 "define FLIGHTS 0" "$carom" sweep "$folder/contacts.yaml" --vary e=0:1:3 --device any --print-kernel
"$carom" sweep "$folder/flights.yaml" --vary e=0.6:0.9:4 --vary y0=1.2:1.8:5 --until 2.3 --keep impacts >"$folder/fly.cpu" || failed=1
"$carom" sweep "$folder/flights.yaml" --vary e=0.6:0.9:4 --vary y0=1.2:1.8:5 --until 2.3 --keep impacts --device any >"$folder/fly.device" || failed=1
check same 1e-9 "$folder/fly.device" "$folder/fly.cpu"

# Extreme cells: a force that is no number, a start in the floor, one that never ends its run.
printf 's,y0,T\n0,0.3,1\n5,0.3,1\n0,-1,1\n0,1e6,1\n0,0.3,0\n' >"$folder/rows.csv"
expect 0 "2 cells failed" "$carom" sweep "$folder/contacts.yaml" --rows "$folder/rows.csv" --keep impacts --device any -o "$folder/extreme.csv"
check grep -q "bad force\|underflow" "$folder/extreme.csv"
check grep -q "penetrates" "$folder/extreme.csv"
check test "$(cut -d, -f1-3 "$folder/extreme.csv" | sort -u | wc -l)" = 6
expect 0 "3 cells failed" timeout 60 "$carom" sweep "$source/scenes/ball_on_table.yaml" --vary Gamma=1.2,1e308,-1e308,1e300,1e-320 --device any -o "$folder/overflow.csv"
check test "$(grep -c ",ok,200," "$folder/overflow.csv")" = 2

# A parameter that is zero switches its term off, on both, also where the term is no number from t = 1 on.
cat >"$folder/switched.yaml" <<'END'
carom: 1
parameters: {k: 0, e: 0.5}
system:
  coordinates: [y]
  kinetic: y'^2/2
  potential: 9.81*y
  forces: {y: 'k*sqrt(1 - t) + 2*k*log(1 - t)*y'}
  contacts: {floor: {gap: y, restitution: e}}
initial: {y: 1}
run: {until: 2}
END
"$carom" sweep "$folder/switched.yaml" --vary e=0.2,0.5,0.9 >"$folder/switched.cpu" || failed=1
"$carom" sweep "$folder/switched.yaml" --vary e=0.2,0.5,0.9 --device any >"$folder/switched.device" || failed=1
check same 1e-9 "$folder/switched.device" "$folder/switched.cpu"
check test "$(grep -c ",ok,2," "$folder/switched.device")" = 3
expect 0 "2 cells failed" "$carom" sweep "$folder/switched.yaml" --vary k=0,0.1,1 --device any -o "$folder/switched.csv"

# A table of so large an amplitude that what was there before it struck is the rounding of what comes after: the
# velocity is 1.5 Gamma cos(0.5), on both. Beyond, energies are too large for numbers, also where none are told.
large="--vary Gamma=1e16,1e50,1e100,1e150"
"$carom" sweep "$source/scenes/ball_on_table.yaml" $large >"$folder/large.cpu" || failed=1
"$carom" sweep "$source/scenes/ball_on_table.yaml" $large --device any >"$folder/large.device" || failed=1
check same 1e-13 "$folder/large.device" "$folder/large.cpu"
check awk -F, 'NR > 1 { d = $5 / (1.5 * $1 * cos(0.5)) - 1; bad = bad || d * d > 1e-24 || $2 != "ok" } END { exit bad || NR != 5 }' "$folder/large.cpu"
expect 0 "1 cell failed" "$carom" sweep "$source/scenes/ball_on_table.yaml" --vary Gamma=1e160 --keep impacts
expect 0 "1 cell failed" "$carom" sweep "$source/scenes/ball_on_table.yaml" --vary Gamma=1e160 --keep impacts --device any

# A table that falls away, and comes back so fast that squares of its speed are no numbers: the ball had fallen
# through it. After the impact at t = pi/3 it leaves with 1.5 times the speed of the table, A w (with energies that
# are too large for numbers in the second cell).
cat >"$folder/fast.yaml" <<'END'
carom: 1
parameters: {A: -1, w: 3}
system:
  coordinates: [y]
  kinetic: y'^2/2
  potential: 9.81*y
  contacts: {table: {gap: y - A*sin(w*t), restitution: 0.5}}
initial: {y: 1}
law: newton
run: {until: 10}
END
"$carom" sweep "$folder/fast.yaml" --vary A=-1e152,-4e153 >"$folder/fast.cpu" 2>/dev/null || failed=1
"$carom" sweep "$folder/fast.yaml" --vary A=-1e152,-4e153 --device any >"$folder/fast.device" 2>/dev/null || failed=1
for table in cpu device; do
    check awk -F, '{ gsub(/"[^"]*"/, "told") } NR > 1 { d = $5 / (-4.5 * $1) - 1; bad = bad || d * d > 1e-24 || $6 != 1 } END { exit bad || NR != 3 }' "$folder/fast.$table"
done

# A flight over a table that is never met, and whose end is more points away than anybody waits for.
cat >"$folder/endless.yaml" <<'END'
carom: 1
parameters: {T: 10}
system:
  coordinates: [y]
  kinetic: y'^2/2
  contacts: {table: {gap: y - sin(t), restitution: 0.5}}
initial: {y: 1.5}
run: {until: T}
END
"$carom" sweep "$folder/endless.yaml" --vary T=1000,1e100 >"$folder/endless.cpu" 2>"$folder/out" || failed=1
expect 0 "2 cells failed" timeout 60 "$carom" sweep "$folder/endless.yaml" --vary T=1000,1e12,1e100 --device any -o "$folder/endless.csv"
check grep -q "^1000,ok,1000,1.5,0,0," "$folder/endless.cpu"
check grep -q "^1000,ok,1000,1.5,0,0," "$folder/endless.csv"
check grep -q "^1e+100,underflow," "$folder/endless.cpu"
check grep -q '^1e+100,"underflow: ' "$folder/endless.csv"

# Values that are no numbers are refused as they are everywhere; what becomes none in a cell is its status.
for value in nan inf -inf; do
    expect 2 "not a finite number" "$carom" sweep "$folder/endless.yaml" --vary T=$value --device any
    expect 2 "cannot be set to" "$carom" sweep "$folder/endless.yaml" --set T=$value --vary y=2 --device any
    printf 'T\n1\n%s\n' $value >"$folder/rows.csv"
    expect 2 "not a finite number" "$carom" sweep "$folder/endless.yaml" --rows "$folder/rows.csv" --device any
done
sed -e 's/until: T/until: 10\/T/' -e 's/y: 1.5/y: 1 + sqrt(T)/' "$folder/endless.yaml" >"$folder/undefined.yaml"
expect 0 "2 cells failed" timeout 60 "$carom" sweep "$folder/undefined.yaml" --vary T=1,0,-1 --device any -o "$folder/undefined.csv"
check grep -q "^0,.*infinite" "$folder/undefined.csv"
check grep -q "^-1,.*undefined" "$folder/undefined.csv"

# Masses 1e12 apart at two contacts, a corner that is run into without rebound, runs without end: the
# processor's numbers, digit by digit. Forces under which velocities overflow: a status.
cat >"$folder/rows.csv" <<'END'
r,g,T,a,b,c,e0,e1,k,x0,y0,v
1,9.81,1,0.3,0.7,-0.9,0.5,0.3,0,0,0,0.2
1e2,9.81,1,0.3,0.7,-0.9,0.5,0.3,0,0,0,0.2
1e4,9.81,1,0.3,0.7,-0.9,0.5,0.3,0,0,0,0.2
1e6,9.81,1,0.3,0.7,-0.9,0.5,0.3,0,0,0,0.2
1,9.81,3,-0.5,-0.5,1,0,0,0.2,1,1.1,-1
1,9.81,3,-0.5,-0.5,1,0,0,-1,1,1.1,-1
1,9.81,1e10,0.3,0.7,-0.9,0.5,0.3,0,0,0,0.2
1,9.81,1e300,0.3,0.7,-0.9,0.5,0.3,0,0,0,0.2
1,1e100,1,0.3,0.7,-0.9,0.5,0.3,0,0,0,0.2
END
"$carom" sweep "$folder/unequal.yaml" --rows "$folder/rows.csv" | cut -d, -f13-22 >"$folder/unequal.cpu" || failed=1
"$carom" sweep "$folder/unequal.yaml" --rows "$folder/rows.csv" --device any | cut -d, -f13-22 >"$folder/unequal.device" || failed=1
check same 1e-13 "$folder/unequal.device" "$folder/unequal.cpu"
expect 0 "1 cell failed" "$carom" sweep "$folder/unequal.yaml" --vary g=1e308
expect 0 "1 cell failed" "$carom" sweep "$folder/unequal.yaml" --vary g=1e308 --device any

# Basins: every cell goes where it goes on the CPU.
expect 2 "has a .section" "$carom" basins "$source/scenes/shaw_holmes.yaml" --vary x=-1:0:2 --vary "x'=-1:1:2" --device any
grid="--set stop=2.2 --set w=0.9 --vary x=-2:2:4 --skip 60"
"$carom" basins "$source/scenes/impact_oscillator.yaml" $grid --vary "x'=-2:2:4" >"$folder/cpu.txt" || failed=1
"$carom" basins "$source/scenes/impact_oscillator.yaml" $grid --vary "x'=-2:2:4" --device any >"$folder/device.txt" || failed=1
check cmp "$folder/cpu.txt" "$folder/device.txt"

# Going on: the rows that were there stay.
head -n 9 "$folder/device.csv" >"$folder/part.csv"
"$carom" sweep "$folder/contacts.yaml" --vary e=0.2:0.8:4 --keep impacts --device any --resume -o "$folder/part.csv" || failed=1
check cmp "$folder/device.csv" "$folder/part.csv"

echo "$count checks, $failed failed"
[ "$failed" -eq 0 ]
