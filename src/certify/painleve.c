/* All motions that the laws of contact allow at one instant, and their class
 * (docs/theory/painleve.md). */
#include "carom/need.h"
#include "certify/painleve_smooth.h"
#include "certify/painleve_spatial.h"
#include "certify/painleve_state.h"
#include "linalg/dense.h"
#include "solver/instant_list.h"
#include "solver/instant_parts.h"

#include <math.h>
#include <string.h>

/* Combinations of modes that are tried in a part; contacts of a part whose forces are bounded. */
static const double most_combinations = CAROM_INSTANT_COMBINATIONS;
enum { MOST_BOUNDED = 6 };

const char *carom_painleve_text(carom_painleve_class kind)
{
    static const char *const texts[] = {"unique", "unique-motion", "none", "several", "unknown"};
    return (unsigned)kind < 5 ? texts[kind] : "unknown";
}

/* All forces of a part that give its velocities u: bounds of the normal ones, and whether they are
 * determined. */
static carom_status bound_part(const carom_painleve_state *w, const carom_instant_part *part,
                               const double *u, carom_painleve_solution *x, bool *unique)
{
    const carom_instant *f = &part->problem;
    carom_mark mark = carom_arena_mark(w->arena);
    carom_instant_family all;
    unsigned char *mode = carom_arena_array(w->arena, (size_t)f->p, 1);
    if (!mode)
        return carom_error_memory(w->error);
    carom_instant_widest(f, u, CAROM_INSTANT_SAME * carom_instant_size(f, NULL), mode);
    carom_status status = carom_instant_forces(f, mode, u, w->arena, &all, w->error);
    *unique = !status && all.corner_count <= 1 && all.ray_count == 0;
    for (int c = 0; c < f->p && !status && all.corner_count > 0; c++) {
        const int i = w->part[part->contact[c]], k = f->row[c];
        double least = INFINITY, most = 0;
        for (int j = 0; j < all.corner_count; j++) {
            least = fmin(least, all.corners[k + (size_t)j * f->N]);
            most = fmax(most, all.corners[k + (size_t)j * f->N]);
        }
        for (int j = 0; j < all.ray_count; j++)
            most = all.rays[k + (size_t)j * f->N] > 0 ? INFINITY : most;
        x->least[i] = least / w->scale[w->problem.row[part->contact[c]]];
        x->most[i] = most / w->scale[w->problem.row[part->contact[c]]];
    }
    carom_arena_rewind(w->arena, mark);
    return status;
}

/* The same for all parts; what has no bounds keeps NaN. r: forces of the whole. */
static carom_status bound_forces(const carom_painleve_state *w, int count,
                                 const carom_instant_part *parts, const double *r,
                                 carom_painleve_solution *x)
{
    const size_t N = (size_t)w->problem.N, extra = (size_t)w->problem.extra;
    double *own = carom_arena_doubles(w->arena, 2 * N + extra + 1), *u = own + N;
    if (!own)
        return carom_error_memory(w->error);
    for (int i = 0; i < w->g->impact->p; i++)
        x->least[i] = x->most[i] = x->force[i] > 0 ? NAN : 0;
    x->force_unique = true;
    for (int k = 0; k < count; k++) {
        const carom_instant *f = &parts[k].problem;
        bool unique = false;
        for (int c = 0; c < f->p; c++)
            carom_dense_copy(f->row[c + 1] - f->row[c], r + w->problem.row[parts[k].contact[c]],
                             own + f->row[c]);
        carom_instant_velocity(f, own, u);
        carom_status status =
            f->p <= MOST_BOUNDED ? bound_part(w, &parts[k], u, x, &unique) : CAROM_OK;
        if (status)
            return status;
        x->force_unique = x->force_unique && unique;
    }
    return CAROM_OK;
}

/* The motion without friction. */
static carom_status solve_smooth(const carom_painleve_state *w, carom_painleve *problem)
{
    carom_instant_part *parts;
    int part_count;
    bool found;
    double *r = carom_arena_doubles(w->arena, (size_t)w->problem.N + 1);
    carom_painleve_solution *x = carom_arena_array(w->arena, 1, sizeof *x);
    if (!r || !x)
        return carom_error_memory(w->error);
    carom_status status = carom_painleve_smooth_solve(w, r, &found);
    problem->kind = CAROM_PAINLEVE_NONE;
    if (status || !found)
        return status;
    status = carom_painleve_state_solution(w, x);
    if (!status)
        status = carom_painleve_state_write(w, r, NULL, x);
    if (!status)
        status = carom_instant_parts_split(&w->problem, w->arena, &part_count, &parts, w->error);
    if (!status)
        status = bound_forces(w, part_count, parts, r, x);
    problem->solutions = x;
    problem->count = 1;
    problem->kind = x->force_unique ? CAROM_PAINLEVE_UNIQUE : CAROM_PAINLEVE_UNIQUE_MOTION;
    return status;
}

/* Motions of planar contacts, all of them where they can be enumerated. */
static carom_status solve_planar(const carom_painleve_state *w, carom_painleve *problem)
{
    carom_instant_answer answer;
    carom_instant_part *parts;
    int part_count;
    carom_status status =
        carom_instant_solve(&w->problem, most_combinations, w->arena, &answer, w->error);
    if (!status)
        status = carom_instant_parts_split(&w->problem, w->arena, &part_count, &parts, w->error);
    if (status)
        return status;
    bool determined = true;
    problem->solutions =
        carom_arena_array(w->arena, (size_t)answer.list.count + 1, sizeof *problem->solutions);
    if (!problem->solutions)
        return carom_error_memory(w->error);
    for (int k = 0; k < answer.list.count && !status; k++) {
        const carom_instant_solution *found = &answer.list.list[k];
        carom_painleve_solution *x = &problem->solutions[problem->count++];
        status = carom_painleve_state_solution(w, x);
        if (status)
            return status;
        status = carom_painleve_state_write(w, found->r, found->mode, x);
        if (!status)
            status = bound_forces(w, part_count, parts, found->r, x);
        x->force_unique = x->force_unique || found->unique;
        problem->continuum = problem->continuum || found->continuum;
        determined = determined && x->force_unique;
    }
    const bool several = answer.motions > 1 || problem->continuum;
    problem->kind = several               ? CAROM_PAINLEVE_SEVERAL
                    : !answer.complete    ? CAROM_PAINLEVE_UNKNOWN
                    : answer.motions == 0 ? CAROM_PAINLEVE_NONE
                    : determined          ? CAROM_PAINLEVE_UNIQUE
                                          : CAROM_PAINLEVE_UNIQUE_MOTION;
    if (problem->kind == CAROM_PAINLEVE_UNKNOWN)
        strcpy(problem->message,
               problem->count ? "too many contacts to enumerate all motions: the one shown "
                                "is a solution, others were not looked for"
                              : "too many contacts to enumerate all motions; none was found");
    return status;
}

carom_status carom_painleve_solve(const carom_system *system, const carom_state *state,
                                  const carom_geometry *geometry, const int *closed,
                                  carom_arena *arena, carom_painleve *problem, carom_error *error)
{
    CAROM_NEED(error, system, state, state->q, geometry, geometry->impact, closed, arena, problem);
    carom_painleve made = {.kind = CAROM_PAINLEVE_UNKNOWN};
    carom_painleve_state w;
    carom_status status =
        carom_painleve_state_make(system, state, geometry, closed, arena, &w, error);
    if (!status)
        status = w.spatial                   ? carom_painleve_spatial_solve(&w, &made)
                 : carom_painleve_smooth(&w) ? solve_smooth(&w, &made)
                                             : solve_planar(&w, &made);
    if (status)
        return status;
    if (w.approaching)
        strcpy(made.message, "a contact approaches: an impact comes first; this is the problem "
                             "with its normal velocity taken as zero");
    *problem = made;
    return CAROM_OK;
}
