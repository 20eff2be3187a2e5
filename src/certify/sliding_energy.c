/* Can energy grow while contacts slide? Exactly, pattern by pattern of their directions
 * (docs/theory/certificates.md, "With friction"). */
#include "certify/sliding.h"
#include "linalg/rays.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Sliding contacts, in order; their slip column. */
static int sliding(const carom_sliding *w, int *contact)
{
    int q = 0;
    for (int i = 0; i < w->f.normal.p; i++)
        if (w->f.mu[i] > 0)
            contact[q++] = i;
    return q;
}

/* In coordinates x = (-v_n, sigma), sigma_i = xi_i (v_T+ + e_t v_T-)_i >= 0: tau = (xi sigma + F
 * x)/ (1 + e_t), and -2 (T+ - T-) = x'A x. T: q x (p+q), tau as a function of x. */
static void energy_form(const carom_sliding *w, int q, const int *contact, double *T, double *A)
{
    const carom_slide *d = &w->slide;
    int p = w->f.normal.p, s = w->g->s, r = p + q;
    memset(T, 0, sizeof(double) * q * r);
    memset(A, 0, sizeof(double) * r * r);
    for (int a = 0; a < q; a++) {
        int j = w->g->slip_start[contact[a]];
        double et = w->g->impact->contacts[contact[a]].tangential_restitution;
        for (int c = 0; c < p; c++) {
            /* F v = -P E v + R B v + e_t P v, with v = -x */
            double f = et * d->P[j + (size_t)c * s];
            for (int k = 0; k < p; k++)
                f -= d->P[j + (size_t)k * s] * w->E[k + (size_t)c * p];
            for (int k = 0; k < s; k++)
                f += d->R[j + (size_t)k * s] * d->B[k + (size_t)c * s];
            T[a + (size_t)c * q] = f / (1 + et);
        }
        T[a + (size_t)(p + a) * q] = w->f.xi[j] / (1 + et);
    }
    for (int c = 0; c < p; c++)
        for (int k = 0; k < p; k++)
            A[k + (size_t)c * r] = d->C[k + (size_t)c * p] - d->K[k + (size_t)c * p];
    for (int a = 0; a < q; a++) /* -2 tau'p_T, p_T = B v = -B x */
        for (int c = 0; c < p; c++)
            for (int k = 0; k < r; k++) {
                double t =
                    T[a + (size_t)k * q] * d->B[w->g->slip_start[contact[a]] + (size_t)c * s];
                A[k + (size_t)c * r] += t;
                A[c + (size_t)k * r] += t;
            }
}

/* Rows of Q x_n >= 0 that can be violated, as cuts of a cone in `m` >= p coordinates. */
static carom_status cut_impulses(carom_sliding *w, carom_rays *rays, double *row)
{
    int p = w->f.normal.p;
    carom_status status = CAROM_OK;
    for (int i = 0; i < p && !status; i++) {
        bool cuts = false;
        memset(row, 0, sizeof(double) * rays->m);
        for (int j = 0; j < p; j++) {
            row[j] = w->slide.Q[i + (size_t)j * p];
            cuts = cuts || row[j] < 0;
        }
        if (cuts)
            status = carom_rays_cut(rays, row, false, 1e-12, w->arena, w->error);
    }
    return status;
}

/* The tangential slips that the system can have are the range of R; tau = T x must not leave it:
 * k'T x = 0 for every k in the kernel of R on the sliding columns. */
static carom_status cut_slips(carom_sliding *w, int q, const int *contact, const double *T,
                              carom_rays *rays, double *row, int *kernel)
{
    int s = w->g->s, r = w->f.normal.p + q;
    double *R = carom_arena_doubles(w->arena, (size_t)q * q + q), *values = R + (size_t)q * q;
    if (!R)
        return carom_error_memory(w->error);
    for (int b = 0; b < q; b++)
        for (int a = 0; a < q; a++)
            R[a + (size_t)b * q] =
                w->slide.R[w->g->slip_start[contact[a]] + (size_t)w->g->slip_start[contact[b]] * s];
    double scale = 0; /* of H'M^-1 H, so that a vanishing R is seen as such */
    for (int a = 0; a < q; a++) {
        int j = w->g->slip_start[contact[a]];
        for (int k = 0; k < w->g->impact->n; k++)
            scale += w->g->impact->H[k + (size_t)j * w->g->impact->n] *
                     w->g->Z[k + (size_t)j * w->g->impact->n];
    }
    carom_status status = carom_spectrum_symmetric(q, R, true, w->arena, values, w->error);
    *kernel = 0;
    for (int c = 0; c < q && !status; c++) {
        if (values[c] > 1e-11 * scale)
            continue;
        ++*kernel;
        memset(row, 0, sizeof(double) * r);
        for (int k = 0; k < r; k++)
            for (int a = 0; a < q; a++)
                row[k] += R[a + (size_t)c * q] * T[a + (size_t)k * q];
        if (rays)
            status = carom_rays_cut(rays, row, true, 1e-11, w->arena, w->error);
    }
    return status;
}

/* The extreme rays of the pattern's cone, V: r x count. Where all slips are possible the last q
 * coordinates are free in the orthant, which saves the work. */
static carom_status pattern_cone(carom_sliding *w, int q, const int *contact, const double *T,
                                 double **V, int *count)
{
    int p = w->f.normal.p, r = p + q, kernel;
    carom_rays rays;
    double *row = carom_arena_doubles(w->arena, r);
    if (!row)
        return carom_error_memory(w->error);
    carom_status status = cut_slips(w, q, contact, T, NULL, row, &kernel);
    int m = kernel ? r : p;
    if (!status)
        status = carom_rays_start(&rays, m, w->arena, w->error);
    if (!status && kernel)
        status = cut_slips(w, q, contact, T, &rays, row, &kernel);
    if (!status)
        status = cut_impulses(w, &rays, row);
    if (status)
        return status;
    *count = rays.count + (kernel ? 0 : q);
    *V = carom_arena_zeros(w->arena, (size_t)r * *count, sizeof(double));
    if (!*V)
        return carom_error_memory(w->error);
    for (int k = 0; k < rays.count; k++)
        memcpy(*V + (size_t)k * r, rays.x + (size_t)k * m, sizeof(double) * m);
    for (int k = 0; k < q && !kernel; k++)
        (*V)[p + k + (size_t)(rays.count + k) * r] = 1;
    return CAROM_OK;
}

/* One slide pattern: is x'Ax >= 0 on its cone? A no is attached to the certificate. */
static carom_status try_pattern(carom_sliding *w, int q, const int *contact, carom_certificate *c)
{
    int p = w->f.normal.p, r = p + q, count = 0;
    carom_friction_matrix(&w->f);
    carom_status status = carom_slide_pattern(&w->slide, w->arena, w->error);
    if (status)
        return status;
    if (!w->slide.regular) {
        if (c->holds == CAROM_TRUE)
            c->holds = CAROM_UNDECIDED;
        return CAROM_OK;
    }
    double *V, *T = carom_arena_doubles(w->arena, (size_t)q * r + (size_t)r * r + 2 * (size_t)r);
    if (!T)
        return carom_error_memory(w->error);
    double *A = T + (size_t)q * r, *x = A + (size_t)r * r;
    energy_form(w, q, contact, T, A);
    status = pattern_cone(w, q, contact, T, &V, &count);
    if (status)
        return status;
    double *S = carom_arena_zeros(w->arena, 2 * (size_t)count * count, sizeof(double));
    if (!S)
        return carom_error_memory(w->error);
    double *doubt = S + (size_t)count * count, unit = w->doubt;
    for (int b = 0; b < count; b++)
        for (int a = 0; a < count; a++)
            for (int i = 0; i < r; i++)
                for (int j = 0; j < r; j++) {
                    double t = V[i + (size_t)a * r] * A[i + (size_t)j * r] * V[j + (size_t)b * r];
                    S[a + (size_t)b * count] += t;
                    doubt[a + (size_t)b * count] += unit * fabs(t);
                }
    carom_copositive answer;
    status = carom_copositive_test(count, S, doubt, w->watch, w->arena, &answer, w->error);
    if (status)
        return status;
    w->all->stopped |= answer.stopped;
    w->faces += answer.nodes;
    if (answer.copositive == CAROM_UNDECIDED && c->holds == CAROM_TRUE)
        c->holds = CAROM_UNDECIDED;
    if (answer.copositive != CAROM_FALSE)
        return CAROM_OK;
    memset(x, 0, sizeof(double) * r);
    for (int a = 0; a < count; a++)
        for (int i = 0; i < r; i++)
            x[i] += V[i + (size_t)a * r] * answer.x[a];
    double *v = carom_arena_zeros(w->arena, (size_t)p + w->g->s, sizeof(double)), *u;
    if (!v)
        return carom_error_memory(w->error);
    for (int i = 0; i < p; i++)
        v[i] = -x[i];
    for (int a = 0; a < q; a++)
        for (int k = 0; k < r; k++)
            v[p + w->g->slip_start[contact[a]]] += T[a + (size_t)k * q] * x[k];
    carom_outcome outcome;
    bool done;
    status =
        carom_slide_run(&w->slide, v, v + p, w->g->speed, w->arena, &u, &outcome, &done, w->error);
    if (status)
        return status;
    if (done && outcome.verdict.energy_gain > 0) {
        c->holds = CAROM_FALSE;
        c->counterexample = u;
        c->verified = true;
        c->value =
            outcome.verdict.energy_gain / fmax(DBL_MIN, outcome.energy - outcome.energy_change);
    } else if (c->holds == CAROM_TRUE)
        c->holds = CAROM_UNDECIDED;
    return CAROM_OK;
}

carom_status carom_sliding_energy(carom_sliding *w)
{
    int p = w->f.normal.p;
    carom_certificate *c =
        carom_certificates_add(w->all, "friction-energy", CAROM_SCOPE_APPROACHING,
                               CAROM_SLIDING_SOURCE "eq. (76), (77), on the cone");
    int *contact = carom_arena_array(w->arena, (size_t)p + 1, sizeof(int));
    if (!c)
        return CAROM_OK;
    if (!contact)
        return carom_error_memory(w->error);
    int q = sliding(w, contact);
    bool planar = true;
    for (int a = 0; a < q; a++)
        planar = planar && w->g->slip_start[contact[a] + 1] - w->g->slip_start[contact[a]] == 1;
    enum { PATTERNS = 1024 };
    const bool whole = q <= 10; /* else some patterns: they can refute, not prove */
    const int patterns = whole ? 1 << q : PATTERNS;
    if (!planar || q > 24 || p + q > 28) {
        c->applies = false;
        carom_certificate_say(c, planar ? "too many sliding directions to try"
                                        : "does not apply: spatial sliding directions");
        return CAROM_OK;
    }
    c->holds = CAROM_TRUE;
    c->bound = 0;
    carom_status status = CAROM_OK;
    int tried = 0;
    for (int k = 0; k < patterns && !status && c->holds != CAROM_FALSE && w->faces < 3e6; k++) {
        tried++;
        /* all with one sign first, then spread over all patterns */
        const unsigned pattern = whole ? (unsigned)k : k == 0 ? 0u : k == 1 ? ~0u : k * 2654435761u;
        carom_mark mark = carom_arena_mark(w->arena);
        for (int a = 0; a < q; a++)
            w->f.xi[w->g->slip_start[contact[a]]] = pattern >> (whole ? a : 31 - a) & 1 ? -1 : 1;
        status = try_pattern(w, q, contact, c);
        if (c->holds != CAROM_FALSE)
            carom_arena_rewind(w->arena, mark);
    }
    if ((!whole || tried < patterns) && !status && c->holds != CAROM_FALSE) {
        c->holds = CAROM_UNDECIDED;
        carom_certificate_say(
            c,
            "%d of 2^%d patterns of sliding directions were tried: none was found "
            "in which an approaching velocity gains energy",
            tried, q);
        return status;
    }
    carom_certificate_say(
        c,
        c->holds == CAROM_TRUE
            ? "no approaching velocity gains energy while all contacts slide, in any of the %d "
              "patterns of directions (exact: the form is copositive on each pattern's cone)"
        : c->holds == CAROM_FALSE
            ? "some approaching velocity gains energy while its contacts slide (%d patterns of "
              "directions); value: share gained by the one shown"
            : "undecided for some of the %d patterns of sliding directions",
        patterns);
    return status;
}
