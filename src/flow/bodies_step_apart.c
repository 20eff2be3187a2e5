/* Shapes that overlap are put apart without a change of velocities: of all displacements d with
 * W'd + part g >= 0 at contacts that overlap and W'd >= 0 at those that touch the least one in the kinetic
 * norm, which is a contact problem without friction. A part of the way in each step: an overlap at the start
 * goes away smoothly. */
#include "flow/bodies_step.h"

#include <math.h>
#include <string.h>

/* The part of an overlap that a step takes away. */
static const double part = 0.2;

/* Overlaps that rounding and flat faces make are left alone: this part of the sizes. */
static const double tolerated = 1e-7;

static bool overlaps(const carom_bodies_stepping *s)
{
    for (int k = 0; k < s->row_count; k++)
        if (s->row[k].source == CAROM_BODIES_FOUND &&
            s->found.contact[s->row[k].index].touch.gap < -tolerated * s->size)
            return true;
    return false;
}

/* The problem of the step with normals only, at rest, with gaps for rates. */
static carom_status state_apart(carom_bodies_stepping *s, carom_friction_problem *problem,
                                carom_error *error)
{
    const size_t count = (size_t)s->row_count;
    const carom_friction_bodies *of = &s->problem.bodies;
    int *start = carom_arena_array(s->scratch, count + 1, sizeof *start),
        *body = carom_arena_array(s->scratch, 2 * count, sizeof *body), blocks = 0;
    size_t numbers = 0;
    for (int k = 0; k < s->row_count; k++)
        for (int side = 0; side < 2; side++)
            numbers += s->row[k].tree[side] >= 0 ? (size_t)s->dof[s->row[k].tree[side]] : 0;
    double *H = carom_arena_doubles(s->scratch, numbers), *to = H,
           *q = carom_arena_doubles(s->scratch, count);
    int contacts = 0;
    if (!start || !body || !H || !q)
        return carom_error_memory(error);
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        if (r->source != CAROM_BODIES_FOUND)
            continue;
        double g = s->found.contact[r->index].touch.gap;
        start[contacts] = blocks;
        q[contacts++] = g < -tolerated * s->size ? part * g : fmax(g, 0);
        for (int side = 0; side < 2; side++) {
            if (r->tree[side] < 0)
                continue;
            size_t size = (size_t)s->dof[r->tree[side]];
            body[blocks++] = r->tree[side];
            memcpy(to, r->row[side], size * sizeof *to);
            to += size;
        }
    }
    start[contacts] = blocks;
    *problem = (carom_friction_problem){
        .contacts = contacts,
        .dimension = 1,
        .form = CAROM_FRICTION_BODIES,
        .bodies = {.count = s->trees, .dof = s->dof, .M = of->M, .start = start, .body = body, .H = H},
        .q = q};
    return CAROM_OK;
}

carom_status carom_bodies_step_apart(carom_bodies_stepping *s, carom_error *error)
{
    carom_friction_problem problem;
    carom_friction_info info;
    const carom_forest *f = &s->b->forest;
    if (s->row_count == 0 || !overlaps(s))
        return CAROM_OK;
    carom_status status = state_apart(s, &problem, error);
    double *r = carom_arena_zeros(s->scratch, (size_t)s->row_count, sizeof *r),
           *u = carom_arena_doubles(s->scratch, (size_t)s->row_count);
    if (status == CAROM_OK && (!r || !u))
        status = carom_error_memory(error);
    if (status == CAROM_OK)
        status = carom_friction_problem_solve(&problem, NULL, s->scratch, r, u, NULL, &info, error);
    if (status == CAROM_OK)
        status = carom_friction_problem_velocity(&problem, r, s->scratch, u, s->v_tree, error);
    if (status != CAROM_OK)
        return status;
    for (int t = 0, at = 0; t < s->trees; at += s->dof[t], t++)
        for (int i = 0; i < s->dof[t]; i++)
            s->mean[f->tree_u[f->tree_start[t] + i]] = s->v_tree[at + i];
    for (int i = 0; i < s->n; i++)
        s->record->result->ledger.projection -= s->force[i] * s->mean[i];
    carom_bodies_step_move(s, s->mean, 1, s->q, s->q);
    return CAROM_OK;
}
