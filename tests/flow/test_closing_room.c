/* A light ball between bodies that come together: it strikes one and the other in turn, at times
 * that accumulate while the bodies are still fast. What infinitely many impacts do is a velocity
 * without rebound. The reference follows the gaps themselves, bounce by bounce. */
#include "family.h"
#include "scenes.h"

/* Three points on a line, no forces; or two over a floor. */
static carom_status line(void *self, unsigned want, carom_state *state, carom_error *error)
{
    const scene *s = self;
    const int n = s->shape.n;
    (void)want;
    (void)error;
    for (int i = 0; i < n; i++)
        state->M[i] = s->data[i];
    for (int i = 0; i < 2; i++) { /* n = 2: the first gap is over the floor */
        const int below = n == 2 ? i - 1 : i;
        state->g[i] = state->q[below + 1] - (below >= 0 ? state->q[below] : 0);
        state->W[below + 1 + i * n] = 1;
        if (below >= 0)
            state->W[below + i * n] = -1;
    }
    return CAROM_OK;
}

/* The gaps g and their rates, until both open or the speeds are gone; the time that takes. */
static double follow(const scene *s, double *u, bool *closed)
{
    const int n = s->shape.n;
    double g[2], t = 0, first = 0;
    for (int i = 0; i < 2; i++) {
        const int below = n == 2 ? i - 1 : i;
        g[i] = s->q[below + 1] - (below >= 0 ? s->q[below] : 0);
    }
    *closed = false;
    for (long bounce = 0; bounce < 20000000; bounce++) {
        double rate[2], flight = INFINITY;
        int hit = -1;
        for (int i = 0; i < 2; i++) {
            const int below = n == 2 ? i - 1 : i;
            rate[i] = u[below + 1] - (below >= 0 ? u[below] : 0);
            if (rate[i] < 0 && -g[i] / rate[i] < flight) {
                flight = -g[i] / rate[i];
                hit = i;
            }
        }
        first = bounce == 0 ? hypot(rate[0], rate[1]) : first;
        *closed = hypot(rate[0], rate[1]) < 1e-10 * first;
        if (hit < 0 || *closed)
            break;
        t += flight;
        g[hit] = 0;
        g[1 - hit] += rate[1 - hit] * flight;
        const int below = n == 2 ? hit - 1 : hit;
        const double lower = below >= 0 ? 1 / s->data[below] : 0, upper = 1 / s->data[below + 1];
        const double impulse = -(1 + s->contact[hit].restitution) * rate[hit] / (lower + upper);
        u[below + 1] += upper * impulse;
        if (below >= 0)
            u[below] -= lower * impulse;
    }
    return t;
}

static void test_closing_room(void **state)
{
    (void)state;
    family f = family_start("a light ball in a room that closes", 3, 300);
    int closing = 0;
    while (family_next(&f)) {
        check_random *r = &f.random;
        scene s;
        const int n = 2 + check_random_int(r, 2), light = n - 2;
        double u[3], at = 0;
        bool closed;
        scene_open(&s, line, n, 2, 0);
        s.law.ops = carom_law_find(check_random_int(r, 3) ? "newton" : "poisson");
        for (int i = 0; i < n; i++) {
            s.data[i] = i == light ? 1 : pow(10, check_random_in(r, 1, 4));
            s.q[i] = at += i == 0 && n == 3 ? 0 : check_random_in(r, 0.1, 1);
            s.u[i] = i == light ? check_random_in(r, -1, 1) : i < light ? 1 : -1;
        }
        for (int i = 0; i < 2; i++)
            s.contact[i].restitution = check_random_in(r, 0.05, 0.95);
        memcpy(u, s.u, sizeof u);
        const double t = follow(&s, u, &closed);
        closing += closed;
        carom_flow_result result = {0};
        s.options.until = 2 * t;
        scene_ready(&s);
        scene_run(&s, NULL, &result);
        family_check(&f, result.end == CAROM_FLOW_REACHED, "%s", result.message);
        for (int i = 0; i < n; i++)
            family_check(&f, fabs(result.u[i] - u[i]) <= 1e-6, "u[%d] = %.9g, should be %.9g", i,
                         result.u[i], u[i]);
        family_check(&f, result.ledger.impacts <= 0, "impacts gain %g", result.ledger.impacts);
        scene_close(&s);
    }
    family_end(&f);
    printf("rooms that close: %d\n", closing);
    assert_true(f.only >= 0 || 2 * closing > f.members);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_closing_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
