/* `law`: a name, or a map with its parameters. */
#include "scene/scene_parts.h"

#include "carom/text.h"
#include "scene/number.h"

#include <math.h>
#include <string.h>

/* What laws there are, and which one may have been meant. */
static carom_status unknown_law(carom_reader *r, const carom_yaml_node *node)
{
    int count = carom_law_count();
    const char **names = carom_arena_array(r->scratch, (size_t)count + 1, sizeof *names);
    carom_status status = carom_reader_scalar(r, node, "law", "a word");
    if (!names)
        return carom_error_memory(r->error);
    if (status != CAROM_OK)
        return status;
    char allowed[256] = "";
    for (int k = 0; k < count; k++) {
        size_t used = strlen(allowed);
        names[k] = carom_law_at(k)->name;
        snprintf(allowed + used, sizeof allowed - used, "%s%s", k ? ", " : "", names[k]);
    }
    names[count] = NULL;
    const char *near = carom_word_nearest(node->text, names);
    return carom_reader_fail(r, node, "law `%.80s` is unknown%s%s%s Allowed: %s", node->text,
                             near ? ": did you mean `" : "", near ? near : "", near ? "`?" : ";",
                             allowed);
}

static carom_status find_law(carom_reader *r, const carom_yaml_node *node,
                             const carom_law_ops **ops)
{
    if (node->kind == CAROM_YAML_SCALAR && (*ops = carom_law_find(node->text)))
        return CAROM_OK;
    return unknown_law(r, node);
}

static const carom_parameter *find_parameter(const carom_law_ops *ops, const char *name)
{
    for (const carom_parameter *p = ops->parameters; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static carom_status unknown_parameter(carom_reader *r, const carom_law_ops *ops,
                                      const carom_yaml_node *node)
{
    int count = 0;
    while (ops->parameters && ops->parameters[count].name)
        count++;
    if (count == 0)
        return carom_reader_fail(r, node, "law `%s` has no parameters, so no `%.80s`", ops->name,
                                 node->text);
    const char **names = carom_arena_array(r->scratch, (size_t)count + 1, sizeof *names);
    if (!names)
        return carom_error_memory(r->error);
    for (int k = 0; k < count; k++)
        names[k] = ops->parameters[k].name;
    names[count] = NULL;
    int index;
    char what[120];
    snprintf(what, sizeof what, "a parameter of law `%s`", ops->name);
    return carom_reader_choice(r, node, what, names, &index);
}

static carom_status number_value(carom_reader *r, const carom_parameter *p,
                                 const carom_yaml_node *node, carom_value *value)
{
    carom_status status = carom_reader_number(r, node, p->name, &value->number);
    if (status != CAROM_OK || !(p->lower < p->upper))
        return status;
    if (value->number >= p->lower && value->number <= p->upper)
        return CAROM_OK;
    if (r->any_restitution && strcmp(p->name, "restitution") == 0)
        return carom_reader_warn(r, node, "restitution %g is outside [0, 1]", value->number);
    return carom_reader_number_in(r, node, p->name, p->lower, p->upper, &value->number);
}

/* "a|b|c" as a list of words. */
static carom_status choice_value(carom_reader *r, const carom_parameter *p,
                                 const carom_yaml_node *node, carom_value *value)
{
    enum { MOST = 15 };
    const char *words[MOST + 1];
    char *copy = carom_arena_text(r->arena, p->choices, strlen(p->choices));
    if (!copy)
        return carom_error_memory(r->error);
    int count = 0;
    for (char *word = copy; word && count < MOST;) {
        words[count++] = word;
        word = strchr(word, '|');
        if (word)
            *word++ = '\0';
    }
    words[count] = NULL;
    int index;
    carom_status status = carom_reader_choice(r, node, p->name, words, &index);
    if (status == CAROM_OK)
        value->text = words[index];
    return status;
}

static carom_status matrix_value(carom_reader *r, const carom_parameter *p,
                                 const carom_yaml_node *node, carom_value *value)
{
    carom_status status = carom_reader_list(r, node, p->name);
    if (status != CAROM_OK)
        return status;
    if (node->count == 0)
        return carom_reader_fail(r, node, "%s is an empty matrix", p->name);
    if ((status = carom_reader_list(r, node->first, p->name)) != CAROM_OK)
        return status;
    int m = node->count, n = node->first->count, i = 0;
    double *numbers = carom_arena_array(r->arena, (size_t)m * (size_t)n, sizeof *numbers);
    double *row = carom_arena_doubles(r->scratch, (size_t)n);
    if (!numbers || !row)
        return carom_error_memory(r->error);
    for (const carom_yaml_node *item = node->first; item; item = item->next, i++) {
        char what[80];
        snprintf(what, sizeof what, "row %d of %s", i + 1, p->name);
        if ((status = carom_reader_numbers(r, item, what, n, row)) != CAROM_OK)
            return status;
        for (int j = 0; j < n; j++)
            numbers[i + (size_t)j * (size_t)m] = row[j];
    }
    value->rows = m;
    value->columns = n;
    value->numbers = numbers;
    return CAROM_OK;
}

static carom_status square_value(carom_reader *r, const carom_parameter *p,
                                 const carom_yaml_node *node, carom_scene_law_context context,
                                 carom_value *value)
{
    int n = node->count;
    if (node->kind == CAROM_YAML_LIST && n > 0 && context.n && n != context.n && n != context.p)
        return carom_reader_fail(r, node,
                                 "%s has %d rows; it must have one per contact (%d) or one per "
                                 "coordinate (%d)",
                                 p->name, n, context.p, context.n);
    const carom_yaml_node *row = node->first;
    if (row && row->kind == CAROM_YAML_LIST && row->count != n)
        return carom_reader_fail(r, row,
                                 "%s is not square: its first row has %d entries, and there "
                                 "are %d rows",
                                 p->name, row->count, n);
    return matrix_value(r, p, node, value);
}

static carom_status list_value(carom_reader *r, const carom_parameter *p,
                               const carom_yaml_node *node, carom_value *value)
{
    carom_status status = carom_reader_list(r, node, p->name);
    if (status != CAROM_OK)
        return status;
    double *numbers = carom_arena_doubles(r->arena, (size_t)node->count);
    if (!numbers)
        return carom_error_memory(r->error);
    value->rows = node->count;
    value->columns = 1;
    value->numbers = numbers;
    return carom_reader_numbers(r, node, p->name, node->count, numbers);
}

carom_scene_law_context carom_scene_law_context_of(const carom_scene_content *content)
{
    if (content->impact)
        return (carom_scene_law_context){content->impact->n, content->impact->p,
                                         content->impact->contacts, content->impact->p};
    if (!content->system)
        return (carom_scene_law_context){0};
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    return (carom_scene_law_context){.contacts = shape->contacts, .contact_count = shape->p};
}

/* Entries of a list are contacts: the name of one, or its number from 1. */
static carom_status check_contact(carom_reader *r, const carom_parameter *p,
                                  const carom_yaml_node *item, double number,
                                  carom_scene_law_context context)
{
    bool known = !context.contacts ||
                 (number >= 1 && number <= context.contact_count && number == floor(number));
    for (int i = 0; i < context.contact_count && !known; i++)
        known = context.contacts[i].name && strcmp(context.contacts[i].name, item->text) == 0;
    return known ? CAROM_OK
                 : carom_reader_fail(r, item,
                                     "%s: no contact is called `%.80s`, and it is no "
                                     "number from 1 to %d",
                                     p->name, item->text, context.contact_count);
}

/* Every entry is kept as a word, and as a number where it is one. */
static carom_status contacts_value(carom_reader *r, const carom_parameter *p,
                                   const carom_yaml_node *node, carom_scene_law_context context,
                                   carom_value *value)
{
    carom_status status = carom_reader_list(r, node, p->name);
    if (status != CAROM_OK)
        return status;
    double *numbers = carom_arena_doubles(r->arena, (size_t)node->count);
    const char **words = carom_arena_array(r->arena, (size_t)node->count, sizeof *words);
    if (!numbers || !words)
        return carom_error_memory(r->error);
    int k = 0;
    for (const carom_yaml_node *item = node->first; item; item = item->next, k++) {
        if ((status = carom_reader_text(r, item, p->name, &words[k])) != CAROM_OK)
            return status;
        if (!carom_number_parse(words[k], &numbers[k]))
            numbers[k] = NAN;
        if ((status = check_contact(r, p, item, numbers[k], context)) != CAROM_OK)
            return status;
    }
    value->rows = node->count;
    value->columns = 1;
    value->numbers = numbers;
    value->words = words;
    return CAROM_OK;
}

carom_status carom_scene_law_value(carom_reader *r, const carom_law_ops *ops,
                                   const carom_yaml_node *name, const carom_yaml_node *node,
                                   carom_scene_law_context context, carom_value *value)
{
    const carom_parameter *p = find_parameter(ops, name->text);
    if (!p)
        return unknown_parameter(r, ops, name);
    *value = (carom_value){.name = p->name, .kind = p->kind};
    switch (p->kind) {
    case CAROM_PARAMETER_NUMBER:
        return number_value(r, p, node, value);
    case CAROM_PARAMETER_CHOICE:
        return choice_value(r, p, node, value);
    case CAROM_PARAMETER_MATRIX:
        return matrix_value(r, p, node, value);
    case CAROM_PARAMETER_LIST:
        return list_value(r, p, node, value);
    case CAROM_PARAMETER_SQUARE:
        return square_value(r, p, node, context, value);
    case CAROM_PARAMETER_CONTACTS:
        return contacts_value(r, p, node, context, value);
    }
    return CAROM_ERROR_UNSUPPORTED;
}

carom_status carom_scene_law(carom_reader *r, const carom_yaml_node *node,
                             carom_scene_law_context context, carom_law *law)
{
    carom_law made = {0};
    if (node->kind == CAROM_YAML_SCALAR) {
        carom_status status = find_law(r, node, &made.ops);
        if (status == CAROM_OK)
            *law = made;
        return status;
    }
    const carom_yaml_node *name;
    carom_status status = carom_reader_map(r, node, "law", NULL);
    if (status == CAROM_OK)
        status = carom_reader_need(r, node, "law", "name", &name);
    if (status == CAROM_OK)
        status = find_law(r, name, &made.ops);
    if (status != CAROM_OK)
        return status;
    carom_value *values = carom_arena_array(r->arena, (size_t)node->count, sizeof *values);
    if (!values)
        return carom_error_memory(r->error);
    for (const carom_yaml_node *key = node->first; key; key = key->next) {
        if (strcmp(key->text, "name") == 0)
            continue;
        status = carom_scene_law_value(r, made.ops, key, key->value, context,
                                       &values[made.value_count++]);
        if (status != CAROM_OK)
            return status;
    }
    made.values = values;
    *law = made;
    return CAROM_OK;
}
