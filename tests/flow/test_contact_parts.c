/* Contacts on bodies that joints hold together: the map from forces to accelerations against the
 * closed form of bodies welded in a row, light ones beside heavy ones. */
#include <float.h>

#include "flow/contact_parts.h"
#include "scenes.h"

enum { N = 6 };

/* Coordinates x_i, joints x_i - x_(i+1) = 0, a contact of body `touch`: data are masses, forces. */
static carom_status weld(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const scene *sc = self;
    (void)want;
    (void)error;
    const int n = sc->shape.n, touch = (int)sc->t;
    for (int i = 0; i < n; i++) {
        s->M[i] = sc->data[i];
        s->h[i] = sc->data[N + i];
        s->W[i] = i == touch;
    }
    for (int j = 0; j < n - 1; j++) {
        s->f[j] = s->q[j] - s->q[j + 1];
        for (int i = 0; i < n; i++)
            s->B[i + j * n] = (i == j) - (i == j + 1);
    }
    s->g[0] = s->q[touch];
    return CAROM_OK;
}

/* The whole row is one body: A = 1/sum m, b = sum h/sum m. One pass over R'M^-1 R errs by epsilon
 * times the ratio of the masses, the second by the square of that. */
static void bodies_welded_in_a_row(void **state)
{
    (void)state;
    check_random random = {5};
    const double ratio = 1e9, once = 64 * DBL_EPSILON * ratio;
    const double bound = once * once + 64 * N * DBL_EPSILON;
    for (int k = 0; k < 200; k++) {
        scene s;
        const int n = 2 + check_random_int(&random, N - 1);
        scene_open(&s, weld, n, 1, 0);
        s.shape.m = n - 1;
        s.t = check_random_int(&random, n);
        double m = 0, h = 0;
        for (int i = 0; i < n; i++) {
            m += s.data[i] = pow(ratio, check_random_in(&random, 0, 1));
            h += s.data[N + i] = check_random_in(&random, 1, 2) * s.data[i];
        }
        scene_ready(&s);
        carom_error error = {0};
        carom_motion motion;
        carom_contact_parts parts;
        const unsigned char candidate = 1;
        const double slow = 0;
        check_ok(carom_motion_create(s.system, s.arena, &motion, &error), &error);
        check_ok(carom_motion_evaluate(&motion, 0, s.q, s.u,
                                       CAROM_WANT_NORMALS | CAROM_WANT_JOINTS | CAROM_WANT_BIASES,
                                       &error),
                 &error);
        check_ok(carom_contact_parts_create(&motion, &candidate, &slow, s.arena, &parts, &error),
                 &error);
        carom_contact_parts_linearise(&parts, 0);
        assert_int_equal(parts.rows, 1);
        assert_true(fabs(parts.A[0] * m - 1) <= bound);
        assert_true(fabs(parts.b[0] * m - h) <= bound * h);
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_welded_in_a_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
