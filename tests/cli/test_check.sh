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

# a scene without a law has the default one, and is told which
printf 'carom: 1\nimpact:\n  mass: [1, 1]\n  velocity: [1, -1]\n  contacts: [{normal: [0, 1], slip: [1, 0], friction: 0.2}]\n' >"$folder/bare.yaml"
expect 0 '; law coulomb by default; restitution' "$carom" check "$folder/bare.yaml"
expect 0 '"law": "coulomb", "law_is_default": true' "$carom" check "$folder/bare.yaml" --json
sed 's/friction: 0.2/friction: 0/' "$folder/bare.yaml" >"$folder/smooth.yaml"
expect 0 '; law newton by default; restitution' "$carom" check "$folder/smooth.yaml"
expect 0 '"law": "newton", "law_is_default": false' "$carom" check "$scenes/bouncing_ball.yaml" --set q0=0 --json

# the matrix that explains an outcome; time and work
expect 0 'outcome of --after .* E = 0.1 0 0.8 0' "$carom" check "$scenes/three_balls.yaml" --after 0,0.1,0.9
expect 0 '"conservative": { "holds": true' "$carom" check "$scenes/three_balls.yaml" --json
expect 2 'must be positive' "$carom" check "$scenes/three_balls.yaml" --budget 0

# inspect: edges of T, joints, quasi-forces; impact: details
expect 0 'edges of T, of unit kinetic length (3 x 2) u1 -0.816497 -0.408248' "$carom" inspect "$scenes/three_balls.yaml"
expect 0 'bilateral 1 0.252751 -0.314416' "$carom" inspect "$scenes/slider_crank.yaml"
expect 0 '"quasi_forces": { "F_n": ' "$carom" inspect "$scenes/rocking_block.yaml" --json
expect 0 'end stick 1.04761 -0.340987 0.5 0.363568 V_S 0.730144939' "$carom" impact "$scenes/breakable_rod.yaml" --law breakable --details
expect 0 '"V_S_vector": \[' "$carom" impact "$scenes/breakable_rod.yaml" --law breakable --json

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
# spatial contacts at rest: unique where it is proved, none where no forces help
cat >"$folder/two.yaml" <<'END'
carom: 1
parameters: {mu: 0.1}
system:
  coordinates: [x, y, z, a, b, c]
  kinetic: (x'^2 + y'^2 + z'^2 + a'^2 + b'^2 + c'^2)/2
  potential: 9.81*(z + c)
  forces: {x: 0.5, b: 1.5}
  contacts:
    first: {gap: z, slip: ["x'", "y'"], friction: mu}
    second: {gap: c, slip: ["a'", "b'"], friction: mu}
END
expect 0 'state: unique .*first stick 9.81 -0.5, 0 .*second slip 9.81 ' "$carom" check "$folder/two.yaml"
expect 0 'state: unique .*second stick 9.81 0, -1.5 ' "$carom" check "$folder/two.yaml" --set mu=0.4
cat >"$folder/squeezed.yaml" <<'END'
carom: 1
system:
  coordinates: [x, y, z]
  kinetic: (x'^2 + y'^2 + z'^2)/2
  contacts:
    left: {gap: x - t^2, slip: ["y'", "z'"], friction: 0.3}
    right: {gap: -x - t^2, slip: ["y'", "z'"], friction: 0.3}
END
expect 0 'state: none .*no forces in the friction cones' "$carom" check "$folder/squeezed.yaml"
# a motion that needs no friction is the only one, however dependent the contacts: a table on four legs
cat >"$folder/table.yaml" <<'END'
carom: 1
parameters: {mu: 0.7, legs: 4}
system:
  coordinates: [x, y, z, a, b, c]
  kinetic: (x'^2 + y'^2 + z'^2)/2 + (a'^2 + b'^2 + c'^2)/8
  potential: 9.81*z
  repeat:
    - {index: i, from: 1, to: legs, contacts: {leg$i: {gap: z + a*sin(2*pi*$i/legs) - b*cos(2*pi*$i/legs), slip: ["x' + b' - c'*sin(2*pi*$i/legs)", "y' - a' + c'*cos(2*pi*$i/legs)"], friction: mu}}}
END
expect 0 'state: unique-motion .*leg1 stick 2.45' "$carom" check "$folder/table.yaml"
expect 0 'state: unique-motion .*leg3 stick 3.27' "$carom" check "$folder/table.yaml" --set legs=3
cat >"$folder/corner.yaml" <<'END'
carom: 1
system:
  coordinates: [x, y, z, a, b, c]
  kinetic: (x'^2 + y'^2 + z'^2)/2 + (a'^2 + b'^2 + c'^2)/5
  potential: 3*x + 2*y + 9.81*z
  contacts:
    floor: {gap: z, slip: ["x' - b'", "y' + a'"], friction: 0.5}
    left: {gap: x, slip: ["y' - c'", "z' + b'"], friction: 0.5}
    back: {gap: y, slip: ["x' + c'", "z' - a'"], friction: 0.5}
END
expect 0 'state: unique-motion .*floor stick .*left stick .*back stick ' "$carom" check "$folder/corner.yaml"
# a contact that can stick within the static coefficient is not said to slip with the dynamic one
cat >"$folder/static.yaml" <<'END'
carom: 1
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: 10*y
  forces: {x: 4.5}
  contacts: {floor: {gap: y, slip: x', friction_static: 0.5, friction_dynamic: 0.4}}
END
expect 0 'state: unique .*floor stick 10 ' "$carom" check "$folder/static.yaml"
[ "$failed" = 0 ]
