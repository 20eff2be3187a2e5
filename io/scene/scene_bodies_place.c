/* `at` and `turn`: where a body is, and how a fixed one moves. */
#include "scene/scene_bodies.h"

#include "scene/keys.h"
#include "scene/number.h"

#include <math.h>
#include <string.h>

/* A prescribed motion: formulas of t with two derivatives. */
typedef struct drive {
    int space;
    carom_expr *at[3], *angle; /* NULL: the constant */
    double position[3], turn[4];
    double axis[3]; /* unit: with `angle` */
} drive;

/* Value, rate and acceleration. */
static void follow(carom_expr *expr, double t, double out[3])
{
    out[1] = out[2] = 0;
    out[0] = carom_expr_evaluate(expr, t, NULL, NULL, &out[1], &out[2]);
}

static void move(void *self, double t, carom_body_motion *m)
{
    const drive *d = self;
    double x[3];
    memcpy(m->position, d->position, sizeof m->position);
    memcpy(m->turn, d->turn, sizeof m->turn);
    for (int k = 0; k < d->space; k++)
        if (d->at[k]) {
            follow(d->at[k], t, x);
            m->position[k] = x[0];
            m->velocity[k] = x[1];
            m->acceleration[k] = x[2];
        }
    if (!d->angle)
        return;
    follow(d->angle, t, x);
    if (d->space == 2) {
        m->turn[0] = x[0];
        m->spin[0] = x[1];
        m->spin_rate[0] = x[2];
        return;
    }
    m->turn[0] = cos(x[0] / 2);
    for (int k = 0; k < 3; k++) {
        m->turn[1 + k] = sin(x[0] / 2) * d->axis[k];
        m->spin[k] = x[1] * d->axis[k];
        m->spin_rate[k] = x[2] * d->axis[k];
    }
}

static carom_status read_axis(carom_scene_assembly *a, const carom_yaml_node *map, double axis[3],
                              const carom_yaml_node **angle)
{
    const carom_yaml_node *node = NULL;
    carom_status status = carom_reader_map(a->r, map, "turn", carom_keys_turn);
    if (status == CAROM_OK)
        status = carom_reader_need(a->r, map, "turn", "axis", &node);
    if (status == CAROM_OK)
        status = carom_reader_numbers(a->r, node, "axis", 3, axis);
    if (status == CAROM_OK)
        status = carom_reader_need(a->r, map, "turn", "angle", angle);
    if (status != CAROM_OK)
        return status;
    double size = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (!(size > 0))
        return carom_reader_fail(a->r, node, "axis is zero: it must have a direction");
    for (int k = 0; k < 3; k++)
        axis[k] /= size;
    return CAROM_OK;
}

carom_status carom_scene_turn(carom_scene_assembly *a, const carom_yaml_node *node, double turn[4])
{
    const carom_yaml_node *angle = NULL;
    double axis[3], x;
    if (a->world.space == 2)
        return carom_reader_number(a->r, node, "turn", &turn[0]);
    if (node->kind == CAROM_YAML_MAP) {
        carom_status status = read_axis(a, node, axis, &angle);
        if (status == CAROM_OK)
            status = carom_reader_number(a->r, angle, "angle", &x);
        if (status != CAROM_OK)
            return status;
        turn[0] = cos(x / 2);
        for (int k = 0; k < 3; k++)
            turn[1 + k] = sin(x / 2) * axis[k];
        return CAROM_OK;
    }
    carom_status status = carom_reader_numbers(a->r, node, "turn", 4, turn);
    double size = hypot(hypot(turn[0], turn[1]), hypot(turn[2], turn[3]));
    if (status == CAROM_OK && !(size > 0))
        return carom_reader_fail(a->r, node, "the quaternion is zero; no rotation is [1, 0, 0, 0]");
    for (int k = 0; k < 4 && status == CAROM_OK; k++)
        turn[k] /= size;
    return status;
}

/* A number, or for a fixed body a formula of t. */
static carom_status read_moving(carom_scene_assembly *a, const carom_yaml_node *node,
                                const char *what, bool fixed, double *value, carom_expr **expr)
{
    carom_reader *r = a->r;
    carom_error *error = r->error, inner = {0};
    r->error = &inner;
    carom_status status = carom_reader_number(r, node, what, value);
    r->error = error;
    bool formula = status == CAROM_ERROR_INPUT && node->kind == CAROM_YAML_SCALAR &&
                   !carom_number_why_not(node->text);
    if (formula && fixed)
        return carom_scene_keep_formula(r, a->scene, node, what, 2, expr);
    if (status != CAROM_OK && error)
        *error = inner;
    return status;
}

static carom_status read_at(carom_scene_assembly *a, const carom_yaml_node *node,
                            carom_body_def *body, drive *d)
{
    carom_status status = carom_reader_list(a->r, node, "at");
    if (status == CAROM_OK && node->count != a->world.space)
        return carom_reader_fail(a->r, node, "at has %d numbers, it must have %d", node->count,
                                 a->world.space);
    int k = 0;
    const carom_yaml_node *item = status == CAROM_OK ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next, k++)
        status = read_moving(a, item, "at", body->fixed, &body->position[k], &d->at[k]);
    return status;
}

static carom_status read_turn(carom_scene_assembly *a, const carom_yaml_node *node,
                              carom_body_def *body, drive *d)
{
    const carom_yaml_node *angle = node;
    double x = 0;
    if (a->world.space == 3 && node->kind != CAROM_YAML_MAP)
        return carom_scene_turn(a, node, body->turn);
    carom_status status = CAROM_OK;
    if (a->world.space == 3)
        status = read_axis(a, node, d->axis, &angle);
    if (status == CAROM_OK)
        status = read_moving(a, angle, "angle", body->fixed, &x, &d->angle);
    if (a->world.space == 2) {
        body->turn[0] = x;
        return status;
    }
    body->turn[0] = cos(x / 2);
    for (int k = 0; k < 3; k++)
        body->turn[1 + k] = sin(x / 2) * d->axis[k];
    return status;
}

carom_status carom_scene_body_place(carom_scene_assembly *a, const carom_yaml_node *map,
                                    carom_body_def *body)
{
    const carom_yaml_node *at = carom_reader_find(map, "at"),
                          *turn = carom_reader_find(map, "turn");
    drive d = {.space = a->world.space};
    carom_status status = at ? read_at(a, at, body, &d) : CAROM_OK;
    if (status == CAROM_OK && turn)
        status = read_turn(a, turn, body, &d);
    if (status != CAROM_OK || !(d.at[0] || d.at[1] || d.at[2] || d.angle))
        return status;
    drive *kept = carom_arena_array(a->r->arena, 1, sizeof *kept);
    if (!kept)
        return carom_error_memory(a->r->error);
    memcpy(d.position, body->position, sizeof d.position);
    memcpy(d.turn, body->turn, sizeof d.turn);
    *kept = d;
    carom_body_motion now = {0};
    move(kept, 0, &now);
    memcpy(body->position, now.position, sizeof now.position);
    memcpy(body->turn, now.turn, sizeof now.turn);
    body->drive = move;
    body->drive_self = kept;
    return CAROM_OK;
}
