/* The matrix of restitution that a law uses: normalised, unnormalised, or the contacts'
 * coefficients. */
#include "law/restitution.h"

#include "law/laws.h"

#include <stdio.h>

const carom_value *carom_restitution_given(const carom_law *law, int p, bool *normalised,
                                           const char **reason, char text[160])
{
    const carom_value *value = carom_law_value(law, "E");
    *normalised = value != NULL;
    *reason = NULL;
    if (!value)
        value = carom_law_value(law, "epsilon");
    if (!value || (value->rows == p && value->columns == p))
        return value;
    snprintf(text, 160, "%s is %d x %d, but %d contact%s closed: it must be %d x %d", value->name,
             value->rows, value->columns, p, p == 1 ? " is" : "s are", p, p);
    *reason = text;
    return NULL;
}

void carom_restitution_matrix(const carom_law *law, const carom_geometry *geometry, double *E,
                              const char **reason, char text[160])
{
    int p = geometry->impact->p;
    const double *norm = geometry->norm;
    bool normalised;
    const carom_value *value = carom_restitution_given(law, p, &normalised, reason, text);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double e = i == j ? carom_law_restitution(geometry, i) : 0;
            if (value)
                e = value->numbers[i + (size_t)j * p];
            if (value && !normalised && i != j)
                e *= norm[i] > 0 ? norm[j] / norm[i] : 0;
            E[i + (size_t)j * p] = e;
        }
}

void carom_restitution_target(const carom_law *law, const carom_geometry *geometry, double *target,
                              const char **reason, char text[160])
{
    int p = geometry->impact->p;
    const double *norm = geometry->norm;
    bool normalised;
    const carom_value *value = carom_restitution_given(law, p, &normalised, reason, text);
    for (int i = 0; i < p; i++) {
        target[i] = value ? 0 : carom_law_restitution(geometry, i) * geometry->gamma[i];
        for (int j = 0; value && j < p; j++) {
            double epsilon = value->numbers[i + (size_t)j * p];
            if (normalised && i != j)
                epsilon *= norm[j] > 0 ? norm[i] / norm[j] : 0;
            target[i] += epsilon * geometry->gamma[j];
        }
    }
}
