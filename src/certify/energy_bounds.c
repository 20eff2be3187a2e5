/* The conditions on E that are simpler than the exact ones (docs/theory/certificates.md). */
#include "certify/energy.h"
#include "linalg/spectrum.h"

#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* F = L^-1 E L with G = L L'. In y = L^-1 v the energy v'G^-1 v of normal velocities is |y|^2, and
 * v+ = -E v- becomes y+ = -F y-: no velocity gains energy exactly when no singular value of F is
 * above 1. */
void carom_energy_bounds_ratio(const carom_energy *w, double *F)
{
    int p = w->m.p;
    for (int j = 0; j < p; j++) {
        double *f = F + (size_t)j * p;
        memset(f, 0, sizeof(double) * p);
        for (int k = j; k < p; k++)
            if (w->m.L[k + (size_t)j * p] != 0)
                carom_dense_axpy(p, w->m.L[k + (size_t)j * p], w->E + (size_t)k * p, f);
        carom_cholesky_forward(p, w->m.L, p, f);
    }
}

double carom_energy_bounds_conditioning(const carom_energy *w)
{
    return w->m.identity ? 1 : w->m.largest / fmax(w->m.least, DBL_MIN);
}

static double diagonal_largest(const carom_energy *w)
{
    double largest = 0;
    for (int i = 0; i < w->m.p; i++)
        largest = fmax(largest, fabs(w->E[i * (size_t)(w->m.p + 1)]));
    return largest;
}

/* value <= bound (or <), with a relative doubt; exact numbers have doubt 0. */
static void compare(carom_certificate *c, double value, double bound, double doubt, bool strict)
{
    c->value = value;
    c->bound = bound;
    double margin = doubt * fmax(fabs(value), fabs(bound));
    if (value < bound - margin || (doubt == 0 && value == bound && !strict))
        c->holds = CAROM_TRUE;
    else if (value > bound + margin || (doubt == 0 && value == bound))
        c->holds = CAROM_FALSE;
}

/* The root of the largest eigenvalue of A'A: the largest singular value of E, and of a symmetric F
 * its spectral radius, which is that of E, for both are similar. */
static carom_status largest_singular(carom_energy *w, const double *A, double *sigma)
{
    int p = w->m.p;
    double *S = carom_arena_doubles(w->arena, (size_t)p * p + p);
    if (!S)
        return carom_error_memory(w->error);
    carom_dense_gram(p, p, A, p, S);
    double *values = S + (size_t)p * p;
    carom_status status = carom_spectrum_symmetric(p, S, false, w->arena, values, w->error);
    if (!status)
        *sigma = p ? sqrt(fmax(0, values[p - 1])) : 0;
    return status;
}

static carom_status certify_spectral(carom_energy *w)
{
    int p = w->m.p;
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_SPECTRAL,
                                                  CAROM_SCOPE_ALL, CAROM_ENERGY_SOURCE "Prop. 5");
    if (!c)
        return CAROM_OK;
    carom_certificate_say(c, "undecided: stopped before EG was formed");
    if (!carom_certificates_go_on(w->all, w->watch, w->m.p, c->name))
        return CAROM_OK;
    /* E G = G E' ? Then L^-1 (E G) L^-T = F is symmetric, and its largest singular value is its
     * spectral radius. */
    const double size = carom_dense_max(p * p, w->E);
    double asymmetry = 0;
    double *F = carom_arena_zeros(w->arena, (size_t)p * p + 1, sizeof *F); /* EG, later F */
    if (!F)
        return carom_error_memory(w->error);
    for (int j = 0; j < p; j++)
        for (int k = 0; k < p; k++)
            if (w->m.G[k + (size_t)j * p] != 0)
                carom_dense_axpy(p, w->m.G[k + (size_t)j * p], w->E + (size_t)k * p,
                                 F + (size_t)j * p);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < j; i++)
            asymmetry = fmax(asymmetry, fabs(F[i + (size_t)j * p] - F[j + (size_t)i * p]));
    if (asymmetry > 64.0 * (p + w->g->impact->n) * DBL_EPSILON * size) {
        c->applies = false;
        carom_certificate_say(c,
                              "does not apply: it needs E = G E'G^-1 (for instance E = eI); "
                              "here EG differs from its transpose by %.3g",
                              asymmetry);
        return CAROM_OK;
    }
    double radius, doubt = 0;
    if (w->loss.diagonal)
        radius = diagonal_largest(w);
    else {
        carom_energy_bounds_ratio(w, F);
        carom_status status = largest_singular(w, F, &radius);
        if (status)
            return status;
        doubt = 32.0 * (p + w->g->impact->n) * DBL_EPSILON * carom_energy_bounds_conditioning(w);
    }
    compare(c, radius, 1, doubt, false);
    carom_certificate_say(c, "E = G E'G^-1 holds, so the energy never grows iff the spectral "
                             "radius of E is at most 1");
    return CAROM_OK;
}

/* Three bounds that need no F. |F| = |L^-1 E L| <= |L^-1| |E| |L|, and |L|^2 = lambda_max(G),
 * |L^-1|^2 = 1/lambda_min(G): so |F| <= 1 where the square of |E| is at most lambda_min/lambda_max
 * (Prop. 6), and all the more in the larger norms of Frobenius (Prop. 7). And the loss
 * v'(G^-1 - E'G^-1 E) v is at least (1/lambda_max(G) - |E'G^-1 E|) |v|^2 (Prop. 4). */
static carom_status certify_bounds(carom_energy *w)
{
    int p = w->m.p, slack = p + w->g->impact->n;
    bool exact = w->m.identity && w->loss.diagonal;
    double doubt = exact ? 0 : 32.0 * slack * DBL_EPSILON * carom_energy_bounds_conditioning(w),
           sigma;
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_SINGULAR_VALUE,
                                                  CAROM_SCOPE_ALL, CAROM_ENERGY_SOURCE "Prop. 6");
    carom_status status = CAROM_OK;
    if (c)
        carom_certificate_say(c, "undecided: stopped before the singular values of E were found");
    if (!c || !carom_certificates_go_on(w->all, w->watch, w->m.p, c->name))
        return CAROM_OK;
    if (w->loss.diagonal)
        sigma = diagonal_largest(w);
    else
        status = largest_singular(w, w->E, &sigma);
    if (status)
        return status;
    compare(c, sigma, sqrt(w->m.least / w->m.largest), doubt, false);
    carom_certificate_say(c, "sufficient: largest singular value of E at most "
                             "1/sqrt(lambda_max(G) lambda_max(G^-1))");
    c = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_FROBENIUS, CAROM_SCOPE_ALL,
                               CAROM_ENERGY_SOURCE "Prop. 7");
    if (!c)
        return CAROM_OK;
    double size = carom_normal_frobenius(p, p, w->E);
    compare(c, size * size, 1 / (w->m.G_norm * w->m.K_norm), doubt, true);
    carom_certificate_say(c,
                          "sufficient: |E|_F^2 < 1/(|G|_F |G^-1|_F); with spectral norms, sharper: "
                          "%.6g %s %.6g",
                          sigma * sigma, sigma * sigma < w->m.least / w->m.largest ? "<" : ">=",
                          w->m.least / w->m.largest);
    c = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_PRODUCT, CAROM_SCOPE_ALL,
                               CAROM_ENERGY_SOURCE "Prop. 4");
    if (!c)
        return CAROM_OK;
    carom_certificate_say(c, "undecided: stopped before the norm of E'G^-1E was found");
    if (!carom_certificates_go_on(w->all, w->watch, w->m.p, c->name))
        return CAROM_OK;
    double *A = carom_arena_zeros(w->arena, (size_t)p * p, sizeof(double));
    double *values = carom_arena_doubles(w->arena, p);
    if (!A || !values)
        return carom_error_memory(w->error);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            A[i + (size_t)j * p] = w->m.K[i + (size_t)j * p] - w->loss.C[i + (size_t)j * p];
    status = carom_spectrum_symmetric(p, A, false, w->arena, values, w->error);
    if (status)
        return status;
    compare(c, p ? fmax(0, values[p - 1]) : 0, 1 / w->m.largest, doubt, true);
    carom_certificate_say(c, "sufficient: |E'G^-1E|_2 < 1/lambda_max(G)");
    return CAROM_OK;
}

static void certify_diagonal(carom_energy *w)
{
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_ORTHOGONAL,
                                                  CAROM_SCOPE_ALL, CAROM_ENERGY_SOURCE "Prop. 3");
    if (c && (!w->m.identity || !w->loss.diagonal)) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: it needs %s",
                              w->m.identity ? "a diagonal E" : "contacts at right angles (G = I)");
    } else if (c) {
        compare(c, diagonal_largest(w), 1, 0, false);
        carom_certificate_say(c, "contacts at right angles: dissipative iff no coefficient is "
                                 "larger than 1 in size");
    }
}

void carom_energy_bounds_newton(carom_energy *w)
{
    int p = w->m.p;
    carom_certificate *c =
        carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_NEWTON, CAROM_SCOPE_APPROACHING,
                               "T+ - T- = 1/2 sum (1 - e_i) L_i gamma_i-");
    if (!c)
        return;
    if (!w->loss.diagonal) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: it needs a diagonal E");
        return;
    }
    double least = INFINITY;
    for (int i = 0; i < p; i++)
        least = fmin(least, w->E[i * (size_t)(p + 1)]);
    compare(c, diagonal_largest(w), 1, 0, false);
    if (least < 0)
        c->holds = CAROM_FALSE;
    carom_certificate_say(c, "Newton's law in inequality form (newton) with 0 <= e_i <= 1 loses "
                             "energy for every approaching velocity, whatever C says");
}

/* Continuity of the outcome in the initial data. */
static void certify_continuity(carom_energy *w)
{
    int p = w->m.p;
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_CONTINUITY, CAROM_SCOPE_ALL,
                                                  CAROM_ENERGY_SOURCE "Definition 1");
    if (!c)
        return;
    double widest = 0, skew = 0;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < j; i++) {
            double cosine = -w->m.G[i + (size_t)j * p];
            skew = fmax(skew, fabs(cosine));
            widest = fmax(widest, acos(fmax(-1, fmin(1, cosine))));
        }
    double rounding = 16.0 * (w->g->impact->n + 1) * DBL_EPSILON;
    bool right = skew <= rounding;
    bool plastic = w->loss.diagonal && diagonal_largest(w) == 0;
    c->value = widest;
    c->bound = acos(0);
    c->holds = (right || (plastic && widest <= acos(0) + rounding)) ? CAROM_TRUE : CAROM_FALSE;
    carom_certificate_say(
        c,
        c->holds == CAROM_TRUE
            ? "trajectories depend continuously on initial data near this configuration (%s)"
            : "the outcome can depend on which contact closes first (see micro-gaps): %s",
        right                    ? "all kinetic angles are right"
        : c->holds == CAROM_TRUE ? "no kinetic angle is obtuse and nothing rebounds"
        : plastic                ? "a kinetic angle is obtuse"
                                 : "kinetic angles are not all right and contacts rebound");
}

carom_status carom_energy_bounds(carom_energy *w)
{
    carom_status status = certify_spectral(w);
    if (!status)
        status = certify_bounds(w);
    if (!status) {
        certify_diagonal(w);
        carom_energy_bounds_newton(w);
        certify_continuity(w);
    }
    return status;
}
