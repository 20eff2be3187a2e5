/* Letters for outcomes: laws that lead to the same velocity share one. */
#ifndef CAROM_SRC_FIGURE_OUTCOME_MARKS_H
#define CAROM_SRC_FIGURE_OUTCOME_MARKS_H

#include "pictures/report.h"

typedef struct carom_outcome_marks {
    int count;        /* distinct velocities */
    const double **u; /* count */
    int *start;       /* entries + 1: where an entry's velocities begin in mark */
    double *scale;    /* n, size of each component */
    int *mark;        /* mark of each velocity: an entry's own, then its alternatives; -1: none */
} carom_outcome_marks;

carom_status carom_outcome_marks_find(const carom_report_impact *report, carom_arena *arena,
                                      carom_outcome_marks *marks, carom_error *error);

/* "A" ... "Z", "AA" ...; text: room for 4. */
const char *carom_outcome_marks_letter(int mark, char *text);

#endif
