/* The stiff integrator of the boundary-layer method, and the roots it stops at. */
#include <float.h>
#include <math.h>

#include "flow/layer_engine.h"

static int cvode_slope(realtype t, N_Vector y, N_Vector dy, void *self)
{
    carom_layer_engine *e = self;
    e->record->result->evaluations++;
    e->status = carom_layer_field_slope(&e->field, t, NV_DATA_S(y), NV_DATA_S(dy), e->error);
    if (e->status > 0) /* tried again nearer; remembered in case that does not help */
        e->bad = t;
    return e->status < 0 ? -1 : e->status > 0;
}

/* Two functions a contact: outside x - b and x'; inside eta and P; on the edge its force and what
 * the layer can still give. */
static int cvode_roots(realtype t, N_Vector vector, realtype *out, void *self)
{
    carom_layer_engine *e = self;
    carom_layer_field *f = &e->field;
    const double *y = NV_DATA_S(vector);
    bool edge = false;
    for (int i = 0; i < e->shape->p; i++)
        edge = edge || f->place[i] == CAROM_LAYER_FIELD_EDGE;
    e->status = edge ? carom_layer_field_slope(f, t, y, e->slope, e->error)
                     : carom_layer_field_look(f, t, y, e->error);
    if (e->status)
        return -1;
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
    return 0;
}

/* Messages of the integrator: what it says is in its flags. */
static void silent(int code, const char *module, const char *function, char *text, void *self)
{
    (void)code;
    (void)module;
    (void)function;
    (void)text;
    (void)self;
}

carom_status carom_layer_integrator_create(carom_layer_engine *e, carom_error *error)
{
    const int size = e->field.at.size;
    if (SUNContext_Create(NULL, &e->context))
        return carom_error_memory(error);
    e->vector = N_VMake_Serial(size, e->y, e->context);
    e->tolerance = N_VNew_Serial(size, e->context);
    e->matrix = SUNDenseMatrix(size, size, e->context);
    e->cvode = CVodeCreate(CV_BDF, e->context);
    if (!e->vector || !e->tolerance || !e->matrix || !e->cvode)
        return carom_error_memory(error);
    e->solver = SUNLinSol_Dense(e->vector, e->matrix, e->context);
    if (!e->solver)
        return carom_error_memory(error);
    N_VConst(1, e->tolerance);
    if (CVodeSetErrHandlerFn(e->cvode, silent, NULL) ||
        CVodeInit(e->cvode, cvode_slope, e->t, e->vector) || CVodeSetUserData(e->cvode, e) ||
        CVodeSVtolerances(e->cvode, e->options->tolerance, e->tolerance) ||
        CVodeSetLinearSolver(e->cvode, e->solver, e->matrix) ||
        CVodeSetMaxHnilWarns(e->cvode, -1) || CVodeSetMaxErrTestFails(e->cvode, 20) ||
        CVodeSetMaxStep(e->cvode, e->options->max_step) ||
        (e->shape->p > 0 && CVodeRootInit(e->cvode, 2 * e->shape->p, cvode_roots)) ||
        CVodeSetNoInactiveRootWarn(e->cvode))
        return carom_error_memory(error);
    return CAROM_OK;
}

void carom_layer_integrator_destroy(carom_layer_engine *e)
{
    if (e->cvode)
        CVodeFree(&e->cvode);
    if (e->solver)
        SUNLinSolFree(e->solver);
    if (e->matrix)
        SUNMatDestroy(e->matrix);
    if (e->vector)
        N_VDestroy(e->vector);
    if (e->tolerance)
        N_VDestroy(e->tolerance);
    if (e->context)
        SUNContext_Free(&e->context);
}

/* A step may err by this part of the tolerance, so that the motion over many steps keeps to it. */
static double step_tolerance(const carom_layer_engine *e)
{
    return fmax(0.01 * e->options->tolerance, 1e-14);
}

/* Absolute tolerance of each part: a part of the largest size it, or a thousandth of the largest of
 * its kind, had; of the width for eta, of the energy for works. */
static void set_tolerances(carom_layer_engine *e)
{
    const carom_layer_field_parts *at = &e->field.at;
    const carom_flow_ledger *l = &e->record->result->ledger;
    double *out = NV_DATA_S(e->tolerance), tol = step_tolerance(e);
    double longest = e->field.b, fastest = 0, energy = fmax(fabs(l->initial), fabs(l->final));
    for (int i = 0; i < at->size; i++)
        e->peak[i] = fmax(e->peak[i], fabs(e->y[i]));
    for (int i = at->q; i < at->u; i++)
        longest = fmax(longest, 1e-3 * e->peak[i]);
    for (int i = at->u; i < at->eta; i++)
        fastest = fmax(fastest, 1e-3 * e->peak[i]);
    for (int i = 0; i < e->shape->p; i++)
        fastest = fmax(fastest, 1e-3 * e->speed[i]);
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

/* Start the integrator afresh from y at t. */
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
    if (CVodeReInit(e->cvode, e->t, e->vector) ||
        CVodeSVtolerances(e->cvode, step_tolerance(e), e->tolerance) ||
        (e->shape->p > 0 && CVodeSetRootDirection(e->cvode, e->direction)) ||
        (e->options->until > e->t && CVodeSetStopTime(e->cvode, e->options->until)))
        return carom_error_memory(e->error);
    return CAROM_OK;
}

carom_status carom_layer_integrator_failed(carom_layer_engine *e, int flag)
{
    if (e->status < 0)
        return e->status;
    if (e->status > 0 || e->bad >= e->t - 16 * DBL_EPSILON * fabs(e->t) ||
        flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR || flag == CV_REPTD_RHSFUNC_ERR ||
        flag == CV_UNREC_RHSFUNC_ERR || flag == CV_RTFUNC_FAIL)
        return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE, "%s", e->error->text);
    if (flag == CV_MEM_FAIL)
        return carom_error_memory(e->error);
    return carom_record_stop(e->record, CAROM_FLOW_UNDERFLOW,
                             "t = %.12g: the integrator cannot go on (CVODE flag %d); the forces "
                             "change too fast",
                             e->t, flag);
}

/* The gap of contact i is below b at a turning point of its flight: where did it go below? The step
 * is searched for it; y becomes the state there. */
carom_status carom_layer_integrator_find_entry(carom_layer_engine *e, int i, double begin,
                                               double *t)
{
    double low = begin, high = *t;
    for (int round = 0; round < 200 && high - low > 4 * DBL_EPSILON * fmax(1, fabs(high));
         round++) {
        double middle = 0.5 * (low + high);
        if (CVodeGetDky(e->cvode, middle, 0, e->vector)) {
            low = middle;
            continue;
        }
        carom_status status = carom_layer_field_look(&e->field, middle, e->y, e->error);
        if (status != CAROM_OK)
            return carom_layer_engine_ended(e, status);
        if (e->field.x[i] > e->field.b)
            low = middle;
        else
            high = middle;
    }
    *t = high;
    CVodeGetDky(e->cvode, high, 0, e->vector);
    return CAROM_OK;
}
