/* The registry of joints, and what several of them share. */
#include "bodies/joint.h"

const carom_joint_ops *carom_joint_find(carom_joint_kind kind)
{
    static const carom_joint_ops *const all[] = {
#define TABLE(NAME, name) &carom_joint_##name,
        CAROM_JOINT_KINDS(TABLE)
#undef TABLE
    };
    return (unsigned)kind < CAROM_JOINT_KIND_COUNT ? all[kind] : NULL;
}

const carom_joint_info *carom_joint_describe(carom_joint_kind kind)
{
    const carom_joint_ops *ops = carom_joint_find(kind);
    return ops ? &ops->is : NULL;
}

carom_joint_def carom_joint_def_default(const char *name, carom_joint_kind kind)
{
    carom_joint_def j = {.name = name,
                         .kind = kind,
                         .parent = CAROM_WORLD,
                         .child = 0,
                         .axis = {0, 0, 1},
                         .lower = -INFINITY,
                         .upper = INFINITY,
                         .stop = carom_contact_default()};
    const carom_joint_ops *ops = carom_joint_find(kind);
    if (ops && ops->quaternion >= 0)
        j.initial[ops->quaternion] = 1;
    for (int k = 0; ops && k < 2; k++)
        j.own[k] = ops->is.own[k].standard;
    return j;
}

const char *const carom_joint_single_q[] = {""}, *const carom_joint_single_u[] = {"'"};
const char *const carom_joint_plane_q[] = {".x", ".y", ".th"}, *const carom_joint_plane_u[] = {
                                                                   ".vx", ".vy", ".w"};

void carom_joint_swap_axis(v3 axis[3])
{
    axis[0] = v3_neg(axis[0]);
}
