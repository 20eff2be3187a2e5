/* Impacts with rational data and their exact solutions: what laws of frictionless contacts mean,
 * found by trying all sets of contacts, in fractions. */
#ifndef CAROM_TESTS_EXACT_IMPACT_H
#define CAROM_TESTS_EXACT_IMPACT_H

#include "exact.h"
#include "impacts.h"

/* A number k/4 with |k| <= 4 size. */
static inline double exact_quarter(check_random *r, int size)
{
    return 0.25 * (check_random_int(r, 8 * size + 1) - 4 * size);
}

/* Masses of one order, or with ratios up to 1e9 (powers of two and of ten). */
static inline double exact_mass(check_random *r, bool ratios)
{
    static const double usual[] = {1, 2, 0.25, 5, 3, 1.25};
    static const double far[] = {1, 1e9, 1.25, 0x1p29, 1e5, 1};
    return (ratios ? far : usual)[check_random_int(r, 6)];
}

/* n bodies on p contacts with whole normals; every other one depends on those before it in some
 * way: a multiple, a sum, or an opposite. */
static inline void exact_scene(impacts_case *c, check_random *r, int n, int p, bool ratios)
{
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    double unit = ratios && check_random_int(r, 3) == 0 ? 0x1p-30 : 1;
    for (int k = 0; k < n; k++) {
        c->M[k] = unit * exact_mass(r, ratios);
        c->u[k] = exact_quarter(r, 2);
    }
    for (int i = 0; i < p; i++) {
        double *w = c->W + i * n;
        int kind = i > 1 ? check_random_int(r, 6) : 0;
        double a = check_random_int(r, 3) + 1, b = check_random_int(r, 5) - 2;
        for (int k = 0, zero = 1; k < n || zero; k++) {
            int at = k % n;
            if (kind == 4)
                w[at] = -c->W[at + check_random_int(r, 1) * n] * a;
            else if (kind == 5)
                w[at] = a * c->W[at] + b * c->W[at + n];
            else if (check_random_int(r, 3))
                w[at] = check_random_int(r, 7) - 3;
            else
                w[at] = 0;
            zero = zero && w[at] == 0;
            if (k >= n && kind == 5)
                kind = 0;
        }
        c->contacts[i].restitution = 0.125 * check_random_int(r, 9);
    }
    if (check_random_int(r, 3) == 0) /* one coefficient for all */
        for (int i = 1; i < p; i++)
            c->contacts[i].restitution = c->contacts[0].restitution;
}

/* Let contacts move, in a way that one velocity follows. */
static inline void exact_move(impacts_case *c, check_random *r)
{
    int n = c->impact.n;
    double b[IMPACTS_N];
    for (int k = 0; k < n; k++)
        b[k] = exact_quarter(r, 2);
    for (int i = 0; i < c->impact.p; i++) {
        c->w_hat[i] = 0;
        for (int k = 0; k < n; k++)
            c->w_hat[i] -= c->W[k + i * n] * b[k];
    }
}

static inline fraction exact_gamma(const impacts_case *c, int i, const fraction *u)
{
    int n = c->impact.n;
    return fraction_add(fraction_dot(n, c->W + i * n, u), fraction_of(c->w_hat[i]));
}

/* The mass matrix as fractions times x. */
static inline fraction exact_momentum(const impacts_case *c, int k, const fraction *x)
{
    int n = c->impact.n;
    if (c->impact.mass_is_diagonal)
        return fraction_multiply(fraction_of(c->M[k]), x[k]);
    return fraction_dot(n, c->M + k * n, x);
}

/* The point nearest to x in the kinetic metric with gamma_i = target_i for the contacts in `set`
 * (and the joints held), with its impulses: M (u - x) = W lambda + B beta. False: the rows are
 * dependent. */
static inline bool exact_meet(const impacts_case *c, const fraction *x, unsigned set,
                              const fraction *target, fraction *u, fraction *lambda)
{
    static exact_system s;
    int n = c->impact.n, p = c->impact.p, m = c->impact.m, k = n, row[EXACT_ROWS];
    for (int i = 0; i < p; i++)
        if (set >> i & 1)
            row[k++] = i;
    int all = k + m;
    if (all > EXACT_ROWS || all - n > n)
        return false;
    exact_system_make(&s, all, all);
    for (int i = 0; i < n; i++) {
        s.a[i][all] = exact_momentum(c, i, x);
        for (int j = 0; j < n; j++)
            s.a[i][j] = c->impact.mass_is_diagonal ? fraction_of(i == j ? c->M[i] : 0)
                                                   : fraction_of(c->M[i + j * n]);
        for (int j = n; j < all; j++) {
            const double *w = j < k ? c->W + row[j] * n : c->B + (j - k) * n;
            s.a[i][j] = fraction_of(-w[i]);
            s.a[j][i] = fraction_of(w[i]);
        }
    }
    for (int j = n; j < k; j++)
        s.a[j][all] = fraction_subtract(target[row[j]], fraction_of(c->w_hat[row[j]]));
    for (int j = k; j < all; j++)
        s.a[j][all] = fraction_of(-c->b_hat[j - k]);
    fraction y[EXACT_ROWS];
    if (exact_system_solve(&s, y) != all)
        return false;
    for (int i = 0; i < n; i++)
        u[i] = y[i];
    for (int i = 0; i < p; i++)
        lambda[i] = fraction_int(0);
    for (int j = n; j < k; j++)
        lambda[row[j]] = y[j];
    return true;
}

/* The point nearest to x with gamma_i >= target_i for all contacts: one of the independent sets of
 * contacts has it, with impulses that push. False: there is none. */
static inline bool exact_nearest(const impacts_case *c, const fraction *x, const fraction *target,
                                 fraction *u, fraction *lambda)
{
    int p = c->impact.p;
    for (unsigned set = 0; set < 1u << p; set++) {
        if (!exact_meet(c, x, set, target, u, lambda))
            continue;
        bool good = true;
        for (int i = 0; i < p && good; i++)
            good = fraction_sign(&lambda[i]) >= 0 &&
                   ((set >> i & 1) || fraction_compare(exact_gamma(c, i, u), target[i]) >= 0);
        if (good)
            return true;
    }
    return false;
}

static inline void exact_velocity(const impacts_case *c, fraction *u)
{
    for (int k = 0; k < c->impact.n; k++)
        u[k] = fraction_of(c->u[k]);
}

/* Are there impulses that push and explain the velocity v, M (v - u-) = W lambda? */
static inline bool exact_pushes(const impacts_case *c, const fraction *v)
{
    static exact_system s;
    int n = c->impact.n, p = c->impact.p;
    fraction x[IMPACTS_N], y[EXACT_ROWS];
    for (int k = 0; k < n; k++)
        x[k] = fraction_subtract(v[k], fraction_of(c->u[k]));
    for (unsigned set = 0; set < 1u << p; set++) {
        int row[EXACT_ROWS], count = 0;
        for (int i = 0; i < p; i++)
            if (set >> i & 1)
                row[count++] = i;
        if (count > n)
            continue;
        exact_system_make(&s, n, count);
        for (int k = 0; k < n; k++) {
            s.a[k][count] = exact_momentum(c, k, x);
            for (int j = 0; j < count; j++)
                s.a[k][j] = fraction_of(c->W[k + row[j] * n]);
        }
        bool good = exact_system_solve(&s, y) == count;
        for (int j = 0; j < count && good; j++)
            good = fraction_sign(&y[j]) >= 0;
        if (good)
            return true;
    }
    return false;
}

/* Kinetic energy of v - b times two. */
static inline fraction exact_energy(const impacts_case *c, const fraction *v, const fraction *b)
{
    fraction x[IMPACTS_N], sum = fraction_int(0);
    for (int k = 0; k < c->impact.n; k++)
        x[k] = fraction_subtract(v[k], b[k]);
    for (int k = 0; k < c->impact.n; k++)
        sum = fraction_add(sum, fraction_multiply(x[k], exact_momentum(c, k, x)));
    return sum;
}

/* A velocity that moves with all contacts; the one of least kinetic norm. */
static inline void exact_frame(const impacts_case *c, fraction *b)
{
    int p = c->impact.p, most = -1;
    fraction zero[IMPACTS_P], x[IMPACTS_N], u[IMPACTS_N], lambda[IMPACTS_P];
    for (int k = 0; k < IMPACTS_N; k++)
        x[k] = b[k] = fraction_int(0);
    for (int i = 0; i < p; i++)
        zero[i] = fraction_int(0);
    for (unsigned set = 0; set < 1u << p; set++) {
        int count = __builtin_popcount(set);
        if (count > most && exact_meet(c, x, set, zero, u, lambda)) {
            most = count;
            memcpy(b, u, sizeof u);
        }
    }
}

/* u += M^-1 W lambda, for diagonal mass matrices. */
static inline void exact_push(const impacts_case *c, const fraction *lambda, fraction *u)
{
    int n = c->impact.n;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < c->impact.p; i++)
            if (c->W[k + i * n] != 0 && fraction_sign(&lambda[i]))
                u[k] = fraction_add(
                    u[k],
                    fraction_divide(fraction_multiply(fraction_of(c->W[k + i * n]), lambda[i]),
                                    fraction_of(c->M[k])));
}

static inline bool exact_same(int n, const fraction *u, const fraction *v)
{
    for (int k = 0; k < n; k++)
        if (fraction_compare(u[k], v[k]))
            return false;
    return true;
}

/* How large the velocity of coordinate k is in this impact: before, after, and what it is compared
 * with in the contacts that it takes part in. */
static inline double exact_size(const impacts_case *c, int k, const fraction *after)
{
    int n = c->impact.n;
    double size = fabs(c->u[k]) + fabs(fraction_double(&after[k]));
    for (int i = 0; i < c->impact.p; i++) {
        double speed = fabs(c->w_hat[i]), w = fabs(c->W[k + i * n]);
        for (int j = 0; j < n && w > 0; j++)
            speed += fabs(c->W[j + i * n]) * (fabs(c->u[j]) + fabs(fraction_double(&after[j])));
        size = w > 0 ? fmax(size, speed / w) : size;
    }
    for (int j = 0; j < n; j++) /* what is rounding of everything */
        size = fmax(size, 1e-6 * (fabs(c->u[j]) + fabs(fraction_double(&after[j]))));
    return size;
}

/* The largest |u_k - v_k| in units of the quantities compared. */
static inline double exact_distance(const impacts_case *c, const double *u, const fraction *v)
{
    double worst = 0;
    for (int k = 0; k < c->impact.n; k++) {
        double exact = fraction_double(&v[k]), off = fabs(u[k] - exact);
        if (isnan(u[k]))
            return INFINITY;
        if (off > 0)
            worst = fmax(worst, off / exact_size(c, k, v));
    }
    return worst;
}

/* What the verdicts on the velocity v must be: 1 true, 0 false, -1 either, being within the
 * tolerance or near it. */
typedef struct exact_verdict {
    int kinematic, kinetic, energetic;
} exact_verdict;

static inline exact_verdict exact_judge(const impacts_case *c, const carom_outcome *o,
                                        const fraction *v, const fraction *b)
{
    const double clear = 1e-8;
    exact_verdict r = {1, 1, 1};
    fraction x[IMPACTS_N];
    double works = 0;
    int n = c->impact.n;
    exact_velocity(c, x);
    for (int i = 0; i < c->impact.p; i++) {
        fraction after = exact_gamma(c, i, v), before = exact_gamma(c, i, x);
        double gamma = fraction_double(&after), size = fabs(c->w_hat[i]);
        for (int k = 0; k < n; k++)
            size += fabs(c->W[k + i * n]) * (fabs(c->u[k]) + fabs(fraction_double(&v[k])));
        works += fabs(o->impulse[i]) * (fabs(gamma) + fabs(fraction_double(&before)));
        if (gamma < 0)
            r.kinematic = gamma < -clear * size ? 0 : r.kinematic == 1 ? -1 : r.kinematic;
    }
    if (!exact_pushes(c, v)) {
        r.kinetic = -1;
        for (int i = 0; i < c->impact.p; i++) {
            double D = 0, size = fabs(c->w_hat[i]);
            for (int k = 0; k < n; k++) {
                D += c->W[k + i * n] * c->W[k + i * n] / c->M[k];
                size += fabs(c->W[k + i * n]) * (fabs(c->u[k]) + fabs(fraction_double(&v[k])));
            }
            if (o->impulse[i] * D < -clear * size)
                r.kinetic = 0;
        }
    }
    fraction gain = fraction_subtract(exact_energy(c, v, b), exact_energy(c, x, b));
    if (fraction_sign(&gain) > 0)
        r.energetic = fraction_double(&gain) > clear * works ? 0 : -1;
    return r;
}

/* The statement as text, to type in: for messages. */
static inline const char *exact_text(const impacts_case *c)
{
    static char text[800];
    int n = c->impact.n, used = snprintf(text, sizeof text, "mass [");
    for (int k = 0; k < n; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.17g", k ? ", " : "",
                         c->M[c->impact.mass_is_diagonal ? k : k * (n + 1)]);
    used += snprintf(text + used, sizeof text - (size_t)used, "] velocity [");
    for (int k = 0; k < n; k++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "%s%.17g", k ? ", " : "", c->u[k]);
    used += snprintf(text + used, sizeof text - (size_t)used, "]");
    for (int i = 0; i < c->impact.p && used < 700; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, " [");
        for (int k = 0; k < n && used < 700; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%g", k ? ", " : "",
                             c->W[k + i * n]);
        used +=
            snprintf(text + used, sizeof text - (size_t)used, "] e %g", c->contacts[i].restitution);
        if (c->w_hat[i] != 0)
            used += snprintf(text + used, sizeof text - (size_t)used, " motion %g", c->w_hat[i]);
    }
    return text;
}

#endif
