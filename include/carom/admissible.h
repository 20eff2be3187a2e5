/* The set of admissible outcomes of an impact (docs/theory/admissible-set.md): all velocities u+
 * that no requirement forbids,
 *   S = (x - T_perp) n T n { |y| <= |x| },   y = u+ - b,  x = u- - b,
 * kinetic (impulses push), kinematic (contacts do not close), energetic (no energy is gained; norms
 * are kinetic). Convex, never empty: the point z of maximum dissipation is in it.
 */
#ifndef CAROM_ADMISSIBLE_H
#define CAROM_ADMISSIBLE_H

#include "carom/impact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The set with what is needed to ask about it. Plain data, read only; arrays live in the arena
 * given to carom_admissible_make, the geometry must outlive it. All of S lies in the affine space
 * { x_0 + basis c }: c are its coordinates, orthonormal in the kinetic metric. */
typedef struct carom_admissible {
    const carom_geometry *geometry;
    bool polyhedral; /* false: second-order cones; only membership is available */
    double *x;       /* n, u- - b */
    double *z;       /* n, maximum dissipation, minus b; nearest point of T to x */
    double speed;    /* |x|, radius of the energy ball */
    double least;    /* |z|, smallest norm in S */
    int k;           /* dimension: rank of the contacts' normals within the joints */
    double *basis;   /* n x k; column 0 along the gradient of the first contact that can move */
    double *x_0;     /* n, the part of x orthogonal to the basis: no impulse changes it */
    double offset;   /* |x_0| */
    double *x_c;     /* k, coordinates of x */
    double *z_c;     /* k, coordinates of z */
    int facets;      /* half-spaces facet'c >= bound whose intersection with the ball is S */
    int kinematic;   /* the first so many are those of T, with bound 0 */
    double *facet;   /* k x facets, unit columns */
    double *bound;   /* facets */
    int rank;        /* dimension of T within the basis: k, less where T has no interior */
    double *span;    /* k x rank, orthonormal basis of the span of T; all of S lies in it */
} carom_admissible;

/* Regions (unions of cones) have no such convex set: CAROM_ERROR_UNSUPPORTED. So have dependent
 * contacts whose cones have too many faces (more than 63 half-spaces). */
CAROM_API carom_status carom_admissible_make(const carom_geometry *geometry, carom_arena *arena,
                                             carom_admissible *set, carom_error *error);

/* The answer to "is u in S?", by requirement. */
typedef struct carom_membership {
    bool inside, kinetic, kinematic, energetic;
    double kinetic_gap;   /* kinetic distance of u from u- - T_perp */
    double kinematic_gap; /* kinetic distance of u from T + b */
    double energy_gap;    /* |u - b| - |u- - b|, negative inside */
    const char *violated; /* "kinetic", "kinematic", "energetic": the worst; NULL when inside */
} carom_membership;

/* tolerance: relative to the speed, 0 means 1e-9. */
CAROM_API carom_status carom_admissible_contains(const carom_admissible *set, const double *u,
                                                 double tolerance, carom_arena *arena,
                                                 carom_membership *membership, carom_error *error);

/* The same with friction: impulses lie in the friction cones, |l_T,i| <= mu_i L_i (mu the
 * coefficient of sticking), contacts do not close, no energy is gained as seen from the surfaces.
 * Without friction the answer is that of carom_admissible_contains. CAROM_ERROR_UNSUPPORTED: a
 * contact has both `spread` and friction. */
CAROM_API carom_status carom_admissible_rough(const carom_admissible *set, const double *u,
                                              double tolerance, carom_arena *arena,
                                              carom_membership *membership, carom_error *error);

/* The nearest point of S to u (n numbers, velocity), and its kinetic distance. */
CAROM_API carom_status carom_admissible_distance(const carom_admissible *set, const double *u,
                                                 carom_arena *arena, double *nearest,
                                                 double *distance, carom_error *error);

/* Where a velocity lies: in S or not, how far from it (0 inside, which is up to the tolerance), and
 * the level epsilon of CAROM_READING_ENERGY that it is on: negative below z, NAN where all of S has
 * one energy. */
typedef struct carom_admissible_place {
    carom_membership membership;
    double distance, level;
} carom_admissible_place;

CAROM_API carom_status carom_admissible_locate(const carom_admissible *set, const double *u,
                                               double tolerance, carom_arena *arena,
                                               carom_admissible_place *place, carom_error *error);

/* Which sphere is the level epsilon between z (0) and the energy sphere (1)? */
typedef enum carom_reading {
    CAROM_READING_ENERGY, /* r^2 = |z|^2 + epsilon^2 (|x|^2 - |z|^2): the global index lies on it */
    CAROM_READING_RADIUS  /* r = (1 - epsilon) |z| + epsilon |x| */
} carom_reading;

CAROM_API double carom_admissible_radius(const carom_admissible *set, double epsilon,
                                         carom_reading reading);

/* The least and the largest value of one velocity (or of any weighted sum of velocities) over the
 * part of S up to a radius. `low` and `high` belong to points of S; that there is nothing beyond
 * `low_proved` and `high_proved` follows from multipliers of the half-spaces and the ball, whatever
 * found the points (docs/theory/admissible-set.md, "Ranges"). */
typedef struct carom_admissible_range {
    double low, high;
    double low_proved, high_proved;
} carom_admissible_range;

/* weights: n; radius: carom_admissible_radius, the speed for all of S. */
CAROM_API carom_status carom_admissible_find_range(const carom_admissible *set,
                                                   const double *weights, double radius,
                                                   carom_arena *arena,
                                                   carom_admissible_range *range,
                                                   carom_error *error);

/* Some points with a meaning. */
typedef struct carom_admissible_points {
    int count;
    double *u;     /* n x count, velocities */
    double *plane; /* k x count, coordinates */
} carom_admissible_points;

/* Points of S on a dissipation level: the one of the global index (the half-line from z along
 * -z_perp) if it is in S, first; then those where the edges of the polyhedron cross the sphere,
 * which are the corners of the level. epsilon in [0, 1]. */
CAROM_API carom_status carom_admissible_level(const carom_admissible *set, double epsilon,
                                              carom_reading reading, carom_arena *arena,
                                              carom_admissible_points *points, carom_error *error);

/* Extreme points of S: the vertices of the polyhedron inside the energy ball, then the points where
 * its edges leave the ball. (For k >= 2 all points of S on the energy sphere are extreme; these are
 * the corners of that patch.) vertices: how many of the points are vertices. */
CAROM_API carom_status carom_admissible_extremes(const carom_admissible *set, carom_arena *arena,
                                                 carom_admissible_points *points, int *vertices,
                                                 carom_error *error);

/* An arc of a level, for k = 2: angles in the plane of the basis, from <= to, and a polyline of
 * `segments` pieces between them. */
typedef struct carom_admissible_arc {
    double from, to, radius; /* radians; radius in the plane */
    carom_admissible_points line;
} carom_admissible_arc;

/* All arcs of S on a level: one for approaching data. A level that touches S in one point gives an
 * arc with from = to. k must be 2. */
CAROM_API carom_status carom_admissible_arcs(const carom_admissible *set, double epsilon,
                                             carom_reading reading, int segments,
                                             carom_arena *arena, carom_admissible_arc **arcs,
                                             int *count, carom_error *error);

/* The outline of S ready to draw: for k = 2 a closed polyline (first point not repeated) through
 * all corners, with `segments` pieces on the curved part; for k = 1 the two ends of the segment;
 * for k = 0 the only point. */
CAROM_API carom_status carom_admissible_outline(const carom_admissible *set, int segments,
                                                carom_arena *arena, carom_admissible_points *line,
                                                carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
