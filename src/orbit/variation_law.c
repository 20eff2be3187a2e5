/* The derivative of an impact on its active set (docs/theory/sensitivities.md, "Impacts"): contacts
 * with an impulse keep gamma+ = -e gamma-, those that stick v+ = -e_t v-, those that slide carry
 * mu times their impulse; the others have none. */
#include "orbit/variation_law.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"

/* What counts as zero beside the largest impulse or rate: laws are solved to a few roundings. */
static const double zero = CAROM_TOLERANCE_SAME;

/* What an impact says of its contacts. */
typedef enum verdict {
    KNOWN,   /* rows and targets are filled */
    UNKNOWN, /* the outcome does not have the form above */
} verdict;

/* A contact without an impulse, gamma+ + e gamma- = 0. */
typedef struct idle {
    int contact;
    double e;
} idle;

typedef struct reading {
    carom_variation *v;
    const carom_event_driven *e;
    const carom_law *law;
    double impulse, speed; /* the largest */
    double *e_n;           /* by slot of strike.rows: the coefficient of its row */
    int count;
    idle *idle; /* contacts without an impulse and without a velocity that is left */
    int idle_count;
    double *rest; /* k x idle_count: how the latter changes */
    int *edge;    /* contacts that stick at the edge of their cones */
    int edge_count;
} reading;

static const char *name_of(const carom_variation *v, int i, char *number)
{
    return carom_contact_name(v->shape->contacts, i, number);
}

/* Rate of a row with velocity u. */
static double rate(const carom_state *x, int n, carom_motion_row row, const double *u)
{
    const size_t at = (size_t)row.index * (size_t)n;
    return row.kind == CAROM_MOTION_NORMAL
               ? carom_dense_dot(n, x->W + at, u) + x->w_hat[row.index]
               : carom_dense_dot(n, x->H + at, u) + x->slip_motion[row.index];
}

/* The largest impulse, and the largest rate before or after. */
static void measure(reading *r)
{
    const carom_collide *c = &r->e->collide;
    const carom_state *x = &r->e->motion.state;
    r->impulse = r->speed = 0;
    for (int k = 0; k < c->count; k++) {
        const carom_motion_row row = {CAROM_MOTION_NORMAL, c->contacts[k]};
        r->impulse = fmax(r->impulse, fabs(c->impulse[k]));
        r->speed = fmax(r->speed, fabs(rate(x, r->v->n, row, c->before)));
        r->speed = fmax(r->speed, fabs(rate(x, r->v->n, row, x->u)));
    }
}

static void add_row(reading *r, carom_motion_kind kind, int index, double coefficient)
{
    r->v->strike.rows[r->count] = (carom_motion_row){kind, index};
    r->e_n[r->count++] = coefficient;
}

static void add_idle(reading *r, int contact, double e)
{
    r->idle[r->idle_count++] = (idle){contact, e};
}

/* A planar contact with friction and impulse: does it stick or slide? */
static verdict read_slip(reading *r, int contact, double impulse, double tangent, double e_t)
{
    carom_variation_point *s = &r->v->strike;
    const carom_state *x = &r->e->motion.state;
    const carom_contact *p = &r->v->shape->contacts[contact];
    const carom_motion_row row = {CAROM_MOTION_SLIP, r->v->shape->slip_start[contact]};
    const double before = rate(x, r->v->n, row, r->e->collide.before);
    const double after = rate(x, r->v->n, row, x->u);
    const double speed = fmax(r->speed, fmax(fabs(before), fabs(after)));
    const bool sticks = fabs(after + e_t * before) <= zero * speed;
    const double mu[2] = {p->friction_dynamic, p->friction_static};
    int full = -1;
    for (int l = 0; l < 2 && full < 0; l++)
        full = fabs(fabs(tangent) - mu[l] * impulse) <= zero * r->impulse ? l : -1;
    bool asked = false; /* friction that begins acts against a slip, and there is none */
    for (int j = 0; j < r->v->k && r->v->along->contacts; j++)
        asked = asked || r->v->along->contacts[j][contact].friction_static != 0;
    if (sticks && full >= 0 && (mu[full] > 0 || asked))
        return r->edge[r->edge_count++] = contact, KNOWN;
    if (sticks && mu[1] > 0)
        return add_row(r, CAROM_MOTION_SLIP, row.index, e_t), KNOWN;
    if (full < 0)
        return UNKNOWN;
    s->sliding[contact] = 1;
    s->mu[contact] = mu[full];
    s->direction[row.index] = after + e_t * before > 0 ? 1 : -1;
    for (int j = 0; j < r->v->k; j++) {
        const carom_contact *d = r->v->along->contacts ? &r->v->along->contacts[j][contact] : NULL;
        r->v->dmu[(size_t)contact + (size_t)j * (size_t)r->v->shape->p] = !d ? 0
                                                                          : full == 0
                                                                              ? d->friction_dynamic
                                                                              : d->friction_static;
    }
    return KNOWN;
}

static void refuse_edge(const reading *r, int contact)
{
    char number[16];
    carom_variation_refuse(r->v, r->e->t,
                           "impact at t = %.12g: contact %s is at the edge of law %s, its "
                           "impulse and what is left of its velocity vanish together",
                           r->e->t, name_of(r->v, contact, number), r->law->ops->name);
}

/* Does a direction change what a law makes its coefficients from in a way of its own? */
static bool follows_own(const reading *r, int contact, const carom_law_step *say)
{
    const carom_variation *v = r->v;
    bool any = false;
    for (int j = 0; j < v->k && v->along->contacts; j++) {
        const carom_contact *change = &v->along->contacts[j][contact];
        any = any || change->restitution != 0 || change->tangential_restitution != 0;
    }
    return any && say->whose == CAROM_COEFFICIENTS_OF_LAW;
}

/* What the law says of slot k of the collision. */
static verdict read_contact(reading *r, int k, int slip)
{
    const carom_collide *c = &r->e->collide;
    const int i = c->contacts[k];
    const carom_contact *p = &r->v->shape->contacts[i];
    const carom_law *law = p->law ? p->law : r->law;
    const carom_motion_row row = {CAROM_MOTION_NORMAL, i};
    carom_law_step step;
    if (!law->ops->step || !law->ops->step(law, p, &step) || follows_own(r, i, &step))
        return UNKNOWN;
    const double before = rate(&r->e->motion.state, r->v->n, row, c->before);
    const double after = rate(&r->e->motion.state, r->v->n, row, r->e->motion.state.u);
    const double excess = after + step.restitution * before;
    const bool bears = fabs(c->impulse[k]) > zero * r->impulse;
    if (!bears)
        return excess > zero * r->speed          ? KNOWN
               : fabs(excess) <= zero * r->speed ? (add_idle(r, i, step.restitution), KNOWN)
                                                 : UNKNOWN;
    if (fabs(excess) > zero * r->speed)
        return UNKNOWN;
    add_row(r, CAROM_MOTION_NORMAL, i, step.restitution);
    if (!step.rough || p->slip_count == 0)
        return KNOWN;
    if (p->slip_count > 1)
        return UNKNOWN;
    return read_slip(r, i, c->impulse[k], c->tangent[slip], step.tangential);
}

static verdict read_outcome(reading *r)
{
    const carom_collide *c = &r->e->collide;
    verdict all = KNOWN;
    int slip = 0;
    memset(r->v->strike.sliding, 0, (size_t)r->v->shape->p);
    r->count = r->idle_count = r->edge_count = 0;
    measure(r);
    for (int k = 0; k < c->count && all == KNOWN; k++) {
        all = read_contact(r, k, slip);
        slip += r->v->shape->contacts[c->contacts[k]].slip_count;
    }
    for (int j = 0; j < r->v->shape->m; j++)
        add_row(r, CAROM_MOTION_JOINT, j, 0);
    for (int j = 0; j < r->v->shape->a; j++)
        add_row(r, CAROM_MOTION_ROLLING, j, 0);
    return all;
}

/* How the coefficient of a row changes: as the contact's own, where the law takes that. */
static double coefficient_change(const reading *r, carom_motion_row row, int column)
{
    const carom_variation *v = r->v;
    int i = row.index;
    if (!v->along->contacts || row.kind > CAROM_MOTION_SLIP)
        return 0;
    if (row.kind == CAROM_MOTION_SLIP)
        for (i = 0; v->shape->slip_start[i + 1] <= row.index;)
            i++;
    const carom_contact *contact = &v->shape->contacts[i], *change = &v->along->contacts[column][i];
    const carom_law *law = contact->law ? contact->law : r->law;
    carom_law_step say;
    if (!law->ops->step(law, contact, &say) || say.whose != CAROM_COEFFICIENTS_OF_CONTACT)
        return 0;
    return row.kind == CAROM_MOTION_NORMAL ? change->restitution : change->tangential_restitution;
}

/* Targets: r'u+ + hat = -e (r'u- + hat), differentiated. */
static carom_status fill_targets(const reading *r, double *target, carom_error *error)
{
    carom_variation *v = r->v;
    carom_variation_point *s = &v->strike;
    const carom_collide *c = &r->e->collide;
    const size_t n = (size_t)v->n;
    carom_status status = carom_variation_strike_rates(v, &r->e->motion.state, c->before, error);
    for (int j = 0; j < v->k && status == CAROM_OK; j++)
        for (int k = 0; k < s->r; k++) {
            const carom_motion_row row = s->rows[k];
            double *to = &target[(size_t)k + (size_t)j * (size_t)s->r];
            *to = 0;
            if (row.kind > CAROM_MOTION_SLIP)
                continue;
            const double change =
                carom_variation_strike_rate(v, row, j) +
                carom_dense_dot(v->n, carom_variation_point_row(s, row), v->du + (size_t)j * n);
            *to = -r->e_n[k] * change -
                  coefficient_change(r, row, j) * rate(&s->state, v->n, row, c->before);
        }
    return status;
}

/* How the rate of an idle contact changes in direction j, at the velocity of the last
 * carom_variation_strike_rates. */
static double idle_change(const reading *r, const idle *x, int j)
{
    const carom_variation *v = r->v;
    const size_t n = (size_t)v->n;
    return carom_variation_strike_rate(v, (carom_motion_row){CAROM_MOTION_NORMAL, x->contact}, j) +
           carom_dense_dot(v->n, r->e->motion.state.W + (size_t)x->contact * n,
                           v->du + (size_t)j * n);
}

/* Before the impact: d(e gamma-). */
static void open_idle(reading *r)
{
    const carom_collide *c = &r->e->collide;
    for (int i = 0; i < r->idle_count; i++)
        for (int j = 0; j < r->v->k; j++) {
            const carom_motion_row row = {CAROM_MOTION_NORMAL, r->idle[i].contact};
            r->rest[j + i * r->v->k] =
                r->idle[i].e * idle_change(r, &r->idle[i], j) +
                coefficient_change(r, row, j) * rate(&r->e->motion.state, r->v->n, row, c->before);
        }
}

/* After it: an idle contact stays so in neighbouring motions if d(gamma+ + e gamma-) = 0, whichever
 * side of its boundary it is taken on; else there is a kink. */
static carom_status close_idle(reading *r, carom_error *error)
{
    carom_variation *v = r->v;
    const carom_state *x = &r->e->motion.state;
    carom_status status = CAROM_OK;
    if (r->idle_count > 0)
        status = carom_variation_strike_rates(v, x, x->u, error);
    for (int i = 0; i < r->idle_count && status == CAROM_OK; i++)
        for (int j = 0; j < v->k; j++) {
            const size_t n = (size_t)v->n, at = (size_t)r->idle[i].contact * n;
            const double change = idle_change(r, &r->idle[i], j);
            const double w = carom_dense_max(v->n, x->W + at);
            const double size =
                fmax(fabs(change), w * carom_dense_max(v->n, v->du + (size_t)j * n));
            if (fabs(r->rest[j + i * v->k] + change) >
                fmax(zero * size, w * carom_variation_error(v, r->e, j)))
                refuse_edge(r, r->idle[i].contact);
        }
    return status;
}

/* Do the rows of contacts at the edge of their cones follow from the others? Then it does not
 * matter how friction is shared, and differences tell whether there is a kink. */
static bool edges_follow(reading *r)
{
    const int rank = carom_variation_strike_choose(r->v, r->e, r->count), all = r->count;
    for (int k = 0; k < r->edge_count; k++)
        add_row(r, CAROM_MOTION_SLIP, r->v->shape->slip_start[r->edge[k]], 0);
    const bool follow = carom_variation_strike_choose(r->v, r->e, r->count) == rank;
    r->count = all;
    return follow;
}

/* The law's derivative on its active set, else by differences. */
static carom_status differentiate(carom_variation *v, const carom_event_driven *e,
                                  carom_error *error)
{
    const carom_collide *c = &e->collide;
    const carom_law *own = c->count == 1 ? v->shape->contacts[c->contacts[0]].law : NULL;
    const carom_law calm = {.ops = carom_law_find("inelastic")};
    reading r = {.v = v, .e = e, .law = c->calm ? &calm : own ? own : c->law};
    if (c->calm && c->law->ops->frictional)
        carom_variation_refuse(v, e->t,
                               "impacts at t = %.12g have no end: derivatives of their limit are "
                               "known without friction only",
                               e->t);
    carom_mark mark = carom_arena_mark(v->scratch);
    r.e_n = carom_arena_zeros(v->scratch,
                              (size_t)(v->shape->p + v->shape->s + v->shape->m + v->shape->a) + 1,
                              sizeof(double));
    r.idle = carom_arena_array(v->scratch, (size_t)c->count + 1, sizeof *r.idle);
    r.rest = carom_arena_zeros(v->scratch, (size_t)(c->count * v->k) + 1, sizeof(double));
    r.edge = carom_arena_array(v->scratch, (size_t)c->count + 1, sizeof *r.edge);
    if (!r.e_n || !r.idle || !r.rest || !r.edge)
        return carom_error_memory(error);
    verdict all = read_outcome(&r);
    if (r.edge_count > 0 && !edges_follow(&r))
        refuse_edge(&r, r.edge[0]);
    if (r.edge_count > 0)
        all = UNKNOWN;
    carom_status status;
    if (all == KNOWN && carom_variation_strike_choose(v, e, r.count) == r.count) {
        status = fill_targets(&r, v->strike.dx, error);
        open_idle(&r);
        if (status == CAROM_OK)
            status = carom_variation_strike(v, e, c->before, v->strike.dx, error);
        if (status == CAROM_OK)
            status = close_idle(&r, error);
    } else {
        status = carom_variation_law_difference(v, e, r.law, error);
    }
    carom_arena_rewind(v->scratch, mark);
    return status;
}

/* The instants of impacts and their shifts, the latest first. */
static void remember(carom_variation *v, double t)
{
    const size_t k = (size_t)v->k;
    memmove(v->instant + 1, v->instant, sizeof(double) * (CAROM_VARIATION_MEMORY - 1));
    memmove(v->shift + k, v->shift, sizeof(double) * (CAROM_VARIATION_MEMORY - 1) * k);
    v->instant[0] = t;
    memcpy(v->shift, v->dt, sizeof(double) * k);
    v->memory += v->memory < CAROM_VARIATION_MEMORY;
}

carom_status carom_variation_law_impact(void *self, const carom_event_driven *e, carom_error *error)
{
    carom_variation *v = self;
    if (!v->told->exists)
        return CAROM_OK; /* nothing is left to follow */
    const size_t n = (size_t)v->n;
    carom_variation_event_arrive(v);
    carom_status status = carom_variation_closing_check(v, e, error);
    v->told->events += v->moved;
    v->moved = true;
    remember(v, e->t);
    memcpy(v->ratio.before, v->du, n * (size_t)v->k * sizeof(double));
    if (status == CAROM_OK)
        status = differentiate(v, e, error);
    if (status == CAROM_OK && v->told->exists)
        status = carom_variation_ratio_find(v, e, error);
    for (size_t j = 0; j < (size_t)v->k; j++) {
        memcpy(v->X + 2 * j * n, v->dq + j * n, n * sizeof(double));
        memcpy(v->X + (2 * j + 1) * n, v->du + j * n, n * sizeof(double));
    }
    return carom_variation_pass(v, e->t, status, error);
}
