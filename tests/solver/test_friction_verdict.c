/* What is called solved, infeasible, or neither: families whose answer is known by construction.
 * Wedges that open are never shut, chains that are shut are proved so whatever their masses are,
 * jams are no solutions however large their reactions, and velocities that are rounding are none.
 */
#include "carom/friction.h"
#include "family.h"
#include "friction_random.h"

#include <math.h>
#include <string.h>

CHECK_ARENA(arena);

static carom_friction_info solve(const carom_friction_problem *p, double *r, double *ray)
{
    carom_friction_info info;
    carom_error error = {0};
    carom_arena_reset(arena);
    check_ok(carom_friction_problem_solve(p, NULL, arena, r, NULL, ray, &info, &error), &error);
    return info;
}

/* A disc between two walls that come nearer and open by an angle: it can always leave, if fast
 * enough, and friction may keep it from that; it is never shut in. */
static void wedges(void **state)
{
    (void)state;
    family f = family_start("friction, wedges", 1, 600);
    while (family_next(&f)) {
        const double angle = pow(10, check_random_in(&f.random, -14, 0));
        const double turn = check_random_int(&f.random, 2) ? check_random_in(&f.random, 0, 6) : 0;
        const double mass = check_random_in(&f.random, 0.1, 10), M[] = {mass, 0, 0, mass};
        const double c[] = {cos(turn), cos(turn + angle)}, s[] = {sin(turn), sin(turn + angle)};
        const double H[] = {c[0], s[0], -s[0], c[0], -c[1], -s[1], s[1], -c[1]};
        const double f_in[] = {check_random_in(&f.random, -1, 1),
                               check_random_in(&f.random, -1, 1)};
        const double w[] = {-check_random_in(&f.random, 0.1, 1), 0,
                            -check_random_in(&f.random, 0.1, 1), 0};
        const double rough = 0.3 * check_random_int(&f.random, 3), mu[] = {rough, rough};
        const carom_friction_problem p = {
            .contacts = 2,
            .dimension = 2,
            .mu = mu,
            .form = CAROM_FRICTION_BODIES,
            .bodies = {1, (int[]){2}, M, f_in, (int[]){0, 1, 2}, (int[]){0, 0}, H},
            .q = w};
        double r[4];
        const carom_friction_info info = solve(&p, r, NULL);
        family_check(&f, info.outcome != CAROM_FRICTION_INFEASIBLE, "%g rad is shut", angle);
        if (rough == 0 && angle > 1e-5)
            family_check(&f, info.outcome == CAROM_FRICTION_SOLVED, "%g rad: not solved", angle);
    }
    family_end(&f);
}

/* A body between two faces of whole-numbered normals that are opposed to the last bit and come
 * nearer, by much less than they move together: the other face is not felt before the forces are a
 * million times those of one alone. */
static void nearly_open_vices(void **state)
{
    (void)state;
    enum { DOF = 3, MOST = 5 };
    family f = family_start("friction, vices that hardly close", 9, 400);
    while (family_next(&f)) {
        const int contacts = 2 + check_random_int(&f.random, MOST - 1);
        const double together = check_random_int(&f.random, 10) - 5;
        const double closing = ldexp(1, -5 - check_random_int(&f.random, 16));
        const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rough = check_random_int(&f.random, 4);
        double H[2 * DOF * MOST], w[2 * MOST] = {0}, mu[MOST], r[2 * MOST], ray[2 * MOST];
        for (int k = 0; k < 2 * DOF * contacts; k++)
            H[k] = check_random_int(&f.random, 7) - 3;
        for (int k = 0; k < DOF; k++)
            H[2 * DOF + k] = -H[k];
        for (int i = 0; i < contacts; i++) {
            w[2 * i] = i == 0 ? together : i == 1 ? -together - closing : 1;
            w[2 * i + 1] = check_random_int(&f.random, 7) - 3;
            mu[i] = rough;
        }
        const carom_friction_problem p = {
            .contacts = contacts,
            .dimension = 2,
            .mu = mu,
            .form = CAROM_FRICTION_BODIES,
            .bodies = {1, (int[]){DOF}, M, NULL, (int[]){0, 1, 2, 3, 4, 5}, (int[MOST]){0}, H},
            .q = w};
        const carom_friction_info info = solve(&p, r, ray);
        double product = 0, momentum[DOF] = {0};
        for (int i = 0; i < contacts; i++) {
            product += ray[2 * i] * w[2 * i];
            for (int k = 0; k < DOF; k++)
                momentum[k] += ray[2 * i] * H[2 * DOF * i + k];
        }
        family_check(&f, info.outcome == CAROM_FRICTION_INFEASIBLE && product < 0,
                     "closing by %g: outcome %d", closing, info.outcome);
        for (int k = 0; k < DOF; k++)
            family_check(&f, fabs(momentum[k]) <= 1e-14, "%g is left", momentum[k]);
    }
    family_end(&f);
}

/* Light and heavy bodies: W and q in other units, which leave the reactions as they are. A residual
 * adds reactions to velocities, and sees only the larger ones. */
static void light_and_heavy(void **state)
{
    (void)state;
    static random_problem p;
    static double W[RANDOM_ROWS * RANDOM_ROWS], q[RANDOM_ROWS];
    family f = family_start("friction, light and heavy bodies", 10, 400);
    while (family_next(&f)) {
        double r[RANDOM_ROWS], residual;
        random_known(&p, &f.random);
        const carom_friction_info usual = solve(&p.problem, r, NULL);
        const int power = 2 * (check_random_int(&f.random, 201) - 100);
        carom_friction_problem other = p.problem;
        for (int k = 0; k < p.n * p.n; k++)
            W[k] = ldexp(p.W[k], power);
        for (int k = 0; k < p.n; k++)
            q[k] = ldexp(p.q[k], power);
        other.W = W;
        other.q = q;
        const carom_friction_info info = solve(&other, r, NULL);
        family_check(&f, info.outcome == usual.outcome, "W times 2^%d: outcome %d", power,
                     info.outcome);
        if (info.outcome != CAROM_FRICTION_SOLVED)
            continue;
        check_ok(carom_friction_problem_residual(&p.problem, r, arena, NULL, &residual, NULL),
                 NULL);
        family_check(&f, residual <= 1e-8, "W times 2^%d: residual %g", power, residual);
    }
    family_end(&f);
}

enum { LONGEST = 40 };

/* Bodies in a row along the first axis between two walls that come nearer, masses up to 2^20 apart:
 * impulses of one at every contact prove that there is no solution. */
typedef struct chain {
    int dof[LONGEST], start[LONGEST + 2], body[2 * LONGEST];
    double M[4 * LONGEST], H[8 * LONGEST], f[2 * LONGEST];
    double w[2 * LONGEST + 2], mu[LONGEST + 1];
    carom_friction_problem problem;
} chain;

static void make_chain(chain *c, check_random *random)
{
    const int bodies = 2 + check_random_int(random, LONGEST - 1);
    double sum = 0;
    int ends = 0;
    for (int j = 0; j < bodies; j++) {
        const double m = check_random_int(random, 2) ? ldexp(1, check_random_int(random, 2) * 20)
                                                     : exp2(check_random_in(random, 0, 20));
        c->dof[j] = 2;
        memcpy(c->M + 4 * j, (double[]){m, 0, 0, m}, 4 * sizeof(double));
        for (int k = 0; k < 2; k++)
            c->f[2 * j + k] = m * check_random_in(random, -1, 1);
    }
    for (int i = 0; i <= bodies; i++) {
        c->start[i] = ends;
        for (int j = i > 0 ? i - 1 : 0; j <= i && j < bodies; j++, ends++) {
            const double sign = j == i ? 1 : -1;
            c->body[ends] = j;
            memcpy(c->H + 4 * ends, (double[]){sign, 0, 0, sign}, 4 * sizeof(double));
        }
        c->mu[i] = 0.3 * check_random_int(random, 3);
        c->w[2 * i] = check_random_in(random, -1, 1);
        c->w[2 * i + 1] = check_random_in(random, -1, 1);
        sum += c->w[2 * i];
    }
    c->start[bodies + 1] = ends;
    c->w[2 * check_random_int(random, bodies + 1)] -= sum + 0.01 * bodies;
    c->problem =
        (carom_friction_problem){.contacts = bodies + 1,
                                 .dimension = 2,
                                 .mu = c->mu,
                                 .form = CAROM_FRICTION_BODIES,
                                 .bodies = {bodies, c->dof, c->M, c->f, c->start, c->body, c->H},
                                 .q = c->w};
}

/* All of ray is one on the normals and zero across, to `tolerance`. */
static bool all_ones(const carom_friction_problem *p, const double *ray, double tolerance)
{
    for (int i = 0; i < p->contacts; i++)
        if (!(fabs(ray[2 * i] - 1) <= tolerance) || ray[2 * i + 1] != 0)
            return false;
    return true;
}

static void shut_chains(void **state)
{
    (void)state;
    static chain c;
    family f = family_start("friction, shut chains", 2, 500);
    while (family_next(&f)) {
        double r[2 * LONGEST + 2], ray[2 * LONGEST + 2];
        make_chain(&c, &f.random);
        const carom_friction_info info = solve(&c.problem, r, ray);
        family_check(&f, info.outcome == CAROM_FRICTION_INFEASIBLE, "outcome %d", info.outcome);
        family_check(&f, all_ones(&c.problem, ray, CHECK_ROUNDING(1e4)), "another ray");
    }
    family_end(&f);
}

/* The same from W alone, which holds the ray to its own rounding over the ratio of the masses. */
static void shut_chains_in_contact_space(void **state)
{
    (void)state;
    static chain c;
    static double W[4 * (LONGEST + 1) * (LONGEST + 1)], q[2 * LONGEST + 2];
    family f = family_start("friction, shut chains by W alone", 3, 100);
    while (family_next(&f)) {
        double r[2 * LONGEST + 2], ray[2 * LONGEST + 2], e[2 * LONGEST + 2] = {0};
        make_chain(&c, &f.random);
        const int n = 2 * c.problem.contacts;
        check_ok(carom_friction_problem_velocity(&c.problem, e, arena, q, NULL, NULL), NULL);
        memset(W, 0, sizeof W);
        for (int i = 0; i < c.problem.contacts; i++)
            for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < c.problem.contacts; j++)
                for (int d = 0; d < 2; d++) /* 1 / m of the bodies that i and j share */
                    W[2 * i + d + (2 * j + d) * n] = i == j
                                                         ? (i > 0 ? 1 / c.M[4 * (i - 1)] : 0) +
                                                               (i < n / 2 - 1 ? 1 / c.M[4 * i] : 0)
                                                         : -1 / c.M[4 * (i < j ? i : j)];
        const carom_friction_problem p = {
            .contacts = n / 2, .dimension = 2, .mu = c.mu, .W = W, .q = q};
        const carom_friction_info info = solve(&p, r, ray);
        family_check(&f, info.outcome == CAROM_FRICTION_INFEASIBLE, "outcome %d", info.outcome);
        family_check(&f, all_ones(&p, ray, CHECK_ROUNDING(0x1p20 * LONGEST)), "another ray");
    }
    family_end(&f);
}

enum { AXES = 7, SHUT = 24 };

/* One body with axes of masses 2^20 apart and contacts of small whole numbers whose last normal
 * shuts it in, by W alone and by the body: H y = 0 exactly for whole y, w'y < 0. The ray that is
 * found is another one as a rule: its momentum is compared with the terms. */
static void whole_rays(void **state)
{
    (void)state;
    family f = family_start("friction, rays of whole numbers", 7, 500);
    while (family_next(&f)) {
        const int contacts = 2 + check_random_int(&f.random, SHUT - 1);
        const int d = 1 + check_random_int(&f.random, 3), n = contacts * d, last = n - d;
        const int axes = 1 + check_random_int(&f.random, AXES);
        double H[3 * SHUT * AXES], M[AXES * AXES] = {0}, push[AXES], w[3 * SHUT], q[3 * SHUT];
        static double W[9 * SHUT * SHUT];
        double mu[SHUT], r[3 * SHUT], ray[3 * SHUT], product = 0;
        int start[SHUT + 1], body[SHUT] = {0};
        for (int k = 0; k < axes; k++) {
            H[k + last * axes] = 0;
            M[k * (axes + 1)] = ldexp(1, check_random_int(&f.random, 21) - 10);
        }
        for (int j = 0; j < n; j++) {
            const int y = j % d ? 0 : j == last ? 1 : check_random_int(&f.random, 4);
            w[j] = check_random_int(&f.random, 9) - 4;
            product += w[j] * y;
            for (int k = 0; k < axes && j != last; k++) {
                H[k + j * axes] = check_random_int(&f.random, 7) - 3;
                H[k + last * axes] -= y * H[k + j * axes];
            }
        }
        w[last] -= product + 1 + check_random_int(&f.random, 3);
        for (int i = 0; i <= contacts; i++)
            start[i] = i;
        for (int i = 0; i < contacts; i++)
            mu[i] = (double[]){0, 0.3, 1, 10}[check_random_int(&f.random, 4)];
        for (int k = 0; k < axes; k++)
            push[k] = M[k * (axes + 1)] * (check_random_int(&f.random, 5) - 2);
        for (int i = 0; i < n; i++) {
            q[i] = w[i];
            for (int k = 0; k < axes; k++)
                q[i] += H[k + i * axes] * push[k] / M[k * (axes + 1)];
            for (int j = 0; j < n; j++) {
                W[i + j * n] = 0;
                for (int k = 0; k < axes; k++)
                    W[i + j * n] += H[k + i * axes] * H[k + j * axes] / M[k * (axes + 1)];
            }
        }
        const carom_friction_problem p[] = {
            {.contacts = contacts, .dimension = d, .mu = mu, .W = W, .q = q},
            {.contacts = contacts,
             .dimension = d,
             .mu = mu,
             .form = CAROM_FRICTION_BODIES,
             .bodies = {1, &axes, M, push, start, body, H},
             .q = w}};
        for (int form = 0; form < 2; form++) {
            const carom_friction_outcome outcome = solve(&p[form], r, ray).outcome;
            double along = 0;
            family_check(&f, outcome == CAROM_FRICTION_INFEASIBLE, "outcome %d", outcome);
            for (int j = 0; j < n; j++) {
                along += w[j] * ray[j];
                family_check(&f, j % d ? ray[j] == 0 : ray[j] >= 0, "ray[%d] = %g", j, ray[j]);
            }
            family_check(&f, along < 0, "w'y = %g", along);
            for (int k = 0; k < axes; k++) {
                double sum = 0, terms = 0; /* W knows the ray as a whole, not axis by axis */
                for (int j = 0; j < n; j++) {
                    sum += H[k + j * axes] * ray[j];
                    terms += form ? fabs(H[k + j * axes] * ray[j]) : fabs(ray[j]);
                }
                family_check(&f, fabs(sum) <= CHECK_ROUNDING(form ? 1 : 0x1p20) * terms,
                             "axis %d keeps %g of %g", k, sum, terms);
            }
        }
    }
    family_end(&f);
}

/* One contact of a body that slides along a line, W = g g' (test_friction_infeasible.c): it jams
 * where g_N -+ mu g_T < 0. Two of them in one island, joined by entries that move nothing, one with
 * velocities up to a million times smaller: if one jams there is no solution. */
static void small_jams(void **state)
{
    (void)state;
    family f = family_start("friction, small jams", 4, 100);
    while (family_next(&f)) {
        double W[16], q[4], mu[2], r[4];
        bool jams = false, near = false;
        for (int k = 0; k < 16; k++)
            W[k] = 0x1p-700;
        for (int i = 0; i < 2; i++) {
            const double size = i ? pow(10, check_random_in(&f.random, -6, 0)) : 1;
            const double g[] = {check_random_in(&f.random, 0.1, 1),
                                check_random_in(&f.random, -3, 3)};
            mu[i] = check_random_in(&f.random, 0.1, 2);
            q[2 * i] = size * check_random_in(&f.random, -1, -0.1);
            q[2 * i + 1] = size * check_random_in(&f.random, -1, 1);
            for (int k = 0; k < 4; k++)
                W[2 * i + k % 2 + (2 * i + k / 2) * 4] = g[k % 2] * g[k / 2];
            const double slide = q[2 * i + 1] - g[1] * q[2 * i] / g[0];
            const double lever = g[0] - (slide > 0 ? mu[i] : -mu[i]) * g[1];
            jams = jams || lever < 0;
            near = near || fabs(lever) < 1e-3;
        }
        const carom_friction_problem p = {.contacts = 2, .dimension = 2, .mu = mu, .W = W, .q = q};
        if (near)
            continue;
        const carom_friction_outcome outcome = solve(&p, r, NULL).outcome;
        family_check(&f, outcome == (jams ? CAROM_FRICTION_LIMIT : CAROM_FRICTION_SOLVED),
                     "outcome %d, jams %d", outcome, jams);
    }
    family_end(&f);
}

enum { BODIES = 4, CONTACTS = 12 };

/* Surfaces that run with the bodies: f = M v, w = -H'v, so that q is what rounding leaves. */
static void velocities_of_rounding(void **state)
{
    (void)state;
    static double M[36 * BODIES], H[36 * CONTACTS];
    family f = family_start("friction, velocities that are rounding", 5, 300);
    while (family_next(&f)) {
        const int bodies = 1 + check_random_int(&f.random, BODIES);
        const int contacts = 1 + check_random_int(&f.random, 3 * bodies);
        double v[6 * BODIES], push[6 * BODIES] = {0}, w[3 * CONTACTS] = {0}, mu[CONTACTS];
        int start[CONTACTS + 1] = {0}, body[2 * CONTACTS], ends = 0;
        memset(M, 0, sizeof M);
        for (int j = 0; j < bodies; j++) {
            const double size = pow(10, check_random_in(&f.random, -2, 2));
            for (int k = 0; k < 6; k++) {
                v[6 * j + k] = check_random_in(&f.random, -1, 1);
                for (int l = 0; l <= k; l++)
                    M[36 * j + k + 6 * l] = M[36 * j + l + 6 * k] =
                        size * (k == l ? 4 : check_random_in(&f.random, -0.5, 0.5));
            }
            for (int k = 0; k < 36; k++)
                push[6 * j + k % 6] += M[36 * j + k] * v[6 * j + k / 6];
        }
        for (int i = 0; i < contacts; i++) {
            const int first = check_random_int(&f.random, bodies);
            const int other = check_random_int(&f.random, bodies);
            mu[i] = 0.35 * check_random_int(&f.random, 3);
            for (int k = 0; k < (other == first ? 1 : 2); k++, ends++) {
                body[ends] = k ? other : first;
                for (int l = 0; l < 18; l++) {
                    const double h = H[18 * ends + l] = check_random_in(&f.random, -1, 1);
                    w[3 * i + l / 6] -= h * v[6 * body[ends] + l % 6];
                }
            }
            start[i + 1] = ends;
        }
        const carom_friction_problem p = {.contacts = contacts,
                                          .dimension = 3,
                                          .mu = mu,
                                          .form = CAROM_FRICTION_BODIES,
                                          .bodies = {bodies, NULL, M, push, start, body, H},
                                          .q = w};
        double r[3 * CONTACTS];
        const carom_friction_info info = solve(&p, r, NULL);
        family_check(&f, info.outcome == CAROM_FRICTION_SOLVED, "residual %g", info.residual);
    }
    family_end(&f);
}

enum { MIXED = 6 };

/* Reactions and velocities that obey the law, contacts of one, two and three rows mixed, some
 * without friction, some bilateral; q = u - W r. */
static void mixed_rows(void **state)
{
    (void)state;
    family f = family_start("friction, mixed rows", 6, 500);
    while (family_next(&f)) {
        int rows[MIXED], n = 0, contacts = 2 + check_random_int(&f.random, MIXED - 1);
        bool bilateral[MIXED];
        double mu[MIXED], G[3 * MIXED * 3 * MIXED], W[9 * MIXED * MIXED];
        double r[3 * MIXED] = {0}, q[3 * MIXED] = {0}, found[3 * MIXED];
        for (int i = 0; i < contacts; n += rows[i++]) {
            rows[i] = 1 + check_random_int(&f.random, 3);
            bilateral[i] = check_random_int(&f.random, 7) == 0;
            mu[i] = (double[]){0, 0.2, 0.7, 2, 10}[check_random_int(&f.random, 5)];
            const int mode = check_random_int(&f.random, 3); /* open, stick, slip */
            const double normal = check_random_in(&f.random, 0.1, 1);
            const double angle = check_random_in(&f.random, 0, 6.28);
            const double along[] = {rows[i] == 2 ? (angle > 3 ? 1 : -1) : cos(angle), sin(angle)};
            for (int k = 0; k < rows[i]; k++) {
                const double t = k > 0 ? along[k - 1] : 0, share = mode == 2 ? 1 : 0.5;
                if (bilateral[i])
                    r[n + k] = check_random_in(&f.random, -1, 1);
                else if (mode == 0)
                    q[n + k] = k == 0 ? normal : t;
                else
                    r[n + k] = k == 0 ? normal : -share * mu[i] * normal * t;
                if (!bilateral[i] && mode == 2 && k > 0)
                    q[n + k] = t;
                if (!bilateral[i] && mode == 1 && k > 0 && mu[i] == 0)
                    r[n + k] = 0;
            }
        }
        const int rank = (n + 1) / 2 + check_random_int(&f.random, n / 2 + 1);
        for (int k = 0; k < rank * n; k++)
            G[k] = check_random_in(&f.random, -1, 1);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int k = 0; k < rank; k++)
                    sum += G[k + i * rank] * G[k + j * rank];
                W[i + j * n] = sum;
            }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                q[i] -= W[i + j * n] * r[j];
        const carom_friction_problem p = {
            .contacts = contacts, .rows = rows, .mu = mu, .bilateral = bilateral, .W = W, .q = q};
        const carom_friction_info info = solve(&p, found, NULL);
        family_check(&f, info.outcome == CAROM_FRICTION_SOLVED, "outcome %d, residual %g",
                     info.outcome, info.residual);
    }
    family_end(&f);
}

/* Masses that are negative, or not positive definite, are refused with the body they belong to. */
static void refused_masses(void **state)
{
    (void)state;
    const double masses[][4] = {{-1, 0, 0, 1}, {1, 2, 2, 1}, {0, 0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        double M[] = {1, 0, 0, 1, 0, 0, 0, 0}, r[4], w[4] = {-1, 0, -1, 0}, f[4] = {0};
        const double H[] = {1, 0, 0, 1, 1, 0, 0, 1}, mu[] = {0.5, 0.5};
        memcpy(M + 4, masses[k], sizeof masses[k]);
        const carom_friction_problem p = {
            .contacts = 2,
            .dimension = 2,
            .mu = mu,
            .form = CAROM_FRICTION_BODIES,
            .bodies = {2, (int[]){2, 2}, M, f, (int[]){0, 1, 2}, (int[]){0, 1}, H},
            .q = w};
        carom_error error = {0};
        assert_int_equal(carom_friction_problem_solve(&p, NULL, arena, r, NULL, NULL, NULL, &error),
                         CAROM_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "body 1 is not positive definite"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wedges),
                                       cmocka_unit_test(nearly_open_vices),
                                       cmocka_unit_test(light_and_heavy),
                                       cmocka_unit_test(shut_chains),
                                       cmocka_unit_test(shut_chains_in_contact_space),
                                       cmocka_unit_test(whole_rays),
                                       cmocka_unit_test(small_jams),
                                       cmocka_unit_test(velocities_of_rounding),
                                       cmocka_unit_test(mixed_rows),
                                       cmocka_unit_test(refused_masses)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
