#!/bin/sh
# What the coefficients of one point do not tell: pulses that are far away, ends of chains that begin to move at a
# high order, high powers of what is zero. On a device as the integrals are, and as on the processor.
# CAROM_AUDIT_SEED: other cells, CAROM_AUDIT_TIMES: more. $1 = program, $2 = source folder
set -u
carom=$1 folder=$(cd "$(mktemp -d)" && pwd -P) failed=0 count=0
trap 'rm -rf "$folder"' EXIT
. "$2/tests/cli/checks.sh"
export LSAN_OPTIONS=detect_leaks=0 # of OpenCL itself
if ! "$carom" devices >"$folder/out" 2>&1; then
    echo "no device: nothing was tested"
    exit 0
fi
seed=${CAROM_AUDIT_SEED:-1} members=$((16 * ${CAROM_AUDIT_TIMES:-1}))

# near BOUND TABLE TABLE COLUMNS: cells are ok, and the columns after t the same, of 1 or of their size
near() {
    paste -d '|' "$2" "$3" | awk -F'|' -v bound="$1" -v columns="$4" '
        { n = split($1, a, ","); split($2, b, ",") }
        NR == 1 { for (k = 1; k <= n; k++) if (a[k] == "status") s = k; next }
        { for (k = s; k < s + 2 + columns; k++) {
              d = a[k] - b[k]; if (d < 0) d = -d; size = b[k] < 0 ? -b[k] : b[k]
              if ((k == s && (a[k] != "ok" || b[k] != "ok")) || d > bound * (size > 1 ? size : 1)) { bad = 1; print NR, k, a[k], b[k] } } }
        END { exit bad || NR < 3 }'
}

# A push of width s at a, on a mass that moves freely: after it u = u0 + F s sqrt(pi), x = u0 t + F s sqrt(pi) (t - a).
cat >"$folder/pulse.yaml" <<'END'
carom: 1
parameters: {s: 0.1, a: 2, F: 1, u: 0.1}
system:
  coordinates: [x]
  kinetic: x'^2/2
  forces: {x: F*exp(-((t - a)/s)^2)}
  contacts: {wall: {gap: 100 - x, restitution: 0.5}}
initial: {x': u}
law: newton
run: {until: 4}
END
awk -v seed="$seed" -v n="$members" 'BEGIN { srand(seed); print "s,a,F,u"
    for (k = 0; k < n; k++) printf "%.9g,%.9g,%.9g,%.9g\n", exp(log(0.03) + rand() * log(10)), 1.5 + rand(), 2 * rand(), rand() }' >"$folder/rows.csv"
"$carom" sweep "$folder/pulse.yaml" --rows "$folder/rows.csv" --device any >"$folder/device.csv" || failed=1
check awk -F, 'function size(x) { return x < 0 ? -x : x }
    NR > 1 { push = $3 * $1 * sqrt(atan2(0, -1)); off = size($8 - $4 - push) + size($7 - 4 * $4 - push * (4 - $2))
             if ($5 != "ok" || off > 1e-9) { bad = 1; print } }
    END { exit bad || NR < 3 }' "$folder/device.csv"

# The same push beside a spring, from a table, and on a block that sticks until then.
cat >"$folder/pushed.yaml" <<'END'
carom: 1
parameters: {s: 0.1, a: 2, F: 1, u: 0.1}
system:
  coordinates: [x, y, z, w]
  kinetic: (x'^2 + y'^2 + z'^2 + w'^2)/2
  potential: x^2/2 + 9.81*(y + w)
  forces: {x: F*exp(-((t - a)/s)^2)/s - 0.1*x', y: -0.01*y', z: 5*F*exp(-((t - a)/s)^2)/s}
  contacts:
    table: {gap: y - 0.3*exp(-((t - a)/s)^2), restitution: 0.5}
    floor: {gap: w, slip: z', friction: 0.4}
initial: {x': u, y: 0.5}
law: coulomb
run: {until: 4}
END
"$carom" sweep "$folder/pushed.yaml" --rows "$folder/rows.csv" >"$folder/cpu.csv" || failed=1
"$carom" sweep "$folder/pushed.yaml" --rows "$folder/rows.csv" --device any >"$folder/device.csv" || failed=1
check near 1e-9 "$folder/device.csv" "$folder/cpu.csv" 8

# A chain that is struck at its end: the other end begins at order 15, the work of its damper at 31.
cat >"$folder/chain.yaml" <<'END'
carom: 1
parameters: {k: 1, c: 0.1, u: 1, d: 0.3}
system:
  coordinates: [x1, x2, x3, x4, x5, x6, x7, x8]
  kinetic: (x1'^2 + x2'^2 + x3'^2 + x4'^2 + x5'^2 + x6'^2 + x7'^2 + x8'^2)/2
  potential: k/2*(x1^2 + (x2 - x1)^2 + (x3 - x2)^2 + (x4 - x3)^2 + (x5 - x4)^2 + (x6 - x5)^2 + (x7 - x6)^2 + (x8 - x7)^2)
  forces: {x1: -c*x1'}
  contacts: {end: {gap: d - x1, restitution: 0.5}, rest: {gap: x2, restitution: 0.3}}
initial: {x8': u}
law: newton
run: {until: 12}
END
awk -v seed="$seed" -v n="$members" 'BEGIN { srand(seed); print "k,c,u,d"
    for (k = 0; k < n; k++) printf "%.9g,%.9g,%.9g,%.9g\n", 0.5 + 2 * rand(), 0.3 * rand(), 0.2 + rand(), 0.05 + 0.4 * rand() }' >"$folder/rows.csv"
"$carom" sweep "$folder/chain.yaml" --rows "$folder/rows.csv" >"$folder/cpu.csv" || failed=1
"$carom" sweep "$folder/chain.yaml" --rows "$folder/rows.csv" --device any >"$folder/device.csv" || failed=1
check near 1e-9 "$folder/device.csv" "$folder/cpu.csv" 16

# High powers: walls of a box, a push that begins flat. They are products, so that what is raised may be zero.
cat >"$folder/powers.yaml" <<'END'
carom: 1
parameters: {F: 1, u: 1}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: x^24
  forces: {y: F*sin(t)^40}
  contacts: {wall: {gap: 0.8 - y, restitution: 0.6}}
initial: {x': u, y': 0.1}
law: newton
run: {until: 4}
END
"$carom" sweep "$folder/powers.yaml" --vary F=0.5:2:4 --vary u=0.5:1.5:4 >"$folder/cpu.csv" || failed=1
"$carom" sweep "$folder/powers.yaml" --vary F=0.5:2:4 --vary u=0.5:1.5:4 --device any >"$folder/device.csv" || failed=1
check near 1e-9 "$folder/device.csv" "$folder/cpu.csv" 4

echo "$count checks, $failed failed"
[ "$failed" -eq 0 ]
