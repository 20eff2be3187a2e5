/* Chooses independent rows one after the other by orthogonalisation in the kinetic metric. */
#include "flow/row_set.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

bool carom_row_set_add(carom_row_set *set, carom_motion_row row, double tolerance)
{
    const int n = set->motion->shape->n, k = *set->count, ld = set->capacity;
    const double *v = carom_motion_vector(set->motion, row);
    double *Y = set->Y + (size_t)k * n;
    memcpy(Y, v, sizeof(double) * (size_t)n);
    carom_motion_inverse_mass(set->motion, Y);
    double square = carom_dense_dot(n, v, Y), left = square;
    for (int j = 0; j < k; j++) {
        double x = carom_dense_dot(n, v, set->Y + (size_t)j * n);
        for (int i = 0; i < j; i++)
            x -= set->S[k + (size_t)i * ld] * set->S[j + (size_t)i * ld];
        x /= set->S[j + (size_t)j * ld];
        set->S[k + (size_t)j * ld] = x;
        left -= x * x;
    }
    if (!(left > tolerance * square))
        return false;
    set->S[k + (size_t)k * ld] = sqrt(left);
    set->rows[(*set->count)++] = row;
    return true;
}
