/* A velocity that is said to break a promise, put to the test by running a law with it. */
#include "certify/witness.h"

#include "carom/sample.h"
#include "carom/tolerance.h"
#include "impact/predicate.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <math.h>

/* Does one outcome do what is claimed? The verdicts tell, so that rounding is neither. */
static bool is_so(const carom_outcome *outcome, carom_witness_claim claim)
{
    switch (claim) {
    case CAROM_WITNESS_PENETRATES:
        return !outcome->verdict.kinematic;
    case CAROM_WITNESS_PULLS:
        return !outcome->verdict.kinetic;
    case CAROM_WITNESS_GAINS:
        return !outcome->verdict.energetic;
    case CAROM_WITNESS_NO_OUTCOME:
    case CAROM_WITNESS_NOTHING:
        break;
    }
    return false;
}

/* Apply a law from the velocity u. alone: contacts' own laws are left aside. */
static carom_status apply(const carom_law *law, const carom_geometry *g, const double *u,
                          bool alone, carom_arena *arena, carom_geometry **geometry,
                          carom_outcome **outcome, carom_error *error)
{
    carom_impact *impact = carom_arena_array(arena, 1, sizeof *impact);
    carom_geometry *other = carom_arena_array(arena, 1, sizeof *other);
    carom_outcome *made = carom_arena_zeros(arena, 1, sizeof *made);
    carom_contact *contacts = carom_arena_array(arena, (size_t)g->impact->p + 1, sizeof *contacts);
    if (!impact || !other || !made || !contacts)
        return carom_error_memory(error);
    *impact = *g->impact;
    impact->u = u;
    for (int i = 0; i < impact->p && impact->contacts; i++) {
        contacts[i] = impact->contacts[i];
        contacts[i].law = alone ? NULL : contacts[i].law;
    }
    impact->contacts = impact->contacts ? contacts : NULL;
    carom_status status = carom_impact_derive(impact, arena, other, error);
    if (!status)
        status = carom_outcome_create(other, arena, made, error);
    if (!status)
        status = carom_law_apply(law, other, arena, made, error);
    *geometry = other;
    *outcome = made;
    return status;
}

static bool has_answer(const carom_outcome *outcome)
{
    return outcome->answer == CAROM_ANSWER_OK || outcome->answer == CAROM_ANSWER_SEVERAL;
}

/* Is the claim true of the outcome or of one of its alternatives? */
static bool judge(const carom_outcome *outcome, carom_witness_claim claim)
{
    if (claim == CAROM_WITNESS_NO_OUTCOME)
        return outcome->answer == CAROM_ANSWER_NONE;
    bool confirmed = has_answer(outcome) && is_so(outcome, claim);
    for (int k = 0; k < outcome->alternative_count && has_answer(outcome); k++)
        confirmed = confirmed || is_so(&outcome->alternatives[k], claim);
    return confirmed;
}

/* The largest energy gain of an outcome and its alternatives, relative to the energy before. */
static double largest_gain(const carom_geometry *g, const carom_outcome *outcome)
{
    const double before = g->energy > 0 ? g->energy : 1;
    double most = has_answer(outcome) ? outcome->verdict.energy_gain / before : 0;
    for (int k = 0; k < outcome->alternative_count && has_answer(outcome); k++)
        most = fmax(most, outcome->alternatives[k].verdict.energy_gain / before);
    return most;
}

carom_status carom_witness_run(const carom_law *law, const carom_geometry *g, const double *u,
                               carom_witness_claim claim, carom_arena *arena, bool *confirmed,
                               double *gain, carom_error *error)
{
    carom_outcome *outcome;
    carom_geometry *other;
    carom_status status = apply(law, g, u, true, arena, &other, &outcome, error);
    if (status)
        return status;
    *confirmed = judge(outcome, claim);
    if (gain)
        *gain = largest_gain(other, outcome);
    return CAROM_OK;
}

carom_status carom_witness_run_own(const carom_law *law, const carom_geometry *g, const double *u,
                                   carom_witness_claim claim, carom_arena *arena,
                                   carom_witness_answer *answer, carom_error *error)
{
    carom_outcome *outcome;
    carom_geometry *other;
    carom_status status = apply(law, g, u, false, arena, &other, &outcome, error);
    if (status)
        return status;
    *answer =
        (carom_witness_answer){has_answer(outcome), judge(outcome, claim),
                               carom_predicate_approaching(other), largest_gain(other, outcome)};
    return CAROM_OK;
}

/* The columns whose rates are given: unit normals and, when v_T is, slips in units of their own. */
static int fill_rows(const carom_geometry *g, const double *v_n, const double *v_T, double *J,
                     double *Z, double *v)
{
    const int n = g->impact->n, p = g->impact->p, count = p + (v_T ? g->s : 0);
    for (int i = 0; i < count; i++) {
        const bool normal = i < p;
        const double *row =
            normal ? g->impact->W + (size_t)i * n : g->impact->H + (size_t)(i - p) * n;
        const double *inverse = normal ? g->Y + (size_t)i * n : g->Z + (size_t)(i - p) * n;
        const double square = carom_dense_dot(n, row, inverse);
        const double unit = square > 0 ? 1 / sqrt(square) : 0;
        v[i] = normal ? v_n[i] : v_T[i - p] * unit;
        for (int k = 0; k < n; k++) {
            J[k + (size_t)i * n] = row[k] * unit;
            Z[k + (size_t)i * n] = inverse[k] * unit;
        }
    }
    return count;
}

carom_status carom_witness_velocity(const carom_geometry *g, const double *v_n, const double *v_T,
                                    double speed, carom_arena *arena, double **u, bool *attainable,
                                    carom_error *error)
{
    const size_t n = (size_t)g->impact->n, most = (size_t)g->impact->p + (size_t)g->s;
    double *J = carom_arena_doubles(arena, 2 * n * most + most * most + 2 * most);
    double *x = carom_arena_zeros(arena, n, sizeof *x);
    if (!J || !x)
        return carom_error_memory(error);
    double *Z = J + n * most, *A = Z + n * most, *v = A + most * most, *a = v + most;
    const int count = fill_rows(g, v_n, v_T, J, Z, v);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < count; i++)
            A[i + (size_t)j * count] =
                carom_dense_dot((int)n, J + (size_t)i * n, Z + (size_t)j * n);
    carom_min_norm info;
    carom_status status =
        carom_min_norm_solve(count, count, A, v, CAROM_TOLERANCE_RANK, arena, a, &info, error);
    if (status)
        return status;
    *attainable = info.residual <= CAROM_TOLERANCE_SAME * carom_dense_norm(count, v);
    for (int j = 0; j < count; j++)
        carom_dense_axpy((int)n, a[j], Z + (size_t)j * n, x);
    const double size = sqrt(carom_geometry_dot(g, x, x));
    const double factor = size > 0 ? (speed > 0 ? speed : 1) / size : 1;
    for (size_t k = 0; k < n; k++)
        x[k] = (v_T ? g->b_slip[k] : g->b[k]) + factor * x[k];
    *u = x;
    return CAROM_OK;
}

/* A number in (-1, 1): coordinate `dimension` of point `index` of Sobol's sequence. */
static double spread(int dimension, unsigned index)
{
    return 2 * carom_sobol_point(dimension % CAROM_SOBOL_DIMENSIONS, index,
                                 (uint64_t)(dimension / CAROM_SOBOL_DIMENSIONS)) -
           1;
}

/* x := x mirrored in the normals that it separates along, until it separates along none. */
static void approach(const carom_geometry *g, double *x)
{
    enum { SWEEPS = 64 };
    const int n = g->impact->n, p = g->impact->p;
    bool separates = true;
    for (int sweep = 0; sweep < SWEEPS && separates; sweep++) {
        separates = false;
        for (int i = 0; i < p; i++) {
            const double rate = carom_dense_dot(n, g->impact->W + (size_t)i * n, x);
            if (!(rate > 0) || !(g->norm[i] > 0))
                continue;
            separates = true;
            carom_dense_axpy(n, -2 * rate / (g->norm[i] * g->norm[i]), g->Y + (size_t)i * n, x);
        }
    }
}

carom_status carom_witness_sample(const carom_geometry *g, unsigned index, double speed,
                                  carom_arena *arena, double **u, carom_error *error)
{
    const int n = g->impact->n, p = g->impact->p;
    double *x = carom_arena_zeros(arena, (size_t)n, sizeof *x);
    if (!x)
        return carom_error_memory(error);
    for (int j = 0; j < p + g->s; j++) {
        const double *row =
            j < p ? g->impact->W + (size_t)j * n : g->impact->H + (size_t)(j - p) * n;
        const double *inverse = j < p ? g->Y + (size_t)j * n : g->Z + (size_t)(j - p) * n;
        const double square = carom_dense_dot(n, row, inverse);
        if (square > 0)
            carom_dense_axpy(n, spread(j, index) / sqrt(square), inverse, x);
    }
    approach(g, x);
    const double size = sqrt(carom_geometry_dot(g, x, x));
    const double factor = size > 0 ? (speed > 0 ? speed : 1) / size : 1;
    for (int k = 0; k < n; k++)
        x[k] = g->b_slip[k] + factor * x[k];
    *u = x;
    return CAROM_OK;
}
