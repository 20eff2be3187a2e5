/* Bead i of a column, of mass 1 and radius 0.1, at rest at x; the first lies over the floor. */
#ifndef CAROM_TESTS_SPARSE_CASE_H
#define CAROM_TESTS_SPARSE_CASE_H

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

static inline carom_source say(const char *format, ...)
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

static inline void begin(void)
{
    made.used = 0;
    made.statement = (carom_formulas){.coordinates = made.coordinates,
                                      .kinetic = made.kinetic,
                                      .potential = made.potential,
                                      .forces = made.forces,
                                      .contacts = made.contacts,
                                      .bilateral = made.joints};
}

static inline void add_coordinate(carom_source name, double q, double u)
{
    int k = made.statement.coordinate_count++;
    made.coordinates[k] = name;
    made.q[k] = q;
    made.u[k] = u;
}

static inline void add_contact(carom_source gap, carom_source slip, double e, double mu)
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

static inline carom_status pass_on(void *self, unsigned want, carom_state *state,
                                   carom_error *error)
{
    return carom_system_evaluate(self, want, state, error);
}

static inline carom_pattern full_pattern(int n, int columns)
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

static inline carom_system *retell(carom_system *inner, words how)
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

static inline double rate(const carom_state *x, const double *W, int n, int column, const double *u)
{
    double sum = 0;
    (void)x;
    for (int i = 0; i < n; i++)
        sum += W[i + column * n] * u[i];
    return sum;
}

/* M (v - v_k) = h F + W P + H P_T (+ B beta, left out where there are joints), M and F at the theta
 * point. */
static inline void check_motion(checker *c, const carom_flow_row *row, double h)
{
    const carom_system_shape *s = carom_system_get_shape(c->system);
    const carom_state *x = &c->start;
    for (int i = 0; i < s->n && s->m == 0; i++) {
        double sum = -h * c->theta.h[i], size = fabs(sum);
        for (int j = 0; j < s->n; j++) {
            const double *all = c->theta.M;
            double M = s->mass_is_diagonal ? (i == j ? all[i] : 0) : all[i + j * s->n];
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

static inline void check_contacts(checker *c, const carom_flow_row *row, double h, double speed)
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

static inline carom_status check_row(void *self, const carom_flow_row *row, carom_error *error)
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
        check_ok(
            carom_system_evaluate(c->system, CAROM_WANT_FORCES | CAROM_WANT_MASS, &c->theta, error),
            error);
        check_motion(c, row, h);
        check_contacts(c, row, h, speed);
    }
    memcpy(c->q, row->q, sizeof(double) * (size_t)s->nq);
    memcpy(c->u, row->u, sizeof(double) * (size_t)s->n);
    return CAROM_OK;
}

/* Run the statement in all three ways; returns the sum of all impulses. Those are `unique` unless
 * rows are dependent: then contacts may take turns to push. */
static inline double run_any(const char *law_name, double step, int steps, bool unique)
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

static inline double run(const char *law_name, double step, int steps)
{
    return run_any(law_name, step, steps, true);
}

static inline void add_bead(int i, double x, double e)
{
    add_coordinate(say("x%d", i), x, 0);
    made.kinetic[i] = say("x%d'^2/2", i);
    made.potential[i] = say("9.81*x%d", i);
    add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0}, e, 0);
    made.statement.kinetic_count = made.statement.potential_count = i + 1;
}

#endif
