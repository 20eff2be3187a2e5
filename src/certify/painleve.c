/* All solutions of the contact problem at one instant, and their class (docs/theory/painleve.md).
 */
#include "certify/painleve_modes.h"
#include "certify/painleve_spatial.h"
#include "impact/joints.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

#include <math.h>
#include <string.h>

enum { MOST_RESTING = 6 };

const char *carom_painleve_text(carom_painleve_class kind)
{
    static const char *const texts[] = {"unique", "unique-motion", "none", "several", "unknown"};
    return texts[kind];
}

static const carom_contact *contact(const carom_painleve_modes *w, int i)
{
    return &w->g->impact->contacts[i];
}

/* Is the symmetric part of M (n x n) positive definite beyond rounding? Then the LCP has exactly
 * one solution, whatever q is. */
static carom_status definite(const carom_painleve_modes *w, const carom_lcp *lcp, bool *proved)
{
    int n = lcp->n;
    carom_mark mark = carom_arena_mark(w->arena);
    double *S = carom_arena_doubles(w->arena, (size_t)n * n + n);
    int *pivot = carom_arena_array(w->arena, n, sizeof(int));
    if (!S || !pivot)
        return carom_error_memory(w->error);
    for (int b = 0; b < n; b++)
        for (int a = 0; a < n; a++)
            S[a + (size_t)b * n] = (lcp->M[a + (size_t)b * n] + lcp->M[b + (size_t)a * n]) / 2;
    *proved = carom_pivoted_cholesky_factor(n, S, n, carom_joints_rank_tolerance(n), pivot,
                                            S + (size_t)n * n) == n;
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

/* More contacts than can be enumerated, none of them rough and at rest: one LCP, which is answered
 * where theory knows how many solutions it has. Smooth contacts: the motion is unique always. */
static carom_status solve_large(carom_painleve_modes *w, carom_painleve *problem)
{
    carom_lcp lcp;
    carom_lcp_info info;
    double *t;
    bool proved = false, smooth = true;
    for (int c = 0; c < w->k; c++)
        smooth = smooth && w->mode[w->part[c]] == CAROM_MODE_CLOSED;
    carom_status status = carom_painleve_modes_pose(w, &lcp, &t);
    lcp.symmetric = smooth;
    double *z = status ? NULL : carom_arena_doubles(w->arena, lcp.n);
    if (!status && !z)
        status = carom_error_memory(w->error);
    if (!status)
        status = definite(w, &lcp, &proved);
    if (!status)
        status = carom_lcp_solve(&lcp, NULL, w->arena, z, NULL, &info, w->error);
    if (status)
        return status;
    if (smooth && info.outcome == CAROM_LCP_INFEASIBLE) {
        problem->kind = CAROM_PAINLEVE_NONE;
        return CAROM_OK;
    }
    if (info.outcome != CAROM_LCP_SOLVED || !(proved || smooth))
        return CAROM_OK;
    if ((status = carom_painleve_modes_solution(w, &w->solutions[0])))
        return status;
    problem->kind = proved ? CAROM_PAINLEVE_UNIQUE : CAROM_PAINLEVE_UNIQUE_MOTION;
    problem->count = 1;
    problem->solutions = w->solutions;
    return carom_painleve_modes_complete(w, z, &w->solutions[0], t, t + w->q);
}

/* u'_free = M_c^-1 h with the accelerations of the joints, and the biases of the closed contacts.
 */
static carom_status prepare(carom_painleve_modes *w, const carom_system *system, const int *closed)
{
    const carom_system_shape *shape = carom_system_get_shape(system);
    int n = w->n, p = w->p, s = w->s, c = w->g->c;
    double *memory = carom_arena_zeros(
        w->arena, (size_t)n + p + 3 * (size_t)s + (size_t)n * p + (size_t)s * s + c,
        sizeof(double));
    w->part = carom_arena_array(w->arena, p + 2 * (size_t)s, sizeof(int));
    w->mode = carom_arena_zeros(w->arena, p, sizeof(carom_mode));
    w->solutions = carom_arena_array(w->arena, CAROM_PAINLEVE_MODES_MOST, sizeof *w->solutions);
    if (!memory || !w->part || !w->mode || !w->solutions)
        return carom_error_memory(w->error);
    w->stick = w->part + p;
    w->pivot = w->stick + s;
    w->free = memory;
    w->bias = w->free + n;
    w->slip_bias = w->bias + p;
    w->direction = w->slip_bias + s;
    w->scale = w->direction + s;
    w->column = w->scale + s;
    w->S = w->column + (size_t)n * p;
    double *shift = w->S + (size_t)s * s;
    for (int j = 0; j < shape->m; j++)
        shift[j] = w->state->b_bias[j];
    for (int j = 0; j < shape->a; j++)
        shift[shape->m + j] = w->state->a_bias[j];
    memcpy(w->free, w->state->h, sizeof(double) * n);
    carom_joints_inverse_mass(w->g, w->free);
    carom_joints_project(w->g, shift, w->free);
    int at = 0;
    for (int i = 0; i < p; i++) {
        w->bias[i] = w->state->g_bias[closed[i]];
        for (int j = shape->slip_start[closed[i]]; j < shape->slip_start[closed[i] + 1]; j++)
            w->slip_bias[at++] = w->state->slip_bias[j];
    }
    return CAROM_OK;
}

/* Which contacts take part, which of them slide and where to. Returns those at rest. */
static int sort_contacts(carom_painleve_modes *w, bool *resting, carom_painleve *problem)
{
    const carom_geometry *g = w->g;
    int at_rest = 0;
    for (int i = 0; i < w->p; i++) {
        double tolerance = 1e-9 * g->norm[i] * g->speed;
        resting[i] = false;
        w->mode[i] = CAROM_MODE_OPEN;
        if (g->gamma[i] > tolerance)
            continue;
        if (g->gamma[i] < -tolerance)
            strcpy(problem->message, "a contact approaches: an impact comes first; this is the "
                                     "problem with its normal velocity taken as zero");
        w->part[w->k++] = i;
        w->mode[i] = CAROM_MODE_CLOSED;
        int first = g->slip_start[i], count = g->slip_start[i + 1] - first;
        double squared = 0, reach = 0;
        for (int j = first; j < first + count; j++) {
            squared += g->slip[j] * g->slip[j];
            reach +=
                carom_dense_dot(w->n, g->impact->H + (size_t)j * w->n, g->Z + (size_t)j * w->n);
        }
        if (count == 0 || contact(w, i)->friction_static == 0)
            continue;
        double slip = sqrt(squared);
        if (slip > 1e-9 * g->speed * sqrt(reach) && !isinf(contact(w, i)->friction_dynamic)) {
            for (int j = first; j < first + count; j++)
                w->direction[j] = g->slip[j] / slip;
            w->mode[i] = count == 2           ? CAROM_MODE_SLIP
                         : g->slip[first] > 0 ? CAROM_MODE_SLIP_PLUS
                                              : CAROM_MODE_SLIP_MINUS;
        } else {
            resting[i] = true;
            at_rest++;
        }
    }
    return at_rest;
}

/* All modes of the contacts at rest from number c on. */
static carom_status try_modes(carom_painleve_modes *w, const bool *resting, int c)
{
    while (c < w->k && !resting[w->part[c]])
        c++;
    if (c == w->k)
        return carom_painleve_modes_solve(w, resting);
    int i = w->part[c], j = w->g->slip_start[i];
    bool slides = !isinf(contact(w, i)->friction_dynamic);
    carom_status status = CAROM_OK;
    for (int kind = 0; kind < (slides ? 3 : 1) && !status; kind++) {
        w->mode[i] = kind == 0   ? CAROM_MODE_STICK
                     : kind == 1 ? CAROM_MODE_SLIP_PLUS
                                 : CAROM_MODE_SLIP_MINUS;
        w->direction[j] = kind == 0 ? 0 : kind == 1 ? 1 : -1;
        status = try_modes(w, resting, c + 1);
    }
    return status;
}

/* Static friction goes before: a slip with the lower coefficient is no solution where the same
 * contacts can stick, the others as they are (as in the Coulomb law). */
static bool overruled(const carom_painleve_modes *w, const bool *resting, int k)
{
    const carom_mode *a = w->solutions[k].mode;
    for (int j = 0; j < w->count; j++) {
        const carom_mode *b = w->solutions[j].mode;
        bool stronger = j != k, differs = false;
        for (int i = 0; i < w->p && stronger; i++) {
            if (a[i] == b[i])
                continue;
            stronger = resting[i] && a[i] >= CAROM_MODE_SLIP_PLUS && b[i] == CAROM_MODE_STICK &&
                       contact(w, i)->friction_dynamic < contact(w, i)->friction_static;
            differs = true;
        }
        if (stronger && differs)
            return true;
    }
    return false;
}

static carom_status drop_overruled(carom_painleve_modes *w, const bool *resting)
{
    bool *drop = carom_arena_array(w->arena, (size_t)w->count, sizeof *drop);
    if (!drop)
        return carom_error_memory(w->error);
    int kept = 0;
    for (int k = 0; k < w->count; k++)
        drop[k] = overruled(w, resting, k);
    for (int k = 0; k < w->count; k++)
        if (!drop[k])
            w->solutions[kept++] = w->solutions[k];
    w->count = kept;
    return CAROM_OK;
}

static bool same_motion(const carom_painleve_modes *w)
{
    bool same = true;
    for (int k = 1; k < w->count; k++)
        same = same && carom_painleve_modes_same(
                           w->n, w->solutions[0].du, w->solutions[k].du,
                           fmax(carom_painleve_modes_largest(w->n, w->solutions[0].du),
                                carom_painleve_modes_largest(w->n, w->free)));
    return same;
}

static void classify(const carom_painleve_modes *w, carom_painleve *problem)
{
    problem->count = w->count;
    problem->solutions = w->solutions;
    problem->continuum = w->continuum;
    problem->kind = w->count == 0                                   ? CAROM_PAINLEVE_NONE
                    : w->count == 1 && !w->continuum && !w->shared  ? CAROM_PAINLEVE_UNIQUE
                    : same_motion(w) && (w->count > 1 || w->shared) ? CAROM_PAINLEVE_UNIQUE_MOTION
                                                                    : CAROM_PAINLEVE_SEVERAL;
}

/* What was found by search, and what is proved about it. */
static void classify_spatial(const carom_painleve_modes *w, const carom_painleve_spatial *found,
                             carom_painleve *problem)
{
    classify(w, problem);
    if (problem->kind == CAROM_PAINLEVE_SEVERAL || found->complete)
        return;
    if (problem->kind == CAROM_PAINLEVE_NONE) {
        problem->kind = found->infeasible ? CAROM_PAINLEVE_NONE : CAROM_PAINLEVE_UNKNOWN;
        strcpy(problem->message,
               found->infeasible
                   ? "no forces in the friction cones keep the contacts from penetrating"
                   : "spatial contacts at rest: no solution was found, none is excluded");
        return;
    }
    if (found->unique)
        return;
    problem->kind = CAROM_PAINLEVE_UNKNOWN;
    strcpy(problem->message,
           "spatial contacts at rest: the motion shown is a solution; that there is "
           "no other is not proved (the contacts are dependent, or too rough)");
}

carom_status carom_painleve_solve(const carom_system *system, const carom_state *state,
                                  const carom_geometry *geometry, const int *closed,
                                  carom_arena *arena, carom_painleve *problem, carom_error *error)
{
    carom_painleve made = {.kind = CAROM_PAINLEVE_UNKNOWN};
    carom_painleve_modes w = {.g = geometry, .state = state, .arena = arena, .error = error};
    w.n = geometry->impact->n;
    w.p = geometry->impact->p;
    w.s = geometry->s;
    carom_status status = prepare(&w, system, closed);
    bool *resting = carom_arena_array(arena, (size_t)w.p + 1, sizeof(bool));
    if (!status && !resting)
        status = carom_error_memory(error);
    if (status)
        return status;
    int at_rest = sort_contacts(&w, resting, &made);
    bool spatial = false;
    for (int i = 0; i < w.p; i++)
        spatial =
            spatial || (resting[i] && geometry->slip_start[i + 1] - geometry->slip_start[i] == 2);
    if (spatial) {
        carom_painleve_spatial found;
        status = carom_painleve_spatial_solve(&w, resting, &found);
        if (!status)
            classify_spatial(&w, &found, &made);
    } else if (w.k <= CAROM_LCP_ENUMERATE_LIMIT && at_rest <= MOST_RESTING) {
        status = try_modes(&w, resting, 0);
        if (!status)
            status = drop_overruled(&w, resting);
        if (!status)
            classify(&w, &made);
    } else if (at_rest == 0)
        status = solve_large(&w, &made);
    if (!status && made.kind == CAROM_PAINLEVE_UNKNOWN && !spatial)
        strcpy(made.message, "too many contacts to enumerate all solutions");
    if (!status)
        *problem = made;
    return status;
}
