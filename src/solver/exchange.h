/* Block principal pivoting (Judice, Pires): which indices change sides. All that have a wrong sign
 * do, as long as that lowers their number, but for a few chances; then sets could come again in a
 * circle, and whoever pivots must go on in another way. */
#ifndef CAROM_SRC_SOLVER_EXCHANGE_H
#define CAROM_SRC_SOLVER_EXCHANGE_H

#include <limits.h>
#include <stdbool.h>

typedef struct carom_exchange {
    int most;          /* chances */
    int best, chances; /* the fewest wrong signs so far; chances left */
} carom_exchange;

static inline carom_exchange carom_exchange_begin(int most)
{
    return (carom_exchange){.most = most, .best = INT_MAX, .chances = most};
}

/* Are these the fewest wrong signs so far? */
static inline bool carom_exchange_gains(const carom_exchange *x, int wrong)
{
    return wrong < x->best;
}

/* May all of so many wrong signs be exchanged? */
static inline bool carom_exchange_all(carom_exchange *x, int wrong)
{
    if (carom_exchange_gains(x, wrong)) {
        x->best = wrong;
        x->chances = x->most;
        return true;
    }
    return x->chances-- > 0;
}

#endif
