/* The derivative of a law that is known by its outcomes only: the data of the impact are moved
 * along each direction, and central differences of the jump of the velocity are extrapolated to
 * step zero. The motion is not repeated; the law is a function of a few numbers, solved to a few
 * roundings, so that some ten digits come out. Where left and right differ there is a kink, and no
 * derivative. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "impact/predicate.h"
#include "linalg/dense.h"
#include "orbit/variation_law.h"

/* First relative step, its division from level to level, and levels. */
static const double first_step = 0.001;
enum { DIVISION = 4, LEVELS = 7 };

/* One-sided differences that differ by more of themselves, and by more than the law's outcomes err,
 * at the last level are a kink. */
static const double kink = 0.01;

/* The numbers of an impact side by side: M, W, w_hat, H, slip_motion, B, b_hat, A, a_hat, u. */
typedef struct data {
    size_t size;
    size_t M, W, w_hat, H, slip, B, b_hat, A, a_hat, u; /* where each begins */
    double *base;                                       /* size */
    double *change;                                     /* size x k */
    double *now;                                        /* size: base + h change */
    carom_contact *contacts;                            /* of the impact, as they are now */
    int s;                                              /* slip columns */
} data;

typedef struct quotient {
    carom_variation *v;
    const carom_event_driven *e;
    const carom_law *law;
    data d;
    bool failed;               /* the law has no answer nearby */
    double *u0, *plus, *minus; /* n */
    double *table;             /* LEVELS x n: central quotients, then extrapolated */
} quotient;

static void lay_out(quotient *t)
{
    const carom_system_shape *shape = t->v->shape;
    const carom_collide *c = &t->e->collide;
    const size_t n = (size_t)shape->n, p = (size_t)c->count;
    data *d = &t->d;
    d->s = 0;
    for (int k = 0; k < c->count; k++)
        d->s += shape->contacts[c->contacts[k]].slip_count;
    const size_t s = (size_t)d->s, m = (size_t)shape->m, a = (size_t)shape->a;
    size_t *const starts[] = {&d->M, &d->W,     &d->w_hat, &d->H,     &d->slip,
                              &d->B, &d->b_hat, &d->A,     &d->a_hat, &d->u};
    const size_t sizes[] = {
        shape->mass_is_diagonal ? n : n * n, n * p, p, n * s, s, n * m, m, n * a, a, n};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *starts[i] = d->size;
        d->size += sizes[i];
    }
}

/* The impact as it is, velocities before it. */
static void fill_base(quotient *t)
{
    const carom_system_shape *shape = t->v->shape;
    const carom_state *x = &t->e->motion.state;
    const carom_collide *c = &t->e->collide;
    const size_t n = (size_t)shape->n, m = (size_t)shape->m, a = (size_t)shape->a;
    data *d = &t->d;
    size_t s = 0;
    memcpy(d->base + d->M, x->M, sizeof(double) * (d->W - d->M));
    for (size_t k = 0; k < (size_t)c->count; k++) {
        const size_t i = (size_t)c->contacts[k];
        memcpy(d->base + d->W + k * n, x->W + i * n, sizeof(double) * n);
        d->base[d->w_hat + k] = x->w_hat[i];
        for (int j = shape->slip_start[i]; j < shape->slip_start[i + 1]; j++, s++) {
            memcpy(d->base + d->H + s * n, x->H + (size_t)j * n, sizeof(double) * n);
            d->base[d->slip + s] = x->slip_motion[j];
        }
    }
    memcpy(d->base + d->B, x->B, sizeof(double) * n * m);
    memcpy(d->base + d->b_hat, x->b_hat, sizeof(double) * m);
    memcpy(d->base + d->A, x->A, sizeof(double) * n * a);
    memcpy(d->base + d->a_hat, x->a_hat, sizeof(double) * a);
    memcpy(d->base + d->u, c->before, sizeof(double) * n);
}

/* Row i of all matrices, in all directions: products with the unit vector i. */
static void fill_row(quotient *t, size_t i, const double *unit)
{
    carom_variation *v = t->v;
    carom_variation_point *w = &v->strike;
    const carom_system_shape *shape = v->shape;
    const carom_collide *c = &t->e->collide;
    const size_t n = (size_t)shape->n, p = (size_t)shape->p;
    data *d = &t->d;
    carom_tangents tangents = {.x = unit,
                               .Mx = w->Mx,
                               .Wx = w->normal,
                               .w_hat = w->normal_bias,
                               .Hx = w->slip,
                               .slip_motion = w->slip_bias,
                               .Bx = w->held,
                               .b_hat = w->held_bias,
                               .Ax = w->rolls,
                               .a_hat = w->rolls_bias};
    carom_system_tangents(v->system, &tangents);
    for (size_t j = 0; j < (size_t)v->k; j++) {
        double *to = d->change + j * d->size;
        size_t s = 0;
        if (shape->mass_is_diagonal)
            to[d->M + i] = w->Mx[i + j * n];
        else
            memcpy(to + d->M + i * n, w->Mx + j * n, sizeof(double) * n);
        for (size_t k = 0; k < (size_t)c->count; k++) {
            const size_t contact = (size_t)c->contacts[k];
            to[d->W + i + k * n] = w->normal[contact + j * p];
            to[d->w_hat + k] = w->normal_bias[contact + j * p];
            for (int l = shape->slip_start[contact]; l < shape->slip_start[contact + 1]; l++, s++) {
                to[d->H + i + s * n] = w->slip[(size_t)l + j * (size_t)shape->s];
                to[d->slip + s] = w->slip_bias[(size_t)l + j * (size_t)shape->s];
            }
        }
        for (size_t l = 0; l < (size_t)shape->m; l++) {
            to[d->B + i + l * n] = w->held[l + j * (size_t)shape->m];
            to[d->b_hat + l] = w->held_bias[l + j * (size_t)shape->m];
        }
        for (size_t l = 0; l < (size_t)shape->a; l++) {
            to[d->A + i + l * n] = w->rolls[l + j * (size_t)shape->a];
            to[d->a_hat + l] = w->rolls_bias[l + j * (size_t)shape->a];
        }
        to[d->u + i] = v->du[i + j * n];
    }
}

static carom_status fill_changes(quotient *t, double *unit, carom_error *error)
{
    carom_variation *v = t->v;
    const carom_directions along = carom_variation_directions(v);
    carom_status status = carom_system_differentiate(
        v->system, CAROM_WANT_MASS | CAROM_WANT_NORMALS | CAROM_WANT_SLIPS | CAROM_WANT_JOINTS,
        &t->e->motion.state, &along, error);
    for (size_t i = 0; i < (size_t)v->n && status == CAROM_OK; i++) {
        memset(unit, 0, sizeof(double) * (size_t)v->n);
        unit[i] = 1;
        fill_row(t, i, unit);
    }
    return status;
}

/* A sum of products and the sum of their magnitudes. */
typedef struct sum {
    double value, size;
} sum;

static sum add_products(sum to, size_t n, const double *x, const double *y)
{
    for (size_t i = 0; i < n; i++) {
        to.value += x[i] * y[i];
        to.size += fabs(x[i] * y[i]);
    }
    return to;
}

/* Zero where nothing but the rounding that velocities carry is left. */
static double clear(sum x)
{
    return fabs(x.value) > CAROM_PREDICATE_REST * x.size ? x.value : 0;
}

/* The rate of one row, r'u + r_hat, and its changes in place of r_hat. At or below `rest` the
 * motion takes it as zero: a step that is a part of a rate which is rounding would find nothing but
 * rounding. */
static void take_rate(quotient *t, size_t row, size_t hat, double rest)
{
    data *d = &t->d;
    const size_t n = (size_t)t->v->n;
    const double *r = d->base + row, *u = d->base + d->u, still = d->base[hat];
    const double all = clear(add_products((sum){still, fabs(still)}, n, r, u));
    const double rate = fabs(all) > rest ? all : 0;
    d->base[hat] = rate;
    for (size_t j = 0; j < (size_t)t->v->k; j++) {
        double *change = d->change + j * d->size;
        sum x = {change[hat], fabs(change[hat])};
        x = add_products(add_products(x, n, change + row, u), n, r, change + d->u);
        change[hat] = rate != 0 ? x.value : clear(x);
    }
}

/* Laws know velocities by their rates only. In the frame that moves with u- the rates are the
 * motions of the walls, they change linearly, and the velocity after the impact is its jump: as
 * sharp in an impact of 1e-8 m/s as in one of 1 m/s. A product (W + h dW)'(u + h du) would lose
 * digits to the size of u, and its term of h^2 would let contacts that stay closed approach on both
 * sides. */
static void move_with_body(quotient *t)
{
    data *d = &t->d;
    const size_t n = (size_t)t->v->n;
    const carom_collide *c = &t->e->collide;
    size_t slip = 0;
    for (size_t k = 0; k < (size_t)c->count; k++) {
        const int i = c->contacts[k], *first = t->v->shape->slip_start + i;
        take_rate(t, d->W + k * n, d->w_hat + k, t->e->slow[i]);
        for (int l = first[0]; l < first[1]; l++, slip++)
            take_rate(t, d->H + slip * n, d->slip + slip, t->e->slow[i]);
    }
    for (size_t i = 0; i < d->A - d->b_hat; i++)
        take_rate(t, d->B + i * n, d->b_hat + i, 0);
    for (size_t i = 0; i < d->u - d->a_hat; i++)
        take_rate(t, d->A + i * n, d->a_hat + i, 0);
    memset(d->base + d->u, 0, sizeof(double) * n);
    for (size_t j = 0; j < (size_t)t->v->k; j++)
        memset(d->change + j * d->size + d->u, 0, sizeof(double) * n);
}

/* Coefficients of the contacts at h along direction j. */
static void move_contacts(quotient *t, int j, double h)
{
    const carom_collide *c = &t->e->collide;
    for (int k = 0; k < c->count; k++) {
        const int i = c->contacts[k];
        carom_contact *to = &t->d.contacts[k];
        *to = t->v->shape->contacts[i];
        if (!t->v->along->contacts)
            continue;
        const carom_contact *d = &t->v->along->contacts[j][i];
        to->restitution += h * d->restitution;
        to->friction_static += h * d->friction_static;
        to->friction_dynamic += h * d->friction_dynamic;
        to->tangential_restitution += h * d->tangential_restitution;
        to->stiffness += h * d->stiffness;
        to->exponent += h * d->exponent;
    }
}

/* The jump of the velocity with data at h along direction j. */
static carom_status apply(quotient *t, int j, double h, double *u, carom_error *error)
{
    const carom_system_shape *shape = t->v->shape;
    data *d = &t->d;
    for (size_t i = 0; i < d->size; i++)
        d->now[i] = d->base[i] + h * d->change[i + (size_t)j * d->size];
    move_contacts(t, j, h);
    const carom_impact impact = {.flags = CAROM_IMPACT_ANY_RESTITUTION,
                                 .n = shape->n,
                                 .p = t->e->collide.count,
                                 .m = shape->m,
                                 .a = shape->a,
                                 .mass_is_diagonal = shape->mass_is_diagonal,
                                 .M = d->now + d->M,
                                 .u = d->now + d->u,
                                 .W = d->now + d->W,
                                 .w_hat = d->now + d->w_hat,
                                 .contacts = d->contacts,
                                 .H = d->now + d->H,
                                 .slip_motion = d->now + d->slip,
                                 .B = d->now + d->B,
                                 .b_hat = d->now + d->b_hat,
                                 .A = d->now + d->A,
                                 .a_hat = d->now + d->a_hat};
    carom_geometry geometry;
    carom_outcome outcome;
    carom_mark mark = carom_arena_mark(t->v->scratch);
    carom_status status = carom_impact_derive(&impact, t->v->scratch, &geometry, error);
    if (status == CAROM_OK)
        status = carom_law_apply(t->law, &geometry, t->v->scratch, &outcome, error);
    const bool answered = status == CAROM_OK && (outcome.answer == CAROM_ANSWER_OK ||
                                                 outcome.answer == CAROM_ANSWER_SEVERAL);
    if (answered)
        memcpy(u, outcome.u, sizeof(double) * (size_t)shape->n);
    carom_arena_rewind(t->v->scratch, mark);
    t->failed = t->failed || !answered;
    return status == CAROM_ERROR_MEMORY ? status : CAROM_OK;
}

/* A step along direction j that changes no part of the data by more than `first_step` of it. */
static double choose_step(const quotient *t, int j)
{
    const data *d = &t->d;
    const size_t starts[] = {d->M,     d->W, d->w_hat, d->H, d->slip, d->B,
                             d->b_hat, d->A, d->a_hat, d->u, d->size};
    double most = 0;
    for (int part = 0; part < 10; part++) {
        double size = 0, move = 0;
        for (size_t i = starts[part]; i < starts[part + 1]; i++) {
            size = fmax(size, fabs(d->base[i]));
            move = fmax(move, fabs(d->change[i + (size_t)j * d->size]));
        }
        if (size > 0)
            most = fmax(most, move / size);
        else if (move > 0)
            most = fmax(most, move);
    }
    for (int k = 0; k < t->e->collide.count && t->v->along->contacts; k++) {
        const carom_contact *c = &t->v->along->contacts[j][t->e->collide.contacts[k]];
        most = fmax(most, fabs(c->restitution));
        most = fmax(most, fabs(c->friction_static) + fabs(c->friction_dynamic));
        most = fmax(most, fabs(c->tangential_restitution));
    }
    return most > 0 ? first_step / most : 0;
}

/* The derivative of the jump along direction j, from extrapolated central differences, into out. */
static carom_status derive(quotient *t, int j, double *out, carom_error *error)
{
    const size_t n = (size_t)t->v->n;
    const double weight = 1.0 / (DIVISION * DIVISION - 1);
    double h = choose_step(t, j), best = INFINITY, doubt = 0, bend = 0, size = 0;
    bool bends = false, bent = false; /* this level, and the one before */
    memset(out, 0, sizeof(double) * n);
    if (h == 0)
        return CAROM_OK;
    carom_status status = apply(t, j, 0, t->u0, error);
    for (int level = 0; level < LEVELS && status == CAROM_OK; level++, h /= DIVISION) {
        double *row = t->table + (size_t)level * n, off = 0;
        status = apply(t, j, h, t->plus, error);
        if (status == CAROM_OK)
            status = apply(t, j, -h, t->minus, error);
        bend = size = 0;
        for (size_t i = 0; i < n && !t->failed; i++) {
            row[i] = (t->plus[i] - t->minus[i]) / (2 * h);
            bend = fmax(bend, fabs(t->plus[i] - 2 * t->u0[i] + t->minus[i]) / h);
            size = fmax(size, fabs(t->plus[i] - t->u0[i]) / h);
            size = fmax(size, fabs(t->minus[i] - t->u0[i]) / h);
            if (level > 0)
                off = fmax(off, fabs(row[i] - row[i - n]));
        }
        bends =
            bend > fmax(kink * size, CAROM_TOLERANCE_REFINED * carom_dense_max((int)n, t->u0) / h);
        const bool left = bent;
        bent = bends; /* outcomes of another branch: what is nearer may be of this one */
        if (level == 0 || bends || left || !(off < best))
            continue;
        best = off;
        doubt = off + CAROM_TOLERANCE_REFINED * carom_dense_max((int)n, t->u0) / h;
        for (size_t i = 0; i < n; i++)
            out[i] = row[i] + weight * (row[i] - row[i - n]);
    }
    t->v->doubt[j] = fmax(t->v->doubt[j], doubt);
    if (!t->failed && (bends || best == INFINITY))
        carom_variation_refuse(t->v, t->e->t,
                               "impact at t = %.12g: law %s has a kink there, its derivatives from "
                               "both sides differ",
                               t->e->t, t->law->ops->name);
    return status;
}

static bool create(quotient *t)
{
    carom_arena *arena = t->v->scratch;
    const size_t n = (size_t)t->v->n, k = (size_t)t->v->k;
    lay_out(t);
    double *x = carom_arena_zeros(arena, t->d.size * (k + 2) + n * (3 + LEVELS), sizeof(double));
    t->d.contacts = carom_arena_array(arena, (size_t)t->e->collide.count, sizeof *t->d.contacts);
    if (!x || !t->d.contacts)
        return false;
    t->d.base = x;
    t->d.now = x += t->d.size;
    t->d.change = x += t->d.size;
    t->u0 = x += t->d.size * k;
    t->plus = x += n;
    t->minus = x += n;
    t->table = x + n;
    return true;
}

carom_status carom_variation_law_difference(carom_variation *v, const carom_event_driven *e,
                                            const carom_law *law, carom_error *error)
{
    quotient t = {.v = v, .e = e, .law = law};
    carom_mark mark = carom_arena_mark(v->scratch);
    if (!create(&t))
        return carom_error_memory(error);
    fill_base(&t);
    carom_status status = fill_changes(&t, t.u0, error);
    move_with_body(&t);
    for (int j = 0; j < v->k && status == CAROM_OK; j++)
        status = derive(&t, j, v->work + (size_t)j * (size_t)v->n, error);
    if (t.failed)
        carom_variation_refuse(v, e->t,
                               "impact at t = %.12g: law %s has no outcome for data nearby, or "
                               "none that could be found",
                               e->t, law->ops->name);
    if (status == CAROM_OK)
        carom_dense_axpy(v->n * v->k, 1, v->work, v->du);
    carom_arena_rewind(v->scratch, mark);
    return status;
}
