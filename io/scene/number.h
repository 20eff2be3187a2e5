/* Numbers as scenes write them: 1  .5  5.  2e-05  1E+3  010 (ten), with a sign. */
#ifndef CAROM_SRC_SCENE_NUMBER_H
#define CAROM_SRC_SCENE_NUMBER_H

#include "carom/text.h"

/* For texts that other YAML readers take for numbers and ours does not: why, else NULL. */
const char *carom_number_why_not(const char *text);

#endif
