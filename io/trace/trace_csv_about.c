/* What a trace in CSV says about its run: program, law, settings, scene, how it ended. */
#include "trace/trace_csv_reader.h"

#include "carom/text.h"

#include <math.h>
#include <string.h>

typedef carom_trace_csv_reader reader;

/* name=number */
static carom_status read_parameter(reader *r, const char *text)
{
    carom_trace *trace = r->trace;
    const char *equals = strchr(text, '=');
    double value, *values = (double *)trace->parameters;
    if (!equals || !carom_number_parse(equals + 1, &value))
        return carom_trace_csv_read_wrong(r, "not a parameter", text);
    if (trace->parameter_count == r->parameters_room) {
        int room = r->parameters_room ? 2 * r->parameters_room : 16;
        values = carom_trace_csv_read_enlarge(r->arena, values, trace->parameter_count, room,
                                              sizeof *values);
        if (!values)
            return carom_error_memory(r->error);
        trace->parameters = values;
    }
    carom_status status =
        carom_trace_csv_read_text(r, &trace->parameter_names, trace->parameter_count,
                                  &r->parameters_room, text, (size_t)(equals - text));
    if (!status)
        values[trace->parameter_count++] = value;
    return status;
}

static carom_status keep(reader *r, const char **where, const char *text)
{
    *where = carom_arena_text(r->arena, text, strlen(text));
    return *where ? CAROM_OK : carom_error_memory(r->error);
}

/* "key: value" about the run. Keys of later versions are left out. */
carom_status carom_trace_csv_about_run(reader *r, const char *text)
{
    carom_trace *trace = r->trace;
    size_t key = strcspn(text, ":");
    const char *value = text[key] ? text + key + 1 + (text[key + 1] == ' ') : text + key;
    const struct {
        const char *name, **where;
    } texts[] = {{"program", &trace->program},
                 {"title", &trace->title},
                 {"law", &trace->law},
                 {"method", &trace->method}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (strlen(texts[k].name) == key && strncmp(texts[k].name, text, key) == 0)
            return keep(r, texts[k].where, value);
    if (strncmp(text, "set:", 4) == 0) {
        carom_status status = carom_trace_csv_read_text(r, &trace->sets, trace->set_count,
                                                        &r->sets_room, value, strlen(value));
        trace->set_count += !status;
        return status;
    }
    if (strncmp(text, "parameter:", 10) == 0)
        return read_parameter(r, value);
    if (strncmp(text, "coordinates:", 12) == 0 && trace->rows == 0 && r->impacts_room == 0) {
        double count;
        if (!carom_number_parse(value, &count) || !(count >= 1 && count <= r->plain) ||
            count != floor(count))
            return carom_trace_csv_read_wrong(r, "not a count of coordinates", value);
        return carom_trace_csv_read_divide(r, (int)count);
    }
    return CAROM_OK;
}

/* One more line of the scene. */
carom_status carom_trace_csv_about_scene(reader *r, const char *text)
{
    size_t length = strlen(text), needed = r->scene_size + length + 2;
    if (needed > r->scene_room) {
        size_t room = 2 * needed + 4096;
        char *grown = carom_arena_array(r->arena, room, 1);
        if (!grown)
            return carom_error_memory(r->error);
        if (r->scene_size)
            memcpy(grown, r->scene, r->scene_size);
        r->scene = grown;
        r->scene_room = room;
    }
    memcpy(r->scene + r->scene_size, text, length);
    r->scene_size += length;
    r->scene[r->scene_size++] = '\n';
    r->scene[r->scene_size] = '\0';
    r->trace->scene = r->scene;
    return CAROM_OK;
}

/* "reached", or "inconsistent: why" */
carom_status carom_trace_csv_about_end(reader *r, const char *text)
{
    size_t length = strcspn(text, ":");
    r->trace->end = carom_arena_text(r->arena, text, length);
    if (!r->trace->end)
        return carom_error_memory(r->error);
    text += length;
    return keep(r, &r->trace->message, *text ? text + 1 + (text[1] == ' ') : "");
}
