/* Pictures of one's own motions: which there are, and each in a document. */
#include "pictures/course_plot.h"
#include "pictures/course_strobe.h"

const char *carom_course_kind_text(carom_course_kind kind)
{
    static const char *const texts[CAROM_COURSE_KINDS] = {"strobe", "trajectory", "phase",
                                                          "energy", "forces",     "section"};
    return texts[kind];
}

const char *carom_course_plot_style(int k)
{
    static const char *const styles[] = {"c0", "c1 dashed", "c2 dashdot", "c3 long",
                                         "c4", "c6 dashed", "c5 dashdot", "c7 long"};
    return styles[k % 8];
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
    carom_status status =
        carom_course_strobe_draw(s->course, s->options->instants, s->options->bare ? 0 : 32,
                                 title_of(s), s->arena, s->allocator, &s->svg, s->error);
    if (!status)
        write_title(s);
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
