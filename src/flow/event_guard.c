/* The guard of the energy ledger (docs/theory/energy-ledger.md, "The guard"): an event that changes
 * the energy by more than its cause allows ends the run, by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/event_driven.h"
#include "linalg/dense.h"

#include "base/short_loops.h"

/* What an event may change beside its law, as a part of the energies at hand: putting states back,
 * the last rebound of an accumulation. Rounding and drift are many powers of ten below, an impulse
 * that should not be is above. */
static const double unexplained = 1e-6;

/* Energies at hand: the largest kinetic energy so far, and what the present forces could do over
 * the extent of the motion. */
static double scale_of(const carom_event_driven *e)
{
    const carom_state *s = &e->motion.state;
    double sum = e->vigour + fabs(s->potential), extent = 0;
    for (int i = 0; i < e->nq; i++)
        extent = fmax(extent, e->peak[i]);
    for (int i = 0; i < e->n; i++)
        sum += fabs(s->h[i]) * extent;
    return sum;
}

/* Energy of a speed v along a row: 1/2 v^2/(r'M^-1 r). */
static double energy_along(carom_event_driven *e, const double *row, double v)
{
    double *y = e->point, inverse = 0;
    memcpy(y, row, sizeof(double) * (size_t)e->n);
    carom_motion_inverse_mass(&e->motion, y);
    for (int k = 0; k < e->n; k++)
        inverse += row[k] * y[k];
    return inverse > 0 ? 0.5 * v * v / inverse : 0;
}

/* Energy of a slip of contact i that creeps: that of the speed 2 slow along the row which needs
 * least for it. Where a row vanishes any velocity is as slow along it, and none of it is rest. */
static double energy_of_creeping(carom_event_driven *e, int i, double slow)
{
    const carom_state *s = &e->motion.state;
    const size_t n = (size_t)e->n;
    double least = energy_along(e, s->W + (size_t)i * n, 2 * slow);
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++) {
        const double energy = energy_along(e, s->H + (size_t)j * n, 2 * slow);
        least = energy > 0 && (least == 0 || energy < least) ? energy : least;
    }
    return least;
}

/* Speeds of touching contacts that are taken out because they count as rest: twice `slow` in their
 * normals, and slips that creep. */
static double energy_of_rest(carom_event_driven *e)
{
    double sum = 0;
    for (int i = 0; i < e->shape->p; i++)
        if (e->touching[i]) {
            const int slips = e->shape->slip_start[i + 1] - e->shape->slip_start[i];
            sum += energy_along(e, e->motion.state.W + (size_t)i * e->n, 2 * e->slow[i]) +
                   slips * energy_of_creeping(e, i, e->slow[i]);
        }
    return sum;
}

static double booked(const carom_event_driven *e)
{
    const carom_flow_ledger *l = &e->record->result->ledger;
    return l->impacts + l->projection;
}

/* "contact w" or "contacts w, c1, ..." of the impact applied last. */
static const char *contacts_of(const carom_event_driven *e, char *text, size_t room)
{
    const carom_collide *c = &e->collide;
    size_t used = (size_t)snprintf(text, room, "contact%s ", c->count > 1 ? "s" : "");
    for (int k = 0; k < c->count && used + 48 < room; k++) {
        char name[32];
        used +=
            (size_t)snprintf(text + used, room - used, "%s%.40s", k > 0 ? ", " : "",
                             k < 4 ? carom_record_contact(e->record, c->contacts[k], name) : "...");
        if (k == 4)
            break;
    }
    return text;
}

void carom_event_guard_open(carom_event_driven *e)
{
    const double kinetic = carom_record_kinetic(e->shape, &e->motion.state);
    e->vigour = kinetic > e->vigour ? kinetic : e->vigour;
    e->guarded = kinetic + e->motion.state.potential - booked(e);
    e->put_back = e->record->result->ledger.projection;
}

carom_status carom_event_guard_impact(carom_event_driven *e, double before, double by_law,
                                      carom_error *error)
{
    const carom_collide *c = &e->collide;
    const double after = before + by_law, rounding = unexplained * (before + after);
    char text[256];
    if (fabs(by_law - c->change) > rounding)
        return carom_record_stop(e->record, CAROM_FLOW_ENERGY,
                                 "impact at t = %.12g, %s: the energy changes by %.9g, but law %s "
                                 "says %.9g",
                                 e->t, contacts_of(e, text, sizeof text), by_law, c->name,
                                 c->change);
    const double allowed = e->rest_loss == 0 ? 0
                                             : fmax(unexplained, e->options->accumulation) *
                                                   fmax(scale_of(e), before + after);
    if (!(fabs(e->rest_loss) <= allowed))
        return carom_record_stop(e->record, CAROM_FLOW_ENERGY,
                                 "impact at t = %.12g, %s: coming to rest takes %.9g of the energy "
                                 "beside the %.9g of law %s, allowed is %.3g",
                                 e->t, contacts_of(e, text, sizeof text), e->rest_loss, c->change,
                                 c->name, allowed);
    if (!(c->gain > rounding) || e->gain_told)
        return CAROM_OK;
    e->gain_told = true;
    return carom_record_warn(e->record, e->t, error,
                             "impact at t = %.12g, %s: law %s gains energy there (%.6g; told once)",
                             e->t, contacts_of(e, text, sizeof text), c->name, c->gain);
}

carom_status carom_event_guard_close(carom_event_driven *e)
{
    const double energy = carom_record_energy(e->shape, &e->motion.state);
    const double off = energy - booked(e) - e->guarded;
    const double moved = e->record->result->ledger.projection - e->put_back;
    /* an impact may bring more energy than there was, and what was is the rounding of it then */
    const double rounding = CAROM_TOLERANCE_SUM * (fabs(energy) + fabs(booked(e)));
    double allowed = fmax(unexplained, e->options->tolerance) * scale_of(e) + rounding;
    if (fabs(moved) > allowed) /* next to nothing moves, and rest is next to nothing */
        allowed += energy_of_rest(e);
    if (fabs(off) > allowed)
        return carom_record_stop(e->record, CAROM_FLOW_ENERGY,
                                 "event at t = %.12g: the energy changes by %.9g without a cause",
                                 e->t, off);
    if (fabs(moved) > allowed && e->row > 0) /* a start off its joints is corrected, and says so */
        return carom_record_stop(e->record, CAROM_FLOW_ENERGY,
                                 "event at t = %.12g: putting the state back on its constraints "
                                 "would change the energy by %.9g, allowed is %.3g",
                                 e->t, moved, allowed);
    return CAROM_OK;
}

bool carom_event_guard_jumps(carom_event_driven *e, const double *row, double rate)
{
    const double part = fmax(unexplained, e->options->tolerance);
    return energy_along(e, row, rate) > part * part * scale_of(e);
}

/* Is a slip of contact i below 2 slow only because its row vanishes? */
static bool passes(carom_event_driven *e, int i, double slow)
{
    for (int j = e->shape->slip_start[i]; j < e->shape->slip_start[i + 1]; j++) {
        const double v = fabs(carom_motion_slip(&e->motion, j));
        const double *h = e->motion.state.H + (size_t)j * e->n;
        if (v > 0 && v <= 2 * slow && carom_event_guard_jumps(e, h, v) &&
            energy_along(e, h, v) > energy_of_creeping(e, i, slow))
            return true;
    }
    return false;
}

double *carom_event_guard_creeping(carom_event_driven *e, const double *slow, double part)
{
    double *rest = carom_arena_doubles(e->scratch, (size_t)e->shape->p);
    for (int i = 0; i < e->shape->p && rest; i++)
        rest[i] = e->candidate[i] && passes(e, i, slow[i]) ? part * slow[i] : slow[i];
    return rest;
}

carom_status carom_event_guard_corner(carom_event_driven *e)
{
    const carom_state *s = &e->motion.state;
    const double part = fmax(unexplained, e->options->tolerance);
    const size_t n = (size_t)e->n;
    double *jump = e->point;
    for (size_t i = 0; i < n; i++)
        jump[i] = s->u[i] - e->ode.y[(size_t)e->nq + i];
    carom_state moved = *s;
    moved.u = jump;
    const double energy = carom_record_kinetic(e->shape, &moved);
    const double most = carom_dense_max(e->n, jump);
    if (energy <= part * part * scale_of(e) || energy <= energy_of_rest(e))
        return CAROM_OK;
    return carom_record_stop(e->record, CAROM_FLOW_ENERGY,
                             "before t = %.12g a joint or closed contact has a corner (abs, min, "
                             "max, if or sign in its formula): the velocity would have to jump by "
                             "%.6g there",
                             e->t, most);
}

carom_status carom_event_guard_end(carom_event_driven *e)
{
    const carom_flow_ledger *l = &e->record->result->ledger;
    const double turned = fabs(l->initial) + fabs(l->final) + fabs(l->impacts) + fabs(l->events) +
                          fabs(l->friction) + fabs(l->forces) + fabs(l->projection);
    const double steps = (double)e->record->result->steps;
    double held = 0; /* what the forces would have done, were nothing in their way */
    for (int i = 0; i < e->n; i++)
        held += fabs(e->motion.state.h[i] * e->motion.a_free[i]);
    held *= (e->t - e->begin) * (e->t - e->begin);
    const double allowed =
        (unexplained + steps * e->options->tolerance) * (turned + scale_of(e) + held);
    if (!(fabs(l->balance_error) > allowed))
        return CAROM_OK;
    return carom_record_stop(e->record, CAROM_FLOW_ENERGY,
                             "the energy has changed by %.9g without a cause on the way, allowed "
                             "is %.3g",
                             l->balance_error, allowed);
}
