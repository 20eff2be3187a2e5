/* The return map of a section, with its derivative (docs/theory/orbits.md). */
#ifndef CAROM_SRC_ORBIT_ORBIT_MAP_H
#define CAROM_SRC_ORBIT_ORBIT_MAP_H

#include "orbit/orbit_path.h"

/* The unknowns z of a start: coordinates that must return, velocities, and the time where a period
 * counts beside a section. */
typedef struct carom_orbit_map {
    const carom_orbit_problem *problem;
    const carom_system_shape *shape;
    carom_arena *work; /* for one run, reset before each */
    int n, size;
    bool timed;            /* t is unknown */
    int *unknown;          /* size: number in (q, u, t) */
    int *image;            /* n: symmetry, applied once for each section point */
    unsigned char *struck; /* p: contacts of the section */
    int points;            /* section points to the end; 0: a time */
    double span;           /* time to the end, where it is one */
    /* the closed contacts of the start: rows that it must satisfy */
    unsigned char *mode; /* p, carom_mode at the start */
    carom_state state;
    double *weight;            /* n: readiness of coordinates to move */
    double *R, *Y, *K, *c;     /* rows, weighted rows, their product, right sides */
    int *pivot, *kind, *index; /* rows */
    int rows, position_rows;
    /* the last image */
    double t0, *x0; /* start, 2n */
    double t1, *x1; /* end, 2n */
    double *V;      /* 2n x (size + 1): directions of the start that keep its contacts */
    double *D, *dt; /* 2n x (size + 1), size + 1: derivatives of the end */
    int rank;       /* of V without its last column */
    double *Q, *C;  /* V = Q C: (2n + 1) x rank, the change of time last; rank x size */
    carom_orbit_path *path;
    int segment_count, segment_room;
    carom_orbit_segment *segments;
    char message[400];
} carom_orbit_map;

carom_status carom_orbit_map_create(const carom_orbit_problem *problem, carom_arena *arena,
                                    carom_arena *work, carom_orbit_map *map, carom_error *error);

/* Section points and events nearer to the start than this are the start itself, which is on the
 * section only up to Newton's error. */
double carom_orbit_map_instant(const carom_orbit_map *map);

/* The speed at which a contact closed in an impact. */
carom_status carom_orbit_map_speed(carom_orbit_map *map, const carom_flow_impact *impact,
                                   int contact, double *speed, carom_error *error);

/* From `start` to the next section point, into x1 and t1. CAROM_STOPPED: none within the horizon.
 */
carom_status carom_orbit_map_first(carom_orbit_map *map, const carom_flow_start *start,
                                   carom_error *error);

/* The image of the start x0, t0, with derivatives. CAROM_STOPPED: it does not come back, or no
 * derivative exists (message). */
carom_status carom_orbit_map_apply(carom_orbit_map *map, carom_error *error);

/* The same without derivatives: D and dt stay as they are. */
carom_status carom_orbit_map_move(carom_orbit_map *map, carom_error *error);

/* How many section points the orbit has, from the motion that starts at x0, t0; and which contacts
 * are closed there. */
carom_status carom_orbit_map_count(carom_orbit_map *map, carom_error *error);

/* orbit_start.c: the start is moved, as little as can be and ignored coordinates first, so that the
 * contacts that were closed stay closed. */
carom_status carom_orbit_start_project(carom_orbit_map *map, carom_error *error);

/* The directions V of the unknowns that keep the closed contacts, and in the last column that of
 * the parameter. */
carom_status carom_orbit_start_directions(carom_orbit_map *map, carom_error *error);

#endif
