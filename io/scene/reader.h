/* What all parts of the scene reader share: the two arenas, the names of formulas, and the small
 * steps from a node of the YAML tree to a checked value. Every failure is reported at its place. */
#ifndef CAROM_SRC_SCENE_READER_H
#define CAROM_SRC_SCENE_READER_H

#include "carom/scene.h"
#include "scene/yaml_tree.h"

typedef struct carom_reader_note carom_reader_note;

/* One round of a repeat block, inside a round of the block around it. */
typedef struct carom_reader_round carom_reader_round;
struct carom_reader_round {
    const char *index; /* the name behind the `$` */
    long value;
    const carom_reader_round *outer; /* NULL: the outermost */
};

/* Where a text given to the formulas' room came from (expand.h). */
typedef struct carom_reader_origin {
    const carom_yaml_node *node;
    const carom_reader_round *round; /* NULL: not repeated */
    const char *text;
    bool bare; /* indices stand in it without `$` too */
} carom_reader_origin;

/* A number of the scene that is a formula, for derivatives: what it belongs to, its name there, its
 * text. */
typedef enum carom_reader_owner {
    CAROM_READER_NOBODY,
    CAROM_READER_PARAMETER,   /* index: which */
    CAROM_READER_CONTACT,     /* index: which */
    CAROM_READER_CONTACT_LAW, /* index: the contact */
    CAROM_READER_LAW,         /* of the scene; index: its numbers before this one */
    CAROM_READER_INITIAL,     /* index: coordinate, nq + velocity, nq + n for t */
    CAROM_READER_PERIOD,
    CAROM_READER_RUN
} carom_reader_owner;

typedef struct carom_reader_record {
    carom_reader_owner owner;
    int index;
    const char *what, *text; /* text NULL: a number, which replaces what was there */
} carom_reader_record;

typedef struct carom_reader {
    carom_arena *arena;   /* what the scene keeps */
    carom_arena *scratch; /* the tree, and what ends with the reading */
    carom_scope *scope;   /* parameters, later coordinates */
    carom_error *error;
    bool any_restitution;
    const char *folder; /* of files that the scene names, with its last slash; NULL: here */
    carom_reader_note *first_note, *last_note; /* warnings */
    int note_count;
    const carom_reader_round *round; /* the round that is being read; NULL: not in a repeat block */
    carom_reader_origin *origins;
    int origin_count, origin_room;
    bool units;               /* find what is measured alike */
    bool tex;                 /* write the equations as LaTeX */
    bool kernel;              /* write the program of a device */
    bool derivatives;         /* keep records of numbers that are formulas */
    carom_reader_owner owner; /* of the numbers that are being read, and which */
    int owner_index;
    carom_reader_record *records;
    int record_count, record_room;
    const carom_named_formula *definitions; /* all of the scene */
    int definition_count;
} carom_reader;

struct carom_reader_note {
    carom_scene_note note;
    carom_reader_note *next;
};

/* An error at a node, a warning at a node. */
carom_status carom_reader_fail(carom_reader *r, const carom_yaml_node *node, const char *format,
                               ...) CAROM_PRINTF(3, 4);
carom_status carom_reader_warn(carom_reader *r, const carom_yaml_node *node, const char *format,
                               ...) CAROM_PRINTF(3, 4);

/* Append to the error which rounds of repeat blocks it is in (NULL: nothing). */
void carom_reader_name_round(carom_reader *r, const carom_reader_round *round);

/* The round of the index of this name, here or further out; NULL: there is none. */
const carom_reader_round *carom_reader_find_index(const carom_reader_round *round, const char *name,
                                                  size_t length);

/* The array with room for one more, in the scratch arena; NULL when there is no memory. */
void *carom_reader_grow(carom_reader *r, void *array, int count, int *room, size_t size);

/* The node must be a map whose keys are all in the table (NULL: any keys) and all have a value.
 * what: how messages call it. */
carom_status carom_reader_map(carom_reader *r, const carom_yaml_node *node, const char *what,
                              const carom_scene_key *keys);
carom_status carom_reader_list(carom_reader *r, const carom_yaml_node *node, const char *what);

/* The value of a key, or NULL (also when it is no map); the same for a key that must be there. */
const carom_yaml_node *carom_reader_find(const carom_yaml_node *map, const char *key);
carom_status carom_reader_need(carom_reader *r, const carom_yaml_node *map, const char *what,
                               const char *key, const carom_yaml_node **value);

/* The node must be a scalar that is not empty. */
carom_status carom_reader_scalar(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 const char *expected);

/* Scalars. Texts are copied into the scene's arena. */
carom_status carom_reader_text(carom_reader *r, const carom_yaml_node *node, const char *what,
                               const char **text);
carom_status carom_reader_choice(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 const char *const *words, int *index);

/* Remember a formula (text NULL: a number) of the owner that is being read. */
carom_status carom_reader_remember(carom_reader *r, const char *what, const char *text);

/* A finite number, or a formula of parameters that gives one. */
carom_status carom_reader_number(carom_reader *r, const carom_yaml_node *node, const char *what,
                                 double *value);
/* The same in [low, high]. */
carom_status carom_reader_number_in(carom_reader *r, const carom_yaml_node *node, const char *what,
                                    double low, double high, double *value);
/* The same and > 0. */
carom_status carom_reader_positive(carom_reader *r, const carom_yaml_node *node, const char *what,
                                   double *value);
/* A list of exactly count numbers. */
carom_status carom_reader_numbers(carom_reader *r, const carom_yaml_node *node, const char *what,
                                  int count, double *values);

/* If a formula was cut by a comma of the flow style, append the remedy to the error. Returns the
 * status given. */
carom_status carom_reader_hint(carom_reader *r, const carom_yaml_node *node, carom_status status);

#endif
