/* Contacts struck one after the other: which approach, in which order. */
#include "law/turn.h"

#include <math.h>

#include "impact/predicate.h"

double carom_turn_approach(const carom_geometry *g, const double *u, int i)
{
    const double *w = g->impact->W + (size_t)i * (size_t)g->impact->n;
    double gamma = g->impact->w_hat ? g->impact->w_hat[i] : 0, size = g->gamma_size[i];
    for (int k = g->first[i]; k < g->last[i]; k++) {
        gamma += w[k] * u[k];
        size += fabs(w[k] * u[k]);
    }
    double rest = CAROM_PREDICATE_REST * size + carom_predicate_dust(g, g->last[i] - g->first[i]);
    return g->norm[i] > 0 && gamma < -rest ? gamma : 0;
}

bool carom_turn_order(int p, int trial, int *order)
{
    for (int i = 0; i < p; i++)
        order[i] = i;
    if (p <= CAROM_TURN_ALL) { /* the trial-th permutation in factorial digits */
        int code = trial;
        for (int i = p; i > 1; i--) {
            int k = code % i, swap = order[i - 1];
            code /= i;
            order[i - 1] = order[k];
            order[k] = swap;
        }
        return code == 0;
    }
    bool reversed = trial % 2;
    int start = trial / 2;
    for (int i = 0; i < p; i++)
        order[i] = (start + (reversed ? p - i : i)) % p;
    return start < p;
}
