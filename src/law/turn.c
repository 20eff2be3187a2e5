/* Contacts struck one after the other: which approach, in which order. */
#include "law/turn.h"

#include "impact/predicate.h"

double carom_turn_approach(const carom_geometry *g, const double *u, int i)
{
    double gamma = g->norm[i] > 0 ? carom_predicate_velocity(g, i, u) : 0;
    return gamma < 0 ? gamma : 0;
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
