/* Quasi-forces against the rates of quasi-velocities along the motion without contact forces, the
 * geometry of boundary layers, affinities and equations of joints against closed forms. */
#include "carom/carom.h"
#include "carom/scene.h"
#include "family.h"

CHECK_ARENA(arena);

enum { MOST = 4 };

static carom_scene *scene_of(const char *format, ...) CAROM_PRINTF(1, 2);
static carom_scene *scene_of(const char *format, ...)
{
    char text[1500];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    carom_scene *scene = NULL;
    carom_error error = {0};
    check_ok(carom_scene_read_text(text, (size_t)length, NULL, &scene, &error), &error);
    return scene;
}

static carom_state state_of(const carom_scene *scene)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    carom_state state = {0};
    check_ok(carom_state_create(content->system, arena, &state, NULL), NULL);
    state.t = content->initial.t;
    memcpy(state.q, content->initial.q, sizeof(double) * (size_t)shape->nq);
    memcpy(state.u, content->initial.u, sizeof(double) * (size_t)shape->n);
    check_ok(carom_system_evaluate(content->system, CAROM_WANT_ALL, &state, NULL), NULL);
    return state;
}

/* The quasi-velocities of all contacts at a state. */
static carom_quasi quasi_of(const carom_system *system, const carom_state *state,
                            carom_geometry *geometry, int *closed)
{
    carom_impact *impact = carom_arena_take(arena, sizeof *impact);
    carom_quasi quasi;
    check_ok(carom_impact_from_system(system, state, INFINITY, arena, impact, closed, NULL), NULL);
    check_ok(carom_impact_derive(impact, arena, geometry, NULL), NULL);
    check_ok(carom_quasi_make(geometry, arena, &quasi, NULL), NULL);
    return quasi;
}

/* v of the quasi-velocities a moment h later in free flight. */
static void glide(const carom_system *system, const carom_state *from, double h, double *v, int k)
{
    const int n = carom_system_get_shape(system)->n;
    carom_state state = {0};
    int closed[MOST];
    double *a = carom_arena_take(arena, sizeof(double) * (size_t)n);
    carom_geometry geometry;
    check_ok(carom_state_create(system, arena, &state, NULL), NULL);
    quasi_of(system, from, &geometry, closed);
    carom_geometry_inverse_mass(&geometry, from->h, a, NULL);
    state.t = from->t + h;
    for (int i = 0; i < n; i++) {
        state.q[i] = from->q[i] + h * from->u[i] + h * h / 2 * a[i];
        state.u[i] = from->u[i] + h * a[i];
    }
    check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &state, NULL), NULL);
    carom_quasi quasi = quasi_of(system, &state, &geometry, closed);
    memcpy(v, quasi.v, sizeof(double) * (size_t)k);
}

/* A block on a floor that moves: two contacts, one tangent. Its rates are those of (v_n, v_t). */
static void test_rates(void **state)
{
    (void)state;
    family f = family_start("quasi-forces of blocks", 81, 500);
    while (family_next(&f)) {
        check_random *r = &f.random;
        carom_scene *scene = scene_of(
            "{carom: 1, system: {coordinates: [x, y, th], kinetic: \"%g*x'^2 + %g*y'^2 + "
            "%g*th'^2 + %g*cos(th)*x'*th'\", potential: 9.81*y, forces: {x: -0.3*x'}, contacts: "
            "{r: {gap: y - %g*sin(t) - 0.7*cos(th) + 0.4*sin(th)}, l: {gap: y - 0.7*cos(th) - "
            "0.4*sin(th)}}}, initial: {y: 1, th: %g, x': %g, y': %g, th': %g}}",
            check_random_in(r, 0.5, 2), check_random_in(r, 0.5, 2), check_random_in(r, 0.5, 2),
            check_random_in(r, -0.5, 0.5), check_random_in(r, -1, 1), check_random_in(r, -1, 1),
            check_random_in(r, -2, 2), check_random_in(r, -2, 2), check_random_in(r, -2, 2));
        const carom_system *system = carom_scene_get(scene)->system;
        carom_state now = state_of(scene);
        carom_geometry geometry;
        carom_quasi_forces forces;
        int closed[MOST];
        double ahead[3], behind[3];
        const double h = 1e-5;
        carom_quasi quasi = quasi_of(system, &now, &geometry, closed);
        assert_int_equal(quasi.tangents, 1);
        glide(system, &now, h, ahead, 3);
        glide(system, &now, -h, behind, 3);
        check_ok(carom_quasi_forces_find(&quasi, system, &now, closed, arena, &forces, NULL), NULL);
        for (int i = 0; i < 3; i++) {
            const double rate = (ahead[i] - behind[i]) / (2 * h);
            const double F = i < 2 ? forces.F_n[i] : forces.F_t[0];
            family_check(&f, fabs(rate + F) <= 1e-7 * (1 + fabs(F)), "F[%d] = %.9g, v' = %.9g", i,
                         F, rate);
        }
        family_check(&f, forces.error <= 1e-7, "error %g", forces.error);
        carom_scene_destroy(scene);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* Polar coordinates: Lambda^r_pp = -r, Lambda^p_rp = 1/r; a wall at a distance x before r = 2:
 * g_11 = m, B_1 = e_r, ghat = b^2 m/x^2. */
static void test_polar(void **state)
{
    (void)state;
    carom_scene *scene =
        scene_of("{carom: 1, system: {coordinates: [r, p], kinetic: \"3/2*(r'^2 + r^2*p'^2)\", "
                 "contacts: {w: {gap: 2 - r}}}, initial: {r: 1.5, p: 0.3, p': 2}}");
    const carom_system *system = carom_scene_get(scene)->system;
    carom_state now = state_of(scene);
    carom_boundary b;
    double L[8];
    check_ok(carom_boundary_affinities(system, &now, arena, L, NULL), NULL);
    check_vector(L, ((double[]){0, 0, 0, 1 / 1.5, 0, 1 / 1.5, -1.5, 0}), 8, 1e-13);
    check_close(now.u[1], 2, 0);
    check_ok(carom_boundary_make(2, now.M, carom_system_get_shape(system)->mass_is_diagonal, now.W,
                                 0.5, 0.1, arena, &b, NULL),
             NULL);
    check_close(b.g_lower, 3, 1e-14);
    check_close(b.g_upper, 1. / 3, 1e-14);
    check_vector(b.B, ((double[]){-1, 0}), 2, 1e-14);
    check_close(b.ghat, 0.01 * 3 / 0.25, 1e-14);
    check_close(b.affinity, -2, 0);
    check_vector(b.metric, ((double[]){3.12, 0, 0, 3 * 2.25}), 4, 1e-13);
    carom_scene_destroy(scene);
}

/* A pendulum in Cartesian coordinates that hangs at rest: m = M/(4 l^2), -M g - 2 l beta = 0. */
static void test_pendulum(void **state)
{
    (void)state;
    carom_scene *scene = scene_of("{carom: 1, system: {coordinates: [x, y], kinetic: \"3/2*(x'^2 + "
                                  "y'^2)\", potential: 3*10*y, bilateral: {rod: x^2 + y^2 - 4}}, "
                                  "initial: {x: 0, y: -2}}");
    const carom_system *system = carom_scene_get(scene)->system;
    carom_state now = state_of(scene);
    carom_geometry geometry;
    carom_impact impact;
    carom_joint_equation equation;
    int closed[MOST];
    check_ok(carom_impact_from_system(system, &now, 0, arena, &impact, closed, NULL), NULL);
    check_ok(carom_impact_derive(&impact, arena, &geometry, NULL), NULL);
    check_ok(carom_joint_equations_find(&geometry, &now, arena, &equation, NULL), NULL);
    check_close(equation.inertia, 3 / 16., 1e-14);
    check_close(equation.reaction, -30 / 4., 1e-12);
    carom_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_polar),
        cmocka_unit_test(test_pendulum),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
