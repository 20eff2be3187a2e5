/* Names inside the texts of a repeated block. */
#ifndef CAROM_SRC_SCENE_EXPAND_NAME_H
#define CAROM_SRC_SCENE_EXPAND_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* May a name begin with this character, may it go on with it? */
static inline bool carom_expand_name_begins(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool carom_expand_name_goes_on(char c)
{
    return carom_expand_name_begins(c) || (c >= '0' && c <= '9');
}

/* The length of the name at s, 0 when there is none. */
static inline size_t carom_expand_name_length(const char *s)
{
    size_t length = 0;
    while (carom_expand_name_goes_on(s[length]))
        length++;
    return carom_expand_name_begins(s[0]) ? length : 0;
}

#endif
