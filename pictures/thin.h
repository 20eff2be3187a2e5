/* Curves of many points without those that an eye would miss. */
#ifndef CAROM_SRC_FIGURE_THIN_H
#define CAROM_SRC_FIGURE_THIN_H

/* Leave out points of a curve in place, as long as it moves by no more than about `tolerance`
 * anywhere; returns how many are left. Both ends stay, and every point that is not finite. */
int carom_thin_curve(int count, double *xy, double tolerance);

#endif
