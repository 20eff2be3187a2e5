#!/bin/sh
# carom plot as a user meets it. $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes failed=0 count=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. "$2/tests/cli/checks.sh"

# every kind of every kind of scene: an SVG document, twice the same
for scene in disc_corner_motion rocking_block cradle_motion bouncing_ball; do
    for what in strobe trajectory phase energy forces; do
        check "$carom" plot "$scenes/$scene.yaml" --what "$what" -o "$work/a.svg" --force
        check grep -q '^</svg>$' "$work/a.svg"
        "$carom" plot "$scenes/$scene.yaml" --what "$what" >"$work/b.svg" 2>/dev/null
        check cmp -s "$work/a.svg" "$work/b.svg"
    done
done
# bodies: their centres from above where they keep their height, ropes as lines
check "$carom" plot "$scenes/billiards.yaml" --what trajectory -o "$work/a.svg" --force
check grep -q '>cue<' "$work/a.svg"
check "$carom" plot "$scenes/ball_cradle.yaml" -o "$work/a.svg" --force
check test "$(grep -c 'style="stroke:gray"' "$work/a.svg")" -ge 20
check "$carom" plot "$scenes/three_balls.yaml" --what velocity-space -o "$work/v.svg"
check grep -q '>newton, moreau, poisson' "$work/v.svg"
check "$carom" plot "$scenes/three_balls.yaml" --what velocity-space --axes u1,u3 -o "$work/w.svg"
check grep -q 'along u3' "$work/w.svg"
expect 2 "has no velocity 'nope'" "$carom" plot "$scenes/three_balls.yaml" --what velocity-space --axes u1,nope
expect 2 'needs a closed contact' "$carom" plot "$scenes/bouncing_ball.yaml" --what velocity-space

# a trace shows what its scene shows
"$carom" run "$scenes/disc_corner_motion.yaml" --set e=0.9 -o "$work/t.h5" >/dev/null
check "$carom" plot "$work/t.h5" --what energy -o "$work/c.svg"
"$carom" plot "$scenes/disc_corner_motion.yaml" --set e=0.9 --every 0.005 --what energy >"$work/d.svg"
check cmp -s "$work/c.svg" "$work/d.svg"
check "$carom" plot "$work/t.h5" -o "$work/e.svg"
check grep -q 'opacity="0.18"' "$work/e.svg"

# sections: at an event, at a contact, once a period
check "$carom" plot "$scenes/simplest_walker.yaml" --what section -o "$work/p.svg"
check test "$(grep -c '<circle class="f0 solid"' "$work/p.svg")" -gt 5
check "$carom" plot "$scenes/simplest_walker.yaml" --what section --skip 3 -o "$work/q.svg"
check test "$(($(grep -c '<circle class="f0' "$work/p.svg") - $(grep -c '<circle class="f0' "$work/q.svg")))" = 3
"$carom" run "$scenes/simplest_walker.yaml" -o "$work/w.h5" >/dev/null
check "$carom" plot "$work/w.h5" --what section -o "$work/r.svg"
check cmp -s "$work/p.svg" "$work/r.svg"
check "$carom" plot "$scenes/impact_oscillator.yaml" --what section -o "$work/s.svg"
check test "$(grep -c '<circle class="f0' "$work/s.svg")" = 19 # 150*0.8/(2 pi) = 19.1
{ cat "$scenes/impact_oscillator.yaml"; echo "section: {at: stop, keep: [t, x']}"; } >"$work/hits.yaml"
check "$carom" plot "$work/hits.yaml" --what section --x "sin(w*t)" -o "$work/u.svg"
expect 2 'needs `section` or `period`' "$carom" plot "$scenes/bouncing_ball.yaml" --what section
expect 2 'never passes its section' "$carom" plot "$work/hits.yaml" --set stop=50 --what section

# quantities by name
check "$carom" plot "$work/t.h5" --x t --y force:floor -o "$work/f.svg"
check "$carom" plot "$work/t.h5" --y energy:kinetic -o "$work/g.svg"
check "$carom" plot "$work/t.h5" --x x --y "y'" -o "$work/h.svg"
expect 2 "'zz': unknown name 'zz'" "$carom" plot "$work/t.h5" --y zz
expect 2 '\-\-x needs \-\-y' "$carom" plot "$work/t.h5" --x x
expect 2 "'force:roof' is not known" "$carom" plot "$work/t.h5" --y force:roof

# a CSV trace carries its scene: what is drawn follows from that
"$carom" run "$scenes/disc_corner_motion.yaml" -o "$work/t.csv" >/dev/null
check "$carom" plot "$work/t.csv" --what strobe -o "$work/fromcsv.svg"
"$carom" plot "$scenes/disc_corner_motion.yaml" --every 0.005 --what strobe >"$work/s2.svg"
check cmp -s "$work/fromcsv.svg" "$work/s2.svg"
check "$carom" plot "$work/t.csv" --what phase -o "$work/i.svg"
check "$carom" plot "$work/t.h5" --x "x + R*cos(th)" --y "y + R*sin(th)" -o "$work/n.svg"
expect 2 'found the end of the formula' "$carom" plot "$work/t.h5" --y 'sin('
grep -v ',scene,' "$work/t.csv" >"$work/bare.csv"
expect 2 'needs `draw`' "$carom" plot "$work/bare.csv" --what strobe
expect 2 "'zz' is not known; there are t, x, y, th, x', y', th'" "$carom" plot "$work/bare.csv" --y zz
# between rows that are far apart the path is that of the motion: its lowest points are impacts
cat >"$work/coarse.yaml" <<'END'
carom: 1
system: {coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, potential: 9.81*y, contacts: {floor: {gap: y, restitution: 0.8}}}
initial: {y: 1, x': 1}
run: {until: 3, output: 0.7}
draw: [{point: [x, y]}]
END
"$carom" run "$work/coarse.yaml" -o "$work/coarse.h5" >/dev/null
"$carom" plot "$work/coarse.h5" --what trajectory --bare >"$work/chords.svg"
"$carom" plot "$work/coarse.yaml" --what trajectory --bare --every 0.005 >"$work/true.svg"
heights() { # of the curve at every tenth of a pixel across, in pixels
    tr ' ' '\n' <"$1" | sed -n 's/^points="//; s/"\/>.*//; /^[0-9.]*,[0-9.]*$/p' |
        awk -F, 'n++ && $1 > x {for (k = int(x) + 1; k <= $1; k++) printf "%d %.3f\n", k, y + ($2 - y)*(k - x)/($1 - x)} {x = $1; y = $2}' | sort -u -k1,1n
}
heights "$work/chords.svg" >"$work/chords" && heights "$work/true.svg" >"$work/true"
check awk 'NR == FNR {y[$1] = $2; next} $1 in y {n++; d = y[$1] - $2; if (d > 1 || d < -1) bad++} END {exit !(n > 400 && !bad)}' \
    "$work/chords" "$work/true"
check "$carom" plot "$scenes/pile_of_boxes.yaml" --until 0.02 --what strobe -o "$work/pile.svg"
check [ "$(grep -c '<polygon class="paper"' "$work/pile.svg")" -ge 75 ]
sed '/^draw:/,$d' "$scenes/disc_corner_motion.yaml" >"$work/plain.yaml"
expect 2 'needs `draw`' "$carom" plot "$work/plain.yaml" --what strobe
check "$carom" plot "$work/plain.yaml" -o "$work/j.svg"

# what is at rest and could move is no ground, a string that is tight neither
check "$carom" plot "$scenes/stone_arch.yaml" --until 0.02 --what strobe -o "$work/arch.svg"
check [ "$(grep -c '<polygon class="f[0-6] c[0-6]' "$work/arch.svg")" -ge 31 ]
"$carom" plot "$scenes/overhang.yaml" --until 0.02 >"$work/overhang.svg"
check [ "$(grep -c '<polygon class="f[0-6] c[0-6]' "$work/overhang.svg")" -ge 7 ]
# all shapes of a body have its colour
cat >"$work/two.yaml" <<'YAML'
carom: 1
world: {space: 2, gravity: [0, -1]}
bodies:
  floor: {fixed: true, shape: [{half-plane: [0, 1]}, {box: [0.2, 0.2]}]}
  a: {shape: [{box: [1, 0.2]}, {box: [0.2, 1]}, {capsule: [0.5, 0.1]}], at: [0, 2]}
  b: {shape: [{circle: 0.2}, {polygon: [[0, 0], [1, 0], [0, 1]]}], at: [3, 2]}
run: {method: time-stepping, step: 0.01, until: 0.1}
YAML
"$carom" plot "$work/two.yaml" --what strobe --instants 2 >"$work/two.svg"
check [ "$(grep -o '<polygon class="f[0-9] c[0-9]' "$work/two.svg" | sort | uniq -c | tr -s ' \n' ' ')" = \
    ' 6 <polygon class="f0 c0 4 <polygon class="f1 c1 ' ]
# a ball that does not reach its hinge hangs on a rod
"$carom" plot "$scenes/double_pendulum.yaml" --instants 2 >"$work/rods.svg"
check [ "$(grep -c 'style="stroke:gray"' "$work/rods.svg")" -ge 4 ]
# more than a legend has room for: named by the strongest, said on standard error
expect 0 '18 of 23 contacts.*--y force:NAME' "$carom" plot "$scenes/dominoes.yaml" --what forces -o "$work/many.svg"
check grep -q '>and 5 more<' "$work/many.svg"
expect 0 'the ways of 75 bodies are left out; --what trajectory' "$carom" plot "$scenes/pile_of_balls.yaml" \
    --until 0.01 --what strobe -o "$work/balls.svg"
check grep -q '>the ways of 75 bodies are left out<' "$work/balls.svg"

# form
check "$carom" plot "$work/t.h5" --bare --width 85mm -o "$work/k.svg"
check grep -q 'width="85mm"' "$work/k.svg"
expect 1 '' grep -q '>disc thrown into a corner</text>' "$work/k.svg"
check grep -q '>disc thrown into a corner</text>' "$work/e.svg"
check "$carom" plot "$work/t.h5" --instants 40 -o "$work/l.svg"
check test "$(grep -c '<g opacity' "$work/l.svg")" -gt "$(grep -c '<g opacity' "$work/e.svg")"
expect 2 'from 2 to 1000' "$carom" plot "$work/t.h5" --instants 1
expect 2 "did you mean 'strobe'" "$carom" plot "$work/t.h5" --what strobo
expect 2 'there are strobe, trajectory' "$carom" plot "$work/t.h5" --what nothing-like-it
expect 2 'exists' "$carom" plot "$work/t.h5" -o "$work/e.svg"
expect 2 'must end in .svg' "$carom" plot "$work/t.h5" -o "$work/e.gif"
expect 2 'rsvg-convert' env PATH=/nowhere "$carom" plot "$work/t.h5" -o "$work/m.pdf"
if command -v rsvg-convert >/dev/null; then
    check "$carom" plot "$work/t.h5" -o "$work/m.pdf"
    check test "$(head -c 5 "$work/m.pdf")" = "%PDF-"
fi

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
