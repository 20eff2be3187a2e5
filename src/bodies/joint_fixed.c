/* A joint that does not move. */
#include "bodies/joint.h"

const carom_joint_ops carom_joint_fixed = {
    .is = {.word = "fixed", .doc = "does not move", .in_plane = true},
    .quaternion = -1,
    .first = 1,
    .space = {3, {0, 1, 2}, 3, {{0, 1}, {1, 2}, {2, 0}}, false},
    .plane = {2, {0, 1}, 1, {{0, 1}}, false},
};
