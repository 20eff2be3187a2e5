/* The parts of the reader of bodies: worlds, shapes, motions, joints. */
#ifndef CAROM_SRC_SCENE_SCENE_BODIES_H
#define CAROM_SRC_SCENE_SCENE_BODIES_H

#include "carom/bodies.h"
#include "scene/name_set.h"
#include "scene/scene_parts.h"

/* A body, joint or pair as it is read: where it stands, in which round. */
typedef struct carom_scene_entry {
    const carom_yaml_node *key; /* its value is the map */
    const carom_reader_round *round;
    const char *name;
} carom_scene_entry;

typedef struct carom_scene_entries {
    carom_scene_entry *items;
    int count, room;
} carom_scene_entries;

/* A shape that the scene owns, and what it was made from. */
typedef struct carom_scene_solid {
    carom_shape *shape;
    carom_shape_def def;
} carom_scene_solid;

/* Everything while it is read. */
typedef struct carom_scene_assembly {
    carom_reader *r;
    carom_scene *scene;
    carom_world_def world;
    carom_scene_entries body_entries, joint_entries;
    carom_name_set names; /* of bodies */
    carom_body_def *bodies;
    carom_joint_def *joints;
    carom_rope_def *ropes;
    carom_pair_def *pairs;
    int *joint_of, *rope_of; /* entries of joints and ropes */
    const carom_yaml_node **pair_nodes;
    const char **colours; /* of bodies, NULL: none */
} carom_scene_assembly;

/* `count` numbers of a node, coordinates of the scene's space: two or three. */
carom_status carom_scene_vector(carom_scene_assembly *a, const carom_yaml_node *map,
                                const char *key, double *values);

/* `turn`: an angle in the plane, a quaternion or axis and angle in space. */
carom_status carom_scene_turn(carom_scene_assembly *a, const carom_yaml_node *node, double turn[4]);

/* Two of them. */
carom_status carom_scene_two_bodies(carom_scene_assembly *a, const carom_yaml_node *node,
                                    const char *what, bool world, int body[2]);

/* `contact`, on top of what *contact says already. */
carom_status carom_scene_material(carom_scene_assembly *a, const carom_yaml_node *node,
                                  const carom_scene_key *keys, const char *what,
                                  carom_contact *contact);

/* `shape` of a body. */
carom_status carom_scene_body_shapes(carom_scene_assembly *a, const carom_yaml_node *node,
                                     carom_body_def *body);

/* `at` and `turn` of a body; those of a fixed one may be formulas of t. */
carom_status carom_scene_body_place(carom_scene_assembly *a, const carom_yaml_node *map,
                                    carom_body_def *body);

/* Formulas know coordinates by their names; velocities too, as long as the bodies are few. Then
 * `define`. */
carom_status carom_scene_bodies_names(carom_scene_assembly *assembly, const carom_yaml_node *root,
                                      const carom_scene_blocks *blocks);

/* The ropes, for pictures. */
carom_status carom_scene_bodies_ropes(carom_scene_assembly *assembly);

/* All joints and ropes; motors get their formulas when the system is made. */
carom_status carom_scene_joints(carom_scene_assembly *a);
carom_status carom_scene_motors(carom_scene_assembly *a);

/* Where the joints and ropes stand whose limits are contacts. */
carom_status carom_scene_stops(carom_scene_assembly *a);

/* A formula of the state: coordinates and their rates are worked out from q and u. */
typedef struct carom_scene_function {
    const carom_bodies *bodies;
    carom_expr *expr;
    double *rates; /* nq */
} carom_scene_function;

double carom_scene_function_value(void *function, double t, const double *q, const double *u);

/* Its formula, once the system is made and its coordinates have names. */
carom_status carom_scene_function_read(carom_scene_assembly *a, const carom_yaml_node *node,
                                       const char *what, carom_scene_function *function);

/* `section` (may be NULL) of the system: at a contact, or at a formula, which becomes an instant of
 * the world; its formula is read when coordinates have names. */
carom_status carom_scene_bodies_section(carom_scene_assembly *a, const carom_yaml_node *section);
carom_status carom_scene_bodies_instant(carom_scene_assembly *a, const carom_yaml_node *section);

/* The triangles of a file, points and triangles from the arena (scene_mesh.c). */
carom_status carom_scene_mesh(const char *path, carom_arena *arena, carom_shape_def *def,
                              carom_error *error);

/* A formula of the scene, given back with it. */
carom_status carom_scene_keep_formula(carom_reader *r, carom_scene *scene,
                                      const carom_yaml_node *node, const char *what, int order,
                                      carom_expr **expr);

#endif
