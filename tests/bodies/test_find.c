/* Contacts found between bodies: pairs against all pairs, rows and biases against the motion,
 * materials, what does not touch. */
#include "bodies/bodies.h"
#include "bodies/shape.h"
#include "family.h"

enum { ROOM = 400, MOST = 60 };

typedef struct world {
    carom_world_def def;
    carom_system *system;
    const carom_bodies *bodies;
    carom_arena *arena;
    carom_state state;
} world;

static void open_world(world *w)
{
    carom_error error = {0};
    check_ok(carom_system_bodies(&w->def, NULL, &w->system, NULL, &error), &error);
    w->bodies = carom_bodies_of(w->system);
    check_ok(carom_arena_create(NULL, &w->arena, NULL), NULL);
    check_ok(carom_state_create(w->system, w->arena, &w->state, NULL), NULL);
    carom_bodies_start(w->bodies, w->state.q, w->state.u);
}

static void close_world(world *w)
{
    carom_arena_destroy(w->arena);
    carom_system_destroy(w->system);
}

static carom_bodies_contacts find(const world *w, const carom_state *s, double reach)
{
    carom_bodies_contacts found;
    carom_error error = {0};
    check_ok(carom_bodies_find(w->bodies, s->t, s->q, s->u, reach, w->arena, &found, &error),
             &error);
    return found;
}

static carom_shape *sized(carom_shape_kind kind, double a, double b, double c, double radius,
                          int space)
{
    carom_shape_def def = carom_shape_def_default(kind);
    carom_shape *shape = NULL;
    def.size[0] = a;
    def.size[1] = b;
    def.size[2] = c;
    def.radius = radius;
    def.space = space;
    if (space == 2) {
        def.normal[1] = 1;
        def.normal[2] = 0;
    }
    check_ok(carom_shape_create(&def, NULL, &shape, NULL), NULL);
    return shape;
}

/* Rows of a contact times velocities. */
static double rate_of(const world *w, const carom_bodies_contact *c, int row, const double *u)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const int *velocity;
        if (c->tree[k] < 0)
            continue;
        int size = carom_bodies_tree(w->bodies, c->tree[k], &velocity);
        for (int j = 0; j < size; j++)
            sum += c->rows[k][row * size + j] * u[velocity[j]];
    }
    return sum;
}

/* q + dt N u, u + dt a, to second order, with quaternions as they come. */
static void move(const world *w, const carom_state *from, const double *a, double dt,
                 carom_state *to)
{
    const carom_system_shape *z = carom_system_get_shape(w->system);
    double middle[MOST];
    carom_error error = {0};
    to->t = from->t + dt;
    /* Half a step for N, then the whole with velocities of the middle. */
    for (int pass = 0; pass < 2; pass++) {
        const carom_state *at = pass ? to : from;
        double *N = at->N;
        check_ok(carom_system_evaluate(w->system, CAROM_WANT_KINEMATICS, (carom_state *)at, &error),
                 &error);
        for (int k = 0; k < z->n; k++)
            middle[k] = from->u[k] + (pass ? dt / 2 : dt / 4) * a[k];
        for (int i = 0; i < z->nq; i++) {
            double sum = 0;
            for (int j = 0; j < z->n && N; j++)
                sum += N[i + z->nq * j] * middle[j];
            to->q[i] = from->q[i] + (pass ? dt : dt / 2) * (N ? sum : middle[i]);
        }
    }
    for (int k = 0; k < z->n; k++)
        to->u[k] = from->u[k] + dt * a[k];
}

static const carom_bodies_contact *same(const carom_bodies_contacts *set,
                                        const carom_bodies_contact *c)
{
    for (int k = 0; k < set->count; k++)
        if (set->contact[k].touch.name == c->touch.name &&
            set->contact[k].shape[0] == c->shape[0] && set->contact[k].shape[1] == c->shape[1])
            return &set->contact[k];
    return NULL;
}

static v3 slip_of(const world *w, const carom_bodies_contact *c, const double *u)
{
    v3 sum = {0, 0, 0};
    for (int i = 0; i < c->properties.slip_count; i++)
        sum = v3_along(sum, rate_of(w, c, 1 + i, u) + c->rate[1 + i], v3_of(c->tangent[i]));
    return sum;
}

/* Two bodies near each other, moving at random: gap, its rate and the rate of that, and the slip
 * along the motion. */
static void check_motion(family *f, world *w, int *smooth)
{
    const double dt = 1e-5;
    const carom_system_shape *z = carom_system_get_shape(w->system);
    carom_state ahead, behind;
    check_ok(carom_state_create(w->system, w->arena, &ahead, NULL), NULL);
    check_ok(carom_state_create(w->system, w->arena, &behind, NULL), NULL);
    double a[MOST];
    for (int k = 0; k < z->n; k++)
        a[k] = check_random_in(&f->random, -2, 2);
    carom_bodies_contacts set = find(w, &w->state, 0.2);
    move(w, &w->state, a, dt, &ahead);
    move(w, &w->state, a, -dt, &behind);
    carom_bodies_contacts up = find(w, &ahead, 0.3), down = find(w, &behind, 0.3);
    for (int k = 0; k < set.count; k++) {
        const carom_bodies_contact *c = &set.contact[k], *p = same(&up, c), *m = same(&down, c);
        if (!p || !m || !c->smooth)
            continue;
        ++*smooth;
        double gamma = rate_of(w, c, 0, w->state.u) + c->rate[0];
        double measured = (p->touch.gap - m->touch.gap) / (2 * dt);
        double change =
            (rate_of(w, p, 0, ahead.u) + p->rate[0] - rate_of(w, m, 0, behind.u) - m->rate[0]) /
            (2 * dt);
        double expected = rate_of(w, c, 0, a) + c->bias[0];
        family_check(f, fabs(gamma - measured) <= 1e-6, "gap' %.9g, measured %.9g (name %llx)",
                     gamma, measured, (unsigned long long)c->touch.name);
        family_check(f, fabs(change - expected) <= 1e-4 * (1 + fabs(expected)),
                     "gap'' %.9g, measured %.9g (name %llx, gap %g)", expected, change,
                     (unsigned long long)c->touch.name, c->touch.gap);
        v3 s = v3_scale(0.5 / dt, v3_sub(slip_of(w, p, ahead.u), slip_of(w, m, behind.u)));
        for (int i = 0; i < c->properties.slip_count; i++) {
            double told = rate_of(w, c, 1 + i, a) + c->bias[1 + i];
            double seen = v3_dot(v3_of(c->tangent[i]), s);
            family_check(f, fabs(told - seen) <= 1e-4 * (1 + fabs(told)),
                         "slip' %.9g, measured %.9g (name %llx)", told, seen,
                         (unsigned long long)c->touch.name);
        }
    }
}

static void run_pairs(int space)
{
    family f = family_start(
        space == 3 ? "rates of contacts in space" : "rates of contacts in the plane", 5, 3000);
    carom_shape *shapes[7] = {sized(CAROM_SHAPE_SPHERE, 0.3, 0, 0, 0, space),
                              sized(CAROM_SHAPE_CAPSULE, 0.8, 0.2, 0, 0, space),
                              sized(CAROM_SHAPE_BOX, 0.8, 0.6, 0.5, 0, space),
                              sized(CAROM_SHAPE_BOX, 0.6, 0.4, 0.5, 0.1, space),
                              sized(CAROM_SHAPE_PLANE, 0, 0, 0, 0, space)};
    int count = 5, smooth = 0;
    if (space == 3) {
        shapes[5] = sized(CAROM_SHAPE_CYLINDER, 0.7, 0.35, 0, 0, 3);
        shapes[6] = sized(CAROM_SHAPE_CYLINDER, 0.5, 0.3, 0, 0.1, 3);
        count = 7;
    }
    while (family_next(&f)) {
        world w = {.def = carom_world_def_default(space)};
        carom_body_def bodies[2] = {carom_body_def_default("a"), carom_body_def_default("b")};
        carom_body_shape part[2] = {{.turn = {space == 3}}, {.turn = {space == 3}}};
        for (int k = 0; k < 2; k++) {
            int which = check_random_int(&f.random, count);
            if (which == 4 && (k == 1 || check_random_int(&f.random, 2)))
                which = 2;
            part[k].shape = shapes[which];
            bodies[k].shape_count = 1;
            bodies[k].shapes = &part[k];
            bodies[k].fixed = which == 4;
            for (int i = 0; i < 4; i++)
                bodies[k].turn[i] = check_random_in(&f.random, -1, 1);
            for (int i = 0; i < 3; i++)
                part[k].position[i] = i < space ? check_random_in(&f.random, -0.1, 0.1) : 0;
        }
        w.def.bodies = bodies;
        w.def.body_count = 2;
        w.def.contact.friction_static = w.def.contact.friction_dynamic = 0.5;
        /* Bring the second near the first. */
        carom_pose pose[2];
        bodies[1].position[0] = bodies[1].position[1] = 0.8;
        bodies[1].position[2] = space == 3 ? 0.7 : 0;
        for (int pass = 0; pass < 12; pass++) {
            carom_touch t;
            for (int k = 0; k < 2; k++) {
                frame at = carom_bodies_reference(&bodies[k], space);
                v3 x = frame_point(&at, v3_of(part[k].position));
                const double R[9] = {at.R.x.x, at.R.x.y, at.R.x.z, at.R.y.x, at.R.y.y,
                                     at.R.y.z, at.R.z.x, at.R.z.y, at.R.z.z};
                v3_to(x, pose[k].position);
                memcpy(pose[k].rotation, R, sizeof R);
            }
            carom_shape_distance(part[0].shape, &pose[0], part[1].shape, &pose[1], &t);
            for (int i = 0; i < space; i++)
                bodies[1].position[i] -= (t.gap - 0.03) * t.normal[i];
        }
        open_world(&w);
        const carom_system_shape *z = carom_system_get_shape(w.system);
        for (int k = 0; k < z->n; k++)
            w.state.u[k] = check_random_in(&f.random, -1, 1);
        check_motion(&f, &w, &smooth);
        close_world(&w);
    }
    family_check(&f, smooth > f.members / 2 || f.only >= 0, "only %d smooth contacts", smooth);
    family_end(&f);
    for (int k = 0; k < count; k++)
        carom_shape_destroy(shapes[k]);
}

static void test_motion_in_space(void **state)
{
    (void)state;
    run_pairs(3);
}

static void test_motion_in_plane(void **state)
{
    (void)state;
    run_pairs(2);
}

/* Many bodies: the contacts are those of all pairs, each pair once. */
static void test_many(void **state)
{
    (void)state;
    enum { BODIES = 40 };
    family f = family_start("contacts of many bodies", 6, 40);
    carom_shape *ball = sized(CAROM_SHAPE_SPHERE, 0.4, 0, 0, 0, 3),
                *box = sized(CAROM_SHAPE_BOX, 0.7, 0.6, 0.5, 0, 3),
                *floor = sized(CAROM_SHAPE_PLANE, 0, 0, 0, 0, 3);
    while (family_next(&f)) {
        world w = {.def = carom_world_def_default(3)};
        carom_body_def bodies[BODIES];
        carom_body_shape part[BODIES];
        for (int k = 0; k < BODIES; k++) {
            bodies[k] = carom_body_def_default(NULL);
            part[k] = (carom_body_shape){.shape = k == 3 ? floor : k % 2 ? ball : box, .turn = {1}};
            bodies[k].fixed = k == 3 || k == 7;
            bodies[k].shape_count = 1;
            bodies[k].shapes = &part[k];
            for (int i = 0; i < 3; i++)
                bodies[k].position[i] =
                    k == 3 ? 0 : check_random_in(&f.random, i < 2 ? -1.5 : 0, 1.5);
            for (int i = 0; i < 4 && k != 3; i++)
                bodies[k].turn[i] = check_random_in(&f.random, -1, 1);
        }
        w.def.bodies = bodies;
        w.def.body_count = BODIES;
        open_world(&w);
        for (int step = 0; step < 5; step++) {
            const carom_system_shape *z = carom_system_get_shape(w.system);
            for (int k = 0; k < z->nq; k++)
                w.state.q[k] += step ? check_random_in(&f.random, -0.1, 0.1) : 0;
            carom_bodies_contacts set = find(&w, &w.state, 0.05);
            int expected = 0, at = 0;
            for (int i = 0; i < BODIES; i++)
                for (int j = i + 1; j < BODIES; j++) {
                    carom_pose p, q;
                    carom_touch t[ROOM];
                    if (bodies[i].fixed && bodies[j].fixed)
                        continue;
                    check_ok(carom_bodies_pose(w.bodies, i, 0, w.state.q, &p, NULL), NULL);
                    check_ok(carom_bodies_pose(w.bodies, j, 0, w.state.q, &q, NULL), NULL);
                    int count =
                        carom_shape_manifold(part[i].shape, &p, part[j].shape, &q, 0.05, ROOM, t);
                    for (int k = 0; k < count && at < set.count; k++, at++)
                        family_check(&f,
                                     set.contact[at].body[0] == i && set.contact[at].body[1] == j &&
                                         fabs(set.contact[at].touch.gap - t[k].gap) <= 1e-14,
                                     "contact %d is of %d and %d, gap %g; expected %d and %d, %g",
                                     at, set.contact[at].body[0], set.contact[at].body[1],
                                     set.contact[at].touch.gap, i, j, t[k].gap);
                    expected += count;
                }
            family_check(&f, set.count == expected, "%d contacts, expected %d", set.count,
                         expected);
        }
        close_world(&w);
    }
    family_end(&f);
    carom_shape_destroy(ball);
    carom_shape_destroy(box);
    carom_shape_destroy(floor);
}

static double shaken(double t)
{
    return 0.1 * sin(t);
}

static void shake(void *self, double t, carom_body_motion *m)
{
    (void)self;
    m->position[0] = shaken(t);
    m->velocity[0] = 0.1 * cos(t);
    m->acceleration[0] = -shaken(t);
}

/* Materials of pairs, belts and shaken floors, jointed bodies that do not touch. */
static void test_materials(void **state)
{
    (void)state;
    carom_shape *box = sized(CAROM_SHAPE_BOX, 1, 1, 1, 0, 3),
                *floor = sized(CAROM_SHAPE_PLANE, 0, 0, 0, 0, 3);
    carom_body_def bodies[4];
    carom_body_shape box_part = {.shape = box, .turn = {1}},
                     floor_part = {.shape = floor, .turn = {1}};
    carom_contact rough = carom_contact_default(), smooth = rough, special = rough;
    rough.friction_static = rough.friction_dynamic = 0.9;
    rough.restitution = 0.1;
    smooth.friction_static = smooth.friction_dynamic = 0.4;
    smooth.restitution = 0.5;
    special.restitution = 1;
    for (int k = 0; k < 4; k++) {
        bodies[k] = carom_body_def_default(NULL);
        bodies[k].shape_count = 1;
        bodies[k].shapes = k ? &box_part : &floor_part;
        bodies[k].position[2] = k ? k - 0.5 : 0;
        bodies[k].contact = k == 1 ? &smooth : NULL;
    }
    bodies[0].fixed = true;
    bodies[0].drive = shake;
    bodies[0].surface[1] = 2;
    carom_joint_def joint = carom_joint_def_default("j", CAROM_JOINT_REVOLUTE);
    joint.parent = 2;
    joint.child = 3;
    joint.at[2] = 2;
    carom_pair_def pair = {.a = 2, .b = 1, .contact = special};
    world w = {.def = carom_world_def_default(3)};
    w.def.contact = rough;
    w.def.bodies = bodies;
    w.def.body_count = 4;
    w.def.joints = &joint;
    w.def.joint_count = 1;
    w.def.pairs = &pair;
    w.def.pair_count = 1;
    open_world(&w);
    w.state.t = 0.3;
    carom_bodies_contacts set = find(&w, &w.state, 0.01);
    assert_int_equal(set.count, 8); /* 1 on the floor, 2 on 1; 2 and 3 are jointed */
    for (int k = 0; k < 8; k++) {
        const carom_bodies_contact *c = &set.contact[k];
        if (c->body[0] == 0) {
            check_close(c->properties.friction_static, 0.6, 1e-15);
            check_close(c->properties.restitution, 0.5, 0);
            assert_int_equal(c->properties.slip_count, 2);
            /* The floor moves along x and its belt along y: the box slips the other way. */
            v3 slip = slip_of(&w, c, w.state.u);
            check_close(slip.x, -0.1 * cos(0.3), 1e-15);
            check_close(slip.y, -2, 1e-15);
            assert_int_equal(c->tree[1], -1);
        } else {
            check_close(c->properties.restitution, 1, 0);
            assert_int_equal(c->properties.slip_count, 0);
            assert_int_equal(c->tree[0], 0);
            assert_int_equal(c->tree[1], 1);
        }
    }
    close_world(&w);
    carom_shape_destroy(box);
    carom_shape_destroy(floor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion_in_space), cmocka_unit_test(test_motion_in_plane),
        cmocka_unit_test(test_many), cmocka_unit_test(test_materials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
