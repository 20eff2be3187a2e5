/* Certificates of contact problems: rest, Painleve regions, critical friction, in the plane and in
 * space. */
#include "carom/certify.h"
#include "impacts.h"

/* Painleve's rod: half-length l = 1, mass 1, end on the ground. q = (x, y, th). */
typedef struct rod {
    double gravity;
} rod;

static carom_status rod_evaluate(void *self, unsigned want, carom_state *s, carom_error *error)
{
    (void)want;
    (void)error;
    const rod *r = self;
    double c = cos(s->q[2]), d = sin(s->q[2]), w = s->u[2];
    s->M[0] = s->M[1] = 1;
    s->M[2] = 1.0 / 3;
    s->h[1] = -r->gravity;
    s->g[0] = s->q[1] - d;
    s->W[1] = 1;
    s->W[2] = -c;
    s->H[0] = 1;
    s->H[2] = d;
    s->g_bias[0] = d * w * w;
    s->slip_bias[0] = c * w * w;
    return CAROM_OK;
}

/* The same in space: it may also be carried along z. Slips: z first, then x. */
static carom_status rod_evaluate_spatial(void *self, unsigned want, carom_state *s,
                                         carom_error *error)
{
    carom_status status = rod_evaluate(self, want, s, error);
    s->M[3] = 1;
    s->W[3] = 0;
    s->H[4] = s->H[0];
    s->H[6] = s->H[2];
    s->H[0] = s->H[1] = s->H[2] = s->H[5] = s->H[7] = 0;
    s->H[3] = 1;
    s->slip_bias[1] = s->slip_bias[0];
    s->slip_bias[0] = 0;
    return status;
}

static const carom_system_ops rod_ops = {.name = "rod", .evaluate = rod_evaluate},
                              spatial_ops = {.name = "rod in space",
                                             .evaluate = rod_evaluate_spatial};

CHECK_ARENA(arena);

static carom_system *make_rod(rod *self, double mu)
{
    static const char *const q[] = {"x", "y", "th"}, *const v[] = {"x'", "y'", "th'"};
    static const int slip_start[] = {0, 1};
    carom_contact contact = carom_contact_default();
    contact.slip_count = 1;
    contact.friction_static = contact.friction_dynamic = mu;
    carom_system_shape shape = {.nq = 3,
                                .n = 3,
                                .p = 1,
                                .s = 1,
                                .mass_is_diagonal = true,
                                .kinematics_is_identity = true,
                                .coordinates = q,
                                .velocities = v,
                                .contacts = &contact,
                                .slip_start = slip_start};
    carom_system *system;
    carom_error error = {0};
    check_ok(carom_system_create(&rod_ops, self, &shape, NULL, &system, &error), &error);
    return system;
}

static carom_painleve solve_rod(double mu, double theta, double omega, double slip, double gravity,
                                carom_certificates *all)
{
    rod self = {gravity};
    carom_system *system = make_rod(&self, mu);
    carom_state state;
    carom_impact impact;
    carom_geometry g;
    carom_painleve problem;
    carom_error error = {0};
    int closed[1];
    check_ok(carom_state_create(system, arena, &state, &error), &error);
    state.q[1] = sin(theta);
    state.q[2] = theta;
    state.u[2] = omega;
    state.u[1] = cos(theta) * omega;        /* gap velocity 0 */
    state.u[0] = slip - sin(theta) * omega; /* slip velocity */
    check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &state, &error), &error);
    check_ok(carom_impact_from_system(system, &state, 1e-9, arena, &impact, closed, &error),
             &error);
    check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
    check_ok(carom_painleve_solve(system, &state, &g, closed, arena, &problem, &error), &error);
    if (all)
        check_ok(carom_certify_contact(&g, NULL, arena, all, &error), &error);
    carom_system_destroy(system);
    return problem;
}

/* Validation E1: the four regions of the sliding rod. Here sliding to the left, xi = -1:
 * A = 1 + 3 cos^2 - 3 mu sin cos. */
static void test_painleve_regions(void **state)
{
    (void)state;
    double degree = CAROM_PI / 180;
    int seen[5] = {0};
    for (double mu = 0.5; mu < 3; mu += 0.3)
        for (double angle = 2; angle < 89; angle += 3.1)
            for (double omega = 0; omega < 6; omega += 1.7) {
                carom_arena_reset(arena);
                double theta = angle * degree, c = cos(theta), s = sin(theta);
                double A = 1 + 3 * c * c - 3 * mu * s * c, b = omega * omega * s - 9.81;
                carom_certificates all = {0};
                carom_painleve x = solve_rod(mu, theta, omega, -1, 9.81, &all);
                carom_painleve_class expected = A > 0   ? CAROM_PAINLEVE_UNIQUE
                                                : b > 0 ? CAROM_PAINLEVE_SEVERAL
                                                        : CAROM_PAINLEVE_NONE;
                assert_int_equal(x.kind, expected);
                seen[x.kind]++;
                assert_int_equal(x.count, A > 0 ? 1 : b > 0 ? 2 : 0);
                for (int k = 0; k < x.count; k++) {
                    double force = x.solutions[k].force[0];
                    check_close(x.solutions[k].acceleration[0], A * force + b,
                                1e-12 * (force + 100));
                    assert_true(force == 0 || x.solutions[k].acceleration[0] == 0);
                    assert_true(force >= 0 && x.solutions[k].acceleration[0] >= -1e-9);
                    check_close(x.solutions[k].tangential_force[0], mu * force,
                                1e-12 * (force + 1));
                }
                assert_int_equal(carom_certificates_find(&all, "contact-p-matrix")->holds,
                                 A > 0 ? CAROM_TRUE : CAROM_FALSE);
                assert_int_equal(carom_certificates_find(&all, "contact-p-matrix-all")->holds,
                                 A > 0 ? CAROM_TRUE : CAROM_FALSE);
                if (carom_certificates_find(&all, "contact-perturbation")->holds == CAROM_TRUE)
                    assert_true(A > 0);
            }
    assert_true(seen[CAROM_PAINLEVE_UNIQUE] && seen[CAROM_PAINLEVE_NONE] &&
                seen[CAROM_PAINLEVE_SEVERAL]);
    /* sliding the other way is never paradoxical */
    carom_painleve x = solve_rod(2, 63 * degree, 0, 1, 9.81, NULL);
    assert_int_equal(x.kind, CAROM_PAINLEVE_UNIQUE);
}

/* At rest and leaning: it sticks if friction holds, else slides; with much friction it may do both
 * (stick is one solution, Painleve's modes the others). */
static void test_resting_rod(void **state)
{
    (void)state;
    for (double theta = 0.1; theta < 1.5; theta += 0.1)
        for (double mu = 0.05; mu < 1.3; mu += 0.1) {
            carom_arena_reset(arena);
            carom_painleve x = solve_rod(mu, theta, 0, 0, 9.81, NULL);
            assert_int_equal(x.kind, CAROM_PAINLEVE_UNIQUE);
            /* stick: the rod turns about its end; force ratio from the pendulum */
            double s = sin(theta), c = cos(theta), alpha = -0.75 * 9.81 * c;
            double normal = 9.81 + c * alpha, tangential = -s * alpha;
            bool sticks = fabs(tangential) <= mu * normal;
            assert_int_equal(x.solutions[0].mode[0],
                             sticks ? CAROM_MODE_STICK : CAROM_MODE_SLIP_MINUS);
            if (sticks) {
                check_close(x.solutions[0].force[0], normal, 1e-9);
                check_close(fabs(x.solutions[0].tangential_force[0]), fabs(tangential), 1e-9);
            }
        }
}

static void test_critical_friction_of_the_rod(void **state)
{
    (void)state;
    rod self = {9.81};
    carom_system *system = make_rod(&self, 0.1);
    carom_state s;
    carom_error error = {0};
    check_ok(carom_state_create(system, arena, &s, &error), &error);
    s.q[2] = 0.7;
    s.q[1] = sin(0.7);
    double samples[57];
    carom_critical_path path;
    check_ok(carom_critical_along(system, &s, 1e-9, 2, 0.1, 1.5, 57, samples, NULL, arena, &path,
                                  &error),
             &error);
    check_close(path.least, 4.0 / 3, 1e-12);
    check_close(path.at, atan(2), 1e-9);
    assert_true(path.inside);
    assert_true(s.q[2] == 0.7); /* restored */
    for (int i = 0; i < 57; i++) {
        double th = 0.1 + 1.4 * i / 56, c = cos(th);
        check_close(samples[i], (1 + 3 * c * c) / (3 * sin(th) * c), 1e-10);
    }
    carom_system_destroy(system);
}

/* Disc in a corner (theory, example 4/6): D = [1 -mu2 xi2; -mu1 xi1 1], critical at mu = 1, single
 * contacts never. */
static void disc_in_corner(impacts_case *c, double mu)
{
    impacts_init(c, 3, 2);
    c->impact.mass_is_diagonal = true;
    c->M[0] = c->M[1] = 2;
    c->M[2] = 1;
    c->W[1] = 1; /* y - R */
    c->W[3] = 1; /* x - R */
    c->H[0] = 1;
    c->H[2] = 0.5;
    c->H[4] = 1;
    c->H[5] = -0.5;
    c->u[0] = c->u[1] = -1;
    for (int i = 0; i < 2; i++) {
        c->contacts[i].slip_count = 1;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic = mu;
    }
}

static void test_disc_in_corner(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_critical critical;
    carom_error error = {0};
    disc_in_corner(&c, 0.9);
    check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
    check_ok(carom_critical_friction(&g, NULL, arena, &critical, &error), &error);
    check_close(critical.common, 1, 1e-14);
    assert_true(isinf(critical.per_contact[0]) && isinf(critical.per_contact[1]));
    assert_int_equal(critical.minor_count, 2);
    for (double mu = 0.5; mu < 1.6; mu += 0.2) {
        disc_in_corner(&c, mu);
        check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
        carom_certificates all = {0};
        check_ok(carom_certify_contact(&g, NULL, arena, &all, &error), &error);
        assert_int_equal(carom_certificates_find(&all, "contact-p-matrix-all")->holds,
                         mu < 1 ? CAROM_TRUE : CAROM_FALSE);
    }
}

/* Random planar systems: D is P for all directions just below the critical friction, and not just
 * above. */
static void test_critical_friction_is_critical(void **state)
{
    (void)state;
    check_random r = {31};
    int finite = 0;
    for (int round = 0; round < 200; round++) {
        carom_arena_reset(arena);
        int n = 3 + check_random_int(&r, 4), p = 1 + check_random_int(&r, 3);
        impacts_case c;
        carom_geometry g;
        carom_critical critical;
        carom_error error = {0};
        impacts_random(&c, &r, n, p, false, 10);
        for (int k = 0; k < n * p; k++)
            c.H[k] = check_random_in(&r, -1, 1);
        for (int i = 0; i < p; i++)
            c.contacts[i].slip_count = 1;
        check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
        check_ok(carom_critical_friction(&g, NULL, arena, &critical, &error), &error);
        if (!isfinite(critical.common))
            continue;
        finite++;
        for (int i = 0; i < p; i++)
            assert_true(critical.per_contact[i] >= critical.common * (1 - 1e-9));
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < p; i++)
                c.contacts[i].friction_static = c.contacts[i].friction_dynamic =
                    critical.common * (1 + side * 1e-7);
            carom_certificates all = {0};
            check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
            check_ok(carom_certify_contact(&g, NULL, arena, &all, &error), &error);
            assert_int_equal(carom_certificates_find(&all, "contact-p-matrix-all")->holds,
                             side < 0 ? CAROM_TRUE : CAROM_FALSE);
            const carom_certificate *f = carom_certificates_find(&all, "contact-perturbation");
            assert_int_equal(f->holds == CAROM_TRUE && side > 0, false);
        }
    }
    assert_true(finite > 150);
}

/* Spatial contact of a free body: mu_c = |w|^2 / |w'M^-1 H| in every direction. */
static void test_spatial_contact(void **state)
{
    (void)state;
    check_random r = {32};
    for (int round = 0; round < 50; round++) {
        carom_arena_reset(arena);
        impacts_case c;
        carom_geometry g;
        carom_critical critical;
        impacts_random(&c, &r, 5, 1, false, 10);
        for (int k = 0; k < 10; k++)
            c.H[k] = check_random_in(&r, -1, 1);
        c.contacts[0].slip_count = 2;
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        check_ok(carom_critical_friction(&g, NULL, arena, &critical, NULL), NULL);
        double a = 0, b = 0;
        for (int k = 0; k < 5; k++) {
            a += g.Y[k] * c.H[k];
            b += g.Y[k] * c.H[5 + k];
        }
        check_close(critical.common, g.D[0] / hypot(a, b), 1e-10 * critical.common);
    }
}

/* The contact problem of the rod at rest at theta, in the plane or in space. */
static carom_painleve rest_rod(bool spatial, double theta, double mu_s, double mu_d)
{
    static const int plane[] = {0, 1}, space[] = {0, 2};
    rod self = {9.81};
    carom_contact contact = carom_contact_default();
    contact.slip_count = spatial ? 2 : 1;
    contact.friction_static = mu_s;
    contact.friction_dynamic = mu_d;
    carom_system_shape shape = {.nq = spatial ? 4 : 3,
                                .n = spatial ? 4 : 3,
                                .p = 1,
                                .s = spatial ? 2 : 1,
                                .mass_is_diagonal = true,
                                .kinematics_is_identity = true,
                                .contacts = &contact,
                                .slip_start = spatial ? space : plane};
    carom_system *system;
    carom_state state;
    carom_impact impact;
    carom_geometry g;
    carom_painleve problem;
    carom_error error = {0};
    int closed[1];
    check_ok(carom_system_create(spatial ? &spatial_ops : &rod_ops, &self, &shape, NULL, &system,
                                 &error),
             &error);
    check_ok(carom_state_create(system, arena, &state, &error), &error);
    state.q[1] = sin(theta);
    state.q[2] = theta;
    check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &state, &error), &error);
    check_ok(carom_impact_from_system(system, &state, 1e-9, arena, &impact, closed, &error),
             &error);
    check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
    check_ok(carom_painleve_solve(system, &state, &g, closed, arena, &problem, &error), &error);
    carom_system_destroy(system);
    return problem;
}

/* A motion in a plane is the same in space, whatever the friction; a rod that can stick does. */
static void test_rest_in_space(void **state)
{
    (void)state;
    int sticks = 0, slips = 0;
    for (double theta = 0.1; theta < 1.5; theta += 0.07)
        for (double mu = 0.05; mu < 4; mu *= 1.3)
            for (int weak = 0; weak < 2; weak++) {
                carom_arena_reset(arena);
                carom_painleve a = rest_rod(false, theta, mu, weak ? 0.8 * mu : mu);
                carom_painleve b = rest_rod(true, theta, mu, weak ? 0.8 * mu : mu);
                assert_int_equal(a.kind, CAROM_PAINLEVE_UNIQUE);
                assert_int_equal(b.kind, a.kind);
                assert_int_equal(b.count, 1);
                check_close(b.solutions[0].force[0], a.solutions[0].force[0], 1e-9);
                check_close(b.solutions[0].tangential_force[0], 0, 1e-9);
                check_close(b.solutions[0].tangential_force[1], a.solutions[0].tangential_force[0],
                            1e-9);
                const bool stick = a.solutions[0].mode[0] == CAROM_MODE_STICK;
                assert_int_equal(b.solutions[0].mode[0],
                                 stick ? CAROM_MODE_STICK : CAROM_MODE_SLIP);
                sticks += stick;
                slips += !stick;
            }
    assert_true(sticks > 100 && slips > 100);
}

/* Many bodies in a row that do not touch each other: the answer is that of the worst of them, exact
 * beyond the limit of contacts that hang together. A chain that does: bounds that enclose it. */
static void test_many_contacts(void **state)
{
    (void)state;
    enum { BODIES = 15, SIZE = 3 * BODIES, CONTACTS = 2 * BODIES };
    check_random r = {77};
    static double M[SIZE], W[SIZE * CONTACTS], H[SIZE * CONTACTS], u[SIZE];
    static carom_contact contacts[CONTACTS];
    double least = INFINITY;
    carom_error error = {0};
    carom_geometry g;
    carom_critical all, one;
    memset(W, 0, sizeof W);
    memset(H, 0, sizeof H);
    for (int b = 0; b < BODIES; b++) {
        double m[3], w[6], h[6];
        carom_contact pair[2];
        for (int k = 0; k < 3; k++)
            M[3 * b + k] = m[k] = check_random_in(&r, 0.5, 2);
        for (int i = 0; i < 2; i++) {
            pair[i] = contacts[2 * b + i] = carom_contact_default();
            pair[i].slip_count = contacts[2 * b + i].slip_count = 1;
            for (int k = 0; k < 3; k++) {
                w[3 * i + k] = W[3 * b + k + SIZE * (2 * b + i)] = check_random_in(&r, -1, 1);
                h[3 * i + k] = H[3 * b + k + SIZE * (2 * b + i)] = check_random_in(&r, -1, 1);
            }
        }
        carom_impact single = {.n = 3,
                               .p = 2,
                               .mass_is_diagonal = true,
                               .M = m,
                               .W = w,
                               .H = h,
                               .u = u,
                               .contacts = pair};
        carom_arena_reset(arena);
        check_ok(carom_impact_derive(&single, arena, &g, &error), &error);
        check_ok(carom_critical_friction(&g, NULL, arena, &one, &error), &error);
        assert_true(one.exact);
        least = fmin(least, one.common);
    }
    carom_impact many = {.n = SIZE,
                         .p = CONTACTS,
                         .mass_is_diagonal = true,
                         .M = M,
                         .W = W,
                         .H = H,
                         .u = u,
                         .contacts = contacts};
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(&many, arena, &g, &error), &error);
    check_ok(carom_critical_friction(&g, NULL, arena, &all, &error), &error);
    assert_true(all.exact);
    check_close(all.common, least, 1e-12 * least);
    /* now each body's second contact pushes the next body too */
    for (int b = 0; b + 1 < BODIES; b++)
        W[3 * (b + 1) + SIZE * (2 * b + 1)] = 0.3;
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(&many, arena, &g, &error), &error);
    check_ok(carom_critical_friction(&g, NULL, arena, &all, &error), &error);
    assert_false(all.exact);
    assert_true(all.lower > 0 && all.lower < all.common);
    /* just above what was found some direction has a minor <= 0, below the bound none */
    for (int side = -1; side <= 1; side += 2) {
        const double mu = side < 0 ? all.lower * 0.999 : all.common * 1.001;
        int bad = 0;
        for (int pattern = 0; pattern < 12; pattern++) {
            double D[CONTACTS * CONTACTS];
            carom_p_matrix answer;
            bool signs[CONTACTS];
            for (int i = 0; i < CONTACTS; i++)
                signs[i] = check_random_int(&r, 2);
            for (int k = 0; k < all.minor_count && side > 0; k++)
                signs[all.minor[k]] = cos(all.angle[k]) > 0;
            for (int j = 0; j < CONTACTS; j++)
                for (int i = 0; i < CONTACTS; i++) {
                    double sum = 0, norms = g.norm[i] * g.norm[j];
                    for (int k = 0; k < SIZE; k++)
                        sum += g.Y[k + (size_t)i * SIZE] * H[k + (size_t)j * SIZE];
                    D[i + j * CONTACTS] = g.D[i + (size_t)j * CONTACTS] / norms -
                                          mu * (signs[j] ? 1 : -1) * sum / norms;
                }
            check_ok(carom_p_matrix_test(CONTACTS, D, NULL, NULL, arena, &answer, &error), &error);
            bad += answer.p_matrix == CAROM_FALSE;
        }
        assert_true(side < 0 ? bad == 0 : bad == 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_contacts),
        cmocka_unit_test(test_rest_in_space),
        cmocka_unit_test(test_painleve_regions),
        cmocka_unit_test(test_resting_rod),
        cmocka_unit_test(test_critical_friction_of_the_rod),
        cmocka_unit_test(test_disc_in_corner),
        cmocka_unit_test(test_critical_friction_is_critical),
        cmocka_unit_test(test_spatial_contact),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
