/* Waves in rods: closed forms of two rods, energy and momentum of many. */
#include "carom/rods.h"
#include "check.h"
#include "check_memory.h"

CHECK_ARENA(arena);

static carom_rods_motion solve(const carom_rods *rods)
{
    carom_rods_motion motion;
    carom_error error = {0};
    check_ok(carom_rods_solve(rods, arena, &motion, &error), &error);
    return motion;
}

/* Two rods of wave speed c and impedances Z. */
static void two(carom_rod *rod, double l1, double l2, double c, double Z1, double Z2, double v)
{
    rod[0] = (carom_rod){.length = l1, .modulus = c * c, .density = 1, .area = Z1 / c};
    rod[1] = (carom_rod){.length = l2, .modulus = c * c, .density = 1, .area = Z2 / c};
    rod[0].velocity = v;
}

/* Same material: force Z v/2 for 2 l1/c, open at 2 l2/c, restitution min/max (G4, validation G1).
 */
static void test_same_material(void **state)
{
    (void)state;
    double ratios[] = {0.5, 0.25, 1, 1 / 3.0, 0.1, 2, 7.3, 0.999};
    for (int i = 0; i < 8; i++) {
        carom_rod rod[2];
        double c = 3.7, l1 = ratios[i], l2 = 1, v = 0.6, Z = 2.2;
        two(rod, l1, l2, c, Z, Z, v);
        carom_rods rods = {.count = 2, .rods = rod};
        carom_rods_motion m = solve(&rods);
        double shorter = fmin(l1, l2), longer = fmax(l1, l2);
        assert_true(m.settled);
        check_close(m.joints[1].contact_time, 2 * shorter / c, 1e-13);
        check_close(m.joints[1].open_time, 2 * longer / c, 1e-13);
        check_close(carom_rods_restitution(&rods, &m, 1), shorter / longer, 1e-12);
        check_close(m.joints[1].force.steps[0].value, Z * v / 2, 1e-13);
        check_close(m.joints[1].force.steps[1].value, 0, 0);
        assert_int_equal(m.joints[1].closings, 1);
        assert_int_equal(m.joints[1].force.count, 2);
        double lost = 0.5 * (shorter / longer) * (Z / c) * v * v * (longer - shorter);
        if (l1 <= l2)
            check_close(m.energy_in_waves, lost, 1e-12);
        check_close(m.velocity[0], l1 <= l2 ? 0 : v * (1 - l2 / l1), 1e-12);
    }
}

/* Equal wave speed, l2 = 2.5 l1, Z2 = 2 Z1: means (-1/3, 4/15) v. */
static void test_unequal(void **state)
{
    (void)state;
    carom_rod rod[2];
    two(rod, 0.4, 1, 2, 1.5, 3, 1);
    carom_rods_motion m = solve(&(carom_rods){.count = 2, .rods = rod});
    assert_true(m.settled);
    check_close(m.velocity[0], -1 / 3.0, 1e-13);
    check_close(m.velocity[1], 4 / 15.0, 1e-13);
    check_close(m.joints[1].force.steps[0].value, 1.5 * 3 / 4.5, 1e-13);
}

/* A rod against a rigid wall: force Z v for 2 l/c, then it leaves at v without waves. */
static void test_wall(void **state)
{
    (void)state;
    carom_rod rod = {.length = 1, .modulus = 210e9, .density = 7800, .area = 3.14e-4};
    rod.velocity = -0.1;
    carom_rods_joint joints[2] = {{CAROM_RODS_CONTACT, 5e-5}, {CAROM_RODS_FREE, 0}};
    carom_rods_motion m = solve(&(carom_rods){.count = 1, .rods = &rod, .joints = joints});
    assert_true(m.settled);
    check_close(m.joints[0].contact_time, 5e-4 + 3.854496446637726e-4, 1e-17);
    check_close(m.joints[0].open_time, 5e-4 + 3.854496446637726e-4, 1e-17);
    check_close(m.joints[0].force.steps[1].t, 5e-4, 1e-18);
    check_close(m.joints[0].force.steps[1].value, 1270.8274784564583, 1e-9);
    check_close(m.velocity[0], 0.1, 1e-14);
    check_close(m.energy_in_waves, 0, 1e-15);
}

/* A rod cut in two and welded behaves as the whole; equal rods in a row hand the motion on. */
static void test_series(void **state)
{
    (void)state;
    carom_rod rod[3];
    two(rod, 0.4, 0.3, 1, 1, 1, 1);
    rod[1].velocity = 1;
    rod[2] = rod[0];
    rod[2].length = 1.1;
    rod[2].velocity = 0;
    carom_rods_joint joints[4] = {{CAROM_RODS_FREE, 0},
                                  {CAROM_RODS_BONDED, 0},
                                  {CAROM_RODS_CONTACT, 0},
                                  {CAROM_RODS_FREE, 0}};
    carom_rods_motion m = solve(&(carom_rods){.count = 3, .rods = rod, .joints = joints});
    assert_true(m.settled);
    check_close(m.joints[2].contact_time, 1.4, 1e-12);
    check_close(m.joints[2].open_time, 2.2, 1e-12);
    check_close(m.velocity[2], 0.7 / 1.1, 1e-12);

    for (int i = 0; i < 3; i++)
        rod[i] = (carom_rod){.length = 1, .modulus = 1, .density = 1, .area = 1};
    rod[0].velocity = 1;
    m = solve(&(carom_rods){.count = 3, .rods = rod});
    assert_true(m.settled);
    check_close(m.velocity[0], 0, 1e-13);
    check_close(m.velocity[1], 0, 1e-13);
    check_close(m.velocity[2], 1, 1e-13);
}

static double total_energy(const carom_rods_motion *m, double t)
{
    double sum = 0;
    for (int i = 0; i < m->count; i++) {
        double kinetic, strain;
        carom_rods_field_energy(m, i, t, &kinetic, &strain);
        sum += kinetic + strain;
    }
    return sum;
}

/* Where the velocity history of a joint says the gap is. */
static double least_gap(const carom_rods_contact *contact, double end)
{
    double gap = contact->gap, least = gap;
    for (int n = 0; n < contact->rate.count; n++) {
        double next = n + 1 < contact->rate.count ? contact->rate.steps[n + 1].t : end;
        gap += contact->rate.steps[n].value * (next - contact->rate.steps[n].t);
        least = fmin(least, gap);
    }
    return least;
}

/* Random rods, lengths commensurable or not: energy and momentum are kept, forces compress, gaps
 * do not close below zero, fields agree with the joints; recontact happens in some. */
static void test_invariants(void **state)
{
    (void)state;
    check_random r = {7};
    int recontacts = 0, unsettled = 0;
    for (int trial = 0; trial < 400; trial++) {
        carom_arena_reset(arena);
        int count = 2 + check_random_int(&r, 3);
        carom_rod rod[4];
        carom_rods_joint joints[5] = {{CAROM_RODS_FREE, 0}};
        double momentum = 0;
        for (int i = 0; i < count; i++) {
            bool whole = trial % 2;
            rod[i] = (carom_rod){
                .length = whole ? 1 + check_random_int(&r, 6) : check_random_in(&r, 0.3, 3),
                .modulus = whole ? 1 : check_random_in(&r, 0.5, 2),
                .density = 1,
                .area = whole ? 1 + check_random_int(&r, 3) : check_random_in(&r, 0.2, 4),
                .velocity = i == 0   ? 1
                            : i == 1 ? 0
                                     : check_random_in(&r, -0.5, 0.5)};
            momentum += rod[i].density * rod[i].area * rod[i].length * rod[i].velocity;
            joints[i + 1].kind = i == 1 && trial % 5 == 0 ? CAROM_RODS_BONDED : CAROM_RODS_CONTACT;
            joints[i + 1].gap = i == 1 && trial % 3 == 0 ? check_random_in(&r, 0, 1) : 0;
        }
        joints[count].kind = CAROM_RODS_FREE;
        carom_rods rods = {.count = count, .rods = rod, .joints = joints, .event_limit = 20000};
        carom_rods_motion m = solve(&rods);
        unsettled += !m.settled;
        double after = 0, scale = m.energy;
        for (int i = 0; i < count; i++)
            after += m.mass[i] * m.velocity[i];
        check_close(after, momentum, 1e-10);
        for (int n = 0; n <= 10; n++)
            check_close(total_energy(&m, m.end * n / 10), scale, 1e-9 * scale);
        for (int k = 1; k < count; k++) {
            if (joints[k].kind == CAROM_RODS_BONDED)
                continue;
            recontacts += m.joints[k].closings > 1;
            for (int n = 0; n < m.joints[k].force.count; n++)
                assert_true(m.joints[k].force.steps[n].value >= 0);
            assert_true(least_gap(&m.joints[k], m.end) > -1e-9);
        }
        for (int i = 0; i < count; i++) {
            double sum = 0, F, u;
            int points = 4000;
            for (int n = 0; n < points; n++) {
                carom_rods_field_at(&m, i, (n + 0.5) / points * rod[i].length, m.end, &F, &u);
                sum += u / points;
            }
            check_close(sum, m.velocity[i], 2e-2);
        }
    }
    assert_true(recontacts > 5);
    assert_true(unsettled < 4); /* only those with equal means after the impact */
}

/* The regions tile the diagram and hold the field. */
static void test_regions(void **state)
{
    (void)state;
    carom_rod rod[2];
    two(rod, 0.4, 1, 2, 1, 1, 1);
    carom_rods rods = {.count = 2, .rods = rod, .until = 2.5};
    carom_rods_motion m = solve(&rods);
    carom_rods_region *regions;
    int count;
    check_ok(carom_rods_regions(&m, 2.5, arena, &count, &regions, NULL), NULL);
    double area[2] = {0};
    for (int n = 0; n < count; n++) {
        const carom_rods_region *g = &regions[n];
        double x = 0, t = 0, F, u, sum = 0;
        for (int i = 0; i < g->corner_count; i++) {
            int j = (i + 1) % g->corner_count;
            sum += 0.5 * (g->x[i] * g->t[j] - g->x[j] * g->t[i]);
            x += g->x[i] / g->corner_count;
            t += g->t[i] / g->corner_count;
        }
        area[g->rod] += fabs(sum);
        carom_rods_field_at(&m, g->rod, x, t, &F, &u);
        check_close(F, g->force, 1e-13);
        check_close(u, g->velocity, 1e-13);
        /* same material: strain is -v/2c, 0 or +v/2c */
        double strain = fabs(g->strain) * 2 * 2;
        assert_true(strain < 1e-12 || fabs(strain - 1) < 1e-12);
    }
    check_close(area[0], 0.4 * 2.5, 1e-11);
    check_close(area[1], 1 * 2.5, 1e-11);
    assert_int_equal(carom_rods_regions(&m, 1e9, arena, &count, &regions, NULL),
                     CAROM_ERROR_ARGUMENT);
}

static void test_nothing_happens(void **state)
{
    (void)state;
    carom_rod rod[2] = {carom_rod_default(), carom_rod_default()};
    carom_rods rods = {.count = 2, .rods = rod};
    for (int away = 0; away < 2; away++) {
        rod[1].velocity = away;
        carom_rods_motion m = solve(&rods);
        assert_true(m.settled);
        check_close(m.velocity[1], away, 0);
        check_close(m.joints[1].impulse, 0, 0);
        assert_true(isnan(m.joints[1].contact_time));
        assert_true(isnan(carom_rods_restitution(&rods, &m, 1)));
    }
}

static void test_bad_input(void **state)
{
    (void)state;
    carom_rod rod[2] = {carom_rod_default(), carom_rod_default()};
    carom_rods rods = {.count = 2, .rods = rod};
    carom_rods_motion m;
    carom_error error = {0};
    rod[1].density = -2;
    assert_int_equal(carom_rods_solve(&rods, arena, &m, &error), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "rod 2: density is -2"));
    rod[1].density = NAN;
    assert_int_equal(carom_rods_solve(&rods, arena, &m, &error), CAROM_ERROR_ARGUMENT);
    rods.count = 0;
    assert_int_equal(carom_rods_solve(&rods, arena, &m, &error), CAROM_ERROR_ARGUMENT);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    carom_rod rod[2];
    two(rod, 0.7, 1, 1, 1, 1.7, 1);
    carom_rods rods = {.count = 2, .rods = rod, .until = 3000};
    for (int fail_at = 0;; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_arena *small;
        carom_rods_motion m;
        carom_status status = carom_arena_create(&allocator, &small, NULL);
        if (status == CAROM_OK) {
            status = carom_rods_solve(&rods, small, &m, NULL);
            carom_arena_destroy(small);
        }
        assert_int_equal(c.live, 0);
        if (status == CAROM_OK) {
            assert_true(fail_at > 1);
            break;
        }
        assert_int_equal(status, CAROM_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_material),
        cmocka_unit_test(test_unequal),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_invariants),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_nothing_happens),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
