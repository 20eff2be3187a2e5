/* `impact`: an impact in numbers. */
#include "scene/scene_parts.h"

#include "scene/keys.h"
#include "scene/name_set.h"

#include <math.h>
#include <string.h>

/* Columns of a matrix that grows by whole columns while contacts are read. */
typedef struct columns {
    double *values;
    int n, count, room;
} columns;

static double *add_column(carom_reader *r, columns *c)
{
    if (c->count == c->room) {
        int room = c->room ? 2 * c->room : 8;
        double *grown = carom_arena_array(r->arena, (size_t)room * (size_t)c->n, sizeof *grown);
        if (!grown)
            return NULL;
        if (c->count)
            memcpy(grown, c->values, (size_t)c->count * (size_t)c->n * sizeof *grown);
        c->values = grown;
        c->room = room;
    }
    return c->values + (size_t)c->n * (size_t)c->count++;
}

/* One row of n numbers as the next column; it may be required not to be zero. */
static carom_status read_row(carom_reader *r, const carom_yaml_node *node, const char *what,
                             columns *c, bool not_zero)
{
    double *column = add_column(r, c);
    if (!column)
        return carom_error_memory(r->error);
    carom_status status = carom_reader_numbers(r, node, what, c->n, column);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < c->n; i++)
        not_zero = not_zero && column[i] == 0;
    if (not_zero)
        return carom_reader_fail(r, node, "%s is zero: it must have a direction", what);
    return CAROM_OK;
}

/* One row, or a list of rows (at most `most`). */
static carom_status read_rows(carom_reader *r, const carom_yaml_node *node, const char *what,
                              int most, columns *c, int *count)
{
    carom_status status = carom_reader_list(r, node, what);
    if (status != CAROM_OK)
        return status;
    if (!node->first || node->first->kind != CAROM_YAML_LIST) {
        *count = 1;
        return read_row(r, node, what, c, false);
    }
    if (node->count > most)
        return carom_reader_fail(r, node, "%s has %d rows, at most %d are allowed", what,
                                 node->count, most);
    *count = node->count;
    for (const carom_yaml_node *item = node->first; item && status == CAROM_OK; item = item->next)
        status = read_row(r, item, what, c, false);
    return status;
}

typedef struct statement {
    carom_impact *impact;
    carom_contact *contacts;
    double *w_hat;
    columns W, H, slip_motion, spread;
    carom_name_set names;
} statement;

static carom_status read_name(carom_reader *r, const carom_yaml_node *map, int index,
                              carom_name_set *names, const char **name)
{
    const carom_yaml_node *node = carom_reader_find(map, "name");
    if (node) {
        carom_status status = carom_reader_text(r, node, "name", name);
        if (status != CAROM_OK)
            return status;
    } else {
        char number[16];
        snprintf(number, sizeof number, "%d", index + 1);
        *name = carom_arena_text(r->arena, number, strlen(number));
        if (!*name)
            return carom_error_memory(r->error);
    }
    int before = carom_name_set_add(names, *name, index);
    if (before < 0)
        return CAROM_OK;
    return carom_reader_fail(r, node ? node : map,
                             "two contacts are called `%.80s`: number %d and number %d", *name,
                             before + 1, index + 1);
}

static carom_status read_slip(carom_reader *r, const carom_yaml_node *map, statement *s,
                              carom_contact *contact)
{
    const carom_yaml_node *slip = carom_reader_find(map, "slip");
    const carom_yaml_node *motion = carom_reader_find(map, "slip_motion");
    if (!slip && motion)
        return carom_reader_fail(r, motion, "`slip_motion` needs `slip` beside it");
    if (!slip)
        return CAROM_OK;
    carom_status status = read_rows(r, slip, "slip", 2, &s->H, &contact->slip_count);
    double *values[2] = {NULL, NULL};
    for (int k = 0; k < contact->slip_count && status == CAROM_OK; k++) {
        if (!(values[k] = add_column(r, &s->slip_motion)))
            return carom_error_memory(r->error);
        *values[k] = 0;
    }
    if (status != CAROM_OK || !motion)
        return status;
    if (contact->slip_count == 1 && motion->kind == CAROM_YAML_SCALAR)
        return carom_reader_number(r, motion, "slip_motion", values[0]);
    double pair[2];
    status = carom_reader_numbers(r, motion, "slip_motion", contact->slip_count, pair);
    for (int k = 0; k < contact->slip_count && status == CAROM_OK; k++)
        s->slip_motion.values[s->slip_motion.count - contact->slip_count + k] = pair[k];
    return status;
}

static carom_status read_contact(carom_reader *r, const carom_yaml_node *map, int i, statement *s)
{
    carom_contact contact = carom_contact_default();
    const carom_yaml_node *normal;
    carom_status status = carom_reader_map(r, map, "a contact", carom_keys_impact_contact);
    if (status == CAROM_OK)
        status = read_name(r, map, i, &s->names, &contact.name);
    if (status == CAROM_OK)
        status = carom_reader_need(r, map, "the contact", "normal", &normal);
    if (status == CAROM_OK)
        status = read_row(r, normal, "normal", &s->W, true);
    const carom_yaml_node *motion = carom_reader_find(map, "motion");
    s->w_hat[i] = 0;
    if (status == CAROM_OK && motion)
        status = carom_reader_number(r, motion, "motion", &s->w_hat[i]);
    if (status == CAROM_OK)
        status = read_slip(r, map, s, &contact);
    const carom_yaml_node *spread = carom_reader_find(map, "spread");
    if (status == CAROM_OK && spread)
        status = read_rows(r, spread, "spread", 1 << 20, &s->spread, &contact.spread_count);
    if (status == CAROM_OK)
        status = carom_scene_contact(r, map, (carom_scene_law_context){0}, &contact);
    if (status == CAROM_OK)
        s->contacts[i] = contact;
    return status;
}

static carom_status read_contacts(carom_reader *r, const carom_yaml_node *node, statement *s)
{
    carom_status status = carom_reader_list(r, node, "contacts");
    if (status != CAROM_OK)
        return status;
    carom_impact *impact = s->impact;
    impact->p = node->count;
    s->contacts = carom_arena_zeros(r->arena, (size_t)node->count, sizeof *s->contacts);
    s->w_hat = carom_arena_doubles(r->arena, (size_t)node->count);
    if (!s->contacts || !s->w_hat)
        return carom_error_memory(r->error);
    status = carom_name_set_create(r->scratch, node->count, &s->names, r->error);
    int i = 0;
    for (const carom_yaml_node *item = node->first; item && status == CAROM_OK; item = item->next)
        status = read_contact(r, item, i++, s);
    impact->contacts = s->contacts;
    impact->w_hat = s->w_hat;
    impact->W = s->W.values;
    impact->H = s->H.values;
    impact->slip_motion = s->slip_motion.values;
    impact->spread = s->spread.values;
    return status;
}

/* `bilateral` or `permanent`: rows with a motion. */
static carom_status read_constraints(carom_reader *r, const carom_yaml_node *node, const char *what,
                                     int n, int *count, const double **rows, const double **motions)
{
    if (!node)
        return CAROM_OK;
    carom_status status = carom_reader_list(r, node, what);
    if (status != CAROM_OK)
        return status;
    columns matrix = {.n = n};
    double *motion = carom_arena_zeros(r->arena, (size_t)node->count, sizeof *motion);
    if (!motion)
        return carom_error_memory(r->error);
    int j = 0;
    for (const carom_yaml_node *item = node->first; item && status == CAROM_OK;
         item = item->next, j++) {
        const carom_yaml_node *row, *given;
        if (item->kind != CAROM_YAML_MAP)
            return carom_reader_fail(r, item, "each of `%s` is a map: {row: [%d numbers]}", what,
                                     n);
        status = carom_reader_map(r, item, what, carom_keys_row);
        if (status == CAROM_OK)
            status = carom_reader_need(r, item, what, "row", &row);
        if (status == CAROM_OK)
            status = read_row(r, row, "row", &matrix, true);
        if (status == CAROM_OK && (given = carom_reader_find(item, "motion")))
            status = carom_reader_number(r, given, "motion", &motion[j]);
    }
    *count = node->count;
    *rows = matrix.values;
    *motions = motion;
    return status;
}

static carom_status read_coordinates(carom_reader *r, const carom_yaml_node *node,
                                     carom_impact *impact)
{
    carom_status status = carom_reader_list(r, node, "coordinates");
    if (status != CAROM_OK)
        return status;
    if (node->count != impact->n)
        return carom_reader_fail(r, node, "coordinates has %d names, mass has %d entries",
                                 node->count, impact->n);
    const char **names = carom_arena_array(r->arena, (size_t)impact->n, sizeof *names);
    if (!names)
        return carom_error_memory(r->error);
    int i = 0;
    carom_name_set set;
    status = carom_name_set_create(r->scratch, impact->n, &set, r->error);
    for (const carom_yaml_node *item = node->first; item && status == CAROM_OK; item = item->next) {
        status = carom_reader_text(r, item, "a coordinate", &names[i]);
        if (status == CAROM_OK && carom_name_set_add(&set, names[i], i) >= 0)
            status = carom_reader_fail(r, item, "two coordinates are called `%.80s`", names[i]);
        i++;
    }
    impact->coordinates = names;
    return status;
}

/* What only the whole statement shows: motions of dependent contacts that contradict each other. */
static carom_status check_motion(carom_reader *r, const carom_yaml_node *node,
                                 const carom_impact *impact)
{
    bool moves = false;
    for (int i = 0; i < impact->p; i++)
        moves = moves || impact->w_hat[i] != 0;
    for (int j = 0; j < impact->m; j++)
        moves = moves || impact->b_hat[j] != 0;
    for (int j = 0; j < impact->a; j++)
        moves = moves || impact->a_hat[j] != 0;
    if (!moves)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(r->scratch);
    carom_geometry geometry;
    carom_error inner = {0};
    carom_status status = carom_impact_derive(impact, r->scratch, &geometry, &inner);
    carom_arena_rewind(r->scratch, mark);
    if (status == CAROM_ERROR_ARGUMENT || status == CAROM_ERROR_INPUT)
        return carom_reader_fail(r, node, "%s", inner.text);
    if (status != CAROM_OK && r->error)
        *r->error = inner;
    return status;
}

carom_status carom_scene_impact(carom_reader *r, const carom_yaml_node *node,
                                const carom_impact **impact)
{
    const carom_yaml_node *mass, *velocity, *contacts, *more;
    carom_impact *made = carom_arena_zeros(r->arena, 1, sizeof *made);
    if (!made)
        return carom_error_memory(r->error);
    made->flags = r->any_restitution ? CAROM_IMPACT_ANY_RESTITUTION : 0;
    carom_status status = carom_reader_map(r, node, "impact", carom_keys_impact);
    if (status == CAROM_OK)
        status = carom_reader_need(r, node, "impact", "mass", &mass);
    if (status == CAROM_OK)
        status = carom_reader_need(r, node, "impact", "velocity", &velocity);
    if (status == CAROM_OK)
        status = carom_reader_need(r, node, "impact", "contacts", &contacts);
    if (status == CAROM_OK)
        status = carom_scene_mass(r, mass, made);
    if (status != CAROM_OK)
        return status;
    int n = made->n;
    double *u = carom_arena_doubles(r->arena, (size_t)n);
    if (!u)
        return carom_error_memory(r->error);
    made->u = u;
    statement s = {.impact = made, .W.n = n, .H.n = n, .spread.n = n, .slip_motion.n = 1};
    status = carom_reader_numbers(r, velocity, "velocity", n, u);
    if (status == CAROM_OK)
        status = read_contacts(r, contacts, &s);
    if (status == CAROM_OK)
        status = read_constraints(r, carom_reader_find(node, "bilateral"), "bilateral", n, &made->m,
                                  &made->B, &made->b_hat);
    if (status == CAROM_OK)
        status = read_constraints(r, carom_reader_find(node, "permanent"), "permanent", n, &made->a,
                                  &made->A, &made->a_hat);
    if (status == CAROM_OK && (more = carom_reader_find(node, "region")))
        status = carom_scene_region(r, more, &s.names, made->p, &made->region);
    if (status == CAROM_OK && (more = carom_reader_find(node, "coordinates")))
        status = read_coordinates(r, more, made);
    if (status == CAROM_OK)
        status = check_motion(r, contacts, made);
    if (status == CAROM_OK)
        *impact = made;
    return status;
}
