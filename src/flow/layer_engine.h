/* The engine of motion in boundary layers: what its integrators, its passages and its loop share
 * (docs/theory/boundary-layer.md). */
#ifndef CAROM_SRC_FLOW_LAYER_ENGINE_H
#define CAROM_SRC_FLOW_LAYER_ENGINE_H

#include "flow/layer_field.h"
#include "flow/record.h"

/* A passage through the layer of one contact, from entry to exit. */
typedef struct carom_layer_passage {
    double t, turn;       /* entry, first turning point (NAN before) */
    double loss, impulse; /* of the layer at entry */
    double *before, *q;   /* velocity at entry, position at the turn (or entry) */
} carom_layer_passage;

typedef struct carom_layer_engine carom_layer_engine;

/* A way to integrate dy = carom_layer_field_slope from engine->y at engine->t. Beside the motion it
 * watches two functions a contact (carom_layer_integrator_watch) for changes of sign in the
 * directions of engine->direction. */
typedef struct carom_layer_integrator {
    const char *name;
    carom_status (*create)(carom_layer_engine *engine, carom_arena *arena, carom_error *error);
    void (*destroy)(carom_layer_engine *engine); /* NULL: nothing to do */
    /* Start afresh from y at t, with the tolerances in engine->tolerance. */
    carom_status (*restart)(carom_layer_engine *engine);
    /* One step towards engine->until: t and y, and in engine->roots (2p) the directions of the
     * functions that are zero at its end. Where it cannot go on, carom_layer_integrator_failed. */
    carom_status (*step)(carom_layer_engine *engine);
    /* The state at a time within the step made last. y: at.size. */
    void (*at)(const carom_layer_engine *engine, double t, double *y);
} carom_layer_integrator;

struct carom_layer_engine {
    carom_record *record;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    carom_layer_field field;
    const carom_layer_integrator *integrator;
    void *integrates; /* what it keeps */
    carom_error *error;
    carom_status status;       /* of the last evaluation */
    double bad;                /* time of the last that was not admissible; error has its text */
    double t, from;            /* now, and where the step made last began */
    double *y, *point, *slope; /* at.size */
    double *peak;              /* at.size: largest size so far */
    double *tolerance;         /* at.size, absolute */
    double *speed;             /* p, largest |x'| so far */
    double *base;              /* p, energy in the layer of a motion that starts in it */
    double moved;              /* energy of putting positions back */
    carom_layer_passage *passages; /* p */
    int *roots, *direction;        /* 2p */
    unsigned char *told;           /* p, warned of the least speed */
    unsigned char *was;            /* p, modes as told last */
    long row;
};

/* A point that cannot be evaluated ends the motion; other failures are passed on. */
static inline carom_status carom_layer_engine_ended(carom_layer_engine *e, carom_status status)
{
    if (status > 0 && e->record->result->end == CAROM_FLOW_REACHED)
        return carom_record_stop(e->record, CAROM_FLOW_BAD_FORCE, "%s", e->error->text);
    return status;
}

/* ---- layer_integrator.c ---- */

/* CVODE where it is built in (CAROM_CVODE), else our own. */
const carom_layer_integrator *carom_layer_integrator_default(void);

/* A step may err by this part. */
double carom_layer_integrator_tolerance(const carom_layer_engine *engine);

/* The slope at (t, y), counted; a point that is not admissible is remembered. */
carom_status carom_layer_integrator_slope(carom_layer_engine *engine, double t, const double *y,
                                          double *dy);

/* Two functions a contact at (t, y), into out (2p): outside x - b and x'; inside eta and P; on the
 * edge its force and what the layer can still give. */
carom_status carom_layer_integrator_watch(carom_layer_engine *engine, double t, const double *y,
                                          double *out);

/* Start afresh from y at t: rows held, tolerances, directions. */
carom_status carom_layer_integrator_restart(carom_layer_engine *engine);

/* Why the integrator cannot go on; flag: its own word for it. */
carom_status carom_layer_integrator_failed(carom_layer_engine *engine, int flag);

/* The gap of contact i is below b at a turning point of its flight at *t: where in the step did it
 * go below? y becomes the state there, *t its time. */
carom_status carom_layer_integrator_find_entry(carom_layer_engine *engine, int contact, double *t);

extern const carom_layer_integrator carom_layer_own;   /* layer_own.c */
extern const carom_layer_integrator carom_layer_cvode; /* layer_cvode.c, with CAROM_CVODE */

/* ---- layer_passage.c ---- */

/* Contact i enters its layer (or starts in it) at distance x with velocity `rate`. */
carom_status carom_layer_passage_enter(carom_layer_engine *engine, int contact, double x,
                                       double rate);

/* Contact i leaves its layer: the passage was an impact. */
carom_status carom_layer_passage_leave(carom_layer_engine *engine, int contact);

/* Contact i rests on the edge no longer: it lifts off, or sinks into the layer. */
carom_status carom_layer_passage_leave_edge(carom_layer_engine *engine, int contact, bool sinks);

#endif
