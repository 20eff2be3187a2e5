/* The restitution matrix of a law, for the certificates that test one. */
#include "carom/certify.h"
#include "carom/need.h"
#include "law/restitution.h"

#include <stdio.h>

carom_status carom_certify_matrix(const carom_law *law, const carom_geometry *geometry,
                                  carom_arena *arena, const double **E, char *note,
                                  carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, E);
    if (note)
        note[0] = '\0';
    const carom_value *value = law && law->ops ? carom_law_value(law, "E") : NULL;
    if (law && law->ops && !value)
        value = carom_law_value(law, "epsilon");
    if (!value) {
        *E = NULL;
        return CAROM_OK;
    }
    int p = geometry->impact->p;
    double *made = carom_arena_doubles(arena, (size_t)p * p);
    if (!made)
        return carom_error_memory(error);
    if (value->rows == p && value->columns == p) {
        const char *reason;
        char text[160];
        carom_restitution_matrix(law, geometry, made, &reason, text);
    } else if (value->rows >= p && value->columns == value->rows) {
        for (int j = 0; j < p; j++)
            for (int i = 0; i < p; i++)
                made[i + (size_t)j * p] = value->numbers[i + (size_t)j * value->rows];
        if (note)
            snprintf(
                note, 160,
                "E is %d x %d: energy-full judges all of it, the others its normal block (%d x %d)",
                value->rows, value->columns, p, p);
    } else {
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "%s of law %s is %d x %d, but %d contacts are closed", value->name,
                               law->ops->name, value->rows, value->columns, p);
    }
    *E = made;
    return CAROM_OK;
}
