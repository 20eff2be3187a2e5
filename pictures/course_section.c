/* Sections of a motion: a point each time a contact is struck, an event happens or a period ends.
 */
#include "carom/tolerance.h"
#include "pictures/course_plot.h"

#include <math.h>
#include <string.h>

static void add(carom_course_moments *m, double t, const double *q, const double *u)
{
    m->t[m->count] = t;
    m->q[m->count] = q;
    m->u[m->count] = u;
    m->row[m->count++] = 0;
}

static const double *row_of(const carom_trace_table *table, long k)
{
    return table->values + (size_t)k * (size_t)table->columns;
}

/* Impacts at which the contact carries an impulse, after them. */
static void find_impacts(const carom_trace *trace, int contact, carom_course_moments *m)
{
    for (long k = 0; k < trace->impacts && contact < trace->impulse.columns; k++)
        if (row_of(&trace->impulse, k)[contact] > 0)
            add(m, trace->impact_t[k], row_of(&trace->impact_position, k),
                row_of(&trace->impact_after, k));
}

/* Events by their name: a trace that was read may number them otherwise. */
static void find_events(const carom_trace *trace, const char *name, carom_course_moments *m)
{
    for (long k = 0; k < trace->instants; k++) {
        int event = (int)trace->instant_event[k];
        if (event >= 0 && event < trace->event_count &&
            strcmp(trace->event_names[event], name) == 0)
            add(m, trace->instant_t[k], row_of(&trace->instant_position, k),
                row_of(&trace->instant_after, k));
    }
}

/* Rows at multiples of the period after the start. */
static void find_periods(const carom_trace *trace, double period, carom_course_moments *m)
{
    const double near = CAROM_TOLERANCE_SAME; /* of a period: the times of rows are sums of steps */
    for (long k = 1; k < trace->rows; k++)
        if (fabs(remainder(trace->t[k], period)) <= near * period)
            add(m, trace->t[k], row_of(&trace->position, k), row_of(&trace->velocity, k));
}

static carom_status find_points(carom_course_sheet *s, carom_course_moments *m)
{
    const carom_trace *trace = s->course->trace;
    const carom_scene_content *content =
        s->course->scene ? carom_scene_get(s->course->scene) : NULL;
    const carom_scene_section *section = content ? content->section : NULL;
    if (!section && !(content && content->period > 0))
        return carom_error_set(s->error, CAROM_ERROR_ARGUMENT,
                               "a section needs `section` or `period` in the scene");
    size_t most = (size_t)(trace->impacts + trace->instants + trace->rows + 1);
    carom_status status = carom_course_moments_room(most, s->arena, m, s->error);
    if (status)
        return status;
    if (!section)
        find_periods(trace, content->period, m);
    else if (section->kind == CAROM_SCENE_SECTION_CONTACT)
        find_impacts(trace, section->index, m);
    else
        find_events(trace, carom_system_get_shape(content->system)->events[section->index].name, m);
    long skip = s->options->skip < m->count ? s->options->skip : m->count;
    m->count -= (int)skip;
    m->t += skip, m->q += skip, m->u += skip, m->row += skip;
    return CAROM_OK;
}

/* What is put across and up: as asked, else the first two that the section keeps, else the first
 * coordinate and its velocity. */
static void choose_axes(const carom_course_sheet *s, const char **x, const char **y)
{
    const carom_trace *trace = s->course->trace;
    const carom_scene_section *section = carom_scene_get(s->course->scene)->section;
    int kept = section ? section->keep_count : 0;
    *x = kept > 1 ? section->keep[0] : kept == 1 ? "t" : carom_course_name(&trace->position, 0);
    *y = kept > 1    ? section->keep[1]
         : kept == 1 ? section->keep[0]
                     : carom_course_name(&trace->velocity, 0);
    if (s->options->y)
        *x = "t";
    *x = s->options->x ? s->options->x : *x;
    *y = s->options->y ? s->options->y : *y;
}

static void draw_points(carom_course_sheet *s, const carom_course_curve *c, const char *x_name,
                        const char *y_name)
{
    const double width = CAROM_COURSE_WIDTH - CAROM_COURSE_LEFT - 20, height = 420;
    double x[2], y[2];
    carom_course_range(c->count, c->xy, 0, &x[0], &x[1]);
    carom_course_range(c->count, c->xy, 1, &y[0], &y[1]);
    carom_plot_widen(0.05, &x[0], &x[1]);
    carom_plot_widen(0.05, &y[0], &y[1]);
    carom_course_plot_begin(s, height + 56, "A point each time the section is passed.");
    carom_plot plot = carom_plot_make(&s->svg, CAROM_COURSE_LEFT, s->top, width, height, x[0], x[1],
                                      y[0], y[1], false);
    carom_plot_axes(&plot, "", "");
    carom_svg_text_label(&s->svg, "ink", CAROM_COURSE_LEFT + width / 2, s->top + height + 40, 'm',
                         14, 0, 40, x_name);
    carom_svg_text_label(&s->svg, "ink", 18, s->top + height / 2, 'm', 14, -90, 40, y_name);
    double radius = c->count > 2000 ? 0.8 : c->count > 200 ? 1.4 : 2.5;
    for (int k = 0; k < c->count; k++)
        if (isfinite(c->xy[2 * k] + c->xy[2 * k + 1]))
            carom_plot_point(&plot, "f0 solid", c->xy[2 * k], c->xy[2 * k + 1], radius);
}

carom_status carom_course_section_draw(carom_course_sheet *s)
{
    carom_course_moments m;
    carom_course_curve curve;
    double *xs, *ys;
    carom_status status = find_points(s, &m);
    if (status)
        return status;
    if (m.count == 0)
        return carom_error_set(s->error, CAROM_ERROR_ARGUMENT,
                               "the motion never passes its section%s",
                               s->options->skip ? " so often" : "");
    const char *x, *y;
    choose_axes(s, &x, &y);
    status = carom_course_quantity(s->course, &m, x, s->arena, &xs, s->error);
    if (!status)
        status = carom_course_quantity(s->course, &m, y, s->arena, &ys, s->error);
    if (!status)
        status = carom_course_pair(&m, xs, ys, s->arena, &curve, s->error);
    if (!status)
        draw_points(s, &curve, x, y);
    return status;
}
