/* Motion in boundary layers by CVODE of SUNDIALS: variable order BDF, for layers that are stiff. */
#include "flow/layer_engine.h"

#ifdef CAROM_CVODE

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <string.h>

typedef struct solver {
    SUNContext context;
    void *cvode;
    N_Vector vector, tolerance, point;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    int idle; /* steps that did not move the time */
} solver;

static int cvode_slope(realtype t, N_Vector y, N_Vector dy, void *self)
{
    const carom_status status = carom_layer_integrator_slope(self, t, NV_DATA_S(y), NV_DATA_S(dy));
    return status < 0 ? -1 : status > 0;
}

static int cvode_roots(realtype t, N_Vector y, realtype *out, void *self)
{
    return carom_layer_integrator_watch(self, t, NV_DATA_S(y), out) ? -1 : 0;
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

static carom_status create(carom_layer_engine *e, carom_arena *arena, carom_error *error)
{
    const int size = e->field.at.size;
    solver *s = carom_arena_zeros(arena, 1, sizeof *s);
    if (!s)
        return carom_error_memory(error);
    e->integrates = s;
    if (SUNContext_Create(NULL, &s->context))
        return carom_error_memory(error);
    s->vector = N_VMake_Serial(size, e->y, s->context);
    s->tolerance = N_VMake_Serial(size, e->tolerance, s->context);
    s->point = N_VMake_Serial(size, e->point, s->context);
    s->matrix = SUNDenseMatrix(size, size, s->context);
    s->cvode = CVodeCreate(CV_BDF, s->context);
    if (!s->vector || !s->tolerance || !s->point || !s->matrix || !s->cvode)
        return carom_error_memory(error);
    s->linear = SUNLinSol_Dense(s->vector, s->matrix, s->context);
    for (int i = 0; i < size; i++)
        e->tolerance[i] = 1;
    if (!s->linear || CVodeSetErrHandlerFn(s->cvode, silent, NULL) ||
        CVodeInit(s->cvode, cvode_slope, e->t, s->vector) || CVodeSetUserData(s->cvode, e) ||
        CVodeSVtolerances(s->cvode, e->options->tolerance, s->tolerance) ||
        CVodeSetLinearSolver(s->cvode, s->linear, s->matrix) ||
        CVodeSetMaxHnilWarns(s->cvode, -1) || CVodeSetMaxErrTestFails(s->cvode, 20) ||
        CVodeSetMaxStep(s->cvode, e->options->max_step) ||
        (e->shape->p > 0 && CVodeRootInit(s->cvode, 2 * e->shape->p, cvode_roots)) ||
        CVodeSetNoInactiveRootWarn(s->cvode))
        return carom_error_memory(error);
    return CAROM_OK;
}

static void destroy(carom_layer_engine *e)
{
    solver *s = e->integrates;
    if (!s)
        return;
    if (s->cvode)
        CVodeFree(&s->cvode);
    if (s->linear)
        SUNLinSolFree(s->linear);
    if (s->matrix)
        SUNMatDestroy(s->matrix);
    if (s->vector)
        N_VDestroy(s->vector);
    if (s->tolerance)
        N_VDestroy(s->tolerance);
    if (s->point)
        N_VDestroy(s->point);
    if (s->context)
        SUNContext_Free(&s->context);
}

static carom_status restart(carom_layer_engine *e)
{
    solver *s = e->integrates;
    if (CVodeReInit(s->cvode, e->t, s->vector) ||
        CVodeSVtolerances(s->cvode, carom_layer_integrator_tolerance(e), s->tolerance) ||
        (e->shape->p > 0 && CVodeSetRootDirection(s->cvode, e->direction)) ||
        (e->options->until > e->t && CVodeSetStopTime(s->cvode, e->options->until)))
        return carom_error_memory(e->error);
    return CAROM_OK;
}

static carom_status step(carom_layer_engine *e)
{
    enum { PATIENCE = 1000 };
    solver *s = e->integrates;
    double t = e->t;
    e->status = CAROM_OK;
    e->from = e->t;
    if (e->shape->p > 0)
        memset(e->roots, 0, sizeof(int) * 2 * (size_t)e->shape->p);
    const int flag = CVode(s->cvode, e->options->until, s->vector, &t, CV_ONE_STEP);
    if (flag == CV_MEM_FAIL)
        return carom_error_memory(e->error);
    if (flag < 0 && flag != CV_TOO_CLOSE)
        return carom_layer_integrator_failed(e, flag);
    e->t = flag == CV_TOO_CLOSE || flag == CV_TSTOP_RETURN ? e->options->until : t;
    s->idle = e->t > e->from ? 0 : s->idle + 1;
    if (s->idle > PATIENCE)
        return carom_layer_integrator_failed(e, flag);
    if (flag == CV_ROOT_RETURN)
        CVodeGetRootInfo(s->cvode, e->roots);
    return CAROM_OK;
}

static void at(const carom_layer_engine *e, double t, double *y)
{
    const solver *s = e->integrates;
    if (CVodeGetDky(s->cvode, t, 0, s->point))
        memcpy(e->point, e->y, sizeof(double) * (size_t)e->field.at.size);
    if (y != e->point)
        memcpy(y, e->point, sizeof(double) * (size_t)e->field.at.size);
}

const carom_layer_integrator carom_layer_cvode = {
    .name = "CVODE",
    .create = create,
    .destroy = destroy,
    .restart = restart,
    .step = step,
    .at = at,
};

#endif
