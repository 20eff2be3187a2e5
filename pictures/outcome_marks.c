#include "pictures/outcome_marks.h"

#include <math.h>

/* The same velocity to the eye and to six digits. */
static const double same = 1e-7;

static int find(const carom_report_impact *report, carom_outcome_marks *marks, const double *u,
                double *work)
{
    const carom_geometry *g = report->geometry;
    int n = g->impact->n;
    for (int k = 0; k < marks->count; k++) {
        for (int i = 0; i < n; i++)
            work[i] = u[i] - marks->u[k][i];
        if (sqrt(fmax(0, carom_geometry_dot(g, work, work))) <= same * g->speed)
            return k;
    }
    marks->u[marks->count] = u;
    return marks->count++;
}

carom_status carom_outcome_marks_find(const carom_report_impact *report, carom_arena *arena,
                                      carom_outcome_marks *marks, carom_error *error)
{
    size_t total = 0, entries = (size_t)report->count;
    for (int e = 0; e < report->count; e++)
        total += 1 + (size_t)report->entries[e].outcome->alternative_count;
    *marks = (carom_outcome_marks){0};
    marks->u = carom_arena_array(arena, total, sizeof *marks->u);
    marks->start = carom_arena_array(arena, entries + 1, sizeof(int));
    marks->mark = carom_arena_array(arena, total, sizeof(int));
    double *work = carom_arena_doubles(arena, (size_t)report->geometry->impact->n);
    if (!marks->u || !marks->start || !marks->mark || !work)
        return carom_error_memory(error);
    int used = 0;
    for (int e = 0; e < report->count; e++) {
        const carom_outcome *o = report->entries[e].outcome;
        bool exists = o->answer == CAROM_ANSWER_OK || o->answer == CAROM_ANSWER_SEVERAL;
        marks->start[e] = used;
        marks->mark[used++] = exists ? find(report, marks, o->u, work) : -1;
        for (int a = 0; a < o->alternative_count; a++)
            marks->mark[used++] = exists ? find(report, marks, o->alternatives[a].u, work) : -1;
    }
    marks->start[report->count] = used;
    return CAROM_OK;
}

const char *carom_outcome_marks_letter(int mark, char *text)
{
    int length = 0;
    if (mark >= 26)
        text[length++] = (char)('A' + mark / 26 % 26 - 1 + (mark / 26 % 26 == 0 ? 26 : 0));
    text[length++] = (char)('A' + mark % 26);
    text[length] = '\0';
    return text;
}
