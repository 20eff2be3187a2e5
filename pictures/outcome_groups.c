/* Which laws share an outcome: one row of a table for all of them. */
#include "pictures/outcome_groups.h"

#include <math.h>
#include <string.h>

static bool exists(const carom_outcome *o)
{
    return o->answer == CAROM_ANSWER_OK || o->answer == CAROM_ANSWER_SEVERAL;
}

static bool same_numbers(int count, const double *a, const double *b)
{
    const double digits = 1e-6; /* as many as tables show */
    double most = 0;
    if (!a || !b)
        return a == b;
    for (int i = 0; i < count; i++)
        most = fmax(most, fmax(fabs(a[i]), fabs(b[i])));
    for (int i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > digits * most)
            return false;
    return true;
}

static bool same_impulses(const carom_geometry *g, const carom_outcome *a, const carom_outcome *b)
{
    if (!same_numbers(g->impact->p, a->impulse, b->impulse) ||
        !same_numbers(g->s, a->tangential_impulse, b->tangential_impulse))
        return false;
    for (int i = 0; a->mode && b->mode && i < g->impact->p; i++)
        if (a->mode[i] != b->mode[i])
            return false;
    return !a->mode == !b->mode;
}

static bool same_outcome(const carom_report_impact *report, const carom_outcome *a,
                         const carom_outcome *b, bool impulses)
{
    if (!exists(a) || !exists(b))
        return a->answer == b->answer && strcmp(a->message, b->message) == 0;
    return a->verdict.kinematic == b->verdict.kinematic &&
           a->verdict.kinetic == b->verdict.kinetic &&
           a->verdict.energetic == b->verdict.energetic &&
           (!impulses || same_impulses(report->geometry, a, b));
}

static const carom_outcome *outcome_at(const carom_report_impact *report, carom_outcome_member m)
{
    const carom_outcome *o = report->entries[m.entry].outcome;
    return m.alternative < 0 ? o : &o->alternatives[m.alternative];
}

/* Put a member into the first group it belongs to; `of` says which one. */
static int place(const carom_report_impact *report, carom_outcome_groups *groups, int mark,
                 carom_outcome_member member, bool impulses)
{
    const carom_outcome *o = outcome_at(report, member);
    for (int k = 0; k < groups->count; k++)
        if (groups->list[k].mark == mark &&
            same_outcome(report, groups->list[k].outcome, o, impulses))
            return k;
    groups->list[groups->count] = (carom_outcome_group){.mark = mark, .outcome = o};
    return groups->count++;
}

/* Groups in the order of their letters, those without an outcome last; few, so by insertion. */
static void sort_groups(carom_outcome_groups *groups, int total, int *of)
{
    for (int k = 1; k < groups->count; k++)
        for (int j = k; j > 0; j--) {
            carom_outcome_group *a = &groups->list[j - 1], *b = &groups->list[j];
            if (b->mark < 0 || (a->mark >= 0 && a->mark <= b->mark))
                break;
            carom_outcome_group kept = *a;
            *a = *b;
            *b = kept;
            for (int m = 0; m < total; m++)
                of[m] = of[m] == j ? j - 1 : of[m] == j - 1 ? j : of[m];
        }
}

carom_status carom_outcome_groups_find(const carom_report_impact *report,
                                       const carom_outcome_marks *marks, bool impulses,
                                       carom_arena *arena, carom_outcome_groups *groups,
                                       carom_error *error)
{
    int total = marks->start[report->count], used = 0;
    size_t room = (size_t)total + 1;
    int *of = carom_arena_array(arena, room, sizeof *of);
    carom_outcome_member *all = carom_arena_array(arena, room, sizeof *all);
    *groups =
        (carom_outcome_groups){.list = carom_arena_array(arena, room, sizeof *groups->list),
                               .members = carom_arena_array(arena, room, sizeof *groups->members)};
    if (!of || !all || !groups->list || !groups->members)
        return carom_error_memory(error);
    for (int e = 0; e < report->count; e++)
        for (int j = marks->start[e]; j < marks->start[e + 1]; j++) {
            all[j] = (carom_outcome_member){e, j - marks->start[e] - 1};
            of[j] = marks->mark[j] < 0 && all[j].alternative >= 0
                        ? -1 /* alternatives to no outcome are none */
                        : place(report, groups, marks->mark[j], all[j], impulses);
        }
    sort_groups(groups, total, of);
    for (int k = 0; k < groups->count; k++) {
        groups->list[k].first = used;
        for (int j = 0; j < total; j++)
            if (of[j] == k)
                groups->members[used++] = all[j];
        groups->list[k].count = used - groups->list[k].first;
    }
    return CAROM_OK;
}

void carom_outcome_groups_laws(const carom_report_impact *report,
                               const carom_outcome_groups *groups, const carom_outcome_group *group,
                               carom_page *page)
{
    for (int k = 0; k < group->count; k++) {
        carom_outcome_member m = groups->members[group->first + k];
        const carom_report_entry *entry = &report->entries[m.entry];
        bool several = m.alternative < 0 && entry->outcome->answer == CAROM_ANSWER_SEVERAL;
        carom_page_raw(page, k ? ", " : "");
        carom_page_name(page, entry->label);
        carom_page_raw(page, m.alternative >= 0 ? " <span class=\"none\">(or)</span>"
                             : several          ? " <span class=\"none\">(several)</span>"
                                                : "");
    }
}
