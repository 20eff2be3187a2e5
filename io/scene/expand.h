/* Texts of `repeat` blocks: `$i` and `$(i+1)` stand for numbers, of this block and those around it.
 * An expanded formula remembers the node it came from, so that an error in its third copy still
 * points into the file. */
#ifndef CAROM_SRC_SCENE_EXPAND_H
#define CAROM_SRC_SCENE_EXPAND_H

#include "scene/reader.h"

/* The text of a scalar in the reader's round as a source for formulas and names; it lives in the
 * scratch arena. Errors found in it later must pass through carom_expand_status. */
carom_status carom_expand_source(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 carom_source *source);

/* The same for `from` and `to`, where the indices of outer blocks stand without `$`. */
carom_status carom_expand_bound(carom_reader *r, const carom_yaml_node *node, const char *what,
                                carom_source *source);

/* Add the places in the file to a source, for those who keep them: errors then carry line and
 * column without carom_expand_status, but do not name the round. */
carom_status carom_expand_places(carom_reader *r, carom_source *source);

/* The text of a scalar in the reader's round alone. */
carom_status carom_expand_text(carom_reader *r, const carom_yaml_node *node, const char *what,
                               const char **text);

/* Give an error of a formula its place in the file and, in a repeat block, the value of the index.
 * Returns the status given. */
carom_status carom_expand_status(carom_reader *r, carom_status status);

#endif
