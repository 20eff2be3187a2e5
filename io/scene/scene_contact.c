/* What contacts of impacts and of systems have in common. */
#include "carom/text.h"
#include "scene/scene_parts.h"

#include <math.h>
#include <string.h>

/* A coefficient in [0, 1], unless the reader was told to accept others. */
static carom_status read_restitution(carom_reader *r, const carom_yaml_node *map, const char *key,
                                     double low, double *value)
{
    const carom_yaml_node *node = carom_reader_find(map, key);
    if (!node)
        return CAROM_OK;
    carom_status status = carom_reader_number(r, node, key, value);
    if (status != CAROM_OK || (*value >= low && *value <= 1))
        return status;
    char shown[CAROM_NUMBER_SIZE]; /* all digits: 1.000000001 is not 1 */
    carom_number_print(*value, shown);
    if (r->any_restitution)
        return carom_reader_warn(r, node, "%s %s is outside [%g, 1]", key, shown, low);
    return carom_reader_fail(r, node,
                             "%s is %s, allowed is %g to 1 (--any-restitution accepts others)", key,
                             shown, low);
}

/* A coefficient of friction: the one place where `inf` is a number. */
static carom_status read_friction(carom_reader *r, const carom_yaml_node *node, const char *key,
                                  double *value)
{
    if (node->kind == CAROM_YAML_SCALAR && strcmp(node->text, "inf") == 0) {
        *value = INFINITY;
        return CAROM_OK;
    }
    return carom_reader_number_in(r, node, key, 0, INFINITY, value);
}

static carom_status read_frictions(carom_reader *r, const carom_yaml_node *map,
                                   carom_contact *contact)
{
    const carom_yaml_node *common = carom_reader_find(map, "friction");
    const carom_yaml_node *rest = carom_reader_find(map, "friction_static");
    const carom_yaml_node *moving = carom_reader_find(map, "friction_dynamic");
    carom_status status = CAROM_OK;
    if (common && (rest || moving))
        return carom_reader_fail(r, rest ? rest : moving,
                                 "give either `friction`, or `friction_static` and "
                                 "`friction_dynamic`");
    if (moving && !rest)
        return carom_reader_fail(r, moving, "`friction_dynamic` needs `friction_static` beside it");
    if (common || rest)
        status = read_friction(r, common ? common : rest, common ? "friction" : "friction_static",
                               &contact->friction_static);
    contact->friction_dynamic = contact->friction_static;
    if (status == CAROM_OK && moving)
        status = read_friction(r, moving, "friction_dynamic", &contact->friction_dynamic);
    if (status == CAROM_OK && contact->friction_dynamic > contact->friction_static)
        return carom_reader_fail(r, moving,
                                 "friction_dynamic is %g, more than friction_static (%g)",
                                 contact->friction_dynamic, contact->friction_static);
    return status;
}

static carom_status read_own_law(carom_reader *r, const carom_yaml_node *map,
                                 carom_scene_law_context context, carom_contact *contact)
{
    const carom_yaml_node *node = carom_reader_find(map, "law");
    if (!node)
        return CAROM_OK;
    carom_law *law = carom_arena_zeros(r->arena, 1, sizeof *law);
    if (!law)
        return carom_error_memory(r->error);
    contact->law = law;
    const carom_reader_owner owner = r->owner;
    r->owner = owner == CAROM_READER_CONTACT ? CAROM_READER_CONTACT_LAW : owner;
    carom_status status = carom_scene_law(r, node, context, law);
    r->owner = owner;
    return status;
}

carom_status carom_scene_contact(carom_reader *r, const carom_yaml_node *map,
                                 carom_scene_law_context context, carom_contact *contact)
{
    const carom_yaml_node *stiffness = carom_reader_find(map, "stiffness");
    const carom_yaml_node *exponent = carom_reader_find(map, "exponent");
    carom_status status = read_restitution(r, map, "restitution", 0, &contact->restitution);
    if (status == CAROM_OK)
        status = read_restitution(r, map, "tangential_restitution", -1,
                                  &contact->tangential_restitution);
    if (status == CAROM_OK)
        status = read_frictions(r, map, contact);
    if (status == CAROM_OK && stiffness)
        status = carom_reader_positive(r, stiffness, "stiffness", &contact->stiffness);
    if (status == CAROM_OK && exponent)
        status = carom_reader_positive(r, exponent, "exponent", &contact->exponent);
    if (status == CAROM_OK && contact->friction_static > 0 && contact->slip_count == 0 &&
        !carom_reader_find(map, "slip"))
        status = carom_reader_warn(
            r, map, "contact `%.80s` has friction but no `slip`, so it is frictionless",
            contact->name);
    if (status == CAROM_OK)
        status = read_own_law(r, map, context, contact);
    return status;
}
