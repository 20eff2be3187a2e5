/* Projections onto unions of cones: all nearest points, ties included. */
#include "carom/cone.h"
#include "family.h"

#include <float.h>

enum { N = 5, P = 8 };

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Which stationary point has exactly these rows active? */
static const carom_stationary *with_active(const carom_stationary *s, int count, unsigned active)
{
    for (int k = 0; k < count; k++)
        if (s[k].active == active)
            return s + k;
    return NULL;
}

/* Two half-spaces, x outside both: face i is stationary iff gamma_j - gamma_i D_ij/D_ii <= 0, the
 * edge iff both are; faces are minima, the edge a saddle. */
static void test_two_half_spaces(void **state)
{
    (void)state;
    check_random r = {11};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    int start[] = {0, 1, 2}, row[] = {0, 1}, both = 0;
    for (int k = 0; k < 5000; k++) {
        int n = 2 + check_random_int(&r, 3);
        double W[2 * N], M[N], Y[2 * N], x[N], v = pow(10, check_random_in(&r, -6, 6));
        for (int i = 0; i < n; i++)
            M[i] = pow(10, check_random_in(&r, -2, 2));
        for (int i = 0; i < 2 * n; i++)
            W[i] = check_random_in(&r, -1, 1);
        for (int i = 0; i < n; i++)
            x[i] = v * check_random_in(&r, -1, 1);
        for (int i = 0; i < 2 * n; i++)
            Y[i] = W[i] / M[i % n];
        double g[2] = {dot(n, W, x), dot(n, W + n, x)};
        double D[3] = {dot(n, W, Y), dot(n, W, Y + n), dot(n, W + n, Y + n)};
        carom_union set = {.n = n, .metric = {true, M, NULL}, .p = 2, .W = W, .group_count = 2};
        set.group_start = start;
        set.group_row = row;
        carom_stationary *s;
        int count;
        check_ok(carom_cone_union_stationary(&set, x, arena, &s, &count, NULL), NULL);
        assert_true(count >= 1);
        if (g[0] >= 0 || g[1] >= 0) {
            assert_int_equal(s[0].type, CAROM_STATIONARY_INSIDE);
            check_vector(s[0].z, x, n, 1e-12 * v);
            /* a face with gamma_i < 0 can be a further one, with z inside the other half-space's
             * complement */
            for (int i = 0; i < 2; i++) {
                bool face = g[i] < 0 && g[1 - i] - g[i] * D[1] / D[2 * i] < 0;
                assert_int_equal(with_active(s, count, 1u << i) != NULL, face);
            }
            continue;
        }
        bool face[2] = {g[1] - g[0] * D[1] / D[0] <= 0, g[0] - g[1] * D[1] / D[2] <= 0};
        for (int i = 0; i < 2; i++) {
            const carom_stationary *f = with_active(s, count, 1u << i);
            assert_int_equal(f != NULL, face[i]);
            if (!f)
                continue;
            assert_int_equal(f->type, CAROM_STATIONARY_MINIMUM);
            check_close(f->distance, -g[i] / sqrt(D[2 * i]), 1e-11 * f->distance);
            check_close(f->lambda[i], -g[i] / D[2 * i], 1e-11 * f->lambda[i]);
            for (int m = 0; m < n; m++)
                check_close(f->z[m], x[m] - Y[m + i * n] * g[i] / D[2 * i],
                            1e-11 * f->distance / sqrt(M[m]));
        }
        const carom_stationary *edge = with_active(s, count, 3);
        assert_int_equal(edge != NULL, face[0] && face[1]);
        both += edge != NULL;
        if (edge)
            assert_int_equal(edge->type, CAROM_STATIONARY_SADDLE);
        carom_arena_reset(arena);
    }
    assert_true(both > 100);
    carom_arena_destroy(arena);
}

static void random_union(check_random *r, int n, int p, int groups, bool integer, double *W,
                         int *start, int *row)
{
    for (int i = 0; i < n * p; i++)
        W[i] = integer ? check_random_int(r, 3) - 1 : check_random_in(r, -1, 1);
    start[0] = 0;
    for (int k = 0; k < groups; k++) {
        int at = start[k];
        for (int j = 0; j < p; j++)
            if (check_random_int(r, 2))
                row[at++] = j;
        start[k + 1] = at;
    }
}

/* The nearest stationary point is the nearest of the groups' own projections, every minimum is the
 * projection on some group, and x - z is orthogonal to z and made of the rows. */
static void test_against_convex_projections(void **state)
{
    (void)state;
    check_random r = {12};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    for (int k = 0; k < 1500; k++) {
        int n = 1 + check_random_int(&r, N), p = 1 + check_random_int(&r, 5), start[5], row[4 * P];
        double W[N * P], x[N], G[N * P], size = 0;
        random_union(&r, n, p, 1 + k % 4, k % 3 == 0, W, start, row);
        for (int i = 0; i < n; i++) {
            x[i] = k % 3 == 0 ? check_random_int(&r, 5) - 2 : check_random_in(&r, -1, 1);
            size = fmax(size, fabs(x[i]));
        }
        carom_union set = {.n = n, .p = p, .W = W, .group_count = 1 + k % 4};
        set.group_start = start;
        set.group_row = row;
        carom_stationary *s;
        int count;
        check_ok(carom_cone_union_stationary(&set, x, arena, &s, &count, NULL), NULL);
        assert_true(count >= 1);
        double nearest = INFINITY;
        bool found[32] = {false};
        for (int g = 0; g < set.group_count; g++) {
            int m = start[g + 1] - start[g];
            for (int j = 0; j < m; j++)
                memcpy(G + j * n, W + row[start[g] + j] * n, (size_t)n * sizeof(double));
            carom_cone cone = {.n = n, .p = m, .W = G};
            carom_projection q;
            check_ok(carom_cone_project(&cone, x, arena, &q, NULL), NULL);
            nearest = fmin(nearest, q.distance);
            for (int j = 0; j < count && j < 32; j++) {
                double far = 0;
                for (int i = 0; i < n; i++)
                    far = fmax(far, fabs(q.z[i] - s[j].z[i]));
                found[j] |= far <= 1e-10 * size;
            }
        }
        check_close(s[0].distance, nearest, 1e-11 * size);
        for (int j = 0; j < count; j++) {
            if (j < 32 && s[j].type == CAROM_STATIONARY_MINIMUM)
                assert_true(found[j]);
            double left[N];
            for (int i = 0; i < n; i++)
                left[i] = s[j].z[i] - x[i];
            check_close(dot(n, left, s[j].z), 0, 1e-11 * size * size);
            for (int i = 0; i < p; i++) {
                assert_true(s[j].lambda[i] >= 0);
                for (int m = 0; m < n; m++)
                    left[m] -= W[m + i * n] * s[j].lambda[i];
            }
            check_close(sqrt(dot(n, left, left)), 0, 1e-10 * size);
        }
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

/* Light bodies beside heavy ones, which may have nothing to do with any row: the nearest stationary
 * point is the nearest of the groups' own projections, and the light bodies see it. */
static void test_light_bodies(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    family f = family_start("unions of cones, light bodies", 13, 2000);
    while (family_next(&f)) {
        check_random *r = &f.random;
        const int n = 2 + check_random_int(r, 3), p = 1 + check_random_int(r, 5);
        int start[5], row[4 * P], groups = 1 + check_random_int(r, 4), count = 0;
        double W[N * P], M[N], x[N], G[N * P], nearest = INFINITY, size = 0;
        random_union(r, n, p, groups, true, W, start, row);
        for (int i = 0; i < n; i++) {
            M[i] = check_random_int(r, 2) ? 1 : pow(2, check_random_int(r, 31));
            x[i] = 0.25 * (check_random_int(r, 17) - 8);
            for (int j = 0; j < p && M[i] > 1 && check_random_int(r, 2); j++)
                W[i + j * n] = 0; /* nobody touches it */
        }
        carom_union set = {.n = n, .metric = {true, M, NULL}, .p = p, .W = W};
        set.group_count = groups;
        set.group_start = start;
        set.group_row = row;
        carom_stationary *s;
        check_ok(carom_cone_union_stationary(&set, x, arena, &s, &count, NULL), NULL);
        for (int g = 0; g < groups; g++) {
            const int m = start[g + 1] - start[g];
            for (int j = 0; j < m; j++)
                memcpy(G + j * n, W + row[start[g] + j] * n, (size_t)n * sizeof(double));
            const carom_cone cone = {.n = n, .metric = {true, M, NULL}, .p = m, .W = G};
            carom_projection q;
            check_ok(carom_cone_project(&cone, x, arena, &q, NULL), NULL);
            nearest = fmin(nearest, q.distance);
        }
        family_check(&f, count > 0, "no stationary point");
        for (int i = 0; i < n; i++)
            size = fmax(size, sqrt(M[i]) * fabs(x[i]));
        const double off = count ? fabs(s[0].distance - nearest) : 0;
        family_check(&f, off <= 1e-9 * nearest + 64 * DBL_EPSILON * size,
                     "the nearest is at %.12g, not %.12g", s[0].distance, nearest);
        carom_arena_reset(arena);
    }
    family_end(&f);
    carom_arena_destroy(arena);
}

/* One group is a convex cone: exactly one stationary point, the projection. */
static void test_convex_is_unique(void **state)
{
    (void)state;
    check_random r = {13};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    int start[] = {0, P}, row[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int k = 0; k < 60; k++) {
        double W[4 * P], x[4];
        for (int i = 0; i < 4 * P; i++)
            W[i] = k % 2 ? check_random_int(&r, 3) - 1 : check_random_in(&r, -0.3, 1);
        for (int i = 0; i < 4; i++)
            x[i] = check_random_in(&r, -1, 0.5);
        carom_union set = {.n = 4, .p = P, .W = W, .group_count = 1};
        set.group_start = start;
        set.group_row = row;
        carom_cone cone = {.n = 4, .p = P, .W = W};
        carom_stationary *s;
        carom_projection q;
        int count;
        check_ok(carom_cone_union_stationary(&set, x, arena, &s, &count, NULL), NULL);
        check_ok(carom_cone_project(&cone, x, arena, &q, NULL), NULL);
        assert_int_equal(count, 1);
        check_vector(s[0].z, q.z, 4, 1e-12);
        check_vector(s[0].lambda, q.lambda, P, 1e-11);
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

/* Duplicate rows in a re-entrant corner change nothing but the multipliers. */
static void test_duplicates(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    int start[] = {0, 1, 2, 3}, row[] = {0, 1, 2};
    double W[] = {1, 0, 0, 1, 0, 2}, x[] = {-1, -1};
    carom_union set = {.n = 2, .p = 3, .W = W, .group_count = 3};
    set.group_start = start;
    set.group_row = row;
    carom_stationary *s;
    int count;
    check_ok(carom_cone_union_stationary(&set, x, arena, &s, &count, NULL), NULL);
    assert_int_equal(count, 3);
    assert_int_equal(s[0].type, CAROM_STATIONARY_MINIMUM);
    assert_int_equal(s[1].type, CAROM_STATIONARY_MINIMUM);
    assert_int_equal(s[2].type, CAROM_STATIONARY_SADDLE);
    check_close(s[0].distance, 1, 1e-15);
    check_close(s[1].distance, 1, 1e-15);
    check_close(s[2].distance, sqrt(2), 1e-15);
    carom_arena_destroy(arena);
}

static void test_refusals(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    double W[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, x[] = {-1};
    int start[] = {0, 1}, row[] = {7}, count;
    carom_union set = {.n = 1, .p = 9, .W = W, .group_count = 1};
    set.group_start = start;
    set.group_row = row;
    carom_stationary *s;
    carom_error error = {0};
    assert_int_equal(carom_cone_union_stationary(&set, x, arena, &s, &count, &error),
                     CAROM_ERROR_UNSUPPORTED);
    set.p = 3;
    assert_int_equal(carom_cone_union_stationary(&set, x, arena, &s, &count, &error),
                     CAROM_ERROR_ARGUMENT);
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_half_spaces),  cmocka_unit_test(test_against_convex_projections),
        cmocka_unit_test(test_convex_is_unique), cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_light_bodies),     cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
