/* The construction of an impact with global dissipation index: u- split into z and z_perp, the
 * second thrown back. */
#ifndef CAROM_SRC_FIGURE_CONSTRUCTION_H
#define CAROM_SRC_FIGURE_CONSTRUCTION_H

#include "pictures/velocity.h"

/* What differs from paper to paper: the motion of the walls, and the letters. */
typedef struct carom_construction {
    double b[2];   /* velocity of the walls */
    bool relative; /* show velocities minus b: then the vectors from the tip are those themselves */
    const char *before, *after, *tangential, *normal, *thrown; /* the vectors */
    const char *ends[3]; /* the velocities where before, after, tangential end; NULL: not named */
    const char *axes[2];
} carom_construction;

/* A particle in a wedge of 140 degrees that meets both walls; restitution 0.6. */
carom_status carom_construction_read(carom_drawing *drawing, const double b[2],
                                     carom_drawing_case *made, carom_error *error);

carom_status carom_construction_draw(carom_drawing *drawing, const carom_construction *plan,
                                     carom_error *error);

#endif
