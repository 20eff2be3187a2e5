/* Is what a run has found a solution? */
#ifndef CAROM_SRC_SOLVER_FRICTION_VERDICT_H
#define CAROM_SRC_SOLVER_FRICTION_VERDICT_H

#include "solver/friction_run.h"

/* Are normal velocities (or those of bilateral rows, or slips that friction does not oppose) wrong
 * by more than the accepted part of q? Where there is no solution the
 * reactions run to infinity, and a residual relative to them says nothing of velocities. Where
 * rounding leaves a doubt the velocities are computed in twice the digits, from the reactions as
 * they will be returned. Where these are the rounding of a solution, which is then known in twice
 * the digits, the run goes there and nothing is lost. */
bool carom_friction_verdict_lost(carom_friction_run *run);

#endif
