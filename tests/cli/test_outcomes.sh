# carom outcomes: the admissible set, orders of impulses, a measured velocity.
carom=$1 source=$2 scenes=$2/scenes
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 count=0
. "$source/tests/cli/checks.sh"

check status_is 0 "$carom" outcomes "$scenes/three_balls.yaml"
check says '^u1  *1  *-0.333333  *0.333333'
check says '^u3  *0  *0.333333  *1 '
check says ' 1  *1  *0.666667$'
# a block that falls flat on two corners, one after the other: 0.1875
cat >"$folder/block.yaml" <<'YAML'
carom: 1
parameters: {mu: 0.3}
impact:
  coordinates: [x, y, th]
  mass: [1, 1, 5/12]
  velocity: [0, -1, 0]
  contacts:
    - {name: left, normal: [0, 1, -0.5], slip: [1, 0, 1], friction: mu, restitution: 0}
    - {name: right, normal: [0, 1, 0.5], slip: [1, 0, 1], friction: mu, restitution: 0}
YAML
check status_is 0 "$carom" outcomes "$folder/block.yaml" --measured 0,0,0
check says "^th' .*-0.1875  *0.1875  *-0.16131[0-9]*  *0.16131"
check says 'is admissible without friction, on the level e = 0$'
check says '^with friction it is admissible'
check says '^newton  *0  *reaches it$'
check status_is 0 "$carom" outcomes "$folder/block.yaml" --measured 0,-1,1 --set mu=0
check says 'not admissible: it violates the kinematic requirement'
# mu*P = 0.75 of the tangential velocity is within reach, 0.76 is not: 0.01/sqrt(1 + mu^2) away
check status_is 0 "$carom" outcomes "$scenes/particle_rough_plane.yaml" --measured 0.26,0.5
check says 'not admissible without friction: it violates the kinetic'
check says '^with friction it is admissible'
check status_is 0 "$carom" outcomes "$scenes/particle_rough_plane.yaml" --measured 0.24,0.5 --json
check says '"cone_distance": 0.008944271'
check status_is 0 "$carom" outcomes "$folder/block.yaml" --json --level 0.5 --measured 0,0,0 --law newton -o "$folder/o.svg"
check says '"dimension": 2'
check says '"orders_without_friction"'
check says '^ *"newton"$'
check grep -q 'measured' "$folder/o.svg"
check status_is 0 "$carom" outcomes "$scenes/double_pendulum.yaml" --at-impact 2
check says '^impact 2 of the motion'
# large ones: ranges only, and in time
check status_is 0 "$carom" outcomes "$scenes/chain_of_balls.yaml" --set N=30 --law newton
check says "^x30'  *0  *0.0333333  *1 "
check says 'dimension 29: points and levels are listed up to 10'
check status_is 0 "$carom" outcomes "$scenes/chain_of_balls.yaml" --set N=60 --set e=0.5 --law newton --samples 1
check says 'orders of impulses came to an end'
# what there is no set or no order for is said
check status_is 0 "$carom" outcomes "$scenes/reentrant_corner.yaml"
check says 'union of cones'
check status_is 0 "$carom" outcomes "$scenes/sphere_spatial_slip.yaml"
check says 'friction with one slip direction only'
check says 'friction is left aside'
expect 1 'no contact is closed: the nearest is floor, its gap is 1; --at-impact 1 runs' "$carom" outcomes "$scenes/bouncing_ball.yaml"
expect 2 'needs 3 numbers' "$carom" outcomes "$folder/block.yaml" --measured 1,2
expect 2 'needs 3 numbers' "$carom" outcomes "$folder/block.yaml" --measured 1,2,3,4
expect 2 "'x' is not a finite number" "$carom" outcomes "$folder/block.yaml" --measured 1,x,3
expect 2 'from 0 (most energy lost) to 1' "$carom" outcomes "$folder/block.yaml" --level 2
expect 2 'whole numbers' "$carom" outcomes "$folder/block.yaml" --samples 1.5

printf '%s passed, %s failed\n' $((count - failed)) "$failed"
[ "$failed" = 0 ]
