/* The three verdicts: everything that is said about an outcome is recomputed here from u+ and the
 * impulses, without trusting the law (docs/theory/impact.md).
 *
 * Every comparison is made in units of the quantities compared (impact/predicate.h): velocities of
 * a contact with the terms they are sums of, impulses with those that would stop such velocities,
 * energies with the works of the impulses. Where large impulses cancel in the momentum of a light
 * body, their rounding is forgiven there, and nowhere else. */
#include "base/larger.h"
#include "carom/need.h"
#include "impact/predicate.h"
#include "impact/response.h"
#include "impact/velocity.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "base/short_loops.h"

/* Impulses come out of a solver: their rounding is that of a few hundred operations. */
static const double ROUNDING = CAROM_TOLERANCE_REFINED;

/* What the judges share, n numbers each. */
typedef struct bench {
    double *r;     /* what the impulses leave of M(u+ - u-) */
    double *size;  /* |u-| + |u+|, and what the joints made of u- */
    double *gross; /* |w L| + |h l_T| + ...: sizes of the momenta that impulses bring */
    double *work;  /* n + c */
} bench;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* r -= A x, gross += |A| |x| for the columns of A from first to last - 1 in each. */
static void subtract(int n, const double *A, int count, const double *x, bench *b)
{
    for (int j = 0; j < count; j++, A += n)
        if (x[j] != 0)
            for (int i = 0; i < n; i++) {
                double term = A[i] * x[j];
                b->r[i] -= term;
                b->gross[i] += fabs(term);
            }
}

static void subtract_normals(const carom_geometry *g, const double *impulse, bench *b)
{
    const double *w = g->impact->W;
    for (int i = 0, p = g->impact->p, n = g->impact->n; i < p; i++, w += n)
        if (impulse[i] != 0)
            for (int k = g->first[i], end = g->last[i]; k < end; k++) {
                double term = w[k] * impulse[i];
                b->r[k] -= term;
                b->gross[k] += fabs(term);
            }
}

/* r = M(u+ - u-) - W L - H l_T - spread eta - C beta with the joint impulses that fit best, and the
 * sizes of what it is made of. */
static void find_misfit(const carom_geometry *g, carom_outcome *o, bench *b)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    for (int i = 0; i < n; i++) {
        b->work[i] = o->u[i] - impact->u[i];
        b->size[i] = fabs(o->u[i]) + fabs(impact->u[i]);
        if (g->joint_error > 0) /* the joints close first */
            b->size[i] += fabs(g->u[i]);
        b->gross[i] = 0;
        b->r[i] = impact->mass_is_diagonal ? impact->M[i] * b->work[i] : 0;
    }
    if (!impact->mass_is_diagonal)
        carom_geometry_mass(g, b->work, b->r);
    subtract_normals(g, o->impulse, b);
    subtract(n, impact->H, g->s, o->tangential_impulse, b);
    subtract(n, impact->spread, g->spread_start[impact->p], o->spread_impulse, b);
    if (g->c) {
        carom_geometry_joint_impulses(g, b->r, o->joint_impulse, b->work);
        subtract(n, g->C, g->c, o->joint_impulse, b);
    }
}

/* A contact's normal is a unit vector and known to rounding of its length: where it is all but at
 * right angles to a coordinate, w_k = n.J_k is a sum whose terms cancel. |J_k| is what the slip
 * rows t.J_k show of it, and the momenta that cancel there are |J_k| L. */
static void add_directions(const carom_geometry *g, const carom_outcome *o, bench *b)
{
    int n = g->impact->n;
    for (int i = 0; i < g->impact->p; i++)
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1] && o->impulse[i] != 0; j++)
            for (int k = 0; k < n; k++)
                b->gross[k] += fabs(g->impact->H[k + (size_t)j * (size_t)n] * o->impulse[i]);
}

/* What rounding of velocities makes of the impulses of the joints: these take up what it leaves of
 * C_j'u + c_hat_j, that is of the terms of that sum, also where the contacts do not move the joints
 * at all (C'M^-1 W = 0). A coordinate that joints alone move carries nothing else then. A velocity
 * v of joint j alone is taken up by the momenta C (C'M^-1 C)^-1 e_j v, C'M^-1 C = R'R. */
static void add_joint_rounding(const carom_geometry *g, bench *b)
{
    const carom_response *r = g->joints;
    int n = g->impact->n, held = r ? r->basis.k : 0;
    double *x = b->work;
    for (int j = 0; j < held; j++) {
        double size = fabs(g->c_hat[r->number[j]]);
        for (int k = 0; k < n; k++)
            size += fabs(r->row[j][k]) * b->size[k];
        for (int i = 0; i < held; i++)
            x[i] = i == j;
        carom_basis_solve_t(&r->basis, x);
        carom_basis_solve(&r->basis, x);
        for (int k = 0; k < n; k++) {
            double momentum = 0;
            for (int i = 0; i < held; i++)
                momentum += r->row[i][k] * x[i];
            b->gross[k] += fabs(momentum) * size;
        }
    }
}

/* What rounding of velocities makes of the impulses: contact by contact the impulse that stops the
 * size of its velocities, in the coordinates that it moves; and dust, in every coordinate that a
 * row reads, of the fastest term of all rows. */
static void add_rounding(const carom_geometry *g, bench *b)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    const double *w = impact->W;
    for (int i = 0; i < impact->p; i++, w += n) {
        double D = g->norm[i] * g->norm[i];
        double stop = D > 0 ? carom_predicate_normal_size(g, i, b->size) / D : 0;
        for (int k = g->first[i]; k < g->last[i]; k++)
            b->gross[k] += fabs(w[k]) * stop;
    }
    for (int k = 0; k < n; k++) {
        double unit = 0;
        for (int i = 0; i < impact->p; i++)
            unit = fmax(unit, fabs(impact->W[k + (size_t)i * n]));
        for (int j = 0; j < g->s; j++)
            unit = fmax(unit, fabs(impact->H[k + (size_t)j * n]));
        for (int j = 0; j < g->spread_start[impact->p]; j++)
            unit = fmax(unit, fabs(impact->spread[k + (size_t)j * n]));
        b->size[k] += unit > 0 ? carom_predicate_dust(g, 1) / unit / CAROM_VERDICT_TOLERANCE : 0;
    }
}

/* The largest entry of r in units of what is allowed. */
static double judge_momentum(const carom_geometry *g, const bench *b)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    double worst = 0;
    for (int k = 0; k < n; k++) {
        if (b->r[k] == 0)
            continue;
        double momentum = impact->mass_is_diagonal ? impact->M[k] * b->size[k] : 0;
        for (int i = 0; i < n && !impact->mass_is_diagonal; i++)
            momentum += fabs(impact->M[i + (size_t)k * n]) * b->size[i];
        double allowed = CAROM_VERDICT_TOLERANCE * momentum + ROUNDING * b->gross[k];
        worst = larger(worst, allowed > 0 ? fabs(b->r[k]) / allowed : INFINITY);
        if (isnan(b->r[k]))
            return INFINITY;
    }
    return worst;
}

/* |r| in the metric M^-1, relative to the speed: r'M^-1 r = |L^-1 r|^2. */
static double momentum_error(const carom_geometry *g, bench *b)
{
    int n = g->impact->n;
    double squared = 0;
    if (!g->impact->mass_is_diagonal)
        carom_cholesky_forward(n, g->L, n, b->r);
    for (int i = 0; i < n; i++) {
        if (b->r[i] == 0) /* exactly: often, where masses are diagonal */
            continue;
        double x = g->impact->mass_is_diagonal ? b->r[i] / g->L[i] : b->r[i];
        squared += x * x;
    }
    return squared == 0 ? 0 : g->speed > 0 ? sqrt(squared) / g->speed : sqrt(squared);
}

/* |w_i|'x + |w_hat_i|, for a second-order cone also |A_i|'x. */
static double contact_size(const carom_geometry *g, int i, const double *x)
{
    double size = carom_predicate_normal_size(g, i, x);
    for (int j = g->spread_start[i]; j < g->spread_start[i + 1]; j++) {
        const double *a = g->impact->spread + (size_t)j * (size_t)g->impact->n;
        for (int k = 0; k < g->impact->n; k++)
            size += fabs(a[k]) * x[k];
    }
    return size;
}

/* What a velocity of contact i may be below zero: 1e-9 of the terms it is made of, and dust. */
static double forgiven(const carom_geometry *g, const bench *b, int i)
{
    return CAROM_VERDICT_TOLERANCE * contact_size(g, i, b->size) +
           carom_predicate_dust(g, g->last[i] - g->first[i]);
}

/* w.u + w_hat >= 0, for a second-order cone >= |A u|. */
static bool holds_velocity(const carom_geometry *g, const carom_outcome *o, const bench *b, int i,
                           double *velocity)
{
    *velocity = o->gamma[i];
    if (g->spread_start[i] < g->spread_start[i + 1])
        *velocity -= carom_predicate_spread(g, i, o->u);
    return *velocity >= 0 || *velocity >= -forgiven(g, b, i);
}

/* Some group of the region has all its contacts satisfied. */
static bool holds_region(const carom_geometry *g, const carom_outcome *o, const bench *b)
{
    const carom_region *region = g->impact->region;
    for (int k = 0; k < region->group_count; k++) {
        bool all = true;
        double velocity;
        for (int j = region->group_start[k]; j < region->group_start[k + 1]; j++)
            all = all && holds_velocity(g, o, b, region->group_contact[j], &velocity);
        if (all)
            return true;
    }
    return false;
}

static void judge_kinematic(const carom_geometry *g, const bench *b, carom_outcome *o)
{
    bool all = true;
    double least = g->impact->p ? INFINITY : 0;
    for (int i = 0; i < g->impact->p; i++) {
        double velocity;
        bool holds = holds_velocity(g, o, b, i, &velocity);
        all = all && holds;
        least = smaller(velocity, least);
    }
    o->verdict.least_velocity = least;
    o->verdict.kinematic = g->impact->region ? holds_region(g, o, b) : all;
}

static double length(int first, int last, const double *x)
{
    double squared = 0;
    if (first == last)
        return 0;
    for (int j = first; j < last; j++)
        squared += x[j] * x[j];
    return squared > 0 ? sqrt(squared) : squared;
}

/* L_i >= 0 and |l_T,i| <= mu_i L_i, |eta_i| <= L_i; an impulse that stops what is forgiven of a
 * velocity is forgiven too. */
static void judge_kinetic(const carom_geometry *g, const bench *b, carom_outcome *o)
{
    bool all = true;
    const bool smooth = g->s == 0 && g->spread_start[g->impact->p] == 0;
    double least = g->impact->p ? INFINITY : 0;
    for (int i = 0; i < g->impact->p; i++) {
        double impulse = o->impulse[i];
        if (smooth && impulse >= 0) {
            least = smaller(impulse, least);
            continue;
        }
        double tangential = length(g->slip_start[i], g->slip_start[i + 1], o->tangential_impulse);
        double spread = length(g->spread_start[i], g->spread_start[i + 1], o->spread_impulse);
        double D = g->norm[i] * g->norm[i], allowed = 0;
        if ((impulse < 0 || tangential > 0 || spread > 0) && D > 0)
            allowed = forgiven(g, b, i) / D;
        all = all && impulse >= -allowed;
        least = smaller(impulse, least);
        if (tangential > 0) {
            double mu = g->impact->contacts[i].friction_static;
            /* infinite friction: the half-space L >= 0, its border included as a limit */
            double slack = mu == INFINITY ? INFINITY : mu * impulse - tangential;
            all = all && (mu == INFINITY ||
                          slack >= -CAROM_VERDICT_TOLERANCE * tangential - (1 + mu) * allowed);
            least = smaller(slack, least);
        }
        if (spread > 0) {
            double slack = impulse - spread;
            all = all && slack >= -CAROM_VERDICT_TOLERANCE * spread - allowed;
            least = smaller(slack, least);
        }
    }
    o->verdict.kinetic = all;
    o->verdict.least_impulse = least;
}

/* A sum of works 1/2 impulse (velocity before + after), in the rest frame and as seen from the
 * contacts, with the size of its terms. */
typedef struct works {
    double rest, seen, size;
} works;

/* velocities as seen from the contact, which moves with `motion` */
static void add_work(double impulse, double before, double after, double motion, works *w)
{
    w->seen += 0.5 * impulse * (before + after);
    w->rest += 0.5 * impulse * ((before - motion) + (after - motion));
    w->size += 0.5 * fabs(impulse) * (fabs(before) + fabs(after));
}

/* The works of the impulses of the columns of A; motion (may be NULL) or a frame to see them from.
 */
static void add_works(const carom_geometry *g, const double *A, int count, const double *impulse,
                      const double *motion, const double *frame, const carom_outcome *o, works *w)
{
    int n = g->impact->n;
    for (int j = 0; j < count; j++, A += n) {
        if (impulse[j] == 0)
            continue;
        double moves = motion ? motion[j] : g->still ? 0 : -carom_dense_dot(n, A, frame);
        add_work(impulse[j], carom_dense_dot(n, A, g->impact->u) + moves,
                 carom_dense_dot(n, A, o->u) + moves, moves, w);
    }
}

/* The works of all impulses (Thomson and Tait): they sum to the change of energy where the impulses
 * explain u+, and unlike a difference of energies they keep the digits of light bodies. */
static works sum_works(const carom_geometry *g, const carom_outcome *o, const double *frame)
{
    const carom_impact *impact = g->impact;
    works w = {0};
    if (g->joint_error > 0) { /* g->gamma is that of the velocity which the joints allow */
        add_works(g, impact->W, impact->p, o->impulse, impact->w_hat, g->b, o, &w);
    } else {
        for (int i = 0; i < impact->p; i++)
            add_work(o->impulse[i], g->gamma[i], o->gamma[i], impact->w_hat ? impact->w_hat[i] : 0,
                     &w);
    }
    const int spreads = g->spread_start[impact->p];
    if (g->s > 0)
        add_works(g, impact->H, g->s, o->tangential_impulse, NULL, frame, o, &w);
    if (spreads > 0)
        add_works(g, impact->spread, spreads, o->spread_impulse, NULL, frame, o, &w);
    if (g->c > 0)
        add_works(g, g->C, g->c, o->joint_impulse, g->c_hat, frame, o, &w);
    return w;
}

/* What rounding of the velocities can do to the works: impulse by impulse. */
static double work_rounding(const carom_geometry *g, const bench *b)
{
    double sum = 0;
    for (int k = 0; k < g->impact->n; k++)
        sum += b->gross[k] * (b->size[k] + (g->still ? 0 : fabs(g->b[k])));
    return carom_predicate_rounding(g->impact->n) * sum;
}

/* The same from velocities alone, 1/2 (u+ - u-)'M (u+ + u- - 2b), where impulses do not tell. */
static works direct_work(const carom_geometry *g, const carom_outcome *o, const double *frame,
                         bench *b)
{
    int n = g->impact->n;
    const double *u = g->impact->u, *v = o->u;
    works w = {0};
    for (int i = 0; i < n; i++)
        b->work[i] = v[i] - u[i];
    carom_geometry_mass(g, b->work, b->r);
    for (int i = 0; i < n; i++) {
        w.rest += 0.5 * b->r[i] * (v[i] + u[i]);
        w.seen += 0.5 * b->r[i] * ((v[i] - frame[i]) + (u[i] - frame[i]));
        w.size += 0.5 * fabs(b->r[i]) * (fabs(v[i] - frame[i]) + fabs(u[i] - frame[i]));
    }
    return w;
}

/* Energy in the frame of the moving constraints; with friction also of the moving surfaces. */
static void judge_energetic(const carom_geometry *g, bench *b, carom_outcome *o)
{
    const double *frame = g->b;
    for (int j = 0; j < g->s && !g->still; j++)
        if (o->tangential_impulse[j] != 0)
            frame = g->b_slip;
    works w = o->verdict.misfit <= 1 ? sum_works(g, o, frame) : direct_work(g, o, frame, b);
    o->energy = 0.5 * carom_velocity_product(g, o->u, o->u);
    o->energy_change = w.rest;
    o->verdict.energy_gain = w.seen;
    o->verdict.energetic = w.seen <= CAROM_VERDICT_TOLERANCE * w.size ||
                           w.seen <= CAROM_VERDICT_TOLERANCE * w.size + work_rounding(g, b);
}

/* Everything that the velocity and the impulses tell. memory: 4 n + c numbers. */
static void judge(const carom_geometry *g, double *memory, carom_outcome *o)
{
    const size_t n = (size_t)g->impact->n;
    bench b = {memory, memory + n, memory + 2 * n, memory + 3 * n};
    find_misfit(g, o, &b);
    o->verdict.misfit = judge_momentum(g, &b);
    if (o->verdict.misfit > 1) {
        add_joint_rounding(g, &b);
        add_rounding(g, &b);
        add_directions(g, o, &b);
        o->verdict.misfit = judge_momentum(g, &b);
    }
    o->verdict.momentum_error = o->verdict.misfit == 0 ? 0 : momentum_error(g, &b);
    for (int i = 0; i < g->impact->p; i++)
        o->gamma[i] = carom_velocity_normal(g, i, o->u);
    for (int j = 0; j < g->s; j++)
        o->slip[j] = carom_velocity_slip(g, j, o->u);
    judge_kinematic(g, &b, o);
    judge_kinetic(g, &b, o);
    judge_energetic(g, &b, o);
}

carom_status carom_outcome_complete(const carom_geometry *geometry, carom_arena *arena,
                                    carom_outcome *outcome, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, outcome);
    enum { SMALL = 64 };
    double few[SMALL];
    size_t n = (size_t)geometry->impact->n, room = 4 * n + (size_t)geometry->c;
    if (room <= SMALL) {
        judge(geometry, few, outcome);
        return CAROM_OK;
    }
    carom_mark mark = carom_arena_mark(arena);
    double *memory = carom_arena_doubles(arena, room);
    if (!memory)
        return carom_error_memory(error);
    judge(geometry, memory, outcome);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
