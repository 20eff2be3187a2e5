/* A hash table of names, so that thousands of them are checked for duplicates in one pass. */
#include "scene/name_set.h"

#include "carom/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

carom_status carom_name_set_create(carom_arena *arena, int count, carom_name_set *set,
                                   carom_error *error)
{
    size_t room = 16;
    while (room < 2 * (size_t)count)
        room *= 2;
    const char **names = carom_arena_zeros(arena, room, sizeof *names);
    int *numbers = carom_arena_array(arena, room, sizeof *numbers);
    if (!names || !numbers)
        return carom_error_memory(error);
    *set = (carom_name_set){names, numbers, room};
    return CAROM_OK;
}

/* The slot where the name is, or where it would go. */
static size_t slot_of(const carom_name_set *set, const char *name)
{
    uint64_t h = 1469598103934665603u;
    for (const char *s = name; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    size_t slot = (size_t)(h ^ h >> 29) & (set->room - 1);
    while (set->names[slot] && strcmp(set->names[slot], name) != 0)
        slot = (slot + 1) & (set->room - 1);
    return slot;
}

int carom_name_set_add(carom_name_set *set, const char *name, int number)
{
    size_t slot = slot_of(set, name);
    if (set->names[slot])
        return set->numbers[slot];
    set->names[slot] = name;
    set->numbers[slot] = number;
    return -1;
}

int carom_name_set_find(const carom_name_set *set, const char *name)
{
    size_t slot = slot_of(set, name);
    return set->names[slot] ? set->numbers[slot] : -1;
}

const char *carom_name_set_suggest(const carom_name_set *set, const char *name, carom_arena *arena)
{
    const char **words = carom_arena_array(arena, set->room + 1, sizeof *words);
    size_t count = 0;
    for (size_t k = 0; words && k < set->room; k++)
        if (set->names[k])
            words[count++] = set->names[k];
    if (!words)
        return NULL;
    words[count] = NULL;
    return carom_word_nearest(name, words);
}

const char *carom_name_set_guess(const carom_name_set *set, const char *name, carom_arena *arena)
{
    enum { MOST = 110 };
    const char *near = carom_name_set_suggest(set, name, arena);
    char *text = near ? carom_arena_array(arena, MOST, 1) : NULL;
    if (!text)
        return "";
    snprintf(text, MOST, ": did you mean `%.80s`?", near);
    return text;
}
