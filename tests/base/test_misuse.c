/* What a caller can leave out or get wrong: NULL where something is needed, numbers out of range, a
 * misspelt law. Every case is an error with a text, none a crash. Each runs in a process of its
 * own, so that the list of failures is whole. */
#include "carom/carom.h"
#include "carom/io.h"
#include "check.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the cases share: a ball above a floor, and a statement of its impact. */
static carom_arena *arena;
static carom_scene *scene;
static const double mass[] = {1}, velocity[] = {-1}, normal[] = {1};

static const char text[] =
    "carom: 1\nsystem: {coordinates: [q], kinetic: \"q'^2/2\", potential: q, "
    "contacts: {floor: {gap: q}}}\ninitial: {q: 1}\nrun: {until: 1}\n";

static carom_impact ball(void)
{
    return (carom_impact){
        .n = 1, .p = 1, .mass_is_diagonal = true, .M = mass, .u = velocity, .W = normal};
}

/* A case: what it does, and the status it returns (a text in *error as well). */
typedef carom_status (*misuse)(carom_error *error);

static carom_status derive(const carom_impact *impact, carom_error *error)
{
    carom_geometry g;
    return carom_impact_derive(impact, arena, &g, error);
}

static carom_status apply(const carom_law *law, carom_error *error)
{
    carom_impact impact = ball();
    carom_geometry g;
    carom_outcome o;
    carom_status status = carom_impact_derive(&impact, arena, &g, error);
    return status ? CAROM_OK : carom_law_apply(law, &g, arena, &o, error);
}

static carom_status no_mass(carom_error *e)
{
    carom_impact i = ball();
    i.M = NULL;
    return derive(&i, e);
}

static carom_status no_velocity(carom_error *e)
{
    carom_impact i = ball();
    i.u = NULL;
    return derive(&i, e);
}

static carom_status no_normals(carom_error *e)
{
    carom_impact i = ball();
    i.W = NULL;
    return derive(&i, e);
}

static carom_status no_statement(carom_error *e)
{
    return derive(&(carom_impact){0}, e);
}

static carom_status negative_sizes(carom_error *e)
{
    carom_impact i = ball();
    i.m = -1;
    return derive(&i, e);
}

static carom_status no_slips(carom_error *e)
{
    carom_impact i = ball();
    carom_contact c = carom_contact_default();
    c.slip_count = 1;
    i.contacts = &c;
    return derive(&i, e);
}

static carom_status many_spreads(carom_error *e)
{
    double two[] = {1, 1};
    carom_impact i = ball();
    carom_contact c[2] = {carom_contact_default(), carom_contact_default()};
    c[0].spread_count = c[1].spread_count = INT_MAX;
    i.p = 2;
    i.W = two;
    i.contacts = c;
    return derive(&i, e);
}

static carom_status empty_region(carom_error *e)
{
    carom_impact i = ball();
    i.region = &(carom_region){.group_count = 2};
    return derive(&i, e);
}

static carom_status no_joint_rows(carom_error *e)
{
    carom_impact i = ball();
    i.m = 1;
    return derive(&i, e);
}

static carom_status misspelt_law(carom_error *e)
{
    return apply(&(carom_law){.ops = carom_law_find("nwton")}, e);
}

static carom_status nameless_law(carom_error *e)
{
    return apply(&(carom_law){.ops = carom_law_find(NULL)}, e);
}

static carom_status no_law(carom_error *e)
{
    return apply(NULL, e);
}

static carom_status empty_ops(carom_error *e)
{
    static const carom_law_ops empty = {.name = "mine"};
    return apply(&(carom_law){.ops = &empty}, e);
}

static carom_status values_without_list(carom_error *e)
{
    return apply(&(carom_law){.ops = carom_law_find("moreau"), .value_count = 3}, e);
}

static carom_status run(const carom_law *law, const carom_flow_start *start,
                        const carom_flow_options *options, carom_error *e)
{
    carom_flow_result result;
    return carom_flow_run(carom_scene_get(scene)->system, law, start, options, NULL, arena, &result,
                          e);
}

static carom_status run_misspelt_law(carom_error *e)
{
    const carom_scene_content *c = carom_scene_get(scene);
    return run(&(carom_law){.ops = carom_law_find("nwton")}, &c->initial, c->run, e);
}

static carom_status run_unknown_method(carom_error *e)
{
    carom_flow_options options = *carom_scene_get(scene)->run;
    options.method = (carom_flow_method)77;
    return run(NULL, &carom_scene_get(scene)->initial, &options, e);
}

static carom_status run_no_start(carom_error *e)
{
    return run(NULL, NULL, carom_scene_get(scene)->run, e);
}

static carom_status run_empty_start(carom_error *e)
{
    return run(NULL, &(carom_flow_start){0}, carom_scene_get(scene)->run, e);
}

static carom_status run_no_options(carom_error *e)
{
    return run(NULL, &carom_scene_get(scene)->initial, NULL, e);
}

static carom_status run_zero_options(carom_error *e)
{
    return run(NULL, &carom_scene_get(scene)->initial, &(carom_flow_options){.until = NAN}, e);
}

static carom_status run_no_system(carom_error *e)
{
    carom_flow_result result;
    const carom_scene_content *c = carom_scene_get(scene);
    return carom_flow_run(NULL, NULL, &c->initial, c->run, NULL, arena, &result, e);
}

static carom_status scene_no_text(carom_error *e)
{
    carom_scene *made;
    return carom_scene_read_text(NULL, 0, NULL, &made, e);
}

static carom_status scene_no_path(carom_error *e)
{
    carom_scene *made;
    return carom_scene_read_file(NULL, NULL, &made, e);
}

static carom_status scene_sets_without_list(carom_error *e)
{
    carom_scene *made;
    return carom_scene_read_text(text, sizeof text - 1, &(carom_scene_options){.set_count = 2},
                                 &made, e);
}

static carom_status scene_no_law(carom_error *e)
{
    carom_law law;
    return carom_scene_parse_law(scene, NULL, &law, e);
}

static carom_status copositive_without_matrix(carom_error *e)
{
    carom_copositive answer;
    return carom_copositive_test(3, NULL, NULL, NULL, arena, &answer, e);
}

static carom_status p_matrix_without_matrix(carom_error *e)
{
    carom_p_matrix answer;
    return carom_p_matrix_test(3, NULL, NULL, NULL, arena, &answer, e);
}

static carom_status lcp_without_matrix(carom_error *e)
{
    double z[2], w[2];
    carom_lcp_info info;
    return carom_lcp_solve(&(carom_lcp){.n = 2}, NULL, arena, z, w, &info, e);
}

static carom_status trace_without_header(carom_error *e)
{
    carom_trace_writer *writer;
    return carom_trace_create("never.csv", false, NULL, NULL, &writer, e);
}

static carom_status trace_without_system(carom_error *e)
{
    carom_trace_writer *writer;
    return carom_trace_create("never.csv", false, &(carom_trace_header){0}, NULL, &writer, e);
}

static carom_status trace_without_path(carom_error *e)
{
    carom_trace trace;
    return carom_trace_read(NULL, NULL, &trace, e);
}

static carom_status rods_without_rods(carom_error *e)
{
    carom_rods_motion motion;
    return carom_rods_solve(&(carom_rods){.count = 2}, arena, &motion, e);
}

/* A law with one value, which it does not take like this. */
static carom_status valued(const char *name, carom_value value, carom_error *e)
{
    carom_law law = {.ops = carom_law_find(name), .values = &value, .value_count = 1};
    return apply(&law, e);
}

#define VALUE(title, law, ...)                                                                     \
    static carom_status title(carom_error *e)                                                      \
    {                                                                                              \
        return valued(law, (carom_value){__VA_ARGS__}, e);                                         \
    }

static const double two_by_two[] = {1, 0, 0, 1}, not_finite[] = {NAN};
static const char *const no_word[] = {NULL};

VALUE(value_unknown, "moreau", .name = "restitutoin", .number = 1)
VALUE(value_of_none, "newton", .name = "zz", .number = 1)
VALUE(value_nameless, "moreau", .number = 1)
VALUE(value_above, "moreau", .name = "restitution", .number = 2)
VALUE(value_below, "moreau", .name = "restitution", .number = -1)
VALUE(value_nan, "moreau", .name = "restitution", .number = NAN)
VALUE(value_as_matrix, "moreau", .name = "restitution", .kind = CAROM_PARAMETER_MATRIX)
VALUE(value_kind, "moreau", .name = "restitution", .kind = (carom_parameter_kind)77, .number = 1)
VALUE(choice_unknown, "path", .name = "stop", .text = "strong")
VALUE(choice_part, "path", .name = "stop", .text = "newt")
VALUE(choice_empty, "path", .name = "stop", .text = "")
VALUE(choice_absent, "path", .name = "stop")
VALUE(solver_unknown, "newton", .name = "solver", .text = "fast")
VALUE(matrix_absent, "matrix", .name = "E", .rows = 1, .columns = 1)
VALUE(matrix_empty, "matrix", .name = "E", .numbers = two_by_two)
VALUE(matrix_negative, "matrix", .name = "E", .rows = -1, .columns = -1, .numbers = two_by_two)
VALUE(matrix_oblong, "matrix", .name = "E", .rows = 1, .columns = 2, .numbers = two_by_two)
VALUE(matrix_not_finite, "matrix", .name = "E", .rows = 1, .columns = 1, .numbers = not_finite)
VALUE(order_absent, "sequential", .name = "order", .rows = 1, .columns = 1)
VALUE(order_of_nothing, "sequential", .name = "order", .rows = 1, .columns = 1, .words = no_word)

static carom_status own_law(carom_law law, carom_error *e)
{
    carom_impact i = ball();
    carom_contact c = carom_contact_default();
    carom_geometry g;
    carom_outcome o;
    c.law = &law;
    i.contacts = &c;
    carom_status status = carom_impact_derive(&i, arena, &g, e);
    return status
               ? status
               : carom_law_apply(&(carom_law){.ops = carom_law_find("newton")}, &g, arena, &o, e);
}

static carom_status own_misspelt(carom_error *e)
{
    return own_law((carom_law){.ops = carom_law_find("nwton")}, e);
}

static carom_status own_value(carom_error *e)
{
    carom_value value = {.name = "restitution", .number = 7};
    return own_law((carom_law){carom_law_find("moreau"), &value, 1}, e);
}

static carom_status promise_value(carom_error *e)
{
    carom_value value = {.name = "restitution", .number = 7};
    carom_law law = {carom_law_find("moreau"), &value, 1};
    carom_impact i = ball();
    carom_geometry g;
    carom_promise promise;
    carom_status status = carom_impact_derive(&i, arena, &g, e);
    return status ? CAROM_OK : carom_law_promise(&law, &g, arena, &promise, e);
}

static carom_status run_value(carom_error *e)
{
    const carom_scene_content *c = carom_scene_get(scene);
    carom_value value = {.name = "restitution", .number = 7};
    carom_law law = {carom_law_find("moreau"), &value, 1};
    return run(&law, &c->initial, c->run, e);
}

static carom_status choose_nothing(carom_error *e)
{
    carom_law law;
    return carom_law_choose("", &law, e);
}

/* One option of a run changed. */
#define OPTION(title, ...)                                                                         \
    static carom_status title(carom_error *e)                                                      \
    {                                                                                              \
        carom_flow_options o = *carom_scene_get(scene)->run;                                       \
        __VA_ARGS__;                                                                               \
        return run(NULL, &carom_scene_get(scene)->initial, &o, e);                                 \
    }

OPTION(run_backwards, o.until = -1)
OPTION(run_without_end, o.until = INFINITY)
OPTION(run_output, o.output = -1)
OPTION(run_output_nan, o.output = NAN)
OPTION(run_tolerance, o.tolerance = 0)
OPTION(run_rest, o.rest = 1)
OPTION(run_paradox, o.paradox = (carom_flow_paradox)77)
OPTION(run_events, o.max_events = -1)
OPTION(step_none, o.method = CAROM_FLOW_TIME_STEPPING)
OPTION(step_theta, o.method = CAROM_FLOW_TIME_STEPPING, o.step = 0.1, o.theta = 2)
OPTION(step_scheme, o.method = CAROM_FLOW_TIME_STEPPING, o.step = 0.1,
       o.scheme = (carom_flow_scheme)77)
OPTION(layer_none, o.method = CAROM_FLOW_BOUNDARY_LAYER)
OPTION(layer_metric, o.method = CAROM_FLOW_BOUNDARY_LAYER, o.width = 0.1,
       o.metric = (carom_layer_metric)77)

/* One property of the contact changed. */
#define CONTACT(title, ...)                                                                        \
    static carom_status title(carom_error *e)                                                      \
    {                                                                                              \
        carom_impact i = ball();                                                                   \
        carom_contact c = carom_contact_default();                                                 \
        __VA_ARGS__;                                                                               \
        i.contacts = &c;                                                                           \
        return derive(&i, e);                                                                      \
    }

CONTACT(contact_restitution, c.restitution = 2)
CONTACT(contact_restitution_nan, c.restitution = NAN)
CONTACT(contact_friction, c.friction_static = -1)
CONTACT(contact_friction_order, c.friction_dynamic = 1)
CONTACT(contact_stiffness, c.stiffness = 0)
CONTACT(contact_exponent, c.exponent = 0)
CONTACT(contact_slips, c.slip_count = 3)
CONTACT(contact_slips_negative, c.slip_count = -1)
CONTACT(contact_spreads_negative, c.spread_count = -1)
CONTACT(mass_negative, i.M = velocity)
CONTACT(mass_nan, i.M = not_finite)
CONTACT(velocity_nan, i.u = not_finite)
CONTACT(normal_nan, i.W = not_finite)

static carom_status world(carom_world_def w, carom_error *e)
{
    carom_system *made;
    return carom_system_bodies(&w, NULL, &made, NULL, e);
}

#define WORLD(title, ...)                                                                          \
    static carom_status title(carom_error *e)                                                      \
    {                                                                                              \
        carom_world_def w = carom_world_def_default(3);                                            \
        carom_body_def b = carom_body_def_default("b");                                            \
        carom_joint_def j = carom_joint_def_default("j", CAROM_JOINT_BALL);                        \
        carom_rope_def r = carom_rope_def_default("r", 0, CAROM_WORLD);                            \
        b.mass.mass = 1;                                                                           \
        b.mass.inertia[0] = b.mass.inertia[4] = b.mass.inertia[8] = 1;                             \
        w.bodies = &b;                                                                             \
        w.body_count = 1;                                                                          \
        j.parent = CAROM_WORLD;                                                                    \
        w.joints = &j;                                                                             \
        r.length = 1;                                                                              \
        w.ropes = &r;                                                                              \
        __VA_ARGS__;                                                                               \
        return world(w, e);                                                                        \
    }

WORLD(world_space, w.space = 4)
WORLD(world_bodies, w.bodies = NULL)
WORLD(world_negative, w.body_count = -1)
WORLD(world_joints, w.joints = NULL, w.joint_count = 1)
WORLD(world_ropes, w.ropes = NULL, w.rope_count = 1)
WORLD(world_pairs, w.pair_count = 1)
WORLD(world_instants, w.instant_count = 1)
WORLD(body_shapes, b.shape_count = 1)
WORLD(body_mass, b.mass.mass = NAN)
WORLD(joint_kind, j.kind = (carom_joint_kind)77, w.joint_count = 1)
WORLD(joint_body, j.child = 9, w.joint_count = 1)
WORLD(rope_body, r.b = 9, w.rope_count = 1)

static carom_status formulas(const carom_formulas *f, carom_error *e)
{
    carom_system *made;
    return carom_system_formulas(f, NULL, &made, e);
}

#define FORMULAS(title, ...)                                                                       \
    static carom_status title(carom_error *e)                                                      \
    {                                                                                              \
        carom_source q = {.text = "q"}, T = {.text = "q'^2/2"};                                    \
        carom_formulas f = {                                                                       \
            .coordinate_count = 1, .coordinates = &q, .kinetic_count = 1, .kinetic = &T};          \
        __VA_ARGS__;                                                                               \
        return formulas(&f, e);                                                                    \
    }

FORMULAS(formulas_coordinates, f.coordinates = NULL)
FORMULAS(formulas_coordinate, q.text = NULL)
FORMULAS(formulas_kinetic, f.kinetic = NULL)
FORMULAS(formulas_energy, T.text = NULL)
FORMULAS(formulas_none, f.coordinate_count = 0)
FORMULAS(formulas_negative, f.coordinate_count = -1)
FORMULAS(formulas_parameters, f.parameter_count = 1)
FORMULAS(formulas_definitions, f.definition_count = 1)
FORMULAS(formulas_potential, f.potential_count = 1)
FORMULAS(formulas_forces, f.force_count = 1)
FORMULAS(formulas_contacts, f.contact_count = 1)
FORMULAS(formulas_bilateral, f.bilateral_count = 1)
FORMULAS(formulas_permanent, f.permanent_count = 1)
FORMULAS(formulas_events, f.event_count = 1)
FORMULAS(formulas_region, f.region = &(carom_region){.group_count = 1})

static carom_status shape(carom_shape_def def, carom_error *e)
{
    carom_shape *made;
    return carom_shape_create(&def, NULL, &made, e);
}

static carom_status shape_kind(carom_error *e)
{
    return shape((carom_shape_def){.kind = (carom_shape_kind)77, .space = 3}, e);
}

static carom_status shape_space(carom_error *e)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_BOX);
    def.space = 9;
    return shape(def, e);
}

static carom_status shape_points(carom_error *e)
{
    carom_shape_def def = carom_shape_def_default(CAROM_SHAPE_HULL);
    def.point_count = 4;
    return shape(def, e);
}

static carom_status friction(carom_friction_problem p, carom_error *e)
{
    double r[3];
    return carom_friction_problem_solve(&p, NULL, arena, r, NULL, NULL, NULL, e);
}

static carom_status friction_absent(carom_error *e)
{
    return friction((carom_friction_problem){.contacts = 1, .dimension = 3}, e);
}

static carom_status friction_form(carom_error *e)
{
    double q[3] = {-1, 0, 0}, mu[1] = {1};
    return friction(
        (carom_friction_problem){
            .contacts = 1, .dimension = 3, .q = q, .mu = mu, .form = (carom_friction_form)77},
        e);
}

static carom_status friction_dimension(carom_error *e)
{
    double q[3] = {-1, 0, 0}, mu[1] = {1};
    return friction((carom_friction_problem){.contacts = 1, .dimension = 9, .q = q, .mu = mu}, e);
}

static carom_status friction_count(carom_error *e)
{
    return friction((carom_friction_problem){.contacts = -1, .dimension = 3}, e);
}

static carom_status lcp_algorithm(carom_error *e)
{
    double M[] = {1}, q[] = {-1}, z[1];
    return carom_lcp_solve(&(carom_lcp){.n = 1, .M = M, .q = q},
                           &(carom_lcp_options){.algorithm = (carom_lcp_algorithm)77}, arena, z,
                           NULL, NULL, e);
}

static carom_status lcp_count(carom_error *e)
{
    double z[1];
    return carom_lcp_solve(&(carom_lcp){.n = -1}, NULL, arena, z, NULL, NULL, e);
}

static carom_status rods(carom_rods r, carom_error *e)
{
    carom_rods_motion motion;
    return carom_rods_solve(&r, arena, &motion, e);
}

static carom_status rods_none(carom_error *e)
{
    return rods((carom_rods){0}, e);
}

static carom_status rods_joint(carom_error *e)
{
    carom_rod rod = carom_rod_default();
    carom_rods_joint joints[2] = {{.kind = (carom_rods_joint_kind)77}, {.kind = CAROM_RODS_FREE}};
    return rods((carom_rods){.count = 1, .rods = &rod, .joints = joints}, e);
}

static carom_status cone_without_rows(carom_error *e)
{
    double x[2] = {1, 1};
    carom_projection answer;
    return carom_cone_project(&(carom_cone){.n = 2, .p = 1}, x, arena, &answer, e);
}

static carom_status batch_axes(carom_error *e)
{
    carom_impact i = ball();
    carom_law newton = {.ops = carom_law_find("newton")};
    return carom_batch_apply(&(carom_batch){.impact = &i, .law = &newton, .axes = 99},
                             &(carom_batch_output){0}, e);
}

static carom_status batch_misspelt_law(carom_error *e)
{
    carom_impact i = ball();
    carom_law none = {.ops = carom_law_find("nwton")};
    return carom_batch_apply(&(carom_batch){.impact = &i, .law = &none}, &(carom_batch_output){0},
                             e);
}

static carom_status orbit(carom_orbit_problem problem, carom_error *e)
{
    carom_orbit made = {0};
    problem.system = carom_scene_get(scene)->system;
    problem.options = *carom_scene_get(scene)->run;
    return carom_orbit_guess(&problem, &carom_scene_get(scene)->initial, arena, &made, e);
}

static carom_status orbit_contact(carom_error *e)
{
    return orbit((carom_orbit_problem){.contact = 9, .event = -1, .periods = 1, .horizon = 9}, e);
}

static carom_status orbit_event(carom_error *e)
{
    return orbit((carom_orbit_problem){.contact = -1, .event = 9, .periods = 1, .horizon = 9}, e);
}

static carom_status system_without_functions(carom_error *e)
{
    carom_system *made;
    return carom_system_create(&(carom_system_ops){.name = "mine"}, NULL,
                               &(carom_system_shape){.n = 1, .nq = 1}, NULL, &made, e);
}

static carom_status system_without_size(carom_error *e)
{
    carom_system *made;
    return carom_system_create(&(carom_system_ops){.name = "mine"}, NULL, &(carom_system_shape){0},
                               NULL, &made, e);
}

static carom_status check_nothing(carom_error *e)
{
    carom_check_answer answer;
    return carom_check(&(carom_check_request){0}, arena, &answer, e);
}

static carom_status trace_of_nothing(carom_error *e)
{
    carom_trace_writer *writer;
    return carom_trace_create(NULL, false, &(carom_trace_header){0}, NULL, &writer, e);
}

#define CASES(X)                                                                                   \
    X(no_mass)                                                                                     \
    X(no_velocity)                                                                                 \
    X(no_normals)                                                                                  \
    X(no_statement)                                                                                \
    X(negative_sizes)                                                                              \
    X(no_slips)                                                                                    \
    X(many_spreads)                                                                                \
    X(empty_region)                                                                                \
    X(no_joint_rows)                                                                               \
    X(misspelt_law)                                                                                \
    X(nameless_law)                                                                                \
    X(no_law)                                                                                      \
    X(empty_ops)                                                                                   \
    X(values_without_list)                                                                         \
    X(run_misspelt_law)                                                                            \
    X(run_unknown_method)                                                                          \
    X(run_no_start)                                                                                \
    X(run_empty_start)                                                                             \
    X(run_no_options)                                                                              \
    X(run_zero_options)                                                                            \
    X(run_no_system)                                                                               \
    X(scene_no_text)                                                                               \
    X(scene_no_path)                                                                               \
    X(scene_sets_without_list)                                                                     \
    X(scene_no_law)                                                                                \
    X(copositive_without_matrix)                                                                   \
    X(p_matrix_without_matrix)                                                                     \
    X(lcp_without_matrix)                                                                          \
    X(trace_without_header)                                                                        \
    X(trace_without_system)                                                                        \
    X(trace_without_path)                                                                          \
    X(rods_without_rods)                                                                           \
    X(value_unknown)                                                                               \
    X(value_of_none)                                                                               \
    X(value_nameless)                                                                              \
    X(value_above)                                                                                 \
    X(value_below)                                                                                 \
    X(value_nan)                                                                                   \
    X(value_as_matrix)                                                                             \
    X(value_kind)                                                                                  \
    X(choice_unknown)                                                                              \
    X(choice_part)                                                                                 \
    X(choice_empty)                                                                                \
    X(choice_absent)                                                                               \
    X(solver_unknown)                                                                              \
    X(matrix_absent)                                                                               \
    X(matrix_empty)                                                                                \
    X(matrix_negative)                                                                             \
    X(matrix_oblong)                                                                               \
    X(matrix_not_finite)                                                                           \
    X(order_absent)                                                                                \
    X(order_of_nothing)                                                                            \
    X(own_misspelt)                                                                                \
    X(own_value)                                                                                   \
    X(promise_value)                                                                               \
    X(run_value)                                                                                   \
    X(choose_nothing)                                                                              \
    X(run_backwards)                                                                               \
    X(run_without_end)                                                                             \
    X(run_output)                                                                                  \
    X(run_output_nan)                                                                              \
    X(run_tolerance)                                                                               \
    X(run_rest)                                                                                    \
    X(run_paradox)                                                                                 \
    X(run_events)                                                                                  \
    X(step_none)                                                                                   \
    X(step_theta)                                                                                  \
    X(step_scheme)                                                                                 \
    X(layer_none)                                                                                  \
    X(layer_metric)                                                                                \
    X(contact_restitution)                                                                         \
    X(contact_restitution_nan)                                                                     \
    X(contact_friction)                                                                            \
    X(contact_friction_order)                                                                      \
    X(contact_stiffness)                                                                           \
    X(contact_exponent)                                                                            \
    X(contact_slips)                                                                               \
    X(contact_slips_negative)                                                                      \
    X(contact_spreads_negative)                                                                    \
    X(mass_negative)                                                                               \
    X(mass_nan)                                                                                    \
    X(velocity_nan)                                                                                \
    X(normal_nan)                                                                                  \
    X(world_space)                                                                                 \
    X(world_bodies)                                                                                \
    X(world_negative)                                                                              \
    X(world_joints)                                                                                \
    X(world_ropes)                                                                                 \
    X(world_pairs)                                                                                 \
    X(world_instants)                                                                              \
    X(body_shapes)                                                                                 \
    X(body_mass)                                                                                   \
    X(joint_kind)                                                                                  \
    X(joint_body)                                                                                  \
    X(rope_body)                                                                                   \
    X(formulas_coordinates)                                                                        \
    X(formulas_coordinate)                                                                         \
    X(formulas_kinetic)                                                                            \
    X(formulas_energy)                                                                             \
    X(formulas_none)                                                                               \
    X(formulas_negative)                                                                           \
    X(formulas_parameters)                                                                         \
    X(formulas_definitions)                                                                        \
    X(formulas_potential)                                                                          \
    X(formulas_forces)                                                                             \
    X(formulas_contacts)                                                                           \
    X(formulas_bilateral)                                                                          \
    X(formulas_permanent)                                                                          \
    X(formulas_events)                                                                             \
    X(formulas_region)                                                                             \
    X(shape_kind)                                                                                  \
    X(shape_space)                                                                                 \
    X(shape_points)                                                                                \
    X(friction_absent)                                                                             \
    X(friction_form)                                                                               \
    X(friction_dimension)                                                                          \
    X(friction_count)                                                                              \
    X(lcp_algorithm)                                                                               \
    X(lcp_count)                                                                                   \
    X(rods_none)                                                                                   \
    X(rods_joint)                                                                                  \
    X(cone_without_rows)                                                                           \
    X(batch_axes)                                                                                  \
    X(batch_misspelt_law)                                                                          \
    X(orbit_contact)                                                                               \
    X(orbit_event)                                                                                 \
    X(system_without_functions)                                                                    \
    X(system_without_size)                                                                         \
    X(check_nothing)                                                                               \
    X(trace_of_nothing)

/* What a case's process ends with; sanitizers end theirs with 1. */
enum { REFUSED = 0, ACCEPTED = 101, SILENT, DIFFERENT };

/* An error with a text, and the same status where nobody asks for the text? */
static int try(misuse which)
{
    carom_error error = {0};
    carom_status status = which(&error);
    if (status >= 0)
        return ACCEPTED;
    if (!error.text[0] || error.status != status)
        return SILENT;
    return which(NULL) == status ? REFUSED : DIFFERENT;
}

static void test_cases(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        misuse which;
    } cases[] = {
#define ENTRY(name) {#name, name},
        CASES(ENTRY)
#undef ENTRY
    };
    int bad = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int ended = 0;
        pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL); /* a crash is this child's, not the test's */
            _exit(try(cases[k].which));
        }
        waitpid(child, &ended, 0);
        int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
        if (code == REFUSED)
            continue;
        bad++;
        print_error("%s: %s\n", cases[k].name,
                    code == ACCEPTED    ? "accepted"
                    : code == SILENT    ? "an error without a text or status"
                    : code == DIFFERENT ? "another status without an error to fill"
                                        : "crashed");
    }
    assert_int_equal(bad, 0);
}

/* NULL is allowed where it says so. */
static void test_nothing(void **state)
{
    (void)state;
    carom_scene_destroy(NULL);
    carom_arena_destroy(NULL);
    carom_trace_destroy(NULL);
    carom_system_destroy(NULL);
    assert_null(carom_law_find(NULL));
    assert_null(carom_law_find(""));
    carom_arena_rewind(arena, (carom_mark){0});
    carom_scene_key key;
    assert_int_equal(carom_scene_map_keys(&(carom_scene_map){0}, 1, &key), 0);
}

static int open_all(void **state)
{
    (void)state;
    return carom_arena_create(NULL, &arena, NULL) ||
           carom_scene_read_text(text, sizeof text - 1, NULL, &scene, NULL);
}

static int close_all(void **state)
{
    (void)state;
    carom_scene_destroy(scene);
    carom_arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
