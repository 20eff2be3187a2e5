/* The contact problem without friction: Gauss's principle, on the rows (docs/theory/painleve.md).
 */
#include "certify/painleve_smooth.h"

#include "carom/tolerance.h"
#include "impact/nearest.h"

#include <string.h>

bool carom_painleve_smooth(const carom_painleve_state *w)
{
    return w->problem.p > 0 && w->problem.N == w->problem.p && w->problem.symmetric &&
           w->g->pivot < CAROM_TOLERANCE_SHARP;
}

/* The contacts that take part, as an impact from rest without friction. */
static carom_status state(const carom_painleve_state *w, carom_geometry *made)
{
    const carom_impact *from = w->g->impact;
    const size_t n = (size_t)from->n, p = (size_t)w->problem.p;
    carom_impact *impact = carom_arena_array(w->arena, 1, sizeof *impact);
    carom_contact *contacts = carom_arena_array(w->arena, p, sizeof *contacts);
    double *W = carom_arena_zeros(w->arena, n * (p + 1), sizeof *W);
    if (!impact || !contacts || !W)
        return carom_error_memory(w->error);
    for (size_t c = 0; c < p; c++) {
        contacts[c] = carom_contact_default();
        memcpy(W + c * n, w->row[c], n * sizeof *W);
    }
    *impact = (carom_impact){.n = from->n,
                             .p = w->problem.p,
                             .m = from->m,
                             .a = from->a,
                             .mass_is_diagonal = from->mass_is_diagonal,
                             .M = from->M,
                             .u = W + p * n,
                             .W = W,
                             .contacts = contacts,
                             .B = from->B,
                             .A = from->A};
    return carom_impact_derive(impact, w->arena, made, w->error);
}

carom_status carom_painleve_smooth_solve(const carom_painleve_state *w, double *r, bool *found)
{
    const int n = w->g->impact->n, p = w->problem.p;
    carom_geometry g;
    carom_nearest nearest;
    carom_status status = state(w, &g);
    doubled *target = carom_arena_zeros(w->arena, (size_t)(p + n), sizeof *target);
    if (!status && !target)
        status = carom_error_memory(w->error);
    if (status)
        return status;
    for (int c = 0; c < p; c++) { /* -(w'u'_free + bias); what q has of rounding is none */
        doubled sum = {w->row_bias[c], 0};
        for (int j = 0; j < n; j++)
            sum = doubled_add(sum, doubled_product(w->row[c][j], w->free[j]));
        if (w->problem.q[c] != 0)
            target[c] = doubled_negate(sum);
    }
    const carom_nearest_start start = {.x = target + p};
    status = carom_nearest_find(&g, &start, target, w->arena, &nearest, w->error);
    *found = !status && nearest.end == CAROM_NEAREST_FOUND;
    for (int c = 0; c < p && *found; c++)
        r[c] = nearest.impulse[c].hi * w->scale[c];
    return status;
}
