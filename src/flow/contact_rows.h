/* Rows and columns of the motion for contacts whose modes are known: independent rows, all columns
 * that carry force, and the distribution of hyperstatic forces (docs/theory/hyperstatic.md). */
#ifndef CAROM_SRC_FLOW_CONTACT_ROWS_H
#define CAROM_SRC_FLOW_CONTACT_ROWS_H

#include "flow/contact_parts.h"

/* Fill rows, columns, implied of the motion for joints and the candidates flagged in parts->closed,
 * parts->stuck. */
void carom_contact_rows_choose(const carom_contact_parts *parts);

/* Distribute the forces among the columns chosen: true when they can keep to their cones but for
 * a part of the largest, 1e-9, or 1e-11 where the rows determine the forces, unless blunt. parts->x
 * is the distribution; when found parts->w is zero on the rows chosen, the motion follows it, and
 * what is watched (motion->slack) allows four times that part. */
bool carom_contact_rows_distribute(carom_contact_parts *parts, bool blunt);

/* Let the motion follow the forces x of the parts where its rows do not determine them. */
void carom_contact_rows_follow(const carom_contact_parts *parts);

#endif
