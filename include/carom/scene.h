/* Scene files: YAML (or JSON) to statements. The format is described in docs/guide/scenes.md.
 *
 *     carom_scene *scene;
 *     if (carom_scene_read_file("cradle.yaml", NULL, &scene, &error) != CAROM_OK)
 *         report(error.line, error.column, error.text);
 *     const carom_impact *impact = carom_scene_get(scene)->impact;
 *     ...
 *     carom_scene_destroy(scene);
 */
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include "carom/bodies.h"
#include "carom/expr.h"
#include "carom/flow.h"
#include "carom/impact.h"
#include "carom/law.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to read. Usable with {0}. */
typedef struct carom_scene_options {
    const char *const *sets; /* "name=value": parameters of the scene to override */
    int set_count;
    bool any_restitution; /* accept restitution outside [0, 1], with a warning */
    bool tex;             /* write the equations of a system in formulas as LaTeX */
    bool units;           /* find which columns of a motion are measured alike */
    bool kernel;          /* write a system in formulas as the program of a device */
    bool derivatives;     /* the system has derivatives with respect to parameters, the scene
                             carom_scene_direction_create */
    const char *folder; /* where files that the scene names are, with its last slash; NULL: that of
                           the scene's file, else the current one */
    const carom_allocator *allocator; /* NULL: the C library's */
} carom_scene_options;

/* A scene in memory. */
typedef struct carom_scene carom_scene;

/* A key of a scene file: what stands there, what is taken when it is missing, what it means. */
typedef struct carom_scene_key {
    const char *name, *value, *fallback, *doc;
} carom_scene_key;

/* The keys of one kind of map (`contact`, `run`, ...). */
typedef struct carom_scene_map {
    const char *name, *title;
    const carom_scene_key *keys; /* without those of registries; ends with a NULL name */
} carom_scene_map;

/* All of them: what the reader accepts; ends with a NULL name. */
CAROM_API const carom_scene_map *carom_scene_maps(void);

/* The keys of a map with those that kinds of shapes and joints bring along. Returns their number;
 * only the first `room` are written. */
enum { CAROM_SCENE_KEYS_MOST = 128 };
CAROM_API int carom_scene_map_keys(const carom_scene_map *map, int room, carom_scene_key *keys);

/* Read a scene from a file, from an open stream (a pipe, say), or from memory. Bad scenes are
 * CAROM_ERROR_INPUT with line and column, files that cannot be opened or read CAROM_ERROR_FILE.
 * options may be NULL. */
CAROM_API carom_status carom_scene_read_file(const char *path, const carom_scene_options *options,
                                             carom_scene **scene, carom_error *error);
CAROM_API carom_status carom_scene_read_stream(FILE *stream, const carom_scene_options *options,
                                               carom_scene **scene, carom_error *error);
CAROM_API carom_status carom_scene_read_text(const char *text, size_t size,
                                             const carom_scene_options *options,
                                             carom_scene **scene, carom_error *error);
CAROM_API void carom_scene_destroy(carom_scene *scene); /* NULL is allowed */

/* A warning: accepted, but worth telling. */
typedef struct carom_scene_note {
    int line, column; /* from 1; 0: none */
    const char *text;
} carom_scene_note;

typedef struct carom_scene_parameter {
    const char *name;
    double value;
} carom_scene_parameter;

/* What to draw: shapes in the plane whose numbers are formulas of t, coordinates, velocities. */
typedef enum carom_scene_shape_kind {
    CAROM_SCENE_CIRCLE, /* x, y, radius, angle */
    CAROM_SCENE_BOX,    /* x, y of the centre, width, height, angle */
    CAROM_SCENE_LINE,   /* x, y of two points or more */
    CAROM_SCENE_POINT,  /* x, y */
    CAROM_SCENE_SPRING, /* x, y of both ends */
    CAROM_SCENE_TEXT    /* x, y of its middle; the label is the text */
} carom_scene_shape_kind;

/* "circle", "box", "line", "point", "spring", "text" */
CAROM_API const char *carom_scene_shape_text(carom_scene_shape_kind kind);

typedef struct carom_scene_shape {
    carom_scene_shape_kind kind;
    int count;                 /* numbers, as listed above */
    int body;                  /* whose it is, from 1; 0: of none that the scene names */
    const char *label, *color; /* NULL: none */
    double width;              /* of its lines in pixels; 0: the usual */
    bool hollow;               /* `fill: none` */
    bool dashed;
    bool free;    /* of a body that can move, or by formulas of coordinates: it is no ground */
    bool closed;  /* a line that is the outline of a convex body in the plane: it is filled */
    bool solid;   /* in space: its outline hides what is behind (carom_scene_shape_nearness) */
    bool open[2]; /* the first, the last end of a line is none: the edge of a half-plane goes on */
} carom_scene_shape;

/* Where samples of a motion are taken: at each impact that gives a contact an impulse (the state
 * after it), or at an event of the system (after what it sets; one of the system's own, or one made
 * of a formula, which sets nothing). */
typedef enum carom_scene_section_kind {
    CAROM_SCENE_SECTION_CONTACT,
    CAROM_SCENE_SECTION_EVENT
} carom_scene_section_kind;

typedef struct carom_scene_section {
    carom_scene_section_kind kind;
    int index; /* of the contact, of the event in carom_system_shape */
    int keep_count;
    const char *const *keep; /* what is kept, as written; none: coordinates and velocities */
} carom_scene_section;

/* A body of the scene, for pictures; bodies have their numbers in the model (carom/bodies.h). */
typedef struct carom_scene_body {
    const char *name, *colour; /* colour NULL: none said */
    bool fixed;
    int shape_count;
    const carom_body_shape *shapes;
    const carom_shape_def *const *defs; /* what each shape was made from */
} carom_scene_body;

/* A rope, or the rod from a hinge to a body that does not reach it, for pictures: its ends in the
 * frames of two bodies, the second perhaps CAROM_WORLD. */
typedef struct carom_scene_rope {
    int body[2];
    double at[2][3];
} carom_scene_rope;

/* Which columns of a motion are measured alike: equal numbers in one list. 0: turns, and what else
 * has no unit; -1: nothing is known. NULL: not asked for. */
typedef struct carom_scene_units_found {
    const int *coordinates, *velocities, *gaps; /* nq, n, p */
} carom_scene_units_found;

/* What the scene says. Everything belongs to the scene. */
typedef struct carom_scene_content {
    const char *text; /* of the file, as it was read */
    int set_count;    /* overrides, as they were given */
    const char *const *sets;
    const char *title; /* NULL: none */
    int parameter_count;
    const carom_scene_parameter *parameters; /* in the order of the file, overrides included */
    const carom_impact *impact;              /* an impact in numbers, or NULL */
    const carom_system *system;              /* a system in formulas, or NULL */
    carom_flow_start initial;                /* of the system: t, q, u; q and u NULL without one */
    const carom_law *law;                    /* NULL: none given */
    const carom_flow_options *run;           /* NULL: none given */
    int body_count;
    const carom_scene_body *bodies; /* of a scene of bodies */
    int rope_count;
    const carom_scene_rope *ropes;
    int shape_count;
    const carom_scene_shape *shapes; /* `draw`, or what follows from the bodies */
    bool shapes_unsaved; /* they follow from so many bodies that traces leave their numbers out */
    const char *tex;     /* equations of a system in formulas; NULL: not asked for, or none */
    carom_scene_units_found units;
    const char *kernel;    /* the system as the program of a device; NULL: not asked for, or none */
    const char *no_kernel; /* why there is none */
    const carom_scene_section *section; /* NULL: none */
    double period;                      /* time between samples, or the time modulus; 0: none */
    const int *symmetry;                /* nq: at the end of an orbit coordinate i is compared with
                                           coordinate symmetry[i] at its start; NULL: with itself */
    const unsigned char *ignore; /* nq: 1 for a coordinate that need not return; NULL: none */
    int note_count;
    const carom_scene_note *notes;
    int stop_count;             /* limits of joints and ropes: the first contacts of bodies */
    const carom_place *stop_at; /* where the joint or the rope of each stands */
    carom_place system_at, initial_at, law_at,
        run_at; /* where they stand; the scene's start where absent */
} carom_scene_content;

/* The content, valid as long as the scene. */
CAROM_API const carom_scene_content *carom_scene_get(const carom_scene *scene);

/* The numbers of a shape (its count of them) at one moment of the system. Not for two threads at
 * once. Values may be NaN where a formula has none. */
CAROM_API void carom_scene_shape_evaluate(const carom_scene *scene, int shape, double t,
                                          const double *q, const double *u, double *values);

/* The numbers of all shapes, one after the other; likewise. */
CAROM_API void carom_scene_shapes_evaluate(const carom_scene *scene, double t, const double *q,
                                           const double *u, double *values);

/* How near to the eye a shape was when shapes were evaluated last; 0 in the plane. */
CAROM_API double carom_scene_shape_nearness(const carom_scene *scene, int shape);

/* Where a contact is at one moment (`at`: x, y and z, 0 in the plane) and where its normal points
 * (`toward`, zero when not said). Returns the number of coordinates of `at`: 2, 3, or 0 when the
 * scene does not say. Not for two threads at once. */
CAROM_API int carom_scene_contact_place(const carom_scene *scene, int contact, double t,
                                        const double *q, const double *u, double at[3],
                                        double toward[3]);

/* The values that the section keeps (keep_count) at one moment. Not for two threads at once. */
CAROM_API void carom_scene_section_evaluate(const carom_scene *scene, double t, const double *q,
                                            const double *u, double *values);

/* A formula of the scene's names: coordinates, velocities, t, parameters, definitions. It belongs
 * to the scene, which must outlive it; give it back with carom_expr_destroy. */
CAROM_API carom_status carom_scene_formula_create(carom_scene *scene, const char *text, int order,
                                                  carom_expr **expr, carom_error *error);

/* How the numbers of a scene change with one of them. Derivatives stand in the place of the
 * numbers: start.q + s * direction.q is the start of the scene with the name's value changed by s,
 * but for terms of higher order. */
typedef struct carom_scene_direction {
    double *parameters;      /* parameter_count, for carom_directions */
    double t, *q, *u;        /* of `initial`: 1, nq, n */
    carom_contact *contacts; /* p: restitution, friction, ... */
    double period, until;
    double value; /* the number itself, no derivative */
} carom_scene_direction;

/* The direction of a parameter (`e`: formulas of later parameters, of contacts and of `initial`
 * follow it), or of an initial value (`initial.x`: what is written by formulas of it follows).
 * Arrays are from the arena. The scene must have been read with `derivatives`. A law whose own
 * parameters depend on it is CAROM_ERROR_UNSUPPORTED. */
CAROM_API carom_status carom_scene_direction_create(const carom_scene *scene, const char *name,
                                                    carom_arena *arena,
                                                    carom_scene_direction *direction,
                                                    carom_error *error);

/* A law from the form `name` or `name:param=value,param=value`: numbers (or formulas of the scene's
 * parameters), words, lists [a, b] and matrices [[1, 0], [0, 1]]. Parameters not given come from
 * the scene's law of that name, the others keep their defaults. What *law points to belongs to the
 * scene. */
CAROM_API carom_status carom_scene_parse_law(carom_scene *scene, const char *text, carom_law *law,
                                             carom_error *error);

/* The same without a scene, for impacts of n velocities and p contacts without names. What *law
 * points to belongs to the arena. */
CAROM_API carom_status carom_scene_parse_law_for(int n, int p, const char *text, carom_arena *arena,
                                                 carom_law *law, carom_error *error);

/* The law that decides the impacts of a motion: the one asked for (text as above, NULL: none), else
 * the scene's, else `coulomb` where a contact has friction, `newton` where none has. *by_default
 * (may be NULL): nobody asked for it. */
CAROM_API carom_status carom_scene_choose_law(carom_scene *scene, const char *text, carom_law *law,
                                              bool *by_default, carom_error *error);

/* The same for a motion by a method. In boundary layers the law is a `layer`, the one asked for or
 * the scene's where it is one; *unused (may be NULL) is then the name of another that was asked
 * for, or said by the scene, and decides nothing. */
CAROM_API carom_status carom_scene_choose_motion_law(carom_scene *scene, const char *text,
                                                     carom_flow_method method, carom_law *law,
                                                     bool *by_default, const char **unused,
                                                     carom_error *error);

/* Can `name` be set: is it a parameter, or `initial.` and a coordinate, a velocity or t? */
CAROM_API bool carom_scene_has_value(const carom_scene *scene, const char *name);

/* Does what can be set act on a motion that goes on? *acts is false for `initial.x`, and for a
 * parameter whose name, and those of parameters made of it, only `initial` and `draw` have. */
CAROM_API carom_status carom_scene_acts(const carom_scene *scene, const char *name, bool *acts,
                                        carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
