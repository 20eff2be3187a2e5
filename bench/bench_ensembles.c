/* Many motions of one scene, and many impacts of five balls: steps and impacts a second, on one
 * core by the library, and on every device of OpenCL that is there. One line each, as rows of
 * bench/results.csv: task, case, engine, version, variant, seconds an impact, ...,
 * steps/s|impacts/s.
 *
 *     bench_ensembles [SCENES [MOTIONS [TIME]]]
 *
 * SCENES: the folder of scenes; MOTIONS: of a batch on a device (0: as many as it takes at once);
 * TIME: of each motion, in its own unit. Rates are over wall time, on processors over the time they
 * gave, starts and results included, the compiler of the device not. */
#include "device.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A scene, and the parameter that differs from motion to motion. */
typedef struct task {
    const char *what, *file, *parameter;
    double from, to, until;
} task;

static const task tasks[] = {
    {"impact oscillator", "impact_oscillator.yaml", "stop", 0.5, 1.5, 2000},
    {"ball on a table", "ball_on_table.yaml", "Gamma", 1.2, 1.4, 2000},
    {"Shaw and Holmes", "shaw_holmes.yaml", "w", 2.7, 2.8, 2000},
};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of a device wall time; of a processor that others use too the time it gave us, over its cores. */
static double spent_on(const carom_device_facts *facts, const double began[2])
{
    return facts->is_gpu ? seconds(CLOCK_MONOTONIC) - began[0]
                         : (seconds(CLOCK_PROCESS_CPUTIME_ID) - began[1]) / facts->units;
}

static double value_of(const task *t, long k, long count)
{
    return t->from + (t->to - t->from) * ((double)k + 0.5) / (double)count;
}

static carom_scene *read_scene(const char *folder, const task *t, double value, bool kernel)
{
    char path[1000], set[100];
    const char *sets[] = {set};
    const carom_scene_options options = {.sets = sets, .set_count = 1, .kernel = kernel};
    carom_scene *scene = NULL;
    carom_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, t->file);
    snprintf(set, sizeof set, "%s=%.17g", t->parameter, value);
    if (carom_scene_read_file(path, &options, &scene, &error)) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        exit(1);
    }
    return scene;
}

/* A row; names of devices may have commas. */
static void print_row(const char *what, const char *engine, const char *version,
                      const char *variant, double steps, double impacts, double spent)
{
    char name[200];
    snprintf(name, sizeof name, "%s", engine);
    for (char *c = name; *c; c++)
        *c = *c == ',' ? ';' : *c;
    printf("ensembles,%s,%s,%s,%s,%.3e,,,,,,ok,", what, name, version, variant, spent / impacts);
    if (steps > 0)
        printf("%.2e", steps / spent);
    printf("|%.2e\n", impacts / spent);
    fflush(stdout);
}

/* Steps of methods differ in length: periods of the drive do not. */
static void print_rates(const task *t, const char *who, const char *version, long motions,
                        double periods, double steps, double impacts, double spent)
{
    char variant[100];
    snprintf(variant, sizeof variant, "%ld motions; %.2f steps a period; %.2e periods/s", motions,
             steps / periods, periods / spent);
    print_row(t->what, who, version, variant, steps, impacts, spent);
}

static void run_core(const char *folder, const task *t, double until)
{
    enum { MOTIONS = 4, LONGER = 20 }; /* than on a device, where there are more of them */
    double steps = 0, impacts = 0, periods = 0, spent = 0;
    for (long k = 0; k < MOTIONS; k++) {
        carom_scene *scene = read_scene(folder, t, value_of(t, k, MOTIONS), false);
        const carom_scene_content *content = carom_scene_get(scene);
        carom_flow_options options = *content->run;
        carom_flow_result result;
        carom_arena *arena;
        carom_error error = {0};
        options.until = LONGER * until;
        options.output = 0;
        options.keep_impacts = 0;
        if (carom_arena_create(NULL, &arena, &error))
            exit(1);
        const double began = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (carom_flow_run(content->system, content->law, &content->initial, &options, NULL, arena,
                           &result, &error) < 0)
            fprintf(stderr, "%s\n", error.text);
        spent += seconds(CLOCK_PROCESS_CPUTIME_ID) - began;
        steps += (double)result.steps;
        impacts += (double)result.impact_count;
        periods += LONGER * until / content->period;
        carom_arena_destroy(arena);
        carom_scene_destroy(scene);
    }
    print_rates(t, "one core", "event-driven", MOTIONS, periods, steps, impacts, spent);
}

/* The starts differ in one parameter alone, and in what follows from it; scenes are read on a few
 * values only, so that reading is not what is measured. */
static void set_starts(cli_device *device, const char *folder, const task *t, long motions,
                       double until)
{
    enum { VALUES = 4096 };
    const long values = motions < VALUES ? motions : VALUES;
    for (long j = 0; j < values; j++) {
        carom_scene *scene = read_scene(folder, t, value_of(t, j, values), false);
        const carom_scene_content *content = carom_scene_get(scene);
        double parameters[64];
        for (int k = 0; k < content->parameter_count && k < 64; k++)
            parameters[k] = content->parameters[k].value;
        const cli_device_start start = {.t = content->initial.t,
                                        .until = until,
                                        .next = INFINITY,
                                        .period = content->period,
                                        .q = content->initial.q,
                                        .u = content->initial.u,
                                        .parameters = parameters,
                                        .contacts =
                                            carom_system_get_shape(content->system)->contacts};
        for (long k = j; k < motions; k += values)
            cli_device_set(device, k, &start);
        carom_scene_destroy(scene);
    }
}

static void run_device(const char *folder, const task *t, const carom_device_facts *facts,
                       long motions, double until)
{
    carom_scene *scene = read_scene(folder, t, t->from, true);
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    const cli_device_task asked = {.device = facts->name,
                                   .kernel = content->kernel,
                                   .n = shape->n,
                                   .p = shape->p,
                                   .parameters = content->parameter_count,
                                   .keep = CLI_DEVICE_CONTACT,
                                   .skip = LONG_MAX,
                                   .options = *content->run};
    cli_device *device = NULL;
    const double opened = seconds(CLOCK_MONOTONIC);
    if (!cli_device_open(&asked, &device)) {
        double steps = 0, impacts = 0;
        long ends[16] = {0};
        motions =
            motions > 0 && motions < cli_device_room(device) ? motions : cli_device_room(device);
        fprintf(stderr, "%s: compiled in %.1f s\n", t->file, seconds(CLOCK_MONOTONIC) - opened);
        set_starts(device, folder, t, motions, t->until / 1000);
        if (cli_device_run(device, motions, NULL,
                           NULL)) /* compilers may wait for the first launch */
            exit(1);
        set_starts(device, folder, t, motions, until);
        const double began[2] = {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
        if (cli_device_run(device, motions, NULL, NULL))
            exit(1);
        const double spent = spent_on(facts, began);
        for (long k = 0; k < motions; k++) {
            cli_device_motion m;
            cli_device_get(device, k, &m);
            steps += (double)m.steps;
            impacts += (double)m.impacts;
            ends[m.end & 15]++;
        }
        print_rates(t, facts->name, facts->version, motions,
                    (double)motions * until / content->period, steps, impacts, spent);
        if (ends[CLI_DEVICE_REACHED] < motions)
            fprintf(stderr, "%s: %ld motions did not reach their end\n", t->file,
                    motions - ends[CLI_DEVICE_REACHED]);
    }
    cli_device_close(device);
    carom_scene_destroy(scene);
}

/* Chains of five balls with the same masses and coefficients, velocities at random: the statement,
 * and room for the answers. */
typedef struct balls {
    long count;
    double *u, *after;
    carom_impact impact;
    carom_law law;
    carom_contact contacts[4];
    double mass[5], normals[20];
} balls;

static void make_balls(balls *b, long count)
{
    *b = (balls){.count = count, .law = {.ops = carom_law_find("newton")}};
    b->u = malloc((size_t)count * 5 * sizeof *b->u);
    b->after = malloc((size_t)count * 5 * sizeof *b->after);
    if (!b->u || !b->after)
        exit(1);
    unsigned long long x = 1;
    for (long k = 0; k < 5 * count; k++) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        b->u[k] = (double)(x >> 11) / (double)(1ULL << 52) - 1;
    }
    for (int i = 0; i < 5; i++)
        b->mass[i] = 1 + 0.1 * i;
    for (int i = 0; i < 4; i++) {
        b->contacts[i] = carom_contact_default();
        b->contacts[i].restitution = 0.9 - 0.1 * i;
        b->normals[i + 5 * i] = -1;
        b->normals[i + 1 + 5 * i] = 1;
    }
    b->impact = (carom_impact){.n = 5,
                               .p = 4,
                               .mass_is_diagonal = true,
                               .M = b->mass,
                               .W = b->normals,
                               .contacts = b->contacts};
}

static carom_batch batch_of(const balls *b)
{
    return (carom_batch){.impact = &b->impact,
                         .law = &b->law,
                         .axes = 1,
                         .size = {b->count},
                         .velocity = {b->u, {5}, 1, 0},
                         .threads = 1};
}

static void run_balls_core(void)
{
    balls b;
    carom_error error = {0};
    make_balls(&b, 200000);
    const carom_batch batch = batch_of(&b);
    const carom_batch_output out = {.velocity = b.after};
    const double began = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (carom_batch_apply(&batch, &out, &error))
        fprintf(stderr, "%s\n", error.text);
    print_row("five balls", "one core", "newton", "from arrays to arrays", 0, (double)b.count,
              seconds(CLOCK_PROCESS_CPUTIME_ID) - began);
    free(b.u);
    free(b.after);
}

/* Alone, with numbers that are on the device, and from arrays to arrays. */
static void run_balls_device(const carom_device_facts *facts)
{
    balls b;
    carom_error error = {0};
    carom_device *device = NULL;
    carom_device_cost cost;
    char variant[100];
    if (carom_device_open(facts->name, &device, &error))
        fprintf(stderr, "%s\n", error.text);
    if (!device)
        return;
    make_balls(&b, facts->is_gpu ? 1 << 24 : 1 << 21);
    const carom_batch batch = batch_of(&b);
    const carom_batch_output out = {.velocity = b.after};
    double began[2] = {0};
    for (int turn = 0; turn < 2; turn++) { /* compilers may wait for the first launch */
        began[0] = seconds(CLOCK_MONOTONIC), began[1] = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (carom_device_apply(device, &batch, &out, &cost, &error))
            fprintf(stderr, "%s\n", error.text);
    }
    const double spent = spent_on(facts, began);
    snprintf(variant, sizeof variant, "kernel alone; %.0f bytes an impact", cost.bytes);
    if (facts->is_gpu)
        print_row("five balls", facts->name, facts->version, variant, 0, (double)b.count,
                  cost.computing);
    print_row("five balls", facts->name, facts->version, "from arrays to arrays", 0,
              (double)b.count, spent);
    carom_device_close(device);
    free(b.u);
    free(b.after);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "scenes";
    const long motions = argc > 2 ? atol(argv[2]) : 0;
    const double until = argc > 3 ? atof(argv[3]) : 0;
    carom_device_facts *facts = NULL;
    int count = 0;
    cli_device_list(&facts, &count);
    run_balls_core();
    for (int j = 0; j < count; j++)
        if (facts[j].doubles)
            run_balls_device(&facts[j]);
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        run_core(folder, &tasks[k], until > 0 ? until : tasks[k].until);
        for (int j = 0; j < count; j++)
            run_device(folder, &tasks[k], &facts[j], motions, until > 0 ? until : tasks[k].until);
    }
    free(facts);
    return 0;
}
