/* Every order of impulses (docs/theory/orders.md): contacts that approach are struck one at a time,
 * in turn or at random, wholly or in parts, until none approaches. */
#include "carom/orders.h"
#include "carom/need.h"

#include <math.h>
#include <string.h>

#include "impact/predicate.h"
#include "law/laws.h"
#include "law/strike.h"
#include "law/turn.h"
#include "linalg/dense.h"

enum { MOST_STRIKES = 20000 }; /* of one order, before it is called endless */

/* Products in all, about a second: large systems get fewer samples, never none. */
static const double MOST_WORK = 1e9;

typedef struct search {
    const carom_geometry *g;
    const carom_orders_options *options;
    carom_orders *found;
    int *order;
    double *u;
    double *best; /* n x 2n: the outcomes of low and high */
    uint64_t state;
    double work; /* products so far */
} search;

/* A number in (0, 1), the next of a fixed sequence. */
static double random_part(search *s)
{
    s->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = s->state;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    x ^= x >> 31;
    return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

/* Contact i at this velocity: its own matrix, friction only where it is asked for. */
static carom_strike begin(const search *s, int i, double gamma)
{
    const carom_geometry *g = s->g;
    const int n = g->impact->n, j = g->slip_start[i];
    carom_strike made = {.D_nn = g->D[i + (size_t)i * (size_t)g->impact->p], .gamma = gamma};
    const carom_contact *contact = g->impact->contacts ? &g->impact->contacts[i] : NULL;
    if (!s->options->friction || !contact || g->slip_start[i + 1] == j ||
        contact->friction_static == 0)
        return made;
    const double *h = g->impact->H + (size_t)j * (size_t)n;
    made.D_nt = carom_dense_dot(n, g->Y + (size_t)i * (size_t)n, h);
    made.D_tt = carom_dense_dot(n, g->Z + (size_t)j * (size_t)n, h);
    made.mu_s = contact->friction_static;
    made.mu_d = contact->friction_dynamic;
    made.slip =
        carom_dense_dot(n, h, s->u) + (g->impact->slip_motion ? g->impact->slip_motion[j] : 0);
    return made;
}

/* A blow at contact i: the compression, a part of it where nothing is given back, and then e times
 * its impulse (Poisson). False: there is no end. */
static bool strike(search *s, int i, double gamma, double part)
{
    const carom_geometry *g = s->g;
    const size_t n = (size_t)g->impact->n;
    const double e = carom_law_restitution(g, i);
    carom_strike whole = begin(s, i, gamma), made = whole;
    if (!carom_strike_go(&whole, INFINITY, true))
        return false;
    if (e > 0 || part >= 1) {
        made = whole;
        if (!carom_strike_go(&made, e * whole.normal, false))
            return false;
    } else if (!carom_strike_go(&made, part * whole.normal, true)) {
        return false;
    }
    const double *y = g->Y + (size_t)i * n, *z = g->Z + (size_t)g->slip_start[i] * n;
    for (size_t k = 0; k < n; k++)
        s->u[k] += y[k] * made.normal + (made.tangential != 0 ? z[k] * made.tangential : 0);
    return true;
}

/* The next contact that approaches: in turn, or (order NULL) any of them. */
static int choose(search *s, const int *order, int *position, double *gamma)
{
    const int p = s->g->impact->p;
    int count = 0, chosen = -1;
    for (int k = 0; k < p; k++) {
        const int i = order ? order[(*position + k) % p] : k;
        const double now = carom_turn_approach(s->g, s->u, i);
        if (now == 0)
            continue;
        count++;
        if (order || random_part(s) * count < 1) {
            chosen = i;
            *gamma = now;
        }
        if (order) {
            *position = (*position + k + 1) % p;
            break;
        }
    }
    return chosen;
}

/* One order to its end; false: it has none. Parts are taken whole with this probability. */
static bool go_through(search *s, const int *order, double whole)
{
    int position = 0;
    memcpy(s->u, s->g->u, (size_t)s->g->impact->n * sizeof *s->u);
    for (int count = 0; count < MOST_STRIKES; count++) {
        double gamma = 0;
        const int i = choose(s, order, &position, &gamma);
        s->work += (double)s->g->impact->n * s->g->impact->p;
        if (i < 0)
            return true;
        const bool last = -gamma <= CAROM_TOLERANCE_HALF * s->g->fastest; /* to see its end */
        const double part = order || last || random_part(s) < whole ? 1 : random_part(s);
        if (!strike(s, i, gamma, part))
            return false;
    }
    return false;
}

/* Keep what is lower or higher than all before. */
static void keep(search *s)
{
    const int n = s->g->impact->n;
    const bool first = s->found->samples == s->found->endless;
    for (int k = 0; k < n; k++) {
        if (first || s->u[k] < s->found->low[k]) {
            s->found->low[k] = s->u[k];
            memcpy(s->best + (size_t)(2 * k) * (size_t)n, s->u, (size_t)n * sizeof *s->u);
        }
        if (first || s->u[k] > s->found->high[k]) {
            s->found->high[k] = s->u[k];
            memcpy(s->best + (size_t)(2 * k + 1) * (size_t)n, s->u, (size_t)n * sizeof *s->u);
        }
    }
}

static void try_order(search *s, const int *order, double whole)
{
    const bool ended = go_through(s, order, whole);
    if (ended)
        keep(s);
    s->found->samples++;
    s->found->endless += !ended;
}

/* Outcomes of low and high, each once. */
static void gather(search *s)
{
    const size_t n = (size_t)s->g->impact->n;
    carom_orders *f = s->found;
    for (size_t k = 0; k < 2 * n && f->samples > f->endless; k++) {
        bool known = false;
        for (int j = 0; j < f->extreme_count && !known; j++)
            known = carom_predicate_same(s->g, f->extremes + (size_t)j * n, s->best + k * n);
        if (!known)
            memcpy(f->extremes + (size_t)f->extreme_count++ * n, s->best + k * n,
                   n * sizeof(double));
    }
}

static carom_status check(const carom_geometry *g, const carom_orders_options *options,
                          carom_error *error)
{
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED, "orders of impulses: %s", reason);
    for (int i = 0; i < g->impact->p && options->friction && g->impact->contacts; i++) {
        const double mu = g->impact->contacts[i].friction_static;
        if (mu > 0 && g->slip_start[i + 1] - g->slip_start[i] > 1)
            return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                                   "orders of impulses: friction with one slip direction only");
        if (isinf(mu))
            return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                                   "orders of impulses: friction without bound has no path");
    }
    return CAROM_OK;
}

/* Asked before every sample of some hundred: a watch may cost more than a sample. */
static bool goes_on(const carom_orders_options *o, long k)
{
    const int pause = 256;
    return !o->watch || k % pause != 0 ||
           o->watch->go_on(o->watch->self, "orders of impulses", (double)k / (double)o->samples);
}

carom_status carom_orders_explore(const carom_geometry *geometry,
                                  const carom_orders_options *options, carom_arena *arena,
                                  carom_orders *orders, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, orders);
    const size_t n = (size_t)geometry->impact->n, p = (size_t)geometry->impact->p;
    carom_status status = check(geometry, options, error);
    if (status)
        return status;
    *orders =
        (carom_orders){.low = carom_arena_zeros(arena, 2 * n + 2 * n * n + 1, sizeof(double))};
    search s = {.g = geometry, .options = options, .found = orders, .state = options->seed};
    s.order = carom_arena_array(arena, p + 1, sizeof *s.order);
    s.u = carom_arena_doubles(arena, n + 2 * n * n);
    if (!orders->low || !s.order || !s.u)
        return carom_error_memory(error);
    orders->high = orders->low + n;
    orders->extremes = orders->high + n;
    s.best = s.u + n;
    for (int trial = 0; trial < CAROM_TURN_ORDERS && carom_turn_order((int)p, trial, s.order);
         trial++)
        try_order(&s, s.order, 1);
    for (long k = 0; k < options->samples && s.work < MOST_WORK && goes_on(options, k); k++)
        try_order(&s, NULL, (double)(k % 4) / 3);
    gather(&s);
    return CAROM_OK;
}
