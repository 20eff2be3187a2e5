/* Energy and contact forces of a motion over time. */
#include "pictures/course_plot.h"

#include "carom/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double left = CAROM_COURSE_LEFT,
                    beside = 168; /* pixels: numbers of the axis, legend */

/* Axes with the name of what goes up beside the longest numbers. */
static void axes(carom_plot *plot, const char *x, const char *y)
{
    carom_plot_axes(plot, x, "");
    carom_svg_text(plot->svg, "ink", 18, plot->top + plot->height / 2, 'm', 14, -90, y);
}

/* A line of the ledger: a column, or kinetic and potential energy together. */
typedef struct entry {
    const char *column, *name, *style;
    carom_course_curve curve;
    bool used;
} entry;

enum { TOTAL, KINETIC, POTENTIAL, IMPACTS, EVENTS, FRICTION, FORCES, ENTRIES };

static carom_status read_entry(carom_course_sheet *s, entry *e)
{
    const carom_trace *trace = s->course->trace;
    int j = carom_course_find(&trace->energy, e->column);
    if (j < 0 && strcmp(e->column, "events") == 0) /* none in this system */
        return CAROM_OK;
    if (j < 0)
        return carom_error_set(s->error, CAROM_ERROR_ARGUMENT, "the trace has no energies");
    carom_status status = carom_course_column(trace, &trace->energy, j, CAROM_COURSE_POINTS,
                                              s->arena, &e->curve, s->error);
    for (int k = 0; k < e->curve.count && !status; k++)
        e->used = e->used || e->curve.xy[2 * k + 1] != 0;
    return status;
}

static void range_over(const entry *entries, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int e = 0; e < ENTRIES; e++) {
        double low, high;
        if (entries[e].used &&
            carom_course_range(entries[e].curve.count, entries[e].curve.xy, 1, &low, &high)) {
            *least = fmin(*least, low);
            *most = fmax(*most, high);
        }
    }
    if (!(*least <= *most))
        *least = *most = 0;
    carom_plot_widen(0.05, least, most);
}

carom_status carom_course_ledger_energy(carom_course_sheet *s)
{
    entry entries[ENTRIES] = {
        [TOTAL] = {"kinetic", "total: kinetic\n+ potential", "ink thick", {0}, true},
        [KINETIC] = {"kinetic", "kinetic", "c0", {0}, true},
        [POTENTIAL] = {"potential", "potential", "c2 dashed", {0}, false},
        [IMPACTS] = {"impacts", "added by impacts", "c1 dashdot", {0}, false},
        [EVENTS] = {"events", "added by events", "c3 dashed", {0}, false},
        [FRICTION] = {"friction", "added by friction", "c4 long", {0}, false},
        [FORCES] = {"forces", "added by forces", "c6 dotted thick", {0}, false},
    };
    const double height = 320, width = CAROM_COURSE_WIDTH - left - beside;
    carom_status status = CAROM_OK;
    for (int e = 0; e < ENTRIES && !status; e++)
        status = read_entry(s, &entries[e]);
    if (status)
        return status;
    for (int k = 0; k < entries[TOTAL].curve.count; k++)
        entries[TOTAL].curve.xy[2 * k + 1] += entries[POTENTIAL].curve.xy[2 * k + 1];
    double least, most, from = s->course->trace->t[0];
    double to = s->course->trace->t[s->course->trace->rows - 1];
    range_over(entries, &least, &most);
    carom_course_plot_begin(s, height + 56,
                            "Kinetic and potential energy, their sum, and what "
                            "impacts, events, friction and forces have added.");
    carom_plot plot = carom_plot_make(&s->svg, left, s->top, width, height, from,
                                      to > from ? to : from + 1, least, most, false);
    axes(&plot, "time  `t`", "energy");
    plot.legend_x = left + width + 14;
    plot.legend_y = s->top + 14;
    for (int e = ENTRIES - 1; e >= 0; e--) /* the total on top */
        if (entries[e].used)
            carom_plot_curve(&plot, entries[e].style, entries[e].curve.count, entries[e].curve.xy);
    for (int e = 0; e < ENTRIES; e++)
        if (entries[e].used)
            carom_plot_legend(&plot, entries[e].style, entries[e].name);
    return CAROM_OK;
}

/* ---- forces ---- */

enum { MOST_CONTACTS = 6 };

/* A row of time-stepping at the end of a step in which the contact was struck: what it holds is the
 * impulse over the step, which grows without bound as steps shrink and is no force. */
static bool is_struck(const carom_trace *trace, long row, int contact)
{
    const double same = CAROM_TOLERANCE_SAME * fmax(1, fabs(trace->t[row])); /* instant */
    long low = 0, high = trace->impacts;
    if (!trace->method || strcmp(trace->method, "time-stepping") != 0 ||
        trace->impulse.columns != trace->force.columns)
        return false;
    while (low < high) { /* the first impact that is not before the row */
        const long middle = (low + high) / 2;
        if (trace->impact_t[middle] < trace->t[row] - same)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < trace->impacts && trace->impact_t[low] <= trace->t[row] + same; low++)
        if (trace->impulse.values[low * trace->impulse.columns + contact] > 0)
            return true;
    return false;
}

/* The contacts that ever push, the strongest first; pressing: how many of them do so for a while.
 */
static int strongest(const carom_trace *trace, int *list, int *pressing)
{
    double size[MOST_CONTACTS];
    int count = 0;
    for (int j = 0; j < trace->force.columns; j++) {
        double most = 0;
        for (long k = 0; k < trace->rows; k++) {
            const double force = fabs(trace->force.values[k * trace->force.columns + j]);
            if (force > most && !is_struck(trace, k, j))
                most = force;
        }
        for (long k = 0; k < trace->impacts && j < trace->impulse.columns; k++)
            if (trace->impulse.values[k * trace->impulse.columns + j] > 0 && most == 0)
                most = DBL_MIN; /* struck, never pressed */
        if (!(most > 0))
            continue;
        int at = count < MOST_CONTACTS ? count : MOST_CONTACTS;
        while (at > 0 && size[at - 1] < most)
            at--;
        if (at == MOST_CONTACTS)
            continue;
        count += count < MOST_CONTACTS;
        for (int k = count - 1; k > at; k--)
            size[k] = size[k - 1], list[k] = list[k - 1];
        size[at] = most;
        list[at] = j;
    }
    for (*pressing = 0; *pressing < count && size[*pressing] > DBL_MIN;)
        ++*pressing;
    return count;
}

/* The force of a contact over time, with the steps left out in which it was struck. */
static carom_status force_curve(carom_course_sheet *s, int contact, carom_course_curve *curve)
{
    const carom_trace *trace = s->course->trace;
    carom_status status = carom_course_column(trace, &trace->force, contact, CAROM_COURSE_POINTS,
                                              s->arena, curve, s->error);
    long row = 0;
    int kept = 0;
    for (int k = 0; !status && k < curve->count; k++) {
        while (row + 1 < trace->rows && trace->t[row] < curve->xy[2 * k])
            row++;
        if (!is_struck(trace, row, contact))
            memmove(curve->xy + 2 * kept++, curve->xy + 2 * k, 2 * sizeof *curve->xy);
    }
    curve->count = kept;
    return status;
}

static carom_status draw_forces(carom_course_sheet *s, const int *list, int count, carom_plot *plot)
{
    carom_course_curve curves[MOST_CONTACTS];
    double least = 0, most = 0, low, high;
    for (int k = 0; k < count; k++) {
        carom_status status = force_curve(s, list[k], &curves[k]);
        if (status)
            return status;
        if (carom_course_range(curves[k].count, curves[k].xy, 1, &low, &high))
            least = fmin(least, low), most = fmax(most, high);
    }
    carom_plot_widen(0.05, &least, &most);
    plot->y_least = least < 0 ? least : 0;
    plot->y_most = most;
    axes(plot, "", "normal force");
    for (int k = 0; k < count; k++)
        carom_plot_curve(plot, carom_course_plot_style(k), curves[k].count, curves[k].xy);
    return CAROM_OK;
}

static void write_legend(const carom_trace *trace, const int *list, int count, carom_plot *plot)
{
    plot->legend_x = plot->left + plot->width + 14;
    plot->legend_y = plot->top + 14;
    for (int k = 0; k < count; k++)
        carom_plot_legend_name(plot, carom_course_plot_style(k), 18,
                               carom_course_name(&trace->force, list[k]));
}

/* Impulses as stems at their times. */
static void draw_impulses(const carom_trace *trace, const int *list, int count, carom_plot *plot)
{
    double most = 0;
    for (long k = 0; k < trace->impacts; k++)
        for (int i = 0; i < count; i++) {
            double value = trace->impulse.values[k * trace->impulse.columns + list[i]];
            most = value > most ? value : most;
        }
    plot->y_most = most > 0 ? 1.08 * most : 1;
    axes(plot, "time  `t`", "impulse");
    for (int i = 0; i < count; i++)
        for (long k = 0; k < trace->impacts; k++) {
            double value = trace->impulse.values[k * trace->impulse.columns + list[i]];
            char dot[16];
            if (!(value > 0))
                continue;
            carom_text_format(dot, sizeof dot, "f%c solid", carom_course_plot_style(i)[1]);
            carom_plot_line(plot, carom_course_plot_style(i), trace->impact_t[k], 0,
                            trace->impact_t[k], value);
            carom_plot_point(plot, dot, trace->impact_t[k], value, 2.5);
        }
}

/* Forces above, impulses below; each only where there is one, so that no empty chart speaks of
 * what never happens. */
carom_status carom_course_ledger_forces(carom_course_sheet *s)
{
    const carom_trace *trace = s->course->trace;
    const double width = CAROM_COURSE_WIDTH - left - beside;
    int list[MOST_CONTACTS], pressing, count = strongest(trace, list, &pressing);
    double from = trace->t[0], to = trace->t[trace->rows - 1];
    if (trace->force.columns == 0)
        return carom_error_set(s->error, CAROM_ERROR_ARGUMENT, "the motion has no contacts");
    const bool impacts = trace->impacts > 0 && trace->impulse.columns == trace->force.columns;
    const bool forces = pressing > 0 || !impacts;
    const double upper = forces ? 220 : 0, lower = !impacts ? 0 : forces ? 130 : 220;
    const double between = forces && impacts ? 36 : 0;
    carom_course_plot_begin(s, upper + between + lower + 56,
                            "Normal forces of the contacts over time, and impulses of impacts.");
    to = to > from ? to : from + 1;
    carom_plot plot = carom_plot_make(&s->svg, left, s->top, width, forces ? upper : lower, from,
                                      to, 0, 1, false);
    carom_status status = CAROM_OK;
    write_legend(trace, list, count, &plot);
    if (forces)
        status = draw_forces(s, list, pressing, &plot);
    if (!status && impacts) {
        carom_plot below = carom_plot_make(&s->svg, left, s->top + upper + between, width, lower,
                                           from, to, 0, 1, false);
        draw_impulses(trace, list, count, &below);
    } else if (!status) {
        carom_svg_text(&s->svg, "ink", left + width / 2, s->top + upper + 37, 'm', 14, 0,
                       "time  `t`");
    }
    return status;
}
