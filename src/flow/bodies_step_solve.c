/* The contact problem of a step of bodies, solved: impulses of the rows, velocities of the trees.
 */
#include "flow/bodies_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Impulses are known to rounding of sums over all contacts, whose rows are dependent: this much for
 * each contact. */
static const double rounding = 256 * DBL_EPSILON;

double carom_bodies_step_tolerance(const carom_bodies_stepping *s)
{
    return fmax(s->options->solver_tolerance, rounding * s->row_count);
}

/* A residual that positions show. */
static const double too_little = 1e-6;

/* The velocities at the impulses P of the trees that rows push; the others keep theirs. */
static carom_status find_velocities(carom_bodies_stepping *s, const double *P, double *u,
                                    carom_error *error)
{
    const carom_forest *f = &s->b->forest;
    carom_status status =
        carom_friction_problem_velocity(&s->problem, P, s->scratch, u, s->v_tree, error);
    for (int k = 0; k < s->row_count && status == CAROM_OK; k++)
        for (int side = 0; side < 2; side++) {
            const int t = s->row[k].tree[side], at = t < 0 ? 0 : f->tree_start[t];
            for (int i = 0; t >= 0 && i < s->dof[t]; i++)
                s->next[f->tree_u[at + i]] = s->v_tree[at + i];
        }
    return status;
}

/* The impulses of a solution are where the next one starts. */
static void keep_guess(carom_bodies_stepping *s)
{
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        if (r->source == CAROM_BODIES_FOUND)
            memcpy(s->guess + 3 * r->index, s->P + r->at, (size_t)r->rows * sizeof *s->P);
    }
}

/* Impulses and velocities after a few sweeps. */
carom_status carom_bodies_step_solve_roughly(carom_bodies_stepping *s, int sweeps,
                                             carom_error *error)
{
    const carom_friction_options options = {.method = CAROM_FRICTION_SWEEPS,
                                            .max_iterations = sweeps,
                                            .tolerance = carom_bodies_step_tolerance(s),
                                            .start = s->P};
    double *P = carom_arena_doubles(s->scratch, (size_t)s->total),
           *u = carom_arena_doubles(s->scratch, (size_t)s->total);
    if (!P || !u)
        return carom_error_memory(error);
    carom_status status =
        carom_friction_problem_solve(&s->problem, &options, s->scratch, P, u, NULL, NULL, error);
    s->P = P;
    if (status == CAROM_OK)
        status = find_velocities(s, P, u, error);
    if (status == CAROM_OK)
        keep_guess(s);
    return status;
}

carom_status carom_bodies_step_solve(carom_bodies_stepping *s, carom_error *error)
{
    carom_friction_info info = {0};
    const carom_friction_options options = {.tolerance = carom_bodies_step_tolerance(s),
                                            .start = s->P};
    double *P = carom_arena_doubles(s->scratch, (size_t)s->total),
           *u = carom_arena_doubles(s->scratch, (size_t)s->total);
    if (!P || !u)
        return carom_error_memory(error);
    carom_status status =
        carom_friction_problem_solve(&s->problem, &options, s->scratch, P, u, NULL, &info, error);
    s->P = P;
    if (status == CAROM_OK)
        status = find_velocities(s, P, u, error);
    if (status != CAROM_OK)
        return status;
    if (!s->impact)
        keep_guess(s);
    if (info.outcome == CAROM_FRICTION_INFEASIBLE)
        return carom_record_stop(s->record, CAROM_FLOW_UNSOLVED,
                                 "what is prescribed leaves no velocity without "
                                 "penetration");
    if (info.residual <= too_little || s->warned_iteration)
        return CAROM_OK;
    s->warned_iteration = true;
    return carom_record_warn(s->record, s->t, error,
                             "the contact problem of a step is solved to a residual of %.3g only "
                             "(told once)",
                             info.residual);
}
