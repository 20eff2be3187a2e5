/* The contact problem with spatial contacts at rest: solutions by search, their number where it can
 * be proved. */
#include "certify/painleve_spatial.h"

#include "carom/tolerance.h"
#include "certify/painleve_proofs.h"
#include "law/coulomb.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { MOST = 16 }; /* solutions kept */

/* The problem in the form of the impact law (law/coulomb.h): accelerations for velocities. */
typedef struct search {
    const carom_painleve_state *w;
    carom_coulomb f;
    carom_painleve *problem;
    bool none; /* that there is no solution is proved */
    bool held; /* forces within the cones hold all that is at rest */
} search;

static carom_status state(search *s)
{
    const carom_painleve_state *w = s->w;
    const carom_instant *i = &w->problem;
    carom_coulomb *f = &s->f;
    const size_t p = (size_t)i->p;
    *f = (carom_coulomb){.p = i->p, .N = i->N, .sided = true, .floor = i->floor};
    f->row = carom_arena_array(w->arena, 2 * p + 1, sizeof *f->row);
    f->equality = carom_arena_zeros(w->arena, p, sizeof *f->equality);
    f->mu_s = carom_arena_doubles(w->arena, 2 * p);
    s->problem->solutions = carom_arena_array(w->arena, MOST, sizeof *s->problem->solutions);
    if (!f->row || !f->equality || !f->mu_s || !s->problem->solutions)
        return carom_error_memory(w->error);
    f->contact = f->row + p + 1;
    f->mu_d = f->mu_s + p;
    f->A = (double *)i->W; /* none of the methods used here writes to these */
    f->b = (double *)i->q;
    f->scale = w->scale;
    memcpy(f->row, i->row, (p + 1) * sizeof *f->row);
    for (int c = 0; c < i->p; c++) {
        f->contact[c] = c;
        f->mu_s[c] = i->mu_s[c];
        f->mu_d[c] = i->mu_d[c];
    }
    return CAROM_OK;
}

/* Is there a solution with this motion already? */
static bool is_known(const search *s, const carom_painleve_solution *x)
{
    const int n = s->w->g->impact->n;
    const double size = fmax(carom_dense_max(n, x->du), carom_dense_max(n, s->w->free));
    for (int k = 0; k < s->problem->count; k++) {
        double off = 0;
        for (int i = 0; i < n; i++)
            off = fmax(off, fabs(s->problem->solutions[k].du[i] - x->du[i]));
        if (off <= CAROM_TOLERANCE_HALF * size)
            return true;
    }
    return false;
}

/* Keep the solution with the scaled forces x, unless its motion is there; what is open has none. */
static carom_status keep(search *s, double *x)
{
    const carom_painleve_state *w = s->w;
    const size_t p = (size_t)s->f.p;
    carom_painleve_solution made;
    carom_mode *mode = carom_arena_array(w->arena, p, sizeof *mode);
    unsigned char *code = carom_arena_array(w->arena, p, 1);
    if (s->problem->count == MOST)
        return CAROM_OK;
    if (!mode || !code)
        return carom_error_memory(w->error);
    carom_status status = carom_painleve_state_solution(w, &made);
    if (status)
        return status;
    carom_coulomb_modes(&s->f, x, mode);
    for (size_t c = 0; c < p; c++) {
        code[c] = (unsigned char)mode[c];
        for (int k = s->f.row[c]; k < s->f.row[c + 1] && mode[c] == CAROM_MODE_OPEN; k++)
            x[k] = 0;
    }
    status = carom_painleve_state_write(w, x, code, &made);
    if (status)
        return status;
    for (int i = 0; i < w->g->impact->p; i++)
        made.least[i] = made.most[i] = NAN;
    if (!is_known(s, &made))
        s->problem->solutions[s->problem->count++] = made;
    return CAROM_OK;
}

/* One contact whose rows are independent: open, stick and all directions of slip. */
static carom_status solve_single(search *s)
{
    double xs[3 * CAROM_COULOMB_LOCAL];
    carom_mode modes[CAROM_COULOMB_LOCAL];
    int count = carom_coulomb_local(&s->f, 0, s->f.b, s->f.floor, xs, modes);
    carom_status status = CAROM_OK;
    for (int k = 0; k < count && !status; k++)
        status = keep(s, xs + 3 * k);
    return status;
}

/* From one start. */
static carom_status descend(search *s, double *x)
{
    double residual;
    bool none;
    carom_status status = carom_coulomb_find(&s->f, s->w->arena, x, &residual, &none, s->w->error);
    return status || !(residual <= CAROM_TOLERANCE_SIGN) ? status : keep(s, x);
}

/* Several starts: forces that hold everything at rest, none, small and large ones. */
static carom_status solve_several(search *s)
{
    enum { STARTS = 6 };
    const carom_painleve_state *w = s->w;
    const carom_coulomb *f = &s->f;
    const double size = carom_coulomb_size(f, NULL);
    double *x = carom_arena_doubles(w->arena, (size_t)f->N);
    if (!x)
        return carom_error_memory(w->error);
    carom_status status = carom_painleve_proofs_hold(w, x, &s->held);
    if (!status && s->held && carom_coulomb_residual(f, x) <= CAROM_TOLERANCE_SIGN)
        status = keep(s, x);
    for (int start = 0; start < STARTS && !status; start++) {
        memset(x, 0, sizeof *x * (size_t)f->N);
        for (int c = 0; c < f->p; c++) { /* alternating loads, and friction to both sides */
            const bool loaded = start == 1 || (start > 1 && (c + start) % 2);
            x[f->row[c]] = loaded ? (start < 4 ? 1 : 100) * size : 0;
            for (int l = f->row[c] + 1; l < f->row[c + 1]; l++)
                x[l] = (l + start) % 2 ? 0.5 * f->mu_s[c] * x[f->row[c]] : 0;
        }
        status = descend(s, x);
    }
    bool found = false;
    if (!status && s->problem->count == 0)
        status = carom_coulomb_exclude(f, w->arena, x, &found, &s->none, w->error);
    return found && !status ? keep(s, x) : status;
}

/* What was found by search, and what is proved about it. */
static carom_status classify(const search *s, bool complete)
{
    carom_painleve *problem = s->problem;
    bool infeasible = false, unique = false, determined = false;
    carom_status status = CAROM_OK;
    if (problem->count == 0 && !complete)
        status = carom_painleve_proofs_infeasible(s->w, &infeasible);
    if (!status && problem->count == 1 && !complete)
        status = carom_painleve_proofs_unique(s->w, &unique);
    if (!status && problem->count == 1)
        status = carom_painleve_proofs_determined(s->w, problem->solutions, &determined);
    if (status)
        return status;
    if (problem->count == 1)
        problem->solutions[0].force_unique = determined;
    problem->kind =
        problem->count > 1 ? CAROM_PAINLEVE_SEVERAL
        : problem->count == 0
            ? (complete || infeasible || s->none ? CAROM_PAINLEVE_NONE : CAROM_PAINLEVE_UNKNOWN)
        : !(complete || unique) ? CAROM_PAINLEVE_UNKNOWN
        : determined            ? CAROM_PAINLEVE_UNIQUE
                                : CAROM_PAINLEVE_UNIQUE_MOTION;
    if (infeasible)
        strcpy(problem->message,
               "no forces in the friction cones keep the contacts from penetrating");
    else if (problem->kind == CAROM_PAINLEVE_UNKNOWN)
        strcpy(
            problem->message,
            problem->count && s->held
                ? "forces within the friction cones hold the contacts as they are; that there is "
                  "no other motion is not proved (the contacts are dependent, or too rough)"
            : problem->count
                ? "no forces within the friction cones hold the contacts as they are; the motion "
                  "shown is a solution; that there is no other is not proved (the contacts are "
                  "dependent, or too rough)"
                : "spatial contacts at rest: no solution was found, none is excluded");
    return CAROM_OK;
}

carom_status carom_painleve_spatial_solve(const carom_painleve_state *w, carom_painleve *problem)
{
    search s = {.w = w, .problem = problem};
    carom_status status = state(&s);
    if (status)
        return status;
    const bool single =
        w->problem.p == 1 && carom_coulomb_local_pivot(&s.f, 0) > CAROM_TOLERANCE_HALF;
    status = single ? solve_single(&s) : solve_several(&s);
    return status ? status : classify(&s, single);
}
