/* A passage through a layer: entry, exit, rest on its edge. */
#include <math.h>
#include <string.h>

#include "flow/layer_engine.h"

/* The speed that scales the damping: that of entry, not below the least. */
static carom_status scale_damping(carom_layer_engine *e, int i, double speed)
{
    carom_layer_field *f = &e->field;
    char name[32];
    double natural = f->b * sqrt(f->k / f->inertia[i]);
    double least = e->options->least_speed * fmax(e->speed[i], natural);
    f->entry[i] = fmax(speed, least);
    if (!(speed < least) || f->c == 0 || e->told[i])
        return CAROM_OK;
    e->told[i] = 1;
    return carom_record_warn(
        e->record, e->t, e->error,
        "contact %s enters its layer at t = %.12g with speed %.6g; the damping "
        "is scaled with %.6g (least_speed %g)",
        carom_record_contact(e->record, i, name), e->t, speed, least, e->options->least_speed);
}

/* Contact i enters its layer (or starts in it) at distance x with velocity `rate`. */
carom_status carom_layer_passage_enter(carom_layer_engine *e, int i, double x, double rate)
{
    carom_layer_field *f = &e->field;
    carom_layer_passage *pass = &e->passages[i];
    f->place[i] = CAROM_LAYER_FIELD_INSIDE;
    f->entry[i] = 1; /* until the inertia is known */
    e->y[f->at.eta + i] = log(x / f->b);
    e->y[f->at.P + i] = carom_layer_field_momentum(f, e->y[f->at.eta + i], rate);
    carom_layer_field_hold(f);
    carom_status status =
        carom_layer_engine_ended(e, carom_layer_field_slope(f, e->t, e->y, e->slope, e->error));
    if (status != CAROM_OK)
        return status;
    e->speed[i] = fmax(e->speed[i], fabs(rate));
    pass->t = e->t;
    pass->turn = NAN;
    pass->loss = e->y[f->at.loss + i];
    pass->impulse = e->y[f->at.impulse + i];
    memcpy(pass->before, f->motion.state.u, sizeof(double) * (size_t)e->shape->n);
    memcpy(pass->q, e->y, sizeof(double) * (size_t)e->shape->nq);
    return scale_damping(e, i, fabs(rate));
}

/* Velocities of the layers into u, the position of contact i to x = b. */
static carom_status settle_exit(carom_layer_engine *e, int i)
{
    carom_layer_field *f = &e->field;
    carom_motion *m = &f->motion;
    carom_status status = carom_layer_field_slope(f, e->t, e->y, e->slope, e->error);
    if (status != CAROM_OK)
        return carom_layer_engine_ended(e, status);
    double before = carom_record_energy(e->shape, &m->state);
    memcpy(e->y + f->at.u, m->state.u, sizeof(double) * (size_t)e->shape->n);
    status = carom_layer_field_put_back(f, i, e->error);
    if (status != CAROM_OK)
        return carom_layer_engine_ended(e, status);
    memcpy(e->y, m->state.q, sizeof(double) * (size_t)e->shape->nq);
    status = carom_layer_field_slope(f, e->t, e->y, e->slope, e->error);
    if (status != CAROM_OK)
        return carom_layer_engine_ended(e, status);
    memcpy(e->y + f->at.u, m->state.u, sizeof(double) * (size_t)e->shape->n);
    e->moved += carom_record_energy(e->shape, &m->state) - before;
    return CAROM_OK;
}

/* Contact i leaves its layer: the passage was an impact. On a sharp layer, where the next flight
 * would be lower than the part `closed` of the width, it stays on the edge. */
carom_status carom_layer_passage_leave(carom_layer_engine *e, int i)
{
    carom_layer_field *f = &e->field;
    carom_layer_passage *pass = &e->passages[i];
    char name[32];
    carom_status status = settle_exit(e, i);
    if (status != CAROM_OK)
        return status;
    double impulse = e->y[f->at.impulse + i] - pass->impulse;
    carom_flow_impact impact = {.kind = CAROM_FLOW_PASSAGE,
                                .t = isnan(pass->turn) ? e->t : pass->turn,
                                .t_before = pass->t,
                                .t_after = e->t,
                                .contact_count = 1,
                                .contacts = &i,
                                .law = "layer",
                                .q = pass->q,
                                .before = pass->before,
                                .after = e->y + f->at.u,
                                .impulse = &impulse,
                                .energy_change = e->y[f->at.loss + i] - pass->loss};
    status = carom_record_impact(e->record, &impact, e->error);
    double rate = f->rate[i], gain = f->free_gain[i];
    e->record->result->events++;
    f->place[i] = CAROM_LAYER_FIELD_OUTSIDE;
    e->y[f->at.eta + i] = e->y[f->at.P + i] = 0;
    if (status == CAROM_OK && f->a == f->b && gain < 0 && -gain * f->inertia[i] < f->k * f->b &&
        rate * rate <= -2 * gain * e->options->closed * f->b) {
        f->place[i] = CAROM_LAYER_FIELD_EDGE;
        status =
            carom_record_warn(e->record, e->t, e->error,
                              "contact %s at t = %.12g: its next flight is lower than %g of "
                              "the width, taken as rest on the edge of the layer",
                              carom_record_contact(e->record, i, name), e->t, e->options->closed);
    }
    carom_layer_field_hold(f);
    return status;
}

/* Contact i rests on the edge no longer: it lifts off, or sinks into the layer. */
carom_status carom_layer_passage_leave_edge(carom_layer_engine *e, int i, bool sinks)
{
    e->field.place[i] = CAROM_LAYER_FIELD_OUTSIDE;
    e->record->result->events++;
    return sinks ? carom_layer_passage_enter(e, i, e->field.b, 0) : CAROM_OK;
}
