#!/bin/sh
# carom gradient, as a user meets it.
# $1 = program, $2 = source folder
set -u
carom=$1 failed=0 count=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

scenes=$2/scenes
expect 0 '"gradient": \[ *\[-0.56631555102[0-9]*, 0.77992977687[0-9]*\] *\].*"exists": true' \
    "$carom" gradient "$scenes/disc_on_plane.yaml" --of x --wrt mu --wrt v --json
expect 0 '4.28947458936.* 90.304728197' \
    "$carom" gradient "$scenes/bouncing_ball.yaml" --of t --wrt q0 --wrt e --at-accumulation
expect 0 'd/dq0.*0.2257618' "$carom" gradient "$scenes/bouncing_ball.yaml" --of t --wrt q0 --at-impact 1
expect 0 '"gradient": null, *"exists": false, *"reason": ".*right and left close at one instant' \
    "$carom" gradient "$scenes/rocking_block.yaml" --of th --wrt e --json
expect 2 "q9. is no parameter of the scene" "$carom" gradient "$scenes/bouncing_ball.yaml" --of q --wrt q9
expect 2 'says\?' "$carom" gradient "$scenes/bouncing_ball.yaml" --of q
expect 2 'of nothing' "$carom" gradient "$scenes/bouncing_ball.yaml" --of nothing --wrt e
expect 2 'at-impact' "$carom" gradient "$scenes/bouncing_ball.yaml" --of q --wrt e --at-impact 1.5
expect 1 '0 impacts' "$carom" gradient "$scenes/bouncing_ball.yaml" --of q --wrt e --at-impact 3 --until 0.1

echo "$count checks, $failed failed"
[ "$failed" = 0 ]
