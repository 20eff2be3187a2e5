/* The nearest of some words to a misspelt one. */
#ifndef CAROM_SRC_SCENE_SUGGEST_H
#define CAROM_SRC_SCENE_SUGGEST_H

/* words: ends with NULL. Returns the word with the fewest edits (insert, delete, replace, swap two
 * neighbours, ignoring case), or NULL when none is near: more than a third of its letters differ.
 */
const char *carom_suggest_word(const char *text, const char *const *words);

#endif
