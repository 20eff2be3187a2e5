/* Energy and contact forces of a motion over time. */
#include "pictures/course_plot.h"

#include "carom/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Points of a curve, at most and where there are very many curves; of all of them. */
enum { MOST_POINTS = 200000, FEWEST_POINTS = 400, ALL_POINTS = 1 << 21 };

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
    carom_status status =
        carom_course_column(trace, &trace->energy, j, MOST_POINTS, s->arena, &e->curve, s->error);
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
            carom_plot_way(&plot, entries[e].style, entries[e].curve.count, entries[e].curve.xy);
    for (int e = 0; e < ENTRIES; e++)
        if (entries[e].used)
            carom_plot_legend(&plot, entries[e].style, entries[e].name);
    return CAROM_OK;
}

/* ---- forces ---- */

/* The contacts that ever push, the strongest first. */
typedef struct pushers {
    int count;
    int pressing; /* how many of them do so for a while, the others are only struck */
    int named;    /* how many have a style of their own and a name in the legend */
    int *list;    /* contacts */
    double *size; /* of their largest force */
} pushers;

static const char *style_of(const pushers *all, int k)
{
    return carom_course_plot_style(k < all->named ? k : CAROM_COURSE_STYLES);
}

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

/* The largest force of a contact; the least number there is where it is struck and never pressed.
 */
static double largest_force(const carom_trace *trace, int contact)
{
    double most = 0;
    for (long k = 0; k < trace->rows; k++) {
        const double force = fabs(trace->force.values[k * trace->force.columns + contact]);
        if (force > most && !is_struck(trace, k, contact))
            most = force;
    }
    for (long k = 0; k < trace->impacts && contact < trace->impulse.columns && most == 0; k++)
        if (trace->impulse.values[k * trace->impulse.columns + contact] > 0)
            most = DBL_MIN;
    return most;
}

static carom_status find_pushers(carom_course_sheet *s, pushers *all)
{
    const carom_trace *trace = s->course->trace;
    const size_t room = (size_t)trace->force.columns + 1;
    *all = (pushers){.list = carom_arena_array(s->arena, room, sizeof *all->list),
                     .size = carom_arena_doubles(s->arena, room)};
    if (!all->list || !all->size)
        return carom_error_memory(s->error);
    for (int j = 0; j < trace->force.columns; j++) {
        const double most = largest_force(trace, j);
        int at = all->count;
        if (!(most > 0))
            continue;
        for (; at > 0 && all->size[at - 1] < most; at--)
            all->size[at] = all->size[at - 1], all->list[at] = all->list[at - 1];
        all->size[at] = most;
        all->list[at] = j;
        all->count++;
    }
    while (all->pressing < all->count && all->size[all->pressing] > DBL_MIN)
        all->pressing++;
    return CAROM_OK;
}

/* The force of a contact over time, with the steps left out in which it was struck. */
static carom_status force_curve(carom_course_sheet *s, int contact, int most,
                                carom_course_curve *curve)
{
    const carom_trace *trace = s->course->trace;
    carom_status status =
        carom_course_column(trace, &trace->force, contact, most, s->arena, curve, s->error);
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

static carom_status draw_forces(carom_course_sheet *s, const pushers *all, carom_plot *plot)
{
    const size_t count = (size_t)all->pressing;
    carom_course_curve *curves = carom_arena_zeros(s->arena, count + 1, sizeof *curves);
    const int share = ALL_POINTS / (all->pressing + 1);
    const int most_points = share < FEWEST_POINTS ? FEWEST_POINTS
                            : share < MOST_POINTS ? share
                                                  : MOST_POINTS;
    double least = 0, most = 0, low, high;
    if (!curves)
        return carom_error_memory(s->error);
    for (int k = 0; k < all->pressing; k++) {
        carom_status status = force_curve(s, all->list[k], most_points, &curves[k]);
        if (status)
            return status;
        if (carom_course_range(curves[k].count, curves[k].xy, 1, &low, &high))
            least = fmin(least, low), most = fmax(most, high);
    }
    carom_plot_widen(0.05, &least, &most);
    plot->y_least = least < 0 ? least : 0;
    plot->y_most = most;
    axes(plot, "", "normal force");
    for (int k = all->pressing - 1; k >= 0; k--) /* those with names on top */
        carom_plot_way(plot, style_of(all, k), curves[k].count, curves[k].xy);
    return CAROM_OK;
}

static void write_legend(const carom_course_sheet *s, const pushers *all, carom_plot *plot)
{
    plot->legend_x = plot->left + plot->width + 14;
    plot->legend_y = plot->top + 14;
    for (int k = 0; k < all->named; k++)
        carom_plot_legend_name(plot, style_of(all, k), 18,
                               carom_course_name(&s->course->trace->force, all->list[k]));
    carom_course_plot_more(s, plot, all->named, all->count, "contacts, the strongest,",
                           "--y force:NAME draws one");
}

/* Impulses as stems at their times. */
static void draw_impulses(const carom_trace *trace, const pushers *all, carom_plot *plot)
{
    double most = 0;
    for (long k = 0; k < trace->impacts; k++)
        for (int i = 0; i < all->count; i++)
            most = fmax(most, trace->impulse.values[k * trace->impulse.columns + all->list[i]]);
    plot->y_most = most > 0 ? 1.08 * most : 1;
    axes(plot, "time  `t`", "impulse");
    for (int i = all->count - 1; i >= 0; i--)
        for (long k = 0; k < trace->impacts; k++) {
            double value = trace->impulse.values[k * trace->impulse.columns + all->list[i]];
            char dot[16];
            if (!(value > 0))
                continue;
            carom_text_format(dot, sizeof dot, "f%c solid", style_of(all, i)[1]);
            carom_plot_line(plot, style_of(all, i), trace->impact_t[k], 0, trace->impact_t[k],
                            value);
            carom_plot_point(plot, dot, trace->impact_t[k], value, 2.5);
        }
}

/* Forces above, impulses below; each only where there is one, so that no empty chart speaks of
 * what never happens. */
carom_status carom_course_ledger_forces(carom_course_sheet *s)
{
    const carom_trace *trace = s->course->trace;
    const double width = CAROM_COURSE_WIDTH - left - beside;
    pushers all;
    double from = trace->t[0], to = trace->t[trace->rows - 1];
    if (trace->force.columns == 0)
        return carom_error_set(s->error, CAROM_ERROR_ARGUMENT, "the motion has no contacts");
    carom_status status = find_pushers(s, &all);
    if (status)
        return status;
    const bool impacts = trace->impacts > 0 && trace->impulse.columns == trace->force.columns;
    const bool forces = all.pressing > 0 || !impacts;
    const double upper = forces ? 220 : 0, lower = !impacts ? 0 : forces ? 130 : 220;
    const double between = forces && impacts ? 36 : 0;
    carom_course_plot_begin(s, upper + between + lower + 56,
                            "Normal forces of the contacts over time, and impulses of impacts.");
    to = to > from ? to : from + 1;
    carom_plot plot = carom_plot_make(&s->svg, left, s->top, width, forces ? upper : lower, from,
                                      to, 0, 1, false);
    all.named = carom_course_plot_named(all.count, upper + between + lower);
    write_legend(s, &all, &plot);
    if (forces)
        status = draw_forces(s, &all, &plot);
    if (!status && impacts) {
        carom_plot below = carom_plot_make(&s->svg, left, s->top + upper + between, width, lower,
                                           from, to, 0, 1, false);
        draw_impulses(trace, &all, &below);
    } else if (!status) {
        carom_svg_text(&s->svg, "ink", left + width / 2, s->top + upper + 37, 'm', 14, 0,
                       "time  `t`");
    }
    return status;
}
