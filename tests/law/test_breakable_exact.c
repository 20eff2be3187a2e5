/* The law `breakable` against exact fractions: one contact with one or two slip rows, dependent on
 * each other, on the normal and on a joint, moving, at mass ratios to 1e9, and at the border. */
#include "exact_impact.h"
#include "family.h"

CHECK_ARENA(arena);

static const double DIGITS = 1e-9;

enum { ROWS = 6 };

/* The velocity nearest to x with the joints, and rows'u + motion = 0 for those in `set`. False:
 * dependent rows. */
static bool hold(const impacts_case *c, const fraction *x, int count, const double *const *row,
                 const double *motion, unsigned set, fraction *u)
{
    static exact_system s;
    const double *all[ROWS];
    double shift[ROWS];
    int n = c->impact.n, k = 0;
    for (int j = 0; j < c->impact.m; j++) {
        all[k] = c->B + j * n;
        shift[k++] = c->b_hat[j];
    }
    for (int j = 0; j < count; j++)
        if (set >> j & 1) {
            all[k] = row[j];
            shift[k++] = motion[j];
        }
    if (k > n)
        return false;
    exact_system_make(&s, n + k, n + k);
    for (int i = 0; i < n; i++) {
        s.a[i][n + k] = exact_momentum(c, i, x);
        s.a[i][i] = fraction_of(c->M[i]);
        for (int j = 0; j < k; j++) {
            s.a[i][n + j] = fraction_of(-all[j][i]);
            s.a[n + j][i] = fraction_of(all[j][i]);
        }
    }
    for (int j = 0; j < k; j++)
        s.a[n + j][n + k] = fraction_of(-shift[j]);
    fraction y[EXACT_ROWS];
    if (exact_system_solve(&s, y) != n + k)
        return false;
    memcpy(u, y, sizeof *u * (size_t)n);
    return true;
}

/* The same for all rows, dependent or not. False: no velocity satisfies them. */
static bool hold_all(const impacts_case *c, const fraction *x, int count, const double *const *row,
                     const double *motion, fraction *u)
{
    int most = -1, n = c->impact.n;
    fraction v[IMPACTS_N];
    for (unsigned set = 0; set < 1u << count; set++)
        if (__builtin_popcount(set) > most && hold(c, x, count, row, motion, set, v)) {
            most = __builtin_popcount(set);
            memcpy(u, v, sizeof *u * (size_t)n);
        }
    for (int j = 0; j < count && most >= 0; j++) {
        fraction off = fraction_add(fraction_dot(n, row[j], u), fraction_of(motion[j]));
        if (fraction_sign(&off))
            return false;
    }
    return most >= 0;
}

static fraction squared(const impacts_case *c, const fraction *u, const fraction *v)
{
    return exact_energy(c, u, v);
}

/* What the law says, exactly but for one root. */
typedef struct answer {
    bool applies, exists, sticks, border;
    double u[IMPACTS_N];
    fraction close[IMPACTS_N];
} answer;

static answer solve(const impacts_case *c)
{
    answer a = {0};
    const double *row[ROWS] = {c->W};
    double motion[ROWS] = {c->w_hat[0]};
    int n = c->impact.n, count = 1;
    const carom_contact *contact = c->contacts;
    fraction x[IMPACTS_N], u[IMPACTS_N], P_S[IMPACTS_N], P_B[IMPACTS_N];
    exact_velocity(c, x);
    if (!hold(c, x, 0, row, motion, 0, u)) /* joints close first */
        return a;
    fraction gamma = exact_gamma(c, 0, u);
    if (fraction_sign(&gamma) >= 0 || !hold(c, u, 1, row, motion, 1, P_S))
        return a;
    a.applies = true;
    for (int j = 0; j < contact->slip_count; j++, count++) {
        row[count] = c->H + j * n;
        motion[count] = c->slip_motion[j];
    }
    a.exists = hold_all(c, P_S, count, row, motion, P_B);
    fraction V_S = squared(c, u, P_S), V_B = squared(c, P_S, P_B);
    fraction mu = fraction_of(contact->friction_static);
    fraction bound = fraction_multiply(fraction_multiply(mu, mu), V_S);
    a.sticks = fraction_compare(V_B, bound) <= 0;
    double ratio = sqrt(fraction_double(&V_S) / fraction_double(&V_B));
    double factor = a.sticks ? 1 : fmin(1, contact->friction_dynamic * ratio);
    if (contact->friction_static == 0)
        factor = 0;
    for (int k = 0; k < n && a.exists; k++) {
        fraction s = fraction_subtract(u[k], P_S[k]), b = fraction_subtract(P_S[k], P_B[k]);
        fraction e = fraction_of(1 + contact->restitution);
        fraction after = fraction_subtract(u[k], fraction_multiply(e, s));
        a.u[k] = fraction_double(&after) - factor * fraction_double(&b);
        a.close[k] = u[k];
    }
    double difference = fraction_double(&V_B) - fraction_double(&bound);
    a.border =
        fabs(difference) <= 1e-9 * fraction_double(&bound) && fraction_compare(V_B, bound) != 0;
    return a;
}

static void draw(family *f, impacts_case *c)
{
    check_random *r = &f->random;
    int n = 2 + check_random_int(r, 2);
    exact_scene(c, r, n, 1, f->member % 3 > 0);
    carom_contact *contact = c->contacts;
    contact->slip_count = 1 + check_random_int(r, 2);
    contact->friction_static = 0.25 * check_random_int(r, 9);
    contact->friction_dynamic = contact->friction_static * 0.25 * check_random_int(r, 5);
    if (check_random_int(r, 3) == 0)
        c->w_hat[0] = exact_quarter(r, 1);
    if (check_random_int(r, 2)) {
        c->impact.m = 1;
        for (int k = 0; k < n; k++)
            c->B[k] = check_random_int(r, 5) - 2;
        if (c->B[0] == 0)
            c->B[0] = 1;
    }
    for (int j = 0; j < contact->slip_count; j++) {
        int kind = check_random_int(r, 6);
        double a = check_random_int(r, 3) + 1;
        for (int k = 0; k < n; k++) {
            double *h = &c->H[k + j * n];
            *h = check_random_int(r, 7) - 3;
            if (kind == 0 && j == 1) /* a multiple of the other */
                *h = -a * c->H[k];
            if (kind == 1) /* with a part of the normal */
                *h = a * c->W[k] + (c->impact.m ? c->B[k] : *h);
            if (kind == 2 && c->impact.m) /* held by the joint already */
                *h = a * c->B[k];
        }
        c->slip_motion[j] = check_random_int(r, 4) ? 0 : exact_quarter(r, 1);
    }
    if (f->member % 5 == 0 && n == 2 && !c->impact.m) { /* the border, for a point */
        c->W[0] = c->H[1] = c->w_hat[0] = c->slip_motion[0] = 0;
        c->W[1] = c->H[0] = contact->slip_count = 1;
        c->M[1] = c->M[0];
        c->u[1] = -1;
        c->u[0] = contact->friction_static;
    }
}

static void breakable(void **state)
{
    (void)state;
    family f = family_start("breakable in fractions", 31, 600);
    while (family_next(&f)) {
        impacts_case c;
        draw(&f, &c);
        answer a = solve(&c);
        carom_geometry g;
        carom_error error = {0};
        if (!a.applies || carom_impact_derive(&c.impact, arena, &g, &error)) {
            carom_arena_reset(arena);
            continue; /* nothing approaches, joints block it, or motions contradict */
        }
        carom_outcome o = impacts_apply(&c.impact, "breakable", NULL, 0, arena, &g);
        family_check(&f, o.answer == (a.exists ? CAROM_ANSWER_OK : CAROM_ANSWER_NONE),
                     "%s: %s, exactly %s", exact_text(&c), carom_answer_text(o.answer),
                     a.exists ? "ok" : "none");
        bool good = a.exists && o.answer == CAROM_ANSWER_OK && !a.border;
        bool rough = c.contacts[0].friction_static > 0;
        family_check(&f, !good || !rough || (o.mode[0] == CAROM_MODE_STICK) == a.sticks,
                     "%s: %s, exactly %s", exact_text(&c), carom_mode_text(o.mode[0]),
                     a.sticks ? "stick" : "slip");
        for (int k = 0; k < c.impact.n && good; k++) {
            double size = exact_size(&c, k, a.close) + fabs(a.u[k]);
            for (int j = 0; j < c.contacts[0].slip_count; j++)
                for (int i = 0; i < c.impact.n; i++)
                    size += fabs(c.H[i + j * c.impact.n] * a.u[i]) + fabs(c.slip_motion[j]);
            family_check(&f, fabs(o.u[k] - a.u[k]) <= DIGITS * size,
                         "%s: u_%d %.17g, exactly %.17g", exact_text(&c), k + 1, o.u[k], a.u[k]);
        }
        family_check(&f, !good || (o.verdict.misfit <= 1 && o.verdict.energetic),
                     "%s: misfit %g, energy gain %g", exact_text(&c), o.verdict.misfit,
                     o.verdict.energy_gain);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(breakable)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
