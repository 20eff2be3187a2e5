/* The list of figures, and each drawn between its heading and its caption. */
#include "pictures/drawing.h"

#include <stdio.h>
#include <string.h>

static const carom_drawing_entry *const tables[] = {
    carom_figures_g2,         carom_figures_g4,     carom_figures_g4_geodesic,
    carom_figures_g4_outcome, carom_figures_np,     carom_figures_b,
    carom_figures_b_map,      carom_figures_b_gain, carom_figures_p};
enum { TABLES = sizeof tables / sizeof *tables };

static const carom_drawing_entry *entry_at(int index)
{
    for (int t = 0; t < TABLES && index >= 0; t++)
        for (const carom_drawing_entry *e = tables[t]; e->figure.name; e++)
            if (index-- == 0)
                return e;
    return NULL;
}

static const carom_drawing_entry *entry_find(const char *name)
{
    const carom_drawing_entry *e;
    for (int k = 0; (e = entry_at(k)); k++)
        if (strcmp(e->figure.name, name) == 0)
            return e;
    return NULL;
}

int carom_figure_count(void)
{
    int count = 0;
    while (entry_at(count))
        count++;
    return count;
}

const carom_figure *carom_figure_at(int index)
{
    const carom_drawing_entry *e = entry_at(index);
    return e ? &e->figure : NULL;
}

const carom_figure *carom_figure_find(const char *name)
{
    const carom_drawing_entry *e = entry_find(name);
    return e ? &e->figure : NULL;
}

/* Heading, drawing, caption; bare: the drawing alone. */
static carom_status draw(carom_drawing *d, const carom_drawing_entry *e, bool bare,
                         const carom_allocator *allocator, carom_error *error)
{
    const double line = CAROM_PLOT_CAPTION_LINE, width = CAROM_DRAWING_WIDTH;
    char caption[1024];
    snprintf(caption, sizeof caption, "%s Source: %s.", e->caption, e->figure.source);
    double foot = CAROM_DRAWING_TOP + e->height + 22;
    double height = foot + line * (carom_plot_caption_lines(width, caption) - 1) + 14;
    carom_svg_begin(&d->svg, allocator, width, height, e->figure.title, caption);
    if (!bare)
        carom_svg_text(&d->svg, "ink bold", 20, 24, 's', 15, 0, e->figure.title);
    carom_status status = e->draw(d, error);
    if (!status && !bare)
        carom_plot_caption(&d->svg, foot, caption);
    return status;
}

carom_status carom_figure_draw(const char *name, const carom_figure_options *options,
                               const carom_allocator *allocator, char **text, size_t *size,
                               carom_error *error)
{
    const carom_drawing_entry *e = entry_find(name);
    if (!e)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "no figure is called '%s'", name);
    const carom_figure_options how = options ? *options : (carom_figure_options){0};
    carom_drawing d = {0};
    carom_status status = carom_arena_create(allocator, &d.arena, error);
    if (status)
        return status;
    status = draw(&d, e, how.bare, allocator, error);
    while (d.scene_count > 0)
        carom_scene_destroy(d.scenes[--d.scene_count]);
    carom_arena_destroy(d.arena);
    if (status) {
        carom_svg_destroy(&d.svg);
        return status;
    }
    const carom_svg_show show = {.cropped = how.bare, .width = how.width, .unit = how.unit};
    return carom_svg_finish(&d.svg, &show, text, size, error);
}
