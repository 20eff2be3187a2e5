/* Signs of forces: the numbers that decide them, and random rods against a march on a grid in 113
 * bits, another algorithm: times under compression and of opening, closings, mean velocities. */
#include "carom/rods.h"
#include "family.h"
#include "rods/rods_number.h"

__extension__ typedef __float128 quad;

CHECK_ARENA(arena);

/* Sums and products of random numbers, against 113 bits; zero is found, and only where it is. */
static void test_numbers(void **state)
{
    (void)state;
    family f = family_start("fixed-point numbers", 61, 2000);
    while (family_next(&f)) {
        check_random *r = &f.random;
        const carom_rods_format format = {3 + check_random_int(r, 5), 2}, ratio = {format.limbs, 0};
        carom_rods_word x[10], y[10], k[10], z[10], work[20];
        const double a = check_random_in(r, -1, 1) * pow(2, -check_random_int(r, 60)),
                     b = check_random_in(r, -1, 1);
        const double Z1 = pow(10, check_random_in(r, -3, 3)),
                     Z2 = pow(10, check_random_in(r, -3, 3));
        const quad contrast = ((quad)Z2 - Z1) / ((quad)Z1 + Z2);
        carom_rods_number_set(&format, a, x);
        carom_rods_number_set(&format, b, y);
        carom_rods_number_contrast(&ratio, Z1, Z2, k);
        family_check(&f, carom_rods_number_get(&format, x) == a, "%.17g is not kept", a);
        carom_rods_number_add(&format, x, y, z);
        carom_rods_number_multiply(&format, k, z, z, work);
        carom_rods_number_subtract(&format, z, y, z);
        const quad exact = contrast * ((quad)a + b) - b;
        const double off = (double)((quad)carom_rods_number_get(&format, z) - exact);
        family_check(&f, fabs(off) <= 4e-16 * fabs((double)exact), "off by %g of %g", off,
                     (double)exact);
        const int sign = carom_rods_number_sign(&format, z, 100);
        family_check(&f, sign == (exact > 0) - (exact < 0), "sign %d of %g", sign, (double)exact);
        /* k (x + y) - k x - k y is zero, however it was rounded */
        carom_rods_number_add(&format, x, y, z);
        carom_rods_number_multiply(&format, k, z, z, work);
        carom_rods_number_multiply(&format, k, x, x, work);
        carom_rods_number_multiply(&format, k, y, y, work);
        carom_rods_number_subtract(&format, z, x, z);
        carom_rods_number_subtract(&format, z, y, z);
        const int bits = 64 * (format.limbs - 1) - 8;
        family_check(&f, carom_rods_number_sign(&format, z, bits) == 0, "zero is not seen");
        carom_rods_number_set(&format, ldexp(1, -bits - 4), x);
        family_check(&f, carom_rods_number_sign(&format, x, bits) == 2, "too small is not said");
    }
    family_end(&f);
}

enum { RODS = 4, CELLS = 64 };

/* The march: every rod has T cells of waves R and S in units of velocity, all times are whole. */
typedef struct march {
    int count, T[RODS], t;
    quad Z[RODS], R[RODS][CELLS], S[RODS][CELLS], gap[RODS + 1], force[RODS + 1];
    bool closed[RODS + 1], between; /* a gap closed between two steps: no more is known */
    bool doubtful;                  /* a force that 113 bits cannot tell from none */
    int closings[RODS + 1];
    double contact_time[RODS + 1], open_time[RODS + 1];
} march;

static void meet(march *m, int k, quad a, quad b, quad *S, quad *R)
{
    const quad delta = a + b, none = (quad)1e-29, Z1 = m->Z[k - 1], Z2 = m->Z[k];
    const bool was = m->closed[k], zero = delta < none && delta > -none;
    m->doubtful = m->doubtful || (!zero && delta < (quad)1e-24 && delta > -(quad)1e-24);
    m->closed[k] = m->gap[k] <= none && (zero || delta > 0);
    const quad force = m->closed[k] && !zero ? delta * Z1 * Z2 / (Z1 + Z2) : 0;
    const quad wave = m->closed[k] ? (Z2 - Z1) / (Z1 + Z2) * delta : 0;
    *S = m->closed[k] ? b + wave : -a;
    *R = m->closed[k] ? a - wave : -b;
    if (!m->closed[k])
        m->gap[k] -= delta; /* until the next step */
    m->between = m->between || m->gap[k] < -none;
    m->closings[k] += m->closed[k] && !was;
    if (m->force[k] > 0 && !(force > 0))
        m->contact_time[k] = m->t;
    else if (force > 0)
        m->contact_time[k] = NAN;
    if (was && !m->closed[k])
        m->open_time[k] = m->t;
    else if (m->closed[k])
        m->open_time[k] = NAN;
    m->force[k] = force;
}

/* One unit of time: what is at the ends meets, then everything moves on by a cell. */
static void step(march *m)
{
    quad R[RODS], S[RODS];
    for (int k = 0; k <= m->count; k++) {
        const quad a = k > 0 ? m->R[k - 1][m->T[k - 1] - 1] : 0, b = k < m->count ? m->S[k][0] : 0;
        if (k == 0)
            R[0] = -b;
        else if (k == m->count)
            S[k - 1] = -a;
        else
            meet(m, k, a, b, &S[k - 1], &R[k]);
    }
    for (int i = 0; i < m->count; i++) {
        memmove(m->R[i] + 1, m->R[i], sizeof(quad) * (size_t)(m->T[i] - 1));
        memmove(m->S[i], m->S[i] + 1, sizeof(quad) * (size_t)(m->T[i] - 1));
        m->R[i][0] = R[i];
        m->S[i][m->T[i] - 1] = S[i];
    }
    m->t++;
}

static void start(march *m, const carom_rods *rods)
{
    memset(m, 0, sizeof *m);
    m->count = rods->count;
    for (int i = 0; i < m->count; i++) {
        m->T[i] = (int)rods->rods[i].length;
        m->Z[i] = rods->rods[i].area;
        for (int n = 0; n < m->T[i]; n++) {
            m->R[i][n] = rods->rods[i].velocity;
            m->S[i][n] = -rods->rods[i].velocity;
        }
        m->contact_time[i] = m->open_time[i] = NAN;
    }
}

static bool same_time(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static void test_grid(void **state)
{
    (void)state;
    family f = family_start("rods against a grid in 113 bits", 62, 600);
    int compared = 0;
    while (family_next(&f)) {
        check_random *r = &f.random;
        carom_rod rod[RODS];
        carom_rods rods = {.count = 2 + check_random_int(r, 3), .rods = rod};
        const bool alike = check_random_in(r, 0, 1) < 0.3;
        for (int i = 0; i < rods.count; i++) {
            rod[i] = carom_rod_default();
            rod[i].length = 1 + check_random_int(r, check_random_in(r, 0, 1) < 0.3 ? CELLS : 6);
            rod[i].area = alike ? 3 : pow(check_random_int(r, 2) ? 2 : 3, check_random_int(r, 8));
        }
        rod[0].velocity = 1;
        carom_rods_motion m;
        carom_error error = {0};
        check_ok(carom_rods_solve(&rods, arena, &m, &error), &error);
        march g;
        start(&g, &rods);
        for (int t = 0; t <= m.end && t < 4000 && !g.between && !g.doubtful; t++)
            step(&g);
        if (m.settled && !g.between && !g.doubtful && m.end < 4000) {
            compared++;
            family_check(&f, m.exact, "not exact");
            for (int k = 1; k < rods.count; k++)
                family_check(&f,
                             same_time(m.joints[k].contact_time, g.contact_time[k]) &&
                                 same_time(m.joints[k].open_time, g.open_time[k]) &&
                                 m.joints[k].closings == g.closings[k],
                             "contact %d: until %.17g, %.17g, %d times; on the grid %.17g, %.17g, "
                             "%d",
                             k, m.joints[k].contact_time, m.joints[k].open_time,
                             m.joints[k].closings, g.contact_time[k], g.open_time[k],
                             g.closings[k]);
            for (int i = 0; i < rods.count; i++) {
                quad sum = 0;
                for (int n = 0; n < g.T[i]; n++)
                    sum += (g.R[i][n] - g.S[i][n]) / 2 / g.T[i];
                const double off = m.velocity[i] - (double)sum;
                family_check(&f, fabs(off) <= 1e-13, "velocity of rod %d off by %g", i + 1, off);
            }
        }
        carom_arena_reset(arena);
    }
    print_message("%d compared\n", compared);
    assert_true(f.only >= 0 || compared > f.members / 3);
    family_end(&f);
}

/* Forces that fall below any threshold are still forces: the scenes that were wrong once. */
static void test_small_forces(void **state)
{
    (void)state;
    static const struct {
        carom_rod rod[3];
        int count;
        double contact_time, velocity;
    } cases[] = {
        {{{1, 1, 1, 7, 1}, {100, 1, 1, 3, 0}}, 2, 200, 0},
        {{{7, 6, 6, .5, .5}, {.25, 40, 2.5, .5, 0}}, 2, 14, 0.5 - 0.3125 * 0.5 / 21},
        {{{1, 1, 1, 7, 1}, {1000, 1, 1, 3, 0}}, 2, 2000, 0}, /* 0.4^1000 is below all doubles */
        {{{1, 1, 1, 1e-300, 1}, {1, 1, 1, 1e300, 0}}, 2, 2, -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        carom_rods rods = {.count = cases[k].count, .rods = cases[k].rod};
        carom_rods_motion m;
        carom_error error = {0};
        check_ok(carom_rods_solve(&rods, arena, &m, &error), &error);
        assert_true(m.settled && m.exact);
        check_close(m.joints[1].contact_time, cases[k].contact_time, 1e-12);
        check_close(m.joints[1].open_time, cases[k].contact_time, 1e-12);
        check_close(m.velocity[0], cases[k].velocity, 1e-14);
        carom_arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_small_forces),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
