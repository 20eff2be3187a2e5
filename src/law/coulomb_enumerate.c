/* All solutions of a planar frictional impact: the problem of contacts at one instant. */
#include "law/coulomb.h"
#include "solver/instant_rows.h"

carom_instant carom_coulomb_instant(const carom_coulomb *f, struct carom_instant_rows *rows)
{
    *rows = (struct carom_instant_rows){f->n,    f->J,  f->Y,    f->scale, f->size,
                                        f->dust, f->mu, f->rest, f->low};
    return (carom_instant){.p = f->p,
                           .N = f->N,
                           .row = f->row,
                           .W = f->A,
                           .q = f->b,
                           .mu_s = f->mu_s,
                           .mu_d = f->mu_d,
                           .equality = f->equality,
                           .floor = f->floor,
                           .symmetric = !f->sided,
                           .rows = f->n ? rows : NULL};
}

bool carom_coulomb_enumerable(const carom_coulomb *problem)
{
    struct carom_instant_rows rows;
    const carom_instant instant = carom_coulomb_instant(problem, &rows);
    return carom_instant_combinations(&instant) <= CAROM_INSTANT_COMBINATIONS;
}

carom_status carom_coulomb_enumerate(const carom_coulomb *problem, carom_arena *arena,
                                     carom_coulomb_solutions *solutions, carom_error *error)
{
    struct carom_instant_rows rows;
    const carom_instant instant = carom_coulomb_instant(problem, &rows);
    carom_instant_list all;
    carom_status status = carom_instant_enumerate(&instant, arena, &all, error);
    for (int k = 0; k < all.count && !status; k++) {
        const carom_instant_solution *found = &all.list[k];
        const carom_coulomb_solution one = {.x = found->r,
                                            .xi = found->u,
                                            .change = found->y,
                                            .settled = found->y,
                                            .unique = found->unique,
                                            .continuum = found->continuum,
                                            .code = found->mode};
        status = carom_coulomb_solutions_append(problem, &one, arena, solutions, error);
    }
    if (!status && all.near_contact >= 0) {
        solutions->near_contact = problem->contact[all.near_contact];
        solutions->near_miss = all.near_miss / problem->scale[problem->row[all.near_contact]];
    }
    solutions->complete = !status;
    return status;
}

carom_status carom_coulomb_unique(const carom_coulomb *problem, carom_arena *arena, bool *proved,
                                  carom_error *error)
{
    struct carom_instant_rows rows;
    const carom_instant instant = carom_coulomb_instant(problem, &rows);
    return carom_instant_unique(&instant, arena, proved, error);
}
