/* Predicates of contacts: which approach, separate, rest. */
#include "impact/predicate.h"

#include "base/larger.h"

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

/* Below this a contact neither approaches nor separates. */
static double rest_of(const carom_geometry *g, int i)
{
    double own = CAROM_PREDICATE_REST * g->gamma_size[i];
    double dust = carom_predicate_dust(g, g->last[i] - g->first[i]);
    return own > dust ? own : dust;
}

bool carom_predicate_approaches(const carom_geometry *g, int i)
{
    double rest = rest_of(g, i), spread = 0;
    if (g->spread_start[i] < g->spread_start[i + 1])
        spread = carom_predicate_spread(g, i, g->u);
    return g->gamma[i] < -rest && -g->gamma[i] >= spread * (1 - CAROM_PREDICATE_REST);
}

bool carom_predicate_separates(const carom_geometry *g, int i)
{
    bool cone = g->spread_start[i] < g->spread_start[i + 1];
    if (!cone && !(g->gamma[i] > 0)) /* whatever rest is */
        return false;
    double rest = rest_of(g, i), spread = cone ? carom_predicate_spread(g, i, g->u) : 0;
    return spread > 0 ? -g->gamma[i] < spread * (1 - CAROM_PREDICATE_REST) : g->gamma[i] > rest;
}

double carom_predicate_velocity(const carom_geometry *g, int i, const double *u)
{
    const double *w = g->impact->W + (size_t)i * (size_t)g->impact->n;
    double gamma = g->impact->w_hat ? g->impact->w_hat[i] : 0, size = g->gamma_size[i];
    for (int k = g->first[i]; k < g->last[i]; k++) {
        gamma += w[k] * u[k];
        size += fabs(w[k] * u[k]);
    }
    double rest = CAROM_PREDICATE_REST * size + carom_predicate_dust(g, g->last[i] - g->first[i]);
    return fabs(gamma) > rest ? gamma : 0;
}

bool carom_predicate_approaching(const carom_geometry *g)
{
    for (int i = 0; i < g->impact->p; i++)
        if (carom_predicate_separates(g, i))
            return false;
    return true;
}

double carom_predicate_fastest(const carom_geometry *g, const double *u)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    double most = g->fastest;
    for (int i = 0; i < impact->p; i++)
        for (int k = g->first[i]; k < g->last[i]; k++)
            most = larger(fabs(impact->W[k + (size_t)i * n] * u[k]), most);
    for (int j = 0; j < g->s; j++)
        for (int k = 0; k < n; k++)
            most = larger(fabs(impact->H[k + (size_t)j * n] * u[k]), most);
    return most;
}

double carom_predicate_reach(const carom_geometry *g, const double *row, double fastest)
{
    int terms = 0;
    for (int k = 0; k < g->impact->n; k++)
        terms += row[k] != 0;
    return terms * fastest;
}

/* |row'(u - v)| in units of the terms of both, and of those before. */
static bool same_row(const carom_geometry *g, const double *row, double motion, const double *u,
                     const double *v)
{
    double off = 0, size = fabs(motion);
    for (int k = 0; k < g->impact->n; k++) {
        off += row[k] * (u[k] - v[k]);
        size += fabs(row[k]) * (fabs(u[k]) + fabs(v[k]) + fabs(g->u[k]));
    }
    if (fabs(off) <= CAROM_VERDICT_TOLERANCE * size)
        return true;
    double fastest = larger(carom_predicate_fastest(g, u), carom_predicate_fastest(g, v));
    return fabs(off) <= CAROM_PREDICATE_REST * carom_predicate_reach(g, row, fastest);
}

bool carom_predicate_same(const carom_geometry *g, const double *u, const double *v)
{
    const carom_impact *impact = g->impact;
    size_t n = (size_t)impact->n;
    for (int i = 0; i < impact->p; i++)
        if (!same_row(g, impact->W + (size_t)i * n, impact->w_hat ? impact->w_hat[i] : 0, u, v))
            return false;
    for (int j = 0; j < g->s; j++)
        if (!same_row(g, impact->H + (size_t)j * n,
                      impact->slip_motion ? impact->slip_motion[j] : 0, u, v))
            return false;
    for (int j = 0; j < g->spread_start[impact->p]; j++)
        if (!same_row(g, impact->spread + (size_t)j * n, 0, u, v))
            return false;
    return true;
}
