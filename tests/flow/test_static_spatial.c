/* A rigid body in space on rough contacts, at rest. A load that forces within the friction cones
 * balance, drawn from such forces, holds it: `check` lists rest and `run` stays. A load with
 * positive power on a velocity y that no force of the cones resists, w'y >= mu |h'y| at every
 * contact, is balanced by none: `check` lists no rest and `run` moves. */
#include "family.h"
#include "flow/scenes.h"

enum { N = 6, MOST = 6 };

typedef struct body {
    int p;
    double mass[N], force[N], mu[MOST];
    double row[MOST][3][N]; /* normal and two slips */
} body;

static body the; /* of the member at work */

static carom_status evaluate(void *self, unsigned want, carom_state *s, carom_error *error)
{
    (void)self, (void)want, (void)error;
    s->kinetic = s->potential = 0;
    for (int k = 0; k < N; k++) {
        s->M[k] = the.mass[k];
        s->h[k] = the.force[k];
        s->kinetic += s->M[k] * s->u[k] * s->u[k] / 2;
        s->potential -= s->h[k] * s->q[k];
    }
    for (int i = 0; i < the.p; i++) {
        s->g[i] = 0;
        for (int k = 0; k < N; k++) {
            s->W[k + i * N] = the.row[i][0][k];
            s->H[k + 2 * i * N] = the.row[i][1][k];
            s->H[k + (2 * i + 1) * N] = the.row[i][2][k];
            s->g[i] += the.row[i][0][k] * s->q[k];
        }
    }
    return CAROM_OK;
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[k] * b[k];
    return sum;
}

static void cross(const double *a, const double *b, double *c)
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* A contact at a point of a grid: feet of a table, or faces with normals (3, 4, 0)/5 and the like
 * in any place of its axes. */
static void draw_contact(check_random *r, int i, bool table, double height)
{
    static const double frames[][3][3] = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                          {{0.6, 0, 0.8}, {0.8, 0, -0.6}, {0, 1, 0}},
                                          {{0, -0.6, 0.8}, {1, 0, 0}, {0, 0.8, 0.6}},
                                          {{-0.8, 0, 0.6}, {0.6, 0, 0.8}, {0, 1, 0}},
                                          {{0, 0.8, 0.6}, {1, 0, 0}, {0, 0.6, -0.8}}};
    const double(*frame)[3] = frames[table ? 0 : check_random_int(r, 5)];
    double at[3] = {(check_random_int(r, 7) - 3) / 2.0, (check_random_int(r, 7) - 3) / 2.0,
                    table ? -height : (check_random_int(r, 5) - 4) / 2.0};
    for (int j = 0; j < 3; j++) {
        memcpy(the.row[i][j], frame[j], sizeof frame[j]);
        cross(at, frame[j], the.row[i][j] + 3);
    }
    the.mu[i] = (1 + check_random_int(r, 5)) / 4.0;
}

static void draw_body(check_random *r, bool table)
{
    const double height = (1 + check_random_int(r, 4)) / 2.0;
    the = (body){.p = 2 + check_random_int(r, 4)};
    for (int k = 0; k < N; k++)
        the.mass[k] = k < 3 ? 1 : (1 + check_random_int(r, 4)) / 4.0;
    for (int i = 0; i < the.p; i++)
        draw_contact(r, i, table, height);
}

/* Balanced by forces with a part of every cone to spare. */
static void load_balanced(check_random *r)
{
    for (int i = 0; i < the.p; i++) {
        const double normal = 1 + check_random_int(r, 4), angle = check_random_in(r, 0, 6.3);
        const double friction = the.mu[i] * normal * check_random_in(r, 0, 0.9);
        for (int k = 0; k < N; k++)
            the.force[k] -= normal * the.row[i][0][k] + friction * (cos(angle) * the.row[i][1][k] +
                                                                    sin(angle) * the.row[i][2][k]);
    }
}

/* With power on a velocity that all contacts let go; false: none was found. */
static bool load_moving(check_random *r)
{
    double y[N];
    bool free = false;
    for (int attempt = 0; attempt < 50 && !free; attempt++) {
        for (int k = 0; k < N; k++)
            y[k] = check_random_in(r, -1, 1) + (k == 2);
        free = true;
        for (int i = 0; i < the.p; i++)
            free = free && product(the.row[i][0], y) >=
                               1.1 * the.mu[i] *
                                   hypot(product(the.row[i][1], y), product(the.row[i][2], y));
    }
    for (int k = 0; k < N; k++)
        the.force[k] = check_random_in(r, -1, 1) - (k == 2);
    const double power = product(the.force, y), square = product(y, y);
    for (int k = 0; k < N && power < 0.1 * square; k++) /* just enough, mostly downwards still */
        the.force[k] += (0.1 - power / square) * y[k];
    return free;
}

static carom_painleve problem_of(scene *s)
{
    carom_state state;
    carom_impact impact;
    carom_geometry g;
    carom_painleve problem;
    carom_error error = {0};
    int closed[MOST];
    check_ok(carom_state_create(s->system, s->arena, &state, &error), &error);
    memset(state.q, 0, sizeof(double) * N);
    memset(state.u, 0, sizeof(double) * N);
    check_ok(carom_system_evaluate(s->system, CAROM_WANT_ALL, &state, &error), &error);
    check_ok(carom_impact_from_system(s->system, &state, 1e-9, s->arena, &impact, closed, &error),
             &error);
    check_ok(carom_impact_derive(&impact, s->arena, &g, &error), &error);
    check_ok(carom_painleve_solve(s->system, &state, &g, closed, s->arena, &problem, &error),
             &error);
    return problem;
}

static double largest(const double *x)
{
    double most = 0;
    for (int k = 0; k < N; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

static void compare(family *f, bool rests)
{
    scene s;
    carom_flow_result result;
    scene_open(&s, evaluate, N, the.p, 2);
    s.shape.forces_are_constant = s.shape.rows_are_constant = s.shape.power_is_zero = true;
    for (int i = 0; i < the.p; i++)
        s.contact[i].friction_static = s.contact[i].friction_dynamic = the.mu[i];
    scene_ready(&s);
    const double small = 1e-8 * largest(the.force);
    const carom_painleve problem = problem_of(&s);
    bool listed = false;
    for (int k = 0; k < problem.count; k++)
        listed = listed || largest(problem.solutions[k].du) <= small;
    family_check(f, listed == rests, "check says %s, rest is %slisted",
                 carom_painleve_text(problem.kind), listed ? "" : "not ");
    family_check(f, problem.kind != CAROM_PAINLEVE_NONE || !rests, "none, yet it can rest");
    s.options.until = 0.0625;
    if (scene_run(&s, NULL, &result) != CAROM_OK)
        family_disagree(f, "run ends at %g: %s", result.t, result.message);
    else
        family_check(f, (largest(result.u) <= 0.0625 * small) == rests, "run moves by %g",
                     largest(result.u));
    scene_close(&s);
}

static void statics(family *f, bool table, bool rests)
{
    while (family_next(f)) {
        draw_body(&f->random, table);
        if (rests)
            load_balanced(&f->random);
        else if (!load_moving(&f->random))
            continue;
        compare(f, rests);
    }
    family_end(f);
}

static void table_rests(void **state)
{
    (void)state;
    family f = family_start("table at rest", 31, 300);
    statics(&f, true, true);
}

static void table_moves(void **state)
{
    (void)state;
    family f = family_start("table that cannot rest", 32, 300);
    statics(&f, true, false);
}

static void body_rests(void **state)
{
    (void)state;
    family f = family_start("body on faces at rest", 33, 300);
    statics(&f, false, true);
}

static void body_moves(void **state)
{
    (void)state;
    family f = family_start("body on faces that cannot rest", 34, 300);
    statics(&f, false, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_rests),
        cmocka_unit_test(table_moves),
        cmocka_unit_test(body_rests),
        cmocka_unit_test(body_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
