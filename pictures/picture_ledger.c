/* The energy ledger over time, as layers or as curves. */
#include "carom/tolerance.h"
#include "pictures/picture.h"
#include "pictures/plot.h"

#include <math.h>

enum { WIDTH = 460, HEIGHT = 300, LEFT = 70, TOP = 12, RIGHT = 14, BOTTOM = 48, MOST = 1600 };

enum { KINETIC, POTENTIAL, IMPACTS, FRICTION, FORCES, EVENTS, SERIES };

static const char *const styles[SERIES] = {"c0", "c2", "c1", "c4", "c7 dashed", "c3"};
static const char *const fills[SERIES] = {"f0", "f2", "f1", "f4", "", ""};

typedef struct book {
    carom_course_curve series[SERIES];
    double lowest; /* of the potential */
    bool gained;   /* impacts or friction gave energy at some time, or events worked at all */
    bool rough;    /* friction worked at all */
} book;

static carom_status read_book(const carom_trace *trace, double initial, carom_arena *arena, book *b,
                              carom_error *error)
{
    static const char *const names[SERIES] = {"kinetic",  "potential", "impacts",
                                              "friction", "forces",    "events"};
    *b = (book){.lowest = INFINITY};
    double scale = fabs(initial);
    for (int s = 0; s < SERIES; s++) {
        carom_course_curve *c = &b->series[s];
        const int j = carom_course_find(&trace->energy, names[s]);
        if (j < 0 && s == EVENTS) /* none in this system */
            continue;
        carom_status status = carom_course_column(trace, &trace->energy, j, MOST, arena, c, error);
        if (status)
            return status;
        for (int k = 0; k < c->count; k++)
            scale = fmax(scale, fabs(c->xy[2 * k + 1]));
    }
    for (int s = 0; s < SERIES; s++)
        for (int k = 0; k < b->series[s].count; k++) {
            double value = b->series[s].xy[2 * k + 1];
            if (s == POTENTIAL)
                b->lowest = fmin(b->lowest, value);
            if ((s == IMPACTS || s == FRICTION) && value > CAROM_TOLERANCE_SAME * scale)
                b->gained = true;
            if (s == EVENTS && value != 0)
                b->gained = true;
            if (s == FRICTION && value != 0)
                b->rough = true;
        }
    if (!isfinite(b->lowest))
        b->lowest = 0;
    return CAROM_OK;
}

/* Turn the series into layers, each on top of those before; losses count as positive. */
static double stack(book *b)
{
    double most = 0;
    for (int k = 0; k < b->series[0].count; k++) {
        double sum = 0;
        for (int s = KINETIC; s <= FRICTION; s++) {
            double *value = &b->series[s].xy[2 * k + 1];
            sum += s == KINETIC ? *value : s == POTENTIAL ? *value - b->lowest : -*value;
            *value = sum;
        }
        most = fmax(most, sum);
    }
    return most;
}

static carom_status draw_layers(carom_plot *plot, const book *b, carom_arena *arena,
                                carom_error *error)
{
    int count = b->series[0].count;
    double *area = carom_arena_doubles(arena, 4 * (size_t)count + 4);
    if (!area)
        return carom_error_memory(error);
    for (int s = KINETIC; s <= FRICTION; s++) {
        if (s == FRICTION && !b->rough)
            continue;
        for (int k = 0; k < count; k++) {
            const double *top = b->series[s].xy + 2 * k;
            int back = 2 * count - 1 - k;
            area[2 * k] = area[2 * back] = top[0];
            area[2 * k + 1] = top[1];
            area[2 * back + 1] = s ? b->series[s - 1].xy[2 * k + 1] : 0;
        }
        carom_plot_area(plot, fills[s], 2 * count, area);
        carom_plot_curve(plot, styles[s], count, b->series[s].xy);
    }
    return CAROM_OK;
}

static void range_of(const book *b, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int s = 0; s < SERIES; s++)
        for (int k = 0; k < b->series[s].count; k++) {
            *least = fmin(*least, b->series[s].xy[2 * k + 1]);
            *most = fmax(*most, b->series[s].xy[2 * k + 1]);
        }
    if (!(*least <= *most))
        *least = *most = 0;
}

carom_status carom_picture_ledger(const carom_trace *trace, double initial, carom_arena *arena,
                                  const carom_allocator *allocator, carom_svg *svg, bool *stacked,
                                  carom_error *error)
{
    book b;
    carom_status status = read_book(trace, initial, arena, &b, error);
    if (status)
        return status;
    int count = b.series[0].count;
    double least = 0, most = 0, from = count ? b.series[0].xy[0] : 0;
    double to = count ? b.series[0].xy[2 * count - 2] : 1;
    *stacked = !b.gained;
    if (*stacked)
        most = stack(&b);
    else
        range_of(&b, &least, &most);
    double room = most > least ? 0.05 * (most - least) : 1;
    carom_svg_begin(svg, allocator, WIDTH, HEIGHT, "Energy over time",
                    *stacked ? "Kinetic and potential energy and what impacts and friction took, "
                               "stacked."
                             : "Kinetic and potential energy and the work of impacts, events, "
                               "friction and forces.");
    carom_plot plot =
        carom_plot_make(svg, LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, from,
                        to > from ? to : from + 1, *stacked ? 0 : least - room, most + room, false);
    plot.x_step = carom_picture_step((plot.x_most - plot.x_least) / 6);
    carom_plot_axes(&plot, "", "");
    if (*stacked)
        status = draw_layers(&plot, &b, arena, error);
    for (int s = 0; s < SERIES && !*stacked; s++)
        if (s != FRICTION || b.rough)
            carom_plot_curve(&plot, styles[s], b.series[s].count, b.series[s].xy);
    carom_svg_text(svg, "ink", LEFT + (WIDTH - LEFT - RIGHT) / 2.0, HEIGHT - 9, 'm', 14, 0,
                   "time t");
    carom_svg_text(svg, "ink", 16, TOP + (HEIGHT - TOP - BOTTOM) / 2.0, 'm', 14, -90, "energy");
    return status;
}
