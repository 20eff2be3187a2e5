/* Contacts that approach: laws for one contact at a time ask which it is. */
#ifndef CAROM_SRC_LAW_SINGLE_H
#define CAROM_SRC_LAW_SINGLE_H

#include "carom/impact.h"

/* The one contact that approaches. -1 when the outcome is already decided and said: nothing
 * approaches (u+ = u-), several do, the joints block the contact, or the contacts are not plain. */
int carom_single_find(const carom_geometry *geometry, const char *law, carom_outcome *outcome);

/* Say, after the impulses are in, which closed contacts the outcome drives into each other. */
void carom_single_say_pressed(const carom_geometry *geometry, carom_outcome *outcome);

#endif
