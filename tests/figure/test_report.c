/* Reports: well-formed, self-contained, the same every time, safe with hostile names, and without
 * leaks when memory ends. The geometry of the pictures is checked against the statement. */
#include "carom/io.h"
#include "check.h"
#include "check_memory.h"
#include "pictures/page.h"
#include "pictures/plane_cone.h"
#include "pictures/velocity_view.h"

#include <stdlib.h>

typedef struct bench {
    carom_scene *scene;
    carom_arena *arena;
    carom_geometry geometry;
    carom_law laws[64];
    carom_outcome outcomes[64];
    carom_report_entry entries[64];
    const char *coordinates[64], *contacts[96];
    char names[96][8];
    carom_certificates certificates;
    carom_report_impact report;
} bench;

static bench *open_bench(const char *text)
{
    bench *b = calloc(1, sizeof *b);
    carom_error error = {0};
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &b->scene, &error), &error);
    check_ok(carom_arena_create(NULL, &b->arena, &error), &error);
    const carom_scene_content *content = carom_scene_get(b->scene);
    const carom_impact *impact = content->impact;
    check_ok(carom_impact_derive(impact, b->arena, &b->geometry, &error), &error);
    int count = 0;
    for (int k = 0; k < carom_law_count(); k++, count++) {
        b->laws[count] = (carom_law){.ops = carom_law_at(k)};
        check_ok(
            carom_law_apply(&b->laws[count], &b->geometry, b->arena, &b->outcomes[count], &error),
            &error);
        b->entries[count] = (carom_report_entry){b->laws[count].ops->name, &b->laws[count],
                                                 &b->outcomes[count], "a <promise> & more"};
    }
    for (int i = 0; i < impact->n; i++)
        b->coordinates[i] =
            impact->coordinates && impact->coordinates[i] ? impact->coordinates[i] : "u";
    for (int i = 0; i < impact->p; i++)
        b->contacts[i] = impact->contacts[i].name ? impact->contacts[i].name : "c";
    check_ok(
        carom_certify_restitution(&b->geometry, NULL, NULL, b->arena, &b->certificates, &error),
        &error);
    b->report = (carom_report_impact){.title = content->title,
                                      .source = "a<b>.yaml",
                                      .geometry = &b->geometry,
                                      .coordinates = b->coordinates,
                                      .contacts = b->contacts,
                                      .count = count,
                                      .entries = b->entries,
                                      .certificates = &b->certificates};
    return b;
}

static void close_bench(bench *b)
{
    carom_arena_destroy(b->arena);
    carom_scene_destroy(b->scene);
    free(b);
}

static char *write_page(const bench *b)
{
    carom_error error = {0};
    char *text = NULL;
    size_t size = 0;
    check_ok(carom_report_impact_write(&b->report, NULL, &text, &size, &error), &error);
    assert_int_equal(strlen(text), size);
    return text;
}

/* Every element that is opened is closed, in order; attributes are quoted. */
static void check_tags(const char *text)
{
    char stack[64][16];
    int depth = 0;
    assert_memory_equal(text, "<!DOCTYPE html>", 15);
    for (const char *at = text + 15; (at = strchr(at, '<'));) {
        const char *end = at + 1;
        bool quoted = false;
        for (; *end && (quoted || *end != '>'); end++) {
            quoted ^= *end == '"';
            assert_true(quoted || *end != '<');
        }
        assert_true(*end == '>');
        bool closing = at[1] == '/', empty = end[-1] == '/';
        char name[16] = "";
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1 + closing, " >/\n"),
                 at + 1 + closing);
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(stack[--depth], name);
        } else if (!empty && strcmp(name, "meta") != 0 && strcmp(name, "br") != 0 &&
                   strcmp(name, "wbr") != 0) {
            assert_true(depth < 64);
            snprintf(stack[depth++], sizeof *stack, "%s", name);
        }
        at = end + 1;
        if (!closing && strcmp(name, "style") == 0)
            at = strstr(at, "</style");
    }
    assert_int_equal(depth, 0);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* Nothing is loaded, no numbers are broken, ids are unique. */
static void check_contained(const char *text)
{
    static const char *const forbidden[] = {
        "<script", "<link", "<img",  "<iframe",     "src=",  "@import", "url(",
        "onload",  "nan",   "inf\"", "javascript:", "xlink", "\"-0\""};
    for (size_t k = 0; k < sizeof forbidden / sizeof *forbidden; k++)
        if (strstr(text, forbidden[k])) {
            print_error("the page holds %s: %.80s\n", forbidden[k], strstr(text, forbidden[k]));
            fail();
        }
    assert_int_equal(count_of(text, "http"),
                     count_of(text, "xmlns=\"http://www.w3.org/2000/svg\""));
    for (const char *at = text; (at = strstr(at, " id=\"")); at++) {
        char id[64];
        snprintf(id, sizeof id, "%.*s", (int)strcspn(at + 5, "\"") + 6, at);
        assert_int_equal(count_of(text, id), 1);
    }
    assert_int_equal(count_of(text, "role=\"img\""), count_of(text, "</title>\n<desc>"));
}

static void check_scene_page(const char *scene)
{
    bench *b = open_bench(scene);
    char *first = write_page(b), *second = write_page(b);
    check_tags(first);
    check_contained(first);
    assert_string_equal(first, second);
    free(first);
    free(second);
    close_bench(b);
}

#define IMPACT(body) "carom: 1\ntitle: t\nimpact:\n" body

static const char three_balls[] = IMPACT("  mass: [1, 1, 1]\n  velocity: [1, 0, 0]\n  contacts:\n"
                                         "    - {name: ab, normal: [-1, 1, 0], restitution: 1}\n"
                                         "    - {name: bc, normal: [0, -1, 1], restitution: 1}\n");

static const char *const scenes[] = {
    three_balls,
    /* one direction */
    IMPACT("  mass: [2]\n  velocity: [-1]\n  contacts: [{normal: [1], motion: -0.5}]\n"),
    /* friction in the plane and in space */
    IMPACT("  mass: [1, 1]\n  velocity: [1, -1]\n  contacts: [{normal: [0, 1], slip: [1, 0], "
           "friction: 0.3, restitution: 0.5}]\n"),
    IMPACT("  mass: [1, 1]\n  velocity: [1, -1]\n  contacts: [{normal: [0, 1], slip: [1, 0], "
           "friction: inf}]\n"),
    IMPACT("  mass: [1, 1, 1]\n  velocity: [1, 0.5, -1]\n  contacts: [{normal: [0, 0, 1], slip: "
           "[[1, 0, 0], [0, 1, 0]], friction: 0.3, restitution: 0.5}]\n"),
    /* three walls, and five contacts of which some depend on others */
    IMPACT("  mass: [1, 2, 3]\n  velocity: [-1, -0.5, -0.2]\n  contacts: [{normal: [1, 0, 0]}, "
           "{normal: [0, 1, 0], restitution: 0.5}, {normal: [0, 0, 1], restitution: 1}]\n"),
    IMPACT("  mass: [1, 1, 1, 1]\n  velocity: [-1, -0.5, -0.2, 1]\n  contacts: [{normal: [1, 0, 0, "
           "0]}, {normal: [0, 1, 0, 0]}, {normal: [1, 1, 0, 0]}, {normal: [0, 0, 1, 0]}, {normal: "
           "[0, 0, 1, 1]}]\n"),
    /* second-order cones of one, two and three rows */
    IMPACT("  mass: [1, 1, 1]\n  velocity: [1, 0, -0.5]\n  contacts: [{normal: [0, 0, 1], spread: "
           "[[1, 0, 0]]}]\n"),
    IMPACT("  mass: [2, 2, 2]\n  velocity: [1, 0, -0.5]\n  contacts: [{normal: [0, 0, 1], spread: "
           "[[1, 0, 0], [0, 1, 0]], restitution: 0.5}]\n"),
    IMPACT("  mass: [1, 1, 1, 1]\n  velocity: [1, 0, 0, -0.5]\n  contacts: [{normal: [0, 0, 0, 1], "
           "spread: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}]\n"),
    /* a re-entrant corner */
    IMPACT("  mass: [1, 1]\n  velocity: [-0.6, -1]\n  contacts: [{normal: [0, 1]}, {normal: [1, "
           "-0.2]}]\n  region: any\n"),
    /* joints, and rolling */
    IMPACT("  mass: [1, 2, 3]\n  velocity: [-1, -1, 0]\n  contacts: [{normal: [1, 0, 0]}]\n"
           "  bilateral: [{row: [1, -1, 0]}]\n  permanent: [{row: [0, 0, 1]}]\n"),
    /* at rest; leaving; a full mass matrix; extreme scales */
    IMPACT(
        "  mass: [1, 1]\n  velocity: [0, 0]\n  contacts: [{normal: [0, 1]}, {normal: [1, 0]}]\n"),
    IMPACT(
        "  mass: [1, 1]\n  velocity: [1, 2]\n  contacts: [{normal: [0, 1]}, {normal: [1, 0]}]\n"),
    IMPACT("  mass: [[2, 1], [1, 3]]\n  velocity: [-1, 2]\n  contacts: [{normal: [1, 0]}, {normal: "
           "[1, -1]}]\n"),
    IMPACT("  mass: [1e9, 1e-9]\n  velocity: [-1e-6, -1e6]\n  contacts: [{normal: [1, 0]}, "
           "{normal: [1e-3, 1]}]\n"),
};

/* What the library types in ASCII, and how a page sets it. */
static void test_mathematics(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"proved for 0 <= e <= 1: loses energy", "proved for 0 ≤ <i>e</i> ≤ 1: loses energy"},
        {"G^-1(I+E) is negative", "<i>G</i><sup>−1</sup>(<i>I</i>+<i>E</i>) is negative"},
        {"v+ = -E v- here", "<i>v</i><sup>+</sup> = −<i>E</i> <i>v</i><sup>−</sup> here"},
        {"|E'G^-1E|_2 < 1/lambda_max(G)",
         "|<i>E</i><sup>T</sup><i>G</i><sup>−1</sup><i>E</i>|<sub>2</sub> &lt; "
         "1/<i>λ</i><sub>max</sub>(<i>G</i>)"},
        {"|E|_F^2", "|<i>E</i>|<sub>F</sub><sup>2</sup>"},
        {"(G - n'H_T mu_bar)^-1",
         "(<i>G</i> − <i>n</i><sup>T</sup><i>H</i><sub>T</sub> <i>μ̄</i>)<sup>−1</sup>"},
        {"small v_t-, friction", "small <i>v</i><sub>t</sub><sup>−</sup>, friction"},
        {"E is p x p, 2 x 3", "<i>E</i> is <i>p</i> × <i>p</i>, 2 × 3"},
        {"F = k delta^eta", "<i>F</i> = <i>k</i> <i>δ</i><sup>η</sup>"},
        {"Newton's law, a contact, left_foot and b2", "Newton's law, a contact, left_foot and b2"},
        {"re-entrant corners; well-known", "re-entrant corners; well-known"},
        {"use `a <= b` so", "use <code>a &lt;= b</code> so"},
        {"sqrt(2) x", "√(2) <i>x</i>"},
    };
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        carom_page page = {0};
        carom_page_prose(&page, pairs[k][0]);
        assert_string_equal(page.out.text, pairs[k][1]);
        carom_page_destroy(&page);
    }
    carom_page page = {0};
    carom_page_name(&page, "coulomb:form=a<b");
    assert_string_equal(page.out.text, "coulomb:<wbr>form=<wbr>a&lt;b");
    carom_page_destroy(&page);
}

/* Laws that agree share a row; velocities stand before verdicts. */
static void test_groups(void **state)
{
    (void)state;
    bench *b = open_bench(three_balls);
    char *text = write_page(b);
    const char *row = strstr(text, "class=\"laws\">newton, moreau, poisson, matrix, implicit, ");
    assert_non_null(row);
    assert_memory_equal(strstr(row, "<td"), "<td class=\"n\">−0.333333</td>", 30);
    const char *end = strstr(text, "</table>");
    int rows = 0;
    for (const char *at = text; (at = strstr(at, "<tr><td class=\"m\"><b>")) && at < end; at++)
        rows++;
    assert_int_equal(rows, 6);
    assert_true(strstr(text, "energy change</th>") < strstr(text, ">kinematic</th>"));
    free(text);
    close_bench(b);
}

static void test_scenes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        check_scene_page(scenes[k]);
}

static void test_axes(void **state)
{
    (void)state;
    bench *b = open_bench(three_balls);
    for (int count = 2; count <= 3; count++) {
        b->report.axis_count = count;
        for (int k = 0; k < count; k++)
            b->report.axes[k] = 2 - k;
        char *text = write_page(b);
        check_tags(text);
        check_contained(text);
        free(text);
    }
    close_bench(b);
}

static void test_hostile_names(void **state)
{
    (void)state;
    bench *b = open_bench("carom: 1\ntitle: '</title><script>alert(1)</script> & \"x\" _a^b`'\n"
                          "impact:\n  coordinates: ['<b>x', 'y&amp;_1']\n  mass: [1, 1]\n"
                          "  velocity: [-1, -2]\n  contacts:\n"
                          "    - {name: '<i>w\"all', normal: [1, 0]}\n"
                          "    - {name: 'a&b_very_long_name_of_a_contact_that_goes_on_and_on_and_on"
                          "', normal: [0, 1]}\n");
    char *text = write_page(b);
    check_tags(text);
    check_contained(text);
    assert_non_null(
        strstr(text, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot; _a^b`"));
    assert_non_null(strstr(text, "y&amp;amp;_1"));
    assert_non_null(strstr(text, "a&lt;b&gt;.yaml"));
    assert_null(strstr(text, "<b>x"));
    free(text);
    close_bench(b);
}

static void test_text_that_is_not_utf8(void **state)
{
    (void)state;
    carom_page page;
    char *text;
    size_t size;
    carom_page_begin(&page, NULL, "a\xFF\xC0\x80\xED\xA0\x80\x01z\xE2\x82\xAC\xF0\x9F\x98\x80");
    assert_int_equal(carom_page_finish(&page, &text, &size, NULL), CAROM_OK);
    assert_non_null(strstr(text, "<h1>a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                 "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\xE2\x82\xAC"
                                 "\xF0\x9F\x98\x80</h1>"));
    free(text);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {-1.5, "\xE2\x88\x92"
                        "1.5"},
                 {1e-7, "10<sup>\xE2\x88\x92"
                        "7</sup>"},
                 {-2.5e12, "\xE2\x88\x92"
                           "2.5\xC2\xB7"
                           "10<sup>12</sup>"},
                 {NAN, "\xE2\x80\x93"},
                 {INFINITY, "\xE2\x88\x9E"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        carom_page page = {0};
        carom_page_number(&page, cases[k].value, 6);
        assert_string_equal(page.out.text, cases[k].text);
        carom_page_destroy(&page);
    }
}

static void test_prose(void **state)
{
    (void)state;
    carom_page page = {0};
    carom_page_prose(&page, "a `<b>` and ` alone, `");
    carom_page_prose(&page, NULL);
    carom_page_prose(&page, "one `");
    assert_string_equal(page.out.text, "a <code>&lt;b&gt;</code> and <code> alone, </code>one `");
    carom_page_destroy(&page);
}

/* Pages are written or refused as memory allows; nothing is lost. */
static void test_out_of_memory(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k += 3) {
        bench *b = open_bench(scenes[k]);
        carom_status status = CAROM_ERROR_MEMORY;
        char *expected = write_page(b);
        for (int limit = 0; status != CAROM_OK && limit < 2000; limit++) {
            check_memory l = {.fail_at = limit, .onwards = true};
            const carom_allocator allocator = {check_memory_resize, &l};
            char *text = NULL;
            size_t size = 0;
            carom_error error = {0};
            status = carom_report_impact_write(&b->report, &allocator, &text, &size, &error);
            assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
            if (status == CAROM_OK) {
                assert_string_equal(text, expected);
                check_memory_resize(&l, text, 0);
            }
            assert_int_equal(l.live, 0);
        }
        assert_int_equal(status, CAROM_OK);
        free(expected);
        close_bench(b);
    }
}

/* Random impacts: the slice is orthonormal, distances are kinetic norms, T agrees with the normal
 * velocities, and an exact slice holds every outcome of the frictionless laws. */
static void test_view(void **state)
{
    (void)state;
    check_random random = {7};
    for (int round = 0; round < 120; round++) {
        int n = 1 + check_random_int(&random, 4), p = 1 + check_random_int(&random, 3);
        char text[2048];
        int used = snprintf(text, sizeof text, IMPACT("  mass: ["));
        for (int i = 0; i < n; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%.3f", i ? ", " : "",
                             check_random_in(&random, 0.1, 3));
        used += snprintf(text + used, sizeof text - (size_t)used, "]\n  velocity: [");
        for (int i = 0; i < n; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%.3f", i ? ", " : "",
                             check_random_in(&random, -1, 1));
        used += snprintf(text + used, sizeof text - (size_t)used, "]\n  contacts:\n");
        for (int c = 0; c < p; c++) {
            used += snprintf(text + used, sizeof text - (size_t)used, "    - {normal: [");
            for (int i = 0; i < n; i++)
                used += snprintf(text + used, sizeof text - (size_t)used, "%s%.3f", i ? ", " : "",
                                 0.05 + check_random_in(&random, -1, 1));
            used += snprintf(text + used, sizeof text - (size_t)used, "]}\n");
        }
        bench *b = open_bench(text);
        const carom_geometry *g = &b->geometry;
        for (int most = 2; most <= 3; most++) {
            carom_velocity_view view;
            carom_error error = {0};
            check_ok(carom_velocity_view_choose(&b->report, most, b->arena, &view, &error), &error);
            assert_true(view.k >= 1 && view.k <= most);
            for (int i = 0; i < view.k; i++)
                for (int j = 0; j < view.k; j++)
                    check_close(carom_geometry_dot(g, view.basis + i * n, view.basis + j * n),
                                i == j, 1e-10);
            double u[4], c[3] = {0}, gamma[3];
            for (int i = 0; i < n; i++)
                u[i] = g->b[i] + view.x_0[i];
            for (int j = 0; j < view.k; j++) {
                double step = check_random_in(&random, -1, 1);
                for (int i = 0; i < n; i++)
                    u[i] += step * view.basis[i + j * n];
                c[j] = step;
            }
            double place[3] = {0};
            check_close(carom_velocity_view_place(&view, u, place), 0, 1e-6);
            check_vector(place, c, view.k, 1e-9);
            carom_geometry_normal_velocity(g, u, gamma);
            for (int h = 0; h < view.count; h++) {
                double slack = -view.T[h].bound;
                for (int j = 0; j < view.k; j++)
                    slack += view.T[h].normal[j] * c[j];
                if (fabs(slack) > 1e-9)
                    assert_int_equal(slack > 0, gamma[view.T[h].contact] > 0);
            }
            for (int e = 0; e < b->report.count && view.exact; e++)
                if (b->outcomes[e].answer == CAROM_ANSWER_OK)
                    check_close(carom_velocity_view_place(&view, b->outcomes[e].u, place), 0, 1e-6);
        }
        close_bench(b);
    }
}

/* The cone of impulses in the plane, by generators and by membership, agree. */
static void test_plane_cone(void **state)
{
    (void)state;
    bench *b = open_bench(three_balls);
    carom_velocity_view view;
    carom_admissible set;
    carom_plane_cone generated, asked;
    carom_error error = {0};
    double work[16];
    check_ok(carom_velocity_view_choose(&b->report, 2, b->arena, &view, &error), &error);
    check_ok(carom_admissible_make(&b->geometry, b->arena, &set, &error), &error);
    generated = carom_plane_cone_generate(view.normals, view.N, work);
    check_ok(carom_plane_cone_ask(&view, &set, b->arena, &asked, &error), &error);
    assert_int_equal(generated.shape, CAROM_PLANE_SECTOR);
    assert_int_equal(asked.shape, CAROM_PLANE_SECTOR);
    check_close(asked.to - asked.from, generated.to - generated.from, 1e-5);
    check_close(generated.to - generated.from, 2 * CAROM_PI / 3, 1e-12); /* G_12 = -1/2 */
    check_close(remainder(asked.from - generated.from, 2 * CAROM_PI), 0, 1e-5);
    /* the outline of S lies in S */
    double outline[2 * 60];
    check_ok(carom_plane_cone_outline(&view, &set, 60, outline, b->arena, &error), &error);
    for (int k = 0; k < 60; k++) {
        double u[3];
        carom_membership known;
        for (int i = 0; i < 3; i++)
            u[i] = b->geometry.b[i] + view.x_0[i] + outline[2 * k] * view.basis[i] +
                   outline[2 * k + 1] * view.basis[3 + i];
        check_ok(carom_admissible_contains(&set, u, 1e-6, b->arena, &known, &error), &error);
        assert_true(known.inside);
    }
    close_bench(b);
}

static const char ball[] = "carom: 1\ntitle: ball <1>\nparameters: {g: 9.81}\nsystem:\n"
                           "  coordinates: [y]\n  kinetic: 1/2*y'^2\n  potential: g*y\n"
                           "  contacts: {floor: {gap: y, restitution: 0.8}}\n"
                           "initial: {y: 1}\nlaw: newton\nrun: {until: 3, output: 0.01}\n"
                           "draw: [{circle: [0, y], radius: 0.1, label: a <b>}, "
                           "{line: [-1, 0, 1, 0]}]\n";

/* A motion and its page. */
static carom_status write_motion(carom_scene *scene, const carom_flow_result *result,
                                 const carom_trace *trace, const carom_allocator *allocator,
                                 char **text, size_t *size)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_report_motion report = {.title = content->title,
                                        .source = "ball.yaml",
                                        .file = "a&b.h5",
                                        .system = content->system,
                                        .law = content->law,
                                        .options = content->run,
                                        .result = result,
                                        .trace = trace,
                                        .shapes = scene,
                                        .scene = {.text = content->text}};
    return carom_report_motion_write(&report, allocator, text, size, NULL);
}

static void test_motion(void **state)
{
    (void)state;
    carom_scene *scene;
    carom_arena *arena;
    carom_trace trace;
    carom_trace_writer *writer;
    carom_flow_result result;
    carom_error error = {0};
    char *text = NULL;
    size_t size = 0;
    check_ok(carom_scene_read_text(ball, sizeof ball - 1, NULL, &scene, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_trace_header header = {
        .title = content->title, .system = content->system, .scene = scene};
    check_ok(carom_trace_keep(&header, 0, NULL, &trace, &writer, &error), &error);
    const carom_flow_observer observer = {
        .self = writer, .row = carom_trace_row, .impact = carom_trace_impact};
    check_ok(carom_flow_run(content->system, content->law, &content->initial, content->run,
                            &observer, arena, &result, &error),
             &error);
    check_ok(carom_trace_finish(writer, &result, NULL, &error), &error);
    check_ok(write_motion(scene, &result, &trace, NULL, &text, &size), &error);
    check_tags(text);
    check_contained(text);
    assert_non_null(strstr(text, "ball &lt;1&gt;"));
    assert_non_null(strstr(text, "a&amp;b.h5"));
    assert_non_null(strstr(text, "0.451523641"));
    /* the strobe picture first, the text of the scene last */
    assert_true(strstr(text, "<title>The motion</title>") < strstr(text, "id=\"summary\""));
    assert_true(strstr(text, "id=\"final\"") < strstr(text, "<pre "));
    carom_status status = CAROM_ERROR_MEMORY;
    for (int limit = 0; status != CAROM_OK && limit < 2000; limit++) {
        check_memory l = {.fail_at = limit, .onwards = true};
        const carom_allocator allocator = {check_memory_resize, &l};
        char *again = NULL;
        status = write_motion(scene, &result, &trace, &allocator, &again, &size);
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
        if (status == CAROM_OK) {
            assert_string_equal(text, again);
            check_memory_resize(&l, again, 0);
        }
        assert_int_equal(l.live, 0);
    }
    assert_int_equal(status, CAROM_OK);
    free(text);
    carom_trace_destroy(&trace);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mathematics),   cmocka_unit_test(test_groups),
        cmocka_unit_test(test_scenes),        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_text_that_is_not_utf8),
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_prose),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_view),
        cmocka_unit_test(test_plane_cone),    cmocka_unit_test(test_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
