/* Where the energy goes at impacts: random chains of balls, light and heavy, touching and apart,
 * thrown, falling on a floor, between walls. What an elastic law keeps is kept; what a law of
 * restitution takes is what its coefficients say; the books are told by the impacts alone. */
#include "family.h"
#include "scenes.h"

enum { BALLS = 40, EVENTS = 200 };

typedef struct chain {
    scene s;
    double mass[BALLS], place[BALLS + 1]; /* place: sum of diameters below, for the gaps */
    bool ceiling;
} chain;

/* Points on a line over a floor at 0, ball i above ball i - 1; data: g, height of the ceiling. */
static carom_status line(void *self, unsigned want, carom_state *state, carom_error *error)
{
    const chain *c = self;
    const int n = c->s.shape.n;
    (void)want;
    (void)error;
    state->potential = 0;
    for (int i = 0; i < n; i++) {
        state->M[i] = c->mass[i];
        state->h[i] = -c->mass[i] * c->s.data[0];
        state->potential -= state->h[i] * state->q[i];
        state->g[i] = state->q[i] - (i > 0 ? state->q[i - 1] : 0);
        state->W[i + i * n] = 1;
        if (i > 0)
            state->W[i - 1 + i * n] = -1;
    }
    if (c->ceiling) {
        state->g[n] = c->s.data[1] - state->q[n - 1];
        state->W[n - 1 + n * n] = -1;
    }
    return CAROM_OK;
}

typedef enum restitution { ELASTIC, EQUAL, MIXED } restitution;

/* A random chain: masses over six powers of ten, some gaps closed. */
static void draw(chain *c, restitution kind, bool uniform, check_random *r)
{
    const int n = 2 + (int)check_random_in(r, 0, BALLS - 1.001);
    c->ceiling = check_random_in(r, 0, 1) < 0.3;
    scene_open(&c->s, line, n, n + c->ceiling, 0);
    c->s.ops = (carom_system_ops){.name = "line", .evaluate = line};
    const bool falls = check_random_in(r, 0, 1) < 0.7, column = check_random_in(r, 0, 1) < 0.4;
    const double e = check_random_in(r, 0, 1);
    double at = falls ? check_random_in(r, 0, 1) : 0;
    c->s.data[0] = falls ? 9.81 : 0;
    for (int i = 0; i < n; i++) {
        c->mass[i] = pow(10, check_random_in(r, -3, 3));
        if (i > 0 && check_random_in(r, 0, 1) < (column ? 0.05 : 0.5))
            at += check_random_in(r, 0, 0.1);
        c->s.q[i] = at;
        c->s.u[i] = column ? -1 : check_random_in(r, -1, 1);
        c->s.contact[i].restitution = kind == ELASTIC ? 1
                                      : kind == EQUAL ? e
                                                      : check_random_in(r, 0, 1);
    }
    c->s.contact[n].restitution = kind == ELASTIC ? 1 : e;
    c->s.data[1] = at + check_random_in(r, 0, 1);
    c->s.shape.rows_are_constant = c->s.shape.forces_are_constant = uniform;
    c->s.shape.power_is_zero = true;
    c->s.options.until = check_random_in(r, 0.1, 0.6);
    c->s.options.max_events = EVENTS; /* a light ball between heavy ones hits often */
}

static void ready(chain *c)
{
    carom_error error = {0};
    check_ok(carom_system_create(&c->s.ops, c, &c->s.shape, NULL, &c->s.system, &error), &error);
    check_ok(carom_arena_create(NULL, &c->s.arena, &error), &error);
}

/* Every impact told, checked by its velocities alone. */
typedef struct witness {
    const chain *c;
    const carom_law *law;
    double worst, sum, energy; /* largest miss of an impact's change; total; kinetic, largest */
    double rested;             /* the same of impacts that end an accumulation */
    bool ends;
} witness;

static double kinetic(const chain *c, const double *u)
{
    double sum = 0;
    for (int i = 0; i < c->s.shape.n; i++)
        sum += 0.5 * c->mass[i] * u[i] * u[i];
    return sum;
}

static double rate(const chain *c, int contact, const double *u)
{
    const int n = c->s.shape.n;
    return contact == n ? -u[n - 1] : u[contact] - (contact > 0 ? u[contact - 1] : 0);
}

/* 1/2 sum (1 - e) P gamma-, the change by Newton's law in inequality form. */
static carom_status see(void *self, const carom_flow_impact *impact, carom_error *error)
{
    witness *w = self;
    const double before = kinetic(w->c, impact->before), after = kinetic(w->c, impact->after);
    const bool rebounds = strcmp(impact->law, w->law->ops->name) == 0; /* else a room has closed */
    double change = 0;
    (void)error;
    for (int k = 0; k < impact->contact_count; k++) {
        const int i = impact->contacts[k];
        const double e = rebounds ? w->c->s.contact[i].restitution : 0;
        change += 0.5 * (1 - e) * impact->impulse[k] * rate(w->c, i, impact->before);
    }
    w->energy = fmax(w->energy, fmax(before, after));
    double *worst = w->ends ? &w->rested : &w->worst;
    *worst = fmax(*worst, fabs(after - before - change) / w->energy);
    w->worst = fmax(w->worst, fabs(after - before - impact->energy_change) / w->energy);
    w->sum += after - before;
    w->ends = false;
    return CAROM_OK;
}

/* The impact that is told next is the last of an accumulation: without rebound. */
static carom_status see_end(void *self, const carom_flow_accumulation *a, carom_error *error)
{
    (void)a;
    (void)error;
    ((witness *)self)->ends = true;
    return CAROM_OK;
}

/* All of a family: what the impacts change is what the coefficients say, and what the ledger has.
 */
static void run_family(const char *name, restitution kind, const char *law, int count,
                       uint64_t seed)
{
    family f = family_start(name, seed, count);
    while (family_next(&f)) {
        chain c;
        carom_flow_result r = {0};
        carom_error error = {0};
        draw(&c, kind, f.member % 2, &f.random);
        c.s.law.ops = carom_law_find(law);
        ready(&c);
        witness w = {.c = &c, .law = &c.s.law, .energy = kinetic(&c, c.s.u)};
        const carom_flow_observer observer = {.self = &w, .impact = see, .accumulation = see_end};
        const carom_flow_start start = {0, c.s.q, c.s.u};
        const carom_status status = carom_flow_run(c.s.system, &c.s.law, &start, &c.s.options,
                                                   &observer, c.s.arena, &r, &error);
        family_check(&f, status >= 0, "%s", error.text);
        family_check(&f, status <= 0 || r.end == CAROM_FLOW_EVENT_LIMIT, "%s", r.message);
        family_check(&f, w.worst <= 1e-9, "an impact's energy is off by %g", w.worst);
        family_check(&f, w.rested <= c.s.options.accumulation, "coming to rest takes %g", w.rested);
        const double size = w.energy + fabs(r.ledger.initial), off = r.ledger.impacts - w.sum,
                     gain = r.ledger.final - r.ledger.initial;
        family_check(&f, fabs(off) <= 1e-9 * size, "the books are off by %g", off / size);
        if (kind != MIXED) /* with others a contact that leaves may gain */
            family_check(&f, gain <= 1e-9 * size, "gains %g", gain / size);
        if (kind == ELASTIC)
            family_check(&f, gain >= -1e-9 * size, "loses %g", -gain / size);
        scene_close(&c.s);
    }
    family_end(&f);
}

static void test_elastic(void **state)
{
    (void)state;
    run_family("energy of elastic chains, newton", ELASTIC, "newton", 500, 11);
    run_family("energy of elastic chains, moreau", ELASTIC, "moreau", 100, 12);
}

static void test_equal(void **state)
{
    (void)state;
    run_family("energy of chains, one restitution", EQUAL, "newton", 300, 21);
}

static void test_mixed(void **state)
{
    (void)state;
    run_family("energy of chains, mixed restitution", MIXED, "newton", 300, 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
