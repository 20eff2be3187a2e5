/* What the package needs beside the public headers: motions kept in memory, with Python asked now
 * and then whether to go on. */
#ifndef CAROM_PYTHON_BRIDGE_H
#define CAROM_PYTHON_BRIDGE_H

#include <stdlib.h>

#include "carom/carom.h"
#include "carom/io.h"

/* Python's word, defined by the wrapper: 0 go on, 1 stop in good order. */
int bridge_progress(void *python, double t, long steps);

/* A motion with its trace. */
typedef struct bridge_motion {
    carom_flow_result result;
    carom_trace trace;
    unsigned long long hash; /* of the trace */
    carom_arena *arena;
} bridge_motion;

/* Run, and keep every row. scene: what its system came from, NULL for others. python: given back to
 * bridge_progress, some twenty times a second. The answer is as that of carom_flow_run; *motion is
 * made unless it is negative, and then to be destroyed. After CAROM_ERROR_CALLBACK it is made too,
 * with the trace up to there and no result. */
carom_status bridge_run(const carom_system *system, const carom_scene *scene, const carom_law *law,
                        const carom_flow_start *start, const carom_flow_options *options,
                        void *python, bridge_motion **motion, carom_error *error);
void bridge_motion_destroy(bridge_motion *motion); /* NULL is allowed */

/* While Carom is at work OpenBLAS has one thread: more of them change the last bits, and the
 * program too runs with one. What it had before comes back when the last of all threads has ended.
 */
void bridge_serial_prepare(void); /* once */
void bridge_serial_begin(void);
void bridge_serial_end(void);

/* Python's word in checks and solvers, defined by the wrapper: false ends them with what is known.
 */
bool bridge_go_on(void *python, const char *what, double done);
bool bridge_iterates(void *python, int iterations, double residual);

/* A watch that asks bridge_go_on some twenty times a second: taking Python's lock for every piece
 * of the work would cost more than the piece. */
typedef struct bridge_watch {
    carom_watch watch;
    void *python;
    double asked; /* when Python was, last */
} bridge_watch;

void bridge_watch_begin(bridge_watch *watch, void *python);

/* A law that a Python function decides. Its table is the law's first part, so that it finds itself.
 */
typedef struct bridge_law {
    carom_law_ops ops;
    carom_law law;
    void *python;
} bridge_law;

/* NULL: no memory. */
bridge_law *bridge_law_create(const char *name, bool frictional, void *python);
void bridge_law_destroy(bridge_law *law); /* NULL is allowed */

/* Defined by the wrapper: the function's impulses go to the outcome, or its answer says that there
 * are none. */
carom_status bridge_law_decide(void *python, const carom_geometry *geometry, carom_outcome *outcome,
                               carom_error *error);

/* A system that Python functions evaluate. */
carom_status bridge_system_create(const carom_system_shape *shape, void *python,
                                  carom_system **system, carom_error *error);

/* Defined by the wrapper. */
carom_status bridge_system_evaluate(void *python, unsigned want, carom_state *state,
                                    carom_error *error);

/* Where a motion is differentiated: at its end, at an impact (from 1), or at the limit of the first
 * accumulation. */
typedef struct bridge_place {
    long impact;
    bool accumulation;
    bool reached;
    double t; /* when it was */
} bridge_place;

/* carom_orbit_run to that place, with Python asked now and then. */
carom_status bridge_gradient(const carom_system *system, const carom_law *law,
                             const carom_flow_start *start, const carom_flow_options *options,
                             const carom_orbit_directions *directions, bridge_place *at,
                             void *python, carom_arena *arena, carom_flow_result *result,
                             carom_orbit_tangents *tangents, carom_error *error);

/* For carom_orbit_problem: self is the handle of bridge_progress. */
carom_status bridge_searches(void *python, carom_error *error);

#endif
