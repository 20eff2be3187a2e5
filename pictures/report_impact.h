/* The page of an impact, shared by the files that write its parts. */
#ifndef CAROM_SRC_FIGURE_REPORT_IMPACT_H
#define CAROM_SRC_FIGURE_REPORT_IMPACT_H

#include "pictures/outcome_groups.h"
#include "pictures/report_scene.h"

typedef struct carom_report_sheet {
    const carom_report_impact *report;
    const carom_geometry *g;
    const carom_impact *impact;
    carom_page *page;
    carom_arena *arena;
    carom_outcome_marks marks;
    carom_outcome_groups groups; /* rows of the table of outcomes */
    carom_error *error;
} carom_report_sheet;

/* Largest absolute value of finite numbers, for the scale of what is shown. */
double carom_report_impact_largest(int count, const double *values);
/* Do contacts or joints move? */
bool carom_report_impact_moving(const carom_report_sheet *sheet);

/* (a, b, c), cut after some. */
void carom_report_impact_list(carom_page *page, int count, const double *values, double scale);

/* report_impact_views.c: velocity space, energy, which laws a letter stands for. */
carom_status carom_report_impact_views(carom_report_sheet *sheet);

/* report_impact_details.c: impulses, the laws; the statement; certificates. */
carom_status carom_report_impact_details_laws(carom_report_sheet *sheet);
void carom_report_impact_details_statement(carom_report_sheet *sheet);
void carom_report_impact_details_certificates(carom_report_sheet *sheet);

#endif
