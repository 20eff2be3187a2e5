/* Shapes that overlap are put apart without a change of velocities: of all displacements d with
 * W'd + part g >= 0 at contacts that overlap (and limits and ropes that are passed) and W'd >= 0 at
 * those that touch the least one in the kinetic norm, which is a contact problem without friction.
 * A part of the way in each step: an overlap at the start goes away smoothly. */
#include "flow/bodies_step.h"

#include <math.h>
#include <string.h>

/* The part of an overlap that a step takes away. */
static const double part = 0.2;

/* Overlaps that rounding and flat faces make are left alone: this part of the sizes. */
static const double tolerated = 1e-7;

/* What the step has left of the gap, which is put right; what is parting anyway is left alone. */
static double left(const carom_bodies_stepping *s, const carom_bodies_row *r)
{
    return part * r->gap + s->h * fmax(carom_bodies_step_rate(s, r, 0, s->v) + r->motion[0], 0);
}

static bool overlaps(const carom_bodies_stepping *s, const carom_bodies_row *r)
{
    return ((r->source == CAROM_BODIES_FOUND && r->gap < -tolerated * s->size) ||
            (r->source == CAROM_BODIES_STOP && r->gap < 0)) &&
           left(s, r) < 0;
}

static bool any_overlap(const carom_bodies_stepping *s)
{
    for (int k = 0; k < s->row_count; k++)
        if (overlaps(s, &s->row[k]))
            return true;
    return false;
}

/* A contact's normal, or all rows of a loop, which holds. */
static int rows_of(const carom_bodies_row *r)
{
    return r->source == CAROM_BODIES_LOOP ? r->rows : 1;
}

/* The problem of the step with normals only, at rest, with gaps for rates. */
static carom_status state_apart(carom_bodies_stepping *s, carom_friction_problem *problem,
                                carom_error *error)
{
    const size_t count = (size_t)s->row_count;
    int *start = carom_arena_array(s->scratch, count + 1, sizeof *start),
        *rows = carom_arena_array(s->scratch, count, sizeof *rows),
        *body = carom_arena_array(s->scratch, 2 * count, sizeof *body), blocks = 0, contacts = 0;
    bool *bilateral = carom_arena_zeros(s->scratch, count, sizeof *bilateral);
    size_t numbers = 0;
    for (int k = 0; k < s->row_count; k++)
        for (int side = 0; side < 2; side++)
            if (s->row[k].tree[side] >= 0)
                numbers += (size_t)(rows_of(&s->row[k]) * s->dof[s->row[k].tree[side]]);
    double *H = carom_arena_doubles(s->scratch, numbers), *to = H,
           *q = carom_arena_zeros(s->scratch, 3 * count, sizeof *q), *w = q;
    if (!start || !rows || !body || !bilateral || !H || !q)
        return carom_error_memory(error);
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        if (r->source == CAROM_BODIES_DRY_JOINT)
            continue;
        bilateral[contacts] = r->source == CAROM_BODIES_LOOP;
        if (!bilateral[contacts])
            *w = overlaps(s, r) ? left(s, r) : fmax(r->gap, 0);
        w += rows_of(r);
        start[contacts] = blocks;
        rows[contacts++] = rows_of(r);
        for (int side = 0; side < 2; side++) {
            if (r->tree[side] < 0)
                continue;
            size_t size = (size_t)(rows_of(r) * s->dof[r->tree[side]]);
            body[blocks++] = r->tree[side];
            memcpy(to, r->row[side], size * sizeof *to);
            to += size;
        }
    }
    start[contacts] = blocks;
    *problem = (carom_friction_problem){
        .contacts = contacts,
        .rows = rows,
        .bilateral = bilateral,
        .form = CAROM_FRICTION_BODIES,
        .bodies =
            {.count = s->trees, .dof = s->dof, .M = s->M, .start = start, .body = body, .H = H},
        .q = q};
    return CAROM_OK;
}

carom_status carom_bodies_step_apart(carom_bodies_stepping *s, carom_error *error)
{
    carom_friction_problem problem;
    carom_friction_info info;
    const carom_forest *f = &s->b->forest;
    if (s->row_count == 0 || !any_overlap(s))
        return CAROM_OK;
    carom_status status = state_apart(s, &problem, error);
    double *r = carom_arena_zeros(s->scratch, 3 * (size_t)s->row_count, sizeof *r),
           *u = carom_arena_doubles(s->scratch, 3 * (size_t)s->row_count);
    if (status == CAROM_OK && (!r || !u))
        status = carom_error_memory(error);
    if (status == CAROM_OK)
        status = carom_friction_problem_solve(&problem, NULL, s->scratch, r, u, NULL, &info, error);
    if (status == CAROM_OK)
        status = carom_friction_problem_velocity(&problem, r, s->scratch, u, s->v_tree, error);
    if (status != CAROM_OK)
        return status;
    for (int t = 0, at = 0; t < s->trees; at += s->dof[t], t++)
        for (int i = 0; i < s->dof[t]; i++) {
            s->mean[f->tree_u[f->tree_start[t] + i]] = s->v_tree[at + i];
            s->still[t] = s->still[t] && s->v_tree[at + i] == 0; /* it has been moved */
        }
    double before, after;
    status = carom_bodies_step_energy(s, s->q, s->v, &before, error);
    carom_bodies_step_move(s, s->mean, 1, s->q, s->q);
    if (status == CAROM_OK)
        status = carom_bodies_step_energy(s, s->q, s->v, &after, error);
    if (status == CAROM_OK)
        s->record->result->ledger.projection += after - before;
    return status;
}
