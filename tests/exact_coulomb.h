/* Coulomb's law of planar contacts in fractions: a combination of modes is a linear system for u+
 * and the impulses, with inequalities. */
#ifndef CAROM_TESTS_EXACT_COULOMB_H
#define CAROM_TESTS_EXACT_COULOMB_H

#include "exact.h"
#include "impacts.h"

/* w'u of numbers as given. */
static inline fraction exact_coulomb_before(int n, const double *w, const double *u)
{
    fraction v[IMPACTS_N];
    for (int k = 0; k < n; k++)
        v[k] = fraction_of(u[k]);
    return fraction_dot(n, w, v);
}

/* e gamma- of contact i. */
static inline fraction exact_coulomb_normal(const impacts_case *c, int i)
{
    const int n = c->impact.n;
    return fraction_multiply(fraction_of(c->contacts[i].restitution),
                             exact_coulomb_before(n, c->W + n * i, c->u));
}

/* e_t times the slip before of contact i. */
static inline fraction exact_coulomb_slip(const impacts_case *c, int i)
{
    const int n = c->impact.n;
    return fraction_multiply(fraction_of(c->contacts[i].tangential_restitution),
                             exact_coulomb_before(n, c->H + n * i, c->u));
}

/* The equations of a combination of modes (0 open, 1 stick, 2 slip+, 3 slip-) for u+ and the
 * impulses, contact after contact, then those of the joints. */
static inline void exact_coulomb_state(const impacts_case *c, const int *mode, exact_system *s)
{
    const int n = c->impact.n, p = c->impact.p, m = c->impact.m, all = n + 2 * p + m;
    exact_system_make(s, all, all);
    for (int k = 0; k < n; k++) { /* M u+ - J L = M u- */
        s->a[k][k] = fraction_of(c->M[k]);
        s->a[k][all] = fraction_multiply(fraction_of(c->M[k]), fraction_of(c->u[k]));
        for (int i = 0; i < p; i++) {
            s->a[k][n + 2 * i] = fraction_of(-c->W[k + n * i]);
            s->a[k][n + 2 * i + 1] = fraction_of(-c->H[k + n * i]);
        }
        for (int j = 0; j < m; j++) { /* B'u+ = -b_hat */
            s->a[k][n + 2 * p + j] = fraction_of(-c->B[k + n * j]);
            s->a[n + 2 * p + j][k] = fraction_of(c->B[k + n * j]);
            s->a[n + 2 * p + j][all] = fraction_of(-c->b_hat[j]);
        }
    }
    for (int i = 0; i < p; i++) {
        const int normal = n + 2 * i, slip = normal + 1;
        const double mu = c->contacts[i].friction_static;
        for (int k = 0; k < n && mode[i] > 0; k++) /* gamma+ = -e gamma- */
            s->a[normal][k] = fraction_of(c->W[k + n * i]);
        for (int k = 0; k < n && mode[i] == 1; k++) /* no slip, v_T+ = -e_t v_T- */
            s->a[slip][k] = fraction_of(c->H[k + n * i]);
        if (mode[i] == 1)
            s->a[slip][all] = fraction_subtract(fraction_int(0), exact_coulomb_slip(c, i));
        if (mode[i] == 0)
            s->a[normal][normal] = fraction_int(1);
        else
            s->a[normal][all] = fraction_subtract(fraction_int(0), exact_coulomb_normal(c, i));
        if (mode[i] != 1)
            s->a[slip][slip] = fraction_int(1);
        if (mode[i] > 1) /* the law of friction */
            s->a[slip][normal] = fraction_of(mode[i] == 2 ? mu : -mu);
    }
}

/* The inequalities of the modes. */
static inline bool exact_coulomb_holds(const impacts_case *c, const int *mode, const fraction *x)
{
    const int n = c->impact.n;
    for (int i = 0; i < c->impact.p; i++) {
        const fraction *L = x + n + 2 * i, mu = fraction_of(c->contacts[i].friction_static);
        const fraction bound = fraction_multiply(mu, L[0]);
        const fraction gap =
            fraction_add(fraction_dot(n, c->W + n * i, x), exact_coulomb_normal(c, i));
        const fraction slip =
            fraction_add(fraction_dot(n, c->H + n * i, x), exact_coulomb_slip(c, i));
        if (mode[i] == 0 ? fraction_sign(&gap) < 0 : fraction_sign(&L[0]) < 0)
            return false;
        if (mode[i] == 1 && (fraction_compare(L[1], bound) > 0 ||
                             fraction_compare(fraction_subtract(fraction_int(0), L[1]), bound) > 0))
            return false;
        const int against = fraction_sign(&mu) ? fraction_sign(&slip) : 0;
        if ((mode[i] == 2 && against < 0) || (mode[i] == 3 && against > 0))
            return false;
    }
    return true;
}

#endif
