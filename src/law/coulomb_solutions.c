/* The list of solutions of a frictional impact: coinciding ones are one. */
#include "law/coulomb.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "base/short_loops.h"

static carom_status grow(const carom_coulomb *f, carom_arena *arena,
                         carom_coulomb_solutions *solutions, carom_error *error)
{
    if (solutions->count < solutions->room)
        return CAROM_OK;
    const int room = solutions->room ? 2 * solutions->room : 4, more = room - solutions->room;
    const int all = 2 * f->N + f->n;
    carom_coulomb_solution *list = carom_arena_array(arena, (size_t)room, sizeof *list);
    double *x = carom_arena_doubles(arena, (size_t)all * (size_t)more);
    unsigned char *code = carom_arena_array(arena, (size_t)more, (size_t)f->p);
    if (!list || !x || !code)
        return carom_error_memory(error);
    for (int k = 0; k < solutions->room; k++)
        list[k] = solutions->list[k];
    for (int k = solutions->room; k < room; k++, x += all, code += f->p)
        list[k] = (carom_coulomb_solution){
            .x = x, .xi = x + f->N, .change = x + 2 * (size_t)f->N, .code = code};
    solutions->list = list;
    solutions->room = room;
    return CAROM_OK;
}

/* The next entry of the list, not counted yet. */
static void write_entry(const carom_coulomb *f, const carom_coulomb_solution *from,
                        carom_coulomb_solution *new)
{
    const int N = f->N;
    carom_dense_copy(N, from->x, new->x);
    for (int i = 0; i < f->p; i++) { /* signs are exact where the mode says so */
        double *normal = new->x + f->row[i];
        *normal = *normal > 0 ? *normal : 0;
    }
    new->settled = from->settled;
    new->creeps = from->creeps;
    if (from->settled) {
        carom_dense_copy(N, from->xi, new->xi);
        carom_dense_copy(f->n, from->change, new->change);
    } else {
        carom_coulomb_velocity(f, new->x, new->xi);
    }
    new->norm = carom_dense_norm(N, new->x);
    new->unique = from->unique;
    new->continuum = from->continuum;
    memset(new->code, CAROM_MODE_OPEN, (size_t)f->p);
    if (from->code)
        memcpy(new->code, from->code, (size_t)f->p);
}

/* The motions of settled solutions, body by body beside its own terms: slips of light bodies are
 * rounding beside the terms of their rows, and yet motions of heavier ones. */
static bool same_motion(const carom_coulomb *f, const carom_coulomb_solution *a,
                        const carom_coulomb_solution *b)
{
    for (int j = 0; j < f->n; j++) {
        double size = 0;
        for (int k = 0; k < f->N; k++)
            size += fabs(f->Y[k][j]) * fmax(fabs(a->x[k]), fabs(b->x[k])) / f->scale[k];
        if (fabs(a->change[j] - b->change[j]) > CAROM_COULOMB_SAME * size)
            return false;
    }
    return true;
}

/* Each velocity beside its own terms, those of b and of A x. */
static bool is_same(const carom_coulomb *f, const carom_coulomb_solution *a,
                    const carom_coulomb_solution *b)
{
    const double all = CAROM_COULOMB_SAME * carom_coulomb_size(f, a->x);
    if (a->settled && b->settled)
        return same_motion(f, a, b);
    if (!f->n)
        return carom_dense_distance(f->N, a->xi, b->xi) <= all;
    for (int k = 0; k < f->N; k++) {
        double size = f->size[k];
        for (int j = 0; j < f->N; j++)
            size += fabs(f->A[k + (size_t)j * f->N]) * fmax(fabs(a->x[j]), fabs(b->x[j]));
        if (fabs(a->xi[k] - b->xi[k]) > CAROM_COULOMB_SAME * size + f->dust[k])
            return false;
    }
    return true;
}

carom_status carom_coulomb_solutions_append(const carom_coulomb *problem,
                                            const carom_coulomb_solution *solution,
                                            carom_arena *arena, carom_coulomb_solutions *solutions,
                                            carom_error *error)
{
    carom_status status = grow(problem, arena, solutions, error);
    if (!status)
        write_entry(problem, solution, &solutions->list[solutions->count++]);
    return status;
}

carom_status carom_coulomb_solutions_add(const carom_coulomb *problem, const double *x,
                                         const unsigned char *code, bool unique, bool continuum,
                                         carom_arena *arena, carom_coulomb_solutions *solutions,
                                         carom_error *error)
{
    const carom_coulomb_solution one = {
        .x = (double *)x, .unique = unique, .continuum = continuum, .code = (unsigned char *)code};
    carom_status status = carom_coulomb_solutions_append(problem, &one, arena, solutions, error);
    if (status)
        return status;
    carom_coulomb_solutions_merge(problem, solutions);
    return CAROM_OK;
}

void carom_coulomb_solutions_merge(const carom_coulomb *problem, carom_coulomb_solutions *solutions)
{
    if (solutions->count == 1)
        return;
    carom_coulomb_solution *new = &solutions->list[solutions->count - 1];
    const double same = CAROM_COULOMB_SAME * carom_coulomb_size(problem, new->x);
    for (int k = 0; k < solutions->count - 1; k++) {
        carom_coulomb_solution *old = &solutions->list[k];
        if (!is_same(problem, old, new))
            continue;
        const bool differ = carom_dense_distance(problem->N, old->x, new->x) > same;
        const bool all = old->unique && new->unique && !differ;
        const bool continuum = old->continuum || new->continuum;
        if (new->norm < old->norm *(1 - 1e-12)) { /* keep the shorter */
            carom_coulomb_solution swap = *old;
            *old = *new;
            *new = swap;
        }
        old->unique = all;
        old->continuum = continuum;
        solutions->count--;
        return;
    }
}
