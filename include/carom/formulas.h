/* A mechanical system stated in formulas: kinetic and potential energy, forces, gaps, slips,
 * joints.
 *
 * Everything else is derived exactly (docs/theory/lagrange.md): M and h by Lagrange's equations, W,
 * the acceleration terms, slips, joints, the power for the energy ledger. */
#ifndef CAROM_FORMULAS_H
#define CAROM_FORMULAS_H

#include "carom/expr.h"
#include "carom/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A contact: gap(q, t) >= 0, and slip velocities linear in the velocities (affine with q, t). */
typedef struct carom_contact_formulas {
    carom_source gap;
    carom_source slip[2];       /* text NULL: none, planar (the first), spatial (both) */
    int spread_count;           /* formulas of its spread, */
    const carom_source *spread; /* each linear in the velocities (a row of A applied to them), or of
                                   coordinates and t: s, whose gradient is that row, and then the
                                   gap is g - |s| */
    carom_source when;          /* it may close only where this is > 0; text NULL: anywhere */
    carom_contact properties; /* start from carom_contact_default(), with a name; slip_count is set
                                 from `slip` */
} carom_contact_formulas;

/* An event: where `at` crosses zero in this direction and `guard` is > 0. */
typedef struct carom_event_formulas {
    carom_source name; /* a label */
    carom_source at;   /* of anything */
    carom_crossing direction;
    carom_source guard; /* text NULL: none */
    int set_count;
    const carom_named_formula *sets; /* coordinate x or velocity x' to its value after the event */
} carom_event_formulas;

/* The statement. All arrays are borrowed while the system is made. */
typedef struct carom_formulas {
    int coordinate_count;
    const carom_source *coordinates; /* names, at least one */
    int parameter_count;
    const carom_named_formula *parameters; /* formulas of earlier ones */
    int definition_count;
    const carom_named_formula *definitions; /* of coordinates, velocities, t, parameters and earlier
                                               definitions */
    int kinetic_count;
    const carom_source *kinetic; /* summed; quadratic in the velocities, may have terms linear in
                                    them and free of them; at least one */
    int potential_count;
    const carom_source *potential; /* summed; of coordinates and t */
    int force_count;
    const carom_named_formula *forces; /* on the coordinate of that name, summed; of anything */
    int contact_count;
    const carom_contact_formulas *contacts;
    int bilateral_count;
    const carom_named_formula *bilateral; /* f(q, t), held at 0; the name is a label */
    int permanent_count;
    const carom_named_formula *permanent; /* affine in the velocities, held at 0 */
    const carom_region *region;           /* NULL: all contacts must hold */
    int event_count;
    const carom_event_formulas *events;
    bool
        keep_parameters; /* derivatives with respect to parameters too, see carom_system_tangents */
} carom_formulas;

/* Make the system. Errors carry line and column of the operation to blame, if its source has one:
 * kinetic energy not quadratic in the velocities or free of one of them, velocity in a gap, a
 * potential or a joint, slip not linear in the velocities, a gap of no coordinate, unknown names
 * (with a suggestion). What can be judged at a state only: carom_system_check. */
CAROM_API carom_status carom_system_formulas(const carom_formulas *statement,
                                             const carom_allocator *allocator,
                                             carom_system **system, carom_error *error);

/* The equations of motion, gaps, slips and constraints of a statement that makes a system, as LaTeX
 * (amsmath), with parameters by their names. *tex is in the arena. */
CAROM_API carom_status carom_system_formulas_tex(const carom_formulas *statement,
                                                 carom_arena *arena, const char **tex,
                                                 carom_error *error);

/* Which coordinates (n), and which gaps (p), the formulas of a statement that makes a system prove
 * to be measured alike: equal numbers; 0: no unit, as angles; -1: like none of the others, or
 * nothing is proved. Work space from the arena. */
CAROM_API carom_status carom_system_formulas_units(const carom_formulas *statement,
                                                   carom_arena *arena, int *coordinates, int *gaps,
                                                   carom_error *error);

/* Most that the program of a device is written for. */
enum { CAROM_KERNEL_COORDINATES = 8, CAROM_KERNEL_CONTACTS = 8, CAROM_KERNEL_ROUGH = 4 };

/* The system as OpenCL C: functions for the Taylor coefficients of its mass, forces, gaps and
 * normals along a motion, with parameters as variables (docs/theory/series.md). *source is in the
 * arena. CAROM_ERROR_UNSUPPORTED, with the reason, for what a device cannot run: friction, joints,
 * regions, events that set something, formulas with corners or jumps. */
CAROM_API carom_status carom_system_formulas_kernel(const carom_formulas *statement,
                                                    carom_arena *arena, const char **source,
                                                    carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
