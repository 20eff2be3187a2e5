/* Integer arithmetic inside $( ): + - * / % ( ), the index, whole parameters and numbers. */
#ifndef CAROM_SRC_SCENE_EXPAND_INTEGER_H
#define CAROM_SRC_SCENE_EXPAND_INTEGER_H

#include "scene/reader.h"

/* The value of the parenthesis that begins at *s, which is moved behind it. Returns what is wrong,
 * NULL if nothing is. */
const char *carom_expand_integer(const carom_reader_round *round, const carom_scope *scope,
                                 const char **s, long *value);

#endif
