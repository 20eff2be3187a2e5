/* Scenes made of bodies: rigid bodies with shapes, joints, ropes, in space or in the plane
 * (docs/theory/bodies.md).
 *
 * Plain definitions in, a system out. The definitions are borrowed while the system is made; shapes
 * as long as it lives. Everything is in space coordinates at the reference, where every body is at
 * its `position` and `turn` and every joint's coordinate is zero.
 *
 *     carom_body_def bodies[2] = {carom_body_def_default("arm"), carom_body_def_default("hand")};
 *     carom_joint_def joints[2] = {carom_joint_def_default("shoulder", CAROM_JOINT_REVOLUTE), ...};
 *     carom_world_def world = carom_world_def_default(3);
 *     ...
 *     carom_system_bodies(&world, NULL, &system, NULL, &error);
 */
#ifndef CAROM_BODIES_H
#define CAROM_BODIES_H

#include "carom/collision.h"
#include "carom/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A shape of a body. */
typedef struct carom_body_shape {
    const carom_shape *shape;
    double position[3], turn[4]; /* in the body; the plane: turn[0] is the angle */
    double density;              /* 0: that of the body */
} carom_body_shape;

/* The motion of a fixed body that moves as prescribed, at time t. */
typedef struct carom_body_motion {
    double position[3], turn[4]; /* the plane: turn[0] is the angle */
    double velocity[3];          /* of its origin */
    double spin[3];              /* angular velocity in space axes */
    double acceleration[3], spin_rate[3];
} carom_body_motion;

/* What a body is made from. In the plane positions and velocities have two numbers, turn[0] is the
 * angle, spin[0] its rate, and mass.inertia[8] the moment. */
typedef struct carom_body_def {
    const char *name;
    bool fixed;                  /* part of the ground */
    double position[3], turn[4]; /* of its origin at the reference; turn is a quaternion w x y z */
    double velocity[3];          /* of its centre of mass at the start */
    double spin[3];              /* angular velocity at the start, body axes */
    int shape_count;
    const carom_body_shape *shapes;
    double density;               /* of its shapes, 1000 */
    carom_mass mass;              /* mass > 0: given instead of following from shapes */
    double surface[3];            /* a fixed body: velocity of its surface, a belt */
    const carom_contact *contact; /* NULL: the world's */
    /* A fixed body that moves: fills *motion for the time t. NULL: at rest. */
    void (*drive)(void *self, double t, carom_body_motion *motion);
    void *drive_self;
} carom_body_def;

/* No name, no shape, density 1000, at the origin, no turn (the identity in space). */
CAROM_API carom_body_def carom_body_def_default(const char *name);

/* The registry of joints: enumerator, and the name of the file and the table of each kind,
 * src/bodies/joint_<name>.c. A new kind is its file and its line here. */
#define CAROM_JOINT_KINDS(X)                                                                       \
    X(REVOLUTE, revolute)                                                                          \
    X(PRISMATIC, prismatic)                                                                        \
    X(FIXED, fixed)                                                                                \
    X(BALL, ball)                                                                                  \
    X(UNIVERSAL, universal)                                                                        \
    X(PLANAR, planar)                                                                              \
    X(CYLINDRICAL, cylindrical)                                                                    \
    X(SCREW, screw)

typedef enum carom_joint_kind {
#define CAROM_JOINT_ENUMERATOR(NAME, name) CAROM_JOINT_##NAME,
    CAROM_JOINT_KINDS(CAROM_JOINT_ENUMERATOR)
#undef CAROM_JOINT_ENUMERATOR
        CAROM_JOINT_KIND_COUNT
} carom_joint_kind;

/* A number that only this kind of joint has: a key of scene files. */
typedef struct carom_joint_number {
    const char *name, *fallback, *doc; /* in words: what is taken when it is missing, the meaning */
    double lower, upper;               /* what is allowed */
    double standard;                   /* where nothing is said */
} carom_joint_number;

/* What a kind of joint says about itself. */
typedef struct carom_joint_info {
    const char *word, *doc; /* of scene files and help */
    bool in_plane;          /* the plane has it too; there it turns about z, or slides */
    bool slides;            /* in the plane its axis is the direction in which it slides */
    bool axis;              /* it has an axis */
    int coordinates, velocities;
    carom_joint_number own[2]; /* no name: none */
} carom_joint_info;

/* NULL: there is no such kind. */
CAROM_API const carom_joint_info *carom_joint_describe(carom_joint_kind kind);

enum { CAROM_WORLD = -1 }; /* the number of the ground as a body */

/* What a joint is made from. Springs, dampers, motors, limits and friction are for joints with one
 * velocity; a damper also acts on each velocity of the others. */
typedef struct carom_joint_def {
    const char *name;
    carom_joint_kind kind;
    int parent, child;     /* bodies, or CAROM_WORLD */
    double at[3], axis[3]; /* point and direction at the reference, space coordinates */
    double second[3];      /* universal: the second axis; zero: any orthogonal to the first */
    double lower, upper;   /* limits, -INFINITY and INFINITY: none */
    carom_contact stop;    /* what happens at a limit; no slip */
    double spring, rest;   /* force -spring (q - rest) */
    double damping;        /* force -damping u */
    double armature;       /* mass or inertia added to the coordinate */
    double friction;       /* dry friction: |force| <= friction */
    double initial[4];     /* coordinates at the start; ball: a quaternion */
    double velocity[3];    /* their velocities at the start */
    double own[2];         /* numbers that only this kind has (carom_joint_describe) */
    bool hold;             /* loops are closed without moving this joint from `initial` */
    /* The force of a motor. NULL: none. */
    double (*motor)(void *self, double t, const double *q, const double *u);
    void *motor_self;
} carom_joint_def;

/* At the origin along z (the plane: about z, along x), no limits, no forces, numbers of its own as
 * the kind has them. */
CAROM_API carom_joint_def carom_joint_def_default(const char *name, carom_joint_kind kind);

/* A rope between points of two bodies: their distance is at most the length. */
typedef struct carom_rope_def {
    const char *name;
    int a, b;
    double at_a[3], at_b[3]; /* at the reference, space coordinates */
    double length;           /* 0: the distance at the reference */
    carom_contact contact;
} carom_rope_def;

CAROM_API carom_rope_def carom_rope_def_default(const char *name, int a, int b);

/* What is said about one pair of bodies. */
typedef struct carom_pair_def {
    int a, b;
    bool ignore;           /* they never touch */
    carom_contact contact; /* otherwise */
} carom_pair_def;

/* What two bodies make of what each says: the geometric mean of friction, the larger restitution,
 * the rest as the first says. */
CAROM_API carom_contact carom_contact_combine(const carom_contact *a, const carom_contact *b);

/* An instant of one's own, where a function of the state crosses zero: an event of the system that
 * changes nothing. */
typedef struct carom_instant_def {
    const char *name;
    carom_crossing direction;
    double (*value)(void *self, double t, const double *q, const double *u);
    void *self;
} carom_instant_def;

typedef struct carom_world_def {
    int space;             /* 3, or 2: the plane */
    double gravity[3];     /* acceleration */
    carom_contact contact; /* of all pairs that say nothing else */
    int body_count, joint_count, rope_count, pair_count, instant_count;
    const carom_body_def *bodies;
    const carom_joint_def *joints;
    const carom_rope_def *ropes;
    const carom_pair_def *pairs;
    const carom_instant_def *instants;
} carom_world_def;

/* No gravity, no bodies, the default contact. */
CAROM_API carom_world_def carom_world_def_default(int space);

/* What an error is about, for readers that know where it was said. */
typedef enum carom_bodies_part {
    CAROM_BODIES_NOTHING,
    CAROM_BODIES_WORLD,
    CAROM_BODIES_BODY,
    CAROM_BODIES_JOINT,
    CAROM_BODIES_ROPE,
    CAROM_BODIES_PAIR
} carom_bodies_part;

typedef struct carom_bodies_blame {
    carom_bodies_part part;
    int index;
} carom_bodies_blame;

/* Make the system. Coordinates are those of free bodies in their order: in space b.x b.y b.z
 * (centre of mass) b.qw b.qx b.qy b.qz with velocities b.vx b.vy b.vz (space axes) b.wx b.wy b.wz
 * (body axes), in the plane b.x b.y b.th, b.vx b.vy b.w; then those of joints in their order, named
 * as the joint. Joints that close a loop are bilateral constraints, limits and ropes contacts
 * without slip. blame may be NULL. */
CAROM_API carom_status carom_system_bodies(const carom_world_def *world,
                                           const carom_allocator *allocator, carom_system **system,
                                           carom_bodies_blame *blame, carom_error *error);

/* The model inside such a system; NULL when it is another. */
typedef struct carom_bodies carom_bodies;
CAROM_API const carom_bodies *carom_bodies_of(const carom_system *system);

/* The state at the start: nq coordinates, n velocities. Loops are closed. */
CAROM_API void carom_bodies_start(const carom_bodies *bodies, double *q, double *u);

/* Close the loops of a start that differs from that one: coordinates and velocities that differ
 * stay, the others follow. CAROM_ERROR_INPUT: they cannot. */
CAROM_API carom_status carom_bodies_start_close(const carom_bodies *bodies, double *q, double *u,
                                                carom_error *error);

/* q' = N(q) u: the rates of the coordinates (nq). */
CAROM_API void carom_bodies_rates(const carom_bodies *bodies, const double *q, const double *u,
                                  double *rate);

/* Where a body's own frame is (its origin, not its centre of mass). CAROM_ERROR_INPUT for a zero
 * quaternion. */
CAROM_API carom_status carom_bodies_pose(const carom_bodies *bodies, int body, double t,
                                         const double *q, carom_pose *pose, carom_error *error);

/* The same for all bodies at once: position and quaternion w, x, y, z of each; NaN for a zero
 * quaternion. */
enum { CAROM_BODIES_POSE = 7 };
CAROM_API void carom_bodies_poses(const carom_bodies *bodies, double t, const double *q,
                                  double *poses);

/* A contact between the shapes of two bodies, found at a state. gap' = sum of rows[k][0] . u of
 * tree k + rate[0], the slips likewise with rows 1 and 2. Rows run over the velocities of their
 * tree only (carom_bodies_tree). */
typedef struct carom_bodies_contact {
    int body[2], shape[2];    /* a and b; shapes are numbered through all bodies */
    carom_touch touch;        /* gap, points, normal from a to b, name of the features */
    double tangent[2][3];     /* unit, orthogonal to the normal and to each other */
    carom_contact properties; /* without a name; slip_count 2 (the plane: 1), 0 without friction */
    int tree[2];              /* -1: none. Both points on one tree: tree[1] is -1 */
    const double *rows[2];    /* of tree[k]: (1 + slip_count) rows, one after the other */
    double rate[3];           /* what driven bodies and belts alone add to the rates */
    double bias[3];           /* what is to be added to rows . u' for the second derivatives */
    bool smooth;              /* the gap is smooth as long as the features stay, `bias` is exact */
} carom_bodies_contact;

typedef struct carom_bodies_contacts {
    int count;
    const carom_bodies_contact *contact; /* ordered by shapes, then features */
} carom_bodies_contacts;

/* All contacts with gap <= reach at (t, q, u), in the arena. Bodies that a joint connects do not
 * touch each other, nor do parts of one body or of the ground. */
CAROM_API carom_status carom_bodies_find(const carom_bodies *bodies, double t, const double *q,
                                         const double *u, double reach, carom_arena *arena,
                                         carom_bodies_contacts *contacts, carom_error *error);

/* The trees: how many, and the velocities of each, ascending. */
CAROM_API int carom_bodies_tree_count(const carom_bodies *bodies);
CAROM_API int carom_bodies_tree(const carom_bodies *bodies, int tree, const int **velocities);

/* Are all contacts that the shapes can have among those of the system's shape? With many bodies, or
 * surfaces of triangles, only those of pairs that are near or touch at the start are, or none: then
 * contacts are found (carom_bodies_find), which time-stepping does. */
CAROM_API bool carom_bodies_are_listed(const carom_bodies *bodies);

/* Two bodies that are no further apart than `reach` at a state, in a contact that is not among
 * those of the system's shape, by name; NULL, NULL: there are none. */
CAROM_API carom_status carom_bodies_unlisted(const carom_bodies *bodies, double t, const double *q,
                                             const double *u, double reach, carom_arena *arena,
                                             const char *names[2], carom_error *error);

/* Does any pair of bodies have friction? */
CAROM_API bool carom_bodies_are_rough(const carom_bodies *bodies);

/* Do more pairs touch at the start than a list takes? Then the system's shape has none of them. */
CAROM_API bool carom_bodies_are_cut(const carom_bodies *bodies);

/* Where a contact of the system's shape is, on the body that is named first, and which way that is
 * pushed. Returns the number of coordinates, or 0: it is no contact between shapes, or a quaternion
 * is zero. */
CAROM_API int carom_bodies_contact_place(const carom_bodies *bodies, int contact, double t,
                                         const double *q, double at[3], double toward[3]);

/* Can the event-driven method follow the gaps? It can where each is a smooth function of its own: a
 * half-space and vertices, a ball and something convex. CAROM_ERROR_INPUT names what cannot. */
CAROM_API carom_status carom_bodies_check_smooth(const carom_bodies *bodies, carom_error *error);

/* Is the joint part of a tree, or does it close a loop? */
CAROM_API bool carom_bodies_closes_loop(const carom_bodies *bodies, int joint);

#ifdef __cplusplus
}
#endif
#endif
