/* docs/theory/certificates.md: is v+ = -E v- consistent, for which velocities?
 * C = G^-1 - E'G^-1 E, formed as the symmetric part of (I-E)'G^-1(I+E), which is exact for E = I.
 */
#include "base/arena.h"
#include "certify/normal.h"
#include "linalg/cholesky.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct work {
    const carom_geometry *g;
    const carom_watch *watch;
    carom_arena *arena;
    carom_certificates *all;
    carom_error *error;
    carom_normal m;
    const double *E;
    bool diagonal;   /* E is */
    double *C;       /* p x p */
    double *doubt;   /* p x p, bounds on its errors */
    double *R;       /* p x p, G^-1 (I + E) */
    double *R_doubt; /* p x p */
} work;

#define SOURCE "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction: "

static double identity_plus(const work *w, double sign, int i, int j)
{
    return (i == j) + sign * w->E[i + (size_t)j * w->m.p];
}

static carom_status form_matrices(work *w)
{
    int p = w->m.p;
    size_t square = (size_t)p * p;
    double *memory = carom_arena_zeros(w->arena, 4 * square, sizeof(double));
    if (!memory)
        return carom_error_memory(w->error);
    w->C = memory;
    w->doubt = w->C + square;
    w->R = w->doubt + square;
    w->R_doubt = w->R + square;
    double unit = (2.0 * p + 4) * DBL_EPSILON;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            for (int k = 0; k < p; k++) {
                double f = identity_plus(w, 1, k, j), a = w->m.K[i + (size_t)k * p];
                w->R[i + (size_t)j * p] += a * f;
                if (!(w->m.identity && p == 1))
                    w->R_doubt[i + (size_t)j * p] +=
                        (w->m.doubt[i + (size_t)k * p] + (f != 0 && a != 0 ? unit * fabs(a) : 0)) *
                        fabs(f);
            }
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            for (int k = 0; k < p; k++) {
                double left = identity_plus(w, -1, k, i), right = identity_plus(w, -1, k, j);
                double ri = w->R[k + (size_t)i * p], rj = w->R[k + (size_t)j * p];
                size_t ij = i + (size_t)j * p;
                w->C[ij] += 0.5 * (left * rj + right * ri);
                w->doubt[ij] +=
                    0.5 * (fabs(left) * (w->R_doubt[k + (size_t)j * p] + unit * fabs(rj)) +
                           fabs(right) * (w->R_doubt[k + (size_t)i * p] + unit * fabs(ri)));
            }
    return CAROM_OK;
}

/* Attach the velocity with normal part v as counter-example; verified by running the law. what:
 * 0 penetrates, 1 pulls, 2 gains energy. */
static carom_status attach(work *w, carom_certificate *c, const double *v, int what)
{
    double *u;
    carom_outcome outcome;
    carom_status status =
        carom_normal_velocity(w->g, &w->m, v, w->g->speed, w->arena, &u, w->error);
    if (!status)
        status = carom_normal_run(w->g, &w->m, w->E, u, w->arena, &outcome, w->error);
    if (status)
        return status;
    c->counterexample = u;
    const carom_verdict *verdict = &outcome.verdict;
    c->verified = what == 0   ? verdict->least_velocity < 0
                  : what == 1 ? verdict->least_impulse < 0
                              : verdict->energy_gain > 0;
    return CAROM_OK;
}

/* Entrywise test of a matrix, with bounds on its errors (NULL: exact). */
static carom_status entrywise(work *w, carom_certificate *c, const double *A, const double *doubt,
                              int what)
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
    carom_mark mark = carom_arena_mark(w->arena);
    double *v = carom_arena_zeros(w->arena, p, sizeof(double));
    if (!v)
        return carom_error_memory(w->error);
    (void)mark;
    v[column] = -1; /* contact `column` alone approaches */
    return attach(w, c, v, what);
}

static carom_status certify_signs(work *w)
{
    carom_certificate *c =
        carom_certificates_add(w->all, "kinematic", CAROM_SCOPE_APPROACHING, SOURCE "Prop. 8 (i)");
    if (!c)
        return CAROM_OK;
    carom_status status = entrywise(w, c, w->E, NULL, 0);
    if (status)
        return status;
    carom_certificate_say(c, c->holds == CAROM_TRUE
                                 ? "no entry of E is negative: no approaching velocity is sent "
                                   "into the obstacle"
                                 : "an entry of E is negative: with only that contact approaching, "
                                   "another one penetrates");
    c = carom_certificates_add(w->all, "kinetic", CAROM_SCOPE_APPROACHING, SOURCE "Prop. 8 (ii)");
    if (!c)
        return CAROM_OK;
    status = entrywise(w, c, w->R, w->R_doubt, 1);
    carom_certificate_say(
        c, c->holds == CAROM_TRUE ? "no entry of G^-1(I+E) is negative: contacts only push"
           : c->holds == CAROM_FALSE
               ? "an entry of G^-1(I+E) is negative: a contact would have to pull; the inequality "
                 "form (newton) leaves it open instead"
               : "an entry of G^-1(I+E) is zero within rounding");
    return status;
}

/* The least of x'Cx/x'G^-1x over x >= 0, from above: each counter-example lowers it. x holds the
 * start and the end. */
static carom_status least_loss(work *w, double *x, double *value)
{
    int p = w->m.p;
    carom_mark mark = carom_arena_mark(w->arena);
    double *A = carom_arena_doubles(w->arena, (size_t)p * p);
    if (!A)
        return carom_error_memory(w->error);
    for (int round = 0; round < 300; round++) {
        double top = 0, bottom = 0;
        for (int j = 0; j < p; j++)
            for (int i = 0; i < p; i++) {
                top += x[i] * w->C[i + (size_t)j * p] * x[j];
                bottom += x[i] * w->m.K[i + (size_t)j * p] * x[j];
            }
        double quotient = bottom > 0 ? top / bottom : 0;
        if (round > 0 && !(quotient < *value - 1e-12 * (1 + fabs(*value))))
            break;
        *value = quotient;
        double target = quotient - 1e-9 * fmax(fabs(quotient), 1e-3);
        for (int k = 0; k < p * p; k++)
            A[k] = w->C[k] - target * w->m.K[k];
        carom_copositive a;
        carom_status status = carom_copositive_test(p, A, NULL, w->watch, w->arena, &a, w->error);
        if (status)
            return status;
        if (a.copositive != CAROM_FALSE)
            break;
        memcpy(x, a.x, sizeof(double) * p);
    }
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

static carom_status certify_copositive(work *w)
{
    int p = w->m.p;
    carom_certificate *c = carom_certificates_add(w->all, "energy-copositive",
                                                  CAROM_SCOPE_APPROACHING, SOURCE "Prop. 2");
    double *x = carom_arena_zeros(w->arena, p, sizeof(double));
    if (!c)
        return CAROM_OK;
    if (!x)
        return carom_error_memory(w->error);
    carom_copositive answer;
    carom_status status =
        carom_copositive_test(p, w->C, w->doubt, w->watch, w->arena, &answer, w->error);
    if (status)
        return status;
    w->all->stopped |= answer.stopped;
    c->holds = answer.copositive;
    c->bound = 0;
    if (answer.x)
        memcpy(x, answer.x, sizeof(double) * p);
    else {
        int best = 0; /* the contact that loses least when it approaches alone */
        for (int i = 1; i < p; i++)
            if (w->C[i * (size_t)(p + 1)] * w->m.K[best * (size_t)(p + 1)] <
                w->C[best * (size_t)(p + 1)] * w->m.K[i * (size_t)(p + 1)])
                best = i;
        if (p > 0)
            x[best] = 1;
    }
    c->value = 0;
    if (p > 0 && !answer.stopped)
        status = least_loss(w, x, &c->value);
    if (status)
        return status;
    carom_certificate_say(
        c,
        "C = G^-1 - E'G^-1E is %s (%s): the normal part of the energy %s for approaching "
        "velocities; value: least share of it lost",
        c->holds == CAROM_TRUE    ? "copositive"
        : c->holds == CAROM_FALSE ? "not copositive"
                                  : "copositive or not, too close to tell",
        answer.method,
        c->holds == CAROM_TRUE    ? "never grows"
        : c->holds == CAROM_FALSE ? "can grow"
                                  : "may or may not grow, by rounding only,");
    for (int i = 0; i < p; i++)
        x[i] = -x[i];
    return c->holds == CAROM_FALSE ? attach(w, c, x, 2) : CAROM_OK;
}

/* F = L^-1 E L: the energy ratio is |F y|^2/|y|^2 with v = L y. */
static carom_status form_ratio(work *w, double *F)
{
    int p = w->m.p;
    for (int j = 0; j < p; j++) {
        double *f = F + (size_t)j * p;
        memset(f, 0, sizeof(double) * p);
        for (int k = j; k < p; k++)
            for (int i = 0; i < p; i++)
                f[i] += w->E[i + (size_t)k * p] * w->m.L[k + (size_t)j * p];
        carom_cholesky_forward(p, w->m.L, p, f);
    }
    return CAROM_OK;
}

static double conditioning(const work *w)
{
    return w->m.identity ? 1 : w->m.largest / fmax(w->m.least, DBL_MIN);
}

/* C >= 0 from its entries: rows that are exactly zero drop out, the rest is positive definite with
 * the doubt of every row taken off its diagonal. S: p x p work space. */
static bool semidefinite_beyond_doubt(const work *w, double *S)
{
    int p = w->m.p, count = 0;
    for (int pass = 0; pass < 2; pass++) {
        int row = 0;
        for (int i = 0; i < p; i++) {
            double size = 0, doubt = 0;
            for (int j = 0; j < p; j++) {
                size += fabs(w->C[i + (size_t)j * p]);
                doubt += w->doubt[i + (size_t)j * p];
            }
            if (size == 0 && doubt == 0)
                continue;
            for (int j = 0, column = 0; j < p && pass; j++) {
                double other = 0;
                for (int k = 0; k < p; k++)
                    other += fabs(w->C[j + (size_t)k * p]) + w->doubt[j + (size_t)k * p];
                if (other == 0)
                    continue;
                double shift = i == j ? doubt + 4.0 * p * DBL_EPSILON * size : 0;
                S[row + (size_t)column++ * count] = w->C[i + (size_t)j * p] - shift;
            }
            row++;
        }
        count = row;
    }
    return carom_cholesky_factor(count, S, count) == 0;
}

static carom_status certify_semidefinite(work *w)
{
    int p = w->m.p;
    carom_certificate *c =
        carom_certificates_add(w->all, "energy-semidefinite", CAROM_SCOPE_ALL, SOURCE "Prop. 2");
    double *F = carom_arena_doubles(w->arena, 2 * (size_t)p * p + 2 * (size_t)p);
    if (!c)
        return CAROM_OK;
    if (!F)
        return carom_error_memory(w->error);
    double *S = F + (size_t)p * p, *values = S + (size_t)p * p, *v = values + p;
    form_ratio(w, F);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double sum = 0;
            for (int k = 0; k < p; k++)
                sum += F[k + (size_t)i * p] * F[k + (size_t)j * p];
            S[i + (size_t)j * p] = sum;
        }
    carom_status status = carom_normal_eigen(p, S, true, values, w->arena, w->error);
    if (status)
        return status;
    double ratio = p ? values[p - 1] : 0;
    double doubt = 32.0 * (p + w->g->impact->n) * DBL_EPSILON * conditioning(w) * fmax(1, ratio);
    bool proved = semidefinite_beyond_doubt(w, F);
    c->value = proved && 1 - ratio < doubt ? 0 : 1 - ratio;
    c->bound = 0;
    c->holds = proved || 1 - ratio > doubt ? CAROM_TRUE
               : 1 - ratio < -doubt        ? CAROM_FALSE
                                           : CAROM_UNDECIDED;
    carom_certificate_say(c,
                          "the largest ratio of normal energies after and before is %.6g: the "
                          "energy %s, whatever the velocity",
                          ratio,
                          c->holds == CAROM_TRUE    ? "never grows"
                          : c->holds == CAROM_FALSE ? "can grow"
                                                    : "grows at most by rounding");
    if (c->holds != CAROM_FALSE)
        return CAROM_OK;
    for (int i = 0; i < p; i++) { /* v = L y */
        v[i] = 0;
        for (int k = 0; k <= i; k++)
            v[i] += w->m.L[i + (size_t)k * p] * S[k + (size_t)(p - 1) * p];
    }
    return attach(w, c, v, 2);
}

static double diagonal_largest(const work *w)
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

/* Largest singular value of E, and the spectral radius when E is similar to the symmetric F. */
static carom_status largest_singular(work *w, const double *A, double *sigma)
{
    int p = w->m.p;
    double *S = carom_arena_doubles(w->arena, (size_t)p * p + p);
    if (!S)
        return carom_error_memory(w->error);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double sum = 0;
            for (int k = 0; k < p; k++)
                sum += A[k + (size_t)i * p] * A[k + (size_t)j * p];
            S[i + (size_t)j * p] = sum;
        }
    double *values = S + (size_t)p * p;
    carom_status status = carom_normal_eigen(p, S, false, values, w->arena, w->error);
    if (!status)
        *sigma = p ? sqrt(fmax(0, values[p - 1])) : 0;
    return status;
}

static carom_status certify_spectral(work *w)
{
    int p = w->m.p;
    carom_certificate *c =
        carom_certificates_add(w->all, "energy-spectral", CAROM_SCOPE_ALL, SOURCE "Prop. 5");
    if (!c)
        return CAROM_OK;
    /* E G = G E' ? */
    double asymmetry = 0, size = 0;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double a = 0, b = 0;
            for (int k = 0; k < p; k++) {
                a += w->E[i + (size_t)k * p] * w->m.G[k + (size_t)j * p];
                b += w->m.G[i + (size_t)k * p] * w->E[j + (size_t)k * p];
                size = fmax(size, fabs(w->E[i + (size_t)k * p]));
            }
            asymmetry = fmax(asymmetry, fabs(a - b));
        }
    if (asymmetry > 64.0 * (p + w->g->impact->n) * DBL_EPSILON * size) {
        c->applies = false;
        carom_certificate_say(c,
                              "does not apply: it needs E = G E'G^-1 (for instance E = eI); "
                              "here EG differs from its transpose by %.3g",
                              asymmetry);
        return CAROM_OK;
    }
    double radius, doubt = 0;
    if (w->diagonal)
        radius = diagonal_largest(w);
    else {
        double *F = carom_arena_doubles(w->arena, (size_t)p * p);
        if (!F)
            return carom_error_memory(w->error);
        form_ratio(w, F);
        carom_status status = largest_singular(w, F, &radius);
        if (status)
            return status;
        doubt = 32.0 * (p + w->g->impact->n) * DBL_EPSILON * conditioning(w);
    }
    compare(c, radius, 1, doubt, false);
    carom_certificate_say(c, "E = G E'G^-1 holds, so the energy never grows iff the spectral "
                             "radius of E is at most 1");
    return CAROM_OK;
}

static carom_status certify_bounds(work *w)
{
    int p = w->m.p, slack = p + w->g->impact->n;
    bool exact = w->m.identity && w->diagonal;
    double doubt = exact ? 0 : 32.0 * slack * DBL_EPSILON * conditioning(w), sigma;
    carom_certificate *c =
        carom_certificates_add(w->all, "energy-singular-value", CAROM_SCOPE_ALL, SOURCE "Prop. 6");
    carom_status status = largest_singular(w, w->E, &sigma);
    if (status || !c)
        return status;
    if (w->diagonal)
        sigma = diagonal_largest(w);
    compare(c, sigma, sqrt(w->m.least / w->m.largest), doubt, false);
    carom_certificate_say(c, "sufficient: largest singular value of E at most "
                             "1/sqrt(lambda_max(G) lambda_max(G^-1))");
    c = carom_certificates_add(w->all, "energy-frobenius", CAROM_SCOPE_ALL, SOURCE "Prop. 7");
    if (!c)
        return CAROM_OK;
    double size = carom_normal_frobenius(p, p, w->E);
    compare(c, size * size, 1 / (w->m.G_norm * w->m.K_norm), doubt, true);
    carom_certificate_say(c,
                          "sufficient: |E|_F^2 < 1/(|G|_F |G^-1|_F); with spectral norms, sharper: "
                          "%.6g %s %.6g",
                          sigma * sigma, sigma * sigma < w->m.least / w->m.largest ? "<" : ">=",
                          w->m.least / w->m.largest);
    c = carom_certificates_add(w->all, "energy-product", CAROM_SCOPE_ALL, SOURCE "Prop. 4");
    if (!c)
        return CAROM_OK;
    double *A = carom_arena_zeros(w->arena, (size_t)p * p, sizeof(double));
    double *values = carom_arena_doubles(w->arena, p);
    if (!A || !values)
        return carom_error_memory(w->error);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            A[i + (size_t)j * p] = w->m.K[i + (size_t)j * p] - w->C[i + (size_t)j * p];
    status = carom_normal_eigen(p, A, false, values, w->arena, w->error);
    if (status)
        return status;
    compare(c, p ? fmax(0, values[p - 1]) : 0, 1 / w->m.largest, doubt, true);
    carom_certificate_say(c, "sufficient: |E'G^-1E|_2 < 1/lambda_max(G)");
    return CAROM_OK;
}

static void certify_diagonal(work *w)
{
    int p = w->m.p;
    carom_certificate *c =
        carom_certificates_add(w->all, "energy-orthogonal", CAROM_SCOPE_ALL, SOURCE "Prop. 3");
    if (c && (!w->m.identity || !w->diagonal)) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: it needs %s",
                              w->m.identity ? "a diagonal E" : "contacts at right angles (G = I)");
    } else if (c) {
        compare(c, diagonal_largest(w), 1, 0, false);
        carom_certificate_say(c, "contacts at right angles: dissipative iff no coefficient is "
                                 "larger than 1 in size");
    }
    c = carom_certificates_add(w->all, "energy-newton", CAROM_SCOPE_APPROACHING,
                               "T+ - T- = 1/2 sum (1 - e_i) L_i gamma_i-");
    if (!c)
        return;
    if (!w->diagonal) {
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
static void certify_continuity(work *w)
{
    int p = w->m.p;
    carom_certificate *c =
        carom_certificates_add(w->all, "continuity", CAROM_SCOPE_ALL, SOURCE "Definition 1");
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
    bool plastic = w->diagonal && diagonal_largest(w) == 0;
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

static void refuse_dependent(work *w)
{
    static const char *const names[] = {
        "kinetic",         "energy-copositive",     "energy-semidefinite",
        "energy-spectral", "energy-singular-value", "energy-frobenius",
        "energy-product",  "energy-orthogonal"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        carom_certificate *c = carom_certificates_add(
            w->all, names[k], k < 2 ? CAROM_SCOPE_APPROACHING : CAROM_SCOPE_ALL, SOURCE "sect. 4");
        if (!c)
            return;
        c->applies = false;
        carom_certificate_say(c,
                              "does not apply: the contacts are dependent (G has no inverse), so "
                              "v+ = -E v- cannot hold for all of them");
    }
}

carom_status carom_certify_restitution(const carom_geometry *geometry, const double *E,
                                       const carom_watch *watch, carom_arena *arena,
                                       carom_certificates *all, carom_error *error)
{
    work w = {.g = geometry, .watch = watch, .arena = arena, .all = all, .error = error};
    carom_status status = carom_normal_make(geometry, arena, &w.m, error);
    if (status)
        return status;
    w.E = carom_normal_restitution(geometry, E, arena);
    if (!w.E)
        return carom_error_memory(error);
    w.diagonal = true;
    for (int j = 0; j < w.m.p; j++)
        for (int i = 0; i < w.m.p; i++)
            w.diagonal = w.diagonal && (i == j || w.E[i + (size_t)j * w.m.p] == 0);
    if (!w.m.regular) {
        carom_certificate *c =
            carom_certificates_add(all, "kinematic", CAROM_SCOPE_APPROACHING, SOURCE "Prop. 8 (i)");
        if (c) {
            c->holds = CAROM_TRUE;
            c->value = INFINITY;
            for (int k = 0; k < w.m.p * w.m.p; k++)
                c->value = fmin(c->value, w.E[k]);
            c->bound = 0;
            c->holds = c->value >= 0 ? CAROM_TRUE : CAROM_FALSE;
            carom_certificate_say(c, "signs of the entries of E");
        }
        refuse_dependent(&w);
        certify_diagonal(&w);
        all->list[all->count - 2] = all->list[all->count - 1]; /* energy-orthogonal is there */
        all->count--;
        return CAROM_OK;
    }
    status = form_matrices(&w);
    if (!status)
        status = certify_signs(&w);
    if (!status)
        status = certify_copositive(&w);
    if (!status)
        status = certify_semidefinite(&w);
    if (!status)
        status = certify_spectral(&w);
    if (!status)
        status = certify_bounds(&w);
    if (!status) {
        certify_diagonal(&w);
        certify_continuity(&w);
    }
    return status;
}
