/* The page of a motion, shared by the files that write its parts. */
#ifndef CAROM_SRC_FIGURE_REPORT_MOTION_H
#define CAROM_SRC_FIGURE_REPORT_MOTION_H

#include "pictures/course_series.h"
#include "pictures/page.h"
#include "pictures/report.h"

typedef struct carom_report_motion_sheet {
    const carom_report_motion *report;
    const carom_system_shape *shape;
    const carom_flow_result *result;
    const carom_trace *trace;
    carom_course course;
    carom_course_moments moments;
    carom_page *page;
    carom_arena *arena;
    carom_error *error;
} carom_report_motion_sheet;

/* report_motion_curves.c: the strobe picture; coordinates, velocities, phase planes and gaps. */
carom_status carom_report_motion_curves_strobe(carom_report_motion_sheet *sheet);
carom_status carom_report_motion_curves(carom_report_motion_sheet *sheet);

#endif
