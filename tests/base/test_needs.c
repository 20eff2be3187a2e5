/* Every call of the library that returns a status, with each pointer that it needs left out in
 * turn: CAROM_ERROR_ARGUMENT, and a text with the name of the call and of the argument. Those that
 * return none do nothing. What else stands in a call is of the right kind, but empty: what is NULL
 * is refused before anything is looked at. */
#include "carom/carom.h"
#include "carom/io.h"
#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whatever is asked for, empty. */
static double zeros[4096];
static void *const any = zeros;

static carom_arena *arena;
static carom_scene *scene, *world;
static carom_system *sys;
static const carom_bodies *bodies;
static carom_scope *scope;
static carom_shape *shape;
static carom_expr *expr;
static carom_expr_set *set;
static carom_trace_writer *writer;
static carom_trace trace;
static carom_geometry geometry;
static carom_admissible admissible;
static carom_quasi quasi;
static carom_state state;
static carom_law law;
static const double one[] = {1}, velocity[] = {-1};
static const carom_impact impact = {
    .n = 1, .p = 1, .mass_is_diagonal = true, .M = one, .u = velocity, .W = one};
static const carom_flow_start start = {.q = (double *)one, .u = (double *)one};
static carom_orbit_problem problem;
static carom_orbit orbit = {.q = zeros, .u = zeros};
static const carom_flow_ledger ledger;
static const carom_flow_row row = {.ledger = &ledger};
static const carom_batch batch = {.impact = &impact, .law = &law};
static const carom_check_request request = {.geometry = &geometry};

static carom_status at(void *self, double offset, double *values, double *derivatives, bool *exists,
                       carom_error *error)
{
    (void)self, (void)offset, (void)values, (void)derivatives, (void)exists, (void)error;
    return CAROM_STOPPED;
}

static const carom_orbit_neighbours neighbours = {.at = at};

/* The argument that is left out, by its place among those needed. */
static int wanted, seen;
static const char *missing;

static void *give(const char *name, const void *value)
{
    if (++seen != wanted)
        return (void *)value;
    missing = name;
    return NULL;
}

#define ARG(name, value) give(#name, value)

#define CALLS(X)                                                                                   \
    X(admissible_make, (ARG(geometry, &geometry), ARG(arena, arena), ARG(set, &admissible), e))    \
    X(admissible_contains,                                                                         \
      (ARG(set, &admissible), ARG(u, any), 1, ARG(arena, arena), ARG(membership, any), e))         \
    X(admissible_rough,                                                                            \
      (ARG(set, &admissible), ARG(u, any), 1, ARG(arena, arena), ARG(membership, any), e))         \
    X(admissible_distance, (ARG(set, &admissible), ARG(u, any), ARG(arena, arena),                 \
                            ARG(nearest, any), ARG(distance, any), e))                             \
    X(admissible_locate,                                                                           \
      (ARG(set, &admissible), ARG(u, any), 1, ARG(arena, arena), ARG(place, any), e))              \
    X(admissible_find_range,                                                                       \
      (ARG(set, &admissible), ARG(weights, any), 1, ARG(arena, arena), ARG(range, any), e))        \
    X(admissible_level, (ARG(set, &admissible), 1, 0, ARG(arena, arena), ARG(points, any), e))     \
    X(admissible_extremes,                                                                         \
      (ARG(set, &admissible), ARG(arena, arena), ARG(points, any), ARG(vertices, any), e))         \
    X(admissible_arcs,                                                                             \
      (ARG(set, &admissible), 1, 0, 1, ARG(arena, arena), ARG(arcs, any), ARG(count, any), e))     \
    X(admissible_outline, (ARG(set, &admissible), 1, ARG(arena, arena), ARG(line, any), e))        \
    X(arena_create, (NULL, ARG(arena, any), e))                                                    \
    X(batch_apply, (ARG(batch, &batch), ARG(output, any), e))                                      \
    X(system_bodies, (ARG(world, any), NULL, ARG(system, any), NULL, e))                           \
    X(bodies_pose, (ARG(bodies, bodies), 1, 1, ARG(q, any), ARG(pose, any), e))                    \
    X(bodies_find,                                                                                 \
      (ARG(bodies, bodies), 1, ARG(q, any), NULL, 1, ARG(arena, arena), ARG(contacts, any), e))    \
    X(bodies_unlisted,                                                                             \
      (ARG(bodies, bodies), 1, ARG(q, any), NULL, 1, ARG(arena, arena), ARG(names, any), e))       \
    X(bodies_check_smooth, (ARG(bodies, bodies), e))                                               \
    X(copositive_test, (1, ARG(A, any), NULL, NULL, ARG(arena, arena), ARG(answer, any), e))       \
    X(copositive_partition, (1, ARG(A, any), 1, NULL, ARG(arena, arena), ARG(answer, any), e))     \
    X(p_matrix_test, (1, ARG(A, any), NULL, NULL, ARG(arena, arena), ARG(answer, any), e))         \
    X(certify_matrix, (NULL, ARG(geometry, &geometry), ARG(arena, arena), ARG(E, any), NULL, e))   \
    X(certify_restitution,                                                                         \
      (ARG(geometry, &geometry), NULL, NULL, ARG(arena, arena), ARG(all, any), e))                 \
    X(certify_contact, (ARG(geometry, &geometry), NULL, ARG(arena, arena), ARG(all, any), e))      \
    X(certify_load, (ARG(system, sys), ARG(state, &state), ARG(geometry, &geometry),               \
                     ARG(closed, any), ARG(arena, arena), ARG(all, any), e))                       \
    X(certify_full, (NULL, ARG(geometry, &geometry), ARG(arena, arena), ARG(all, any), e))         \
    X(certify_friction,                                                                            \
      (ARG(geometry, &geometry), NULL, NULL, ARG(arena, arena), ARG(all, any), e))                 \
    X(critical_friction,                                                                           \
      (ARG(geometry, &geometry), NULL, ARG(arena, arena), ARG(critical, any), e))                  \
    X(critical_along, (ARG(system, sys), ARG(state, &state), 1, 1, 1, 1, 1, NULL, NULL,            \
                       ARG(arena, arena), ARG(path, any), e))                                      \
    X(painleve_solve, (ARG(system, sys), ARG(state, &state), ARG(geometry, &geometry),             \
                       ARG(closed, any), ARG(arena, arena), ARG(problem, any), e))                 \
    X(pair_region_make, (1, 1, ARG(arena, arena), ARG(region, any), e))                            \
    X(margins_find,                                                                                \
      (ARG(geometry, &geometry), NULL, NULL, ARG(arena, arena), ARG(margins, any), e))             \
    X(same_energy_find, (ARG(geometry, &geometry), 1, 1, ARG(arena, arena), ARG(curve, any), e))   \
    X(conservative_find, (ARG(geometry, &geometry), NULL, ARG(arena, arena), ARG(found, any), e))  \
    X(outcome_matrix_find,                                                                         \
      (ARG(geometry, &geometry), ARG(u, any), ARG(arena, arena), ARG(found, any), e))              \
    X(micro_gaps_find,                                                                             \
      (ARG(law, &law), ARG(geometry, &geometry), NULL, ARG(arena, arena), ARG(gaps, any), e))      \
    X(check, (ARG(request, &request), ARG(arena, arena), ARG(answer, any), e))                     \
    X(shape_create, (ARG(def, any), NULL, ARG(shape, any), e))                                     \
    X(shape_get_surface, (ARG(shape, shape), ARG(arena, arena), ARG(surface, any), e))             \
    X(shape_mass, (ARG(shape, shape), 1, ARG(mass, any), e))                                       \
    X(mass_check, (ARG(mass, any), 1, e))                                                          \
    X(cone_project, (ARG(cone, any), ARG(x, any), ARG(arena, arena), ARG(projection, any), e))     \
    X(cone_project_generated,                                                                      \
      (ARG(cone, any), ARG(x, any), ARG(arena, arena), ARG(projection, any), e))                   \
    X(cone_verify, (ARG(cone, any), ARG(x, any), ARG(projection, any), ARG(arena, arena),          \
                    ARG(residual, any), e))                                                        \
    X(cone_rays, (1, 1, ARG(A, any), ARG(arena, arena), ARG(rays, any), ARG(count, any), e))       \
    X(cone_union_stationary,                                                                       \
      (ARG(set, any), ARG(x, any), ARG(arena, arena), ARG(points, any), ARG(count, any), e))       \
    X(device_list, (ARG(facts, any), ARG(count, any), e))                                          \
    X(device_open, (ARG(name, "word"), ARG(device, any), e))                                       \
    X(scope_create, (NULL, ARG(scope, any), e))                                                    \
    X(scope_add_value, (ARG(scope, scope), ARG(name, any), 1, e))                                  \
    X(scope_add_parameter, (ARG(scope, scope), ARG(name, any), ARG(formula, any), e))              \
    X(scope_add_coordinate, (ARG(scope, scope), ARG(name, any), e))                                \
    X(scope_add_definitions, (ARG(scope, scope), ARG(definitions, any), 1, e))                     \
    X(scope_number, (ARG(scope, scope), ARG(formula, any), ARG(value, any), e))                    \
    X(expr_create, (ARG(scope, scope), ARG(formula, any), 1, ARG(expr, any), e))                   \
    X(expr_tangent, (ARG(expr, expr), 1, NULL, NULL, ARG(directions, any), ARG(scratch, arena),    \
                     NULL, ARG(tangents, any), e))                                                 \
    X(expr_set_create, (ARG(scope, scope), ARG(formulas, any), 1, ARG(set, any), e))               \
    X(expr_set_tangents, (ARG(set, set), 1, NULL, NULL, ARG(directions, any), ARG(scratch, arena), \
                          ARG(tangents, any), e))                                                  \
    X(fclib_read, (ARG(path, "word"), ARG(arena, arena), ARG(file, any), e))                       \
    X(fclib_read_text, (ARG(text, "word"), 1, ARG(arena, arena), ARG(file, any), e))               \
    X(fclib_write, (ARG(path, "word"), false, ARG(file, any), NULL, ARG(arena, arena), e))         \
    X(flow_run, (ARG(system, sys), NULL, ARG(start, &start), ARG(options, any), NULL,              \
                 ARG(arena, arena), ARG(result, any), e))                                          \
    X(system_formulas, (ARG(statement, any), NULL, ARG(system, any), e))                           \
    X(system_formulas_tex, (ARG(statement, any), ARG(arena, arena), ARG(tex, any), e))             \
    X(system_formulas_units, (ARG(statement, any), ARG(arena, arena), NULL, NULL, e))              \
    X(system_formulas_kernel, (ARG(statement, any), ARG(arena, arena), ARG(source, any), e))       \
    X(friction_problem_check, (ARG(problem, any), e))                                              \
    X(friction_problem_velocity,                                                                   \
      (ARG(problem, any), ARG(r, any), ARG(arena, arena), ARG(u, any), NULL, e))                   \
    X(friction_problem_residual,                                                                   \
      (ARG(problem, any), ARG(r, any), ARG(arena, arena), NULL, ARG(residual, any), e))            \
    X(friction_problem_solve,                                                                      \
      (ARG(problem, any), NULL, ARG(arena, arena), ARG(r, any), NULL, NULL, NULL, e))              \
    X(impact_from_system, (ARG(system, sys), ARG(state, &state), 1, ARG(arena, arena),             \
                           ARG(impact, any), ARG(closed, any), e))                                 \
    X(impact_derive, (ARG(impact, any), ARG(arena, arena), ARG(geometry, any), e))                 \
    X(outcome_create, (ARG(geometry, &geometry), ARG(arena, arena), ARG(outcome, any), e))         \
    X(outcome_complete, (ARG(geometry, &geometry), ARG(arena, arena), ARG(outcome, any), e))       \
    X(law_choose, (ARG(name, "word"), ARG(law, &law), e))                                          \
    X(law_apply,                                                                                   \
      (ARG(law, &law), ARG(geometry, &geometry), ARG(arena, arena), ARG(outcome, any), e))         \
    X(law_promise,                                                                                 \
      (ARG(law, &law), ARG(geometry, &geometry), ARG(arena, arena), ARG(promise, any), e))         \
    X(layer_follow,                                                                                \
      (ARG(layer, any), ARG(arena, arena), 0, NULL, NULL, NULL, ARG(result, any), e))              \
    X(lcp_solve, (ARG(lcp, any), NULL, ARG(arena, arena), ARG(z, any), NULL, NULL, e))             \
    X(lcp_enumerate, (ARG(lcp, any), ARG(arena, arena), ARG(solutions, any), e))                   \
    X(orbit_run,                                                                                   \
      (ARG(system, sys), NULL, ARG(start, &start), ARG(options, any), ARG(directions, any), NULL,  \
       ARG(arena, arena), ARG(result, any), ARG(tangents, any), e))                                \
    X(orbit_one_sided, (ARG(neighbours, &neighbours), ARG(arena, arena), ARG(left, any),           \
                        ARG(right, any), ARG(same, any), e))                                       \
    X(orbit_guess,                                                                                 \
      (ARG(problem, &problem), ARG(start, &start), ARG(arena, arena), ARG(orbit, &orbit), e))      \
    X(orbit_solve, (ARG(problem, &problem), ARG(arena, arena), ARG(orbit, &orbit), e))             \
    X(orbit_follow,                                                                                \
      (ARG(family, any), ARG(start, &orbit), ARG(branch, any), ARG(arena, arena), e))              \
    X(orbit_exponents, (ARG(problem, &problem), ARG(start, &start), 1, 1, 1, ARG(arena, arena),    \
                        ARG(answer, any), e))                                                      \
    X(orbit_settle, (ARG(problem, &problem), ARG(start, &start), 1, 1, ARG(arena, arena),          \
                     ARG(attractor, any), e))                                                      \
    X(orbit_settle_points,                                                                         \
      (ARG(problem, &problem), 1, ARG(points, any), 1, ARG(arena, arena), ARG(attractor, any), e)) \
    X(orbit_basins, (ARG(starts, any), 1, ARG(arena, arena), ARG(index, any), ARG(basins, any),    \
                     ARG(count, any), e))                                                          \
    X(orders_explore, (ARG(geometry, &geometry), NULL, ARG(arena, arena), ARG(orders, any), e))    \
    X(quasi_make, (ARG(geometry, &geometry), ARG(arena, arena), ARG(quasi, &quasi), e))            \
    X(quasi_forces_find, (ARG(quasi, &quasi), ARG(system, sys), ARG(state, &state),                \
                          ARG(closed, any), ARG(arena, arena), ARG(forces, any), e))               \
    X(boundary_make,                                                                               \
      (1, ARG(M, any), false, ARG(A, any), 1, 1, ARG(arena, arena), ARG(boundary, any), e))        \
    X(joint_equations_find,                                                                        \
      (ARG(geometry, &geometry), ARG(state, &state), ARG(arena, arena), NULL, e))                  \
    X(boundary_affinities,                                                                         \
      (ARG(system, sys), ARG(state, &state), ARG(arena, arena), ARG(out, any), e))                 \
    X(rods_solve, (ARG(rods, any), ARG(arena, arena), ARG(motion, any), e))                        \
    X(rods_regions,                                                                                \
      (ARG(motion, any), 1, ARG(arena, arena), ARG(count, any), ARG(regions, any), e))             \
    X(distribution_parse, (ARG(text, "word"), ARG(distribution, any), e))                          \
    X(scene_read_file, (ARG(path, "word"), NULL, ARG(scene, any), e))                              \
    X(scene_read_stream, (ARG(stream, stdin), NULL, ARG(scene, any), e))                           \
    X(scene_read_text, (ARG(text, "word"), 1, NULL, ARG(scene, any), e))                           \
    X(scene_formula_create, (ARG(scene, scene), ARG(text, "word"), 1, ARG(expr, any), e))          \
    X(scene_direction_create,                                                                      \
      (ARG(scene, scene), ARG(name, "word"), ARG(arena, arena), ARG(direction, any), e))           \
    X(scene_parse_law, (ARG(scene, scene), ARG(text, "word"), ARG(law, &law), e))                  \
    X(scene_parse_law_for, (1, 1, ARG(text, "word"), ARG(arena, arena), ARG(law, &law), e))        \
    X(scene_choose_law, (ARG(scene, scene), NULL, ARG(law, &law), NULL, e))                        \
    X(scene_choose_motion_law, (ARG(scene, scene), NULL, 0, ARG(law, &law), NULL, NULL, e))        \
    X(system_create, (ARG(ops, any), NULL, ARG(shape, any), NULL, ARG(system, any), e))            \
    X(system_share, (ARG(system, sys), NULL, ARG(shared, any), e))                                 \
    X(state_create, (ARG(system, sys), ARG(arena, arena), ARG(state, &state), e))                  \
    X(system_evaluate, (ARG(system, sys), 1, ARG(state, &state), e))                               \
    X(system_reset, (ARG(system, sys), 1, ARG(state, &state), ARG(q, any), ARG(u, any), e))        \
    X(system_differentiate, (ARG(system, sys), 1, ARG(state, &state), ARG(directions, any), e))    \
    X(system_switching, (ARG(system, sys), ARG(state, &state), NULL, ARG(value, any), NULL, e))    \
    X(system_check, (ARG(system, sys), 1, ARG(arena, arena), ARG(state, &state), e))               \
    X(system_rigid_body, (ARG(body, any), NULL, ARG(system, any), e))                              \
    X(trace_create, (NULL, false, ARG(header, any), NULL, ARG(writer, any), e))                    \
    X(trace_keep, (ARG(header, any), 1, NULL, ARG(trace, any), ARG(writer, any), e))               \
    X(trace_row, (ARG(writer, writer), ARG(row, &row), e))                                         \
    X(trace_impact, (ARG(writer, writer), ARG(impact, any), e))                                    \
    X(trace_accumulation, (ARG(writer, writer), ARG(accumulation, any), e))                        \
    X(trace_instant, (ARG(writer, writer), ARG(instant, any), e))                                  \
    X(trace_change, (ARG(writer, writer), ARG(change, any), e))                                    \
    X(trace_finish, (ARG(writer, writer), NULL, NULL, e))                                          \
    X(trace_read, (ARG(path, "word"), NULL, ARG(trace, any), e))                                   \
    X(trace_save, (ARG(trace, any), ARG(path, "word"), false, ARG(header, any), NULL, e))          \
    X(trace_page,                                                                                  \
      (ARG(path, "word"), ARG(page, "word"), 1, ARG(traces, any), ARG(names, any), NULL, e))

#define CALL(name, arguments)                                                                      \
    static carom_status call_##name(carom_error *e)                                                \
    {                                                                                              \
        return carom_##name arguments;                                                             \
    }
CALLS(CALL)
#undef CALL

static const struct {
    const char *name;
    carom_status (*call)(carom_error *error);
} calls[] = {
#define ENTRY(name, arguments) {"carom_" #name, call_##name},
    CALLS(ENTRY)
#undef ENTRY
};

/* All arguments of a call in turn; the number that is not refused by name. */
static int try(int k)
{
    int bad = 0, count = 1;
    for (wanted = 1; wanted <= count; wanted++) {
        carom_error error = {0};
        char text[200];
        seen = 0;
        carom_status status = calls[k].call(&error);
        count = seen;
        snprintf(text, sizeof text, "%s: %s is NULL", calls[k].name, missing);
        if (status == CAROM_ERROR_ARGUMENT && error.status == status && !strcmp(text, error.text))
            continue;
        bad++;
        print_error("%s without %s: %d %s\n", calls[k].name, missing, status, error.text);
    }
    return bad;
}

static void test_calls(void **unused)
{
    (void)unused;
    int bad = 0;
    for (int k = 0; k < (int)(sizeof calls / sizeof *calls); k++) {
        int ended = 0;
        pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL); /* a crash is this child's, not the test's */
            _exit(try(k));
        }
        waitpid(child, &ended, 0);
        if (!WIFEXITED(ended))
            print_error("%s crashed\n", calls[k].name);
        bad += !WIFEXITED(ended) || WEXITSTATUS(ended);
    }
    assert_int_equal(bad, 0);
}

static void test_quiet(void **unused)
{
    (void)unused;
    (void)carom_admissible_radius(NULL, 1, 0);
    (void)carom_arena_take(NULL, 1);
    (void)carom_arena_array(NULL, 1, 1);
    (void)carom_arena_zeros(NULL, 1, 1);
    (void)carom_arena_doubles(NULL, 1);
    (void)carom_arena_text(NULL, NULL, 1);
    (void)carom_arena_allocator(NULL);
    (void)carom_arena_mark(NULL);
    carom_arena_rewind(NULL, (carom_mark){0});
    carom_arena_reset(NULL);
    (void)carom_batch_count(NULL);
    (void)carom_contact_combine(NULL, NULL);
    (void)carom_bodies_of(NULL);
    carom_bodies_start(NULL, NULL, NULL);
    carom_bodies_rates(NULL, NULL, NULL, NULL);
    carom_bodies_poses(NULL, 1, NULL, NULL);
    (void)carom_bodies_tree_count(NULL);
    (void)carom_bodies_tree(NULL, 1, NULL);
    (void)carom_bodies_are_listed(NULL);
    (void)carom_bodies_are_rough(NULL);
    (void)carom_bodies_are_cut(NULL);
    (void)carom_bodies_contact_place(NULL, 1, 1, NULL, NULL, NULL);
    (void)carom_bodies_closes_loop(NULL, 1);
    (void)carom_certificates_find(NULL, NULL);
    (void)carom_shape_get_kind(NULL);
    (void)carom_shape_get_space(NULL);
    (void)carom_shape_outline(NULL, 1, NULL);
    (void)carom_pose_set(NULL, NULL, NULL);
    carom_pose_set_plane(NULL, NULL, 1);
    carom_mass_add(NULL, NULL, NULL);
    carom_shape_bounds(NULL, NULL, NULL, NULL);
    carom_shape_distance(NULL, NULL, NULL, NULL, NULL);
    (void)carom_shape_manifold(NULL, NULL, NULL, NULL, 1, 1, any);
    (void)carom_contact_name(any, 1, NULL);
    (void)carom_device_takes_law(NULL, NULL);
    (void)carom_device_takes_friction(NULL);
    (void)carom_source_place(NULL, 1);
    (void)carom_name_length(NULL);
    (void)carom_name_is_valid(NULL, 1);
    (void)carom_scope_parameter_count(NULL);
    carom_scope_keep_parameters(NULL);
    (void)carom_scope_coordinate_count(NULL);
    (void)carom_scope_find(NULL, NULL, any, any);
    (void)carom_scope_suggest(NULL, NULL);
    (void)carom_expr_evaluate(NULL, 1, any, any, any, any);
    (void)carom_expr_uses(NULL, 0, 1);
    (void)carom_expr_uses_position(NULL);
    (void)carom_expr_uses_velocity(NULL);
    carom_expr_set_evaluate(NULL, 1, any, any, NULL);
    (void)carom_friction_problem_rows_at(NULL, 1);
    (void)carom_friction_problem_rows(NULL);
    carom_geometry_inverse_mass(NULL, NULL, NULL, any);
    carom_geometry_mass(NULL, NULL, NULL);
    carom_geometry_normal_velocity(NULL, NULL, NULL);
    carom_geometry_slip_velocity(NULL, NULL, NULL);
    carom_geometry_joint_impulses(NULL, NULL, NULL, any);
    (void)carom_geometry_dot(NULL, NULL, NULL);
    carom_geometry_angles(NULL, NULL);
    carom_outcome_from_impulses(NULL, NULL);
    carom_outcome_say(NULL, NULL);
    carom_outcome_detail(NULL, NULL, 1);
    carom_outcome_detail_vector(NULL, NULL, NULL, NULL);
    (void)carom_law_keeps(NULL, NULL, any);
    carom_law_label(1, NULL, 1, NULL, 1);
    (void)carom_lcp_residual(NULL, NULL);
    carom_quasi_from_velocity(NULL, NULL, NULL);
    carom_quasi_to_velocity(NULL, NULL, NULL);
    carom_quasi_energy(NULL, NULL, NULL, NULL);
    carom_quasi_power(NULL, NULL, NULL, NULL, NULL);
    (void)carom_rods_restitution(NULL, NULL, 1);
    carom_rods_field_at(NULL, 1, 1, 1, NULL, NULL);
    carom_rods_field_energy(NULL, 1, 1, NULL, NULL);
    (void)carom_distribution_quantile(NULL, 1);
    (void)carom_scene_map_keys(NULL, 1, NULL);
    carom_scene_shape_evaluate(NULL, 1, 1, NULL, NULL, NULL);
    carom_scene_shapes_evaluate(NULL, 1, NULL, NULL, NULL);
    (void)carom_scene_shape_nearness(NULL, 1);
    (void)carom_scene_contact_place(NULL, 1, 1, NULL, NULL, NULL, NULL);
    carom_scene_section_evaluate(NULL, 1, NULL, NULL, NULL);
    (void)carom_scene_has_value(NULL, NULL);
    (void)carom_system_curvature(NULL, NULL, NULL);
    carom_system_depends(NULL, 1, NULL, NULL, NULL);
    carom_system_tangents(NULL, NULL);
    carom_system_reset_tangents(NULL, 1, NULL, NULL);
    (void)carom_number_prefix(NULL, NULL);
    (void)carom_number_parse(NULL, NULL);
    (void)carom_number_print(1, NULL);
    (void)carom_number_print_digits(1, 1, NULL);
    (void)carom_number_print_fixed(1, 1, NULL, 1);
    (void)carom_word_distance(NULL, 1, NULL, 1);
    (void)carom_word_nearest(NULL, NULL);
}

static int open_all(void **unused)
{
    (void)unused;
    static const char ball[] =
        "carom: 1\nsystem: {coordinates: [q], kinetic: \"q'^2/2\", potential: q, "
        "contacts: {floor: {gap: q}}}\ninitial: {q: 1}\nrun: {until: 1}\n";
    static const char cube[] =
        "carom: 1\nbodies: {floor: {fixed: true, shape: {plane: [0, 0, 1]}}, "
        "cube: {shape: {box: [1, 1, 1]}, at: [0, 0, 1]}}\n"
        "run: {method: time-stepping, step: 0.1, until: 1}\n";
    carom_shape_def sphere = carom_shape_def_default(CAROM_SHAPE_SPHERE);
    sphere.size[0] = 1;
    carom_status status = carom_arena_create(NULL, &arena, NULL);
    if (!status)
        status = carom_scene_read_text(ball, sizeof ball - 1, NULL, &scene, NULL);
    if (!status)
        status = carom_scene_read_text(cube, sizeof cube - 1, NULL, &world, NULL);
    if (!status)
        status = carom_shape_create(&sphere, NULL, &shape, NULL);
    if (!status)
        status = carom_scope_create(NULL, &scope, NULL);
    const carom_source formula = {.text = "1"};
    if (!status)
        status = carom_expr_create(scope, &formula, 1, &expr, NULL);
    if (!status)
        status = carom_expr_set_create(scope, &formula, 1, &set, NULL);
    if (!status)
        status = carom_impact_derive(&impact, arena, &geometry, NULL);
    if (!status)
        status = carom_admissible_make(&geometry, arena, &admissible, NULL);
    if (!status)
        status = carom_quasi_make(&geometry, arena, &quasi, NULL);
    if (status)
        return 1;
    sys = (carom_system *)carom_scene_get(scene)->system;
    bodies = carom_bodies_of(carom_scene_get(world)->system);
    problem.system = sys;
    const carom_trace_header header = {.system = sys};
    return carom_law_choose("newton", &law, NULL) || carom_state_create(sys, arena, &state, NULL) ||
           carom_trace_keep(&header, 9, NULL, &trace, &writer, NULL);
}

static int close_all(void **unused)
{
    (void)unused;
    (void)carom_trace_finish(writer, NULL, NULL, NULL);
    carom_trace_destroy(&trace);
    carom_expr_destroy(expr);
    carom_expr_set_destroy(set);
    carom_scope_destroy(scope);
    carom_shape_destroy(shape);
    carom_scene_destroy(world);
    carom_scene_destroy(scene);
    carom_arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_quiet),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
