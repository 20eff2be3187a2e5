/* Is what a friction problem counts there? Cheap: no number is looked at. */
#ifndef CAROM_SRC_SOLVER_FRICTION_GIVEN_H
#define CAROM_SRC_SOLVER_FRICTION_GIVEN_H

#include "carom/friction.h"
#include "carom/need.h"

static inline carom_status carom_friction_given(const carom_friction_problem *problem,
                                                carom_error *error)
{
    const carom_friction_blocks *blocks = &problem->blocks;
    const carom_friction_bodies *bodies = &problem->bodies;
    const int contacts = problem->contacts;
    if (contacts <= 0)
        return CAROM_OK;
    CAROM_NEED_LIST(error, contacts, problem->q);
    if (problem->form == CAROM_FRICTION_DENSE)
        CAROM_NEED_LIST(error, contacts, problem->W);
    else if (problem->form == CAROM_FRICTION_BLOCKS) {
        CAROM_NEED_LIST(error, contacts, blocks->start);
        CAROM_NEED_LIST(error, contacts, blocks->column);
        CAROM_NEED_LIST(error, contacts, blocks->value);
    } else if (problem->form == CAROM_FRICTION_BODIES) {
        CAROM_NEED_LIST(error, contacts, bodies->start);
        CAROM_NEED_LIST(error, bodies->count, bodies->M);
        CAROM_NEED_LIST(error, bodies->start[contacts], bodies->body);
        CAROM_NEED_LIST(error, bodies->start[contacts], bodies->H);
    }
    return CAROM_OK;
}

#endif
