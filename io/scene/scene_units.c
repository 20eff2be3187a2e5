/* Which columns of a motion are measured alike: by the formulas of a system, by the fixed names of
 * bodies. Joints and systems from elsewhere tell nothing. */
#include "scene/scene_parts.h"

#include <string.h>

/* Units of bodies: turns, lengths, and numbers of a quaternion. */
enum { TURN = 0, LENGTH = 1, QUATERNION = 2 };

/* b.x, b.th, b.qw; x, qw of a single body in space. */
static int unit_of_coordinate(const char *name)
{
    const char *dot = strrchr(name, '.'), *own = dot ? dot + 1 : name;
    if (strlen(own) == 1 && strchr("xyz", own[0]))
        return LENGTH;
    if (strlen(own) == 2 && own[0] == 'q' && strchr("wxyz", own[1]))
        return QUATERNION;
    return dot && strcmp(own, "th") == 0 ? TURN : -1;
}

/* b.vx, b.w, b.wx; x', wx of a single body in space. */
static int unit_of_velocity(const char *name)
{
    const char *dot = strrchr(name, '.'), *own = dot ? dot + 1 : name;
    const size_t length = strlen(own);
    if (length == 2 && ((own[0] == 'v' && strchr("xyz", own[1])) ||
                        (!dot && strchr("xyz", own[0]) && own[1] == '\'')))
        return LENGTH;
    return own[0] == 'w' && (length == 1 || (length == 2 && strchr("xyz", own[1]))) ? TURN : -1;
}

carom_status carom_scene_units(carom_reader *r, const carom_formulas *formulas, carom_scene *scene)
{
    const carom_system_shape *shape = carom_system_get_shape(scene->system);
    int *q = carom_arena_array(r->arena, (size_t)shape->nq + 1, sizeof *q);
    int *u = carom_arena_array(r->arena, (size_t)shape->n + 1, sizeof *u);
    int *gap = carom_arena_array(r->arena, (size_t)shape->p + 1, sizeof *gap);
    carom_status status = CAROM_OK;
    if (!q || !u || !gap)
        return carom_error_memory(r->error);
    for (int i = 0; i < shape->p;
         i++) { /* the contact of two bodies; limits of joints may be turns */
        const char *name = shape->contacts[i].name;
        gap[i] = shape->p == 1 || (name && strchr(name, '/')) ? LENGTH : -1;
    }
    if (formulas) {
        status = carom_system_formulas_units(formulas, r->scratch, q, gap, r->error);
        memcpy(u, q, (size_t)shape->n * sizeof *u);
        scene->unit_q = q;
        scene->unit_u = u;
    } else {
        for (int i = 0; i < shape->nq; i++)
            q[i] = unit_of_coordinate(shape->coordinates[i]);
        for (int i = 0; i < shape->n; i++)
            u[i] = unit_of_velocity(shape->velocities[i]);
    }
    scene->content.units = (carom_scene_units_found){q, u, gap};
    return status;
}

/* How `draw` uses a coordinate as it stands. */
enum { DRAWN_TURN = 1, DRAWN_PLACE = 2 };

static void look_at_shape(const carom_scene *scene, int k, unsigned char *drawn)
{
    const carom_scene_shape *shape = &scene->content.shapes[k];
    const bool turns = shape->kind == CAROM_SCENE_CIRCLE || shape->kind == CAROM_SCENE_BOX;
    for (int j = 0; j < shape->count; j++) {
        const int coordinate = scene->numbers[k][j].coordinate;
        if (coordinate >= 0)
            drawn[coordinate] |= turns && j == shape->count - 1 ? DRAWN_TURN : DRAWN_PLACE;
    }
}

carom_status carom_scene_units_drawn(carom_reader *r, carom_scene *scene)
{
    int *q = scene->unit_q, *u = scene->unit_u;
    if (!q || !scene->numbers)
        return CAROM_OK;
    const int nq = carom_system_get_shape(scene->system)->nq;
    unsigned char *drawn = carom_arena_zeros(r->scratch, (size_t)nq + 1, sizeof *drawn);
    if (!drawn)
        return carom_error_memory(r->error);
    for (int k = 0; k < scene->content.shape_count; k++)
        look_at_shape(scene, k, drawn);
    for (int i = 0; i < nq; i++) {
        const int unit = q[i];
        if (!(drawn[i] & DRAWN_TURN) || unit == TURN)
            continue;
        q[i] = u[i] = TURN;
        for (int k = 0; k < nq; k++)
            if (unit > TURN && q[k] == unit && !drawn[k])
                q[k] = u[k] = TURN;
    }
    return CAROM_OK;
}
