/* A set of names with their numbers, for duplicates and look-ups among thousands. */
#ifndef CAROM_SRC_SCENE_NAME_SET_H
#define CAROM_SRC_SCENE_NAME_SET_H

#include "carom/base.h"

typedef struct carom_name_set {
    const char **names; /* `room` slots, a power of two; NULL: free */
    int *numbers;
    size_t room;
} carom_name_set;

/* Room for `count` names, from the arena. */
carom_status carom_name_set_create(carom_arena *arena, int count, carom_name_set *set,
                                   carom_error *error);

/* Add a name (borrowed) with its number. Returns -1, or the number of the same name added before.
 */
int carom_name_set_add(carom_name_set *set, const char *name, int number);

/* The number of a name, or -1. */
int carom_name_set_find(const carom_name_set *set, const char *name);

/* ": did you mean `NAME`?" with the name nearest to a misspelt one, "" where none is near. */
const char *carom_name_set_guess(const carom_name_set *set, const char *name, carom_arena *arena);

/* The name in the set nearest to a misspelt one, or NULL. */
const char *carom_name_set_suggest(const carom_name_set *set, const char *name, carom_arena *arena);

#endif
