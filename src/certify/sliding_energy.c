/* Can an impact with friction gain energy, whatever its contacts do? (docs/theory/certificates.md,
 * "Energy with friction".)
 *
 * Impulses are in the friction cones. What slips has sigma against its p_T on the edge of its cone,
 * what sticks has sigma = 0: the sum in sigma of the form is never negative, and sigma = 0 is
 * possible for every r when the slips are independent of each other and of the normals. Then
 * r'Ar >= 0 on the cones decides; else it suffices, and where it fails the contacts concerned are
 * looked at pattern by pattern. */
#include "certify/sliding_cone.h"
#include "certify/witness.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_VARIABLES = 40, MOST_RAYS = 160, MOST_PATTERNS = 729 };

typedef carom_sliding_form form;

/* What was looked at. */
typedef struct search {
    const form *form;
    carom_certificate *certificate;
    int cones;
    bool cut;  /* something was too large to be looked at */
    bool free; /* decided without the equations of dependent slips, which are those of the
                  equality form: there v_n- follows from the impulses */
} search;

/* Run the law from the velocity of the point t of a cone: does it gain? */
static carom_status try_velocity(search *s, const carom_sliding_cone *cone, const double *t)
{
    const form *f = s->form;
    carom_sliding *w = f->w;
    carom_certificate *c = s->certificate;
    double *v_n = carom_arena_doubles(w->arena, (size_t)f->N), *u, gain;
    bool attainable, confirmed;
    if (!v_n)
        return carom_error_memory(w->error);
    double *v_T = v_n + f->p;
    carom_status status = carom_sliding_cone_velocity(cone, t, v_n, v_T);
    if (!status)
        status = carom_witness_velocity(w->g, v_n, v_T, w->g->speed, w->arena, &u, &attainable,
                                        w->error);
    if (status || !attainable)
        return status;
    status = carom_witness_run(&w->law, w->g, u, CAROM_WITNESS_GAINS, w->arena, &confirmed, &gain,
                               w->error);
    if (status || !confirmed)
        return status;
    c->holds = CAROM_FALSE;
    c->counterexample = u;
    c->verified = true;
    c->value = gain;
    return CAROM_OK;
}

/* t'B t >= 0 for t >= 0, without the conditions of the cone? */
static carom_status test_orthant(search *s, const carom_sliding_cone *cone, carom_truth *holds)
{
    carom_sliding *w = s->form->w;
    carom_copositive answer;
    carom_status status =
        carom_copositive_test(cone->m, cone->B, cone->doubt, w->watch, w->arena, &answer, w->error);
    if (status)
        return status;
    s->cones++;
    w->all->stopped |= answer.stopped;
    *holds = answer.copositive == CAROM_TRUE ? CAROM_TRUE : CAROM_UNDECIDED;
    return CAROM_OK;
}

/* Z'B Z and Z'|doubt| Z for rays Z (m x count). */
static carom_status project(const carom_sliding_cone *cone, int count, const double *Z, double **B,
                            double **doubt)
{
    const size_t m = (size_t)cone->m, r = (size_t)count;
    double *BZ = carom_arena_zeros(cone->form->w->arena, 2 * r * (m + r), sizeof *BZ);
    if (!BZ)
        return carom_error_memory(cone->form->w->error);
    double *dZ = BZ + m * r;
    *B = dZ + m * r;
    *doubt = *B + r * r;
    for (size_t b = 0; b < r; b++)
        for (size_t j = 0; j < m; j++)
            for (size_t i = 0; i < m && Z[j + b * m] != 0; i++) {
                BZ[i + b * m] += cone->B[i + j * m] * Z[j + b * m];
                dZ[i + b * m] += cone->doubt[i + j * m] * Z[j + b * m];
            }
    for (size_t b = 0; b < r; b++)
        for (size_t a = 0; a < r; a++)
            for (size_t j = 0; j < m; j++) {
                (*B)[a + b * r] += Z[j + a * m] * BZ[j + b * m];
                (*doubt)[a + b * r] += Z[j + a * m] * dZ[j + b * m];
            }
    return CAROM_OK;
}

/* From a y where the form is negative to one where it is more so, |y| = 1: steps along -B y that
 * stay in the orthant and are shorter than the inverse of B's largest row sum, so that y'B y falls.
 * A proof of a sign ends wherever the form is negative at all, where a law's answer may hang by
 * rounding. */
static void sink(int count, const double *B, double *y, double *next)
{
    enum { STEPS = 200 };
    double top = 0;
    for (int a = 0; a < count; a++) {
        double sum = 0;
        for (int b = 0; b < count; b++)
            sum += fabs(B[a + (size_t)b * count]);
        top = fmax(top, sum);
    }
    for (int step = 0; step < STEPS && top > 0; step++) {
        for (int a = 0; a < count; a++)
            next[a] = fmax(0, y[a] - carom_dense_dot(count, B + (size_t)a * count, y) / top);
        const double norm = carom_dense_norm(count, next);
        if (!(norm > 0))
            return;
        for (int a = 0; a < count; a++)
            y[a] = next[a] / norm;
    }
}

/* The form is negative at y (weights of the rays). At the border of the cone a law's modes hang by
 * rounding, so that points further inside are tried first, as far as the form stays negative. */
static carom_status try_rays(search *s, const carom_sliding_cone *cone, const carom_rays *rays,
                             const double *B, double *y)
{
    static const double inside[] = {0.3, 0.1, 0.03, 0.01, 0.001, 0.0001, 0.000001, 0};
    const int count = rays->count, m = cone->m;
    double *z = carom_arena_doubles(s->form->w->arena, (size_t)count + (size_t)m);
    if (!z)
        return carom_error_memory(s->form->w->error);
    sink(count, B, y, z);
    double *t = z + count, top = carom_dense_max(count, y);
    carom_status status = CAROM_OK;
    for (size_t k = 0; k < sizeof inside / sizeof *inside; k++) {
        double value = 0;
        for (int a = 0; a < count; a++)
            z[a] = y[a] + inside[k] * top;
        for (int a = 0; a < count; a++)
            value += z[a] * carom_dense_dot(count, B + (size_t)a * count, z);
        if (!(value < 0))
            continue;
        memset(t, 0, sizeof *t * (size_t)m);
        for (int a = 0; a < count; a++)
            carom_dense_axpy(m, z[a], rays->x + (size_t)a * m, t);
        status = try_velocity(s, cone, t);
        if (status || s->certificate->holds == CAROM_FALSE)
            break;
    }
    return status;
}

/* Is the form >= 0 on the cone? A no must be confirmed by the law. */
static carom_status test_cone(search *s, const carom_sliding_cone *cone, carom_truth *holds)
{
    carom_sliding *w = s->form->w;
    carom_rays rays;
    carom_copositive answer;
    double *B = NULL, *doubt = NULL;
    bool cut;
    *holds = CAROM_UNDECIDED;
    if (cone->m > MOST_VARIABLES) {
        s->cut = true;
        return CAROM_OK;
    }
    s->cones++;
    carom_status status = carom_sliding_cone_rays(cone, MOST_RAYS, &rays, &cut);
    s->cut = s->cut || cut;
    if (status || cut)
        return status;
    if (rays.count == 0) {
        *holds = CAROM_TRUE; /* no such velocity */
        return CAROM_OK;
    }
    status = project(cone, rays.count, rays.x, &B, &doubt);
    if (!status)
        status = carom_copositive_test(rays.count, B, doubt, w->watch, w->arena, &answer, w->error);
    if (status)
        return status;
    w->all->stopped |= answer.stopped;
    *holds = answer.copositive;
    if (answer.copositive != CAROM_FALSE)
        return CAROM_OK;
    status = try_rays(s, cone, &rays, B, answer.x);
    if (s->certificate->holds != CAROM_FALSE)
        *holds = CAROM_UNDECIDED;
    return status;
}

/* Pattern number k of the contacts that dependent slips concern; the others stick. */
static void write_pattern(const form *f, int k, unsigned char *pattern)
{
    for (int i = 0; i < f->p; i++) {
        pattern[i] = CAROM_MODE_STICK;
        if (!f->concerned[i])
            continue;
        pattern[i] = (unsigned char)(CAROM_MODE_STICK + k % 3); /* or slips, one way or the other */
        k /= 3;
    }
}

/* The patterns one after the other. */
static carom_status try_patterns(search *s, carom_truth *holds)
{
    const form *f = s->form;
    carom_sliding *w = f->w;
    unsigned char *pattern = carom_arena_zeros(w->arena, (size_t)f->p + 1, 1);
    int patterns = 1;
    if (!pattern)
        return carom_error_memory(w->error);
    for (int i = 0; i < f->p; i++)
        if (f->concerned[i])
            patterns = patterns > MOST_PATTERNS ? patterns : 3 * patterns;
    *holds = patterns > MOST_PATTERNS ? CAROM_UNDECIDED : CAROM_TRUE;
    s->cut = s->cut || patterns > MOST_PATTERNS;
    const int tried = patterns > MOST_PATTERNS ? MOST_PATTERNS : patterns;
    carom_status status = CAROM_OK;
    for (int k = 0; k < tried && !status && s->certificate->holds != CAROM_FALSE; k++) {
        carom_mark mark = carom_arena_mark(w->arena);
        carom_sliding_cone cone;
        carom_truth one = CAROM_UNDECIDED;
        write_pattern(f, k, pattern);
        status = carom_sliding_cone_pattern(f, pattern, &cone);
        if (!status)
            status = test_cone(s, &cone, &one);
        *holds = one == CAROM_UNDECIDED ? CAROM_UNDECIDED : *holds;
        if (w->watch && !w->watch->go_on(w->watch->self, "friction-energy", (double)k / tried))
            w->all->stopped = true;
        if (s->certificate->holds != CAROM_FALSE)
            carom_arena_rewind(w->arena, mark);
        if (w->all->stopped) {
            *holds = CAROM_UNDECIDED;
            break;
        }
    }
    return status;
}

/* What was proved with the equations of dependent slips: can it be done without them? */
static carom_status free_proof(search *s)
{
    carom_sliding_cone plain;
    carom_truth holds = CAROM_UNDECIDED;
    carom_status status = carom_sliding_cone_plain(s->form, &plain);
    if (!status)
        status = test_orthant(s, &plain, &holds);
    if (!status && holds != CAROM_TRUE)
        status = test_cone(s, &plain, &holds);
    s->free = holds == CAROM_TRUE;
    return status;
}

/* From the cheapest proof to the dearest. */
static carom_status decide(search *s, bool planar, const char **method)
{
    const form *f = s->form;
    carom_certificate *c = s->certificate;
    carom_sliding_cone plain;
    bool semidefinite;
    carom_truth holds = CAROM_UNDECIDED;
    carom_status status = carom_sliding_form_semidefinite(f, &semidefinite, &s->free);
    *method = "the form is semidefinite";
    if (status || semidefinite) {
        c->holds = semidefinite ? CAROM_TRUE : c->holds;
        return status;
    }
    if (!planar)
        return CAROM_OK;
    *method = "copositive on the friction cones";
    s->free = true;
    status = carom_sliding_cone_plain(f, &plain);
    if (!status)
        status = test_orthant(s, &plain, &holds);
    if (!status && holds != CAROM_TRUE && f->kernels == 0) {
        *method = "copositive on the cone of approaching velocities";
        status = test_cone(s, &plain, &holds);
    } else if (!status && holds != CAROM_TRUE) {
        *method = "copositive in every pattern of sticking and sliding";
        s->free = false;
        status = try_patterns(s, &holds);
    }
    if (c->holds != CAROM_FALSE)
        c->holds = holds;
    return status;
}

static void say(const search *s, bool planar, const char *method)
{
    carom_certificate *c = s->certificate;
    if (c->holds == CAROM_TRUE)
        carom_certificate_say(c,
                              "no approaching velocity gains energy under law %s, whether contacts "
                              "stick or slide (%s)",
                              c->law, method);
    else if (c->holds == CAROM_FALSE)
        carom_certificate_say(c, "some approaching velocity gains energy under law coulomb, form "
                                 "equality; value: share gained by the one shown");
    else if (!planar)
        carom_certificate_say(c,
                              "undecided: the form is not semidefinite, and the cones of spatial "
                              "contacts are not searched");
    else
        carom_certificate_say(
            c, "undecided: %s; %d cone%s of sticking and sliding looked at%s",
            s->cut ? "too many contacts to look at all cones" : "too close to tell", s->cones,
            s->cones == 1 ? "" : "s", s->form->w->all->stopped ? ", stopped" : "");
}

carom_status carom_sliding_energy(carom_sliding *w)
{
    carom_certificate *c =
        carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_ENERGY, CAROM_SCOPE_APPROACHING,
                               CAROM_SLIDING_SOURCE "eq. (76), (77), in impulses");
    form f;
    bool planar = true;
    const char *method = "";
    if (!c)
        return CAROM_OK;
    c->bound = 0;
    c->law = "coulomb, form equality";
    c->coulomb = CAROM_COULOMB_EQUALITY;
    for (int i = 0; i < w->f.normal.p; i++)
        planar = planar &&
                 (!(w->f.mu_static[i] > 0) || w->g->slip_start[i + 1] - w->g->slip_start[i] == 1);
    carom_status status = carom_sliding_form_make(w, &f);
    if (!status && !f.regular) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: I + E is singular");
        return CAROM_OK;
    }
    search s = {.form = &f, .certificate = c};
    if (!status)
        status = decide(&s, planar, &method);
    if (!status && c->holds == CAROM_TRUE && w->diagonal && planar && !s.free)
        status = free_proof(&s);
    if (c->holds == CAROM_TRUE && w->diagonal && s.free) {
        c->law = "coulomb"; /* in either form */
        c->coulomb |= CAROM_COULOMB_COMPLEMENTARITY;
    }
    if (!status)
        say(&s, planar, method);
    return status;
}
