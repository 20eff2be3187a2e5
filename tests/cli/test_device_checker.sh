#!/bin/sh
# The kernels of motions under oclgrind, which interprets them and looks at every access: none is out of bounds, no
# decision depends on what was never written. Flights, series, friction; cells that are no numbers or do not end.
# $1 = program
set -u
carom=$1 folder=$(cd "$(mktemp -d)" && pwd -P) failed=0 count=0
trap 'rm -rf "$folder"' EXIT
. "$2/tests/cli/checks.sh"
export LSAN_OPTIONS=detect_leaks=0 # of OpenCL itself
library=$(find /usr/lib -name 'liboclgrind-rt-icd.so' 2>/dev/null | head -n 1)
if [ -z "$library" ]; then
    echo "no oclgrind (apt install oclgrind): nothing to test"
    exit 0
fi
echo "$library" >"$folder/oclgrind.icd"
# its checker of uninitialised values knows neither sincos nor what optimisation makes of some branches
export OCL_ICD_VENDORS="$folder" OCLGRIND_UNINITIALIZED=1 OCLGRIND_CHECK_API=1
export OCLGRIND_BUILD_OPTIONS='-cl-opt-disable -Dsincos(a,b)=(*(b)=cos(a),sin(a))'
if ! "$carom" devices 2>/dev/null | grep -q -i oclgrind; then
    echo "oclgrind is not found by OpenCL: nothing to test"
    exit 0
fi

# clean ROWS SCENE options...: it ends in time, nothing is reported, and every cell has a status
clean() {
    rows=$1 scene=$2
    shift 2
    timeout 300 "$carom" sweep "$folder/$scene.yaml" "$@" --device any >"$folder/table.csv" 2>"$folder/said" || return 1
    if grep -q -i -e "uninit" -e "invalid" -e "exceeds" -e "FATAL" "$folder/said"; then
        grep -v '^$' "$folder/said" | head -n 8
        return 1
    fi
    awk -F, -v rows="$rows" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "status") s = k; next }
        $s == "" { bad = 1 } END { exit bad || NR != rows + 1 }' "$folder/table.csv" || { cat "$folder/table.csv"; return 1; }
}

cat >"$folder/ball.yaml" <<'END'
carom: 1
parameters: {mu: 0.3, k: 5, e: 0.2, x0: 1, u0: 1, y0: 0.001, T: 0.6, s: 0}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*y + k/2*x^2
  forces: {x: sqrt(1 - s*t) - 1}
  contacts: {floor: {gap: y, slip: x', friction: mu, restitution: e}}
initial: {y: y0, x: x0, x': u0}
law: coulomb
run: {until: T}
END
cat >"$folder/block.yaml" <<'END'
carom: 1
parameters: {mu: 0.5, e: 0.1, b: 0.5, h: 1, th0: 0.02, A: 0.3, w: 3, u0: 0, T: 0.2}
system:
  coordinates: [x, y, th]
  kinetic: (x'^2 + y'^2 + (b^2 + h^2)/3*th'^2)/2
  potential: 9.81*y
  contacts:
    left: {gap: y - h*cos(th) - b*sin(th), slip: x' + (h*cos(th) + b*sin(th))*th' - A*cos(w*t), friction: mu, restitution: e}
    right: {gap: y - h*cos(th) + b*sin(th), slip: x' + (h*cos(th) - b*sin(th))*th' - A*cos(w*t), friction: mu, restitution: e}
initial: {y: h*cos(th0) + b*sin(th0), th: th0, x': u0}
law: coulomb
run: {until: T}
END
cat >"$folder/table.yaml" <<'END'
carom: 1
parameters: {G: 1.2, e: 0.5, T: 3}
system:
  coordinates: [y]
  kinetic: y'^2/2
  potential: 9.81*y
  contacts: {table: {gap: y - G*sin(2*t), restitution: e}}
initial: {y: 2}
run: {until: T}
END
# slides, sticks; a force that is no number from t = 0.2 on; a start in the floor; velocities that overflow
printf 'mu,x0,y0,s,k\n0.3,1,0.001,0,5\n0.9,0.3,0,0,5\n0.3,1,0.001,5,5\n0.3,1,-1,0,5\n0.3,1e300,0.001,0,1e300\n' >"$folder/rows.csv"
check clean 5 ball --rows "$folder/rows.csv"
check clean 3 ball --vary e=0,0.2,0.99 --set T=0.1
check clean 2 block --vary mu=0.1,0.6
check clean 1 block --set th0=0 --vary A=2
check clean 4 table --vary G=1.2,1e308,1e-320,0
echo "$count checks, $failed failed"
[ "$failed" -eq 0 ]
