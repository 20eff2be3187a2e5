/* The outcome of a law and its verification: everything that is said about an outcome is recomputed
 * here from u+ and the impulses, without trusting the law (docs/theory/impact.md). */
#include "base/arena.h"
#include "carom/impact.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *carom_answer_text(carom_answer answer)
{
    static const char *const texts[] = {"ok", "none", "several", "inapplicable", "failed"};
    return texts[answer];
}

const char *carom_mode_text(carom_mode mode)
{
    static const char *const texts[] = {"open", "closed", "stick", "slip+", "slip-", "slip"};
    return texts[mode];
}

carom_status carom_outcome_create(const carom_geometry *g, carom_arena *arena,
                                  carom_outcome *outcome, carom_error *error)
{
    size_t n = (size_t)g->impact->n, p = (size_t)g->impact->p, s = (size_t)g->s, c = (size_t)g->c;
    size_t k = (size_t)g->spread_start[p];
    double *memory = carom_arena_zeros(arena, n + 2 * p + 2 * s + c + k, sizeof(double));
    carom_mode *mode = carom_arena_zeros(arena, p, sizeof(carom_mode));
    if (!memory || !mode)
        return carom_error_memory(error);
    *outcome = (carom_outcome){.answer = CAROM_ANSWER_OK, .impulse_unique = true, .mode = mode};
    outcome->u = memory;
    outcome->impulse = outcome->u + n;
    outcome->gamma = outcome->impulse + p;
    outcome->tangential_impulse = outcome->gamma + p;
    outcome->slip = outcome->tangential_impulse + s;
    outcome->joint_impulse = outcome->slip + s;
    outcome->spread_impulse = outcome->joint_impulse + c;
    memcpy(outcome->u, g->u, n * sizeof(double));
    return CAROM_OK;
}

void carom_outcome_from_impulses(const carom_geometry *g, carom_outcome *outcome)
{
    int n = g->impact->n;
    double *u = outcome->u;
    memcpy(u, g->u, (size_t)n * sizeof(double));
    for (int i = 0; i < g->impact->p; i++) {
        const double *y = g->Y + (size_t)i * n;
        double impulse = outcome->impulse[i];
        if (impulse != 0)
            for (int k = 0; k < n; k++)
                u[k] += y[k] * impulse;
    }
    for (int j = 0; j < g->s; j++) {
        const double *z = g->Z + (size_t)j * n;
        double impulse = outcome->tangential_impulse[j];
        if (impulse != 0)
            for (int k = 0; k < n; k++)
                u[k] += z[k] * impulse;
    }
}

static void subtract_columns(int n, const double *A, int count, const double *x, double *r)
{
    for (int j = 0; j < count; j++)
        if (x[j] != 0)
            for (int i = 0; i < n; i++)
                r[i] -= A[i + (size_t)j * n] * x[j];
}

/* Joint impulses, and what is left of M(u+ - u-) - W L - H l_T - spread eta - C beta in the kinetic
 * norm. */
static double momentum_error(const carom_geometry *g, carom_outcome *o, double *r, double *work)
{
    const carom_impact *impact = g->impact;
    int n = impact->n;
    for (int i = 0; i < n; i++)
        work[i] = o->u[i] - impact->u[i];
    carom_geometry_mass(g, work, r);
    subtract_columns(n, impact->W, impact->p, o->impulse, r);
    subtract_columns(n, impact->H, g->s, o->tangential_impulse, r);
    subtract_columns(n, impact->spread, g->spread_start[impact->p], o->spread_impulse, r);
    carom_geometry_joint_impulses(g, r, o->joint_impulse);
    subtract_columns(n, g->C, g->c, o->joint_impulse, r);
    double squared = 0; /* r'M^-1 r = |L^-1 r|^2 */
    if (!impact->mass_is_diagonal)
        carom_cholesky_forward(n, g->L, n, r);
    for (int i = 0; i < n; i++) {
        double x = impact->mass_is_diagonal ? r[i] / g->L[i] : r[i];
        squared += x * x;
    }
    return g->speed > 0 ? sqrt(squared) / g->speed : sqrt(squared);
}

/* w.u + w_hat, for a second-order cone minus |A u|. */
static double gap_velocity(const carom_geometry *g, const carom_outcome *o, int i)
{
    int n = g->impact->n;
    double squared = 0;
    for (int j = g->spread_start[i]; j < g->spread_start[i + 1]; j++) {
        double x = 0;
        for (int k = 0; k < n; k++)
            x += g->impact->spread[k + (size_t)j * n] * o->u[k];
        squared += x * x;
    }
    return squared > 0 ? o->gamma[i] - sqrt(squared) : o->gamma[i];
}

static bool holds_velocity(const carom_geometry *g, const carom_outcome *o, int i)
{
    double rounding = g->gamma_size ? 1e-13 * g->gamma_size[i] : 0; /* joints may block w_i */
    return gap_velocity(g, o, i) >= -CAROM_VERDICT_TOLERANCE * g->norm[i] * g->speed - rounding;
}

/* All contacts, or all of one group of the region. */
static bool judge_kinematic(const carom_geometry *g, const carom_outcome *o)
{
    const carom_region *region = g->impact->region;
    if (!region) {
        for (int i = 0; i < g->impact->p; i++)
            if (!holds_velocity(g, o, i))
                return false;
        return true;
    }
    for (int k = 0; k < region->group_count; k++) {
        bool all = true;
        for (int j = region->group_start[k]; j < region->group_start[k + 1]; j++)
            all = all && holds_velocity(g, o, region->group_contact[j]);
        if (all)
            return true;
    }
    return false;
}

static double spread_impulse(const carom_geometry *g, const carom_outcome *o, int i)
{
    double squared = 0;
    for (int j = g->spread_start[i]; j < g->spread_start[i + 1]; j++)
        squared += o->spread_impulse[j] * o->spread_impulse[j];
    return sqrt(squared);
}

/* L_i >= 0 and |l_T,i| <= mu_i L_i, on the scale speed / |w_i| of impulses. */
static void judge_kinetic(const carom_geometry *g, carom_outcome *o)
{
    carom_verdict *v = &o->verdict;
    v->kinetic = true;
    v->least_impulse = g->impact->p ? INFINITY : 0;
    for (int i = 0; i < g->impact->p; i++) {
        double scale = g->norm[i] > 0 ? g->speed / g->norm[i] : 0;
        double squared = 0, slack = o->impulse[i];
        for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++)
            squared += o->tangential_impulse[j] * o->tangential_impulse[j];
        if (o->impulse[i] < -CAROM_VERDICT_TOLERANCE * scale)
            v->kinetic = false;
        if (squared > 0) {
            double mu = g->impact->contacts[i].friction_static, tangential = sqrt(squared);
            /* infinite friction: the half-space L >= 0, its border included as a limit */
            double limit = mu == INFINITY ? INFINITY : mu * o->impulse[i];
            slack = fmin(slack, limit - tangential);
            if (limit - tangential < -CAROM_VERDICT_TOLERANCE * (scale + tangential))
                v->kinetic = false;
        }
        double spread = spread_impulse(g, o, i); /* a second-order cone wants |eta| <= L */
        slack = fmin(slack, o->impulse[i] - spread);
        if (o->impulse[i] - spread < -CAROM_VERDICT_TOLERANCE * (scale + spread))
            v->kinetic = false;
        v->least_impulse = fmin(v->least_impulse, slack);
    }
}

/* Energy in the frame of the moving constraints; with friction also of the moving surfaces. */
static void judge_energetic(const carom_geometry *g, carom_outcome *o, double *x)
{
    int n = g->impact->n;
    const double *b = g->b;
    for (int j = 0; j < g->s; j++)
        if (o->tangential_impulse[j] != 0)
            b = g->b_slip;
    for (int i = 0; i < n; i++)
        x[i] = o->u[i] - b[i];
    double after = carom_geometry_dot(g, x, x);
    for (int i = 0; i < n; i++)
        x[i] = g->impact->u[i] - b[i];
    double before = carom_geometry_dot(g, x, x);
    o->verdict.energy_gain = 0.5 * (after - before);
    double rounding = 1e-13 * g->speed; /* of u - b, which may be all there is of it */
    o->verdict.energetic = after - before <= CAROM_VERDICT_TOLERANCE * before + rounding * rounding;
}

carom_status carom_outcome_complete(const carom_geometry *g, carom_arena *arena, carom_outcome *o,
                                    carom_error *error)
{
    int n = g->impact->n;
    carom_mark mark = carom_arena_mark(arena);
    double *r = carom_arena_doubles(arena, 2 * (size_t)n);
    if (!r)
        return carom_error_memory(error);
    o->verdict.momentum_error = momentum_error(g, o, r, r + n);
    carom_geometry_normal_velocity(g, o->u, o->gamma);
    carom_geometry_slip_velocity(g, o->u, o->slip);
    o->energy = 0.5 * carom_geometry_dot(g, o->u, o->u);
    o->energy_change = o->energy - g->energy;
    o->verdict.least_velocity = g->impact->p ? INFINITY : 0;
    for (int i = 0; i < g->impact->p; i++)
        o->verdict.least_velocity = fmin(o->verdict.least_velocity, gap_velocity(g, o, i));
    o->verdict.kinematic = judge_kinematic(g, o);
    judge_kinetic(g, o);
    judge_energetic(g, o, r);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

void carom_outcome_say(carom_outcome *outcome, const char *format, ...)
{
    size_t used = strlen(outcome->message), room = sizeof outcome->message;
    if (used && used + 2 < room) {
        memcpy(outcome->message + used, "; ", 3);
        used += 2;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->message + used, room - used, format, arguments);
    va_end(arguments);
}

void carom_outcome_detail(carom_outcome *outcome, const char *name, double value)
{
    if (outcome->detail_count < CAROM_DETAILS)
        outcome->details[outcome->detail_count++] = (carom_detail){name, value, NULL};
}
