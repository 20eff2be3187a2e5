/* Stick and slip with friction_static > friction_dynamic, in the plane and in space: random motions
 * reach their end, balance their energy, and every row obeys Coulomb's law as the test computes it
 * from the scene's own numbers. */
#include "carom/io.h"
#include "family.h"

/* A family of scenes with numbers p1 ... p9 in (0, 1), mu_s and mu_d by p1 and p2. */
typedef struct statement {
    const char *name, *text;
    int members;
    double slip[3][2][6]; /* contact, direction: slip = row'u */
} statement;

#define HYSTERESIS "friction_static: 0.2 + 0.6*p1, friction_dynamic: (0.2 + 0.6*p1)*(0.3 + 0.65*p2)"

static const statement dragged = {
    "a dragged block under a load that swings",
    "system:\n  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n"
    "  potential: 9.81*y + (2 + 4*p3)*(x - (0.3 + p4)*t)^2\n"
    "  forces: {y: (2 + 3*p5)*sin(2*t)}\n"
    "  contacts: {floor: {gap: y, slip: x', " HYSTERESIS "}}\n"
    "initial: {x': p6}\nlaw: coulomb\nrun: {until: 4, output: 0.05}\n",
    60,
    {{{1, 0}}},
};

static const statement feet = {
    "a block on two feet, pushed to and fro",
    "system:\n  coordinates: [x, y, a]\n  kinetic: x'^2/2 + y'^2/2 + 0.1*a'^2\n"
    "  potential: 9.81*y\n  forces: {x: 8*p3*sin((1 + 3*p4)*t) + 3*p5*sin(t)}\n  contacts:\n"
    "    l: {gap: y - 0.2 + (0.5 + p6)*a, slip: x' + 0.2*a', " HYSTERESIS "}\n"
    "    r: {gap: y - 0.2 - (0.5 + p6)*a, slip: x' + 0.2*a', " HYSTERESIS "}\n"
    "initial: {y: 0.2, x': 'max(0, sign(p7 - 0.5))*p8'}\nlaw: coulomb\nrun: {until: 4, output: "
    "0.05}\n",
    60,
    {{{1, 0, 0.2}}, {{1, 0, 0.2}}},
};

static const statement point = {
    "a point on a plate, pulled around",
    "system:\n  coordinates: [x, y, z]\n  kinetic: (x'^2 + y'^2 + z'^2)/2\n"
    "  potential: 9.81*z + 5*max(0, sign(p3 - 0.5))*((x - p4*t)^2 + y^2)\n"
    "  forces: {x: 8*p5*cos(3*p6*t), y: 8*p7*sin(3*p6*t), z: 4*p8*sin(2*t)}\n"
    "  contacts: {floor: {gap: z, slip: [x', y'], " HYSTERESIS "}}\n"
    "initial: {x': 'max(0, sign(p9 - 0.5))*10^(-12*p9)', y': 'max(0, sign(p4 - 0.5))*(p7 - 0.5)'}\n"
    "law: coulomb\nrun: {until: 4, output: 0.05}\n",
    60,
    {{{1, 0}, {0, 1}}},
};

/* Feet at angles of 120 degrees, at a distance of one. */
static const statement stool = {
    "a stool on three feet, pulled and turned",
    "parameters: {h: 0.8660254037844386}\n"
    "system:\n  coordinates: [x, y, z, a, b, c]\n"
    "  kinetic: (x'^2 + y'^2 + z'^2)/2 + (0.1 + 0.3*p3)*(a'^2 + b'^2)/2 + 0.1*c'^2\n"
    "  potential: 9.81*z + 2*(a^2 + b^2)\n"
    "  forces: {x: 8*p4*cos(3*p5*t), y: 8*p6*sin(3*p5*t), c: 2*p7*sin(2*p8*t)}\n  contacts:\n"
    "    A: {gap: z + a, slip: [x', y' + c'], " HYSTERESIS "}\n"
    "    B: {gap: z - a/2 + h*b, slip: [x' - h*c', y' - c'/2], " HYSTERESIS "}\n"
    "    C: {gap: z - a/2 - h*b, slip: [x' + h*c', y' - c'/2], " HYSTERESIS "}\n"
    "initial: {x': 'max(0, sign(p9 - 0.5))*(p4 - 0.5)', y': 'max(0, sign(p9 - 0.5))*(p6 - 0.5)', "
    "c': 'max(0, sign(p8 - 0.5))*p7'}\n"
    "law: coulomb\nrun: {until: 3, output: 0.05}\n",
    40,
    {{{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 1}},
     {{1, 0, 0, 0, 0, -0.8660254037844386}, {0, 1, 0, 0, 0, -0.5}},
     {{1, 0, 0, 0, 0, 0.8660254037844386}, {0, 1, 0, 0, 0, -0.5}}},
};

/* What the rows of a motion show. */
typedef struct judge {
    const statement *s;
    const carom_system_shape *shape;
    double mu_s, mu_d, top; /* top: the largest slip so far */
    double worst;           /* violation of Coulomb's law, as a part of the normal force */
    int rows, stick, slide;
} judge;

static double slip_of(const judge *j, int contact, int direction, const double *u)
{
    double v = 0;
    for (int k = 0; k < j->shape->n; k++)
        v += j->s->slip[contact][direction][k] * u[k];
    return v;
}

/* Friction against the slip with mu_d where it slides, at most mu_s where it does not. The first
 * moments of a slip in space are left out, up to 1e-4 of what the forces could make of it: there
 * friction follows the forces, not the slip. */
static carom_status look(void *self, const carom_flow_row *row, carom_error *error)
{
    (void)error;
    judge *j = self;
    j->rows++;
    for (int i = 0; i < j->shape->p; i++) {
        const int at = j->shape->slip_start[i], count = j->shape->slip_start[i + 1] - at;
        double v[2] = {0}, speed, friction = 0, off = 0;
        if (row->mode[i] == CAROM_MODE_OPEN)
            continue;
        for (int l = 0; l < count; l++) {
            v[l] = slip_of(j, i, l, row->u);
            friction = hypot(friction, row->friction[at + l]);
        }
        speed = hypot(v[0], v[1]);
        j->top = fmax(j->top, speed);
        if (speed <= 1e-9 * fmax(1, j->top)) {
            off = friction - j->mu_s * row->force[i];
            j->stick++;
        } else if (count == 1 || speed > 1e-2 * fmax(1, j->top)) {
            for (int l = 0; l < count; l++)
                off =
                    fmax(off, fabs(row->friction[at + l] + j->mu_d * row->force[i] * v[l] / speed));
            j->slide++;
        }
        j->worst = fmax(j->worst, off / fmax(row->force[i], 1e-3));
    }
    return CAROM_OK;
}

static void run_family(const statement *s, uint64_t seed)
{
    family f = family_start(s->name, seed, s->members);
    int stick = 0, slide = 0;
    while (family_next(&f)) {
        double p[9];
        char text[4000], numbers[400];
        size_t used = 0;
        for (int k = 0; k < 9; k++) {
            p[k] = check_random_in(&f.random, 0, 1);
            used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%sp%d: %.17g",
                                     k ? ", " : "", k + 1, p[k]);
        }
        const bool own = strncmp(s->text, "parameters: {", 13) == 0;
        snprintf(text, sizeof text, "carom: 1\nparameters: {%s%s%s", numbers, own ? ", " : "}\n",
                 s->text + (own ? 13 : 0));
        carom_scene *scene = NULL;
        carom_arena *arena = NULL;
        carom_flow_result r;
        carom_error error = {0};
        check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
        check_ok(carom_arena_create(NULL, &arena, &error), &error);
        const carom_scene_content *c = carom_scene_get(scene);
        judge j = {.s = s, .shape = carom_system_get_shape(c->system)};
        j.mu_s = 0.2 + 0.6 * p[0];
        j.mu_d = j.mu_s * (0.3 + 0.65 * p[1]);
        const carom_flow_observer observer = {.self = &j, .row = look};
        carom_status status =
            carom_flow_run(c->system, c->law, &c->initial, c->run, &observer, arena, &r, &error);
        family_check(&f, status == CAROM_OK, "%s", status < 0 ? error.text : r.message);
        if (status == CAROM_OK) {
            const carom_flow_ledger *l = &r.ledger;
            /* scenes are of size one; what only rests has no energy of its own */
            const double size = fmax(fabs(l->initial) + fabs(l->forces) + fabs(l->friction), 1e-3);
            family_check(&f, fabs(l->balance_error) <= 1e-8 * size, "balance off by %g of %g",
                         l->balance_error, size);
            family_check(&f, j.worst <= 1e-6, "Coulomb's law off by %g of the force", j.worst);
        }
        stick += j.stick;
        slide += j.slide;
        carom_scene_destroy(scene);
        carom_arena_destroy(arena);
    }
    if (f.only < 0)
        assert_true(stick > f.members && slide > f.members); /* both kinds are looked at */
    family_end(&f);
}

static void test_dragged(void **state)
{
    (void)state;
    run_family(&dragged, 51);
}

static void test_feet(void **state)
{
    (void)state;
    run_family(&feet, 52);
}

static void test_point(void **state)
{
    (void)state;
    run_family(&point, 53);
}

static void test_stool(void **state)
{
    (void)state;
    run_family(&stool, 54);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dragged),
        cmocka_unit_test(test_feet),
        cmocka_unit_test(test_point),
        cmocka_unit_test(test_stool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
