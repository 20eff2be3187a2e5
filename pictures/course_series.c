/* Quantities along a motion: moments, columns of tables, ranges. */
#include "pictures/course_series.h"

#include <math.h>
#include <string.h>

const char *carom_course_name(const carom_trace_table *table, int j)
{
    return table->names && table->names[j] ? table->names[j] : "";
}

int carom_course_find(const carom_trace_table *table, const char *name)
{
    for (int j = 0; j < table->columns; j++)
        if (strcmp(carom_course_name(table, j), name) == 0)
            return j;
    return -1;
}

bool carom_course_is_of_scene(const carom_course *course)
{
    const carom_scene_content *content = course->scene ? carom_scene_get(course->scene) : NULL;
    const carom_system_shape *shape =
        content && content->system ? carom_system_get_shape(content->system) : NULL;
    return shape && course->trace->position.columns == shape->nq &&
           course->trace->velocity.columns == shape->n && course->trace->gap.columns == shape->p;
}

static void add_moment(carom_course_moments *m, double t, const double *q, const double *u,
                       long row)
{
    m->t[m->count] = t;
    m->q[m->count] = q;
    m->u[m->count] = u;
    m->row[m->count++] = row;
}

/* What jumps between rows: impacts and events of the system, merged in the order of time. */
typedef struct jumps {
    const carom_trace *trace;
    long impact, instant; /* the next ones */
    bool shown;
} jumps;

static const double *row_of(const carom_trace_table *table, long k)
{
    return table->values + (size_t)k * (size_t)table->columns;
}

/* Both sides of all jumps up to a time: a row of that instant shows what is after them. */
static void add_jumps(jumps *j, double until, long row, carom_course_moments *m)
{
    const carom_trace *trace = j->trace;
    while (j->shown) {
        double impact = j->impact < trace->impacts ? trace->impact_t[j->impact] : INFINITY;
        double instant = j->instant < trace->instants ? trace->instant_t[j->instant] : INFINITY;
        if (fmin(impact, instant) > until || (isinf(impact) && isinf(instant)))
            return;
        if (instant <= impact) { /* impacts of that instant come after what the event sets */
            long k = j->instant++;
            add_moment(m, instant, row_of(&trace->instant_position_before, k),
                       row_of(&trace->instant_before, k), row);
            add_moment(m, instant, row_of(&trace->instant_position, k),
                       row_of(&trace->instant_after, k), row);
        } else {
            long k = j->impact++;
            const double *q = row_of(&trace->impact_position, k);
            add_moment(m, impact, q, row_of(&trace->impact_before, k), row);
            add_moment(m, impact, q, row_of(&trace->impact_after, k), row);
        }
    }
}

carom_status carom_course_moments_room(size_t room, carom_arena *arena, carom_course_moments *m,
                                       carom_error *error)
{
    *m = (carom_course_moments){.t = carom_arena_doubles(arena, room),
                                .q = carom_arena_array(arena, room, sizeof *m->q),
                                .u = carom_arena_array(arena, room, sizeof *m->u),
                                .row = carom_arena_array(arena, room, sizeof *m->row)};
    return m->t && m->q && m->u && m->row ? CAROM_OK : carom_error_memory(error);
}

carom_status carom_course_moments_make(const carom_trace *trace, int most, carom_arena *arena,
                                       carom_course_moments *m, carom_error *error)
{
    long stride = trace->rows > most ? (trace->rows + most - 1) / most : 1;
    /* jumps that were thinned would mislead, and too many hide everything */
    jumps j = {.trace = trace,
               .shown = trace->impacts + trace->instants <= most &&
                        trace->all_impacts == trace->impacts &&
                        (trace->impacts == 0 ||
                         (trace->impact_position.columns == trace->position.columns &&
                          trace->impact_before.columns == trace->velocity.columns))};
    size_t room = (size_t)(trace->rows / stride + 2) +
                  (j.shown ? 2 * (size_t)(trace->impacts + trace->instants) : 0);
    carom_status status = carom_course_moments_room(room, arena, m, error);
    if (status)
        return status;
    m->jumps_left_out = !j.shown;
    m->thinned = stride > 1 || !j.shown;
    for (long k = 0; k < trace->rows;
         k = k + stride < trace->rows || k == trace->rows - 1 ? k + stride : trace->rows - 1) {
        add_jumps(&j, trace->t[k], k ? k - 1 : 0, m);
        add_moment(m, trace->t[k], row_of(&trace->position, k), row_of(&trace->velocity, k), k);
    }
    add_jumps(&j, INFINITY, trace->rows ? trace->rows - 1 : 0, m);
    return CAROM_OK;
}

carom_status carom_course_column(const carom_trace *trace, const carom_trace_table *table, int j,
                                 int most, carom_arena *arena, carom_course_curve *curve,
                                 carom_error *error)
{
    long stride = trace->rows > most ? (trace->rows + most - 1) / most : 1;
    *curve =
        (carom_course_curve){0, carom_arena_doubles(arena, 2 * (size_t)(trace->rows / stride + 2))};
    if (!curve->xy)
        return carom_error_memory(error);
    for (long k = 0; k < trace->rows;
         k = k + stride < trace->rows || k == trace->rows - 1 ? k + stride : trace->rows - 1) {
        curve->xy[2 * curve->count] = trace->t[k];
        curve->xy[2 * curve->count++ + 1] =
            table->values[(size_t)k * (size_t)table->columns + (size_t)j];
    }
    return CAROM_OK;
}

carom_status carom_course_pair(const carom_course_moments *m, const double *x, const double *y,
                               carom_arena *arena, carom_course_curve *curve, carom_error *error)
{
    *curve = (carom_course_curve){m->count, carom_arena_doubles(arena, 2 * (size_t)m->count + 2)};
    if (!curve->xy)
        return carom_error_memory(error);
    for (int k = 0; k < m->count; k++) {
        curve->xy[2 * k] = x[k];
        curve->xy[2 * k + 1] = y[k];
    }
    return CAROM_OK;
}

bool carom_course_range(int count, const double *xy, int column, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int k = 0; k < count; k++) {
        double value = xy[2 * k + column];
        if (isfinite(value)) {
            *least = fmin(*least, value);
            *most = fmax(*most, value);
        }
    }
    if (*least <= *most)
        return true;
    *least = *most = 0;
    return false;
}
