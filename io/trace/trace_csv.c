/* Traces in CSV: one line per row, two lines (before, after) per impact, lines about the run.
 *
 * Columns: t, event, coordinates, velocities, then gap:NAME, force:NAME, friction:NAME, mode:NAME,
 * energy:NAME, impulse:NAME, energy_change, text. Cells that do not apply are empty. Lines go to
 * the system in batches, so a killed run leaves whole lines but perhaps the last. A file that is
 * written over stays until the new one is complete. */
#include "trace/trace_csv.h"

#include "carom/text.h"
#include "file/output.h"
#include "trace/csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = CAROM_TRACE_CSV_GROUPS };

const struct carom_trace_csv_group carom_trace_csv_groups[GROUPS] = {
    {CAROM_TRACE_POSITION, ""},          {CAROM_TRACE_VELOCITY, ""},
    {CAROM_TRACE_GAP, "gap:"},           {CAROM_TRACE_FORCE, "force:"},
    {CAROM_TRACE_FRICTION, "friction:"}, {CAROM_TRACE_MODE, "mode:"},
    {CAROM_TRACE_ENERGY, "energy:"},     {CAROM_TRACE_IMPULSE, "impulse:"},
};

static const struct carom_trace_csv_group *const groups = carom_trace_csv_groups;

/* A line: values[k] are the numbers of group k, NULL: empty cells. */
static void write_line(carom_trace_writer *w, double t, const char *event,
                       const double *const values[GROUPS], double change, const char *text)
{
    FILE *out = ((carom_output *)w->self)->stream;
    carom_csv_number(out, t);
    fprintf(out, ",%s", event);
    for (int k = 0; k < GROUPS; k++)
        for (int i = 0; i < w->width[groups[k].part]; i++) {
            fputc(',', out);
            if (values[k])
                carom_csv_number(out, values[k][i]);
        }
    fputc(',', out);
    carom_csv_number(out, change);
    fputc(',', out);
    carom_csv_text(out, text);
    fputc('\n', out);
}

/* A line without numbers: what was computed, and how it ended. */
static carom_status write_note(carom_trace_writer *w, double t, const char *event, const char *key,
                               const char *value, carom_error *error)
{
    static const double *const none[GROUPS] = {0};
    carom_mark mark = carom_arena_mark(w->arena);
    size_t room = strlen(key) + strlen(value) + 3;
    char *text = carom_arena_array(w->arena, room, 1);
    if (!text)
        return carom_error_memory(error);
    snprintf(text, room, "%s%s%s", key, *key && *value ? ": " : "", value);
    write_line(w, t, event, none, NAN, text);
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

static carom_status write_about(carom_trace_writer *w, const char *key, const char *value,
                                carom_error *error)
{
    return value ? write_note(w, NAN, "about", key, value, error) : CAROM_OK;
}

/* The text of the scene, line by line. */
static carom_status write_scene(carom_trace_writer *w, const char *text, carom_error *error)
{
    carom_status status = CAROM_OK;
    carom_mark mark = carom_arena_mark(w->arena);
    while (*text && !status) {
        size_t length = strcspn(text, "\n");
        const char *line = carom_arena_text(w->arena, text, length);
        status = line ? write_note(w, NAN, "scene", "", line, error) : carom_error_memory(error);
        text += length + (text[length] == '\n');
        carom_arena_rewind(w->arena, mark);
    }
    return status;
}

static carom_status write_parameters(carom_trace_writer *w, const carom_scene_content *content,
                                     carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < content->set_count && !status; k++)
        status = write_about(w, "set", content->sets[k], error);
    for (int k = 0; k < content->parameter_count && !status; k++) {
        const carom_scene_parameter *q = &content->parameters[k];
        carom_mark mark = carom_arena_mark(w->arena);
        size_t length = strlen(q->name);
        char *text = carom_arena_array(w->arena, length + 2 + CAROM_NUMBER_SIZE, 1);
        if (!text)
            return carom_error_memory(error);
        memcpy(text, q->name, length);
        text[length] = '=';
        carom_number_print(q->value, text + length + 1);
        status = write_about(w, "parameter", text, error);
        carom_arena_rewind(w->arena, mark);
    }
    return status;
}

/* All that is known before the first row. */
static carom_status write_head(carom_trace_writer *w, carom_error *error)
{
    char count[16];
    snprintf(count, sizeof count, "%d", w->width[CAROM_TRACE_POSITION]);
    carom_status status = write_about(w, "program", "carom " CAROM_VERSION, error);
    if (!status)
        status = write_about(w, "coordinates", count, error);
    if (!status)
        status = write_about(w, "title", w->header.title, error);
    if (!status)
        status = write_about(w, "law", w->header.law, error);
    if (!status)
        status = write_about(w, "method", w->header.method, error);
    if (status || !w->header.scene)
        return status;
    const carom_scene_content *content = carom_scene_get(w->header.scene);
    status = write_parameters(w, content, error);
    return status ? status : write_scene(w, content->text, error);
}

/* The names of the columns. */
static carom_status write_names(carom_trace_writer *w, FILE *out, carom_error *error)
{
    fputs("t,event", out);
    for (int k = 0; k < GROUPS; k++)
        for (int i = 0; i < w->width[groups[k].part]; i++) {
            const char *name = w->names[groups[k].part][i];
            carom_mark mark = carom_arena_mark(w->arena);
            size_t room = strlen(groups[k].prefix) + strlen(name) + 1;
            char *full = carom_arena_array(w->arena, room, 1);
            if (!full)
                return carom_error_memory(error);
            snprintf(full, room, "%s%s", groups[k].prefix, name);
            fputc(',', out);
            carom_csv_text(out, full);
            carom_arena_rewind(w->arena, mark);
        }
    fputs(",energy_change,text\n", out);
    return CAROM_OK;
}

static carom_status failed(const carom_trace_writer *w, carom_error *error)
{
    return carom_output_error(error, CAROM_ERROR_OUTPUT, w->path, "write the trace", errno);
}

static carom_status create(carom_trace_writer *w, bool force, carom_error *error)
{
    carom_output *output = carom_arena_zeros(w->arena, 1, sizeof *output);
    if (!output)
        return carom_error_memory(error);
    carom_status status = carom_output_open_growing(w->path, force, output, error);
    if (status)
        return status;
    w->self = output;
    status = write_names(w, output->stream, error);
    if (!status)
        status = write_head(w, error);
    if (!status && fflush(output->stream) != 0)
        status = failed(w, error);
    if (status)
        carom_output_discard(output);
    return status;
}

static void add_impact(carom_trace_writer *w)
{
    const double *values[GROUPS] = {0};
    double t = w->values[CAROM_TRACE_IMPACT_T][0];
    values[0] = w->values[CAROM_TRACE_IMPACT_POSITION];
    values[1] = w->values[CAROM_TRACE_IMPACT_BEFORE];
    write_line(w, t, "before", values, NAN, "");
    values[1] = w->values[CAROM_TRACE_IMPACT_AFTER];
    values[GROUPS - 1] = w->values[CAROM_TRACE_IMPULSE];
    write_line(w, t, "after", values, w->values[CAROM_TRACE_IMPACT_ENERGY][0], "");
}

/* An event of the system: two lines, its name in both. */
static void add_instant(carom_trace_writer *w)
{
    const double *values[GROUPS] = {0};
    double t = w->values[CAROM_TRACE_INSTANT_T][0];
    const char *name = w->events[(int)w->values[CAROM_TRACE_INSTANT_EVENT][0]];
    values[0] = w->values[CAROM_TRACE_INSTANT_POSITION_BEFORE];
    values[1] = w->values[CAROM_TRACE_INSTANT_BEFORE];
    write_line(w, t, "event-before", values, NAN, name);
    values[0] = w->values[CAROM_TRACE_INSTANT_POSITION];
    values[1] = w->values[CAROM_TRACE_INSTANT_AFTER];
    write_line(w, t, "event-after", values, NAN, name);
}

/* "t_first 0.45 t_last 8.57 ratio 0.9 impacts 40 contact floor", at the limit. */
static carom_status add_accumulation(carom_trace_writer *w, carom_error *error)
{
    const double *a = w->values[CAROM_TRACE_ACCUMULATION];
    static const int shown[] = {1, 2, 4, 5};
    char text[256] = "";
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        char number[CAROM_NUMBER_SIZE];
        size_t used = strlen(text);
        carom_number_print(a[shown[k]], number);
        snprintf(text + used, sizeof text - used, "%s %s ", carom_trace_accumulations[shown[k]],
                 number);
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "contact");
    /* the key ends with a blank instead of a colon: the name is the rest of the text */
    const char *name = w->names[CAROM_TRACE_GAP][(int)a[0]];
    carom_mark mark = carom_arena_mark(w->arena);
    size_t room = strlen(text) + strlen(name) + 2;
    char *full = carom_arena_array(w->arena, room, 1);
    if (!full)
        return carom_error_memory(error);
    snprintf(full, room, "%s %s", text, name);
    carom_status status = write_note(w, a[3], "accumulation", "", full, error);
    carom_arena_rewind(w->arena, mark);
    return status;
}

/* "from 3 to 2 contact floor": modes by their numbers, as in the rows. */
static carom_status add_change(carom_trace_writer *w, carom_error *error)
{
    const double *c = w->values[CAROM_TRACE_CHANGE];
    const char *name = w->names[CAROM_TRACE_GAP][(int)c[1]];
    carom_mark mark = carom_arena_mark(w->arena);
    size_t room = strlen(name) + 40;
    char *text = carom_arena_array(w->arena, room, 1);
    if (!text)
        return carom_error_memory(error);
    snprintf(text, room, "from %d to %d contact %s", (int)c[2], (int)c[3], name);
    carom_status status = write_note(w, c[0], "change", "", text, error);
    carom_arena_rewind(w->arena, mark);
    return status;
}

static carom_status add(carom_trace_writer *w, carom_trace_kind kind, carom_error *error)
{
    const double *values[GROUPS] = {0};
    carom_status status = CAROM_OK;
    switch (kind) {
    case CAROM_TRACE_KIND_ROW:
        for (int k = 0; k < GROUPS; k++)
            values[k] = groups[k].part == CAROM_TRACE_IMPULSE ? NULL : w->values[groups[k].part];
        write_line(w, w->values[CAROM_TRACE_T][0], "row", values, NAN, "");
        break;
    case CAROM_TRACE_KIND_IMPACT:
        add_impact(w);
        break;
    case CAROM_TRACE_KIND_INSTANT:
        add_instant(w);
        break;
    case CAROM_TRACE_KIND_CHANGE:
        status = add_change(w, error);
        break;
    default:
        status = add_accumulation(w, error);
    }
    if (!status && ferror(((carom_output *)w->self)->stream))
        status = failed(w, error);
    return status;
}

static carom_status finish(carom_trace_writer *w, const carom_flow_result *result,
                           carom_error *error)
{
    carom_status status = CAROM_OK;
    if (result)
        status = write_note(w, result->t, "end", carom_flow_end_text(result->end), result->message,
                            error);
    if (!status)
        return carom_output_finish(w->self, error);
    carom_output_discard(w->self);
    return status;
}

const carom_trace_file carom_trace_csv = {create, add, finish, carom_trace_csv_read};
