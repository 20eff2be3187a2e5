/* What joints leave of the motion that an impulse brings, with twice the digits
 * (docs/theory/coulomb.md, "Accuracy").
 *
 * Without joints Y = M^-1 J is J in other units: rounded entry by entry, no body gains a motion
 * that its rows do not have. With joints light bodies keep differences alone, C'Y = 0, and the
 * rounding of a plain Y is a motion across the joints. J'Y then has pivots where there are none, or
 * loses those of a heavy body beside light ones. */
#include "law/coulomb_columns.h"

#include "impact/response.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Entries below so much of what the impulse could bring to their coordinate are rounding of the
 * projection: it has twice the digits, less those of its factors. */
static const double ROUNDING = 1024 * DOUBLED_UNIT;

typedef struct columns {
    const carom_geometry *g;
    doubled *still, *impulse, *zero, *push, *y; /* c, c, n, n, n */
    double *work;                               /* 2 (n + c) */
} columns;

/* Y = M_c^-1 row in two parts. A row that the joints block, or depends on them, stays without. */
static void find_column(const columns *w, const double *row, const double *known, double *high,
                        double *low)
{
    const carom_response *joints = w->g->joints;
    const int n = joints->n;
    memset(high, 0, sizeof *high * (size_t)n);
    memset(low, 0, sizeof *low * (size_t)n);
    if (carom_dense_max(n, known) == 0)
        return;
    for (int j = 0; j < n; j++)
        w->push[j] = (doubled){row[j], 0};
    carom_response_meet(joints, w->still, w->zero, w->push, w->y, w->impulse, w->work);
    memcpy(w->work, row, sizeof *row * (size_t)n);
    carom_response_row(joints, w->work);
    const double size = carom_dense_norm(n, w->work);
    for (int j = 0; j < n; j++) {
        const double m = joints->M[joints->diagonal ? (size_t)j : (size_t)j * (size_t)(n + 1)];
        if (fabs(w->y[j].hi) * sqrt(m) <= ROUNDING * size)
            continue;
        high[j] = w->y[j].hi;
        low[j] = w->y[j].lo;
    }
}

carom_status carom_coulomb_columns(const carom_geometry *g, carom_arena *arena,
                                   carom_coulomb *problem, carom_error *error)
{
    carom_coulomb *f = problem;
    const size_t n = (size_t)f->n, c = (size_t)g->c, N = (size_t)f->N;
    double *high = carom_arena_doubles(arena, 2 * N * n);
    const double **low = carom_arena_array(arena, N, sizeof *low);
    carom_mark mark = carom_arena_mark(arena);
    doubled *still = carom_arena_zeros(arena, 2 * c + 3 * n, sizeof *still);
    double *work = carom_arena_doubles(arena, 2 * (n + c));
    if (!high || !low || !still || !work)
        return carom_error_memory(error);
    const columns w = {.g = g,
                       .still = still,
                       .impulse = still + c,
                       .zero = still + 2 * c,
                       .push = still + 2 * c + n,
                       .y = still + 2 * c + 2 * n,
                       .work = work};
    for (size_t k = 0; k < N; k++, high += 2 * n) {
        find_column(&w, f->J[k], f->Y[k], high, high + n);
        f->Y[k] = high;
        low[k] = high + n;
    }
    f->low = low;
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
