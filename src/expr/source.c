/* Places of formulas and of their operations in the input. */
#include "carom/need.h"
#include "expr/scope.h"

carom_place carom_source_place(const carom_source *source, size_t offset)
{
    CAROM_NEED_OR(((carom_place){0}), source);
    if (source->places)
        return source->places[offset];
    carom_place place = source->start;
    if (place.column == 0)
        place.column = 1;
    for (size_t k = 0; source->text && k < offset && source->text[k]; k++) {
        unsigned char next = (unsigned char)source->text[k];
        if (next == '\n' && source->start.line > 0) {
            place.line++;
            place.column = 1;
        } else if ((next & 0xC0) != 0x80) { /* the first byte of a character */
            place.column++;
        }
    }
    return place;
}
