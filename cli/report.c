#include "pictures/report.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

static const char *path_of(const cli_arguments *arguments)
{
    return cli_option_value(arguments, "report", 0);
}

/* Certificates for a page: work that would go on for long is cut, always at the same place. */
static bool go_on(void *self, const char *what, double done)
{
    int *left = self;
    (void)what;
    (void)done;
    return --*left > 0;
}

static carom_status certify(const cli_answer *a, carom_certificates *all, carom_error *error)
{
    int left = 20000;
    const carom_watch watch = {go_on, &left};
    const carom_law *law = carom_scene_get(a->scene)->law;
    const double *E = NULL;
    carom_status status = carom_certify_matrix(law, &a->geometry, a->arena, &E, NULL, error);
    if (!status)
        status = carom_certify_restitution(&a->geometry, E, &watch, a->arena, all, error);
    if (!status)
        status = carom_certify_contact(&a->geometry, &watch, a->arena, all, error);
    if (!status)
        status = carom_certify_friction(&a->geometry, E, &watch, a->arena, all, error);
    if (!status)
        status = carom_certify_full(law, &a->geometry, a->arena, all, error);
    return status;
}

/* --axes x,y: names of velocities, the prime of "x'" may be left out. */
static int read_axes(const cli_arguments *arguments, const cli_answer *a,
                     carom_report_impact *report)
{
    const char *text = cli_option_value(arguments, "axes", 0);
    for (const char *name = text; name && *name;) {
        size_t length = strcspn(name, ",");
        int found = -1;
        for (int i = 0; i < a->impact.n; i++) {
            size_t full = strlen(a->coordinates[i]);
            bool primed = full == length + 1 && a->coordinates[i][length] == '\'';
            if ((full == length || primed) && strncmp(a->coordinates[i], name, length) == 0)
                found = i;
        }
        if (found < 0)
            return cli_message_usage("impact: --axes %s: the scene has no velocity '%.*s'", text,
                                     (int)length, name);
        for (int k = 0; k < report->axis_count; k++)
            if (report->axes[k] == found)
                return cli_message_usage("impact: --axes %s names '%.*s' twice", text, (int)length,
                                         name);
        if (report->axis_count == CAROM_REPORT_AXES)
            return cli_message_usage("impact: --axes %s: two or three names are allowed", text);
        report->axes[report->axis_count++] = found;
        name += length + (name[length] == ',');
    }
    if (text && report->axis_count < 2)
        return cli_message_usage("impact: --axes '%s': two or three names are needed, as in x,y",
                                 text);
    return CLI_ANSWERED;
}

static int write_impact(const cli_arguments *arguments, const cli_answer *a,
                        carom_report_impact *report, carom_report_entry *entries)
{
    const char *path = path_of(arguments);
    carom_error error = {0};
    char *text = NULL, (*labels)[128] = calloc((size_t)a->count + 1, sizeof *labels);
    carom_certificates *all = calloc(1, sizeof *all);
    size_t size = 0;
    carom_status status = CAROM_ERROR_MEMORY;
    if (labels && all) {
        for (int k = 0; k < a->count; k++) {
            cli_answer_label(a, k, labels[k], sizeof labels[k]);
            entries[k] = (carom_report_entry){.label = labels[k],
                                              .law = &a->entries[k].law,
                                              .outcome = &a->entries[k].outcome,
                                              .promise = a->entries[k].certificate};
        }
        report->certificates = all;
        status = certify(a, all, &error);
        if (!status)
            status = carom_report_impact_write(report, NULL, &text, &size, &error);
    }
    error.status = status;
    int exit_status =
        status ? cli_message_error(NULL, &error) : cli_output_write(arguments, path, text, size);
    free(text);
    free(all);
    free(labels);
    return exit_status;
}

/* Velocities are named by what they are: "x'" where the answer says the coordinate's name. */
static const char **velocity_names(const cli_answer *a)
{
    enum { LONGEST = 64 };
    size_t n = (size_t)a->impact.n;
    const carom_system *system = carom_scene_get(a->scene)->system;
    const carom_system_shape *shape = system ? carom_system_get_shape(system) : NULL;
    const char **names = carom_arena_take(a->arena, (n + 1) * sizeof *names);
    char *room = carom_arena_take(a->arena, (n + 1) * LONGEST);
    for (size_t i = 0; names && room && i < n; i++, room += LONGEST) {
        names[i] = a->coordinates[i];
        size_t length = strlen(names[i]);
        bool named = a->impact.coordinates && a->impact.coordinates[i];
        if (shape && shape->n == a->impact.n)
            names[i] = shape->velocities[i];
        else if (named && length + 2 < LONGEST && length && names[i][length - 1] != '\'') {
            snprintf(room, LONGEST, "%s'", names[i]);
            names[i] = room;
        }
    }
    return room ? names : NULL;
}

static carom_report_scene scene_of(const carom_scene *scene)
{
    const carom_scene_content *content = carom_scene_get(scene);
    return (carom_report_scene){.parameter_count = content->parameter_count,
                                .parameters = content->parameters};
}

int cli_report_impact(const cli_arguments *arguments, const cli_answer *a)
{
    const char *path = path_of(arguments);
    carom_report_impact report = {.title = a->title,
                                  .source = cli_message_file(a->file),
                                  .geometry = &a->geometry,
                                  .coordinates = velocity_names(a),
                                  .contacts = a->contacts,
                                  .count = a->count,
                                  .scene = scene_of(a->scene)};
    int status = read_axes(arguments, a, &report);
    if (status || !path)
        return status;
    carom_report_entry *entries = calloc((size_t)a->count + 1, sizeof *entries);
    if (!entries || !report.coordinates) {
        free(entries);
        return cli_message_memory();
    }
    report.entries = entries;
    status = write_impact(arguments, a, &report, entries);
    free(entries);
    return status;
}

int cli_report_motion(const cli_arguments *arguments, const cli_motion *m)
{
    const char *path = path_of(arguments);
    if (!path)
        return CLI_ANSWERED;
    const carom_scene_content *content = carom_scene_get(m->scene);
    const carom_report_motion report = {.title = content->title,
                                        .source = cli_message_file(m->file),
                                        .trace = m->trace,
                                        .hash = m->hash,
                                        .system = content->system,
                                        .law = &m->law,
                                        .options = &m->options,
                                        .result = &m->result,
                                        .recorder = m->recorder};
    carom_error error = {0};
    char *text = NULL;
    size_t size = 0;
    if (carom_report_motion_write(&report, NULL, &text, &size, &error))
        return cli_message_error(NULL, &error);
    int status = cli_output_write(arguments, path, text, size);
    free(text);
    return status;
}
