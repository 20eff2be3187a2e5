/* The list of solutions of a frictional impact: coinciding ones are one. */
#include "law/coulomb.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

static carom_status grow(int p, int N, carom_arena *arena, carom_coulomb_solutions *solutions,
                         carom_error *error)
{
    if (solutions->count < solutions->room)
        return CAROM_OK;
    int room = solutions->room ? 2 * solutions->room : 4, more = room - solutions->room;
    carom_coulomb_solution *list = carom_arena_array(arena, (size_t)room, sizeof *list);
    double *x = carom_arena_doubles(arena, 2 * (size_t)N * (size_t)more);
    unsigned char *code = carom_arena_array(arena, (size_t)more, (size_t)p);
    if (!list || !x || !code)
        return carom_error_memory(error);
    for (int k = 0; k < solutions->room; k++)
        list[k] = solutions->list[k];
    for (int k = solutions->room; k < room; k++, x += 2 * (size_t)N, code += p)
        list[k] = (carom_coulomb_solution){.x = x, .xi = x + N, .code = code};
    solutions->list = list;
    solutions->room = room;
    return CAROM_OK;
}

carom_status carom_coulomb_solutions_add(const carom_coulomb *problem, const double *x,
                                         const unsigned char *code, bool unique, bool continuum,
                                         carom_arena *arena, carom_coulomb_solutions *solutions,
                                         carom_error *error)
{
    int N = problem->N;
    carom_status status = grow(problem->p, N, arena, solutions, error);
    if (status)
        return status;
    carom_coulomb_solution *new = &solutions->list[solutions->count];
    memcpy(new->x, x, sizeof *x * (size_t)N);
    for (int i = 0; i < problem->p; i++) { /* signs are exact where the mode says so */
        double *normal = new->x + problem->row[i];
        *normal = *normal > 0 ? *normal : 0;
    }
    carom_coulomb_velocity(problem, new->x, new->xi);
    new->norm = carom_dense_norm(N, new->x);
    new->unique = unique;
    new->continuum = continuum;
    memset(new->code, CAROM_MODE_OPEN, (size_t)problem->p);
    if (code)
        memcpy(new->code, code, (size_t)problem->p);
    double same = CAROM_COULOMB_SAME * carom_coulomb_size(problem, new->x);
    for (int k = 0; k < solutions->count; k++) {
        carom_coulomb_solution *old = &solutions->list[k];
        if (carom_dense_distance(N, old->xi, new->xi) > same)
            continue;
        bool differ = carom_dense_distance(N, old->x, new->x) > same;
        bool all = old->unique && unique && !differ;
        if (new->norm < old->norm *(1 - 1e-12)) { /* keep the shorter */
            carom_coulomb_solution swap = *old;
            *old = *new;
            *new = swap;
        }
        old->unique = all;
        old->continuum = old->continuum && continuum;
        return CAROM_OK;
    }
    solutions->count++;
    return CAROM_OK;
}
