/* How a motion on a device ended, judged and in words. */
#include "device.h"

#include <math.h>

const char *cli_device_end_text(cli_device_end end)
{
    switch (end) {
    case CLI_DEVICE_RUNNING:
        return "stopped";
    case CLI_DEVICE_REACHED:
    case CLI_DEVICE_ENOUGH:
        return "ok";
    case CLI_DEVICE_BAD_FORCE:
        return "bad force: a force, gap or mass is not a finite number";
    case CLI_DEVICE_UNDERFLOW:
        return "underflow: the step fell below min_step, or the end is too many steps away";
    case CLI_DEVICE_NO_OUTCOME:
        return "no outcome: a contact problem has no solution";
    case CLI_DEVICE_DEPENDENT:
        return "contact forces depend on each other: run this cell on the CPU";
    case CLI_DEVICE_LOST:
        return "no points";
    case CLI_DEVICE_EVENT_LIMIT:
        return "event-limit";
    case CLI_DEVICE_PENETRATION:
        return "a contact penetrates at the start";
    case CLI_DEVICE_INCONSISTENT:
        return "inconsistent: no contact force exists (Painleve)";
    case CLI_DEVICE_ENDLESS:
        return "unsolved: modes change without end at one instant";
    case CLI_DEVICE_ENERGY:
        return "energy: it has changed without a cause on the way: run this cell on the CPU";
    }
    return "";
}

/* Has the energy changed without a cause, as it is told at the end of a motion on the processor?
 * What stands in the ledger is known to a millionth of what was turned over, and to the error of
 * each step. */
cli_device_end cli_device_end_judge(const cli_device_motion *m, double tolerance)
{
    const double unexplained = 1e-6;
    const double change = m->energy_final - m->energy_initial;
    const double cause = m->energy_impacts + m->energy_friction + m->energy_forces;
    const double turned = fabs(m->energy_initial) + fabs(m->energy_final) +
                          fabs(m->energy_impacts) + fabs(m->energy_friction) +
                          fabs(m->energy_forces);
    const double allowed = (unexplained + (double)m->steps * tolerance) * turned;
    return m->end == CLI_DEVICE_REACHED && fabs(change - cause) > allowed ? CLI_DEVICE_ENERGY
                                                                          : m->end;
}
