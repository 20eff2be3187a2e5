/* Certificates of D(q, mu, xi) = G - n'H_T mu_bar (docs/theory/painleve.md). */
#include "carom/need.h"
#include "certify/rough.h"

#include <float.h>
#include <math.h>

enum { MOST_DIRECTIONS = 12 }; /* open ones, tried one by one */

#define SOURCE "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction: "

/* Is D positive definite for all directions at once: mu |N|_2 < lambda_min(G), beyond rounding?
 * Then it is a P-matrix for all of them. */
static carom_status is_definite(const carom_rough *f, carom_arena *arena, bool *proved,
                                carom_error *error)
{
    double spectral = 0;
    carom_status status = carom_rough_norms(f, arena, &spectral, error);
    const double doubt = 64.0 * (f->normal.p + f->g->impact->n) * DBL_EPSILON;
    *proved = spectral * f->mu_largest < f->normal.least * (1 - doubt) - doubt * f->normal.largest;
    return status;
}

/* P for the current directions; contacts at rest take every corner. Ends at the first no. */
static carom_status p_corners(carom_rough *f, int contact, const bool *open,
                              const carom_watch *watch, carom_arena *arena, carom_p_matrix *worst,
                              carom_error *error)
{
    int p = f->normal.p;
    while (contact < p && !open[contact])
        contact++;
    if (contact < p) {
        carom_status status = CAROM_OK;
        for (int side = 1; side >= -1 && !status && worst->p_matrix != CAROM_FALSE; side -= 2) {
            f->xi[f->g->slip_start[contact]] = side;
            status = p_corners(f, contact + 1, open, watch, arena, worst, error);
        }
        return status;
    }
    carom_p_matrix answer;
    carom_rough_matrix(f);
    if (worst->stopped || (watch && !watch->go_on(watch->self, "sliding directions", 0))) {
        worst->stopped = true;
        worst->p_matrix = CAROM_UNDECIDED;
        return CAROM_OK;
    }
    carom_status status = carom_p_matrix_test(p, f->D, f->D_doubt, watch, arena, &answer, error);
    if (status)
        return status;
    if (worst->p_matrix == CAROM_TRUE || answer.p_matrix == CAROM_FALSE || !worst->method)
        *worst = answer;
    return CAROM_OK;
}

static void say_minor(const carom_geometry *g, const carom_p_matrix *answer, carom_certificate *c)
{
    const carom_contact *contacts = g->impact->contacts;
    char names[160] = "";
    size_t used = 0;
    for (int k = 0; k < answer->minor_count && used < 120; k++) {
        const char *name = contacts ? contacts[answer->minor[k]].name : NULL;
        used += (size_t)(name ? snprintf(names + used, sizeof names - used, "%s%.40s",
                                         k ? ", " : "", name)
                              : snprintf(names + used, sizeof names - used, "%s%d", k ? ", " : "",
                                         answer->minor[k] + 1));
    }
    if (answer->p_matrix == CAROM_TRUE)
        carom_certificate_say(c,
                              "D is a P-matrix (%s): contact forces exist and are unique, whatever "
                              "the applied forces",
                              answer->method);
    else if (answer->p_matrix == CAROM_FALSE)
        carom_certificate_say(c,
                              "D is no P-matrix: its principal minor on contacts %s is not "
                              "positive; for some applied forces there is no solution, or several",
                              names);
    else
        carom_certificate_say(c, "undecided (%s)%s", answer->method,
                              answer->stopped ? ", stopped" : ": a minor vanishes within rounding");
}

/* Contacts whose direction is not fixed: at rest, or all of them. False when spatial ones are among
 * them, for which corners are not enough. */
static bool open_contacts(const carom_rough *f, bool all, bool *open, int *count)
{
    *count = 0;
    bool planar = true;
    for (int i = 0; i < f->normal.p; i++) {
        int slips = f->g->slip_start[i + 1] - f->g->slip_start[i];
        open[i] = slips > 0 && f->mu[i] > 0 && (all || f->resting[i]);
        planar = planar && (!open[i] || slips == 1);
        *count += open[i];
    }
    return planar;
}

static carom_status certify_p(carom_rough *f, bool every, const carom_watch *watch,
                              carom_arena *arena, carom_certificates *all, carom_error *error)
{
    carom_certificate *c = carom_certificates_add(
        all, every ? CAROM_CERTIFY_CONTACT_P_MATRIX_ALL : CAROM_CERTIFY_CONTACT_P_MATRIX,
        every ? CAROM_SCOPE_ALL : CAROM_SCOPE_THIS, SOURCE "sect. 3, Prop. 12, 13");
    bool *open = carom_arena_array(arena, (size_t)f->normal.p + 1, sizeof(bool));
    if (!c)
        return CAROM_OK;
    if (!open)
        return carom_error_memory(error);
    int count;
    bool planar = open_contacts(f, every, open, &count);
    if (!planar || f->infinite) {
        c->applies = false;
        carom_certificate_say(c, f->infinite ? "does not apply: infinite friction"
                                             : "does not apply: spatial contacts whose sliding "
                                               "direction is open; see critical friction");
        return CAROM_OK;
    }
    if (!f->normal.regular) {
        /* y with W y = 0 gives y'D = 0: a principal minor vanishes, with or without friction */
        c->holds = CAROM_FALSE;
        carom_certificate_say(c, "D is no P-matrix: the contacts are dependent, so a minor is zero "
                                 "and contact forces are not unique");
        return CAROM_OK;
    }
    carom_rough_directions(f);
    carom_p_matrix worst = {.p_matrix = CAROM_TRUE};
    bool definite = false;
    carom_status status = is_definite(f, arena, &definite, error);
    if (definite)
        worst.method = "definite for all directions";
    if (!status && !definite && count > MOST_DIRECTIONS) {
        c->holds = CAROM_UNDECIDED;
        carom_certificate_say(c,
                              "undecided: not definite for all directions at once, and %d open "
                              "directions are too many to try one by one",
                              count);
        return CAROM_OK;
    }
    if (!status && !definite)
        status = p_corners(f, 0, open, watch, arena, &worst, error);
    if (status)
        return status;
    all->stopped |= worst.stopped;
    c->holds = worst.p_matrix;
    say_minor(f->g, &worst, c);
    return CAROM_OK;
}

static carom_status certify_copositive(carom_rough *f, const carom_watch *watch, carom_arena *arena,
                                       carom_certificates *all, carom_error *error)
{
    carom_certificate *c = carom_certificates_add(all, CAROM_CERTIFY_CONTACT_COPOSITIVE,
                                                  CAROM_SCOPE_THIS, SOURCE "Prop. 15");
    if (!c)
        return CAROM_OK;
    if (f->infinite) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: infinite friction");
        return CAROM_OK;
    }
    carom_rough_directions(f);
    carom_rough_matrix(f);
    carom_copositive answer;
    carom_status status =
        carom_copositive_test(f->normal.p, f->D, f->D_doubt, watch, arena, &answer, error);
    if (status)
        return status;
    all->stopped |= answer.stopped;
    c->holds = answer.copositive;
    c->bound = 0;
    if (!f->rough && answer.copositive != CAROM_TRUE) {
        c->holds = CAROM_TRUE;
        carom_certificate_say(c, "without friction D = G is a Gram matrix, hence copositive; not "
                                 "strictly, as far as rounding can tell");
        return CAROM_OK;
    }
    c->value = answer.copositive == CAROM_FALSE ? answer.upper : NAN;
    carom_certificate_say(
        c,
        answer.strictly == CAROM_TRUE
            ? "D is strictly copositive (%s): contact forces exist, whatever the applied forces"
        : answer.copositive == CAROM_TRUE
            ? "D is copositive, not strictly (%s): contact forces exist if the free gap "
              "accelerations c satisfy c'z >= 0 on {z >= 0: Dz >= 0, z'Dz = 0}"
        : answer.copositive == CAROM_FALSE
            ? "D is not copositive (%s): this test proves nothing about existence"
            : "undecided within rounding (%s)",
        answer.method);
    return CAROM_OK;
}

/* Prop. 14: |n'H_T|_F sqrt(sum mu^2/|w|^2) < 1/|G^-1|_F, and with spectral norms in the text. */
static carom_status certify_perturbation(carom_rough *f, carom_arena *arena,
                                         carom_certificates *all, carom_error *error)
{
    carom_certificate *c = carom_certificates_add(all, CAROM_CERTIFY_CONTACT_PERTURBATION,
                                                  CAROM_SCOPE_ALL, SOURCE "Prop. 14");
    if (!c)
        return CAROM_OK;
    if (f->infinite || !f->normal.regular) {
        c->applies = false;
        carom_certificate_say(c, f->infinite ? "does not apply: infinite friction"
                                             : "does not apply: the contacts are dependent");
        return CAROM_OK;
    }
    double spectral;
    carom_status status = carom_rough_norms(f, arena, &spectral, error);
    if (status)
        return status;
    c->value = f->NH_norm * f->mu_norm;
    c->bound = 1 / f->normal.K_norm;
    double doubt = f->normal.identity ? 4 * DBL_EPSILON
                                      : 32 * (f->normal.p + 1.0) * DBL_EPSILON * f->normal.largest /
                                            f->normal.least;
    c->holds = c->value < c->bound * (1 - doubt)   ? CAROM_TRUE
               : c->value > c->bound * (1 + doubt) ? CAROM_FALSE
                                                   : CAROM_UNDECIDED;
    carom_certificate_say(c,
                          "sufficient for D positive definite, hence unique forces, for all "
                          "sliding directions; with spectral norms, sharper: %.6g %s %.6g",
                          spectral * f->mu_largest,
                          spectral * f->mu_largest < f->normal.least ? "<" : ">=", f->normal.least);
    return CAROM_OK;
}

carom_status carom_certify_contact(const carom_geometry *geometry, const carom_watch *watch,
                                   carom_arena *arena, carom_certificates *all, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, all);
    carom_rough f;
    carom_status status = carom_rough_make(geometry, arena, &f, error);
    if (!status && carom_certificates_go_on(all, watch, f.normal.p, "contact-p-matrix"))
        status = certify_p(&f, false, watch, arena, all, error);
    if (!status && f.rough &&
        carom_certificates_go_on(all, watch, f.normal.p, "contact-p-matrix-all"))
        status = certify_p(&f, true, watch, arena, all, error);
    if (!status && carom_certificates_go_on(all, watch, f.normal.p, "contact-copositive"))
        status = certify_copositive(&f, watch, arena, all, error);
    if (!status && carom_certificates_go_on(all, watch, f.normal.p, "contact-perturbation"))
        status = certify_perturbation(&f, arena, all, error);
    return status;
}
