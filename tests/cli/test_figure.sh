#!/bin/sh
# carom figure as a user meets it. $1 = program, $2 = source folder
set -u
carom=$1 failed=0 count=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. "$2/tests/cli/checks.sh"

# the list: a name first on every line, and each of them draws
"$carom" figure --list >"$work/list" 2>"$work/errors"
check test $? = 0
check test ! -s "$work/errors"
while read -r name title; do
    check test -n "$title"
    check "$carom" figure "$name" -o "$work/$name.svg"
    check grep -q '^</svg>$' "$work/$name.svg"
done <"$work/list"
for name in g2-1 g2-2 g2-2b g4-1 g4-2 g4-3 g4-4 g4-5 g4-6 g4-7 g4-8 g4-9 g4-10 g4-11 g4-11a g4-11b \
    g4-11c g4-12 np-1a np-1b np-1c np-1d np-2a np-2b np-3a np-3b np-4 b-1a b-1b b-1c b-1d b-1e b-1f \
    b-ellipse b-region b-critical-rod b-critical-oscillator b-gain p-1 p-2 p-rebound p-stick; do
    check grep -q "^$name " "$work/list"
done

# stdout and file hold the same, twice the same
"$carom" figure np-1a >"$work/a.svg"
check cmp -s "$work/a.svg" "$work/np-1a.svg"

expect 2 "exists; --force" "$carom" figure np-1a -o "$work/a.svg"
echo old >"$work/b.svg"
expect 0 '' "$carom" figure --force np-1a --output="$work/b.svg"
check cmp -s "$work/a.svg" "$work/b.svg"
"$carom" figure np-1a --bare --width 85mm >"$work/c.svg"
check grep -q 'width="85mm" height="' "$work/c.svg"
expect 1 '' grep -q '>Source: \|font-weight="bold"' "$work/c.svg"
expect 2 "is not a width" "$carom" figure np-1a --width 85miles
expect 2 "is not a width" "$carom" figure np-1a --width -3
expect 2 'must end in .svg, .pdf, .png' "$carom" figure np-1a -o "$work/a.gif"
expect 2 'needs the program rsvg-convert' env PATH=/nowhere "$carom" figure np-1a -o "$work/a.pdf"
if command -v rsvg-convert >/dev/null; then
    check "$carom" figure np-1a -o "$work/a.pdf"
    check test "$(head -c 5 "$work/a.pdf")" = "%PDF-"
    expect 2 "exists; --force" "$carom" figure np-1a -o "$work/a.pdf"
    check "$carom" figure np-1a -o "$work/a.png"
    check test ! -e "$work/a.png.part"
fi
expect 3 'cannot write' "$carom" figure np-1a -o "$work/nowhere/a.svg"
check test ! -e "$work/nowhere"
expect 2 "did you mean 'np-1a'" "$carom" figure np1a
expect 2 'there are np-1a, np-1b, np-1c, np-1d' "$carom" figure np-1
expect 2 'figure --list' "$carom" figure nothing-like-it
expect 2 'a name is needed' "$carom" figure
expect 2 'takes no name' "$carom" figure --list np-1a
expect 2 '' "$carom" figure np-1a np-1b
expect 0 'redraw a figure' "$carom" figure --help
if [ -e /dev/full ]; then
    "$carom" figure np-1a >/dev/full 2>"$work/errors"
    check test $? = 3
fi

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
