/* What a caller can leave out or get wrong: NULL where something is needed, numbers out of range, a
 * misspelt law. Every case is an error with a text, none a crash. Each runs in a process of its
 * own, so that the list of failures is whole. */
#include "carom/carom.h"
#include "carom/io.h"
#include "check.h"

#include <limits.h>
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
    X(rods_without_rods)

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
        if (child == 0)
            _exit(try(cases[k].which));
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
