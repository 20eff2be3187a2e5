/* Outcomes that are the same, with the laws that lead to them: one row of a table each. */
#ifndef CAROM_SRC_FIGURE_OUTCOME_GROUPS_H
#define CAROM_SRC_FIGURE_OUTCOME_GROUPS_H

#include "pictures/outcome_marks.h"
#include "pictures/page.h"

/* One law in a group: entry e of the report, its own outcome (-1) or an alternative. */
typedef struct carom_outcome_member {
    int entry, alternative;
} carom_outcome_member;

typedef struct carom_outcome_group {
    int mark;                     /* of the velocity, -1: no outcome */
    const carom_outcome *outcome; /* of the first member */
    int first, count;             /* members */
} carom_outcome_group;

typedef struct carom_outcome_groups {
    int count;
    carom_outcome_group *list; /* outcomes by their letters, laws without one last */
    carom_outcome_member *members;
} carom_outcome_groups;

/* Group by velocity and verdicts; impulses: by impulses and modes too. Laws without an outcome
 * stand together when they say the same. */
carom_status carom_outcome_groups_find(const carom_report_impact *report,
                                       const carom_outcome_marks *marks, bool impulses,
                                       carom_arena *arena, carom_outcome_groups *groups,
                                       carom_error *error);

/* "newton, moreau, breakable (or)" */
void carom_outcome_groups_laws(const carom_report_impact *report,
                               const carom_outcome_groups *groups, const carom_outcome_group *group,
                               carom_page *page);

#endif
