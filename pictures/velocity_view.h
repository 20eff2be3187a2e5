/* A slice of velocity space to look at: two or three directions, orthonormal in the kinetic metric,
 * through the velocity before the impact (docs/theory/velocity-space.md).
 *
 * A velocity u is shown at c = basis'M (u - b): distances in the picture are kinetic norms, half
 * their squares energies. The origin is b + x_0, the point of the slice nearest to the frame
 * velocity b. */
#ifndef CAROM_SRC_FIGURE_VELOCITY_VIEW_H
#define CAROM_SRC_FIGURE_VELOCITY_VIEW_H

#include "pictures/report.h"

/* A half-space normal'c >= bound of the slice, normal of unit length. */
typedef struct carom_velocity_half {
    double normal[3], bound;
    int contact;
} carom_velocity_half;

/* What an axis is. */
typedef enum carom_velocity_axis {
    CAROM_VELOCITY_OTHER,      /* orthogonal to those before */
    CAROM_VELOCITY_GRADIENT,   /* along a contact's gradient */
    CAROM_VELOCITY_COORDINATE, /* along a coordinate */
    CAROM_VELOCITY_PUSH,       /* from u- towards the point z of maximum dissipation */
    CAROM_VELOCITY_OUTCOME     /* towards the outcome farthest away */
} carom_velocity_axis;

typedef struct carom_velocity_view {
    const carom_geometry *geometry;
    int k;         /* directions: 1, 2 or 3 */
    double *basis; /* n x k */
    double *x_0;   /* n, the part of u- - b orthogonal to the basis */
    double speed;  /* |u- - b| */
    double radius; /* of the energy sphere within the slice */
    int reach;     /* dimension of what impulses can change */
    bool exact;    /* every velocity that impulses can reach lies in the slice */
    bool rough;    /* ... and friction is among them */
    carom_velocity_axis axis[3];
    int axis_of[3]; /* the contact or coordinate it is named after */
    int count;      /* half-spaces whose intersection (by group) is T in the slice */
    carom_velocity_half *T;
    int group_count; /* T is the union over groups; 1 unless the impact has a region */
    int *group_start, *group_half;
    int normals; /* generators of the cone -T_perp, when exact: columns of N */
    double *N;   /* k x normals */
    int pushes;  /* generators of all impulses, friction included, when exact: columns of K */
    double *K;   /* k x pushes */
} carom_velocity_view;

/* Choose the slice. k: 2 or 3 (fewer when there are not so many). */
carom_status carom_velocity_view_choose(const carom_report_impact *report, int k,
                                        carom_arena *arena, carom_velocity_view *view,
                                        carom_error *error);

/* Where a velocity is shown, and how far (kinetic norm) it is from the slice. */
double carom_velocity_view_place(const carom_velocity_view *view, const double *u, double *c);

#endif
