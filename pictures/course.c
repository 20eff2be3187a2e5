/* Pictures of one's own motions: which there are, and each in a document. */
#include "pictures/course_plot.h"
#include "pictures/course_strobe.h"

#include <stdarg.h>

const char *carom_course_kind_text(carom_course_kind kind)
{
    static const char *const texts[CAROM_COURSE_KINDS] = {"strobe", "trajectory", "phase",
                                                          "energy", "forces",     "section"};
    return texts[kind];
}

/* Eight colours with each of four patterns: every row takes the next pattern. */
#define STYLES(a, b, c, d) "c0" a, "c1" b, "c2" c, "c3" d, "c4" a, "c6" b, "c5" c, "c7" d

const char *carom_course_plot_style(int k)
{
    static const char *const styles[CAROM_COURSE_STYLES] = {
        STYLES("", " dashed", " dashdot", " long"), STYLES(" dashed", " dashdot", " long", ""),
        STYLES(" dashdot", " long", "", " dashed"), STYLES(" long", "", " dashed", " dashdot")};
    return k < CAROM_COURSE_STYLES ? styles[k] : "c7 thin";
}

int carom_course_plot_named(int count, double height)
{
    const int lines = (int)(height / CAROM_PLOT_LEGEND_LINE);
    const int room = lines < CAROM_COURSE_STYLES ? lines : CAROM_COURSE_STYLES;
    return count <= room ? count : room - 1;
}

/* What the reader of the picture should know, for options->note. */
CAROM_PRINTF(2, 3)
static void note(const carom_course_sheet *s, const char *format, ...)
{
    va_list list;
    if (!s->options->note)
        return;
    va_start(list, format);
    carom_text_format_list(s->options->note, CAROM_COURSE_NOTE, format, list);
    va_end(list);
}

void carom_course_plot_more(const carom_course_sheet *s, carom_plot *plot, int named, int count,
                            const char *what, const char *how)
{
    char more[32];
    if (count <= named)
        return;
    carom_text_format(more, sizeof more, "and %d more", count - named);
    carom_plot_legend_name(plot, carom_course_plot_style(CAROM_COURSE_STYLES), sizeof more, more);
    note(s, "%d of %d %s have names in the picture, the others are grey; %s", named, count, what,
         how);
}

static const char *title_of(const carom_course_sheet *s)
{
    return s->course->trace->title ? s->course->trace->title : "Motion";
}

static void write_title(carom_course_sheet *s)
{
    if (!s->options->bare)
        carom_svg_text_label(&s->svg, "ink bold", 20, 24, 's', 15, 0, 64, title_of(s));
}

void carom_course_plot_begin(carom_course_sheet *s, double height, const char *description)
{
    s->top = s->options->bare ? 4 : 40;
    carom_svg_begin(&s->svg, s->allocator, CAROM_COURSE_WIDTH, s->top + height, title_of(s),
                    description);
    write_title(s);
}

static carom_status draw_strobe(carom_course_sheet *s)
{
    if (!carom_course_strobe_possible(s->course))
        return carom_error_set(s->error, CAROM_ERROR_ARGUMENT,
                               "a strobe picture needs `draw` in the scene");
    int left_out = 0;
    carom_status status =
        carom_course_strobe_draw(s->course, s->options->instants, s->options->bare ? 0 : 32,
                                 title_of(s), s->arena, s->allocator, &s->svg, &left_out, s->error);
    if (!status)
        write_title(s);
    if (left_out)
        note(s, "the ways of %d bodies are left out; --what trajectory draws them", left_out);
    return status;
}

carom_status carom_course_draw(const carom_course *course, const carom_course_options *options,
                               const carom_allocator *allocator, char **text, size_t *size,
                               carom_error *error)
{
    static carom_status (*const draw[CAROM_COURSE_KINDS])(carom_course_sheet *) = {
        draw_strobe,
        carom_course_curves_trajectory,
        carom_course_curves_phase,
        carom_course_ledger_energy,
        carom_course_ledger_forces,
        carom_course_section_draw};
    carom_course_sheet s = {
        .course = course, .options = options, .allocator = allocator, .error = error};
    if (options->note)
        options->note[0] = '\0';
    if (course->trace->rows == 0)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the trace holds no rows");
    carom_status status = carom_arena_create(allocator, &s.arena, error);
    if (status)
        return status;
    status = draw[options->kind](&s);
    carom_arena_destroy(s.arena);
    if (status) {
        carom_svg_destroy(&s.svg);
        return status;
    }
    const carom_svg_show show = {
        .cropped = options->bare, .width = options->width, .unit = options->unit};
    return carom_svg_finish(&s.svg, &show, text, size, error);
}
