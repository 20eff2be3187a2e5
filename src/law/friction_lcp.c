/* One solution of a planar frictional impact by Lemke's method (docs/theory/instant.md, "As an
 * LCP"). */
#include "law/friction.h"
#include "solver/instant.h"

carom_status carom_friction_lcp(const carom_friction *problem, carom_arena *arena, double *x,
                                bool *found, carom_error *error)
{
    const carom_friction *f = problem;
    const carom_instant instant = {.p = f->p,
                                   .N = f->N,
                                   .row = f->row,
                                   .W = f->A,
                                   .q = f->b,
                                   .mu_s = f->mu_d, /* one coefficient for all */
                                   .mu_d = f->mu_d,
                                   .equality = f->equality,
                                   .floor = f->floor};
    carom_status status = carom_instant_lcp(&instant, arena, x, found, error);
    *found = *found && carom_friction_residual(f, x) < 1e-9;
    return status;
}
