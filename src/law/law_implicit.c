/* The implicit restitution operator (docs/theory/implicit.md). */
#include "law/implicit.h"
#include "law/law_matrix.h"
#include "law/laws.h"
#include "linalg/dense.h"

#include <math.h>

/* Impulses of the quasi-velocities to those of the contacts. */
static carom_status write_impulses(const carom_implicit *f, const double *impulse,
                                   carom_arena *arena, carom_outcome *outcome, carom_error *error)
{
    const carom_geometry *g = f->quasi->geometry;
    int p = f->quasi->p;
    for (int i = 0; i < p; i++)
        outcome->impulse[i] = g->norm[i] > 0 ? impulse[i] / g->norm[i] : 0;
    for (int j = p; j < f->w; j++)
        outcome->tangential_impulse[j - p] = impulse[j];
    carom_outcome_from_impulses(g, outcome);
    if (f->full)
        return carom_law_matrix_modes(g, arena, outcome, error);
    carom_law_set_modes(g, outcome);
    return CAROM_OK;
}

/* Is the set v+ + Lambda v- >= 0, contact by contact? */
static bool is_orthant(const carom_implicit *f)
{
    bool orthant = !f->full && !f->own_gamma && f->cones == 0 && f->r == f->w;
    for (int i = 0; i < f->r && orthant; i++) {
        orthant = f->c[i] == 0;
        for (int j = 0; j < f->w; j++)
            orthant = orthant && f->A[i + (size_t)j * f->r] == (i == j ? -1 : 0);
    }
    return orthant;
}

/* Where impulses push, v+ = -Lambda v-: the last digits as in Newton's law. */
static carom_status refine(const carom_implicit *f, carom_arena *arena, carom_outcome *outcome,
                           carom_error *error)
{
    const carom_geometry *g = f->quasi->geometry;
    carom_mark mark = carom_arena_mark(arena);
    double *target = carom_arena_zeros(arena, (size_t)f->k, sizeof *target);
    if (!target)
        return carom_error_memory(error);
    carom_dense_gemv(f->k, f->k, -1, f->Lambda, f->k, f->v, target);
    for (int i = 0; i < f->k; i++)
        target[i] *= g->norm[i];
    carom_status status = carom_law_refine(g, target, arena, outcome->u, outcome->impulse, error);
    carom_arena_rewind(arena, mark);
    return status;
}

static carom_status solve(const carom_implicit *f, carom_arena *arena, carom_outcome *outcome,
                          carom_error *error)
{
    double *impulse = carom_arena_zeros(arena, (size_t)f->w, sizeof *impulse);
    double residual = NAN, bound = NAN;
    bool unique = true;
    if (!impulse)
        return carom_error_memory(error);
    carom_status status =
        carom_implicit_solve(f, arena, impulse, &outcome->answer, &residual, &unique, error);
    if (!status)
        status = carom_implicit_metric_bound(f, arena, &bound, error);
    if (status)
        return status;
    carom_outcome_detail(outcome, "existence", f->exists);
    carom_outcome_detail(outcome, "residual", residual);
    if (!isnan(bound))
        carom_outcome_detail(outcome, "energy_bound", bound);
    if (!f->exists)
        carom_outcome_say(outcome,
                          "no P = P' > 0 with P G_bar = Gamma' exists (%s): existence and "
                          "uniqueness are not guaranteed",
                          f->missing);
    if (outcome->answer == CAROM_ANSWER_NONE) {
        carom_outcome_say(outcome, "the generalised equation has no solution");
        return CAROM_OK;
    }
    if (outcome->answer == CAROM_ANSWER_FAILED)
        carom_outcome_say(outcome, "solved to a residual of %.3g only", residual);
    outcome->impulse_unique = unique;
    status = write_impulses(f, impulse, arena, outcome, error);
    return status || !is_orthant(f) ? status : refine(f, arena, outcome, error);
}

static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    carom_quasi quasi;
    carom_implicit f;
    char text[160];
    const char *reason = carom_law_needs_plain_contacts(g);
    if (reason)
        return carom_law_refuse(outcome, "%s", reason);
    carom_status status = carom_quasi_make(g, arena, &quasi, error);
    if (!status)
        status = carom_implicit_state(law, &quasi, arena, &f, &reason, text, error);
    if (!status && reason)
        return carom_law_refuse(outcome, "%s", reason);
    if (!status)
        status = carom_implicit_metric(&f, arena, error);
    if (status)
        return status;
    if (f.cones && !f.exists)
        return carom_law_refuse(outcome,
                                "set cones needs P = P' > 0 with P G_bar = Gamma', which does not "
                                "exist: %s",
                                f.missing);
    status = solve(&f, arena, outcome, error);
    if (!status && !f.full && g->s)
        carom_outcome_say(outcome, "space normal: slip and friction left aside");
    return status;
}

static const carom_parameter parameters[] = {
    {.name = "set",
     .doc = "W: orthant (normals >= 0, slips free), box, polyhedron {y: A y <= c}, or a product "
            "with second-order cones",
     .kind = CAROM_PARAMETER_CHOICE,
     .choices = "orthant|box|polyhedron|cones"},
    {.name = "space",
     .doc = "quasi-velocities: normal (v_n) or full (v_n, v_t; y = normals and slips)",
     .kind = CAROM_PARAMETER_CHOICE,
     .choices = "normal|full"},
    {.name = "Lambda",
     .doc = "k x k; default: diagonal of the contacts' restitution, 0 for tangents",
     .kind = CAROM_PARAMETER_SQUARE},
    {.name = "Gamma",
     .doc = "rows of y = Gamma v; default: I, in full space G_bar'D",
     .kind = CAROM_PARAMETER_MATRIX},
    {.name = "lower",
     .doc = "box: lower bounds of y (default 0 for normals, none for slips)",
     .kind = CAROM_PARAMETER_LIST},
    {.name = "upper", .doc = "box: upper bounds of y (default none)", .kind = CAROM_PARAMETER_LIST},
    {.name = "A", .doc = "polyhedron: rows", .kind = CAROM_PARAMETER_MATRIX},
    {.name = "c", .doc = "polyhedron: right-hand sides (default 0)", .kind = CAROM_PARAMETER_LIST},
    {.name = "cones",
     .doc = "sizes of second-order cones y_1 >= |(y_2, ...)| at the end of y; what is before them "
            "is the orthant, or A y <= c",
     .kind = CAROM_PARAMETER_LIST},
    {0},
};

const carom_law_ops carom_law_implicit = {
    .name = "implicit",
    .summary = "implicit restitution operator, v+ - v- in -G_bar N_W(Gamma(v+ + Lambda v-))",
    .reference = "Brogliato, kinetic quasi-velocities, unilateral constraints, impacts, friction",
    .frictional = true, /* in full space; it says itself when it is not */
    .parameters = parameters,
    .cost = 2,
    .apply = apply,
};
