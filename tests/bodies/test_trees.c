/* Trees of links against Lagrange's equations by second-order automatic differentiation: the places
 * of point masses as functions of the coordinates, in numbers that carry two directions and their
 * product. Nothing is shared with the library but the definitions. */
#include "bodies/bodies.h"
#include "bodies/shape.h"
#include "family.h"

/* a + b e1 + c e2 + d e1 e2, e1^2 = e2^2 = 0. */
typedef struct hyper {
    double a, b, c, d;
} hyper;

static hyper h_of(double a)
{
    return (hyper){a, 0, 0, 0};
}

static hyper h_add(hyper x, hyper y)
{
    return (hyper){x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
}

static hyper h_mul(hyper x, hyper y)
{
    return (hyper){x.a * y.a, x.a * y.b + x.b * y.a, x.a * y.c + x.c * y.a,
                   x.a * y.d + x.b * y.c + x.c * y.b + x.d * y.a};
}

/* f(x) from f, f', f'' at x.a. */
static hyper h_apply(hyper x, double f, double df, double ddf)
{
    return (hyper){f, df * x.b, df * x.c, df * x.d + ddf * x.b * x.c};
}

typedef struct hvec {
    hyper c[3];
} hvec;

typedef struct hframe {
    hvec p;
    hyper R[3][3];
} hframe;

static hvec hv_of(v3 a)
{
    return (hvec){{h_of(a.x), h_of(a.y), h_of(a.z)}};
}

static hvec hf_point(const hframe *f, hvec x)
{
    hvec y = f->p;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            y.c[i] = h_add(y.c[i], h_mul(f->R[i][j], x.c[j]));
    return y;
}

static void hf_turn(hframe *f, hyper S[3][3])
{
    hframe old = *f;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            f->R[i][j] = h_of(0);
            for (int k = 0; k < 3; k++)
                f->R[i][j] = h_add(f->R[i][j], h_mul(old.R[i][k], S[k][j]));
        }
}

static void hf_turn_by(hframe *f, v3 axis, hyper angle)
{
    const double a[3] = {axis.x, axis.y, axis.z};
    const double K[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    hyper c = h_apply(angle, cos(angle.a), -sin(angle.a), -cos(angle.a)),
          s = h_apply(angle, sin(angle.a), cos(angle.a), -sin(angle.a)), S[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            hyper rest = h_mul(h_add(h_of(1), h_mul(h_of(-1), c)), h_of(a[i] * a[j]));
            S[i][j] = h_add(h_add(h_mul(c, h_of(i == j)), h_mul(s, h_of(K[i][j]))), rest);
        }
    hf_turn(f, S);
}

/* exp of a small vector: 1 + [t] + [t]^2/2 is exact to second order. */
static void hf_turn_small(hframe *f, const hyper t[3])
{
    hyper K[3][3] = {{h_of(0), h_mul(h_of(-1), t[2]), t[1]},
                     {t[2], h_of(0), h_mul(h_of(-1), t[0])},
                     {h_mul(h_of(-1), t[1]), t[0], h_of(0)}},
          S[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            S[i][j] = h_add(h_of(i == j), K[i][j]);
            for (int k = 0; k < 3; k++)
                S[i][j] = h_add(S[i][j], h_mul(h_of(0.5), h_mul(K[i][k], K[k][j])));
        }
    hf_turn(f, S);
}

static void hf_turn_fixed(hframe *f, m3 R)
{
    hyper S[3][3] = {{h_of(R.x.x), h_of(R.y.x), h_of(R.z.x)},
                     {h_of(R.x.y), h_of(R.y.y), h_of(R.z.y)},
                     {h_of(R.x.z), h_of(R.y.z), h_of(R.z.z)}};
    hf_turn(f, S);
}

static void hf_move(hframe *f, v3 direction, hyper by)
{
    hvec d = hv_of(direction);
    for (int k = 0; k < 3; k++)
        d.c[k] = h_mul(d.c[k], by);
    f->p = hf_point(f, d);
}

/* ---- random trees ---- */

enum { BODIES = 6, POINTS = 4, MOST = 40 };

typedef struct scene {
    carom_world_def world;
    carom_body_def bodies[BODIES];
    carom_joint_def joints[BODIES];
    char names[BODIES][2][16];
    double mass[BODIES][POINTS];
    v3 point[BODIES][POINTS]; /* in the body */
    int joint_of[BODIES];     /* -1: free */
} scene;

static v3 random_vector(check_random *r, double size)
{
    return (v3){check_random_in(r, -size, size), check_random_in(r, -size, size),
                check_random_in(r, -size, size)};
}

/* The mass properties of the point masses. */
static carom_mass mass_of(const scene *s, int body, int space)
{
    carom_mass m = {0};
    v3 c = {0, 0, 0};
    for (int k = 0; k < POINTS; k++) {
        m.mass += s->mass[body][k];
        c = v3_along(c, s->mass[body][k], s->point[body][k]);
    }
    c = v3_scale(1 / m.mass, c);
    v3_to(c, m.centre);
    for (int k = 0; k < POINTS; k++) {
        v3 d = v3_sub(s->point[body][k], c);
        const double x[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                m.inertia[i + 3 * j] += s->mass[body][k] * ((i == j) * v3_norm2(d) - x[i] * x[j]);
    }
    (void)space;
    return m;
}

static void random_scene(scene *s, check_random *r, int space)
{
    static const carom_joint_kind kinds[] = {
        CAROM_JOINT_REVOLUTE, CAROM_JOINT_PRISMATIC, CAROM_JOINT_FIXED,       CAROM_JOINT_UNIVERSAL,
        CAROM_JOINT_PLANAR,   CAROM_JOINT_BALL,      CAROM_JOINT_CYLINDRICAL, CAROM_JOINT_SCREW};
    memset(s, 0, sizeof *s);
    s->world = carom_world_def_default(space);
    s->world.bodies = s->bodies;
    s->world.joints = s->joints;
    s->world.body_count = BODIES;
    v3_to(random_vector(r, 10), s->world.gravity);
    s->world.gravity[2] *= space == 3;
    for (int k = 0; k < BODIES; k++) {
        carom_body_def *b = &s->bodies[k];
        snprintf(s->names[k][0], sizeof s->names[k][0], "b%d", k);
        *b = carom_body_def_default(s->names[k][0]);
        v3_to(random_vector(r, 2), b->position);
        for (int i = 0; i < 4; i++)
            b->turn[i] = check_random_in(r, -1, 1);
        for (int i = 0; i < POINTS; i++) {
            s->mass[k][i] = check_random_in(r, 0.2, 2);
            s->point[k][i] = random_vector(r, 1);
            s->point[k][i].z *= space == 3;
        }
        b->mass = mass_of(s, k, space);
        if (space == 2)
            b->position[2] = b->turn[1] = b->turn[2] = b->turn[3] = 0;
        s->joint_of[k] = -1;
        if (check_random_int(r, 4) == 0 && s->world.joint_count > 0)
            continue;
        carom_joint_def *j = &s->joints[s->world.joint_count];
        snprintf(s->names[k][1], sizeof s->names[k][1], "j%d", k);
        *j =
            carom_joint_def_default(s->names[k][1], kinds[check_random_int(r, space == 3 ? 8 : 3)]);
        j->child = k;
        j->parent = check_random_int(r, k + 1) - 1;
        v3_to(random_vector(r, 2), j->at);
        v3_to(random_vector(r, 1), j->axis);
        v3_to(random_vector(r, 1), j->second);
        if (j->kind == CAROM_JOINT_SCREW)
            j->own[0] = check_random_in(r, -3, 3);
        if (space == 2)
            j->at[2] = 0;
        if (check_random_int(r, 3) == 0)
            j->armature = check_random_in(r, 0, 1);
        s->joint_of[k] = s->world.joint_count++;
    }
}

static frame reference(const scene *s, int body)
{
    frame ground = {{0, 0, 0}, m3_identity()};
    return body < 0 ? ground : carom_bodies_reference(&s->bodies[body], s->world.space);
}

/* Axes of a joint in space, as the header says. */
static void axes_of(const carom_joint_def *j, int space, v3 axis[3])
{
    v3 a = v3_unit(v3_of(j->axis));
    if (space == 2)
        a = j->kind == CAROM_JOINT_PRISMATIC ? v3_unit((v3){j->axis[0], j->axis[1], 0})
                                             : (v3){0, 0, 1};
    axis[0] = a;
    axis[1] = v3_unit(v3_of(j->second));
    axis[2] = a;
    if (j->kind == CAROM_JOINT_PLANAR) {
        axis[0] = v3_perpendicular(a);
        axis[1] = v3_cross(a, axis[0]);
    }
}

/* Where a body is: coordinates q (as they are) and small changes x of the velocities' directions.
 */
static hframe place(const scene *s, const carom_bodies *bodies, int body, const double *q,
                    const hyper *x)
{
    hframe f;
    memset(&f, 0, sizeof f);
    for (int i = 0; i < 3; i++)
        f.R[i][i] = h_of(1);
    if (body < 0)
        return f;
    const carom_link *l = &bodies->forest.link[bodies->link_of[body]];
    const hyper *dx = x + l->u;
    if (s->joint_of[body] < 0 && s->world.space == 3) {
        carom_pose pose;
        v3 c = v3_of(s->bodies[body].mass.centre);
        assert_true(carom_pose_set(&pose, q + l->q, q + l->q + 3));
        frame g = frame_of(&pose);
        for (int k = 0; k < 3; k++)
            f.p.c[k] = h_add(h_of(q[l->q + k]), dx[k]);
        hf_turn_fixed(&f, g.R);
        hf_turn_small(&f, dx + 3);
        f.p = hf_point(&f, hv_of(v3_neg(c)));
        return f;
    }
    if (s->joint_of[body] < 0) {
        v3 c = v3_of(s->bodies[body].mass.centre);
        f.p.c[0] = h_add(h_of(q[l->q]), dx[0]);
        f.p.c[1] = h_add(h_of(q[l->q + 1]), dx[1]);
        hf_turn_by(&f, (v3){0, 0, 1}, h_add(h_of(q[l->q + 2]), dx[2]));
        f.p = hf_point(&f, hv_of(v3_neg(c)));
        return f;
    }
    const carom_joint_def *j = &s->joints[s->joint_of[body]];
    frame parent = reference(s, j->parent), own = reference(s, body);
    v3 axis[3], at = v3_of(j->at);
    hyper v[3] = {h_of(0), h_of(0), h_of(0)};
    axes_of(j, s->world.space, axis);
    f = place(s, bodies, j->parent, q, x);
    /* To the joint, along space axes of the reference; then the joint; then to the body. */
    f.p = hf_point(&f, hv_of(frame_back(&parent, at)));
    hf_turn_fixed(&f, m3_transpose(parent.R));
    int count = carom_forest_velocities(l);
    for (int k = 0; k < count && j->kind != CAROM_JOINT_BALL; k++)
        v[k] = h_add(h_of(q[l->q + k]), dx[k]);
    switch (j->kind) {
    case CAROM_JOINT_REVOLUTE:
        hf_turn_by(&f, axis[0], v[0]);
        break;
    case CAROM_JOINT_PRISMATIC:
        hf_move(&f, axis[0], v[0]);
        break;
    case CAROM_JOINT_UNIVERSAL:
        hf_turn_by(&f, axis[0], v[0]);
        hf_turn_by(&f, axis[1], v[1]);
        break;
    case CAROM_JOINT_CYLINDRICAL:
        hf_move(&f, axis[0], v[0]);
        hf_turn_by(&f, axis[0], v[1]);
        break;
    case CAROM_JOINT_SCREW:
        hf_move(&f, axis[0], h_mul(h_of(j->own[0] / (2 * CAROM_PI)), v[0]));
        hf_turn_by(&f, axis[0], v[0]);
        break;
    case CAROM_JOINT_PLANAR:
        hf_move(&f, axis[0], v[0]);
        hf_move(&f, axis[1], v[1]);
        hf_turn_by(&f, axis[2], v[2]);
        break;
    default:
        break;
    }
    hf_turn_fixed(&f, own.R);
    if (j->kind == CAROM_JOINT_BALL) {
        carom_pose pose;
        assert_true(carom_pose_set(&pose, (double[3]){0, 0, 0}, q + l->q));
        hf_turn_fixed(&f, frame_of(&pose).R);
        hf_turn_small(&f, dx);
    }
    f.p = hf_point(&f, hv_of(v3_neg(frame_back(&own, at))));
    return f;
}

/* M and h from sum m x_j.x_k and sum m x_j.(g - x_kl u_k u_l). */
static void lagrange(const scene *s, const carom_bodies *bodies, int n, const double *q,
                     const double *u, double *M, double *h)
{
    static v3 first[BODIES][POINTS][MOST];
    static v3 second[BODIES][POINTS];
    memset(second, 0, sizeof second);
    for (int j = 0; j < n; j++)
        for (int k = 0; k <= j; k++) {
            hyper x[MOST] = {{0}};
            x[j].b += 1;
            x[k].c += 1;
            for (int body = 0; body < BODIES; body++) {
                hframe f = place(s, bodies, body, q, x);
                for (int i = 0; i < POINTS; i++) {
                    hvec p = hf_point(&f, hv_of(s->point[body][i]));
                    v3 dd = {p.c[0].d, p.c[1].d, p.c[2].d};
                    if (k == j)
                        first[body][i][j] = (v3){p.c[0].b, p.c[1].b, p.c[2].b};
                    second[body][i] = v3_along(second[body][i], (k == j ? 1 : 2) * u[j] * u[k], dd);
                }
            }
        }
    v3 g = v3_of(s->world.gravity);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    memset(h, 0, (size_t)n * sizeof *h);
    for (int body = 0; body < BODIES; body++)
        for (int i = 0; i < POINTS; i++)
            for (int j = 0; j < n; j++) {
                v3 force = v3_scale(s->mass[body][i], v3_sub(g, second[body][i]));
                h[j] += v3_dot(first[body][i][j], force);
                for (int k = 0; k < n; k++)
                    M[j + n * k] += s->mass[body][i] * v3_dot(first[body][i][j], first[body][i][k]);
            }
    for (int k = 0; k < s->world.joint_count; k++)
        for (int i = 0; bodies->joint[k].loop < 0 &&
                        i < carom_forest_velocities(&bodies->forest.link[bodies->joint[k].link]);
             i++)
            M[(bodies->joint[k].u + i) * (n + 1)] += s->joints[k].armature;
}

static bool moves(const scene *s)
{
    bool any = s->world.joint_count < s->world.body_count;
    for (int k = 0; k < s->world.joint_count; k++)
        any = any || s->joints[k].kind != CAROM_JOINT_FIXED;
    return any;
}

static void check_family(int space, const char *name)
{
    family f = family_start(name, 17, 300);
    while (family_next(&f)) {
        scene s;
        carom_system *system = NULL;
        carom_arena *arena;
        carom_state at;
        carom_error error = {0};
        double M[MOST * MOST], h[MOST];
        do /* now and then every body is fixed to the world, and nothing can move */
            random_scene(&s, &f.random, space);
        while (!moves(&s));
        check_ok(carom_system_bodies(&s.world, NULL, &system, NULL, &error), &error);
        check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
        check_ok(carom_state_create(system, arena, &at, NULL), NULL);
        const carom_system_shape *z = carom_system_get_shape(system);
        for (int k = 0; k < z->nq; k++)
            at.q[k] = check_random_in(&f.random, -1.5, 1.5);
        for (int k = 0; k < z->n; k++)
            at.u[k] = check_random_in(&f.random, -2, 2);
        check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &at, &error), &error);
        lagrange(&s, carom_bodies_of(system), z->n, at.q, at.u, M, h);
        double size = 0, force = 0, kinetic = 0;
        for (int k = 0; k < z->n * z->n; k++)
            size = fmax(size, fabs(M[k]));
        for (int k = 0; k < z->n; k++)
            force = fmax(force, fabs(h[k]));
        for (int j = 0; j < z->n; j++) {
            family_check(&f, fabs(at.h[j] - h[j]) <= 1e-12 * force,
                         "h[%d] is %.15g, Lagrange %.15g", j, at.h[j], h[j]);
            for (int i = 0; i < z->n; i++) {
                double here = z->mass_is_diagonal ? (i == j) * at.M[j] : at.M[i + z->n * j];
                kinetic += at.u[i] * M[i + z->n * j] * at.u[j] / 2;
                family_check(&f, fabs(here - M[i + z->n * j]) <= 1e-12 * size,
                             "M[%d, %d] is %.15g, Lagrange %.15g", i, j, here, M[i + z->n * j]);
            }
        }
        family_check(&f, fabs(at.kinetic - kinetic) <= 1e-12 * kinetic,
                     "T is %.15g, 1/2 u'Mu %.15g", at.kinetic, kinetic);
        carom_arena_destroy(arena);
        carom_system_destroy(system);
    }
    family_end(&f);
}

static void test_space(void **state)
{
    (void)state;
    check_family(3, "trees in space");
}

static void test_plane(void **state)
{
    (void)state;
    check_family(2, "trees in the plane");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_space), cmocka_unit_test(test_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
