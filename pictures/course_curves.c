/* Trajectories and phase planes: one quantity of a motion against another. */
#include "pictures/course_path.h"
#include "pictures/course_plot.h"

#include <math.h>
#include <string.h>

/* A curve with its name, and the quantities it is made of. */
typedef struct named_curve {
    carom_course_curve curve;
    char name[64];
} named_curve;

typedef struct bundle {
    int count;
    named_curve *list;
    const char *x, *y; /* names of the axes */
    bool equal;        /* the same scale on both axes: a place in the plane */
} bundle;

/* Room for more curves. */
static carom_status make_room(carom_course_sheet *s, int more, bundle *b)
{
    named_curve *list =
        carom_arena_zeros(s->arena, (size_t)b->count + (size_t)more + 1, sizeof *list);
    if (!list)
        return carom_error_memory(s->error);
    if (b->count > 0)
        memcpy(list, b->list, (size_t)b->count * sizeof *list);
    b->list = list;
    return CAROM_OK;
}

static carom_status add_pair(carom_course_sheet *s, const carom_course_moments *m, const char *x,
                             const char *y, bundle *b)
{
    double *xs, *ys;
    named_curve *c = &b->list[b->count];
    carom_status status = carom_course_quantity(s->course, m, x, s->arena, &xs, s->error);
    if (!status)
        status = carom_course_quantity(s->course, m, y, s->arena, &ys, s->error);
    if (!status)
        status = carom_course_pair(m, xs, ys, s->arena, &c->curve, s->error);
    if (!status)
        carom_text_format(c->name, sizeof c->name, "%s", y);
    b->count += !status;
    return status;
}

/* The place of a contact or the centre of a shape at one moment; false when there is none. */
typedef bool (*place_of)(const carom_course *course, int which, double t, const double *q,
                         const double *u, double *numbers);

static bool place_contact(const carom_course *course, int i, double t, const double *q,
                          const double *u, double *numbers)
{
    double toward[3];
    return carom_scene_contact_place(course->scene, i, t, q, u, numbers, toward) > 0;
}

static bool place_shape(const carom_course *course, int k, double t, const double *q,
                        const double *u, double *numbers)
{
    carom_scene_shape_evaluate(course->scene, k, t, q, u, numbers);
    return true;
}

/* The way of something through the motion, unless it stands still. */
static carom_status add_way(carom_course_sheet *s, const carom_course_moments *m, place_of place,
                            int which, double *numbers, const char *name, bundle *b)
{
    named_curve *c = &b->list[b->count];
    bool moves = false;
    c->curve = (carom_course_curve){.xy = carom_arena_doubles(s->arena, 2 * (size_t)m->count + 2)};
    if (!c->curve.xy)
        return carom_error_memory(s->error);
    for (int k = 0; k < m->count; k++) {
        if (!place(s->course, which, m->t[k], m->q[k], m->u[k], numbers))
            return CAROM_OK;
        memcpy(c->curve.xy + 2 * k, numbers, 2 * sizeof *numbers);
        moves = moves || memcmp(c->curve.xy, numbers, 2 * sizeof *numbers) != 0;
    }
    if (!moves)
        return CAROM_OK;
    c->curve.count = m->count;
    carom_text_format(c->name, sizeof c->name, "%s", name);
    b->count++;
    return CAROM_OK;
}

/* Contacts that say where they are, and move. */
static carom_status add_contacts(carom_course_sheet *s, const carom_course_moments *m, bundle *b)
{
    const carom_trace *trace = s->course->trace;
    double at[3];
    if (!carom_course_is_of_scene(s->course))
        return CAROM_OK;
    carom_status status = make_room(s, trace->gap.columns, b);
    for (int i = 0; i < trace->gap.columns && !status; i++)
        status = add_way(s, m, place_contact, i, at, carom_course_name(&trace->gap, i), b);
    return status;
}

/* How far the centres of free bodies spread along an axis; -1 without one. */
static double extent_of(const carom_trace *trace, const char *axis)
{
    const carom_trace_table *q = &trace->position;
    double least = INFINITY, most = -INFINITY;
    for (int j = 0; j < q->columns; j++) {
        const char *name = carom_course_name(q, j);
        const size_t length = strlen(name);
        for (long k = 0; length > 2 && strcmp(name + length - 2, axis) == 0 && k < trace->rows;
             k++) {
            double value = q->values[(size_t)k * (size_t)q->columns + (size_t)j];
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    return least <= most ? most - least : -1;
}

/* The centres of free bodies; in space from the side, or from above where they keep their height.
 */
static carom_status add_centres(carom_course_sheet *s, const carom_course_moments *m, bundle *b)
{
    const carom_trace *trace = s->course->trace;
    const carom_trace_table *q = &trace->position;
    const carom_scene_content *content =
        s->course->scene ? carom_scene_get(s->course->scene) : NULL;
    if (!content || content->body_count == 0)
        return CAROM_OK;
    carom_status status = make_room(s, content->body_count, b);
    if (extent_of(trace, ".z") >= extent_of(trace, ".y"))
        b->y = "z";
    for (int j = 0; j < q->columns && !status; j++) {
        const char *x = carom_course_name(q, j);
        const size_t length = strlen(x);
        char y[64];
        if (length < 3 || length >= sizeof y || strcmp(x + length - 2, ".x") != 0)
            continue;
        memcpy(y, x, length - 1);
        y[length - 1] = b->y[0];
        y[length] = '\0';
        status = add_pair(s, m, x, y, b);
        if (!status)
            carom_text_format(b->list[b->count - 1].name, sizeof b->list->name, "%.*s",
                              (int)length - 2, x);
    }
    return status;
}

/* Bodies that are drawn: their centres. */
static carom_status add_bodies(carom_course_sheet *s, const carom_course_moments *m, bundle *b)
{
    if (!carom_course_strobe_possible(s->course))
        return CAROM_OK;
    const carom_scene_content *content = carom_scene_get(s->course->scene);
    carom_status status = make_room(s, content->shape_count, b);
    for (int k = 0, number = 1; k < content->shape_count && !status; k++) {
        const carom_scene_shape *shape = &content->shapes[k];
        const int before = b->count;
        double numbers[5];
        char name[48];
        if (shape->kind != CAROM_SCENE_CIRCLE && shape->kind != CAROM_SCENE_BOX &&
            shape->kind != CAROM_SCENE_POINT)
            continue;
        carom_text_format(name, sizeof name, "body %d", number);
        status = add_way(s, m, place_shape, k, numbers, shape->label ? shape->label : name, b);
        number += b->count > before;
    }
    return status;
}

/* A way of no length, which a line would not show. */
static bool stands_still(const carom_course_curve *c)
{
    for (int k = 1; k < c->count; k++)
        if (memcmp(c->xy, c->xy + 2 * k, 2 * sizeof *c->xy) != 0)
            return false;
    return c->count > 0;
}

static void draw_curve(carom_plot *plot, const named_curve *c, int style)
{
    const char *line = carom_course_plot_style(style);
    if (stands_still(&c->curve)) {
        char dot[16];
        carom_text_format(dot, sizeof dot, "f%c solid", line[1]);
        carom_plot_point(plot, dot, c->curve.xy[0], c->curve.xy[1], 2.5);
    }
    carom_plot_way(plot, line, c->curve.count, c->curve.xy);
}

/* A frame for all curves, with a legend beside it when there are several. */
static void draw_bundle(carom_course_sheet *s, const bundle *b, const char *description)
{
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    for (int k = 0; k < b->count; k++) {
        const carom_course_curve *c = &b->list[k].curve;
        double low, high;
        if (carom_course_range(c->count, c->xy, 0, &low, &high))
            x[0] = fmin(x[0], low), x[1] = fmax(x[1], high);
        if (carom_course_range(c->count, c->xy, 1, &low, &high))
            y[0] = fmin(y[0], low), y[1] = fmax(y[1], high);
    }
    if (!(x[0] <= x[1] && y[0] <= y[1]))
        x[0] = y[0] = 0, x[1] = y[1] = 1;
    bool time = strcmp(b->x, "t") == 0, beside = b->count > 1;
    if (!time)
        carom_plot_widen(0.05, &x[0], &x[1]);
    else if (!(x[1] > x[0]))
        x[1] = x[0] + 1;
    carom_plot_widen(0.05, &y[0], &y[1]);
    double width = CAROM_COURSE_WIDTH - CAROM_COURSE_LEFT - (beside ? 150 : 20),
           height = time ? 300 : 420;
    if (b->equal)
        height = fmin(fmax(width * (y[1] - y[0]) / (x[1] - x[0]), 160), 460);
    carom_course_plot_begin(s, height + 56, description);
    carom_plot plot = carom_plot_make(&s->svg, CAROM_COURSE_LEFT, s->top, width, height, x[0], x[1],
                                      y[0], y[1], b->equal);
    carom_plot_axes(&plot, "", "");
    carom_svg_text_label(&s->svg, "ink", CAROM_COURSE_LEFT + width / 2, s->top + height + 40, 'm',
                         14, 0, 40, b->x);
    if (b->y)
        carom_svg_text_label(&s->svg, "ink", 18, s->top + height / 2, 'm', 14, -90, 40, b->y);
    plot.legend_x = CAROM_COURSE_LEFT + width + 14;
    plot.legend_y = s->top + 14;
    const int named = carom_course_plot_named(b->count, height);
    for (int k = b->count - 1; k >= 0; k--) /* those with names on top */
        draw_curve(&plot, &b->list[k], k < named ? k : CAROM_COURSE_STYLES);
    for (int k = 0; k < named && beside; k++)
        carom_plot_legend_name(&plot, carom_course_plot_style(k), 16, b->list[k].name);
    carom_course_plot_more(s, &plot, named, b->count, "ways", "--x E --y E draw one");
}

/* Both quantities are given, or one of them: over time. */
static carom_status draw_given(carom_course_sheet *s)
{
    const char *x = s->options->x ? s->options->x : "t", *y = s->options->y;
    carom_course_path path;
    bundle b = {.x = x, .y = y};
    if (!y)
        return carom_error_set(s->error, CAROM_ERROR_ARGUMENT, "--x needs --y beside it");
    carom_status status = carom_course_path_make(s->course, 2, s->arena, &path, s->error);
    if (!status)
        status = make_room(s, 1, &b);
    if (!status)
        status = add_pair(s, &path.moments, x, y, &b);
    if (!status)
        draw_bundle(s, &b, "One quantity of the motion against another.");
    return status;
}

carom_status carom_course_curves_trajectory(carom_course_sheet *s)
{
    bundle b = {.x = "x", .y = "y", .equal = true};
    if (s->options->x || s->options->y)
        return draw_given(s);
    carom_course_path path;
    const carom_course_moments *m = &path.moments;
    const carom_trace *trace = s->course->trace;
    const int most =
        trace->position.columns > trace->gap.columns ? trace->position.columns : trace->gap.columns;
    carom_status status = carom_course_path_make(s->course, 2 * most, s->arena, &path, s->error);
    if (!status)
        status = add_centres(s, m, &b);
    if (!status && b.count == 0)
        status = add_contacts(s, m, &b);
    if (!status && b.count == 0)
        status = add_bodies(s, m, &b);
    if (!status && b.count == 0) {
        const carom_trace_table *q = &trace->position;
        b.x = q->columns > 1 ? carom_course_name(q, 0) : "t";
        b.y = carom_course_name(q, q->columns > 1 ? 1 : 0);
        b.equal = strcmp(b.x, "x") == 0 && strcmp(b.y, "y") == 0;
        status = make_room(s, 1, &b);
        if (!status)
            status = add_pair(s, m, b.x, b.y, &b);
    }
    if (!status)
        draw_bundle(s, &b, "The ways of the bodies.");
    return status;
}

carom_status carom_course_curves_phase(carom_course_sheet *s)
{
    const carom_trace *trace = s->course->trace;
    if (s->options->x || s->options->y)
        return draw_given(s);
    carom_course_path path;
    bundle b = {.x = carom_course_name(&trace->position, 0),
                .y = carom_course_name(&trace->velocity, 0)};
    carom_status status = carom_course_path_make(s->course, 2, s->arena, &path, s->error);
    if (!status)
        status = make_room(s, 1, &b);
    if (!status)
        status = add_pair(s, &path.moments, b.x, b.y, &b);
    if (!status)
        draw_bundle(s, &b, "A velocity against its coordinate; it jumps at impacts.");
    return status;
}
