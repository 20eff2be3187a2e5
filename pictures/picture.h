/* Pictures of reports: velocity space, energy, motion. Each draws into a carom_svg that it begins;
 * the caller finishes it, or destroys it after an error. */
#ifndef CAROM_SRC_FIGURE_PICTURE_H
#define CAROM_SRC_FIGURE_PICTURE_H

#include "pictures/course_series.h"
#include "pictures/outcome_marks.h"
#include "pictures/svg.h"
#include "pictures/velocity_view.h"

/* The name of an axis of a view: a contact's gradient, a coordinate, or a plain word. */
void carom_picture_axis_name(const carom_report_impact *report, const carom_velocity_view *view,
                             int axis, char *text, size_t size);

/* The name of the velocity before the impact: relative to the contacts when they move. */
const char *carom_picture_before(const carom_report_impact *report);

/* Points with letters beside them that keep clear of each other. */
typedef struct carom_picture_labels {
    int count;
    double x[64], y[64]; /* points and labels so far, pixels */
} carom_picture_labels;

void carom_picture_label(carom_picture_labels *labels, carom_svg *svg, const char *style, double x,
                         double y, const char *text);

/* Remember a point that labels should keep clear of. */
void carom_picture_avoid(carom_picture_labels *labels, double x, double y);

/* A round distance of ticks, 1, 2 or 5 times a power of ten, from `wanted` > 0 on. */
double carom_picture_step(double wanted);

/* Clip a convex polygon (count pairs, room for count + 1 in out) by normal'c >= bound. */
int carom_picture_clip(int count, const double *in, const double *normal, double bound,
                       double *out);

/* What a picture of velocity space came to show, for its key. */
typedef struct carom_picture_parts {
    bool T, T_perp, reach, S, z_sphere, half_sphere, projected;
} carom_picture_parts;

/* picture_plane.c: a slice with two directions (or one). close: only the part with the outcomes,
 * which is worth a picture when they are crowded. */
carom_status carom_picture_plane(const carom_report_impact *report, const carom_velocity_view *view,
                                 const carom_outcome_marks *marks, bool close, carom_arena *arena,
                                 const carom_allocator *allocator, carom_svg *svg,
                                 carom_picture_parts *parts, carom_error *error);
bool carom_picture_plane_crowded(const carom_velocity_view *view, const carom_outcome_marks *marks);

/* picture_space.c: a slice with three. */
carom_status carom_picture_space(const carom_report_impact *report, const carom_velocity_view *view,
                                 const carom_outcome_marks *marks, carom_arena *arena,
                                 const carom_allocator *allocator, carom_svg *svg,
                                 carom_picture_parts *parts, carom_error *error);

/* picture_energy.c: bars of the energy after the impact, one per law. */
void carom_picture_energy(const carom_report_impact *report, const carom_outcome_marks *marks,
                          const carom_allocator *allocator, carom_svg *svg);

/* picture_motion.c: a curve with the times of impacts along the bottom (none in a phase plane). */
void carom_picture_motion(const carom_trace *trace, const carom_course_curve *curve, bool phase,
                          const char *x_name, const char *y_name, const char *style,
                          const carom_allocator *allocator, carom_svg *svg);

/* picture_ledger.c: the energy ledger over time, stacked where nothing was gained, else as curves.
 * *stacked says which. */
carom_status carom_picture_ledger(const carom_trace *trace, double initial, carom_arena *arena,
                                  const carom_allocator *allocator, carom_svg *svg, bool *stacked,
                                  carom_error *error);

#endif
