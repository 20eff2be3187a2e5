#include "flow/contact_planar.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "carom/lcp.h"

/* One sliding or frictionless contact: a scalar problem with its four classes. */
static void scalar(carom_contact_parts *P, carom_contact_problem_answer *answer)
{
    double A = P->A[0], b = P->b[0];
    P->x[0] = 0;
    P->w[0] = b;
    answer->A = A;
    answer->b = b;
    answer->contact = P->contact[0];
    if (b < 0 && A > 0) {
        P->x[0] = -b / A;
        P->w[0] = 0;
    } else if (b < 0) {
        answer->class = CAROM_CONTACT_PROBLEM_NONE;
        snprintf(answer->text, sizeof answer->text,
                 "inconsistent: acceleration %.6g*force %+.6g cannot be made >= 0 by a force >= 0",
                 A, b);
    } else if (b > 0 && A < 0) {
        answer->class = CAROM_CONTACT_PROBLEM_SEVERAL;
        snprintf(answer->text, sizeof answer->text,
                 "indeterminate: acceleration %.6g*force %+.6g allows no force and force %.6g", A,
                 b, -b / A);
    }
}

/* The friction coefficient and the candidate of slip row c + k. */
static int owner(const carom_contact_parts *P, int row)
{
    int k = 0;
    while (P->slip[k + 1] <= row)
        k++;
    return k;
}

/* z = (lambda, s+ = mu lambda + tangent, slip-), w = (gap', slip+, s- = mu lambda - tangent). */
static void fill(const carom_contact_parts *P, int size, double *M, double *q)
{
    const int c = P->contacts, r = P->rows;
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < r; j++)
            M[i + (size_t)j * size] = P->A[i + (size_t)j * r];
        q[i] = P->b[i];
        for (int k = c; k < r; k++) { /* tangent = s+ - mu lambda */
            const int o = owner(P, k);
            M[i + (size_t)o * size] -= P->motion->mu[P->contact[o]] * P->A[i + (size_t)k * r];
        }
    }
    for (int k = c; k < r; k++) {
        const int o = owner(P, k), last = r + k - c;
        M[k + (size_t)last * size] = 1;
        M[last + (size_t)k * size] = -1;
        M[last + (size_t)o * size] = 2 * P->motion->mu[P->contact[o]];
    }
}

/* Forces so large that only the rounding of normals can ask for them: a body in a slot that fits.
 */
static bool beyond_measure(const carom_contact_parts *P, const double *z)
{
    double force = 0, load = 0;
    for (int i = 0; i < P->contacts; i++) {
        force = fmax(force, z[i] * P->norm[i]);
        load = fmax(load, fabs(P->b[i]) / P->norm[i]);
    }
    return force > 1e8 * load;
}

/* Without friction M is a Gram matrix, and there is always a solution. Where contacts wedge a body
 * in at an angle of 1e-7 only the method for symmetric matrices finds it, which knows what q was
 * summed from. Couplings that would need forces beyond measure are left out. */
static carom_status solve_frictionless(const carom_contact_parts *P, carom_lcp *lcp, double *M,
                                       carom_arena *scratch, double *z, double *w,
                                       carom_lcp_info *info, carom_error *error)
{
    const int c = P->contacts;
    double *size = carom_arena_doubles(scratch, (size_t)c);
    if (!size)
        return carom_error_memory(error);
    for (int j = 0; j < c; j++) {
        const double *v = P->motion->state.W + (size_t)P->contact[j] * P->n;
        size[j] = fabs(P->motion->state.g_bias[P->contact[j]]);
        for (int k = 0; k < P->n; k++)
            size[j] += fabs(v[k] * P->a[k]);
        for (int i = 0; i < j; i++)
            M[i + (size_t)j * c] = M[j + (size_t)i * c];
    }
    lcp->symmetric = true;
    lcp->q_size = size;
    carom_status status = carom_lcp_solve(lcp, NULL, scratch, z, w, info, error);
    if (status != CAROM_OK || (info->outcome == CAROM_LCP_SOLVED && !beyond_measure(P, z)))
        return status;
    for (int j = 0; j < c; j++)
        for (int i = 0; i < c; i++)
            if (i != j && fabs(M[i + (size_t)j * c]) <= 1e-6 * P->norm[i] * P->norm[j])
                M[i + (size_t)j * c] = 0;
    return carom_lcp_solve(lcp, NULL, scratch, z, w, info, error);
}

/* Does any contact slide or feel friction? */
static bool has_friction(const carom_contact_parts *P)
{
    bool any = P->rows > P->contacts;
    for (int k = 0; k < P->contacts; k++)
        any = any || P->motion->pushed[P->contact[k]];
    return any;
}

/* Accelerations that are the rounding of forces, or of the places where they act, are none. Slip at
 * the edge of a steep cone starts almost as slowly: there only the sum's own rounding. */
static void drop_rounding(carom_contact_parts *P)
{
    const int c = P->contacts, r = P->rows;
    for (int k = 0; k < r; k++) {
        double sum = fabs(P->b[k]), size = sum;
        for (int j = 0; j < r; j++) {
            sum += fabs(P->A[k + (size_t)j * r] * P->x[j]);
            size += P->norm[k] * P->norm[j] * fabs(P->x[j]);
        }
        if (fabs(P->w[k]) <= (k < c ? 1e-12 * size : 64 * DBL_EPSILON * sum))
            P->w[k] = 0;
    }
}

carom_status carom_contact_planar_solve(carom_contact_parts *P, carom_arena *scratch,
                                        carom_contact_problem_answer *answer, carom_error *error)
{
    const int c = P->contacts, r = P->rows, size = 2 * r - c;
    if (r == 1) {
        scalar(P, answer);
        return CAROM_OK;
    }
    double *M = carom_arena_zeros(scratch, (size_t)size * size + 3 * (size_t)size, sizeof(double));
    if (!M)
        return carom_error_memory(error);
    double *q = M + (size_t)size * size, *z = q + size, *w = z + size;
    fill(P, size, M, q);
    carom_lcp lcp = {.n = size, .M = M, .q = q};
    carom_lcp_options options = {.algorithm = CAROM_LCP_LEMKE};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, &options, scratch, z, w, &info, error);
    if (status == CAROM_OK && info.outcome != CAROM_LCP_SOLVED) {
        /* a ray proves nothing with friction: other coverings, and all bases where they are few */
        options.algorithm = CAROM_LCP_AUTO;
        status = carom_lcp_solve(&lcp, &options, scratch, z, w, &info, error);
    }
    if (status == CAROM_OK && !has_friction(P) &&
        (info.outcome != CAROM_LCP_SOLVED || beyond_measure(P, z)))
        status = solve_frictionless(P, &lcp, M, scratch, z, w, &info, error);
    if (status != CAROM_OK)
        return status;
    if (info.outcome != CAROM_LCP_SOLVED) {
        bool limit = info.outcome == CAROM_LCP_LIMIT;
        answer->class = limit ? CAROM_CONTACT_PROBLEM_UNSOLVED : CAROM_CONTACT_PROBLEM_NONE;
        snprintf(answer->text, sizeof answer->text, "%s: contact problem of %d closed contacts%s",
                 limit ? "unsolved" : "inconsistent", c,
                 limit ? "" : ", no solution of its LCP found");
        return CAROM_OK;
    }
    for (int i = 0; i < c; i++) {
        P->x[i] = z[i];
        P->w[i] = w[i];
    }
    for (int k = c; k < r; k++) {
        const int o = owner(P, k);
        P->x[k] = z[k] - P->motion->mu[P->contact[o]] * z[o];
        P->w[k] = w[k] - z[r + k - c];
    }
    drop_rounding(P);
    return CAROM_OK;
}
