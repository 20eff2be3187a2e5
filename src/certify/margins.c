/* Largest scaling of E, largest box of diagonal E (docs/theory/admissible.md). */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/ratio.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BOX_ALL = 12, BOX_APPROACHING = 8 };

/* Largest eigenvalue of K_SS G_SS: the largest of x'K_SS x / x'(G_SS)^-1 x. */
static carom_status largest_share(const carom_normal *m, int count, const int *set,
                                  carom_arena *arena, double *share, carom_error *error)
{
    int p = m->p;
    carom_mark mark = carom_arena_mark(arena);
    double *A = carom_arena_doubles(arena, 2 * (size_t)count * count);
    if (!A)
        return carom_error_memory(error);
    double *B = A + (size_t)count * count;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++) {
            A[i + (size_t)j * count] = m->K[set[i] + (size_t)set[j] * p];
            B[i + (size_t)j * count] = m->G[set[i] + (size_t)set[j] * p];
        }
    carom_status status = carom_spectrum_product(count, A, B, arena, share, error);
    carom_arena_rewind(arena, mark);
    return status;
}

/* K - t K_SS (zero outside S) copositive? *stopped: by the watch, not known. */
static carom_status box_holds(const carom_normal *m, unsigned set, double t,
                              const carom_watch *watch, carom_arena *arena, bool *holds,
                              bool *stopped, carom_error *error)
{
    int p = m->p;
    carom_mark mark = carom_arena_mark(arena);
    double *A = carom_arena_doubles(arena, (size_t)p * p);
    if (!A)
        return carom_error_memory(error);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double both = (set >> i & 1) && (set >> j & 1) ? 1 - t : 1;
            A[i + (size_t)j * p] = both * m->K[i + (size_t)j * p];
        }
    carom_copositive answer;
    carom_status status = carom_copositive_test(p, A, NULL, watch, arena, &answer, error);
    *holds = !status && answer.copositive == CAROM_TRUE;
    *stopped = !status && answer.stopped;
    carom_arena_rewind(arena, mark);
    return status;
}

/* e x x'Cx is concave in e, so the corners e_i in {0, e} of the box decide. */
static carom_status find_boxes(const carom_normal *m, const carom_watch *watch, carom_arena *arena,
                               carom_margins *margins, carom_error *error)
{
    int p = m->p, set[BOX_ALL];
    if (p > BOX_ALL)
        return CAROM_OK;
    double all = 1, approaching = 1;
    bool stopped = false;
    for (unsigned mask = 1; mask < 1u << p; mask++) {
        int count = 0;
        for (int i = 0; i < p; i++)
            if (mask >> i & 1)
                set[count++] = i;
        double share = 1;
        carom_status status = largest_share(m, count, set, arena, &share, error);
        if (status)
            return status;
        all = fmin(all, 1 / share);
        bool holds = p > BOX_APPROACHING;
        if (!holds)
            status = box_holds(m, mask, approaching, watch, arena, &holds, &stopped, error);
        double low = 0, high = approaching;
        while (!status && !holds && !stopped && high - low > CAROM_TOLERANCE_REFINED * high) {
            bool inside;
            double middle = 0.5 * (low + high);
            status = box_holds(m, mask, middle, watch, arena, &inside, &stopped, error);
            low = inside ? middle : low;
            high = inside ? high : middle;
            approaching = low;
        }
        stopped =
            stopped || (watch && !watch->go_on(watch->self, "margins", (double)mask / (1u << p)));
        if (status || stopped)
            return status;
    }
    margins->box_all = sqrt(all);
    margins->box_approaching = p > BOX_APPROACHING ? NAN : sqrt(fmax(approaching, all));
    return CAROM_OK;
}

/* The largest singular value of F = L^-1 E L, from above; F scaled so that small E keep their
 * digits. */
static carom_status largest_ratio(const carom_normal *m, const double *E, int n, carom_arena *arena,
                                  double *ratio, carom_error *error)
{
    const size_t p = (size_t)m->p;
    double *F = carom_arena_zeros(arena, p * p + p, sizeof *F), *values = F ? F + p * p : NULL;
    const double size = carom_dense_max((int)(p * p), E);
    *ratio = 0;
    if (!F)
        return carom_error_memory(error);
    if (size == 0)
        return CAROM_OK;
    for (size_t j = 0; j < p; j++) {
        for (size_t k = j; k < p; k++)
            carom_dense_axpy((int)p, m->L[k + j * p] / size, E + k * p, F + j * p);
        carom_cholesky_forward((int)p, m->L, (int)p, F + j * p);
    }
    carom_status status =
        carom_spectrum_singular((int)p, (int)p, F, arena, values, NULL, NULL, error);
    const double conditioning = m->identity ? 1 : m->largest / fmax(m->least, DBL_MIN);
    *ratio = values[0] * size * (1 + 32.0 * (double)(m->p + n) * DBL_EPSILON * conditioning);
    return status;
}

carom_status carom_margins_find(const carom_geometry *geometry, const double *E,
                                const carom_watch *watch, carom_arena *arena,
                                carom_margins *margins, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, margins);
    carom_margins made = {NAN, NAN, NAN, NAN};
    carom_normal m;
    carom_ratio some;
    double every;
    const carom_impact *impact = geometry->impact;
    carom_status status = carom_normal_make(geometry, arena, &m, error);
    if (status)
        return status;
    *margins = made;
    if (!m.regular || m.p == 0 || impact->region || geometry->spread_start[m.p] > 0)
        return CAROM_OK;
    E = carom_normal_restitution(geometry, E, arena);
    if (!E)
        return carom_error_memory(error);
    status = largest_ratio(&m, E, impact->n, arena, &every, error);
    if (!status)
        status = carom_ratio_find(&m, E, NULL, watch, arena, &some, error);
    if (status)
        return status;
    /* the ratio grows with the square of E; what is proved is on the safe side */
    made.scale_all = every > 0 ? 1 / every : INFINITY;
    made.scale_approaching = some.proved > 0 ? 1 / sqrt(some.proved) : INFINITY;
    bool one = true; /* E = eI: the ratio is e^2 whatever the velocity */
    for (int k = 0; k < m.p * m.p; k++)
        one = one && E[k] == (k % (m.p + 1) == 0 ? E[0] : 0);
    if (one)
        made.scale_all = 1 / fabs(E[0]);
    made.scale_approaching = one ? made.scale_all : fmax(made.scale_approaching, made.scale_all);
    status = find_boxes(&m, watch, arena, &made, error);
    if (!status)
        *margins = made;
    return status;
}
