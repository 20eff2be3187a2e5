/* The inside of a scene, and the parts of its reader: one function per key of the file. */
#ifndef CAROM_SRC_SCENE_SCENE_PARTS_H
#define CAROM_SRC_SCENE_SCENE_PARTS_H

#include "scene/reader.h"

struct carom_scene {
    carom_arena *arena;
    carom_scope *scope;
    bool any_restitution;
    carom_scene_content content;
};

/* `parameters`, with overrides "name=value". node may be NULL. */
carom_status carom_scene_parameters(carom_reader *r, const carom_yaml_node *node,
                                    const carom_scene_options *options,
                                    carom_scene_content *content);

/* Names of closed contacts and sizes that a law's parameters are checked against; sizes of 0 are
 * not known yet. */
typedef struct carom_scene_law_context {
    int n, p;
} carom_scene_law_context;

/* `law`: a name, or a map with a name and parameters. */
carom_status carom_scene_law(carom_reader *r, const carom_yaml_node *node,
                             carom_scene_law_context context, carom_law *law);

/* The value (node) of the parameter called `name`. */
carom_status carom_scene_law_value(carom_reader *r, const carom_law_ops *ops,
                                   const carom_yaml_node *name, const carom_yaml_node *node,
                                   carom_scene_law_context context, carom_value *value);

/* The keys that contacts of impacts and of systems share: restitution, friction, ... law. */
#define CAROM_SCENE_CONTACT_KEYS                                                                   \
    "restitution", "friction", "friction_static", "friction_dynamic", "tangential_restitution",    \
        "stiffness", "exponent", "law"
carom_status carom_scene_contact(carom_reader *r, const carom_yaml_node *map,
                                 carom_scene_law_context context, carom_contact *contact);

/* `impact`. */
carom_status carom_scene_impact(carom_reader *r, const carom_yaml_node *node,
                                const carom_impact **impact);

#endif
