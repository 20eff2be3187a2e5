/* The largest ratio of energies over approaching velocities: a ratio l is proved when l G^-1 -
 * E'G^-1 E is copositive; a vector that refutes it has a larger ratio, and is the next to try. */
#include "certify/ratio.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Distance between the ratio attained and the one that is proved, relative: the first where the
 * test of copositivity can tell, up to the last. */
static const double closest = CAROM_TOLERANCE_SAME, farthest = 1e-6;

enum { ROUNDS = 300 };

/* B = E'K E with E divided by `size`, so that its entries are of order one. */
static carom_status form(const carom_normal *m, const double *E, double size, carom_arena *arena,
                         double *B, carom_error *error)
{
    const size_t p = (size_t)m->p;
    double *KE = carom_arena_zeros(arena, p * p, sizeof *KE);
    if (!KE)
        return carom_error_memory(error);
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k < p; k++)
            if (E[k + j * p] != 0)
                carom_dense_axpy((int)p, E[k + j * p] / size, m->K + k * p, KE + j * p);
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i <= j; i++) {
            const double value = (carom_dense_dot((int)p, E + i * p, KE + j * p) +
                                  carom_dense_dot((int)p, E + j * p, KE + i * p)) /
                                 (2 * size);
            B[i + j * p] = B[j + i * p] = value;
        }
    return CAROM_OK;
}

static double quotient(int p, const double *B, const double *K, const double *x)
{
    double top = 0, bottom = 0;
    for (int j = 0; j < p; j++) {
        top += x[j] * carom_dense_dot(p, B + (size_t)j * p, x);
        bottom += x[j] * carom_dense_dot(p, K + (size_t)j * p, x);
    }
    return bottom > 0 ? top / bottom : 0;
}

carom_status carom_ratio_find(const carom_normal *m, const double *E, const double *start,
                              const carom_watch *watch, carom_arena *arena, carom_ratio *ratio,
                              carom_error *error)
{
    const size_t p = (size_t)m->p, square = p * p;
    const double size = carom_dense_max((int)square, E);
    carom_ratio made = {0};
    made.x = carom_arena_zeros(arena, p + 1, sizeof(double));
    double *B = carom_arena_doubles(arena, 2 * square + 1), *A = B ? B + square : NULL;
    if (!made.x || !B)
        return carom_error_memory(error);
    *ratio = made;
    if (p == 0 || size == 0)
        return CAROM_OK;
    carom_status status = form(m, E, size, arena, B, error);
    if (status)
        return status;
    if (start)
        memcpy(made.x, start, sizeof(double) * p);
    double best = start ? quotient(m->p, B, m->K, made.x) : -1;
    for (size_t i = 0; i < p; i++) /* the contact that loses least when it approaches alone */
        if (B[i * (p + 1)] > best * m->K[i * (p + 1)]) {
            best = B[i * (p + 1)] / m->K[i * (p + 1)];
            memset(made.x, 0, sizeof(double) * p);
            made.x[i] = 1;
        }
    made.proved = INFINITY;
    bool done = false;
    double apart = closest;
    for (int round = 0; round < ROUNDS && !done; round++) {
        carom_mark mark = carom_arena_mark(arena);
        carom_copositive a;
        const double target = best * (1 + apart);
        for (size_t k = 0; k < square; k++)
            A[k] = target * m->K[k] - B[k];
        status = carom_copositive_test(m->p, A, NULL, watch, arena, &a, error);
        if (status)
            return status;
        const double found = a.copositive == CAROM_FALSE ? quotient(m->p, B, m->K, a.x) : 0;
        if (found > best) {
            memcpy(made.x, a.x, sizeof(double) * p);
            best = found;
        } else if (a.copositive == CAROM_TRUE) {
            made.proved = target;
        } else {
            apart *= 10; /* too close to tell */
        }
        done = isfinite(made.proved) || a.stopped || apart > 2 * farthest;
        carom_arena_rewind(arena, mark);
    }
    made.attained = best * size * size;
    made.proved *= size * size;
    *ratio = made;
    return CAROM_OK;
}
