/* Contacts that do not close at once (docs/theory/micro-gaps.md): every ordered partition of the
 * contacts, each followed through its sequence of impacts. */
#include "carom/certify.h"

#include "carom/need.h"
#include "carom/tolerance.h"
#include "impact/predicate.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST = CAROM_MICRO_GAPS_LIMIT, MOST_IMPACTS = 2000 };

typedef struct work {
    const carom_law *law;
    const carom_geometry *g;
    const carom_watch *watch;
    carom_arena *arena;
    carom_error *error;
    carom_micro_gaps *gaps;
    double *u;        /* n, current velocity */
    double *away;     /* n, between two outcomes */
    int group[MOST];  /* of each contact */
    int first_result; /* outcome number of the last order followed, -1: failed */
} work;

/* The impact of the contacts in `set` alone, from the velocity u. */
static carom_status restrict_to(const work *w, unsigned set, carom_impact *impact)
{
    const carom_impact *from = w->g->impact;
    int n = from->n, s = 0, k = 0;
    size_t slips = (size_t)w->g->s;
    double *W =
        carom_arena_doubles(w->arena, (size_t)n * from->p + (size_t)n * slips + from->p + slips);
    carom_contact *contacts = carom_arena_array(w->arena, from->p, sizeof *contacts);
    if (!W || !contacts)
        return carom_error_memory(w->error);
    double *H = W + (size_t)n * from->p, *w_hat = H + (size_t)n * slips, *motion = w_hat + from->p;
    for (int i = 0; i < from->p; i++) {
        if (!(set >> i & 1))
            continue;
        contacts[k] = from->contacts ? from->contacts[i] : carom_contact_default();
        w_hat[k] = from->w_hat ? from->w_hat[i] : 0;
        memcpy(W + (size_t)k * n, from->W + (size_t)i * n, sizeof(double) * n);
        for (int j = w->g->slip_start[i]; j < w->g->slip_start[i + 1]; j++, s++) {
            memcpy(H + (size_t)s * n, from->H + (size_t)j * n, sizeof(double) * n);
            motion[s] = from->slip_motion ? from->slip_motion[j] : 0;
        }
        k++;
    }
    *impact = *from;
    impact->p = k;
    impact->u = w->u;
    impact->W = W;
    impact->w_hat = w_hat;
    impact->H = H;
    impact->slip_motion = motion;
    impact->contacts = contacts;
    return CAROM_OK;
}

/* One impact of the contacts in `set`; u is updated. *ok: the law had an outcome. */
static carom_status collide(work *w, unsigned set, bool *ok)
{
    carom_mark mark = carom_arena_mark(w->arena);
    carom_impact impact;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_status status = restrict_to(w, set, &impact);
    if (!status)
        status = carom_impact_derive(&impact, w->arena, &geometry, w->error);
    if (!status)
        status = carom_law_apply(w->law, &geometry, w->arena, &outcome, w->error);
    if (status == CAROM_ERROR_MEMORY)
        return status;
    if (status) { /* the law does not speak about fewer contacts */
        *ok = false;
        if (!w->gaps->message[0])
            snprintf(w->gaps->message, sizeof w->gaps->message, "%s: %.200s", w->law->ops->name,
                     w->error ? w->error->text : carom_status_text(status));
        carom_arena_rewind(w->arena, mark);
        return CAROM_OK;
    }
    *ok = outcome.answer == CAROM_ANSWER_OK || outcome.answer == CAROM_ANSWER_SEVERAL;
    if (*ok)
        memcpy(w->u, outcome.u, sizeof(double) * impact.n);
    else if (!w->gaps->message[0])
        snprintf(w->gaps->message, sizeof w->gaps->message, "%s: %.200s", w->law->ops->name,
                 outcome.message);
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

/* Contacts of `among` that do not separate, and whether one of them approaches. */
static unsigned touching(const work *w, unsigned among, bool *approaches)
{
    unsigned set = 0;
    *approaches = false;
    for (int i = 0; i < w->g->impact->p; i++) {
        double gamma = carom_predicate_velocity(w->g, i, w->u);
        if (!(among >> i & 1) || gamma > 0)
            continue;
        set |= 1u << i;
        *approaches = *approaches || gamma < 0;
    }
    return set;
}

/* Follow one order: each group closes when the earlier ones have come to rest or separate. */
static carom_status follow(work *w, int groups, bool *ok)
{
    int p = w->g->impact->p, impacts = 0;
    memcpy(w->u, w->g->u, sizeof(double) * w->g->impact->n);
    unsigned closed = 0;
    *ok = true;
    for (int k = 0; k < groups; k++) {
        for (int i = 0; i < p; i++)
            if (w->group[i] == k)
                closed |= 1u << i;
        bool approaches;
        unsigned set = touching(w, closed, &approaches);
        while (approaches && *ok) {
            carom_status status = collide(w, set, ok);
            if (status)
                return status;
            set = touching(w, closed, &approaches);
            if (++impacts > MOST_IMPACTS)
                *ok = false;
        }
    }
    return CAROM_OK;
}

static carom_status record(work *w, int groups, bool ok)
{
    carom_micro_gaps *gaps = w->gaps;
    const carom_geometry *g = w->g;
    int n = g->impact->n, p = g->impact->p;
    gaps->orders++;
    w->first_result = -1;
    if (!ok) {
        gaps->failed++;
        return CAROM_OK;
    }
    for (int k = 0; k < gaps->count; k++) {
        double squared = 0, *d = w->away;
        for (int i = 0; i < n; i++)
            d[i] = w->u[i] - gaps->list[k].u[i];
        squared = carom_geometry_dot(g, d, d);
        if (sqrt(fmax(0, squared)) <= CAROM_TOLERANCE_HALF * g->speed) {
            gaps->list[k].orders++;
            gaps->list[k].simultaneous |= groups == 1;
            w->first_result = k;
            return CAROM_OK;
        }
    }
    if (gaps->count == gaps->capacity)
        return CAROM_OK;
    carom_micro_outcome *made = &gaps->list[gaps->count];
    double *u = carom_arena_doubles(w->arena, n);
    int *group = carom_arena_array(w->arena, p, sizeof(int));
    if (!u || !group)
        return carom_error_memory(w->error);
    memcpy(u, w->u, sizeof(double) * n);
    memcpy(group, w->group, sizeof(int) * p);
    *made = (carom_micro_outcome){.u = u,
                                  .energy_change = 0.5 * carom_geometry_dot(g, u, u) - g->energy,
                                  .orders = 1,
                                  .group = group,
                                  .simultaneous = groups == 1};
    w->first_result = gaps->count++;
    return CAROM_OK;
}

static carom_status try_order(work *w, int groups)
{
    bool ok;
    if (w->gaps->stopped)
        return CAROM_OK;
    static const double orders[MOST + 1] = {1, 1, 3, 13, 75, 541, 4683, 47293};
    const double done = w->gaps->orders / orders[w->g->impact->p];
    if (w->watch && !w->watch->go_on(w->watch->self, "micro-gaps", done)) {
        w->gaps->stopped = true;
        return CAROM_OK;
    }
    carom_status status = follow(w, groups, &ok);
    return status ? status : record(w, groups, ok);
}

/* All surjections of the contacts onto `groups` groups. */
static carom_status all_orders(work *w, int contact, int groups, unsigned used)
{
    int p = w->g->impact->p;
    if (contact == p)
        return used == (1u << groups) - 1 ? try_order(w, groups) : CAROM_OK;
    carom_status status = CAROM_OK;
    for (int k = 0; k < groups && !status; k++) {
        w->group[contact] = k;
        status = all_orders(w, contact + 1, groups, used | 1u << k);
    }
    return status;
}

/* Does it matter that the contacts of `set` close first and the others after them? */
static carom_status try_first(work *w, unsigned set)
{
    int p = w->g->impact->p, orders = w->gaps->orders, failed = w->gaps->failed;
    for (int i = 0; i < p; i++)
        w->group[i] = set >> i & 1 ? 0 : 1;
    carom_status status = try_order(w, 2);
    if (w->first_result >= 0)
        w->gaps->list[w->first_result].orders--; /* counted with all orders already */
    w->gaps->orders = orders;
    w->gaps->failed = failed;
    w->gaps->first_matters[set] = w->first_result != 0;
    return status;
}

carom_status carom_micro_gaps_find(const carom_law *law, const carom_geometry *geometry,
                                   const carom_watch *watch, carom_arena *arena,
                                   carom_micro_gaps *gaps, carom_error *error)
{
    CAROM_NEED(error, law, geometry, geometry->impact, arena, gaps);
    int p = geometry->impact->p, n = geometry->impact->n;
    carom_micro_gaps made = {.capacity = 256};
    work w = {
        .law = law, .g = geometry, .watch = watch, .arena = arena, .error = error, .gaps = &made};
    /* laws that follow the impact in time take milliseconds for each of ten times as many orders */
    const int most = law->ops->cost >= 3 ? MOST - 1 : MOST;
    if (p > most || geometry->impact->region || geometry->spread_start[p] > 0) {
        snprintf(made.message, sizeof made.message,
                 p > most ? "%d contacts are too many: the orders of closing are tried up to %d"
                          : "orders of closing are tried for plain contacts only",
                 p, most);
        *gaps = made;
        return CAROM_OK;
    }
    made.list = carom_arena_array(arena, (size_t)made.capacity, sizeof *made.list);
    made.first_matters = carom_arena_zeros(arena, (size_t)1 << p, sizeof(bool));
    w.u = carom_arena_doubles(arena, (size_t)n);
    w.away = carom_arena_doubles(arena, n);
    if (!made.list || !made.first_matters || !w.u || !w.away)
        return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (int groups = 1; groups <= p && !status; groups++)
        status = all_orders(&w, 0, groups, 0);
    bool usable = made.count > 0 && made.list[0].simultaneous && !made.stopped;
    for (unsigned set = 1; usable && set + 1 < 1u << p && !status; set++)
        status = try_first(&w, set);
    if (!status)
        *gaps = made;
    return status;
}
