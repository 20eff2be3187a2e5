/* Reports: an impact or a motion as one self-contained HTML page with tables and pictures.
 *
 * Pages load nothing, follow the reader's light or dark background, print well, and are the same
 * bytes every time for the same answer (docs/guide/reports.md). */
#ifndef CAROM_REPORT_H
#define CAROM_REPORT_H

#include "carom/certify.h"
#include "carom/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One law in the report of an impact. Pointers are borrowed. */
typedef struct carom_report_entry {
    const char *label; /* "newton", "path:stronge" */
    const carom_law *law;
    const carom_outcome *outcome;
    const char *promise; /* what theory promises (carom_law_promise); NULL or "": nothing */
} carom_report_entry;

enum { CAROM_REPORT_AXES = 3 };

/* What was asked: shown at the end of a report. */
typedef struct carom_report_scene {
    const char *text; /* of the scene's file; NULL: none */
    int parameter_count;
    const carom_scene_parameter *parameters;
    int set_count;
    const char *const *sets; /* overrides, "name=value" */
} carom_report_scene;

/* What the report of an impact shows. Pointers are borrowed. */
typedef struct carom_report_impact {
    const char *title;  /* NULL: none */
    const char *source; /* file the impact came from; NULL: none */
    const carom_geometry *geometry;
    const char *const *coordinates; /* n names of velocities, "x'" */
    const char *const *contacts;    /* p names */
    int count;
    const carom_report_entry *entries;
    const carom_certificates *certificates; /* NULL: none */
    int axis_count;                         /* 0: chosen; 2 or 3: coordinates that span the picture
                                               of velocity space */
    int axes[CAROM_REPORT_AXES];            /* their numbers, all different */
    carom_report_scene scene;
} carom_report_impact;

/* Write the page: *text, zero-terminated, *size bytes without the zero, is taken from the allocator
 * (NULL: the C library's) and belongs to the caller. */
carom_status carom_report_impact_write(const carom_report_impact *report,
                                       const carom_allocator *allocator, char **text, size_t *size,
                                       carom_error *error);

/* The picture of velocity space alone, as SVG: cones, spheres, the outcomes with the laws that lead
 * to them. bare: without its key, cut at what is drawn; width in `unit` ("mm", "cm", "in", "pt";
 * NULL or "": pixels), 0: its own. */
carom_status carom_report_impact_picture(const carom_report_impact *report, bool bare, double width,
                                         const char *unit, const carom_allocator *allocator,
                                         char **text, size_t *size, carom_error *error);

/* What the report of a motion shows. Pointers are borrowed. */
typedef struct carom_report_motion {
    const char *title;       /* NULL: none */
    const char *source;      /* file of the scene; NULL: none */
    const char *file;        /* of the trace; NULL: none */
    unsigned long long hash; /* of the trace (carom_trace_finish) */
    const carom_system *system;
    const carom_law *law;
    const carom_flow_options *options;
    const carom_flow_result *result;
    const carom_trace *trace; /* what is drawn */
    carom_scene *shapes;      /* the scene, for its drawing; NULL: none */
    carom_report_scene scene;
} carom_report_motion;

/* The contacts of an impact as they are told: those that carry an impulse, the largest first; all
 * when none does. Numbers into impact->contacts, which has room for them; returns how many. */
int carom_report_motion_struck(const carom_flow_impact *impact, int *order);

/* Write the page, as carom_report_impact_write does. */
carom_status carom_report_motion_write(const carom_report_motion *report,
                                       const carom_allocator *allocator, char **text, size_t *size,
                                       carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
