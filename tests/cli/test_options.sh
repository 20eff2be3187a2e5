#!/bin/sh
# Options of the commands that move things, and what is taken when nothing is said.
# $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

ball=$scenes/bouncing_ball.yaml
cat >"$folder/slide.yaml" <<'END'
carom: 1
parameters: {mu: 0.3, v: 1}
system:
  coordinates: [x, y]
  kinetic: (x'^2 + y'^2)/2
  potential: 9.81*y
  contacts: {floor: {gap: y, slip: x', friction: mu}}
initial: {x: 2*v, y: 0.1, x': v}
END

# the law by default: friction is not left out, and the answer says so
check status_is 0 "$carom" run "$folder/slide.yaml" --until 0.2 --json
check says '"law": "coulomb"'
check says '"law_is_default": true'
check status_is 0 "$carom" run "$folder/slide.yaml" --until 0.2
check says 'law coulomb by default'
check status_is 0 "$carom" run "$folder/slide.yaml" --until 0.2 --law newton --json
check says '"law_is_default": false'
check status_is 0 "$carom" run "$folder/slide.yaml" --until 0.2 --set mu=0 --json
check says '"law": "newton"'
check status_is 0 "$carom" sweep "$folder/slide.yaml" --vary mu=0.3 --set initial.y=0 --set "initial.y'=-1"
check says "^0.3,ok,0.7,0,"

# initial values: what stands above others counts for them
check status_is 0 "$carom" run "$folder/slide.yaml" --until 0 --set initial.x=5 --set "initial.y'=mu*2" --json
check says '"position": \[5, 0.1'
check says '"velocity": \[1, 0.6\]'
check says '"set": \["initial.x=5", "initial.y.=mu\*2"\]'
check status_is 0 "$carom" sweep "$ball" --vary initial.q=1,2
check says '^initial.q,status,t,q'
check status_is 2 "$carom" run "$folder/slide.yaml" --until 1 --set initial.z=1
check says 'initial.z cannot be set'
check status_is 2 "$carom" impact "$scenes/cradle.yaml" --set initial.x1=1
check says 'has no `initial`'
check status_is 2 "$carom" run "$ball" --set zz=1
check says 'no parameter `zz` to set: there are m, g, q0, e'
check status_is 2 "$carom" run "$ball" --set q1=1
check says 'did you mean `q0`'
check status_is 2 "$carom" sweep "$ball" --vary initial.p=1,2
check says "no parameter 'initial.p'"

# method, step, end, rows
check status_is 2 "$carom" run "$folder/slide.yaml"
check says 'until'
check status_is 0 "$carom" run "$ball" --method time-stepping --step 0.01 --until 1 --json
check says '"method": "time-stepping"'
check says '"step": 0.01'
check status_is 2 "$carom" run "$ball" --method time-stepping
check says 'needs a step'
check status_is 2 "$carom" run "$ball" --step 0.1
check status_is 2 "$carom" run "$ball" --method boundary-layer
check says 'needs its width'
check status_is 2 "$carom" run "$ball" --method nonsense
check says 'there are event-driven, time-stepping and boundary-layer'
for bad in '--every 0' '--every=-1' '--step x' '--until inf' '--every 0x1' '--until 1,5'; do
    check status_is 2 "$carom" run "$ball" $bad
done
rows() { grep -c ',row,' "$1"; }
sed 's/, output: 0.01//' "$ball" >"$folder/plain.yaml"
check status_is 0 "$carom" run "$folder/plain.yaml" -o "$folder/a.csv"
check [ "$(rows "$folder/a.csv")" = 1001 ]
check status_is 0 "$carom" run "$ball" -o "$folder/b.csv" --every 0.5
check [ "$(rows "$folder/b.csv")" = 21 ]
check grep -q '^8.578[0-9]*,accumulation,.*contact floor' "$folder/b.csv"
check grep -q '^10,end,.*reached$' "$folder/b.csv"
check grep -q ',about,.*parameter: e=0.9$' "$folder/b.csv"
check grep -q ',scene,.*kinetic: m/2' "$folder/b.csv"
check status_is 2 "$carom" run "$ball" --every 1e-12
check says 'output is 1e-12'

# what was computed is in the answer
check status_is 0 "$carom" run "$ball" --set e=0.5 --json
for part in '"e": 0.5' '"set": \["e=0.5"\]' '"scene": "# A ball' '"version": ' '"position": \[' '"velocities": '; do
    check says "$part"
done

# lists of impacts: the struck contacts, the hardest first
check status_is 0 "$carom" run "$scenes/cradle_motion.yaml"
check says 't  energy change  contacts struck'

# messages
check status_is 2 "$carom" impact "$ball" --law nwton
check says "^carom: --law .nwton. is unknown: did you mean .newton.?"
check status_is 2 "$carom" sweep "$ball" --vary e=0:1
check says 'the count is missing'
check status_is 2 "$carom" run "$ball" --set e=1.4
check says 'any-restitution'

# tables and messages do not obey what is in files
printf 'carom: 1\ntitle: "a\\u009b2Jb"\n' >"$folder/title.yaml"
check status_is 2 "$carom" inspect "$folder/title.yaml"
check says 'title.yaml:2:8: .*U+009B'
printf 'carom: 1\ntitle: "a\\rb"\n' >"$folder/title.yaml"
check status_is 2 "$carom" inspect "$folder/title.yaml"
check says 'U+000D'
printf 'carom: 1\ntitle: "a\\u202eb"\n' >"$folder/title.yaml"
check status_is 2 "$carom" inspect "$folder/title.yaml"
check says 'U+202E'
check status_is 2 "$carom" inspect "$folder/$(printf '\033[2J')"
check says 'x1B\[2J'

# no line of any table ends in blanks
for command in "impact $scenes/cradle.yaml" "impact $scenes/rigid_body.yaml" "run $ball" laws solvers help \
    "rods --length 1,2 --speed 1" "inspect $scenes/cradle.yaml"; do
    check status_is 0 "$carom" $command
    check [ -z "$(grep -n ' $' "$folder/out")" ]
done

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
