/* The page is a template with one place for data: <script type="application/json" id="carom-data">
 * null</script>. Numbers go there as base64 of little-endian floats (time as doubles), which a
 * browser turns into arrays without parsing (docs/guide/traces.md). */
#include "trace/trace.h"

#include "carom/need.h"
#include "carom/text.h"
#include "file/output.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How much of a trace goes into a page: all rows, or every k-th with all rows near impacts. */
typedef struct thinning {
    long rows;  /* kept */
    long *keep; /* their numbers, ascending */
} thinning;

/* Rows near an impact that are kept whatever the stride. */
enum { NEAR = 8 };

static long find_row(const carom_trace *trace, double t)
{
    long low = 0, high = trace->rows;
    while (low < high) {
        long middle = (low + high) / 2;
        if (trace->t[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Choose the rows so that about `bytes` are not exceeded. Free keep. */
static bool thin_rows(const carom_trace *trace, size_t bytes, thinning *chosen)
{
    size_t columns =
        (size_t)(2 + trace->position.columns + trace->velocity.columns + trace->gap.columns +
                 trace->force.columns + trace->friction.columns + trace->mode.columns +
                 trace->energy.columns + trace->draw.columns + trace->pose.columns);
    size_t most = bytes / (4 * columns);
    long rows = trace->rows, count = 0;
    unsigned char *wanted = calloc((size_t)rows + 1, 1);
    chosen->keep = malloc(((size_t)rows + 1) * sizeof(long));
    if (!wanted || !chosen->keep) {
        free(wanted);
        free(chosen->keep);
        chosen->keep = NULL;
        return false;
    }
    long stride = (size_t)rows <= most ? 1 : (long)(2 * (size_t)rows / most + 1);
    for (long k = 0; k < rows; k += stride)
        wanted[k] = 1;
    /* half of the budget goes to the neighbourhood of impacts, the first ones first */
    long spare = (long)(most / 2) / (2 * NEAR + 1);
    for (long i = 0; i < trace->impacts && i < spare && stride > 1; i++) {
        long at = find_row(trace, trace->impact_t[i]);
        for (long k = at - NEAR < 0 ? 0 : at - NEAR; k <= at + NEAR && k < rows; k++)
            wanted[k] = 1;
    }
    if (rows)
        wanted[rows - 1] = 1;
    for (long k = 0; k < rows; k++)
        if (wanted[k])
            chosen->keep[count++] = k;
    chosen->rows = count;
    free(wanted);
    return true;
}

/* Base64 of a stream of bytes, three at a time. */
typedef struct encoder {
    FILE *out;
    unsigned char waiting[3];
    int count;
} encoder;

/* Four digits for the bytes that wait; `=` stands for those that are missing. */
static void encode_group(encoder *e)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned a = e->waiting[0], b = e->count > 1 ? e->waiting[1] : 0,
             c = e->count > 2 ? e->waiting[2] : 0;
    const char four[] = {digits[a >> 2], digits[(a & 3) << 4 | b >> 4],
                         e->count > 1 ? digits[(b & 15) << 2 | c >> 6] : '=',
                         e->count > 2 ? digits[c & 63] : '='};
    fwrite(four, 1, 4, e->out);
    e->count = 0;
}

static void encode(encoder *e, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    while (size--) {
        e->waiting[e->count++] = *next++;
        if (e->count == 3)
            encode_group(e);
    }
}

static void encode_end(encoder *e)
{
    if (e->count > 0)
        encode_group(e);
}

/* Numbers of a table for the kept rows (keep NULL: all), as floats or doubles. */
static void write_numbers(FILE *out, const double *values, int columns, long rows, const long *keep,
                          bool wide)
{
    encoder e = {.out = out};
    fputc('"', out);
    for (long k = 0; k < rows && columns > 0; k++) {
        const double *row = values + (keep ? keep[k] : k) * columns;
        for (int j = 0; j < columns; j++) {
            float narrow = (float)row[j];
            encode(&e, wide ? (const void *)&row[j] : (const void *)&narrow, wide ? 8 : 4);
        }
    }
    encode_end(&e);
    fputc('"', out);
}

/* A JSON string that is safe inside a script element: "<" never stands plain. */
static void write_string(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == '<')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    fputc('"', out);
}

static void write_table(FILE *out, const char *key, const carom_trace_table *t, long rows,
                        const long *keep)
{
    fprintf(out, ",\n\"%s\":{\"columns\":%d,\"names\":[", key, t->columns);
    for (int k = 0; k < t->columns && t->names; k++) {
        if (k)
            fputc(',', out);
        write_string(out, t->names[k]);
    }
    fputs("],\"data\":", out);
    write_numbers(out, t->values, t->columns, rows, keep, false);
    fputc('}', out);
}

/* Shapes and contacts are JSON already; only "<" is made safe. */
static void write_json(FILE *out, const char *key, const char *json)
{
    fprintf(out, ",\n\"%s\":", key);
    for (json = json ? json : "[]"; *json; json++)
        if (*json == '<')
            fputs("\\u003c", out);
        else
            fputc(*json, out);
}

/* A number of a JSON document; what does not exist is null. */
static void write_number(FILE *out, double value)
{
    char text[CAROM_NUMBER_SIZE];
    if (isfinite(value))
        carom_number_print(value, text);
    fputs(isfinite(value) ? text : "null", out);
}

/* What was computed and how it ended. */
static void write_about(FILE *out, const carom_trace *trace, const char *file)
{
    const struct {
        const char *key, *text;
    } texts[] = {
        {"file", strrchr(file, '/') ? strrchr(file, '/') + 1 : file},
        {"title", trace->title},
        {"law", trace->law},
        {"method", trace->method},
        {"program", trace->program},
        {"scene", trace->scene},
        {"end", trace->end ? trace->end : "cut off"},
        {"message", trace->end ? trace->message : "the trace does not say how the motion ended"}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        fprintf(out, "%s\"%s\":", k ? "," : "{", texts[k].key);
        write_string(out, texts[k].text);
    }
    fputs(",\"set\":[", out);
    for (int k = 0; k < trace->set_count; k++) {
        fputs(k ? "," : "", out);
        write_string(out, trace->sets[k]);
    }
    fputs("],\"parameters\":{", out);
    for (int k = 0; k < trace->parameter_count; k++) {
        fputs(k ? "," : "", out);
        write_string(out, trace->parameter_names[k]);
        fputc(':', out);
        write_number(out, trace->parameters[k]);
    }
    fputs("},\"period\":", out);
    write_number(out, trace->period);
}

/* Accumulations: contact by its name, times, ratio. */
static void write_accumulations(FILE *out, const carom_trace *trace)
{
    const carom_trace_table *t = &trace->accumulation;
    fputs(",\n\"accumulations\":[", out);
    for (long k = 0; k < trace->accumulations; k++) {
        const double *a = t->values + k * t->columns;
        bool named = trace->gap.names && a[0] >= 0 && a[0] < trace->gap.columns;
        fprintf(out, "%s{\"contact\":", k ? "," : "");
        write_string(out, named ? trace->gap.names[(int)a[0]] : NULL);
        static const char *const keys[] = {"t_first", "t_last", "t_limit", "ratio", "impacts"};
        for (int i = 0; i < 5; i++) {
            fprintf(out, ",\"%s\":", keys[i]);
            write_number(out, a[i + 1]);
        }
        fputc('}', out);
    }
    fputc(']', out);
}

/* Changes of what contacts do, as many as a slider can show. */
static void write_changes(FILE *out, const carom_trace *trace)
{
    enum { MOST = 5000 };
    fputs(",\n\"changes\":[", out);
    for (long k = 0; k < trace->changes && k < MOST; k++) {
        const double *c = trace->change.values + k * trace->change.columns;
        fprintf(out, "%s{\"t\":", k ? "," : "");
        write_number(out, c[0]);
        static const char *const keys[] = {"contact", "from", "to"};
        for (int i = 0; i < 3; i++) {
            fprintf(out, ",\"%s\":", keys[i]);
            write_number(out, c[i + 1]);
        }
        fputc('}', out);
    }
    fputc(']', out);
}

/* The tables of rows and of impacts, under the names they have in the page. */
typedef struct named_table {
    const char *key;
    const carom_trace_table *table;
} named_table;

static void write_impacts(FILE *out, const carom_trace *trace)
{
    enum { MOST_IMPACTS = 20000, MOST_BYTES = 4 << 20, TABLES = 8 };
    const named_table tables[TABLES] = {{"position", &trace->impact_position},
                                        {"before", &trace->impact_before},
                                        {"after", &trace->impact_after},
                                        {"impulse", &trace->impulse},
                                        {"draw", &trace->impact_draw},
                                        {"kick", &trace->impact_kick},
                                        {"at", &trace->impact_at},
                                        {"pose", &trace->impact_pose}};
    size_t columns = 1;
    for (int k = 0; k < TABLES; k++)
        columns += (size_t)tables[k].table->columns;
    long impacts = trace->impacts < MOST_IMPACTS ? trace->impacts : MOST_IMPACTS;
    long detailed = impacts; /* with all numbers: the first ones */
    if ((size_t)detailed > MOST_BYTES / (4 * columns))
        detailed = (long)(MOST_BYTES / (4 * columns));
    fprintf(out, ",\n\"impacts\":{\"count\":%ld,\"detailed\":%ld,\"t\":", impacts, detailed);
    write_numbers(out, trace->impact_t, 1, impacts, NULL, true);
    fputs(",\"energy_change\":", out);
    write_numbers(out, trace->impact_energy, 1, impacts, NULL, true);
    for (int k = 0; k < TABLES; k++)
        write_table(out, tables[k].key, tables[k].table, detailed, NULL);
    fputc('}', out);
}

/* Events of the system: both sides of each. */
static void write_instants(FILE *out, const carom_trace *trace)
{
    enum { MOST = 5000, TABLES = 6 };
    const named_table tables[TABLES] = {{"position_before", &trace->instant_position_before},
                                        {"before", &trace->instant_before},
                                        {"position", &trace->instant_position},
                                        {"after", &trace->instant_after},
                                        {"draw_before", &trace->instant_draw_before},
                                        {"draw", &trace->instant_draw}};
    long count = trace->instants < MOST ? trace->instants : MOST;
    fprintf(out, ",\n\"instants\":{\"count\":%ld,\"names\":[", count);
    for (int k = 0; k < trace->event_count; k++) {
        fputs(k ? "," : "", out);
        write_string(out, trace->event_names[k]);
    }
    fputs("],\"t\":", out);
    write_numbers(out, trace->instant_t, 1, count, NULL, true);
    fputs(",\"event\":", out);
    write_numbers(out, trace->instant_event, 1, count, NULL, true);
    for (int k = 0; k < TABLES; k++)
        write_table(out, tables[k].key, tables[k].table, count, NULL);
    fputc('}', out);
}

static void write_units(FILE *out, const char *key, int count, const int *units)
{
    fprintf(out, "%s\"%s\":[", strcmp(key, "position") == 0 ? "" : ",", key);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? "," : "", units[i]);
    fputc(']', out);
}

/* Coordinates that each contact's gap depends on. */
static void write_contact_coordinates(FILE *out, const carom_system_shape *shape)
{
    const carom_pattern *w = &shape->normal_pattern;
    fputs("\"contacts\":[", out);
    for (int i = 0; i < shape->p; i++) {
        fputs(i ? ",[" : "[", out);
        for (int k = w->start[i]; k < w->start[i + 1]; k++)
            fprintf(out, "%s%d", k > w->start[i] ? "," : "", w->row[k]);
        fputc(']', out);
    }
    fputc(']', out);
}

/* Coordinates that move each shape: those whose change changes its numbers. */
static void write_shape_coordinates(FILE *out, const carom_scene *scene, int n)
{
    const carom_scene_content *c = carom_scene_get(scene);
    size_t columns = 0;
    for (int k = 0; k < c->shape_count; k++)
        columns += (size_t)c->shapes[k].count;
    double *at = calloc(2 * columns + (size_t)n + 1, sizeof *at), *q = at ? at + 2 * columns : NULL;
    unsigned char *moves = calloc((size_t)n * (size_t)c->shape_count + 1, 1);
    for (int i = 0; i < n && at && moves; i++) {
        memcpy(q, c->initial.q, (size_t)n * sizeof *q);
        carom_scene_shapes_evaluate(scene, c->initial.t, q, c->initial.u, at);
        q[i] += 0.1 + 0.1 * fabs(q[i]);
        carom_scene_shapes_evaluate(scene, c->initial.t, q, c->initial.u, at + columns);
        const double *a = at;
        for (int k = 0; k < c->shape_count; a += c->shapes[k++].count)
            moves[i + n * k] = memcmp(a, a + columns, (size_t)c->shapes[k].count * sizeof *a) != 0;
    }
    fputs(",\"shapes\":[", out);
    for (int k = 0; k < c->shape_count && at && moves; k++) {
        const char *before = "";
        fputs(k ? ",[" : "[", out);
        for (int i = 0; i < n; i++)
            if (moves[i + n * k]) {
                fprintf(out, "%s%d", before, i);
                before = ",";
            }
        fputc(']', out);
    }
    fputc(']', out);
    free(at);
    free(moves);
}

/* Which shapes a contact may be between: those that its coordinates move. */
static void write_dependence(FILE *out, const carom_scene *scene)
{
    enum { MOST = 400 };
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    if (!shape->kinematics_is_identity || content->body_count > 0 || shape->n > MOST ||
        content->shape_count == 0 || content->shape_count > MOST || !shape->normal_pattern.start)
        return;
    fputs(",\n\"coordinates\":{", out);
    write_contact_coordinates(out, shape);
    write_shape_coordinates(out, scene, shape->n);
    fputc('}', out);
}

/* What the scene knows beyond the numbers: which columns are measured alike, and what moves what;
 * as far as the scene that the trace carries can be read. */
static void write_knowledge(FILE *out, const carom_trace *trace)
{
    carom_scene *scene;
    const carom_scene_options options = {
        .sets = trace->sets, .set_count = trace->set_count, .any_restitution = true, .units = true};
    if (!trace->scene ||
        carom_scene_read_text(trace->scene, strlen(trace->scene), &options, &scene, NULL))
        return;
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape =
        content->system ? carom_system_get_shape(content->system) : NULL;
    if (shape && content->units.coordinates && trace->position.columns == shape->nq &&
        trace->velocity.columns == shape->n && trace->gap.columns == shape->p) {
        fputs(",\n\"units\":{", out);
        write_units(out, "position", shape->nq, content->units.coordinates);
        write_units(out, "velocity", shape->n, content->units.velocities);
        write_units(out, "gap", shape->p, content->units.gaps);
        fputc('}', out);
        write_dependence(out, scene);
    }
    carom_scene_destroy(scene);
}

static void write_trace(FILE *out, const carom_trace *trace, const char *file, const thinning *thin)
{
    const named_table tables[] = {
        {"position", &trace->position}, {"velocity", &trace->velocity}, {"gap", &trace->gap},
        {"force", &trace->force},       {"friction", &trace->friction}, {"mode", &trace->mode},
        {"energy", &trace->energy},     {"draw", &trace->draw},         {"at", &trace->at},
        {"pose", &trace->pose}};
    write_about(out, trace, file);
    fprintf(out,
            ",\"rows\":%ld,\"original_rows\":%ld,\"original_impacts\":%ld,\n\"t\":", thin->rows,
            trace->all_rows, trace->all_impacts);
    write_numbers(out, trace->t, 1, thin->rows, thin->keep, true);
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        write_table(out, tables[k].key, tables[k].table, thin->rows, thin->keep);
    write_knowledge(out, trace);
    write_json(out, "shapes", trace->shapes);
    write_json(out, "contacts", trace->contacts);
    write_json(out, "bodies", trace->bodies);
    write_impacts(out, trace);
    if (trace->instants)
        write_instants(out, trace);
    write_accumulations(out, trace);
    write_changes(out, trace);
    fputc('}', out);
}

/* All traces, each thinned to its share of the page. */
static bool write_traces(FILE *out, int count, const carom_trace *traces, const char *const *names,
                         long *rows)
{
    enum { BUDGET = 12 << 20 };
    for (int k = 0; k < count; k++) {
        thinning thin;
        if (!thin_rows(&traces[k], BUDGET / (size_t)count, &thin))
            return false;
        fputs(k ? ",\n" : "", out);
        write_trace(out, &traces[k], names[k], &thin);
        if (rows)
            rows[k] = thin.rows;
        free(thin.keep);
    }
    return true;
}

carom_status carom_trace_page(const char *path, const char *page, int count,
                              const carom_trace *traces, const char *const *names, long *rows,
                              carom_error *error)
{
    CAROM_NEED(error, path, page, traces, names);
    static const char mark[] = "<script type=\"application/json\" id=\"carom-data\">null</script>";
    const char *place = strstr(page, mark);
    carom_output output;
    if (!place)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the page has no place for data (viewer/dist/index.html has)");
    carom_status status = carom_output_open(path, true, &output, error);
    if (status)
        return status;
    fwrite(page, 1, (size_t)(place - page), output.stream);
    fputs("<script type=\"application/json\" id=\"carom-data\">{\"traces\":[", output.stream);
    bool good = write_traces(output.stream, count, traces, names, rows);
    fputs("]}</script>", output.stream);
    fputs(place + sizeof mark - 1, output.stream);
    if (good)
        return carom_output_finish(&output, error);
    carom_output_discard(&output);
    return carom_error_memory(error);
}
