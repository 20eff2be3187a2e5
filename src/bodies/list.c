/* Contacts that have a name from the start: the vertices of a shape over a half-space, a ball and
 * something convex, and for other pairs as many places as their manifold can have points.
 *
 * With a list a system of bodies has contacts as a system of formulas has; without one (there are
 * too many, or surfaces of triangles) contacts are only found (bodies_find.c). */
#include "bodies/list.h"
#include "bodies/convex.h"
#include "bodies/gather.h"
#include "bodies/shape.h"
#include "carom/need.h"

#include <stdio.h>
#include <string.h>

/* Longer lists are of no use to anyone who reads them; W has n times as many numbers. */
enum { PLACES_MOST = 512, ENTRIES_MOST = 1 << 20 };

/* Points of the manifold of two discs, or of a disc and a face (docs/theory/collision.md). */
enum { ROUND_PLACES = 16 };

/* Manifolds are looked for up to this part of the smaller shape's size: beyond it the nearest
 * points say where the pair is. */
static const double near_part = 0.01;

/* ---- what is listed ---- */

static int longest_face(const carom_shape *s)
{
    int longest = 1;
    if (s->space == 2 || s->polytope.face_count == 0)
        return s->polytope.vertex_count < 2 ? 1 : 2;
    for (int k = 0; k < s->polytope.face_count; k++) {
        int length = s->polytope.loop_start[k + 1] - s->polytope.loop_start[k];
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool is_ball(const carom_shape *s)
{
    return s->core == CAROM_CORE_POLYTOPE && s->polytope.vertex_count == 1;
}

/* How a pair is listed; count 0: it cannot be. */
static carom_listed listed(const carom_bodies *b, int one, int two)
{
    const carom_shape *x = b->part[one].shape, *y = b->part[two].shape;
    carom_listed l = {.one = one, .two = two};
    if (x->core == CAROM_CORE_PLANE || y->core == CAROM_CORE_PLANE) {
        const carom_shape *other = x->core == CAROM_CORE_PLANE ? y : x;
        if (other->core == CAROM_CORE_POLYTOPE) {
            l.how = CAROM_LISTING_VERTICES;
            l.count = other->polytope.vertex_count;
            return l;
        }
    }
    if (x->core == CAROM_CORE_MESH || y->core == CAROM_CORE_MESH)
        return l;
    if (x->core == CAROM_CORE_POLYTOPE && y->core == CAROM_CORE_POLYTOPE) {
        bool ball = is_ball(x) || is_ball(y);
        l.how = ball ? CAROM_LISTING_NEAREST : CAROM_LISTING_MANIFOLD;
        l.count = ball ? 1 : longest_face(x) + longest_face(y);
        return l;
    }
    bool convex = x->core == CAROM_CORE_CONVEX || y->core == CAROM_CORE_CONVEX;
    l.how = CAROM_LISTING_MANIFOLD;
    l.count = convex ? 1 : ROUND_PLACES;
    return l;
}

static bool may_touch(const carom_bodies *b, int one, int two)
{
    const carom_part *p = &b->part[one], *q = &b->part[two];
    return (p->moves || q->moves) && !(p->endless && q->endless) &&
           carom_bodies_touch(b, p->body, q->body);
}

/* Append the pair while there is room for it. */
static bool append(carom_list *list, carom_listed l, int n)
{
    if (l.count == 0 || list->count + l.count > PLACES_MOST ||
        (list->count + l.count) * (long)n > ENTRIES_MOST)
        return false;
    l.first = list->count;
    list->pair[list->pair_count++] = l;
    list->count += l.count;
    return true;
}

/* All pairs. False: they are too many, or some cannot be listed. */
static bool list_all(carom_bodies *b)
{
    for (int i = 0; i < b->part_count; i++)
        for (int j = i + 1; j < b->part_count; j++)
            if (may_touch(b, i, j) && !append(&b->list, listed(b, i, j), b->forest.n))
                return false;
    return true;
}

/* The size of the largest shape that has one. */
static double largest_size(const carom_bodies *b)
{
    double size = 0;
    for (int k = 0; k < b->part_count; k++)
        if (!b->part[k].endless)
            size = fmax(size, b->part[k].shape->size + b->part[k].shape->radius);
    return size;
}

/* The pairs that are at the start no further apart than `reach`; *fits: they can be listed, else
 * none is. */
static carom_status list_near(carom_bodies *b, double reach, bool *fits, carom_error *error)
{
    carom_bodies_contacts found;
    carom_status status = carom_bodies_find(b, 0, b->q, b->u, reach, b->list.arena, &found, error);
    if (status)
        return status;
    b->list.pair_count = b->list.count = 0;
    *fits = true;
    for (int k = 0; k < found.count && *fits;) {
        const carom_bodies_contact *c = &found.contact[k];
        carom_listed l = listed(b, c->shape[0], c->shape[1]);
        int count = 0;
        for (; k < found.count && found.contact[k].shape[0] == c->shape[0] &&
               found.contact[k].shape[1] == c->shape[1];
             k++)
            count++;
        if (l.count == 0) {
            l.how = CAROM_LISTING_MANIFOLD;
            l.count = 2 * count;
        }
        *fits = append(&b->list, l, b->forest.n);
    }
    if (!*fits)
        b->list.pair_count = b->list.count = 0;
    return CAROM_OK;
}

/* Where all pairs are too many: those within the size of a shape, which are the next to meet (a
 * domino and its neighbours); where these are too many, those that touch to rounding of the sizes.
 */
static carom_status list_some(carom_bodies *b, carom_error *error)
{
    const double size = largest_size(b), reach[] = {size, 1e-6 * size};
    bool fits = false;
    carom_status status = CAROM_OK;
    for (int k = 0; k < 2 && !fits && status == CAROM_OK; k++) {
        carom_arena_reset(b->list.arena);
        status = list_near(b, reach[k], &fits, error);
    }
    b->list.cut = !fits;
    return status;
}

carom_status carom_list_make(carom_bodies *b, carom_error *error)
{
    carom_list *list = &b->list;
    list->pair = carom_arena_array(b->arena, PLACES_MOST, sizeof *list->pair);
    list->name = carom_arena_zeros(b->arena, PLACES_MOST, sizeof *list->name);
    list->taken = carom_arena_zeros(b->arena, PLACES_MOST, 1);
    list->contact = carom_arena_array(b->arena, PLACES_MOST, sizeof *list->contact);
    list->away = carom_arena_zeros(b->arena, PLACES_MOST, sizeof *list->away);
    list->place = carom_arena_array(b->arena, PLACES_MOST, sizeof *list->place);
    list->seen = carom_arena_zeros(b->arena, (size_t)b->forest.nq, sizeof *list->seen);
    list->touch = carom_arena_array(b->arena, PLACES_MOST, sizeof *list->touch);
    if (!list->pair || !list->name || !list->taken || !list->contact || !list->away ||
        !list->touch || !list->place || !list->seen)
        return carom_error_memory(error);
    carom_status status = carom_arena_create(carom_arena_allocator(b->arena), &list->arena, error);
    if (status)
        return status;
    list->whole = list_all(b);
    if (list->whole)
        return CAROM_OK;
    return list_some(b, error);
}

void carom_list_drop(carom_bodies *b)
{
    carom_arena_destroy(b->list.arena);
    b->list.arena = NULL;
}

/* ---- names ---- */

static const carom_listed *pair_of(const carom_list *list, int place)
{
    int k = 0;
    while (place >= list->pair[k].first + list->pair[k].count)
        k++;
    return &list->pair[k];
}

/* Numbers count through all pairs of shapes of the same two bodies. */
static int number_of(const carom_bodies *b, const carom_listed *of, int place)
{
    int number = place - of->first + 1;
    for (const carom_listed *l = b->list.pair; l < of; l++)
        if (b->part[l->one].body == b->part[of->one].body &&
            b->part[l->two].body == b->part[of->two].body)
            number += l->count;
    return number;
}

carom_status carom_list_describe(const carom_bodies *b, int place, carom_arena *arena,
                                 carom_contact *contact, carom_error *error)
{
    const carom_listed *l = pair_of(&b->list, place);
    const carom_part *p = &b->part[l->one], *q = &b->part[l->two];
    if (!p->moves) { /* what moves comes first */
        const carom_part *other = p;
        p = q;
        q = other;
    }
    const char *one = b->body[p->body].name, *two = b->body[q->body].name;
    size_t room = (one ? strlen(one) : 16) + (two ? strlen(two) : 16) + 32;
    char *name = carom_arena_take(arena, room), first[16], second[16];
    if (!name)
        return carom_error_memory(error);
    snprintf(first, sizeof first, "b%d", p->body + 1);
    snprintf(second, sizeof second, "b%d", q->body + 1);
    snprintf(name, room, "%s/%s:%d", one ? one : first, two ? two : second, number_of(b, l, place));
    *contact = carom_bodies_material(b, p->body, q->body);
    contact->slip_count = contact->friction_static > 0 ? b->space - 1 : 0;
    contact->name = name;
    return CAROM_OK;
}

/* ---- at a state ---- */

static uint64_t name_at(const carom_touch *first, size_t stride, int k)
{
    return ((const carom_touch *)((const char *)first + stride * (size_t)k))->name;
}

/* Places for touches of a pair that lie `stride` bytes apart. Features that stay keep theirs;
 * others get one that nobody has; -1: all are taken. claim: what is new stays there from now on.
 */
static void give_places(carom_list *list, const carom_listed *l, const carom_touch *touch,
                        size_t stride, int count, bool claim, int *place)
{
    const int end = l->first + l->count;
    memset(list->taken + l->first, 0, (size_t)l->count);
    for (int k = 0; k < count; k++) {
        const uint64_t name = name_at(touch, stride, k);
        place[k] = -1;
        for (int i = l->first; i < end && place[k] < 0; i++)
            if (list->name[i] == name && !list->taken[i])
                place[k] = i;
        if (place[k] >= 0)
            list->taken[place[k]] = 1;
    }
    for (int k = 0, i = l->first; k < count; k++) {
        if (place[k] >= 0)
            continue;
        while (i < end && list->taken[i])
            i++;
        if (i == end)
            return;
        place[k] = i;
        list->taken[i] = 1;
        if (claim)
            list->name[i] = name_at(touch, stride, k);
    }
}

/* Vertices have theirs by number. */
static void places_of(carom_bodies *b, const carom_listed *l, const carom_touch *touch,
                      size_t stride, int count, bool claim, int *place)
{
    const bool first_is_plane = b->part[l->one].shape->core == CAROM_CORE_PLANE;
    if (l->how == CAROM_LISTING_MANIFOLD) {
        give_places(&b->list, l, touch, stride, count, claim, place);
        return;
    }
    for (int k = 0; k < count; k++) {
        const uint64_t name = name_at(touch, stride, k);
        const uint32_t feature = (uint32_t)(first_is_plane ? name : name >> 32);
        place[k] = l->first + (l->how == CAROM_LISTING_VERTICES ? feature_index(feature) : 0);
    }
}

static int touches_of(carom_bodies *b, const carom_listed *l)
{
    carom_list *list = &b->list;
    const carom_part *p = &b->part[l->one], *q = &b->part[l->two];
    double reach = INFINITY;
    int count = 0;
    if (l->how == CAROM_LISTING_MANIFOLD)
        reach =
            near_part * fmin(p->shape->size + p->shape->radius, q->shape->size + q->shape->radius);
    if (l->how != CAROM_LISTING_NEAREST)
        count = carom_shape_manifold(p->shape, &p->at, q->shape, &q->at, reach, PLACES_MOST,
                                     list->touch);
    if (count == 0) {
        carom_shape_distance(p->shape, &p->at, q->shape, &q->at, list->touch);
        count = 1;
    }
    return count < PLACES_MOST ? count : PLACES_MOST;
}

/* The contacts of one pair; places without one are as far as the nearest point of the pair. */
static bool look_at(carom_gather *g, const carom_listed *l, bool claim)
{
    carom_list *list = &g->bodies->list;
    int count = touches_of(g->bodies, l);
    double nearest = list->touch[0].gap;
    places_of(g->bodies, l, list->touch, sizeof *list->touch, count, claim, list->place);
    for (int k = 1; k < count; k++)
        nearest = fmin(nearest, list->touch[k].gap);
    for (int i = l->first; i < l->first + l->count; i++) {
        list->contact[i] = -1;
        list->away[i] = fmax(nearest, g->bodies->part[l->one].shape->size);
    }
    for (int k = 0; k < count; k++) {
        if (list->place[k] < 0)
            continue;
        list->contact[list->place[k]] = g->count;
        if (!carom_gather_add(g, l->one, l->two, &list->touch[k]))
            return false;
    }
    return true;
}

void carom_list_forget(carom_bodies *b)
{
    memset(b->list.name, 0, (size_t)b->list.count * sizeof *b->list.name);
    b->list.known = false;
}

carom_status carom_list_look(carom_bodies *b, const double *u, bool claim, carom_error *error)
{
    carom_list *list = &b->list;
    list->known = false;
    carom_arena_reset(list->arena);
    carom_gather g = carom_gather_begin(b, list->arena);
    for (int k = 0; k < list->pair_count; k++) {
        const carom_listed *l = &list->pair[k];
        carom_gather_place(b, &b->part[l->one]);
        carom_gather_place(b, &b->part[l->two]);
        if (!look_at(&g, l, claim))
            return carom_error_memory(error);
    }
    carom_gather_motion(&g, u);
    list->found = g.contact;
    return CAROM_OK;
}

void carom_list_places(carom_bodies *b, const carom_bodies_contacts *found, int *place)
{
    int at = 0;
    for (int k = 0; k < found->count;) {
        const carom_bodies_contact *c = &found->contact[k];
        int count = 1;
        while (k + count < found->count && c[count].shape[0] == c->shape[0] &&
               c[count].shape[1] == c->shape[1])
            count++;
        const carom_listed *l = b->list.pair;
        while (at < b->list.pair_count &&
               (l[at].one < c->shape[0] || (l[at].one == c->shape[0] && l[at].two < c->shape[1])))
            at++;
        if (at < b->list.pair_count && l[at].one == c->shape[0] && l[at].two == c->shape[1])
            places_of(b, &l[at], &c->touch, sizeof *c, count, true, place + k);
        else
            for (int i = 0; i < count; i++)
                place[k + i] = -1;
        k += count;
    }
}

/* The contacts at a state; those of the state asked for last are still known. */
static bool look_once(carom_bodies *b, double t, const double *q)
{
    carom_list *list = &b->list;
    const size_t size = (size_t)b->forest.nq * sizeof *q;
    if (list->known && list->seen_at == t && memcmp(list->seen, q, size) == 0)
        return true;
    if (carom_bodies_move(b, t, q, NULL, NULL) || carom_list_look(b, b->zeros, false, NULL))
        return false;
    memcpy(list->seen, q, size);
    list->seen_at = t;
    list->known = true;
    return true;
}

int carom_bodies_contact_place(const carom_bodies *bodies, int contact, double t, const double *q,
                               double at[3], double toward[3])
{
    CAROM_NEED_OR(0, bodies, q, at, toward);
    carom_bodies *b = (carom_bodies *)bodies; /* its work space: one thread at a time */
    int place = contact - b->stop_count;
    if (place < 0 || place >= b->list.count || !look_once(b, t, q))
        return 0;
    const carom_listed *l = pair_of(&b->list, place);
    for (int k = l->first; k < l->first + l->count && b->list.contact[place] < 0; k++)
        place = b->list.contact[k] >= 0 ? k : place; /* none here: where the pair is nearest */
    const carom_bodies_contact *c = &b->list.found[b->list.contact[place]];
    const bool first = b->part[l->one].moves;
    memcpy(at, first ? c->touch.a : c->touch.b, 3 * sizeof *at);
    for (int k = 0; k < 3; k++)
        toward[k] = first ? -c->touch.normal[k] : c->touch.normal[k];
    return b->space;
}

carom_status carom_bodies_unlisted(const carom_bodies *bodies, double t, const double *q,
                                   const double *u, double reach, carom_arena *arena,
                                   const char *names[2], carom_error *error)
{
    CAROM_NEED(error, bodies, q, arena, names);
    carom_bodies *b = (carom_bodies *)bodies; /* its work space: one thread at a time */
    carom_bodies_contacts found;
    names[0] = names[1] = NULL;
    if (b->list.whole)
        return CAROM_OK;
    carom_status status = carom_bodies_find(b, t, q, u, reach, arena, &found, error);
    if (status != CAROM_OK)
        return status;
    int *place = carom_arena_array(arena, (size_t)found.count + 1, sizeof *place);
    if (!place)
        return carom_error_memory(error);
    carom_list_places(b, &found, place);
    for (int k = 0; k < found.count && !names[0]; k++)
        for (int side = 0; side < 2 && place[k] < 0; side++) {
            const char *name = b->body[found.contact[k].body[side]].name;
            names[side] = name ? name : "?";
        }
    return CAROM_OK;
}

bool carom_bodies_are_listed(const carom_bodies *b)
{
    CAROM_NEED_OR(false, b);
    return b->list.whole;
}

bool carom_bodies_are_cut(const carom_bodies *b)
{
    CAROM_NEED_OR(false, b);
    return b->list.cut;
}

carom_status carom_bodies_check_smooth(const carom_bodies *bodies, carom_error *error)
{
    CAROM_NEED(error, bodies);
    for (int k = 0; k < bodies->joint_count; k++)
        if (bodies->joint[k].is.friction > 0)
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "joint `%.60s` has dry friction, which is for the method "
                                   "time-stepping",
                                   bodies->joint[k].is.name ? bodies->joint[k].is.name : "");
    for (int i = 0; i < bodies->part_count; i++)
        for (int j = i + 1; j < bodies->part_count; j++) {
            const carom_part *p = &bodies->part[i], *q = &bodies->part[j];
            if (!may_touch(bodies, i, j))
                continue;
            carom_listed l = listed(bodies, i, j);
            if (l.count > 0 && l.how != CAROM_LISTING_MANIFOLD)
                continue;
            return carom_error_set(
                error, CAROM_ERROR_INPUT,
                "body `%.60s` (%s) can touch body `%.60s` (%s), and the gap between those has no "
                "smooth formula of its own: the method must be time-stepping (with a step), or "
                "the pair among those that `world` ignores",
                bodies->body[p->body].name ? bodies->body[p->body].name : "",
                carom_shape_kind_text(p->shape->kind, bodies->space),
                bodies->body[q->body].name ? bodies->body[q->body].name : "",
                carom_shape_kind_text(q->shape->kind, bodies->space));
        }
    return bodies->list.whole
               ? CAROM_OK
               : carom_error_set(error, CAROM_ERROR_INPUT,
                                 "the bodies have more than %d possible contacts: the "
                                 "method must be time-stepping",
                                 PLACES_MOST);
}
