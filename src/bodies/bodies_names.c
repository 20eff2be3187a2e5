/* Names of coordinates, velocities, stops and loops, as scenes and traces show them. */
#include "bodies/bodies_names.h"

#include <stdio.h>
#include <string.h>

/* A name (or a letter and a number) and an ending. */
static const char *join(carom_arena *arena, const char *name, char letter, int number,
                        const char *ending)
{
    char made[32];
    if (!name) {
        snprintf(made, sizeof made, "%c%d", letter, number + 1);
        name = made;
    }
    size_t length = strlen(name), more = strlen(ending);
    char *text = carom_arena_take(arena, length + more + 1);
    if (text) {
        memcpy(text, name, length);
        memcpy(text + length, ending, more + 1);
    }
    return text;
}

static bool name_link(carom_arena *arena, const carom_link *l, const char *name, char letter,
                      int number, carom_bodies_names *to)
{
    bool good = true;
    for (int k = 0; k < carom_forest_coordinates(l); k++) {
        to->coordinates[l->q + k] = join(arena, name, letter, number, l->ops->q[k]);
        good = good && to->coordinates[l->q + k];
    }
    for (int k = 0; k < carom_forest_velocities(l); k++) {
        to->velocities[l->u + k] = join(arena, name, letter, number, l->ops->u[k]);
        good = good && to->velocities[l->u + k];
    }
    return good;
}

static bool name_links(const carom_bodies *b, carom_arena *arena, carom_bodies_names *to)
{
    bool good = true;
    for (int k = 0; k < b->body_count && good; k++) {
        const carom_link *l = &b->forest.link[b->link_of[k]];
        if (l->ops == &carom_link_free || l->ops == &carom_link_free_plane)
            good = name_link(arena, l, b->body[k].name, 'b', k, to);
    }
    for (int k = 0; k < b->joint_count && good; k++)
        if (b->joint[k].loop < 0)
            good = name_link(arena, &b->forest.link[b->joint[k].link], b->joint[k].is.name, 'j', k,
                             to);
    return good;
}

static bool name_loops(const carom_bodies *b, carom_arena *arena, carom_bodies_names *to)
{
    int at = 0;
    for (int k = 0; k < b->loop_count; k++)
        for (int i = 0; i < carom_loop_rows(&b->loop[k]); i++, at++) {
            char ending[16];
            snprintf(ending, sizeof ending, ".%d", i + 1);
            to->loops[at] =
                join(arena, b->joint[b->loop[k].joint].is.name, 'j', b->loop[k].joint, ending);
            if (!to->loops[at])
                return false;
        }
    return true;
}

/* A joint that holds its child in place has no velocity, and shares its number with the next one:
 * a stop says itself whose it is. */
static bool name_stops(const carom_bodies *b, const carom_world_def *world, carom_arena *arena,
                       carom_bodies_names *to)
{
    for (int k = 0; k < b->stop_count; k++) {
        const carom_stop *s = &b->stop[k];
        carom_contact *c = &to->stops[k];
        if (s->u < 0) {
            *c = world->ropes[s->rope].contact;
            c->name = join(arena, world->ropes[s->rope].name, 'r', s->rope, "");
        } else {
            *c = b->joint[s->joint].is.stop;
            c->name = join(arena, b->joint[s->joint].is.name, 'j', s->joint,
                           s->sign > 0 ? ".lower" : ".upper");
        }
        c->slip_count = c->spread_count = 0;
        if (!c->name)
            return false;
    }
    return true;
}

carom_status carom_bodies_names_make(const carom_bodies *b, const carom_world_def *world,
                                     carom_arena *arena, carom_bodies_names *to, carom_error *error)
{
    to->coordinates = carom_arena_zeros(arena, (size_t)b->forest.nq, sizeof *to->coordinates);
    to->velocities = carom_arena_zeros(arena, (size_t)b->forest.n, sizeof *to->velocities);
    to->loops = carom_arena_zeros(arena, (size_t)b->loop_rows, sizeof *to->loops);
    to->stops =
        carom_arena_zeros(arena, (size_t)(b->stop_count + b->list.count), sizeof *to->stops);
    if (!to->coordinates || !to->velocities || !to->loops || !to->stops ||
        !name_links(b, arena, to) || !name_loops(b, arena, to) || !name_stops(b, world, arena, to))
        return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (int k = 0; k < b->list.count && !status; k++)
        status = carom_list_describe(b, k, arena, &to->stops[b->stop_count + k], error);
    return status;
}
