/* Certificates of an impact with friction, v_n+ = -E v_n-, sliding contacts p_T = -mu_bar pbar
 * (docs/theory/certificates.md, "With friction"). */
#include "base/arena.h"
#include "certify/slide.h"
#include "linalg/rays.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SOURCE "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction: "

typedef struct work {
    const carom_geometry *g;
    const carom_watch *watch;
    carom_arena *arena;
    carom_certificates *all;
    carom_error *error;
    carom_friction f;
    carom_slide slide;
    const double *E;
    double faces; /* of copositivity tests so far */
} work;

static carom_truth below(double value, double bound, double doubt)
{
    double margin = doubt * fmax(fabs(value), fabs(bound));
    return value < bound - margin   ? CAROM_TRUE
           : value > bound + margin ? CAROM_FALSE
                                    : CAROM_UNDECIDED;
}

static double doubt_of(const work *w)
{
    const carom_normal *m = &w->f.normal;
    return 64.0 * (m->p + w->g->impact->n) * DBL_EPSILON * m->largest / m->least;
}

/* Range condition: with E_tn = 0, E_tt = -I the right-hand side ((I+E)v_n, 0) is always in the
 * range of [G n'H_T; 0 t'H_T]; for a general E it is iff the columns span everything. */
static carom_status certify_range(work *w)
{
    int s = w->g->s;
    carom_certificate *c =
        carom_certificates_add(w->all, "friction-range", CAROM_SCOPE_ALL, SOURCE "eq. (55)");
    if (!c)
        return CAROM_OK;
    double *R = carom_arena_doubles(w->arena, (size_t)s * s + s);
    if (!R)
        return carom_error_memory(w->error);
    memcpy(R, w->slide.R, sizeof(double) * s * s);
    carom_status status = carom_normal_eigen(s, R, false, R + (size_t)s * s, w->arena, w->error);
    if (status)
        return status;
    int rank = w->f.normal.p;
    for (int j = 0; j < s; j++)
        rank += R[(size_t)s * s + j] > 1e-11 * R[(size_t)s * s + s - 1];
    c->value = rank;
    c->bound = w->g->impact->n - w->g->c;
    c->holds = CAROM_TRUE;
    carom_certificate_say(c,
                          "(I+E)v- is in the range of [G n'H_T; 0 t'H_T] for every velocity, since "
                          "E leaves v_t to friction; its rank is %d of %d%s",
                          rank, (int)c->bound,
                          rank < (int)c->bound
                              ? ": an E that prescribes all of v_t would be impossible"
                              : ": even an E that prescribes all of v_t is possible");
    return CAROM_OK;
}

static void certify_lemmas(work *w)
{
    const carom_normal *m = &w->f.normal;
    carom_certificate *c =
        carom_certificates_add(w->all, "friction-lemma-1", CAROM_SCOPE_ALL, SOURCE "Lemma 1 (i)");
    if (!c)
        return;
    c->value = m->K_norm * w->f.NH_norm * w->f.mu_norm;
    c->bound = 1;
    c->holds = c->value == 0 ? CAROM_TRUE : below(c->value, 1, doubt_of(w));
    carom_certificate_say(c,
                          "|G^-1|_F |n'H_T|_F |mu_bar|_F = %.6g x %.6g x %.6g; below 1 the sliding "
                          "impulses exist, are unique, and (G - n'H_T mu_bar)^-1 is positive "
                          "definite, for all directions",
                          m->K_norm, w->f.NH_norm, w->f.mu_norm);
    carom_truth first = c->holds;
    c = carom_certificates_add(w->all, "friction-lemma-2", CAROM_SCOPE_ALL,
                               SOURCE "Lemma 2, with M(q,mu) = G^-1");
    if (!c)
        return;
    double size = carom_normal_frobenius(m->p, m->p, w->E);
    c->value = size * (2 + size);
    c->bound = 1 / (m->G_norm * m->K_norm);
    c->holds = below(c->value, c->bound, doubt_of(w));
    carom_certificate_say(c, "|E|_F (2 + |E|_F) < 1/(|G^-1|_F |G|_F): then the normal part loses "
                             "energy strictly; energy-frobenius asks for less");
    carom_truth second = c->holds;
    c = carom_certificates_add(w->all, "friction-theorem-1", CAROM_SCOPE_ALL, SOURCE "Theorem 1");
    if (!c)
        return;
    c->holds = first == CAROM_FALSE || second == CAROM_FALSE ? CAROM_FALSE
               : first == CAROM_TRUE && second == CAROM_TRUE ? CAROM_TRUE
                                                             : CAROM_UNDECIDED;
    carom_certificate_say(c,
                          "premises are lemmas 1 and 2; then for small enough v_t-, friction and "
                          "coupling no energy is gained (existence of bounds only; theorem 2 "
                          "gives numbers)");
}

static carom_status extreme_eigenvalues(work *w, const double *A, double *least, double *most)
{
    int p = w->f.normal.p;
    double *copy = carom_arena_doubles(w->arena, (size_t)p * p + p);
    if (!copy)
        return carom_error_memory(w->error);
    memcpy(copy, A, sizeof(double) * p * p);
    carom_status status =
        carom_normal_eigen(p, copy, false, copy + (size_t)p * p, w->arena, w->error);
    *least = copy[(size_t)p * p];
    *most = copy[(size_t)p * p + p - 1];
    return status;
}

/* |v_n|, |v_t| of the scene's velocity relative to its frame, v_n in v (p). */
static void parts_of_velocity(const work *w, double *v, double *normal, double *tangential)
{
    const carom_normal *m = &w->f.normal;
    int p = m->p, n = w->g->impact->n;
    double total = 0, energy = 0;
    *normal = 0;
    for (int i = 0; i < p; i++) {
        v[i] = w->g->gamma[i] / w->g->norm[i];
        *normal += v[i] * v[i];
    }
    for (int i = 0; i < p; i++)
        for (int j = 0; j < p; j++)
            energy += v[i] * m->K[i + (size_t)j * p] * v[j];
    double *x = v + p;
    for (int k = 0; k < n; k++)
        x[k] = w->g->u[k] - w->g->b_slip[k];
    total = carom_geometry_dot(w->g, x, x);
    *normal = sqrt(*normal);
    *tangential = total - energy > 1e-14 * total ? sqrt(total - energy) : 0;
}

/* Prop. 10 for the directions of the scene's velocity: pbar = -Q v_n-, Q = (G - n'H_T mu_bar)^-1
 * (I+E). */
static carom_status certify_kinetic(work *w)
{
    const int p = w->f.normal.p;
    carom_certificate *c = carom_certificates_add(w->all, "friction-kinetic",
                                                  CAROM_SCOPE_APPROACHING, SOURCE "Prop. 10");
    if (!c)
        return CAROM_OK;
    carom_friction_directions(&w->f);
    carom_friction_matrix(&w->f);
    carom_status status = carom_slide_pattern(&w->slide, w->arena, w->error);
    if (status)
        return status;
    if (!w->slide.regular) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: G - n'H_T mu_bar is singular for these sliding "
                                 "directions");
        return CAROM_OK;
    }
    double least = INFINITY, largest = 0;
    for (int k = 0; k < p * p; k++) {
        least = fmin(least, w->slide.Q[k]);
        largest = fmax(largest, fabs(w->slide.Q[k]));
    }
    const double doubt = doubt_of(w) * largest;
    c->value = least;
    c->bound = 0;
    c->holds = p == 1 && least > 0 ? CAROM_TRUE
               : least > doubt     ? CAROM_TRUE
               : least < -doubt    ? CAROM_FALSE
                                   : CAROM_UNDECIDED;
    carom_certificate_say(
        c,
        c->holds == CAROM_TRUE
            ? "no entry of (G - n'H_T mu_bar)^-1 (I+E) is negative: sliding in the directions of "
              "this velocity, contacts only push, for every approaching velocity"
        : c->holds == CAROM_FALSE
            ? "an entry of (G - n'H_T mu_bar)^-1 (I+E) is negative: sliding in the directions of "
              "this velocity, some approaching velocities would need a contact that pulls"
            : "an entry of (G - n'H_T mu_bar)^-1 (I+E) is zero within rounding");
    return CAROM_OK;
}

static carom_status certify_theorem_2(work *w)
{
    const carom_normal *m = &w->f.normal;
    int p = m->p, s = w->g->s;
    carom_certificate *c =
        carom_certificates_add(w->all, "friction-theorem-2", CAROM_SCOPE_THIS, SOURCE "Theorem 2");
    double *v = carom_arena_doubles(w->arena, (size_t)p + w->g->impact->n);
    if (!c)
        return CAROM_OK;
    if (!v)
        return carom_error_memory(w->error);
    carom_friction_directions(&w->f);
    carom_friction_matrix(&w->f);
    carom_status status = carom_slide_pattern(&w->slide, w->arena, w->error);
    if (status)
        return status;
    if (!w->slide.regular) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: G - n'H_T mu_bar is singular for these sliding "
                                 "directions");
        return CAROM_OK;
    }
    double least = 0, most = 0, ignored, normal, tangential, trace = 0, plus = 0;
    status = extreme_eigenvalues(w, w->slide.C, &least, &ignored);
    if (!status)
        status = extreme_eigenvalues(w, w->slide.K, &ignored, &most);
    if (status)
        return status;
    parts_of_velocity(w, v, &normal, &tangential);
    for (int i = 0; i < p; i++)
        for (int j = w->g->slip_start[i]; j < w->g->slip_start[i + 1]; j++)
            trace += w->f.mu[i] > 0 ? w->slide.R[j * (size_t)(s + 1)] : 0;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            plus += pow((i == j) + w->E[i + (size_t)j * p], 2);
    bool pushes = true;
    for (int i = 0; i < p; i++) {
        double impulse = 0;
        for (int j = 0; j < p; j++)
            impulse -= w->slide.Q[i + (size_t)j * p] * v[j];
        pushes = pushes && impulse >= -1e-12 * normal;
    }
    double inverse = carom_normal_frobenius(p, p, w->slide.inverse);
    double top = 2 * sqrt(fmax(0, trace)) * w->f.mu_norm * inverse * sqrt(plus);
    c->value = tangential > 0 ? normal / tangential : INFINITY;
    c->bound = least > most ? top / (least - most) : INFINITY;
    double doubt = doubt_of(w);
    if (!pushes) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: sliding in these directions would need a "
                                 "negative impulse");
        return CAROM_OK;
    }
    carom_truth one = below(most, least, doubt);
    carom_truth two = isinf(c->value) ? CAROM_TRUE : below(c->bound, c->value, doubt);
    c->holds = one == CAROM_FALSE || two == CAROM_FALSE ? CAROM_FALSE
               : one == CAROM_TRUE && two == CAROM_TRUE ? CAROM_TRUE
                                                        : CAROM_UNDECIDED;
    carom_certificate_say(
        c,
        "sufficient: lambda_min(C) > lambda_max(K) (here %.6g and %.6g), and |v_n|/|v_t| "
        "at least 2 |D_t t'H_T| |mu_bar| |(G - n'H_T mu_bar)^-1| |I+E| / "
        "difference = 2 x %.4g x %.4g x %.4g x %.4g / %.4g",
        least, most, sqrt(fmax(0, trace)), w->f.mu_norm, inverse, sqrt(plus), least - most);
    return CAROM_OK;
}

/* Sliding contacts, in order; their slip column. */
static int sliding(const work *w, int *contact)
{
    int q = 0;
    for (int i = 0; i < w->f.normal.p; i++)
        if (w->f.mu[i] > 0)
            contact[q++] = i;
    return q;
}

/* In coordinates x = (-v_n, sigma), sigma_i = xi_i (v_T+ + e_t v_T-)_i >= 0: tau = (xi sigma + F
 * x)/ (1 + e_t), and -2 (T+ - T-) = x'A x. T: q x (p+q), tau as a function of x. */
static void energy_form(const work *w, int q, const int *contact, double *T, double *A)
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
static carom_status cut_impulses(work *w, carom_rays *rays, double *row)
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
static carom_status cut_slips(work *w, int q, const int *contact, const double *T, carom_rays *rays,
                              double *row, int *kernel)
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
    carom_status status = carom_normal_eigen(q, R, true, values, w->arena, w->error);
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
static carom_status pattern_cone(work *w, int q, const int *contact, const double *T, double **V,
                                 int *count)
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
static carom_status try_pattern(work *w, int q, const int *contact, carom_certificate *c)
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
    double *doubt = S + (size_t)count * count, unit = doubt_of(w);
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

static carom_status certify_energy(work *w)
{
    int p = w->f.normal.p;
    carom_certificate *c = carom_certificates_add(
        w->all, "friction-energy", CAROM_SCOPE_APPROACHING, SOURCE "eq. (76), (77), on the cone");
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

static void refuse(work *w, const char *why)
{
    static const char *const names[] = {
        "friction-range",   "friction-lemma-1",   "friction-lemma-2", "friction-theorem-1",
        "friction-kinetic", "friction-theorem-2", "friction-energy"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        carom_certificate *c =
            carom_certificates_add(w->all, names[k], CAROM_SCOPE_ALL, SOURCE "sect. 5");
        if (!c)
            return;
        c->applies = false;
        carom_certificate_say(c, "does not apply: %s", why);
    }
}

carom_status carom_certify_friction(const carom_geometry *geometry, const double *E,
                                    const carom_watch *watch, carom_arena *arena,
                                    carom_certificates *all, carom_error *error)
{
    work w = {.g = geometry, .watch = watch, .arena = arena, .all = all, .error = error};
    carom_status status = carom_friction_make(geometry, arena, &w.f, error);
    if (status)
        return status;
    if (!w.f.rough || w.f.infinite || !w.f.normal.regular) {
        refuse(&w, !w.f.rough     ? "no contact has slip and friction"
                   : w.f.infinite ? "infinite friction"
                                  : "the contacts are dependent");
        return CAROM_OK;
    }
    w.E = carom_normal_restitution(geometry, E, arena);
    if (!w.E)
        return carom_error_memory(error);
    status = carom_slide_make(&w.f, w.E, arena, &w.slide, error);
    if (!status)
        status = certify_range(&w);
    if (!status) {
        certify_lemmas(&w);
        status = certify_kinetic(&w);
    }
    if (!status)
        status = certify_theorem_2(&w);
    if (!status)
        status = certify_energy(&w);
    return status;
}
