/* `draw`: shapes whose numbers are formulas. */
#include "scene/scene_parts.h"

#include "scene/expand.h"
#include "scene/keys.h"
#include "scene/number.h"

#include <string.h>

/* A kind of shape: its keys, the first of which names it, and how many numbers stand there. */
enum { FURTHER_MAX = 3 };
static const struct {
    const carom_scene_key *keys;
    int least, most;
} kinds[] = {
    [CAROM_SCENE_CIRCLE] = {carom_keys_circle, 2, 2},
    [CAROM_SCENE_BOX] = {carom_keys_box, 2, 2},
    [CAROM_SCENE_LINE] = {carom_keys_line, 4, 1000},
    [CAROM_SCENE_POINT] = {carom_keys_point, 2, 2},
    [CAROM_SCENE_SPRING] = {carom_keys_spring, 4, 4},
    [CAROM_SCENE_TEXT] = {carom_keys_text, 2, 2},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

typedef struct picture {
    carom_reader *r;
    carom_scene *scene;
    carom_scene_shape *shapes;
    carom_scene_number **numbers; /* of each shape */
    int count, room, number_room;
} picture;

/* Keep a compiled formula; one without variables is evaluated and forgotten. */
static carom_status keep_formula(picture *p, carom_expr *expr, carom_scene_number *number)
{
    if (!carom_expr_uses_position(expr) && !carom_expr_uses_velocity(expr)) {
        number->constant = carom_expr_evaluate(expr, 0, p->scene->content.initial.q,
                                               p->scene->no_velocities, NULL, NULL);
        carom_expr_destroy(expr);
        return CAROM_OK;
    }
    carom_scene_formula *formula = carom_arena_zeros(p->r->arena, 1, sizeof *formula);
    if (!formula) {
        carom_expr_destroy(expr);
        return carom_error_memory(p->r->error);
    }
    *formula = (carom_scene_formula){expr, p->scene->formulas};
    p->scene->formulas = formula;
    number->expr = expr;
    return CAROM_OK;
}

static carom_status read_formula(picture *p, const carom_yaml_node *node, const char *what,
                                 carom_scene_number *number)
{
    carom_reader *r = p->r;
    carom_source source;
    carom_expr *expr = NULL;
    *number = (carom_scene_number){.coordinate = -1};
    carom_status status = carom_expand_source(r, node, what, &source);
    if (status != CAROM_OK || carom_number_parse(source.text, &number->constant))
        return status;
    carom_name_kind kind =
        carom_scope_find(r->scope, source.text, &number->coordinate, &number->constant);
    if (kind == CAROM_NAME_COORDINATE)
        return CAROM_OK;
    number->coordinate = -1;
    if (kind == CAROM_NAME_PARAMETER)
        return CAROM_OK;
    status = carom_expand_status(r, carom_expr_create(r->scope, &source, 0, &expr, r->error));
    return status == CAROM_OK ? keep_formula(p, expr, number) : status;
}

static carom_status read_formulas(picture *p, const carom_yaml_node *node, const char *what,
                                  int least, int most, carom_scene_number *numbers)
{
    carom_reader *r = p->r;
    carom_status status = carom_reader_list(r, node, what);
    if (status == CAROM_OK && (node->count < least || node->count > most || node->count % 2))
        return carom_reader_fail(r, node,
                                 "%s has %d formulas, it must have %d%s; quote a formula that "
                                 "contains a comma",
                                 what, node->count, least,
                                 most > least ? " or more, x and y of each point" : "");
    const carom_yaml_node *item = status == CAROM_OK ? node->first : NULL;
    for (int k = 0; item && status == CAROM_OK; item = item->next)
        status = read_formula(p, item, what, &numbers[k++]);
    return status;
}

/* `radius` and `angle`: one formula each; an angle may be missing. */
static carom_status read_further(picture *p, const carom_yaml_node *map, const char *what,
                                 const char *key, bool required, carom_scene_number *number)
{
    const carom_yaml_node *node = carom_reader_find(map, key);
    *number = (carom_scene_number){.coordinate = -1};
    if (node)
        return read_formula(p, node, key, number);
    return required ? carom_reader_need(p->r, map, what, key, &node) : CAROM_OK;
}

static carom_status read_values(picture *p, const carom_yaml_node *map, const carom_yaml_node *list,
                                carom_scene_shape *shape, carom_scene_number **made)
{
    carom_reader *r = p->r;
    const char *what = kinds[shape->kind].keys->name;
    const carom_yaml_node *size;
    size_t room = (size_t)list->count + FURTHER_MAX;
    carom_scene_number *numbers = carom_arena_array(r->arena, room, sizeof *numbers);
    if (!numbers)
        return carom_error_memory(r->error);
    *made = numbers;
    shape->count = list->count;
    carom_status status =
        read_formulas(p, list, what, kinds[shape->kind].least, kinds[shape->kind].most, numbers);
    if (status == CAROM_OK && shape->kind == CAROM_SCENE_CIRCLE)
        status = read_further(p, map, what, "radius", true, &numbers[shape->count++]);
    if (status == CAROM_OK && shape->kind == CAROM_SCENE_BOX) {
        status = carom_reader_need(r, map, what, "size", &size);
        if (status == CAROM_OK)
            status = read_formulas(p, size, "size", 2, 2, &numbers[shape->count]);
        shape->count += 2;
    }
    if (status == CAROM_OK && (shape->kind == CAROM_SCENE_CIRCLE || shape->kind == CAROM_SCENE_BOX))
        status = read_further(p, map, what, "angle", false, &numbers[shape->count++]);
    return status;
}

static carom_status read_label(carom_reader *r, const carom_yaml_node *map, const char *key,
                               const char **text)
{
    const carom_yaml_node *node = carom_reader_find(map, key);
    const char *expanded = NULL;
    if (!node)
        return CAROM_OK;
    carom_status status = carom_expand_text(r, node, key, &expanded);
    if (status == CAROM_OK && !(*text = carom_arena_text(r->arena, expanded, strlen(expanded))))
        return carom_error_memory(r->error);
    return status;
}

/* `fill: none`, `dash: true`, `width: W`. */
static carom_status read_style(picture *p, const carom_yaml_node *map, carom_scene_shape *shape)
{
    carom_reader *r = p->r;
    const carom_yaml_node *fill = carom_reader_find(map, "fill");
    const carom_yaml_node *dash = carom_reader_find(map, "dash");
    const carom_yaml_node *width = carom_reader_find(map, "width");
    if (fill && (!fill->text || strcmp(fill->text, "none") != 0))
        return carom_reader_fail(r, fill, "`fill` can only be `none`; the colour is `color`");
    if (dash && (!dash->text || strcmp(dash->text, "true") != 0))
        return carom_reader_fail(r, dash, "`dash` can only be `true`");
    shape->hollow = fill != NULL;
    shape->dashed = dash != NULL;
    if (!width)
        return CAROM_OK;
    carom_scene_number number;
    carom_status status = read_formula(p, width, "width", &number);
    if (status == CAROM_OK &&
        (number.expr || number.coordinate >= 0 || !(number.constant > 0) || number.constant > 100))
        return carom_reader_fail(r, width,
                                 "`width` must be a number of pixels, above 0 and at most "
                                 "100");
    shape->width = number.constant;
    return status;
}

/* Coordinates or velocities place it: at rest it is a body all the same. */
static bool is_free(const carom_scene_number *numbers, int count)
{
    for (int k = 0; k < count; k++)
        if (numbers[k].coordinate >= 0 ||
            (numbers[k].expr && (carom_expr_uses_position(numbers[k].expr) ||
                                 carom_expr_uses_velocity(numbers[k].expr))))
            return true;
    return false;
}

static carom_status read_shape(picture *p, const carom_yaml_node *map, carom_scene_shape *shape,
                               carom_scene_number **numbers)
{
    carom_reader *r = p->r;
    carom_status status = carom_reader_map(r, map, "a shape of draw", NULL);
    const carom_yaml_node *list = NULL;
    for (int k = 0; k < KIND_COUNT && status == CAROM_OK && !list; k++)
        if ((list = carom_reader_find(map, kinds[k].keys->name)))
            shape->kind = (carom_scene_shape_kind)k;
    if (status == CAROM_OK && !list)
        return carom_reader_fail(r, map,
                                 "a shape of draw must be a circle, box, line, point, spring or "
                                 "text");
    if (status == CAROM_OK)
        status = carom_reader_map(r, map, kinds[shape->kind].keys->name, kinds[shape->kind].keys);
    if (status == CAROM_OK)
        status = carom_reader_list(r, list, kinds[shape->kind].keys->name);
    if (status == CAROM_OK)
        status = read_values(p, map, list, shape, numbers);
    if (status == CAROM_OK)
        shape->free = is_free(*numbers, shape->count);
    if (status == CAROM_OK)
        status = read_label(r, map, "label", &shape->label);
    if (status == CAROM_OK)
        status = read_label(r, map, "color", &shape->color);
    if (status == CAROM_OK)
        status = read_style(p, map, shape);
    if (status == CAROM_OK && shape->kind == CAROM_SCENE_TEXT && !shape->label)
        return carom_reader_fail(r, map, "text needs a `label`, which is what it says");
    return status;
}

static carom_status read_shapes(void *self, const carom_yaml_node *node)
{
    picture *p = self;
    carom_status status = carom_reader_list(p->r, node, "draw");
    const carom_yaml_node *item = status == CAROM_OK ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        carom_scene_shape *shapes =
            carom_reader_grow(p->r, p->shapes, p->count, &p->room, sizeof *shapes);
        carom_scene_number **numbers =
            carom_reader_grow(p->r, p->numbers, p->count, &p->number_room, sizeof *numbers);
        if (!shapes || !numbers)
            return carom_error_memory(p->r->error);
        p->shapes = shapes;
        p->numbers = numbers;
        shapes[p->count] = (carom_scene_shape){0};
        status = read_shape(p, item, &shapes[p->count], &numbers[p->count]);
        p->count++;
    }
    return status;
}

carom_status carom_scene_draw(carom_reader *r, const carom_yaml_node *node,
                              const carom_scene_blocks *blocks, carom_scene *scene)
{
    picture p = {.r = r, .scene = scene};
    int nq = carom_system_get_shape(scene->system)->nq;
    scene->no_velocities = carom_arena_zeros(r->arena, (size_t)nq, sizeof(double));
    if (!scene->no_velocities)
        return carom_error_memory(r->error);
    carom_status status = node ? read_shapes(&p, node) : CAROM_OK;
    if (status == CAROM_OK)
        status = carom_scene_repeat_each(r, blocks, "draw", read_shapes, &p);
    if (status != CAROM_OK)
        return status;
    carom_scene_shape *shapes = carom_arena_array(r->arena, (size_t)p.count, sizeof *shapes);
    scene->numbers = carom_arena_array(r->arena, (size_t)p.count, sizeof *scene->numbers);
    if (!shapes || !scene->numbers)
        return carom_error_memory(r->error);
    if (p.count) {
        memcpy(shapes, p.shapes, (size_t)p.count * sizeof *shapes);
        memcpy(scene->numbers, p.numbers, (size_t)p.count * sizeof *p.numbers);
    }
    scene->content.shapes = shapes;
    scene->content.shape_count = p.count;
    return CAROM_OK;
}
