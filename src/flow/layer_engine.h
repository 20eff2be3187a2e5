/* The engine of motion in boundary layers: what its integrator, its passages and its loop share
 * (docs/theory/boundary-layer.md). */
#ifndef CAROM_SRC_FLOW_LAYER_ENGINE_H
#define CAROM_SRC_FLOW_LAYER_ENGINE_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "flow/layer_field.h"
#include "flow/record.h"

/* A passage through the layer of one contact, from entry to exit. */
typedef struct carom_layer_passage {
    double t, turn;       /* entry, first turning point (NAN before) */
    double loss, impulse; /* of the layer at entry */
    double *before, *q;   /* velocity at entry, position at the turn (or entry) */
} carom_layer_passage;

typedef struct carom_layer_engine {
    carom_record *record;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    carom_layer_field field;
    carom_error *error;
    carom_status status; /* of the last evaluation */
    double bad;          /* time of the last that was not admissible; error has its text */
    double t;
    double *y, *point, *slope;     /* at.size */
    double *peak;                  /* at.size: largest size so far */
    double *speed;                 /* p, largest |x'| so far */
    double moved;                  /* energy of putting positions back */
    carom_layer_passage *passages; /* p */
    int *roots, *direction;        /* 2p */
    unsigned char *told;           /* p, warned of the least speed */
    long row;
    /* SUNDIALS */
    SUNContext context;
    void *cvode;
    N_Vector vector, tolerance;
    SUNMatrix matrix;
    SUNLinearSolver solver;
} carom_layer_engine;

/* A point that cannot be evaluated ends the motion; other failures are passed on. */
static inline carom_status carom_layer_engine_ended(carom_layer_engine *e, carom_status status)
{
    if (status > 0 && e->record->result->end == CAROM_FLOW_REACHED)
        return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE, "%s", e->error->text);
    return status;
}

/* ---- layer_integrator.c ---- */

carom_status carom_layer_integrator_create(carom_layer_engine *engine, carom_error *error);
void carom_layer_integrator_destroy(carom_layer_engine *engine);

/* Start the integrator afresh from y at t. */
carom_status carom_layer_integrator_restart(carom_layer_engine *engine);

/* What a negative flag of the integrator means for the run. */
carom_status carom_layer_integrator_failed(carom_layer_engine *engine, int flag);

/* The gap of contact i is below b at a turning point of its flight at *t: where since begin did it
 * go below? y becomes the state there, *t its time. */
carom_status carom_layer_integrator_find_entry(carom_layer_engine *engine, int contact,
                                               double begin, double *t);

/* ---- layer_passage.c ---- */

/* Contact i enters its layer (or starts in it) at distance x with velocity `rate`. */
carom_status carom_layer_passage_enter(carom_layer_engine *engine, int contact, double x,
                                       double rate);

/* Contact i leaves its layer: the passage was an impact. */
carom_status carom_layer_passage_leave(carom_layer_engine *engine, int contact);

/* Contact i rests on the edge no longer: it lifts off, or sinks into the layer. */
carom_status carom_layer_passage_leave_edge(carom_layer_engine *engine, int contact, bool sinks);

/* Energy in layers, at the start or the end: it comes or goes under impacts. */
carom_status carom_layer_passage_tell(carom_layer_engine *engine, const char *what);

#endif
