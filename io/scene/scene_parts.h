/* The inside of a scene, and the parts of its reader: one function per key of the file. */
#ifndef CAROM_SRC_SCENE_SCENE_PARTS_H
#define CAROM_SRC_SCENE_SCENE_PARTS_H

#include "carom/formulas.h"
#include "scene/name_set.h"
#include "scene/reader.h"

/* A number of a shape. Most are constants or bare coordinates, which need no formula. */
typedef struct carom_scene_number {
    carom_expr *expr; /* owned by the scene; NULL: a coordinate or a constant */
    int coordinate;   /* < 0: none */
    double constant;
} carom_scene_number;

/* The formulas of a scene, to be given back with it. */
typedef struct carom_scene_formula carom_scene_formula;
struct carom_scene_formula {
    carom_expr *expr;
    carom_scene_formula *next;
};

/* Where a contact is: formulas number first ... of a set. */
typedef struct carom_scene_marker {
    int at_count, toward_count; /* 0, 2 or 3 */
    int first;                  /* `at`, then `toward` */
} carom_scene_marker;

struct carom_scene {
    int *unit_q,
        *unit_u; /* of content.units, of a system in formulas; NULL: another, not asked for */
    carom_arena *arena;
    carom_scope *scope;
    bool any_restitution;
    carom_system *system; /* owned; NULL: an impact */
    carom_scene_formula *formulas;
    carom_scene_number **numbers; /* of the shapes, count of each */
    double *no_velocities; /* zeros for formulas, where velocities are not rates of coordinates */
    const carom_scene_marker *markers; /* p; NULL: no contact says where it is */
    carom_expr_set *places;            /* their formulas, and room for their values */
    double *place_values;
    carom_scene_section section;
    carom_expr_set *keep;             /* of the section */
    struct carom_scene_solid *solids; /* shapes of bodies */
    int solid_count, solid_room;
    const struct carom_scene_figure *figures; /* shapes that are not of `draw` */
    int figure_count;
    double *poses;     /* of bodies, at the moment that is drawn */
    double *rates_now; /* nq: rates of coordinates where velocities are not those */
    carom_scope *open; /* where parameters stay variables; NULL: read without derivatives */
    struct carom_scene_rates *rates; /* scene_direction.h */
    carom_scene_content content;
};

/* `parameters`, with overrides "name=value". node may be NULL. */
carom_status carom_scene_parameters(carom_reader *r, const carom_yaml_node *node,
                                    const carom_scene_options *options,
                                    carom_scene_content *content);

/* An override of a value of `initial`, "initial.name=value": what follows the point; NULL: it is
 * none.
 */
const char *carom_scene_set_initial(const char *set);

/* The name and the value of an override; values may be formulas of parameters. */
carom_status carom_scene_set_value(carom_reader *r, const char *set, const char **name,
                                   double *value);

/* What a law's parameters are checked against: coordinates and closed contacts (0: not known yet),
 * and all contacts of the scene, that lists may name (NULL: not known yet). */
typedef struct carom_scene_law_context {
    int n, p;
    const carom_contact *contacts;
    int contact_count;
} carom_scene_law_context;

/* The context of a scene whose impact or system is read. */
carom_scene_law_context carom_scene_law_context_of(const carom_scene_content *content);

/* `law`: a name, or a map with a name and parameters. */
carom_status carom_scene_law(carom_reader *r, const carom_yaml_node *node,
                             carom_scene_law_context context, carom_law *law);

/* The value (node) of the parameter called `name`. */
carom_status carom_scene_law_value(carom_reader *r, const carom_law_ops *ops,
                                   const carom_yaml_node *name, const carom_yaml_node *node,
                                   carom_scene_law_context context, carom_value *value);

/* The keys that contacts of impacts and of systems share: restitution, friction, ... law. */
carom_status carom_scene_contact(carom_reader *r, const carom_yaml_node *map,
                                 carom_scene_law_context context, carom_contact *contact);

/* The `repeat` blocks of a list, with the rounds of each. */
typedef struct carom_scene_block carom_scene_block;
typedef struct carom_scene_blocks {
    carom_scene_block *blocks;
    int count, room;
} carom_scene_blocks;

struct carom_scene_block {
    const carom_yaml_node *node;
    const carom_reader_round *rounds;
    int round_count;
    carom_scene_blocks *inner; /* of each round; NULL: there is no `repeat` in the block */
};

/* How much a scene has, counted before any of it is made. */
typedef struct carom_scene_count {
    long rounds, coordinates, contacts;
    long blocks;               /* whose rounds were counted */
    const carom_yaml_node *at; /* the last block that has contacts */
    bool more;                 /* the counting was given up */
} carom_scene_count;

/* Check a `repeat` list (NULL: none) and add what it makes to the count. */
carom_status carom_scene_repeat_count(carom_reader *r, const carom_yaml_node *list,
                                      carom_scene_count *count);

/* Is there room for so many contacts and coordinates? */
carom_status carom_scene_repeat_room(carom_reader *r, const carom_yaml_node *system,
                                     const carom_scene_count *count);

/* Append the blocks of a list that was counted (NULL: none), in the reader's round. */
carom_status carom_scene_repeat(carom_reader *r, const carom_yaml_node *node,
                                carom_scene_blocks *blocks);

/* Call `part` for the value of `key` in every round of every block, with r->round set. */
typedef carom_status (*carom_scene_part)(void *self, const carom_yaml_node *node);
carom_status carom_scene_repeat_each(carom_reader *r, const carom_scene_blocks *blocks,
                                     const char *key, carom_scene_part part, void *self);

/* `define` (may be NULL) and that of the blocks, into the reader's scope; the definitions live in
 * the scratch arena. */
typedef struct carom_scene_named {
    carom_named_formula *items;
    int count, room;
} carom_scene_named;
carom_status carom_scene_define(carom_reader *r, const carom_yaml_node *node,
                                const carom_scene_blocks *blocks, carom_scene_named *definitions);

/* Append a map of names and formulas. */
carom_status carom_scene_named_add(carom_reader *r, const carom_yaml_node *node, const char *what,
                                   carom_scene_named *to);

/* `system` of the root: coordinates and definitions go to the reader's scope too. */
carom_status carom_scene_system(carom_reader *r, const carom_yaml_node *root,
                                const carom_scene_blocks *blocks, carom_scene *scene);
carom_status carom_scene_rigid_body(carom_reader *r, const carom_yaml_node *node,
                                    const carom_yaml_node *root, carom_scene *scene);

/* `region` among p contacts with these names. */
carom_status carom_scene_region(carom_reader *r, const carom_yaml_node *node,
                                const carom_name_set *names, int p, const carom_region **made);

/* `spread` of a contact of a system with n coordinates: formulas, or rows of numbers. */
carom_status carom_scene_spread(carom_reader *r, const carom_yaml_node *node,
                                const carom_source *coordinates, int n,
                                carom_contact_formulas *contact);

/* `world`, `bodies`, `joints` of the root. */
carom_status carom_scene_bodies(carom_reader *r, const carom_yaml_node *root,
                                const carom_scene_blocks *blocks, carom_scene *scene);
void carom_scene_bodies_destroy(carom_scene *scene);

/* What bodies look like, where `draw` says nothing; where they are at a moment; and, after that,
 * the numbers of one line or circle of them. */
carom_status carom_scene_bodies_draw(carom_reader *r, carom_scene *scene);
void carom_scene_bodies_pose(const carom_scene *scene, double t, const double *q);
void carom_scene_bodies_evaluate(const carom_scene *scene, int figure, double *values);
double carom_scene_bodies_nearness(const carom_scene *scene, int figure);

/* Which columns are measured alike; formulas NULL: bodies. */
carom_status carom_scene_units(carom_reader *r, const carom_formulas *formulas, carom_scene *scene);

/* What `draw` takes for an angle is one, and so is what is measured like it, but for what `draw`
 * takes for a place: then a factor of 1 hides between them. */
carom_status carom_scene_units_drawn(carom_reader *r, carom_scene *scene);

/* `at` and `toward` of a contact, appended to what the scene's contacts say. */
typedef struct carom_scene_places {
    carom_scene_marker *markers; /* one a contact */
    int count, room;
    carom_source *formulas;
    int formula_count, formula_room;
} carom_scene_places;
carom_status carom_scene_places_add(carom_reader *r, const carom_yaml_node *contact,
                                    carom_scene_places *places);
/* Compile them, when all contacts are read. */
carom_status carom_scene_places_make(carom_reader *r, const carom_scene_places *places,
                                     carom_scene *scene);

/* `events`, appended. */
typedef struct carom_scene_events {
    carom_event_formulas *items;
    struct carom_scene_event_parts {
        const carom_yaml_node *name; /* for messages; NULL: made of a section */
        carom_scene_named sets;
    } * parts; /* of each */
    int count, room, part_room;
} carom_scene_events;
carom_status carom_scene_events_add(carom_reader *r, const carom_yaml_node *node,
                                    carom_scene_events *events);
/* Room for one more, zeroed. */
carom_status carom_scene_events_grow(carom_reader *r, carom_scene_events *events);
carom_status carom_scene_events_check(carom_reader *r, const carom_scene_events *events);

/* With (or without) the places in the file, see carom_expand_places. */
carom_status carom_scene_events_set_places(carom_reader *r, carom_scene_events *events, bool with);

/* `direction` of an event or of a section; both without. */
carom_status carom_scene_crossing(carom_reader *r, const carom_yaml_node *map,
                                  carom_crossing *crossing);

/* `section` (may be NULL): where it is, among the contacts' names and the events; a formula is
 * appended to the events. */
carom_status carom_scene_section_find(carom_reader *r, const carom_yaml_node *node,
                                      const char *const *contacts, int contact_count,
                                      carom_scene_events *events, carom_scene *scene);

/* A section at a word that is no formula, near the name of a contact or of an event, is a misspelt
 * one. Once all names are in the scope. */
carom_status carom_scene_section_check(carom_reader *r, const carom_yaml_node *section,
                                       const char *const *contacts, int contact_count,
                                       const carom_scene_events *events);

/* The rest of `section`, `period`, `symmetry` and `ignore`, once the system is made. */
carom_status carom_scene_orbit(carom_reader *r, const carom_yaml_node *root, carom_scene *scene);

/* `initial` (may be NULL) and that of the blocks. */
carom_status carom_scene_initial(carom_reader *r, const carom_yaml_node *node,
                                 const carom_scene_blocks *blocks, carom_scene *scene);

/* `run`. */
carom_status carom_scene_run(carom_reader *r, const carom_yaml_node *node, double start,
                             const carom_flow_options **run);

/* `draw` (may be NULL) and that of the blocks. */
carom_status carom_scene_draw(carom_reader *r, const carom_yaml_node *node,
                              const carom_scene_blocks *blocks, carom_scene *scene);

/* `mass` of an impact: sets n, M and mass_is_diagonal. */
carom_status carom_scene_mass(carom_reader *r, const carom_yaml_node *node, carom_impact *impact);

/* `impact`. */
carom_status carom_scene_impact(carom_reader *r, const carom_yaml_node *node,
                                const carom_impact **impact);

#endif
