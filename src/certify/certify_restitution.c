/* docs/theory/certificates.md: is v+ = -E v- consistent, for which velocities?
 * C = G^-1 - E'G^-1 E, formed as the symmetric part of (I-E)'G^-1(I+E), which is exact for E = I.
 */
#include "carom/need.h"
#include "certify/energy.h"
#include "certify/ratio.h"
#include "certify/witness.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef carom_energy work;

#define SOURCE CAROM_ENERGY_SOURCE

/* Attach the velocity with normal part v as counter-example, after the law was run with it. */
static carom_status attach(work *w, carom_certificate *c, const double *v,
                           carom_witness_claim claim)
{
    double *u;
    bool attainable;
    carom_status status =
        carom_witness_velocity(w->g, v, NULL, w->g->speed, w->arena, &u, &attainable, w->error);
    if (!status && attainable)
        status = carom_witness_run(&w->law, w->g, u, claim, w->arena, &c->verified, NULL, w->error);
    if (!status && attainable)
        c->counterexample = u;
    return status;
}

/* Entrywise test of a matrix, with bounds on its errors (NULL: exact). */
static carom_status entrywise(work *w, carom_certificate *c, const double *A, const double *doubt,
                              carom_witness_claim claim)
{
    int p = w->m.p, column = 0;
    double least = INFINITY;
    bool open = false;
    c->holds = CAROM_TRUE;
    c->bound = 0;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double a = A[i + (size_t)j * p], d = doubt ? doubt[i + (size_t)j * p] : 0;
            if (a < -d)
                c->holds = CAROM_FALSE;
            else if (a < d)
                open = true;
            if (a < least) {
                least = a;
                column = j;
            }
        }
    if (c->holds == CAROM_TRUE && open)
        c->holds = CAROM_UNDECIDED;
    c->value = p ? least : 0;
    if (c->holds != CAROM_FALSE)
        return CAROM_OK;
    double *v = carom_arena_zeros(w->arena, p, sizeof(double));
    if (!v)
        return carom_error_memory(w->error);
    v[column] = -1; /* contact `column` alone approaches */
    return attach(w, c, v, claim);
}

static carom_status certify_signs(work *w)
{
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_KINEMATIC,
                                                  CAROM_SCOPE_APPROACHING, SOURCE "Prop. 8 (i)");
    if (!c)
        return CAROM_OK;
    c->law = w->law.ops->name;
    carom_status status = entrywise(w, c, w->E, NULL, CAROM_WITNESS_PENETRATES);
    if (status)
        return status;
    carom_certificate_say(c, c->holds == CAROM_TRUE
                                 ? "no entry of E is negative: no approaching velocity is sent "
                                   "into the obstacle"
                                 : "an entry of E is negative: with only that contact approaching, "
                                   "another one penetrates");
    c = carom_certificates_add(w->all, CAROM_CERTIFY_KINETIC, CAROM_SCOPE_APPROACHING,
                               SOURCE "Prop. 8 (ii)");
    if (!c)
        return CAROM_OK;
    c->law = w->law.ops->name;
    status = entrywise(w, c, w->loss.R, w->loss.R_doubt, CAROM_WITNESS_PULLS);
    carom_certificate_say(
        c, c->holds == CAROM_TRUE ? "no entry of G^-1(I+E) is negative: contacts only push"
           : c->holds == CAROM_FALSE
               ? "an entry of G^-1(I+E) is negative: a contact would have to pull; the inequality "
                 "form (newton) leaves it open instead"
               : "an entry of G^-1(I+E) is zero within rounding");
    return status;
}

/* every: energy-semidefinite, which implies this one. */
static carom_status certify_copositive(work *w, carom_certificate *c,
                                       const carom_certificate *every)
{
    int p = w->m.p;
    carom_copositive answer = {.copositive = CAROM_TRUE, .method = "semidefinite"};
    carom_ratio ratio;
    carom_status status = CAROM_OK;
    carom_certificate_say(c, "undecided: stopped before C was tested");
    if (!carom_certificates_go_on(w->all, w->watch, w->m.p, "energy-copositive"))
        return CAROM_OK;
    if (every->holds != CAROM_TRUE)
        status = carom_copositive_test(p, w->loss.C, w->loss.C_doubt, w->watch, w->arena, &answer,
                                       w->error);
    if (!status)
        status = carom_ratio_find(&w->m, w->E, answer.x, w->watch, w->arena, &ratio, w->error);
    if (status)
        return status;
    w->all->stopped |= answer.stopped;
    c->holds = answer.copositive;
    c->bound = 0;
    c->value = 1 - ratio.attained;
    if (answer.copositive == CAROM_TRUE && c->value < 0)
        c->value = 0; /* rounding of the ratio 1 */
    carom_certificate_say(
        c,
        "C = G^-1 - E'G^-1E is %s (%s): the normal part of the energy %s for approaching "
        "velocities; value: least share of it lost%s",
        c->holds == CAROM_TRUE    ? "copositive"
        : c->holds == CAROM_FALSE ? "not copositive"
                                  : "copositive or not, too close to tell",
        answer.stopped ? "stopped" : answer.method,
        c->holds == CAROM_TRUE    ? "never grows"
        : c->holds == CAROM_FALSE ? "can grow"
        : answer.stopped          ? "may or may not grow"
                                  : "may or may not grow, by rounding only,",
        isinf(ratio.proved) ? " (found, not proved)" : "");
    double *v = carom_arena_doubles(w->arena, (size_t)p + 1);
    if (!v)
        return carom_error_memory(w->error);
    const double *x = ratio.attained > 1 ? ratio.x : answer.x; /* the worst, where it is one */
    for (int i = 0; i < p && x; i++)
        v[i] = -x[i];
    return c->holds == CAROM_FALSE ? attach(w, c, v, CAROM_WITNESS_GAINS) : CAROM_OK;
}

/* C >= 0 from its entries: rows that are exactly zero drop out, the rest is positive definite with
 * the doubt of every row taken off its diagonal. S: p x p work space; shift, row: p each. */
static bool semidefinite_beyond_doubt(const work *w, double *S, double *shift, int *row)
{
    const int p = w->m.p;
    int count = 0;
    for (int i = 0; i < p; i++) { /* C and its doubt are symmetric: columns are rows */
        double size = 0, doubt = 0;
        for (int j = 0; j < p; j++) {
            size += fabs(w->loss.C[j + (size_t)i * p]);
            doubt += w->loss.C_doubt[j + (size_t)i * p];
        }
        if (size == 0 && doubt == 0)
            continue;
        shift[count] = doubt + 4.0 * p * DBL_EPSILON * size;
        row[count++] = i;
    }
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < count; i++)
            S[i + (size_t)j * count] = w->loss.C[row[i] + (size_t)row[j] * p];
        S[j * (size_t)(count + 1)] -= shift[j];
    }
    return carom_cholesky_factor(count, S, count) == 0;
}

static carom_status certify_semidefinite(work *w, carom_certificate *c)
{
    int p = w->m.p;
    carom_certificate_say(c, "undecided: stopped before the ratios of energies were found");
    if (!carom_certificates_go_on(w->all, w->watch, w->m.p, "energy-semidefinite"))
        return CAROM_OK;
    double *F = carom_arena_doubles(w->arena, 3 * (size_t)p * p + 2 * (size_t)p);
    int *row = carom_arena_array(w->arena, (size_t)p + 1, sizeof *row);
    if (!F || !row)
        return carom_error_memory(w->error);
    double *S = F + (size_t)p * p, *C = S + (size_t)p * p, *values = C + (size_t)p * p;
    double *v = values + p;
    carom_energy_bounds_ratio(w, F);
    carom_dense_gram(p, p, F, p, S);
    carom_status status = carom_spectrum_symmetric(p, S, false, w->arena, values, w->error);
    if (status)
        return status;
    double ratio = p ? values[p - 1] : 0;
    double doubt = 32.0 * (p + w->g->impact->n) * DBL_EPSILON *
                   carom_energy_bounds_conditioning(w) * fmax(1, ratio);
    bool proved = semidefinite_beyond_doubt(w, C, v, row);
    c->value = proved && 1 - ratio < doubt ? 0 : 1 - ratio;
    c->bound = 0;
    c->holds = proved || 1 - ratio > doubt ? CAROM_TRUE
               : 1 - ratio < -doubt        ? CAROM_FALSE
                                           : CAROM_UNDECIDED;
    carom_certificate_say(
        c,
        "the largest ratio of normal energies after and before, over all velocities, is "
        "%.6g: the energy %s",
        ratio,
        c->holds == CAROM_TRUE    ? "never grows, whatever the velocity"
        : c->holds == CAROM_FALSE ? "grows for some velocities"
                                  : "grows at most by rounding");
    if (c->holds != CAROM_FALSE)
        return CAROM_OK;
    carom_dense_gram(p, p, F, p, S);
    status = carom_spectrum_symmetric(p, S, true, w->arena, values, w->error);
    if (status)
        return status;
    for (int i = 0; i < p; i++) { /* v = L y */
        v[i] = 0;
        for (int k = 0; k <= i; k++)
            v[i] += w->m.L[i + (size_t)k * p] * S[k + (size_t)(p - 1) * p];
    }
    return attach(w, c, v, CAROM_WITNESS_GAINS);
}

/* The two exact conditions on energy; the one for all velocities is the cheaper, and may settle the
 * other. */
static carom_status certify_energy(work *w)
{
    carom_certificate *some = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_COPOSITIVE,
                                                     CAROM_SCOPE_APPROACHING, SOURCE "Prop. 2");
    carom_certificate *every = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_SEMIDEFINITE,
                                                      CAROM_SCOPE_ALL, SOURCE "Prop. 2");
    if (!some || !every)
        return CAROM_OK;
    some->law = every->law = w->law.ops->name;
    carom_status status = certify_semidefinite(w, every);
    return status ? status : certify_copositive(w, some, every);
}

/* What cannot be said, and why. */
static void refuse(work *w, const char *why)
{
    static const carom_certificate_kind kinds[] = {CAROM_CERTIFY_KINETIC,
                                                   CAROM_CERTIFY_ENERGY_COPOSITIVE,
                                                   CAROM_CERTIFY_ENERGY_SEMIDEFINITE,
                                                   CAROM_CERTIFY_ENERGY_SPECTRAL,
                                                   CAROM_CERTIFY_ENERGY_SINGULAR_VALUE,
                                                   CAROM_CERTIFY_ENERGY_FROBENIUS,
                                                   CAROM_CERTIFY_ENERGY_PRODUCT,
                                                   CAROM_CERTIFY_ENERGY_ORTHOGONAL};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        carom_certificate *c = carom_certificates_add(
            w->all, kinds[k], k < 2 ? CAROM_SCOPE_APPROACHING : CAROM_SCOPE_ALL, SOURCE "sect. 4");
        if (!c)
            return;
        c->applies = false;
        carom_certificate_say(c, "does not apply: %s", why);
    }
}

/* Without G^-1 only the signs of E and Newton's law in inequality form can be judged. */
static void certify_dependent(work *w)
{
    int p = w->m.p;
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_KINEMATIC,
                                                  CAROM_SCOPE_APPROACHING, SOURCE "Prop. 8 (i)");
    if (c) {
        c->value = p ? INFINITY : 0;
        for (int k = 0; k < p * p; k++)
            c->value = fmin(c->value, w->E[k]);
        c->bound = 0;
        c->holds = c->value >= 0 ? CAROM_TRUE : CAROM_FALSE;
        carom_certificate_say(c, "signs of the entries of E");
    }
    refuse(w, "the contacts are dependent (G has no inverse), so v+ = -E v- cannot hold for all of "
              "them");
    carom_energy_bounds_newton(w);
}

carom_status carom_certify_restitution(const carom_geometry *geometry, const double *E,
                                       const carom_watch *watch, carom_arena *arena,
                                       carom_certificates *all, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, all);
    work w = {.g = geometry, .watch = watch, .arena = arena, .all = all, .error = error};
    carom_status status = carom_normal_make(geometry, arena, &w.m, error);
    if (status)
        return status;
    w.E = carom_normal_restitution(geometry, E, arena);
    if (!w.E)
        return carom_error_memory(error);
    w.value = (carom_value){.name = "E",
                            .kind = CAROM_PARAMETER_SQUARE,
                            .rows = w.m.p,
                            .columns = w.m.p,
                            .numbers = w.E};
    w.law = (carom_law){carom_law_find("matrix"), &w.value, 1};
    w.loss.diagonal = true;
    for (int j = 0; j < w.m.p; j++)
        for (int i = 0; i < w.m.p; i++)
            w.loss.diagonal = w.loss.diagonal && (i == j || w.E[i + (size_t)j * w.m.p] == 0);
    const carom_impact *impact = geometry->impact;
    if (impact->region || geometry->spread_start[impact->p] > 0) {
        refuse(&w, impact->region ? "the admissible velocities are a union of cones (region)"
                                  : "a contact is a second-order cone (spread)");
        return CAROM_OK;
    }
    if (!w.m.regular) {
        certify_dependent(&w);
        return CAROM_OK;
    }
    status = carom_loss_make(&w.m, w.E, arena, &w.loss, error);
    if (!status)
        status = certify_signs(&w);
    if (!status)
        status = certify_energy(&w);
    if (!status)
        status = carom_energy_bounds(&w);
    return status;
}
