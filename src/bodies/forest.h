/* Trees of links: places, velocities, mass matrix, forces, rows (docs/theory/trees.md).
 *
 * The forest is constant; what changes with a state is in carom_forest_work. Links come after their
 * parents. Velocities are numbered as the user sees them; each belongs to one tree. */
#ifndef CAROM_SRC_BODIES_FOREST_H
#define CAROM_SRC_BODIES_FOREST_H

#include "bodies/spatial.h"
#include "carom/base.h"

/* How a link hangs on its parent (bodies/joint.h). */
typedef struct carom_joint_ops carom_joint_ops;

typedef struct carom_link {
    const carom_joint_ops *ops;
    int parent;    /* -1: the ground */
    int tree;      /* -1: no velocities on the way to the ground */
    int q, u;      /* first coordinate and velocity */
    v3 axis[3];    /* unit, in the parent's axes, the link at its reference */
    double own[2]; /* the joint's own numbers */
    v3 at;         /* the joint's point in the parent's frame */
    v3 in_link;    /* the same point in the link's frame */
    m3 turn;       /* the link's axes in the parent's at the reference */
    double mass;   /* 0: none */
    v3 centre;
    m3 inertia; /* about the centre, link axes */
} carom_link;

/* Velocities of one tree, ascending, and a place of each among them. */
typedef struct carom_forest {
    int link_count, nq, n, tree_count;
    const carom_link *link;
    const int *path_start;   /* link_count + 1 */
    const int *path;         /* velocities on the way from the ground to each link */
    const int *tree_start;   /* tree_count + 1 */
    const int *tree_u;       /* the velocities of each tree */
    const int *place_of;     /* n: where a velocity stands among those of its tree */
    const int *branch_start; /* tree_count + 1 */
    const int *branch;       /* the links of each tree, parents first */
    const int *link_of;      /* n: the link that a velocity moves */
    const double *armature;  /* n: added to the diagonal of M */
    double gravity[3];
} carom_forest;

/* The inertia of a link at its place, about the origin. */
static inline inertia carom_forest_inertia(const carom_link *l, const frame *place, v3 origin)
{
    v3 c = v3_sub(frame_point(place, l->centre), origin);
    m3 half = m3_times(place->R, l->inertia); /* R J R' */
    return inertia_of(l->mass, c, m3_times(place->R, m3_transpose(half)));
}

/* The trees of two links (-1: the ground), each once; -1: none. */
static inline void carom_forest_trees(const carom_forest *f, const int link[2], int tree[2])
{
    int one = link[0] < 0 ? -1 : f->link[link[0]].tree,
        two = link[1] < 0 ? -1 : f->link[link[1]].tree;
    tree[0] = one >= 0 ? one : two;
    tree[1] = one >= 0 && two != one ? two : -1;
}

/* How many velocities and coordinates a link has, and the first of its coordinates that are a
 * quaternion, of its velocities that turn it; -1: none. */
int carom_forest_velocities(const carom_link *link);
int carom_forest_coordinates(const carom_link *link);
int carom_forest_quaternion(const carom_link *link);

/* Number the paths and trees of links whose ops, parent, q and u are given. */
carom_status carom_forest_complete(carom_forest *forest, carom_link *links, carom_arena *arena,
                                   carom_error *error);

/* The prescribed motion of a driven link: its place, its velocity and acceleration in space axes.
 */
typedef struct carom_driven {
    frame place;
    v3 w, v;   /* angular velocity, velocity of the origin */
    v3 dw, dv; /* angular acceleration, acceleration of the origin */
} carom_driven;

/* What belongs to a state. */
typedef struct carom_forest_work {
    v3 *origin;     /* of links: the point that motions and wrenches are about; one for a tree */
    frame *place;   /* of links */
    motion *column; /* n: the motion of a velocity, about its tree's origin */
    motion *V;      /* of links */
    motion *A;      /* of links, their rate when the velocities do not change */
    inertia *whole; /* of links with all that hang on them */
    wrench *load;   /* of links */
    carom_driven *driven; /* of links; those of driven links are set by the caller */
} carom_forest_work;

carom_status carom_forest_work_create(const carom_forest *forest, carom_arena *arena,
                                      carom_forest_work *work, carom_error *error);

/* Places of all links from the coordinates. False when a quaternion is zero. */
bool carom_forest_place(const carom_forest *forest, const double *q, carom_forest_work *work);

/* Columns of all velocities. After place. */
void carom_forest_columns(const carom_forest *forest, const double *q, carom_forest_work *work);

/* Velocities and bias accelerations of all links. After columns. */
void carom_forest_velocity(const carom_forest *forest, const double *u, carom_forest_work *work);

/* The mass matrix of one tree, k x k for its k velocities (column-major), by composite rigid
 * bodies. After columns. */
void carom_forest_mass(const carom_forest *forest, int tree, carom_forest_work *work, double *M);

/* h of all velocities: gravity and the terms quadratic in velocities (recursive Newton-Euler).
 * After velocity. */
void carom_forest_forces(const carom_forest *forest, carom_forest_work *work, double *h);

/* Energies: kinetic of all links, potential of gravity. After velocity. */
double carom_forest_kinetic(const carom_forest *forest, const carom_forest_work *work);
double carom_forest_potential(const carom_forest *forest, const carom_forest_work *work);

/* Add s d.(velocity of the link's point at x) as a row over all velocities, x and d in space axes.
 * After columns. The second: s d.(angular velocity). */
void carom_forest_row_point(const carom_forest *forest, const carom_forest_work *work, int link,
                            v3 x, v3 d, double s, double *row);
void carom_forest_row_turn(const carom_forest *forest, const carom_forest_work *work, int link,
                           v3 d, double s, double *row);

/* Velocity and bias acceleration of a link's point at x. After velocity. */
v3 carom_forest_velocity_at(const carom_forest *forest, const carom_forest_work *work, int link,
                            v3 x);
v3 carom_forest_bias_at(const carom_forest *forest, const carom_forest_work *work, int link, v3 x);

/* q' = N u, entry by entry: N is nq x n. */
void carom_forest_kinematics(const carom_forest *forest, const double *q, double *N);

/* rate = N u, without N. */
void carom_forest_rates(const carom_forest *forest, const double *q, const double *u, double *rate);

#endif
