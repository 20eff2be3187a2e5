/* Predicates of contacts: which approach, separate, rest. */
#include "impact/predicate.h"

#include <math.h>

double carom_predicate_normal_size(const carom_geometry *g, int i, const double *u)
{
    const double *w = g->impact->W + (size_t)i * (size_t)g->impact->n;
    double size = g->impact->w_hat ? fabs(g->impact->w_hat[i]) : 0;
    for (int k = g->first[i]; k < g->last[i]; k++)
        size += fabs(w[k] * u[k]);
    return size;
}

double carom_predicate_slip_size(const carom_geometry *g, int j, const double *u)
{
    const double *h = g->impact->H + (size_t)j * (size_t)g->impact->n;
    double size = g->impact->slip_motion ? fabs(g->impact->slip_motion[j]) : 0;
    for (int k = 0; k < g->impact->n; k++)
        size += fabs(h[k] * u[k]);
    return size;
}

double carom_predicate_spread(const carom_geometry *g, int i, const double *u)
{
    int n = g->impact->n;
    double squared = 0;
    for (int j = g->spread_start[i]; j < g->spread_start[i + 1]; j++) {
        const double *a = g->impact->spread + (size_t)j * (size_t)n;
        double x = 0;
        for (int k = 0; k < n; k++)
            x += a[k] * u[k];
        squared += x * x;
    }
    return squared > 0 ? sqrt(squared) : 0;
}

bool carom_predicate_approaches(const carom_geometry *g, int i)
{
    double rest = CAROM_PREDICATE_REST * g->gamma_size[i], spread = 0;
    if (g->spread_start[i] < g->spread_start[i + 1])
        spread = carom_predicate_spread(g, i, g->u);
    return g->gamma[i] < -rest && -g->gamma[i] >= spread * (1 - CAROM_PREDICATE_REST);
}

bool carom_predicate_separates(const carom_geometry *g, int i)
{
    double rest = CAROM_PREDICATE_REST * g->gamma_size[i], spread = 0;
    if (g->spread_start[i] < g->spread_start[i + 1])
        spread = carom_predicate_spread(g, i, g->u);
    return spread > 0 ? -g->gamma[i] < spread * (1 - CAROM_PREDICATE_REST) : g->gamma[i] > rest;
}

bool carom_predicate_approaching(const carom_geometry *g)
{
    for (int i = 0; i < g->impact->p; i++)
        if (carom_predicate_separates(g, i))
            return false;
    return true;
}
