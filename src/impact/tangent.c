/* Writes the tangent cone of an impact as a statement of the cone room. */
#include "impact/tangent.h"

#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

bool carom_tangent_moves_along(const carom_geometry *g)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    for (int j = 0; j < g->spread_start[impact->p]; j++) {
        double sum = 0, size = 0;
        for (int i = 0; i < n; i++) {
            double term = impact->spread[i + (size_t)j * n] * g->b[i];
            sum += term;
            size += fabs(term);
        }
        if (fabs(sum) > CAROM_TOLERANCE_SAME * size)
            return false;
    }
    return true;
}

carom_status carom_tangent_make(const carom_geometry *g, carom_arena *arena, carom_tangent *t,
                                carom_error *error)
{
    const carom_impact *impact = g->impact;
    int n = impact->n, p = impact->p;
    size_t ns = (size_t)n, ps = (size_t)p;
    double *W = carom_arena_doubles(arena, 2 * ns * ps);
    int *index = carom_arena_array(arena, 3 * ps + 1, sizeof(int));
    if (!W || !index)
        return carom_error_memory(error);
    double *axis = W + ns * ps;
    int *start = index + 2 * ps;
    *t = (carom_tangent){.row = index, .soc = index + p};
    t->cone = (carom_cone){.n = n, .c = g->c, .C = g->C, .W = W, .axis = axis};
    t->cone.metric = (carom_metric){impact->mass_is_diagonal, impact->M, g->L};
    t->cone.spread = impact->spread;
    t->cone.spread_start = start;
    start[0] = 0;
    for (int i = 0; i < p; i++) {
        bool plain = g->spread_start[i] == g->spread_start[i + 1];
        double *to = plain ? W + ns * (size_t)t->cone.p : axis + ns * (size_t)t->cone.q;
        memcpy(to, impact->W + (size_t)i * ns, ns * sizeof(double));
        if (plain)
            t->row[t->cone.p++] = i;
        else {
            t->soc[t->cone.q++] = i;
            start[t->cone.q] = g->spread_start[i + 1];
        }
    }
    return CAROM_OK;
}
