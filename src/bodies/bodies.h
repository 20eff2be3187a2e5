/* The inside of a model of bodies. */
#ifndef CAROM_SRC_BODIES_BODIES_H
#define CAROM_SRC_BODIES_BODIES_H

#include "bodies/boxes.h"
#include "bodies/forest.h"
#include "bodies/list.h"
#include "bodies/loop.h"
#include "carom/bodies.h"

/* A joint in use. */
typedef struct carom_joint {
    carom_joint_def is;
    int link;     /* the link that hangs on it; -1: it closes a loop */
    bool swapped; /* the link is that of the parent */
    int loop;     /* its number among the loops, -1: none */
    int q, u;     /* first coordinate and velocity */
} carom_joint;

/* A point of a link. */
typedef struct carom_anchor {
    int link;
    v3 at; /* link frame */
} carom_anchor;

typedef struct carom_rope {
    carom_anchor a, b;
    double length;
} carom_rope;

/* A contact that is always there: a limit of a joint, or a rope. */
typedef struct carom_stop {
    int u, q;    /* velocity and coordinate of the joint; u < 0: a rope */
    double sign; /* 1: gap q - limit, -1: limit - q */
    double limit;
    int joint, rope; /* whose it is; -1: of the other kind */
} carom_stop;

/* A shape of a body, numbered through all bodies. */
typedef struct carom_part {
    const carom_shape *shape;
    int body, link;
    frame in_body;
    bool moves;    /* its link belongs to a tree */
    bool endless;  /* a half-space: in no box */
    carom_pose at; /* in space, at the present state */
} carom_part;

/* What is special about two bodies: a material (an index of the world's pairs), or that they never
 * touch (-1). Sorted by bodies. */
typedef struct carom_special {
    int a, b, pair;
} carom_special;

/* Work of finding contacts, kept between calls. */
typedef struct carom_finder {
    carom_boxes boxes;
    int *pair; /* pairs of parts, two numbers each */
    int pair_count, pair_room;
    int *near; /* parts near the present one */
    int near_count;
    int *endless; /* parts without a box */
    int endless_count;
    carom_touch *touch;
    int touch_room;
    const carom_allocator *allocator;
} carom_finder;

struct carom_bodies {
    carom_arena *arena;
    int space;
    int body_count, joint_count, rope_count, loop_count, stop_count, instant_count;
    carom_body_def *body; /* copies; shapes are the caller's */
    const int *link_of;   /* of bodies */
    carom_joint *joint;
    carom_rope *rope;
    carom_loop *loop;
    carom_stop *stop;
    carom_instant_def *instant; /* copies */
    int loop_rows;              /* constraints of all loops */
    bool drives;                /* some body moves as prescribed */
    bool diagonal;              /* M is */
    carom_part *part;
    int part_count;
    carom_special *special;
    int special_count;
    carom_contact *material; /* of bodies */
    carom_contact *pair;     /* of the world's pairs */
    carom_finder finder;
    carom_list list;
    carom_forest forest;
    carom_forest_work work;
    double *zeros;   /* n, never written */
    double *block;   /* work: the largest tree's mass matrix */
    double *q, *u;   /* the start */
    double *scratch; /* n, work */
};

/* Where an error is to be put down. */
typedef struct carom_bodies_report {
    carom_bodies_blame *blame;
    carom_error *error;
} carom_bodies_report;

/* Set the blame (may be NULL) and return the status. */
carom_status carom_bodies_blamed(const carom_bodies_report *to, carom_bodies_part part, int index,
                                 carom_status status);

/* The definitions can be used: numbers, kinds, limits. */
carom_status carom_bodies_check(const carom_world_def *world, const carom_bodies_report *to);

/* Mass properties of a body in its own frame. jointed: a point mass will do. */
carom_status carom_bodies_mass(const carom_body_def *body, int index, int space, bool jointed,
                               const carom_bodies_report *to, carom_mass *mass);

/* Links, trees, loops, stops from the definitions. */
carom_status carom_bodies_build(const carom_world_def *world, carom_bodies *bodies,
                                const carom_bodies_report *to);

/* Shapes, materials and what is special about pairs. */
carom_status carom_bodies_parts(const carom_world_def *world, carom_bodies *bodies,
                                carom_error *error);
void carom_bodies_parts_drop(carom_bodies *bodies); /* the finder's work space */

/* The material of two bodies. */
carom_contact carom_bodies_material(const carom_bodies *bodies, int a, int b);
/* May they touch? */
bool carom_bodies_touch(const carom_bodies *bodies, int a, int b);

/* The start: coordinates and velocities as defined, loops closed. */
carom_status carom_bodies_start_find(carom_bodies *bodies, const carom_bodies_report *to);

/* Places and, with u, velocities of all links at a state. */
carom_status carom_bodies_move(carom_bodies *bodies, double t, const double *q, const double *u,
                               carom_error *error);

/* The quaternion of a rotation matrix, from its largest component. */
void carom_bodies_quaternion(const m3 *R, double e[4]);

/* The frame of a body's definition at the reference. */
frame carom_bodies_reference(const carom_body_def *body, int space);

#endif
