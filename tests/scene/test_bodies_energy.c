/* What steps of bodies keep: energy where contacts rebound fully, momentum, angular momentum. */
#include "bodies/vector.h"
#include "body_motion.h"
#include "family.h"

#include <stdarg.h>

/* A scene that is written piece by piece. */
typedef struct text {
    char s[4096];
    size_t used;
} text;

static void add(text *t, const char *format, ...) CAROM_PRINTF(2, 3);
static void add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->used += (size_t)vsnprintf(t->s + t->used, sizeof t->s - t->used, format, arguments);
    va_end(arguments);
    assert_true(t->used < sizeof t->s);
}

static double in(family *f, double low, double high)
{
    return check_random_in(&f->random, low, high);
}

/* A body of any shape, turned and moving at random. */
static void add_body(family *f, text *t, int k, const char *const *shapes, int count, double x,
                     double height)
{
    add(t,
        "  b%d: {shape: {%s}, at: [%.17g, %.17g, %.17g], turn: [%.17g, %.17g, %.17g, %.17g],\n"
        "    velocity: [%.17g, %.17g, %.17g], spin: [%.17g, %.17g, %.17g]}\n",
        k, shapes[check_random_int(&f->random, count)], x, in(f, -0.2, 0.2),
        height + in(f, -0.2, 0.2), in(f, 0.1, 1), in(f, -1, 1), in(f, -1, 1), in(f, -1, 1),
        (height > 0 ? 0 : 0.8) - x + in(f, -0.3, 0.3), in(f, -0.3, 0.3), in(f, -0.3, 0.3),
        in(f, -3, 3), in(f, -3, 3), in(f, -3, 3));
}

static const char *const solids[] = {"box: [0.3, 0.4, 0.2]", "sphere: 0.2", "capsule: [0.3, 0.1]",
                                     "cylinder: [0.3, 0.15]", "box: [0.2, 0.2, 0.2]"};

/* Bodies that rebound fully from each other and from the floor: neither a fall nor a rotation nor
 * any number of impacts within a step changes their energy. */
static void test_full_rebound(void **state)
{
    (void)state;
    family f = family_start("energy of bodies that rebound fully", 1, 60);
    long impacts = 0;
    while (family_next(&f)) {
        text t = {.used = 0};
        const bool falls = f.member % 2;
        const int count = falls ? 1 + f.member / 2 % 3 : 2 + f.member / 2 % 4;
        add(&t, "carom: 1\nworld: {gravity: [0, 0, %g], contact: {restitution: 1}}\nbodies:\n",
            falls ? -9.81 : 0);
        if (falls)
            add(&t, "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n");
        for (int k = 0; k < count; k++)
            add_body(&f, &t, k, solids, 5, 0.8 * k, falls ? 0.8 : 0);
        add(&t, "law: newton\nrun: {method: time-stepping, step: 0.002, until: 2}\n");
        motion m = run(t.s);
        const carom_flow_ledger *l = &m.result.ledger;
        /* Relative to it each impact and each step is known to the tolerance of its problem. */
        family_check(&f, fabs(l->final - l->initial) <= 1e-10 * l->initial,
                     "energy %.15g became %.15g in\n%s", l->initial, l->final, t.s);
        impacts += m.result.impact_count;
        end(&m);
    }
    family_end(&f);
    assert_true(impacts > 200);
}

/* Momentum and angular momentum in space of boxes of density 1000. */
static void momenta(int count, const double (*size)[3], const double *q, const double *u, v3 *p,
                    v3 *L)
{
    *p = *L = (v3){0, 0, 0};
    for (int k = 0; k < count; k++, q += 7, u += 6) {
        const double *s = size[k], m = 1000 * s[0] * s[1] * s[2],
                     norm = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
        const double w = q[3] / norm;
        const v3 x = v3_of(q), v = v3_of(u), e = v3_scale(1 / norm, v3_of(q + 4)),
                 own = {m / 12 * (s[1] * s[1] + s[2] * s[2]) * u[3],
                        m / 12 * (s[0] * s[0] + s[2] * s[2]) * u[4],
                        m / 12 * (s[0] * s[0] + s[1] * s[1]) * u[5]};
        const v3 twice = v3_scale(2, v3_cross(e, own)),
                 turned = v3_add(v3_along(own, w, twice), v3_cross(e, twice));
        *p = v3_along(*p, m, v);
        *L = v3_add(*L, v3_along(turned, m, v3_cross(x, v)));
    }
}

/* Rough boxes in free space, run with a step: how far momenta are off at the end. */
static void run_boxes(family *f, double e, double h, double *off, double *turned, long *impacts)
{
    static const double size[5][3] = {
        {0.3, 0.4, 0.2}, {0.3, 0.4, 0.2}, {0.3, 0.4, 0.2}, {0.3, 0.4, 0.2}, {0.3, 0.4, 0.2}};
    text t = {.used = 0};
    const int count = 1 + f->member % 5;
    v3 p, L, p_end, L_end;
    add(&t, "carom: 1\nworld: {contact: {restitution: %.3g, friction: %.3g}}\nbodies:\n", e,
        in(f, 0, 0.8));
    for (int k = 0; k < count; k++)
        add_body(f, &t, k, solids, 1, 0.8 * k, 0);
    add(&t, "law: coulomb\nrun: {method: time-stepping, step: %g, until: 2}\n", h);
    motion m = run(t.s);
    const carom_scene_content *c = carom_scene_get(m.scene);
    momenta(count, size, c->initial.q, c->initial.u, &p, &L);
    momenta(count, size, m.result.q, m.result.u, &p_end, &L_end);
    *off = v3_norm(v3_sub(p, p_end)) / (1 + v3_norm(p));
    *turned = v3_norm(v3_sub(L, L_end)) / (1 + v3_norm(L));
    *impacts += m.result.impact_count;
    end(&m);
}

/* Boxes that rebound fully have no contact that lasts: momentum and angular momentum stay, the
 * latter although the points of a contact are apart when it is hit. */
static void test_angular_momentum(void **state)
{
    (void)state;
    family f = family_start("angular momentum of rough bodies", 2, 60);
    long impacts = 0;
    while (family_next(&f)) {
        double off, turned;
        run_boxes(&f, 1, 0.002, &off, &turned, &impacts);
        family_check(&f, off <= 1e-11 && turned <= 1e-11,
                     "momentum off by %g, angular momentum by %g", off, turned);
    }
    family_end(&f);
    assert_true(impacts > 100);
}

/* Forces of contacts that last act at the beginning of a step, and positions move on: angular
 * momentum is kept to the first order of the step, momentum exactly. */
static void test_angular_momentum_in_contact(void **state)
{
    (void)state;
    const double h[2] = {0.004, 0.0005};
    double sum[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        family f = family_start("angular momentum of bodies in contact", 5, 60);
        long impacts = 0;
        while (family_next(&f)) {
            double off, turned;
            run_boxes(&f, 0, h[k], &off, &turned, &impacts);
            family_check(&f, off <= 1e-11 && turned <= 5 * h[k],
                         "momentum off by %g, angular momentum by %g", off, turned);
            sum[k] += turned;
        }
        family_end(&f);
    }
    assert_true(sum[1] <= sum[0] / 4); /* a step eight times shorter */
}

/* Balls in a row, a little apart: the first hits the second, that the third within the same step.
 * Equal ones hand their velocity on; of others each pair of impacts is known. */
static void test_hit_through_others(void **state)
{
    (void)state;
    family f = family_start("balls hit through others", 3, 300);
    while (family_next(&f)) {
        double u[6], m[6], x = 0;
        const int count = 3 + f.member % 4;
        const double e = f.member % 2 ? 1 : in(&f, 0.5, 1);
        text t = {.used = 0};
        add(&t, "carom: 1\nworld: {space: 2, contact: {restitution: %.17g}}\nbodies:\n", e);
        for (int k = 0; k < count; k++) {
            m[k] = k ? m[k - 1] * in(&f, 0.5, 1) : 1; /* none comes back to be hit again */
            u[k] = k ? 0 : 1;
            add(&t,
                "  b%d: {shape: {circle: 0.1}, mass: %.17g, at: [%.17g, 0], velocity: [%g, 0]}\n",
                k, m[k], x, u[k]);
            x += 0.2 + in(&f, 1e-5, 1e-4);
        }
        add(&t, "law: newton\nrun: {method: time-stepping, step: 0.001, until: 0.0015}\n");
        for (int k = 0; k + 1 < count; k++) {
            const double P = (1 + e) * (u[k] - u[k + 1]) * m[k] * m[k + 1] / (m[k] + m[k + 1]);
            u[k] -= P / m[k];
            u[k + 1] += P / m[k + 1];
        }
        bool again = false; /* one that goes on faster than the next would hit it once more */
        for (int k = 0; k + 1 < count; k++)
            again = again || u[k] > u[k + 1];
        motion now = run(t.s);
        for (int k = 0; k < count && !again; k++)
            family_check(&f, fabs(now.result.u[3 * k] - u[k]) <= 1e-13,
                         "u%d %.15g, not %.15g in\n%s", k, now.result.u[3 * k], u[k], t.s);
        end(&now);
    }
    family_end(&f);
}

/* A slider that is hit by a ball meets the limit of its joint in the same step: the stop gives it
 * back what it had. */
static void test_stop_hit_through_others(void **state)
{
    (void)state;
    motion m = run("carom: 1\nworld: {space: 2, contact: {restitution: 1}}\nbodies:\n"
                   "  ball: {shape: {circle: 0.1}, mass: 1, at: [-0.2005, 0], velocity: [1, 0]}\n"
                   "  slider: {shape: {circle: 0.1}, mass: 1}\n"
                   "joints:\n"
                   "  rail: {prismatic: [world, slider], axis: [1, 0], limits: [-1, 0.0001], stop: "
                   "{restitution: 1}}\n"
                   "law: newton\nrun: {method: time-stepping, step: 0.001, until: 0.01}\n");
    assert_true(fabs(at(&m, "ball.vx") + 1) <= 1e-13 && fabs(at(&m, "rail'")) <= 1e-13);
    assert_int_equal(m.result.impact_count, 3);
    end(&m);
}

/* A ball that loses a part of its speed comes to rest, on the floor, and its energy only falls. */
static void test_rest_is_reached(void **state)
{
    (void)state;
    family f = family_start("balls that come to rest", 4, 100);
    while (family_next(&f)) {
        text t = {.used = 0};
        const double e = in(&f, 0, 0.8);
        add(&t,
            "carom: 1\nworld: {gravity: [0, 0, -9.81], contact: {restitution: %.17g}}\nbodies:\n"
            "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
            "  ball: {shape: {sphere: 0.1}, at: [0, 0, %.17g]}\n"
            "law: newton\nrun: {method: time-stepping, step: 0.001, until: 6, output: 0.01}\n",
            e, in(&f, 0.1, 0.6));
        motion m = run(t.s);
        family_check(&f, at(&m, "ball.vz") == 0 && fabs(at(&m, "ball.z") - 0.1) <= 1e-9,
                     "ends at %.15g with %.3g in\n%s", at(&m, "ball.z"), at(&m, "ball.vz"), t.s);
        family_check(&f, m.highest <= 1e-12, "energy grew by %g in\n%s", m.highest, t.s);
        end(&m);
    }
    family_end(&f);
}

/* Bodies that collide, slide and stick on each other where no force acts: each step's change of the
 * kinetic energy is the work of its impulses, rotations included, and positions that are put
 * elsewhere make none. */
static void test_ledger(void **state)
{
    (void)state;
    family f = family_start("ledger of bodies without forces", 8, 60);
    while (family_next(&f)) {
        text t = {.used = 0};
        const int count = 2 + f.member % 4;
        add(&t, "carom: 1\nworld: {contact: {restitution: %g, friction: %g}}\nbodies:\n",
            0.3 * (f.member % 3), 0.4 * (f.member % 2));
        for (int k = 0; k < count; k++)
            add_body(&f, &t, k, solids, 5, 1.1 * k, 0);
        add(&t, "run: {method: time-stepping, step: 0.005, until: 1}\n");
        motion m = run(t.s);
        const carom_flow_ledger *l = &m.result.ledger;
        family_check(&f, l->largest_balance <= 1e-6 * l->initial, "off by %g, at the end %g of %g",
                     l->largest_balance, l->balance_error, l->initial);
        family_check(&f, fabs(l->projection) <= 1e-11 * l->initial, "projection %g in\n%s",
                     l->projection, t.s);
        end(&m);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_rebound),
        cmocka_unit_test(test_angular_momentum),
        cmocka_unit_test(test_angular_momentum_in_contact),
        cmocka_unit_test(test_hit_through_others),
        cmocka_unit_test(test_stop_hit_through_others),
        cmocka_unit_test(test_rest_is_reached),
        cmocka_unit_test(test_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
