/* Letters for outcomes: which laws lead to the same velocity. */
#include "pictures/outcome_marks.h"

#include <math.h>

/* The same velocity to six digits of each component: what a light body does counts as much as what
 * a heavy one does. */
static const double same = 1e-6;

static int find(carom_outcome_marks *marks, int n, const double *u)
{
    for (int k = 0; k < marks->count; k++) {
        bool equal = true;
        for (int i = 0; i < n && equal; i++)
            equal = fabs(u[i] - marks->u[k][i]) <= same * marks->scale[i];
        if (equal)
            return k;
    }
    marks->u[marks->count] = u;
    return marks->count++;
}

/* The largest value of each component, before the impact and after it by any law. */
static void find_scale(const carom_report_impact *report, double *scale)
{
    int n = report->geometry->impact->n;
    for (int i = 0; i < n; i++)
        scale[i] = fabs(report->geometry->impact->u[i]);
    for (int e = 0; e < report->count; e++) {
        const carom_outcome *o = report->entries[e].outcome;
        bool exists = o->answer == CAROM_ANSWER_OK || o->answer == CAROM_ANSWER_SEVERAL;
        for (int a = -1; exists && a < o->alternative_count; a++)
            for (int i = 0; i < n; i++)
                scale[i] = fmax(scale[i], fabs(a < 0 ? o->u[i] : o->alternatives[a].u[i]));
    }
    double most = 0; /* and what is rounding beside all others */
    for (int i = 0; i < n; i++)
        most = fmax(most, scale[i]);
    for (int i = 0; i < n; i++)
        scale[i] = fmax(scale[i], 1e-7 * most);
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
    int n = report->geometry->impact->n;
    marks->scale = carom_arena_doubles(arena, (size_t)n);
    if (!marks->u || !marks->start || !marks->mark || !marks->scale)
        return carom_error_memory(error);
    find_scale(report, marks->scale);
    int used = 0;
    for (int e = 0; e < report->count; e++) {
        const carom_outcome *o = report->entries[e].outcome;
        bool exists = o->answer == CAROM_ANSWER_OK || o->answer == CAROM_ANSWER_SEVERAL;
        marks->start[e] = used;
        marks->mark[used++] = exists ? find(marks, n, o->u) : -1;
        for (int a = 0; a < o->alternative_count; a++)
            marks->mark[used++] = exists ? find(marks, n, o->alternatives[a].u) : -1;
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
