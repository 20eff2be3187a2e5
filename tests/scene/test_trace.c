/* Traces: what was written is read back, in both formats; a killed run leaves a readable file. */
#include "carom/io.h"
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char scene_text[] = "carom: 1\n"
                                 "title: two balls\n"
                                 "system:\n"
                                 "  coordinates: [x, y]\n"
                                 "  kinetic: x'^2/2 + y'^2\n"
                                 "  potential: 9.81*(x + 2*y)\n"
                                 "  contacts:\n"
                                 "    floor: {gap: x, restitution: 0.5}\n"
                                 "    'a, \"b\"': {gap: y - x - 0.1, restitution: 0.8}\n"
                                 "initial: {x: 1, y: 2}\n"
                                 "run: {until: 2, output: 0.01}\n"
                                 "draw: [{circle: [0, x], radius: 0.05, label: ball}, "
                                 "{line: [-1, 0, 1, 0]}]\n";

static carom_scene *read_scene(void)
{
    carom_scene *scene;
    carom_error error = {0};
    check_ok(carom_scene_read_text(scene_text, sizeof scene_text - 1, NULL, &scene, &error),
             &error);
    return scene;
}

/* Kept beside the file, to compare. */
typedef struct memory {
    carom_trace_writer *writer;
    int signal_to; /* a pipe that is told of the first hundred rows, 0: none */
    long rows, impacts;
    double t[4096], x[4096], after[4096];
} memory;

static carom_status keep_row(void *self, const carom_flow_row *row, carom_error *error)
{
    memory *m = self;
    if (m->rows < 4096) {
        m->t[m->rows] = row->t;
        m->x[m->rows] = row->q[0];
    }
    m->rows++;
    if (m->rows == 100 && m->signal_to && write(m->signal_to, "!", 1) != 1)
        return CAROM_ERROR_OUTPUT;
    return carom_trace_row(m->writer, row, error);
}

static carom_status keep_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    memory *m = self;
    if (m->impacts < 4096)
        m->after[m->impacts] = impact->after[1];
    m->impacts++;
    return carom_trace_impact(m->writer, impact, error);
}

static void run(const char *path, double until, memory *m)
{
    carom_scene *scene = read_scene();
    const carom_scene_content *content = carom_scene_get(scene);
    carom_error error = {0};
    carom_arena *arena;
    carom_flow_result result;
    carom_flow_options options = *content->run;
    options.until = until;
    carom_trace_header header = {.title = content->title,
                                 .law = "newton",
                                 .method = "event-driven",
                                 .system = content->system,
                                 .scene = scene};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_trace_create(path, true, &header, NULL, &m->writer, &error), &error);
    carom_flow_observer observer = {.self = m, .row = keep_row, .impact = keep_impact};
    check_ok(carom_flow_run(content->system, NULL, &content->initial, &options, &observer, arena,
                            &result, &error),
             &error);
    unsigned long long hash = 0;
    check_ok(carom_trace_finish(m->writer, &result, &hash, &error), &error);
    assert_true(hash != 0);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

static void check_same(const carom_trace *trace, const memory *m)
{
    assert_int_equal(trace->rows, m->rows);
    assert_int_equal(trace->impacts, m->impacts);
    assert_true(m->rows > 100 && m->impacts > 5);
    assert_int_equal(trace->position.columns, 2);
    assert_string_equal(trace->position.names[1], "y");
    assert_string_equal(trace->velocity.names[1], "y'");
    assert_string_equal(trace->gap.names[1], "a, \"b\"");
    for (long k = 0; k < trace->rows; k++) {
        assert_true(trace->t[k] == m->t[k]);
        assert_true(trace->position.values[2 * k] == m->x[k]);
        assert_true(trace->gap.values[2 * k] == m->x[k]);
    }
    for (long k = 0; k < trace->impacts; k++)
        assert_true(trace->impact_after.values[2 * k + 1] == m->after[k]);
}

/* At an impact the ball is drawn where it is, and its height's rate jumps with its velocity. */
static void check_impact_drawing(const carom_trace *trace)
{
    assert_int_equal(trace->impact_draw.columns, 8);
    assert_int_equal(trace->impact_kick.columns, 8);
    for (long k = 0; k < trace->impacts; k++) {
        const double *before = trace->impact_before.values + 2 * k;
        const double *after = trace->impact_after.values + 2 * k;
        const double *kick = trace->impact_kick.values + 8 * k;
        assert_true(trace->impact_draw.values[8 * k + 1] == trace->impact_position.values[2 * k]);
        assert_true(fabs(kick[1] - (after[0] - before[0])) <= 1e-9);
        assert_true(kick[0] == 0 && kick[2] == 0 && kick[7] == 0);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    char folder[] = "carom-trace-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 2; k++) {
        static memory m;
        m = (memory){0};
        snprintf(path, sizeof path, "%s/%s", folder, k ? "a.csv" : "a.h5");
        run(path, 2, &m);
        carom_trace trace;
        carom_error error = {0};
        check_ok(carom_trace_read(path, NULL, &trace, &error), &error);
        check_same(&trace, &m);
        if (k == 0) {
            assert_string_equal(trace.title, "two balls");
            assert_non_null(strstr(trace.shapes, "\"circle\""));
            assert_int_equal(trace.draw.columns, 8);
            assert_true(trace.draw.values[1] == 1); /* the ball's height in the first row */
            check_impact_drawing(&trace);
        }
        carom_trace_destroy(&trace);
        unlink(path);
    }
    rmdir(folder);
}

static void test_not_a_trace(void **state)
{
    (void)state;
    carom_trace trace;
    carom_error error = {0};
    assert_int_equal(carom_trace_read("/nonexistent.h5", NULL, &trace, &error), CAROM_ERROR_FILE);
    char path[] = "carom-trace-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, "x,y\n1,2\n", 8) == 8);
    close(file);
    assert_int_equal(carom_trace_read(path, NULL, &trace, &error), CAROM_ERROR_FILE);
    unlink(path);
}

/* Killed at random moments: the file opens without repair and holds a beginning of the motion. */
static void test_killed_run(void **state)
{
    (void)state;
    char path[] = "carom-killed-XXXXXX";
    int file = mkstemp(path);
    close(file);
    for (int round = 0; round < 8; round++) {
        int ends[2];
        char told;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            static memory m;
            m.signal_to = ends[1];
            run(path, 1e6, &m);
            _exit(0);
        }
        assert_int_equal(read(ends[0], &told, 1), 1);
        close(ends[0]);
        close(ends[1]);
        nanosleep(&(struct timespec){0, 5000000 * round}, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        carom_trace trace;
        carom_error error = {0};
        check_ok(carom_trace_read(path, NULL, &trace, &error), &error);
        for (long k = 0; k < trace.rows; k++)
            check_close(trace.t[k], 0.01 * (double)k, 1e-9 * (1 + trace.t[k]));
        carom_trace_destroy(&trace);
    }
    unlink(path);
    char part[sizeof path + 5]; /* the copy a killed run was working on */
    snprintf(part, sizeof part, "%s.part", path);
    unlink(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_not_a_trace),
        cmocka_unit_test(test_killed_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
