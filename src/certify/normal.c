/* G of the normals in normalised form, its inverse with error bounds, its norms. */
#include "certify/normal.h"

#include "linalg/cholesky.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

double carom_normal_frobenius(int rows, int columns, const double *A)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)rows * columns; k++)
        sum += A[k] * A[k];
    return sqrt(sum);
}

/* y += a |x| */
static void add_sizes(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * fabs(x[i]);
}

/* |dG^-1| <= |G^-1| |dG| |G^-1|, dG from the products w'M^-1 w and from the factorisation. Entries
 * of G that are zero because contacts share nothing are exact. G is sparse where many contacts
 * share little, and so is G^-1 where they fall into islands: what is zero is passed over. */
static void bound_inverse(const carom_geometry *g, carom_normal *m, double *work)
{
    const int p = m->p, n = g->impact->n;
    const double own = 4.0 * p * DBL_EPSILON, shared = 4.0 * (n + p) * DBL_EPSILON;
    memset(work, 0, sizeof(double) * p * p);
    for (int k = 0; k < p; k++)
        for (int i = 0; i < p; i++) { /* work' += |K e_k| |dG_ki| */
            if (m->G[i + (size_t)k * p] != 0)
                add_sizes(p, i == k ? own : shared, m->K + (size_t)k * p, work + (size_t)i * p);
        }
    for (int j = 0; j < p; j++)
        for (int k = 0; k < p; k++) {
            const double a = work[j + (size_t)k * p];
            if (a != 0)
                add_sizes(p, a, m->K + (size_t)k * p, m->doubt + (size_t)j * p);
        }
}

/* Rounding of the sum w_i'Y_j: a few units in the last place of its terms. */
static double rounding_of(const carom_geometry *g, int i, int j)
{
    int n = g->impact->n;
    double size = 0;
    for (int k = 0; k < n; k++)
        size += fabs(g->impact->W[k + (size_t)i * n] * g->Y[k + (size_t)j * n]);
    return 2.0 * (n + 2) * DBL_EPSILON * size;
}

carom_status carom_normal_make(const carom_geometry *g, carom_arena *arena, carom_normal *normal,
                               carom_error *error)
{
    int p = g->impact->p;
    size_t square = (size_t)p * p;
    carom_normal m = {.p = p, .identity = true};
    double *memory = carom_arena_zeros(arena, 4 * square, sizeof(double));
    double *work = carom_arena_doubles(arena, square + p);
    if (!memory || !work)
        return carom_error_memory(error);
    m.G = memory;
    m.L = m.G + square;
    m.K = m.L + square;
    m.doubt = m.K + square;
    bool blocked = false;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            /* sqrt of the product, so that equal norms cancel exactly */
            double norms = sqrt(g->D[i * (size_t)(p + 1)] * g->D[j * (size_t)(p + 1)]);
            blocked = blocked || !(norms > 0);
            double d = i == j ? 1 : norms > 0 ? g->D[i + (size_t)j * p] / norms : 0;
            if (i != j && d != 0 &&
                fabs(d) * norms <= fmax(4 * DBL_EPSILON * norms, rounding_of(g, i, j)))
                d = 0; /* a right angle within rounding is taken for one */
            m.G[i + (size_t)j * p] = m.L[i + (size_t)j * p] = d;
            m.identity = m.identity && (i == j || d == 0);
        }
    m.G_norm = carom_normal_frobenius(p, p, m.G);
    m.regular = !blocked && !g->dependent && carom_cholesky_factor(p, m.L, p) == 0;
    if (m.regular) {
        for (int j = 0; j < p; j++) {
            m.K[j * (size_t)(p + 1)] = 1;
            carom_cholesky_solve(p, m.L, p, m.K + (size_t)j * p);
        }
        for (int j = 0; j < p; j++)
            for (int i = 0; i < j; i++) /* symmetric to the last bit */
                m.K[j + (size_t)i * p] = m.K[i + (size_t)j * p];
        m.K_norm = carom_normal_frobenius(p, p, m.K);
        bound_inverse(g, &m, work);
        if (m.identity)
            memset(m.doubt, 0, square * sizeof(double));
    }
    memcpy(work, m.G, square * sizeof(double));
    carom_status status = carom_spectrum_symmetric(p, work, false, arena, work + square, error);
    if (status)
        return status;
    m.least = p ? work[square] : 1;
    m.largest = p ? work[square + p - 1] : 1;
    if (m.identity)
        m.least = m.largest = 1;
    *normal = m;
    return CAROM_OK;
}

const double *carom_normal_restitution(const carom_geometry *g, const double *E, carom_arena *arena)
{
    if (E)
        return E;
    int p = g->impact->p;
    double *made = carom_arena_zeros(arena, (size_t)p * p, sizeof(double));
    for (int i = 0; made && i < p; i++)
        made[i * (size_t)(p + 1)] = g->impact->contacts ? g->impact->contacts[i].restitution : 0;
    return made;
}
