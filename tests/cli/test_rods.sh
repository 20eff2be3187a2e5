#!/bin/sh
# carom rods, and the scenes of friction, compliance and layers, as a user meets them.
# $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes failed=0 count=0

. "$2/tests/cli/checks.sh"

expect 0 '"contact_time": 2,  *"open_time": 4,  *"restitution": 0.5,' "$carom" rods --length 1,2 --speed 1 --json
expect 0 '"velocity": \[0, 0.5\]' "$carom" rods --length 1,2 --speed=1 --json
expect 0 '"velocity": \[-0.333333333333333[0-9]*, 0.266666666666666[0-9]*\]' "$carom" rods --json --length 1,2.5 --area 1,2 --speed 1
expect 0 '\[0, 0.5\],  *\[2, 0\]' "$carom" rods --length 1,2 --speed 1 --json
expect 0 'gap open from  *4' "$carom" rods --length 1,2 --speed 1
expect 0 '"contacts"' "$carom" rods --length 1,1,1 --speed 1 --json
expect 2 'length' "$carom" rods --speed 1
expect 2 'not a list' "$carom" rods --length 1,x --speed 1
expect 2 'must be positive' "$carom" rods --length 1,-2 --speed 1
expect 2 'positive number' "$carom" rods --length 1,2 --speed -1
expect 2 '3 numbers for 2 rods' "$carom" rods --length 1,2 --area 1,2,3 --speed 1

law() { expect 0 "$3" "$carom" impact "$scenes/$1.yaml" --json --law "$2"; }
law kane path:stop=newton '"energy_change": 0.013618955[67]'
law kane path:stop=stronge '"energy_change": -0.01099166[89]'
law kane path:stop=newton '"energetic": false'
law hertz_cradle lzb '"energetic": true'
law hertz_wall lzb '0.7306667[12][0-9]*, 1.2108369[56]'
law layer layer '"e_N": 0.5936242600'
law rolling_ball_impact breakable '"mode": \["stick"\]'
law housner_block path '"mode": \["open", "stick"\]\|"mode": \["stick", "open"\]'

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
