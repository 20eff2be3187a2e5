#include "flow/boundary_layer.h"

#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/arena.h"
#include "flow/layer_field.h"

/* A passage through the layer of one contact, from entry to exit. */
typedef struct passage {
    double t, turn;       /* entry, first turning point (NAN before) */
    double loss, impulse; /* of the layer at entry */
    double *before, *q;   /* velocity at entry, position at the turn (or entry) */
} passage;

typedef struct boundary_layer {
    carom_record *record;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    carom_layer_field field;
    carom_error *error;
    carom_status status; /* of the last evaluation */
    double bad;          /* time of the last that was not admissible; error has its text */
    double t;
    double *y, *point, *slope; /* at.size */
    double *peak;              /* at.size: largest size so far */
    double *speed;             /* p, largest |x'| so far */
    double moved;              /* energy of putting positions back */
    passage *passages;         /* p */
    int *roots, *direction;    /* 2p */
    unsigned char *told;       /* p, warned of the least speed */
    long row;
    /* SUNDIALS */
    SUNContext context;
    void *cvode;
    N_Vector vector, tolerance;
    SUNMatrix matrix;
    SUNLinearSolver solver;
} boundary_layer;

static int cvode_slope(realtype t, N_Vector y, N_Vector dy, void *self)
{
    boundary_layer *e = self;
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
    boundary_layer *e = self;
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

static carom_status create(boundary_layer *e, carom_record *record, const carom_flow_start *start,
                           carom_arena *work, carom_error *error)
{
    const carom_system_shape *shape = record->shape;
    memset(e, 0, sizeof *e);
    e->record = record;
    e->shape = shape;
    e->options = record->options;
    e->error = error;
    carom_status status =
        carom_layer_field_create(record->system, e->options, work, &e->field, error);
    if (status != CAROM_OK)
        return status;
    const double w = 100 / fmax(e->options->until - start->t, DBL_MIN);
    e->field.joint_damping = isnan(e->options->joint_damping) ? 2 * w : e->options->joint_damping;
    e->field.joint_stiffness =
        isnan(e->options->joint_stiffness) ? w * w : e->options->joint_stiffness;
    const size_t p = (size_t)shape->p, size = (size_t)e->field.at.size;
    double *d =
        carom_arena_zeros(work, 4 * size + p + p * (size_t)(shape->nq + shape->n), sizeof(double));
    e->passages = carom_arena_zeros(work, p, sizeof *e->passages);
    e->roots = carom_arena_zeros(work, 4 * p, sizeof(int));
    e->told = carom_arena_zeros(work, p, 1);
    if (!d || !e->passages || !e->roots || !e->told)
        return carom_error_memory(error);
    e->direction = e->roots + 2 * p;
    e->y = d;
    e->point = d += size;
    e->slope = d += size;
    e->peak = d += size;
    e->speed = d += size;
    d += p;
    for (size_t i = 0; i < p; i++, d += shape->nq + shape->n) {
        e->passages[i].before = d;
        e->passages[i].q = d + shape->n;
    }
    e->t = start->t;
    e->bad = -INFINITY;
    memcpy(e->y, start->q, sizeof(double) * (size_t)shape->nq);
    memcpy(e->y + e->field.at.u, start->u, sizeof(double) * (size_t)shape->n);
    return CAROM_OK;
}

static carom_status create_integrator(boundary_layer *e, carom_error *error)
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

static void destroy_integrator(boundary_layer *e)
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

/* A point that cannot be evaluated ends the motion; other failures are passed on. */
static carom_status ended(boundary_layer *e, carom_status status)
{
    if (status > 0 && e->record->result->end == CAROM_FLOW_REACHED)
        return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE, "%s", e->error->text);
    return status;
}

/* A step may err by this part of the tolerance, so that the motion over many steps keeps to it. */
static double step_tolerance(const boundary_layer *e)
{
    return fmax(0.01 * e->options->tolerance, 1e-14);
}

/* Absolute tolerance of each part: a part of the largest size it, or a thousandth of the largest of
 * its kind, had; of the width for eta, of the energy for works. */
static void set_tolerances(boundary_layer *e)
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
static carom_status restart(boundary_layer *e)
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

/* Where the ledger's integrals stand at y. */
static void book(boundary_layer *e, const double *y)
{
    carom_flow_ledger *l = &e->record->result->ledger;
    const carom_layer_field_parts *at = &e->field.at;
    l->constraints = y[at->constraints];
    l->forces = y[at->forces] + y[at->constraints];
    l->projection = y[at->projection] + e->moved;
    l->impacts = 0;
    for (int i = 0; i < e->shape->p; i++) {
        l->impact_loss[i] = y[at->loss + i];
        l->impacts += y[at->loss + i];
    }
    carom_record_balance(e->record, &e->field.motion.state);
}

static carom_status emit(boundary_layer *e, double t, const double *y)
{
    const carom_motion *m = &e->field.motion;
    carom_status status = carom_layer_field_slope(&e->field, t, y, e->slope, e->error);
    if (status != CAROM_OK)
        return ended(e, status);
    for (int i = 0; i < e->shape->p; i++)
        m->state.g[i] = e->field.x[i];
    book(e, y);
    carom_flow_row row = {.t = t,
                          .q = m->state.q,
                          .u = m->state.u,
                          .gap = m->state.g,
                          .force = e->field.reaction,
                          .friction = m->friction,
                          .mode = m->mode,
                          .mass = m->state.M,
                          .ledger = &e->record->result->ledger};
    return carom_record_row(e->record, &row, e->error);
}

/* Rows due before `end`, on the polynomial of the step just made. */
static carom_status emit_until(boundary_layer *e, double begin, double end)
{
    const double every = e->options->output;
    if (!(every > 0))
        return CAROM_OK;
    N_Vector at = N_VMake_Serial(e->field.at.size, e->point, e->context);
    if (!at)
        return carom_error_memory(e->error);
    carom_status status = CAROM_OK;
    while (status == CAROM_OK) {
        double t = begin + (double)e->row * every;
        if (!(t < end) || t >= e->options->until - 1e-9 * every)
            break;
        if (CVodeGetDky(e->cvode, t, 0, at))
            memcpy(e->point, e->y, sizeof(double) * (size_t)e->field.at.size);
        status = emit(e, t, e->point);
        e->row++;
    }
    N_VDestroy(at);
    return status;
}

/* The speed that scales the damping: that of entry, not below the least. */
static carom_status scale_damping(boundary_layer *e, int i, double speed)
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
static carom_status enter(boundary_layer *e, int i, double x, double rate)
{
    carom_layer_field *f = &e->field;
    passage *pass = &e->passages[i];
    f->place[i] = CAROM_LAYER_FIELD_INSIDE;
    f->entry[i] = 1; /* until the inertia is known */
    e->y[f->at.eta + i] = log(x / f->b);
    e->y[f->at.P + i] = carom_layer_field_momentum(f, e->y[f->at.eta + i], rate);
    carom_layer_field_hold(f);
    carom_status status = ended(e, carom_layer_field_slope(f, e->t, e->y, e->slope, e->error));
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
static carom_status settle_exit(boundary_layer *e, int i)
{
    carom_layer_field *f = &e->field;
    carom_motion *m = &f->motion;
    carom_status status = carom_layer_field_slope(f, e->t, e->y, e->slope, e->error);
    if (status != CAROM_OK)
        return ended(e, status);
    double before = carom_record_energy(e->shape, &m->state);
    memcpy(e->y + f->at.u, m->state.u, sizeof(double) * (size_t)e->shape->n);
    status = carom_layer_field_put_back(f, i, e->error);
    if (status != CAROM_OK)
        return ended(e, status);
    memcpy(e->y, m->state.q, sizeof(double) * (size_t)e->shape->nq);
    status = carom_layer_field_slope(f, e->t, e->y, e->slope, e->error);
    if (status != CAROM_OK)
        return ended(e, status);
    memcpy(e->y + f->at.u, m->state.u, sizeof(double) * (size_t)e->shape->n);
    e->moved += carom_record_energy(e->shape, &m->state) - before;
    return CAROM_OK;
}

/* Contact i leaves its layer: the passage was an impact. On a sharp layer, where the next flight
 * would be lower than the part `closed` of the width, it stays on the edge. */
static carom_status leave(boundary_layer *e, int i)
{
    carom_layer_field *f = &e->field;
    passage *pass = &e->passages[i];
    char name[32];
    carom_status status = settle_exit(e, i);
    if (status != CAROM_OK)
        return status;
    double impulse = e->y[f->at.impulse + i] - pass->impulse;
    carom_flow_impact impact = {.kind = CAROM_FLOW_COLLISION,
                                .t = isnan(pass->turn) ? e->t : pass->turn,
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
    return status;
}

/* Contact i rests on the edge no longer: it lifts off, or sinks into the layer. */
static carom_status leave_edge(boundary_layer *e, int i, bool sinks)
{
    e->field.place[i] = CAROM_LAYER_FIELD_OUTSIDE;
    e->record->result->events++;
    return sinks ? enter(e, i, e->field.b, 0) : CAROM_OK;
}

/* The gap of contact i is below b at a turning point of its flight: where did it go below? The step
 * is searched for it; y becomes the state there. */
static carom_status find_entry(boundary_layer *e, int i, double begin, double *t)
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
            return ended(e, status);
        if (e->field.x[i] > e->field.b)
            low = middle;
        else
            high = middle;
    }
    *t = high;
    CVodeGetDky(e->cvode, high, 0, e->vector);
    return CAROM_OK;
}

/* What the integrator's roots mean. *again: the integrator must be started afresh. */
static carom_status handle_roots(boundary_layer *e, double begin, double first, bool *again)
{
    carom_layer_field *f = &e->field;
    carom_status status = CAROM_OK;
    *again = false;
    if (CVodeGetRootInfo(e->cvode, e->roots))
        return CAROM_OK;
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) /* missed entries come first */
        if (f->place[i] == CAROM_LAYER_FIELD_OUTSIDE && e->roots[2 * i + 1] > 0) {
            status = ended(e, carom_layer_field_look(f, e->t, e->y, e->error));
            if (status == CAROM_OK && f->x[i] < f->b * (1 - 4 * DBL_EPSILON)) {
                status = find_entry(e, i, begin, &e->t);
                memset(e->roots, 0, sizeof(int) * 2 * (size_t)e->shape->p);
                e->roots[2 * i] = -1;
                break;
            }
        }
    if (status == CAROM_OK)
        status = emit_until(e, first, e->t);
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) {
        const int *root = e->roots + 2 * i;
        if (f->place[i] == CAROM_LAYER_FIELD_OUTSIDE) {
            if (root[0] >= 0)
                continue;
            status = ended(e, carom_layer_field_look(f, e->t, e->y, e->error));
            if (status == CAROM_OK)
                status = enter(e, i, f->b, fmin(f->rate[i], 0));
            *again = true;
        } else if (f->place[i] == CAROM_LAYER_FIELD_INSIDE) {
            if (root[1] > 0 && isnan(e->passages[i].turn)) {
                e->passages[i].turn = e->t;
                memcpy(e->passages[i].q, e->y, sizeof(double) * (size_t)e->shape->nq);
            }
            if (root[0] > 0) {
                status = leave(e, i);
                *again = true;
            }
        } else if (root[0] < 0 || root[1] < 0) {
            status = leave_edge(e, i, root[1] < 0);
            *again = true;
        }
    }
    return status;
}

static carom_status integrator_failed(boundary_layer *e, int flag)
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

static carom_status step(boundary_layer *e, double first, int *idle)
{
    const double before = e->t;
    double t = before;
    e->status = CAROM_OK;
    int flag = CVode(e->cvode, e->options->until, e->vector, &t, CV_ONE_STEP);
    if (flag == CV_TOO_CLOSE) {
        e->t = e->options->until;
        return CAROM_OK;
    }
    if (flag < 0)
        return integrator_failed(e, flag);
    e->t = flag == CV_TSTOP_RETURN ? e->options->until : t;
    e->record->result->steps++;
    *idle = e->t > before ? 0 : *idle + 1;
    if (*idle > 1000)
        return integrator_failed(e, CV_ERR_FAILURE);
    if (flag != CV_ROOT_RETURN)
        return emit_until(e, first, e->t);
    bool again;
    carom_status status = handle_roots(e, before, first, &again);
    return status == CAROM_OK && again ? restart(e) : status;
}

/* Energy in layers, at the start or the end: it comes or goes under impacts. */
static carom_status tell_stored(boundary_layer *e, const char *what)
{
    carom_status status = CAROM_OK;
    char name[32];
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++)
        if (e->field.place[i] == CAROM_LAYER_FIELD_INSIDE)
            status =
                carom_record_warn(e->record, e->t, e->error,
                                  "the run %s inside the layer of contact %s, which then holds "
                                  "%.6g of the energy booked under impacts",
                                  what, carom_record_contact(e->record, i, name),
                                  carom_layer_field_stored(&e->field, e->y, i));
    return status;
}

/* The start: no contact may be at or behind its wall; those within b are in their layers. */
static carom_status begin(boundary_layer *e)
{
    carom_layer_field *f = &e->field;
    carom_record *record = e->record;
    char name[32];
    carom_status status = ended(e, carom_layer_field_slope(f, e->t, e->y, e->slope, e->error));
    if (status != CAROM_OK)
        return status;
    for (int j = 0; j < e->shape->m; j++)
        if (!(fabs(f->motion.state.f[j]) <= e->options->closed))
            return carom_error_set(e->error, CAROM_ERROR_INPUT,
                                   "the motion starts off joint %s by %.6g, allowed is %.3g",
                                   e->shape->joints && e->shape->joints[j] ? e->shape->joints[j]
                                                                           : "bilateral",
                                   f->motion.state.f[j], e->options->closed);
    record->result->ledger.initial = record->result->ledger.final =
        carom_record_energy(e->shape, &f->motion.state);
    bool rough = false;
    for (int i = 0; i < e->shape->p && status == CAROM_OK; i++) {
        double x = f->motion.state.g[i], rate = carom_motion_gamma(&f->motion, i);
        const carom_contact *c = &e->shape->contacts[i];
        rough = rough || (c->slip_count > 0 && c->friction_static > 0);
        e->speed[i] = fabs(rate);
        if (!(x > 0))
            return carom_error_set(e->error, CAROM_ERROR_INPUT,
                                   "contact %s starts with gap %.6g: motion in a boundary layer "
                                   "stays off the wall, start with gap > 0 (the layer's edge is at "
                                   "the width %.6g)",
                                   carom_record_contact(record, i, name), x, f->b);
        if (x < f->b || (x == f->b && rate < 0)) {
            status = enter(e, i, x, rate);
        }
    }
    if (status == CAROM_OK && rough)
        status = carom_record_warn(record, e->t, e->error,
                                   "boundary layers have no friction: the contacts' is left aside");
    if (status == CAROM_OK)
        status = tell_stored(e, "starts");
    if (status == CAROM_OK)
        status = restart(e);
    if (status == CAROM_OK)
        status = emit(e, e->t, e->y);
    e->row = 1;
    return status;
}

static carom_status follow(boundary_layer *e, double first)
{
    carom_record *record = e->record;
    int idle = 0;
    carom_status status = begin(e);
    while (status == CAROM_OK && e->t < e->options->until) {
        status = step(e, first, &idle);
        if (status == CAROM_OK && (record->result->steps & 255) == 0)
            status = carom_record_progress(record, e->t, e->error);
        if (status == CAROM_OK && e->options->max_events > 0 &&
            record->result->events > e->options->max_events)
            status = carom_record_stop(record, CAROM_FLOW_EVENT_LIMIT, "t = %.12g: %ld events",
                                       e->t, e->options->max_events);
    }
    if (status < 0)
        return status;
    if (carom_layer_field_slope(&e->field, e->t, e->y, e->slope, e->error) == CAROM_OK) {
        book(e, e->y);
        if (status == CAROM_OK && e->options->until > first)
            status = emit(e, e->t, e->y);
        if (status == CAROM_OK)
            status = tell_stored(e, "ends");
    }
    carom_status kept = carom_record_finish(record, &e->field.motion.state, e->error);
    return kept != CAROM_OK ? kept : status;
}

carom_status carom_boundary_layer_run(carom_record *record, const carom_flow_start *start,
                                      carom_arena *work, carom_error *error)
{
    boundary_layer engine;
    carom_status status = create(&engine, record, start, work, error);
    if (status != CAROM_OK)
        return status;
    status = create_integrator(&engine, error);
    if (status == CAROM_OK)
        status = follow(&engine, start->t);
    destroy_integrator(&engine);
    return status;
}
