/* The answer to "is it in the set?" from its three numbers. */
#ifndef CAROM_SRC_IMPACT_MEMBERSHIP_H
#define CAROM_SRC_IMPACT_MEMBERSHIP_H

#include "carom/admissible.h"

#include <math.h>

/* From the gaps, which count as none up to `allowed`; the worst is named. */
static inline void carom_membership_judge(carom_membership *m, double allowed)
{
    m->kinetic = m->kinetic_gap <= allowed;
    m->kinematic = m->kinematic_gap <= allowed;
    m->energetic = m->energy_gap <= allowed;
    m->inside = m->kinetic && m->kinematic && m->energetic;
    m->violated = m->inside                                                 ? NULL
                  : m->kinetic_gap >= fmax(m->kinematic_gap, m->energy_gap) ? "kinetic"
                  : m->kinematic_gap >= m->energy_gap                       ? "kinematic"
                                                                            : "energetic";
}

#endif
