/* What a restitution matrix takes away: C and G^-1 (I + E), with bounds on their errors. */
#include "certify/loss.h"

#include <float.h>
#include <math.h>

/* E = diag(e): R_ij = K_ij (1 + e_j), C_ij = K_ij (1 - e_i e_j). */
static void fill_diagonal(const carom_normal *m, const double *E, carom_loss *l)
{
    const size_t p = (size_t)m->p;
    const bool exact = m->identity && p == 1;
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < p; i++) {
            const double K = m->K[i + j * p], doubt = m->doubt[i + j * p];
            const double ei = E[i * (p + 1)], ej = E[j * (p + 1)], rest = 1 - ei * ej;
            l->R[i + j * p] = K * (1 + ej);
            l->C[i + j * p] = K * rest;
            l->R_doubt[i + j * p] = exact ? 0 : (doubt + 2 * DBL_EPSILON * fabs(K)) * fabs(1 + ej);
            /* e_i e_j is rounded too, unless it is one of these */
            const bool whole = ei == 0 || ej == 0 || fabs(ei) == 1 || fabs(ej) == 1;
            l->C_doubt[i + j * p] =
                doubt * fabs(rest) +
                DBL_EPSILON * fabs(K) * (2 * fabs(rest) + (whole ? 0 : fabs(ei * ej)));
        }
}

/* The general case, column by column: R = K (I + E), C = sym (I - E)'R. */
static void fill(const carom_normal *m, const double *E, carom_loss *l)
{
    const size_t p = (size_t)m->p;
    const double unit = (2.0 * m->p + 4) * DBL_EPSILON;
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k < p; k++) {
            const double f = (k == j) + E[k + j * p], size = fabs(f);
            for (size_t i = 0; i < p && f != 0; i++) {
                const double a = m->K[i + k * p];
                l->R[i + j * p] += a * f;
                l->R_doubt[i + j * p] += (m->doubt[i + k * p] + unit * fabs(a)) * size;
            }
        }
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < p; i++) {
            double sum = 0, doubt = 0;
            for (size_t k = 0; k < p; k++) {
                const double f = (k == i) - E[k + i * p];
                sum += f * l->R[k + j * p];
                doubt += fabs(f) * (l->R_doubt[k + j * p] + unit * fabs(l->R[k + j * p]));
            }
            l->C[i + j * p] += 0.5 * sum;
            l->C[j + i * p] += 0.5 * sum;
            l->C_doubt[i + j * p] += 0.5 * doubt;
            l->C_doubt[j + i * p] += 0.5 * doubt;
        }
}

carom_status carom_loss_make(const carom_normal *normal, const double *E, carom_arena *arena,
                             carom_loss *loss, carom_error *error)
{
    const size_t p = (size_t)normal->p;
    carom_loss l = {.diagonal = true};
    l.C = carom_arena_zeros(arena, 4 * p * p + 1, sizeof(double));
    if (!l.C)
        return carom_error_memory(error);
    l.C_doubt = l.C + p * p;
    l.R = l.C_doubt + p * p;
    l.R_doubt = l.R + p * p;
    for (size_t k = 0; k < p * p; k++)
        l.diagonal = l.diagonal && (k % (p + 1) == 0 || E[k] == 0);
    if (l.diagonal)
        fill_diagonal(normal, E, &l);
    else
        fill(normal, E, &l);
    *loss = l;
    return CAROM_OK;
}
