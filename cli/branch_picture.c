/* The picture of a branch: a quantity of the section point over the parameter. */
#include "branch_picture.h"

#include "picture.h"
#include "pictures/dynamics.h"

#include <stdlib.h>

/* Numbers of the picture, all in the branch's arena. */
typedef struct sheet {
    const cli_branch *branch;
    double *xy;
    carom_dynamics_curve *curves;
    int curve_count;
    carom_dynamics_mark *marks;
    int mark_count;
} sheet;

/* Curves of one kind of stability; neighbours share the event between them. */
static void collect(sheet *s)
{
    carom_dynamics_curve *now = NULL;
    double *at = s->xy;
    for (int k = 0; k < s->branch->count; k++) {
        const cli_branch_row *row = &s->branch->rows[k];
        const double x = row->parameter, y = row->plotted;
        if (row->is_event && row->kind != CAROM_ORBIT_END)
            s->marks[s->mark_count++] = (carom_dynamics_mark){x, y, row->kind};
        if (row->is_event && !now)
            continue;
        if (!row->is_event && (!now || now->dashed == row->stable)) {
            const double *last = now ? now->xy + 2 * (now->count - 1) : NULL;
            now = &s->curves[s->curve_count++];
            *now = (carom_dynamics_curve){.xy = at, .dashed = !row->stable};
            if (last) { /* no gap between the parts */
                at[0] = last[0];
                at[1] = last[1];
                at += 2;
                now->count = 1;
            }
        }
        at[0] = x;
        at[1] = y;
        at += 2;
        now->count++;
    }
}

int cli_branch_picture(const cli_arguments *arguments, const cli_branch *b, const char *quantity,
                       const char *path)
{
    const size_t count = (size_t)b->count;
    sheet s = {.branch = b};
    carom_error error = {0};
    char unit[4], *text;
    size_t size;
    carom_dynamics d = {.title = b->orbit->content->title,
                        .x = b->parameter,
                        .y = quantity,
                        .full = "stable",
                        .broken = "unstable",
                        .unit = unit};
    int status = cli_picture_width(arguments, &d.width, unit);
    if (status)
        return status;
    s.xy = carom_arena_doubles(b->arena, 4 * count + 4);
    s.curves = carom_arena_array(b->arena, count + 1, sizeof *s.curves);
    s.marks = carom_arena_array(b->arena, count + 1, sizeof *s.marks);
    if (!s.xy || !s.curves || !s.marks)
        return cli_message_memory();
    collect(&s);
    d.curves = s.curves;
    d.curve_count = s.curve_count;
    d.marks = s.marks;
    d.mark_count = s.mark_count;
    for (int k = 0; k < CAROM_ORBIT_END; k++)
        d.kinds[k] = carom_orbit_event_text((carom_orbit_event_kind)k);
    if (carom_dynamics_draw(&d, NULL, &text, &size, &error))
        return cli_message_error(NULL, &error);
    status = cli_picture_write(arguments, path, text, size);
    free(text);
    return status;
}
