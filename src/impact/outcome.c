/* The outcome of a law and its verification: everything that is said about an outcome is recomputed
 * here from u+ and the impulses, without trusting the law (docs/theory/impact.md). */
#include "impact/outcome.h"
#include "carom/impact.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

const char *carom_answer_text(carom_answer answer)
{
    static const char *const texts[] = {"ok", "none", "several", "inapplicable", "failed"};
    return texts[answer];
}

/* Message and details are empty by their first byte and their count; what lies behind is not
 * touched, here and in carom_outcome_copy. */
carom_status carom_outcome_create(const carom_geometry *g, carom_arena *arena,
                                  carom_outcome *outcome, carom_error *error)
{
    size_t n = (size_t)g->impact->n, p = (size_t)g->impact->p, s = (size_t)g->s, c = (size_t)g->c;
    size_t k = (size_t)g->spread_start[p], count = n + 2 * p + 2 * s + c + k;
    double *memory = carom_arena_take(arena, count * sizeof(double) + p * sizeof(carom_mode));
    if (!memory)
        return carom_error_memory(error);
    outcome->answer = CAROM_ANSWER_OK;
    outcome->u = memory;
    outcome->impulse = outcome->u + n;
    outcome->gamma = outcome->impulse + p;
    outcome->tangential_impulse = outcome->gamma + p;
    outcome->slip = outcome->tangential_impulse + s;
    outcome->joint_impulse = outcome->slip + s;
    outcome->spread_impulse = outcome->joint_impulse + c;
    outcome->mode = (carom_mode *)(memory + count);
    outcome->impulse_unique = true;
    outcome->energy = outcome->energy_change = 0;
    outcome->verdict = (carom_verdict){0};
    outcome->alternative_count = outcome->detail_count = 0;
    outcome->alternatives = NULL;
    outcome->message[0] = '\0';
    for (size_t i = 0; i < n; i++)
        memory[i] = g->u[i];
    for (size_t i = n; i < count; i++)
        memory[i] = 0;
    for (size_t i = 0; i < p; i++)
        outcome->mode[i] = CAROM_MODE_OPEN;
    return CAROM_OK;
}

void carom_outcome_copy(const carom_outcome *from, carom_outcome *to)
{
    memcpy(to, from, offsetof(carom_outcome, details));
    for (int k = 0; k < from->detail_count; k++)
        to->details[k] = from->details[k];
    size_t length = from->message[0] ? strlen(from->message) : 0;
    memcpy(to->message, from->message, length + 1);
}

void carom_outcome_from_impulses(const carom_geometry *g, carom_outcome *outcome)
{
    int n = g->impact->n;
    double *u = outcome->u;
    bool local = g->impact->mass_is_diagonal && g->c == 0; /* y_i is zero where w_i is */
    for (int k = 0; k < n; k++)
        u[k] = g->u[k];
    for (int i = 0; i < g->impact->p; i++) {
        const double *y = g->Y + (size_t)i * n;
        double impulse = outcome->impulse[i];
        int first = local ? g->first[i] : 0, last = local ? g->last[i] : n;
        if (impulse != 0)
            for (int k = first; k < last; k++)
                u[k] += y[k] * impulse;
    }
    for (int j = 0; j < g->s; j++)
        if (outcome->tangential_impulse[j] != 0)
            carom_dense_axpy(n, outcome->tangential_impulse[j], g->Z + (size_t)j * n, u);
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
        r[i] = (o->u[i] - impact->u[i]) * (impact->mass_is_diagonal ? impact->M[i] : 1);
    if (!impact->mass_is_diagonal) {
        memcpy(work, r, (size_t)n * sizeof(double));
        carom_geometry_mass(g, work, r);
    }
    const double *w = impact->W;
    for (int i = 0, p = impact->p; i < p; i++, w += n) {
        double impulse = o->impulse[i];
        if (impulse != 0)
            for (int k = g->first[i], end = g->last[i]; k < end; k++)
                r[k] -= w[k] * impulse;
    }
    subtract_columns(n, impact->H, g->s, o->tangential_impulse, r);
    subtract_columns(n, impact->spread, g->spread_start[impact->p], o->spread_impulse, r);
    if (g->c) {
        carom_geometry_joint_impulses(g, r, o->joint_impulse);
        subtract_columns(n, g->C, g->c, o->joint_impulse, r);
    }
    double squared = 0; /* r'M^-1 r = |L^-1 r|^2 */
    if (!impact->mass_is_diagonal)
        carom_cholesky_forward(n, g->L, n, r);
    for (int i = 0; i < n; i++) {
        double x = impact->mass_is_diagonal ? r[i] / g->L[i] : r[i];
        squared += x * x;
    }
    return g->speed > 0 ? sqrt(squared) / g->speed : sqrt(squared);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
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

static bool holds_velocity(const carom_geometry *g, int i, double velocity)
{
    double rounding = g->gamma_size ? 1e-13 * g->gamma_size[i] : 0; /* joints may block w_i */
    return velocity >= -CAROM_VERDICT_TOLERANCE * g->norm[i] * g->speed - rounding;
}

/* Some group of the region has all its contacts satisfied. */
static bool holds_region(const carom_geometry *g, const carom_outcome *o)
{
    const carom_region *region = g->impact->region;
    for (int k = 0; k < region->group_count; k++) {
        bool all = true;
        for (int j = region->group_start[k]; j < region->group_start[k + 1]; j++) {
            int i = region->group_contact[j];
            all = all && holds_velocity(g, i, gap_velocity(g, o, i));
        }
        if (all)
            return true;
    }
    return false;
}

static void judge_kinematic(const carom_geometry *g, carom_outcome *o)
{
    bool all = true;
    double least = g->impact->p ? INFINITY : 0;
    for (int i = 0; i < g->impact->p; i++) {
        double velocity = gap_velocity(g, o, i);
        all = all && holds_velocity(g, i, velocity);
        least = smaller(velocity, least);
    }
    o->verdict.least_velocity = least;
    o->verdict.kinematic = g->impact->region ? holds_region(g, o) : all;
}

static double length(int first, int last, const double *x)
{
    double squared = 0;
    for (int j = first; j < last; j++)
        squared += x[j] * x[j];
    return squared > 0 ? sqrt(squared) : squared;
}

/* L_i >= 0 and |l_T,i| <= mu_i L_i, |eta_i| <= L_i, on the scale speed / |w_i| of impulses. */
static void judge_kinetic(const carom_geometry *g, carom_outcome *o)
{
    bool all = true;
    double least = g->impact->p ? INFINITY : 0;
    for (int i = 0; i < g->impact->p; i++) {
        double impulse = o->impulse[i], scale = g->norm[i] > 0 ? g->speed / g->norm[i] : 0;
        double tangential = length(g->slip_start[i], g->slip_start[i + 1], o->tangential_impulse);
        double spread = length(g->spread_start[i], g->spread_start[i + 1], o->spread_impulse);
        all = all && impulse >= -CAROM_VERDICT_TOLERANCE * scale;
        least = smaller(impulse, least);
        if (tangential > 0) {
            double mu = g->impact->contacts[i].friction_static;
            /* infinite friction: the half-space L >= 0, its border included as a limit */
            double slack = mu == INFINITY ? INFINITY : mu * impulse - tangential;
            all = all && slack >= -CAROM_VERDICT_TOLERANCE * (scale + tangential);
            least = smaller(slack, least);
        }
        if (spread > 0) {
            double slack = impulse - spread;
            all = all && slack >= -CAROM_VERDICT_TOLERANCE * (scale + spread);
            least = smaller(slack, least);
        }
    }
    o->verdict.kinetic = all;
    o->verdict.least_impulse = least;
}

/* Energy in the frame of the moving constraints; with friction also of the moving surfaces. */
static void judge_energetic(const carom_geometry *g, carom_outcome *o, double *x)
{
    int n = g->impact->n;
    const double *b = g->b;
    double after = 2 * o->energy, before = 2 * g->energy;
    if (!g->still) {
        for (int j = 0; j < g->s; j++)
            if (o->tangential_impulse[j] != 0)
                b = g->b_slip;
        for (int i = 0; i < n; i++)
            x[i] = o->u[i] - b[i];
        after = carom_geometry_dot(g, x, x);
        for (int i = 0; i < n; i++)
            x[i] = g->impact->u[i] - b[i];
        before = carom_geometry_dot(g, x, x);
    }
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
    judge_kinematic(g, o);
    judge_kinetic(g, o);
    judge_energetic(g, o, r);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Where the next remark begins, behind "; " if it is not the first. */
static size_t separate(carom_outcome *outcome)
{
    size_t used = strlen(outcome->message);
    if (used && used + 2 < sizeof outcome->message) {
        memcpy(outcome->message + used, "; ", 3);
        used += 2;
    }
    return used;
}

void carom_outcome_add(carom_outcome *outcome, const char *text)
{
    size_t used = separate(outcome), length = strlen(text), room = sizeof outcome->message - used;
    if (length >= room)
        length = room - 1;
    memcpy(outcome->message + used, text, length);
    outcome->message[used + length] = '\0';
}

void carom_outcome_say(carom_outcome *outcome, const char *format, ...)
{
    size_t used = separate(outcome);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->message + used, sizeof outcome->message - used, format, arguments);
    va_end(arguments);
}

void carom_outcome_detail(carom_outcome *outcome, const char *name, double value)
{
    if (outcome->detail_count < CAROM_DETAILS)
        outcome->details[outcome->detail_count++] = (carom_detail){name, value, NULL};
}
