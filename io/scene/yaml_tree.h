/* A YAML (or JSON) document as a tree that knows where everything stands. Scalars are text: the key
 * decides what they mean. Anchors, aliases, tags, merge keys, duplicate keys, a second document and
 * deep nesting are refused while the parser runs, before any tree is built from them. */
#ifndef CAROM_SRC_SCENE_YAML_TREE_H
#define CAROM_SRC_SCENE_YAML_TREE_H

#include "carom/expr.h"

enum { CAROM_YAML_TREE_DEPTH = 64, CAROM_YAML_TREE_NODES = 16000000 };

typedef enum carom_yaml_kind { CAROM_YAML_SCALAR, CAROM_YAML_LIST, CAROM_YAML_MAP } carom_yaml_kind;

typedef struct carom_yaml_node carom_yaml_node;
struct carom_yaml_node {
    unsigned char kind;     /* carom_yaml_kind */
    char style;             /* scalars: 0 plain, or ' " | > */
    bool flow;              /* written in [ ] or { }; a scalar: stands in such a list or map */
    int line, column;       /* of its first character, from 1, in characters */
    int count;              /* entries of a list or map */
    const char *text;       /* scalars: decoded, zero-terminated; no other zero or control bytes */
    size_t length;          /* of text, bytes */
    const char *source;     /* scalars: where it is written in the source */
    carom_yaml_node *first; /* first list entry, or first key of a map */
    carom_yaml_node *next;  /* next list entry, or next key of the map */
    carom_yaml_node *value; /* keys: their value */
};

/* Parse a whole text (already checked by yaml_source, without byte order mark) into the arena. The
 * text must outlive the tree. */
carom_status carom_yaml_tree_parse(const char *text, size_t size, carom_arena *arena,
                                   carom_yaml_node **root, carom_error *error);

/* Where each byte of a scalar's text stands in the file: length + 1 places, the last one for its
 * end. A blank is just behind the character before it. */
void carom_yaml_locate(const carom_yaml_node *scalar, carom_place *places);

#endif
