/* What does not touch does not matter: bodies in a scene with others far away move as they do
 * alone. Contacts are looked for as far as the fastest body of the scene goes in a step, so that a
 * few find a contact a step earlier: no more than two in a hundred differ, and by less than a step.
 * Cylinders are left out: which points of a rim are contacts hangs on that distance too
 * (docs/theory/bodies.md, "Steps"). */
#include "body_motion.h"
#include "family.h"

static double in(family *f, double low, double high)
{
    return check_random_in(&f->random, low, high);
}

/* A body that falls on the floor, on edges and corners first. */
static void write_body(family *f, const char *name, double x, char *text, size_t room)
{
    static const char *const shapes[2] = {"box: [0.3, 0.2, 0.15]", "capsule: [0.2, 0.1]"};
    const size_t used = strlen(text);
    snprintf(text + used, room - used,
             "  %s: {shape: {%s}, at: [%.17g, 0, %.17g], turn: [%.17g, %.17g, %.17g, %.17g],\n"
             "    velocity: [%.17g, %.17g, -1], spin: [%.17g, %.17g, %.17g]}\n",
             name, shapes[check_random_int(&f->random, 2)], x, in(f, 0.3, 0.4), in(f, 0.1, 1),
             in(f, -1, 1), in(f, -1, 1), in(f, -1, 1), in(f, -1, 1), in(f, -1, 1), in(f, -2, 2),
             in(f, -2, 2), in(f, -2, 2));
}

static void test_far_away(void **state)
{
    (void)state;
    family f = family_start("bodies far away", 6, 60);
    int differ = 0;
    while (family_next(&f)) {
        const double mu = f.member % 2 ? 0.4 : 0;
        char alone[1024], both[2048], rest[128];
        snprintf(alone, sizeof alone,
                 "carom: 1\nworld: {gravity: [0, 0, -9.81], contact: {friction: %g}}\nbodies:\n"
                 "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n",
                 mu);
        write_body(&f, "here", 0, alone, sizeof alone);
        strcpy(both, alone);
        write_body(&f, "far", 5, both, sizeof both);
        write_body(&f, "on", 5.1, both, sizeof both);
        snprintf(rest, sizeof rest, "run: {method: time-stepping, step: 0.002, until: 0.3}\n");
        strcat(alone, rest);
        strcat(both, rest);
        motion one = run(alone), two = run(both);
        double off = 0;
        for (int k = 0; k < 7; k++)
            off = fmax(off, fabs(one.result.q[k] - two.result.q[k]));
        differ += off > 1e-7;
        family_check(&f, off <= 0.002, "off by %g in\n%s", off, both);
        end(&one);
        end(&two);
    }
    assert_true(50 * differ <= f.members);
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
