/* What happens on a periodic motion, in order: impacts, events of the system, changes of mode. Two
 * motions on one branch have the same path; where it changes something happens to the branch
 * (docs/theory/orbits.md, "Branches"). */
#ifndef CAROM_SRC_ORBIT_ORBIT_PATH_H
#define CAROM_SRC_ORBIT_ORBIT_PATH_H

#include "carom/orbit.h"

typedef enum carom_orbit_path_kind {
    CAROM_ORBIT_PATH_IMPACT, /* at contact `index` */
    CAROM_ORBIT_PATH_EVENT,  /* of the system, number `index` */
    CAROM_ORBIT_PATH_REST,   /* contact `index` comes to rest, with all impacts that led to it */
    CAROM_ORBIT_PATH_CHANGE, /* of the mode of contact `index`, to `mode` */
} carom_orbit_path_kind;

typedef struct carom_orbit_path_step {
    carom_orbit_path_kind kind;
    int index;
    carom_mode mode; /* after a change or rest */
    double t;
    double speed; /* of approach, at an impact */
} carom_orbit_path_step;

/* Steps beyond the room are counted, not kept. */
enum { CAROM_ORBIT_PATH_ROOM = 128 };

typedef struct carom_orbit_path {
    int count;
    carom_orbit_path_step steps[CAROM_ORBIT_PATH_ROOM];
} carom_orbit_path;

void carom_orbit_path_add(carom_orbit_path *path, carom_orbit_path_step step);

/* The contact comes to rest: impacts of it before that one after the other are slower are how it
 * does so, and their number means nothing. */
void carom_orbit_path_rest(carom_orbit_path *path, double t, int contact, carom_mode mode);

/* Do the same things happen in the same order? */
bool carom_orbit_path_same(const carom_orbit_path *a, const carom_orbit_path *b);

/* What becomes of the branch where the path changes from a to b, in a kind and a sentence. */
carom_orbit_event_kind carom_orbit_path_compare(const carom_orbit_path *a,
                                                const carom_orbit_path *b,
                                                const carom_system_shape *shape, char *text,
                                                size_t size);

/* "impact of contact a", "event strike", "contact floor to stick" */
void carom_orbit_path_describe(const carom_orbit_path_step *step, const carom_system_shape *shape,
                               char *text, size_t size);

#endif
