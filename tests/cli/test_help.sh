#!/bin/sh
# What the program tells about itself: scenes, laws, topics, completion. $1 = program, $2 = source folder
set -u
carom=$1 scenes=$2/scenes folder=$(mktemp -d) failed=0 count=0
trap 'rm -rf "$folder"' EXIT

. "$2/tests/cli/checks.sh"

# bundled scenes: all of them, as they are in the source, usable wherever one stands
check status_is 0 "$carom" scenes
check [ "$(wc -l <"$folder/out")" = "$(ls "$scenes"/*.yaml | wc -l)" ]
check says "^cradle  *Newton's cradle"
for scene in "$scenes"/*.yaml; do
    "$carom" scenes "$(basename "$scene" .yaml)" | cmp -s - "$scene" || check echo "$scene differs"
done
check status_is 2 "$carom" scenes cradel
check says "did you mean 'cradle'"
cd "$folder" || exit 1
for name in cradle cradle.yaml scenes/cradle.yaml; do
    check status_is 0 "$carom" impact $name --law newton
    check says "^Newton's cradle"
done
check status_is 0 "$carom" sweep bouncing_ball --vary e=0.5
check status_is 0 "$carom" help scene rigid_body
check status_is 0 "$carom" plot bouncing_ball --what energy
check status_is 0 "$carom" view bouncing_ball --no-open -o "$folder/page.html"
check status_is 0 "$carom" check scenes/painleve_rod.yaml
check status_is 2 "$carom" impact scenes/nothing.yaml
check says 'cannot open'
sed 's/title: .*/title: mine/' "$scenes/cradle.yaml" >cradle # a file goes before
check status_is 0 "$carom" impact cradle --law newton
check says '^mine'

# laws
check status_is 0 "$carom" laws path
check says '^path$'
check [ "$(grep -c '^[a-z]' out)" = 1 ]
check status_is 2 "$carom" laws pth
check says "did you mean 'path'"
check status_is 0 "$carom" laws --json
check says '"default": "newton"'
for name in $("$carom" laws | grep '^[a-z]'); do
    check says "\"name\": \"$name\""
done
check status_is 0 "$carom" laws coulomb --json
check says '"choices": \["complementarity", "equality"\]'
check status_is 2 "$carom" inspect "$scenes/bouncing_ball.yaml" --tex --json

# topics
check status_is 0 "$carom" help scene
check says 'restitution'
check status_is 0 "$carom" help scene contact
check status_is 2 "$carom" help run sweep
check status_is 2 "$carom" help scen
check says "did you mean 'scene'"
check status_is 0 "$carom" help
check says 'carom impact cradle'

# completion scripts: complete, and without mistakes for the shells that are here
for shell in bash zsh fish; do
    check status_is 0 "$carom" completion $shell
    cp out completion.$shell
    for word in impact sweep completion 'any-restitution' sequential np-1a time-stepping; do
        check grep -q -e "$word" completion.$shell
    done
    if command -v $shell >/dev/null; then
        check $shell -n completion.$shell
    fi
done
check status_is 2 "$carom" completion csh
complete() { # words typed so far, expected among the answers
    bash -c ". ./completion.bash; COMP_WORDS=($1); COMP_CWORD=$(($(set -- $1; echo $#) - 1)); _carom; printf '%s\n' \"\${COMPREPLY[@]}\"" |
        grep -qx -e "$2"
}
if command -v bash >/dev/null; then
    touch mine.yaml mine.h5
    check complete 'carom im' impact
    check complete 'carom run --me' --method
    check complete 'carom run --method ti' time-stepping
    check complete 'carom run mi' mine.yaml
    check complete 'carom plot --what ve' velocity-space
    check complete 'carom sweep --keep se' section
    check complete 'carom sweep --follow b' both
    check complete 'carom view mi' mine.h5
    check complete 'carom help sc' scene
fi

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
