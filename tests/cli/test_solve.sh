#!/bin/sh
# carom solve: problems from files, as a user meets them.
# $1 = program, $2 = source folder
set -u
carom=$1 failed=0 count=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

# one contact in the plane that is pushed together and slides
echo '2 1 0 2 2 2 2 2 0 0 1 -1 3 0.5' >"$folder/slide.dat"
expect 0 '"status": "solved"' "$carom" solve "$folder/slide.dat" --json
expect 0 '"reaction": \[0.5, -0.25\],  *"velocity": \[0, 2.75\],  *"certificate": null' "$carom" solve "$folder/slide.dat" --json
expect 0 '1 contact in the plane.*solved.*0 open, 0 stick, 1 slip' "$carom" solve "$folder/slide.dat"

# nothing can move: the floor comes up at a speed
echo '2 1 0 2 2 2 2 0 0 0 0 -1 0 0.5' >"$folder/pressed.dat"
expect 1 '"status": "infeasible".*"certificate": \[1\]' "$carom" solve "$folder/pressed.dat" --json
expect 1 'infeasible: no velocities have u_N >= 0' "$carom" solve "$folder/pressed.dat"

# the same by bodies, none of which the contact moves
expect 1 'infeasible: no velocities have u_N >= 0' "$carom" solve "$2/tests/fuzz/fuzz_friction/no_body.dat"

# the solution goes to FCLIB's format and comes back
expect 0 'solved' "$carom" solve "$folder/slide.dat" -o "$folder/slide.hdf5"
expect 0 '"reaction": \[0.5, -0.25\]' "$carom" solve "$folder/slide.hdf5" --json
expect 2 'exists' "$carom" solve "$folder/slide.dat" -o "$folder/slide.hdf5"
expect 0 'solved' "$carom" solve "$folder/slide.dat" -o "$folder/slide.hdf5" --force
expect 2 'hdf5' "$carom" solve "$folder/slide.dat" -o "$folder/slide.txt"

# a folder
echo '2 1 0 2 2 2 2 2 0 0 1 -1 3 -0.5' >"$folder/wrong.dat"
expect 0 'slide.dat .* solved .*slide.hdf5 .* solved .*2 of 4 solved, 1 proved infeasible, 1 not read' "$carom" solve --all "$folder"
expect 0 '"status": "unreadable"' "$carom" solve --all "$folder" --json

for method in auto sweeps interior newton proximal path; do
    expect 0 '"status": "solved"' "$carom" solve "$folder/slide.dat" --method "$method" --json
done

# what is refused
expect 2 'wrong.dat.*coefficient of friction of contact 0 is -0.5' "$carom" solve "$folder/wrong.dat"
printf '2 1\n0 2 2 2 2 2 0 oops 1 -1 3 0.5' >"$folder/oops.dat"
expect 2 "oops.dat:2:15: 'oops' is not a number" "$carom" solve "$folder/oops.dat"
expect 2 'did you mean .sweeps.' "$carom" solve "$folder/slide.dat" --method sweep
expect 2 'a problem, or --all' "$carom" solve
expect 2 'a problem, or --all' "$carom" solve "$folder/slide.dat" --all "$folder"
expect 2 'No such file' "$carom" solve "$folder/none.dat"
expect 2 'No such file' "$carom" solve --all "$folder/none"
expect 2 'tolerance' "$carom" solve "$folder/slide.dat" --tolerance -1

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
