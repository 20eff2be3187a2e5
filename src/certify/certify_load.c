/* Existence of contact forces under the loads that act now (docs/theory/painleve.md, Prop. 15): D
 * copositive and c in the dual of Q_D = {z >= 0: Dz >= 0, z'Dz = 0}, which is the set of solutions
 * of the LCP of D with q = 0. */
#include "carom/need.h"
#include "certify/painleve_state.h"
#include "certify/rough.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

#define SOURCE "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction: "

/* c_i = (w_i'u'_free + bias)/|w_i|, and the size of its terms. */
static void find_load(const carom_painleve_state *s, int i, double *c, double *size)
{
    const int n = s->g->impact->n;
    const double *w = s->g->impact->W + (size_t)i * n;
    *c = s->bias[i];
    *size = fabs(s->bias[i]);
    for (int k = 0; k < n; k++) {
        *c += w[k] * s->free[k];
        *size += fabs(w[k] * s->free[k]);
    }
    *c /= s->g->norm[i];
    *size /= s->g->norm[i];
}

/* The least of c'z over the rays of Q_D, each of largest entry 1, relative to the size of its
 * terms.
 */
static carom_status least_product(const carom_painleve_state *s, const carom_rough *f,
                                  double *least)
{
    const int p = f->normal.p;
    double *q = carom_arena_zeros(s->arena, (size_t)p, sizeof *q);
    carom_lcp_solutions all;
    if (!q)
        return carom_error_memory(s->error);
    const carom_lcp lcp = {.n = p, .M = f->D, .q = q};
    carom_status status = carom_lcp_enumerate(&lcp, s->arena, &all, s->error);
    *least = INFINITY;
    for (int piece = 0; piece < all.count && !status; piece++)
        for (int k = 0; k < all.pieces[piece].ray_count; k++) {
            const double *z = all.pieces[piece].rays + (size_t)k * p;
            double sum = 0, size = 0;
            for (int i = 0; i < p; i++) {
                double c, terms;
                find_load(s, i, &c, &terms);
                sum += c * z[i];
                size += terms * fabs(z[i]);
            }
            *least = fmin(*least, size > 0 ? sum / size : 0);
        }
    return status;
}

static void say(carom_certificate *c)
{
    carom_certificate_say(
        c, c->holds == CAROM_TRUE
               ? "D is copositive, not strictly, and the free gap accelerations c have c'z >= 0 "
                 "on {z >= 0: Dz >= 0, z'Dz = 0}: contact forces exist under the loads of now"
           : c->holds == CAROM_FALSE
               ? "D is copositive, not strictly, and some z >= 0 with Dz >= 0, z'Dz = 0 has "
                 "c'z < 0 for the free gap accelerations c: this test proves nothing here"
               : "c'z vanishes within rounding for some z >= 0 with Dz >= 0, z'Dz = 0");
}

carom_status carom_certify_load(const carom_system *system, const carom_state *state,
                                const carom_geometry *geometry, const int *closed,
                                carom_arena *arena, carom_certificates *all, carom_error *error)
{
    CAROM_NEED(error, system, state, state->q, geometry, geometry->impact, closed, arena, all);
    carom_painleve_state s;
    carom_rough f;
    carom_copositive D = {.copositive = CAROM_UNDECIDED};
    const int p = geometry->impact->p;
    carom_status status =
        carom_painleve_state_make(system, state, geometry, closed, arena, &s, error);
    if (!status)
        status = carom_rough_make(geometry, arena, &f, error);
    if (status)
        return status;
    carom_certificate *c = carom_certificates_add(all, CAROM_CERTIFY_CONTACT_LOAD, CAROM_SCOPE_THIS,
                                                  SOURCE "Prop. 15");
    if (!c)
        return CAROM_OK;
    carom_rough_directions(&f);
    carom_rough_matrix(&f);
    if (!f.infinite && p <= CAROM_LCP_ENUMERATE_LIMIT)
        status = carom_copositive_test(p, f.D, f.D_doubt, NULL, arena, &D, error);
    if (status)
        return status;
    const bool gram = !f.rough; /* a Gram matrix, copositive whatever its rank */
    if (f.infinite || p > CAROM_LCP_ENUMERATE_LIMIT || D.strictly == CAROM_TRUE ||
        (D.copositive != CAROM_TRUE && !gram)) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: %s",
                              f.infinite                      ? "infinite friction"
                              : p > CAROM_LCP_ENUMERATE_LIMIT ? "too many contacts"
                              : D.strictly == CAROM_TRUE
                                  ? "D is strictly copositive, forces exist whatever the loads"
                                  : "D is not copositive beyond doubt");
        return CAROM_OK;
    }
    double least = 0;
    status = least_product(&s, &f, &least);
    const double doubt = 64.0 * (geometry->impact->n + p) * DBL_EPSILON;
    c->value = isfinite(least) ? least : 0;
    c->bound = 0;
    c->holds = least > doubt || isinf(least) ? CAROM_TRUE
               : least < -doubt              ? CAROM_FALSE
               : gram                        ? CAROM_TRUE /* z'W'u' = 0 whatever u' is */
                                             : CAROM_UNDECIDED;
    say(c);
    return status;
}
