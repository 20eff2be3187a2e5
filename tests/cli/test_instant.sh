# Instants of a motion: --at, --at-impact, of scenes and of traces.
carom=$1 source=$2 scenes=$2/scenes
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 count=0
. "$source/tests/cli/checks.sh"
ball=$scenes/bouncing_ball.yaml

# the third impact of a ball dropped from 1: t = sqrt(2/g) (1 + 2 e + 2 e^2), speed e^2 sqrt(2 g)
check status_is 0 "$carom" impact "$ball" --set e=0.5 --at-impact 3 --law newton
check says '^impact 3 of the motion, t = 1.12880[0-9]*; up to there by law newton$'
check says '^before  *-1.10736'
check says '^newton  *0.553681'
for kind in h5 csv; do
    check status_is 0 "$carom" run "$ball" --set e=0.5 --every 0.1 -o "$folder/t.$kind"
done
check status_is 0 "$carom" impact "$folder/t.h5" --at-impact 3 --law newton
check says '^impact 3 of the motion, t = 1.12880[0-9]*$'
check says '^newton  *0.553681'
check status_is 0 "$carom" impact "$folder/t.h5" --at-impact 3 --law newton --json
check says '"impact": 3'
expect 1 'no contact is closed' "$carom" impact "$folder/t.h5" --at 0.2
expect 1 'no row at t = 0.25, the nearest is at t = 0.[23]' "$carom" impact "$folder/t.h5" --at 0.25
expect 1 'impacts in the trace, --at-impact 5000 is beyond' "$carom" impact "$folder/t.h5" --at-impact 5000
expect 2 'which instant of it' "$carom" impact "$folder/t.h5"
# a time: after the accumulation the ball rests on the floor
check status_is 0 "$carom" impact "$ball" --set e=0.5 --at 5 --law newton
check says '^t = 5 of the motion'
check says '^newton  *0  *0 '
for command in check inspect "plot --what velocity-space"; do
    check status_is 0 "$carom" $command "$scenes/double_pendulum.yaml" --at-impact 2
done
# 48 contacts, most of bodies at rest: what is rounding across the row is no missing momentum
for law in newton moreau inelastic poisson; do
    check status_is 0 "$carom" impact "$scenes/domino_row.yaml" --at-impact 3 --law $law
    check says "^$law  *-8.38986e-05  *✓ ✓ ✓"
done
expect 1 'there are [0-9]* impacts up to t = 10, --at-impact 1000000 is beyond' "$carom" impact "$ball" --at-impact 1000000
# an instant that the motion does not reach: every command says so, with status 1
cat >"$folder/ends.yaml" <<'EOF'
carom: 1
system:
  coordinates: [q]
  kinetic: q'^2/2
  potential: q
  forces: {q: sqrt(1 - t)}
  contacts: {floor: {gap: q, restitution: 0.5}}
initial: {q: 0, q': -1}
law: newton
run: {until: 10}
EOF
for command in check inspect impact outcomes "plot --what velocity-space"; do
    expect 1 'there are 154 impacts up to t = 10, --at-impact 9999 is beyond' "$carom" $command "$ball" --at-impact 9999
    expect 1 'impacts in the trace, --at-impact 5000 is beyond' "$carom" $command "$folder/t.h5" --at-impact 5000
    expect 1 'there is 1 impact up to t = 1, --at-impact 2 is beyond' "$carom" $command "$folder/ends.yaml" --at-impact 2
    expect 1 'ended at t = 1, before --at 5' "$carom" $command "$folder/ends.yaml" --at 5
done
expect 2 'numbered 1, 2, 3' "$carom" impact "$ball" --at-impact 0
expect 2 'numbered 1, 2, 3' "$carom" impact "$ball" --at-impact 1.5
expect 2 'not both' "$carom" impact "$ball" --at-impact 1 --at 2
expect 2 'before the start' "$carom" impact "$ball" --at=-1
expect 2 'has no motion' "$carom" impact "$scenes/cradle.yaml" --at-impact 1
expect 1 'at-impact 1 runs to the first impact' "$carom" impact "$ball"

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
