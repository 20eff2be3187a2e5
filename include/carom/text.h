/* Numbers and words as texts, the same on every machine: the locale of the host program does not
 * matter, and a number that is printed reads back to the last bit.
 */
#ifndef CAROM_TEXT_H
#define CAROM_TEXT_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room for any number that carom_number_print writes, its zero included. */
enum { CAROM_NUMBER_SIZE = 32 };

/* A plain decimal number at the start of the text (1  .5  5.  2e-05  1E+3  010, which is ten);
 * *length receives its bytes, 0 if there is none. No sign. Rounded correctly. */
CAROM_API double carom_number_prefix(const char *text, size_t *length);

/* True when the whole text is a number, with or without a sign; it may overflow to infinity. */
CAROM_API bool carom_number_parse(const char *text, double *value);

/* The shortest decimal number that reads back as the same double, in at most CAROM_NUMBER_SIZE
 * bytes; NaN and infinities are `nan`, `inf`, `-inf`. Returns its length. */
CAROM_API int carom_number_print(double value, char *text);

/* The number with a given count of significant digits (as %.*g, with a decimal point). */
CAROM_API int carom_number_print_digits(double value, int digits, char *text);

/* The number with a given count of digits after the point (as %.*f). The room is the caller's word:
 * a text that does not fit is cut. Returns the length written. */
CAROM_API int carom_number_print_fixed(double value, int decimals, char *text, size_t room);

/* The number to show: 0 where it is the rounding of numbers as large as scale. */
CAROM_API double carom_number_clean(double value, double scale);

/* Insertions, deletions, replacements and swaps of neighbours that make one word of the other,
 * ignoring case; lengths in bytes. Words longer than 48 bytes are never near: INT_MAX. */
CAROM_API int carom_word_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* The nearest of some words (the list ends with NULL) to a misspelt one, or NULL when more than a
 * third of the letters of each differ. */
CAROM_API const char *carom_word_nearest(const char *text, const char *const *words);

#ifdef __cplusplus
}
#endif
#endif
