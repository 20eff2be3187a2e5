/* Systems of bodies in motion: rates of gaps and loops are those that the rows say, energy is kept.
 */
#include "bodies/system_case.h"

/* A shaken table: a prescribed motion with known derivatives. */
static void shake(void *self, double t, carom_body_motion *m)
{
    int space = *(int *)self;
    double a = 0.4 * sin(2 * t), da = 0.8 * cos(2 * t), dda = -1.6 * sin(2 * t);
    const double x[3] = {0.3 * sin(t), 0.2 * cos(3 * t), space == 3 ? 0.1 * t * t : 0};
    const double v[3] = {0.3 * cos(t), -0.6 * sin(3 * t), space == 3 ? 0.2 * t : 0};
    const double dv[3] = {-0.3 * sin(t), -1.8 * cos(3 * t), space == 3 ? 0.2 : 0};
    memcpy(m->position, x, sizeof x);
    memcpy(m->velocity, v, sizeof v);
    memcpy(m->acceleration, dv, sizeof dv);
    if (space == 2) {
        m->turn[0] = a;
        m->spin[0] = da;
        m->spin_rate[0] = dda;
        return;
    }
    /* about (2, -1, 2)/3 */
    const double axis[3] = {2. / 3, -1. / 3, 2. / 3};
    m->turn[0] = cos(a / 2);
    for (int k = 0; k < 3; k++) {
        m->turn[1 + k] = sin(a / 2) * axis[k];
        m->spin[k] = da * axis[k];
        m->spin_rate[k] = dda * axis[k];
    }
}

/* u' = M^-1 h by Gauss. */
static void accelerate(const carom_system_shape *z, const carom_state *s, double *a)
{
    int n = z->n;
    double A[20 * 20];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + n * j] = z->mass_is_diagonal ? (i == j) * s->M[i] : s->M[i + n * j];
    memcpy(a, s->h, (size_t)n * sizeof *a);
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = A[i + n * k] / A[k + n * k];
            for (int j = k; j < n; j++)
                A[i + n * j] -= factor * A[k + n * j];
            a[i] -= factor * a[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            a[k] -= A[k + n * j] * a[j];
        a[k] /= A[k + n * k];
    }
}

/* One step of a fourth-order method. */
static void move(made *m, const carom_state *from, double dt)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, w[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const carom_system_shape *z = carom_system_get_shape(m->system);
    double kq[30] = {0}, ku[20] = {0}, q[30], u[20];
    carom_state *s = &m->state;
    memcpy(q, from->q, (size_t)z->nq * sizeof *q);
    memcpy(u, from->u, (size_t)z->n * sizeof *u);
    for (int stage = 0; stage < 4; stage++) {
        s->t = from->t + c[stage] * dt;
        for (int i = 0; i < z->nq; i++)
            s->q[i] = from->q[i] + c[stage] * dt * kq[i];
        for (int i = 0; i < z->n; i++)
            s->u[i] = from->u[i] + c[stage] * dt * ku[i];
        evaluate(m, CAROM_WANT_KINEMATICS | CAROM_WANT_FORCES | CAROM_WANT_MASS);
        accelerate(z, s, ku);
        for (int i = 0; i < z->nq; i++) {
            kq[i] = z->kinematics_is_identity ? s->u[i] : 0;
            for (int j = 0; j < z->n && !z->kinematics_is_identity; j++)
                kq[i] += s->N[i + z->nq * j] * s->u[j];
            q[i] += w[stage] * dt * kq[i];
        }
        for (int i = 0; i < z->n; i++)
            u[i] += w[stage] * dt * ku[i];
    }
    memcpy(s->q, q, (size_t)z->nq * sizeof *q);
    memcpy(s->u, u, (size_t)z->n * sizeof *u);
    s->t = from->t + dt;
    evaluate(m, CAROM_WANT_ALL);
}

static double row_times(int n, const double *row, const double *u)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += row[k] * u[k];
    return sum;
}

/* 1/2 u'Mu + V. */
static double energy(const carom_system_shape *z, const carom_state *s)
{
    double sum = s->potential;
    for (int j = 0; j < z->n; j++)
        for (int i = 0; i < z->n; i++)
            sum += s->u[i] * s->u[j] / 2 *
                   (z->mass_is_diagonal ? (i == j) * s->M[i] : s->M[i + z->n * j]);
    return sum;
}

/* gamma = W'u + w_hat is the rate of the gap, W'u' + g_bias that of gamma; the same for loops; the
 * power is the rate of the energy. Central differences: error dt^2. */
static void check_rates(const carom_world_def *world, uint64_t seed)
{
    made here = make_bodies(world), ahead = make_bodies(world), behind = make_bodies(world);
    const carom_system_shape *z = carom_system_get_shape(here.system);
    const double dt = 1e-4;
    check_random r = {seed};
    for (int round = 0; round < 30; round++) {
        double a[20];
        here.state.t = check_random_in(&r, 0, 3);
        for (int k = 0; k < z->nq; k++)
            here.state.q[k] = check_random_in(&r, -1, 1);
        for (int k = 0; k < z->n; k++)
            here.state.u[k] = check_random_in(&r, -1, 1);
        evaluate(&here, CAROM_WANT_ALL);
        accelerate(z, &here.state, a);
        move(&ahead, &here.state, dt);
        move(&behind, &here.state, -dt);
        const carom_state *s = &here.state, *p = &ahead.state, *m = &behind.state;
        for (int i = 0; i < z->p; i++) {
            const size_t at = (size_t)(z->n * i);
            double gamma = row_times(z->n, s->W + at, s->u) + s->w_hat[i];
            double up = row_times(z->n, p->W + at, p->u) + p->w_hat[i],
                   down = row_times(z->n, m->W + at, m->u) + m->w_hat[i];
            double rate = row_times(z->n, s->W + at, a) + s->g_bias[i];
            check_close((p->g[i] - m->g[i]) / (2 * dt), gamma, 1e-5);
            check_close((up - down) / (2 * dt), rate, 2e-5 * (1 + fabs(rate)));
        }
        for (int i = 0; i < z->m; i++) {
            const size_t at = (size_t)(z->n * i);
            double gamma = row_times(z->n, s->B + at, s->u) + s->b_hat[i];
            double up = row_times(z->n, p->B + at, p->u) + p->b_hat[i],
                   down = row_times(z->n, m->B + at, m->u) + m->b_hat[i];
            double rate = row_times(z->n, s->B + at, a) + s->b_bias[i];
            check_close((p->f[i] - m->f[i]) / (2 * dt), gamma, 1e-5);
            check_close((up - down) / (2 * dt), rate, 2e-5 * (1 + fabs(rate)));
        }
        double power = (energy(z, p) - energy(z, m)) / (2 * dt);
        check_close(power, s->power, 2e-5 * (1 + fabs(power)));
    }
    drop(&here);
    drop(&ahead);
    drop(&behind);
}

/* A table that is shaken, two chains that hang on it, a loop between them, and what is loose. */
typedef struct chains {
    int space;
    carom_body_def bodies[5];
    carom_joint_def joints[4]; /* the last closes the loop */
    carom_rope_def ropes[2];
} chains;

/* kinds, ends: of the joints. */
static chains make_chains(int space, const carom_body_def bodies[5],
                          const carom_joint_kind kinds[4], const int ends[4][2])
{
    static const char *const names[4] = {"a", "b", "c", "loop"};
    chains c = {.space = space};
    memcpy(c.bodies, bodies, sizeof c.bodies);
    c.bodies[0].fixed = true;
    c.bodies[0].drive = shake;
    for (int k = 0; k < 4; k++) {
        c.joints[k] = carom_joint_def_default(names[k], kinds[k]);
        c.joints[k].parent = ends[k][0];
        c.joints[k].child = ends[k][1];
        c.joints[k].at[0] = 0.3 * k;
        c.joints[k].at[1] = 0.2;
        c.joints[k].axis[1] = 0.5;
    }
    c.ropes[0] = carom_rope_def_default("r", 2, 4);
    c.ropes[1] = carom_rope_def_default("s", CAROM_WORLD, 3);
    c.ropes[0].at_b[space - 1] = c.ropes[1].at_a[space - 1] = 2;
    return c;
}

static void check_chains(chains *c, uint64_t seed)
{
    carom_world_def world = carom_world_def_default(c->space);
    c->bodies[0].drive_self = &c->space;
    world.gravity[c->space - 1] = -3;
    world.body_count = 5;
    world.joint_count = 4;
    world.rope_count = 2;
    world.bodies = c->bodies;
    world.joints = c->joints;
    world.ropes = c->ropes;
    check_rates(&world, seed);
}

/* Every kind of loop, with ropes and limits. */
static void test_rates_in_space(void **state)
{
    (void)state;
    const carom_body_def bodies[5] = {carom_body_def_default("table"), spatial("one", 0.5, 0, 0),
                                      spatial("two", 1.2, 0.3, 0), spatial("three", 0, 1, 0.4),
                                      spatial("loose", 1, 2, 3)};
    const int ends[4][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 2}};
    for (int kind = 0; kind < CAROM_JOINT_KIND_COUNT; kind++) {
        chains c = make_chains(3, bodies,
                               (carom_joint_kind[]){CAROM_JOINT_REVOLUTE, CAROM_JOINT_BALL,
                                                    CAROM_JOINT_PRISMATIC, (carom_joint_kind)kind},
                               ends);
        c.joints[3].own[0] = 0.7; /* a screw's pitch */
        c.joints[0].lower = -0.5;
        c.joints[2].upper = 0.7;
        c.joints[2].spring = 3;
        c.joints[2].damping = 0.2;
        check_chains(&c, 7);
    }
}

static void test_rates_in_plane(void **state)
{
    (void)state;
    const carom_body_def bodies[5] = {carom_body_def_default("table"), body("one", 1, 0.3, 0.5, 0),
                                      body("two", 2, 0.2, 1.2, 0.3), body("three", 1, 0.1, 0, 1),
                                      body("loose", 1, 0.4, 1, 2)};
    const int ends[4][2] = {{0, 1}, {1, 2}, {3, 0}, {3, 2}};
    for (int kind = 0; kind < CAROM_JOINT_KIND_COUNT; kind++) {
        if (!carom_joint_describe((carom_joint_kind)kind)->in_plane)
            continue;
        chains c = make_chains(2, bodies,
                               (carom_joint_kind[]){CAROM_JOINT_REVOLUTE, CAROM_JOINT_REVOLUTE,
                                                    CAROM_JOINT_PRISMATIC, (carom_joint_kind)kind},
                               ends);
        c.bodies[0].turn[0] = 0;
        c.bodies[2].mass.centre[1] = 0.2;
        for (int k = 0; k < 4; k++)
            c.joints[k].axis[0] = 1;
        c.joints[1].upper = 0.7;
        c.joints[1].damping = 0.1;
        check_chains(&c, 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_in_space),
        cmocka_unit_test(test_rates_in_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
