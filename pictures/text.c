#include "pictures/text.h"

#include <string.h>

void carom_text_append(carom_text *t, const char *piece, size_t size)
{
    if (t->failed)
        return;
    if (t->size + size + 1 > t->room) {
        size_t room = 2 * (t->size + size) + 4096;
        char *grown = carom_allocator_resize(&t->allocator, t->text, room);
        if (!grown) {
            t->failed = true;
            return;
        }
        t->text = grown;
        t->room = room;
    }
    memcpy(t->text + t->size, piece, size);
    t->size += size;
    t->text[t->size] = '\0';
}

void carom_text_destroy(carom_text *t)
{
    if (t->text)
        carom_allocator_resize(&t->allocator, t->text, 0);
    t->text = NULL;
    t->size = t->room = 0;
}
