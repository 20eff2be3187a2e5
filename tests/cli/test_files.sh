#!/bin/sh
# Files that the program writes: never over what it reads, never over another file without being told,
# the old one or the new one at every moment. $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

ball=$scenes/bouncing_ball.yaml
only() { [ "$(ls -A "$1" | tr '\n' ' ')" = "$2" ]; } # the folder holds these and nothing else
mkdir "$folder/d" && cd "$folder/d" || exit 1

# names beside the output are nobody's: neither a file nor a link there is touched
echo precious >victim
ln -s victim out.h5.part
echo mine >out.csv.part
check status_is 0 "$carom" run "$ball" -o out.h5
check status_is 0 "$carom" run "$ball" -o out.csv
check status_is 0 "$carom" sweep "$ball" --vary e=0.5,0.6 -o table.h5
check [ "$(cat victim)" = precious ]
check [ "$(cat out.csv.part)" = mine ]
check only . 'out.csv out.csv.part out.h5 out.h5.part table.h5 victim '
rm -f ./*

# a link is followed, and stays a link
check status_is 0 "$carom" run "$ball" --until 0.1 -o real.csv
ln -s real.csv link.csv
for kind in csv h5 svg html; do
    echo old >real.$kind
    [ -e link.$kind ] || ln -s real.$kind link.$kind
done
chmod 640 real.csv
check status_is 2 "$carom" run "$ball" -o link.csv
check status_is 0 "$carom" run "$ball" -o link.csv --force
check status_is 0 "$carom" run "$ball" -o link.h5 --force
check status_is 0 "$carom" figure np-1a -o link.svg --force
check status_is 0 "$carom" run "$ball" --report link.html --force
for kind in csv h5 svg html; do
    check [ -L link.$kind ]
    check [ ! -L real.$kind ]
    check [ "$(head -c 3 real.$kind)" != old ]
done
check [ "$(stat -c %a real.csv)" = 640 ]
check only . 'link.csv link.h5 link.html link.svg real.csv real.h5 real.html real.svg '
rm -f ./*
# one that leads nowhere is something, too
ln -s nowhere.csv lost.csv
check status_is 2 "$carom" run "$ball" -o lost.csv
check says 'lost.csv exists'
rm -f ./*

# never the file that is read, never two in one place, whatever they are called
cp "$ball" scene.csv
cp scene.csv kept
check status_is 2 "$carom" run scene.csv -o "$PWD/../d/scene.csv" --force
check says 'is the file that is read'
ln scene.csv hard.csv
check status_is 2 "$carom" run scene.csv -o hard.csv --force
check status_is 2 "$carom" sweep scene.csv --vary e=0.5 -o hard.csv --force
check cmp scene.csv kept
ln -s a.csv b.html
check status_is 2 "$carom" run "$ball" -o a.csv --report b.html --force
: >a.csv
check status_is 2 "$carom" run "$ball" -o a.csv --report ./b.html --force
check says 'name the same file'
check status_is 0 "$carom" run "$ball" -o t.csv
ln t.csv t.html
check status_is 2 "$carom" view t.csv --out t.html --no-open --force
check says 'is the file that is read'
rm -f ./*

# endings: what is not known is refused, with what is
check status_is 2 "$carom" run "$ball" -o dp.png
check says 'must end in .h5, .hdf5, .csv'
check status_is 2 "$carom" run "$ball" --output 0.1
check says 'the interval of rows is --every 0.1'
check status_is 2 "$carom" run "$ball" --report r.txt
check status_is 2 "$carom" sweep "$ball" --vary e=0.5 -o t.txt
check status_is 2 "$carom" figure np-1a -o np
check status_is 2 "$carom" run "$ball" -o .h5
check status_is 2 "$carom" run "$ball" -o ''
check only . ''

# folders, devices, pipes: failures of the machine, or written in place
mkdir dir.svg dir.h5 dir.csv dir.html
for command in "figure np-1a -o dir.svg" "run $ball -o dir.h5" "run $ball -o dir.csv --force" \
    "run $ball --report dir.html" "sweep $ball --vary e=0.5 -o dir.h5"; do
    check status_is 3 "$carom" $command
    check says 'Is a directory'
done
check status_is 2 "$carom" sweep dir.csv --vary e=0.5
check says 'directory'
check status_is 2 "$carom" view dir.h5 --no-open
check says 'directory'
rmdir ./*
if [ -e /dev/full ]; then
    for command in "figure np-1a -o /dev/full" "run $ball --report /dev/full" \
        "impact $scenes/cradle.yaml --report /dev/full" "sweep $ball --vary e=0.5 -o /dev/full"; do
        check status_is 3 "$carom" $command
    done
    for cells in 3 3000; do # the reason is said once
        "$carom" sweep "$ball" --vary "e=0.1:0.9:$cells" >/dev/full 2>full
        check [ $? = 3 ]
        check [ "$(cat full)" = "carom: cannot write the table: No space left on device" ]
    done
    check status_is 0 "$carom" figure np-1a -o /dev/stdout
    check says '</svg>'
fi
check status_is 0 "$carom" run "$ball" --until 0.7 -o t.csv
check status_is 0 "$carom" view t.csv --out page.html --no-open
"$carom" view t.csv --out /dev/stdout --no-open | cat >piped.html
sed '$d' piped.html >cut # the line that says what was written
check [ "$(wc -c <cut)" -ge "$(($(wc -c <page.html) - 100))" ]
check grep -q '</html>' piped.html
rm -f ./*

# a disk that is full: the old file stays, nothing else does
for kind in csv h5; do
    check status_is 0 "$carom" run "$ball" --until 0.1 -o full.$kind
    cp full.$kind kept.$kind
done
check status_is 0 "$carom" run "$ball" --until 0.1 --report full.html
check status_is 0 "$carom" figure np-1a -o full.svg
cp full.html kept.html
cp full.svg kept.svg
limited() { (ulimit -f 8 && "$@"); }
check status_is 3 limited "$carom" run "$ball" --set e=1 --until 100 -o full.csv --force
check says 'File too large'
check status_is 3 limited "$carom" run "$ball" --report full.html --force
check status_is 3 limited "$carom" figure g4-2 -o full.svg --force
check status_is 3 limited "$carom" run "$ball" -o full.h5 --force
check status_is 3 limited "$carom" view full.csv --out full.html --no-open --force
for kind in csv h5 html svg; do
    check cmp full.$kind kept.$kind
done
check status_is 3 limited "$carom" figure g4-2 -o new.svg
check only . 'full.csv full.h5 full.html full.svg kept.csv kept.h5 kept.html kept.svg '
rm -f ./*

# two runs into one file at once: one of the two, whole
for k in 1 2 3; do
    "$carom" run "$ball" -o both.h5 --force >/dev/null 2>&1 &
done
wait
check status_is 0 "$carom" view both.h5 --no-open
check only . 'both.h5 both.html '
rm -f ./*

# a report beside a trace: the page goes to another name
check status_is 0 "$carom" run "$ball" --report dp.html -o dp.h5
cp dp.html kept.html
check status_is 0 "$carom" view dp.h5 --no-open
check says 'wrote dp.view.html'
check status_is 0 "$carom" view dp.h5 --no-open
check cmp dp.html kept.html
check status_is 2 "$carom" view dp.h5 --no-open --out dp.html
check says 'no page of'
cp "$ball" dp2.yaml # a scene is run first; nothing but the page is left
check status_is 0 "$carom" view dp2.yaml --until 1 --no-open
check only . 'dp.h5 dp.html dp.view.html dp2.html dp2.yaml kept.html '
check status_is 0 "$carom" view dp2.yaml dp.h5 --no-open --out pair.html
check status_is 2 "$carom" view "$scenes/cradle.yaml" --no-open --out no.html
check says 'does not move'

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
