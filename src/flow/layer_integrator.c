/* What all integrators of motion in boundary layers have in common. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "flow/layer_engine.h"
#include "solver/root.h"

const carom_layer_integrator *carom_layer_integrator_default(void)
{
#ifdef CAROM_CVODE
    return &carom_layer_cvode;
#else
    return &carom_layer_own;
#endif
}

double carom_layer_integrator_tolerance(const carom_layer_engine *e)
{
    /* so that the motion over many steps keeps to the tolerance */
    return fmax(0.01 * e->options->tolerance, CAROM_TOLERANCE_SUM);
}

carom_status carom_layer_integrator_slope(carom_layer_engine *e, double t, const double *y,
                                          double *dy)
{
    if (e->status < 0) /* who failed is not asked again */
        return e->status;
    e->record->result->evaluations++;
    e->status = carom_layer_field_slope(&e->field, t, y, dy, e->error);
    if (e->status > 0) /* tried again nearer; remembered in case that does not help */
        e->bad = t;
    return e->status;
}

carom_status carom_layer_integrator_watch(carom_layer_engine *e, double t, const double *y,
                                          double *out)
{
    if (e->status < 0)
        return e->status;
    carom_layer_field *f = &e->field;
    bool edge = false;
    for (int i = 0; i < e->shape->p; i++)
        edge = edge || f->place[i] == CAROM_LAYER_FIELD_EDGE;
    e->status = edge ? carom_layer_field_slope(f, t, y, e->slope, e->error)
                     : carom_layer_field_look(f, t, y, e->error);
    if (e->status)
        return e->status;
    for (int i = 0; i < e->shape->p; i++) {
        double *o = out + 2 * i;
        if (f->place[i] == CAROM_LAYER_FIELD_OUTSIDE) {
            o[0] = f->x[i] - f->b;
            o[1] = f->rate[i];
        } else if (f->place[i] == CAROM_LAYER_FIELD_INSIDE) {
            o[0] = y[f->at.eta + i];
            o[1] = y[f->at.P + i];
        } else {
            o[0] = f->reaction[i];
            o[1] = f->k * f->b - f->reaction[i];
        }
    }
    return CAROM_OK;
}

/* Absolute tolerance of each part: a part of the largest size it, or a thousandth of the largest of
 * its kind, had; of the width for eta, of the energy for works. */
static void set_tolerances(carom_layer_engine *e)
{
    const carom_layer_field_parts *at = &e->field.at;
    const carom_flow_ledger *l = &e->record->result->ledger;
    double *out = e->tolerance, tol = carom_layer_integrator_tolerance(e);
    double longest = e->field.b, fastest = 0, energy = fmax(fabs(l->initial), fabs(l->final));
    for (int i = 0; i < at->size; i++)
        e->peak[i] = fmax(e->peak[i], fabs(e->y[i]));
    for (int i = at->q; i < at->u; i++)
        longest = fmax(longest, 0.001 * e->peak[i]);
    for (int i = at->u; i < at->eta; i++)
        fastest = fmax(fastest, 0.001 * e->peak[i]);
    for (int i = 0; i < e->shape->p; i++)
        fastest = fmax(fastest, 0.001 * e->speed[i]);
    for (int i = at->q; i < at->u; i++)
        out[i] = tol * fmax(e->peak[i], longest);
    fastest = fastest > 0 ? fastest : e->field.b;
    for (int i = at->u; i < at->eta; i++)
        out[i] = tol * fmax(e->peak[i], fastest);
    energy = energy > 0 ? energy : 1;
    for (int i = 0; i < e->shape->p; i++) {
        double v = fmax(e->field.entry[i], fastest);
        out[at->eta + i] = tol;
        out[at->P + i] = tol * v;
        out[at->impulse + i] = tol * fmax(e->peak[at->impulse + i], energy / v);
    }
    for (int i = at->forces; i < at->impulse; i++)
        out[i] = tol * fmax(e->peak[i], energy);
}

carom_status carom_layer_integrator_restart(carom_layer_engine *e)
{
    carom_layer_field *f = &e->field;
    carom_layer_field_hold(f);
    set_tolerances(e);
    for (int i = 0; i < e->shape->p; i++) {
        int *d = e->direction + 2 * i;
        d[0] = f->place[i] == CAROM_LAYER_FIELD_INSIDE ? 1 : -1;
        d[1] = f->place[i] == CAROM_LAYER_FIELD_EDGE ? -1 : 1;
    }
    carom_status status = carom_record_changes(e->record, e->t, e->was, f->motion.mode, e->error);
    return status == CAROM_OK ? e->integrator->restart(e) : status;
}

carom_status carom_layer_integrator_failed(carom_layer_engine *e, int flag)
{
    if (e->status < 0)
        return e->status;
    if (e->status > 0 || e->bad >= e->t - 16 * DBL_EPSILON * fabs(e->t))
        return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE, "%s", e->error->text);
    return carom_record_stop(e->record, CAROM_FLOW_UNDERFLOW,
                             "the integrator cannot go on (%s, flag %d); the forces "
                             "change too fast",
                             e->integrator->name, flag);
}

/* b - x of one contact along the step made last: negative outside the layer. */
typedef struct search {
    carom_layer_engine *e;
    int contact;
    carom_status status;
} search;

static double depth_at(void *self, double t)
{
    search *s = self;
    carom_layer_engine *e = s->e;
    if (s->status != CAROM_OK)
        return 0;
    e->integrator->at(e, t, e->point);
    s->status = carom_layer_field_look(&e->field, t, e->point, e->error);
    return s->status == CAROM_OK ? e->field.b - e->field.x[s->contact] : 0;
}

carom_status carom_layer_integrator_find_entry(carom_layer_engine *e, int i, double *t)
{
    search s = {e, i, CAROM_OK};
    *t = carom_root_rise(depth_at, &s, e->from, *t, 4 * DBL_EPSILON * fmax(1, fabs(*t)));
    e->integrator->at(e, *t, e->y);
    return carom_layer_engine_ended(e, s.status);
}
