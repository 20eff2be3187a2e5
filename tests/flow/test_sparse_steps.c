/* Time-stepping of many bodies: every step obeys the scheme, recomputed here from scratch, and the
 * motion does not depend on whether the system states which entries of its matrices may differ from
 * zero (sparse), leaves that to be seen, or says "all of them" (dense). */
#include <stdlib.h>

#include "carom/carom.h"
#include "check.h"
#include "check_memory.h"

enum { MOST = 128, TEXT = 1 << 18 };

/* A statement under construction. */
typedef struct builder {
    char text[TEXT];
    size_t used;
    carom_source coordinates[MOST], kinetic[MOST], potential[MOST];
    carom_named_formula forces[MOST], joints[MOST];
    carom_contact_formulas contacts[4 * MOST];
    carom_formulas statement;
    double q[MOST], u[MOST];
} builder;

static builder made;

static carom_source say(const char *format, ...)
{
    char *at = made.text + made.used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(at, TEXT - made.used, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && made.used + (size_t)length + 1 < TEXT);
    made.used += (size_t)length + 1;
    return (carom_source){.text = at};
}

static void begin(void)
{
    made.used = 0;
    made.statement = (carom_formulas){.coordinates = made.coordinates,
                                      .kinetic = made.kinetic,
                                      .potential = made.potential,
                                      .forces = made.forces,
                                      .contacts = made.contacts,
                                      .bilateral = made.joints};
}

static void add_coordinate(carom_source name, double q, double u)
{
    int k = made.statement.coordinate_count++;
    made.coordinates[k] = name;
    made.q[k] = q;
    made.u[k] = u;
}

static void add_contact(carom_source gap, carom_source slip, double e, double mu)
{
    carom_contact_formulas *c = &made.contacts[made.statement.contact_count++];
    *c = (carom_contact_formulas){.gap = gap, .properties = carom_contact_default()};
    c->slip[0] = slip;
    c->properties.name = say("c%d", made.statement.contact_count).text;
    c->properties.restitution = e;
    c->properties.friction_static = c->properties.friction_dynamic = mu;
}

/* The same system with other words on its structure. */
typedef enum words { STATED, SEEN, FULL } words;

static carom_status pass_on(void *self, unsigned want, carom_state *state, carom_error *error)
{
    return carom_system_evaluate(self, want, state, error);
}

static carom_pattern full_pattern(int n, int columns)
{
    int *start = malloc(sizeof(int) * ((size_t)columns + 1));
    int *row = malloc(sizeof(int) * ((size_t)columns * (size_t)n + 1));
    assert_non_null(start);
    assert_non_null(row);
    for (int j = 0; j <= columns; j++)
        start[j] = j * n;
    for (int k = 0; k < columns * n; k++)
        row[k] = k % n;
    return (carom_pattern){start, row};
}

static carom_system *retell(carom_system *inner, words how)
{
    static const carom_system_ops ops = {.name = "retold", .evaluate = pass_on};
    carom_system_shape shape = *carom_system_get_shape(inner);
    carom_system *system;
    carom_pattern *patterns[] = {&shape.normal_pattern, &shape.slip_pattern, &shape.joint_pattern,
                                 &shape.mass_pattern};
    const int columns[] = {shape.p, shape.s, shape.m, shape.n};
    shape.rows_are_constant = shape.forces_are_constant = shape.power_is_zero = false;
    for (int k = 0; k < 4; k++)
        *patterns[k] = how == FULL ? full_pattern(shape.n, columns[k]) : (carom_pattern){0};
    carom_error error = {0};
    check_ok(carom_system_create(&ops, inner, &shape, NULL, &system, &error), &error);
    for (int k = 0; k < 4; k++) {
        free((void *)patterns[k]->start);
        free((void *)patterns[k]->row);
    }
    return system;
}

/* The rows of a run, each checked against the one before. */
typedef struct checker {
    carom_system *system;
    const carom_flow_options *options;
    const carom_law *law;
    carom_state start, theta; /* at the beginning of the step, at the theta point */
    double q[MOST], u[MOST];
    int rows;
    double pushed; /* sum of all impulses */
    double worst;  /* of the equations of motion, relative */
} checker;

static double rate(const carom_state *x, const double *W, int n, int column, const double *u)
{
    double sum = 0;
    (void)x;
    for (int i = 0; i < n; i++)
        sum += W[i + column * n] * u[i];
    return sum;
}

/* M (v - v_k) = h F + W P + H P_T (+ B beta, left out where there are joints). */
static void check_motion(checker *c, const carom_flow_row *row, double h)
{
    const carom_system_shape *s = carom_system_get_shape(c->system);
    const carom_state *x = &c->start;
    for (int i = 0; i < s->n && s->m == 0; i++) {
        double sum = -h * c->theta.h[i], size = fabs(sum);
        for (int j = 0; j < s->n; j++) {
            double M = s->mass_is_diagonal ? (i == j ? x->M[i] : 0) : x->M[i + j * s->n];
            sum += M * (row->u[j] - c->u[j]);
            size += fabs(M) * (fabs(row->u[j]) + fabs(c->u[j]));
        }
        for (int j = 0; j < s->p; j++) {
            sum -= x->W[i + j * s->n] * row->force[j] * h;
            size += fabs(x->W[i + j * s->n] * row->force[j] * h);
        }
        for (int j = 0; j < s->s; j++) {
            sum -= x->H[i + j * s->n] * row->friction[j] * h;
            size += fabs(x->H[i + j * s->n] * row->friction[j] * h);
        }
        c->worst = fmax(c->worst, fabs(sum) / (size + 1e-300));
    }
}

static void check_contacts(checker *c, const carom_flow_row *row, double h, double speed)
{
    const carom_system_shape *s = carom_system_get_shape(c->system);
    const carom_state *x = &c->start;
    bool rough = strcmp(c->law->ops->name, "coulomb") == 0;
    for (int i = 0; i < s->p; i++) {
        double e = s->contacts[i].restitution, P = row->force[i] * h;
        double before = rate(x, x->W, s->n, i, c->u) + x->w_hat[i];
        double after = rate(x, x->W, s->n, i, row->u) + x->w_hat[i] + e * before;
        double reach = x->g[i] + c->options->activation * h * before;
        c->pushed += P;
        assert_true(P >= 0);
        if (fabs(reach) < 1e-12)
            continue; /* in or out by rounding */
        if (reach > 0) {
            assert_true(P == 0);
            continue;
        }
        assert_true(after >= -1e-11 * speed);
        if (P > 0)
            check_close(after, 0, 1e-11 * speed);
        double mu = s->contacts[i].friction_dynamic;
        if (!rough || s->contacts[i].slip_count == 0)
            continue;
        int j = s->slip_start[i];
        double T = row->friction[j] * h, slip = rate(x, x->H, s->n, j, row->u) + x->slip_motion[j];
        assert_true(fabs(T) <= mu * P * (1 + 1e-9) + 1e-11);
        if (P > 0 && fabs(T) < mu * P * (1 - 1e-9))
            check_close(slip, 0, 1e-10 * speed);
        if (slip > 1e-10 * speed && P > 0)
            check_close(T, -mu * P, 1e-10 * (mu * P + 1));
        if (slip < -1e-10 * speed && P > 0)
            check_close(T, mu * P, 1e-10 * (mu * P + 1));
    }
}

static carom_status check_row(void *self, const carom_flow_row *row, carom_error *error)
{
    checker *c = self;
    const carom_system_shape *s = carom_system_get_shape(c->system);
    const double h = c->options->step, theta = c->options->theta;
    if (c->rows++ > 0) {
        double speed = 1;
        c->start.t = row->t - h;
        memcpy(c->start.q, c->q, sizeof(double) * (size_t)s->nq);
        memcpy(c->start.u, c->u, sizeof(double) * (size_t)s->n);
        c->theta.t = row->t - h + theta * h;
        for (int i = 0; i < s->n; i++) {
            double v = theta * row->u[i] + (1 - theta) * c->u[i];
            c->theta.u[i] = v;
            c->theta.q[i] = c->q[i] + h * theta * v;
            speed = fmax(speed, fmax(fabs(row->u[i]), fabs(c->u[i])));
            check_close(row->q[i], c->q[i] + h * v, 1e-13 * (1 + fabs(row->q[i])));
        }
        check_ok(carom_system_evaluate(c->system, CAROM_WANT_ALL, &c->start, error), error);
        check_ok(carom_system_evaluate(c->system, CAROM_WANT_FORCES, &c->theta, error), error);
        check_motion(c, row, h);
        check_contacts(c, row, h, speed);
    }
    memcpy(c->q, row->q, sizeof(double) * (size_t)s->nq);
    memcpy(c->u, row->u, sizeof(double) * (size_t)s->n);
    return CAROM_OK;
}

/* Run the statement in all three ways; returns the sum of all impulses. Those are `unique` unless
 * rows are dependent: then contacts may take turns to push. */
static double run_any(const char *law_name, double step, int steps, bool unique)
{
    carom_system *inner, *systems[3];
    carom_arena *arena;
    carom_error error = {0};
    check_ok(carom_system_formulas(&made.statement, NULL, &inner, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = step;
    options.output = step;
    options.until = step * steps;
    carom_law law = {.ops = carom_law_find(law_name)};
    carom_flow_start start = {0, made.q, made.u};
    carom_flow_result results[3];
    checker c;
    for (int how = 0; how < 3; how++) {
        memset(&c, 0, sizeof c);
        systems[how] = how == STATED ? inner : retell(inner, (words)how);
        c.system = inner;
        c.options = &options;
        c.law = &law;
        check_ok(carom_state_create(inner, arena, &c.start, &error), &error);
        check_ok(carom_state_create(inner, arena, &c.theta, &error), &error);
        carom_flow_observer observer = {.self = &c, .row = check_row};
        carom_status status = carom_flow_run(systems[how], &law, &start, &options, &observer, arena,
                                             &results[how], &error);
        if (status != CAROM_OK)
            fail_msg("%s", status < 0 ? error.text : results[how].message);
        if (results[how].warning_count > 0)
            print_message("warning: %s\n", results[how].warnings[0]);
        assert_int_equal(results[how].warning_count, 0);
        assert_int_equal(c.rows, steps + 1);
        assert_true(c.worst < 1e-12);
        if (unique)
            assert_int_equal(results[how].impact_count, results[0].impact_count);
        check_vector(results[how].q, results[0].q, made.statement.coordinate_count, 1e-9);
        check_vector(results[how].u, results[0].u, made.statement.coordinate_count, 1e-8);
    }
    for (int how = 2; how >= 0; how--)
        carom_system_destroy(systems[how]);
    carom_arena_destroy(arena);
    return c.pushed;
}

static double run(const char *law_name, double step, int steps)
{
    return run_any(law_name, step, steps, true);
}

/* Balls of random masses and restitutions in a column. */
static void test_chains(void **state)
{
    (void)state;
    check_random r = {3};
    for (int round = 0; round < 12; round++) {
        const int n = 2 + check_random_int(&r, 40);
        begin();
        double height = 0.1;
        for (int i = 0; i < n; i++) {
            double m = pow(10, check_random_in(&r, -4.5, 4.5));
            made.kinetic[i] = say("%.17g/2*x%d'^2", m, i);
            made.potential[i] = say("%.17g*9.81*x%d", m, i);
            add_coordinate(say("x%d", i), height, check_random_in(&r, -0.3, 0.3));
            add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0},
                        check_random_in(&r, 0, 0.8), 0);
            height += 0.2 + (check_random_int(&r, 2) ? check_random_in(&r, 0, 0.02) : 0);
        }
        made.statement.kinetic_count = made.statement.potential_count = n;
        assert_true(run("newton", 1e-3, 300) > 0);
    }
}

/* Bodies on a line that rest on each other like the branches of a tree, numbered at random. */
static void test_trees(void **state)
{
    (void)state;
    check_random r = {5};
    for (int round = 0; round < 12; round++) {
        const int n = 3 + check_random_int(&r, 40);
        int name[MOST];
        begin();
        for (int i = 0; i < n; i++)
            name[i] = i;
        for (int i = n - 1; i > 0; i--) {
            int j = check_random_int(&r, i + 1), keep = name[i];
            name[i] = name[j];
            name[j] = keep;
        }
        for (int i = 0; i < n; i++)
            add_coordinate(say("x%d", i), 0, 0);
        for (int i = 0; i < n; i++) {
            int below = i ? check_random_int(&r, i) : -1;
            made.q[name[i]] = (i ? made.q[name[below]] + 0.2 : 0.1) + check_random_in(&r, 0, 0.005);
            made.kinetic[i] = say("(1 + 0.1*%d)/2*x%d'^2", i, name[i]);
            made.potential[i] = say("(1 + 0.1*%d)*9.81*x%d", i, name[i]);
            add_contact(i ? say("x%d - x%d - 0.2", name[i], name[below])
                          : say("x%d - 0.1", name[0]),
                        (carom_source){0}, 0.3, 0);
        }
        made.statement.kinetic_count = made.statement.potential_count = n;
        assert_true(run("newton", 1e-3, 300) > 0);
    }
}

/* Discs in a pyramid between two walls, with and without friction against the floor and each
 * other. */
static void pile_discs(int base, double mu)
{
    int column[MOST], line[MOST], n = 0;
    begin();
    for (int k = 0; k < base; k++)
        for (int i = 0; i < base - k; i++, n++) {
            column[n] = i;
            line[n] = k;
            add_coordinate(say("x%d", n), 0.205 * (i + 0.5 * k) + 0.002 * sin(7 * n),
                           0.1 * sin(3 * n));
            add_coordinate(say("y%d", n), 0.101 + 0.175 * k, 0);
            made.kinetic[n] = say("1/2*(x%d'^2 + y%d'^2)", n, n);
            made.potential[n] = say("9.81*y%d", n);
        }
    made.statement.kinetic_count = made.statement.potential_count = n;
    for (int a = 0; a < n; a++) {
        if (line[a] == 0)
            add_contact(say("y%d - 0.1", a), mu > 0 ? say("x%d'", a) : (carom_source){0}, 0.2, mu);
        for (int b = 0; b < a; b++) {
            bool near = line[a] == line[b] ? column[a] == column[b] + 1
                                           : line[a] == line[b] + 1 && (column[b] == column[a] ||
                                                                        column[b] == column[a] + 1);
            if (near)
                add_contact(say("sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - 0.2", a, b, a, b),
                            (carom_source){0}, 0.1, 0);
        }
    }
    add_contact(say("x0 + 0.03"), (carom_source){0}, 0, 0);
    add_contact(say("%g - x%d", 0.205 * (base - 1) + 0.03, base - 1), (carom_source){0}, 0, 0);
}

static void test_walls(void **state)
{
    (void)state;
    for (int base = 2; base <= 6; base++) {
        pile_discs(base, 0);
        assert_true(run("newton", 1e-3, 120) > 0);
    }
    for (int base = 2; base <= 4; base++) {
        pile_discs(base, 0.4);
        assert_true(run("coulomb", 1e-3, 120) > 0);
    }
}

/* Rough discs that turn, in a heap a little out of order: more rows of friction than degrees of
 * freedom, and more contacts than a general solver takes. */
static void heap_rough_discs(check_random *r, int base, double mu)
{
    int column[MOST], line[MOST], n = 0;
    begin();
    for (int k = 0; k < base; k++)
        for (int i = 0; i < base - k; i++, n++) {
            column[n] = i;
            line[n] = k;
            add_coordinate(say("x%d", n), 0.203 * (i + 0.5 * k) + check_random_in(r, 0, 0.001), 0);
            add_coordinate(say("y%d", n), 0.1005 + 0.175 * k + check_random_in(r, 0, 0.001), 0);
            add_coordinate(say("p%d", n), 0, 0);
            made.kinetic[n] = say("(x%d'^2 + y%d'^2)/2 + 0.005/2*p%d'^2", n, n, n);
            made.potential[n] = say("9.81*y%d", n);
        }
    made.statement.kinetic_count = made.statement.potential_count = n;
    for (int a = 0; a < n; a++) {
        if (line[a] == 0)
            add_contact(say("y%d - 0.1", a), say("x%d' + 0.1*p%d'", a, a), 0, mu);
        for (int b = 0; b < a; b++) {
            bool side = line[a] == line[b] && column[a] == column[b] + 1;
            bool above =
                line[a] == line[b] + 1 && (column[b] == column[a] || column[b] == column[a] + 1);
            if (side || above)
                add_contact(say("sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - 0.2", a, b, a, b),
                            say("(-(x%d' - x%d')*(y%d - y%d) + (y%d' - y%d')*(x%d - x%d))"
                                "/sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - 0.1*(p%d' + p%d')",
                                a, b, a, b, a, b, a, b, a, b, a, b, a, b),
                            0, mu);
        }
    }
}

static void test_rough_heaps(void **state)
{
    (void)state;
    check_random r = {9};
    for (int base = 2; base <= 5; base++) {
        heap_rough_discs(&r, base, 0.5);
        assert_true(run_any("coulomb", 1e-3, 150, false) > 0);
    }
}

/* Bricks in running bond, four corners of contact each: more contacts than they need to rest. */
static void lay_bricks(int lines, int columns, double mu)
{
    int number[MOST], n = 0;
    begin();
    for (int k = 0; k < lines; k++)
        for (int i = 0; i < columns - k % 2; i++, n++) {
            number[k * columns + i] = n;
            add_coordinate(say("x%d", n), i + 0.5 * (k % 2), 0);
            add_coordinate(say("y%d", n), 0.25 + 0.5 * k + 5e-4 * (k + 1), 0);
            add_coordinate(say("p%d", n), 0, 0);
            made.kinetic[n] = say("(x%d'^2 + y%d'^2)/2 + 1.25/24*p%d'^2", n, n, n);
            made.potential[n] = say("9.81*y%d", n);
            const char *bottom = say("y%d - 0.25*cos(p%d)", n, n).text;
            const char *slip = say("x%d' + 0.25*p%d'", n, n).text;
            for (int c = 0; c < 2 && k == 0; c++)
                add_contact(say("%s + %g*sin(p%d)", bottom, c - 0.5, n),
                            mu > 0 ? say("%s", slip) : (carom_source){0}, 0, mu);
            for (int c = 0; c < 4 && k > 0; c++) { /* left and right half, on the brick below */
                int column = i + c / 2 - (k % 2 ? 0 : 1);
                if (column < 0 || column >= columns - (k - 1) % 2)
                    continue;
                int b = number[(k - 1) * columns + column];
                double at = c < 2 ? -0.5 + 0.5 * (c % 2) : 0.5 * (c % 2);
                add_contact(say("%s + %g*sin(p%d) - y%d - 0.25*cos(p%d) - %g*sin(p%d)", bottom, at,
                                n, b, b, at + (c < 2 ? 0.5 : -0.5), b),
                            mu > 0 ? say("%s - x%d' + 0.25*p%d'", slip, b, b) : (carom_source){0},
                            0, mu);
            }
        }
    made.statement.kinetic_count = made.statement.potential_count = n;
}

static void test_bricks(void **state)
{
    (void)state;
    for (int lines = 1; lines <= 5; lines += 2) {
        lay_bricks(lines, 4, 0);
        assert_true(run_any("newton", 1e-3, 60, false) > 0);
        lay_bricks(lines, 4, 0.5);
        assert_true(run_any("coulomb", 1e-3, 60, false) > 0);
    }
}

/* The last row of a run. */
static carom_status keep_forces(void *self, const carom_flow_row *row, carom_error *error)
{
    (void)error;
    memcpy(self, row->force, 6 * sizeof(double));
    return CAROM_OK;
}

/* A plank on six supports: of all forces that hold it, those of least norm in units of D_ii, that
 * is P_i proportional to 1/D_ii for a symmetric plank. */
static void test_plank(void **state)
{
    (void)state;
    const double at[6] = {-3, -2, -0.5, 0.5, 2, 3}, m = 2, J = 3, g = 9.81;
    begin();
    add_coordinate(say("y"), 0, 0);
    add_coordinate(say("p"), 0, 0);
    made.kinetic[0] = say("%g/2*y'^2 + %g/2*p'^2", m, J);
    made.potential[0] = say("%g*y", m * g);
    for (int i = 0; i < 6; i++)
        add_contact(say("y + %g*p", at[i]), (carom_source){0}, 0, 0);
    made.statement.kinetic_count = made.statement.potential_count = 1;
    carom_system *system;
    carom_arena *arena;
    carom_error error = {0};
    check_ok(carom_system_formulas(&made.statement, NULL, &system, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = 1e-3;
    options.until = 0.1;
    carom_flow_start start = {0, made.q, made.u};
    carom_flow_result result;
    double force[6], sum = 0;
    carom_flow_observer observer = {.self = force, .row = keep_forces};
    check_ok(carom_flow_run(system, NULL, &start, &options, &observer, arena, &result, &error),
             &error);
    for (int i = 0; i < 6; i++)
        sum += 1 / (1 / m + at[i] * at[i] / J);
    for (int i = 0; i < 6; i++)
        check_close(force[i], m * g / (1 / m + at[i] * at[i] / J) / sum, 1e-6);
    check_close(result.u[0], 0, 1e-13);
    check_close(result.u[1], 0, 1e-13);
    carom_system_destroy(system);
    carom_arena_destroy(arena);
}

/* A row of double pendulums, the lower weights of which knock against each other: the mass depends
 * on the position, in blocks of two. */
static void test_pendulums(void **state)
{
    (void)state;
    for (int n = 2; n <= 20; n += 6) {
        begin();
        for (int i = 0; i < n; i++) {
            add_coordinate(say("a%d", i), 0.03 * sin(5 * i), i % 2 ? -1.5 : 1.5);
            add_coordinate(say("b%d", i), 0.02 * cos(3 * i), 0);
            made.kinetic[i] =
                say("a%d'^2/2 + ((cos(a%d)*a%d' + cos(b%d)*b%d')^2 + (sin(a%d)*a%d' + "
                    "sin(b%d)*b%d')^2)/2",
                    i, i, i, i, i, i, i, i, i);
            made.potential[i] = say("-9.81*(2*cos(a%d) + cos(b%d))", i, i);
            if (i > 0)
                add_contact(
                    say("0.15 + sin(a%d) + sin(b%d) - sin(a%d) - sin(b%d)", i, i, i - 1, i - 1),
                    (carom_source){0}, 0.5, 0);
        }
        made.statement.kinetic_count = made.statement.potential_count = n;
        assert_true(run("newton", 1e-3, 400) > 0);
    }
}

/* Beads joined in pairs by rods on two axes, above each other, with springs and drag: joints in
 * groups of two, forces that depend on the motion. */
static void test_joints_and_springs(void **state)
{
    (void)state;
    for (int pairs = 1; pairs <= 9; pairs += 4) {
        begin();
        for (int i = 0; i < pairs; i++) {
            double x = 0.3 + 0.5 * i;
            add_coordinate(say("x%d", i), x, 0);
            add_coordinate(say("y%d", i), sqrt(4 - x * x < 0 ? 0 : 4 - x * x), 0);
            made.kinetic[2 * i] = say("(1 + 0.1*%d)/2*x%d'^2", i, i);
            made.kinetic[2 * i + 1] = say("1/2*y%d'^2", i);
            made.potential[i] = say("9.81*x%d", i);
            made.forces[i] = (carom_named_formula){
                say("x%d", i), i ? say("-0.5*x%d'*abs(x%d') - 20*(x%d - x%d - 0.4)", i, i, i, i - 1)
                                 : say("-x%d'", i)};
            made.joints[i] = (carom_named_formula){
                say("rod%d", i),
                say("x%d^2 + y%d^2 - %.17g", i, i,
                    made.q[2 * i] * made.q[2 * i] + made.q[2 * i + 1] * made.q[2 * i + 1])};
            add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0},
                        0.4, 0);
        }
        made.statement.kinetic_count = 2 * pairs;
        made.statement.potential_count = pairs;
        made.statement.force_count = made.statement.bilateral_count = pairs;
        assert_true(run("newton", 1e-3, 400) > 0);
    }
}

/* Forces that make the matrix of the step unsymmetric: contacts still hold to rounding. */
static void test_unsymmetric_forces(void **state)
{
    (void)state;
    const int n = 6;
    begin();
    for (int i = 0; i < n; i++) {
        add_coordinate(say("x%d", i), 0.1 + 0.2 * i + 1e-3 * i, 0);
        made.kinetic[i] = say("x%d'^2/2", i);
        made.potential[i] = say("9.81*x%d", i);
        made.forces[i] = (carom_named_formula){
            say("x%d", i), say("5*x%d' - 5*x%d' - 50*(x%d - x%d)", (i + 1) % n, i, i, (i + 2) % n)};
        add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0}, 0,
                    0);
    }
    made.statement.kinetic_count = made.statement.potential_count = n;
    made.statement.force_count = n;
    assert_true(run("newton", 1e-2, 100) > 0);
}

/* A column that falls together and comes to rest, with positions put back on g >= 0 after each
 * step: it lies where it should, and the energy of putting it back is a small part of the impacts'.
 */
static void test_projection(void **state)
{
    (void)state;
    const int n = 40;
    begin();
    for (int i = 0; i < n; i++) {
        add_coordinate(say("x%d", i), 0.1 + 0.202 * i, 0);
        made.kinetic[i] = say("x%d'^2/2", i);
        made.potential[i] = say("9.81*x%d", i);
        add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0}, 0.3,
                    0);
    }
    made.statement.kinetic_count = made.statement.potential_count = n;
    carom_system *system;
    carom_arena *arena;
    carom_error error = {0};
    check_ok(carom_system_formulas(&made.statement, NULL, &system, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = 1e-3;
    options.until = 1;
    options.project = true;
    carom_flow_start start = {0, made.q, made.u};
    carom_flow_result r;
    check_ok(carom_flow_run(system, NULL, &start, &options, NULL, arena, &r, &error), &error);
    assert_true(r.max_penetration < 1e-13);
    assert_true(r.ledger.projection > 0 && r.ledger.projection < -0.05 * r.ledger.impacts);
    for (int i = 0; i < n; i++) {
        check_close(r.q[i], 0.1 + 0.2 * i, 1e-5);
        check_close(r.u[i], 0, 9.81e-3); /* what a step of gravity gives */
    }
    carom_system_destroy(system);
    carom_arena_destroy(arena);
}

/* Memory that runs out at any request: the error, and nothing lost. */
static void test_memory(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 30; i++) {
        add_coordinate(say("x%d", i), 0.1 + 0.2 * i, 0);
        made.kinetic[i] = say("x%d'^2/2", i);
        made.potential[i] = say("9.81*x%d", i);
        made.forces[i] = (carom_named_formula){say("x%d", i), say("-x%d'", i)};
        add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0}, 0,
                    0);
    }
    made.statement.kinetic_count = made.statement.potential_count = 30;
    made.statement.force_count = 30;
    carom_system *inner, *system;
    carom_error error = {0};
    check_ok(carom_system_formulas(&made.statement, NULL, &inner, &error), &error);
    system = retell(inner, SEEN);
    carom_flow_options options = carom_flow_options_default();
    options.method = CAROM_FLOW_TIME_STEPPING;
    options.step = 1e-3;
    options.until = 0.01;
    carom_flow_start start = {0, made.q, made.u};
    carom_status status = CAROM_ERROR_MEMORY;
    for (int fail_at = 0; status != CAROM_OK; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_arena *arena;
        carom_flow_result result;
        status = carom_arena_create(&allocator, &arena, &error);
        if (status == CAROM_OK) {
            status = carom_flow_run(system, NULL, &start, &options, NULL, arena, &result, &error);
            carom_arena_destroy(arena);
        }
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
        assert_int_equal(c.live, 0);
        assert_true(fail_at < 1000);
    }
    carom_system_destroy(system);
    carom_system_destroy(inner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_rough_heaps),
        cmocka_unit_test(test_bricks),
        cmocka_unit_test(test_plank),
        cmocka_unit_test(test_pendulums),
        cmocka_unit_test(test_joints_and_springs),
        cmocka_unit_test(test_unsymmetric_forces),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
