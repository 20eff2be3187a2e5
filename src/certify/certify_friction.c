/* Certificates of an impact with friction, v_n+ = -E v_n-, sliding contacts p_T = -mu_bar pbar
 * (docs/theory/certificates.md, "With friction"). */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/sliding.h"
#include "linalg/basis.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

static carom_truth below(double value, double bound, double doubt)
{
    double margin = doubt * fmax(fabs(value), fabs(bound));
    return value < bound - margin   ? CAROM_TRUE
           : value > bound + margin ? CAROM_FALSE
                                    : CAROM_UNDECIDED;
}

/* Range condition: with E_tn = 0, E_tt = -I the right-hand side ((I+E)v_n, 0) is always in the
 * range of [G n'H_T; 0 t'H_T]; for a general E it is iff the columns span everything. */
static carom_status certify_range(carom_sliding *w)
{
    const int n = w->g->impact->n, columns = w->f.normal.p + w->g->s;
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_RANGE,
                                                  CAROM_SCOPE_ALL, CAROM_SLIDING_SOURCE "eq. (55)");
    if (!c)
        return CAROM_OK;
    carom_basis basis;
    carom_status status = carom_arena_reserve(
        w->arena, carom_arena_bytes((size_t)n, sizeof(double)) + carom_basis_bytes(n, columns),
        w->error);
    if (status)
        return status;
    double *column = carom_arena_reserved(w->arena, (size_t)n, sizeof *column);
    carom_basis_create(n, columns, w->arena, &basis);
    const double rounding = CAROM_TOLERANCE_REFINED * (n + columns);
    for (int j = 0; j < columns; j++) {
        carom_sliding_column(w->g, j, column);
        carom_basis_add(&basis, column, rounding);
    }
    const int rank = basis.k, all = n - w->g->joint_rank;
    c->value = rank;
    c->bound = all;
    c->holds = CAROM_TRUE;
    carom_certificate_say(c,
                          "(I+E)v- is in the range of [G n'H_T; 0 t'H_T] for every velocity, since "
                          "E leaves v_t to friction; its rank is %d of %d%s",
                          rank, all,
                          rank < all ? ": an E that prescribes all of v_t would be impossible"
                                     : ": even an E that prescribes all of v_t is possible");
    return CAROM_OK;
}

static void certify_lemmas(carom_sliding *w)
{
    const carom_normal *m = &w->f.normal;
    carom_certificate *c =
        carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_LEMMA_1, CAROM_SCOPE_ALL,
                               CAROM_SLIDING_SOURCE "Lemma 1 (i)");
    if (!c)
        return;
    c->value = m->K_norm * w->f.NH_norm * w->f.mu_norm;
    c->bound = 1;
    c->holds = c->value == 0 ? CAROM_TRUE : below(c->value, 1, w->doubt);
    carom_certificate_say(c,
                          "|G^-1|_F |n'H_T|_F |mu_bar|_F = %.6g x %.6g x %.6g; below 1 the sliding "
                          "impulses exist, are unique, and (G - n'H_T mu_bar)^-1 is positive "
                          "definite, for all directions",
                          m->K_norm, w->f.NH_norm, w->f.mu_norm);
    carom_truth first = c->holds;
    c = carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_LEMMA_2, CAROM_SCOPE_ALL,
                               CAROM_SLIDING_SOURCE "Lemma 2, with M(q,mu) = G^-1");
    if (!c)
        return;
    double size = carom_normal_frobenius(m->p, m->p, w->E);
    c->value = size * (2 + size);
    c->bound = 1 / (m->G_norm * m->K_norm);
    c->holds = below(c->value, c->bound, w->doubt);
    carom_certificate_say(c, "|E|_F (2 + |E|_F) < 1/(|G^-1|_F |G|_F): then the normal part loses "
                             "energy strictly; energy-frobenius asks for less");
    carom_truth second = c->holds;
    c = carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_THEOREM_1, CAROM_SCOPE_ALL,
                               CAROM_SLIDING_SOURCE "Theorem 1");
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

static carom_status extreme_eigenvalues(carom_sliding *w, const double *A, double *least,
                                        double *most)
{
    int p = w->f.normal.p;
    double *copy = carom_arena_doubles(w->arena, (size_t)p * p + p);
    if (!copy)
        return carom_error_memory(w->error);
    memcpy(copy, A, sizeof(double) * p * p);
    carom_status status =
        carom_spectrum_symmetric(p, copy, false, w->arena, copy + (size_t)p * p, w->error);
    *least = copy[(size_t)p * p];
    *most = copy[(size_t)p * p + p - 1];
    return status;
}

/* |v_n|, |v_t| of the scene's velocity relative to its frame, v_n in v (p). */
static void parts_of_velocity(const carom_sliding *w, double *v, double *normal, double *tangential)
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
    *tangential = total - energy > CAROM_TOLERANCE_SUM * total ? sqrt(total - energy) : 0;
}

/* The matrices of sliding in the directions of the scene's velocity, if they exist. */
static carom_status slide_as_now(carom_sliding *w, carom_certificate *c)
{
    carom_rough_directions(&w->f);
    carom_rough_matrix(&w->f);
    carom_status status = carom_slide_pattern(&w->slide, w->arena, w->error);
    if (!status && !w->slide.regular) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: G - n'H_T mu_bar is singular for these sliding "
                                 "directions");
    }
    return status;
}

/* The least entry of Q = (G - n'H_T mu_bar)^-1 (I+E), pbar = -Q v_n-, and the largest. */
static void extreme_entries(const carom_sliding *w, double *least, double *largest)
{
    const int p = w->f.normal.p;
    *least = INFINITY;
    *largest = 0;
    for (int k = 0; k < p * p; k++) {
        *least = fmin(*least, w->slide.Q[k]);
        *largest = fmax(*largest, fabs(w->slide.Q[k]));
    }
}

/* Is it >= 0? Zeros of a single contact are none. */
static carom_truth judge_entries(const carom_sliding *w, double least, double largest)
{
    const double doubt = w->doubt * largest;
    return (w->f.normal.p == 1 && least > 0) || least > doubt ? CAROM_TRUE
           : least < -doubt                                   ? CAROM_FALSE
                                                              : CAROM_UNDECIDED;
}

/* Prop. 10 for the directions of the scene's velocity. */
static carom_status certify_kinetic(carom_sliding *w)
{
    carom_certificate *c =
        carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_KINETIC, CAROM_SCOPE_APPROACHING,
                               CAROM_SLIDING_SOURCE "Prop. 10");
    if (!c)
        return CAROM_OK;
    carom_status status = slide_as_now(w, c);
    if (status || !c->applies)
        return status;
    double largest;
    extreme_entries(w, &c->value, &largest);
    c->bound = 0;
    c->holds = judge_entries(w, c->value, largest);
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

/* The signs of a pattern, contact by contact: "+-+". */
static void describe_pattern(const carom_sliding *w, unsigned pattern, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0, a = 0; i < w->f.normal.p && used + 2 < size; i++)
        if (w->f.mu[i] > 0)
            text[used++] = pattern >> a++ & 1 ? '-' : '+';
    text[used] = '\0';
}

/* Contacts with friction of which all patterns are tried. */
enum { MOST_ROUGH = 10 };

static void say_patterns(const carom_sliding *w, carom_certificate *c, unsigned tried,
                         unsigned worst)
{
    char text[MOST_ROUGH + 1];
    describe_pattern(w, worst, text, sizeof text);
    carom_certificate_say(
        c,
        c->holds == CAROM_TRUE
            ? "in all %u patterns of sliding directions contacts only push, for every approaching "
              "velocity"
        : c->holds == CAROM_FALSE
            ? "of %u patterns of sliding directions some would need a contact that pulls; the "
              "worst is %s"
            : "of %u patterns of sliding directions none was found in which a contact pulls beyond "
              "doubt; the closest is %s",
        tried, text);
}

/* The entries of the law's matrix for one pattern; *own is infinite where it is singular. */
static carom_status judge_pattern(carom_sliding *w, unsigned pattern, double *own,
                                  carom_truth *holds)
{
    double largest;
    for (int i = 0, a = 0; i < w->f.normal.p; i++)
        if (w->f.mu[i] > 0)
            w->f.xi[w->g->slip_start[i]] = pattern >> a++ & 1 ? -1 : 1;
    carom_rough_matrix(&w->f);
    carom_status status = carom_slide_pattern(&w->slide, w->arena, w->error);
    if (status)
        return status;
    extreme_entries(w, own, &largest);
    *holds = w->slide.regular ? judge_entries(w, *own, largest) : CAROM_UNDECIDED;
    *own = w->slide.regular ? *own : INFINITY;
    return CAROM_OK;
}

/* Prop. 10 for every pattern of sliding directions of planar contacts. */
static carom_status certify_kinetic_all(carom_sliding *w)
{
    carom_certificate *c =
        carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_KINETIC_ALL, CAROM_SCOPE_APPROACHING,
                               CAROM_SLIDING_SOURCE "Prop. 10");
    if (!c)
        return CAROM_OK;
    int rough = 0;
    for (int i = 0; i < w->f.normal.p; i++) {
        rough += w->f.mu[i] > 0;
        c->applies =
            c->applies && (w->f.mu[i] == 0 || w->g->slip_start[i + 1] - w->g->slip_start[i] == 1);
    }
    if (!c->applies || rough > MOST_ROUGH) {
        carom_certificate_say(c, c->applies ? "undecided: too many patterns of sliding directions"
                                            : "does not apply: spatial sliding directions");
        return CAROM_OK;
    }
    unsigned worst = 0, tried = 0;
    double least = INFINITY;
    c->holds = CAROM_TRUE;
    for (unsigned pattern = 0; pattern < 1u << rough; pattern++, tried++) {
        if (w->watch && pattern % 64 == 63 &&
            !w->watch->go_on(w->watch->self, "friction-kinetic", (double)pattern / (1u << rough))) {
            w->all->stopped = true;
            break;
        }
        double own;
        carom_truth holds;
        carom_status status = judge_pattern(w, pattern, &own, &holds);
        if (status)
            return status;
        if (own < least) {
            least = own;
            worst = pattern;
        }
        c->holds = holds == CAROM_FALSE || c->holds == CAROM_FALSE ? CAROM_FALSE
                   : holds == CAROM_TRUE                           ? c->holds
                                                                   : CAROM_UNDECIDED;
    }
    if (tried < 1u << rough && c->holds == CAROM_TRUE)
        c->holds = CAROM_UNDECIDED;
    c->value = least;
    c->bound = 0;
    say_patterns(w, c, tried, worst);
    return CAROM_OK;
}

/* |D_t t'H_T|^2: the trace of R over the slips of rough contacts. */
static double rough_trace(const carom_sliding *w)
{
    double trace = 0;
    for (int i = 0; i < w->f.normal.p; i++)
        for (int j = w->g->slip_start[i]; j < w->g->slip_start[i + 1]; j++)
            trace += w->f.mu[i] > 0 ? w->slide.R[j * (size_t)(w->g->s + 1)] : 0;
    return trace;
}

/* |I + E|^2 by entries. */
static double plus_identity(int p, const double *E)
{
    double sum = 0;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            sum += pow((i == j) + E[i + (size_t)j * p], 2);
    return sum;
}

/* Do all contacts push when the normal velocities v end by sliding? normal: the size of v. */
static bool sliding_pushes(const carom_sliding *w, const double *v, double normal)
{
    const int p = w->f.normal.p;
    bool pushes = true;
    for (int i = 0; i < p; i++) {
        double impulse = 0;
        for (int j = 0; j < p; j++)
            impulse -= w->slide.Q[i + (size_t)j * p] * v[j];
        pushes = pushes && impulse >= -CAROM_TOLERANCE_CARRIED * normal;
    }
    return pushes;
}

static carom_status certify_theorem_2(carom_sliding *w)
{
    const carom_normal *m = &w->f.normal;
    int p = m->p;
    carom_certificate *c =
        carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_THEOREM_2, CAROM_SCOPE_THIS,
                               CAROM_SLIDING_SOURCE "Theorem 2");
    double *v = carom_arena_doubles(w->arena, (size_t)p + w->g->impact->n);
    if (!c)
        return CAROM_OK;
    if (!v)
        return carom_error_memory(w->error);
    carom_status status = slide_as_now(w, c);
    if (status || !c->applies)
        return status;
    double least = 0, most = 0, ignored, normal, tangential;
    status = extreme_eigenvalues(w, w->slide.loss.C, &least, &ignored);
    if (!status)
        status = extreme_eigenvalues(w, w->slide.K, &ignored, &most);
    if (status)
        return status;
    parts_of_velocity(w, v, &normal, &tangential);
    const double trace = rough_trace(w), plus = plus_identity(p, w->E);
    const bool pushes = sliding_pushes(w, v, normal);
    double inverse = carom_normal_frobenius(p, p, w->slide.inverse);
    double top = 2 * sqrt(fmax(0, trace)) * w->f.mu_norm * inverse * sqrt(plus);
    const double ratio = tangential > 0 ? normal / tangential : INFINITY;
    const double needed = least > most ? top / (least - most) : INFINITY, doubt = w->doubt;
    if (least > most) { /* what is compared: the second condition, or the first where it fails */
        c->value = isfinite(ratio) ? ratio : NAN;
        c->bound = needed;
    } else {
        c->value = most;
        c->bound = least;
    }
    if (!pushes) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: sliding in these directions would need a "
                                 "negative impulse");
        return CAROM_OK;
    }
    carom_truth one = below(most, least, doubt);
    carom_truth two = isinf(ratio) ? CAROM_TRUE : below(needed, ratio, doubt);
    c->holds = one == CAROM_FALSE || two == CAROM_FALSE ? CAROM_FALSE
               : one == CAROM_TRUE && two == CAROM_TRUE ? CAROM_TRUE
                                                        : CAROM_UNDECIDED;
    if (!(least > most))
        carom_certificate_say(c, "sufficient, not met: lambda_max(K) (value) must be below "
                                 "lambda_min(C) (bound)");
    else
        carom_certificate_say(
            c,
            "sufficient: lambda_min(C) = %.6g > lambda_max(K) = %.6g, and |v_n|/|v_t| (value%s) at "
            "least 2 |D_t t'H_T| |mu_bar| |(G - n'H_T mu_bar)^-1| |I+E| / difference = "
            "2 x %.4g x %.4g x %.4g x %.4g / %.4g (bound)",
            least, most, isinf(ratio) ? ": v_t = 0" : "", sqrt(fmax(0, trace)), w->f.mu_norm,
            inverse, sqrt(plus), least - most);
    return CAROM_OK;
}

static void refuse(carom_sliding *w, const char *why)
{
    static const carom_certificate_kind kinds[] = {
        CAROM_CERTIFY_FRICTION_RANGE,     CAROM_CERTIFY_FRICTION_LEMMA_1,
        CAROM_CERTIFY_FRICTION_LEMMA_2,   CAROM_CERTIFY_FRICTION_THEOREM_1,
        CAROM_CERTIFY_FRICTION_KINETIC,   CAROM_CERTIFY_FRICTION_KINETIC_ALL,
        CAROM_CERTIFY_FRICTION_THEOREM_2, CAROM_CERTIFY_FRICTION_ENERGY};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        carom_certificate *c = carom_certificates_add(w->all, kinds[k], CAROM_SCOPE_ALL,
                                                      CAROM_SLIDING_SOURCE "sect. 5");
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
    CAROM_NEED(error, geometry, geometry->impact, arena, all);
    carom_sliding w = {.g = geometry, .watch = watch, .arena = arena, .all = all, .error = error};
    carom_status status = carom_sliding_make(&w, E);
    if (status)
        return status;
    if (!w.f.rough || w.f.infinite || !w.f.normal.regular) {
        refuse(&w, !w.f.rough     ? "no contact has slip and friction"
                   : w.f.infinite ? "infinite friction"
                                  : "the contacts are dependent");
        return CAROM_OK;
    }
    status = certify_range(&w);
    if (!status) {
        certify_lemmas(&w);
        status = certify_kinetic(&w);
    }
    if (!status)
        status = certify_kinetic_all(&w);
    if (!status)
        status = certify_theorem_2(&w);
    return status ? status : carom_sliding_energy(&w);
}
