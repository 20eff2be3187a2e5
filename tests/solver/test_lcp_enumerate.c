/* Enumeration of all solutions of small LCPs. */
#include "carom/lcp.h"
#include "check.h"

CHECK_ARENA(arena);

static carom_lcp_solutions all(int n, const double *M, const double *q)
{
    carom_lcp lcp = {.n = n, .M = M, .q = q};
    carom_lcp_solutions s;
    carom_error error = {0};
    carom_arena_reset(arena);
    check_ok(carom_lcp_enumerate(&lcp, arena, &s, &error), &error);
    for (int p = 0; p < s.count; p++)
        for (int v = 0; v < s.pieces[p].vertex_count; v++)
            check_close(carom_lcp_residual(&lcp, s.pieces[p].vertices + v * n), 0, 1e-10);
    return s;
}

static void test_scalar(void **state)
{
    (void)state;
    double M[] = {-1, -1, 1, 0}, q[] = {1, -1, -1, 0};
    assert_int_equal(all(1, M, q).count, 2);
    assert_int_equal(all(1, M + 1, q + 1).count, 0);
    carom_lcp_solutions s = all(1, M + 2, q + 2);
    assert_int_equal(s.count, 1);
    check_close(s.pieces[0].vertices[0], 1, 1e-15);
    s = all(1, M + 3, q + 3);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.pieces[0].vertex_count, 1);
    assert_int_equal(s.pieces[0].ray_count, 1);
    check_close(s.pieces[0].vertices[0], 0, 0);
    check_close(s.pieces[0].rays[0], 1, 1e-15);
}

static void test_traps(void **state)
{
    (void)state;
    double skew[] = {0, -1, 1, 0}, q1[] = {-1, 2}, z[] = {2, 1};
    carom_lcp_solutions s = all(2, skew, q1);
    assert_int_equal(s.count, 1);
    check_vector(s.pieces[0].vertices, z, 2, 1e-15);
    double zero[] = {0, 0, 0, 0}, q2[] = {-1, 0};
    assert_int_equal(all(2, zero, q2).count, 0);
    double ones[] = {1, 1, 1, 1}, q3[] = {-1, -1};
    s = all(2, ones, q3);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.pieces[0].vertex_count, 2);
    assert_int_equal(s.pieces[0].ray_count, 0);
    for (int v = 0; v < 2; v++)
        check_close(s.pieces[0].vertices[2 * v] + s.pieces[0].vertices[2 * v + 1], 1, 1e-15);
}

static void test_bimatrix_game_has_three(void **state)
{
    (void)state;
    double M[] = {0, 0, 10, 30, 0, 0, 20, 15, 10, 30, 0, 0, 20, 15, 0, 0}, q[] = {-1, -1, -1, -1};
    double known[3][4] = {
        {.1, 0, .1, 0}, {0, 1. / 15, 0, 1. / 15}, {1. / 90, 2. / 45, 1. / 90, 2. / 45}};
    carom_lcp_solutions s = all(4, M, q);
    assert_int_equal(s.count, 3);
    for (int k = 0; k < 3; k++) {
        int found = 0;
        for (int p = 0; p < 3; p++) {
            double off = 0;
            for (int i = 0; i < 4; i++)
                off = fmax(off, fabs(s.pieces[p].vertices[i] - known[k][i]));
            found += off < 1e-14;
        }
        assert_int_equal(found, 1);
    }
}

static void test_orthants(void **state)
{
    (void)state;
    double M[256] = {0}, q[16] = {0};
    carom_lcp_solutions s = all(12, M, q);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.pieces[0].vertex_count, 1);
    assert_int_equal(s.pieces[0].ray_count, 12);
    for (int i = 0; i < 10; i++) {
        M[11 * i] = -1;
        q[i] = 1;
    }
    assert_int_equal(all(10, M, q).count, 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalar),
        cmocka_unit_test(test_traps),
        cmocka_unit_test(test_bimatrix_game_has_three),
        cmocka_unit_test(test_orthants),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
