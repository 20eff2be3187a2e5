/* `region`: which contacts must hold together; and `spread`, the cone of a contact. */
#include "scene/scene_parts.h"

#include "carom/text.h"
#include "scene/expand.h"

#include <stdio.h>
#include <string.h>

static carom_status read_group(carom_reader *r, const carom_yaml_node *group,
                               const carom_name_set *names, int *contacts, int *used)
{
    carom_status status = carom_reader_list(r, group, "a group of region");
    if (status == CAROM_OK && group->count == 0)
        return carom_reader_fail(r, group, "a group of region is empty");
    for (const carom_yaml_node *item = group->first; item && status == CAROM_OK;
         item = item->next) {
        const char *name;
        if ((status = carom_reader_text(r, item, "a contact name", &name)) != CAROM_OK)
            return status;
        int index = carom_name_set_find(names, name);
        if (index < 0)
            return carom_reader_fail(r, item, "region: no contact is called `%.80s`%s", name,
                                     carom_name_set_guess(names, name, r->scratch));
        contacts[(*used)++] = index;
    }
    return status;
}

carom_status carom_scene_region(carom_reader *r, const carom_yaml_node *node,
                                const carom_name_set *names, int p, const carom_region **made)
{
    int used = 0, groups = p;
    bool any = node->kind == CAROM_YAML_SCALAR && strcmp(node->text, "any") == 0;
    if (!any && node->kind != CAROM_YAML_LIST)
        return carom_reader_fail(r, node,
                                 "region must be `any`, or a list of groups of contact "
                                 "names: [[a, b], [c]]");
    if (p == 0)
        return carom_reader_fail(r, node, "region needs contacts");
    int members = p;
    if (!any) {
        groups = node->count;
        members = 0;
        for (const carom_yaml_node *item = node->first; item; item = item->next)
            members += item->kind == CAROM_YAML_LIST ? item->count : 0;
    }
    if (groups == 0)
        return carom_reader_fail(r, node, "region is empty: it must have at least one group");
    carom_region *region = carom_arena_zeros(r->arena, 1, sizeof *region);
    int *start = carom_arena_zeros(r->arena, (size_t)groups + 1, sizeof *start);
    int *contacts = carom_arena_array(r->arena, (size_t)members, sizeof *contacts);
    if (!region || !start || !contacts)
        return carom_error_memory(r->error);
    carom_status status = CAROM_OK;
    const carom_yaml_node *group = any ? NULL : node->first;
    for (int k = 0; k < groups && status == CAROM_OK; k++) {
        if (any)
            contacts[used++] = k;
        else
            status = read_group(r, group, names, contacts, &used);
        group = group ? group->next : NULL;
        start[k + 1] = used;
    }
    *region = (carom_region){groups, start, contacts};
    *made = region;
    return status;
}

/* A row of numbers as a formula that is linear in the velocities: (a)*x' + (b)*y'. */
static carom_status add_row(carom_reader *r, const carom_yaml_node *row,
                            const carom_source *coordinates, int n, carom_source *source)
{
    size_t size = 1;
    const char *texts[64];
    if (row->count != n || n > 64)
        return carom_reader_fail(r, row, "a row of spread has %d numbers, it must have %d%s",
                                 row->count, n, n > 64 ? " (at most 64)" : ", one a coordinate");
    int k = 0;
    for (const carom_yaml_node *item = row->first; item; item = item->next, k++) {
        double value;
        carom_status status = carom_reader_number(r, item, "spread", &value);
        if (status == CAROM_OK)
            status = carom_expand_text(r, item, "spread", &texts[k]);
        if (status != CAROM_OK)
            return status;
        size += strlen(texts[k]) + strlen(coordinates[k].text) + 8;
    }
    char *text = carom_arena_array(r->scratch, size, 1);
    if (!text)
        return carom_error_memory(r->error);
    size_t used = 0;
    for (k = 0; k < n; k++)
        used += (size_t)snprintf(text + used, size - used, "%s(%s)*%s'", k ? " + " : "", texts[k],
                                 coordinates[k].text);
    *source = (carom_source){text, {row->line, row->column}, NULL};
    return CAROM_OK;
}

/* Is this a number, or a formula of parameters? */
static bool is_number(carom_reader *r, const carom_yaml_node *node)
{
    double value;
    const char *text = NULL;
    return node->kind == CAROM_YAML_SCALAR &&
           carom_expand_text(r, node, "spread", &text) == CAROM_OK &&
           carom_scope_number(r->scope, &(carom_source){.text = text}, &value, NULL) == CAROM_OK;
}

carom_status carom_scene_spread(carom_reader *r, const carom_yaml_node *node,
                                const carom_source *coordinates, int n,
                                carom_contact_formulas *contact)
{
    carom_status status = carom_reader_list(r, node, "spread");
    if (status == CAROM_OK && node->count == 0)
        return carom_reader_fail(r, node, "spread is empty");
    if (status != CAROM_OK)
        return status;
    const bool single = is_number(r, node->first); /* one row, written without its brackets */
    carom_source *sources = carom_arena_zeros(r->scratch, (size_t)node->count, sizeof *sources);
    if (!sources)
        return carom_error_memory(r->error);
    contact->spread = sources;
    contact->spread_count = single ? 1 : node->count;
    if (single)
        return add_row(r, node, coordinates, n, sources);
    for (const carom_yaml_node *item = node->first; item && status == CAROM_OK; item = item->next)
        status = item->kind == CAROM_YAML_LIST ? add_row(r, item, coordinates, n, sources++)
                                               : carom_expand_source(r, item, "spread", sources++);
    return status;
}
