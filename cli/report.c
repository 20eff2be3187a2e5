/* The option --report of `carom impact` and `carom run`: gathers what the page shows and writes it.
 */
#include "pictures/report.h"
#include "picture.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

static const char *path_of(const cli_arguments *arguments)
{
    return cli_option_value(arguments, "report", 0);
}

/* Certificates for a page. */
static carom_status certify(const cli_answer *a, carom_certificates *all, carom_error *error)
{
    const carom_check_request request = {.geometry = &a->geometry,
                                         .law = carom_scene_get(a->scene)->law,
                                         .parts = CAROM_CHECK_CERTIFICATES};
    carom_check_answer *answer = carom_arena_take(a->arena, sizeof *answer);
    if (!answer)
        return carom_error_set(error, CAROM_ERROR_MEMORY, "out of memory");
    carom_status status = carom_check(&request, a->arena, answer, error);
    if (!status)
        *all = answer->certificates;
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
            return cli_message_usage("%s: --axes %s: the scene has no velocity '%.*s'",
                                     arguments->command->name, text, (int)length, name);
        for (int k = 0; k < report->axis_count; k++)
            if (report->axes[k] == found)
                return cli_message_usage("%s: --axes %s names '%.*s' twice",
                                         arguments->command->name, text, (int)length, name);
        if (report->axis_count == CAROM_REPORT_AXES)
            return cli_message_usage("%s: --axes %s: two or three names are allowed",
                                     arguments->command->name, text);
        report->axes[report->axis_count++] = found;
        name += length + (name[length] == ',');
    }
    if (text && report->axis_count < 2)
        return cli_message_usage("%s: --axes '%s': two or three names are needed, as in x,y",
                                 arguments->command->name, text);
    return CLI_ANSWERED;
}

static carom_report_scene scene_of(const carom_scene *scene)
{
    const carom_scene_content *content = carom_scene_get(scene);
    return (carom_report_scene){.text = content->text,
                                .parameter_count = content->parameter_count,
                                .parameters = content->parameters,
                                .set_count = content->set_count,
                                .sets = content->sets};
}

/* What a report or a picture of an impact shows; everything is in the arena of the answer. */
static int make_report(const cli_arguments *arguments, const cli_answer *a,
                       carom_report_impact *report)
{
    enum { LABEL = 128 };
    size_t count = (size_t)a->count + 1;
    carom_report_entry *entries = carom_arena_take(a->arena, count * sizeof *entries);
    char *labels = carom_arena_take(a->arena, count * LABEL);
    *report = (carom_report_impact){.title = a->title,
                                    .source = cli_message_file(a->file),
                                    .geometry = &a->geometry,
                                    .coordinates = a->velocities,
                                    .contacts = a->contacts,
                                    .count = a->count,
                                    .entries = entries,
                                    .scene = scene_of(a->scene)};
    if (!entries || !labels)
        return cli_message_memory();
    for (int k = 0; k < a->count; k++, labels += LABEL) {
        cli_answer_label(a, k, labels, LABEL);
        entries[k] = (carom_report_entry){.label = labels,
                                          .law = &a->entries[k].law,
                                          .outcome = &a->entries[k].outcome,
                                          .promise = a->entries[k].certificate};
    }
    if (a->measured && a->count > 0)
        entries[report->count++] = (carom_report_entry){
            .label = "measured", .law = &a->entries[0].law, .outcome = a->measured};
    return read_axes(arguments, a, report);
}

int cli_report_impact(const cli_arguments *arguments, const cli_answer *a)
{
    const char *path = path_of(arguments);
    carom_report_impact report;
    int status = make_report(arguments, a, &report);
    if (status || !path)
        return status;
    carom_error error = {0};
    char *text = NULL;
    size_t size = 0;
    carom_certificates *all = calloc(1, sizeof *all);
    if (!all)
        return cli_message_memory();
    report.certificates = all;
    if (certify(a, all, &error) || carom_report_impact_write(&report, NULL, &text, &size, &error))
        status = cli_message_error(NULL, &error);
    else
        status = cli_output_write(arguments, path, text, size);
    free(text);
    free(all);
    return status;
}

int cli_report_velocity_space(const cli_arguments *arguments, const cli_answer *a)
{
    carom_report_impact report;
    carom_error error = {0};
    char *text, unit[4];
    size_t size;
    double width;
    int status = make_report(arguments, a, &report);
    if (!status)
        status = cli_picture_width(arguments, &width, unit);
    if (status)
        return status;
    if (carom_report_impact_picture(&report, cli_option_given(arguments, "bare"), width, unit, NULL,
                                    &text, &size, &error))
        return cli_message_error(NULL, &error);
    status = cli_picture_write(arguments, cli_option_value(arguments, "output", 0), text, size);
    free(text);
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
                                        .file = m->trace,
                                        .hash = m->hash,
                                        .system = content->system,
                                        .law = &m->law,
                                        .options = &m->options,
                                        .result = &m->result,
                                        .trace = &m->kept,
                                        .shapes = m->scene,
                                        .scene = scene_of(m->scene)};
    carom_error error = {0};
    char *text = NULL;
    size_t size = 0;
    if (carom_report_motion_write(&report, NULL, &text, &size, &error))
        return cli_message_error(NULL, &error);
    int status = cli_output_write(arguments, path, text, size);
    free(text);
    return status;
}
