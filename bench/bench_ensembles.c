/* Many motions of one scene: steps and impacts a second, on one core by the event-driven method of
 * the library, and on every device of OpenCL that is there.
 *
 *     bench_ensembles [SCENES [MOTIONS [TIME]]]
 *
 * SCENES: the folder of scenes; MOTIONS: of a batch on a device (0: as many as it takes at once);
 * TIME: of each motion, in its own unit. Rates are of steps and impacts over wall time, starts and
 * results included, the compiler of the device not. */
#include "device.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A scene, and the parameter that differs from motion to motion. */
typedef struct task {
    const char *file, *parameter;
    double from, to, until;
} task;

static const task tasks[] = {
    {"impact_oscillator.yaml", "stop", 0.5, 1.5, 2000},
    {"ball_on_table.yaml", "Gamma", 1.2, 1.4, 2000},
    {"shaw_holmes.yaml", "w", 2.7, 2.8, 2000},
};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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

static void print_rates(const task *t, const char *who, long motions, double steps, double impacts,
                        double spent)
{
    printf("%-24s %-32.32s %8ld motions %10.3e steps %10.3e impacts %7.2f s  %9.3e steps/s "
           "%9.3e impacts/s\n",
           t->file, who, motions, steps, impacts, spent, steps / spent, impacts / spent);
    fflush(stdout);
}

static void run_core(const char *folder, const task *t, double until)
{
    enum { MOTIONS = 4 };
    double steps = 0, impacts = 0, spent = 0;
    for (long k = 0; k < MOTIONS; k++) {
        carom_scene *scene = read_scene(folder, t, value_of(t, k, MOTIONS), false);
        const carom_scene_content *content = carom_scene_get(scene);
        carom_flow_options options = *content->run;
        carom_flow_result result;
        carom_arena *arena;
        carom_error error = {0};
        options.until = until;
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
        carom_arena_destroy(arena);
        carom_scene_destroy(scene);
    }
    print_rates(t, "one core", MOTIONS, steps, impacts, spent);
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

static void run_device(const char *folder, const task *t, const char *name, long motions,
                       double until)
{
    carom_scene *scene = read_scene(folder, t, t->from, true);
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    const cli_device_task asked = {.device = name,
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
        const double began = seconds(CLOCK_MONOTONIC);
        if (cli_device_run(device, motions, NULL, NULL))
            exit(1);
        const double spent = seconds(CLOCK_MONOTONIC) - began;
        for (long k = 0; k < motions; k++) {
            cli_device_motion m;
            cli_device_get(device, k, &m);
            steps += (double)m.steps;
            impacts += (double)m.impacts;
            ends[m.end & 15]++;
        }
        print_rates(t, cli_device_name(device), motions, steps, impacts, spent);
        if (ends[CLI_DEVICE_REACHED] < motions)
            printf("    %ld of them did not reach their end\n", motions - ends[CLI_DEVICE_REACHED]);
    }
    cli_device_close(device);
    carom_scene_destroy(scene);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "scenes";
    const long motions = argc > 2 ? atol(argv[2]) : 0;
    const double until = argc > 3 ? atof(argv[3]) : 0;
    carom_device_facts *facts = NULL;
    int count = 0;
    cli_device_list(&facts, &count);
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        run_core(folder, &tasks[k], until > 0 ? until : tasks[k].until);
        for (int j = 0; j < count; j++)
            run_device(folder, &tasks[k], facts[j].name, motions,
                       until > 0 ? until : tasks[k].until);
    }
    free(facts);
    return 0;
}
