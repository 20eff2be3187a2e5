/* Forces of contacts without friction: Gauss's principle. The accelerations are those nearest to
 * the free ones, in the kinetic metric, that take no contact below its gap, min |a - a_free|, w_i'a
 * + bias_i >= 0,   C'a + bias = 0, the problem of impacts without friction with accelerations for
 * velocities. It is solved on the rows, as those are: in the Gram matrix W'M^-1 W of a light body
 * between heavy ones its forces are known to eps times the ratio of the masses, and what it does
 * drowns in what they do. */
#include "flow/contact_smooth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/impact.h"
#include "carom/lcp.h"
#include "carom/tolerance.h"
#include "impact/nearest.h"
#include "linalg/dense.h"

/* The problem for a - a_c, a_c the accelerations with joints and without contacts, as an impact
 * that begins at rest: biases go with the targets, for dependent contacts need not move alike. */
static carom_status state(const carom_contact_parts *P, carom_arena *scratch, carom_impact *impact,
                          carom_error *error)
{
    const size_t n = (size_t)P->n, c = (size_t)P->contacts;
    const carom_state *now = &P->motion->state;
    double *W = carom_arena_zeros(scratch, n * (c + 1), sizeof *W);
    if (!W)
        return carom_error_memory(error);
    for (size_t k = 0; k < c; k++)
        memcpy(W + k * n, now->W + (size_t)P->contact[k] * n, sizeof *W * n);
    *impact = (carom_impact){.n = P->n,
                             .p = P->contacts,
                             .m = P->shape->m,
                             .a = P->shape->a,
                             .mass_is_diagonal = P->shape->mass_is_diagonal,
                             .M = now->M,
                             .u = W + n * c,
                             .W = W,
                             .B = now->B,
                             .A = now->A,
                             .coordinates = P->shape->coordinates};
    return CAROM_OK;
}

/* -(w'a_c + bias) with twice the digits; what b has of rounding is none. */
static void aim(const carom_contact_parts *P, const carom_geometry *g, doubled *target)
{
    for (int k = 0; k < P->contacts; k++) {
        const double *w = g->impact->W + (size_t)k * (size_t)P->n;
        doubled sum = {P->motion->state.g_bias[P->contact[k]], 0};
        for (int i = 0; i < P->n; i++)
            sum = doubled_add(sum, doubled_product(w[i], P->a[i]));
        target[k] = P->b[k] != 0 ? doubled_negate(sum) : (doubled){0, 0};
    }
}

/* Sizes (n) of what the accelerations are summed from. */
static void find_terms(const carom_contact_parts *P, const carom_geometry *g, double *terms)
{
    for (int i = 0; i < P->n; i++)
        terms[i] = fabs(P->motion->a_free[i]);
    for (int k = 0; k < P->contacts; k++)
        for (int i = 0; i < P->n; i++)
            terms[i] += fabs(g->Y[i + (size_t)k * (size_t)P->n] * P->x[k]);
}

/* Accelerations that are the rounding of forces, or of the places where they act, are none, each
 * compared with its own terms. */
static void drop_rounding(carom_contact_parts *P, const carom_geometry *g, double *terms)
{
    find_terms(P, g, terms);
    for (int k = 0; k < P->contacts; k++) {
        const double *w = g->impact->W + (size_t)k * (size_t)P->n;
        double size = fabs(P->motion->state.g_bias[P->contact[k]]);
        for (int i = 0; i < P->n; i++)
            size += fabs(w[i]) * terms[i];
        if (fabs(P->w[k]) <= CAROM_TOLERANCE_CARRIED * size)
            P->w[k] = 0;
    }
}

/* x and w of the motion found on the rows. */
static void take(carom_contact_parts *P, const carom_geometry *g, const carom_nearest *nearest,
                 const doubled *target, double *terms)
{
    for (int k = 0; k < P->contacts; k++) {
        const double *w = g->impact->W + (size_t)k * (size_t)P->n;
        P->x[k] = nearest->impulse[k].hi;
        P->w[k] = doubled_dot(P->n, w, nearest->u, doubled_negate(target[k])).hi;
    }
    drop_rounding(P, g, terms);
}

/* By the Gram matrix, where its pivots cost no digits. */
static carom_status by_delassus(carom_contact_parts *P, const carom_geometry *g,
                                carom_arena *scratch, double *terms, bool *found,
                                carom_error *error)
{
    const carom_lcp lcp = {
        .n = P->contacts, .M = g->D, .q = P->b, .symmetric = true, .bandwidth = g->bandwidth};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, scratch, P->x, P->w, &info, error);
    *found = status == CAROM_OK && info.outcome == CAROM_LCP_SOLVED;
    if (*found)
        drop_rounding(P, g, terms);
    return status;
}

/* Forces so large that only the rounding of normals can ask for them: a body in a slot that fits.
 */
static bool beyond_measure(const carom_contact_parts *P, const carom_geometry *g)
{
    double force = 0, load = sqrt(carom_geometry_dot(g, P->a, P->a));
    for (int i = 0; i < P->contacts; i++) {
        force = fmax(force, P->x[i] * P->norm[i]);
        load = fmax(load, P->norm[i] > 0 ? fabs(P->b[i]) / P->norm[i] : 0);
    }
    return force > 1e8 * load;
}

/* Without the couplings that would need them. */
static carom_status leave_out(carom_contact_parts *P, carom_arena *scratch, carom_lcp_info *info,
                              carom_error *error)
{
    const size_t c = (size_t)P->contacts;
    double *M = carom_arena_doubles(scratch, c * c);
    if (!M)
        return carom_error_memory(error);
    for (size_t j = 0; j < c; j++)
        for (size_t i = 0; i < c; i++) {
            const double A = P->A[i <= j ? j + i * c : i + j * c];
            M[i + j * c] = i != j && fabs(A) <= 1e-6 * P->norm[i] * P->norm[j] ? 0 : A;
        }
    const carom_lcp lcp = {.n = P->contacts, .M = M, .q = P->b, .symmetric = true};
    return carom_lcp_solve(&lcp, NULL, scratch, P->x, P->w, info, error);
}

carom_status carom_contact_smooth_solve(carom_contact_parts *P, carom_arena *scratch,
                                        carom_contact_problem_answer *answer, carom_error *error)
{
    carom_impact impact;
    carom_geometry g;
    carom_nearest nearest;
    carom_lcp_info info = {.outcome = CAROM_LCP_SOLVED};
    carom_status status = state(P, scratch, &impact, error);
    if (status == CAROM_OK)
        status = carom_impact_derive(&impact, scratch, &g, error);
    if (status != CAROM_OK)
        return status;
    const size_t n = (size_t)P->n, c = (size_t)P->contacts;
    doubled *target = carom_arena_zeros(scratch, c + n, sizeof *target);
    double *terms = carom_arena_doubles(scratch, n);
    if (!target || !terms)
        return carom_error_memory(error);
    if (g.pivot >= CAROM_TOLERANCE_SHARP) {
        bool found;
        status = by_delassus(P, &g, scratch, terms, &found, error);
        if (status != CAROM_OK || found)
            return status;
    }
    aim(P, &g, target);
    const carom_nearest_start start = {.x = target + c};
    status = carom_nearest_find(&g, &start, target, scratch, &nearest, error);
    if (status != CAROM_OK)
        return status;
    take(P, &g, &nearest, target, terms);
    if (nearest.end != CAROM_NEAREST_FOUND || beyond_measure(P, &g))
        status = leave_out(P, scratch, &info, error);
    if (status == CAROM_OK && info.outcome != CAROM_LCP_SOLVED) {
        answer->class = info.outcome == CAROM_LCP_LIMIT ? CAROM_CONTACT_PROBLEM_UNSOLVED
                                                        : CAROM_CONTACT_PROBLEM_NONE;
        snprintf(answer->text, sizeof answer->text,
                 "contact problem of %d closed contacts without friction: no forces found",
                 P->contacts);
    }
    return status;
}
