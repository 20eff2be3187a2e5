/* All extreme points of the impulses that have the effect of those found: contacts are taken or
 * left one after the other. */
#include "impact/nearest_rows.h"
#include "impact/predicate.h"

#include <math.h>
#include <string.h>

typedef struct search {
    carom_nearest_rows w;
    const carom_nearest *nearest;
    int rank;        /* of all contacts that touch */
    bool counts;     /* sets are only counted */
    int tried;       /* sets of contacts looked at */
    long long steps; /* contacts taken or left on the way to them */
    int count, room;
    doubled *vertices; /* p x room */
    carom_arena *arena;
    carom_error *error;
} search;

static bool push_only(const search *s)
{
    const carom_nearest_rows *w = &s->w;
    for (int i = 0; i < w->p; i++) {
        double size, rounding, D = w->g->norm[i] * w->g->norm[i];
        if (!(w->impulse[w->c + i].hi < 0))
            continue;
        carom_nearest_rows_slack(w, i, &size, &rounding);
        if (-w->impulse[w->c + i].hi * D > CAROM_PREDICATE_REST * size + rounding)
            return false;
    }
    return true;
}

/* Is a vertex like this in the list? */
static bool known(const search *s, const doubled *impulse)
{
    const carom_nearest_rows *w = &s->w;
    for (int v = 0; v < s->count; v++) {
        bool same = true;
        for (int i = 0; i < w->p && same; i++) {
            double a = impulse[i].hi, b = s->vertices[i + (size_t)v * (size_t)w->p].hi;
            double size, rounding, D = w->g->norm[i] * w->g->norm[i];
            if (a == b)
                continue;
            carom_nearest_rows_slack(w, i, &size, &rounding);
            same = fabs(a - b) * D <= CAROM_VERDICT_TOLERANCE * size + rounding ||
                   fabs(a - b) <= CAROM_VERDICT_TOLERANCE * fabs(a + b);
        }
        if (same)
            return true;
    }
    return false;
}

static carom_status add_vertex(search *s)
{
    carom_nearest_rows *w = &s->w;
    size_t p = (size_t)w->p;
    memset(w->impulse + w->c, 0, p * sizeof *w->impulse);
    carom_nearest_rows_meet(w);
    doubled *impulse = w->impulse + w->c;
    if (!push_only(s) || known(s, impulse))
        return CAROM_OK;
    if (s->count == s->room) {
        int room = s->room ? 2 * s->room : 16;
        doubled *more = carom_arena_array(s->arena, p * (size_t)room, sizeof *more);
        if (!more)
            return carom_error_memory(s->error);
        if (s->count)
            memcpy(more, s->vertices, p * (size_t)s->count * sizeof *more);
        s->vertices = more;
        s->room = room;
    }
    for (size_t i = 0; i < p; i++)
        s->vertices[i + (size_t)s->count * p] = impulse[i].hi > 0 ? impulse[i] : (doubled){0, 0};
    s->count++;
    return CAROM_OK;
}

/* Each set is at most p steps away from the one before where no way ends without one; more steps
 * than that for all of them are too many, too. */
static bool too_many(const search *s)
{
    return s->tried > CAROM_NEAREST_CHOICES || s->steps > (long long)CAROM_NEAREST_CHOICES * s->w.p;
}

/* All independent sets of `rank` contacts from number i on. */
static carom_status choose_sets(search *s, int i)
{
    carom_nearest_rows *w = &s->w;
    s->steps++;
    if (w->r.basis.k == s->rank) {
        s->tried++;
        return s->counts || too_many(s) ? CAROM_OK : add_vertex(s);
    }
    if (i == w->p || too_many(s))
        return CAROM_OK;
    carom_status status = CAROM_OK;
    if (s->nearest->touches[i] &&
        carom_response_take(&w->r, carom_nearest_rows_row(w, i), w->c + i, w->room)) {
        status = choose_sets(s, i + 1);
        carom_response_drop(&w->r, w->r.basis.k - 1);
    }
    return status ? status : choose_sets(s, i + 1);
}

carom_status carom_nearest_vertices(const carom_geometry *g, const carom_nearest_start *start,
                                    const carom_nearest *nearest, carom_arena *arena,
                                    doubled **vertices, int *count, carom_error *error)
{
    search s = {.nearest = nearest, .arena = arena, .error = error};
    carom_status status = carom_arena_reserve(arena, carom_nearest_rows_bytes(g), error);
    if (status)
        return status;
    carom_nearest_rows_at(g, start, nearest, arena, &s.w);
    int joints = s.w.r.basis.k;
    for (int i = 0; i < s.w.p; i++)
        if (nearest->touches[i])
            carom_response_take(&s.w.r, carom_nearest_rows_row(&s.w, i), s.w.c + i, s.w.room);
    s.rank = s.w.r.basis.k;
    while (s.w.r.basis.k > joints)
        carom_response_drop(&s.w.r, s.w.r.basis.k - 1);
    s.counts = true; /* a set costs much less to count than to solve */
    status = choose_sets(&s, 0);
    if (!status && !too_many(&s)) {
        s.counts = false;
        s.tried = 0;
        s.steps = 0;
        status = choose_sets(&s, 0);
    }
    *vertices = s.vertices;
    *count = too_many(&s) ? -1 : s.count;
    return status;
}
