# carom sweep: samples, tables, several laws, sections, following, summaries, pictures.
carom=$1 source=$2 scenes=$2/scenes
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 count=0
. "$source/tests/cli/checks.sh"
ball=$scenes/bouncing_ball.yaml

# x -> (x + 1)/2 each second, by an event; the fixed point is 1
cat >"$folder/map.yaml" <<'YAML'
carom: 1
parameters: {a: 0.5, start: 0}
system:
  coordinates: [x]
  kinetic: x'^2/2
  events: {tick: {at: sin(pi*t), direction: both, set: {x: a*x + 1 - a}}}
initial: {x: start, t: 0.5}
section: {at: tick, keep: [x, 10*x]}
run: {until: 4.7}
YAML
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.5,0.25 --keep section --skip 1
check says '^a,t,x,10\*x,point,status$'
check says '^0.5,2,0.75,7.5,2,ok$'
check says '^0.25,3.99*[0-9]*,0.99609375,9.9609375,4,ok$\|^0.25,4,0.99609375,9.9609375,4,ok$'
check [ "$(wc -l <"$folder/out")" = 7 ]
# what is a column anyway is not kept once more
sed 's/keep: .*}/keep: [t, x, a, x, start]}/' "$folder/map.yaml" >"$folder/twice.yaml"
check status_is 0 "$carom" sweep "$folder/twice.yaml" --vary a=0.5,0.25 --keep section
check says '^a,t,x,start,point,status$'
check says '^0.5,2,0.75,0,2,ok$'
# following: each value starts where the one before ended
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.5,0.5,0.5 --set initial.t=0.5 --follow both --keep section --skip 3
check says '^a,follow,t,x,10\*x,point,status$'
check says '^0.5,up,[^,]*,0.9375,'
check says '^0.5,up,[^,]*,0.99609375,'
check says '^0.5,down,[^,]*,0.99999'
check [ ! -s "$folder/err" ]
# what only says where a motion starts is felt by the first of them alone, directly or through others
sed 's/^parameters: {/parameters: {x0: 0.1, twice: 2*x0, /; s/^initial: {.*/initial: {x: twice}/' "$folder/map.yaml" >"$folder/start.yaml"
for name in x0 twice initial.x; do
    check status_is 0 "$carom" sweep "$folder/start.yaml" --vary $name=0.1,0.2 --follow up
    check says "warning: sweep: $name changes nothing but the start of a motion"
done
check status_is 0 "$carom" sweep "$folder/start.yaml" --vary a=0.5,0.25 --follow up
check [ ! -s "$folder/err" ]
# no points is said
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.5 --keep section --skip 9
check says '^0.5,,,,,no points: the motion has 4 and --skip leaves out the first 9$'

# a forced oscillator sampled once a period: the phase is kept where the period varies
cat >"$folder/forced.yaml" <<'YAML'
carom: 1
parameters: {w: 2}
system:
  coordinates: [x]
  kinetic: x'^2/2
  potential: x^2/2
  forces: {x: 3*cos(w*t) - 0.5*x'}
initial: {x: 0, t: 1}
period: 2*pi/w
run: {until: 101}
YAML
check status_is 0 "$carom" sweep "$folder/forced.yaml" --vary w=2,3 --follow up --keep section --skip 25
# x = 3 ((1 - w^2) cos wt + w/2 sin wt)/((1 - w^2)^2 + w^2/4) at wt = 2 pi k: -0.9 and -3*8/66.25
check says '^2,[^,]*,-0.900000'
check says '^3,[^,]*,-0.3622641'
check [ "$(grep -c '^3,' "$folder/out")" -gt 10 ]

# tables, samples, laws
printf 'e,g\n0.5,9.81\n0.25,1\n' >"$folder/rows.csv"
check status_is 0 "$carom" sweep "$ball" --rows "$folder/rows.csv" --law newton --law poisson
check says '^e,g,law,status,'
check says '^0.25,1,poisson,ok,'
check [ "$(wc -l <"$folder/out")" = 5 ]
check status_is 0 "$carom" sweep "$ball" --sample 'e=uniform(0.2,0.8)' --sample 'g=normal(10,1)' --count 64 -o "$folder/a.csv"
check status_is 0 "$carom" sweep "$ball" --sample 'e=uniform(0.2,0.8)' --sample 'g=normal(10,1)' --count 64 -o "$folder/b.csv"
check cmp "$folder/a.csv" "$folder/b.csv"
check status_is 0 "$carom" sweep "$ball" --sample 'e=uniform(0.2,0.8)' --sample 'g=normal(10,1)' --count 64 --seed 1 -o "$folder/c.csv"
check [ "$(cmp -s "$folder/a.csv" "$folder/c.csv"; echo $?)" = 1 ]
check [ "$(cut -d, -f1 "$folder/a.csv" | awk 'NR > 1 {s += $1} END {print (s/64 > 0.49 && s/64 < 0.51)}')" = 1 ]

# summaries: of x over samples of its start, which the map halves four times
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.5 --sample 'start=uniform(-15,17)' --count 1024 --summary mean,min,max,0.25
check says '^a,status,count,failed,t:mean,.*x:mean,x:min,x:max,x:q0.25'
check [ "$(awk -F, 'NR == 2 {print ($9 > 0.999 && $9 < 1.001 && $10 > 0 && $10 < 0.01 && $12 > 0.49 && $12 < 0.51)}' "$folder/out")" = 1 ]

# going on, with points and with chains
for kind in csv h5; do
    check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:9 --law newton --law poisson --keep section -o "$folder/p.$kind"
    check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:9 --law newton --law poisson --keep section -o "$folder/q.$kind"
    check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:9 --law newton --law poisson --keep section -o "$folder/q.$kind" --resume
    check cmp "$folder/p.$kind" "$folder/q.$kind"
    check status_is 2 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:9 --law newton --law moreau --keep section -o "$folder/q.$kind" --resume
done
head -n 24 "$folder/p.csv" >"$folder/cut.csv"
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:9 --law newton --law poisson --keep section -o "$folder/cut.csv" --resume
check cmp "$folder/p.csv" "$folder/cut.csv"
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:9 --law newton --law poisson --follow down -o "$folder/f.csv"
head -n 14 "$folder/f.csv" >"$folder/g.csv"
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:9 --law newton --law poisson --follow down -o "$folder/g.csv" --resume
check cmp "$folder/f.csv" "$folder/g.csv"

# pictures: the same bytes, a table beside it
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:30 --plot '2*x' -o "$folder/d.svg"
check says '^0.9,'
check status_is 0 "$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:30 --plot '2*x' -o "$folder/e.svg"
# whoever reads the table may leave: the picture comes all the same
"$carom" sweep "$folder/map.yaml" --vary a=0.1:0.9:3000 --plot '2*x' -o "$folder/left.svg" | head -1 >"$folder/out"
check test -s "$folder/left.svg"
check cmp "$folder/d.svg" "$folder/e.svg"
check grep -q '2\*x' "$folder/d.svg"
if command -v rsvg-convert >/dev/null; then
    check status_is 0 "$carom" sweep "$scenes/cradle.yaml" --law newton --law poisson --plot energy_change -o "$folder/d.pdf"
fi

# modes and details on request
check status_is 0 "$carom" sweep disc_on_plane --vary mu=0.1,0.3 --with modes
check says ',mode:floor$\|,mode:[a-z]*$'
check status_is 0 "$carom" sweep kane_pendulum --law path:stop=newton --law path:stop=stronge --with modes,details
check says 'mode:.*,details\.'
expect 2 'there are modes, details' "$carom" sweep "$ball" --vary e=1 --with colours
expect 2 'details are of single impacts' "$carom" sweep "$ball" --vary e=1 --with details

# what is refused, and why
expect 2 'there is no name' "$carom" sweep "$ball" --sample 'normal(1,2)' --count 3
expect 2 'is no distribution; there are uniform' "$carom" sweep "$ball" --sample 'e=gauss(1,2)' --count 3
expect 2 'needs --count' "$carom" sweep "$ball" --sample 'e=uniform(0,1)'
expect 2 'belong to --sample' "$carom" sweep "$ball" --vary e=1 --count 3
expect 2 'not a whole number' "$carom" sweep "$ball" --sample 'e=uniform(0,1)' --count 2.5
expect 2 'varies twice' "$carom" sweep "$ball" --vary e=1 --sample 'e=uniform(0,1)' --count 3
expect 2 "'e' varies: --set e=1 has no effect" "$carom" sweep "$ball" --vary e=1 --set e=1
expect 2 "no parameter 'zz': there are m, g, q0, e; values" "$carom" sweep "$ball" --vary zz=1
expect 2 'final, impacts, section and orbit' "$carom" sweep "$ball" --vary e=1 --keep sections
expect 2 'needs `section` or `period`' "$carom" sweep "$ball" --vary e=1 --keep section
expect 2 'up, down and both' "$carom" sweep "$ball" --vary e=1 --follow left
expect 2 'to go along' "$carom" sweep "$ball" --rows "$folder/rows.csv" --follow up
expect 2 '\-\-plot' "$carom" sweep "$ball" --vary e=1 --plot nothing -o "$folder/n.svg"
expect 2 'needs -o PICTURE' "$carom" sweep "$ball" --vary e=1 --plot q
expect 2 'is a picture' "$carom" sweep "$ball" --vary e=1 -o "$folder/n.svg"
expect 2 'mean, sd, min, max' "$carom" sweep "$ball" --vary e=1 --summary median
printf 'e,g\n0.5\n' >"$folder/bad.csv"
expect 2 'bad.csv:2:1: 1 values under 2 names' "$carom" sweep "$ball" --rows "$folder/bad.csv"
printf 'e,g\n0.5,x\n' >"$folder/bad.csv"
expect 2 "bad.csv:2:2: 'x' under .g. is not a finite number" "$carom" sweep "$ball" --rows "$folder/bad.csv"
printf 'e,gg\n0.5,1\n' >"$folder/bad.csv"
expect 2 "no parameter 'gg'; did you mean 'g'" "$carom" sweep "$ball" --rows "$folder/bad.csv"
printf 'e\n' >"$folder/bad.csv"
expect 2 'no rows' "$carom" sweep "$ball" --rows "$folder/bad.csv"
expect 2 'cannot read' "$carom" sweep "$ball" --rows "$folder/none.csv"
check [ ! -e "$folder/n.svg" ]

# Periodic motions, one a cell: as `carom orbit` finds them; what it does not find is a status.
walker=$scenes/simplest_walker.yaml
"$carom" sweep "$walker" --vary slope=0.007,0.009 --keep orbit >"$folder/orbits.csv"
for slope in 0.007 0.009; do
    "$carom" orbit "$walker" --set slope=$slope --json >"$folder/orbit.json"
    period=$(sed -n 's/.*"period": \([^,]*\),.*/\1/p' "$folder/orbit.json")
    found=$(awk -F, -v s=$slope '$1 == s {printf "%.17g", $8}' "$folder/orbits.csv")
    check awk "BEGIN {exit !($period == $found)}"
done
expect 0 '0.007,ok.*,1,' cat "$folder/orbits.csv"
expect 2 'whole number' "$carom" sweep "$walker" --vary slope=0.007 --keep orbit --periods 1.5
expect 2 'carom follow' "$carom" sweep "$walker" --vary slope=0.007,0.008 --keep orbit --follow up
expect 2 'belongs to --keep orbit' "$carom" sweep "$walker" --vary slope=0.007 --periods 2
expect 0 'none: ' "$carom" sweep "$walker" --vary slope=0.5 --keep orbit

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
