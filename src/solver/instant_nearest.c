/* The shortest forces of a polyhedron of dependent ones (docs/theory/instant.md, "One
 * combination"). */
#include "solver/instant_nearest.h"

#include "carom/lcp.h"

#include <math.h>

/* min |y|^2 with C y + c0 >= 0, by its dual LCP (C C') l + c0 >= 0, l >= 0. */
carom_status carom_instant_nearest_find(int rows, int k, const double *C, size_t room,
                                        const double *c0, carom_arena *arena, double *y,
                                        bool *found, carom_error *error)
{
    double *Q = carom_arena_doubles(arena, (size_t)rows * ((size_t)rows + 1));
    if (!Q)
        return carom_error_memory(error);
    double *l = Q + (size_t)rows * (size_t)rows;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int a = 0; a < k; a++)
                sum += C[(size_t)i + (size_t)a * room] * C[(size_t)j + (size_t)a * room];
            Q[i + (size_t)j * (size_t)rows] = sum;
        }
    const carom_lcp lcp = {.n = rows, .M = Q, .q = c0, .symmetric = true};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, arena, l, NULL, &info, error);
    *found = status >= 0 && info.outcome == CAROM_LCP_SOLVED;
    for (int j = 0; j < k && *found; j++) {
        y[j] = 0;
        for (int i = 0; i < rows; i++)
            y[j] += C[(size_t)i + (size_t)j * room] * l[i];
    }
    return status < 0 ? status : CAROM_OK;
}

bool carom_instant_nearest_lift(const carom_instant_modes *s, double lift, double *c0)
{
    bool any = false;
    for (int i = 0, row = 0; i < s->f->p; i++) {
        const bool bound = s->mode[i] != CAROM_MODE_STICK || isfinite(s->f->mu_s[i]);
        if (!bound)
            c0[row] -= lift;
        any = any || !bound;
        row += s->mode[i] == CAROM_MODE_OPEN || s->mode[i] == CAROM_MODE_CLOSED || !bound ? 1
               : s->mode[i] == CAROM_MODE_STICK                                           ? 3
                                                                                          : 2;
    }
    return any;
}
