/* Contacts at rest: the contact problem of `check` and the motion of `run` against a reference in
 * exact integers that knows neither of them (static_exact.h). */
#include "family.h"
#include "flow/scenes.h"
#include "flow/static_exact.h"

static load current;

static carom_status evaluate(void *self, unsigned want, carom_state *s, carom_error *error)
{
    (void)self, (void)want, (void)error;
    const load *l = &current;
    for (int k = 0; k < l->n; k++) {
        s->M[k] = 1.0 / l->mass[k];
        s->h[k] = l->force[k];
    }
    for (int i = 0; i < l->p; i++) {
        s->g[i] = 0;
        for (int k = 0; k < l->n; k++) {
            s->W[k + i * l->n] = l->w[i][k];
            s->H[k + i * l->n] = l->h[i][k];
            s->g[i] += l->w[i][k] * s->q[k];
        }
    }
    for (int j = 0; j < l->m; j++) {
        s->f[j] = 0;
        for (int k = 0; k < l->n; k++) {
            s->B[k + j * l->n] = l->b[j][k];
            s->f[j] += l->b[j][k] * s->q[k];
        }
    }
    s->kinetic = 0;
    s->potential = 0;
    for (int k = 0; k < l->n; k++) {
        s->kinetic += s->M[k] * s->u[k] * s->u[k] / 2;
        s->potential -= l->force[k] * s->q[k];
    }
    return CAROM_OK;
}

/* ---- comparison ---------------------------------------------------------------------------- */

static const char *describe(const load *l)
{
    static char text[600];
    int used = 0;
    used += snprintf(text + used, sizeof text - (size_t)used, "1/mass");
    for (int k = 0; k < l->n; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->mass[k]);
    for (int i = 0; i < l->p; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "; w");
        for (int k = 0; k < l->n; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->w[i][k]);
        used += snprintf(text + used, sizeof text - (size_t)used, " h");
        for (int k = 0; k < l->n; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->h[i][k]);
        used += snprintf(text + used, sizeof text - (size_t)used, " mu %d %d /%d slides %d",
                         l->mu[i][0], l->mu[i][1], l->den, l->slides[i]);
    }
    for (int j = 0; j < l->m; j++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "; joint");
        for (int k = 0; k < l->n; k++)
            used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->b[j][k]);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "; force");
    for (int k = 0; k < l->n; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", l->force[k]);
    return text;
}

/* Is the acceleration among the motions of the reference? */
static bool listed(const load *l, const truth *t, const double *a)
{
    double size = 1e-300;
    for (int k = 0; k < l->n; k++)
        size = fmax(size, fmax(fabs(a[k]), fabs((double)l->force[k] * l->mass[k])));
    for (int m = 0; m < t->motions; m++) {
        bool equal = t->kept[m];
        for (int i = 0; i < l->p && equal; i++)
            for (int c = 0; c < 2; c++) {
                const int *v = c ? l->h[i] : l->w[i];
                double sum = 0, reach = 0;
                for (int k = 0; k < l->n; k++) {
                    sum += v[k] * a[k];
                    reach += abs(v[k]);
                }
                double exact = (double)t->motion[m].num[2 * i + c] /
                               ((double)t->motion[m].den[2 * i + c] * (double)l->unit);
                equal = equal && fabs(sum - exact) <= 1e-9 * reach * size;
            }
        if (equal)
            return true;
    }
    return false;
}

/* Two accelerations are one, relative to the load. */
static bool agree(const load *l, const double *a, const double *b)
{
    double size = 1e-300, off = 0;
    for (int k = 0; k < l->n; k++) {
        size = fmax(size, fmax(fabs(a[k]), fabs((double)l->force[k] * l->mass[k])));
        off = fmax(off, fabs(a[k] - b[k]));
    }
    return off <= 1e-9 * size;
}

static void open_scene(scene *s, const load *l)
{
    current = *l;
    scene_open(s, evaluate, l->n, l->p, 1);
    s->shape.m = l->m;
    s->shape.forces_are_constant = s->shape.rows_are_constant = s->shape.power_is_zero = true;
    for (int i = 0; i < l->p; i++) {
        s->contact[i].friction_static = (double)l->mu[i][0] / l->den;
        s->contact[i].friction_dynamic = (double)l->mu[i][1] / l->den;
    }
    for (int k = 0; k < l->n; k++)
        s->u[k] = l->u[k];
    scene_ready(s);
}

static carom_painleve problem_of(scene *s, const double *q, const double *u)
{
    carom_state state;
    carom_impact impact;
    carom_geometry g;
    carom_painleve problem;
    carom_error error = {0};
    int closed[P];
    check_ok(carom_state_create(s->system, s->arena, &state, &error), &error);
    memcpy(state.q, q, sizeof(double) * (size_t)s->shape.n);
    memcpy(state.u, u, sizeof(double) * (size_t)s->shape.n);
    check_ok(carom_system_evaluate(s->system, CAROM_WANT_ALL, &state, &error), &error);
    check_ok(carom_impact_from_system(s->system, &state, 1e-9, s->arena, &impact, closed, &error),
             &error);
    check_ok(carom_impact_derive(&impact, s->arena, &g, &error), &error);
    check_ok(carom_painleve_solve(s->system, &state, &g, closed, s->arena, &problem, &error),
             &error);
    return problem;
}

static void compare(family *f, load *l)
{
    static truth t;
    scene s;
    overflow = false;
    respond(l);
    carom_painleve_class exact = reference(l, &t);
    assert_false(overflow);
    open_scene(&s, l);
    carom_painleve problem = problem_of(&s, s.q, s.u);
    family_check(f, problem.kind == exact, "%s: check says %s, exactly %s", describe(l),
                 carom_painleve_text(problem.kind), carom_painleve_text(exact));
    for (int k = 0; k < problem.count && !t.continuum; k++)
        family_check(f, listed(l, &t, problem.solutions[k].du), "%s: motion %d of check is none",
                     describe(l), k);
    family_check(f, problem.count <= t.entries, "%s: check lists %d motions, there are %d",
                 describe(l), problem.count, t.entries);
    carom_flow_result result;
    carom_error error = {0};
    const double h = 0.125;
    s.options.until = h;
    carom_flow_start start = {0, s.q, s.u};
    carom_status status =
        carom_flow_run(s.system, &s.law, &start, &s.options, NULL, s.arena, &result, &error);
    assert_true(status >= 0);
    bool moving = false;
    for (int i = 0; i < l->p; i++)
        moving = moving || l->slides[i];
    if (exact == CAROM_PAINLEVE_NONE) {
        family_check(f, result.end == CAROM_FLOW_INCONSISTENT || result.end == CAROM_FLOW_UNSOLVED,
                     "%s: no motion, but run ended at %g: %s", describe(l), result.t,
                     result.message);
    } else if (moving && result.end == CAROM_FLOW_INCONSISTENT && result.t > 0) {
        carom_painleve later = problem_of(&s, result.q, result.u); /* another state by now */
        family_check(f, later.kind == CAROM_PAINLEVE_NONE,
                     "%s: run ended at %g, where check says %s: %s", describe(l), result.t,
                     carom_painleve_text(later.kind), result.message);
    } else {
        family_check(f, result.end == CAROM_FLOW_REACHED, "%s: %s, but run ended at %g: %s",
                     describe(l), carom_painleve_text(exact), result.t, result.message);
    }
    if (result.end == CAROM_FLOW_REACHED && !moving) {
        double a[N]; /* constant forces and rows: the motion goes on as it starts */
        for (int k = 0; k < l->n; k++)
            a[k] = (result.u[k] - l->u[k]) / h;
        family_check(f, t.continuum || listed(l, &t, a), "%s: %s, run takes another way, %g %g %g",
                     describe(l), carom_painleve_text(exact), a[0], a[1], l->n > 2 ? a[2] : 0);
        family_check(f, problem.count > 0 && agree(l, a, problem.solutions[0].du),
                     "%s: %s, run does not take the first motion of check, %g %g %g", describe(l),
                     carom_painleve_text(exact), a[0], a[1], l->n > 2 ? a[2] : 0);
    }
    scene_close(&s);
}

/* ---- families ------------------------------------------------------------------------------ */

static const int triples[][3] = {{3, 4, 5},    {4, 3, 5},    {5, 12, 13}, {12, 5, 13},
                                 {8, 15, 17},  {15, 8, 17},  {7, 24, 25}, {24, 7, 25},
                                 {20, 21, 29}, {21, 20, 29}, {0, 1, 1},   {1, 0, 1}};

static void set_row(int *row, int a, int b, int c)
{
    row[0] = a;
    row[1] = b;
    row[2] = c;
}

static void draw_load(family *f, load *l, bool dynamic)
{
    check_random *r = &f->random;
    l->den = 10;
    for (int k = 0; k < l->n; k++)
        l->force[k] = check_random_int(r, 21) - 10;
    for (int i = 0; i < l->p; i++) {
        l->mu[i][0] = l->mu[i][1] = check_random_int(r, 25);
        if (dynamic)
            l->mu[i][1] = check_random_int(r, l->mu[i][0] + 1);
    }
}

static load two_on_one(int n, int inertia)
{
    load l = {.n = n, .p = 2};
    l.mass[0] = l.mass[1] = 1;
    l.mass[2] = inertia;
    return l;
}

static void ladder(void **state)
{
    (void)state;
    family f = family_start("static ladder", 3, 600);
    while (family_next(&f)) {
        const int *t = triples[check_random_int(&f.random, 10)];
        load l = two_on_one(3, 3);
        set_row(l.w[0], 0, t[2], -t[0]);
        set_row(l.h[0], t[2], 0, -t[1]);
        set_row(l.w[1], t[2], 0, t[1]);
        set_row(l.h[1], 0, t[2], t[0]);
        draw_load(&f, &l, f.member % 3 == 2);
        if (f.member % 2)
            set_row(l.force, 0, -1 - check_random_int(&f.random, 3), 0);
        compare(&f, &l);
    }
    family_end(&f);
}

static void block(void **state)
{
    (void)state;
    family f = family_start("static block", 4, 600);
    while (family_next(&f)) {
        int height = 1 + check_random_int(&f.random, 5), width = 1 + check_random_int(&f.random, 5);
        load l = two_on_one(3, 1 + check_random_int(&f.random, 5));
        set_row(l.w[0], 0, 2, width);
        set_row(l.h[0], 2, 0, height);
        set_row(l.w[1], 0, 2, -width);
        set_row(l.h[1], 2, 0, height);
        draw_load(&f, &l, f.member % 3 == 2);
        compare(&f, &l);
    }
    family_end(&f);
}

/* A block whose feet, sliding forwards, have dependent reactions, mu_0 - mu_1 = 2 width/height,
 * under a load in their range: a continuum of motions wherever it does slide forwards. */
static void dependent_block(void **state)
{
    (void)state;
    family f = family_start("static block, dependent reactions", 9, 600);
    while (family_next(&f)) {
        int height, width, less;
        do {
            height = 1 + check_random_int(&f.random, 10);
            width = 1 + check_random_int(&f.random, 3);
            less = 20 * width / height;
        } while (20 * width % height || less > 24);
        load l = two_on_one(3, 1 + check_random_int(&f.random, 5));
        set_row(l.w[0], 0, 2, width);
        set_row(l.h[0], 2, 0, height);
        set_row(l.w[1], 0, 2, -width);
        set_row(l.h[1], 2, 0, height);
        draw_load(&f, &l, false);
        l.mu[1][0] = l.mu[1][1] = check_random_int(&f.random, 25);
        l.mu[0][0] = l.mu[0][1] = l.mu[1][0] + less;
        const int torque = height * l.mu[0][0] - 10 * width;
        const int common = (int)gcd(20, torque);
        l.force[1] = -20 / common;
        l.force[2] = torque / common;
        l.force[0] = check_random_int(&f.random, 10 * abs(l.force[1]) + 1);
        if (f.member % 4 == 3) /* and out of their range */
            l.force[2] += 1 + check_random_int(&f.random, 3);
        compare(&f, &l);
    }
    family_end(&f);
}

/* A block without weight one foot of which can slide under any force, K = 0: mu_0 = w'w/w'h. */
static void jammed_block(void **state)
{
    (void)state;
    family f = family_start("static block, one foot jams", 10, 200);
    while (family_next(&f)) {
        int height, width, inertia, square, product;
        do {
            height = 1 + check_random_int(&f.random, 6);
            width = 1 + check_random_int(&f.random, 4);
            inertia = 1 + check_random_int(&f.random, 5);
            square = 4 + inertia * width * width;
            product = inertia * width * height;
        } while (10 * square % product);
        load l = two_on_one(3, inertia);
        set_row(l.w[0], 0, 2, width);
        set_row(l.h[0], 2, 0, height);
        set_row(l.w[1], 0, 2, -width);
        set_row(l.h[1], 2, 0, height);
        draw_load(&f, &l, false);
        l.mu[0][0] = l.mu[0][1] = 10 * square / product;
        set_row(l.force, check_random_int(&f.random, 10), 0, 0);
        compare(&f, &l);
    }
    family_end(&f);
}

static void disc_in_corner(void **state)
{
    (void)state;
    family f = family_start("static disc in a corner", 5, 600);
    while (family_next(&f)) {
        int radius = 1 + check_random_int(&f.random, 3);
        load l = two_on_one(3, 1 + check_random_int(&f.random, 3));
        set_row(l.w[0], 0, 1, 0);
        set_row(l.h[0], 1, 0, radius);
        set_row(l.w[1], 1, 0, 0);
        set_row(l.h[1], 0, 1, -radius);
        draw_load(&f, &l, f.member % 3 == 2);
        compare(&f, &l);
    }
    family_end(&f);
}

/* Two walls with normals (s, c) of different angles; a disc has torque, a particle has none. */
static void wedge(family *f, int n)
{
    while (family_next(f)) {
        load l = two_on_one(n, 2);
        for (int i = 0; i < 2; i++) {
            const int *t = triples[check_random_int(&f->random, 12)];
            int sign = i ? -1 : 1;
            set_row(l.w[i], sign * t[0], t[1], 0);
            set_row(l.h[i], t[1], -sign * t[0], n == 3 ? t[2] : 0);
        }
        draw_load(f, &l, f->member % 3 == 2);
        compare(f, &l);
    }
    family_end(f);
}

static void disc_in_wedge(void **state)
{
    (void)state;
    family f = family_start("static disc in a wedge", 6, 600);
    wedge(&f, 3);
}

static void particle_in_wedge(void **state)
{
    (void)state;
    family f = family_start("static particle in a wedge", 7, 600);
    wedge(&f, 2);
}

static void draw_row(family *f, int n, int *row)
{
    bool zero = true;
    while (zero)
        for (int k = 0; k < n; k++) {
            row[k] = check_random_int(&f->random, 5) - 2;
            zero = zero && row[k] == 0;
        }
}

/* A velocity along the contacts and joints, or none; who slides by it. */
static void draw_velocity(family *f, load *l)
{
    for (int k = 0; k < l->n; k++)
        l->u[k] = check_random_int(&f->random, 3) - 1;
    for (int i = 0; i < l->p + l->m; i++) {
        const int *row = i < l->p ? l->w[i] : l->b[i - l->p];
        int gamma = 0;
        for (int k = 0; k < l->n; k++)
            gamma += row[k] * l->u[k];
        if (gamma != 0)
            memset(l->u, 0, sizeof l->u);
    }
    for (int i = 0; i < l->p; i++) {
        int slip = 0;
        for (int k = 0; k < l->n; k++)
            slip += l->h[i][k] * l->u[k];
        l->slides[i] = l->mu[i][0] ? (slip > 0) - (slip < 0) : 0;
    }
}

/* Any rows, some contacts sliding. */
static void any_contacts(family *f, bool jointed)
{
    while (family_next(f)) {
        check_random *r = &f->random;
        load l = {.n = 1 + jointed + check_random_int(r, jointed ? 2 : 3),
                  .p = 1 + check_random_int(r, f->member % 10 ? 2 : 3)};
        for (int k = 0; k < l.n; k++)
            l.mass[k] = 1 + check_random_int(r, 4);
        for (int i = 0; i < l.p; i++) {
            draw_row(f, l.n, l.w[i]);
            for (int k = 0; k < l.n; k++)
                l.h[i][k] = check_random_int(r, 5) - 2;
        }
        l.m = jointed ? 1 + check_random_int(r, 2) : 0;
        for (int j = 0; j < l.m; j++)
            draw_row(f, l.n, l.b[j]);
        draw_load(f, &l, f->member % 3 == 2);
        if (f->member % 2)
            draw_velocity(f, &l);
        compare(f, &l);
    }
    family_end(f);
}

static void any_rows(void **state)
{
    (void)state;
    family f = family_start("random contacts, at rest and sliding", 8, 600);
    any_contacts(&f, false);
}

/* What joints leave of contacts is mostly dependent, and of loads often nothing but rounding. */
static void any_joints(void **state)
{
    (void)state;
    family f = family_start("random contacts within joints, at rest and sliding", 11, 1200);
    any_contacts(&f, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladder),
        cmocka_unit_test(block),
        cmocka_unit_test(dependent_block),
        cmocka_unit_test(jammed_block),
        cmocka_unit_test(disc_in_corner),
        cmocka_unit_test(disc_in_wedge),
        cmocka_unit_test(particle_in_wedge),
        cmocka_unit_test(any_rows),
        cmocka_unit_test(any_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
