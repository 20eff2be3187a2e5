/* The restitution matrix: v+ = -E v- for all closed contacts (docs/theory/matrix.md). */
#include "law/law_matrix.h"
#include "carom/quasi.h"
#include "carom/tolerance.h"
#include "impact/predicate.h"
#include "law/impulses.h"
#include "law/laws.h"
#include "law/promise.h"
#include "law/restitution.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"
#include "linalg/spectrum.h"

#include <math.h>

/* The law's equation has no solution: the demanded jump leaves the range. */
static void refuse_range(double distance, const char *what, carom_outcome *outcome)
{
    outcome->answer = CAROM_ANSWER_NONE;
    carom_outcome_say(outcome,
                      "(I + E)v- is not in the range of %s (relative distance %.3g): no impulses "
                      "produce v+ = -E v-",
                      what, distance);
}

/* x (columns) with A x = rhs, of least norm; *distance is relative to the rhs. */
static carom_status solve(int rows, int columns, const double *A, const double *rhs,
                          carom_arena *arena, double *x, double *distance, bool *unique,
                          carom_error *error)
{
    carom_min_norm info;
    carom_status status =
        carom_min_norm_solve(rows, columns, A, rhs, CAROM_TOLERANCE_RANK, arena, x, &info, error);
    double size = carom_dense_norm(rows, rhs);
    *distance = size > 0 ? info.residual / size : 0;
    *unique = info.rank == columns;
    return status;
}

carom_status carom_law_matrix_modes(const carom_geometry *g, carom_arena *arena,
                                    carom_outcome *outcome, carom_error *error)
{
    carom_law_set_modes(g, outcome);
    double *slip = carom_arena_doubles(arena, (size_t)g->s);
    if (!slip)
        return carom_error_memory(error);
    carom_geometry_slip_velocity(g, outcome->u, slip);
    for (int i = 0; i < g->impact->p; i++) {
        int r = g->slip_start[i], s = g->slip_start[i + 1] - r;
        if (s == 0 || outcome->mode[i] == CAROM_MODE_OPEN)
            continue;
        double zero = 0, now = s == 2 ? hypot(slip[r], slip[r + 1]) : fabs(slip[r]);
        for (int k = r; k < r + s; k++)
            zero = fmax(zero, CAROM_TOLERANCE_SIGN * g->speed *
                                  sqrt(carom_dense_dot(g->impact->n,
                                                       g->impact->H + (size_t)k * g->impact->n,
                                                       g->Z + (size_t)k * g->impact->n)));
        if (now <= zero)
            outcome->mode[i] = CAROM_MODE_STICK;
        else if (s == 2)
            outcome->mode[i] = CAROM_MODE_SLIP;
        else
            outcome->mode[i] = slip[r] > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
    }
    return CAROM_OK;
}

/* target_i = -sum_j epsilon_ij gamma_j-, with twice the digits. */
static void make_target(const carom_value *value, bool normalised, const carom_geometry *g,
                        const doubled *gamma, doubled *target)
{
    int p = g->impact->p;
    for (int i = 0; i < p; i++) {
        target[i] = value ? (doubled){0, 0} : doubled_scale(gamma[i], -carom_law_restitution(g, i));
        for (int j = 0; j < p && value; j++) {
            double epsilon = value->numbers[i + (size_t)j * p];
            if (normalised && i != j)
                epsilon *= g->norm[j] > 0 ? g->norm[i] / g->norm[j] : 0;
            target[i] = doubled_add(target[i], doubled_scale(gamma[j], -epsilon));
        }
    }
}

/* p x p: gamma+ = -epsilon gamma-, v_t kept. u+ is the velocity nearest to u- that meets all of it;
 * contacts that depend on others must agree. Of the impulses those are shown that push, if there
 * are any. */
static carom_status apply_normal(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                                 carom_outcome *outcome, carom_error *error)
{
    int p = g->impact->p;
    const char *reason;
    char text[160];
    bool normalised;
    const carom_value *value = carom_restitution_given(law, p, &normalised, &reason, text);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    doubled *gamma = carom_arena_array(arena, 2 * (size_t)p, sizeof *gamma);
    double *minus = carom_arena_doubles(arena, (size_t)p), off;
    if (!gamma || !minus)
        return carom_error_memory(error);
    doubled *target = gamma + p;
    for (int i = 0; i < p; i++)
        minus[i] = -1;
    carom_nearest_target(g, minus, gamma); /* gamma- itself */
    make_target(value, normalised, g, gamma, target);
    carom_impulses f;
    carom_status status = carom_impulses_meet(g, target, arena, &f, &off, error);
    if (status)
        return status;
    carom_outcome_detail(outcome, "range_distance", off);
    if (!f.exists) {
        refuse_range(off, "G (dependent contacts)", outcome);
        return CAROM_OK;
    }
    carom_impulses_store(g, &f, outcome);
    carom_law_set_modes(g, outcome);
    return CAROM_OK;
}

/* All four blocks: G_bar (p_bar, lambda_T) = -(I + E) v-. */
static carom_status apply_full(const carom_value *E, const carom_quasi *q, carom_arena *arena,
                               carom_outcome *outcome, carom_error *error)
{
    const carom_geometry *g = q->geometry;
    int p = q->p, s = q->s, k = p + q->tangents, columns = p + s;
    double *rhs = carom_arena_doubles(arena, (size_t)k + 2 * (size_t)columns);
    double *A = carom_arena_doubles(arena, (size_t)k * columns), distance;
    if (!rhs || !A)
        return carom_error_memory(error);
    double *x = rhs + k, *scale = x + columns;
    for (int i = 0; i < k; i++) {
        rhs[i] = -q->v[i];
        for (int j = 0; j < k; j++)
            rhs[i] -= E->numbers[i + (size_t)j * k] * q->v[j];
    }
    carom_dense_copy(k * columns, q->G_bar, A);
    for (int j = 0; j < columns; j++) { /* columns of unit length */
        double norm = carom_dense_norm(k, A + (size_t)j * k);
        scale[j] = norm > 0 ? 1 / norm : 1;
        carom_dense_scale(k, scale[j], A + (size_t)j * k);
    }
    bool unique;
    carom_status status = solve(k, columns, A, rhs, arena, x, &distance, &unique, error);
    if (status)
        return status;
    double size = carom_dense_norm(k, rhs);
    if (size <= CAROM_TOLERANCE_REFINED * g->speed) /* nothing is asked: nothing happens */
        distance = 0;
    carom_outcome_detail(outcome, "range_distance", distance);
    if (distance > CAROM_TOLERANCE_SAME) {
        refuse_range(distance, s ? "[G n'H; 0 t'H]" : "G (without friction E_tn = 0, E_tt = -I)",
                     outcome);
        return CAROM_OK;
    }
    for (int i = 0; i < p; i++)
        outcome->impulse[i] = x[i] * scale[i] / (g->norm[i] > 0 ? g->norm[i] : 1);
    for (int j = 0; j < s; j++)
        outcome->tangential_impulse[j] = x[p + j] * scale[p + j];
    outcome->impulse_unique = unique;
    carom_outcome_from_impulses(g, outcome);
    return carom_law_matrix_modes(g, arena, outcome, error);
}

static bool rough(const carom_geometry *g)
{
    for (int i = 0; i < g->impact->p && g->impact->contacts; i++)
        if (g->impact->contacts[i].slip_count && g->impact->contacts[i].friction_static > 0)
            return true;
    return false;
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    const char *reason = carom_law_needs_plain_contacts(g);
    const carom_value *E = carom_law_value(law, "E");
    int p = g->impact->p;
    if (!reason && E && carom_law_value(law, "epsilon"))
        reason = "both E and epsilon are given; they say the same, give one";
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    if (!E || (E->rows == p && E->columns == p)) {
        carom_status status = apply_normal(law, g, arena, outcome, error);
        if (!status && rough(g) && outcome->answer != CAROM_ANSWER_INAPPLICABLE)
            carom_outcome_say(outcome, "E is p x p: slip and friction left aside");
        return status;
    }
    carom_quasi q;
    carom_status status = carom_quasi_make(g, arena, &q, error);
    if (status)
        return status;
    int k = p + q.tangents;
    if (E->rows != k || E->columns != k)
        return carom_law_refuse(outcome,
                                "E is %d x %d; with %d closed contact%s and %d tangents it must be "
                                "%d x %d or %d x %d",
                                E->rows, E->columns, p, p == 1 ? "" : "s", q.tangents, p, p, k, k);
    return apply_full(E, &q, arena, outcome, error);
}

/* K = G^-1 of independent contacts (p x p); false: rounding leaves too little of G. */
static bool invert(const carom_geometry *g, double *G, double *K)
{
    int p = g->impact->p;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            G[i + (size_t)j * p] = i == j ? 1 : g->D[i + (size_t)j * p] / g->norm[i] / g->norm[j];
    if (!(g->pivot > CAROM_TOLERANCE_HALF) || carom_cholesky_factor(p, G, p))
        return false;
    for (int j = 0; j < p; j++) {
        for (int i = 0; i < p; i++)
            K[i + (size_t)j * p] = i == j;
        carom_cholesky_solve(p, G, p, K + (size_t)j * p);
    }
    return true;
}

/* Entrywise signs of E and R = K (I + E), and what C = sym (I - E)'R is: its least eigenvalue in
 * units of K. Overwrites R with C. */
typedef struct signs {
    bool separates, pushes, diagonal, multiple;
    double least;
} signs;

static carom_status judge(int p, const double *E, const double *K, double *R, double *C,
                          double *values, carom_arena *arena, signs *s, carom_error *error)
{
    double size = 0;
    *s = (signs){true, true, true, true, 0};
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double e = E[i + (size_t)j * p], r = K[i + (size_t)j * p], sum = fabs(r);
            for (int k = 0; k < p; k++) {
                r += K[i + (size_t)k * p] * E[k + (size_t)j * p];
                sum += fabs(K[i + (size_t)k * p] * E[k + (size_t)j * p]);
            }
            R[i + (size_t)j * p] = r;
            size = fmax(size, sum);
            s->separates = s->separates && e >= 0;
            s->pushes = s->pushes && r >= -CAROM_PREDICATE_REST * sum;
            s->diagonal = s->diagonal && (i == j ? e >= 0 && e <= 1 : e == 0);
            s->multiple = s->multiple && (i == j ? e == E[0] && fabs(e) <= 1 : e == 0);
        }
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            double sum = R[i + (size_t)j * p] + R[j + (size_t)i * p];
            for (int k = 0; k < p; k++)
                sum -= E[k + (size_t)i * p] * R[k + (size_t)j * p] +
                       E[k + (size_t)j * p] * R[k + (size_t)i * p];
            C[i + (size_t)j * p] = 0.5 * sum;
        }
    carom_status status = carom_spectrum_symmetric(p, C, false, arena, values, error);
    s->least = p && !status ? values[0] / size : 0;
    return status;
}

/* For approaching velocities: E >= 0 separates, K (I + E) >= 0 pushes; a diagonal of [0, 1] that
 * pushes loses energy, and C = K - E'KE > 0, or E = e I with |e| <= 1, does for all velocities. */
carom_status carom_law_matrix_promise(const carom_law *law, const carom_geometry *g,
                                      carom_arena *arena, carom_promise *made, carom_error *error)
{
    int p = g->impact->p;
    size_t squares = (size_t)p * (size_t)p;
    const carom_value *given = carom_law_value(law, "E");
    const char *reason;
    char text[160];
    signs s;
    if (given && given->rows > p) {
        carom_promise_write(made, "",
                            "E prescribes tangential velocities too, carom check judges it");
        return CAROM_OK;
    }
    double *E = carom_arena_doubles(arena, 5 * squares + (size_t)p);
    if (!E)
        return carom_error_memory(error);
    double *K = E + squares, *R = K + squares, *C = R + squares, *G = C + squares;
    carom_restitution_matrix(law, g, E, &reason, text);
    if (g->dependent || reason || !invert(g, G, K)) {
        carom_promise_write(made, "", "contacts are dependent, or nearly so");
        return CAROM_OK;
    }
    carom_status status = judge(p, E, K, R, C, G + squares, arena, &s, error);
    if (status)
        return status;
    made->kinematic = s.separates && g->approaching;
    made->kinetic = s.pushes && g->approaching;
    made->energetic =
        s.multiple || s.least > CAROM_VERDICT_TOLERANCE || (s.diagonal && made->kinetic);
    carom_promise_write(made, "never gains energy",
                        !g->approaching
                            ? "a contact separates before and is turned back"
                            : "what is missing may fail for some velocities (carom check)");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "E",
     .doc = "normalised matrix, p x p (normal velocities) or n x n (quasi-velocities v_n, v_t); "
            "default: diagonal of the contacts' restitution",
     .kind = CAROM_PARAMETER_SQUARE},
    {.name = "epsilon",
     .doc = "the same unnormalised, p x p: gamma+ = -epsilon gamma-",
     .kind = CAROM_PARAMETER_SQUARE},
    {0},
};

const carom_law_ops carom_law_matrix = {
    .name = "matrix",
    .summary = "restitution matrix, v+ = -E v- for all closed contacts",
    .reference = "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction",
    .frictional = true, /* with all four blocks; it says itself when it is not */
    .parameters = parameters,
    .cost = 1,
    .apply = apply,
    .promise = carom_law_matrix_promise,
};
