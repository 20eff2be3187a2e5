/* Formulas behind the numbers of a scene, kept for derivatives. */
#ifndef CAROM_SRC_SCENE_SCENE_DIRECTION_H
#define CAROM_SRC_SCENE_SCENE_DIRECTION_H

#include "scene/scene_parts.h"

/* A number of the scene and its formula. */
typedef struct carom_scene_rate {
    carom_reader_owner owner;
    int index;
    const char *what;
    int formula; /* number in the set, -1: it is none */
} carom_scene_rate;

typedef struct carom_scene_rates {
    carom_scene_rate *records;
    int count;
    carom_expr_set *formulas; /* in a scope that keeps parameters */
    int formula_count;
} carom_scene_rates;

/* Compile what was remembered, when the whole scene is read. */
carom_status carom_scene_rates_make(carom_reader *r, carom_scene *scene);

#endif
